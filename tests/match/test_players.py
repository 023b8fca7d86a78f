"""Test the players who choose at random."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from referee.games.interface.dialogue import Choice, Question
from referee.games.small import Game, definition
from referee.games.small.messages import MoveRequest
from referee.match.players import Players


class Free(Game):
    """A game without an environment, because its moves are not known before."""

    def start(self) -> None:
        pass

    def legal(self, seat: int) -> list[Any]:
        return [1]

    def apply(self, move: Any) -> None:
        self.to_move = None

    def view(self, viewer: Any) -> dict[str, Any]:
        return {}

    def scores(self) -> list[int]:
        return [0, 0]


@pytest.fixture
def players() -> Players:
    return Players(definition(Free, "free"), ("a", "b"), None, 1)


@pytest.mark.parametrize(
    "moves",
    [[1, 2, 3], ["pass", 4, 5], [[1], 2, 3], ["a", "b"], [-1, -2], [1.5, 2.5], [True, False], [0]],
)
def test_each_move_can_be_chosen(players: Players, moves: list[Any]) -> None:
    request = MoveRequest(1, "player1", moves, [0, 0], {})
    lines = (players.reply(0, request, request) for _ in range(50))
    chosen = {repr(msgspec.json.decode(line)["move"]) for line in lines}
    assert chosen == {repr(move) for move in moves}


def test_a_choice_with_a_key_of_its_own_is_only_taken_if_no_other_can_be(players: Players) -> None:
    """Going back, for example: a player who could always do so might never finish."""
    back, barred = Choice("back", key="b"), Choice("3", key="3", barred="too much")
    asked = [back, Choice("1", key="1"), barred, Choice("2", key="2")]
    assert {players._pick(Question("?", asked)) for _ in range(50)} == {(1,), (3,)}
    assert players._pick(Question("?", [back])) == (0,)
