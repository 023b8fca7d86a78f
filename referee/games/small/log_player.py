"""The rules of a small game, run behind a spectator log.

A log has no hidden draws and no secret moves. They are guessed: a match behind a log keeps its
draws in a list, and a secret move is one more draw. Where the rules publish something else than the
log, single draws are changed and the match is played again, until its messages are those of the
log. A change that brings the first wrong message nearer to the log is kept, and the search goes on
from there: a message that shows five hidden cards is reached card by card.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, permutations
from typing import Any, NamedTuple, TypeAlias

import msgspec
from msgspec import UNSET, Struct

from referee.games.interface.faults import WRONG_TYPE, Fault, InvalidReply, describe
from referee.games.interface.game import GameSetup, Request
from referee.games.interface.log_player import DifferenceError, End, Gone
from referee.games.interface.seats import seat_id
from referee.games.small.author import Game, Move
from referee.games.small.machine import SmallGame, find, plain
from referee.games.small.messages import GameInfo, MoveReply, MovesPlayed, PlayerLost

MOST_TURNS = 40_000
"""Turns that the searches in one log play at most. They take a few seconds."""
MOST_PAIRS = 1_000
"""Pairs of changes that are tried at most, where no single one helps."""
SMALL_SHUFFLE = 4
"""Of so many items every order is tried; of more, every exchange of two."""
_LOST = InvalidReply(WRONG_TYPE, "")
_key = msgspec.json.Encoder(order="sorted").encode
Value: TypeAlias = int | tuple[int, ...] | bytes
"""A result: the number of a choice, the order of a shuffle as places, a secret move as JSON."""


class Draw(NamedTuple):
    """A result of chance, or a secret move, which is kept as a draw."""

    value: Value
    size: int
    items: Sequence[Any] = ()  # of a shuffle, before it; or all secret moves that are possible


class GuessedDraws:
    """A random source whose first draws are given; the others are the first of all results."""

    def __init__(self, given: Sequence[Value] = ()) -> None:
        self._given = given
        self.draws: list[Draw] = []

    def choose(self, stream: str, count: int) -> int:
        """Choose as it is given."""
        value = self._next()
        number = value if isinstance(value, int) and value < count else 0
        self.draws.append(Draw(number, count))
        return number

    def shuffle(self, stream: str, items: list[Any]) -> None:
        """Shuffle as it is given."""
        before, value = [*items], self._next()
        fits = isinstance(value, tuple) and len(value) == len(items)
        order = value if fits and isinstance(value, tuple) else tuple(range(len(items)))
        items[:] = [before[place] for place in order]
        self.draws.append(Draw(order, len(items), before))

    def secret_move(self, moves: Sequence[Move]) -> Move:
        """Choose one of the moves as it is given."""
        keys, value = [_key(move) for move in moves], self._next()
        place = keys.index(value) if isinstance(value, bytes) and value in keys else 0
        self.draws.append(Draw(keys[place], len(keys), keys))
        return moves[place]

    def _next(self) -> Value | None:
        place = len(self.draws)
        return self._given[place] if place < len(self._given) else None


class LoggedGame(SmallGame):
    """A match behind a log: it keeps what it has said, and the shown moves that it was given.

    Attributes:
        draws: its chance, a `GuessedDraws`.
        said: its public messages so far, oldest first.
        given: for each turn seat -> what the log shows of its move; `LEFT`, or `_LOST`.
    """

    def __init__(self, kind: type[Game], name: str, setup: GameSetup) -> None:
        self.said: list[Struct] = []
        self.given: list[Mapping[int, Any]] = []
        self.draws: Any = setup.chance
        super().__init__(kind, name, setup)
        self._keep()

    def advance(self, replies: Mapping[int, object]) -> None:
        """Carry out the moves; a `Shown` reply is a move as the log shows it."""
        now: dict[int, Any] = {}
        moves: dict[int, object] = {}
        for seat, reply in replies.items():
            now[seat] = reply
            moves[seat] = reply if not isinstance(reply, Shown) else self._meant(seat, reply)
        self.given.append(now)
        super().advance(moves)
        self._keep()

    def candidates(self, seat: int, shown: Any) -> list[Move]:
        """The legal moves of a seat that a log shows in this way."""
        legal = self.legal[seat]
        if type(self.game).shown is Game.shown:
            place = find(legal, shown)
            return [] if place < 0 else [legal[place]]
        return [move for move in legal if find([self.shown(seat, move)], shown) == 0]

    def _meant(self, seat: int, reply: Shown) -> MoveReply:
        among = self.candidates(seat, reply.move)
        move = self.draws.secret_move(among) if len(among) > 1 else among[0]
        return MoveReply(plain(move))

    def _keep(self) -> None:
        """Keep the messages. A log has no faults, so this match does not publish any."""
        self._events = [event for event in self._events if not isinstance(event, Fault)]
        self.said += self._events


class Shown(Struct, frozen=True):
    """Stands for a reply: what a log shows of the move."""

    move: Any


class SmallLog:
    """Implements `referee.games.interface.log_player.LogPlayer` for a game of this class."""

    sections: Mapping[type[Struct], str] = {
        GameInfo: "2.3",
        MovesPlayed: "2.4",
        PlayerLost: "2.5",
        Gone: "8.3",
        End: "4.1",
    }

    def __init__(self, kind: type[Game], name: str, options: type[Struct]) -> None:
        self._kind, self._name, self._options = kind, name, options
        self._turns = 0

    def begin(self, info: Any, names: Sequence[str]) -> GameSetup:
        """Set up the game with the options of the log, and with guessed draws."""
        try:
            options = msgspec.convert(info.options, self._options)
        except msgspec.ValidationError as error:
            raise DifferenceError(f"options of the game: {error}") from None
        chance: Any = GuessedDraws()
        return GameSetup(chance=chance, names=tuple(names), options=options)

    def reply(self, game: LoggedGame, asked: Request, ahead: Sequence[Struct]) -> object | None:
        """Find what the log shows of the move."""
        seat, player = asked.seat, seat_id(asked.seat)
        for found in ahead:
            if isinstance(found, PlayerLost) and found.player_number == player:
                if game.game.wrong_move != "loses":
                    raise DifferenceError("no player who lost by a wrong move")
                return _LOST
            if isinstance(found, MovesPlayed):
                shown = found.moves.get(player, UNSET)
                if shown is UNSET:
                    raise DifferenceError(f"a move of {player}")
                if not game.candidates(seat, shown) and not self._search(game, None, seat, shown):
                    raise DifferenceError("a legal move", found=describe(shown))
                return Shown(shown)
            if isinstance(found, End):  # the others have left: no move was played
                return MoveReply(plain(game.legal[seat][0]))
            if not isinstance(found, PlayerLost | Gone):
                raise DifferenceError("the next moves")
        return None

    def settle(self, game: LoggedGame, expected: Struct, found: Struct) -> bool:
        """Change draws so that the rules publish what the log has."""
        if type(expected) is not type(found) or isinstance(found, PlayerLost):
            return False
        if isinstance(found, MovesPlayed) and isinstance(expected, MovesPlayed):
            if found.turn != expected.turn or found.moves != expected.moves:
                return False
        elif not isinstance(found, End | GameInfo):
            return False
        return self._search(game, found)

    # --- the search -------------------------------------------------------------------------------

    def _search(
        self, game: LoggedGame, found: Struct | None, seat: int = 0, shown: Any = UNSET
    ) -> bool:
        """Look for draws that lead to all messages so far, and to another one.

        Args:
            found: the message that the log has in the place of the last one; None: none.
            seat, shown: a move that must be legal then; UNSET: none.
        """
        said = [*game.said]
        if found is not None and not isinstance(found, End):
            place = max(at for at, one in enumerate(said) if type(one) is type(found))
            said[place] = found
        end = found if isinstance(found, End) else None
        best, best_fit = game, self._fit(game, said, seat, shown, end)
        goal = len(said) + 1.0
        while best_fit < goal:
            better = self._better(best, best_fit, said, seat, shown, end)
            if better is None:
                return False
            best, best_fit = better
        if best is not game:
            vars(game).update(vars(best))
        return True

    def _better(
        self,
        game: LoggedGame,
        fit: float,
        said: Sequence[Struct],
        seat: int,
        shown: Any,
        end: End | None,
    ) -> tuple[LoggedGame, float] | None:
        """The first change of the draws that fits better; None if there is none.

        Raises:
            DifferenceError: too much was tried.
        """
        for given in _changes(game.draws.draws, _named(said, game.said, shown)):
            new = self._again(game, given, said)
            new_fit = self._fit(new, said, seat, shown, end)
            if new_fit > fit:
                return new, new_fit
        return None

    def _again(self, game: LoggedGame, given: Sequence[Any], said: Sequence[Struct]) -> LoggedGame:
        """Play the moves of the log again with other draws, as far as its messages are the same."""
        chance: Any = GuessedDraws(given)
        setup = msgspec.structs.replace(game.setup, chance=chance)
        new = LoggedGame(self._kind, self._name, setup)
        new.take_events()
        for replies in game.given:
            self._turns += 1
            if self._turns > MOST_TURNS:
                expected = f"hidden draws that lead there: none found within {MOST_TURNS:,} turns"
                raise DifferenceError(expected)
            if [*said[: len(new.said)]] != new.said or new.outcome is not None:
                break
            asked = {request.seat for request in new.requests}
            if asked != replies.keys() or not all(
                new.candidates(who, reply.move)
                for who, reply in replies.items()
                if isinstance(reply, Shown)
            ):
                break
            new.advance(replies)
            new.take_events()
        return new

    def _fit(
        self, game: LoggedGame, said: Sequence[Struct], seat: int, shown: Any, end: End | None
    ) -> float:
        """The number of messages that are as in the log, and the share of the first other one."""
        for place, message in enumerate(said):
            if place >= len(game.said):
                return float(place)
            if game.said[place] != message:
                return place + 0.9 * _likeness(message, game.said[place])
        if shown is not UNSET:
            legal = seat in game.legal and game.requests and game.candidates(seat, shown)
            return len(said) + (1.0 if legal else 0.0)
        if end is not None:
            return len(said) + (1.0 if _end_of(game) == end else 0.0)
        return len(said) + 1.0


def _changes(draws: Sequence[Draw], named: Sequence[Any]) -> Iterator[list[Any]]:
    """Other draws: one is changed, likely changes first; then two, if there are not too many.

    Args:
        named: values in the message that is not as in the log.
    """
    values = [draw.value for draw in draws]
    singles = [(place, v) for place in range(len(draws) - 1, -1, -1) for v in _others(draws[place])]
    likely = [(place, v) for place, v in singles if _moves_named(draws[place], v, named)]
    for place, value in (*likely, *singles):
        yield [*values[:place], value, *values[place + 1 :]]
    if len(singles) ** 2 > 2 * MOST_PAIRS:
        return
    for (one, value), (two, other) in combinations(singles, 2):
        if one != two:
            both: list[Any] = [*values]
            both[one], both[two] = value, other
            yield both


def _others(draw: Draw) -> Iterator[Value]:
    """Other results: every choice, every order of few items, every exchange of two of many."""
    if isinstance(draw.value, bytes):
        yield from (key for key in draw.items if key != draw.value)
    elif isinstance(draw.value, int):
        yield from (value for value in range(draw.size) if value != draw.value)
    elif draw.size <= SMALL_SHUFFLE:
        yield from (order for order in permutations(range(draw.size)) if order != draw.value)
    else:
        for one, two in combinations(range(draw.size), 2):
            order = [*draw.value]
            order[one], order[two] = order[two], order[one]
            yield tuple(order)


def _moves_named(draw: Draw, value: Value, named: Sequence[Any]) -> bool:
    """Whether a change moves an item that is named."""
    if not isinstance(value, tuple) or not isinstance(draw.value, tuple):
        return False
    return any(
        old != new and (draw.items[old] in named or draw.items[new] in named)
        for old, new in zip(draw.value, value, strict=True)
    )


def _named(said: Sequence[Struct], wrong: Sequence[Struct], shown: Any) -> list[Any]:
    """The values of the log that the rules do not have in the first message that differs."""
    if shown is not UNSET:
        return [*_leaves(shown), shown]
    for ours, theirs in zip(wrong, said, strict=False):
        if ours != theirs:
            there = [*_leaves(msgspec.to_builtins(ours))]
            return [leaf for leaf in _leaves(msgspec.to_builtins(theirs)) if leaf not in there]
    return []


def _leaves(value: Any) -> Iterator[Any]:
    if isinstance(value, dict | list):
        for part in value.values() if isinstance(value, dict) else value:
            yield from _leaves(part)
    else:
        yield value


def _likeness(one: Any, other: Any) -> float:
    """The share of two messages that is equal, from 0 to 1."""
    if isinstance(one, Struct):
        return _likeness(msgspec.to_builtins(one), msgspec.to_builtins(other))
    if one == other and type(one) is type(other):
        return 1.0
    if isinstance(one, dict) and isinstance(other, dict):
        keys = one.keys() | other.keys()
        return sum(_likeness(one.get(key), other.get(key)) for key in keys) / len(keys)
    if isinstance(one, list | str) and type(one) is type(other) and len(one) == len(other) > 1:
        return sum(map(_likeness, one, other)) / len(one)
    return 0.0


def _end_of(game: LoggedGame) -> End | None:
    if game.outcome is None:
        return None
    scores = [state.score for state in game.standings()]
    winners = [seat_id(seat) for seat in game.outcome.winners]
    return End(scores, winners, game.outcome.reason)
