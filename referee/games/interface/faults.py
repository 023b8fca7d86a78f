"""Faults, which are mistakes of bots, and reasons for leaving a match (protocol, 9).

After a fault, the match continues, and the rules of the game define its cost. A disqualification is
final.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Any

from msgspec import Struct


class Disqualification(StrEnum):
    """Reasons for disqualification (protocol, 9).

    A wrong move is never a reason, because it's a fault, and the rules define its cost.
    """

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
    """A bot inside this process exceeded a limit and leaves the match. The text explains it."""

    code: Disqualification


class EndReason(StrEnum):
    """End reasons of any game (protocol, 9). Games add their own."""

    TURN_LIMIT = "turn-limit"
    LAST_PLAYER_STANDING = "last-player-standing"
    NO_PLAYERS = "no-players"


END_REASONS: Mapping[str, str] = {
    EndReason.TURN_LIMIT: "the turn limit was reached",
    EndReason.LAST_PLAYER_STANDING: "no other player was left",
    EndReason.NO_PLAYERS: "no player was left",
}
"""Description of each end reason that all games share."""


# Fault codes that all games share, for lines that aren't replies.
INVALID_JSON = "invalid-json"
WRONG_TYPE = "wrong-type"
BAD_NAME_REPLY = "bad-name-reply"


class InvalidReply(Struct, frozen=True):
    """Replaces a reply if the line couldn't be decoded.

    Attributes:
        code: `INVALID_JSON` (not a JSON object) or `WRONG_TYPE` (unknown type).
    """

    code: str
    detail: str


class Fault(Struct, frozen=True):
    """A mistake of a bot. It is counted and reported; the rules define how the game continues.

    Attributes:
        seat: the seat of the bot, from 0.
        section: the violated section of the protocol, such as "5.2".
        detail: the mistake in this reply, in one sentence.
    """

    seat: int
    code: str
    section: str
    detail: str


_SHOWN = 40  # maximum characters shown of a bot's value


def describe(value: Any) -> str:
    """Format a bot's value as a short, printable phrase for its author.

    The phrase goes into records, so it has to be the same on every machine and Python.
    """
    if isinstance(value, str):
        import json  # only needed for mistakes

        # Escape first, then cut, because one character may become twelve. (The slice only saves us
        # from escaping a megabyte.)
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


def quote(value: Any) -> str:
    """Format a bot's value like `describe`, but write out a list or an object, in ASCII."""
    if not isinstance(value, list | dict):
        return describe(value)
    import json  # only needed for mistakes

    text = json.dumps(value, separators=(",", ":"))
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."


def did_you_mean(word: object, words: Iterable[str]) -> str:
    """Return a question with the word that is most similar to a bot's value, or ""."""
    from difflib import get_close_matches  # only needed for mistakes

    by_folded = {known.casefold(): known for known in words}
    close = get_close_matches(str(word).casefold(), by_folded, 1)
    return f'did you mean "{by_folded[close[0]]}"?' if close else ""
