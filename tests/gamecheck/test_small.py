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
        (APPLY, "raise SystemExit", "apply", "apply raised SystemExit: correct"),
        (APPLY, "raise GeneratorExit", "apply", "apply raised GeneratorExit: correct"),
        (APPLY, "1 / 0", "apply", "apply raised ZeroDivisionError: division by zero"),
        (APPLY, "self.apply(move)", "apply", "apply raised RecursionError: "),
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


@pytest.mark.parametrize(
    ("legal", "says"),
    [
        ("[1, 2, 1]", "it lists 1 twice"),
        ("[2, 1, 2.0]", "it lists 2.0 twice"),  # JavaScript writes both as 2
        ("[{'a': 1, 'b': 2}, {'b': 2, 'a': 1}]", "it lists {'b': 2, 'a': 1} twice"),
        ("[1, True, '1', [1]]", ""),
    ],
)
def test_a_move_that_is_listed_twice_is_found(tmp_path: Path, legal: str, says: str) -> None:
    changes = ("return [1, 2]", f"return {legal}", "+= move", "+= 2")
    texts = [found.text for found in check_own(tmp_path, *changes, matches=1).findings]
    assert texts == [f"{says}: list each move once"] * bool(says)


BOARD = ('"sum": self.sum', '"sum": self.sum, "board": ["..X", "..."], "hand": [1, 2]')


@pytest.mark.parametrize(
    ("places", "is_right"),
    [
        ("[]", True),
        ("[(1, 2)]", True),
        ("[(2, 0)]", False),
        ("[(0, 3)]", False),
        ("[(-1, 0)]", False),
        ("[(0, 0), (1, 3)]", False),
        ("[(None, 2)]", True),
        ("[(None, 3)]", False),
        ("[('board', 1, 2)]", True),
        ("[('other', 1, 2)]", False),
        ("[('hand', move)]", True),
        ("[('hand', 3)]", False),
        ("[('hand', None, 1)]", True),
        ("[('hand', None, 2)]", False),
    ],
)
def test_a_place_that_is_not_there_is_found(tmp_path: Path, places: str, is_right: bool) -> None:
    cells = f"@classmethod\n    def cells(cls, move):\n        return {places}\n\n    def legal"
    found = check_own(tmp_path, *BOARD, "def legal", cells, matches=1).findings
    assert [finding.text.partition(" returned")[0] for finding in found] == (
        [] if is_right else ["cells(1)"]
    )


@pytest.mark.parametrize(
    ("line", "other", "says"),
    [
        ("bonus = [b", "self.left_at = 1; bonus = [b", "view changes self.left_at"),
        ("return [1, 2]", "self.left_at = 1; return [1, 2]", "legal changes self.left_at"),
        ("return [self.sum %", "self.left_at = 1; return [self.sum %", "scores changes self.left_"),
        (
            "    def legal",
            "    def accepts(self, seat, move):\n        self.left_at = 1\n\n    def legal",
            "accepts changes self.left_at",
        ),
        ("bonus = [b", "self.cache = self.sum; bonus = [b", ""),  # no rule depends on it
    ],
)
def test_a_change_that_a_second_call_does_not_make_is_found(
    tmp_path: Path, line: str, other: str, says: str
) -> None:
    """Two calls in one state return the same, so comparing their results does not find it."""
    again = ("self.sum += move", "self.sum += move; self.left_at = 0")
    found = check_own(tmp_path, line, other, *again, matches=1).findings
    assert [finding.text[: len(says)] for finding in found][:1] == [says] * bool(says)


@pytest.mark.parametrize("matches", [9, 10])
def test_a_reason_that_never_occurs_is_told_after_many_matches(
    tmp_path: Path, matches: int
) -> None:
    reasons = (
        "def start",
        "reasons = {'won': 'won', 'never': 'never'}\n\n    def start",
        "self.sum += move",
        "self.sum += move; self.reason = 'won'",
        "self.sum < 20",
        "self.sum < 2",
    )
    found = check_own(tmp_path, *reasons, matches=matches)
    assert found.passed
    assert [note.text.partition(":")[0] for note in found.findings] == [
        "no random match ended with the reason 'never'"
    ] * (matches == 10)


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


@pytest.mark.parametrize(("turns", "is_found"), [(1, True), (4, True), (5, False)])
def test_seats_leave_in_every_state_of_a_match(tmp_path: Path, turns: int, is_found: bool) -> None:
    """This code fails only if a seat leaves in one state, and only some turns later.

    Three rounds of replies are played, and the third is followed by the turn of the empty seat.
    """
    leave = """    def leave(self, seat):
        self.left_at = [] if self.sum == 5 else None

    def legal"""
    changes = (
        "def start",
        "players = 3\n\n    def start",
        "self.sum += move",
        f"self.sum += move; self.left_at is None or self.left_at.append(1)\n"
        f"        if self.left_at == [1] * {turns}: 1 / 0",
        "1 - self.to_move",
        "(self.to_move + 1) % 3",
        "    def legal",
        leave,
        "[self.sum % 3, self.sum % 5]",
        "[0, 1, self.sum]",
        "[1], [2]]",
        "[1], [2], [3]]",
        "[self.bonus[1 - seat]]",
        "[b for s, b in enumerate(self.bonus) if s != seat]",
    )
    found = [finding.text for finding in check_own(tmp_path, *changes).findings]
    assert any(text.startswith("apply raised ZeroDivisionError") for text in found) == is_found
