"""The public messages of a turn as events, and the cards that they show.

A turn ends with its clean-up (protocol-v1, 2.15): `player-played` if a card was played, then a
`player-top-discard` of the active player, then `player-shuffled` if the new hand needs it. A top
discard without an earlier `player-played` comes from a cellar, or it ends a turn without played
cards. Only later messages show which of the two is true. During a turn, other players only send
`Kind.ANSWERS`, in reply to a militia.

The checker and the reader each decide where a turn ends, from the same events, and they do it in
different ways on purpose. The checker follows every possibility and counts the cards that each
player can hold, which is reliable but slow. The reader must also read damaged logs, where such
counts are wrong.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Sequence
from typing import NamedTuple, TypeAlias

from referee.games.dominion.rules import messages as say
from referee.games.dominion.rules.cards import CARDS, COST, STARTING_DECK, points_of
from referee.games.interface.seats import seat_id, seat_index

TurnMessage: TypeAlias = (
    say.PlayerGained
    | say.PlayerPlayed
    | say.PlayerTrashed
    | say.PlayerTopDiscard
    | say.PlayerReveal
    | say.PlayerShuffled
)
"""The public messages of a turn, except those about the supply."""


class Kind:
    """The kind of an event, i.e. the type of its message."""

    GAINED = "player-gained"
    TRASHED = "player-trashed"
    TOP = "player-top-discard"
    REVEALED = "player-reveal"
    SHUFFLED = "player-shuffled"
    PLAYED = "player-played"
    DISQUALIFIED = "player-disqualified"
    ANSWERS = (TOP, REVEALED)
    """Messages that other players can send in a turn, as answers to an attack."""


_CARDS = {
    Kind.GAINED: "gained",
    Kind.PLAYED: "played",
    Kind.TRASHED: "trashed",
    Kind.TOP: "card",
    Kind.REVEALED: "cards",
}
"""Kind -> the field of its message with the cards."""


class Event(NamedTuple):
    """A message of a turn, or a disqualification with its code as the only card."""

    line: int
    kind: str
    seat: int
    cards: tuple[str, ...] = ()
    supply: dict[str, int] | None = None  # the supply before the message, where needed

    @staticmethod
    def of(message: TurnMessage, line: int = 0) -> Event:
        """Convert a message of a turn to an event. `line` is its line in the log."""
        kind = str(message.__struct_config__.tag)
        cards: str | Sequence[str] = getattr(message, _CARDS.get(kind, ""), ())
        seat = seat_index(message.player_number)
        return Event(line, kind, seat, (cards,) if isinstance(cards, str) else tuple(cards))

    def __str__(self) -> str:
        cards = " " + ", ".join(self.cards) if self.cards else ""
        return f"{self.kind} {seat_id(self.seat)}{cards}"


def cards_of(events: Iterable[Event], kind: str) -> list[str]:
    """Return the cards of all events of this kind."""
    return [card for event in events if event.kind == kind for card in event.cards]


def split_gains(events: Iterable[Event], played: Sequence[str]) -> tuple[list[str], list[str]]:
    """Split a turn's gains into gains from actions and bought cards, as far as possible.

    No message distinguishes them. A gain right after a trashing comes from a mine or a remodel, and
    cheap cards are assigned to the workshops that were played. All other cards were bought.
    """
    gained: list[str] = []
    bought: list[str] = []
    workshops, limit = played.count("workshop"), CARDS["workshop"].gains
    before = ""
    for event in events:
        if event.kind == Kind.GAINED:
            by_workshop = workshops > 0 and COST.get(event.cards[0], limit + 1) <= limit
            # A mine or a remodel trashes first. No other message can come in between, so this gain
            # comes from the same card.
            if before == Kind.TRASHED:
                gained += event.cards
            elif by_workshop:
                workshops -= 1
                gained += event.cards
            else:
                bought += event.cards
        before = event.kind
    return gained, bought


class Ledger:
    """The cards of a match, as far as public messages show them.

    Code with a live game looks at its view instead (`rules/view.py`).
    """

    def __init__(self, seats: int) -> None:
        self.supply: dict[str, int] = {}  # card -> cards left; empty before the first `supply-info`
        self.owned = [Counter(STARTING_DECK) for _ in range(seats)]  # the cards of each seat

    def show(self, message: say.SupplyInfo) -> None:
        self.supply = {pile.card: pile.count for pile in message.cards}

    def count(self, event: Event, sign: int = 1) -> None:
        """Count the cards gained or trashed by an event. With `sign` -1, undo this."""
        if event.kind == Kind.TRASHED:
            sign = -sign
        elif event.kind != Kind.GAINED:
            return
        owned = self.owned[event.seat]
        for card in event.cards:
            if card in CARDS:  # a damaged log may have any number of other names
                owned[card] += sign
                if not owned[card]:
                    del owned[card]

    def scores(self) -> list[int]:
        return [points_of(owned) for owned in self.owned]

    def next_seat(self, seat: int, disqualified: Container[int]) -> int:
        """Return the next seat in turn order that isn't disqualified. Can be the same seat."""
        seats = len(self.owned)
        order = [(seat + step) % seats for step in range(1, seats)]
        return next((each for each in order if each not in disqualified), seat)
