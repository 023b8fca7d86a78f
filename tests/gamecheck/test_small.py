"""Test `check_game` with mistakes in the class of a small game. It must name the line."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from referee.gamecheck.check import GameReport, check_game
from referee.games.outside import load
from tests.support.marks import slow
from tests.support.own_game import SMALL_GAMES, clean_games

KUHN = Path(SMALL_GAMES["kuhn"])
SECONDS = 5.0
"""The time limit for a call in seconds, long enough for a busy machine."""
LEGAL = "return self.moves"
VIEW = '"first": self.first,'
APPLY = "self.said.append(move)"
HANDS = "hand if sees(viewer, seat) else None"
SECRET = "return [self.rest, self.cards[1 - seat]]"


@pytest.fixture(autouse=True)
def _games() -> Iterator[None]:
    with clean_games():
        yield


def report(tmp_path: Path, line: str, other: str, seconds: float = SECONDS) -> GameReport:
    text = KUHN.read_text()
    assert line in text
    file = tmp_path / "game.py"
    file.write_text(text.replace(line, other, 1))
    return check_game(load(str(file)), 2, 0, seconds, str(file))


@pytest.mark.parametrize("name", [name if name == "kuhn" else slow(name) for name in SMALL_GAMES])
def test_a_right_game_passes(name: str) -> None:
    found = check_game(load(SMALL_GAMES[name]), 2, 0, SECONDS)
    assert found.matches == 2
    notes = [] if name in ("kuhn", "battleship") else ["open"]
    assert [finding.kind for finding in found.findings] == notes


@pytest.mark.parametrize(
    ("line", "other", "method", "says"),
    [
        (APPLY, "raise SystemExit", "apply", "apply ends the program"),
        (APPLY, "raise GeneratorExit", "apply", "apply raised GeneratorExit: correct"),
        (APPLY, "1 / 0", "apply", "apply raised ZeroDivisionError: division by zero"),
        (APPLY, "self.apply(move)", "apply", "apply calls itself without an end"),
        (APPLY, "print(move); self.said.append(move)", "apply", "it prints"),
        (APPLY, "self.options.hands = 3", "apply", "apply raised AttributeError: immutable type"),
        (APPLY, "self.to_move = 2; return", "apply", "`to_move` is 2; seats are 0 to 1"),
        (LEGAL, "return []", "legal", "seat 0 is to move, and has no legal move"),
        (LEGAL, "return {*self.moves}", "legal", "it returned a set, not a list"),
        (LEGAL, "return [object()]", "legal", "the result[0] is of type object"),
        (VIEW, '"n": {1, 2},', "view", "the result.n is a set"),
        (VIEW, '"n": float("nan"),', "view", "the result.n is nan"),
        (VIEW, '"n": 2**60,', "view", ".n is an integer above 2^53"),
        (VIEW, '"n": {1: 2},', "view", "the result.n has the key 1"),
        ('return {"cards": hands', 'return 3, {"cards": hands', "view", "it returned a list of 2"),
        ("return self.won", "return self.won[:1]", "scores", "must return 2 numbers, not [0]"),
        ("return self.won", "return [True, False]", "scores", "must return 2 numbers"),
        (HANDS, "hand", "view", "view(0) shows state.cards[1][0], which changes when the hidden"),
        (SECRET, "return [*self.cards]", "view", "view(0) shows state.cards[0][0], which changes"),
    ],
)
def test_a_mistake_is_found(tmp_path: Path, line: str, other: str, method: str, says: str) -> None:
    found = report(tmp_path, line, other)
    assert not found.passed
    first = found.findings[0]
    assert says in first.text
    file, number = first.where.rsplit(":", 1)
    assert file.endswith("game.py")
    lines = Path(file).read_text().splitlines()
    body = lines[int(number) - 1 : int(number) + 1]
    assert any(f"def {method}(" in each or other in each for each in body)


@pytest.mark.untraced  # under a tracer a call has no limit
def test_a_call_without_an_end_is_found(tmp_path: Path) -> None:
    found = report(tmp_path, APPLY, "import signal; signal.pause()", seconds=2.0)
    assert "apply takes more than 2 seconds" in found.findings[0].text


def test_a_view_that_is_different_for_some_viewer_shows_too_much(tmp_path: Path) -> None:
    found = report(tmp_path, VIEW, '"first": 7 if viewer == 0 else 8,')
    assert "view(PUBLIC) shows state.first, and view(0) does not" in found.findings[0].text


def test_own_chance_is_found(tmp_path: Path) -> None:
    found = report(tmp_path, LEGAL, "import random; return random.sample(self.moves, 2)")
    assert found.findings[0].kind == "random"


@pytest.mark.slow
def test_the_order_of_a_set_is_found(tmp_path: Path) -> None:
    found = report(tmp_path, LEGAL, "return [move for move in {*self.moves}]")
    assert [(finding.kind, finding.seed) for finding in found.findings] == [("hash-seed", 0)]


@pytest.mark.all_cases
def test_a_game_that_names_no_secret_is_told(tmp_path: Path) -> None:
    found = report(tmp_path, SECRET, "return []")
    assert found.passed
    assert "it hides something from seat 0, and its `secret(0)` is empty" in found.findings[0].text


OWN = '''
from referee.games.small import Game, sees


class Own(Game):
    """Two players add one or two. Each has a hidden bonus."""

    Options = type("Options", (), {"max_turns": 25, "__annotations__": {"max_turns": int}})

    def start(self):
        self.sum, self.bonus, self.left_at = 0, [[1], [2]], None

    def legal(self, seat):
        return [1, 2]

    def apply(self, move):
        self.sum += move
        self.to_move = 1 - self.to_move if self.sum < 20 else None

    def view(self, viewer):
        bonus = [b if sees(viewer, s) else None for s, b in enumerate(self.bonus)]
        return {"sum": self.sum, "bonus": bonus}

    def secret(self, seat):
        return [self.bonus[1 - seat]]

    def scores(self):
        return [self.sum % 3, self.sum % 5]
'''


def check_own(tmp_path: Path, *changes: str, matches: int = 4, seed: int = 0) -> GameReport:
    text = OWN
    for line, other in zip(changes[::2], changes[1::2], strict=True):
        assert line in text
        text = text.replace(line, other, 1)
    file = tmp_path / "own.py"
    file.write_text(text)
    return check_game(load(str(file)), matches, seed, SECONDS)


def test_a_secret_list_that_is_made_on_the_spot_is_found(tmp_path: Path) -> None:
    """Its items cannot be dealt again, so a leak would not show."""
    assert check_own(tmp_path).findings == []
    copied = check_own(tmp_path, "[self.bonus[1 - seat]]", "[[*self.bonus[1 - seat]]]")
    (found,) = copied.findings
    assert "secret: a list that it returned is a new one in each call" in found.text
    assert found.where.endswith("own.py:24")


def test_a_stock_that_all_may_not_see_is_dealt_again_too(tmp_path: Path) -> None:
    """All views are equal, also the one that sees everything, because no view has the stock."""
    hidden = (
        "self.bonus, self.left_at = 0, [[1], [2]], None",
        "self.bonus, self.stock = 0, [0, 0], [*range(9)]",
        "b if sees(viewer, s) else None",
        "b",
        "[self.bonus[1 - seat]]",
        "[self.stock]",
    )
    assert check_own(tmp_path, *hidden, matches=1).findings == []
    shows = ('"bonus": bonus', '"bonus": bonus, "next": self.stock[-1]')
    (found,) = check_own(tmp_path, *hidden, *shows, matches=1).findings
    assert found.text.startswith("view(0) shows state.next, which changes when the hidden things")


@pytest.mark.parametrize("wrong_move", ["loses", "first"])
def test_a_game_without_an_end_is_found(wrong_move: str, tmp_path: Path) -> None:
    found = check_own(
        tmp_path,
        "if self.sum < 20",
        "if True",
        "def start",
        f"wrong_move = {wrong_move!r}\n\n    def start",
        matches=2,
    )
    assert "turn-limit" in {finding.kind for finding in found.findings}


def test_an_observation_that_does_not_fit_its_space_is_found(tmp_path: Path) -> None:
    changes = (
        "def start",
        "moves = (1, 2)\n\n    def start",
        '"sum": self.sum',
        '"sum": [0] * self.sum',
    )
    (found,) = check_own(tmp_path, *changes).findings
    assert found.text.startswith("an observation has ")
    assert (found.at, found.seed) == ("round 2, decides: seat 1", 0)


def test_a_mistake_has_the_lines_the_place_and_the_seed(tmp_path: Path) -> None:
    changes = (
        "self.sum += move",
        "self.add(move)",
        "    def legal",
        "    def add(self, n):\n        self.sum += n + 0 // (12 - self.sum)\n\n    def legal",
    )
    found = check_own(tmp_path, *changes).findings[0]
    assert (
        found.text
        == "add raised ZeroDivisionError: integer division or modulo by zero: correct this line"
    )
    assert [line.rsplit("own.py")[1] for line in found.trace] == [":20 in apply"]
    assert found.at.partition(", ")[2] in ("decides: seat 0", "decides: seat 1")
    assert found.seed is not None
    again = check_own(tmp_path, *changes, matches=1, seed=found.seed).findings[0]
    assert (again.text, again.at) == (found.text, found.at)


def test_seats_leave_in_every_state_of_a_match(tmp_path: Path) -> None:
    """This code fails only if a seat leaves in one state, and only in the turn after that."""
    leave = """    def leave(self, seat):
        self.left_at = self.sum

    def legal"""
    changes = (
        "def start",
        "players = 3\n\n    def start",
        "1 - self.to_move",
        "(self.to_move + 1) % (0 if self.left_at == 5 else 3)",
        "    def legal",
        leave,
        "[self.sum % 3, self.sum % 5]",
        "[0, 1, self.sum]",
        "[1], [2]]",
        "[1], [2], [3]]",
        "[self.bonus[1 - seat]]",
        "[b for s, b in enumerate(self.bonus) if s != seat]",
    )
    found = check_own(tmp_path, *changes).findings[0]
    assert found.text.startswith("apply raised ZeroDivisionError")
