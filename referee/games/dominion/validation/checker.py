"""Dominion as its public messages tell it: is there a game that sends them? (4 to 7, 2.15).

Theory of operation. Supply, cards owned, trash and scores are public, so they are checked message
by message. Hands are not, but their sizes are: what was played is told at the clean-up, and with it
every draw, shuffle, discard and attack of the turn is determined, but for how many cards a cellar
discarded. So a turn is collected up to its end and then explained: is there a course of it that
sends these messages, from one of the sizes that deck, hand and discard pile can have?

Where a turn ends is not always clear when its messages are read (`events.py`), and a player without
a card in hand takes a turn that sends none. The checker holds every reading that is possible
(`Reading`), nearly always one; when none is left, that is a finding, and it goes on with one that
knows as little as possible. What it asks is necessary, not all that is: it counts which cards can
be in deck and hand, and does not follow each of them. So it never reports what the rules allow.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from referee.games.dominion.events import (
    ANSWERS,
    GAINED,
    GONE,
    PLAYED,
    REVEALED,
    SHUFFLED,
    TOP,
    TRASHED,
    Event,
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
from referee.games.dominion.rules.messages import (
    GameInfo,
    PlayerGained,
    PlayerPlayed,
    PlayerReveal,
    PlayerShuffled,
    PlayerTopDiscard,
    PlayerTrashed,
    SupplyInfo,
)
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
from referee.seam.faults import Termination, describe
from referee.seam.seats import SEAT_IDS, seat_id

_IN_HANDSHAKE_ONLY = ("failed-to-start", "startup-timeout", "unsupported-version")
_IN_GAME_ONLY = ("timeout",)
_MAX_READINGS = 100
_MAX_EVENTS = 2000
"""More than a turn can have; a log that goes on and on is not kept in memory."""


class Checker:
    """Implements `referee.seam.capabilities.LogChecker` for Dominion."""

    def __init__(self, names: Sequence[str]) -> None:
        self._names = list(names)
        self._count = len(names)
        self._supply = dict(Supply(self._count).counts)
        self._told = self._supply  # as the log has it
        self._owned = [Counter(STARTING_DECK) for _ in names]
        self._gone: set[int] = set()
        self._expects = "game-info"
        """The type that must come next, where there is but one: game-info, supply-info or none."""
        self._gained = ""
        self._opening = True  # nothing but the start was seen, so a seat may go for its handshake
        start = Seat(
            frozenset({Sizes(HAND_SIZE, len(STARTING_DECK) - HAND_SIZE, 0)}),
            Counter(STARTING_DECK),
            Counter(STARTING_DECK),
        )
        self._readings = [Reading((start,) * self._count, 0)]
        self._last_active = 0  # as of the reading that was looked at last
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
                self._happen(event, findings)
        return findings

    def disqualify(self, line: int, seat: int, code: str) -> list[Finding]:
        """Read a `player-disqualified`."""
        findings: list[Finding] = []
        self._check_expected(line, "player-disqualified", findings)
        if seat >= self._count or seat in self._gone:
            expected = f"one of the {self._count - len(self._gone)} players in the match"
            findings.append(Finding(line, "8.3", expected, seat_id(seat)))
            return findings
        self._happen(Event(line, GONE, seat, (code,)), findings)
        self._gone.add(seat)
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
        """After a gain and at the start one type of message is due."""
        if self._expects and self._expects != kind:
            section = "2.15" if self._gained else "2.3" if self._expects == "game-info" else "2.4"
            findings.append(Finding(line, section, self._expects, kind))
        self._count_gain()

    def _count_gain(self) -> None:
        if self._gained:
            self._supply[self._gained] -= 1
            self._told = {**self._told, self._gained: self._told[self._gained] - 1}
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
        told = {pile.card: pile.count for pile in message.cards}
        wrong = [card for card in CARDS if told[card] != self._supply[card]]
        if wrong and expected and told != self._told:
            section = "4.2" if self._opening else "2.4"
            ours = ", ".join(f"{card} {self._supply[card]}" for card in wrong)
            theirs = ", ".join(f"{card} {told[card]}" for card in wrong)
            findings.append(Finding(line, section, ours, theirs))
        self._told = told  # what is wrong once and stays wrong is said once

    def _event(self, line: int, message: Struct, findings: list[Finding]) -> Event | None:
        """What the message says, if it can be true of this table."""
        kind = kind_of(message)
        self._check_expected(line, kind, findings)
        assert isinstance(
            message,
            PlayerGained
            | PlayerPlayed
            | PlayerTrashed
            | PlayerTopDiscard
            | PlayerReveal
            | PlayerShuffled,
        )
        seat = SEAT_IDS.index(message.player_number)
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
        self._opening = self._opening and event.kind == GONE

    # --- turns --------------------------------------------------------------------------------

    def _happen(self, event: Event, findings: list[Finding]) -> None:
        """Go on with every reading that the event fits in."""
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
        """A reading that knows nothing but what everybody sees."""
        # A top discard may be anybody's answer to an attack, what else is told is of the active.
        last = self._last_active
        active = last if event.kind in (*ANSWERS, GONE) else event.seat
        stage = "played" if event.kind == PLAYED else "turn"
        if event.kind == TOP and event.seat == active:
            stage = "done"
        turns = [seat.turns for seat in self._last_seats]
        seats = self._unknown(turns)
        return Reading(seats, active, (event,), stage, loose=True)

    def _unknown(self, turns: Sequence[int]) -> tuple[Seat, ...]:
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
        """Every way in which the event follows.

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
            self._check_goes_on(reading, event)
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
            # Unless the active player's turn was one that nobody hears of.
            for way in self._after_silence(reading, event):
                ways += 1
                yield way
        if not ways and problems:
            raise furthest(problems)

    def _after_silence(self, reading: Reading, event: Event) -> list[Reading]:
        if not any(size.hand == 0 for size in reading.seats[reading.active].sizes):
            return []
        if len(self._gone) + 1 >= self._count:
            return []
        try:
            return list(self._in_turns_after(self._finish(reading, event.line), event, 1))
        except Contradiction:
            return []

    def _in_turns_after(self, reading: Reading, event: Event, lap: int) -> Iterator[Reading]:
        if event.seat == reading.active:
            yield from self._in_turn(reading, event, True)
        elif lap < self._count:
            try:
                yield from self._in_turn(reading, event, False)
            except Contradiction:
                if any(size.hand == 0 for size in reading.seats[reading.active].sizes):
                    silent = self._finish(reading, event.line)
                    yield from self._in_turns_after(silent, event, lap + 1)

    def _in_turn(self, reading: Reading, event: Event, mine: bool) -> Iterator[Reading]:
        """An event of a turn that is going on, before its clean-up has begun."""
        active = reading.active
        owned = self._owned[active]
        kind = event.kind
        interrupted = any(e.kind == GONE and e.seat == active for e in reading.events)
        if kind == GONE:
            yield from self._goes(reading, event, mine)
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

    def _goes(self, reading: Reading, event: Event, mine: bool) -> Iterator[Reading]:
        """A player leaves: for its handshake, in its own turn, or when it was attacked."""
        (code,) = event.cards
        if self._opening and code not in _IN_GAME_ONLY:
            gone = self._gone | {event.seat}
            active = next_seat(event.seat, self._count, gone) if mine else reading.active
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
        """The next player's turn, if this one can be explained."""
        if reading.loose:
            seats = self._unknown([seat.turns for seat in reading.seats])
        else:
            seats = explain(reading, self._gone, line)
        active = seats[reading.active]
        seats = put(seats, reading.active, replace(active, turns=active.turns + 1))
        return Reading(seats, next_seat(reading.active, self._count, self._gone))

    def _check_goes_on(self, reading: Reading, event: Event) -> None:
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
        here = [seat for seat in range(self._count) if seat not in self._gone]
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
