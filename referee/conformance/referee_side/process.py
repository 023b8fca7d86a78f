"""What is asked of a referee beside its messages: processes, ends, and when things come."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from typing import NamedTuple

from referee.conformance.referee_side.recording import Played, Recording
from referee.conformance.referee_side.retelling import NOISE, Found
from referee.conformance.verdict import Violation
from referee.game import player_number

_ENDS = {
    "": ("8.4/1", "input ended", "the end of its input after game-end"),
    "a little": ("8.4/2", "ends by itself", "a second to end by itself"),
    "yes": ("8.4/3", "terminated", "SIGTERM, when it has not ended by itself"),
}
"""How a probe ends -> the case, what it notes if all is right, and what is right."""


class Check(NamedTuple):
    """Something that was looked at.

    Attributes:
        case: the case that it is about.
        problem: what is wrong; None if nothing is.
    """

    case: str
    problem: Found | None


def check_processes(played: Played) -> Iterator[Check]:
    """Everything that can be said of a match that ended by itself."""
    sessions = [probe.process.get("session") for probe in played.probes]
    for seat, probe in enumerate(played.probes):
        process = probe.process
        if not process:
            continue
        own = sessions.count(process["session"]) == 1 and process["session"] != os.getsid(0)
        expected = "a session and a process group of its own"
        actual = f"session {process['session']} and group {process['group']} are shared"
        yield _check(
            played, seat, "8.5/1", own and process["group"] != os.getpgid(0), expected, actual
        )
        same = process["folder"] == os.getcwd() and process["token"] == played.match
        expected = "the working directory and the environment of the referee"
        yield _check(played, seat, "8.5/2", same, expected, "others than those")
        if NOISE in probe.notes and probe.replies:
            yield Check("1.4/1", None)
        if "came" in probe.notes or "came not" in probe.notes:
            yield _waited(played, seat, probe)
        if _saw_the_end(probe):
            yield from _end(played, seat, probe)


def _waited(played: Played, seat: int, probe: Recording) -> Check:
    came = "came not" not in probe.notes
    if played.plans[seat]["handshake"]:
        expected = "the other bot is asked for its name, too, while this one is awaited"
        return _check(played, seat, "3.4/1", came, expected, "it was not, for 3 s")
    expected = "the other bot hears of the buy while this one thinks"
    return _check(played, seat, "1.1/3", came, expected, "it did not, for 3 s")


def _end(played: Played, seat: int, probe: Recording) -> Iterator[Check]:
    case, note, expected = _ENDS[str(played.plans[seat]["stays"])]
    yield _check(played, seat, case, note in probe.notes, expected, "that did not come")
    if case == "8.4/3":
        expected = "no process of a bot outlives the referee"
        gone = seat not in played.survivors
        yield _check(played, seat, "8.4/4", gone, expected, "this one was still running")


def _saw_the_end(probe: Recording) -> bool:
    try:
        return bool(json.loads(probe.received[-1])["type"] == "game-end")
    except (ValueError, LookupError, TypeError, RecursionError):
        return False


def _check(played: Played, seat: int, case: str, holds: bool, expected: str, actual: str) -> Check:
    if holds:
        return Check(case, None)
    lines = played.conversation(seat, len(played.probes[seat].received))
    expected = f"{player_number(seat)}: {expected}"
    violation = Violation("process", "", expected, actual, conversation=lines)
    return Check(case, Found([case], violation))
