"""What one seat knows of a game: from the messages that its bot is sent, and from its own replies.

All cards are counted in lists with one entry for each of `CARDS`. What the seat has chosen for the
reply that is being put together is taken for done already.
"""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from referee.games.dominion.rules.cards import CARDS, STARTING_DECK
from referee.games.dominion.rules.messages import (
    AttackRequest,
    PlayerGained,
    PlayerShuffled,
    PlayerTopDiscard,
    PlayerTrashed,
    PlayTurn,
    SupplyInfo,
)
from referee.seam.seats import seat_id, seat_ids

INDEX = {card: index for index, card in enumerate(CARDS)}
COSTS = tuple(card.cost for card in CARDS.values())
WORTHS = tuple(card.worth for card in CARDS.values())
VALUES = tuple(card.points for card in CARDS.values())


def counted(cards: Iterable[str]) -> list[int]:
    """How many there are of each card."""
    counts = [0] * len(CARDS)
    for card in cards:
        counts[INDEX[card]] += 1
    return counts


class Knowledge:
    """What the player of a seat knows.

    Attributes:
        owned: what each seat owns, in seat order: all of that is public.
        supply: cards left, less those that it has chosen to buy.
        hand, in_play: as its last request says, and as its choices since have changed them.
        aside: cards that have left its hand by these choices, and are still to be discarded or
            trashed.
        bought: cards that it has chosen to buy.
        discard_pile: its own.
        actions, buys: what it has left; 0 in the turns of others.
        extra_money: from actions.
        money: what it can spend: extra money and all treasures in hand.
        due: cards still to be discarded to a militia.
        turns: that it has begun.
        gains_to_hand: whether what it gains next comes into its hand.
    """

    def __init__(self, seat: int, seats: int) -> None:
        self.owned = [counted(STARTING_DECK) for _ in range(seats)]
        self.supply = [0] * len(CARDS)
        self.hand = [0] * len(CARDS)
        self.in_play = [0] * len(CARDS)
        self.aside = [0] * len(CARDS)
        self.bought = [0] * len(CARDS)
        self.discard_pile = [0] * len(CARDS)
        self.actions = self.buys = self.extra_money = self.money = self.due = self.turns = 0
        self.gains_to_hand = False
        self._seat = seat
        self._number = seat_id(seat)
        self._seats = {number: index for index, number in enumerate(seat_ids(seats))}
        self._in_turn = False

    def hear(self, message: Struct) -> None:
        """Take a public message, or a request to this seat."""
        match message:
            case SupplyInfo(cards=piles):
                self.supply = [pile.count for pile in piles]
            case PlayerGained(player_number=number, gained=card):
                self.owned[self._seats[number]][INDEX[card]] += 1
                if number == self._number:
                    pile = self.hand if self.gains_to_hand else self.discard_pile
                    pile[INDEX[card]] += 1
            case PlayerTrashed(player_number=number, trashed=cards):
                for card in cards:
                    self.owned[self._seats[number]][INDEX[card]] -= 1
                if number == self._number:
                    self.aside = [0] * len(CARDS)
            case PlayerTopDiscard(player_number=self._number):
                self.discard_pile = _sum(self.discard_pile, self.aside)
                self.aside = [0] * len(CARDS)
            case PlayerShuffled(player_number=self._number):
                self.discard_pile = [0] * len(CARDS)
            case PlayTurn():
                self.hand, self.in_play = counted(message.hand), counted(message.cards_played)
                self.actions, self.buys = message.actions, message.buys
                self.extra_money = message.extra_money
                self.money = self.extra_money + self.coins()
                self.bought = [0] * len(CARDS)
                self.gains_to_hand = False
                self.turns += not self._in_turn
                self._in_turn = True
            case AttackRequest():
                self.hand = counted(message.options)
                self.due = message.discard

    def own(self) -> tuple[list[int], ...]:
        """Its cards: chosen so far (to discard, trash or buy), hand, in play, discard pile, deck.

        While it is not asked, what it has drawn since the last request is still in the deck.
        """
        away = (self.hand, self.in_play, self.discard_pile)
        deck = [
            owned - aside - hand - in_play - discarded
            for owned, aside, hand, in_play, discarded in zip(
                self.owned[self._seat], self.aside, *away, strict=True
            )
        ]
        return (_sum(self.aside, self.bought), *away, deck)

    def coins(self) -> int:
        """What the treasures in its hand are worth."""
        return sum(count * worth for count, worth in zip(self.hand, WORTHS, strict=True) if worth)

    def score(self, seat: int) -> int:
        """The points of what a seat owns."""
        return sum(
            count * value for count, value in zip(self.owned[seat], VALUES, strict=True) if value
        )

    # --- its choices --------------------------------------------------------------------------

    def put_in_play(self, card: int) -> None:
        """Play a card of the hand."""
        self.hand[card] -= 1
        self.in_play[card] += 1

    def put_aside(self, card: int) -> None:
        """Take a card out of the hand, to be discarded or trashed."""
        self.hand[card] -= 1
        self.aside[card] += 1

    def buy(self, card: int) -> None:
        """Buy a card."""
        self.buys -= 1
        self.money -= COSTS[card]
        self.supply[card] -= 1
        self.bought[card] += 1

    def end_turn(self) -> None:
        """Put all of hand and play aside, to be discarded."""
        self.aside = _sum(self.hand, self.in_play)
        self.hand = [0] * len(CARDS)
        self.in_play = [0] * len(CARDS)
        self.actions = self.buys = self.extra_money = self.money = 0
        self._in_turn = False


def _sum(some: list[int], others: list[int]) -> list[int]:
    return [count + other for count, other in zip(some, others, strict=True)]
