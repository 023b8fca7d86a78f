"""Fault codes of Star Realms (protocol, 9), each with the section that defines it."""

from __future__ import annotations

from types import MappingProxyType

BAD_ACTION = "bad-action"
BAD_PICKS = "bad-picks"

SECTIONS = MappingProxyType({BAD_ACTION: "5.2", BAD_PICKS: "6.2"})
