"""Every key of Dominion rule files, tested with files that buy silver if the key matches."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from referee.games.dominion.rules.cards import CARDS
from referee.games.dominion.rules.game import Dominion, begin_at
from referee.games.dominion.vocabulary import VOCABULARY
from tests.support.helpers import PILES, new_setup
from tests.support.rule_files import book_of, does, in_turn, said


def counts(numbers: str) -> dict[str, int]:
    """Parse one number per card, in the order of the supply."""
    return dict(zip(PILES, map(int, numbers.split()), strict=True))


# In each column, at least four of the five places that keys can ask for have different numbers,
# so a key that reads the wrong place is noticed.
#                curse cop sil gol est duc pro cel mar mil min moa rem smi vil woo wor
HAND = counts("   1    2   3   1   0   2   1   1   0   2   1   0   3   1   2   0   1")
PLAYED = counts(" 0    1   0   2   1   0   2   2   3   1   0   1   0   2   0   4   0")
DECK = counts("   1    0   0   1   1   0   0   0   1   0   2   1   0   0   1   0   2")
DISCARD = counts("0    1   1   0   0   1   1   1   0   1   0   0   1   1   0   1   0")
ALL = counts("    2    4   4   4   2   3   4   4   4   4   3   2   4   4   3   5   3")
SUPPLY = counts(" 9    0   8   7   6   5   3   10  9   0   8   9   7   6   5   9   8")
SECOND = counts(" 3    5   1   5   4   1   5   3   1   3   2   3   2   5   4   1   4")
THIRD = counts("  4    3   2   3   3   4   1   5   2   5   4   4   1   3   1   2   5")
MOST = counts("   4    5   2   5   4   4   5   5   2   5   4   4   2   5   4   2   5")

TABLE: Mapping[str, int] = {
    "turn": 1,
    "players": 3,
    "deck": 1,
    "actions": 4,
    "buys": 2,
    "money": 7 + 2 * 1 + 3 * 2 + 1 * 3,
    "card.cost": 3,
    "deck.size": 10,
    "discard.size": 9,
    "hand.size": 21,
    "score": -2 + 2 + 9 + 24,
    "opponent.score": -3 + 4 + 3 + 30,
    "supply.empty": 2,
    **{f"cards.hand.{card}": count for card, count in HAND.items()},
    "cards.hand.action": 11,
    "cards.hand.treasure": 6,
    "cards.hand.victory": 3,
    **{f"cards.played.{card}": count for card, count in PLAYED.items()},
    "cards.played.action": 13,
    "cards.played.treasure": 3,
    "cards.played.victory": 3,
    **{f"cards.all.{card}": count for card, count in ALL.items()},
    "cards.all.action": 36,
    "cards.all.treasure": 12,
    "cards.all.victory": 9,
    **{f"supply.{card}": count for card, count in SUPPLY.items()},
    "supply.action": 71,
    "supply.treasure": 15,
    "supply.victory": 14,
    **{f"opponent.cards.all.{card}": count for card, count in MOST.items()},
    "opponent.cards.all.action": 32,  # player 3 has the most
    "opponent.cards.all.treasure": 11,  # player 2 has the most
    "opponent.cards.all.victory": 10,
}


def listed(cards: Mapping[str, int]) -> list[str]:
    return [card for card, count in cards.items() for _ in range(count)]


def middle() -> Dominion:
    """A game in which player 1 of three is in the middle of its first turn."""
    seats = {
        "player1": {
            "hand": listed(HAND),
            "in_play": listed(PLAYED),
            "deck": listed(DECK),
            "discard_pile": listed(DISCARD),
        },
        "player2": {"hand": [], "deck": listed(SECOND)},
        "player3": {"hand": [], "deck": [], "discard_pile": listed(THIRD)},
    }
    turn = {"actions": 4, "buys": 2, "money": 7}
    return begin_at(new_setup(3), {"seats": seats, "supply": SUPPLY, "turn": turn})


def first_bought(key: str, value: Any, game: Dominion) -> str:
    """Return the first card bought: silver if the key has this value, otherwise gold."""
    book = book_of(
        playRules=[{"card": "*", "score": 0}],
        buyRules=[
            {"card": "silver", "rules": [{SCORE.get(key, key): value, "score": 2}]},
            {"card": "gold", "score": 1},
        ],
        cardInfo=INFO,
    )
    bought: list[str] = said(book, game)["cards_to_buy"]
    return bought[0]


INFO = [
    {"card": "gold", "info": {"weight": 8}},
    {"card": "curse", "info": {"weight": -4}},
    {"card": "silver", "info": {"own": "score", "weight": [{"card.cost": "> 0", "score": 2}]}},
]
SCORE = {"score": "card_info_own"}
"""Within a rule, `score` means the rule's own score, so we test the key through a card info."""


