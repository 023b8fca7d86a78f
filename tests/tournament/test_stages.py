"""Test the stages of a tournament: which matches there are, and what an extension adds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import combinations
from typing import Any

import pytest
from msgspec.structs import replace

from referee.errors import UsageError
from referee.tournament.report.formats import swiss_standing
from referee.tournament.rows import WORKER_KILLED, Plan, unplayed_row
from referee.tournament.schedule.format import TournamentSetup
from referee.tournament.schedule.swiss import swiss_round
from referee.tournament.schedule.withdrawals import Withdrawal
from referee.tournament.setup import check_extension
from referee.tournament.stages import (
    Stage,
    _seeds,
    bots_with_matches_left,
    check_schedule,
    first_missing,
    is_finished,
    planned,
    rounds_of,
    stages,
)
from referee.tournament.store import Store
from tests.support.made_up import contents, made_setup, play, played, row, void


def plans(store: Store) -> Iterator[Plan]:
    """Yield the plans of all matches in a store."""
    for stage in stages(store):
        for position in range(len(stage.line_ups)):
            yield from stage.plans(position)


def extended(*setups: TournamentSetup, until: int | None = None) -> Store:
    """Play a tournament and extend it with each of the other setups.

    Args:
        until: interrupt the last stage after this number of matches, then continue.
    """
    store = Store.in_memory()
    for setup in setups:
        if store.stages:
            check_extension(store.stages[-1], setup)
        store.add_stage(setup)
        if setup is setups[-1] and until is not None:
            play(store, until=store.count()[0] + until, most=2)
        play(store)
    return store


def pairs(store: Store) -> Counter[tuple[int, int]]:
    """Count the deals that each pair of bots has played together."""
    deals = {line.deal: sorted(line.players) for line in store.matches()}
    return Counter(pair for bots in deals.values() for pair in combinations(bots, 2))


def check_numbers(store: Store) -> None:
    """Check that matches and deals are numbered without gaps, and that no match occurs twice."""
    lines = list(store.matches())
    assert [line.match for line in lines] == [*range(len(lines))]
    deals = [line.deal for line in lines]
    assert deals == sorted(deals)
    assert set(deals) == {*range(deals[-1] + 1)}
    assert len({(line.seed, line.players) for line in lines}) == len(lines)
    for deal in set(deals):
        of_deal = [line for line in lines if line.deal == deal]
        assert len({line.seed for line in of_deal}) == 1
        assert len({frozenset(line.players) for line in of_deal}) == 1


@pytest.mark.parametrize(
    ("options", "matches"),
    [
        ({"deals": 3}, 3 * 10 * 2),
        ({"matches": 33}, 34),  # rounded up to whole deals
        ({"matches": 34}, 34),
        ({"players": 3, "deals": 3}, 3 * 10),  # each pair meets in three deals
        ({"players": 3, "deals": 1, "seats": "all"}, 4 * 6),
        ({"players": 4, "matches": 1, "seats": "all"}, 24),
        ({"deals": 3, "seats": "fixed"}, 3 * 10),
        ({"players": 3, "deals": 3, "seats": "fixed"}, 10),
        ({"format": "swiss", "rounds": 3, "deals": 2, "seats": "fixed"}, 3 * 2 * 2),
        ({"format": "gauntlet", "deals": 2}, 2 * 4 * 2),
        ({"format": "gauntlet", "challengers": 2, "deals": 2}, 2 * 6 * 2),
        ({"format": "swiss", "rounds": 3, "deals": 2}, 3 * 2 * 2 * 2),
        ({"format": "swiss"}, 5 * 2 * 10 * 2),
    ],
)
def test_how_many_matches_there_are(options: Any, matches: int) -> None:
    setup = made_setup(5, **options)
    store = Store.in_memory()
    store.add_stage(setup)
    assert planned(store) == matches
    play(store)
    assert store.count() == (matches, 0)
    check_numbers(store)


def test_a_deal_is_played_in_each_rotation_of_its_seats() -> None:
    store = played(made_setup(4, players=3, deals=2))
    for deal in range(4):
        first, *others = [line.players for line in store.matches() if line.deal == deal]
        assert others == [first[1:] + first[:1], first[2:] + first[:2]]


def test_a_deal_is_played_in_each_order_of_its_seats() -> None:
    store = played(made_setup(4, players=3, deals=1, seats="all"))
    orders = {line.players for line in store.matches() if line.deal == 0}
    assert len(orders) == 6
    assert len({frozenset(order) for order in orders}) == 1


@pytest.mark.parametrize(
    "options",
    [
        {"deals": 3},
        {"players": 3, "deals": 4},
        {"format": "gauntlet", "challengers": 2},
        {"format": "swiss"},
        {"format": "knockout"},
    ],
)
def test_fixed_seats_are_in_the_order_of_the_bots(options: Any) -> None:
    store = played(made_setup(6, seats="fixed", **options))
    lines = list(store.matches())
    assert all(list(line.players) == sorted(line.players) for line in lines)
    assert [line.deal for line in lines] == [*range(len(lines))]


@pytest.mark.parametrize("players", [2, 3, 4])
def test_the_schedule_follows_from_setup_and_seed(players: int) -> None:
    one, same, other = (Store.in_memory() for _ in range(3))
    for store, seed in ((one, 5), (same, 5), (other, 6)):
        store.add_stage(made_setup(6, players=players, deals=2, seed=seed))
    assert list(plans(one)) == list(plans(same))
    assert list(plans(one)) != list(plans(other))


# --- a list of deals ------------------------------------------------------------------------------

LIST = (70, 30, 50)


def seeds_of_pairs(store: Store) -> dict[tuple[int, ...], list[int]]:
    """Return the seeds of each line-up's deals, in order."""
    found: dict[tuple[int, ...], list[int]] = {}
    for line in store.matches():
        seeds = found.setdefault(tuple(sorted(line.players)), [])
        if seeds[-1:] != [line.seed]:
            seeds.append(line.seed)
    return found


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"seats": "fixed"},
        {"format": "gauntlet", "challengers": 2},
        {"format": "swiss", "rounds": 2},
        {"format": "knockout"},
    ],
)
def test_each_pair_plays_a_list_of_deals_in_its_order(options: Any) -> None:
    store = played(made_setup(6, deal_seeds=LIST, **options))
    assert set(map(tuple, seeds_of_pairs(store).values())) == {LIST}
    store = played(made_setup(6, deal_seeds=LIST, deals=2, **options))
    assert set(map(tuple, seeds_of_pairs(store).values())) == {LIST[:2]}


