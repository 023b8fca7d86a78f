"""As many pairs as possible, only allowed ones, and the same ones for ever."""

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
    """The largest number of pairs, by trying all."""
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
@settings(max_examples=100 * TIMES)
def test_there_are_as_many_pairs_as_possible(data: st.DataObject) -> None:
    bots = list(range(data.draw(st.integers(2, 9))))
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
    assert before <= set(matching.partner)  # who has a partner keeps one


@pytest.mark.parametrize(
    ("allowed", "paired", "pairs"),
    [
        # 0 - 1 = 2 - 5: one exchange.
        ({(0, 1), (1, 2), (2, 5)}, [(1, 2)], {(0, 1), (2, 5)}),
        # Two triangles, 2 3 4 and 5 6 7. The path from 0 to 9 leads the longer way round both.
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
        # One triangle within a longer odd circle.
        (
            {(0, 1), (0, 4), (0, 5), (1, 6), (2, 3), (2, 6), (3, 4), (4, 5), (4, 7), (5, 7)},
            [(0, 1), (2, 3)],
            {(0, 1), (2, 6), (3, 4), (5, 7)},
        ),
        # Three bots: one of them remains single.
        ({(0, 1), (0, 2), (1, 2)}, [], {(0, 1)}),
    ],
)
def test_the_pairs_are_the_same_for_ever(
    allowed: Pairs, paired: Sequence[tuple[int, int]], pairs: Pairs
) -> None:
    matching = matching_of(allowed, paired)
    matching.complete(range(10))
    assert pairs_of(matching) == pairs
