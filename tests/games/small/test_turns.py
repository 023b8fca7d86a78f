"""Descriptions of turns in small games."""

from __future__ import annotations

import pytest

from referee.games.interface.sentence import in_words
from referee.games.interface.turns import TurnReader
from referee.games.small import Game, definition
from referee.games.small.messages import MovesPlayed, PlayerLost
from referee.games.small.turns import Turn


def reader(players: int) -> TurnReader[Turn]:
    methods = dict.fromkeys(("start", "legal", "apply", "view", "scores"), lambda *_: None)
    turns = definition(type("Three", (Game,), {"players": players, **methods}), "three").turns
    assert turns is not None
    return turns([f"Bot {seat + 1}" for seat in range(players)])


def words(turns: TurnReader[Turn], turn: Turn) -> list[str]:
    return [f"{phrase.label} {phrase.text}" for phrase in turns.show(turn)]  # type: ignore[union-attr]


def test_a_player_who_loses_by_a_wrong_move() -> None:
    turns = reader(2)
    turns.read(PlayerLost(5, "player2"), None)
    (turn,) = turns.end()
    assert (turn.turn, turn.player_number) == (5, "player2")
    assert words(turns, turn) == ["loses by a wrong move"]
    assert turns.title(turn) == "Bot 2"


def test_the_state_after_a_turn_is_the_public_one_in_the_message() -> None:
    turns = reader(2)
    state = {"board": ["X..", "..O"], "said": None}
    (turn,) = turns.read(MovesPlayed(1, {"player1": 0}, [0, 0], state), None)
    assert [(phrase.label, phrase.text) for phrase in turns.state(turn)] == [
        ("board", "X . ."),
        ("", ". . O"),
        ("said", "?"),
    ]
    turns.read(PlayerLost(2, "player2"), None)
    (unknown,) = turns.end()
    assert turns.state(unknown) == []


@pytest.mark.parametrize("losers", [("player1",), ("player1", "player3")])
def test_players_who_lose_while_several_decide_are_named(losers: tuple[str, ...]) -> None:
    turns = reader(3)
    for loser in losers:
        turns.read(PlayerLost(1, loser), None)
    moves = {"player1": 1, "player2": 2, "player3": 3}
    (turn,) = turns.read(MovesPlayed(1, moves, [0, 0, 0], {}), None)
    assert turn.player_number == ""
    named = ", ".join(f"by a wrong move: {loser}" for loser in losers)
    assert words(turns, turn)[0] == f"loses {named}"


def test_a_turn_of_one_player_belongs_to_it() -> None:
    turns = reader(2)
    (turn,) = turns.read(MovesPlayed(7, {"player2": {"row": 1}}, [3, 0.5], {}), None)
    assert (turn.turn, turn.player_number, turn.scores) == (7, "player2", [3, 0.5])
    assert words(turns, turn) == ['plays {"row":1}']
    assert turns.title(turn) == "Bot 2, 3 to 0.5"
    assert in_words(turns.line(turn), ["A", "B"]) == 'plays {"row":1}'
    assert turns.end() == []
    (turn,) = turns.read(MovesPlayed(8, {"player1": None}, [3, 1], {}), None)
    assert words(turns, turn) == ["plays a secret move"]


def test_a_turn_of_several_players_names_each() -> None:
    turns = reader(3)
    turns.called = ["Ann", "Ben", "Cid"]
    moves = {"player1": "x", "player3": None}
    (turn,) = turns.read(MovesPlayed(2, moves, [1, 2, 3], {}), None)
    assert (turn.turn, turn.player_number) == (2, "")
    assert words(turns, turn) == ["plays Ann x, Cid a secret move"]
    assert turns.title(turn) == "1 to 2 to 3"
    assert in_words(turns.line(turn), ["A", "B", "C"]) == "A plays x; C plays a secret move"
    # The line of an earlier turn no longer knows who played which move.
    turns.read(MovesPlayed(3, moves, [1, 2, 3], {}), None)
    assert in_words(turns.line(turn), ["A", "B", "C"]) == "plays Ann x, Cid a secret move"
    (alone,) = turns.read(MovesPlayed(4, {"player1": "y"}, [1, 2, 3], {}), None)
    assert in_words(turns.line(alone), ["A", "B", "C"]) == "plays y"
