"""One seat's cards: deal, draw, shuffle, score (protocol-v1, 4.1, 4.5, 4.6)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from hypothesis import given, settings
from hypothesis import strategies as st

from referee.games.dominion.rules.player import Player
from referee.games.interface.random_source import SeededRandomSource
from tests.support.helpers import PILES, POINTS, chi_square

COPPERS_AND_ESTATES = Counter(copper=7, estate=3)


# --- the deal ---------------------------------------------------------------------------------


@given(st.integers(0, 2**53 - 1), st.integers(0, 3))
@settings(max_examples=20)
def test_the_deal(seed: int, seat: int) -> None:
    player = Player(seat, SeededRandomSource(seed))
    assert player.number == f"player{seat + 1}"
    assert (len(player.hand), len(player.deck)) == (5, 5)
    assert Counter(player.hand + player.deck) == COPPERS_AND_ESTATES
    assert player.in_play == []
    assert player.discard_pile == []
    assert player.turns == 0
    assert not player.left
    assert player.score() == 3


def test_the_deal_is_fair() -> None:
    deals = 3000
    seen: Counter[object] = Counter(
        Player(0, SeededRandomSource(seed)).hand.count("estate") for seed in range(deals)
    )
    expected = {0: deals / 12, 1: deals * 5 / 12, 2: deals * 5 / 12, 3: deals / 12}
    # With 3 degrees of freedom, a fair deal fails this about once in a million.
    assert chi_square(seen, expected) < 30


def test_the_seats_are_dealt_different_cards() -> None:
    for seat in (1, 2, 3):
        same = sum(
            Player(0, SeededRandomSource(seed)).hand == Player(seat, SeededRandomSource(seed)).hand
            for seed in range(200)
        )
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
@settings(max_examples=50)
def test_draw(deck: int, hand: int, in_play: int, discarded: int, count: int, seed: int) -> None:
    player = Player(0, SeededRandomSource(seed))
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
    at_once, one_by_one = Player(0, SeededRandomSource(5)), Player(0, SeededRandomSource(5))
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
        player = Player(0, SeededRandomSource(seed))
        player.deck = []
        player.hand = []
        player.discard_pile = labels("", 8)
        player.draw(8)
        orders.add(tuple(player.hand))
    assert len(orders) == 30


class Stacked:
    """Never shuffles. Puts a given card on top before each draw, and records the calls."""

    def __init__(self, *tops: str) -> None:
        self.tops = list(tops)
        self.told: list[tuple[str, ...]] = []

    def shuffle(self, stream: str, items: list[str]) -> None:
        self.told.append(("shuffle", stream, " ".join(items)))

    def before_draw(self, stream: str, hand: Sequence[str], deck: list[str], count: int) -> None:
        self.told.append(("draw", stream, " ".join(hand), " ".join(deck), str(count)))
        if self.tops:
            deck.remove(self.tops[0])
            deck.append(self.tops.pop(0))

    def take(self, stream: str, items: list[str], count: int, owner: str = "") -> list[str]:
        raise AssertionError("nothing is taken here")


def stacked(*tops: str) -> tuple[Stacked, Player]:
    chance = Stacked()
    player = Player(1, chance)
    player.hand = ["x"]
    chance.told.clear()
    chance.tops += tops
    return chance, player


def test_the_chance_is_told_of_the_deal() -> None:
    chance = Stacked()
    Player(1, chance)
    deck = " ".join(["copper"] * 7 + ["estate"] * 3)
    assert chance.told == [("shuffle", "player2", deck), ("draw", "player2", "", deck, "5")]


def test_a_draw_is_told_of_in_two_parts_around_a_shuffle() -> None:
    chance, player = stacked("a", "d")
    player.deck = ["a", "b"]
    player.discard_pile = ["c", "d", "e"]
    assert player.draw(3)
    assert player.hand == ["x", "a", "b", "d"]
    assert player.deck == ["c", "e"]
    assert chance.told == [
        ("draw", "player2", "x", "a b", "2"),
        ("shuffle", "player2", "c d e"),
        ("draw", "player2", "x a b", "c d e", "1"),
    ]


def test_a_draw_that_the_deck_has_is_told_of_once() -> None:
    chance, player = stacked("b")
    player.deck = ["a", "b", "c"]
    player.discard_pile = ["d"]
    assert not player.draw(2)
    assert player.hand == ["x", "b", "c"]
    assert chance.told == [("draw", "player2", "x", "a b c", "2")]


def test_nothing_is_told_of_where_nothing_is_drawn() -> None:
    chance, player = stacked()
    player.discard_pile = ["c"]
    player.draw(0)
    assert chance.told == []
    player.deck = []
    player.draw(1)
    assert chance.told == [("shuffle", "player2", "c"), ("draw", "player2", "x", "c", "1")]
    player.draw(1)
    assert len(chance.told) == 2


# --- what a seat owns -------------------------------------------------------------------------


@given(st.lists(st.lists(st.sampled_from(PILES), max_size=8), min_size=4, max_size=4))
@settings(max_examples=10)
def test_cards_and_score(piles: list[list[str]]) -> None:
    player = Player(0, SeededRandomSource(1))
    player.deck, player.hand, player.in_play, player.discard_pile = piles
    owned = [card for pile in piles for card in pile]
    assert player.score() == sum(POINTS.get(card, 0) for card in owned)
    assert player.cards() == Counter(owned)
    assert list(player.cards()) == [card for card in PILES if card in owned]
