"""The table of limits of a bot. Light to import: the command needs it early.

A row is a field of `Limits`. Options with their help, the keys of configuration files, the options
of a record with their schema, and the table of spec/sandbox.md are made from the rows.
"""

import math
from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated, Literal, NamedTuple, TypeAlias

MIB = 2**20
UNITS = {"K": 2**10, "M": MIB, "G": 2**30}
"""The units that a user may write behind a number of bytes."""
MAX_SECONDS = 1_000_000
"""Eleven days: a longer limit is a slip of the keyboard."""
MAX_COUNT = 10**9
MAX_BYTES = 2**50

Kind: TypeAlias = Literal["clock", "pause", "line", "seconds", "gain", "bytes", "count"]
"""The unit and the range of a limit.

Records always have a clock and a pause, in seconds, and a line, in bytes. A clock can be none, and
a pause can be 0. Records have the others only if they are not the default. A gain is in seconds
and can be 0; the other three can be none.
"""


class Limit(NamedTuple):
    """The part of a row beside the name and the default of its field.

    Attributes:
        sandbox: the default in a sandbox and in tournaments; None: the same as elsewhere.
        tournament: the default in tournaments; None: the same as in a sandbox.
    """

    kind: Kind
    about: str
    sandbox: int | None = None
    tournament: int | None = None


class Limits(NamedTuple):  # its annotations are objects: reading them as text takes 2 ms
    """The limits of a bot. Games and commands can have other defaults.

    The text of a row says what it bounds. A limit that is infinite does not exist.
    """

    time_limit: Annotated[float, Limit("clock", "seconds for a reply")] = 10.0
    startup_limit: Annotated[float, Limit("clock", "seconds for the handshake")] = 10.0
    grace: Annotated[float, Limit("pause", "seconds to exit after game-end")] = 1.0
    line_limit: Annotated[int, Limit("line", "the longest line")] = 2**16
    queue_limit: Annotated[int, Limit("line", "the most output that may wait unread")] = 2**16
    time_bank: Annotated[
        float, Limit("seconds", "seconds for all replies of a match together", tournament=300)
    ] = math.inf
    increment: Annotated[float, Limit("gain", "seconds that each reply adds to the time bank")] = (
        0.0
    )
    output_limit: Annotated[float, Limit("bytes", "all standard output of a match", 64 * MIB)] = (
        math.inf
    )
    cpu_limit: Annotated[float, Limit("seconds", "CPU seconds of a match", tournament=600)] = (
        math.inf
    )
    memory_limit: Annotated[float, Limit("bytes", "memory, such as 512M", 1024 * MIB)] = math.inf
    process_limit: Annotated[float, Limit("count", "processes and threads at a time", 256)] = (
        math.inf
    )
    open_file_limit: Annotated[float, Limit("count", "open files of a process", 1024)] = math.inf
    file_size_limit: Annotated[
        float, Limit("bytes", "the biggest file that it may write", 64 * MIB)
    ] = math.inf
    tmp_limit: Annotated[float, Limit("bytes", "what fits into /tmp of a sandbox", 64 * MIB)] = (
        math.inf
    )
    stderr_limit: Annotated[
        float, Limit("bytes", "what is kept in a file of its standard error")
    ] = 16 * MIB


LIMITS: Mapping[str, Limit] = MappingProxyType(
    {name: kind.__metadata__[0] for name, kind in Limits.__annotations__.items()}
)
SANDBOXED: Mapping[str, int] = MappingProxyType(
    {name: row.sandbox for name, row in LIMITS.items() if row.sandbox is not None}
)
"""Defaults of the limits of a bot that nobody has read: in a sandbox, and in a tournament."""
_OF_TOURNAMENTS = {name: row.tournament or row.sandbox for name, row in LIMITS.items()}
OF_TOURNAMENTS: Mapping[str, int] = MappingProxyType(
    {name: most for name, most in _OF_TOURNAMENTS.items() if most is not None}
)
"""Defaults in a tournament, where a slow bot holds up all others."""

LimitsBy: TypeAlias = Literal["cgroup-v2", "cgroup-v1", "rlimits", "none"]
"""The part that enforces these limits on the processes of bots."""


def flag(name: str) -> str:
    """The option of a limit."""
    return "--" + name.replace("_", "-")


def is_none(value: object) -> bool:
    """Whether this means no limit: where a user writes a limit, or a store has one."""
    return value is None or value in ("none", "inf", math.inf)


def limit_word(name: str, value: float) -> str:
    """A limit as its option takes it: "none", "2.5", "64M"."""
    if value == math.inf:
        return "none"
    if LIMITS[name].kind in ("line", "bytes"):
        for unit, size in reversed(UNITS.items()):
            if value % size == 0:
                return f"{value // size:.0f}{unit}"
    return str(value).removesuffix(".0")
