"""In Swiss rounds, equal bots meet, there are no rematches, and byes rotate."""

from collections import Counter
from collections.abc import Sequence
from hashlib import blake2b
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from referee.tournament.rows import (
    LEFT_OUT,
    WORKER_KILLED,
    MatchRow,
    Plan,
    forfeit_row,
    unplayed_row,
)
from referee.tournament.schedule.swiss import FORMAT, SwissRound, SwissTable, swiss_round
from tests.support.helpers import TIMES
from tests.support.made_up import made_setup, row

Pairs = Counter[tuple[int, int]]


def record(found: SwissRound, points: list[float], met: Pairs, byes: list[int]) -> None:
    """Record the results of a round. The lower index wins, and a bye is worth a full point."""
    for bot in found.byes:
        byes[bot] += 1
        points[bot] += 1
    for line_up in found.line_ups:
        for better, worse in combinations(sorted(line_up), 2):
            met[better, worse] += 1
            points[better] += 1 / (len(line_up) - 1)


def tournament(bots: int, rounds: int, players: int, seed: int) -> list[SwissRound]:
    points, met, byes = [0.0] * bots, Counter(), [0] * bots
    found = []
    for round in range(rounds):
        found.append(swiss_round(points, met, byes, players, seed=seed, round=round))
        record(found[-1], points, met, byes)
    return found


def fewest_rematches(bots: Sequence[int], met: Pairs) -> int:
    """Return the smallest possible number of rematches, by brute force."""
    if not bots:
        return 0
    first, *rest = bots
    return min(
        (met[first, other] > 0) + fewest_rematches([bot for bot in rest if bot != other], met)
        for other in rest
    )


@given(st.integers(2, 40), st.integers(2, 4), st.integers(1, 6), st.integers(0, 99))
@settings(max_examples=20)
def test_everybody_plays_once_or_has_a_bye(bots: int, players: int, rounds: int, seed: int) -> None:
    bots = max(bots, players)
    for found in tournament(bots, rounds, players, seed):
        assert all(len(each) == players for each in found.line_ups)
        seen = [bot for each in found.line_ups for bot in each] + found.byes
        assert sorted(seen) == list(range(bots))
        assert len(found.byes) == bots % players


@given(st.integers(2, 24), st.data(), st.integers(0, 99))
@settings(max_examples=12)
def test_byes_go_round(bots: int, data: st.DataObject, seed: int) -> None:
    players = data.draw(st.integers(2, min(4, bots)))
    byes: Counter[int] = Counter()
    for found in tournament(bots, 8, players, seed):
        byes.update(found.byes)
        assert max(byes[bot] for bot in range(bots)) - min(byes[bot] for bot in range(bots)) <= 1


def test_the_bye_goes_to_the_lowest_that_had_none() -> None:
    found = swiss_round([3, 2, 2, 1, 0], {}, [0, 0, 0, 0, 1])
    assert found.byes == [3]


def test_another_of_those_without_a_bye_rests_if_else_there_is_a_rematch() -> None:
    # If bot 2 rested, 0 and 1 would have a rematch. If one of these rests, there's none.
    found = swiss_round([2, 1, 0], {(0, 1): 1}, [0, 0, 0])
    assert found == SwissRound([(0, 2)], [1], 0)


@given(
    st.integers(1, 4).map(lambda half: 2 * half),
    st.data(),
    st.integers(0, 99),
)
@settings(max_examples=25 * TIMES)
def test_rematches_are_the_fewest_that_can_be(bots: int, data: st.DataObject, seed: int) -> None:
    pairs = list(combinations(range(bots), 2))
    met = Counter(data.draw(st.lists(st.sampled_from(pairs), max_size=2 * len(pairs))))
    points = data.draw(st.lists(st.integers(0, 3), min_size=bots, max_size=bots))
    found = swiss_round(points, met, [0] * bots, seed=seed)
    rematches = sum(met[min(pair), max(pair)] > 0 for pair in found.line_ups)
    assert rematches == found.rematches == fewest_rematches(range(bots), met)


