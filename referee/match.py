"""One match: handshake, requests, faults, disqualifications, outcome. Pure.

A match wraps a game with everything that the game need not know. It does no I/O and has no
clock: whoever drives it (`play.py` with processes, a verifier with a record, a test) looks at
`due`, brings for such a seat either the line that it wrote (`receive`) or the reason why it
leaves (`disqualify`), and then collects with `take_entries` what was said and noted, in an order
that depends on nothing but the seed and the lines:

    match = Match(GAMES["dominion"], seats=2, seed=7)
    match.start()
    while match.due:
        for seat in match.due: match.receive(seat, line_of(seat))
        for entry in match.take_entries(): ...
    match.outcome, match.standings()

States: handshake (all seats that have not answered are due, in any order) -> playing (one seat is
due) -> over (none is). In the handshake the entries come out in seat order, whoever answers first.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import TypeAlias

import msgspec
from msgspec import UNSET, Struct

from referee.errors import ProtocolMisuseError
from referee.seam.chance import Chance, SeededChance
from referee.seam.faults import (
    BAD_NAME_REPLY,
    Disqualification,
    Fault,
    Malformed,
    Termination,
    describe,
)
from referee.seam.game import Game, Outcome, Setup, Standing
from referee.seam.rules import Rules
from referee.seam.seats import seat_id
from referee.wire.decode import decode_reply, is_blank, reply_decoder
from referee.wire.messages import (
    PROTOCOL_VERSION,
    GameEnd,
    PlayerDisqualified,
    PlayerName,
    PlayerNameReply,
    PlayerNameRequest,
)

MAX_SEED = 2**53
"""Seeds are below this: every JSON reader keeps such integers exactly."""
DEFAULT_MAX_TURNS = 500
MAX_NAME_LENGTH = 64

CONTROL_CHARACTERS = dict.fromkeys([*range(0x20), *range(0x7F, 0xA0)])
"""What names are without (3.1), for `str.translate`."""


class Sent(Struct, frozen=True, gc=False):
    """A line to send.

    Attributes:
        to: a seat, or None for everybody still in the match (and the spectator log).
        line: with its line end.
    """

    to: int | None
    line: bytes


class Received(Struct, frozen=True, gc=False):
    """A line that a bot wrote as its answer, without the line end."""

    seat: int
    line: bytes


class Disqualified(Struct, frozen=True, gc=False):
    """A seat leaves the match.

    Attributes:
        code: why (9).
        detail: one clause for people.
        asked: the line of the request that it failed to answer.
    """

    seat: int
    code: Disqualification
    detail: str
    asked: bytes


Entry: TypeAlias = Sent | Received | Fault | Disqualified


class Match:
    """One match as a state machine; see the module's text.

    Args:
        rules: the game.
        seats: how many players.
        seed: 0 <= seed < `MAX_SEED`.
        max_turns: turns a player after which the game ends (4.4).
        chance: makes what is random in a game, anew for each that is made; None for what the seed
            says (4.7).

    Attributes:
        due: the seats whose line is awaited; empty before `start` and once the match is over.
        gone: the disqualified seats, each with what it was disqualified for.
        names: one entry a seat; PLAYER1 and so on until the handshakes have ended.
        faults: one counter of fault codes a seat.
        first_faults: the first fault of each seat and code.
        requests: how many requests each seat was sent, its handshake not counted.
        outcome: None until the match is over.
    """

    def __init__(
        self,
        rules: Rules,
        *,
        seats: int,
        seed: int,
        max_turns: int = DEFAULT_MAX_TURNS,
        chance: Callable[[], Chance] | None = None,
    ) -> None:
        self.due: tuple[int, ...] = ()
        self.gone: dict[int, Disqualified] = {}
        self.names = [seat_id(seat).upper() for seat in range(seats)]
        self.faults: list[Counter[str]] = [Counter() for _ in range(seats)]
        self.first_faults: dict[tuple[int, str], Fault] = {}
        self.requests = [0] * seats
        self.outcome: Outcome | None = None
        self._rules = rules
        self._max_turns = max_turns
        self._chance = chance or partial(SeededChance, seed)
        self._entries: list[Entry] = []
        self._replies = reply_decoder(rules.replies)
        self._encode = msgspec.json.Encoder().encode
        # Until the handshakes have ended: for each seat that has, what is to be noted of it.
        self._handshakes: list[list[Entry] | None] = [None] * seats
        # For the standings until the names are known; then it is made anew with them.
        self._game = self._new_game()

    def start(self) -> None:
        """Ask every bot for its name."""
        if self.due or self.outcome is not None:
            raise ProtocolMisuseError("the match was started already")
        self.due = tuple(range(len(self.names)))
        for seat in self.due:
            self._send(PlayerNameRequest(seat_id(seat)), to=seat)

    def receive(self, seat: int, line: bytes) -> None:
        """Take the line with which a due seat answers, without its line end.

        Raises:
            ProtocolMisuseError: the seat is not due, or this is no line or a blank one, which is
                no reply (1.1).
        """
        self._check_due(seat)
        if b"\n" in line or is_blank(line):
            raise ProtocolMisuseError(f"a reply is one line that is not blank, not {line[:40]!r}")
        if self._in_handshake:
            self._end_handshake(seat, self._read_name(seat, line))
            return
        self._entries.append(Received(seat, line))
        self._game.reply(decode_reply(line, self._replies))
        self._go_on()

    def disqualify(self, seat: int, code: Disqualification, detail: str) -> None:
        """Take a due seat out of the match (8.3)."""
        self._check_due(seat)
        if self._in_handshake:
            asked = PlayerNameRequest(seat_id(seat))
            self._end_handshake(seat, [self._leave(seat, code, detail, asked)])
            return
        request = self._game.request
        if request is None:
            raise ProtocolMisuseError("a seat is due but the game waits for nobody")
        self._entries.append(self._leave(seat, code, detail, request.message))
        self._send(PlayerDisqualified(seat_id(seat), code))
        if not self._end_if_alone():
            self._game.disqualify(seat)
            self._go_on()

    def take_entries(self) -> list[Entry]:
        """What was said and noted since the last call, oldest first."""
        entries = self._entries
        self._entries = []
        return entries

    def standings(self) -> list[Standing]:
        """One entry a seat, in seat order; at any time."""
        return list(self._game.standings())

    # --- handshake (3) ------------------------------------------------------------------------

    @property
    def _in_handshake(self) -> bool:
        return bool(self._handshakes)

    def _read_name(self, seat: int, line: bytes) -> list[Entry]:
        """Judge a handshake reply; sets the seat's name, or takes the seat out."""
        entries: list[Entry] = [Received(seat, line)]
        reply = decode_reply(line, _name_replies)
        if isinstance(reply, Malformed):
            entries.append(Fault(seat, BAD_NAME_REPLY, "3.2", reply.detail))
            return entries
        assert isinstance(reply, PlayerNameReply)  # the decoder knows no other
        if reply.version is not UNSET and not _is_version_1(reply.version):
            code = Disqualification.UNSUPPORTED_VERSION
            detail = f"`version` is {describe(reply.version)}; only 1 is spoken here"
            asked = PlayerNameRequest(seat_id(seat))
            entries.append(self._leave(seat, code, detail, asked))
        elif reply.player_number != seat_id(seat):
            detail = f"`player_number` is {describe(reply.player_number)}"
            entries.append(Fault(seat, BAD_NAME_REPLY, "3.2", detail))
        elif not isinstance(reply.name, str):
            detail = f"`name` is {describe(reply.name)}, not a string"
            entries.append(Fault(seat, BAD_NAME_REPLY, "3.2", detail))
        else:
            self.names[seat] = reply.name.translate(CONTROL_CHARACTERS)[:MAX_NAME_LENGTH]
        return entries

    def _end_handshake(self, seat: int, entries: list[Entry]) -> None:
        """Note that a seat's handshake has ended, and begin the game after the last."""
        self.due = tuple(other for other in self.due if other != seat)
        self._handshakes[seat] = entries
        # Seat order, whatever the order in which the bots were ready.
        if all(self._handshakes[other] is not None for other in range(seat)):
            for later in self._handshakes[seat:]:
                if later is None:
                    break
                for entry in later:
                    self._note(entry)
        if not self.due:
            self._handshakes.clear()
            self._begin()

    def _begin(self) -> None:
        for seat, name in enumerate(self.names):
            self._send(PlayerName(seat_id(seat), name))
        self._game = self._new_game()
        for seat in self.gone:
            self._game.disqualify(seat)  # before the start: it is never asked
        self._game.start()
        self._tell_events()
        for seat in sorted(self.gone):
            self._send(PlayerDisqualified(seat_id(seat), self.gone[seat].code))
        if not self._end_if_alone():
            self._go_on()

    def _new_game(self) -> Game:
        setup = Setup(chance=self._chance(), names=tuple(self.names), max_turns=self._max_turns)
        return self._rules.new(setup)

    # --- the game -----------------------------------------------------------------------------

    def _go_on(self) -> None:
        """Tell what happened, then ask the next question or end."""
        self._tell_events()
        request = self._game.request
        if request is not None:
            self.due = (request.seat,)
            self.requests[request.seat] += 1
            self._send(request.message, to=request.seat)
            return
        outcome = self._game.outcome
        if outcome is None:
            raise ProtocolMisuseError("the game waits for nobody and has no outcome")
        self._end(outcome)

    def _tell_events(self) -> None:
        encode = self._encode
        entries = self._entries
        for event in self._game.take_events():
            if type(event) is Fault:
                self._note(event)
            else:
                entries.append(Sent(None, encode(event) + b"\n"))

    def _end_if_alone(self) -> bool:
        """End the match when fewer than two seats are left in it (8.3)."""
        left = [seat for seat in range(len(self.names)) if seat not in self.gone]
        if len(left) > 1:
            return False
        reason = Termination.LAST_PLAYER_STANDING if left else Termination.NO_PLAYERS
        self._end(Outcome(reason, tuple(left)))
        return True

    def _end(self, outcome: Outcome) -> None:
        self.due = ()
        self.outcome = outcome
        scores = [standing.score for standing in self._game.standings()]
        winners = [seat_id(seat) for seat in outcome.winners]
        self._send(GameEnd(scores, winners, outcome.reason))

    # --- both ---------------------------------------------------------------------------------

    def _leave(self, seat: int, code: Disqualification, detail: str, asked: Struct) -> Disqualified:
        self.gone[seat] = leaving = Disqualified(seat, code, detail, self._line(asked))
        return leaving

    def _note(self, entry: Entry) -> None:
        if type(entry) is Fault:
            self.faults[entry.seat][entry.code] += 1
            self.first_faults.setdefault((entry.seat, entry.code), entry)
        self._entries.append(entry)

    def _line(self, message: Struct) -> bytes:
        return self._encode(message) + b"\n"

    def _send(self, message: Struct, *, to: int | None = None) -> None:
        self._entries.append(Sent(to, self._line(message)))

    def _check_due(self, seat: int) -> None:
        if seat not in self.due:
            raise ProtocolMisuseError(f"seat {seat} is not due; due are {self.due}")


def _is_version_1(version: object) -> bool:
    # JSON knows one kind of number, so 1.0 is 1; Python holds true for 1 as well, JSON does not.
    return not isinstance(version, bool) and version == PROTOCOL_VERSION


_name_replies = reply_decoder((PlayerNameReply,))
