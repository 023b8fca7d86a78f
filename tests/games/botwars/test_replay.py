"""How `referee replay` presents a Bot Wars match to people, turn by turn."""

from __future__ import annotations

import json
from functools import reduce
from operator import or_
from random import Random
from typing import Any

import msgspec
import pytest

from referee.games.botwars import RULES
from referee.games.botwars.rules.messages import Move, Moves
from referee.games.botwars.turns import Turn, Turns
from referee.games.interface.capabilities import Phrase, Picture
from referee.games.interface.faults import Fault
from referee.games.interface.sentence import Seat
from referee.games.interface.turns import Note
from referee.match.machine import Match
from tests.games.botwars.botwars_matches import gathering, new_match, play_out, reply, wild
from tests.support.helpers import NAMES, Announced, name_line

Json = dict[str, Any]
_decode = msgspec.json.Decoder(reduce(or_, RULES.public)).decode


def told(reader: Turns, messages: list[Json]) -> list[Turn]:
    """Read the turns from a log, leaving out the end of the match."""
    turns: list[Turn] = []
    for message in messages:
        if message["type"] in ("game-info", "turn-played"):
            turns += reader.read(_decode(json.dumps(message)), None)
    return turns


def log(seed: int = 5, **options: Any) -> list[Json]:
    return Announced(play_out(new_match(seed, **options), gathering)).public


def test_every_turn_is_told_as_it_was_sent() -> None:
    messages = log(max_turns=60)
    played = [message for message in messages if message["type"] == "turn-played"]
    reader = Turns(NAMES[:2])
    turns = told(reader, messages)
    assert reader.end() == []
    assert len(turns) == len(played)
    for turn, message in zip(turns, played, strict=True):
        as_json = json.loads(msgspec.json.encode(turn))
        for field in ("turn", "moves", "died", "state"):
            assert as_json[field] == message[field]
        state = message["state"]
        assert turn.scores == [state["grid"].count(side) for side in "rb"]
        assert turn.energy == [state["p1"]["energy"], state["p2"]["energy"]]
        assert turn.played
        assert turn.notes == []
        assert reader.seats(turn) == (0, 1)


def test_a_turn_is_shown_as_a_grid_with_what_each_side_did() -> None:
    match = new_match(1, rows=4, cols=5, energy_every=0)
    lines = {"r": [{"from": 6, "to": 7}], "b": [{"from": 13, "to": 8}]}
    entries = play_out(
        match, lambda side, state: reply(lines[side] if state["turnsElapsed"] == 1 else [])
    )
    reader = Turns(NAMES[:2])
    turns = told(reader, Announced(entries).public)
    picture, *phrases = reader.show(turns[0])
    assert isinstance(picture, Picture)
    grid = ["0 . . . . .", "1 . r . . .", "2 . . . b .", "3 . . . . ."]
    assert picture.rows == ["  0 1 2 3 4", *grid]
    assert [len(styles) for styles in picture.styles] == [len(row) for row in picture.rows]
    assert picture.styles[2][4] == "red"
    assert picture.styles[2][4] != picture.styles[3][8] != picture.styles[0][0]
    assert [(p.label, p.text) for p in phrases if isinstance(p, Phrase)] == [
        # The legend is shown only with the first turn.
        ("grid", "r red, b blue, * energy, x where a botlet died; a cell is row:column"),
        ("red", "1 botlet, energy 0, 0 moved, 1 spawned"),
        ("blue", "1 botlet, energy 0, 0 moved, 1 spawned"),
    ]
    _, *phrases = reader.show(turns[1])
    assert [(p.label, p.text) for p in phrases if isinstance(p, Phrase)] == [
        ("red", "0 botlets, energy 0, 1 moved, 1 lost"),
        ("blue", "0 botlets, energy 0, 1 moved, 1 lost"),
        ("red moves", "1:1 to 1:2"),
        ("blue moves", "2:3 to 1:3"),
        ("died in", "1:2, 1:3"),
    ]
    assert reader.title(turns[1]) == "0 red, 0 blue"