@pytest.mark.parametrize(
    ("bots", "seed"), [(bots, seed) for bots in (8, 20, 30) for seed in (1, 2)]
)
def test_nobody_meets_twice_in_half_as_many_rounds_as_there_are_bots(bots: int, seed: int) -> None:
    # While no bot has met half of the others yet, we can avoid rematches (Dirac, 1952).
    for found in tournament(bots, bots // 2, 2, seed):
        assert found.rematches == 0


def test_the_upper_half_of_a_group_meets_the_lower_half() -> None:
    # Two bots float down, and come first in their group. Its other bots are paired by halves.
    met = {(0, 1): 1}
    found = swiss_round([2, 2, *[1] * 10, *[0] * 4], met, [0] * 16, seed=3)
    assert [{0, 1} & set(pair) != set() for pair in found.line_ups] == [True] * 2 + [False] * 6
    assert all(set(pair) <= set(range(12)) for pair in found.line_ups[:6])
    assert all(set(pair) <= set(range(12, 16)) for pair in found.line_ups[6:])
    # A bot that has already met the opposite one gets the next one below.
    equals = [0.0] * 8
    halves = swiss_round(equals, {}, [0] * 8, seed=3).line_ups
    order = [first for first, _ in halves] + [second for _, second in halves]
    one_met = {tuple(sorted((order[0], order[4]))): 1}
    again = swiss_round(equals, one_met, [0] * 8, seed=3).line_ups
    assert again[0] == (order[0], order[5])


def test_who_finds_nobody_floats_down() -> None:
    # 0, 1 and 2 lead, and 0 has met both of the others.
    met = {(0, 1): 1, (0, 2): 1}
    found = swiss_round([2, 2, 2, 1, 1, 0], met, [0] * 6)
    assert (1, 2) in [tuple(sorted(pair)) for pair in found.line_ups]
    (floating,) = [pair for pair in found.line_ups if 0 in pair]
    assert set(floating) & {3, 4}
    assert found.rematches == 0


def test_who_is_better_wins_the_tournament() -> None:
    points, met, byes = [0.0] * 64, Counter(), [0] * 64
    for round in range(6):
        found = swiss_round(points, met, byes, seed=5, round=round)
        # With 64 bots, every pair of these six rounds has equal points.
        assert all(points[a] == points[b] for a, b in found.line_ups)
        record(found, points, met, byes)
    assert points[0] == 6
    assert sorted(points)[-2] == 5


def test_line_ups_of_four_are_of_one_score_group_where_it_is_large_enough() -> None:
    points = [2.0] * 8 + [1.0] * 8
    found = swiss_round(points, {}, [0] * 16, 4)
    assert all(len({points[bot] for bot in each}) == 1 for each in found.line_ups)


def test_line_ups_of_four_repeat_no_pair_while_there_are_many_bots() -> None:
    assert [found.rematches for found in tournament(64, 5, 4, 1)] == [0] * 5


def test_points_that_differ_by_a_rounding_error_are_equal() -> None:
    third = 1 / 3
    points = [third + third + third + 1, 2.0, 0.1 + 0.2, 0.3]
    found = swiss_round(points, {}, [0] * 4)
    assert {frozenset(pair) for pair in found.line_ups} == {frozenset({0, 1}), frozenset({2, 3})}
    for round in range(4):
        near = swiss_round([0.1 + 0.2, 0.3, 0.3, 0.1 + 0.2], {}, [0] * 4, round=round)
        assert near == swiss_round([0.3] * 4, {}, [0] * 4, round=round)


def test_equals_are_drawn_anew_in_each_round_and_by_each_seed() -> None:
    def pairs(seed: int, round: int) -> SwissRound:
        return swiss_round([0.0] * 20, {}, [0] * 20, seed=seed, round=round)

    assert pairs(1, 0) == pairs(1, 0)
    assert pairs(1, 0) != pairs(1, 1)
    assert pairs(1, 0) != pairs(2, 0)


@pytest.mark.untraced
@pytest.mark.parametrize("players", [2, 4])
def test_many_bots_play_10_rounds_without_a_rematch(players: int) -> None:
    rounds = tournament(200, 10, players, 1)
    assert sum(found.rematches for found in rounds) == 0


def test_the_same_seed_gives_the_same_round_for_ever() -> None:
    met = {(0, 1): 1, (2, 3): 1, (4, 5): 1}
    assert swiss_round(
        [1, 0, 1, 0, 0.5, 0.5, 1], met, [0] * 6 + [1], seed=9, round=1
    ) == SwissRound([(2, 6), (0, 4), (5, 3)], [1], 0)
    assert swiss_round([1, 0] * 5, {(0, 2): 1}, [0] * 10, 4, seed=9, round=1) == SwissRound(
        [(2, 6, 4, 8), (0, 3, 1, 9)], [5, 7], 0
    )


@pytest.mark.parametrize(
    ("bots", "rounds", "players", "digest"),  # the last rounds of most can't avoid rematches
    [
        (6, 9, 2, "568410bf56f6e719"),
        (7, 12, 2, "ffa11d353e60093d"),
        (20, 12, 2, "ad5961ac47eeb3d3"),
        (9, 7, 3, "1b5c04d545d7c915"),
        (14, 8, 3, "b05f4e07cfec1e9c"),
        (17, 6, 4, "4b4293d3126d6c00"),
    ],
)
def test_whole_tournaments_stay_the_same_for_ever(
    bots: int, rounds: int, players: int, digest: str
) -> None:
    found = [tuple(each) for each in tournament(bots, rounds, players, 5)]
    assert blake2b(repr(found).encode(), digest_size=8).hexdigest() == digest


def rows(*matches: tuple[tuple[int, ...], list[int]]) -> list[MatchRow]:
    """Return matches with these bots and ranks."""
    return [row(Plan(number, 0, 1, bots), ranks) for number, (bots, ranks) in enumerate(matches)]


def test_the_points_of_a_round_are_the_share_of_those_who_did_worse() -> None:
    """They don't depend on by how much, and two deals of a line-up are one meeting."""
    table = SwissTable()
    table.add_bots(7)
    table.add_bots(4)  # there are never fewer than before
    one, other = (0, 1, 2), (3, 4, 5)
    left_out = unplayed_row(Plan(9, 0, 1, other), {4}, LEFT_OUT, "")
    table.add(
        [one, one, other, other],
        [*rows((one, [1, 2, 3]), (one, [2, 1, 3]), (other, [2, 1, 2])), left_out],
        [5],
    )
    assert table.points == [0.75, 0.75, 0, 0.75, 0, 0.75, 1]
    assert (table.byes, table.rounds) == (Counter({6: 1}), 1)
    assert table.opponents() == [0.75, 0.75, 1.5, 0.75, 1.5, 0.75, 0]
    # Bot 5 is withdrawn, so it has no bye. Bot 3 is out, bot 6 gets its forfeit and bot 4 a bye.
    killed = unplayed_row(Plan(9, 0, 1, (3, 0)), {3}, WORKER_KILLED, "")
    forfeit = forfeit_row(Plan(9, 0, 1, (6, 2)), {2})
    table.add([(3, 0), (6, 2)], [killed, forfeit, *rows(((0, 3), [2, 1]))], [2, 5])
    assert table.points == [1.75, 1.75, 0, 0.75, 1, 0.75, 2]
    assert table.byes == Counter({6: 1, 1: 1, 4: 1})
    assert table.opponents()[0] == 1.75 + 0 + 0.75
    table.add([(0, 1)], rows(((0, 1), [1, 1])), [2, 5])
    assert table.points == [2.25, 2.25, 0, 0.75, 2, 0.75, 3]
    assert table.opponents()[:2] == [2 * 2.25 + 0 + 0.75, 2 * 2.25 + 0]
    table.add_empty(2)  # for nobody that is out or withdrawn
    assert table.points == [4.25, 4.25, 0, 0.75, 4, 0.75, 5]
    assert (table.byes[6], table.byes[3], table.rounds) == (4, 0, 5)


@pytest.mark.parametrize(
    ("bots", "rounds"), [(2, 3), (3, 4), (4, 4), (5, 5), (8, 5), (9, 6), (16, 6), (17, 7)]
)
def test_by_default_there_are_two_rounds_more_than_find_the_best(bots: int, rounds: int) -> None:
    setup = made_setup(bots, format="swiss")
    assert setup.rounds == rounds
    assert made_setup(bots, format="swiss", rounds=9).rounds == 9
    deals = 3
    longer = replace(setup, deals=deals, rounds=9)
    assert FORMAT.count(longer, None) == 9 * (bots // 2) * deals
    assert FORMAT.count(longer, setup) == (9 - rounds) * (bots // 2) * deals
