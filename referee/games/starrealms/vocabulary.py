"""The words of rule files for Star Realms: matchers, sets of rules, keys (spec/rule-bots.md).

A file sees the `State` that its player is sent when asked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TypeAlias

from referee.games.interface.vocabulary import Average, Decision, Key, Matcher, RuleSet, Vocabulary
from referee.games.starrealms.pilot import Pilot, in_play, payable
from referee.games.starrealms.rules.cards import (
    BLOB,
    CARDS,
    CULT,
    EMPIRE,
    FEDERATION,
    OUTPOST,
    STARTING_DECK,
    UNALIGNED,
    Card,
    Effect,
)
from referee.games.starrealms.rules.messages import State

STARTERS = "starter_cards"
FACTIONS = (BLOB, FEDERATION, CULT, EMPIRE)
NEEDLE = "Stealth Needle"

_Count: TypeAlias = Callable[[State], float]
_Cards: TypeAlias = Callable[[State], Sequence[str]]
_Kind: TypeAlias = Callable[[Iterable[str]], list[Card]]


# --- cards ------------------------------------------------------------------------------------


def _all_own(state: State) -> list[str]:
    return state.hand + state.deck + state.discard + in_play(state)


def _all_of_opponent(state: State) -> list[str]:
    other = state.opponent
    return other.hidden + other.discard + other.bases


def _factions(state: State, cards: Iterable[str], *, copies: bool) -> list[str]:
    """The factions of cards; a Needle has two, if it `copies` and is among them."""
    names = list(cards)
    if copies and state.copied is not None and NEEDLE in names:
        names.append(state.copied)
    return [CARDS[name].faction for name in names]


def _in_faction(cards: _Cards, faction: str, *, copies: bool = False) -> _Count:
    """How many cards are of a faction, or are among those that a player starts with."""
    if faction == STARTERS:
        return lambda state: sum(name in STARTING_DECK for name in cards(state))
    return lambda state: _factions(state, cards(state), copies=copies).count(faction)


def _bases(cards: Iterable[str]) -> list[Card]:
    return [CARDS[name] for name in cards if not CARDS[name].is_ship]


def _outposts(cards: Iterable[str]) -> list[Card]:
    return [CARDS[name] for name in cards if CARDS[name].type == OUTPOST]


def _ships(cards: Iterable[str]) -> list[Card]:
    return [CARDS[name] for name in cards if CARDS[name].is_ship]


_BASES_BY_KIND = (
    ("bases", "bases, outposts too,", _bases),
    ("outposts", "outposts", _outposts),
)


def _of_opponent_in_play(state: State) -> list[str]:
    return state.opponent.bases


def _both(kind: _Kind, own: _Cards, other: _Cards) -> tuple[_Count, _Count]:
    """How many cards of a kind either player has."""
    return (lambda state: len(kind(own(state)))), (lambda state: len(kind(other(state))))


def _defense(kind: _Kind, pick: Callable[..., int]) -> _Count:
    return lambda state: pick([card.defense for card in kind(state.opponent.bases)], default=0)


def _scrap_effects(state: State, card: str, word: str) -> float:
    """How much of something a card's scrap ability gives: of what it copies, for a Needle."""
    acts = CARDS[state.copied] if card == NEEDLE and state.copied else CARDS[card]
    effects: Iterable[Effect] = (effect for option in acts.scrap for effect in option)
    return sum(number for name, number in effects if name == word)


def _buy_score_increase(decision: Decision, card: str) -> float:
    """What a card's scrap ability would add to the best score that can be bought (4)."""
    state: State = decision.sight

    def best(trade: float) -> float:
        cards = payable(state, trade)
        return max([0.0, *(decision.score("buyRules", name) for name in cards)])

    more = _scrap_effects(state, card, "trade")
    return best(state.trade + more) - best(state.trade) if more else 0.0


# --- keys -------------------------------------------------------------------------------------


