"""Learning from a few random turns which cell of a board each move refers to."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random
from typing import Any

import pytest

from referee.games import GAMES
from referee.games.interface.game import ALL, GameSetup
from referee.games.interface.random_source import SeededRandomSource
from referee.games.small import Game, sees
from referee.games.small.cells import Meaning, learn
from referee.games.small.definition import definition, options_of
from referee.games.small.messages import MoveReply
from referee.games.small.parts import Board, Hands, Text
from referee.games.small.parts import Cards as CardsPart
from tests.support.own_game import small_games

ROWS, COLUMNS = 3, 5


@pytest.fixture(autouse=True)
def _games() -> Iterator[None]:
    with small_games():
        yield


class Marks(Game):
    """Two players put their marks on empty cells; "pass" is a move too."""

    def start(self) -> None:
        self.cells = {(row, column): "." for row in range(ROWS) for column in range(COLUMNS)}

    @classmethod
    def name(cls, row: int, column: int) -> Any:
        raise NotImplementedError

    def legal(self, seat: int) -> Any:
        return ["pass", *(self.name(*cell) for cell, mark in self.cells.items() if mark == ".")]

    def apply(self, move: Any) -> None:
        for cell in self.cells:
            if self.name(*cell) == move:
                self.cells[cell] = "XO"[self.to_move]  # type: ignore[index]
        self.to_move = 1 - self.to_move if "." in self.cells.values() else None  # type: ignore[operator]

    def view(self, viewer: Any) -> dict[str, Any]:
        rows = [[self.cells[row, column] for column in range(COLUMNS)] for row in range(ROWS)]
        return {"board": ["".join(row) for row in rows]}

    def scores(self) -> Any:
        return [0, 0]


def learned(kind: type[Game]) -> Meaning:
    return learn(kind, options_of(kind)())


def marks_with(name: Callable[[int, int], Any]) -> type[Game]:
    return type("Marks", (Marks,), {"name": staticmethod(name)})


NAMES: dict[str, Callable[[int, int], Any]] = {
    "cell-0": lambda row, column: row * COLUMNS + column,
    "cell-1": lambda row, column: row * COLUMNS + column + 1,
    "row-column-0": lambda row, column: [row, column],
    "row-column-1": lambda row, column: [row + 1, column + 1],
    "column-row-0": lambda row, column: {"x": column, "y": row},
    "column-row-1": lambda row, column: {"x": column + 1, "y": row + 1},
    "letter-row": lambda row, column: f"{'ABC'[row]}{column + 1}",
    "letter-column-up": lambda row, column: f"{'abcde'[column]}{ROWS - row}",
    "letter-column-down": lambda row, column: f"{'abcde'[column]}{row + 1}",
}


@pytest.mark.parametrize("scheme", NAMES)
def test_the_cell_of_a_move(scheme: str) -> None:
    means = learned(marks_with(NAMES[scheme]))
    assert means.scheme is not None
    assert means.scheme.name == scheme
    assert means.marks == {"X": 0, "O": 1}
    shown = means.parts({"board": ["....."] * ROWS}, 2)
    cells = [(row, column) for row in range(ROWS) for column in range(COLUMNS)]
    moves = [NAMES[scheme](*cell) for cell in cells]
    targets = means.targets(shown, ["pass", *moves], 0)
    assert targets[0] is None
    assert [(target.part, [*target.path]) for target in targets[1:] if target] == [
        ("board", [cell]) for cell in cells
    ]


def labels(name: Callable[[int, int], Any]) -> tuple[str, str]:
    (board,) = learned(marks_with(name)).parts({"board": ["....."] * ROWS}, 2)
    assert isinstance(board, Board)
    return "".join(board.across), "".join(board.down)


def test_the_names_of_rows_and_columns() -> None:
    assert labels(NAMES["row-column-0"]) == ("01234", "012")
    assert labels(NAMES["letter-row"]) == ("12345", "ABC")
    assert labels(NAMES["letter-column-up"]) == ("ABCDE", "321")
    assert labels(NAMES["letter-column-down"]) == ("ABCDE", "123")
    assert labels(NAMES["cell-0"]) == ("", "")


class Steps(Marks):
    """Two players move a piece by one cell."""

    def start(self) -> None:
        super().start()
        self.cells[0, 0], self.cells[2, 4] = "X", "O"
        self.moved = 0

    def legal(self, seat: int) -> Any:
        ((row, column),) = (cell for cell, mark in self.cells.items() if mark == "XO"[seat])
        near = [(row + 1, column), (row - 1, column), (row, column + 1), (row, column - 1)]
        free = [cell for cell in near if self.cells.get(cell) == "."]
        return [f"{self.name(row, column)}{self.name(*cell)}" for cell in free]

    def apply(self, move: str) -> None:
        from_, to = (
            next(c for c in self.cells if self.name(*c) == m) for m in (move[:2], move[2:])
        )
        self.cells[from_], self.cells[to] = ".", self.cells[from_]
        self.moved += 1
        self.to_move = 1 - self.to_move if self.moved < 60 else None  # type: ignore[operator]


def test_a_move_from_cell_to_cell() -> None:
    means = learned(type("Steps", (Steps,), {"name": staticmethod(NAMES["letter-column-up"])}))
    shown = means.parts({"board": ["X....", ".....", "....O"]}, 2)
    (target,) = means.targets(shown, ["a3b3"], 0)
    assert target is not None
    assert [*target.path] == [(0, 0), (0, 1)]


class Rooks(Steps):
    """A square board with moves such as `a1a3`, whose letter could stand for a row or a column."""

    def start(self) -> None:
        self.cells = {(row, column): "." for row in range(3) for column in range(3)}
        self.cells[2, 0], self.cells[2, 2] = "X", "O"
        self.moved = 0

    def legal(self, seat: int) -> Any:
        ((row, column),) = (cell for cell, mark in self.cells.items() if mark == "XO"[seat])
        return [f"{self.name(row, column)}{self.name(2 - row, column)}"]

    @classmethod
    def name(cls, row: int, column: int) -> str:
        return f"{'abc'[column]}{3 - row}"

    def view(self, viewer: Any) -> dict[str, Any]:
        rows = ["".join(self.cells[row, column] for column in range(3)) for row in range(3)]
        return {"board": rows}


def test_both_ends_of_a_move_change() -> None:
    scheme = learned(Rooks).scheme
    assert scheme is not None
    assert scheme.name == "letter-column-up"


def test_a_move_that_names_no_cell() -> None:
    kind = marks_with(lambda row, column: f"go {row} {column}")
    assert learned(kind).scheme is None
    assert learned(kind).marks == {"X": 0, "O": 1}


def test_a_game_with_a_mistake_cannot_be_clicked() -> None:
    kind = type("Broken", (Marks,), {"name": staticmethod(lambda row, column: 1 / row)})
    assert learned(kind) == Meaning()


def test_connect_four_names_columns() -> None:
    means = learned_of("connect4")
    (board,) = means.parts({"board": ["......."] * 6}, 2)
    assert isinstance(board, Board)
    assert "".join(board.across) == "0123456"
    (target,) = means.targets([board], [3], 0)
    assert target is not None
    assert [*target.path] == [(None, 3)]


def learned_of(name: str) -> Meaning:
    person: Any = GAMES[name].person
    means: Meaning = person.means()
    return means


def test_a_card_of_the_own_hand() -> None:
    means = learned_of("goofspiel")
    assert means.played == "hands"
    shown = means.parts({"prize": 3, "prizes": [], "hands": [[1, 2], [2, 7]]}, 2)
    targets = means.targets(shown, [2, 7], 1)
    assert [target and [*target.path] for target in targets] == [[(1, 0)], [(1, 1)]]


class Pits(Marks):
    """Two players take turns emptying one of their own pits."""

    def start(self) -> None:
        self.pits = [[3, 1, 2], [2, 3, 1]]

    def legal(self, seat: int) -> Any:
        return [*(place + 1 for place, seeds in enumerate(self.pits[seat]) if seeds), "pass"]

    def apply(self, move: Any) -> None:
        if move != "pass":
            self.pits[self.to_move][move - 1] = 0  # type: ignore[index]
        self.to_move = 1 - self.to_move if any(map(any, self.pits)) else None  # type: ignore[operator]

    def view(self, viewer: Any) -> dict[str, Any]:
        return {"pits": self.pits}


def test_a_place_of_the_own_row() -> None:
    means = learned(Pits)
    assert (means.played, means.place) == ("pits", 1)
    shown = means.parts({"pits": [[3, 1, 2], [2, 3, 1]]}, 2)
    targets = means.targets(shown, [1, 3, "pass"], 1)
    assert [target and [*target.path] for target in targets] == [[(1, 0)], [(1, 2)], None]


class Cards(Marks):
    """Two players play cards from their hands or pass.

    The table begins with the card AC, which could be mistaken for the name of a cell.
    """

    def start(self) -> None:
        self.hands = [["KH", "7S", "QD"], ["KS", "7H", "2C"]]
        self.table = ["AC"]

    def legal(self, seat: int) -> Any:
        return [*self.hands[seat], "pass"]

    def apply(self, move: str) -> None:
        hand = self.hands[self.to_move]  # type: ignore[index]
        if move in hand:
            hand.remove(move)
            self.table.append(move)
        self.to_move = 1 - self.to_move if any(self.hands) else None  # type: ignore[operator]

    def view(self, viewer: Any) -> dict[str, Any]:
        return {"table": self.table, "hands": self.hands}


def test_cards_of_two_letters_are_not_a_board() -> None:
    means = learned(Cards)
    assert (means.played, means.place) == ("hands", None)
    state = {"table": ["KH", "KH", "KH"], "hands": [["2C"], None]}
    assert [type(part).__name__ for part in means.parts(state, 2)] == ["Cards", "Hands"]


class Bids(Marks):
    """Two players bid in turn, five times."""

    def start(self) -> None:
        self.bids: list[list[int]] = []

    def legal(self, seat: int) -> Any:
        return [[len(self.bids), face] for face in range(2)]

    def apply(self, move: Any) -> None:
        self.bids.append(move)
        self.to_move = 1 - self.to_move if len(self.bids) < 5 else None  # type: ignore[operator]

    def view(self, viewer: Any) -> dict[str, Any]:
        return {"bids": self.bids}


def test_a_list_that_grows_is_not_one_list_for_each_seat() -> None:
    """When two bids have been made, the list must not be taken for the hands of the two players."""
    means = learned(Bids)
    assert means.hands == []
    for bids, text in (
        ([], "none"),
        ([[0, 1], [1, 0]], "0, 1; 1, 0"),
        ([[0, 1]] * 3, "0, 1; 0, 1; 0, 1"),
    ):
        (part,) = means.parts({"bids": bids}, 2)
        assert part in (Text("bids", text), CardsPart("bids", bids))


def test_a_list_that_only_looks_like_a_board() -> None:
    means = learned_of("kuhn")
    state = {"cards": [None, None], "said": ["bet", "bet"], "first": 0, "showdown": None}
    kinds = [type(part).__name__ for part in means.parts(state, 2)]
    assert kinds == ["Hands", "Cards", "Text", "Text"]
    assert means.targets(means.parts(state, 2), ["pass", "bet"], 0) == [None, None]


@pytest.mark.parametrize("seed", range(8))
def test_of_two_seas_the_right_one_is_clicked(seed: int) -> None:
    """Ships are placed on the player's own sea, and shots are clicked on the opponent's."""
    definition, dice = GAMES["battleship"], Random(seed)
    means = learned_of("battleship")
    chance = SeededRandomSource(seed)
    game: Any = definition.new(
        GameSetup(chance=chance, names=("", ""), options=definition.options())
    )
    while game.requests:
        replies = {}
        for seat in (request.seat for request in game.requests):
            view = game.view(seat)
            targets = means.targets(means.parts(view.state, 2), view.moves, seat)
            sea = ("first", "second")[seat if len(game.requests) == 2 else 1 - seat]
            assert {target.part if target else "" for target in targets} == {sea}
            replies[seat] = MoveReply(dice.choice(view.moves))
        game.advance(replies)


def test_nothing_is_played_until_a_person_is_asked() -> None:
    kind = type("Slow", (Marks,), {"start": lambda self: pytest.fail("a match began")})
    definition(kind, "slow")


class Late(Marks):
    """In two of three matches the second player can only pass or end the match."""

    matches = 0

    def start(self) -> None:
        super().start()
        Late.matches += 1

    def legal(self, seat: int) -> Any:
        return ["pass", "end"] if seat and Late.matches % 3 else super().legal(seat)

    def apply(self, move: Any) -> None:
        super().apply(move)
        if move == "end":
            self.to_move = None


def test_several_short_matches_are_played() -> None:
    means = learned(type("Late", (Late,), {"name": staticmethod(NAMES["cell-0"])}))
    assert means.marks == {"X": 0, "O": 1}


class Hidden(Marks):
    """Each seat has a secret. `asked` is None every other turn, and no seat ever sees `goal`."""

    asked: int | None = None

    @classmethod
    def name(cls, row: int, column: int) -> Any:
        return [row, column]

    def apply(self, move: Any) -> None:
        super().apply(move)
        self.asked = None if self.asked is not None else 1

    def view(self, viewer: Any) -> dict[str, Any]:
        hands = [[7] if sees(viewer, seat) else None for seat in range(2)]
        cells = [self.cells[cell].strip(".") or None for cell in sorted(self.cells)]
        rows = [cells[row * COLUMNS : (row + 1) * COLUMNS] for row in range(ROWS)]
        goal = 3 if viewer is ALL else None
        return {"hands": hands, "asked": self.asked, "goal": goal, "rows": rows}


def test_none_is_nothing_if_everyone_sees_it() -> None:
    means = learned(Hidden)
    assert {*means.nothing} == {"asked", "rows"}
    cells = [[None, "X", None, None, None]] * ROWS
    state = {"hands": [[7], None], "asked": None, "goal": None, "rows": cells}
    hands, asked, goal, rows = shown = means.parts(state, 2)
    assert hands == Hands("hands", [[7], None])
    assert asked == Text("asked", "none")
    assert goal == Text("goal", None)
    assert isinstance(rows, Board)
    assert rows.rows == [["-", "X", "-", "-", "-"]] * ROWS
    (target,) = means.targets(shown, [[1, 2]], 0)
    assert target is not None
    assert (target.part, [*target.path]) == ("rows", [(1, 2)])
