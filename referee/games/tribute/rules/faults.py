"""Fault codes of Scripts of Tribute (protocol, 9), each with the section that defines it."""

from __future__ import annotations

from types import MappingProxyType

BAD_PATRON = "bad-patron"
ILLEGAL_ACTION = "illegal-action"
ILLEGAL_CHOICE = "illegal-choice"
BAD_FORMAT = "bad-format"

SECTIONS = MappingProxyType(
    {BAD_PATRON: "5.1", ILLEGAL_ACTION: "5.2", ILLEGAL_CHOICE: "5.3", BAD_FORMAT: "5.4"}
)
