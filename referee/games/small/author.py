"""The base class of small games, and its source of chance."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, MutableMapping, MutableSequence, Sequence
from typing import Any, ClassVar, Literal, TypeAlias, get_args

import msgspec

from referee.errors import GameError, game_of_file
from referee.games.interface.game import ALL, Viewer
from referee.games.interface.random_source import RandomSource, SeededRandomSource

Move: TypeAlias = Any
"""A JSON value: a number, a text, a list or an object. Bots receive a tuple as a list."""

WrongMove: TypeAlias = Literal["loses", "first", "random"]
WRONG_MOVES: tuple[WrongMove, ...] = get_args(WrongMove)


class Chance:
    """The only source of random choices of a game, available as `self.chance`."""

    def __init__(self, source: RandomSource) -> None:
        self._source = source

    @classmethod
    def of_seed(cls, seed: int) -> Chance:
        """Create the source of random choices of a match with this seed, for tests of a game."""
        return cls(SeededRandomSource(seed))

    def choose(self, count: int) -> int:
        """Return a random number: 0 <= result < count."""
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
        players: the number of players, or the minimum and the maximum.
        moves: all possible moves, for programs that learn: a sequence of moves, or, if moves are
            objects, field -> sequence of values. None: the game has no environment.
        symbols: all texts that may be in a view, for the observations of such programs. Other texts
            are read letter by letter.
        together: True if all players always decide at the same time.
        wrong_move: the result of an illegal move, or of a line that is not a move: the player
            "loses", or the "first" legal move or one at "random" is played.
        secrets: what spectators do not see, as text, such as "hands".
        Options: a class with the options of a match: `rows: int = 6`.
        options: the options of this match.
        seats: the number of players in this match.
        chance: see `Chance`.
        left: the seats that no longer decide.
        to_move: the seat that decides next; a tuple of seats that decide at the same time; None:
            the game is over. `start`, `apply` and `leave` set it.
    """

    players: ClassVar[int | tuple[int, int]] = 2
    moves: ClassVar[Sequence[Move] | Mapping[str, Sequence[Any]] | None] = None
    symbols: ClassVar[Sequence[str]] = ()
    together: ClassVar[bool] = False
    wrong_move: ClassVar[WrongMove] = "loses"
    secrets: ClassVar[str] = ""

    class Options:
        """Without options."""

    options: Any
    seats: int
    chance: Chance
    left: frozenset[int] = frozenset()
    to_move: int | tuple[int, ...] | None = 0

    def start(self) -> None:
        """Set up the game."""
        raise NotImplementedError

    def legal(self, seat: int) -> Sequence[Move]:
        """Return the legal moves of a deciding seat: at least one, always in the same order."""
        raise NotImplementedError

    def apply(self, move: Any) -> None:
        """Apply a move; if `to_move` is a tuple, a dict of moves: seat -> move."""
        raise NotImplementedError

    def view(self, viewer: Viewer) -> Mapping[str, Any]:
        """Return the state visible to a seat, `PUBLIC` (spectators) or `ALL`, as JSON data.

        A bot receives its own view when it decides, and otherwise the view of spectators. The page
        for people also shows the hidden places of their last request.
        """
        raise NotImplementedError

    def scores(self) -> Sequence[float]:
        """Return a number for each seat, in seat order. At the end the highest one wins.

        Scores are always public.
        """
        raise NotImplementedError

    # --- Optional methods -------------------------------------------------------------------------

    def leave(self, seat: int) -> None:
        """Called when a seat has left the match, or has lost by a wrong move.

        If `to_move` names this seat later, its first legal move is played. To skip the seat
        instead, change `to_move` here and in `apply`.
        """

    def shown(self, seat: int, move: Move) -> Move:
        """Return the public part of a move; None hides it."""
        return move

    def secret(self, seat: int) -> Sequence[MutableSequence[Any] | MutableMapping[Any, Any]]:
        """Return the lists and dicts of this game whose items a seat cannot distinguish.

        The seat must not notice if these items are exchanged. A game with hidden information needs
        this method for programs that simulate, because they redeal the items.
        """
        return ()

    @classmethod
    def words(cls, move: Move) -> str:
        """Describe a move in a word or two, for people and as the name of an action."""
        return move if isinstance(move, str) else msgspec.json.encode(move).decode()

    @classmethod
    def observe(cls, view: Mapping[str, Any]) -> Sequence[int] | None:
        """Return the observation for programs that learn, of fixed length; None: the whole view."""
        return None


def seats_of(kind: type[Game]) -> tuple[int, int]:
    """Return the minimum and the maximum number of players."""
    return (kind.players, kind.players) if isinstance(kind.players, int) else kind.players


def sees(viewer: Viewer, seat: int) -> bool:
    """True if the viewer sees the private information of a seat."""
    return viewer is ALL or viewer == seat


class MistakeError(GameError):
    """A class violates the interface `Game`.

    Args:
        kind: the class.
        problem: a description of the mistake.
        method: the method with a wrong result; empty: the class itself is wrong.

    Attributes:
        where: "FILE:LINE" of the method or of the class; empty if its source isn't there.
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
