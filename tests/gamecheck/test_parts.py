"""Test that the check uses the optional parts of a game, and finds mistakes in them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, cast

import pytest
from msgspec.structs import replace

from referee.gamecheck import parts
from referee.gamecheck.check import check_game
from referee.gamecheck.findings import Finding, Findings
from referee.gamecheck.guard import Guard
from referee.gamecheck.match import Setting
from referee.gamecheck.parts import PartsMatch
from referee.games import GAMES, outside
from referee.games.interface.capabilities import StatisticsTable
from referee.games.interface.definition import GameDefinition
from referee.games.interface.log_player import DifferenceError
from referee.games.small.machine import SmallGame
from referee.games.small.person import Person
from tests.support.any_game import TOY, TOY_FOLDER
from tests.support.marks import all_cases, slow
from tests.support.own_game import every_small_game, small_games

SECONDS = 5.0
"""The time limit for a call in seconds, long enough for a busy machine."""


@pytest.fixture(autouse=True, scope="module")
def _games() -> Iterator[None]:
    with small_games():
        outside.add(str(TOY_FOLDER))
        yield


def found(definition: GameDefinition, matches: int = 2) -> list[Finding]:
    counts: list[int] = []
    report = check_game(definition, matches, 1, SECONDS, thorough=True, on_match=counts.append)
    assert counts == sorted(counts)
    assert counts[-1] == 2 * matches
    return [finding for finding in report.findings if finding.kind != "open"]


@pytest.mark.parametrize(
    "name",
    [
        *(slow(name) if name == "dominion" else all_cases(name) for name in GAMES),
        TOY,
    ],
)
def test_all_parts_of_a_game_are_right(name: str) -> None:
    assert found(GAMES[name], 1) == []


@pytest.mark.slow
@every_small_game
def test_all_parts_of_a_small_game_are_right(name: str) -> None:
    assert found(GAMES[name]) == []


class Shares(SmallGame):
    """A copy of this game shares the game's state with the original."""

    def copy(self, chance: Any) -> SmallGame:
        new = super().copy(chance)
        new.game = self.game
        return new


def fails(*_: Any) -> Any:
    raise ZeroDivisionError


def cheats(definition: GameDefinition) -> Any:
    assert definition.person is not None
    made: Any = definition.person

    class Cheats(made):  # type: ignore[misc]
        def decide(self, request: Any) -> Any:
            yield from super().decide(request)
            return {"type": "move-reply", "move": "raise"}

    return Cheats


def forgets_to_end(definition: GameDefinition) -> Any:
    return type("Forgets", (cast("Any", definition.person),), {"end": fails})


def strict(definition: GameDefinition) -> Any:
    assert definition.log_player is not None
    player: Any = definition.log_player()

    class Strict(type(player)):  # type: ignore[misc]
        def reply(self, *_: Any) -> Any:
            raise DifferenceError("no move")

    return lambda: Strict([])


def narrow(definition: GameDefinition) -> Any:
    environment = definition.environment
    assert environment is not None

    def observation(seats: int, options: Any) -> Any:
        numbers = environment.observation(seats, options)
        return replace(numbers, high=numbers.high * 0)

    return lambda: replace(environment, observation=observation)


def forgetful(definition: GameDefinition) -> Any:
    environment = definition.environment
    assert environment is not None

    class Forgets(environment.tracker):  # type: ignore[misc, name-defined]
        def view(self) -> Any:
            return replace(super().view(), turn=0)

    return lambda: replace(environment, tracker=Forgets)


def uneven(definition: GameDefinition) -> Any:
    made: Any = definition.statistics

    class Uneven(made):  # type: ignore[misc]
        def tables(self, seats: Any) -> Any:
            return [StatisticsTable("Points", ("bot", "points"), [("A",)])]

    return Uneven


def dumb(definition: GameDefinition) -> Any:
    made: Any = definition.turns
    return type("Dumb", (made,), {"title": fails})


@pytest.mark.parametrize(
    ("part", "other", "says"),
    [
        ("person", cheats, "a person is offered a move that is a fault: illegal-move: `move` is"),
        ("person", forgets_to_end, "fails raised ZeroDivisionError"),
        ("log_player", strict, "a right log is called wrong in line 4: expected no move"),
        ("make_environment", narrow, "an observation is out of its bounds at "),
        ("make_environment", forgetful, "makes another view from the lines of its bot: turn"),
        ("statistics", uneven, "a row of 'Points' has not one cell per column"),
        ("turns", dumb, "fails raised ZeroDivisionError"),
    ],
)
def test_a_wrong_part_is_found(
    part: str,
    other: Callable[[GameDefinition], Any],
    says: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # Kuhn poker begins with a shuffle, so its log can't be checked with the rules.
    name = "connect4" if part == "log_player" else "kuhn"
    definition = GAMES[name]
    wrong = replace(definition, **{part: other(definition)})
    monkeypatch.setitem(GAMES, name, wrong)
    said = [finding.text for finding in found(wrong, 1)]
    assert any(says in text for text in said), said


@pytest.mark.slow
def test_a_copy_that_shares_its_state_is_found() -> None:
    definition = GAMES["connect4"]
    kind = cast("type[Person]", definition.person).kind
    made = replace(
        definition, new=lambda setup: Shares(kind, definition.name, setup), log_player=None
    )
    kinds = {finding.kind for finding in found(made, 4)}
    assert kinds & {"copy", "raises", "fault"}


@pytest.mark.parametrize("name", ["kuhn", "goofspiel"])
def test_a_copy_from_before_a_seat_left_is_not_compared(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parts, "_COPIES", 1)
    findings = Findings()
    setting = Setting(1, GAMES[name].max_seats, leaving=0.2)
    match = PartsMatch(GAMES[name], setting, Guard(findings, SECONDS), findings)
    match.play(thorough=True)
    assert match.match.disqualified
    assert findings.all == []


HIGH_CARD = '''
from referee.games.small import Game, sees


class HighCard(Game):
    """Each plays one of five hidden cards at once; the highest takes the trick."""

    players = (2, 4)
    moves = range(1, 26)
    secrets = "hands"

    def start(self):
        deck = [*range(1, 26)]
        self.chance.shuffle(deck)
        self.hands = [sorted(deck[5 * seat : 5 * seat + 5]) for seat in range(5)]
        self.tricks, self.to_move = [0] * self.seats, tuple(range(self.seats))

    def legal(self, seat):
        return self.hands[seat]

    def apply(self, moves):
        for seat, card in moves.items():
            self.hands[seat].remove(card)
        self.tricks[max(moves, key=moves.get)] += 1
        self.to_move = self.to_move if self.hands[0] else None

    def view(self, viewer):
        return {"hands": [h if sees(viewer, s) else None for s, h in enumerate(self.hands)]}

    def secret(self, seat):
        return [hand for other, hand in enumerate(self.hands) if other != seat]

    def scores(self):
        return self.tricks
'''


@pytest.mark.slow
def test_hidden_hands_that_shrink(tmp_path: Path) -> None:
    """The game is decided by the hidden hand of a player who has left.

    That's allowed. Only the observation is wrong, because a list in the view shrinks.
    """
    file = tmp_path / "high_card.py"
    file.write_text(HIGH_CARD)
    definition = GAMES[outside.add(str(file))]
    (finding,) = (finding for finding in found(definition, 10) if finding.is_error)
    assert finding.text.startswith("an observation has ")
    assert finding.text.endswith("needs observe(view)")
