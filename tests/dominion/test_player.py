"""One seat's cards: deal, draw, shuffle, score (protocol-v1, 4.1, 4.5, 4.6)."""

from __future__ import annotations

from collections import Counter
from itertools import permutations
from random import Random

import pytest
from helpers import PILES, POINTS, fuzz
from hypothesis import given
from hypothesis import strategies as st

from referee.dominion.player import Player, shuffle

COPPERS_AND_ESTATES = Counter(copper=7, estate=3)


def chi_square(seen: Counter[object], expected: dict[object, float]) -> float:
    assert set(seen) <= set(expected)
    return sum((seen[key] - count) ** 2 / count for key, count in expected.items())


# --- the deal ---------------------------------------------------------------------------------


@given(st.integers(0, 2**53 - 1), st.integers(0, 3))
@fuzz(100)
def test_the_deal(seed: int, seat: int) -> None:
    player = Player(seat, seed)
    assert player.number == f"player{seat + 1}"
    assert (len(player.hand), len(player.deck)) == (5, 5)
    assert Counter(player.hand + player.deck) == COPPERS_AND_ESTATES
    assert player.in_play == []
    assert player.discard_pile == []
    assert player.turns == 0
    assert not player.gone
    assert player.score() == 3


def test_the_deal_is_fair() -> None:
    deals = 3000
    seen: Counter[object] = Counter(Player(0, seed).hand.count("estate") for seed in range(deals))
    expected = {0: deals / 12, 1: deals * 5 / 12, 2: deals * 5 / 12, 3: deals / 12}
    assert chi_square(seen, expected) < 30  # 3 degrees of freedom: about one in a million


def test_the_seats_are_dealt_different_cards() -> None:
    for seat in (1, 2, 3):
        same = sum(Player(0, seed).hand == Player(seat, seed).hand for seed in range(200))
        assert same < 30


# --- drawing ----------------------------------------------------------------------------------


def labels(prefix: str, count: int) -> list[str]:
    return [f"{prefix}{n}" for n in range(count)]


@given(
    deck=st.integers(0, 8),
    hand=st.integers(0, 6),
    in_play=st.integers(0, 3),
    discarded=st.integers(0, 8),
    count=st.integers(0, 12),
    seed=st.integers(0, 99),
)
@fuzz(200)
def test_draw(deck: int, hand: int, in_play: int, discarded: int, count: int, seed: int) -> None:
    player = Player(0, seed)
    player.deck = labels("deck", deck)
    player.hand = labels("hand", hand)
    player.in_play = labels("play", in_play)
    player.discard_pile = labels("discard", discarded)

    shuffled = player.draw(count)

    drawn = player.hand[hand:]
    assert player.hand[:hand] == labels("hand", hand)
    assert len(drawn) == min(count, deck + discarded)
    from_deck = min(count, deck)
    assert drawn[:from_deck] == labels("deck", deck)[::-1][:from_deck]
    assert shuffled == (count > deck and discarded > 0)
    if shuffled:
        assert player.discard_pile == []
        assert sorted(drawn[deck:] + player.deck) == sorted(labels("discard", discarded))
    else:
        assert player.discard_pile == labels("discard", discarded)
        assert player.deck == labels("deck", deck - from_deck)
    assert player.in_play == labels("play", in_play)


def test_drawing_one_by_one_is_drawing_at_once() -> None:
    at_once, one_by_one = Player(0, 5), Player(0, 5)
    for player in (at_once, one_by_one):
        player.discard_pile = labels("discard", 9)
    assert at_once.draw(12)
    told = [one_by_one.draw(1) for _ in range(12)]
    assert told == [False] * 5 + [True] + [False] * 6
    assert at_once.hand == one_by_one.hand
    assert at_once.deck == one_by_one.deck


def test_a_new_deck_is_shuffled() -> None:
    orders = set()
    for seed in range(30):
        player = Player(0, seed)
        player.deck = []
        player.hand = []
        player.discard_pile = labels("", 8)
        player.draw(8)
        orders.add(tuple(player.hand))
    assert len(orders) == 30


# --- shuffling --------------------------------------------------------------------------------


@given(st.lists(st.sampled_from(PILES), max_size=60), st.integers())
@fuzz(100)
def test_a_shuffle_is_a_permutation(cards: list[str], seed: int) -> None:
    shuffled = cards.copy()
    shuffle(shuffled, Random(seed).random)
    assert Counter(shuffled) == Counter(cards)


def test_a_shuffle_is_fair() -> None:
    shuffles = 24_000
    random = Random(20_240_229).random
    seen: Counter[object] = Counter()
    for _ in range(shuffles):
        cards = ["a", "b", "c", "d"]
        shuffle(cards, random)
        seen[tuple(cards)] += 1
    expected: dict[object, float] = dict.fromkeys(permutations("abcd"), shuffles / 24)
    assert chi_square(seen, expected) < 80  # 23 degrees of freedom: less than one in a million


@pytest.mark.parametrize("place", [0, 4, 9])
def test_every_card_goes_everywhere(place: int) -> None:
    shuffles = 10_000
    random = Random(place).random
    seen: Counter[object] = Counter()
    for _ in range(shuffles):
        cards = list("0123456789")
        shuffle(cards, random)
        seen[cards.index(str(place))] += 1
    expected: dict[object, float] = dict.fromkeys(range(10), shuffles / 10)
    assert chi_square(seen, expected) < 50  # 9 degrees of freedom: about one in ten million


@pytest.mark.parametrize(("length", "draws"), [(0, 0), (1, 0), (2, 1), (10, 9), (40, 39)])
def test_a_shuffle_takes_one_number_for_each_step(length: int, draws: int) -> None:
    taken = []

    def random() -> float:
        taken.append(0.5)
        return 0.5

    shuffle(list(map(str, range(length))), random)
    assert len(taken) == draws


# --- what a seat owns -------------------------------------------------------------------------


@given(st.lists(st.lists(st.sampled_from(PILES), max_size=8), min_size=4, max_size=4))
@fuzz(60)
def test_cards_and_score(piles: list[list[str]]) -> None:
    player = Player(0, 1)
    player.deck, player.hand, player.in_play, player.discard_pile = piles
    owned = [card for pile in piles for card in pile]
    assert player.score() == sum(POINTS.get(card, 0) for card in owned)
    assert player.cards() == Counter(owned)
    assert list(player.cards()) == [card for card in PILES if card in owned]
