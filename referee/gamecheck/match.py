"""Plays a random match and checks in every round if the game follows the interface."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from random import Random
from typing import Any, cast

import msgspec
from msgspec import UNSET, Struct

from referee.errors import UsageError
from referee.gamecheck.findings import Findings, locate_method
from referee.gamecheck.guard import GameStoppedError, Guard, compare_calls
from referee.games.interface.data import data_problem
from referee.games.interface.definition import GameDefinition
from referee.games.interface.faults import INVALID_JSON, EndReason, Fault, InvalidReply, quote
from referee.games.interface.game import ALL, LEFT, PUBLIC, Game, GameSetup, Request, Viewer
from referee.games.interface.random_source import SeededRandomSource
from referee.games.small.author import lists_all, words_of
from referee.games.small.cells import targets
from referee.games.small.machine import SmallGame, form
from referee.games.small.messages import MoveReply, MoveRequest
from referee.games.small.parts import parts
from referee.match.decode import decode_reply, reply_decoder
from referee.match.players import Players

# A random match with more rounds than this will probably never end.
MAX_ROUNDS = 20_000
# Checking a round takes longer than playing it. That's why we check each of the first 20 rounds of
# a match, but later only every tenth round.
_ALL_CHECKED, _THEN_EACH = 20, 10
_STRANGE_EACH = 10
# How many rounds we play after letting a seat leave. Mistakes often only show in the next turn.
_AFTER_LEAVING = 3


class Setting(Struct, frozen=True):
    """The setting of a random match.

    Attributes:
        wrong: the probability that a reply is invalid.
        leaving: the probability that a seat leaves instead of replying.
    """

    seed: int
    seats: int
    wrong: float = 0.0
    leaving: float = 0.0


class RandomMatch:
    """A match between players who choose at random.

    It uses the game directly, without the referee's `Match`.

    Args:
        replies: the replies of an earlier match that we want to repeat. By default the players
            choose new ones.
        looks: if True, check the views. You can only pass False together with `replies`.
        checks: if False, look at the views only to choose replies, and check hardly anything.

    Attributes:
        game: the game, which is only set after the match has begun.
        trace: the requests, events, standings and so on of each round, as JSON. Views aren't
            included.
        replies: for each round, a dict with the replies of the seats.
        is_open: True if spectators have been able to see everything so far.
        count: how many replies there were.
        reason: the end reason.
        scores: the final scores, in seat order.
    """

    def __init__(
        self,
        definition: GameDefinition,
        setting: Setting,
        guard: Guard,
        findings: Findings,
        *,
        replies: list[dict[int, object]] | None = None,
        looks: bool = True,
        checks: bool = True,
    ) -> None:
        self.setting = setting
        self._definition, self._guard = definition, guard
        self._findings, self._given, self._looks = findings, replies, looks
        self._is_checked = looks and checks
        self._dice = Random(f"{setting.seed}/check")
        self._names = tuple(f"Player {seat + 1}" for seat in range(setting.seats))
        self._viewers: list[Viewer] = [*range(setting.seats), PUBLIC, ALL]
        self._left: set[int] = set()
        self._players: Players
        self.game: Game
        self._before: list[tuple[Viewer, Struct, bytes]] = []
        self._decoder = reply_decoder(definition.replies)
        self.trace: list[bytes] = []
        self.replies: list[dict[int, object]] = []
        self.is_open = True
        self.count = 0
        self.reason = ""
        self.scores: list[float] = []

    def play(self) -> None:
        """Play the match to the end.

        Raises:
            GameStoppedError: the game made a mistake, which is in the report. We can't continue.
        """
        definition, setting = self._definition, self.setting
        self._findings.seed, self._findings.at = setting.seed, "the start"
        options = definition.options()
        chance = SeededRandomSource(setting.seed)
        setup = GameSetup(chance=chance, names=self._names, options=options, seed=setting.seed)
        game = self.game = self._guard("the start of a match", lambda: definition.new(setup))
        if self._given is not None and self._looks and isinstance(game, SmallGame):
            compare_calls(game, self._findings)  # once is enough, because it takes time
        if self._given is None:
            self._players = self._guard(
                "the environment", lambda: Players(definition, self._names, options, setting.seed)
            )
        for number in range(MAX_ROUNDS):
            self._findings.at = f"round {number + 1}"
            requests = self._guard("requests", lambda: tuple(game.requests))
            if requests:
                seats = ", ".join(str(each.seat) for each in requests)
                self._findings.at += f", decides: seat {seats}"
            views = self._views(number, requests)
            self._check_round(number, requests)
            if self._given is None and self._checks(number):
                for request in requests:
                    self._check_moves(request)
            if not requests:
                self._end()
                return
            if self._given is None:
                given = {each.seat: self._reply(each, views) for each in requests}
            else:
                given = self._given[number] if number < len(self._given) else {}
                if given.keys() != {each.seat for each in requests}:
                    # The repeated match has gone differently. We'll report this when we compare the
                    # traces.
                    return
            if self._given is None and self._checks(number):
                self._let_each_leave(given)
                if number % _STRANGE_EACH == 0:
                    self._send_strange_moves(given)
            self.replies.append(given)
            self.count += len(given)
            self._left |= {seat for seat, reply in given.items() if reply is LEFT}
            # Authors of small games only know `apply`.
            what = "apply" if isinstance(game, SmallGame) else "advance"
            self._guard(what, lambda given=given: game.advance(given))  # type: ignore[misc]
        text = f"a random match has no end after {MAX_ROUNDS:,} rounds: add a limit of turns"
        self._findings.add("endless", text, locate_method(game, "advance"))
        raise GameStoppedError

    @property
    def has_left(self) -> bool:
        """True if any seat has left the match."""
        return bool(self._left)

    def _error(self, kind: str, text: str, method: str) -> None:
        where = locate_method(self.game, method) or locate_method(self.game, "advance")
        self._findings.add(kind, text, where)

    # --- Checks of a round ------------------------------------------------------------------------

    def _check_round(self, number: int, requests: tuple[Request, ...]) -> None:
        game, guard = self.game, self._guard
        seats = [each.seat for each in requests]
        if sorted(set(seats)) != seats or not all(0 <= s < self.setting.seats for s in seats):
            self._error(
                "requests",
                f"requests of seats {seats}: give one per seat, in order",
                "requests",
            )
            raise GameStoppedError
        if self._left & set(seats):
            self._error(
                "requests", "a seat that has left gets a request: ask it no more", "advance"
            )
        messages = [guard("a request", lambda each=each: each.written) for each in requests]  # type: ignore[misc]
        events = guard("take_events", game.take_events)
        for message in messages:
            self._check(number, message, self._definition.requests, "requests")
        for event in events:
            if isinstance(event, Fault):
                self._check_fault(event)
            else:
                self._check(number, event, self._definition.public, "take_events")
        if self._given is None:
            guard("person.observe", lambda: self._show_people(events, requests))
        standings = guard("standings", lambda: [*game.standings()])
        turns = guard("turns", lambda: game.turns)
        kept = [seats, messages, events, standings, turns, guard("outcome", lambda: game.outcome)]
        self.trace.append(self._json(kept, "take_events"))

    def _check_moves(self, request: Request) -> None:
        """Check the list of a small game's moves, and that a person can click on their places."""
        game: Any = self.game
        if not isinstance(game, SmallGame):
            return
        kind, message = type(game.game), cast(MoveRequest, request.message)
        listed = set[bytes]()
        for move in message.moves:
            if form(move) in listed:
                text = f"it lists {move!r:.60} twice: list each move once"
                self._error("twice", text, "requests")
            listed.add(form(move))
        shown = parts(kind, message.state, self.setting.seats)
        clicks = self._guard("cells", lambda: targets(kind, shown, message.moves, request.seat))
        for move, target in zip(message.moves, clicks, strict=True):
            if target is None and (places := kind.cells(move)):
                text = (
                    f"cells({move!r:.60}) returned {places!r:.100}, which {_view(request.seat)} "
                    "does not have: give places on its boards or in its cards"
                )
                self._error("cells", text, "cells")
                return

    def _show_people(self, events: Sequence[Struct], requests: Sequence[Request]) -> None:
        for seat in range(self.setting.seats):
            for event in events:
                if not isinstance(event, Fault):
                    self._players.observe(seat, event)
        for each in requests:
            self._players.observe(each.seat, each.message)

    def _check(
        self, number: int, message: Struct, known: tuple[type[Struct], ...], method: str
    ) -> None:
        if not self._checks(number):
            return
        name = type(message).__name__
        if not isinstance(message, known):
            text = f"the message {name} is not listed in the GameDefinition: add it there"
            self._error("unknown-message", text, method)
        elif problem := data_problem(message, name):
            self._error("data", problem, method)

    def _check_fault(self, fault: Fault) -> None:
        shared = {INVALID_JSON, "wrong-type"}
        if fault.code not in {*self._definition.faults, *shared}:
            text = f"the fault {fault.code!r} is not in GameDefinition.faults: add it"
            self._error("unknown-fault", text, "advance")

    def _json(self, value: Any, method: str) -> bytes:
        try:
            return msgspec.json.encode(value)
        except (TypeError, ValueError, msgspec.MsgspecError) as error:
            self._error("data", f"JSON cannot carry this: {error}: use plain data", method)
            raise GameStoppedError from error

    # --- Views ------------------------------------------------------------------------------------

    def _views(self, number: int, requests: tuple[Request, ...]) -> dict[Viewer, Any]:
        if not self._looks:
            return {}
        for viewer, view, data in self._before:
            if self._json(view, "view") != data:
                text = f"{_view(viewer)} changes with the game later: put copies of lists into it"
                self._error("view-shares", text, "view")
        self._before = []
        asked = [each.seat for each in requests]
        if not self._checks(number):
            return {seat: self._view(seat) for seat in asked}
        views = {viewer: self._view(viewer) for viewer in self._viewers}
        written = {viewer: self._json(view, "view") for viewer, view in views.items()}
        for viewer, view in views.items():
            if problem := data_problem(view, _view(viewer)):
                self._error("data", problem, "view")
            if self._json(self._view(viewer), "view") != written[viewer]:
                text = (
                    f"{_view(viewer)} is another one at the second call: let a view change "
                    "nothing, and draw nothing"
                )
                self._error("view-changes", text, "view")
        self.is_open &= written[PUBLIC] == written[ALL]
        self._contained(asked, written)
        if self._given is None:
            for request in requests:
                self._deal_again(request, written)
        self._before = [(viewer, view, written[viewer]) for viewer, view in views.items()]
        return views

    def _checks(self, number: int) -> bool:
        return self._is_checked and (number < _ALL_CHECKED or number % _THEN_EACH == 0)

    def _view(self, viewer: Viewer) -> Any:
        return self._guard(_view(viewer), lambda: self.game.view(viewer))

    def _contained(self, asked: Sequence[int], written: Mapping[Viewer, bytes]) -> None:
        # A seat with a request must see everything that spectators see, and ALL must see everything
        # that the seat sees. Otherwise somebody sees too much.
        read = {viewer: msgspec.json.decode(data) for viewer, data in written.items()}
        for seat in asked:
            for less, more in ((PUBLIC, seat), (seat, ALL)):
                if where := first_extra(read[less], read[more], ""):
                    text = (
                        f"{_view(less)} shows {where}, and {_view(more)} does not: everybody may "
                        f"see the public part, and ALL sees everything"
                    )
                    self._error("leak", text, "view")

    def _deal_again(self, request: Request, written: Mapping[Viewer, bytes]) -> None:
        # Shuffle everything that this seat shouldn't know. If that changes the seat's view or
        # request, the seat does know something about it.
        game: Any = self.game
        seat = request.seat
        # Something that no viewer sees, such as a stock, may be hidden even if all views are equal.
        small = isinstance(game, SmallGame)
        hides = small and bool(self._guard("secret", lambda: game.game.secret(seat)))
        self.is_open &= not hides
        is_open = written[seat] == written[ALL] and not hides
        if is_open or self._findings.has("random") or getattr(game, "redeal", None) is None:
            return
        copied = self._guard("copy", lambda: game.copy(SeededRandomSource(1)))
        if copied is None:
            return
        try:
            self._guard("dealing again", lambda: copied.redeal([seat], SeededRandomSource(2)))
        except UsageError as error:
            text = f"{error}: leaks cannot be found, and programs cannot simulate"
            self._findings.add("secret", text, locate_method(game, "view"), is_error=False)
            return
        (again,) = (each for each in copied.requests if each.seat == seat)
        asks, asks_again = (self._json(each.written, "requests") for each in (request, again))
        seen = self._json(copied.view(seat), "view")
        for what, one, other in (
            (_view(seat), written[seat], seen),
            ("its request", asks, asks_again),
        ):
            if one != other:
                text = (
                    f"{what} shows {first_difference(one, other)}, which changes when the hidden "
                    f"things are dealt again: seat {seat} may not see it, or it is not secret"
                )
                self._error("leak", text, "view")

    # --- Replies ----------------------------------------------------------------------------------

    def _reply(self, request: Request, views: Mapping[Viewer, Any]) -> object:
        if self._dice.random() < self.setting.leaving:
            return LEFT
        if self._dice.random() < self.setting.wrong:
            return InvalidReply(INVALID_JSON, "a line that is not JSON")
        seat = request.seat
        players, view = self._players, views[seat]
        line = self._guard("a legal reply", lambda: players.reply(seat, request.message, view))
        reply = decode_reply(line, self._decoder)
        if isinstance(reply, InvalidReply):
            text = f"a legal reply is not read back: {reply.detail}: correct its struct"
            self._error("reply", text, "advance")
            raise GameStoppedError
        return reply

    def _let_each_leave(self, given: Mapping[int, object]) -> None:
        """Let each seat leave in a copy of the match, and play a few more rounds there."""
        game = self.game
        if isinstance(game, SmallGame):
            for leaving in given:
                copied = self._guard("copy", lambda: game.copy(SeededRandomSource(1)))
                self._play_on(copied, {**given, leaving: LEFT})

    def _send_strange_moves(self, given: Mapping[int, object]) -> None:
        """Let each seat send moves that aren't listed, if the game accepts any, in copies."""
        game = self.game
        if not isinstance(game, SmallGame) or lists_all(type(game.game)):
            return
        asked = self._guard("copy", lambda: game.copy(SeededRandomSource(1)))
        compare_calls(asked, self._findings)
        at = self._findings.at
        for seat in given:
            for move in strange_moves(game.legal[seat][-1]):
                self._findings.at = f"{at}; seat {seat} sends {quote(move)}"
                if self._guard("accepts", partial(asked.legal_move, seat, move)) is not UNSET:
                    copied = self._guard("copy", lambda: game.copy(SeededRandomSource(1)))
                    self._play_on(copied, {**given, seat: MoveReply(move)})
                    self._guard("words", partial(words_of, type(game.game), move))
        self._findings.at = at

    def _play_on(self, game: SmallGame, replies: Mapping[int, object]) -> None:
        for _ in range(_AFTER_LEAVING):
            self._guard("apply", partial(game.advance, replies))
            messages: list[Any]
            messages = self._guard("requests", lambda: [each.message for each in game.requests])
            asked = zip(game.requests, messages, strict=True)
            replies = {each.seat: MoveReply(message.moves[0]) for each, message in asked}

    # --- End --------------------------------------------------------------------------------------

    def _end(self) -> None:
        outcome = self._guard("outcome", lambda: self.game.outcome)
        if outcome is None:
            self._error(
                "no-outcome", "the game has neither requests nor an outcome: set one", "advance"
            )
            raise GameStoppedError
        self.reason = outcome.reason
        if outcome.reason not in {*EndReason, *self._definition.reasons}:
            text = f"the end reason {outcome.reason!r} is not in GameDefinition.reasons: add it"
            self._error("reason", text, "outcome")
        ranks = list(outcome.ranks)
        if len(ranks) != self.setting.seats or ranks != [
            1 + sum(r < rank for r in ranks) for rank in ranks
        ]:
            text = f"the ranks are {ranks}: give one per seat, such as 1, 1, 3"
            self._error("ranks", text, "outcome")
        standings = self._guard("standings", lambda: [*self.game.standings()])
        if len(standings) != self.setting.seats:
            text = f"{len(standings)} standings for {self.setting.seats} seats: give one per seat"
            self._error("scores", text, "standings")
        self.scores = [each.score for each in standings]
        for score in self.scores:
            if type(score) not in (int, float) or not math.isfinite(score) or abs(score) > 2**53:
                text = f"the score {score!r} is not a number of JSON: give an int or a float"
                self._error("scores", text, "standings")


