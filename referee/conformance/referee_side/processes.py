"""Checks how a referee treats the processes of its bots: their session, folder, stdin and exit."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator

from referee.conformance.referee_side.comparing import Compared, Deviation
from referee.conformance.referee_side.recording import RecordedSeat
from referee.games.interface.probing import Probes
from referee.games.interface.seats import seat_id

# If a referee hasn't closed a bot's input after this time, we assume that it never will.
_PATIENCE_SECONDS = 0.3


def check_processes(compared: Compared, probes: Probes) -> None:
    """Check the rules about processes after a match, and add the results to `compared`.

    Only call this if the comparison reached the end of the match.
    """
    recorded = compared.recorded
    groups = [seat.group for seat in recorded.seats]
    for number, seat in enumerate(recorded.seats):
        for cases, expected, found in _rules_for(seat, groups, probes.named) if seat.group else ():
            if not found:
                compared.held.update(cases)
                continue
            expected, found = (f"{seat_id(number)}: {each}" for each in (expected, found))
            violation = recorded.violation("process", number, len(seat.received), expected, found)
            compared.deviations.append(Deviation(cases, " ".join(cases), violation))


def _rules_for(
    seat: RecordedSeat, groups: list[str], named: Callable[[str], tuple[str, ...]]
) -> Iterator[tuple[tuple[str, ...], str, str]]:
    # Yields (cases, expected, actual) for each rule. `actual` is "" if the referee was right.
    session, group = seat.group.split()
    ours = session == str(os.getsid(0)) or group == str(os.getpgid(0))
    shares = ours or sum(each.startswith(f"{session} ") for each in groups) > 1
    found = "it shares them with others" * shares
    yield named("session"), "a session and a process group of its own", found
    other = f"its folder is {seat.folder}" if seat.folder != os.getcwd() else ""
    yield named("folder"), f"the referee's folder, {os.getcwd()}", other
    if seat.waited is not None:
        cases = next(r.action.cases[:1] for r in seat.replies if r.action.awaits is not None)
        what = "another bot gets the news, or its own request, while this one thinks"
        yield cases, what, "" if seat.waited else "that did not come within 3 s"
    if seat.left is not None or not seat.received or seat.received[-1].kind != "game-end":
        return
    # The remaining rules are about the time after `game-end`.
    late = not seat.ended and seat.patience > _PATIENCE_SECONDS
    if late or seat.ended or not (seat.killed or seat.terminated):
        yield named("end"), "the end of its input after game-end", "it did not end" if late else ""
    if late:
        return
    if seat.stays == "yes":
        found = "" if seat.terminated else "no SIGTERM came"
        yield named("sigterm"), "SIGTERM, as it did not end by itself", found
        found = "this one was still running" if seat.outlived else ""
        yield named("outlives"), "no process of a bot outlives the referee", found
    else:
        signal = "SIGTERM came" if seat.terminated else "it was killed" if seat.killed else ""
        found = signal and f"{signal} at once"
        yield named("grace"), "a grace period after game-end, to end by itself", found