def _key(about: str, count: _Count) -> Key:
    return Key(about, lambda decision, card: count(decision.sight))


def _keys() -> dict[str, Key]:
    found: dict[str, Key] = {}

    def add(name: str, about: str, count: _Count) -> None:
        found[name] = _key(about, count)

    def pair(name: str, about: str, own: _Count, other: _Count) -> None:
        add(name, about, own)
        add(f"opponent.{name}", f"the opponent's: {about}", other)

    add("deck", "times that your deck was shuffled, and 1", lambda s: s.shuffles + 1)
    add("turn", "turns of both players, this one included", lambda s: s.turn)
    found["card.cost"] = Key("what the card costs", lambda _, card: CARDS[card].cost, of_card=True)
    add("trade", "trade to spend", lambda s: s.trade)
    add("combat", "combat to spend", lambda s: s.combat)
    found["combat.plus.card.scrap.combat"] = Key(
        "combat, with what the card gives when it is scrapped",
        lambda decision, card: (
            decision.sight.combat + _scrap_effects(decision.sight, card, "combat")
        ),
        of_card=True,
    )
    found["buyScoreIncrease"] = found["buy.score.increase"] = Key(
        "what the best score to buy would gain by the trade that scrapping the card gives",
        _buy_score_increase,
        of_card=True,
        asks=("buyRules",),
    )
    pair("authority", "authority left", lambda s: s.authority, lambda s: s.opponent.authority)
    pair("deck.size", "cards in the deck", lambda s: len(s.deck), lambda s: s.opponent.deck_size)
    pair(
        "discard.size",
        "cards in the discard pile",
        lambda s: len(s.discard),
        lambda s: len(s.opponent.discard),
    )
    pair(
        "hand.size",
        "cards in hand, without discards that are due",
        lambda s: len(s.hand),
        lambda s: max(0, s.opponent.hand_size - s.opponent.due),
    )
    everywhere = "in hand, deck, discard pile and play"
    pair("ships", f"ships {everywhere}", *_both(_ships, _all_own, _all_of_opponent))
    for name, kind, of_kind in _BASES_BY_KIND:
        pair(name, f"{kind} {everywhere}", *_both(of_kind, _all_own, _all_of_opponent))
        pair(f"{name}.inplay", f"{kind} in play", *_both(of_kind, in_play, _of_opponent_in_play))
        for size, pick in (("smallest", min), ("biggest", max)):
            about = f"the {size} defense of the opponent's {name} in play; 0 of none"
            add(f"opponent.{name}.{size}", about, _defense(of_kind, pick))
    add(
        "bases.unused",
        "your bases in play with something left to use",
        lambda s: sum(not piece.used for piece in s.in_play if not CARDS[piece.card].is_ship),
    )
    for faction in (*FACTIONS, STARTERS):
        _add_cards(found, faction)
    return found


def _add_cards(found: dict[str, Key], faction: str) -> None:
    """Add the keys that count cards of a faction."""
    kind = "Scouts and Vipers"
    if faction != STARTERS:
        kind = f"{faction.replace('_', ' ').title()} cards"
    zones: list[tuple[str, str, _Cards, bool]] = [
        ("cards.played", "that you played this turn", lambda s: s.played, True),
        ("cards.hand", "in your hand", lambda s: s.hand, False),
        ("cards.discard", "in your discard pile", lambda s: s.discard, False),
        ("cards.deck", "in your deck", lambda s: s.deck, False),
        ("cards.all", "that you own", _all_own, True),
        (
            "opponent.cards.discard",
            "in the opponent's discard pile",
            lambda s: s.opponent.discard,
            False,
        ),
        (
            "opponent.cards.deck",
            "in the opponent's deck and hand",
            lambda s: s.opponent.hidden,
            False,
        ),
        ("opponent.cards.all", "that the opponent owns", _all_of_opponent, False),
    ]
    if faction != STARTERS:
        zones.append(("trade_row", "in the trade row", lambda s: s.trade_row, False))
    for zone, where, cards, copies in zones:
        count = _in_faction(cards, faction, copies=copies)
        found[f"{zone}.{faction}"] = _key(f"{kind} {where}", count)


