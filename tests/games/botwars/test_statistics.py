"""Statistics of single Bot Wars matches, and their totals over many matches."""

from __future__ import annotations

import json
from random import Random
from typing import Any

import pytest

from referee.games.botwars import RULES
from referee.games.interface.capabilities import SeatFacts, Statistics
from referee.games.interface.faults import Disqualification
from tests.games.botwars.botwars_matches import (
    Decide,
    gathering,
    new_match,
    play_out,
    reply,
    wandering,
)
from tests.support.helpers import Announced, name_line, to_line

COLUMNS = [
    *("bot", "result", "matches", "turns", "botlets", "energy", "gathered", "spawned", "lost"),
    *("moves", "ignored moves", "spawn disabled"),
]


def statistics() -> Statistics:
    assert RULES.statistics is not None
    return RULES.statistics()


@pytest.mark.parametrize("decide", [gathering, wandering(Random(1))])
def test_it_is_what_the_spectators_were_told(decide: Decide) -> None:
    match = new_match(2, rows=8, cols=8)
    told = Announced(play_out(match, decide))
    turns = [message for message in told.public if message["type"] == "turn-played"]
    last = turns[-1]["state"]
    for facts, colour, side in zip(match.statistics(), "rb", ("p1", "p2"), strict=True):
        kept = json.loads(facts)
        assert kept["turns"] == len(turns)
        assert kept["botlets"] == last["grid"].count(colour)
        assert kept["moves"] == sum(len(turn["moves"][colour]) for turn in turns)
        assert kept["energy"] == last[side]["energy"]
        assert kept["spawn_disabled"] == last[side]["spawnDisabled"]
        assert kept["spawned"] - kept["lost"] == kept["botlets"]
        # A side begins with 1 energy (4.2).
        assert 1 + kept["gathered"] - kept["spawned"] == kept["energy"]


def test_a_side_that_leaves_and_one_that_never_came() -> None:
    match = new_match(1)
    match.start()
    match.receive(0, name_line(0))
    match.disqualify(1, Disqualification.STARTUP_TIMEOUT, "it is gone")
    assert [json.loads(facts)["turns"] for facts in match.statistics()] == [0, 0]
    match = new_match(1)
    match.start()
    for seat in (0, 1):
        match.receive(seat, name_line(seat))
    match.receive(0, reply([]))
    match.disqualify(1, Disqualification.TIMEOUT, "it is gone")
    assert [json.loads(facts)["turns"] for facts in match.statistics()] == [1, 1]


def seat(bot: str, points: float, turns: int, lost: int, *, razed: bool = False) -> SeatFacts:
    facts: dict[str, Any] = dict.fromkeys([name.replace(" ", "_") for name in COLUMNS[3:]], 0)
    facts |= {"turns": turns, "lost": lost, "spawn_disabled": razed}
    return SeatFacts(bot, points, to_line(facts))


def test_the_table() -> None:
    seats = [
        seat("Red", 1.0, 40, 2),
        seat("Blue", 0.0, 40, 9, razed=True),
        seat("Red", 1.0, 60, 4),
        seat("Red", 0.0, 20, 6, razed=True),
        seat("Red", 0.5, 100, 4),
    ]
    for given in (seats, seats[::-1]):
        (table,) = statistics().tables(iter(given))
        assert [*table.columns] == COLUMNS
        assert [*table.percent] == ["spawn disabled"]
        places = [COLUMNS.index(name) for name in ("turns", "lost", "spawn disabled")]
        assert [(*row[:3], *(row[place] for place in places)) for row in table.rows] == [
            ("Blue", "all", 1, 40.0, 9.0, 1.0),
            ("Blue", "lost", 1, 40.0, 9.0, 1.0),
            ("Red", "all", 4, 55.0, 4.0, 0.25),
            ("Red", "won", 2, 50.0, 3.0, 0.0),
            ("Red", "drawn", 1, 100.0, 4.0, 0.0),
            ("Red", "lost", 1, 20.0, 6.0, 1.0),
        ]


def test_what_is_kept_of_a_match_can_be_tabled() -> None:
    match = new_match(2, rows=8, cols=8)
    play_out(match, gathering)
    seats = [
        SeatFacts(bot, 0.5, facts) for bot, facts in zip("AB", match.statistics(), strict=True)
    ]
    (table,) = statistics().tables(seats)
    assert [row[:3] for row in table.rows] == [
        *(("A", "all", 1), ("A", "drawn", 1)),
        *(("B", "all", 1), ("B", "drawn", 1)),
    ]
    assert all(len(row) == len(COLUMNS) for row in table.rows)


def test_without_matches_the_table_is_empty() -> None:
    (table,) = statistics().tables([])
    assert [*table.rows] == []
