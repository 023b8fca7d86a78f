"""Implements the interface of games by calling the author's class.

The author's code may have mistakes of any kind. We therefore check each value that it returns, and
name the method in the error.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Iterable, Mapping, MutableMapping, MutableSequence, Sequence
from functools import partial
from typing import Any, Literal

import msgspec
from msgspec import UNSET, Raw, Struct, UnsetType

from referee.errors import UsageError
from referee.games.interface.data import data_problem
from referee.games.interface.faults import (
    INVALID_JSON,
    WRONG_TYPE,
    EndReason,
    Fault,
    InvalidReply,
    describe,
    quote,
)
from referee.games.interface.game import (
    ALL,
    LEFT,
    PUBLIC,
    GameSetup,
    Outcome,
    Request,
    Score,
    SeatState,
    Viewer,
    ranks,
)
from referee.games.interface.random_source import RandomSource
from referee.games.interface.seats import seat_id
from referee.games.small.author import Chance, Game, MistakeError, Move, lists_all
from referee.games.small.messages import (
    Facts,
    GameInfo,
    MoveReply,
    MoveRequest,
    MovesPlayed,
    PlayerLost,
    View,
)

FINISHED, WRONG_MOVE, ILLEGAL_MOVE = "finished", "wrong-move", "illegal-move"
REASONS = {
    FINISHED: "the game was over by its rules",
    WRONG_MOVE: "only {winner} made no wrong move",
}
SECTIONS = {ILLEGAL_MOVE: "5.1", INVALID_JSON: "5.1", WRONG_TYPE: "5.1"}
"""The sections of spec/small-games/protocol.md that define the fault codes."""
# Two objects are the same move even if their keys are in a different order.
_sorted = msgspec.json.Encoder(order="sorted").encode
MOST = 2**53
"""The largest score. JavaScript rounds integers above it."""
_encode, _decode = msgspec.json.encode, msgspec.json.decode


class SmallGame:
    """One match of a small game. Implements `referee.games.interface.game.CopyableGame`.

    Attributes:
        game: the object of the author's class.
        set_by_start: the names of the attributes that `game` has after its start.
        left: the seats that have left the match, or lost because of a wrong move.
        legal: seat -> its legal moves, for the seats that decide now.
    """

    def __init__(self, kind: type[Game], name: str, setup: GameSetup) -> None:
        self.name, self.setup = name, setup
        self.seats = len(setup.names)
        self.turns, self.left = 0, set[int]()
        self.requests: tuple[Request, ...] = ()
        self.outcome: Outcome | None = None
        self.legal: dict[int, list[Move]] = {}
        # seat -> the move that it has already chosen in this turn
        self._moves: dict[int, Move] = {}
        self._turns_of = [0] * self.seats
        self._begins_turn = True
        # Everything that a game needs is set as an attribute, so authors don't have to write an
        # __init__.
        game = self.game = kind()
        game.options, game.seats = setup.options, self.seats
        game.chance = Chance(setup.chance)
        ours = {**vars(game), "left": game.left}
        # the author's method that has set `to_move` last
        self._set_by = "start"
        game.start()
        self.set_by_start = tuple(vars(game))
        # The message of a later error wouldn't help the author.
        for attribute in self.set_by_start:
            if callable(getattr(Game, attribute, None)):
                problem = f"`self.{attribute}` hides the method `{attribute}`: choose another name"
                raise self._wrong("start", problem)
            if attribute in ours and getattr(game, attribute) is not ours[attribute]:
                problem = f"`self.{attribute}` is what the referee sets: choose another name"
                raise self._wrong("start", problem)
        options = msgspec.to_builtins(setup.options)
        self._events: list[Struct] = [GameInfo(name, options, self._seen(PUBLIC))]
        for seat in sorted(setup.absent):
            self._leave(seat)
        self._run_to_requests()
        if self.requests:
            self._check(self.requests[0].seat)

    # --- Interface of games -----------------------------------------------------------------------

    def advance(self, replies: Mapping[int, object]) -> None:
        """Apply the moves of a turn, and continue to the next requests.

        If a seat leaves in a simultaneous turn, the author's `leave` may change what the others
        have to decide. A reply only counts for its own request, so we then drop it.
        """
        asked, self.requests = [request.seat for request in self.requests], ()
        # We read all replies first, because `leave` must not change what they are compared with.
        lost = {seat: self._reads_no_move(seat, replies[seat]) for seat in asked}
        leaving = [seat for seat in asked if replies[seat] is LEFT or lost[seat]]
        if leaving:
            before = {seat: self._question(seat) for seat in self._moves}
            for seat in leaving:
                self._leave(seat, lost=lost[seat])
            self._drop_changed(before)
        self._play()
        self._run_to_requests()

    def take_events(self) -> list[Struct]:
        """Return the public messages and faults since the last call, in order.

        If seats failed the handshake, the first call only returns `game-info`. They're announced
        after it, and before the moves that are played for them (2.8).
        """
        is_first = self.setup.absent and self._events and type(self._events[0]) is GameInfo
        count = 1 if is_first else len(self._events)
        events, self._events = self._events[:count], self._events[count:]
        return events

    def standings(self) -> list[SeatState]:
        """Return the score and the turns of each seat."""
        return [
            SeatState(s, t, Facts()) for s, t in zip(self._scores(), self._turns_of, strict=True)
        ]

    def view(self, viewer: Viewer) -> View:
        """Return the state as the viewer may see it. If the viewer is to move, add the legal moves.

        The bot of a seat only receives its view in requests. But people see their own hand, for
        example, while the others decide, so they always get the view of their seat.
        """
        moves: list[Move] = []
        if isinstance(viewer, int) and any(each.seat == viewer for each in self.requests):
            moves = self._plain("legal", self.legal[viewer])
        return View(self.turns, self._scores(), moves, self._seen(viewer))

    def copy(self, chance: RandomSource) -> SmallGame:
        """Return a copy that continues like this game."""
        new: SmallGame = object.__new__(type(self))
        vars(new).update(vars(self))
        new.setup = msgspec.structs.replace(self.setup, chance=chance)
        try:
            # With this memo, deepcopy() uses the given chance instead of copying the old one.
            new.game = copy.deepcopy(self.game, {id(self.game.chance): Chance(chance)})
        except (TypeError, RecursionError) as error:
            text = f"the attributes cannot be copied ({error}): keep only plain data in them"
            raise self._wrong("start", text) from error
        new.left, new._turns_of, new._events = {*self.left}, [*self._turns_of], [*self._events]
        new.legal, new._moves = dict(self.legal), dict(self._moves)
        new.requests = tuple(new._request(request.seat) for request in self.requests)
        return new

    def redeal(self, seats: Sequence[int], chance: RandomSource) -> None:
        """Shuffle the items that `Game.secret` returns for each of these seats.

        Raises:
            UsageError: the game hides something from a seat, but `Game.secret` returns nothing.
        """
        first, *others = seats
        places = self._secret(first)
        for seat in others:
            # We need id() here, because two hands with equal cards are still different hands.
            secret = {(id(pile), place) for pile, place in self._secret(seat)}
            places = [each for each in places if (id(each[0]), each[1]) in secret]
        # The result mustn't depend on the current order of the items, because the seats don't know
        # it. Therefore we sort them before we shuffle.
        items = sorted((pile[place] for pile, place in places), key=_sorted)
        chance.shuffle("secret", items)
        for (pile, place), item in zip(places, items, strict=True):
            pile[place] = item
        self.legal = {asked: self._legal_of(asked) for asked in self.legal}

    def _secret(self, seat: int) -> list[tuple[Any, Any]]:
        # If a list isn't part of the state, dealing its items again changes nothing. A search would
        # then know the hidden cards, and `referee game check` couldn't find a leak.
        piles, again = self._piles(seat), self._piles(seat)
        if any(pile and pile is not same for pile, same in zip(piles, again, strict=False)):
            raise self._wrong(
                "secret",
                "a list that it returned is a new one in each call, so its items cannot be dealt "
                "again: return lists of the game's state, such as self.hands[0]",
            )
        places = list(_places(piles))
        # If the author forgot `secret`, searches would know the hidden cards, and nobody would
        # notice. That's why we compare the views. If they're equal, there's nothing to shuffle.
        if not places and self._seen(seat) != self._seen(ALL):
            raise UsageError(
                f"{self.name} cannot be dealt again: it hides something from seat {seat}, "
                f"and its `secret({seat})` is empty (own-games.md, 2)"
            )
        return places

    def _piles(self, seat: int) -> list[Any]:
        found: Any = self.game.secret(seat)
        piles = [*found] if isinstance(found, Iterable) else [found]
        if not all(isinstance(pile, MutableSequence | MutableMapping) for pile in piles):
            raise self._wrong("secret", f"it returned {found!r:.100}: give lists or dicts")
        return piles

    # --- Turns ------------------------------------------------------------------------------------

    def _run_to_requests(self) -> None:
        while not self._has_too_few_seats():
            deciding = self._deciding()
            most = self.setup.options.max_turns
            if not deciding:
                self._end(self._reason())
            # We only check this between turns. If a seat leaves in the middle of a turn, the other
            # seats still finish it.
            elif self._begins_turn and any(self._turns_of[seat] >= most for seat in deciding):
                self._end(EndReason.TURN_LIMIT)
            else:
                self._begin_turn(deciding)
                if self.requests:
                    return
                self._play()

    def _begin_turn(self, deciding: Sequence[int]) -> None:
        if self._begins_turn:
            self.turns += 1
            for seat in deciding:
                self._turns_of[seat] += 1
        self._begins_turn = False
        self.legal = {seat: self._legal_of(seat) for seat in deciding}
        awaited = [seat for seat in deciding if seat not in self.left | self._moves.keys()]
        self.requests = tuple(self._request(seat) for seat in awaited)

    def _drop_changed(self, before: Mapping[int, object]) -> None:
        """Drop the moves of seats that now have nothing to decide, or something else."""
        if self._has_too_few_seats():
            return
        deciding = self._deciding()
        for seat, question in before.items():
            if seat not in deciding or self._question(seat) != question:
                del self._moves[seat]

    def _question(self, seat: int) -> object:
        """Return what a request to the seat has, without the number of the turn."""
        legal = self._encoded("legal", self._legal_of(seat))
        return legal, self._scores(), self._encoded("view", self.game.view(seat))

    def _play(self) -> None:
        if self._has_too_few_seats():
            return
        deciding = self._deciding()
        # When a seat left, `leave` may have changed `to_move` or the question, so there may be
        # seats that we first have to ask.
        if not deciding or not self.left | self._moves.keys() >= {*deciding}:
            return
        played = {
            # The author's code may expect a move from a seat that has left. We then play its first
            # legal move.
            seat: self._moves[seat] if seat in self._moves else self._legal_of(seat)[0]
            for seat in deciding
        }
        self._moves.clear()
        shown = {seat_id(seat): self.shown(seat, move) for seat, move in played.items()}
        alone = isinstance(self.game.to_move, int)
        self._set_by = "apply"
        self.game.apply(played[deciding[0]] if alone else played)
        self._begins_turn = True
        state = self._seen(PUBLIC)
        self._events.append(MovesPlayed(self.turns, shown, self._scores(), state))

    def _reads_no_move(self, seat: int, reply: object) -> bool:
        """Keep the move of a reply. Returns True if the seat loses because of a wrong move."""
        if reply is LEFT:
            return False
        legal = self.legal[seat]
        if type(reply) is MoveReply:
            move = self.legal_move(seat, reply.move)
            if move is not UNSET:
                self._moves[seat] = move
                return False
            what = "missing" if reply.move is UNSET else quote(reply.move)
            detail = f"`move` is {what}, which is not one of the legal moves"
            self._fault(seat, ILLEGAL_MOVE, detail)
        elif type(reply) is InvalidReply:
            self._fault(seat, reply.code, reply.detail)
        else:
            self._fault(seat, WRONG_TYPE, "this is not a move-reply")
        if self.game.wrong_move == "loses":
            self._events.append(PlayerLost(self.turns, seat_id(seat)))
            return True
        # Use a separate stream, so that a wrong move doesn't change the cards that are drawn later.
        is_random = self.game.wrong_move == "random"
        place = self.setup.chance.choose("wrong moves", len(legal)) if is_random else 0
        self._moves[seat] = legal[place]
        return False

    def legal_move(self, seat: int, move: Any) -> Move:
        """Return the legal move that a bot means, or UNSET if it's not legal."""
        legal = self.legal[seat]
        place = find(legal, move)
        if place >= 0:
            return legal[place]
        whole = UNSET if move is UNSET else _with_integers(move)
        return whole if whole is not UNSET and self.game.accepts(seat, whole) else UNSET

    def _fault(self, seat: int, code: str, detail: str) -> None:
        self._events.append(Fault(seat, code, SECTIONS[code], detail))

    def _leave(self, seat: int, *, lost: bool = False) -> None:
        self.left.add(seat)
        self.game.left = frozenset(self.left)
        self._lost, self._set_by = lost, "leave"
        self.game.leave(seat)

    def _has_too_few_seats(self) -> bool:
        there = self.seats - len(self.left)
        if there > 1:
            return self.outcome is not None
        if there == 0:
            self._end(EndReason.NO_PLAYERS)
        else:
            self._end(WRONG_MOVE if self._lost else EndReason.LAST_PLAYER_STANDING)
        return True

    def _end(self, reason: str) -> None:
        scores = enumerate(self._scores())
        # Seats that have left share the last rank, and their scores don't matter.
        keys = [(seat in self.left, 0 if seat in self.left else -score) for seat, score in scores]
        self.requests, self.outcome = (), Outcome(reason, ranks(keys))

    # --- Calls of the author's object -------------------------------------------------------------

    def _deciding(self) -> tuple[int, ...]:
        # The author can set a single seat, or a tuple of seats that move at the same time.
        to_move: Any = self.game.to_move
        several = isinstance(to_move, Iterable)
        seats = () if to_move is None else tuple(to_move) if several else (to_move,)
        is_seat = all(type(seat) is int and 0 <= seat < self.seats for seat in seats)
        if not is_seat or len({*seats}) < len(seats):
            text = f"`to_move` is {to_move!r}; seats are 0 to {self.seats - 1}"
            text += ", and none may be there twice" * is_seat
            raise self._wrong(self._set_by, text)
        return tuple(sorted(seats))

    def _reason(self) -> str:
        reason = self.game.reason
        if reason not in [FINISHED, *self.game.reasons]:
            raise self._wrong(self._set_by, f"`reason` is {reason!r:.60}: give a code of `reasons`")
        return reason

    def _legal_of(self, seat: int) -> list[Move]:
        legal = self._list("legal", seat)
        if not legal:
            raise self._wrong("legal", f"seat {seat} is to move, and has no legal move")
        return legal

    def _list(self, method: str, *seat: int) -> list[Any]:
        # The items of other types, such as a dict, may not be what the author means.
        found = getattr(self.game, method)(*seat)
        if not isinstance(found, Sequence):
            raise self._wrong(method, f"it returned a {type(found).__name__}, not a list")
        return [*found]

    # We pass functions, because only one of the two messages is needed. Bots in this process get
    # the struct, and all others get JSON.
    def _request(self, seat: int) -> Request:
        writes = partial(self._message, seat, is_written=True)
        return Request(seat, partial(self._message, seat), writes=writes)

    def _message(self, seat: int, *, is_written: bool = False) -> MoveRequest:
        moves: Any
        state: Any
        if is_written:
            moves = Raw(self._encoded("legal", self.legal[seat]))
            state = Raw(self._encoded("view", self.game.view(seat)))
        else:
            moves, state = self._plain("legal", self.legal[seat]), self._seen(seat)
        more: Literal[True] | UnsetType = UNSET if lists_all(type(self.game)) else True
        return MoveRequest(self.turns, seat_id(seat), moves, self._scores(), state, more)

    def shown(self, seat: int, move: Move) -> Any:
        """Return the part of a move that everybody may see, as JSON data."""
        method = "legal" if type(self.game).shown is Game.shown else "shown"
        return self._plain(method, self.game.shown(seat, move))

    def _seen(self, viewer: Viewer) -> dict[str, Any]:
        seen = self._plain("view", self.game.view(viewer))
        if not isinstance(seen, dict):
            raise self._wrong("view", f"it returned {describe(seen)}, not a dict")
        return seen

    def _scores(self) -> list[Score]:
        scores = self._list("scores")
        if len(scores) == self.seats and all(type(score) is int for score in scores):
            if min(scores) >= -MOST and max(scores) <= MOST:
                return scores
            raise self._wrong("scores", f"a score is above 2^53 in {scores!r:.100}: use floats")
        if len(scores) != self.seats or not all(map(_is_number, scores)):
            raise self._wrong("scores", f"it must return {self.seats} numbers, not {scores!r:.100}")
        return [int(score) if score == int(score) else score for score in scores]

    def _wrong(self, method: str, problem: str) -> MistakeError:
        return MistakeError(type(self.game), problem, method)

    def _check(self, seat: int) -> None:
        # We only check the first request of a match, because that costs little. `referee game
        # check` checks much more.
        self._check_twice("legal", lambda: self._legal_of(seat))
        self._check_twice("view", lambda: self.game.view(seat))

    # We call legal() and view() whenever we like. If they change the game, a replay gives another
    # match.
    def _check_twice(self, method: str, call: Callable[[], Any]) -> None:
        value = call()
        data = self._encoded(method, value)
        if problem := data_problem(value, "the result"):
            raise self._wrong(method, problem)
        if self._encoded(method, call()) != data:
            text = "two calls in one state returned different results: change nothing in it"
            raise self._wrong(method, text)

    def _encoded(self, method: str, value: Any) -> bytes:
        try:
            return _encode(value)
        except (TypeError, ValueError, RecursionError) as error:
            raise self._wrong(method, data_problem(value, "the result") or str(error)) from error

    def _plain(self, method: str, value: Any) -> Any:
        copied = _decode(self._encoded(method, value))
        # If they differ, JSON has changed the data, e.g. a key that isn't a string. Tuples become
        # lists, but that's fine, and data_problem() accepts it.
        if copied != value and (problem := data_problem(value, "the result")):
            raise self._wrong(method, problem)
        return copied


