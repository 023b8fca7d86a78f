"""Which rules a reply is about: the cases of spec/vectors/referee-cases.json, by what it says.

It looks at the reply and at the request that it answers, and not at what the rules make of it. The
first case of a list is the one that the reply is most of all about. What stands behind a "#" is a
part of a case.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from msgspec import UNSET

from referee.dominion.cards import CARDS, COST, KINGDOM, WORTH
from referee.dominion.messages import AttackReply, AttackReplyReaction, AttackRequest, PlayReply
from referee.game import INVALID_JSON, Malformed

Counts = Mapping[str, int]

CARD_RULES = {card: f"6.{number}/1" for number, card in enumerate(KINGDOM, start=1)}
"""The rule of what a card does when it is played as it should be."""

_PLAYED = {*CARD_RULES.values(), "6.1/2", "6.1/3", "6.4/4"}
"""Where the card stays in play."""


def turn_rules(request: Any, reply: object, line: Any, supply: Counts) -> list[str]:
    """The rules that an answer to `play-turn` is about.

    Args:
        request: a `PlayTurn`.
        reply: what the line was decoded to.
        line: its JSON value.
        supply: cards left.
    """
    if isinstance(reply, Malformed) and reply.code == INVALID_JSON:
        return ["5.5/1"]
    if not isinstance(reply, PlayReply):
        return ["5.5/2"]
    if reply.phase == "action":
        return ["5.5/4"] if not request.actions else _action_rules(request, reply, supply)
    if reply.phase == "buy":
        return ["5.5/5"] if not request.buys else _buy_rules(request, reply, supply)
    if reply.phase == "cleanup":
        return _cleanup_rules(request, reply, line)
    return ["5.5/3"]


def _cleanup_rules(request: Any, reply: PlayReply, line: Any) -> list[str]:
    top: Any = reply.top_discard
    if top is None:
        return ["5.6/1", "5.1/2"] if "top_discard" in line else ["5.1/2"]
    return ["5.1/1"] if top in request.hand + request.cards_played else ["5.1/3"]


def _action_rules(request: Any, reply: PlayReply, supply: Counts) -> list[str]:
    card: Any = reply.card
    if not isinstance(card, str) or card not in KINGDOM:
        return ["5.4/1"]
    if card not in request.hand:
        return ["5.4/2"]
    parameters: Any = reply.additional_parameters
    odd = parameters is not UNSET and not isinstance(parameters, dict)
    if not isinstance(parameters, dict):
        parameters = {}
    hand = list(request.hand)
    hand.remove(card)
    if card == "cellar":
        rules = _cellar_rules(hand, parameters)
    elif card == "mine":
        rules = _exchange_rules("6.4", hand, parameters, dict.fromkeys(WORTH, 0), 3, supply)
    elif card == "remodel":
        rules = _exchange_rules("6.6", hand, parameters, dict.fromkeys(CARDS, 0), 2, supply)
        if parameters.get("card_to_trash") == "remodel" and "remodel" not in hand:
            rules = ["6.6/4", "6.6/2"]
    elif card == "workshop":
        rules = _workshop_rules(parameters, supply)
    else:
        rules = [CARD_RULES[card]]
    if odd:
        rules.insert(0, "5.3/2")
    # What a militia leaves of the turn is seen only when all others have answered.
    if card != "militia" and _PLAYED & {*rules}:
        rules.append("5.3/1")
    return rules


def _cellar_rules(hand: list[str], parameters: Mapping[str, Any]) -> list[str]:
    cards = parameters.get("cards", [])
    if not isinstance(cards, list):
        return ["5.6/2", "6.1/3"] if cards is None else ["6.1/3"]
    if not cards:
        return ["6.1/4", "6.1/1"]
    return ["6.1/1"] if _held(cards, hand) else ["6.1/2"]


def _exchange_rules(
    section: str,
    hand: list[str],
    parameters: Mapping[str, Any],
    among: Mapping[str, int],
    more: int,
    supply: Counts,
) -> list[str]:
    trashed: Any = parameters.get("card_to_trash")
    if not isinstance(trashed, str) or trashed not in among or trashed not in hand:
        return [f"{section}/2"]
    gainable = [card for card in among if supply[card] and COST[card] <= COST[trashed] + more]
    if not gainable:
        return [f"{section}/4"]
    desired: Any = parameters.get("desired_card")
    limit = COST[trashed] + more
    if desired in gainable:
        return [f"{section}/1", *_limited(desired, limit, trashed)]
    rules = [f"{section}/3", *_limited(desired, limit, trashed)]
    return _null_first(parameters, rules)


def _workshop_rules(parameters: Mapping[str, Any], supply: Counts) -> list[str]:
    desired: Any = parameters.get("desired_card")
    right = isinstance(desired, str) and COST.get(desired, 9) <= 4 and supply[desired]
    rules = ["6.10/1" if right else "6.10/2", *_limited(desired, 4)]
    return rules if right else _null_first(parameters, rules)


def _limited(desired: Any, limit: int, trashed: str = "") -> list[str]:
    """Of a gain that another cost would change."""
    cost = COST.get(desired) if isinstance(desired, str) else None
    if cost == limit:
        return [f"4.3/1#{desired} dearer", *([f"4.3/1#{trashed} cheaper"] if trashed else [])]
    if cost == limit + 1:
        return [f"4.3/1#{desired} cheaper", *([f"4.3/1#{trashed} dearer"] if trashed else [])]
    return []


def _null_first(parameters: Mapping[str, Any], rules: list[str]) -> list[str]:
    null = "desired_card" in parameters and parameters["desired_card"] is None
    return ["5.6/1", *rules] if null else rules


def _buy_rules(request: Any, reply: PlayReply, supply: Counts) -> list[str]:
    rules: list[str] = []
    money = request.extra_money
    treasures: Any = reply.played_treasures
    if treasures is UNSET:
        rules.append("5.2/7")
    elif not isinstance(treasures, list):
        return ["5.6/2", "5.2/8", "5.2/9"] if treasures is None else ["5.2/8", "5.2/9"]
    elif not _held(treasures, request.hand) or any(card not in WORTH for card in treasures):
        return ["5.2/2", "5.2/9"]
    else:
        money += sum(WORTH[card] for card in treasures)
    cards: Any = reply.cards_to_buy
    if cards is UNSET:
        rules.insert(0, "5.2/7")
    elif not isinstance(cards, list):
        rules[:0] = ["5.6/2", "5.2/8"] if cards is None else ["5.2/8"]
    else:
        rules += _bought_rules(cards, request.buys, money, treasures, supply)
    return [*rules, "5.2/1", "5.2/9"]


def _bought_rules(
    cards: list[Any], buys: int, money: int, treasures: Any, supply: Counts
) -> list[str]:
    left = dict(supply)
    rules: list[str] = []
    for card in cards:
        if not isinstance(card, str) or card not in CARDS:
            return ["5.2/3"]
        if not left[card]:
            return ["5.2/4"]
        if not buys:
            return ["5.2/6"]
        if COST[card] > money:
            short = COST[card] == money + 1 and len(cards) == 1
            return _priced(card, treasures, "cheaper", "more") if short else ["5.2/5"]
        if COST[card] == money and len(cards) == 1:
            rules = _priced(card, treasures, "dearer", "less")
        buys -= 1
        money -= COST[card]
        left[card] -= 1
    return rules


def _priced(card: str, treasures: Any, price: str, worth: str) -> list[str]:
    """Of a buy that another cost of the card, or another worth of a treasure, would change."""
    coins = sorted(set(treasures)) if isinstance(treasures, list) else []
    rules = [f"4.3/1#{card} {price}", *(f"4.3/2#{coin} {worth}" for coin in coins)]
    return rules if len(coins) != 1 else rules[::-1]


def attack_rules(request: AttackRequest, reply: object) -> list[str]:
    """The rules that an answer to `attack-request` is about."""
    if isinstance(reply, Malformed) and reply.code == INVALID_JSON:
        return ["7.4/1", "7.4/3"]
    if isinstance(reply, AttackReplyReaction):
        if reply.reaction != "moat":
            return ["7.3/2", "7.4/3"]
        return ["7.3/1"] if "moat" in request.options else ["7.3/3", "7.4/3"]
    if not isinstance(reply, AttackReply):
        return ["7.4/2", "7.4/3"]
    cards: Any = reply.discard
    if not isinstance(cards, list):
        return ["7.2/4", "7.4/3"]
    if not _held(cards, request.options):
        return ["7.2/3", "7.4/3"]
    return ["7.2/1"] if len(cards) == request.discard else ["7.2/2", "7.4/3"]


def _held(cards: list[Any], hand: list[str]) -> bool:
    """Whether the hand holds all of these, each as often as it is named."""
    if not all(isinstance(card, str) for card in cards):
        return False
    return not Counter(cards) - Counter(hand)
