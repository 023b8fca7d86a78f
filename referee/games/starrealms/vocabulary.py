"""The matchers, rule sets and keys that rule files for Star Realms can use (spec/rule-words.md).

Rules see the `State` that the player gets in a request.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from referee.games.interface.vocabulary import Average, Decision, Key, Matcher, RuleSet, Vocabulary
from referee.games.starrealms.rule_player import StarRealmsRulePlayer, in_play, payable
from referee.games.starrealms.rules import cards
from referee.games.starrealms.rules.cards import CARDS, OUTPOST, STARTING_DECK, Card, Effect
from referee.games.starrealms.rules.messages import State

STARTERS = "starter_cards"
FACTIONS = (cards.BLOB, cards.FEDERATION, cards.CULT, cards.EMPIRE)
NEEDLE = "Stealth Needle"


def _cards_that(fit: Callable[[Card], object]) -> frozenset[str]:
    return frozenset(name for name, card in CARDS.items() if fit(card))


def _of_faction(faction: str) -> frozenset[str]:
    return _cards_that(lambda card: card.faction == faction)


_ALL = frozenset(CARDS)
_SHIPS = _cards_that(lambda card: card.is_ship)
_BASES = _ALL - _SHIPS
_OUTPOSTS = _cards_that(lambda card: card.type == OUTPOST)
_FOR_SALE = _cards_that(lambda card: card.cost)

_Count: TypeAlias = Callable[[State], float]
_Cards: TypeAlias = Callable[[State], Sequence[str]]


# --- cards ------------------------------------------------------------------------------------


def _all_own(state: State) -> list[str]:
    return state.hand + state.deck + state.discard + in_play(state)


def _all_of_opponent(state: State) -> list[str]:
    other = state.opponent
    return other.hidden + other.discard + other.bases


def _counting(zone: _Cards, kind: Container[str | None], *, copies: bool = False) -> _Count:
    def count(state: State) -> float:
        names = zone(state)
        # Once a Stealth Needle has copied a ship, it counts as a Needle and as that ship.
        copied = copies and state.copied in kind and NEEDLE in names
        return sum([name in kind for name in names]) + copied

    return count


def _defense(kind: Container[str | None], pick: Callable[..., int]) -> _Count:
    return lambda state: pick(
        [CARDS[name].defense for name in state.opponent.bases if name in kind], default=0
    )


def _scrap_effects(state: State, card: str, word: str) -> float:
    # Once a Stealth Needle has copied a ship, it has that ship's scrap ability.
    acts = CARDS[state.copied] if card == NEEDLE and state.copied else CARDS[card]
    effects: Iterable[Effect] = (effect for option in acts.scrap for effect in option)
    return sum(number for name, number in effects if name == word)


def _buy_score_increase(decision: Decision, card: str) -> float:
    state: State = decision.sight

    def best(trade: float) -> float:
        cards = payable(state, trade)
        return max([0.0, *(decision.score("buyRules", name) for name in cards)])

    # Scrapping a card for trade only pays off if we can then buy something better.
    more = _scrap_effects(state, card, "trade")
    return best(state.trade + more) - best(state.trade) if more else 0.0


_ZONES: dict[str, tuple[str, _Cards]] = {
    "cards.played": ("that you played this turn", lambda s: s.played),
    "cards.hand": ("in your hand", lambda s: s.hand),
    "cards.discard": ("in your discard pile", lambda s: s.discard),
    "cards.deck": ("in your deck", lambda s: s.deck),
    "cards.all": ("that you own", _all_own),
    "opponent.cards.discard": ("in the opponent's discard pile", lambda s: s.opponent.discard),
    "opponent.cards.deck": ("in the opponent's deck and hand", lambda s: s.opponent.hidden),
    "opponent.cards.all": ("that the opponent owns", _all_of_opponent),
}
_ROW: dict[str, tuple[str, _Cards]] = {"trade_row": ("in the trade row", lambda s: s.trade_row)}
_COPYING = ("cards.played", "cards.all")
"""Zones in which a Stealth Needle also counts as the ship that it has copied."""


# --- keys -------------------------------------------------------------------------------------


def _key(about: str, count: _Count) -> Key:
    return Key(about, lambda decision, card: count(decision.sight))


def _both(name: str, about: str, own: _Count, other: _Count) -> dict[str, Key]:
    return {name: _key(about, own), f"opponent.{name}": _key(f"the opponent's: {about}", other)}


_BUY_SCORE_INCREASE = Key(
    "what the best score to buy would gain by the trade that scrapping the card gives",
    _buy_score_increase,
    of_card=True,
    asks=("buyRules",),
)
_OF_TURN = {
    "deck": _key("times that your deck was shuffled, and 1", lambda s: s.shuffles + 1),
    "turn": _key("turns of both players, this one included", lambda s: s.turn),
    "card.cost": Key("what the card costs", lambda _, card: CARDS[card].cost, of_card=True),
    "trade": _key("trade to spend", lambda s: s.trade),
    "combat": _key("combat to spend", lambda s: s.combat),
    "combat.plus.card.scrap.combat": Key(
        "combat, with what the card gives when it is scrapped",
        lambda decision, card: (
            decision.sight.combat + _scrap_effects(decision.sight, card, "combat")
        ),
        of_card=True,
    ),
    "buyScoreIncrease": _BUY_SCORE_INCREASE,
    "buy.score.increase": _BUY_SCORE_INCREASE,
}
_OF_PLAYERS = {
    **_both("authority", "authority left", lambda s: s.authority, lambda s: s.opponent.authority),
    **_both(
        "deck.size", "cards in the deck", lambda s: len(s.deck), lambda s: s.opponent.deck_size
    ),
    **_both(
        "discard.size",
        "cards in the discard pile",
        lambda s: len(s.discard),
        lambda s: len(s.opponent.discard),
    ),
    **_both(
        "hand.size",
        "cards in hand, without discards that are due",
        lambda s: len(s.hand),
        lambda s: max(0, s.opponent.hand_size - s.opponent.due),
    ),
}


def _owned(name: str, shown: str, kind: Container[str | None]) -> dict[str, Key]:
    about = f"{shown} in hand, deck, discard pile and play"
    return _both(name, about, _counting(_all_own, kind), _counting(_all_of_opponent, kind))


def _in_play(name: str, shown: str, kind: Container[str | None]) -> dict[str, Key]:
    found = _both(
        f"{name}.inplay",
        f"{shown} in play",
        _counting(in_play, kind),
        _counting(lambda s: s.opponent.bases, kind),
    )
    for size, pick in (("smallest", min), ("biggest", max)):
        about = f"the {size} defense of the opponent's {name} in play; 0 of none"
        found[f"opponent.{name}.{size}"] = _key(about, _defense(kind, pick))
    return found


_OF_TYPES = {
    **_owned("ships", "ships", _SHIPS),
    **_owned("bases", "bases, outposts too,", _BASES),
    **_in_play("bases", "bases, outposts too,", _BASES),
    **_owned("outposts", "outposts", _OUTPOSTS),
    **_in_play("outposts", "outposts", _OUTPOSTS),
    "bases.unused": _key(
        "your bases in play with something left to use",
        lambda s: sum(not piece.used for piece in s.in_play if not CARDS[piece.card].is_ship),
    ),
}


_OF_FACTIONS = {
    f"{zone}.{faction}": _key(
        f"{faction.replace('_', ' ').title()} cards {where}",
        _counting(pick, _of_faction(faction), copies=zone in _COPYING),
    )
    for faction in FACTIONS
    for zone, (where, pick) in (_ZONES | _ROW).items()
}
_OF_STARTERS = {
    f"{zone}.{STARTERS}": _key(f"Scouts and Vipers {where}", _counting(pick, {*STARTING_DECK}))
    for zone, (where, pick) in _ZONES.items()
}
KEYS = {**_OF_TURN, **_OF_PLAYERS, **_OF_TYPES, **_OF_FACTIONS, **_OF_STARTERS}


# --- sets of rules --------------------------------------------------------------------------------


_DEFAULTS: Mapping[str, Callable[[Card], float]] = {
    "0": lambda card: 0,
    "1": lambda card: 1,
    "20": lambda card: 20,
    "cost": lambda card: card.cost,
    "20 - cost": lambda card: 20 - card.cost,
}


def _set(about: str, default: str, cards: frozenset[str] = _ALL, **others: Any) -> RuleSet:
    score = _DEFAULTS[default]
    return RuleSet(about, lambda decision, card: score(CARDS[card]), default, cards, **others)


SETS = {
    "buyRules": _set("which card to buy", "0", _FOR_SALE),
    "discardRules": _set("which card to discard", "20 - cost"),
    "scrapRules": _set("which card of hand and discard pile to scrap", "20 - cost"),
    "scrapForBenefitRules": _set(
        "which card in play to scrap for what that gives",
        "0",
        _cards_that(lambda card: card.scrap) | {NEEDLE},
    ),
    "scrapTradeRowRules": _set(
        "which card of the trade row to scrap", "0", _FOR_SALE - {"Explorer"}
    ),
    "useBaseRules": _set(
        "which base to use next", "20", _BASES & _cards_that(lambda card: card.primary)
    ),
    "playRules": _set(
        "which card of the hand to play next",
        "20",
        flags={
            "useAllyAfterPlay": "use its ally ability immediately, if possible",
            "useBaseAfterPlay": "use the base immediately",
        },
    ),
    "makeChoiceRules": _set(
        "which of a card's two abilities to take",
        "1",
        _cards_that(lambda card: len(card.primary) > 1),
        choices=2,
    ),
    "attackBaseRules": _set("which base to attack", "cost", _BASES),
    "destroyBaseRules": _set("which base to destroy by an ability", "cost", _BASES),
    "copyShipRules": _set("which ship a Stealth Needle copies", "cost", _SHIPS),
    "cardToTopOfDeckRules": _set(
        "which ship to put on top of the deck", "cost", _SHIPS & _FOR_SALE
    ),
}

VOCABULARY = Vocabulary(
    cards=tuple(CARDS),
    matchers={
        faction: Matcher(
            f"any {faction.replace('_', ' ')} card",
            _of_faction(faction),
            "faction",
            in_card=False,
        )
        for faction in (*FACTIONS, cards.UNALIGNED)
    }
    | {
        "outpost": Matcher("any outpost", _OUTPOSTS, "type"),
        "base": Matcher("any base, outposts too", _BASES, "type"),
        "ship": Matcher("any ship", _SHIPS, "type"),
        "*": Matcher("any card", _ALL),
    },
    sets=SETS,
    keys=KEYS,
    averages={
        "": Average("your cards", _all_own),
        "opponent_": Average("the opponent's cards", _all_of_opponent),
        "trade_row_": Average("the cards of the trade row", lambda state: state.trade_row),
    },
    rule_player=StarRealmsRulePlayer,
    advice={
        "bought nothing": "`buyRules` gave no card that it could pay a score above 0",
        "combat left": "`attackBaseRules` gave no base in reach a score above 0",
    },
)
