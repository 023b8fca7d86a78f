"""What keeps a bot's processes apart from everything else. Light to import, as the limits are."""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias

Kind: TypeAlias = Literal["none", "bwrap"]
CHOICES = ("auto", "bwrap", "none")
"""What a user may ask for; "auto" is the best that the machine has."""


class Sandbox(NamedTuple):
    """The sandbox of the bots of a match; all of them have the same.

    Attributes:
        kind: "none": a bot has the referee's rights; "bwrap": spec/sandbox.md.
        readable: folders that are readable inside at their own paths, besides what always is.
    """

    kind: Kind = "none"
    readable: tuple[str, ...] = ()


NO_SANDBOX = Sandbox()
