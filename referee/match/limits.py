"""The limits of a bot, with every default once. Light to import: the command needs them early."""

from __future__ import annotations

import math
from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal, NamedTuple, TypeAlias

MIB = 2**20


class Limits(NamedTuple):
    """What a bot may use. These defaults hold where a game has none of its own.

    Infinite: there is no such limit.

    Attributes:
        time_limit: for one reply, or for all of one clock, in seconds (8.1).
        startup_limit: for the handshake, in seconds, from the start of the process (3.4).
        grace: to exit after `game-end`, in seconds (8.4).
        line_limit: the longest line, in bytes without its line end (1.3).
        queue_limit: the most output that may wait unread, in bytes (1.3).
        time_bank: for all replies of a match together, in seconds (8.1).
        output_limit: all that is written on standard output in a match, in bytes (1.3).
        cpu_limit: CPU time of a match of all processes together, in seconds (limits.md, 1).
        memory_limit: of all of them together, in bytes; of each alone where there is no cgroup.
        process_limit: processes and threads at a time.
        open_file_limit: open files of one process.
        file_size_limit: the biggest file that it may write, in bytes.
        tmp_limit: what fits into the /tmp of a sandbox, in bytes.
        stderr_limit: what is kept in a file of its standard error, in bytes (1.4).
    """

    time_limit: float = 10.0
    startup_limit: float = 10.0
    grace: float = 1.0
    line_limit: int = 64 * 1024
    queue_limit: int = 64 * 1024
    time_bank: float = math.inf
    output_limit: float = math.inf
    cpu_limit: float = math.inf
    memory_limit: float = math.inf
    process_limit: float = math.inf
    open_file_limit: float = math.inf
    file_size_limit: float = math.inf
    tmp_limit: float = math.inf
    stderr_limit: float = 16 * MIB


SANDBOXED: Mapping[str, int] = MappingProxyType(
    {
        "output_limit": 64 * MIB,
        "memory_limit": 1024 * MIB,
        "process_limit": 256,
        "open_file_limit": 1024,
        "file_size_limit": 64 * MIB,
        "tmp_limit": 64 * MIB,
    }
)
"""Defaults of the limits of a bot that nobody has read: in a sandbox, and in a tournament."""
OF_TOURNAMENTS: Mapping[str, int] = MappingProxyType(
    {**SANDBOXED, "time_bank": 300, "cpu_limit": 600}
)
"""Defaults in a tournament, where a slow bot holds up all others."""
OF_THE_SYSTEM = (
    "cpu_limit",
    "memory_limit",
    "process_limit",
    "open_file_limit",
    "file_size_limit",
)
"""Those that a process has from its start; `processes/confinement.py` sets them."""

LimitsBy: TypeAlias = Literal["cgroup-v2", "cgroup-v1", "rlimits", "none"]
"""What holds the processes of bots to these."""

MAX_SECONDS = 1_000_000
"""Eleven days: a longer limit is a slip of the keyboard."""
MAX_COUNT = 10**9
MAX_BYTES = 2**50
