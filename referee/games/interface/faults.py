"""Faults: the mistakes of bots, and the reasons why a bot leaves a match (protocol, 9)."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from typing import Any

from msgspec import Struct


class Disqualification(StrEnum):
    """Why a bot left the match (protocol, 9). None of them is about what it plays."""

    FAILED_TO_START = "failed-to-start"
    STARTUP_TIMEOUT = "startup-timeout"
    UNSUPPORTED_VERSION = "unsupported-version"
    TIMEOUT = "timeout"
    TIME_BANK = "time-bank"
    EXITED = "exited"
    OUTPUT_LIMIT = "output-limit"
    MEMORY_LIMIT = "memory-limit"
    CPU_LIMIT = "cpu-limit"
    KEPT_RUNNING = "kept-running"
    STEP_LIMIT = "step-limit"
    UNREACHABLE = "unreachable"
    HTTP_STATUS = "http-status"
    HTTP_ERROR = "http-error"


class OverLimitError(Exception):
    """A bot in this process exceeds a limit, and leaves the match. The text is for its author."""

    code: Disqualification


class EndReason(StrEnum):
    """How a match can end in any game (protocol, 9); games add reasons of their own."""

    TURN_LIMIT = "turn-limit"
    LAST_PLAYER_STANDING = "last-player-standing"
    NO_PLAYERS = "no-players"


# The fault codes that belong to no game: what a line can be that is no reply at all.
INVALID_JSON = "invalid-json"
WRONG_TYPE = "wrong-type"
BAD_NAME_REPLY = "bad-name-reply"


class InvalidReply(Struct, frozen=True):
    """Replaces a reply when a line could not be read as one.

    Attributes:
        code: `INVALID_JSON` (not a JSON object) or `WRONG_TYPE` (an object of unknown type).
    """

    code: str
    detail: str


class Fault(Struct, frozen=True):
    """A bot's mistake: counted and reported. The rules say how the game continues.

    Attributes:
        seat: whose mistake, counted from 0.
        section: the section of the protocol that the reply breaks, such as "5.2".
        detail: one sentence about the mistake in this reply.
    """

    seat: int
    code: str
    section: str
    detail: str


_SHOWN = 40  # characters of a bot's string in a message


def describe(value: Any) -> str:
    """A bot's value in one short, printable, deterministic phrase for a message to its author."""
    if isinstance(value, str):
        import json  # not needed by bots that make no mistakes

        # Escaped first, then cut: an escape is up to twelve characters for one.
        shown = json.dumps(value[:_SHOWN])[1:-1]
        cut = len(value) > _SHOWN or len(shown) > _SHOWN
        return f'"{shown[:_SHOWN]}..."' if cut else f'"{shown}"'
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return str(value) if isinstance(value, int) and abs(value) < 10**15 else "a number"
    if isinstance(value, list):
        return f"a list of {len(value)}"
    return "an object"


def did_you_mean(word: object, words: Iterable[str]) -> str:
    """A question that names the word which a bot's value is most like; empty if none is like it."""
    from difflib import get_close_matches  # not needed by bots that make no mistakes

    by_folded = {known.casefold(): known for known in words}
    close = get_close_matches(str(word).casefold(), by_folded, 1)
    return f'did you mean "{by_folded[close[0]]}"?' if close else ""
