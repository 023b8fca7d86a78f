"""One seat's cards and its random stream (protocol-v1, 4.1, 4.6, 4.7)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from itertools import chain
from random import Random

from referee.dominion.cards import CARDS, HAND_SIZE, POINTS, STARTING_DECK
from referee.game import player_number


def shuffle(cards: list[str], random: Callable[[], float]) -> None:
    """Shuffle in place: Fisher-Yates from the end, one `random()` in [0, 1) for each step.

    Python promises the sequence of `Random.random` for a seed across versions, and promises
    nothing for `Random.shuffle`; a log must play the same on every Python.
    """
    for last in range(len(cards) - 1, 0, -1):
        chosen = int(random() * (last + 1))
        cards[last], cards[chosen] = cards[chosen], cards[last]


class Player:
    """One seat of the game.

    Attributes:
        seat: counted from 0.
        number: its name on the wire.
        deck: face down; the end of the list is the top.
        hand: in the order drawn.
        in_play: in the order played.
        discard_pile: the end of the list is the top.
        turns: turns begun.
        gone: whether it left the match.
    """

    __slots__ = (
        "_random",
        "deck",
        "discard_pile",
        "gone",
        "hand",
        "in_play",
        "number",
        "seat",
        "turns",
    )

    def __init__(self, seat: int, seed: int) -> None:
        """Deal the starting deck and draw five (4.1)."""
        self.seat = seat
        self.number = player_number(seat)
        # A stream of its own for every seat: a seat's luck does not depend on the others (4.7).
        self._random = Random(f"{seed}/{self.number}").random
        self.deck = list(STARTING_DECK)
        shuffle(self.deck, self._random)
        self.hand: list[str] = []
        self.in_play: list[str] = []
        self.discard_pile: list[str] = []
        self.turns = 0
        self.gone = False
        self.draw(HAND_SIZE)

    def draw(self, count: int) -> bool:
        """Draw up to `count` cards into the hand (4.6).

        Returns:
            Whether the discard pile was shuffled into the deck on the way.
        """
        deck = self.deck
        missing = count - len(deck)
        if missing <= 0:
            if count:
                self.hand += deck[: -count - 1 : -1]
                del deck[-count:]
            return False
        self.hand += deck[::-1]
        deck.clear()
        if not self.discard_pile:
            return False
        self.deck, self.discard_pile = self.discard_pile, deck
        shuffle(self.deck, self._random)
        self.draw(min(missing, len(self.deck)))
        return True

    def cards(self) -> dict[str, int]:
        """All cards owned: card -> count, in the order of the supply, without zeros."""
        owned = Counter(chain(self.deck, self.hand, self.in_play, self.discard_pile))
        return {card: owned[card] for card in CARDS if owned[card]}

    def score(self) -> int:
        """Points over all cards owned (4.5)."""
        return sum(POINTS.get(card, 0) * count for card, count in self.cards().items())
