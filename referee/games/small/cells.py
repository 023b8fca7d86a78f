"""Find out which cells of a board a move names, so that people can click on them.

The moves of a small game are just JSON values, and nothing says how they refer to the board. We
therefore play some random turns and try several schemes (schemes.py). A scheme fits if a cell that
the move would name changes in each turn, e.g. a cell of column 3 after the move 3. If no scheme
fits, people can't click on the board, but they can still use the list of moves.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from referee.games.interface.blaming import GameTimeoutError, in_time
from referee.games.interface.game import ALL, PUBLIC, GameSetup
from referee.games.interface.random_source import SeededRandomSource
from referee.games.small.author import Game, Move
from referee.games.small.machine import SmallGame, plain
from referee.games.small.messages import MoveReply
from referee.games.small.parts import Board, Cards, Hands, Part, Text, flat, has_none, parts, word
from referee.games.small.schemes import SCHEMES, Cell, Scheme

MOST_TURNS = 60
"""How many random turns we play to find out the meaning of moves."""


class Meaning(Struct, frozen=True):
    """The meaning of a game's moves and views, as far as some random turns show it.

    Attributes:
        scheme: how moves name cells of a board, or None if they don't.
        marks: symbol on a board -> the seat that puts it there.
        hands: labels of values that are lists of hands, with one hand per seat.
        lists: labels of lists that look like a board or like hands in some states, but aren't.
        nothing: labels of values in which `None` means that there's nothing. In other values it
            means that the viewer can't see a place.
        played: the label of the hands that moves take cards from or change cards in, or "" if moves
            have nothing to do with hands.
        place: if moves name a place in the hand, this is the number of the first place, i.e. 0 or
            1. If moves name the card itself, it's None.
    """

    scheme: Scheme | None = None
    marks: Mapping[str, int] = {}
    hands: Sequence[str] = ()
    lists: Sequence[str] = ()
    nothing: Sequence[str] = ()
    played: str = ""
    place: int | None = None

    def parts(self, state: Mapping[str, Any], seats: int) -> list[Part]:
        """Divide a view into parts, and label the rows and columns of boards as in moves."""
        made = parts(state, seats, self.hands, self.lists, self.nothing)
        return made if self.scheme is None else [self._labelled(part) for part in made]

    def _labelled(self, part: Part) -> Part:
        if not isinstance(part, Board) or self.scheme is None:
            return part
        across, down = self.scheme.labels(*part.shape)
        return replace(part, across=[*across], down=[*down])

    def targets(
        self, shown: Sequence[Part], moves: Sequence[Move], seat: int
    ) -> list[Target | None]:
        """Return where to click for each move, or None if there's no such place.

        Args:
            shown: the parts of the view of the seat that decides.
        """
        hands = next((p for p in shown if isinstance(p, Hands) and p.label == self.played), None)
        hand = None if hands is None else hands.hands[seat]
        if hands is not None and hand is not None:
            places = (
                [*range(self.place, self.place + len(hand))] if self.place is not None else hand
            )
            return [
                Target(hands.label, [(seat, places.index(move))]) if move in places else None
                for move in moves
            ]
        if self.scheme is None:
            return [None] * len(moves)
        boards = [part for part in shown if isinstance(part, Board)]
        # A view may have several boards. We take the one whose cells explain best why these moves
        # are legal.
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
    """A place in a view that people can click on to choose a move.

    Attributes:
        part: the label of a board or of hands. The row of a hand is its seat.
        path: the cells. There are several if the move goes from one cell to another.
    """

    part: str
    path: Sequence[Cell]


def _explains(board: Board, paths: Sequence[Sequence[Cell] | None]) -> tuple[bool, int, bool]:
    """Rate how well the cells of a board explain which moves are legal. Higher is better.

    For example, if a view has two seas, players shoot at the one whose cells are still hidden.
    """
    # If moves go from one cell to another, only their first cells matter here. The others can look
    # like anything.
    first = {path[0] for path in paths if path}
    rows, columns = board.shape
    named, others = set[Any](), set[Any]()
    for row in range(rows):
        for column in range(columns):
            # If the cells that moves can name look different from all other cells (for example
            # because they are empty), moves are probably about this board.
            into = named if (row, column) in first else others
            into.add(board.rows[row][column])
    is_hidden = bool(others) and named <= {None, "?"}
    return named.isdisjoint(others) and bool(first), -len(named), is_hidden


def learn(kind: type[Game], options: Struct) -> Meaning:
    """Play random turns with these options, and find out the meaning of moves.

    If the game's code fails, we learn nothing. The author will notice the mistake in a real match.
    """
    with suppress(Exception, GameTimeoutError), in_time():
        return _learned([*_turns(kind, options)])
    return Meaning()


class _Turn(NamedTuple):
    """The changes in a random turn. Parts of the view are identified by their labels.

    Attributes:
        moves: seat -> move.
        shapes: board -> its number of rows and columns.
        changed: board -> the cells that changed, with their new contents.
        hands: hands -> the cards of all seats, before and after the turn.
        lists: the parts that are neither boards nor hands.
        nothing: the values that contain `None` before the turn although the viewer is `ALL`.
        hidden: the values in which spectators see `None` although there's something.
    """

    moves: Mapping[int, Move]
    shapes: Mapping[str, tuple[int, int]]
    changed: Mapping[str, Mapping[Cell, str]]
    hands: Mapping[str, tuple[Sequence[Any], Sequence[Any]]]
    lists: Sequence[str]
    nothing: Sequence[str]
    hidden: Sequence[str]


def _turns(kind: type[Game], options: Struct) -> Iterator[_Turn]:
    least = kind.players if isinstance(kind.players, int) else kind.players[0]
    setup = GameSetup(chance=SeededRandomSource(0), names=("",) * least, options=options)
    dice = SeededRandomSource(1)
    game = SmallGame(kind, "", setup)

    def seen() -> dict[str, Part]:
        return {part.label: part for part in parts(game.view(ALL).state, least)}

    before = seen()
    for _ in range(MOST_TURNS):
        asked = [request.seat for request in game.requests]
        if not asked:  # The match is over, so begin another one with new random choices.
            game = SmallGame(kind, "", setup)
            before = seen()
            continue
        legal, nones = game.legal, _nones(game)
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
            [label for label, part in before.items() if _is_list(part, after.get(label))],
            *nones,
        )
        before = after


def _nones(game: SmallGame) -> tuple[list[str], list[str]]:
    # The first list has the values in which `None` means that there's nothing. In the second list,
    # it hides something from spectators.
    whole, public = (dict(flat(game.view(viewer).state)) for viewer in (ALL, PUBLIC))
    nothing = [label for label, value in whole.items() if has_none(value)]
    return nothing, [label for label in public if _hides(public[label], whole.get(label))]


def _hides(public: Any, whole: Any) -> bool:
    if isinstance(public, list) and isinstance(whole, list):
        return any(_hides(*both) for both in zip(public, whole, strict=False))
    return public is None and whole is not None


def _is_list(part: Part, after: Part | None) -> bool:
    if isinstance(part, Hands) or isinstance(after, Hands):
        return not all(isinstance(each, Hands | None) or _is_hidden(each) for each in (part, after))
    if not isinstance(part, Board):
        return isinstance(part, Cards | Text)
    is_board = isinstance(after, Board) and len(after.rows) == len(part.rows)
    # A list of words can look like the rows of a board. It isn't one if its length changes.
    return not is_board and isinstance(part.rows[0], str)


def _is_hidden(part: Part) -> bool:
    return isinstance(part, Cards) and not any(item is not None for item in part.cards)


def _changed(before: Board, after: Part | None) -> dict[Cell, str]:
    # If the board is gone or has another size, its cells can't be compared.
    if not isinstance(after, Board) or after.shape != before.shape:
        return {}
    return {
        (row, column): word(after.rows[row][column])
        for row in range(before.shape[0])
        for column in range(before.shape[1])
        if before.rows[row][column] != after.rows[row][column]
    }


def _learned(turns: Sequence[_Turn]) -> Meaning:
    lists = dict.fromkeys(label for turn in turns for label in turn.lists)
    found = dict.fromkeys(label for turn in turns for label in turn.hands)
    hands = [label for label in found if label not in lists]
    # A move may name a card of a hand by the card itself, or by its place, counted from 0 or from
    # 1. Cards are tried first.
    played = (
        (label, place)
        for place in (None, 0, 1)
        for label in hands
        if _plays_from(label, place, turns)
    )
    return Meaning(
        next((scheme for scheme in SCHEMES if _fits(scheme, turns)), None),
        _marks(turns),
        hands,
        [*lists],
        [*_together(turn.nothing for turn in turns) - _together(turn.hidden for turn in turns)],
        *next(played, ("", None)),
    )


def _together(labels: Iterable[Sequence[str]]) -> set[str]:
    return {label for each in labels for label in each}


def _fits(scheme: Scheme, turns: Sequence[_Turn]) -> bool:
    """Return True if moves always name a cell that changed, except in turns without any changes."""
    fits = False
    for turn in turns:
        found = {
            label: [scheme.path(move, shape) for move in turn.moves.values()]
            for label, shape in turn.shapes.items()
        }
        inside = {label: paths for label, paths in found.items() if None not in paths}
        # With this scheme, the move names a cell outside of all boards, so moves must mean
        # something else.
        if found and not inside:
            return False
        if any(map(any, inside.values())) and any(turn.changed.values()):
            # We ignore turns in which nothing changed, because the player may have passed.
            fits = any(_path_changed(turn.changed[label], inside[label]) for label in inside)
            if not fits:
                return False
    return fits


def _path_changed(changed: Mapping[Cell, str], paths: Sequence[Sequence[Cell] | None]) -> bool:
    # If a move goes from one cell to another, both of them have to change, but not the cells in
    # between. If it names a whole column, one of its cells has to change. If several players move,
    # it's enough if this is true for one of their moves.
    columns = {column for _, column in changed}
    ends = [(path[0], path[-1]) for path in paths if path]
    return any(
        all(cell in changed if cell[0] is not None else cell[1] in columns for cell in both)
        for both in ends
    )


def _marks(turns: Sequence[_Turn]) -> dict[str, int]:
    # Find symbols such as X and O. They only help if each seat has its own symbol.
    by: dict[str, set[int]] = {}
    for turn in turns:
        for symbol in (symbol for cells in turn.changed.values() for symbol in cells.values()):
            # If several seats moved in this turn, we don't know who placed the symbol. We add it to
            # two seats, so that it's left out below.
            by.setdefault(symbol, set()).update(turn.moves if len(turn.moves) == 1 else (0, 1))
    marks = {symbol: min(seats) for symbol, seats in by.items() if len(seats) == 1}
    return marks if {*marks.values()} >= {seat for turn in turns for seat in turn.moves} else {}


def _plays_from(label: str, place: int | None, turns: Sequence[_Turn]) -> bool:
    plays = [
        _has_played(hand or [], after[seat] or [], turn.moves[seat], place)
        for turn in turns
        for before, after in [turn.hands.get(label, ((), ()))]
        for seat, hand in enumerate(before)
        if seat in turn.moves
    ]
    return True in plays and False not in plays


def _has_played(
    before: Sequence[Any], after: Sequence[Any], move: Any, place: int | None
) -> bool | None:
    # Returns None if the move doesn't name a card or a place at all.
    if place is None:
        return after.count(move) < before.count(move) if move in before else None
    if type(move) is not int:
        return None
    at = move - place
    return len(before) == len(after) and 0 <= at < len(before) and before[at] != after[at]
