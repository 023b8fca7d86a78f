"""Plays a match as a state machine: handshake, requests, faults, disqualifications, outcome.

A `Match` adds the protocol that all games share to the rules of one game. It does no I/O and has no
clock, so it needs a driver, e.g. `runner.py`, a verifier or a test. For each seat in `due`, the
driver calls `receive` with the bot's line, or `disqualify` with a reason. Then it calls
`take_entries`. The entries depend only on the seed and the lines:

    match = Match(GAMES["dominion"], seats=2, seed=7)
    match.start()
    while match.due:
        for seat in match.due: match.receive(seat, line_of(seat))
        for entry in match.take_entries(): ...
    match.outcome, match.standings()

A match consists of rounds. In each round, one or more seats get a request, and the game continues
when all of them have answered. The first round is the handshake, in which every seat gets a
request. Seats may answer in any order, but we always put the entries in seat order. Otherwise, a
record would give away who replied faster, and playing the match again would produce a different
record.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Mapping, Sequence
from typing import Annotated, Any, NamedTuple, TypeAlias

import msgspec
from msgspec import UNSET, Meta, Struct

from referee.errors import ProtocolMisuseError, UsageError
from referee.games.interface.blaming import blaming
from referee.games.interface.definition import GameDefinition
from referee.games.interface.faults import (
    BAD_NAME_REPLY,
    Disqualification,
    Fault,
    InvalidReply,
    describe,
)
from referee.games.interface.game import (
    LEFT,
    CopyableGame,
    Game,
    GameSetup,
    Outcome,
    SeatLeft,
    SeatState,
    Viewer,
)
from referee.games.interface.random_source import RandomSource, SeededRandomSource
from referee.games.interface.seats import seat_id
from referee.games.interface.table import TableGame, Watcher, copied
from referee.match import messages as say
from referee.match.decode import decode_reply, is_blank, reply_decoder
from referee.match.pages import SHARED

MAX_SEED = 2**53
"""Upper bound of seeds (exclusive). Every JSON parser represents smaller integers exactly."""
MAX_NAME_LENGTH = 64

CONTROL_CHARACTERS = dict.fromkeys([*range(0x20), *range(0x7F, 0xA0)])
"""Characters that are removed from names (3.1), as a table for `str.translate`."""


class Sent(Struct, frozen=True, gc=False):
    """A line to send.

    Attributes:
        to: the seat that gets the line. If it's None, the line goes to all seats that are still in
            the match, and to the spectator log.
        line: the encoded message, including the newline. In a match without lines, it's empty.
        message: the message as a struct. For a request, this is `Request.written`, or in a match
            without lines `Request.message`. Requests create their messages from the state of the
            game, so read it before the match continues.
    """

    to: int | None
    line: bytes
    message: Struct


class Received(Struct, frozen=True, gc=False):
    """A line that a bot wrote as its reply, without the newline."""

    seat: int
    line: bytes


class Disqualified(Struct, frozen=True, gc=False):
    """A seat leaves the match.

    Attributes:
        code: the reason (9).
        detail: an explanation for people, in one clause.
        asked: the encoded request that the seat failed to answer.
    """

    seat: int
    code: Disqualification
    detail: str
    asked: bytes


Entry: TypeAlias = Sent | Received | Fault | Disqualified


class Redeal(Struct, frozen=True):
    """Shuffle all cards that no seat knows, before the first decision of a turn.

    Attributes:
        turn: number of the turn, from 1, counting the turns of all players. If players move
            simultaneously, a turn of all players counts once.
        seed: seed of all random numbers from this turn on.
    """

    turn: Annotated[int, Meta(ge=1)]
    seed: Annotated[int, Meta(ge=0, lt=MAX_SEED)]


class Match:
    """One match as a state machine. The module's docstring shows how to use it.

    Args:
        seed: 0 <= seed < `MAX_SEED`.
        options: an instance of `GameDefinition.options`. By default, we use the game's defaults.
        chance: the source of random numbers. By default, it's derived from the seed (4.7).
        lines: if False, messages aren't encoded (which takes most of the time), and `take_entries`
            only returns those for `readers`.
        readers: the seats that read messages in a match without lines.
        heard: the kinds of public messages that the readers get. By default, they get all kinds.
        copies: if True, the match remembers all replies, which `copy` needs.
        redeals: the redeals to carry out, sorted by turn. They only work with a seeded `chance`.

    Attributes:
        definition: the definition of the game.
        seed: the seed of the match.
        absent: the seats that left during the handshake.
        due: the seats that still have to reply. There aren't any before `start` and after the end.
        disqualified: the entries of the disqualifications, by seat.
        names: one name per seat. Until the end of the handshake, these are "PLAYER1" and so on.
        faults: for each seat, the number of faults by code.
        first_faults: the first fault of each kind, by (seat, code).
        requests: number of requests per seat, not counting the handshake.
        clocks: the clock that each seat's current request uses (`Request.clock`). A seat is missing
            if its request doesn't name a clock.
        in_handshake: True until all seats have finished the handshake (3).
        keep_alive: the seats whose bots wait for another match after this one (8.4).
        failed_handshake: the seats that left during the handshake or made a fault in it.
        outcome: the outcome, or None until the match is over.
    """

    def __init__(
        self,
        definition: GameDefinition,
        *,
        seats: int,
        seed: int,
        options: Struct | None = None,
        chance: RandomSource | None = None,
        lines: bool = True,
        readers: Sequence[int] = (),
        heard: Container[type[Struct]] | None = None,
        copies: bool = False,
        redeals: Sequence[Redeal] = (),
    ) -> None:
        self.due: tuple[int, ...] = ()
        self.disqualified: dict[int, Disqualified] = {}
        self.names = [seat_id(seat).upper() for seat in range(seats)]
        self.faults: list[Counter[str]] = [Counter() for _ in range(seats)]
        self.first_faults: dict[tuple[int, str], Fault] = {}
        self.requests = [0] * seats
        self.clocks: dict[int, str] = {}
        self.in_handshake = True
        self.keep_alive: set[int] = set()
        self.failed_handshake: frozenset[int] = frozenset()
        self.outcome: Outcome | None = None
        self.definition = definition
        self._options = definition.options() if options is None else options
        self.seed = seed
        self.absent: frozenset[int] = frozenset()
        self._chance = chance or SeededRandomSource(seed)
        self._game: Game | None = None  # None during the handshake
        self._entries: list[Entry] = []
        self._lines = lines
        self._readers = readers
        self._heard = heard
        self._redeals = list(redeals)  # those that we haven't carried out yet
        # A copy starts from a saved state of the game and repeats the steps since then. If there's
        # no saved state yet, it repeats all of them. `_since` is None if the match can't be copied.
        self._base: tuple[CopyableGame, SeededRandomSource] | None = None
        self._since: list[Step] | None = [] if copies else None
        self._before: list[Step] = []  # the steps before `_base`
        self._decoder = reply_decoder(definition.replies)
        self._encode = msgspec.json.Encoder().encode
        # The current round, by seat. An entry is held back until all lower seats have replied.
        self._asked: dict[int, Struct] = {}
        self._held_back: dict[int, list[Entry]] = {}
        self._replies: dict[int, object] = {}

    def start(self) -> None:
        """Begin the handshake: send a name request to every seat."""
        if self._asked:
            raise ProtocolMisuseError("the match was started already")
        self._ask({seat: say.PlayerNameRequest(seat_id(seat)) for seat in range(len(self.names))})

    def receive(self, seat: int, line: bytes) -> None:
        """Process the reply of a due seat. Pass the line without its newline.

        Invalid replies are fine: the game decides on their consequences. The driver has to split
        the bot's output into lines and to skip blank lines.

        Raises:
            ProtocolMisuseError: the seat isn't due, or the line is blank or more than one line
                (1.1).
        """
        if seat not in self.due:
            raise self._not_due(seat)
        if b"\n" in line or (line[:1] != b"{" and is_blank(line)):
            raise ProtocolMisuseError(f"a reply is one line that is not blank, not {line[:40]!r}")
        game = self._game
        if game is None:
            self._answer(seat, self._read_name(seat, line), None)
            return
        reply = decode_reply(line, self._decoder)
        if len(self._asked) == 1:  # A shortcut, since in most games one seat moves at a time.
            self._entries.append(Received(seat, line))
            self._advance(game, {seat: reply})
        else:
            self._answer(seat, [Received(seat, line)], reply)

    def take(self, seat: int, reply: Struct) -> None:
        """Like `receive`, but take the reply as a struct, and don't add an entry for it.

        Raises:
            ProtocolMisuseError: the seat isn't due, or is still in the handshake.
        """
        game = self._game
        if seat not in self.due or game is None:
            raise self._not_due(seat)
        if len(self._asked) == 1:
            self._advance(game, {seat: reply})
        else:
            self._answer(seat, [], reply)

    def disqualify(self, seat: int, code: Disqualification, detail: str) -> None:
        """Remove a due seat from the match (8.3)."""
        if seat not in self.due:
            raise self._not_due(seat)
        self._answer(seat, [self._leave(seat, code, detail)], LEFT)

    def take_entries(self) -> list[Entry]:
        """Return the entries since the last call, oldest first."""
        entries = self._entries
        self._entries = []
        return entries

    @blaming
    def standings(self) -> list[SeatState]:
        """Return the state of each seat, in seat order. During the handshake, the list is empty."""
        return [] if self._game is None else list(self._game.standings())

    @blaming
    def view(self, viewer: Viewer) -> Struct | None:
        """Return the game's state as a viewer sees it (`Game.view`).

        During the handshake, there's no state yet, so this returns None.
        """
        return None if self._game is None else self._game.view(viewer)

    def watch(self, moved: Watcher) -> None:
        """Call `moved` after each card that moves while a reply is carried out.

        This only works for card games.
        """
        if isinstance(self._game, TableGame):
            self._game.table.watchers.append(moved)

    @blaming
    def statistics(self) -> list[bytes]:
        """Return the game's statistics of a finished match.

        Returns:
            One JSON object per seat, in seat order. The list is empty if the game has no
            statistics.
        """
        new = self.definition.statistics
        return [] if new is None or self._game is None else new().of_match(self._game)

    @blaming
    def notes(self) -> list[list[str]]:
        """Return hints for the bots' authors after the end of a match.

        Returns:
            A list of sentences per seat, in seat order.
        """
        of_game = self.definition.notes
        if of_game is None or self._game is None:
            return [[] for _ in self.names]
        return of_game(self._game)

    @property
    def turns(self) -> int:
        """Number of turns that have begun. A turn in which all players move counts only once."""
        return 0 if self._game is None else self._game.turns

    # --- a round ------------------------------------------------------------------------------

    def _ask(self, requests: dict[int, Struct]) -> None:
        self._asked = requests
        self.due = tuple(requests)
        if self._lines:
            for seat, message in requests.items():
                self._entries.append(Sent(seat, self._line(message), message))
        else:
            for seat in self._readers:
                if seat in requests:
                    self._entries.append(Sent(seat, b"", requests[seat]))

    def _answer(self, seat: int, entries: list[Entry], reply: object) -> None:
        self.due = tuple([other for other in self.due if other != seat])
        self._replies[seat] = reply
        self._held_back[seat] = entries
        # Entries are in seat order even if replies arrive in another order, so an entry may have to
        # wait for a lower seat.
        for other in self._asked:
            if other in self._held_back:
                for entry in self._held_back.pop(other):
                    self._add_entry(entry)
            elif other in self.due:
                break
        if not self.due:
            replies = {other: self._replies.pop(other) for other in self._asked}
            if self._game is None:
                self._begin()
            else:
                self._send_disqualified([who for who in replies if replies[who] is LEFT])
                self._advance(self._game, replies)

    @blaming
    def _advance(self, game: Game, replies: Mapping[int, object]) -> None:
        if self._since is not None:
            self._since.append(replies)
        game.advance(replies)
        self._ask_or_end(game)

    def _ask_or_end(self, game: Game) -> None:
        self._publish(game)
        while self._redeals and game.turns >= self._redeals[0].turn and game.requests:
            self._deal_again(game, self._redeals.pop(0).seed)
        requests = game.requests
        if requests:
            asked, self.clocks = {}, {}
            for request in requests:
                seat = request.seat
                self.requests[seat] += 1
                if request.clock:
                    self.clocks[seat] = request.clock
                if self._lines:
                    asked[seat] = request.written
                else:
                    asked[seat] = request.message if seat in self._readers else _UNREAD
            self._ask(asked)
            return
        self.due = ()
        if game.outcome is None:
            raise ProtocolMisuseError("the game waits for nobody and has no outcome")
        self.outcome = outcome = game.outcome
        scores = [standing.score for standing in game.standings()]
        winners = [seat_id(seat) for seat in outcome.winners]
        self._send(say.GameEnd(scores, winners, outcome.reason))

    def _deal_again(self, game: Game, seed: int) -> None:
        if not hasattr(game, "redeal"):
            raise UsageError(f"{self.definition.name} cannot deal hidden cards again")
        step = _DealAgain(range(len(self.names)), seed)
        if self._since is not None:
            self._since.append(step)
        assert isinstance(self._chance, SeededRandomSource)
        step.carry_out(game, self._chance)
        # Faults from before the redeal belong to the recorded match and don't count in this one.
        for faults in self.faults:
            for code in faults.keys() - {BAD_NAME_REPLY}:
                del faults[code]
        self.first_faults = {
            key: fault for key, fault in self.first_faults.items() if key[1] == BAD_NAME_REPLY
        }

    def _publish(self, game: Game) -> None:
        encode, heard = self._encode, self._heard
        entries = self._entries
        for event in game.take_events():
            if type(event) is Fault:
                self._add_entry(event)
            elif self._lines:
                entries.append(Sent(None, encode(event) + b"\n", event))
            elif self._readers and (heard is None or type(event) in heard):
                entries.append(Sent(None, b"", event))

    # --- handshake (3) ------------------------------------------------------------------------

    def _read_name(self, seat: int, line: bytes) -> list[Entry]:
        entries: list[Entry] = [Received(seat, line)]
        reply = decode_reply(line, _name_replies)
        if isinstance(reply, InvalidReply):
            entries.append(Fault(seat, BAD_NAME_REPLY, SHARED.wrong_name_reply, reply.detail))
            return entries
        assert isinstance(reply, say.PlayerNameReply)  # the only struct in _name_replies
        if reply.version is not UNSET and not _is_version_1(reply.version):
            code = Disqualification.UNSUPPORTED_VERSION
            detail = f"`version` is {describe(reply.version)}; only 1 is spoken here"
            entries.append(self._leave(seat, code, detail))
        elif reply.player_number != seat_id(seat):
            detail = f"`player_number` is {describe(reply.player_number)}"
            entries.append(Fault(seat, BAD_NAME_REPLY, SHARED.wrong_name_reply, detail))
        elif not isinstance(reply.name, str):
            detail = f"`name` is {describe(reply.name)}, not a string"
            entries.append(Fault(seat, BAD_NAME_REPLY, SHARED.wrong_name_reply, detail))
        else:
            self.names[seat] = reply.name.translate(CONTROL_CHARACTERS)[:MAX_NAME_LENGTH]
            if reply.keep_alive is True:
                self.keep_alive.add(seat)
        return entries

    @blaming
    def _begin(self) -> None:
        wrong = {seat for seat, faults in enumerate(self.faults) if faults[BAD_NAME_REPLY]}
        self.failed_handshake = frozenset(wrong | self.disqualified.keys())
        self.absent = frozenset(self.disqualified)
        for seat, name in enumerate(self.names):
            self._send(say.PlayerName(seat_id(seat), name))
        self._game = self._new_game(self._chance)
        self.in_handshake = False
        self._publish(self._game)
        self._send_disqualified(sorted(self.disqualified))
        self._ask_or_end(self._game)

    def _new_game(self, chance: RandomSource) -> Game:
        setup = GameSetup(
            chance=chance,
            names=tuple(self.names),
            options=self._options,
            absent=self.absent,
            seed=self.seed,
        )
        return self.definition.new(setup)

    @property
    def can_redeal(self) -> bool:
        """True if the game can deal hidden cards again (`copy` with a viewer, and `Redeal`)."""
        return hasattr(self._game, "redeal")

    @property
    def in_round(self) -> bool:
        """True if at least one seat has replied in this round, but not all seats have."""
        return bool(self._replies)

    @property
    def replied(self) -> dict[int, object]:
        """The replies of the seats that have already replied in this round."""
        return dict(self._replies)

    # --- copies -------------------------------------------------------------------------------

    def copy(self, viewer: int | None = None, seed: int = 0) -> Match:
        """Copy the match in its current state. You continue the copy with `take`.

        If you name a viewer, the copy gets new random values for everything that this seat doesn't
        know. As far as the seat can tell, the copy could be the real match, so a bot can search in
        it without cheating. A copy never encodes its messages.

        Args:
            viewer: a due seat. If it's None, we make an exact copy.
            seed: the seed for these values, and for all later random numbers. For a given seed, the
                result depends only on the viewer's knowledge.

        Raises:
            ProtocolMisuseError: the match was created without `copies` or is in the handshake, the
                viewer isn't due, or another seat has already replied in this round.
        """
        if self._game is None or self._since is None:
            raise ProtocolMisuseError(
                "only a match with `copies` can be copied, after its handshake"
            )
        new = copied(self)
        new._lines, new._readers, new._entries = False, (), []
        new.faults = [codes.copy() for codes in self.faults]
        game, chance = self._copied_game(self._game, self._since)
        new._base, new._since = self._base, self._since.copy()
        new._before = self._before.copy()
        new._game, new._chance = game, chance
        if viewer is not None:
            if viewer not in self.due or self._replies:
                raise ProtocolMisuseError("the viewer has no request, or another seat has replied")
            # Seats don't learn about each other's faults.
            new.faults = [Counter() for _ in self.faults]
            new.first_faults = {}
            step = _DealAgain((viewer,), seed)
            new._since.append(step)
            step.carry_out(game, chance)
        return new

    @blaming
    def _copied_game(self, game: Any, since: list[Step]) -> tuple[Any, SeededRandomSource]:
        # Not every game can copy itself in every state. If the current state can't be copied, we
        # copy the last state that could, and play the later replies again.
        if self._base is None or since:
            assert isinstance(self._chance, SeededRandomSource)
            chance = self._chance.copy()
            now = game.copy(chance) if hasattr(game, "copy") else None
            if now is not None:  # we never play _base itself, only copies
                self._base = now, chance
                self._before += since
                since.clear()
        if self._base is not None:
            chance = self._base[1].copy()
            copy: Any = self._base[0].copy(chance)
        else:
            chance = SeededRandomSource(self.seed)
            copy = self._new_game(chance)
        for step in since:
            if isinstance(step, _DealAgain):
                step.carry_out(copy, chance)
            else:
                copy.advance(step)
        copy.take_events()
        return copy, chance

    @property
    def history(self) -> list[Step]:
        """All steps since the handshake, to pass to `repeat`. This is empty without `copies`."""
        return [*self._before, *(self._since or ())]

    def repeat(self, step: Step, seats: Iterable[int]) -> None:
        """Carry out a step from the `history` of another match that began the same way.

        Args:
            seats: carry out only the replies of these seats.
        """
        if isinstance(step, _DealAgain):
            game, chance = self._game, self._chance
            assert isinstance(chance, SeededRandomSource)
            assert self._since is not None
            self._since.append(step)
            step.carry_out(game, chance)
            return
        for seat in seats:
            reply = step.get(seat)
            if isinstance(reply, SeatLeft):
                self.disqualify(seat, Disqualification.EXITED, "it left the match before")
            elif reply is not None:
                self.take(seat, reply)  # type: ignore[arg-type]

    # --- helpers ------------------------------------------------------------------------------

    def _leave(self, seat: int, code: Disqualification, detail: str) -> Disqualified:
        leaving = Disqualified(seat, code, detail, self._line(self._asked[seat]))
        self.disqualified[seat] = leaving
        self.keep_alive.discard(seat)
        return leaving

    def _send_disqualified(self, seats: Iterable[int]) -> None:
        for seat in seats:
            self._send(say.PlayerDisqualified(seat_id(seat), self.disqualified[seat].code))

    def _add_entry(self, entry: Entry) -> None:
        if type(entry) is Fault:
            self.faults[entry.seat][entry.code] += 1
            self.first_faults.setdefault((entry.seat, entry.code), entry)
        self._entries.append(entry)

    def _line(self, message: Struct) -> bytes:
        return self._encode(message) + b"\n"

    def _send(self, message: Struct) -> None:
        if self._lines:
            self._entries.append(Sent(None, self._line(message), message))
        elif self._readers and (self._heard is None or type(message) in self._heard):
            self._entries.append(Sent(None, b"", message))

    def _not_due(self, seat: int) -> ProtocolMisuseError:
        return ProtocolMisuseError(f"seat {seat} is not due; due are {self.due}")


def _is_version_1(version: object) -> bool:
    # 1.0 is fine, because JSON doesn't distinguish 1.0 from 1. But only Python treats True as 1.
    return not isinstance(version, bool) and version == say.PROTOCOL_VERSION


class _DealAgain(NamedTuple):
    """Redeals what none of these seats knows."""

    seats: Sequence[int]
    seed: int

    def carry_out(self, game: Any, chance: SeededRandomSource) -> None:
        chance.reseed(self.seed)
        game.redeal(self.seats, chance)


Step: TypeAlias = "Mapping[int, object] | _DealAgain"
"""A step of a match: the replies of a round by seat, or a redeal."""
_UNREAD = Struct()
_name_replies = reply_decoder((say.PlayerNameReply,))
