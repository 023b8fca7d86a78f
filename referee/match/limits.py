"""The limits of a bot, with every default once. Light to import: the command needs them early."""

from __future__ import annotations

from typing import NamedTuple


class Limits(NamedTuple):
    """What a bot may use. These defaults hold where a game has none of its own.

    Attributes:
        time_limit: for one reply, in seconds (8.1); infinite: no clock runs.
        startup_limit: for the handshake, in seconds, from the start of the process (3.4); likewise.
        grace: to exit after `game-end`, in seconds (8.4).
        line_limit: the longest line, in bytes without its line end (1.3).
        queue_limit: the most output that may wait unread, in bytes (1.3).
    """

    time_limit: float = 10.0
    startup_limit: float = 10.0
    grace: float = 1.0
    line_limit: int = 64 * 1024
    queue_limit: int = 64 * 1024


MAX_SECONDS = 1_000_000
"""Eleven days: a longer limit is a slip of the keyboard."""
MAX_COUNT = 10**9
