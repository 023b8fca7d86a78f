"""Conformance cases of small games: correct bots pass, and each faulty bot fails its own cases."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest

from referee.bots.command import PythonBot, find_bot
from referee.bots.in_process import InProcessBot
from referee.conformance.case import load_cases
from referee.games import GAMES
from referee.games.small import Game, definition
from referee.match.pages import load_page
from tests.support.conforming import PATIENT, failed
from tests.support.helpers import to_line
from tests.support.marks import all_cases
from tests.support.own_game import SMALL_GAMES, every_small_game, small_games

Json = dict[str, Any]


@pytest.fixture(autouse=True)
def _games() -> Iterator[None]:
    with small_games():
        yield


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    ["kuhn", *(all_cases(name) for name in SMALL_GAMES if name != "kuhn")],
)
async def test_the_bundled_bot_conforms(name: str) -> None:
    assert await failed(find_bot("any_move", name), name) == []


@every_small_game
def test_every_case_is_about_a_section_that_there_is(name: str) -> None:
    cases = load_cases(GAMES[name]).cases
    assert len(cases) > 40
    assert {case.section for case in cases} <= {*load_page(GAMES[name].specification).sections}
    ids = {case.id for case in cases}
    assert {case.control for case in cases} <= {*ids, ""}


class Bot:
    """A bot as a Python object. `answer` turns each move-request into the reply."""

    def __init__(self, answer: Callable[[Json], Any]) -> None:
        self._answer = answer

    def reply(self, lines: Sequence[bytes]) -> bytes:
        request = json.loads(lines[-1])
        if request["type"] == "player-name-request":
            number = request["player_number"]
            name = {"type": "player-name-reply", "player_number": number, "name": "B"}
            return to_line(name | {"version": 1})
        reply = self._answer(request)
        return reply if isinstance(reply, bytes) else to_line(reply)


def move(move: Any) -> Json:
    return {"type": "move-reply", "move": move}


WRONG: dict[str, tuple[Callable[[Json], Any], set[str]]] = {
    "no mistake": (lambda request: move(request["moves"][-1]), set()),
    "another type": (lambda request: {"type": "move", "move": request["moves"][0]}, {"5.1/1"}),
    "not a JSON object": (lambda request: request["moves"][0], {"5.1/1"}),
    "not a legal move": (lambda request: move("fly"), {"5.1/2"}),
    "a list of moves": (lambda request: move(request["moves"]), {"5.1/2"}),
    "a wrong move later": (
        lambda request: move("fly" if request["turn"] > 6 else request["moves"][0]),
        {"4.1/3"},
    ),
}


@pytest.mark.parametrize("mistake", WRONG)
async def test_a_wrong_bot_fails_its_cases(mistake: str) -> None:
    answer, failing = WRONG[mistake]
    bot = PythonBot(mistake, lambda: InProcessBot(Bot(answer)))
    of_the_game = ["4", "5", "9"]
    found = {*await failed(bot, "connect4", of_the_game, PATIENT)}
    if "5.1/1" in failing:
        assert "5.1/1" in found  # If this case fails, none of the others can be judged.
    else:
        assert found == failing


class Three(Game):
    """Three players name a number in turn."""

    players = (3, 4)

    class Options:
        """The author has defined `max_turns`, so the game decides what it means."""

        max_turns: int = 20

    def start(self) -> None:
        self.turn = 0

    def legal(self, seat: int) -> Any:
        return [1, 2]

    def apply(self, move: int) -> None:
        self.turn += 1
        self.to_move = self.turn % self.seats if self.turn < 9 else None

    def view(self, viewer: Any) -> Json:
        return {}

    def scores(self) -> Any:
        return [0] * self.seats


async def test_a_game_for_three(monkeypatch: pytest.MonkeyPatch) -> None:
    rules = definition(Three, "three")
    monkeypatch.setitem(GAMES.data, "three", rules)
    cases = load_cases(rules).cases
    assert {case.players for case in cases} == {3}
    assert {"3.5/1", "8.3/1"}.isdisjoint(case.id for case in cases)
    assert {tuple(case.options) for case in cases} == {()}
    bot = PythonBot("right", lambda: InProcessBot(Bot(lambda request: move(1))))
    # The other cases need bots that know the game.
    chosen = [case.id for case in cases if not case.opponents]
    assert await failed(bot, "three", chosen) == []
