"""The options of a match."""

from __future__ import annotations

from msgspec import Struct

from referee.match import DEFAULT_MAX_TURNS


class Options(Struct, frozen=True):
    """The options of a match, as `referee play` names them.

    Attributes:
        time_limit: for one reply, in seconds (8.1).
        startup_limit: for the handshake, in seconds, from the start of the process (3.4).
        grace: to exit after `game-end`, in seconds (8.4).
        max_turns: turns a player (4.4).
        line_limit: the longest line, in bytes without its line end (1.3).
        queue_limit: the most output that may wait unread, in bytes (1.3).
    """

    time_limit: float = 10.0
    startup_limit: float = 10.0
    grace: float = 1.0
    max_turns: int = DEFAULT_MAX_TURNS
    line_limit: int = 64 * 1024
    queue_limit: int = 64 * 1024
