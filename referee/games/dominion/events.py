"""The public messages of a turn as events, and the cards that they show.

A turn ends with a clean-up (protocol-v1, 2.15). If the player has played cards, we see a
`player-played` first. Then there's a `player-top-discard`, and a `player-shuffled` if the player
has to shuffle for a new hand. If other players appear during a turn, they're replying to a militia
(`Kind.ANSWERS`).

It isn't always clear where a turn ends. If there's a top discard without a `player-played`, the
player may have used a cellar, or has ended a turn without playing anything. We only know when we
see the next messages. The checker (`validation/`) follows both possibilities and counts the cards
that a player can hold, which is reliable but slow. The reader (`turns.py`) also has to cope with
damaged logs, where these counts would be wrong, so it uses simpler rules.
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
"""A public message about something that a player did. (`supply-info` doesn't name a player.)"""


class Kind:
    """The kinds of events. They're the types of the messages."""

    GAINED = "player-gained"
    TRASHED = "player-trashed"
    TOP = "player-top-discard"
    REVEALED = "player-reveal"
    SHUFFLED = "player-shuffled"
    PLAYED = "player-played"
    DISQUALIFIED = "player-disqualified"
    ANSWERS = (TOP, REVEALED)
    """The messages about other players in a turn, which show their replies to an attack."""


_CARDS = {
    Kind.GAINED: "gained",
    Kind.PLAYED: "played",
    Kind.TRASHED: "trashed",
    Kind.TOP: "card",
    Kind.REVEALED: "cards",
}
"""The field of each message that contains the cards."""


class Event(NamedTuple):
    """A message of a turn. For a disqualification, `cards` contains the code instead of cards."""

    line: int
    kind: str
    seat: int
    cards: tuple[str, ...] = ()
    # The supply when the card was trashed. Only the checker sets it.
    supply: dict[str, int] | None = None

    @staticmethod
    def of(message: TurnMessage, line: int = 0) -> Event:
        """Convert a message to an event. `line` is the line number of the message in the log."""
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
    """Guess which cards of a turn were gained by actions and which were bought. Returns both lists.

    The messages don't say this, so we have to guess. A gain that comes right after a trashed card
    is from a mine or a remodel. If workshops were played, we assume that they gained the first
    cards that are cheap enough, and that all other cards were bought.
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
    """Keeps count of the supply and of each player's cards by reading public messages.

    If you have a running game, you don't need this. Look at a view instead (`rules/view.py`).
    """

    def __init__(self, seats: int) -> None:
        # The number of cards left in each pile. It's empty until the first `supply-info`.
        self.supply: dict[str, int] = {}
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
            if card in CARDS:  # a damaged log could fill our memory with other names
                owned[card] += sign
                if not owned[card]:
                    del owned[card]

    def scores(self) -> list[int]:
        return [points_of(owned) for owned in self.owned]

    def next_seat(self, seat: int, disqualified: Container[int]) -> int:
        """Return the seat that moves after `seat`, skipping the disqualified ones.

        If all others are disqualified, that's `seat` again.
        """
        seats = len(self.owned)
        order = [(seat + step) % seats for step in range(1, seats)]
        return next((each for each in order if each not in disqualified), seat)
