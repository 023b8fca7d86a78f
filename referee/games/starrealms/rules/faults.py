"""The faults that only Star Realms knows (protocol, 9), and the section that defines each."""

from __future__ import annotations

from types import MappingProxyType

BAD_ACTION = "bad-action"
BAD_PICKS = "bad-picks"

SECTIONS = MappingProxyType({BAD_ACTION: "5.2", BAD_PICKS: "6.2"})
