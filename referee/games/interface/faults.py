"""Defines faults, which are mistakes of bots, and why bots are disqualified (protocol, 9).

A bot stays in the match after a fault, and the rules of the game define the penalty. A
disqualification is final.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Any

from msgspec import Struct


class Disqualification(StrEnum):
    """Reasons for disqualification (protocol, 9).

    A wrong move isn't among them. It's a fault, and the rules of the game define the penalty.
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


LATE_REPLIES = frozenset({Disqualification.TIMEOUT, Disqualification.TIME_BANK})
"""The codes of a bot that didn't give a reply in time."""
OUT_OF_TIME = LATE_REPLIES | {Disqualification.STARTUP_TIMEOUT}
"""The same, and the code of a bot that wasn't ready in time."""


class OverLimitError(Exception):
    """Raised when a bot that runs in this process exceeds a limit.

    The bot is disqualified with `code`, and the message of the exception is the explanation.
    """

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


# All games use these fault codes for lines that aren't a reply to the request.
INVALID_JSON = "invalid-json"
WRONG_TYPE = "wrong-type"
BAD_NAME_REPLY = "bad-name-reply"


class InvalidReply(Struct, frozen=True):
    """Passed to the game instead of a reply if we couldn't decode the bot's line.

    Attributes:
        code: `INVALID_JSON` (not a JSON object) or `WRONG_TYPE` (unknown type).
    """

    code: str
    detail: str


class Fault(Struct, frozen=True):
    """A mistake of a bot. We count and report it, and the rules define how the game continues.

    Attributes:
        seat: the bot's seat, from 0.
        section: the section of the protocol that the bot violated, such as "5.2".
        detail: what's wrong with this reply, in one sentence.
    """

    seat: int
    code: str
    section: str
    detail: str


_SHOWN = 40  # how many characters of a bot's value we show


def describe(value: Any) -> str:
    """Format a bot's value as a short, printable phrase for its author.

    The phrase goes into records, so it has to be the same on every machine and Python.
    """
    if isinstance(value, str):
        import json  # only needed for mistakes

        # An escaped character may take up to twelve characters, so we have to cut after escaping.
        # The slice here is only to avoid escaping a megabyte.
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
    """Like `describe`, but writes out a list or an object as JSON in ASCII."""
    if not isinstance(value, list | dict):
        return describe(value)
    import json  # only needed for mistakes

    text = json.dumps(value, separators=(",", ":"))
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."


def did_you_mean(word: object, words: Iterable[str]) -> str:
    """Return "did you mean ...?" with the known word most similar to the bot's, or ""."""
    from difflib import get_close_matches  # only needed for mistakes

    by_folded = {known.casefold(): known for known in words}
    close = get_close_matches(str(word).casefold(), by_folded, 1)
    return f'did you mean "{by_folded[close[0]]}"?' if close else ""