@pytest.mark.parametrize(("key", "value"), TABLE.items(), ids=TABLE)
def test_a_key(key: str, value: int) -> None:
    game = middle()
    assert first_bought(key, value, game) == "silver"
    for wrong in (value - 1, value + 1):
        assert first_bought(key, wrong, game) == "gold"


def test_no_key_is_missing() -> None:
    optional = {card for card, data in CARDS.items() if data.option}
    assert set(TABLE) == {k for k in VOCABULARY.keys if k.rpartition(".")[2] not in optional}


def test_no_place_can_be_taken_for_another() -> None:
    for card in PILES:
        places = [cards[card] for cards in (HAND, PLAYED, ALL, SUPPLY, MOST)]
        assert len(set(places)) >= 4, (card, places)
        assert ALL[card] == HAND[card] + PLAYED[card] + DECK[card] + DISCARD[card]


@pytest.mark.parametrize(
    ("key", "value"),
    [
        # Own: 2 curses, 4 silvers, 4 golds of 59 cards.
        ("card_info_avg_weight", (-8 + 8 + 32) / 59),
        # Player 2: 3 curses, 1 silver, 5 golds of 52; player 3: 4, 2, 3 of 52.
        ("opponent_card_info_avg_weight", (-28 + 6 + 64) / 104),
        # Curse, silver and gold once each; two of 17 piles are empty.
        ("supply_card_info_avg_weight", (-4 + 2 + 8) / 15),
        ("card_info_weight", 2),
    ],
)
def test_an_average_of_card_info(key: str, value: float) -> None:
    game = middle()
    assert first_bought(key, value, game) == "silver"
    assert first_bought(key, value + 0.001, game) == "gold"


def test_turns_and_shuffles_go_on() -> None:
    """The smithy causes a shuffle and so does the clean-up, so turn 2 uses the third deck."""
    pile = ["copper"] * 4
    game = in_turn("smithy copper copper copper copper", deck=[], discard_pile=pile)
    does(game, type="play-reply", phase="action", card="smithy")
    assert first_bought("deck", 2, game) == "silver"
    does(game, type="play-reply", phase="cleanup")
    does(game, type="play-reply", phase="cleanup")
    assert first_bought("deck", 3, game) == "silver"
    assert first_bought("turn", 2, game) == "silver"


@pytest.mark.parametrize(
    ("key", "before", "after"),
    [
        ("money", 9, 7),
        ("buys", 2, 1),
        ("cards.all.estate", 0, 1),
        ("supply.estate", 1, 0),
        ("supply.victory", 17, 16),
        ("supply.empty", 0, 1),
        ("discard.size", 0, 1),
        ("score", 0, 1),
        ("hand.size", 3, 3),
        ("cards.hand.gold", 3, 3),
        ("cards.played.gold", 0, 0),
        ("card_info_avg_weight", 8, 8 * 3 / 4),
    ],
)
def test_a_second_buy_is_scored_as_if_the_first_had_happened(
    key: str, before: float, after: float
) -> None:
    game = in_turn("gold gold gold", deck=[], turn={"buys": 2}, supply={"estate": 1})

    def bought(value: float) -> list[str]:
        estate = {"card": "estate", "score": 9}
        silver = {"card": "silver", "rules": [{SCORE.get(key, key): value, "score": 8}]}
        rules = [estate, silver, {"card": "cellar", "score": 7}]
        cards: list[str] = said(book_of(buyRules=rules, cardInfo=INFO), game)["cards_to_buy"]
        return cards

    assert bought(after) == ["estate", "silver"]
    assert bought(after + 1) == ["estate", "cellar"]
    assert first_bought(key, before, game) == "silver"
