"""In every game, the turn reader finds all turns, and copes with logs that make no sense."""

from __future__ import annotations

import json
from functools import cache
from random import Random
from typing import Any

import jsonschema
import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.games import GAMES
from referee.games.interface.capabilities import Phrase
from referee.games.interface.faults import Fault
from referee.games.interface.turns import MAX_KEPT, Note, Turn, TurnReader
from referee.schema import schemas
from tests.support.any_game import TOY, Course, every_game
from tests.support.helpers import ROOT, TIMES, Announced
from tests.support.public_logs import PublicLog

Json = dict[str, Any]
SCHEMAS = ROOT / "spec" / "schema"
ODD = {"card": [None, "x"], "gained": ["x"], "patron": ["x"], "rows": [4, 100], "grid": ["", "xr"]}
"""Values that never occur in a valid log, by field."""


@cache
def played(name: str, seed: int) -> tuple[list[Json], Course]:
    course = Course(name, seed, max_turns=8)
    return [message for entries in course.play() for message in Announced(entries).public], course


def reader_of(course: Course) -> TurnReader[Any]:
    make = course.definition.turns
    assert make is not None
    return make(course.names)


def damaged(messages: list[Json], dice: Random) -> list[Json]:
    """Lose, move and repeat some of the messages, and put odd values into others."""
    found = [message for message in messages if dice.random() < 0.9]
    for _ in range(5):
        message = json.loads(json.dumps(dice.choice(found)))
        for part in (message, *(value for value in message.values() if isinstance(value, dict))):
            for field, value in part.items():
                if dice.random() < 0.5 and field in ODD:
                    part[field] = dice.choice(ODD[field])
                elif dice.random() < 0.5 and type(value) is int:
                    part[field] = 10**12
        found.insert(dice.randrange(len(found)), message)
    if dice.random() < 0.2:
        dice.shuffle(found)
    return found


def shown(reader: TurnReader[Any], turns: list[Turn]) -> list[str]:
    parts = [part for turn in turns for part in reader.show(turn)]
    return [part.text for part in parts if isinstance(part, Phrase)]


@every_game
def test_every_turn_is_there_and_fits_its_schema(name: str) -> None:
    messages, course = played(name, 1)
    match, reader = course.match, reader_of(course)
    turns = PublicLog(GAMES[name]).turns(reader, messages)
    assert [turn.turn for turn in turns] == [*range(1, match.turns + 1)]
    scores = [standing.score for standing in match.standings()]
    # `scores` is None if the match ended in the middle of a turn.
    assert turns[-1].scores in (scores, None)
    file = f"{name}-v1-turn.schema.json"
    schema = schemas()[file] if name == TOY else json.loads((SCHEMAS / file).read_bytes())
    fits = jsonschema.Draft202012Validator(schema)
    for turn in turns:
        fits.validate(json.loads(msgspec.json.encode(turn)))
        assert turn.notes == []
        assert reader.title(turn)
    assert shown(reader, turns)
    summary = reader.summary(turns)
    assert all(len(row) == len(summary.columns) for row in [*summary.rows, *summary.totals])
    numbers = [int(number) for row in summary.rows for number in row[0].split(", ")]
    assert sorted(numbers) == [turn.turn for turn in turns]
    assert reader.summary([]).rows == []


@every_game
@settings(max_examples=5 * TIMES)
@given(st.integers(0, 1000))
def test_a_damaged_log_is_read_as_well_as_it_goes(name: str, seed: int) -> None:
    messages, course = played(name, 1)
    log, reader = PublicLog(GAMES[name]), reader_of(course)
    readable = []
    for message in damaged(messages, Random(seed)):
        try:
            readable += [message] if message["type"] in log.types and log.read(message) else []
        except msgspec.ValidationError:
            continue
    turns = log.turns(reader, readable)
    shown(reader, turns)
    for turn in turns:
        reader.title(turn)
        msgspec.json.encode(turn)
    reader.summary(turns)


@every_game
def test_what_goes_wrong_in_the_handshake_is_in_the_first_turn(name: str) -> None:
    messages, course = played(name, 1)
    for log in ([], messages):
        reader = reader_of(course)
        reader.fault(Fault(0, "bad-name-reply", "3.2", "no name"))
        reader.disqualify(1, "exited, code 1")
        first, *others = PublicLog(GAMES[name]).turns(reader, log)
        assert first.turn == 1
        assert first.notes == [
            Note("player1", "fault", "bad-name-reply (3.2): no name"),
            Note("player2", "disqualified", "exited, code 1"),
        ]
        assert not any(turn.notes for turn in others)
        phrases = [part for part in reader.show(first) if isinstance(part, Phrase)]
        assert [(part.label, part.text) for part in phrases[-2:]] == [
            ("fault", "player1: bad-name-reply (3.2): no name"),
            ("disqualified", "player2: exited, code 1"),
        ]


@every_game
def test_of_endless_faults_the_first_are_kept(name: str) -> None:
    reader = reader_of(played(name, 1)[1])
    for _ in range(MAX_KEPT + 7):
        reader.fault(Fault(0, "bad-name-reply", "3.2", "no name"))
    (turn,) = reader.end()
    assert (len(turn.notes), turn.omitted) == (MAX_KEPT, 7)
    assert shown(reader, [turn])[-1] == "7 more"
