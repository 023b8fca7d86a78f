"""Test schedules: who meets whom in which seats. They must never change between versions."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from hashlib import blake2b
from itertools import combinations, islice, permutations
from math import factorial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.errors import UsageError
from referee.match.spec import SHORT_SEEDS
from referee.tournament.schedule.format import seatings
from referee.tournament.schedule.gauntlet import gauntlet
from referee.tournament.schedule.pairing import MAX_PLAYERS, LineUps, blocks, deal_seed
from referee.tournament.schedule.round_robin import round_robin
from tests.support.marks import slow


def meetings(line_ups: Iterable[Sequence[int]]) -> Counter[tuple[int, int]]:
    return Counter(pair for each in line_ups for pair in combinations(sorted(each), 2))


def spread(counts: Counter, of: Iterable) -> int:
    """Return the difference between the largest and the smallest count."""
    numbers = [counts[each] for each in of]
    return max(numbers) - min(numbers)


def beginnings(line_ups: Iterable[Sequence[int]], bots: int) -> Iterator[tuple[int, int]]:
    """Yield two spreads after each deal: how often pairs met, and how often bots played."""
    met: Counter[tuple[int, int]] = Counter()
    played: Counter[int] = Counter()
    for each in line_ups:
        met.update(combinations(sorted(each), 2))
        played.update(each)
        yield spread(met, combinations(range(bots), 2)), spread(played, range(bots))


# Seats and seeds


@pytest.mark.parametrize("players", range(1, MAX_PLAYERS + 1))
def test_each_position_is_in_each_seat_equally_often(players: int) -> None:
    for kind, number in (("rotate", players), ("all", factorial(players))):
        orders = seatings(players, kind)
        assert len(set(orders)) == len(orders) == number
        assert orders[0] == tuple(range(players))
        for seat in zip(*orders, strict=True):
            assert set(Counter(seat).values()) == {number // players}


@pytest.mark.untraced
@given(st.integers(2, 40), st.integers(2, 4), st.integers(0, 99), st.integers(1, 120))
@settings(max_examples=15)
def test_each_bot_sits_in_each_seat_equally_often(
    bots: int, players: int, seed: int, total: int
) -> None:
    bots = max(bots, players)
    sat = Counter(
        (line_up[position], seat)
        for line_up in round_robin(bots, players, total=total, seed=seed)
        for order in seatings(players, "rotate")
        for seat, position in enumerate(order)
    )
    for bot in range(bots):
        assert len({sat[bot, seat] for seat in range(players)}) == 1


def test_the_seed_of_a_deal_stays_the_same_for_ever() -> None:
    assert [deal_seed(7, deal) for deal in range(3)] == [931246273, 375301439, 688320512]
    assert deal_seed(10**9 - 1, 0) == 209110498
    # So long that a bot can't try all seeds during a match.
    assert deal_seed(10**9, 0) == 8599524404822657
    assert deal_seed(2**53 - 1, 999_999) == 5187011890310455


def test_seeds_of_deals_of_a_short_seed_are_short_and_differ() -> None:
    drawn = [deal_seed(seed, deal) for seed in range(20) for deal in range(500)]
    assert all(0 <= each < SHORT_SEEDS for each in drawn)
    assert len(set(drawn)) > 9_990  # for random seeds, we'd expect 0.05 collisions
    assert deal_seed(1, 23) != deal_seed(12, 3)


# Round robin for two players


@given(st.integers(2, 40), st.integers(0, 2**53 - 1), st.integers(1, 3))
@settings(max_examples=10)
def test_every_pair_meets_in_exactly_so_many_deals(bots: int, seed: int, deals: int) -> None:
    line_ups = round_robin(bots, deals=deals, seed=seed)
    met = meetings(line_ups)
    assert set(met) == set(combinations(range(bots), 2))
    assert set(met.values()) == {deals}
    assert len(line_ups) == deals * bots * (bots - 1) // 2


@pytest.mark.parametrize("bots", [2, 3, 4, 5, 8, 11])
def test_every_beginning_of_a_round_robin_is_even(bots: int) -> None:
    for pairs, each in beginnings(round_robin(bots, deals=2, seed=bots), bots):
        assert pairs <= 1
        assert each <= 1


@given(st.integers(2, 40))
@settings(max_examples=8)
def test_nobody_waits_for_more_deals_than_there_are_bots(bots: int) -> None:
    last = dict.fromkeys(range(bots), -1)
    for deal, line_up in enumerate(round_robin(bots, deals=2)):
        for bot in line_up:
            assert deal - last[bot] <= bots
            last[bot] = deal


# Round robin for three and more players


@pytest.mark.untraced
@pytest.mark.parametrize("players", [3, 4])
@pytest.mark.parametrize("bots", [3, 4, 5, 6, 8, 12, 13, slow(25)])
def test_every_pair_meets_in_so_many_deals_and_nobody_plays_much_more(
    bots: int, players: int
) -> None:
    for deals in (1, 2, 3, 7) if bots >= players else ():
        line_ups = round_robin(bots, players, deals=deals, seed=1)
        assert all(len(set(each)) == players for each in line_ups)
        met = meetings(line_ups)
        wrong = [abs(met[pair] - deals) for pair in combinations(range(bots), 2)]
        assert max(wrong) <= (1 if bots <= 12 else 2)
        assert wrong.count(2) <= 1
        assert spread(Counter(bot for each in line_ups for bot in each), range(bots)) <= 2


@pytest.mark.parametrize("players", [3, 4])
@pytest.mark.parametrize("bots", [5, 8, 13])
def test_every_beginning_is_nearly_even(bots: int, players: int) -> None:
    found = list(beginnings(round_robin(bots, players, total=150), bots))
    assert max(pairs for pairs, _ in found) <= 3
    assert max(each for _, each in found) <= 2


def test_as_many_bots_as_seats_have_one_line_up() -> None:
    line_ups = round_robin(4, 4, deals=3)
    assert [set(each) for each in line_ups] == [{0, 1, 2, 3}] * 3


def test_nobody_always_sits_behind_the_same_bot() -> None:
    line_ups = round_robin(3, 3, total=600)
    assert set(Counter(line_ups)) == set(permutations(range(3)))
    assert min(Counter(line_ups).values()) > 50


# Many bots


@pytest.mark.untraced
def test_a_million_deals_of_2000_bots_are_there_without_being_stored() -> None:
    line_ups = round_robin(2000, total=1_000_000, seed=5)
    assert len(line_ups) == 1_000_000
    sample = [line_ups[deal] for deal in range(0, 1_000_000, 997)]
    assert all(len(set(each)) == 2 for each in sample)
    assert all(0 <= bot < 2000 for each in sample for bot in each)
    assert line_ups[-1] == line_ups[999_999]


@pytest.mark.untraced
@pytest.mark.parametrize("players", [2, 3, 4])
def test_as_many_deals_as_there_are_bots_repeat_no_pair_and_forget_nobody(players: int) -> None:
    line_ups = round_robin(200, players, total=200)
    assert set(meetings(line_ups).values()) == {1}
    assert spread(Counter(bot for each in line_ups for bot in each), range(200)) <= 2


# Gauntlet


@given(st.integers(1, 8), st.integers(1, 20), st.integers(1, 3), st.integers(0, 99))
@settings(max_examples=15)
def test_each_challenger_meets_each_other_bot_in_so_many_deals(
    challengers: int, others: int, deals: int, seed: int
) -> None:
    line_ups = gauntlet(challengers + others, challengers, deals=deals, seed=seed)
    expected = {
        (a, b) for a in range(challengers) for b in range(challengers, challengers + others)
    }
    assert meetings(line_ups) == Counter(dict.fromkeys(expected, deals))


@given(st.integers(1, 6), st.integers(3, 20), st.integers(2, 4), st.integers(1, 300))
@settings(max_examples=15)
def test_every_beginning_of_a_gauntlet_is_even(
    challengers: int, others: int, players: int, total: int
) -> None:
    line_ups = gauntlet(challengers + others, challengers, players, total=total)
    played: Counter[int] = Counter()
    for line_up in line_ups:
        played.update(line_up)
        assert len(set(line_up)) == players
        assert sum(bot < challengers for bot in line_up) == 1
        assert spread(played, range(challengers)) <= 1
        if players <= 3:
            assert spread(played, range(challengers, challengers + others)) <= 1


@pytest.mark.parametrize(("others", "players"), [(12, 3), (9, 4), (20, 4), (39, 4), (13, 5)])
@pytest.mark.parametrize("challengers", [1, 2, 3])
def test_challengers_meet_the_others_equally_often(
    challengers: int, others: int, players: int
) -> None:
    met = meetings(gauntlet(challengers + others, challengers, players, deals=6))
    for challenger in range(challengers):
        for other in range(challengers, challengers + others):
            assert abs(met[challenger, other] - 6) <= 2


@pytest.mark.parametrize(("others", "players"), [(7, 3), (8, 3)])
def test_line_ups_of_a_gauntlet_come_to_be_all_equal(others: int, players: int) -> None:
    times = others - 1
    met = meetings(gauntlet(others + 3, 3, players, deals=times))
    for other in range(3, others + 3):
        assert {met[challenger, other] for challenger in range(3)} == {times}
    assert {met[pair] for pair in combinations(range(3, others + 3), 2)} == {3}


# Schedules never change


@given(st.integers(4, 40), st.integers(2, 4), st.integers(0, 99), st.integers(1, 60))
@settings(max_examples=12)
def test_a_longer_schedule_begins_with_the_shorter_one(
    bots: int, players: int, seed: int, total: int
) -> None:
    short = round_robin(bots, players, total=total, seed=seed)
    assert list(round_robin(bots, players, total=total + 50, seed=seed))[:total] == list(short)
    one = gauntlet(bots + 2, 2, players, total=total, seed=seed)
    assert list(gauntlet(bots + 2, 2, players, total=total + 50, seed=seed))[:total] == list(one)


@pytest.mark.untraced
@pytest.mark.parametrize(("bots", "players"), [(14, 3), (13, 4)])
def test_deals_can_be_asked_for_in_any_order(bots: int, players: int) -> None:
    forward = list(round_robin(bots, players, total=150))
    blocks.cache_clear()
    line_ups = round_robin(bots, players, total=150)
    assert [line_ups[deal] for deal in reversed(range(150))] == forward[::-1]
    blocks.cache_clear()
    assert round_robin(bots, players, total=150)[75] == forward[75]


@pytest.mark.parametrize(
    ("line_ups", "expected"),
    [
        (round_robin(6, total=99, seed=1), [(1, 2), (4, 0), (3, 5), (2, 0), (1, 5)]),
        (round_robin(7, total=99, seed=2), [(1, 6), (5, 4), (0, 2), (3, 6), (1, 5)]),
        (round_robin(9, 3, total=99, seed=3), [(8, 0, 1), (6, 3, 2), (4, 5, 7), (8, 6, 4)]),
        (round_robin(40, 4, total=999, seed=4), [(9, 39, 24, 13), (0, 16, 20, 5), (30, 38, 19, 6)]),
        (
            round_robin(2000, 4, total=999, seed=5),
            [(368, 1930, 867, 1456), (1797, 1501, 319, 1536), (1735, 1792, 611, 1557)],
        ),
        (gauntlet(9, 2, total=99, seed=6), [(1, 2), (6, 0), (4, 1), (7, 0)]),
        (gauntlet(30, 3, 4, total=99, seed=7), [(6, 13, 0, 21), (1, 21, 6, 13), (2, 6, 21, 13)]),
    ],
)
def test_the_same_seed_gives_the_same_schedule_for_ever(
    line_ups: LineUps, expected: list[tuple[int, ...]]
) -> None:
    assert list(islice(line_ups, len(expected))) == expected


@pytest.mark.parametrize(
    ("players", "digest"),
    [
        (2, "60340d8aaa999f80"),
        (3, "38cf142590780728"),
        (4, "b9e7903059d04788"),
        (5, "82e643f45bd683d9"),
    ],
)
def test_long_schedules_stay_the_same_for_ever(players: int, digest: str) -> None:
    schedules = []
    for bots in range(players, players + 8):
        schedules.append(list(round_robin(bots, players, deals=3, seed=bots)))
        schedules.append(list(round_robin(bots, players, total=70, seed=bots)))
        for challengers in range(1, 5):
            for many in ({"deals": 2}, {"total": 70}):
                of_all = bots + challengers
                schedules.append(list(gauntlet(of_all, challengers, players, **many, seed=bots)))
    assert blake2b(repr(schedules).encode(), digest_size=8).hexdigest() == digest


def test_another_seed_gives_another_schedule() -> None:
    for players in (2, 3, 4):
        first, second = (list(round_robin(20, players, total=50, seed=seed)) for seed in (1, 2))
        assert first != second


# Errors


@pytest.mark.parametrize(
    ("bots", "challengers", "players", "message"),
    [(3, 3, 2, "at least 4 bots, not 3"), (4, 2, 4, "needs at least 5 bots, not 4")],
)
def test_an_impossible_gauntlet_is_refused(
    bots: int, challengers: int, players: int, message: str
) -> None:
    with pytest.raises(UsageError, match=message):
        gauntlet(bots, challengers, players, deals=1)


def test_a_schedule_ends() -> None:
    with pytest.raises(IndexError):
        round_robin(4, total=5)[5]
