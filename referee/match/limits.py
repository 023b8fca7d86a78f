"""Defines a bot's limits. The command line imports this at start-up, so it must be cheap.

Each field of `Limits` is a row of a table. We generate the command-line options and their help, the
configuration keys, the schema of a record's options and the table in spec/limits.md from it.
"""

import math
from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated, Literal, NamedTuple, TypeAlias

MIB = 2**20
UNITS = {"K": 2**10, "M": MIB, "G": 2**30}
"""Suffixes that users may write after a number of bytes."""
MAX_SECONDS = 1_000_000
"""Eleven days. A longer limit is probably a typing mistake."""
MAX_COUNT = 10**9
MAX_BYTES = 2**50

LimitKind: TypeAlias = Literal["clock", "pause", "line", "seconds", "gain", "bytes", "count"]
"""Determines the unit of a limit, and which values it can have.

- "clock": seconds, or "none" for no limit.
- "pause": seconds, which may be 0.
- "line": bytes.
- "seconds", "bytes" and "count": a number, or "none" for no limit.
- "gain": seconds, which may be 0.

Every record contains the limits of the first three kinds. The others are only recorded if they
differ from the default.
"""


class Limit(NamedTuple):
    """Metadata of a field in `Limits`. The field itself has the name of the limit and its default.

    Attributes:
        about: the help text.
        sandbox: the default in a sandbox and in tournaments, or None if it's the same as everywhere
            else.
        tournament: the default in tournaments, or None if it's the same as in a sandbox.
    """

    kind: LimitKind
    about: str
    sandbox: int | None = None
    tournament: int | None = None


# Don't import annotations from __future__, because evaluating them later would take 2 ms.
class Limits(NamedTuple):
    """The limits of a bot. Games and commands can override the defaults.

    An infinite value means that there is no limit.
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
        float, Limit("bytes", "size of a file that the bot writes", 64 * MIB)
    ] = math.inf
    tmp_limit: Annotated[float, Limit("bytes", "size of /tmp in a sandbox", 64 * MIB)] = math.inf
    stderr_limit: Annotated[float, Limit("bytes", "size of a file with its standard error")] = (
        16 * MIB
    )


LIMITS: Mapping[str, Limit] = MappingProxyType(
    {name: kind.__metadata__[0] for name, kind in Limits.__annotations__.items()}
)
SANDBOXED: Mapping[str, int] = MappingProxyType(
    {name: row.sandbox for name, row in LIMITS.items() if row.sandbox is not None}
)
"""Default limits in a sandbox, where bots are untrusted."""
_OF_TOURNAMENTS = {name: row.tournament or row.sandbox for name, row in LIMITS.items()}
OF_TOURNAMENTS: Mapping[str, int] = MappingProxyType(
    {name: most for name, most in _OF_TOURNAMENTS.items() if most is not None}
)
"""Default limits in a tournament, where one slow bot delays all matches."""

LimitsBy: TypeAlias = Literal["cgroup-v2", "cgroup-v1", "rlimits", "none"]
"""The mechanism that enforces CPU, memory and process limits."""


def flag(name: str) -> str:
    """Return the command-line option of a limit."""
    return "--" + name.replace("_", "-")


def is_none(value: object) -> bool:
    """Return True if a value from a user or a store means "no limit"."""
    return value is None or value in ("none", "inf", math.inf)


def memory_words(most: float) -> str:
    """Format an amount of memory for a message, e.g. "512 MiB" or "5 bytes"."""
    return f"{most / MIB:,g} MiB" if most >= MIB else f"{most:,} bytes"


def limit_word(name: str, value: float) -> str:
    """Format a limit the way its option takes it, e.g. "none", "2.5" or "64M"."""
    if value == math.inf:
        return "none"
    if LIMITS[name].kind in ("line", "bytes"):
        for unit, size in reversed(UNITS.items()):
            if value % size == 0:
                return f"{value // size:.0f}{unit}"
    return str(value).removesuffix(".0")
