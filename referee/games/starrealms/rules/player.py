"""A player's cards, and the state of a turn (protocol, 4)."""

from __future__ import annotations

from collections import Counter

from referee.games.interface.seats import seat_id
from referee.games.starrealms.rules.cards import BLOB, CARDS, OUTPOST, STARTING_DECK, Card
from referee.games.starrealms.rules.messages import Choose

AUTHORITY = 50
HAND_SIZE = 5
FIRST_HANDS = (3, 5)


class Piece:
    """A card in play. It remembers which of its abilities have been used in this turn."""

    __slots__ = ("acts", "ally_used", "card", "used")

    def __init__(self, card: Card) -> None:
        # A Stealth Needle gets the abilities of the ship that it copies. `acts` is then that ship.
        self.card = self.acts = card
        self.ally_used = False
        self.refresh()

    def copy(self) -> Piece:
        new = Piece(self.card)
        new.acts, new.used, new.ally_used = self.acts, self.used, self.ally_used
        return new

    def refresh(self) -> None:
        """Make the abilities usable again."""
        self.used = not self.card.primary  # without a primary ability, there's nothing to use
        self.ally_used = False


class TurnStats:
    """A player's totals for the match so far, for statistics and notes.

    Attributes:
        idle: number of turns that the player ended although an attack was still possible.
        gained: for each card, the number of copies that the player gained, and the number of the
            player's own turn with the first.
    """

    def __init__(self) -> None:
        self.trade = self.combat = self.authority = self.destroyed = self.idle = 0
        self.gained: dict[str, tuple[int, int]] = {}


class Player:
    """One of the two players, with their cards and authority."""

    def __init__(self, seat: int) -> None:
        self.seat = seat
        self.number = seat_id(seat)
        self.authority = AUTHORITY  # the player loses at 0 or less
        self.deck = list(STARTING_DECK)  # face down; the last card is the top
        self.hand: list[str] = []  # in the order in which the cards were drawn
        self.discard: list[str] = []  # oldest first
        self.in_play: list[Piece] = []  # oldest first, including bases from earlier turns
        # `due` is the number of cards to discard when the next turn starts.
        self.due = self.shuffles = self.turns = 0
        self.known = 0  # number of cards on top of the deck that both players have seen
        self.made = TurnStats()
        self.left = False

    def bases(self) -> list[Piece]:
        return [piece for piece in self.in_play if not piece.card.is_ship]

    def exposed(self) -> list[Piece]:
        """Return the bases that can be attacked or destroyed. Outposts protect the others (4.7)."""
        bases = self.bases()
        return [piece for piece in bases if piece.card.type == OUTPOST] or bases

    def is_shielded(self) -> bool:
        return OUTPOST in [piece.card.type for piece in self.in_play]

    def constant(self, word: str) -> int:
        """Return how many cards in play have this lasting effect."""
        return [piece.card.constant for piece in self.in_play].count(word)

    def has_ally(self, piece: Piece) -> bool:
        """Return True if another card in play enables the ally ability of this piece (4.3)."""
        faction = piece.acts.faction
        # We get here for every card in play whenever the legal actions are listed, and a loop is
        # faster than any().
        for other in self.in_play:
            if other is not piece and (
                other.acts.faction == faction
                or other.card.faction == faction
                or other.card.constant == "ally_of_all"
            ):
                return True
        return False

    def cards(self) -> dict[str, int]:
        in_play = [piece.card.name for piece in self.in_play]
        return dict(sorted(Counter(self.hand + self.deck + self.discard + in_play).items()))


class TurnState:
    """The state of one player's turn.

    Attributes:
        played: names of the cards played in this turn, even if they were scrapped since.
        copied: the ship that a Stealth Needle has copied in this turn.
        question: the `choose` that the player has to answer, or None.
    """

    def __init__(self, player: Player, opponent: Player) -> None:
        self.player = player
        self.opponent = opponent
        self.trade = self.combat = 0
        self.next_ship_to_top = False
        self.played: list[str] = []
        self.copied: str | None = None
        self.question: Choose | None = None

    def blobs(self) -> int:
        """Count the Blob cards played in this turn, including a copied Blob ship (4.4)."""
        played = [*self.played, self.copied] if self.copied else self.played
        return sum(CARDS[card].faction == BLOB for card in played)
