"""Dominion as its public messages tell it: is there a game that sends them? (4 to 7, 2.15).

Theory of operation. Supply, cards owned, trash and scores are public, so they are checked message
by message. Hands are not, but their sizes are: what was played is told at the clean-up, and with it
every draw, shuffle, discard and attack of the turn is determined, but for how many cards a cellar
discarded. So a turn is collected up to its end and then explained: is there a course of it that
sends these messages, from one of the sizes that deck, hand and discard pile can have (`_explain`)?

Where a turn ends is not always plain when it is read: a top discard before `player-played` is a
cellar's, or the clean-up of a turn in which nothing was played. And a player without a single card
in hand takes a turn that nobody hears of. The observer holds every reading that is possible
(`_Reading`), nearly always one; when none is left, that is a finding, and it goes on with one that
knows as little as possible. What it asks is necessary, not all that is: it counts which cards can
be in deck and hand, and does not follow each of them. So it never reports what the rules allow.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple, NoReturn

from msgspec import Struct
from msgspec.structs import replace

from referee.dominion.cards import (
    CARDS,
    COST,
    HAND_SIZE,
    KINGDOM,
    MILITIA_HAND_SIZE,
    POINTS,
    STARTING_DECK,
    WORTH,
)
from referee.dominion.messages import (
    GameInfo,
    PlayerGained,
    PlayerPlayed,
    PlayerReveal,
    PlayerShuffled,
    PlayerTopDiscard,
    PlayerTrashed,
    SupplyInfo,
)
from referee.dominion.supply import Supply
from referee.game import PLAYER_NUMBERS, Finding, Termination, describe, player_number

_DRAWS = {"smithy": 3, "moat": 2, "village": 1, "market": 1}
_ACTIONS = {"village": 2, "market": 1, "cellar": 1}
_BUYS = {"market": 1, "woodcutter": 1}
_MONEY = {"market": 1, "woodcutter": 2, "militia": 2}
_IN_HANDSHAKE_ONLY = ("failed-to-start", "startup-timeout", "unsupported-version")
_IN_GAME_ONLY = ("timeout",)
_MAX_READINGS = 100
_MAX_EVENTS = 2000
"""More than a turn can have; a log that goes on and on is not kept in memory."""

_GAINED, _TRASHED, _TOP, _REVEALED, _SHUFFLED, _PLAYED, _GONE = (
    "player-gained",
    "player-trashed",
    "player-top-discard",
    "player-reveal",
    "player-shuffled",
    "player-played",
    "player-disqualified",
)


class _Event(NamedTuple):
    """A message of a turn."""

    line: int
    kind: str
    seat: int
    cards: tuple[str, ...] = ()
    supply: dict[str, int] | None = None  # before it, where it matters

    def __str__(self) -> str:
        cards = " " + ", ".join(self.cards) if self.cards else ""
        return f"{self.kind} {player_number(self.seat)}{cards}"


class _Sizes(NamedTuple):
    """How many cards lie where, outside a turn; in it, apart from those in play."""

    hand: int
    deck: int
    discard: int


class _Seat(Struct, frozen=True):
    """What can be known of a seat between its turns.

    Attributes:
        sizes: all that are possible.
        owned: every card.
        reach: of each card how many can be in deck and hand at most; the others are known to lie
            on the discard pile.
        turns: begun.
    """

    sizes: frozenset[_Sizes]
    owned: Counter[str]
    reach: Counter[str]
    turns: int = 0


class _Reading(Struct, frozen=True):
    """One way to read the messages so far.

    Attributes:
        seats: as they were when the turn began.
        active: whose turn it is.
        events: of the turn so far.
        stage: "turn"; "played" after `player-played`; "done" after the clean-up's top discard.
        loose: the turn holds a message that was reported already, and is not explained.
    """

    seats: tuple[_Seat, ...]
    active: int
    events: tuple[_Event, ...] = ()
    stage: str = "turn"
    loose: bool = False


class _Contradiction(Exception):
    """No course of the game sends this."""

    def __init__(self, line: int, section: str, expected: str, found: str) -> None:
        super().__init__(expected)
        self.finding = Finding(line, section, expected, found)


class Observer:
    """Implements `referee.game.Observer` for Dominion."""

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
        start = _Seat(
            frozenset({_Sizes(HAND_SIZE, len(STARTING_DECK) - HAND_SIZE, 0)}),
            Counter(STARTING_DECK),
            Counter(STARTING_DECK),
        )
        self._readings = [_Reading((start,) * self._count, 0)]
        self._last_active = 0  # as of the reading that was looked at last
        self._last_seats = self._readings[0].seats

    def see(self, line: int, message: Struct) -> list[Finding]:
        """Take a public message of the game."""
        findings: list[Finding] = []
        if type(message) is GameInfo:
            self._see_game_info(line, message, findings)
        elif type(message) is SupplyInfo:
            self._see_supply(line, message, findings)
        else:
            event = self._event(line, message, findings)
            if event is not None:
                self._happen(event, findings)
        return findings

    def leave(self, line: int, seat: int, code: str) -> list[Finding]:
        """Take a `player-disqualified`."""
        findings: list[Finding] = []
        self._check_expected(line, "player-disqualified", findings)
        if seat >= self._count or seat in self._gone:
            expected = f"one of the {self._count - len(self._gone)} players in the match"
            findings.append(Finding(line, "8.3", expected, player_number(seat)))
            return findings
        self._happen(_Event(line, _GONE, seat, (code,)), findings)
        self._gone.add(seat)
        return findings

    def end(
        self, line: int, scores: Sequence[int], winners: Sequence[str], reason: str
    ) -> list[Finding]:
        """Take the `game-end`."""
        findings: list[Finding] = []
        self._check_expected(line, "game-end", findings)
        points = [_points(owned) for owned in self._owned]
        if list(scores) != points:
            findings.append(Finding(line, "4.5", f"scores {points}", f"scores {list(scores)}"))
        problems = []
        for reading in self._readings:
            try:
                self._check_end(line, reading, points, list(winners), reason)
                return findings
            except _Contradiction as problem:
                problems.append(problem)
        findings.append(max(problems, key=lambda problem: problem.finding.line).finding)
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

    def _see_game_info(self, line: int, message: GameInfo, findings: list[Finding]) -> None:
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

    def _see_supply(self, line: int, message: SupplyInfo, findings: list[Finding]) -> None:
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

    def _event(self, line: int, message: Struct, findings: list[Finding]) -> _Event | None:
        """What the message says, if it can be true of this table."""
        kind: str = message.__struct_config__.tag  # type: ignore[assignment]
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
        seat = PLAYER_NUMBERS.index(message.player_number)
        if seat >= self._count:
            players = f"player1 to player{self._count}"
            findings.append(Finding(line, "1.6", players, message.player_number))
            return None
        cards = _cards_of(message)
        unknown = [card for card in cards if card not in CARDS]
        if unknown:
            findings.append(Finding(line, "1.6", "a card", f"{kind} {describe(unknown[0])}"))
            return None
        if not cards and kind != _SHUFFLED:
            findings.append(Finding(line, "2", "at least one card", f"{kind} without any"))
            return None
        owned = self._owned[seat]
        missing = Counter(cards) - owned
        if missing and kind != _GAINED:
            card = next(iter(missing))
            section = {_PLAYED: "5.3", _TRASHED: "6", _TOP: "2.8"}.get(kind, "7.3")
            expected = (
                f"at most {owned[card]} {card}, which is all that {message.player_number} has"
            )
            findings.append(Finding(line, section, expected, str(_Event(line, kind, seat, cards))))
            return _Event(line, kind, seat) if kind == _PLAYED else None
        if kind == _TRASHED and len(cards) != 1:
            findings.append(Finding(line, "2.7", "one card: each card trashes one", str(cards)))
        if kind == _REVEALED and cards != ("moat",):
            findings.append(Finding(line, "7.3", "cards moat", ", ".join(cards)))
        if isinstance(message, PlayerReveal) and message.from_ != "hand":
            findings.append(Finding(line, "2.9", 'from "hand"', f"from {describe(message.from_)}"))
        event = _Event(line, kind, seat, cards, None)
        if kind == _TRASHED:
            event = event._replace(supply=dict(self._supply))
        if kind == _GAINED and not self._supply[cards[0]]:
            expected = "a card from a pile that is not empty"
            findings.append(Finding(line, "4.2", expected, str(event)))
            return None
        return event

    def _apply(self, event: _Event) -> None:
        if event.kind == _GAINED:
            self._owned[event.seat][event.cards[0]] += 1
            self._gained = event.cards[0]
            self._expects = "supply-info"
        elif event.kind == _TRASHED:
            self._owned[event.seat] -= Counter(event.cards)
        self._opening = self._opening and event.kind == _GONE

    # --- turns --------------------------------------------------------------------------------

    def _happen(self, event: _Event, findings: list[Finding]) -> None:
        """Go on with every reading that the event fits in."""
        problems: list[_Contradiction] = []
        found: dict[tuple[object, ...], _Reading] = {}
        for reading in self._readings:
            try:
                for after in self._step(reading, event):
                    found.setdefault(_key(after), after)
            except _Contradiction as problem:
                problems.append(problem)
        self._readings = list(found.values())[:_MAX_READINGS]
        if not self._readings:
            findings.append(max(problems, key=lambda problem: problem.finding.line).finding)
            self._readings = [self._start_afresh(event)]
        self._apply(event)

    def _start_afresh(self, event: _Event) -> _Reading:
        """A reading that knows nothing but what everybody sees."""
        # A top discard may be anybody's answer to an attack, what else is told is of the active.
        last = self._last_active
        active = last if event.kind in (_TOP, _REVEALED, _GONE) else event.seat
        stage = "played" if event.kind == _PLAYED else "turn"
        if event.kind == _TOP and event.seat == active:
            stage = "done"
        turns = [seat.turns for seat in self._last_seats]
        seats = self._unknown(turns)
        return _Reading(seats, active, (event,), stage, loose=True)

    def _unknown(self, turns: Sequence[int]) -> tuple[_Seat, ...]:
        seats = []
        for owned, count in zip(self._owned, turns, strict=True):
            total = owned.total()
            sizes = frozenset(
                _Sizes(hand, deck, total - hand - deck)
                for hand in range(min(HAND_SIZE, total) + 1)
                for deck in range(total - hand + 1)
            )
            seats.append(_Seat(sizes, owned.copy(), owned.copy(), count))
        return tuple(seats)

    def _step(self, reading: _Reading, event: _Event) -> Iterator[_Reading]:
        """Every way in which the event follows.

        Raises:
            _Contradiction: there is none.
        """
        self._last_active, self._last_seats = reading.active, reading.seats
        active = reading.active
        mine = event.seat == active
        if reading.stage == "played":
            if not mine or event.kind != _TOP:
                expected = f"player-top-discard {player_number(active)}"
                raise _Contradiction(event.line, "2.15", expected, str(event))
            yield _with(reading, event, "done")
            return
        if reading.stage == "done":
            if mine and event.kind == _SHUFFLED:
                yield self._finish(_with(reading, event, "done"), event.line)
                return
            yield from self._step(self._finish(reading, event.line), event)
            return
        if not reading.events and not reading.loose:
            self._check_goes_on(reading, event)
        if len(reading.events) > _MAX_EVENTS:
            raise _Contradiction(event.line, "4.4", "the end of the turn", str(event))
        problem: _Contradiction | None = None
        ways = 0
        try:
            for way in self._in_turn(reading, event, mine):
                ways += 1
                yield way
        except _Contradiction as contradiction:
            problem = contradiction
        if not reading.events and not mine:
            # Unless the active player's turn was one that nobody hears of.
            for way in self._after_silence(reading, event):
                ways += 1
                yield way
        if not ways and problem is not None:
            raise problem

    def _after_silence(self, reading: _Reading, event: _Event) -> list[_Reading]:
        if not any(size.hand == 0 for size in reading.seats[reading.active].sizes):
            return []
        if len(self._gone) + 1 >= self._count:
            return []
        try:
            return list(self._in_turns_after(self._finish(reading, event.line), event, 1))
        except _Contradiction:
            return []

    def _in_turns_after(self, reading: _Reading, event: _Event, lap: int) -> Iterator[_Reading]:
        if event.seat == reading.active:
            yield from self._in_turn(reading, event, True)
        elif lap < self._count:
            try:
                yield from self._in_turn(reading, event, False)
            except _Contradiction:
                if any(size.hand == 0 for size in reading.seats[reading.active].sizes):
                    silent = self._finish(reading, event.line)
                    yield from self._in_turns_after(silent, event, lap + 1)

    def _in_turn(self, reading: _Reading, event: _Event, mine: bool) -> Iterator[_Reading]:
        """An event of a turn that is going on, before its clean-up has begun."""
        active = reading.active
        owned = self._owned[active]
        kind = event.kind
        interrupted = any(e.kind == _GONE and e.seat == active for e in reading.events)
        if kind == _GONE:
            yield from self._goes(reading, event, mine)
            return
        if mine and kind == _PLAYED:
            yield _with(reading, event, "played")
            return
        if mine and kind == _TOP:
            yield _with(reading, event, "done")
            tops = sum(e.kind == _TOP and e.seat == active for e in reading.events)
            if tops < owned["cellar"] and not interrupted:
                yield _with(reading, event, "turn")
            return
        if mine and kind != _REVEALED and not interrupted:
            yield _with(reading, event, "turn")
            return
        if not mine and kind in (_TOP, _REVEALED) and owned["militia"]:
            answers = sum(e.seat != active for e in reading.events)
            if answers < owned["militia"] * (self._count - 1):
                yield _with(reading, event, "turn")
                return
        number = player_number(active)
        what = "the clean-up" if interrupted else "something"
        if not mine and kind in (_TOP, _REVEALED):
            expected = f"{what} of {number}, whose turn it is and who has no militia for an attack"
            raise _Contradiction(event.line, "7.1", expected, str(event))
        raise _Contradiction(event.line, "4.1", f"{what} of {number}, whose turn it is", str(event))

    def _goes(self, reading: _Reading, event: _Event, mine: bool) -> Iterator[_Reading]:
        """A player leaves: for its handshake, in its own turn, or when it was attacked."""
        (code,) = event.cards
        if self._opening and code not in _IN_GAME_ONLY:
            seats = self._next(event.seat, {event.seat}) if mine else reading.active
            yield replace(reading, active=seats)
        if code in _IN_HANDSHAKE_ONLY:
            if not self._opening:
                raise _Contradiction(event.line, "3.5", "a reason within the game", code)
            return
        if mine or self._owned[reading.active]["militia"]:
            yield _with(reading, event, "turn")
        elif not self._opening or code in _IN_GAME_ONLY:
            asked = player_number(reading.active)
            expected = f"{asked}, the only one who is asked" if not mine else asked
            raise _Contradiction(event.line, "8.3", expected, str(event))

    def _next(self, seat: int, gone: set[int]) -> int:
        for step in range(1, self._count + 1):
            other = (seat + step) % self._count
            if other not in self._gone and other not in gone:
                return other
        return seat

    def _finish(self, reading: _Reading, line: int) -> _Reading:
        """The next player's turn, if this one can be explained."""
        if reading.loose:
            seats = self._unknown([seat.turns for seat in reading.seats])
        else:
            seats = _explain(reading, self._gone, line)
        active = seats[reading.active]
        seats = _put(seats, reading.active, replace(active, turns=active.turns + 1))
        return _Reading(seats, self._next(reading.active, set()))

    def _check_goes_on(self, reading: _Reading, event: _Event) -> None:
        reason = self._over()
        if reason and any(seat.turns for seat in reading.seats):
            raise _Contradiction(event.line, "4.4", f"game-end, {reason}", str(event))

    def _over(self) -> str | None:
        if not self._supply["province"]:
            return "provinces-empty"
        if sum(not count for count in self._supply.values()) >= 3:
            return "piles-empty"
        return None

    def _check_end(
        self,
        line: int,
        reading: _Reading,
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
                number = player_number(reading.active)
                expected = f"the clean-up of {number}, whose turn it is"
                raise _Contradiction(line, "4.4", expected, found)
            turns = [seat.turns for seat in reading.seats]
            due = self._over() or (
                str(Termination.TURN_LIMIT)
                if len({turns[seat] for seat in here}) == 1 or reading.loose
                else "a turn of " + player_number(reading.active)
            )
            best = min((-points[seat], turns[seat]) for seat in here)
            won = [seat for seat in here if (-points[seat], turns[seat]) == best]
        if due != reason:
            raise _Contradiction(line, "4.4", due, found)
        expected_winners = [player_number(seat) for seat in won]
        if winners != expected_winners:
            raise _Contradiction(line, "4.5", f"winners {expected_winners}", f"winners {winners}")


def _cards_of(message: Struct) -> tuple[str, ...]:
    match message:
        case PlayerGained(gained=card) | PlayerTopDiscard(card=card):
            return (card,)
        case PlayerPlayed(played=cards) | PlayerTrashed(trashed=cards) | PlayerReveal(cards=cards):
            return tuple(cards)
    return ()


def _points(owned: Counter[str]) -> int:
    return sum(POINTS.get(card, 0) * count for card, count in owned.items())


def _with(reading: _Reading, event: _Event, stage: str) -> _Reading:
    return replace(reading, events=(*reading.events, event), stage=stage)


def _key(reading: _Reading) -> tuple[object, ...]:
    """Equal for readings that are the same from here on."""
    seats = tuple((s.sizes, frozenset(s.reach.items()), s.turns) for s in reading.seats)
    first = reading.events[0].line if reading.events else 0
    return (seats, reading.active, first, reading.stage, reading.loose)


def _put(seats: tuple[_Seat, ...], place: int, seat: _Seat) -> tuple[_Seat, ...]:
    return (*seats[:place], seat, *seats[place + 1 :])


# --- one turn ---------------------------------------------------------------------------------


class _Course(Struct):
    """A course of the turn, in the middle of it.

    Attributes:
        at: the next event to be explained.
        reach: as of `_Seat`, of the active player; without what is in play.
    """

    hand: int
    deck: int
    discard: int
    reach: Counter[str]
    owned: Counter[str]
    others: dict[int, _Seat]
    at: int = 0
    actions: int = 1
    buys: int = 1
    money: int = 0

    def copy(self) -> _Course:
        return _Course(
            self.hand,
            self.deck,
            self.discard,
            self.reach.copy(),
            self.owned.copy(),
            dict(self.others),
            self.at,
            self.actions,
            self.buys,
            self.money,
        )


def _explain(reading: _Reading, gone: set[int], line: int) -> tuple[_Seat, ...]:
    """What is known of the seats after the turn.

    Args:
        gone: the seats that have left by now.
        line: of the message that showed that the turn was over.

    Raises:
        _Contradiction: no course of the turn sends its messages.
    """
    return _Explanation(reading, gone, line).seats()


class _Explanation:
    """Looks for the courses of a turn."""

    def __init__(self, reading: _Reading, gone: set[int], line: int) -> None:
        self._seats = reading.seats
        self._active = active = reading.active
        events = list(reading.events)
        shuffled = bool(events) and events[-1].kind == _SHUFFLED
        self._shuffle = events.pop() if shuffled and reading.stage == "done" else None
        self._top = events.pop() if reading.stage == "done" else None
        closes = bool(events) and events[-1].kind == _PLAYED
        self._played = events.pop() if closes else None
        self._events = events
        self._line = line
        cleaning = self._played or self._top or self._shuffle
        self._end_line = cleaning.line if cleaning else line
        self._cards = self._played.cards if self._played else ()
        leaving = {e.seat for e in events if e.kind == _GONE}
        order = [(active + step) % len(self._seats) for step in range(1, len(self._seats))]
        self._order = [seat for seat in order if seat not in gone or seat in leaving]

    def seats(self) -> tuple[_Seat, ...]:
        before = self._seats[self._active]
        problems: list[_Contradiction] = []
        after: list[_Course] = []
        for sizes in before.sizes:
            others = {seat: self._seats[seat] for seat in self._order}
            course = _Course(*sizes, before.reach.copy(), before.owned.copy(), others)
            self._try(course, 0, after, problems)
        if not after:
            raise max(problems, key=lambda problem: problem.finding.line)
        seats = self._seats
        for other in self._order:
            ends = [course.others[other] for course in after]
            sizes_after = frozenset().union(*(end.sizes for end in ends))
            reach = _most([end.reach for end in ends])
            seats = _put(seats, other, replace(ends[0], sizes=sizes_after, reach=reach))
        mine = _Seat(
            frozenset(_Sizes(c.hand, c.deck, c.discard) for c in after),
            after[0].owned,
            _most([c.reach for c in after]),
            before.turns,
        )
        return _put(seats, self._active, mine)

    def _try(
        self, course: _Course, place: int, after: list[_Course], problems: list[_Contradiction]
    ) -> None:
        """Go on from the card at this place of what was played."""
        try:
            if place < len(self._cards) and self._cards[place] in KINGDOM:
                for way in self._action(course, self._cards[place], self._cards[:place]):
                    self._try(way, place + 1, after, problems)
            else:
                self._buy(course, place)
                self._clean_up(course)
                after.append(course)
        except _Contradiction as problem:
            problems.append(problem)

    def _next(self, course: _Course) -> _Event | None:
        return self._events[course.at] if course.at < len(self._events) else None

    def _refuse(self, course: _Course, section: str, expected: str) -> NoReturn:
        event = self._next(course) or self._played or self._top or self._shuffle
        line = event.line if event else self._line
        raise _Contradiction(line, section, expected, str(event) if event else "the next turn")

    def _take(self, course: _Course, kind: str, section: str, why: str) -> _Event:
        """The next event, which must be of this kind and of the active player."""
        event = self._next(course)
        number = player_number(self._active)
        if event is None or event.kind != kind or event.seat != self._active:
            self._refuse(course, section, f"{kind} {number} ({why})")
        course.at += 1
        return event

    def _leave_hand(self, course: _Course, card: str, line: int, section: str) -> None:
        if not course.hand or course.reach[card] <= 0:
            why = "whose hand is empty" if not course.hand else "who cannot have it in hand"
            number = player_number(self._active)
            raise _Contradiction(line, section, f"no {card} of {number}, {why}", card)
        course.hand -= 1
        course.reach[card] -= 1

    def _draw(self, course: _Course, count: int, in_play: Sequence[str], why: str) -> None:
        if count <= course.deck or not course.discard:
            drawn = min(count, course.deck)
            course.hand += drawn
            course.deck -= drawn
            return
        self._take(course, _SHUFFLED, "4.6", f"{why} with {course.deck} cards in the deck")
        self._shuffled(course, count, in_play)

    def _shuffled(self, course: _Course, count: int, in_play: Sequence[str]) -> None:
        deck = course.deck + course.discard
        drawn = min(count, deck)
        course.hand += drawn
        course.deck = deck - drawn
        course.discard = 0
        course.reach = course.owned - Counter(in_play)

    def _action(self, course: _Course, card: str, before: Sequence[str]) -> Iterator[_Course]:
        """Play an action card; every way in which that can have gone."""
        assert self._played is not None  # it was in there
        number = player_number(self._active)
        line = self._played.line
        if not course.actions:
            expected = f"no {card} as card {len(before) + 1}: no action was left"
            raise _Contradiction(line, "5.5", expected, str(self._played))
        self._leave_hand(course, card, line, "5.3")
        in_play = (*before, card)
        course.actions += _ACTIONS.get(card, 0) - 1
        course.buys += _BUYS.get(card, 0)
        course.money += _MONEY.get(card, 0)
        if card == "cellar":
            yield from self._cellar(course, in_play)
            return
        if card in _DRAWS:
            self._draw(course, _DRAWS[card], in_play, f"{card} draws")
        elif card == "militia":
            self._attack(course)
        elif card == "workshop":
            event = self._take(course, _GAINED, "6.10", "by a workshop in play")
            if COST[event.cards[0]] > 4:
                expected = f"player-gained {number} of a card that costs up to 4"
                raise _Contradiction(event.line, "6.10", expected, str(event))
            course.owned[event.cards[0]] += 1
            course.discard += 1
        elif card == "mine":
            self._exchange(course, "6.4", tuple(WORTH), 3, to_hand=True)
        elif card == "remodel":
            self._exchange(course, "6.6", tuple(COST), 2, to_hand=False)
        yield course

    def _cellar(self, course: _Course, in_play: Sequence[str]) -> Iterator[_Course]:
        yield course.copy()  # nothing discarded
        event = self._next(course)
        if event is None or event.kind != _TOP or event.seat != self._active:
            return
        card = event.cards[0]
        if course.reach[card] <= 0:
            return
        course.at += 1
        course.reach[card] -= 1
        last: _Contradiction | None = None
        ways = 0
        for count in range(1, course.hand + 1):
            way = course.copy()
            way.hand -= count
            way.discard += count
            try:
                self._draw(way, count, in_play, f"a cellar draws {count}")
            except _Contradiction as problem:
                last = problem
                continue
            ways += 1
            yield way
        if not ways and last is not None:
            raise last

    def _attack(self, course: _Course) -> None:
        for seat in self._order:
            other = course.others[seat]
            event = self._next(course)
            answers = event is not None and event.seat == seat
            if not answers or event is None or event.kind not in (_TOP, _REVEALED, _GONE):
                spared = frozenset(s for s in other.sizes if s.hand <= MILITIA_HAND_SIZE)
                if not spared and not self._left(course, seat):
                    expected = f"player-top-discard or player-reveal {player_number(seat)}"
                    self._refuse(course, "7.1", f"{expected}, attacked by a militia")
                course.others[seat] = replace(other, sizes=spared or other.sizes)
                continue
            asked = frozenset(s for s in other.sizes if s.hand > MILITIA_HAND_SIZE)
            if not asked:
                expected = f"no attack on {player_number(seat)}, who has three cards or fewer"
                raise _Contradiction(event.line, "7.1", expected, str(event))
            course.at += 1
            reach = other.reach
            if event.kind != _GONE:
                card = event.cards[0]
                if reach[card] <= 0:
                    expected = f"no {card} of {player_number(seat)}, who cannot have it in hand"
                    raise _Contradiction(event.line, "7", expected, str(event))
                if event.kind == _TOP:
                    reach = reach - Counter([card])
                    asked = frozenset(
                        _Sizes(3, s.deck, s.discard + s.hand - MILITIA_HAND_SIZE) for s in asked
                    )
            course.others[seat] = replace(other, sizes=asked, reach=reach)

    def _left(self, course: _Course, seat: int) -> bool:
        """Whether this seat has left the match earlier in the turn."""
        return any(e.kind == _GONE and e.seat == seat for e in self._events[: course.at])

    def _exchange(
        self, course: _Course, section: str, among: Sequence[str], raise_by: int, *, to_hand: bool
    ) -> None:
        name = "mine" if to_hand else "remodel"
        number = player_number(self._active)
        trash = self._take(course, _TRASHED, section, f"by a {name} in play")
        card = trash.cards[0]
        if card not in among:
            raise _Contradiction(trash.line, section, "a treasure trashed by a mine", str(trash))
        self._leave_hand(course, card, trash.line, section)
        course.owned[card] -= 1
        limit = COST[card] + raise_by
        supply = trash.supply or {}
        gainable = [other for other in among if supply.get(other) and COST[other] <= limit]
        if not gainable:
            return
        gain = self._take(course, _GAINED, section, f"for the {card} trashed by a {name}")
        gained = gain.cards[0]
        if gained not in gainable:
            what = f"{'a treasure' if to_hand else 'a card'} that costs up to {limit}"
            raise _Contradiction(gain.line, section, f"player-gained {number} of {what}", str(gain))
        course.owned[gained] += 1
        if to_hand:
            course.hand += 1
            course.reach[gained] += 1
        else:
            course.discard += 1

    def _buy(self, course: _Course, place: int) -> None:
        for card in self._cards[place:]:
            assert self._played is not None
            if card not in WORTH:
                what = "no action after a treasure" if card in KINGDOM else "actions and treasures"
                raise _Contradiction(self._played.line, "5.2", what, str(self._played))
            self._leave_hand(course, card, self._played.line, "5.2")
            course.money += WORTH[card]
        left, number = course.money, player_number(self._active)
        event = self._next(course)
        while event is not None and event.kind == _GAINED and event.seat == self._active:
            cost = COST[event.cards[0]]
            if not course.buys or cost > left:
                why = f"no buys left, {left} to spend" if not course.buys else f"{left} to spend"
                expected = f"no buy of a card that costs {cost} by {number}, who has {why}"
                raise _Contradiction(event.line, "5.2", expected, str(event))
            course.buys -= 1
            left -= cost
            course.owned[event.cards[0]] += 1
            course.discard += 1
            course.at += 1
            event = self._next(course)
        if event is not None and event.kind == _GONE and event.seat == self._active:
            course.at += 1
            event = self._next(course)
        if event is not None:
            played = ", ".join(self._cards) or "nothing"
            expected = f"only what the cards played ({played}) account for, then the clean-up"
            self._refuse(course, "2.15", expected)

    def _clean_up(self, course: _Course) -> None:
        number = player_number(self._active)
        total = course.hand + len(self._cards)
        if self._top is None:
            if total:
                expected = f"player-top-discard {number}, whose turn ends"
                raise _Contradiction(self._line, "2.8", expected, "the next turn")
        else:
            card = self._top.cards[0]
            if not total:
                expected = f"no discard of {number}, who has no card to discard"
                raise _Contradiction(self._top.line, "2.8", expected, str(self._top))
            if card not in self._cards:
                self._leave_hand(course, card, self._top.line, "5.1")
                course.hand += 1
        course.discard += total
        course.hand = 0
        drawn = min(HAND_SIZE, course.deck)
        shuffles = drawn < HAND_SIZE and course.discard > 0
        if shuffles and self._shuffle is None:
            expected = f"player-shuffled {number}, who draws five with {course.deck} in the deck"
            raise _Contradiction(self._line, "4.6", expected, "none before this line")
        if self._shuffle is not None and not shuffles:
            expected = f"no player-shuffled {number}, who has {course.deck} cards in the deck"
            raise _Contradiction(self._shuffle.line, "4.6", expected, str(self._shuffle))
        if shuffles:
            self._shuffled(course, HAND_SIZE, ())
        else:
            course.hand = drawn
            course.deck -= drawn


def _most(counters: Sequence[Counter[str]]) -> Counter[str]:
    """Of each card the most."""
    most: Counter[str] = Counter()
    for counter in counters:
        most |= counter
    return most
