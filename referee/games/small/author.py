"""The class that the author of a small game writes a subclass of, and its chance."""

from __future__ import annotations

from collections.abc import Mapping, MutableMapping, MutableSequence, Sequence
from typing import Any, ClassVar, Literal, TypeAlias, get_args

import msgspec

from referee.errors import GameError
from referee.games.interface.game import ALL, Viewer
from referee.games.interface.random_source import RandomSource

Move: TypeAlias = Any
"""A value as in JSON: a number, a text, a list or an object. A tuple is a list for bots."""

WrongMove: TypeAlias = Literal["loses", "first", "random"]
WRONG_MOVES: tuple[WrongMove, ...] = get_args(WrongMove)


class Chance:
    """All that is random in a game: `self.chance`. A game must not draw from anything else."""

    def __init__(self, source: RandomSource) -> None:
        self._source = source

    def choose(self, count: int) -> int:
        """Choose one of `count` things: 0 <= result < count."""
        return self._source.choose("game", count)

    def pick(self, items: Sequence[Any]) -> Any:
        """Choose one of the items, which stays there."""
        return items[self.choose(len(items))]

    def shuffle(self, items: list[Any]) -> None:
        """Put the items in a random order, in place."""
        self._source.shuffle("game", items)


class Game:
    """The rules of a small game. Each match has an object of its own; its attributes are the state.

    Attributes:
        players: the number of players, or the smallest and the largest number.
        moves: every move that there can be, for programs that learn: a sequence of moves; or, if a
            move is an object, each of its fields with a sequence of values. None: the game has no
            environment.
        symbols: every text that can be in a view, for the numbers of such programs. A text that is
            not listed is read letter by letter.
        together: whether all players always decide at once.
        wrong_move: what an illegal move, or a line that is not a move, costs: "loses" the game, or
            the "first" legal move is played in its place, or one at "random".
        secrets: what a spectator does not see, in words, such as "hands".
        Options: a class with the options of a match: `rows: int = 6`.
        options: of this match.
        seats: the number of players in this match.
        chance: see `Chance`.
        left: the seats that do not decide any more.
        to_move: the seat that decides now; a tuple of seats that decide at once; None: the game is
            over. `start`, `apply` and `leave` set it.
    """

    players: ClassVar[int | tuple[int, int]] = 2
    moves: ClassVar[Sequence[Move] | Mapping[str, Sequence[Any]] | None] = None
    symbols: ClassVar[Sequence[str]] = ()
    together: ClassVar[bool] = False
    wrong_move: ClassVar[WrongMove] = "loses"
    secrets: ClassVar[str] = ""

    class Options:
        """The game has no options of its own."""

    options: Any
    seats: int
    chance: Chance
    left: frozenset[int] = frozenset()
    to_move: int | tuple[int, ...] | None = 0

    def start(self) -> None:
        """Set up the game."""
        raise NotImplementedError

    def legal(self, seat: int) -> Sequence[Move]:
        """List all moves of a seat that decides now: at least one, always in the same order."""
        raise NotImplementedError

    def apply(self, move: Any) -> None:
        """Carry out a move; if `to_move` is a tuple, a dict of moves: seat -> move."""
        raise NotImplementedError

    def view(self, viewer: Viewer) -> Mapping[str, Any]:
        """Return what a seat, `PUBLIC` (spectators) or `ALL` may see, as in JSON.

        A bot gets this when it decides, and what spectators see in between. A person at a page sees
        the hidden places of the last request in between too.
        """
        raise NotImplementedError

    def scores(self) -> Sequence[float]:
        """Return a number for each seat, in seat order. At the end the highest one wins.

        Scores are public at any time.
        """
        raise NotImplementedError

    # --- what a game may change -------------------------------------------------------------------

    def leave(self, seat: int) -> None:
        """Take the news that a seat has left the match, or has lost by a wrong move.

        If `to_move` names this seat later, the first of its legal moves is played for it. A game
        that skips it changes `to_move` here and in `apply`.
        """

    def shown(self, seat: int, move: Move) -> Move:
        """Return what all may see of a move; None hides it."""
        return move

    def secret(self, seat: int) -> Sequence[MutableSequence[Any] | MutableMapping[Any, Any]]:
        """Return the lists and dicts of this game whose items a seat cannot tell apart.

        These items can be exchanged among all these places, and the seat does not notice. A game
        that hides something needs this method for programs that simulate: they deal it again.
        """
        return ()

    @classmethod
    def words(cls, move: Move) -> str:
        """Say a move in a word or two, for people and as the name of an action."""
        return move if isinstance(move, str) else msgspec.json.encode(move).decode()

    @classmethod
    def observe(cls, view: Mapping[str, Any]) -> Sequence[int] | None:
        """Return numbers for programs that learn, always as many; None: all that a view has."""
        return None


def sees(viewer: Viewer, seat: int) -> bool:
    """Whether a viewer sees what only that seat may see."""
    return viewer is ALL or viewer == seat


class MistakeError(GameError):
    """A class is not as `Game` says.

    Args:
        kind: the class.
        problem: the problem, in words.
        method: the method that returned something wrong; empty: an attribute is wrong.

    Attributes:
        where: "FILE:LINE" of the method; empty without one.
    """

    def __init__(self, kind: type[Game], problem: str, method: str = "") -> None:
        code = getattr(getattr(kind, method, None), "__code__", None)
        where = f"{code.co_filename}, line {code.co_firstlineno}, in {method}: " if code else ""
        super().__init__(f"the game {kind.__name__} has a mistake: {where}{problem}")
        self.problem = f"{method}: {problem}" if method else problem
        self.where = f"{code.co_filename}:{code.co_firstlineno}" if code else ""
