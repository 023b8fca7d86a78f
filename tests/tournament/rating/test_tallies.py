"""Points, wins and shares (spec/rating-formulas.md, 1 and 4)."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.tournament.rating.deals import Deals
from referee.tournament.rating.intervals import shares_over_deals, t_point, wilson
from referee.tournament.rating.tallies import head_to_head, seat_advantage, tally
from tests.support.worlds import World


def three() -> Deals:
    """Two deals for three players: one with all rotations, and another with only one match."""
    deals = Deals(4, 3)
    deals.extend([7], [(0, 1, 2)], [(1, 2, 3)])
    deals.extend([2], [(3, 1, 0)], [(1, 1, 3)])
    deals.extend([7], [(1, 2, 0)], [(1, 3, 2)])
    deals.extend([7], [(2, 0, 1)], [(1, 1, 1)])
    return deals


def test_points_are_the_share_of_the_others_that_were_beaten() -> None:
    counted = tally(three().table())
    # Bot 0 gets 1 + 0.5 + 0.5 + 0, bot 1 0.5 + 1 + 0.5 + 0.75, bot 2 0 + 0 + 0.5, and bot 3 0.75.
    assert counted.points.tolist() == [2.0, 2.75, 0.5, 0.75]
    assert counted.matches.tolist() == [4, 4, 3, 1]
    assert counted.points.sum() == 4 * 3 / 2


def test_a_win_is_first_alone_and_a_draw_is_first_together() -> None:
    counted = tally(three().table())
    assert counted.wins.tolist() == [1, 1, 0, 0]
    assert counted.draws.tolist() == [1, 2, 1, 1]
    assert counted.losses.tolist() == [2, 1, 2, 0]
    assert counted.win_rate.share.tolist() == [0.25, 0.25, 0, 0]


def test_head_to_head() -> None:
    met = head_to_head(three().table())
    assert met.matches.tolist() == [[0, 4, 3, 1], [4, 0, 3, 1], [3, 3, 0, 0], [1, 1, 0, 0]]
    # Bot 0 beat bot 1 in the first match, lost in two, and drew the last one.
    assert met.points[0].tolist() == [0, 1.5, 2.5, 0]
    assert met.points[1].tolist() == [2.5, 0, 2.5, 0.5]
    assert met.wins[0].tolist() == [0, 1, 2, 0]
    assert met.draws[0].tolist() == [0, 1, 1, 0]


def test_seats_are_compared_in_deals_in_which_all_had_each() -> None:
    deals = three()
    advantage = seat_advantage(deals.table())
    # Only deal 7 counts. First seat: 1, 1, 0.5; second: 0.5, 0, 0.5; third: 0, 0.5, 0.5.
    assert advantage.share == pytest.approx([2.5 / 3, 1 / 3, 1 / 3])
    deals.extend([2], [(1, 0, 3)], [(1, 2, 3)])
    assert seat_advantage(deals.table()).share == pytest.approx([2.5 / 3, 1 / 3, 1 / 3])
    # In deal 9, only bot 3 has all seats.
    lineups = [(0, 1, 3), (0, 3, 1), (3, 0, 1)]
    deals.extend([9] * 3, lineups, [(1, 2, 3)] * 3)
    assert seat_advantage(deals.table()).share == pytest.approx([2.5 / 3, 1 / 3, 1 / 3])


def test_without_a_whole_deal_all_count() -> None:
    deals = Deals(2, 2)
    deals.extend([0], [(0, 1)], [(1, 2)])
    assert seat_advantage(deals.table()).share.tolist() == [1, 0]


def test_a_bot_without_matches_has_no_share() -> None:
    deals = Deals(3, 2)
    deals.extend([0], [(0, 1)], [(1, 2)])
    rate = tally(deals.table()).point_rate
    assert np.isnan(rate.share[2])
    assert (rate.low[2], rate.high[2]) == (0, 1)


@pytest.mark.parametrize(
    ("won", "of", "low", "high"),
    # From Newcombe, Statistics in Medicine 17 (1998), table I, method 3.
    [
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ],
)
def test_wilsons_interval(won, of, low, high) -> None:
    assert wilson(won / of, of) == (pytest.approx(low, abs=5e-5), pytest.approx(high, abs=5e-5))


@pytest.mark.parametrize(
    ("degrees", "point"),
    [
        *((0, 12.706), (1, 12.706), (1.5, 6.017), (2, 4.303), (2.5, 3.575), (3, 3.182)),
        *((4, 2.776), (5, 2.571), (6, 2.447), (7, 2.365), (8, 2.306), (10, 2.228)),
        *((12, 2.179), (15, 2.131), (30, 2.042), (60, 2.000), (1e9, 1.960)),
    ],
)
def test_students_t(degrees, point) -> None:
    assert float(t_point(degrees)) == pytest.approx(point, rel=0.002)


@pytest.mark.parametrize(
    ("deals", "size"),  # hits and trials of each deal
    [
        ([(2, 2), (1, 2), (0, 2)], 0.25 * 36 / (3 / 2 * 2)),
        ([(2, 2), (0.5, 1), (1, 4)], 0.25 * 49 / (3 / 2 * 2)),
        ([(1, 2), (1, 2), (1, 2)], 36 / (2 * 2)),  # all alike
        ([(1, 2), (1, 2), (1, 2), (1.1, 2)], 64 / (2 * 2)),  # nearly alike
        ([(0.5, 1), (0.5, 1)], 4 / 2**0.5),
        ([(3, 4)], 16 / (4 * 8**0.5)),
        ([(0.1, 0.25)], 0.0625),  # nothing is divided by less than 1
        ([(2, 2), (2, 2), (3, 3)], 3),  # all won: the number of deals
        ([(0, 4)] * 5, 5),
    ],
)
def test_the_size_of_a_share_is_that_of_the_page(
    deals: list[tuple[float, float]], size: float
) -> None:
    """spec/rating-formulas.md, 4. There are two other groups, the last of them without deals."""
    other = (1.0, 3.0)
    hits, trials = np.array([deals[0], other, *deals[1:], other]).T
    group = np.array([1, 0, *[1] * (len(deals) - 1), 0])
    shares = shares_over_deals(group, hits, trials, 3)
    share = sum(hit for hit, _ in deals) / sum(trial for _, trial in deals)
    ends = wilson(share, size, t_point(len(deals) - 1))
    assert (shares.share[1], shares.low[1], shares.high[1]) == pytest.approx((share, *ends))
    assert shares.share[:2].tolist() == pytest.approx([1 / 3, share])
    assert np.isnan(shares.share[2])
    assert (shares.low[2], shares.high[2]) == (0, 1)


def test_deals_of_one_match_are_nearly_wilsons() -> None:
    hits = np.array([1.0] * 120 + [0.0] * 80)
    shares = shares_over_deals(np.zeros(200, np.int64), hits, np.ones(200), 1)
    low, high = wilson(0.6, 200)
    assert shares.share[0] == pytest.approx(0.6)
    assert shares.low[0] == pytest.approx(low, abs=0.001)
    assert shares.high[0] == pytest.approx(high, abs=0.001)


def test_matches_of_a_deal_that_end_alike_count_once() -> None:
    hits = np.array([4.0] * 120 + [0.0] * 80)
    shares = shares_over_deals(np.zeros(200, np.int64), hits, np.full(200, 4.0), 1)
    once = shares_over_deals(np.zeros(200, np.int64), hits / 4, np.ones(200), 1)
    assert shares.low[0] == pytest.approx(once.low[0])
    all_won = shares_over_deals(np.zeros(50, np.int64), np.full(50, 4.0), np.full(50, 4.0), 1)
    assert all_won.low[0] == pytest.approx(50 / (50 + 2.01**2), abs=0.001)


def test_deals_that_are_all_even_leave_room() -> None:
    even = shares_over_deals(np.zeros(30, np.int64), np.ones(30), np.full(30, 2.0), 1)
    assert even.low[0] < 0.475
    assert even.high[0] > 0.525


@pytest.mark.slow
@pytest.mark.parametrize("players", [2, 4])
def test_intervals_of_shares_hold_the_truth(players) -> None:
    world = World(players, bots=12, seat_luck=1.0, bot_luck=1.5)
    found = world.cover(30, 40, endless=40_000)
    assert found["points"] == pytest.approx(0.96, abs=0.035)
    # There are few seats, so the standard error is larger.
    assert found["seats"] > 0.88


# -- the columns


@given(
    st.lists(
        st.tuples(
            st.integers(0, 50),
            st.permutations(range(4)),
            st.lists(st.integers(1, 4), min_size=4, max_size=4),
        ),
        min_size=1,
    )
)
def test_each_match_gives_half_of_its_pairs(matches) -> None:
    deals = Deals(4, 4)
    for match in matches:
        deals.extend(*([part] for part in match))
    counted, met = tally(deals.table()), head_to_head(deals.table())
    assert counted.points.sum() == pytest.approx(2 * len(matches))
    assert (counted.wins + counted.draws + counted.losses).tolist() == [len(matches)] * 4
    assert met.points.sum() == 6 * len(matches)
    assert counted.points == pytest.approx(met.points.sum(axis=1) / 3)


def test_extend_is_append() -> None:
    world = World(3, bots=6)
    table = world.play(world.schedule(5), np.random.default_rng(1))
    order = np.argsort(table.seats, axis=1)
    lineups = np.take_along_axis(table.bots[table.index], order, axis=1)
    ranks = np.take_along_axis(table.ranks, order, axis=1)
    one, many = Deals(6, 3), Deals(6, 3)
    many.extend(table.index, lineups, ranks)
    for match in zip(table.index.tolist(), lineups.tolist(), ranks.tolist(), strict=True):
        one.extend(*([part] for part in match))
    assert len(one) == len(many) == len(table.index)
    assert tally(one.table()).points.tolist() == tally(many.table()).points.tolist()


def test_a_table_stays_as_it_is_when_matches_come() -> None:
    deals = three()
    table = deals.table()
    for number in range(100, 200):
        deals.extend([number], [(0, 1, 2)], [(1, 2, 3)])
    assert len(table.index) == 4
    assert tally(table).matches.sum() == 12