def strange_moves(move: Any) -> Iterator[Any]:
    """Yield moves that a bot may send by mistake, and a move of which a part is strange."""
    if isinstance(move, list | tuple):
        yield from (
            [*move[:at], odd, *move[at + 1 :]]
            for at in range(len(move))
            for odd in strange_moves(move[at])
        )
        yield [*move, *move]
    elif isinstance(move, dict):
        yield from ({**move, key: odd} for key in move for odd in strange_moves(move[key]))
        yield from ({k: v for k, v in move.items() if k != key} for key in move)
    yield from (None, True, -1, 0.5, 10**15, "", "?", [], [None], {}, {"x": 1})


def _view(viewer: Viewer) -> str:
    return f"view({viewer if isinstance(viewer, int) else viewer.name})"


def first_extra(less: Any, more: Any, path: str) -> str:
    """Return the path of the first thing that `less` shows and `more` doesn't, or "".

    `less` may hide things. A value is hidden if it's None, "", "?" or missing, or if it's a list or
    an object that has another form than in `more`. A "?" in a text hides a character. If a list has
    the same items in another order, the order is hidden.
    """
    if isinstance(less, dict) and isinstance(more, dict):
        inside = ((f"{path}.{key}".strip("."), less[key], more.get(key)) for key in less)
        return next(filter(None, (first_extra(a, b, at) for at, a, b in inside)), "")
    if isinstance(less, list) and isinstance(more, list) and len(less) == len(more):
        if sorted(map(repr, less)) == sorted(map(repr, more)):
            return ""  # the viewer doesn't know the order
        pairs = enumerate(zip(less, more, strict=True))
        return next(filter(None, (first_extra(a, b, f"{path}[{at}]") for at, (a, b) in pairs)), "")
    if isinstance(less, str) and isinstance(more, str) and len(less) == len(more):
        return "" if all(a in (b, "?") for a, b in zip(less, more, strict=True)) else path
    hides = less in (None, "", "?") or less == more or isinstance(less, dict | list)
    return "" if hides else path


def first_difference(one: bytes, other: bytes) -> str:
    """Return where two JSON texts begin to differ, as a path such as "hands[1]"."""
    return _changed(msgspec.json.decode(one), msgspec.json.decode(other), "") or "an order"


def _changed(one: Any, other: Any, path: str) -> str:
    if isinstance(one, dict) and isinstance(other, dict) and one.keys() == other.keys():
        inside = ((f"{path}.{key}".strip("."), one[key], other[key]) for key in one)
        return next(filter(None, (_changed(a, b, at) for at, a, b in inside)), "")
    if isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        pairs = enumerate(zip(one, other, strict=True))
        return next(filter(None, (_changed(a, b, f"{path}[{at}]") for at, (a, b) in pairs)), "")
    return "" if one == other else path
