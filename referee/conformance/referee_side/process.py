"""What is asked of a referee beside its messages: processes, ends, and when things come."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import NamedTuple

from referee.conformance.referee_side.comparing import Finding
from referee.conformance.referee_side.recording import TOKEN, Hello, Played
from referee.seam.seats import seat_id

_SHOWN_NAMES = 5
_PATIENCE_SECONDS = 0.3
"""A referee that has not closed a bot's input by then does not mean to."""


class Check(NamedTuple):
    """Something that was looked at.

    Attributes:
        case: the case that it is about.
        problem: what is wrong; None if nothing is.
    """

    case: str
    problem: Finding | None


def check_processes(played: Played) -> Iterator[Check]:
    """Everything that can be said of a match that ended by itself."""
    sessions = [seat.hello.session for seat in played.seats if seat.hello]
    for number, seat in enumerate(played.seats):
        hello = seat.hello
        if hello is None:
            continue
        own = sessions.count(hello.session) == 1 and hello.session != os.getsid(0)
        found = "" if own and hello.group != os.getpgid(0) else "it shares both with others"
        yield _check(played, number, "8.5/1", "a session and a process group of its own", found)
        yield _check(
            played, number, "8.5/2", "the referee's folder and environment", _surroundings(hello)
        )
        stays = played.stays[number]
        if seat.waited is not None:
            case = next(r.deed.cases[0] for r in seat.replies if r.deed.awaits is not None)
            what = "that another one hears of it, or is asked, too, while this one thinks"
            found = "" if seat.waited else "that did not come within 3 s"
            yield _check(played, number, case, what, found)
        if seat.left is None and seat.received and seat.received[-1].kind == "game-end":
            yield from _ends(played, number, stays)


def _ends(played: Played, number: int, stays: str) -> Iterator[Check]:
    """What follows `game-end` (8.4)."""
    seat = played.seats[number]
    late = not seat.ended and seat.patience > _PATIENCE_SECONDS
    found = "it did not end" if late else ""
    if late or seat.ended or not (seat.killed or seat.terminated):
        yield _check(played, number, "8.4/1", "the end of its input after game-end", found)
    if late:
        return
    if stays != "yes":
        signal = "SIGTERM came" if seat.terminated else "it was killed" if seat.killed else ""
        what = "a grace period after game-end, to end by itself"
        yield _check(played, number, "8.4/2", what, f"{signal} at once" if signal else "")
    else:
        found = "" if seat.terminated else "no SIGTERM came"
        yield _check(played, number, "8.4/3", "SIGTERM, as it did not end by itself", found)
        found = "this one was still running" if seat.outlived else ""
        yield _check(played, number, "8.4/4", "no process of a bot outlives the referee", found)


def _surroundings(hello: Hello) -> str:
    """How folder and environment of a probe differ from the referee's; empty if they do not."""
    found = []
    if hello.folder != os.getcwd():
        found.append(f"its folder is {hello.folder}, not {os.getcwd()}")
    if TOKEN not in hello.environment:
        missing = sorted(os.environ.keys() - hello.environment.keys())[:_SHOWN_NAMES]
        names = ", ".join([TOKEN, *missing])
        found.append(f"its environment is another: {names} and others are missing")
    return "; ".join(found)


def _check(played: Played, seat: int, case: str, expected: str, found: str) -> Check:
    if not found:
        return Check(case, None)
    last = len(played.seats[seat].received)
    number = seat_id(seat)
    violation = played.violation(
        "process", seat, last, f"{number}: {expected}", f"{number}: {found}"
    )
    return Check(case, Finding((case,), ("process", case), violation))
