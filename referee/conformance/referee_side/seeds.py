"""Is a match what its seed says it is (4.7)? For referees that take a seed."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from referee.conformance.referee_side.framing import LINE_LIMIT
from referee.conformance.referee_side.recording import Played
from referee.conformance.referee_side.retelling import Found, Retold
from referee.conformance.referee_side.streams import known_fields, message_of, same
from referee.conformance.verdict import Violation
from referee.game import Disqualification, Rules, player_number
from referee.match import Match, Sent

_SEATS = "4.7/2"
_REFEREE = "4.7/3"
SEED_CASES = (_SEATS, _REFEREE)


def check_seed(played: Played, told: Retold, rules: Rules) -> None:
    """Play a match that departs nowhere with its own seed, and compare it.

    Args:
        told: takes what is found.
    """
    known = known_fields(rules)
    streams = [
        [place for place, line in enumerate(probe.received) if _message(line)["type"] in known]
        for probe in played.probes
    ]
    places = [0] * len(played.probes)
    chosen = told.passed["7.4/3"] > 0
    match = Match(rules, seats=len(played.probes), seed=played.seed)
    match.start()
    replied = [0] * len(played.probes)
    while True:
        for entry in match.take_entries():
            if not isinstance(entry, Sent):
                continue
            seats = range(len(places)) if entry.to is None else [entry.to]
            expected = json.loads(entry.line)
            for seat in seats:
                if seat in match.gone or places[seat] >= len(streams[seat]):
                    continue
                place = streams[seat][places[seat]]
                line = played.probes[seat].received[place]
                if line != entry.line[:-1]:
                    actual = _message(line)
                    if actual["type"] != expected["type"] == "player-disqualified":
                        continue  # that news is an extension (2.13)
                    if not same(expected, actual):
                        cases = [_REFEREE, _SEATS] if chosen else [_SEATS]
                        told.noted.append(_found(played, seat, cases, expected, place))
                        return
                places[seat] += 1
        if not match.due:
            break
        seat = match.due[0]
        replies = played.probes[seat].replies
        if replied[seat] < len(replies) and len(replies[replied[seat]]) <= LINE_LIMIT:
            match.receive(seat, replies[replied[seat]])
        elif replied[seat] < len(replies):
            match.disqualify(seat, Disqualification.OUTPUT_LIMIT, "")
        else:
            match.disqualify(seat, Disqualification.EXITED, "")
        replied[seat] += 1
    told.passed[_SEATS] += 1
    told.passed[_REFEREE] += chosen


def compare_twins(one: Played, two: Played, told: Retold, rules: Rules) -> bool:
    """Compare two matches with the same seed and the same probes, field by field that we know."""
    fields = known_fields(rules)
    for seat, (first, second) in enumerate(zip(one.probes, two.probes, strict=True)):
        pairs = zip(first.received, second.received, strict=False)
        for place, (line, other) in enumerate(pairs):
            if line == other:
                continue
            message, twin = _message(line), _message(other)
            names = fields.get(message["type"], {"type"})
            if any(not same(message.get(name), twin.get(name)) for name in names):
                shown = {"type": "as in the first match: " + line.decode(errors="replace")}
                told.noted.append(_found(two, seat, ["4.7/1"], shown, place))
                return False
    told.passed["4.7/1"] += 1
    return True


def _message(line: bytes) -> dict[str, Any]:
    """The message in a line; one of no type if there is none."""
    return message_of(line) or {"type": ""}


def _found(
    played: Played, seat: int, cases: Sequence[str], expected: Mapping[str, object], place: int
) -> Found:
    line = played.probes[seat].received[place]
    number = player_number(seat)
    text = json.dumps(expected, separators=(",", ":")) if len(expected) > 1 else expected["type"]
    return Found(
        list(cases),
        Violation(
            "seed",
            "",
            f"to {number}, with the seed {played.seed}: {text}",
            f"to {number}: {line.decode(errors='backslashreplace')}",
            conversation=played.conversation(seat, place),
        ),
    )