def test_a_wide_grid_fits_80_columns() -> None:
    for cols in (38, 39, 76):
        reader = Turns(NAMES[:2])
        turns = told(reader, log(rows=4, cols=cols, max_turns=2))
        picture = reader.show(turns[0])[0]
        assert isinstance(picture, Picture)
        assert len(picture.rows) == 2 + 4  # Two rows for the column numbers above the grid.
        assert max(map(len, picture.rows)) <= 78


@pytest.mark.parametrize("seed", range(12))
def test_the_summary_has_a_row_a_turn_and_the_sums_that_the_game_counted(seed: int) -> None:
    size = (8, 5, 4)[seed % 3]
    match = new_match(seed, rows=size, cols=size, energy_every=1 + seed % 2)
    reader = Turns(NAMES[:2])
    decide = [wild(Random(seed)), gathering][seed // 6]
    turns = told(reader, Announced(play_out(match, decide)).public)
    summary = reader.summary(turns)
    assert [row[0] for row in summary.rows] == [str(turn.turn) for turn in turns]
    assert all(len(row) == len(summary.columns) for row in [*summary.rows, *summary.totals])
    assert [row[-1] for row in summary.rows] == [str(len(turn.notes) or "") for turn in turns]
    (total,) = summary.totals
    red, blue = (standing.facts for standing in match.standings())
    for head in ("moves", "lost", "spawned", "gathered"):
        cell = total[list(summary.columns).index(f"{head} r/b")]
        assert cell == f"{getattr(red, head)}/{getattr(blue, head)}"
    assert reader.summary([]).rows == []


def test_faults_are_told_in_their_turn() -> None:
    reader = Turns(NAMES[:2])
    messages = log(max_turns=3)
    reader.fault(Fault(1, "ignored-move", "5.2", "2 moves are ignored"))
    turns = told(reader, messages)
    assert [turn.notes for turn in turns] == [
        [Note("player2", "fault", "ignored-move (5.2): 2 moves are ignored")],
        [],
        [],
    ]
    assert any(
        isinstance(part, Phrase) and "2 moves are ignored" in part.text
        for part in reader.show(turns[0])
    )


def test_a_turn_in_which_somebody_failed_is_told_at_the_end() -> None:
    match: Match = new_match(1)
    match.start()
    for seat in match.due:
        match.receive(seat, name_line(seat))
    for _ in range(2):
        for seat in match.due:
            match.receive(seat, reply([]))
    match.receive(0, b"<html>")
    match.receive(1, reply([]))
    said = Announced(match.take_entries())
    reader = Turns(NAMES[:2])
    assert len(told(reader, said.public)) == 2
    for fault in said.faults:
        reader.fault(fault)
    (last,) = reader.end()
    assert (last.turn, last.played, last.scores) == (3, False, [1, 1])
    text = f"bad-format (5.3): {said.faults[-1].detail}"
    assert last.notes == [Note("player1", "fault", text)]
    shown = [part for part in reader.show(last) if isinstance(part, Phrase)]
    assert shown[0].text == "this turn was not carried out"
    assert (shown[-1].label, shown[-1].text) == ("fault", f"player1: {text}")
    reader.disqualify(1, "timeout")
    assert [turn.notes for turn in reader.end()] == [[Note("player2", "disqualified", "timeout")]]


def test_the_line_of_a_turn_says_what_changed_beside_places() -> None:
    reader = Turns(["Ann", "Bob"])
    turn = Turn(turn=9, played=True, lost=[2, 0], spawned=[1, 0], gathered=[0, 1])
    assert reader.line(turn) == [Seat(0), " 2 lost, 1 spawned; ", Seat(1), " 1 gathered"]
    quiet = Turn(turn=9, played=True, moves=Moves([Move(0, 1)], []))
    assert reader.line(quiet) == ["1 botlet moved"]
    assert reader.line(Turn(turn=9)) == []
