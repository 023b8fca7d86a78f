"""The cells of a board that a move names, for people who click on them.

A game does not say what its moves mean. So a few random turns are played: a way to read moves fits
if in each turn one of the named cells changes, such as a cell of column 3 after the move 3. Where
no way fits, a board cannot be clicked.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from string import ascii_uppercase
from typing import Any, NamedTuple, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from referee.games.interface.blaming import in_time
from referee.games.interface.game import ALL, GameSetup
from referee.games.interface.random_source import SeededRandomSource
from referee.games.small.author import Game, Move
from referee.games.small.machine import SmallGame, plain
from referee.games.small.messages import MoveReply
from referee.games.small.parts import Board, Cards, Hands, Part, Text, parts, word

MOST_TURNS = 60
"""Turns that are played to learn what moves mean."""
_CELL = re.compile(r"([A-Za-z])([0-9]{1,2})")
_CELLS = re.compile(rf"(?:{_CELL.pattern}[-x ]?)+")
Cell: TypeAlias = tuple[int | None, int]
"""A row and a column, counted from 0; without a row it is the whole column."""
Labels: TypeAlias = tuple[Sequence[str], Sequence[str]]


class Scheme(NamedTuple):
    """A way to read moves.

    Attributes:
        atoms: the parts of a move that name a cell each; none if it is not such a move.
        cell: the cell of a part, from the shape of the board; it may be outside.
        labels: the names of columns and rows, from the shape.
    """

    name: str
    atoms: Callable[[Any], Sequence[Any]]
    cell: Callable[[Any, int, int], Cell]
    labels: Callable[[int, int], Labels]

    def path(self, move: Any, shape: tuple[int, int]) -> list[Cell] | None:
        """The cells that a move names; empty: none; None: cells that the board does not have."""
        atoms = self.atoms([*move.values()] if isinstance(move, dict) else move)
        cells = [self.cell(atom, *shape) for atom in atoms]
        inside = all(
            (row is None or 0 <= row < shape[0]) and 0 <= column < shape[1] for row, column in cells
        )
        return cells if inside else None


def _numbers(move: Any) -> Sequence[Any]:
    move = move if isinstance(move, list) else [move]
    return move if all(type(item) is int for item in move) else []


def _number(move: Any) -> Sequence[Any]:
    return numbers if len(numbers := _numbers(move)) == 1 else []


def _pairs(move: Any) -> Sequence[Any]:
    if not isinstance(move, list):
        return []
    pairs = [move] if len(move) == 2 and len(_numbers(move)) == 2 else move
    return (
        pairs if all(isinstance(p, list) and len(p) == len(_numbers(p)) == 2 for p in pairs) else []
    )


def _letters(move: Any) -> Sequence[Any]:
    texts = move if isinstance(move, list) else [move]
    if not all(isinstance(text, str) and _CELLS.fullmatch(text) for text in texts):
        return []
    found = [pair for text in texts for pair in _CELL.findall(text)]
    return [(ascii_uppercase.index(letter.upper()), int(number)) for letter, number in found]


def _none(rows: int, columns: int) -> Labels:
    return (), ()


def _counted(first: int, *, rows: bool = True) -> Callable[[int, int], Labels]:
    def labels(down: int, across: int) -> Labels:
        numbers = [*map(str, range(first, first + max(down, across)))]
        return numbers[:across], numbers[:down] if rows else ()

    return labels


SCHEMES = (
    Scheme("column-0", _number, lambda n, r, c: (None, n), _counted(0, rows=False)),
    Scheme("column-1", _number, lambda n, r, c: (None, n - 1), _counted(1, rows=False)),
    Scheme("cell-0", _numbers, lambda n, r, c: divmod(n, c), _none),
    Scheme("cell-1", _numbers, lambda n, r, c: divmod(n - 1, c), _none),
    Scheme("row-column-0", _pairs, lambda p, r, c: (p[0], p[1]), _counted(0)),
    Scheme("row-column-1", _pairs, lambda p, r, c: (p[0] - 1, p[1] - 1), _counted(1)),
    Scheme("column-row-0", _pairs, lambda p, r, c: (p[1], p[0]), _counted(0)),
    Scheme("column-row-1", _pairs, lambda p, r, c: (p[1] - 1, p[0] - 1), _counted(1)),
    Scheme(
        "letter-row",
        _letters,
        lambda p, r, c: (p[0], p[1] - 1),
        lambda r, c: (_counted(1)(r, c)[0], ascii_uppercase[:r]),
    ),
    Scheme(
        "letter-column-up",  # as in chess
        _letters,
        lambda p, r, c: (r - p[1], p[0]),
        lambda r, c: (ascii_uppercase[:c], _counted(1)(r, c)[1][::-1]),
    ),
    Scheme(
        "letter-column-down",
        _letters,
        lambda p, r, c: (p[1] - 1, p[0]),
        lambda r, c: (ascii_uppercase[:c], _counted(1)(r, c)[1]),
    ),
)


class Meaning(Struct, frozen=True):
    """What a few turns have shown of a game.

    Attributes:
        scheme: how moves name cells; None if they do not.
        marks: symbol of a board -> the seat that puts it there.
        hands: the labels of lists that have one list of cards for each seat.
        lists: the labels of lists that are sometimes not a board.
        played: the label of the hands from which a move takes a card; empty: there are none.
    """

    scheme: Scheme | None = None
    marks: Mapping[str, int] = {}
    hands: Sequence[str] = ()
    lists: Sequence[str] = ()
    played: str = ""

    def parts(self, state: Mapping[str, Any], seats: int) -> list[Part]:
        """The parts of a view, with the names of rows and columns."""
        made = parts(state, seats, self.hands, self.lists)
        return made if self.scheme is None else [self._labelled(part) for part in made]

    def _labelled(self, part: Part) -> Part:
        if not isinstance(part, Board) or self.scheme is None:
            return part
        across, down = self.scheme.labels(*part.shape)
        return replace(part, across=[*across], down=[*down])

    def targets(
        self, shown: Sequence[Part], moves: Sequence[Move], seat: int
    ) -> list[Target | None]:
        """For each move the place that it names; None: it does not name one.

        Args:
            shown: the parts of the view of the seat that moves.
        """
        hands = next((p for p in shown if isinstance(p, Hands) and p.label == self.played), None)
        hand = None if hands is None else hands.hands[seat]
        if hands is not None and hand is not None:
            return [
                Target(hands.label, [(seat, hand.index(move))]) if move in hand else None
                for move in moves
            ]
        if self.scheme is None:
            return [None] * len(moves)
        boards = [part for part in shown if isinstance(part, Board)]
        found = [[self.scheme.path(move, board.shape) for move in moves] for board in boards]
        ranks = [
            (*_explains(board, paths), place == seat)
            for place, (board, paths) in enumerate(zip(boards, found, strict=True))
        ]
        if not ranks:
            return [None] * len(moves)
        best = ranks.index(max(ranks))
        return [Target(boards[best].label, path) if path else None for path in found[best]]


class Target(Struct, frozen=True):
    """A place of a view that a move names.

    Attributes:
        part: the label of a board, or of hands, whose rows are the seats.
        path: several cells if the move goes from one to another.
    """

    part: str
    path: Sequence[Cell]


def _explains(board: Board, paths: Sequence[Sequence[Cell] | None]) -> tuple[bool, int, bool]:
    """How well the cells of a board say which moves are legal; the larger, the better.

    Of two seas a person shoots at the one whose cells are hidden where no shot has been.
    """
    first = {path[0] for path in paths if path}
    rows, columns = board.shape
    named, others = set[Any](), set[Any]()
    for row in range(rows):
        for column in range(columns):
            into = named if (row, column) in first else others
            into.add(board.rows[row][column])
    is_hidden = bool(others) and named <= {None, "?"}
    return named.isdisjoint(others) and bool(first), -len(named), is_hidden


def learn(kind: type[Game], options: Struct) -> Meaning:
    """Learn what the moves of a game mean, from one match with these options.

    A mistake of the game is not reported here: in a match it is.
    """
    with suppress(Exception), in_time():
        return _learned([*_turns(kind, options)])
    return Meaning()


class _Turn(NamedTuple):
    """A turn that was played.

    Attributes:
        moves: seat -> move.
        shapes: label of a board -> its shape.
        changed: label of a board -> cell -> what is there now.
        hands: label -> the cards of each seat, before and after.
        lists: the labels of other lists.
    """

    moves: Mapping[int, Move]
    shapes: Mapping[str, tuple[int, int]]
    changed: Mapping[str, Mapping[Cell, str]]
    hands: Mapping[str, tuple[Sequence[Any], Sequence[Any]]]
    lists: Sequence[str]


def _turns(kind: type[Game], options: Struct) -> Iterator[_Turn]:
    least = kind.players if isinstance(kind.players, int) else kind.players[0]
    setup = GameSetup(chance=SeededRandomSource(0), names=("",) * least, options=options)
    game, dice = SmallGame(kind, "", setup), SeededRandomSource(1)

    def seen() -> dict[str, Part]:
        return {part.label: part for part in parts(game.view(ALL).state, least)}

    before = seen()
    for _ in range(MOST_TURNS):
        asked = [request.seat for request in game.requests]
        if not asked:
            return
        legal = game.legal
        moves = {seat: plain(legal[seat][dice.choose("", len(legal[seat]))]) for seat in asked}
        game.advance({seat: MoveReply(move) for seat, move in moves.items()})
        after = seen()
        boards = {label: part for label, part in before.items() if isinstance(part, Board)}
        yield _Turn(
            moves,
            {label: board.shape for label, board in boards.items()},
            {label: _changed(board, after.get(label)) for label, board in boards.items()},
            {
                label: (part.hands, now.hands)
                for label, part in before.items()
                if isinstance(part, Hands) and isinstance(now := after.get(label), Hands)
            },
            [label for label, part in before.items() if isinstance(part, Cards | Text)],
        )
        before = after


def _changed(before: Board, after: Part | None) -> dict[Cell, str]:
    if not isinstance(after, Board) or after.shape != before.shape:
        return {}
    return {
        (row, column): word(after.rows[row][column])
        for row in range(before.shape[0])
        for column in range(before.shape[1])
        if before.rows[row][column] != after.rows[row][column]
    }


def _learned(turns: Sequence[_Turn]) -> Meaning:
    hands = dict.fromkeys(label for turn in turns for label in turn.hands)
    return Meaning(
        next((scheme for scheme in SCHEMES if _fits(scheme, turns)), None),
        _marks(turns),
        [*hands],
        [*dict.fromkeys(label for turn in turns for label in turn.lists)],
        next((label for label in hands if all(_plays_from(label, turn) for turn in turns)), ""),
    )


def _fits(scheme: Scheme, turns: Sequence[_Turn]) -> bool:
    """Whether the cells that moves name have changed, in each turn in which a cell has changed."""
    fits = False
    for turn in turns:
        found = {
            label: [scheme.path(move, shape) for move in turn.moves.values()]
            for label, shape in turn.shapes.items()
        }
        inside = {label: paths for label, paths in found.items() if None not in paths}
        if found and not inside:
            return False
        if any(map(any, inside.values())) and any(turn.changed.values()):
            fits = any(_have_changed(turn.changed[label], inside[label]) for label in inside)
            if not fits:
                return False
    return fits


def _have_changed(changed: Mapping[Cell, str], paths: Sequence[Sequence[Cell] | None]) -> bool:
    """Whether both ends of a path have changed; of several that were named at once, of one."""
    columns = {column for _, column in changed}
    ends = [(path[0], path[-1]) for path in paths if path]
    return any(
        all(cell in changed if cell[0] is not None else cell[1] in columns for cell in both)
        for both in ends
    )


def _marks(turns: Sequence[_Turn]) -> dict[str, int]:
    """The symbols that only one seat puts on boards, if each seat has one."""
    by: dict[str, set[int]] = {}
    for turn in turns:
        for symbol in (symbol for cells in turn.changed.values() for symbol in cells.values()):
            by.setdefault(symbol, set()).update(turn.moves if len(turn.moves) == 1 else (0, 1))
    marks = {symbol: min(seats) for symbol, seats in by.items() if len(seats) == 1}
    return marks if {*marks.values()} >= {seat for turn in turns for seat in turn.moves} else {}


def _plays_from(label: str, turn: _Turn) -> bool:
    """Whether each move of a turn took a card with its value from the own hand."""
    before, after = turn.hands.get(label, ((), ()))
    return bool(before) and all(
        move in before[seat] and after[seat].count(move) < before[seat].count(move)
        for seat, move in turn.moves.items()
    )
