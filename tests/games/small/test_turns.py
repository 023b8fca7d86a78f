"""Descriptions of turns in small games."""

from __future__ import annotations

import pytest

from referee.games.interface.turns import Turn, TurnReader
from referee.games.small import Game, definition
from referee.games.small.messages import MovesPlayed, PlayerLost


def reader(players: int) -> TurnReader[Turn]:
    methods = dict.fromkeys(("start", "legal", "apply", "view", "scores"), lambda game: None)
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
