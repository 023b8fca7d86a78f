"""The cards of one seat, and the state of its turn (protocol-v1, 4.1, 4.4, 4.6).

These methods don't publish anything (see `table.py` for that), and they don't check whether a move
is legal.
"""

from __future__ import annotations

from msgspec import Struct

from referee.games.dominion.rules.cards import CARDS, HAND_SIZE, POINTS, STARTING_DECK, points_of
from referee.games.interface.random_source import RandomSource
from referee.games.interface.seats import seat_id


class Gains(Struct, frozen=True, gc=False):
    """The cards that a player got in one turn.

    `gained` contains all of them. The cards in `bought` are the last ones, because buying comes
    after playing actions.
    """

    bought: list[str]
    gained: list[str]


class Player:
    """A player and its cards, which are in the deck, in hand, in play or on the discard pile.

    We also keep track of the cards that the player hasn't seen yet.
    """

    def __init__(self, seat: int, chance: RandomSource) -> None:
        """Shuffle the starting deck and draw five cards (4.1)."""
        self.seat = seat
        self.number = seat_id(seat)
        self._chance = chance
        self.deck = list(STARTING_DECK)  # face down; the last card is on top
        chance.shuffle(self.number, self.deck)
        self.hand: list[str] = []  # in the order drawn
        self.in_play: list[str] = []  # in the order played
        self.discard_pile: list[str] = []  # the last card is on top
        # `shuffles` counts how often the discard pile was shuffled into the deck. (The initial
        # shuffle doesn't count.)
        self.turns = self.shuffles = 0
        self.gains: list[Gains] = []
        self.actions_played: set[str] = set()
        # `is_shown` is True if the bot has seen the current hand.
        self.left = self.is_shown = False
        # If the referee discards cards at random, the player doesn't know at first which of its
        # cards are gone. It only sees the top card of the discard pile, which isn't in this list.
        self.unseen: list[str] = []
        self.counted: tuple[dict[str, int], int] | None = None  # cached result of `_count`
        self.draw(HAND_SIZE)

    def draw(self, count: int) -> bool:
        """Draw up to `count` cards (4.6). Returns True if the discard pile was shuffled."""
        self.is_shown = False
        deck = self.deck
        # The usual case comes first, because this runs for every hand of every match.
        missing = count - len(deck)
        if missing <= 0:
            if count:
                self._chance.before_draw(self.number, self.hand, deck, count)
                # The top of the deck is its last card, so we reverse them here. (Popping from the
                # front of a list would be slow.)
                self.hand += deck[: -count - 1 : -1]
                del deck[-count:]
            return False
        if deck:
            self._chance.before_draw(self.number, self.hand, deck, len(deck))
            self.hand += deck[::-1]
            deck.clear()
        if not self.discard_pile:
            return False
        # The deck is empty now, so we reuse its list as the new discard pile.
        self.deck, self.discard_pile = self.discard_pile, deck
        self.shuffles += 1
        self._chance.shuffle(self.number, self.deck)
        self.draw(min(missing, len(self.deck)))
        return True

    def shown_hand(self) -> list[str]:
        """Copy the hand for a request, and remember that the player has seen it."""
        self.is_shown = True
        if self.unseen:
            self.unseen = []
        return self.hand.copy()

    def cards(self) -> dict[str, int]:
        """Return how many copies of each card the player owns, in the order of the supply.

        Cards that the player doesn't own are left out. Don't modify the dict, it is cached.
        """
        return self._count()[0]

    def score(self) -> int:
        return self._count()[1]

    # We need this for every view, but a player's cards don't change often, so the result is cached.
    # Code that adds or removes cards has to set `counted` to None.
    def _count(self) -> tuple[dict[str, int], int]:
        if self.counted is None:
            owned = dict.fromkeys(CARDS, 0)  # A Counter would be half as fast.
            for card in self.deck + self.hand + self.in_play + self.discard_pile:
                owned[card] += 1
            cards = {card: count for card, count in owned.items() if count}
            self.counted = cards, points_of(cards)
        return self.counted

    def count_one_more(self, card: str) -> None:
        """Add a gained card to the cached counts.

        If the player has no such card yet, the cache is cleared. The new card would be the last in
        the dict, but `cards` must be in the order of the supply.
        """
        if self.counted is not None:
            cards, points = self.counted
            if card in cards:
                more = {**cards, card: cards[card] + 1}
                self.counted = more, points + POINTS.get(card, 0)
            else:
                self.counted = None


class TurnState(Struct):
    """The state of a player's turn.

    `money` is the money from action cards. Treasures don't count until a buy reply plays them.
    """

    player: Player
    actions: int = 1
    buys: int = 1
    money: int = 0
    bought: list[str] = []
    gained: list[str] = []
