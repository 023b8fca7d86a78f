"""Checks a log of Dominion: is there a game that sends these messages? (protocol-v1, 4 to 7, 2.15).

Supply, owned cards, trash and scores are public, so they are checked message by message. Hands are
not, but their sizes are: the clean-up publishes what was played, and with it every draw, shuffle,
discard and attack of the turn is determined, except how many cards a cellar discarded. So a turn is
collected up to its end and then explained: is there a course of it that sends these messages, from
one of the sizes that deck, hand and discard pile can have?

Where a turn ends is not always clear when its messages are read (`events.py`), and the turn of a
player without a card in hand sends none. The checker holds every reading that is possible
(`Reading`), nearly always one. When none is left, that is a finding, and it continues with one that
assumes as little as possible. It counts which cards can be in deck and hand, and does not follow
each of them: it may miss a mistake, but never reports what the rules allow.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from referee.games.dominion.events import (
    ANSWERS,
    DISQUALIFIED,
    GAINED,
    PLAYED,
    REVEALED,
    SHUFFLED,
    TOP,
    TRASHED,
    Event,
    TurnMessage,
    cards_of,
    kind_of,
    next_seat,
    score,
)
from referee.games.dominion.rules.cards import (
    CARDS,
    HAND_SIZE,
    KINGDOM,
    STARTING_DECK,
)
from referee.games.dominion.rules.game import EMPTY_PILES_TO_END, PILES_EMPTY, PROVINCES_EMPTY
from referee.games.dominion.rules.messages import GameInfo, PlayerReveal, SupplyInfo
from referee.games.dominion.rules.supply import Supply
from referee.games.dominion.validation.explanation import explain
from referee.games.dominion.validation.reading import (
    Contradiction,
    Reading,
    Seat,
    Sizes,
    furthest,
    put,
)
from referee.seam.capabilities import Finding
from referee.seam.faults import Disqualification, Termination, describe
from referee.seam.seats import seat_id, seat_index

_IN_HANDSHAKE_ONLY = (
    Disqualification.FAILED_TO_START,
    Disqualification.STARTUP_TIMEOUT,
    Disqualification.UNSUPPORTED_VERSION,
)
_IN_GAME_ONLY = (Disqualification.TIMEOUT,)
_MAX_READINGS = 100
_MAX_EVENTS = 2000
"""More than a turn can have; bounds the memory that a log without turn ends takes."""


class Checker:
    """Implements `referee.seam.capabilities.LogChecker` for Dominion."""

    def __init__(self, names: Sequence[str]) -> None:
        self._names = list(names)
        self._count = len(names)
        self._supply = dict(Supply(self._count).counts)
        self._shown = self._supply  # by the log
        self._owned = [Counter(STARTING_DECK) for _ in names]
        self._disqualified: set[int] = set()
        self._expects = "game-info"
        """The only type that may be next: game-info or supply-info; empty if others may."""
        self._gained = ""  # the card of the last message, if it was a gain
        self._opening = True  # only disqualifications so far, maybe of the handshake
        start = Seat(
            frozenset({Sizes(HAND_SIZE, len(STARTING_DECK) - HAND_SIZE, 0)}),
            Counter(STARTING_DECK),
            Counter(STARTING_DECK),
        )
        self._readings = [Reading((start,) * self._count, 0)]
        self._last_active = 0  # of the reading that was extended last
        self._last_seats = self._readings[0].seats

    def read(self, line: int, message: Struct) -> list[Finding]:
        """Read a public message of the game."""
        findings: list[Finding] = []
        if type(message) is GameInfo:
            self._read_game_info(line, message, findings)
        elif type(message) is SupplyInfo:
            self._read_supply(line, message, findings)
        else:
            event = self._event(line, message, findings)
            if event is not None:
                self._extend(event, findings)
        return findings

    def disqualify(self, line: int, seat: int, code: str) -> list[Finding]:
        """Read a `player-disqualified`."""
        findings: list[Finding] = []
        self._check_expected(line, "player-disqualified", findings)
        if seat >= self._count or seat in self._disqualified:
            expected = f"one of the {self._count - len(self._disqualified)} players in the match"
            findings.append(Finding(line, "8.3", expected, seat_id(seat)))
            return findings
        self._extend(Event(line, DISQUALIFIED, seat, (code,)), findings)
        self._disqualified.add(seat)
        return findings

    def end(
        self, line: int, scores: Sequence[int], winners: Sequence[str], reason: str
    ) -> list[Finding]:
        """Read the `game-end`."""
        findings: list[Finding] = []
        self._check_expected(line, "game-end", findings)
        points = [score(owned) for owned in self._owned]
        if list(scores) != points:
            findings.append(Finding(line, "4.5", f"scores {points}", f"scores {list(scores)}"))
        problems: list[Finding] = []
        for reading in self._readings:
            try:
                self._check_end(line, reading, points, list(winners), reason)
                return findings
            except Contradiction as problem:
                problems.append(problem.finding)
        findings.append(furthest(problems).finding)
        return findings

    # --- message by message -------------------------------------------------------------------

    def _check_expected(self, line: int, kind: str, findings: list[Finding]) -> None:
        """Check that this type may be next: at the start and after a gain only one may."""
        if self._expects and self._expects != kind:
            section = "2.15" if self._gained else "2.3" if self._expects == "game-info" else "2.4"
            findings.append(Finding(line, section, self._expects, kind))
        self._count_gain()

    def _count_gain(self) -> None:
        if self._gained:
            self._supply[self._gained] -= 1
            self._shown = {**self._shown, self._gained: self._shown[self._gained] - 1}
        self._expects = self._gained = ""

    def _read_game_info(self, line: int, message: GameInfo, findings: list[Finding]) -> None:
        if self._expects != "game-info":
            findings.append(Finding(line, "2.3", "one game-info, after the names", "another one"))
            return
        self._expects = "supply-info"
        if list(message.kingdom_cards) != list(KINGDOM):
            found = describe(", ".join(message.kingdom_cards))
            findings.append(Finding(line, "2.3", "kingdom_cards " + ", ".join(KINGDOM), found))
        if message.player_bot_names != self._names:
            expected = f"player_bot_names {self._names}"
            findings.append(Finding(line, "2.3", expected, str(message.player_bot_names)))

    def _read_supply(self, line: int, message: SupplyInfo, findings: list[Finding]) -> None:
        expected = self._expects == "supply-info"
        if not expected:
            what = self._expects or "a supply-info only at the start and after a player-gained"
            findings.append(Finding(line, "2.4", what, "supply-info"))
        self._count_gain()
        if [pile.card for pile in message.cards] != list(CARDS):
            at, card = next(
                (at, pile.card)
                for at, pile in enumerate(message.cards)
                if at >= len(CARDS) or pile.card != list(CARDS)[at]
            )
            found = f"{describe(card)} as pile {at + 1}"
            findings.append(Finding(line, "2.4", "the 17 piles in order", found))
            return
        shown = {pile.card: pile.count for pile in message.cards}
        wrong = [card for card in CARDS if shown[card] != self._supply[card]]
        if wrong and expected and shown != self._shown:
            section = "4.2" if self._opening else "2.4"
            ours = ", ".join(f"{card} {self._supply[card]}" for card in wrong)
            theirs = ", ".join(f"{card} {shown[card]}" for card in wrong)
            findings.append(Finding(line, section, ours, theirs))
        self._shown = shown  # a pile that stays wrong is reported once

    def _event(self, line: int, message: Struct, findings: list[Finding]) -> Event | None:
        """The message as an event, if it can be true of this table."""
        kind = kind_of(message)
        self._check_expected(line, kind, findings)
        assert isinstance(message, TurnMessage)
        seat = seat_index(message.player_number)
        if seat >= self._count:
            players = f"player1 to player{self._count}"
            findings.append(Finding(line, "1.6", players, message.player_number))
            return None
        cards = cards_of(message)
        unknown = [card for card in cards if card not in CARDS]
        if unknown:
            findings.append(Finding(line, "1.6", "a card", f"{kind} {describe(unknown[0])}"))
            return None
        if not cards and kind != SHUFFLED:
            findings.append(Finding(line, "2", "at least one card", f"{kind} without any"))
            return None
        owned = self._owned[seat]
        missing = Counter(cards) - owned
        if missing and kind != GAINED:
            card = next(iter(missing))
            section = {PLAYED: "5.3", TRASHED: "6", TOP: "2.8"}.get(kind, "7.3")
            expected = (
                f"at most {owned[card]} {card}, which is all that {message.player_number} has"
            )
            findings.append(Finding(line, section, expected, str(Event(line, kind, seat, cards))))
            return Event(line, kind, seat) if kind == PLAYED else None
        if kind == TRASHED and len(cards) != 1:
            findings.append(Finding(line, "2.7", "one card: each card trashes one", str(cards)))
        if kind == REVEALED and cards != ("moat",):
            findings.append(Finding(line, "7.3", "cards moat", ", ".join(cards)))
        if isinstance(message, PlayerReveal) and message.from_ != "hand":
            findings.append(Finding(line, "2.9", 'from "hand"', f"from {describe(message.from_)}"))
        event = Event(line, kind, seat, cards, None)
        if kind == TRASHED:
            event = event._replace(supply=dict(self._supply))
        if kind == GAINED and not self._supply[cards[0]]:
            expected = "a card from a pile that is not empty"
            findings.append(Finding(line, "4.2", expected, str(event)))
            return None
        return event

    def _apply(self, event: Event) -> None:
        if event.kind == GAINED:
            self._owned[event.seat][event.cards[0]] += 1
            self._gained = event.cards[0]
            self._expects = "supply-info"
        elif event.kind == TRASHED:
            self._owned[event.seat] -= Counter(event.cards)
        self._opening = self._opening and event.kind == DISQUALIFIED

    # --- turns --------------------------------------------------------------------------------

    def _extend(self, event: Event, findings: list[Finding]) -> None:
        """Extend every reading by the event, and drop those that it contradicts."""
        problems: list[Finding] = []
        found: dict[tuple[object, ...], Reading] = {}
        for reading in self._readings:
            try:
                for after in self._step(reading, event):
                    found.setdefault(_key(after), after)
            except Contradiction as problem:
                problems.append(problem.finding)
        self._readings = list(found.values())[:_MAX_READINGS]
        if not self._readings:
            findings.append(furthest(problems).finding)
            self._readings = [self._start_afresh(event)]
        self._apply(event)

    def _start_afresh(self, event: Event) -> Reading:
        """A reading that assumes nothing but what is public."""
        # A top discard may be anybody's answer to an attack; other messages are the active seat's.
        last = self._last_active
        active = last if event.kind in (*ANSWERS, DISQUALIFIED) else event.seat
        stage = "played" if event.kind == PLAYED else "turn"
        if event.kind == TOP and event.seat == active:
            stage = "done"
        turns = [seat.turns for seat in self._last_seats]
        seats = self._unknown(turns)
        return Reading(seats, active, (event,), stage, loose=True)

    def _unknown(self, turns: Sequence[int]) -> tuple[Seat, ...]:
        """Seats of which only the owned cards and the number of turns are known."""
        seats = []
        for owned, count in zip(self._owned, turns, strict=True):
            total = owned.total()
            sizes = frozenset(
                Sizes(hand, deck, total - hand - deck)
                for hand in range(min(HAND_SIZE, total) + 1)
                for deck in range(total - hand + 1)
            )
            seats.append(Seat(sizes, owned.copy(), owned.copy(), count))
        return tuple(seats)

    def _step(self, reading: Reading, event: Event) -> Iterator[Reading]:
        """Every reading that extends this one by the event.

        Raises:
            Contradiction: there is none.
        """
        self._last_active, self._last_seats = reading.active, reading.seats
        active = reading.active
        mine = event.seat == active
        if reading.stage == "played":
            if not mine or event.kind != TOP:
                expected = f"player-top-discard {seat_id(active)}"
                raise Contradiction(event.line, "2.15", expected, str(event))
            yield _with(reading, event, "done")
            return
        if reading.stage == "done":
            if mine and event.kind == SHUFFLED:
                yield self._finish(_with(reading, event, "done"), event.line)
                return
            yield from self._step(self._finish(reading, event.line), event)
            return
        if not reading.events and not reading.loose:
            self._check_not_over(reading, event)
        if len(reading.events) > _MAX_EVENTS:
            raise Contradiction(event.line, "4.4", "the end of the turn", str(event))
        problems: list[Finding] = []
        ways = 0
        try:
            for way in self._in_turn(reading, event, mine):
                ways += 1
                yield way
        except Contradiction as problem:
            problems.append(problem.finding)
        if not reading.events and not mine:
            for way in self._after_silent_turns(reading, event):
                ways += 1
                yield way
        if not ways and problems:
            raise furthest(problems)

    def _after_silent_turns(self, reading: Reading, event: Event) -> list[Reading]:
        """The event in a later turn, after turns of players without a card in hand."""
        for _ in range(self._count - 1 - len(self._disqualified)):
            if not any(size.hand == 0 for size in reading.seats[reading.active].sizes):
                break
            try:
                reading = self._finish(reading, event.line)
                return list(self._in_turn(reading, event, event.seat == reading.active))
            except Contradiction:
                continue
        return []

    def _in_turn(self, reading: Reading, event: Event, mine: bool) -> Iterator[Reading]:
        """The event as part of a turn whose clean-up has not begun."""
        active = reading.active
        owned = self._owned[active]
        kind = event.kind
        interrupted = any(e.kind == DISQUALIFIED and e.seat == active for e in reading.events)
        if kind == DISQUALIFIED:
            yield from self._in_turn_disqualified(reading, event, mine)
            return
        if mine and kind == PLAYED:
            yield _with(reading, event, "played")
            return
        if mine and kind == TOP:
            yield _with(reading, event, "done")
            tops = sum(e.kind == TOP and e.seat == active for e in reading.events)
            if tops < owned["cellar"] and not interrupted:
                yield _with(reading, event, "turn")
            return
        if mine and kind != REVEALED and not interrupted:
            yield _with(reading, event, "turn")
            return
        if not mine and kind in ANSWERS and owned["militia"]:
            answers = sum(e.seat != active for e in reading.events)
            if answers < owned["militia"] * (self._count - 1):
                yield _with(reading, event, "turn")
                return
        number = seat_id(active)
        what = "the clean-up" if interrupted else "something"
        if not mine and kind in ANSWERS:
            expected = f"{what} of {number}, whose turn it is and who has no militia for an attack"
            raise Contradiction(event.line, "7.1", expected, str(event))
        raise Contradiction(event.line, "4.1", f"{what} of {number}, whose turn it is", str(event))

    def _in_turn_disqualified(
        self, reading: Reading, event: Event, mine: bool
    ) -> Iterator[Reading]:
        """A disqualification: in the handshake, in the player's own turn, or under attack."""
        (code,) = event.cards
        if self._opening and code not in _IN_GAME_ONLY:
            without = self._disqualified | {event.seat}
            active = next_seat(event.seat, self._count, without) if mine else reading.active
            yield replace(reading, active=active)
        if code in _IN_HANDSHAKE_ONLY:
            if not self._opening:
                raise Contradiction(event.line, "3.5", "a reason within the game", code)
            return
        if mine or self._owned[reading.active]["militia"]:
            yield _with(reading, event, "turn")
        elif not self._opening or code in _IN_GAME_ONLY:
            asked = seat_id(reading.active)
            expected = f"{asked}, the only one who is asked" if not mine else asked
            raise Contradiction(event.line, "8.3", expected, str(event))

    def _finish(self, reading: Reading, line: int) -> Reading:
        """The next player's turn, after this one is explained.

        Raises:
            Contradiction: no course of this turn sends its messages.
        """
        if reading.loose:
            seats = self._unknown([seat.turns for seat in reading.seats])
        else:
            seats = explain(reading, self._disqualified, line)
        active = seats[reading.active]
        seats = put(seats, reading.active, replace(active, turns=active.turns + 1))
        return Reading(seats, next_seat(reading.active, self._count, self._disqualified))

    def _check_not_over(self, reading: Reading, event: Event) -> None:
        reason = self._over()
        if reason and any(seat.turns for seat in reading.seats):
            raise Contradiction(event.line, "4.4", f"game-end, {reason}", str(event))

    def _over(self) -> str | None:
        if not self._supply["province"]:
            return PROVINCES_EMPTY
        if sum(not count for count in self._supply.values()) >= EMPTY_PILES_TO_END:
            return PILES_EMPTY
        return None

    def _check_end(
        self,
        line: int,
        reading: Reading,
        points: list[int],
        winners: list[str],
        reason: str,
    ) -> None:
        """Whether the game ends here, for this reason and with these winners (4.4, 4.5, 8.3)."""
        here = [seat for seat in range(self._count) if seat not in self._disqualified]
        found = f"game-end, {reason}"
        if len(here) < 2:
            due = str(Termination.LAST_PLAYER_STANDING if here else Termination.NO_PLAYERS)
            won = here
        else:
            if reading.stage == "done":
                reading = self._finish(reading, line)
            elif reading.events and not reading.loose:
                number = seat_id(reading.active)
                expected = f"the clean-up of {number}, whose turn it is"
                raise Contradiction(line, "4.4", expected, found)
            turns = [seat.turns for seat in reading.seats]
            due = self._over() or (
                str(Termination.TURN_LIMIT)
                if len({turns[seat] for seat in here}) == 1 or reading.loose
                else "a turn of " + seat_id(reading.active)
            )
            best = min((-points[seat], turns[seat]) for seat in here)
            won = [seat for seat in here if (-points[seat], turns[seat]) == best]
        if due != reason:
            raise Contradiction(line, "4.4", due, found)
        expected_winners = [seat_id(seat) for seat in won]
        if winners != expected_winners:
            raise Contradiction(line, "4.5", f"winners {expected_winners}", f"winners {winners}")


def _with(reading: Reading, event: Event, stage: str) -> Reading:
    return replace(reading, events=(*reading.events, event), stage=stage)


def _key(reading: Reading) -> tuple[object, ...]:
    """Equal for readings that are the same from here on."""
    seats = tuple((s.sizes, frozenset(s.reach.items()), s.turns) for s in reading.seats)
    first = reading.events[0].line if reading.events else 0
    return (seats, reading.active, first, reading.stage, reading.loose)
