"""Read a match of Dominion turn by turn, for people and scripts (`referee replay`).

In a record, a turn is over when another player gets a `play-turn`. A spectator log has no requests,
so we look for the clean-up instead (`events.py`). If a player who owns a cellar discards, we assume
that the cellar was used, until a later message shows that it was the clean-up.

The played cards are published at the clean-up. If the match ends before that, we take them from the
player's last request. This request doesn't show a militia that was played in reply to it, but we
notice the militia when somebody is attacked.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct, field

from referee.games.dominion.events import Event, Kind, Ledger, TurnMessage, cards_of, split_gains
from referee.games.dominion.rules.cards import CARDS, COST
from referee.games.dominion.rules.messages import AttackRequest, PlayTurn, SupplyInfo
from referee.games.interface import sentence, turns
from referee.games.interface.capabilities import Phrase, Picture, Summary
from referee.games.interface.counts import ordinal, plural
from referee.games.interface.seats import seat_id, seat_index
from referee.games.interface.sentence import Card, Part

_MONEY = {card: data.worth + data.money for card, data in CARDS.items()}
"""Card -> money that it gives when played."""
_WHAT = {Kind.TOP: "discarded", Kind.REVEALED: "revealed", Kind.SHUFFLED: "shuffled"}
"""The `what` of an action, for each kind of event that becomes an action."""


class Action(turns.Action):
    """An action. Played, gained and trashed cards are fields of the turn instead.

    Attributes:
        what: "discarded" (the card on top of the discard pile), "revealed" or "shuffled".
        player_number: the player who did it. In an attack, it isn't the player whose turn it is.
    """

    player_number: str = ""


class Turn(turns.Turn, kw_only=True):
    """One turn. `referee replay --format json` prints one per line.

    Attributes:
        player_turn: number of the player's turn, from 1, or 0 if the match ended in the handshake.
        finished: False if the match or its log ends before the clean-up.
        hand: the hand at the start, or null if it's unknown, as in a spectator log.
        played: played cards in order. A spectator log only shows them for finished turns.
        money: money from the played cards.
        spent: cost of the bought cards.
        bought, gained: cards in order. `gained` excludes bought cards.
        trashed: cards in order.
        cards: card -> count, owned by the player after the turn.
        supply: card -> count, after the turn.
    """

    actions: list[Action] = field(default_factory=list)  # type: ignore[assignment]
    player_turn: int = 0
    finished: bool = True
    hand: list[str] | None = None
    played: list[str] = field(default_factory=list)
    money: int = 0
    spent: int = 0
    bought: list[str] = field(default_factory=list)
    gained: list[str] = field(default_factory=list)
    trashed: list[str] = field(default_factory=list)
    cards: dict[str, int] = field(default_factory=dict)
    supply: dict[str, int] = field(default_factory=dict)


class Turns(turns.TurnReader[Turn]):
    """Reads a match of Dominion. A player's score is the points of all its cards.

    We collect events and only process them when the turn is over. Sometimes a later message shows
    that some of them belong to the next turn.
    """

    turn_type = Turn

    def __init__(self, names: Sequence[str]) -> None:
        super().__init__(names)
        self._ledger = Ledger(len(names))
        self._turns = [0] * len(names)
        self._disqualified: set[int] = set()
        self._is_record = False  # True if we have read a request
        # The current turn:
        self._active = 0
        self._events: list[Event] = []  # including faults and disqualifications
        self._request: PlayTurn | None = None  # the last request
        self._attacks = False  # True if a militia was played in reply to the last request
        self._cleaned_up = False  # True if the turn is over, except maybe for a shuffle
        self._has_begun = False  # True if the turn has begun, even if it has no events yet
        self._possible_end: int | None = None  # the turn may have ended after this many events

    def read(self, message: Struct, to: int | None) -> list[Turn]:
        if isinstance(message, SupplyInfo):
            self._ledger.show(message)
        elif isinstance(message, PlayTurn) and to is not None:
            return self._read_request(message, to)
        elif isinstance(message, AttackRequest):
            self._attacks = True
        elif isinstance(message, TurnMessage):
            return list(self._add(Event.of(message)))
        return []

    def note(self, what: str, seat: int, text: str, stderr: Sequence[str] = ()) -> None:
        """Keep the note among the events, because it may turn out to belong to the next turn."""
        self.append_limited(self._events, Event(0, what, seat, (text, *stderr)))

    def disqualify(self, seat: int, text: str, stderr: Sequence[str] = ()) -> list[Turn]:
        # After a clean-up the next player gets a request, so the next turn has begun.
        over = [self.close()] if self._cleaned_up else []
        self._has_begun = any(self._turns)
        self._disqualified.add(seat)
        return over + super().disqualify(seat, text, stderr)

    def end(self) -> list[Turn]:
        if self._possible_end is not None:
            return [*self._split(), *self.end()]
        self.now.finished = self._has_cleaned_up()
        if self._events and not self.was_started():  # the match ended in the handshake
            self._add_notes()
            return [super().close()]
        return super().end()

    def _has_cleaned_up(self) -> bool:
        if not self._is_record:
            return self._cleaned_up
        # If the player played cards, the clean-up publishes them. If not, there's only a discard.
        kinds = {event.kind for event in self._events if event.seat == self._active}
        plays = self._attacks or (self._request is not None and self._request.cards_played)
        return (Kind.PLAYED if plays else Kind.TOP) in kinds

    def was_started(self) -> bool:
        """Return True if anything has happened in this turn, not counting disqualifications."""
        others = any(event.kind != "disqualified" for event in self._events)
        return bool(self._request) or self._has_begun or others

    # --- turns --------------------------------------------------------------------------------

    def _read_request(self, request: PlayTurn, seat: int) -> list[Turn]:
        over = [self.close()] if self._request is not None and seat != self._active else []
        if self._request is None:
            self.now.hand = request.hand
        self._is_record = True
        self._active = seat
        self._request = request
        self._attacks = False
        return over

    def _add(self, event: Event) -> Iterator[Turn]:
        """Add an event to this turn or the next one. Yields finished turns."""
        if self._is_record:
            self._append_event(event)
            return
        seat, kind = event.seat, event.kind
        mine = seat == self._active
        if self._cleaned_up and mine and kind == Kind.SHUFFLED:
            self._append_event(event)
            yield self.close()
            return
        if self._cleaned_up or self._belongs_to_next_turn(event, mine):
            # The turn is over, so we close it and add the event to the next turn.
            yield from [self.close()] if self._cleaned_up else self._split()
            yield from self._add(event)
            return
        if not mine and kind not in Kind.ANSWERS:
            if self.was_started():
                yield self.close()
            self._active = seat
        elif not mine and not self._events and not self._ledger.owned[self._active]["militia"]:
            # The active player has no militia, so this isn't a reply to an attack. It must have
            # had a turn without messages, which happens if a player has no cards in hand.
            self._active = seat
            mine = True
        elif mine and kind == Kind.PLAYED:
            # The clean-up only begins now, so the discard that we saw earlier wasn't the end.
            self._possible_end = None
        self._append_event(event)
        if mine and kind == Kind.TOP:
            cleaned = any(before.kind == Kind.PLAYED for before in self._events)
            if cleaned or not self._ledger.owned[seat]["cellar"]:
                self._cleaned_up = True
            elif self._possible_end is None:
                self._possible_end = len(self._events)

    def _belongs_to_next_turn(self, event: Event, mine: bool) -> bool:
        if self._possible_end is None:
            return False
        if not mine:
            return event.kind not in Kind.ANSWERS or not self._ledger.owned[self._active]["militia"]
        discards = sum(
            before.kind == Kind.TOP and before.seat == event.seat for before in self._events
        )
        # There were more discards than cellars, so the turn must have ended before.
        return event.kind == Kind.PLAYED and event.cards.count("cellar") < discards

    def _split(self) -> Iterator[Turn]:
        # Now it's certain that the turn ended at `_possible_end`. The events since then belong to
        # the next turns.
        later, omitted = self._events[self._possible_end :], self.now.omitted
        del self._events[self._possible_end :]
        self.now.omitted = 0
        for event in later:  # they're counted again below
            self._ledger.count(event, -1)
        # The shuffle for the new hand belongs to the clean-up.
        if later and (later[0].kind, later[0].seat) == (Kind.SHUFFLED, self._active):
            self._events.append(later.pop(0))
        yield self.close()
        for event in later:
            yield from self._add(event)
        self.now.omitted += omitted

    def _append_event(self, event: Event) -> None:
        self.append_limited(self._events, event)
        self._ledger.count(event)

    def close(self) -> Turn:
        now, seat, events, owned = self.now, self._active, self._events, self._ledger.owned
        self._turns[seat] += 1
        now.player_number, now.player_turn = seat_id(seat), self._turns[seat]
        now.played = cards_of(events, Kind.PLAYED)
        # Without a clean-up, the played cards aren't published, but a record has requests that
        # show them.
        if not now.played and self._request is not None:
            now.played = [*self._request.cards_played, *["militia"] * self._attacks]
        now.gained, now.bought = self._gains(events, now.played)
        now.trashed = cards_of(events, Kind.TRASHED)
        now.money = sum(_MONEY.get(card, 0) for card in now.played)
        now.spent = sum(COST.get(card, 0) for card in now.bought)
        for event in events:
            if event.kind in _WHAT:
                card, number = ", ".join(event.cards), seat_id(event.seat)
                now.actions.append(Action(_WHAT[event.kind], card, player_number=number))
        self._add_notes()
        now.scores = self._ledger.scores()
        now.cards = {card: owned[seat][card] for card in CARDS if owned[seat][card] > 0}
        now.supply = self._ledger.supply
        self._events = []
        self._request = self._possible_end = None
        self._cleaned_up = self._attacks = self._has_begun = False
        self._active = self._ledger.next_seat(seat, self._disqualified)
        return super().close()

    def _add_notes(self) -> None:
        for event in self._events:
            if event.kind in ("fault", "disqualified"):
                text, *stderr = event.cards
                note = turns.Note(seat_id(event.seat), event.kind, text, stderr)
                self.now.notes.append(note)

    def _gains(self, events: list[Event], played: list[str]) -> tuple[list[str], list[str]]:
        # The last request of a turn (after the buy) lists the bought cards. Otherwise we have to
        # guess.
        if self._request is not None and not self._request.buys and self._request.cards_gained:
            bought = self._request.cards_bought
            every = self._request.cards_gained
            return every[: len(every) - len(bought)], bought
        return split_gains(events, played)

    # --- for people ---------------------------------------------------------------------------

    def title(self, turn: Turn) -> str:
        if not turn.player_number:
            return ""
        name = self._names[seat_index(turn.player_number)]
        called = self.call(turn.player_number)
        whose = name if called == name else f"{called} {name}"
        return f"{whose}, its {ordinal(turn.player_turn)} turn"

    def active(self) -> tuple[int, ...]:
        return (self._active,) if self._is_record or self._ledger.supply else ()

    def line(self, turn: Turn) -> list[Part]:
        clauses: list[list[Part]] = []
        if turn.gained:
            clauses.append(["gains ", *sentence.listed(map(Card, turn.gained))])
        if turn.bought:
            price = f" for {turn.spent} of {turn.money}" if turn.played or turn.finished else ""
            clauses.append(["buys ", *sentence.listed(map(Card, turn.bought)), price])
        elif turn.finished:
            clauses.append([f"buys nothing with {turn.money}"])
        return sentence.joined([*clauses, *self.losses(turn)])

    def words(self, turn: Turn) -> list[Phrase | Picture]:
        if not turn.player_number:
            return []
        scores = turn.scores or []
        points = scores[seat_index(turn.player_number)]
        total = f"{sum(turn.cards.values())} cards, {plural(points, 'point')}"
        shown = {*turn.gained, *turn.bought, "province"}
        left = {card: n for card, n in turn.supply.items() if card in shown or not n}
        # In a spectator log, an unfinished turn doesn't show which cards were played.
        is_hidden = turn.hand is None and not turn.finished
        bought = listed(turn.bought) or ("nothing" if turn.finished else "")
        money = "" if is_hidden else f" ({turn.spent} of {turn.money} money)"
        lines = {
            "hand": "" if turn.hand is None else listed(turn.hand) or "empty",
            "played": listed(turn.played) or ("not known" if is_hidden else "nothing"),
            "trashed": listed(turn.trashed),
            "gained": listed(turn.gained),
        }
        return [
            *(Phrase(label, text) for label, text in lines.items() if text),
            *([Phrase("bought", bought + money, "bold")] if bought else []),
            *(self._phrase(action, turn) for action in turn.actions),
            Phrase("deck", f"{_counted(turn.cards)} ({total})"),
            Phrase(
                "scores",
                ", ".join(f"{name} {n}" for name, n in zip(self.called, scores, strict=False)),
            ),
            *([Phrase("supply", _counted(left))] if turn.supply else []),
        ]

    def _phrase(self, action: Action, turn: Turn) -> Phrase:
        name = self.call(action.player_number)
        if action.what == "shuffled":
            return Phrase("shuffled", f"{name}'s discard pile is the new deck")
        who = "" if action.player_number == turn.player_number else f"{name}: "
        if action.what == "discarded":
            return Phrase("discarded", f"{who}{action.card} on top")
        return Phrase("revealed", f"{who}{action.card}", "green")

    def summary(self, turns: Sequence[Turn]) -> Summary:
        seats = range(len(self._names))
        numbers: dict[int, list[str]] = {}  # maps a player's own turn to turns of the match
        gained: dict[int, list[str]] = {}
        decks, scores = [[""] * len(seats) for _ in range(2)]
        for turn in turns:
            if not turn.player_number:
                continue
            seat = seat_index(turn.player_number)
            row = gained.setdefault(turn.player_turn, [""] * len(seats))
            numbers.setdefault(turn.player_turn, []).append(str(turn.turn))
            row[seat] = ", ".join([*turn.gained, *turn.bought]) or "-"
            decks[seat] = _counted(turn.cards)
            scores = [str(points) for points in turn.scores or ()]
        return Summary(
            ["turns", *(f"{seat_id(seat)} {name}" for seat, name in enumerate(self._names))],
            [[", ".join(numbers[own]), *gained[own]] for own in sorted(gained)],
            [["points", *scores], ["deck", *decks]],
        )


def listed(cards: Sequence[str]) -> str:
    """Format a list of cards. Equal cards that follow each other are counted."""
    return ", ".join(turns.counted(cards))


def _counted(cards: dict[str, int]) -> str:
    return ", ".join(f"{count or 'no'} {card}" for card, count in cards.items())
