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
    return check_game(load(str(file)), 2, 1, seconds, str(file))


@pytest.mark.parametrize("name", [name if name == "kuhn" else slow(name) for name in SMALL_GAMES])
def test_a_right_game_passes(name: str) -> None:
    found = check_game(load(SMALL_GAMES[name]), 2, 1, SECONDS)
    assert found.matches == 2
    notes = [] if name in ("kuhn", "battleship") else ["open"]
    assert [finding.kind for finding in found.findings] == notes


@pytest.mark.parametrize(
    ("line", "other", "method", "says"),
    [
        (APPLY, "raise SystemExit", "apply", "apply ends the program"),
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
    assert [finding.kind for finding in found.findings] == ["hash-seed"]


@pytest.mark.all_cases
def test_a_game_that_names_no_secret_is_told(tmp_path: Path) -> None:
    found = report(tmp_path, SECRET, "return []")
    assert found.passed
    assert "it hides something from seat 0, and its `secret(0)` is empty" in found.findings[0].text
