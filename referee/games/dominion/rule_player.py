"""Play Dominion by a rule file, whose rules give scores to cards.

spec/rule-files.md defines the order of the decisions. We have to decide on a card's parameters
before we play it, e.g. which card a remodel trashes. When these rules are evaluated, the remodel is
therefore still in hand, and its action isn't spent yet.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import nextafter
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from referee.games.dominion.rules import messages as say
from referee.games.dominion.rules.cards import COST, KINGDOM, WORTH
from referee.games.dominion.rules.choices import Ask, first_way, for_sale, without
from referee.games.dominion.rules.view import OwnCards, SeatView, View
from referee.games.interface.vocabulary import Book, Decision

_WORTH_IT = nextafter(20.0, 0.0)
"""A cellar discards the cards whose score is higher than this, i.e. at least 20."""


class Observation(Struct, frozen=True):
    """Everything that a player knows when the rules are evaluated.

    If the player has already chosen cards to buy, they count as bought.
    """

    own: OwnCards
    others: list[SeatView]
    supply: dict[str, int]  # card -> number of cards left
    cards: dict[str, int]  # card -> number that the player owns
    discard_size: int
    # The remaining actions and buys. Both are 0 during an attack.
    actions: int
    buys: int
    money: int  # extra money plus treasures in hand, minus the money that was spent

    def having_bought(self, card: str) -> Observation:
        """Return the observation after buying a card. Treasures stay in hand."""
        return replace(
            self,
            supply=self.supply | {card: self.supply[card] - 1},
            cards=self.cards | {card: self.cards.get(card, 0) + 1},
            discard_size=self.discard_size + 1,
            buys=self.buys - 1,
            money=self.money - COST[card],
        )


def sight_of(view: View) -> Observation:
    """Convert a player's view to an observation. The player must have a request."""
    assert view.asked is not None
    me = view.seats[view.asked]
    assert me.own is not None  # always set in the view of a seat
    others = [seat for seat in view.seats if seat is not me]
    money = sum([WORTH[card] for card in me.own.hand if card in WORTH])
    actions = buys = 0
    if isinstance(view.request, say.PlayTurn):
        actions, buys = view.request.actions, view.request.buys
        money += view.request.extra_money
    size = len(me.own.discard_pile)
    return Observation(me.own, others, view.supply, me.cards, size, actions, buys, money)


class DominionRulePlayer:
    """Implements `referee.games.interface.vocabulary.RulePlayer`."""

    def __init__(self, book: Book) -> None:
        self._book = book

    def reply(self, view: View) -> say.PlayReply | say.AttackReply | say.AttackReplyReaction:
        look = self._book.decide(sight_of(view))
        if isinstance(view.request, say.AttackRequest):
            return _attacked(look, view.request)
        return _action(look) or self._buy(look) or _clean_up(look)

    def _buy(self, look: Decision) -> say.PlayReply | None:
        sight: Observation = look.sight
        treasures = [card for card in sight.own.hand if card in WORTH]
        bought: list[str] = []
        while sight.buys:
            best = _best(look, "buyRules", for_sale(sight.supply, sight.money))
            if best is None:
                break
            bought.append(best)
            sight = sight.having_bought(best)
            # We evaluate the file again, because after one purchase its conditions may prefer
            # another card.
            look = self._book.decide(sight)
        # No rule wants a card, or there's nothing to buy.
        if not bought:
            return None
        return say.PlayReply(phase="buy", played_treasures=treasures, cards_to_buy=bought)


# --- own turn -------------------------------------------------------------------------------------


def _action(look: Decision) -> say.PlayReply | None:
    """Choose the best action card that has an effect. Return None if no card can be played."""
    sight: Observation = look.sight
    if not sight.actions:
        return None
    playable = [card for card in sight.own.hand if card in KINGDOM]
    tried = set()
    for index in look.rank("playRules", playable, above=0):
        card = playable[index]
        # If a card has no effect, its copies have no effect either, so we try each name once.
        if card not in tried:
            tried.add(card)
            parameters = _parameters(look, card)
            if parameters is not None:
                return say.PlayReply(phase="action", card=card, additional_parameters=parameters)
            look.remark(f"{card} finds nothing, so it is not played")
    return None


def _parameters(look: Decision, card: str) -> dict[str, Any] | None:
    rest = without(card, look.sight.own.hand)

    def options(asked: Ask) -> Iterator[Any]:
        if asked.what == "discard":
            yield [rest[index] for index in look.rank("discardRules", rest, _WORTH_IT)]
        elif asked.what == "trash":
            cards = [each for each in rest if each in asked.cards]
            order = look.rank("trashRules", cards, above=0)
            # Several copies of a card lead to the same decisions, so we keep only the first.
            yield from dict.fromkeys(cards[index] for index in order)
        elif (best := _best(look, "gainRules", asked.cards)) is not None:
            yield best

    return first_way(card, rest, look.sight.supply, options)


def _best(look: Decision, rules: str, cards: Sequence[str]) -> str | None:
    order = look.rank(rules, cards, above=0)
    return cards[order[0]] if order else None


def _clean_up(look: Decision) -> say.PlayReply:
    cards = look.sight.own.hand + look.sight.own.in_play
    return say.PlayReply(phase="cleanup", top_discard=_best(look, "topDiscardRules", cards))


# --- another player's turn ------------------------------------------------------------------------


def _attacked(
    look: Decision, asked: say.AttackRequest
) -> say.AttackReply | say.AttackReplyReaction:
    if "moat" in asked.options and look.rank("revealRules", ["moat"], above=0):
        return say.AttackReplyReaction(reaction="moat")
    order = look.rank("discardRules", asked.options)
    return say.AttackReply(discard=[asked.options[index] for index in order[: asked.discard]])
