"""Explain the messages of a single turn in a log.

We look for every course of the turn that would lead to these messages. There's usually only one. If
a cellar was played, there may be several, because spectators don't see how many cards it discarded.
A `Reading` contains everything that a spectator knows about the game during a turn.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import reduce
from operator import or_
from typing import NamedTuple, NoReturn, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from referee.games.dominion.events import Event, Kind
from referee.games.dominion.rules.cards import (
    CARDS,
    COST,
    HAND_SIZE,
    KINGDOM,
    MILITIA_HAND_SIZE,
    WORTH,
)
from referee.games.interface.capabilities import Finding
from referee.games.interface.seats import seat_id

S = TypeVar("S")
T = TypeVar("T")


class Sizes(NamedTuple):
    """Number of cards in hand, deck and discard pile. Cards in play aren't counted."""

    hand: int
    deck: int
    discard: int


class Seat(Struct, frozen=True):
    """Everything that a spectator knows about a seat between two turns.

    We don't know where each card is. `reach` has the maximum number of copies of a card that can be
    in the deck or in hand. All other copies must be on the discard pile.
    """

    sizes: frozenset[Sizes]  # all sizes that are possible
    owned: Counter[str]
    reach: Counter[str]
    turns: int = 0


class Reading(Struct, frozen=True):
    """A possible interpretation of the messages so far, in particular of where turns end."""

    seats: tuple[Seat, ...]  # at the start of the turn
    active: int  # the seat whose turn it is
    events: tuple[Event, ...] = ()  # messages of the turn so far
    # This becomes "played" when `player-played` shows the played cards, and "done" when the player
    # has discarded at the end of the turn.
    stage: str = "turn"
    loose: bool = False  # True if we reported a wrong message and can't explain this turn any more


class Contradiction(Exception):
    """Raised if a message of the log can't be explained. `finding` describes the problem."""

    def __init__(self, line: int, section: str, expected: str, found: str) -> None:
        super().__init__(expected)
        self.finding = Finding(line, section, expected, found)


def contradicts(event: Event, section: str, expected: str) -> Contradiction:
    """Create a contradiction at an event of the log."""
    return Contradiction(event.line, section, expected, str(event))


def furthest(problems: Sequence[Finding]) -> Contradiction:
    """Choose the contradiction to report if all attempts to explain the log have failed.

    It's the contradiction that comes last in the log, because that attempt got furthest.
    """
    # We pass findings around, because exceptions in a list would keep their frames alive until the
    # garbage collector runs.
    last = max(problems, key=lambda problem: problem.line)
    return Contradiction(last.line, last.section, last.expected, last.found)


def every_way(continuations: Callable[[S], Iterable[T]], starts: Iterable[S]) -> list[T]:
    """Call `continuations` with each start, and collect all results.

    Some of the calls may raise a contradiction. That's fine as long as there are any results.

    Raises:
        Contradiction: there were contradictions, but no results.
    """
    ways: list[T] = []
    problems: list[Finding] = []
    for start in starts:
        try:
            # With list(), we'd lose the results that come before a contradiction.
            for way in continuations(start):
                ways.append(way)  # noqa: PERF402
        except Contradiction as problem:
            problems.append(problem.finding)
    if problems and not ways:
        raise furthest(problems)
    return ways


def put(seats: tuple[Seat, ...], place: int, seat: Seat) -> tuple[Seat, ...]:
    """Return a copy of `seats` in which one seat is replaced."""
    return (*seats[:place], seat, *seats[place + 1 :])


class _Course(Struct):
    """A possible course of the turn up to some event, and the state that results from it.

    The search modifies a course in place, and copies it if there are several ways to go on.
    """

    # The number of cards in hand, deck and discard pile.
    hand: int
    deck: int
    discard: int
    reach: Counter[str]  # as in `Seat`, without the cards in play
    owned: Counter[str]
    others: dict[int, Seat]  # public information about the other seats
    at: int = 0  # index of the first unexplained event
    actions: int = 1
    buys: int = 1
    money: int = 0

    def copy(self) -> _Course:
        reach, owned, others = self.reach.copy(), self.owned.copy(), self.others.copy()
        return replace(self, reach=reach, owned=owned, others=others)


