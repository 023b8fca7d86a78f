"""The matching algorithm must find as many pairs as possible, and always the same ones."""

from collections.abc import Sequence
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.tournament.schedule.matching import Matching
from tests.support.helpers import TIMES

Pairs = set[tuple[int, int]]


def matching_of(allowed: Pairs, paired: Sequence[tuple[int, int]] = ()) -> Matching:
    matching = Matching(lambda a, b: (min(a, b), max(a, b)) in allowed)
    for pair in paired:
        matching.pair(*pair)
    return matching


def pairs_of(matching: Matching) -> Pairs:
    assert all(matching.partner[other] == bot for bot, other in matching.partner.items())
    return {(bot, other) for bot, other in matching.partner.items() if bot < other}


def most(bots: Sequence[int], allowed: Pairs) -> int:
    """Return the largest possible number of pairs, by brute force."""
    if not bots:
        return 0
    first, *rest = bots
    partners = [bot for bot in rest if (min(first, bot), max(first, bot)) in allowed]
    return max(
        most(rest, allowed),
        *(1 + most([bot for bot in rest if bot != other], allowed) for other in partners),
        0,
    )


@given(st.data())
@settings(max_examples=30 * TIMES)
def test_there_are_as_many_pairs_as_possible(data: st.DataObject) -> None:
    bots = list(range(data.draw(st.integers(2, 8))))
    allowed = data.draw(st.sets(st.sampled_from(list(combinations(bots, 2)))))
    order = data.draw(st.permutations(bots))
    matching = matching_of(allowed)
    for bot in data.draw(st.lists(st.sampled_from(bots), unique=True)):
        if bot not in matching.partner:
            matching.pair_with_first(bot, order)
    before = set(matching.partner)
    matching.complete(order)
    assert pairs_of(matching) <= allowed
    assert len(pairs_of(matching)) == most(bots, allowed)
    assert before <= set(matching.partner)  # bots that had a partner still have one


@pytest.mark.parametrize(
    ("allowed", "paired", "pairs"),
    [
        # The path 0 - 1 = 2 - 5 is flipped.
        ({(0, 1), (1, 2), (2, 5)}, [(1, 2)], {(0, 1), (2, 5)}),
        # There are two triangles, 2 3 4 and 5 6 7. The path from 0 to 9 has to go the long way
        # around both.
        (
            {
                (0, 1),
                (1, 2),
                (2, 3),
                (2, 4),
                (3, 4),
                (3, 5),
                (5, 6),
                (5, 7),
                (6, 7),
                (7, 8),
                (8, 9),
            },
            [(1, 2), (3, 4), (5, 6), (7, 8)],
            {(0, 1), (2, 4), (3, 5), (6, 7), (8, 9)},
        ),
        # A triangle inside a longer odd cycle.
        (
            {(0, 1), (0, 4), (0, 5), (1, 6), (2, 3), (2, 6), (3, 4), (4, 5), (4, 7), (5, 7)},
            [(0, 1), (2, 3)],
            {(0, 1), (2, 6), (3, 4), (5, 7)},
        ),
        # One of three bots stays without a partner.
        ({(0, 1), (0, 2), (1, 2)}, [], {(0, 1)}),
    ],
)
def test_the_pairs_are_the_same_for_ever(
    allowed: Pairs, paired: Sequence[tuple[int, int]], pairs: Pairs
) -> None:
    matching = matching_of(allowed, paired)
    matching.complete(range(10))
    assert pairs_of(matching) == pairs