# --- sets -------------------------------------------------------------------------------------

_ALL = frozenset(CARDS)
_SHIPS = frozenset(name for name, card in CARDS.items() if card.is_ship)
_BASES = _ALL - _SHIPS
_FOR_SALE = frozenset(name for name, card in CARDS.items() if card.cost)


def _scores(
    about: str, default: Callable[[Card], float], text: str, cards: frozenset[str] = _ALL
) -> RuleSet:
    return RuleSet(about, lambda decision, card: default(CARDS[card]), text, cards)


def _number(number: float) -> Callable[[Card], float]:
    return lambda card: number


def _cost(card: Card) -> float:
    return card.cost


SETS = {
    "buyRules": _scores("which card to buy", _number(0), "0", _FOR_SALE),
    "discardRules": _scores("which card to discard", lambda c: 20 - c.cost, "20 - cost"),
    "scrapRules": _scores(
        "which card of hand and discard pile to scrap", lambda c: 20 - c.cost, "20 - cost"
    ),
    "scrapForBenefitRules": _scores(
        "which card in play to scrap for what that gives",
        _number(0),
        "0",
        frozenset(name for name, card in CARDS.items() if card.scrap) | {NEEDLE},
    ),
    "scrapTradeRowRules": _scores(
        "which card of the trade row to scrap", _number(0), "0", _FOR_SALE - {"Explorer"}
    ),
    "useBaseRules": _scores(
        "which base to use next",
        _number(20),
        "20",
        frozenset(name for name in _BASES if CARDS[name].primary),
    ),
    "playRules": RuleSet(
        "which card of the hand to play next",
        lambda decision, card: 20,
        "20",
        _ALL,
        flags={
            "useAllyAfterPlay": "use its ally ability at once, if it can be used",
            "useBaseAfterPlay": "use the base at once",
        },
    ),
    "makeChoiceRules": RuleSet(
        "which of a card's two abilities to take",
        lambda decision, card: 1,
        "1",
        frozenset(name for name, card in CARDS.items() if len(card.primary) > 1),
        choices=2,
    ),
    "attackBaseRules": _scores("which base to attack", _cost, "cost", _BASES),
    "destroyBaseRules": _scores("which base to destroy by an ability", _cost, "cost", _BASES),
    "copyShipRules": _scores("which ship a Stealth Needle copies", _cost, "cost", _SHIPS),
    "cardToTopOfDeckRules": _scores(
        "which ship to put on top of the deck", _cost, "cost", _SHIPS & _FOR_SALE
    ),
}

VOCABULARY = Vocabulary(
    cards=tuple(CARDS),
    matchers={
        faction: Matcher(
            f"any {faction.replace('_', ' ')} card",
            frozenset(name for name, card in CARDS.items() if card.faction == faction),
            "faction",
            in_card=False,
        )
        for faction in (*FACTIONS, UNALIGNED)
    }
    | {
        "outpost": Matcher("any outpost", frozenset(c.name for c in _outposts(CARDS)), "type"),
        "base": Matcher("any base, outposts too", _BASES, "type"),
        "ship": Matcher("any ship", _SHIPS, "type"),
        "*": Matcher("any card", _ALL),
    },
    sets=SETS,
    keys=_keys(),
    averages={
        "": Average("your cards", _all_own),
        "opponent_": Average("the opponent's cards", _all_of_opponent),
        "trade_row_": Average("the cards of the trade row", lambda state: state.trade_row),
    },
    pilot=Pilot,
    advice={
        "bought nothing": "`buyRules` gave no card that it could pay a score above 0",
        "combat left": "`attackBaseRules` gave no base in reach a score above 0",
    },
)
