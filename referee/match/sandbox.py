"""The isolation of a bot's processes. Cheap to import, like `limits`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NamedTuple, TypeAlias, get_args

from referee.match.limits import SANDBOXED

Kind: TypeAlias = Literal["none", "bwrap"]
Choice: TypeAlias = Literal["auto", "bwrap", "none"]
"""The values of `--sandbox`. "auto" selects the strongest sandbox of the machine."""
CHOICES: tuple[Choice, ...] = get_args(Choice)


class Sandbox(NamedTuple):
    """The sandbox settings of a match, which all its bots share.

    Attributes:
        kind: "none" runs bots with the rights of the referee. "bwrap": see spec/sandbox.md.
        readable: absolute paths of folders that bots can read, in addition to the standard ones.
        hidden: absolute paths that bots can't see even in their own folder, e.g. the referee's
            output. Names that continue with `-` are hidden as well, because a database keeps a
            journal there.
        writable: True if a bot may write to its own folder, for builds.
        room: size in bytes of a temporary folder in memory that takes the place of the bot's folder
            during a build. The original folder is then at /sources. 0: no temporary folder.
        recorded: True if the bots come from a record or a store and not from the user. A bot then
            only sees `readable` folders, and its own folder only if that is inside a readable one.
    """

    kind: Kind = "none"
    readable: tuple[str, ...] = ()
    hidden: tuple[str, ...] = ()
    writable: bool = False
    room: int = 0
    recorded: bool = False

    @property
    def limits(self) -> Mapping[str, int]:
        """The default limits of bots in this sandbox."""
        return {} if self.kind == "none" else SANDBOXED


NO_SANDBOX = Sandbox()
