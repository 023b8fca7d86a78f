"""Defines how a bot's processes are isolated. Like `limits`, this module is cheap to import."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NamedTuple, TypeAlias, get_args

from referee.match.limits import SANDBOXED

SandboxKind: TypeAlias = Literal["none", "bwrap"]
SandboxMode: TypeAlias = Literal["auto", "bwrap", "none"]
"""The values of `--sandbox`. "auto" selects the strongest sandbox of the machine."""
CHOICES: tuple[SandboxMode, ...] = get_args(SandboxMode)


class Sandbox(NamedTuple):
    """The sandbox settings of a match, which all its bots share.

    Attributes:
        kind: "none" runs bots with the rights of the referee. "bwrap": see spec/sandbox.md.
        readable: absolute paths of folders that bots can read, in addition to the standard ones.
        hidden: absolute paths that bots can't see even in their own folder, e.g. the referee's
            output. Paths that continue with `-` are hidden, too, because SQLite names the
            journals of a database like that.
        writable: True if a bot may write to its own folder, for builds.
        room: if this isn't 0, a build gets an empty folder in memory of this size in bytes, which
            replaces the bot's own folder. The bot's own folder is then at /sources.
        recorded: True if a record or a store names the bots, rather than the user. Such a bot
            sees only the `readable` folders, and its own folder if they include it.
    """

    kind: SandboxKind = "none"
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
