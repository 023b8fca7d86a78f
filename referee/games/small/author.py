"""Defines `Game`, the base class of small games, and `Chance`, which makes random choices."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, MutableMapping, MutableSequence, Sequence
from typing import Any, ClassVar, Literal, TypeAlias, get_args

import msgspec

from referee.errors import GameError, game_of_file
from referee.games.interface.blaming import as_game_errors
from referee.games.interface.game import ALL, Viewer
from referee.games.interface.random_source import RandomSource, SeededRandomSource

Move: TypeAlias = Any
"""Any JSON value. You can use a tuple, too, but bots receive it as a list."""

WrongMove: TypeAlias = Literal["loses", "first", "random"]
WRONG_MOVES: tuple[WrongMove, ...] = get_args(WrongMove)


class Chance:
    """Makes the random choices of a game, as `self.chance`.

    Don't use the module `random`. A match could then not be replayed.
    """

    def __init__(self, source: RandomSource) -> None:
        self._source = source

    @classmethod
    def of_seed(cls, seed: int) -> Chance:
        """Create the `Chance` of a match with this seed. You can use it to test a game."""
        return cls(SeededRandomSource(seed))

    def choose(self, count: int) -> int:
        """Return a random integer from 0 to `count - 1`."""
        if count < 1:
            raise ValueError(f"choose({count}) has nothing to choose from")
        return self._source.choose("game", count)

    def pick(self, items: Sequence[Any]) -> Any:
        """Return a random item, without removing it."""
        return items[self.choose(len(items))]

    def shuffle(self, items: list[Any]) -> None:
        """Shuffle the items in place."""
        self._source.shuffle("game", items)


class Game:
    """The rules of a small game. Each match has its own object, whose attributes are the state.

    Attributes:
        players: the number of players, or a tuple with the minimum and the maximum.
        moves: all moves that can occur, for reinforcement learning. If a move is an object, this is
            a dict that has all possible values for each field. Without `moves`, there's no
            environment.
        symbols: the texts that can occur in a view. In an observation, each of them becomes a
            number. Other texts are read letter by letter.
        marks: the meaning of each mark on a board: the seat that it belongs to, a word, or a pair
            of a word and a CSS colour. People see it beside the board. The field of a board
            can have a seat, too: the player who owns it.
        edges: the names of the columns and of the rows of a board, such as ("abc", "321"). A
            smaller board has the first ones, and a larger one has no names.
        together: True if all players always decide at the same time.
        wrong_move: what happens after an illegal move, or a line that isn't a move. Either the
            player "loses", or we play the "first" legal move or a "random" one.
        reasons: why the game may end: a code -> a clause, e.g. "{winner} has five in a row".
        secrets: the things that spectators don't see, in words, e.g. "hands".
        Options: a class with the options of a match, such as `rows: int = 6`.
        options: the options of this match.
        seats: the number of players in this match.
        chance: makes random choices, see `Chance`.
        left: the seats that have left the match, or lost because of a wrong move.
        to_move: the seat that decides next, or a tuple of seats that decide at the same time. None
            if the game is over. Set it in `start`, `apply` and `leave`.
        reason: why the game is over, a code of `reasons`. You don't have to set it.
    """

    players: ClassVar[int | tuple[int, int]] = 2
    moves: ClassVar[Sequence[Move] | Mapping[str, Sequence[Any]] | None] = None
    symbols: ClassVar[Sequence[str]] = ()
    marks: ClassVar[Mapping[str, int | str | tuple[str, str]]] = {}
    edges: ClassVar[tuple[Sequence[str], Sequence[str]]] = ((), ())
    together: ClassVar[bool] = False
    wrong_move: ClassVar[WrongMove] = "loses"
    reasons: ClassVar[Mapping[str, str]] = {}
    secrets: ClassVar[str] = ""

    class Options:
        """The options."""

    options: Any
    seats: int
    chance: Chance
    left: frozenset[int] = frozenset()
    to_move: int | tuple[int, ...] | None = 0
    reason: str = "finished"

    def start(self) -> None:
        """Set up the board, deal the cards, and so on."""
        raise NotImplementedError

    def legal(self, seat: int) -> Sequence[Move]:
        """Return the legal moves of a seat that has to decide.

        There must be at least one, and each only once. The order must always be the same, so don't
        return a set. If there are too many to list, list some of them, and define `accepts`.
        """
        raise NotImplementedError

    def apply(self, move: Any) -> None:
        """Play a move. If `to_move` is a tuple, you get a dict with a move for each seat in it."""
        raise NotImplementedError

    def view(self, viewer: Viewer) -> Mapping[str, Any]:
        """Return the state as JSON data, without anything that the viewer may not see.

        Use None for a hidden value, or "?" for a hidden place in a text.

        The viewer is a seat, `PUBLIC` (spectators) or `ALL`. A bot receives the view of its seat
        when it has to decide. People see the view of their seat at any time.
        """
        raise NotImplementedError

    def scores(self) -> Sequence[float]:
        """Return the score of each seat, in seat order. At the end of the game, the highest wins.

        Everybody can see the scores at any time.
        """
        raise NotImplementedError

    # --- Optional methods -------------------------------------------------------------------------

    def leave(self, seat: int) -> None:
        """Called when a seat has left the match, or has lost because of a wrong move.

        If `to_move` names this seat later, its first legal move is played. To skip the seat
        instead, change `to_move` here and in `apply`.
        """

    def accepts(self, seat: int, move: Move) -> bool:
        """Return True if a move is legal that `legal` doesn't list.

        Define it if a game has too many moves to list. Bots then see that the list isn't complete.
        If we need a move for somebody, we take one of the list. The move can be any JSON value, so
        check its type first. Whole numbers are always integers.
        """
        return False

    def shown(self, seat: int, move: Move) -> Move:
        """Return the part of a move that everybody may see, or None to hide the whole move."""
        return move

    def secret(self, seat: int) -> Sequence[MutableSequence[Any] | MutableMapping[Any, Any]]:
        """Return the lists and dicts with the items that a seat doesn't know, e.g. deck and hands.

        The seat mustn't notice if we exchange any of these items. If a game hides information, it
        needs this method for bots that simulate the match, because they deal these items again.
        """
        return ()

    @classmethod
    def words(cls, move: Move) -> str:
        """Describe a move in a word or two, for people and as the name of an action."""
        return move if isinstance(move, str) else msgspec.json.encode(move).decode()

    @classmethod
    def cells(cls, move: Move) -> Sequence[Sequence[Any]]:
        """Return where a person clicks for a move, or nothing to show a button.

        There are these places, whose rows and columns count from 0. A move that goes from one cell
        to another has two of them.

            (row, column)         a cell of a board; the row None is the whole column
            (name, row, column)   the same, on the board with this name in the view
            (name, card)          a card of the own hand, or of other cards
            (name, None, place)   a place in the own hand
        """
        return ()

    @classmethod
    def observe(cls, view: Mapping[str, Any]) -> Sequence[float] | None:
        """Return an observation for reinforcement learning, which must always have the same length.

        If you return None, we use the scores and all values of the view.
        """
        return None


def seats_of(kind: type[Game]) -> tuple[int, int]:
    """Return the minimum and the maximum number of players."""
    return (kind.players, kind.players) if isinstance(kind.players, int) else kind.players


def lists_all(kind: type[Game]) -> bool:
    """Return True if `Game.legal` lists all legal moves."""
    return kind.accepts is Game.accepts


def words_of(kind: type[Game], move: Move) -> str:
    """Return the words of a move.

    Raises:
        MistakeError: they aren't a text.
    """
    with as_game_errors():
        words: Any = kind.words(move)
    if not isinstance(words, str):
        raise MistakeError(kind, f"it returned {words!r:.60}: give a text", "words")
    return words


def sees(viewer: Viewer, seat: int) -> bool:
    """Return True if the viewer may see the private information of a seat, e.g. its hand."""
    return viewer is ALL or viewer == seat


class MistakeError(GameError):
    """The author of a small game made a mistake in the class.

    Args:
        kind: the class.
        problem: a description of the mistake.
        method: the method that returned something wrong. By default the class itself is wrong.

    Attributes:
        where: "FILE:LINE" of the method or of the class, or "" if we don't have the source.
    """

    def __init__(self, kind: type[Game], problem: str, method: str = "") -> None:
        file, line = _place_of(getattr(kind, method, kind))
        where = f"{file}, line {line}, in {method or kind.__name__}: " if file else ""
        name = game_of_file(file) or kind.__name__
        super().__init__(f"the game {name} has a mistake: {where}{problem}")
        self.problem = f"{method}: {problem}" if method else problem
        self.where = f"{file}:{line}" if file else ""


def _place_of(code: Any) -> tuple[str, int]:
    try:
        return inspect.getsourcefile(code) or "", inspect.getsourcelines(code)[1]
    except (OSError, TypeError):
        return "", 0
