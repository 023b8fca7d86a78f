"""The isolation of a bot's processes. Light to import, as the limits are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NamedTuple, TypeAlias, get_args

from referee.match.limits import SANDBOXED

Kind: TypeAlias = Literal["none", "bwrap"]
Choice: TypeAlias = Literal["auto", "bwrap", "none"]
"""What a user may choose; "auto" is the best that the machine has."""
CHOICES: tuple[Choice, ...] = get_args(Choice)


class Sandbox(NamedTuple):
    """The sandbox of the bots of a match; all of them have the same.

    Attributes:
        kind: "none": a bot has the referee's rights; "bwrap": spec/sandbox.md.
        readable: absolute folders that are readable inside at their own paths, in addition to the
            standard ones.
        hidden: absolute paths of files and folders that no bot may see, even in its own folder: the
            referee's output. A name that continues with `-`, such as a database's journal, is
            hidden too.
        writable: whether a bot may write to its folder: while it is built.
        room: bytes of an empty folder in memory that takes the place of the bot's own while it is
            built; its own is at /sources. The new one is lost at the end. 0: no such folder.
        recorded: whether only a record or a store names the bots. Then they see no folder of the
            user's except `readable`: a bot's own folder is shown only if it is in one of these.
    """

    kind: Kind = "none"
    readable: tuple[str, ...] = ()
    hidden: tuple[str, ...] = ()
    writable: bool = False
    room: int = 0
    recorded: bool = False

    @property
    def limits(self) -> Mapping[str, int]:
        """The limits that bots in it have unless others are chosen."""
        return {} if self.kind == "none" else SANDBOXED


NO_SANDBOX = Sandbox()