class Explanation:
    """Searches for all courses of a turn that explain its messages.

    It's a depth-first search that takes the played cards in order. It branches at the beginning if
    several sizes of hand and deck are possible, and at each cellar.

    Args:
        line: the line of the log at which we noticed that the turn was over.
    """

    def __init__(self, reading: Reading, disqualified: set[int], line: int) -> None:
        self._seats = reading.seats
        self._active = active = reading.active
        self._number = seat_id(active)
        events = list(reading.events)
        # The clean-up is at the end of the list: the played cards, the top discard and the shuffle.
        # Remove these events, beginning with the last. The others happened during the turn.
        shuffled = bool(events) and events[-1].kind == Kind.SHUFFLED
        self._shuffle = events.pop() if shuffled and reading.stage == "done" else None
        self._top = events.pop() if reading.stage == "done" else None
        closes = bool(events) and events[-1].kind == Kind.PLAYED
        self._played = events.pop() if closes else None
        self._events = events
        self._line = line
        self._cards = self._played.cards if self._played else ()
        in_this_turn = {e.seat for e in events if e.kind == Kind.DISQUALIFIED}
        order = [(active + step) % len(self._seats) for step in range(1, len(self._seats))]
        self._order = [seat for seat in order if seat not in disqualified or seat in in_this_turn]

    def seats(self) -> tuple[Seat, ...]:
        """Return everything that we know about the seats after the turn.

        Raises:
            Contradiction: no course of the turn explains its messages.
        """
        before = self._seats[self._active]
        problems: list[Finding] = []
        after: list[_Course] = []
        for sizes in before.sizes:
            others = {seat: self._seats[seat] for seat in self._order}
            course = _Course(*sizes, before.reach.copy(), before.owned.copy(), others)
            self._try(course, 0, after, problems)
        if not after:
            raise furthest(problems)
        seats = self._seats
        # We can't know which of these courses has really happened, so we have to combine their
        # results for each seat.
        for other in self._order:
            ends = [course.others[other] for course in after]
            sizes_after = frozenset().union(*(end.sizes for end in ends))
            reach = _most([end.reach for end in ends])
            seats = put(seats, other, replace(ends[0], sizes=sizes_after, reach=reach))
        mine = Seat(
            frozenset(Sizes(c.hand, c.deck, c.discard) for c in after),
            after[0].owned,
            _most([c.reach for c in after]),
            before.turns,
        )
        return put(seats, self._active, mine)

    def _try(
        self, course: _Course, place: int, after: list[_Course], problems: list[Finding]
    ) -> None:
        # Try everything that the next card can have done. It's normal to run into contradictions
        # here. We only report one if no course is left.
        try:
            if place < len(self._cards) and self._cards[place] in KINGDOM:
                for way in self._action(course, self._cards[place], self._cards[:place]):
                    self._try(way, place + 1, after, problems)
            else:
                self._buy(course, place)
                self._clean_up(course)
                after.append(course)
        except Contradiction as problem:
            problems.append(problem.finding)

    def _next(self, course: _Course) -> Event | None:
        return self._events[course.at] if course.at < len(self._events) else None

    def _refuse(self, course: _Course, section: str, expected: str) -> NoReturn:
        event = self._next(course) or self._played or self._top or self._shuffle
        if event:
            raise contradicts(event, section, expected)
        raise Contradiction(self._line, section, expected, "the next turn")

    def _own(self, course: _Course, kind: str) -> Event | None:
        event = self._next(course)
        if event is None or event.kind != kind or event.seat != self._active:
            return None
        course.at += 1
        return event

    def _take(self, course: _Course, kind: str, section: str, why: str) -> Event:
        """Return the next event, which must be of this kind and of the active player.

        Raises:
            Contradiction: it's another event, or there's none left.
        """
        event = self._own(course, kind)
        if event is None:
            self._refuse(course, section, f"{kind} {self._number} ({why})")
        return event

    def _leave_hand(self, course: _Course, card: str, line: int, section: str) -> None:
        # (`reach` is an upper bound. If it is 0, the card can't be in the hand.)
        if not course.hand or course.reach[card] <= 0:
            why = "who cannot have it in hand" if course.hand else "whose hand is empty"
            expected = f"no {card} of {self._number}, {why}"
            raise Contradiction(line, section, expected, card)
        course.hand -= 1
        course.reach[card] -= 1

    def _draw(self, course: _Course, count: int, in_play: Sequence[str], why: str) -> None:
        if count <= course.deck or not course.discard:
            drawn = min(count, course.deck)
            course.hand += drawn
            course.deck -= drawn
            return
        # A log shows every shuffle. If the player has to shuffle now, the shuffle must be the next
        # event.
        self._take(course, Kind.SHUFFLED, "4.6", f"{why} with {course.deck} cards in the deck")
        self._shuffled(course, count, in_play)

    def _shuffled(self, course: _Course, count: int, in_play: Sequence[str]) -> None:
        deck = course.deck + course.discard
        drawn = min(count, deck)
        course.hand += drawn
        course.deck = deck - drawn
        course.discard = 0
        # After a shuffle, any card that isn't in play may be in the deck or in hand.
        course.reach = course.owned - Counter(in_play)

    def _action(self, course: _Course, card: str, before: Sequence[str]) -> Iterator[_Course]:
        assert self._played is not None  # without this event, we wouldn't know the card
        if not course.actions:
            expected = f"no {card} as card {len(before) + 1}: no action was left"
            raise contradicts(self._played, "5.5", expected)
        self._leave_hand(course, card, self._played.line, "5.3")
        in_play = (*before, card)
        data = CARDS[card]
        course.actions += data.actions - 1
        course.buys += data.buys
        course.money += data.money
        if card == "cellar":
            yield from self._cellar(course, in_play)
            return
        if data.cards:
            self._draw(course, data.cards, in_play, f"{card} draws")
        elif card == "militia":
            self._attack(course)
        elif card == "workshop":
            event = self._take(course, Kind.GAINED, "6.10", "by a workshop in play")
            if COST[event.cards[0]] > data.gains:
                expected = f"player-gained {self._number} of a card that costs up to {data.gains}"
                raise contradicts(event, "6.10", expected)
            course.owned[event.cards[0]] += 1
            course.discard += 1
        elif card in ("mine", "remodel"):
            self._exchange(course, card)
        yield course

    def _cellar(self, course: _Course, in_play: Sequence[str]) -> Iterator[_Course]:
        # The log shows only the top card of the discards. The number of discards is unknown, so try
        # each possible number.
        yield course.copy()  # the player may not have discarded anything
        event = self._own(course, Kind.TOP)
        if event is None or course.reach[event.cards[0]] <= 0:
            return
        course.reach[event.cards[0]] -= 1
        yield from every_way(
            lambda count: self._discarded(course.copy(), count, in_play), range(1, course.hand + 1)
        )

    def _discarded(self, course: _Course, count: int, in_play: Sequence[str]) -> list[_Course]:
        course.hand -= count
        course.discard += count
        self._draw(course, count, in_play, f"a cellar draws {count}")
        return [course]

    def _attack(self, course: _Course) -> None:
        for seat in self._order:
            other = course.others[seat]
            event = self._next(course)
            answers = (*Kind.ANSWERS, Kind.DISQUALIFIED)
            if event is None or event.seat != seat or event.kind not in answers:
                earlier = [(e.kind, e.seat) for e in self._events[: course.at]]
                # This player hasn't replied to the attack. That's only correct if it had few cards
                # in hand anyway, or had left the match.
                spared = frozenset(s for s in other.sizes if s.hand <= MILITIA_HAND_SIZE)
                if not spared and (Kind.DISQUALIFIED, seat) not in earlier:
                    expected = f"player-top-discard or player-reveal {seat_id(seat)}"
                    self._refuse(course, "7.1", f"{expected}, attacked by a militia")
                course.others[seat] = replace(other, sizes=spared or other.sizes)
                continue
            asked = frozenset(s for s in other.sizes if s.hand > MILITIA_HAND_SIZE)
            if not asked:
                expected = f"no attack on {seat_id(seat)}, who has three cards or fewer"
                raise contradicts(event, "7.1", expected)
            course.at += 1
            reach = other.reach
            if event.kind != Kind.DISQUALIFIED:
                card = event.cards[0]
                if reach[card] <= 0:
                    expected = f"no {card} of {seat_id(seat)}, who cannot have it in hand"
                    raise contradicts(event, "7", expected)
                # A player who reveals a moat keeps the whole hand.
                if event.kind == Kind.TOP:
                    reach = reach - Counter([card])
                    asked = frozenset(
                        Sizes(MILITIA_HAND_SIZE, s.deck, s.discard + s.hand - MILITIA_HAND_SIZE)
                        for s in asked
                    )
            course.others[seat] = replace(other, sizes=asked, reach=reach)

    def _exchange(self, course: _Course, name: str) -> None:
        """Explain a mine or a remodel. It trashes a card, and gains another card if possible."""
        to_hand = name == "mine"
        section, among = ("6.4", WORTH) if to_hand else ("6.6", COST)
        trash = self._take(course, Kind.TRASHED, section, f"by a {name} in play")
        card = trash.cards[0]
        if card not in among:
            raise contradicts(trash, section, "a treasure trashed by a mine")
        self._leave_hand(course, card, trash.line, section)
        course.owned[card] -= 1
        limit = COST[card] + CARDS[name].raises
        supply = trash.supply or {}
        gainable = [other for other in among if supply.get(other) and COST[other] <= limit]
        # If nothing could be gained, there's no message about it.
        if not gainable:
            return
        gain = self._take(course, Kind.GAINED, section, f"for the {card} trashed by a {name}")
        gained = gain.cards[0]
        if gained not in gainable:
            what = f"{'a treasure' if to_hand else 'a card'} that costs up to {limit}"
            raise contradicts(gain, section, f"player-gained {self._number} of {what}")
        course.owned[gained] += 1
        if to_hand:
            course.hand += 1
            course.reach[gained] += 1
        else:
            course.discard += 1

    def _buy(self, course: _Course, place: int) -> None:
        """Explain the treasures and the purchases at the end of the turn.

        `place` is the index of the first treasure in the played cards.
        """
        for card in self._cards[place:]:
            assert self._played is not None
            if card not in WORTH:
                what = "no action after a treasure" if card in KINGDOM else "actions and treasures"
                raise contradicts(self._played, "5.2", what)
            self._leave_hand(course, card, self._played.line, "5.2")
            course.money += WORTH[card]
        left = course.money
        while (event := self._own(course, Kind.GAINED)) is not None:
            cost = COST[event.cards[0]]
            if not course.buys or cost > left:
                why = f"no buys left, {left} to spend" if not course.buys else f"{left} to spend"
                expected = f"no buy of a card that costs {cost} by {self._number}, who has {why}"
                raise contradicts(event, "5.2", expected)
            course.buys -= 1
            left -= cost
            course.owned[event.cards[0]] += 1
            course.discard += 1
        self._own(course, Kind.DISQUALIFIED)
        # We have explained everything that the played cards can do, but there are messages left.
        if course.at < len(self._events):
            played = ", ".join(self._cards) or "nothing"
            expected = f"only what the cards played ({played}) account for, then the clean-up"
            self._refuse(course, "2.15", expected)

    def _clean_up(self, course: _Course) -> None:
        total = course.hand + len(self._cards)
        if self._top is None:
            if total:
                expected = f"player-top-discard {self._number}, whose turn ends"
                raise Contradiction(self._line, "2.8", expected, "the next turn")
        else:
            card = self._top.cards[0]
            if not total:
                expected = f"no discard of {self._number}, who has no card to discard"
                raise contradicts(self._top, "2.8", expected)
            if card not in self._cards:
                self._leave_hand(course, card, self._top.line, "5.1")
                course.hand += 1
        course.discard += total
        course.hand = 0
        # The deck is too small for a new hand, so the discard pile has to be shuffled first.
        if course.deck < HAND_SIZE and course.discard:
            if self._shuffle is None:
                who = f"{self._number}, who draws five with {course.deck} in the deck"
                expected = f"player-shuffled {who}"
                raise Contradiction(self._line, "4.6", expected, "none before this line")
            self._shuffled(course, HAND_SIZE, ())
            return
        if self._shuffle is not None:
            expected = f"no player-shuffled {self._number}, who has {course.deck} cards in the deck"
            raise contradicts(self._shuffle, "4.6", expected)
        course.hand = min(HAND_SIZE, course.deck)
        course.deck -= course.hand


def _most(counters: Sequence[Counter[str]]) -> Counter[str]:
    return reduce(or_, counters, Counter())
