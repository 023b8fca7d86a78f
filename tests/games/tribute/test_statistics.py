"""Statistics of single Scripts of Tribute matches, and their totals over many matches."""

from __future__ import annotations

import json
import tracemalloc
from collections import Counter
from typing import Any

import pytest

from referee.games.interface.capabilities import SeatFacts
from referee.games.interface.game import ALL
from referee.games.tribute import RULES
from tests.games.tribute.test_turns import log

Json = dict[str, Any]


@pytest.mark.parametrize("seed", [9, 11])
def test_it_is_what_the_spectators_were_told(seed: int) -> None:
    public, match = log(seed)
    end = public[-1]
    table = next(message for message in public if message["type"] == "table-set")
    for seat, facts in enumerate(match.statistics()):
        kept = json.loads(facts)
        number = f"player{seat + 1}"
        own = [message for message in public if message.get("player_number") == number]
        actions = [message["action"] for message in own if message["type"] == "action"]
        kinds = Counter(action["type"] for action in actions)
        calls = Counter(action["patron"] for action in actions if "patron" in action)
        assert kept["first"] == (seat == 0)
        assert kept["calls"] == calls
        assert sum(kept["bought"].values()) == kinds["buy-card"]
        assert kept["turns"] == sum(message["type"] == "turn-started" for message in own)
        assert (kept["reason"], kept["prestige"]) == (end["reason"], end["scores"][seat])
        assert {*kept["patrons"], "TREASURY"} == {*table["patrons"]}
        deaths = [
            message
            for message in public
            if message.get("kind") == "agent-death" and message["player_number"] != number
        ]
        assert kept["lost"][0] >= len(deaths)
        assert sum(kept["lost"]) + kept["standing"] == kept["agents"]
        last: Any = match.view(ALL)
        assert kept["standing"] == len(last.seats[seat].agents)


def test_the_tables_over_two_matches() -> None:
    assert RULES.statistics is not None

    def seat(points: float, **facts: Any) -> SeatFacts:
        default = {
            "first": True,
            "reason": "prestige-40",
            "turns": 10,
            "prestige": 40,
            "power": 30,
            "coins": 5,
            "bought": {"TITHE": 2},
            "cost": 6,
            "patrons": ["ANSEI", "PELIN", "HLAALU", "RAJHIN"],
            "calls": {"ANSEI": 3},
            "favours": ["ANSEI"],
            "agents": 4,
            "lost": [1, 1, 0],
            "standing": 2,
        }
        return SeatFacts("a", points, json.dumps(default | facts).encode())

    seats = [seat(1.0), seat(0.0, first=False, bought={}, cost=0, favours=[])]
    ends, turns, calls, agents, cards = RULES.statistics().tables(seats)
    assert ends.rows == [("a", 2, 0.0, 1.0, 0.0, 0.0, 0.0, 0.5, 1.0, 0.0)]
    assert turns.rows == [("a", 10.0, 4.0, 3.0, 0.5, 0.1, 3.0, 0.3, 0.4)]
    assert calls.rows[0] == ("a", "ANSEI", 2, 3.0, 0.5, 0.5)
    assert agents.rows == [("a", 4.0, 0.25, 0.25, 0.0, 0.5)]
    assert cards.rows == [("a", "TITHE", 1, 0.5, 2.0, 1.0, 0.0)]
    tables = (ends, turns, calls, agents, cards)
    assert all(len(row) == len(table.columns) for table in tables for row in table.rows)
    assert [table.rows for table in RULES.statistics().tables([])] == [[]] * 5
    without_agents = [seat(1.0, agents=0, lost=[0, 0, 0], standing=0)]
    assert RULES.statistics().tables(without_agents)[3].rows == [("a", 0.0, *[None] * 4)]
    tracemalloc.start()
    RULES.statistics().tables(seat(1.0) for _ in range(1000))
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    # They take 370 KB. Other threads of the test process count here, too.
    assert most < 250_000, "it keeps all matches"
