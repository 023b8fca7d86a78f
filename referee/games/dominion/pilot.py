"""Plays Dominion by the scores of a rule file (spec/rule-bots.md says in which order).

What a card needs, such as what a remodel trashes, is decided before the card is played: so it is
still in hand, and its action is not spent, in what the rules ask for.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import nextafter
from typing import Any

from referee.games.dominion.rules.cards import CARDS, COST, KINGDOM, WORTH
from referee.games.dominion.rules.messages import (
    AttackReply,
    AttackReplyReaction,
    AttackRequest,
    PlayReply,
    PlayTurn,
)
from referee.games.dominion.rules.view import SeatView, View
from referee.games.interface.vocabulary import Book, Decision

_WORTH_IT = nextafter(20.0, 0.0)
"""A cellar discards what has a score above this: from 20 on."""
_EXCHANGES = {"mine": WORTH, "remodel": COST}
"""Card -> what it may trash and gain."""


class Sight:
    """What the player knows when it is asked, as if it had bought the cards that it has chosen.

    Attributes:
        seats, own: as in the view.
        others: what is to be seen of the other seats.
        supply: card -> cards left.
        cards: card -> how many the player owns.
        discard_size: cards in its discard pile.
        actions, buys: what is left; 0 while it is attacked.
        money: extra money and all treasures in hand, less what is spent.
    """

    __slots__ = (
        "actions",
        "buys",
        "cards",
        "discard_size",
        "money",
        "others",
        "own",
        "seats",
        "supply",
    )

    def __init__(self, view: View) -> None:
        assert view.asked is not None  # its player is asked
        me = view.seats[view.asked]
        assert me.own is not None  # it is this seat's view
        self.seats = view.seats
        self.own = me.own
        self.others: list[SeatView] = [seat for seat in view.seats if seat is not me]
        self.supply = view.supply
        self.cards = me.cards
        self.discard_size = len(me.own.discard_pile)
        self.actions = self.buys = 0
        self.money = sum([WORTH[card] for card in me.own.hand if card in WORTH])
        if isinstance(view.request, PlayTurn):
            self.actions, self.buys = view.request.actions, view.request.buys
            self.money += view.request.extra_money

    def having_bought(self, card: str) -> Sight:
        """It once this card is bought too; the treasures are still in hand."""
        after = object.__new__(Sight)
        after.seats, after.own, after.others = self.seats, self.own, self.others
        after.supply = self.supply | {card: self.supply[card] - 1}
        after.cards = self.cards | {card: self.cards.get(card, 0) + 1}
        after.discard_size = self.discard_size + 1
        after.actions, after.buys = self.actions, self.buys - 1
        after.money = self.money - COST[card]
        return after


class Pilot:
    """Implements `referee.games.interface.vocabulary.Pilot`."""

    def __init__(self, book: Book) -> None:
        self._book = book

    def reply(self, view: View) -> PlayReply | AttackReply | AttackReplyReaction:
        """What to do next in its turn, or about a militia."""
        look = self._book.decide(Sight(view))
        if isinstance(view.request, AttackRequest):
            return _attacked(look, view.request)
        return _action(look) or self._buy(look) or _clean_up(look)

    def _buy(self, look: Decision) -> PlayReply | None:
        """Buy the best card, and again with what is left; None if nothing is bought."""
        sight: Sight = look.sight
        treasures = [card for card in sight.own.hand if card in WORTH]
        bought: list[str] = []
        while sight.buys:
            best = _best(look, "buyRules", _for_sale(sight, COST, sight.money))
            if best is None:
                break
            bought.append(best)
            sight = sight.having_bought(best)
            look = self._book.decide(sight)
        if not bought:
            return None
        return PlayReply(phase="buy", played_treasures=treasures, cards_to_buy=bought)


# --- its turn ---------------------------------------------------------------------------------


def _action(look: Decision) -> PlayReply | None:
    """The best action card that can do something; None if there is none, or no action."""
    sight: Sight = look.sight
    if not sight.actions:
        return None
    playable = [card for card in sight.own.hand if card in KINGDOM]
    tried = set()
    for index in look.rank("playRules", playable, above=0):
        card = playable[index]
        if card not in tried:
            tried.add(card)
            parameters = _parameters(look, card)
            if parameters is not None:
                return PlayReply(phase="action", card=card, additional_parameters=parameters)
            look.remark(f"{card} finds nothing, so it is not played")
    return None


def _parameters(look: Decision, card: str) -> dict[str, Any] | None:
    """What a card needs to be played; None if it finds nothing."""
    match card:
        case "cellar":
            rest = _rest(look, card)
            order = look.rank("discardRules", rest, _WORTH_IT)
            return {"cards": [rest[index] for index in order]}
        case "mine" | "remodel":
            return _exchange(look, card)
        case "workshop":
            gained = _gain(look, COST, CARDS[card].gains)
            return None if gained is None else {"desired_card": gained}
    return {}


def _exchange(look: Decision, card: str) -> dict[str, Any] | None:
    """What to trash, the best for which there is something to gain, and what to gain."""
    among = _EXCHANGES[card]
    rest = [each for each in _rest(look, card) if each in among]
    tried = set()
    for index in look.rank("trashRules", rest, above=0):
        trashed = rest[index]
        if trashed not in tried:
            tried.add(trashed)
            gained = _gain(look, among, COST[trashed] + CARDS[card].raises)
            if gained is not None:
                return {"card_to_trash": trashed, "desired_card": gained}
    return None


def _gain(look: Decision, among: Iterable[str], limit: int) -> str | None:
    return _best(look, "gainRules", _for_sale(look.sight, among, limit))


def _rest(look: Decision, card: str) -> list[str]:
    """The hand without the card that is to be played."""
    rest: list[str] = look.sight.own.hand.copy()
    rest.remove(card)
    return rest


def _for_sale(sight: Sight, among: Iterable[str], limit: int) -> list[str]:
    """What costs up to so much, of the piles that are not empty, in their order."""
    supply = sight.supply
    return [card for card in among if supply[card] and COST[card] <= limit]


def _best(look: Decision, rules: str, cards: Sequence[str]) -> str | None:
    """The card with the highest score, if that is above 0."""
    order = look.rank(rules, cards, above=0)
    return cards[order[0]] if order else None


def _clean_up(look: Decision) -> PlayReply:
    """End the turn, with the best card of hand and play on top of the discard pile."""
    own = look.sight.own
    return PlayReply(
        phase="cleanup", top_discard=_best(look, "topDiscardRules", own.hand + own.in_play)
    )


# --- the turn of another ----------------------------------------------------------------------


def _attacked(look: Decision, asked: AttackRequest) -> AttackReply | AttackReplyReaction:
    """Reveal a moat, or discard what has the highest scores."""
    if "moat" in asked.options and look.rank("revealRules", ["moat"], above=0):
        return AttackReplyReaction(reaction="moat")
    order = look.rank("discardRules", asked.options)
    return AttackReply(discard=[asked.options[index] for index in order[: asked.discard]])
