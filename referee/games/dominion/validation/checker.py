"""Check whether a log can be from a real game of Dominion (protocol-v1, 4 to 7, 2.15).

The supply, the players' cards, the trash and the scores are public, so we check them as we read
each message. For everything else, we have to wait for the clean-up, which shows the cards that were
played. We can't see hands, but we usually know how many cards are in them. The played cards then
determine all draws, shuffles, discards and attacks of the turn. The only thing that we still don't
know is how many cards a cellar discarded. That's why we collect the messages of a turn and then
look for a course of the turn that explains them (`explanation.py`). If we aren't sure how many
cards were in deck, hand and discard pile at the beginning, we try all possibilities.

When we read a message, it isn't always clear whether it ends the turn (`events.py`). If a player
has no cards in hand, there isn't any message about its turn at all. We therefore keep every
possible `Reading` of the log, but there's almost always only one. If none is left, we report a
finding and continue with a reading that assumes as little as possible.

Note that we only count the cards that can be in deck and hand. Tracking each card would take far
too many readings. For this reason, the checker may miss a mistake, but it never reports a mistake
in a valid log.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import zip_longest

from msgspec import Struct
from msgspec.structs import replace

from referee.games.dominion.events import Event, Kind, Ledger, TurnMessage
from referee.games.dominion.rules.cards import HAND_SIZE, KINGDOM, STARTING_DECK, kingdom_of
from referee.games.dominion.rules.game import EMPTY_PILES_TO_END, PILES_EMPTY, PROVINCES_EMPTY
from referee.games.dominion.rules.messages import GameInfo, PlayerReveal, SupplyInfo
from referee.games.dominion.rules.supply import Supply
from referee.games.dominion.validation.explanation import (
    Contradiction,
    Explanation,
    Reading,
    Seat,
    Sizes,
    contradicts,
    every_way,
    put,
)
from referee.games.interface.capabilities import Finding
from referee.games.interface.faults import Disqualification, EndReason, describe
from referee.games.interface.log_player import End, Gone
from referee.games.interface.seats import seat_id

_IN_HANDSHAKE_ONLY = ("failed-to-start", "startup-timeout", "unsupported-version")
_MAX_READINGS = 100
_MAX_EVENTS = 2000
"""Maximum number of messages in a turn. A log in which no turn ends could fill our memory."""


class Checker:
    """Implements `referee.games.interface.capabilities.LogChecker` for Dominion."""

    def __init__(self, names: Sequence[str]) -> None:
        self._names = list(names)
        self._count = len(names)
        self._supply = dict(Supply(self._count, kingdom_of(None)).counts)
        self._shown = self._supply  # the supply according to the log, even if it's wrong
        self._ledger = Ledger(self._count)
        self._disqualified: set[int] = set()
        self._expects = "game-info"
        """The type that the next message must have, or "" if several types are possible."""
        self._gained = ""  # the gained card if the last message was a gain
        self._opening = True  # True if all messages so far were disqualifications
        dealt = frozenset({Sizes(HAND_SIZE, len(STARTING_DECK) - HAND_SIZE, 0)})
        start = Seat(dealt, Counter(STARTING_DECK), Counter(STARTING_DECK))
        self._line = 0
        self._findings: list[Finding] = []  # findings of this line
        self._readings = [Reading((start,) * self._count, 0)]
        self._last_active = 0  # whose turn it was in the reading that we extended last
        self._last_seats = self._readings[0].seats

    def read(self, line: int, message: Struct) -> list[Finding]:
        self._line, self._findings = line, []
        if type(message) is GameInfo:
            self._read_game_info(message)
        elif type(message) is SupplyInfo:
            self._read_supply(message)
        elif type(message) is Gone:
            self._read_disqualified(message.seat, message.code)
        elif type(message) is End:
            self._read_end(message)
        else:
            event = self._event(message)
            if event is not None:
                self._extend(event)
        return self._findings

    def _read_disqualified(self, seat: int, code: str) -> None:
        self._check_expected("player-disqualified")
        if seat >= self._count or seat in self._disqualified:
            here = self._count - len(self._disqualified)
            self._find("8.3", f"one of the {here} players in the match", seat_id(seat))
        else:
            self._extend(Event(self._line, Kind.DISQUALIFIED, seat, (code,)))
            self._disqualified.add(seat)

    def _read_end(self, end: End) -> None:
        self._check_expected("game-end")
        points = self._ledger.scores()
        if end.scores != points:
            self._find("4.5", f"scores {points}", f"scores {end.scores}")
        try:
            every_way(lambda each: self._end(each, points, end.winners, end.reason), self._readings)
        except Contradiction as problem:
            self._findings.append(problem.finding)

    def _find(self, section: str, expected: str, found: str) -> None:
        self._findings.append(Finding(self._line, section, expected, found))

    # --- message by message -------------------------------------------------------------------

    def _check_expected(self, kind: str) -> None:
        if self._expects and self._expects != kind:
            section = "2.15" if self._gained else "2.3" if self._expects == "game-info" else "2.4"
            self._find(section, self._expects, kind)
        self._count_gain()

    def _count_gain(self) -> None:
        if self._gained:
            self._supply[self._gained] -= 1
            self._shown = {**self._shown, self._gained: self._shown[self._gained] - 1}
        self._expects = self._gained = ""

    def _read_game_info(self, message: GameInfo) -> None:
        if self._expects != "game-info":
            self._find("2.3", "one game-info, after the names", "another one")
            return
        self._expects = "supply-info"
        shown, always = message.kingdom_cards, kingdom_of(None)
        if {*always} <= {*shown} and shown == [card for card in KINGDOM if card in shown]:
            self._supply = dict(Supply(self._count, shown).counts)
            self._shown = self._supply
        else:
            found = describe(", ".join(shown))
            self._find("2.3", "kingdom_cards " + ", ".join(always), found)
        if message.player_bot_names != self._names:
            self._find("2.3", f"player_bot_names {self._names}", str(message.player_bot_names))

    def _read_supply(self, message: SupplyInfo) -> None:
        expected = self._expects == "supply-info"
        if not expected:
            what = self._expects or "a supply-info only at the start and after a player-gained"
            self._find("2.4", what, "supply-info")
        self._count_gain()
        piles = [pile.card for pile in message.cards]
        for place, (pile, card) in enumerate(zip_longest(piles, self._supply), 1):
            if pile != card:
                due = f"the {len(self._supply)} piles in order"
                self._find("2.4", due, f"{describe(pile)} as pile {place}")
                return
        shown = {pile.card: pile.count for pile in message.cards}
        wrong = [card for card, count in self._supply.items() if shown[card] != count]
        if wrong and expected and shown != self._shown:
            ours = ", ".join(f"{card} {self._supply[card]}" for card in wrong)
            theirs = ", ".join(f"{card} {shown[card]}" for card in wrong)
            self._find("4.2" if self._opening else "2.4", ours, theirs)
        self._shown = shown  # Report a wrong pile only once.

    def _event(self, message: Struct) -> Event | None:
        assert isinstance(message, TurnMessage)
        event = Event.of(message, self._line)
        kind, seat, cards = event.kind, event.seat, event.cards
        self._check_expected(kind)
        if seat >= self._count:
            self._find("1.6", f"player1 to player{self._count}", message.player_number)
            return None
        unknown = [card for card in cards if card not in self._supply]
        if unknown:
            self._find("1.6", "a card", f"{kind} {describe(unknown[0])}")
            return None
        if not cards and kind != Kind.SHUFFLED:
            self._find("2", "at least one card", f"{kind} without any")
            return None
        # To explain a trashing, we have to know which cards could be gained for it. We do that at
        # the end of the turn, when the supply has changed, so keep a copy of it.
        if kind == Kind.TRASHED:
            event = event._replace(supply=dict(self._supply))
        owned = self._ledger.owned[seat]
        missing = Counter(cards) - owned
        if missing and kind != Kind.GAINED:
            card = next(iter(missing))
            who = f"which is all that {message.player_number} has"
            section = {Kind.PLAYED: "5.3", Kind.TRASHED: "6", Kind.TOP: "2.8"}.get(kind, "7.3")
            self._find(section, f"at most {owned[card]} {card}, {who}", str(event))
            return event._replace(cards=()) if kind == Kind.PLAYED else None
        if kind == Kind.TRASHED and len(cards) != 1:
            self._find("2.7", "one card: each card trashes one", str(cards))
        if kind == Kind.REVEALED and cards != ("moat",):
            self._find("7.3", "cards moat", ", ".join(cards))
        if isinstance(message, PlayerReveal) and message.from_ != "hand":
            self._find("2.9", 'from "hand"', f"from {describe(message.from_)}")
        if kind == Kind.GAINED and not self._supply[cards[0]]:
            self._find("4.2", "a card from a pile that is not empty", str(event))
            return None
        return event

    # --- turns --------------------------------------------------------------------------------

    def _extend(self, event: Event) -> None:
        found: dict[tuple[object, ...], Reading] = {}
        try:
            # Different readings often lead to the same state, and then we only keep the first.
            # Otherwise, each ambiguous message would double their number.
            for after in every_way(lambda reading: self._step(reading, event), self._readings):
                found.setdefault(_key(after), after)
            self._readings = list(found.values())[:_MAX_READINGS]
        except Contradiction as problem:
            self._findings.append(problem.finding)
            # Forget everything except public information. Otherwise, we'd report the same mistake
            # again for each message that follows.
            self._readings = [self._start_afresh(event)]
        if event.kind == Kind.GAINED:
            self._gained = event.cards[0]
            self._expects = "supply-info"
        self._ledger.count(event)
        self._opening = self._opening and event.kind == Kind.DISQUALIFIED

    def _start_afresh(self, event: Event) -> Reading:
        # A top discard may be anybody's answer to an attack. Other messages belong to the active
        # seat.
        last = self._last_active
        active = last if event.kind in (*Kind.ANSWERS, Kind.DISQUALIFIED) else event.seat
        stage = "played" if event.kind == Kind.PLAYED else "turn"
        if event.kind == Kind.TOP and event.seat == active:
            stage = "done"
        return Reading(self._unknown(self._last_seats), active, (event,), stage, loose=True)

    def _unknown(self, before: Sequence[Seat]) -> tuple[Seat, ...]:
        # We only know which cards the seats own and how many turns they've had, so every split into
        # hand, deck and discard pile is possible.
        seats = []
        for owned, seat in zip(self._ledger.owned, before, strict=True):
            total = owned.total()
            sizes = frozenset(
                Sizes(hand, deck, total - hand - deck)
                for hand in range(min(HAND_SIZE, total) + 1)
                for deck in range(total - hand + 1)
            )
            seats.append(Seat(sizes, owned.copy(), owned.copy(), seat.turns))
        return tuple(seats)

    def _step(self, reading: Reading, event: Event) -> Iterator[Reading]:
        """Extend a reading by an event. Yields several readings if the event is ambiguous.

        Raises:
            Contradiction: the event can't follow here.
        """
        self._last_active, self._last_seats = reading.active, reading.seats
        active = reading.active
        mine = event.seat == active
        if reading.stage == "played":
            if not mine or event.kind != Kind.TOP:
                raise contradicts(event, "2.15", f"player-top-discard {seat_id(active)}")
            yield _with(reading, event, "done")
            return
        if reading.stage == "done":
            if mine and event.kind == Kind.SHUFFLED:
                yield self._finish(_with(reading, event, "done"))
                return
            yield from self._step(self._finish(reading), event)
            return
        # A turn can't begin if the game is over.
        if not reading.events and not reading.loose:
            reason = self._over()
            if reason and any(seat.turns for seat in reading.seats):
                raise contradicts(event, "4.4", f"game-end, {reason}")
        if len(reading.events) > _MAX_EVENTS:
            raise contradicts(event, "4.4", "the end of the turn")
        ways = [self._in_turn]
        if not reading.events and not mine:
            ways.append(self._after_silent_turns)
        yield from every_way(lambda way: way(reading, event), ways)

    def _after_silent_turns(self, reading: Reading, event: Event) -> Iterator[Reading]:
        # If a player has no cards in hand, its turn doesn't leave any messages. Assume one such
        # turn after the other, until the event fits.
        for _ in range(self._count - 1 - len(self._disqualified)):
            if not any(size.hand == 0 for size in reading.seats[reading.active].sizes):
                return
            try:
                reading = self._finish(reading)
                yield from list(self._in_turn(reading, event))
                return
            except Contradiction:
                continue

    def _in_turn(self, reading: Reading, event: Event) -> Iterator[Reading]:
        """Extend a reading by an event of the current turn, whose clean-up hasn't begun yet."""
        active = reading.active
        mine = event.seat == active
        owned = self._ledger.owned[active]
        kind = event.kind
        interrupted = any(e.kind == Kind.DISQUALIFIED and e.seat == active for e in reading.events)
        if kind == Kind.DISQUALIFIED:
            yield from self._in_turn_disqualified(reading, event)
            return
        if mine and kind == Kind.PLAYED:
            yield _with(reading, event, "played")
            return
        # A top discard may end a turn without played cards, or come from a cellar. We try both, but
        # allow no more cellars than the player has.
        if mine and kind == Kind.TOP:
            yield _with(reading, event, "done")
            tops = sum(e.kind == Kind.TOP and e.seat == active for e in reading.events)
            if tops < owned["cellar"] and not interrupted:
                yield _with(reading, event, "turn")
            return
        # If a player was disqualified in its turn, only the clean-up can follow.
        if mine and kind != Kind.REVEALED and not interrupted:
            yield _with(reading, event, "turn")
            return
        if not mine and kind in Kind.ANSWERS and owned["militia"]:
            answers = sum(e.seat != active for e in reading.events)
            if answers < owned["militia"] * (self._count - 1):
                yield _with(reading, event, "turn")
                return
        number = seat_id(active)
        what = "the clean-up" if interrupted else "something"
        if not mine and kind in Kind.ANSWERS:
            expected = f"{what} of {number}, whose turn it is and who has no militia for an attack"
            raise contradicts(event, "7.1", expected)
        raise contradicts(event, "4.1", f"{what} of {number}, whose turn it is")

    def _in_turn_disqualified(self, reading: Reading, event: Event) -> Iterator[Reading]:
        mine = event.seat == reading.active
        (code,) = event.cards
        if self._opening and code != Disqualification.TIMEOUT:
            active = reading.active
            if mine:
                active = self._ledger.next_seat(event.seat, self._disqualified)
            yield replace(reading, active=active)
        if code in _IN_HANDSHAKE_ONLY:
            if not self._opening:
                raise Contradiction(event.line, "3.5", "a reason within the game", code)
            return
        # Players can only be disqualified while they have a request. In another player's turn,
        # that's only possible because of a militia.
        if mine or self._ledger.owned[reading.active]["militia"]:
            yield _with(reading, event, "turn")
        elif not self._opening or code == Disqualification.TIMEOUT:
            expected = f"{seat_id(reading.active)}, the only one who is asked"
            raise contradicts(event, "8.3", expected)

    def _finish(self, reading: Reading) -> Reading:
        """End the current turn of a reading. Returns a reading in which the next turn begins.

        Raises:
            Contradiction: we can't explain the messages of the turn.
        """
        if reading.loose:
            seats = self._unknown(reading.seats)
        else:
            seats = Explanation(reading, self._disqualified, self._line).seats()
        active = seats[reading.active]
        seats = put(seats, reading.active, replace(active, turns=active.turns + 1))
        return Reading(seats, self._ledger.next_seat(reading.active, self._disqualified))

    def _over(self) -> str | None:
        if not self._supply["province"]:
            return PROVINCES_EMPTY
        if sum(not count for count in self._supply.values()) >= EMPTY_PILES_TO_END:
            return PILES_EMPTY
        return None

    def _end(
        self, reading: Reading, points: Sequence[int], winners: Sequence[str], reason: str
    ) -> list[Reading]:
        # Check whether the game can end here with this reason and these winners (4.5, 8.3).
        here = [seat for seat in range(self._count) if seat not in self._disqualified]
        found = f"game-end, {reason}"
        if len(here) < 2:
            due = str(EndReason.LAST_PLAYER_STANDING if here else EndReason.NO_PLAYERS)
            won = here
        else:
            if reading.stage == "done":
                reading = self._finish(reading)
            elif reading.events and not reading.loose:
                number = seat_id(reading.active)
                expected = f"the clean-up of {number}, whose turn it is"
                raise Contradiction(self._line, "4.4", expected, found)
            # A log doesn't contain the turn limit, which is an option. The limit may have been
            # reached after any full round.
            turns = [seat.turns for seat in reading.seats]
            due = self._over() or (
                str(EndReason.TURN_LIMIT)
                if len({turns[seat] for seat in here}) == 1 or reading.loose
                else "a turn of " + seat_id(reading.active)
            )
            best = min((-points[seat], turns[seat]) for seat in here)
            won = [seat for seat in here if (-points[seat], turns[seat]) == best]
        if due != reason:
            raise Contradiction(self._line, "4.4", due, found)
        right, found = (f"winners {list(each)}" for each in (map(seat_id, won), winners))
        if right != found:
            raise Contradiction(self._line, "4.5", right, found)
        return [reading]


def _with(reading: Reading, event: Event, stage: str) -> Reading:
    return replace(reading, events=(*reading.events, event), stage=stage)


def _key(reading: Reading) -> tuple[object, ...]:
    # If two readings have the same key, the same messages can follow, so we only need one.
    seats = tuple((s.sizes, frozenset(s.reach.items()), s.turns) for s in reading.seats)
    first = reading.events[0].line if reading.events else 0
    return (seats, reading.active, first, reading.stage, reading.loose)
