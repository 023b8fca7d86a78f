"""Dominion's fault codes (protocol-v1, 9), with the section that defines each."""

from __future__ import annotations

from types import MappingProxyType

BAD_PHASE = "bad-phase"
NO_ACTIONS = "no-actions"
NO_BUYS = "no-buys"
NOT_AN_ACTION = "not-an-action"
NOT_IN_HAND = "not-in-hand"
BAD_PARAMETERS = "bad-parameters"
BAD_TREASURE = "bad-treasure"
CANNOT_BUY = "cannot-buy"
BAD_TOP_DISCARD = "bad-top-discard"
BAD_DISCARD = "bad-discard"
NO_MOAT = "no-moat"

SECTIONS = MappingProxyType(
    {
        BAD_PHASE: "5.5",
        NO_ACTIONS: "5.5",
        NO_BUYS: "5.5",
        NOT_AN_ACTION: "5.4",
        NOT_IN_HAND: "5.4",
        BAD_PARAMETERS: "6",
        BAD_TREASURE: "5.2",
        CANNOT_BUY: "5.2",
        BAD_TOP_DISCARD: "5.1",
        BAD_DISCARD: "7.2",
        NO_MOAT: "7.3",
    }
)