@pytest.mark.parametrize("most", [14, 15])
def test_a_list_is_for_a_limited_number_of_deals(
    most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each of them has to be gone through, and a store can claim any number."""
    monkeypatch.setattr("referee.tournament.stages.MAX_LISTED", most)
    setup = made_setup(6, deal_seeds=LIST[:1])  # 15 pairs
    if most == 15:
        assert len(seeds_of_pairs(played(setup))) == 15
    else:
        with pytest.raises(UsageError, match=r"^15 deals have seeds from a list .* at most 14: "):
            played(setup)


def test_a_swiss_rematch_begins_the_list_again() -> None:
    store = played(made_setup(2, format="swiss", rounds=2, deal_seeds=LIST))
    assert [line.seed for line in store.matches()][::2] == [*LIST, *LIST]


def test_line_ups_of_three_play_the_list_as_far_as_the_pair_that_met_most() -> None:
    store = played(made_setup(4, players=3, deal_seeds=tuple(range(40))))
    met: Counter[tuple[int, int]] = Counter()
    for line in [*store.matches()][::3]:
        pairs = list(combinations(sorted(line.players), 2))
        assert line.seed == max(met[pair] for pair in pairs)
        met.update(pairs)


def test_new_bots_play_the_list_too() -> None:
    small, large = (made_setup(bots, deal_seeds=LIST) for bots in (3, 5))
    assert set(map(tuple, seeds_of_pairs(extended(small, large)).values())) == {LIST}


# --- extensions -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("small", "large"),
    [
        ({"deals": 2}, {"deals": 3}),
        ({"matches": 14}, {"matches": 33}),
        ({"players": 3, "deals": 2}, {"players": 3, "deals": 3}),
        ({"players": 3, "matches": 20}, {"players": 3, "matches": 40}),
        ({"players": 4, "deals": 1, "seats": "all"}, {"players": 4, "deals": 2, "seats": "all"}),
        ({"format": "gauntlet", "deals": 2}, {"format": "gauntlet", "deals": 3}),
        ({"format": "gauntlet", "matches": 7}, {"format": "gauntlet", "matches": 30}),
        ({"deal_seeds": (4, 3)}, {"deal_seeds": (4, 3, 9)}),
        (
            {"format": "swiss", "rounds": 2, "deals": 2},
            {"format": "swiss", "rounds": 3, "deals": 2},
        ),
        ({"format": "sprt", "deals": 5}, {"format": "sprt", "deals": 9}),
    ],
)
def test_more_of_the_same_is_as_if_it_had_been_asked_for_at_once(small: Any, large: Any) -> None:
    bots = 2 if small.get("format") == "sprt" else 6
    at_once = played(made_setup(bots, **large))
    for until in (None, 3):
        step_by_step = extended(made_setup(bots, **small), made_setup(bots, **large), until=until)
        assert contents(step_by_step) == contents(at_once)
        assert planned(step_by_step) == at_once.count()[0]


@pytest.mark.parametrize(
    ("old", "new", "deals", "until"),
    [(2, 6, 2, None), (5, 6, 3, None), (5, 6, 2, 5), (2, 7, 3, 5)],
)
def test_round_robin_with_more_bots(old: int, new: int, deals: int, until: int | None) -> None:
    """With two players, all pairs have met equally often at the end."""
    store = extended(made_setup(old, deals=2), made_setup(new, deals=deals), until=until)
    assert store.count() == (planned(store), 0)
    check_numbers(store)
    assert pairs(store) == dict.fromkeys(combinations(range(new), 2), deals)


def test_round_robin_extended_again_and_again() -> None:
    steps = [(3, 1), (4, 1), (4, 2), (6, 3), (6, 4)]
    store = extended(*(made_setup(bots, deals=deals) for bots, deals in steps))
    check_numbers(store)
    assert pairs(store) == dict.fromkeys(combinations(range(6), 2), 4)


@pytest.mark.parametrize(("challengers", "bots"), [(1, 7), (2, 7), (2, 5)])
def test_gauntlet_with_more_bots(challengers: int, bots: int) -> None:
    def setup(bots: int, deals: int) -> TournamentSetup:
        return made_setup(bots, format="gauntlet", challengers=challengers, deals=deals)

    store = extended(setup(4, 2), setup(bots, 3), until=4)
    check_numbers(store)
    met = [(a, b) for a in range(challengers) for b in range(challengers, bots)]
    assert pairs(store) == dict.fromkeys(met, 3)


def test_a_bot_that_is_withdrawn_in_the_first_match_of_a_round_is_paired_in_it() -> None:
    store = played(made_setup(4, format="swiss", rounds=2, deals=1))
    (_, second) = stages(store)
    line_ups, first = [*second.line_ups], second.plan(second.first_match)
    store.settle([], [], {first.players[0]: Withdrawal(first.match, "timeout")})
    assert [*[*stages(store)][1].line_ups] == line_ups


def test_the_first_withdrawal_ends_matches_of_all_bots() -> None:
    store = Store.in_memory()
    store.add_stage(made_setup(3, players=3, deals=4))
    (stage,) = stages(store)
    store.add([row(plan) for plan in stage.plans(0)[:2]])
    store.settle([], [], {0: Withdrawal(1, "timeout"), 1: Withdrawal(5, "timeout")})
    assert is_finished(store)
    store.add([row(stage.plan(2))])
    assert not is_finished(store)


def test_a_bot_that_is_withdrawn_has_no_match_left() -> None:
    store = Store.in_memory()
    store.add_stage(made_setup(3, deals=2))
    store.add([row(next(stages(store)).plan(0))])
    assert bots_with_matches_left(store, store.stages) == {0, 1, 2}
    store.withdraw(1, 0)
    assert bots_with_matches_left(store, store.stages) == {0, 2}


def test_a_line_up_has_the_next_seed_of_the_pair_that_has_met_most_often() -> None:
    setup = made_setup(4, players=3, deal_seeds=(5, 6, 7))
    line_ups = [(0, 1, 2), (0, 1, 3), (3, 2, 1), (0, 1, 2), (0, 1, 3)]
    assert _seeds(setup, line_ups, Counter()) == [5, 6, 6, 7, 5]


def test_line_ups_of_two_are_not_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    """They're the same in all versions, and there may be many."""
    store = played(made_setup(3, deals=2))
    monkeypatch.setattr(Stage, "plans", None)
    check_schedule(store)


def test_the_schedule_of_three_is_checked_where_matches_were_played() -> None:
    store = Store.in_memory()
    store.add_stage(made_setup(4, players=3, deals=100))
    (stage,) = stages(store)
    store.add([row(stage.plan(stage.matches - 1))])
    check_schedule(store)
    store.add([row(replace(stage.plan(stage.matches - 1), match=0))])
    with pytest.raises(UsageError, match="match 0 differs from the schedule"):
        check_schedule(store)


@pytest.mark.parametrize("players", [3, 4])
@pytest.mark.parametrize("format", ["round-robin", "gauntlet"])
def test_a_store_claims_at_most_a_million_deals_of_three(format: str, players: int) -> None:
    """Each of their line-ups follows from all before it. In a gauntlet of three, they're pairs."""
    store = Store.in_memory()
    store.add_stage(made_setup(6, format=format, players=players, deals=10**9))
    if (format, players) == ("gauntlet", 3):
        assert next(stages(store)).plan(10**9)
        return
    with pytest.raises(UsageError, match="at most 1,000,000"):
        list(stages(store))


def test_three_players_with_more_bots() -> None:
    """New bots meet everybody as often as requested.

    A match may need a third player, so old bots meet each other a few more times as well.
    """
    store = extended(made_setup(5, players=3, deals=6), made_setup(7, players=3, deals=6), until=7)
    check_numbers(store)
    met = pairs(store)
    assert min(met.values()) >= 5
    for bot in range(5):
        for new in (5, 6):
            assert 5 <= met[bot, new] <= 7


def test_more_matches_of_more_bots() -> None:
    store = extended(made_setup(4, matches=24), made_setup(6, matches=60), until=5)
    check_numbers(store)
    assert store.count() == (60, 0)
    assert set(pairs(store)) == {*combinations(range(6), 2)}


def test_swiss_with_more_bots_and_rounds() -> None:
    def setup(bots: int, rounds: int) -> TournamentSetup:
        return made_setup(bots, format="swiss", rounds=rounds, deals=1)

    store = extended(setup(8, 3), setup(10, 5), until=3)
    check_numbers(store)
    assert store.count() == (3 * 4 * 2 + 2 * 5 * 2, 0)
    assert planned(store) == 44
    assert set(pairs(store).values()) == {1}  # no rematches
    assert all(any(bot in pair for pair in pairs(store)) for bot in (8, 9))


# --- swiss ----------------------------------------------------------------------------------------


def test_swiss_rounds_follow_from_the_points_of_all_rounds_before() -> None:
    """The bot that wins more matches of a deal gets a point, as does a bye. A tie is half each."""
    setup = made_setup(7, format="swiss", rounds=4, deals=1)
    store = played(setup)
    points, byes = [0.0] * 7, [0] * 7
    met: Counter[tuple[int, int]] = Counter()
    for number, stage in enumerate(stages(store)):
        expected = swiss_round(points, met, byes, 2, seed=setup.seed, round=number)
        assert list(stage.line_ups) == expected.line_ups
        for bot in expected.byes:
            byes[bot] += 1
            points[bot] += 1
        for position, (one, other) in enumerate(stage.line_ups):
            lines = [line for line in store.matches() if line.deal == stage.first_deal + position]
            ahead = sum(
                (line.ranks[line.players.index(one)] < line.ranks[line.players.index(other)])
                - (line.ranks[line.players.index(one)] > line.ranks[line.players.index(other)])
                for line in lines
            )
            points[one] += 1 if ahead > 0 else 0.5 if ahead == 0 else 0
            points[other] += 1 if ahead < 0 else 0.5 if ahead == 0 else 0
            met[min(one, other), max(one, other)] += 1


def test_a_swiss_bye_is_given_to_each_bot_once() -> None:
    store = played(made_setup(5, format="swiss", rounds=5, deals=1))
    at_rest = [
        {*range(5)} - {bot for line_up in stage.line_ups for bot in line_up}
        for stage in stages(store)
    ]
    assert sorted(map(list, at_rest)) == [[0], [1], [2], [3], [4]]


def test_a_swiss_round_of_void_matches_does_not_stop_it() -> None:
    store = played(made_setup(6, format="swiss", rounds=3, deals=1), void)
    assert store.count() == (18, 18)


def test_who_is_put_out_of_a_swiss_tournament_has_lost_its_round_and_is_in_no_other() -> None:
    setup = made_setup(6, format="swiss", rounds=2, deals=1)
    store = played(
        setup,
        lambda plan: (
            unplayed_row(plan, {2}, WORKER_KILLED, "") if 2 in plan.players else row(plan, [1, 1])
        ),
    )
    first, second = stages(store)
    ((opponent,),) = ({*line_up} - {2} for line_up in first.line_ups if 2 in line_up)
    points = [1.0 if bot == opponent else 0.0 if bot == 2 else 0.5 for bot in range(6)]
    met = {(min(line_up), max(line_up)): 1 for line_up in first.line_ups}
    expected = swiss_round(points, met, [0] * 6, seed=setup.seed, round=1, out={2})
    assert list(second.line_ups) == expected.line_ups
    assert {bot for line_up in second.line_ups for bot in line_up} <= {0, 1, 3, 4, 5}


def store_with(*matches: int, bots: int = 2, **options: Any) -> Store:
    store = Store.in_memory()
    store.add_stage(made_setup(bots, **options))
    plans = {plan.match: plan for stage in stages(store) for plan in stage.missing([])}
    extra = replace(plans[0], match=max(plans) + 1)
    store.add([row(plans.get(match, extra)) for match in matches])
    return store


def test_a_match_after_the_last_of_the_schedule_is_damage() -> None:
    assert planned(store_with(0, 1, deals=1)) == 2
    with pytest.raises(UsageError, match="match 2: only 2 exist"):
        planned(store_with(0, 1, 2, deals=1))


def test_a_withdrawal_ends_only_a_tournament_of_bots_that_all_play() -> None:
    for bots, is_over in ((2, False), (3, True)):
        store = store_with(*range(2 * bots * (bots - 1) // 2), bots=bots, deals=1)
        assert is_finished(store)
        store.withdraw(0, 0)
        assert is_finished(store) == is_over


def test_a_round_is_over_although_a_bot_that_is_out_has_not_played_it() -> None:
    store = Store.in_memory()
    store.add_stage(made_setup(4, format="swiss", rounds=2, deals=1))
    first, *others = next(stages(store)).missing(set())
    killer = first.players[0]
    store.add([unplayed_row(first, {killer}, WORKER_KILLED, None)])
    store.add([row(plan) for plan in others if killer not in plan.players])
    assert rounds_of(store).first_matches == [0, 4]


def test_the_first_match_that_a_bot_has_not_played() -> None:
    whole = [plan for stage in stages(store_with(bots=3, deals=1)) for plan in stage.missing(set())]
    later = [plan.match for plan in whole[2:] if 0 in plan.players]
    assert first_missing(store_with(0, 1, bots=3, deals=1), 0) == later[0]
    assert first_missing(store_with(*range(len(whole)), bots=3, deals=1), 0) == len(whole)
    extended = store_with(0, 1, bots=3, deals=1)
    extended.add_stage(made_setup(3, deals=2))
    assert first_missing(extended, 0) == later[0]


def test_the_table_of_a_round_that_is_not_over_has_the_bots_of_an_extension() -> None:
    options: Any = {"format": "swiss", "deals": 1}
    store = store_with(0, bots=4, rounds=2, **options)
    store.add_stage(made_setup(5, rounds=3, **options))
    standing = swiss_standing(store, rounds_of(store))
    assert standing is not None
    assert [place.score for place in standing.places] == [0] * 5


def test_the_first_match_of_an_extension_is_not_one_of_the_stage_before() -> None:
    store = Store.in_memory()
    for deals in (1, 2):
        store.add_stage(made_setup(3, players=3, deals=deals))
        plans = [plan for stage in stages(store) for plan in stage.missing([*store.played()])]
        store.add([row(plan, [1, 2, 3]) for plan in plans])
    assert len(store.stages) == 2
    check_schedule(store)