def plain(value: Any) -> Any:
    """Convert data like a round trip through JSON. For example, tuples become lists."""
    return _decode(_encode(value))


def find(legal: Sequence[Move], move: Any) -> int:
    """Return the index of a bot's move in the legal moves, or -1 if it isn't legal.

    The bot may write 1 as 1.0 or the other way round, because JavaScript can't tell them apart.
    Note that true isn't the same move as 1, although True == 1 in Python.
    """
    kind = type(move)
    # Nearly all moves are numbers or texts. It's much faster to compare them directly than to
    # encode all legal moves.
    if kind is int or kind is float or kind is str:
        for place, one in enumerate(legal):
            if one == move and type(one) is not bool:
                return place
        return -1
    if move is UNSET:
        return -1
    wanted = _sorted(move)
    for place, one in enumerate(legal):
        if _sorted(one) == wanted:
            return place
    wanted = form(move)
    return next((n for n, one in enumerate(legal) if form(one) == wanted), -1)


def form(move: Move) -> bytes:
    """Return a text that only moves have in common that bots can't tell apart."""
    return _sorted(_with_integers(move))


def _with_integers(value: Any) -> Any:
    # A language that only has floats may write 1.0 for a 1 in the legal moves.
    if isinstance(value, list | tuple):
        return [_with_integers(item) for item in value]
    if isinstance(value, dict):
        return {key: _with_integers(item) for key, item in value.items()}
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _places(piles: Sequence[Any]) -> list[tuple[Any, Any]]:
    """Return (container, key) for each item of lists and dicts."""
    return [
        (pile, place)
        for pile in piles
        for place in (pile if isinstance(pile, MutableMapping) else range(len(pile)))
    ]


def _is_number(score: object) -> bool:
    return type(score) in (int, float) and math.isfinite(score)  # type: ignore[arg-type]
