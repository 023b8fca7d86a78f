"""Is a match what its seed says (4.7)? For referees that take a seed."""

from __future__ import annotations

import json
from collections.abc import Mapping

from referee.conformance.referee_side.comparing import Compared, Finding
from referee.conformance.referee_side.lines import Line
from referee.conformance.referee_side.probe import LINE_LIMIT
from referee.conformance.referee_side.recording import Played
from referee.match import Match, Sent
from referee.seam.faults import Disqualification
from referee.seam.rules import Rules
from referee.seam.seats import seat_id

_SEATS = "4.7/2"
_REFEREE = "4.7/3"
SEED_CASES = (_SEATS, _REFEREE)
SEED_VEILS = {_SEATS: _REFEREE}
"""While the shuffles are not as they should be, nothing can be said of random discards."""


def check_seed(played: Played, compared: Compared, rules: Rules) -> None:
    """Play a match that was right to its end with its own seed, and compare it.

    Args:
        compared: takes what is found.
    """
    streams = [[line for line in s.received if line.message is not None] for s in played.seats]
    places = [0] * len(streams)
    replied = [0] * len(streams)
    chosen = bool(compared.held["7.4/3"])
    match = Match(rules, seats=len(streams), seed=played.seed)
    match.start()
    while True:
        for entry in match.take_entries():
            if not isinstance(entry, Sent):
                continue
            expected = json.loads(entry.line)
            for seat in range(len(streams)) if entry.to is None else [entry.to]:
                if seat in match.disqualified or places[seat] >= len(streams[seat]):
                    continue
                line = streams[seat][places[seat]]
                actual = line.message or {}
                if actual["type"] != expected["type"] == "player-disqualified":
                    continue  # that news is an extension (2.13)
                if actual != expected:
                    case = _REFEREE if chosen else _SEATS
                    compared.add(_finding(played, seat, case, expected, line))
                    return
                places[seat] += 1
        if not match.due:
            break
        seat = match.due[0]
        replies = played.seats[seat].replies
        if replied[seat] >= len(replies):
            match.disqualify(seat, Disqualification.EXITED, "")
        elif len(reply := replies[replied[seat]].line) > LINE_LIMIT:
            match.disqualify(seat, Disqualification.OUTPUT_LIMIT, "")
        else:
            match.receive(seat, reply)
        replied[seat] += 1
    compared.held[_SEATS] += 1
    compared.held[_REFEREE] += chosen


def compare_twins(one: Played, two: Played, compared: Compared) -> bool:
    """Compare two matches with the same seed and the same probes, as far as we know messages."""
    for seat, (first, second) in enumerate(zip(one.seats, two.seats, strict=True)):
        for line, other in zip(first.received, second.received, strict=False):
            if line.message != other.message:
                compared.add(_finding(two, seat, "4.7/1", line.message or {}, other))
                return False
    compared.held["4.7/1"] += 1
    return True


def _finding(
    played: Played, seat: int, case: str, expected: Mapping[str, object], line: Line
) -> Finding:
    number = seat_id(seat)
    place = played.seats[seat].received.index(line)
    text = json.dumps(expected, separators=(",", ":"))
    violation = played.violation(
        "seed",
        seat,
        place,
        f"to {number}, with the seed {played.seed}: {text}",
        f"to {number}: {line.text.decode(errors='backslashreplace')}",
    )
    return Finding((case,), ("seed", case), violation)
