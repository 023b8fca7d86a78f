"""Plays a recorded match again, and converts it to the steps of an environment.

We convert each recorded reply to actions. Some replies contain several decisions that a policy
makes one after the other. In this case, we play the match with one request for each decision. The
lines of the match may then differ from the record, but the result must be the same, which we check
at the end.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import Any, NamedTuple

from msgspec import Struct

from referee.env.episode import results_of
from referee.env.observer import Observation, Observer
from referee.errors import LogReadError, UsageError
from referee.games.interface.environment import Environment, NoActionError, Translator
from referee.games.interface.faults import Disqualification, Fault
from referee.games.interface.seats import seat_of
from referee.logs import record
from referee.logs.entries import numbered_entries
from referee.logs.rerun import answer_in
from referee.match.decode import decode_reply, reply_decoder
from referee.match.machine import Sent


class Row(NamedTuple):
    """A step of a match: the observation of a seat, and the action that it chose."""

    seat: int
    seen: Observation
    action: Any


class RecordedMatch:
    """Plays a recorded match again, and yields its steps.

    Args:
        path: file name of the record.
        game: a key of `GAMES`. The record must be of this game.
        environment: the environment of this game.
        bot: only yield the steps of this bot. If it's None, yield the steps of all bots.
        normalised: scale observations to the range 0 to 1 (see `Observer`).

    Attributes:
        bots: for each seat, the names by which you can select its bot: the BOT argument, and the
            name in a tournament.
        shape: the shape of an action.
        left_out: how many replies we couldn't convert (see `Dataset`).
        results: the result of each seat. This is empty before the end of the match, and if the
            record is truncated.

    Raises:
        UsageError: the file can't be opened, or is of another game.
        LogReadError: the file isn't a record.
    """

    def __init__(
        self, path: str, game: str, environment: Environment, bot: str | None, *, normalised: bool
    ) -> None:
        self._path = path
        self._entries = numbered_entries(path)
        _, header = next(self._entries)
        assert isinstance(header, record.Header)  # the first entry of a record
        if header.game != game:
            raise UsageError(f"{path} is a match of {header.game}, not of {game}")
        spec = record.spec_of(header)
        seats = len(header.bots)
        self.bots = [{*each} for each in zip(header.bots, header.names or header.bots, strict=True)]
        self.shape = environment.action_shape(spec.options)
        self.left_out = 0
        self.results: list[float] = []
        self._wanted = [seat for seat in range(seats) if bot is None or bot in self.bots[seat]]
        self._match = spec.new_match(lines=False, readers=range(seats), heard=())
        self._limits = [limits.line_limit for limits in spec.each_limits]
        self._decoder = reply_decoder(spec.definition.replies)
        self._parts = environment.parts
        self._observe = Observer(environment, seats, spec.options, normalised=normalised)
        new = environment.translator
        self._players: list[Translator] = [new(seat, seats, spec.options) for seat in range(seats)]
        # maps each seat to the type of its request
        self._requests: list[type[Struct] | None] = [None] * seats
        self._rest: list[_Rest | None] = [None] * seats

    def rows(self) -> Iterator[Row]:
        """Yield the steps of the wanted bots, in the order of the match.

        Raises:
            LogReadError: a reply doesn't follow from the lines before it.
        """
        match = self._match
        match.start()
        match.take_entries()
        replies: dict[int, Any] = {}  # maps each seat to its reply in this round
        while match.due:
            seat = match.due[0]
            reply = self._next_reply(seat)
            if reply is None:
                return  # the record is truncated
            if isinstance(reply, record.DisqualifiedEntry):
                match.disqualify(seat, Disqualification(reply.code), reply.detail)
            elif match.in_handshake:
                match.receive(seat, reply)
            else:
                if seat in self._wanted:
                    self._players[seat].look(match.view(seat), asked=True)
                    replies[seat] = reply
                match.take(seat, reply)
            # Only yield the steps at the end of the round. Before that, we don't know whether a
            # reply was a fault.
            if not match.in_round:
                faulty = self._read_news()
                for one, given in replies.items():
                    yield from self._steps(one, None if one in faulty else given)
                replies = {}
        self._end()

    def _next_reply(self, seat: int) -> Any:
        """Return the next reply of a seat that's due, or None at the end of the record.

        If we've split the seat's last recorded reply, this returns its next part. In the handshake,
        replies are lines.
        """
        rest, match = self._rest[seat], self._match
        if rest is not None and rest.turn != match.turns:
            # The turn is over, so we don't need the other parts any more.
            rest = self._rest[seat] = None
        if rest is not None and rest.request is self._requests[seat]:
            part = rest.parts.popleft()
            if not rest.parts:
                self._rest[seat] = None
            return part
        for number, entry in self._entries:
            if isinstance(entry, record.EndEntry):
                raise self._problem(number)
            if not isinstance(entry, record.ReceivedEntry | record.DisqualifiedEntry):
                continue
            if seat_of(entry.player_number, len(match.names)) in match.disqualified:
                # This reply led to a disqualification, which we've already processed.
                continue
            answer = answer_in(entry, match, self._limits)
            if answer is None:
                raise self._problem(number)
            if match.in_handshake or not isinstance(answer, bytes):
                return answer
            reply = decode_reply(answer, self._decoder)
            first, *others = self._parts(reply)
            if others:
                self._rest[seat] = _Rest(deque(others), self._requests[seat], match.turns)
            return first
        return None

    def _read_news(self) -> set[int]:
        faulty = set()
        for entry in self._match.take_entries():
            if type(entry) is Sent and entry.to is not None:
                self._requests[entry.to] = type(entry.message)
            elif type(entry) is Fault:
                faulty.add(entry.seat)
        return faulty

    def _steps(self, seat: int, reply: Any) -> list[Row]:
        player = self._players[seat]
        try:
            if reply is None:
                raise NoActionError
            return [Row(seat, self._observe(player), each) for each in player.actions_of(reply)]
        except NoActionError:
            # The reply was a fault, or can't be expressed as an action. People sometimes play in
            # ways that the environment doesn't support.
            self.left_out += 1
            return []

    def _end(self) -> None:
        match = self._match
        ends = [(n, entry) for n, entry in self._entries if isinstance(entry, record.EndEntry)]
        # If the match was interrupted, there's no result to compare.
        if match.outcome is None or not ends:
            return
        ((number, end),) = ends
        scores = [state.score for state in match.standings()]
        found = [(player.score, player.rank) for player in end.players]
        if found != [*zip(scores, match.outcome.ranks, strict=True)]:
            raise self._problem(number)
        self.results = results_of(match.outcome.ranks)

    def _problem(self, line: int) -> LogReadError:
        problem = "does not follow from the lines before it; see referee verify"
        return LogReadError(self._path, line, problem)


class _Rest(NamedTuple):
    """The parts of a recorded reply that we haven't used yet.

    We use them to reply to later requests of the same type in the same turn.
    """

    parts: deque[Any]
    request: type[Struct] | None
    turn: int
