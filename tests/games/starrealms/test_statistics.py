"""Statistics of Star Realms matches, and the notes that beginners get about their bots."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest

from referee.games.interface.capabilities import SeatFacts
from referee.games.starrealms import RULES
from referee.games.starrealms.notes import hint
from tests.games.starrealms.star_matches import Scene
from tests.games.starrealms.test_turns import log

Json = dict[str, Any]


@pytest.mark.parametrize("seed", range(3))
def test_it_is_what_the_spectators_were_told(seed: int) -> None:
    public, match = log(seed)
    for seat, facts in enumerate(match.statistics()):
        kept = json.loads(facts)
        number, other = f"player{seat + 1}", f"player{2 - seat}"
        own = [message for message in public if message.get("player_number") == number]
        gained = [message["gained"] for message in own if message["type"] == "player-gained"]
        assert {card: count for card, (count, _) in kept["gained"].items()} == {
            card: gained.count(card) for card in gained
        }
        turn = 0
        first: dict[str, int] = {}
        for message in own:
            turn += message["type"] == "turn-started"
            if message["type"] == "player-gained":
                first.setdefault(message["gained"], turn)
        assert {card: turn for card, (_, turn) in kept["gained"].items()} == first
        assert kept["turns"] == turn
        lost = [m for m in public if m["type"] == "base-destroyed" and m["player_number"] == other]
        assert kept["destroyed"] == len(lost)


def test_the_tables_over_two_matches() -> None:
    assert RULES.statistics is not None

    def seat(points: float, turns: int, gained: Json) -> SeatFacts:
        facts = {"turns": turns, "made": [20, 10, 0], "destroyed": 1, "gained": gained}
        return SeatFacts("a", points, json.dumps(facts).encode())

    seats = [seat(1.0, 10, {"Ram": [2, 3], "Cutter": [1, 5]}), seat(0.0, 30, {"Cutter": [3, 1]})]
    turns, cards = RULES.statistics().tables(seats)
    assert turns.rows == [("a", 2, 20.0, 1.0, 0.5, 0.0, 3.0, 1.0)]
    assert cards.rows == [
        ("a", "Cutter", 2, 1.0, 0.5, None, 2.0, 3.0),
        ("a", "Ram", 1, 0.5, 1.0, 0.0, 2.0, 3.0),
    ]
    assert all(len(row) == len(table.columns) for table in (turns, cards) for row in table.rows)
    assert [table.rows for table in RULES.statistics().tables([])] == [[], []]


# --- notes and hints ----------------------------------------------------------------------------


def ended(hand: list[str], words: str, turns: int, bases: Sequence[str] = ()) -> list[list[str]]:
    """Return the notes of a match in which player 1 has this hand and acts like this every turn."""
    seat = {"hand": hand, "deck": hand * turns}
    poor = {"hand": ["Scout"], "deck": ["Scout"] * 50, "bases": bases}
    before = {"seats": {"player1": seat, "player2": poor}, "trade_row": ["Ram"]}
    scene = Scene({"before": before, "options": {"max_turns": turns}})
    for _ in range(turns):
        scene.step({"do": [*words.split("; "), "end-turn"]})
        scene.step({"do": ["end-turn"]})
    return scene.match.notes()


def test_a_bot_that_never_attacks_and_never_buys() -> None:
    hand = ["Viper"] * 5
    bought, idle = ended(hand, "play Viper", 6)[0]
    assert "bought nothing in 6 turns" in bought
    assert "ended 6 turns with combat left" in idle
    assert "bought nothing" in ended(hand, "play Viper", 6)[1][0]
    (idle,) = ended(hand, "play Viper", 5)[0]
    assert "ended 5 turns with combat left" in idle
    assert ended(hand, "play Viper", 4)[0] == []
    # With five combat it can attack a base that protects the player, if it's not too strong.
    words = "; ".join(["play Viper"] * 5)
    for outpost, notes in (("Trading Post", 2), ("War World", 2), ("Royal Redoubt", 1)):
        assert len(ended(hand, words, 6, [outpost])[0]) == notes


def test_a_bot_that_does_both_and_one_that_had_no_time() -> None:
    hand = ["Ram", "Trade Pod", "Scout", "Scout", "Scout"]
    assert ended(hand, "play Ram; play Trade Pod; buy Explorer; attack-player", 6)[0] == []
    assert ended(["Viper"] * 5, "play Viper", 4) == [[], []]


REQUEST = {
    "actions": [{"action": "play", "card": "Ram"}, {"action": "end-turn"}],
    "state": {"hand": ["Ram"], "trade": 2, "opponent": {"bases": ["The Hive", "Junkyard"]}},
}


@pytest.mark.parametrize(
    ("actions", "says"),
    [
        ({"action": "end-turn"}, "put the action into a list"),
        ("end-turn", "a list of actions"),
        ([{"action": "buys", "card": "Ram"}], 'did you mean "buy"?'),
        ([{"action": "play", "card": "ram"}], 'did you mean "Ram"?'),
        ([{"action": "play", "card": "Port Of Call"}], 'did you mean "Port of Call"?'),
        ([{"action": "play", "card": "Cutter"}], "Cutter is not in `hand`"),
        ([{"action": "buy", "card": "Ram"}], "Ram costs 3, and there was 2 trade"),
        ([{"action": "attack-player"}], "Junkyard is an outpost"),
        ([{"action": "play", "card": "Ram"}], ""),
        ([{"action": "play", "card": "Ram", "times": 2}], ""),
        ([{"action": "buy", "card": "Viper"}], ""),
        ([{"action": "scrap", "card": "Ram"}], ""),
        ([{"action": "zzz"}, 7], ""),
        ([7], ""),
    ],
)
def test_what_a_bad_action_comes_of(actions: Any, says: str) -> None:
    told = hint("bad-action", REQUEST, {"type": "play-reply", "actions": actions})
    assert (says in told) if says else told == ""


def test_what_bad_picks_come_of() -> None:
    asked: Json = {"type": "choose", "options": [{"card": "Ram", "from": "hand"}]}
    assert "indices of `options`" in hint("bad-picks", asked, {"picks": [0, "Ram"]})
    assert hint("bad-picks", asked, {"picks": [7]}) == ""
    assert hint("bad-picks", asked, {}) == ""
    assert hint("wrong-type", asked, {}) == ""
