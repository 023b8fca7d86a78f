"""The words that rule files for Dominion can use: matchers, sets and keys (spec/rule-words.md).

The value of a key is computed from an `Observation`. That's the view of the player, but with the
cards that it's about to buy already bought.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import TypeAlias

from referee.games.dominion.rule_player import DominionRulePlayer, Observation
from referee.games.dominion.rules.cards import CARDS, COST, KINGDOM, POINTS, WORTH, points_of
from referee.games.interface.vocabulary import Average, Key, Matcher, RuleSet, Vocabulary

_ALL = frozenset(CARDS)
_ACTIONS = frozenset(KINGDOM)
_VICTORY = frozenset(card for card, points in POINTS.items() if points > 0)
_KINDS = {"action": _ACTIONS, "treasure": frozenset(WORTH), "victory": _VICTORY}

_Counts: TypeAlias = Callable[[Observation], Mapping[str, int]]


# --- keys -------------------------------------------------------------------------------------


def _key(about: str, count: Callable[[Observation], float]) -> Key:
    return Key(about, lambda decision, card: count(decision.sight))


def _count(cards: Mapping[str, int], kind: frozenset[str]) -> int:
    return sum([number for card, number in cards.items() if card in kind])


def _counting(counts: _Counts, kind: frozenset[str]) -> Callable[[Observation], float]:
    # Most keys count a single card, which is just a lookup.
    if len(kind) > 1:
        return lambda sight: _count(counts(sight), kind)
    (card,) = kind
    return lambda sight: counts(sight).get(card, 0)


def _most_of_others(kind: frozenset[str]) -> Callable[[Observation], float]:
    return lambda sight: max([_count(seat.cards, kind) for seat in sight.others])


_ZONES: Mapping[str, tuple[str, _Counts]] = {
    "supply": ("left in the supply", lambda sight: sight.supply),
    "cards.all": ("of yours, wherever they are", lambda sight: sight.cards),
    "cards.hand": ("in your hand", lambda sight: Counter(sight.own.hand)),
    "cards.played": ("that you played this turn", lambda sight: Counter(sight.own.in_play)),
}


def _keys() -> dict[str, Key]:
    found = {
        "turn": _key("your turns, this one included", lambda s: s.own.turns),
        "players": _key(
            "players of the match, with those who left it", lambda s: len(s.others) + 1
        ),
        "deck": _key("times that your deck was shuffled, and 1", lambda s: s.own.shuffles + 1),
        "actions": _key("actions left", lambda s: s.actions),
        "buys": _key("buys left", lambda s: s.buys),
        "money": _key(
            "money to spend: from actions, and of all treasures in hand", lambda s: s.money
        ),
        "card.cost": Key("what the card costs", lambda _, card: COST[card], of_card=True),
        "deck.size": _key("cards in your deck", lambda s: len(s.own.deck)),
        "discard.size": _key("cards in your discard pile", lambda s: s.discard_size),
        "hand.size": _key("cards in your hand", lambda s: len(s.own.hand)),
        "score": _key(
            'your score; it can be on the right side, as in `"opponent.score": "< score"`',
            lambda s: points_of(s.cards),
        ),
        "opponent.score": _key(
            "the highest score of any other player", lambda s: max(seat.score for seat in s.others)
        ),
        "supply.empty": _key(
            "piles of the supply that are empty", lambda s: list(s.supply.values()).count(0)
        ),
    }
    for name, kind in ({card: frozenset([card]) for card in CARDS} | _KINDS).items():
        shown = f"{name} cards" if name in _KINDS else f"cards called {name}"
        for zone, (where, counts) in _ZONES.items():
            found[f"{zone}.{name}"] = _key(f"{shown} {where}", _counting(counts, kind))
        about = f"the most {shown} that any other player has, wherever they are"
        found[f"opponent.cards.all.{name}"] = _key(about, _most_of_others(kind))
    return found


# --- sets -------------------------------------------------------------------------------------


def _scores(
    about: str, default: Callable[[str], float], text: str, cards: frozenset[str] = _ALL
) -> RuleSet:
    return RuleSet(about, lambda decision, card: default(card), text, cards)


SETS = {
    "playRules": _scores(
        "which action card to play next",
        lambda card: 20 + 10 * CARDS[card].actions,
        "20, and 10 for each action that it gives",
        _ACTIONS,
    ),
    "buyRules": _scores("which card to buy next", lambda card: 0, "0"),
    "discardRules": _scores(
        "which cards a cellar or a militia discards",
        lambda card: 30 if card == "curse" or card in _VICTORY else 19 - COST[card],
        "30 for victory cards and curses, 19 - cost for others",
    ),
    "trashRules": _scores(
        "which card a remodel or a mine trashes",
        lambda card: {"curse": 30, "estate": 25}.get(card, 20 - COST[card]),
        "30 for a curse, 25 for an estate, 20 - cost for others",
    ),
    "gainRules": RuleSet(
        "which card a workshop, a remodel or a mine gains",
        lambda decision, card: decision.score("buyRules", card),
        "its score in buyRules",
        _ALL,
    ),
    "topDiscardRules": _scores(
        "which card goes on top of the discard pile when the turn ends", lambda card: 0, "0"
    ),
    "revealRules": _scores(
        "whether to reveal a moat to a militia", lambda card: 20, "20", frozenset(["moat"])
    ),
}


# --- averages ---------------------------------------------------------------------------------


def _each(cards: Mapping[str, int]) -> Iterable[str]:
    return Counter(cards).elements()


VOCABULARY = Vocabulary(
    cards=tuple(CARDS),
    matchers={
        "action": Matcher("any action card", _ACTIONS, "type"),
        "treasure": Matcher("any treasure", _KINDS["treasure"], "type"),
        "victory": Matcher("any victory card; a curse is none", _VICTORY, "type"),
        "*": Matcher("any card", _ALL),
    },
    sets=SETS,
    keys=_keys(),
    averages={
        "": Average("your cards", lambda sight: _each(sight.cards)),
        "opponent_": Average(
            "the cards of all other players",
            lambda sight: (card for seat in sight.others for card in _each(seat.cards)),
        ),
        "supply_": Average(
            "the piles of the supply that are not empty, each once",
            lambda sight: (card for card, left in sight.supply.items() if left),
        ),
    },
    rule_player=DominionRulePlayer,
    advice={
        "bought nothing": "`buyRules` gave no card that it could pay a score above 0",
        "never played": "`playRules` gave none of them a score above 0",
    },
)
