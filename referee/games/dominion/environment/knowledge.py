"""What one seat knows of a game, counted: its view, and what it has chosen since.

All cards are counted in lists with one entry for each of `CARDS`. What the seat has chosen for the
reply that is being put together is taken for done already.
"""

from __future__ import annotations

from collections.abc import Iterable

from referee.games.dominion.rules.cards import CARDS
from referee.games.dominion.rules.messages import AttackRequest, PlayTurn
from referee.games.dominion.rules.view import View

INDEX = {card: index for index, card in enumerate(CARDS)}
COSTS = tuple(card.cost for card in CARDS.values())
WORTHS = tuple(card.worth for card in CARDS.values())

_ZEROS = [0] * len(CARDS)


def counted(cards: Iterable[str]) -> list[int]:
    """How many there are of each card."""
    counts = _ZEROS.copy()
    for card in cards:
        counts[INDEX[card]] += 1
    return counts


class Knowledge:
    """What the player of a seat knows.

    Attributes:
        owned, scores: what each seat owns and its points, in seat order.
        supply: cards left, less those that it has chosen to buy.
        hand, in_play: as its choices since have changed them.
        aside: cards that have left its hand by these choices, to be discarded or trashed.
        bought: cards that it has chosen to buy.
        discard_pile, deck: its own.
        actions, buys: what it has left; 0 while it is not asked to play.
        extra_money: from actions.
        money: what it can spend: extra money and all treasures in hand.
        due: cards still to be discarded to a militia.
        turns: that it has begun.
    """

    def __init__(self, seat: int, view: View) -> None:
        own = view.seats[seat].own
        assert own is not None  # it is this seat's view
        self.owned = [list(map(each.cards.get, CARDS, _ZEROS)) for each in view.seats]
        self.scores = [each.score for each in view.seats]
        self.supply = list(map(view.supply.get, CARDS, _ZEROS))
        self.hand, self.in_play = counted(own.hand), counted(own.in_play)
        self.discard_pile, self.deck = counted(own.discard_pile), counted(own.deck)
        self.aside, self.bought = _ZEROS.copy(), _ZEROS.copy()
        self.turns = own.turns
        self.actions = self.buys = self.extra_money = self.money = self.due = 0
        match view.request:
            case PlayTurn(actions=actions, buys=buys, extra_money=extra):
                self.actions, self.buys, self.extra_money = actions, buys, extra
                self.money = extra + self.coins()
            case AttackRequest(discard=due):
                self.due = due

    def own(self) -> tuple[list[int], ...]:
        """Its cards: chosen to discard, trash or buy, hand, in play, discard pile, deck."""
        chosen = _sum(self.aside, self.bought)
        return (chosen, self.hand, self.in_play, self.discard_pile, self.deck)

    def coins(self) -> int:
        """What the treasures in its hand are worth."""
        return sum(count * worth for count, worth in zip(self.hand, WORTHS, strict=True) if worth)

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
        self.hand, self.in_play = _ZEROS.copy(), _ZEROS.copy()
        self.actions = self.buys = self.extra_money = self.money = 0


def _sum(some: list[int], others: list[int]) -> list[int]:
    return [count + other for count, other in zip(some, others, strict=True)]
