"""Test knockouts: bracket, byes, winners of pairs, and the match for third place."""

from __future__ import annotations

from itertools import combinations

import pytest

from referee.errors import UsageError
from referee.tournament.rows import LEFT_OUT, WORKER_KILLED, MatchRow, Plan, unplayed_row
from referee.tournament.schedule.format import Knockout, TournamentSetup
from referee.tournament.schedule.knockout import KnockoutTable, Pair, bracket
from referee.tournament.stages import (
    bots_with_matches_left,
    is_finished,
    planned,
    rounds_of,
    stages,
)
from referee.tournament.store import Store
from tests.support.made_up import contents, made_setup, play, played, row, void


def knockout(bots: int, deals: int = 1, **chosen: object) -> TournamentSetup:
    return made_setup(bots, format="knockout", deals=deals, knockout=Knockout(**chosen))


def better_wins(plan: Plan) -> MatchRow:
    """The bot with the lower number wins."""
    return row(plan, [1 if bot == min(plan.players) else 2 for bot in plan.players])


def level(plan: Plan) -> MatchRow:
    return row(plan, [1, 1], scores=[20, 20])


def rounds(store: Store) -> list[list[tuple[tuple[int | None, int | None], int | None]]]:
    """Return the pairs of each finished round, with their winners."""
    table: KnockoutTable = rounds_of(store).table
    return [[(pair.bots, pair.winner) for pair in each] for each in table.rounds]


@pytest.mark.parametrize("bots", [*range(2, 10), 16, 17, 33, 64, 65])
def test_the_best_seeds_meet_as_late_as_possible(bots: int) -> None:
    places = bracket(bots)
    assert sorted(places) == [*range(len(places))]
    assert len(places) // 2 < bots <= len(places)
    left = places
    while len(left) > 1:
        pairs = [left[first : first + 2] for first in range(0, len(left), 2)]
        assert all(sum(pair) == len(left) - 1 for pair in pairs)
        left = [min(pair) for pair in pairs]
        assert sorted(left) == [*range(len(left))]


def test_eleven_bots() -> None:
    store = played(knockout(11, deals=2), better_wins)
    first, quarter, semi, final = rounds(store)
    byes = {pair[0] for pair, _ in first if pair[1] is None}
    assert byes == {0, 1, 2, 3, 4}
    assert [pair for pair, _ in first if None not in pair] == [(7, 8), (6, 9), (5, 10)]
    assert [pair for pair, _ in quarter] == [(0, 7), (3, 4), (1, 6), (2, 5)]
    assert [pair for pair, _ in semi] == [(0, 3), (1, 2)]
    assert final == [((0, 1), 0)]
    assert store.count() == (planned(store), 0) == (10 * 2 * 2, 0)
    assert is_finished(store)


@pytest.mark.parametrize("bots", [2, 3, 4, 5, 8, 9, 17])
def test_all_bots_but_one_lose_once(bots: int) -> None:
    store = played(knockout(bots, deals=3))
    assert store.count() == (planned(store), 0)
    losers = [
        next(bot for bot in pair if bot != winner)
        for each in rounds(store)
        for pair, winner in each
        if None not in pair
    ]
    (champion,) = {*range(bots)}.difference(losers)
    assert len(losers) == len({*losers}) == bots - 1
    assert rounds(store)[-1][0][1] == champion


def test_the_losers_of_the_semi_finals_play_for_the_third_place() -> None:
    store = played(knockout(6, deals=2, third_place=True), better_wins)
    assert rounds(store)[-1] == [((0, 1), 0), ((2, 3), 2)]
    assert rounds_of(store).table.places() == {0: 1, 1: 2, 2: 3, 3: 4, 4: 5, 5: 5}
    assert store.count() == (planned(store), 0) == (6 * 2 * 2, 0)


def test_a_place_is_known_when_a_bot_has_no_match_left() -> None:
    store = Store.in_memory()
    store.add_stage(knockout(6, third_place=True))
    places, there = [], []
    for until in (2, 6, 10):
        play(store, better_wins, until=until, most=1, jobs=1)
        places.append(rounds_of(store).table.places())
        there.append(bots_with_matches_left(store, store.stages))
    assert places == [{}, {4: 5, 5: 5}, {4: 5, 5: 5}]
    assert there == [{0, 1, 2, 3, 4, 5}, {0, 1, 2, 3}, {0, 1, 2, 3}]
    play(store, better_wins)
    assert bots_with_matches_left(store, store.stages) == set()
    assert rounds_of(store).table.places() == {0: 1, 1: 2, 2: 3, 3: 4, 4: 5, 5: 5}


def test_seeding() -> None:
    seeding = (4, 3, 2, 1, 0)
    store = played(knockout(5, seeding=seeding), better_wins)
    first, semi, final = rounds(store)
    assert [pair for pair, _ in first] == [(4, None), (1, 0), (3, None), (2, None)]
    assert [pair for pair, _ in semi] == [(4, 0), (3, 2)]
    assert final == [((2, 0), 0)]  # the better seed comes first


@pytest.mark.parametrize(
    ("scores", "winner"),
    [
        ({0: 20, 1: 20}, 0),
        ({0: 20, 1: 21}, 1),
        ({0: 1.5, 1: 1}, 0),
        ({0: 0.3, 1: 0.1 + 0.2}, 0),  # a rounding error decides nothing
    ],
)
def test_equal_points_are_decided_by_the_game_and_then_by_the_seed(
    scores: dict[int, float], winner: int
) -> None:
    def drawn(plan: Plan) -> MatchRow:
        return row(plan, [1, 1], scores=[scores[bot] for bot in plan.players])

    table: KnockoutTable = rounds_of(played(knockout(2, deals=2), drawn)).table
    sums = (round(4 * scores[0], 6), round(4 * scores[1], 6))
    assert table.rounds == [[Pair("final", (0, 1), 2, (2, 2), sums, winner)]]


def test_points_count_more_than_the_points_of_the_game() -> None:
    def close(plan: Plan) -> MatchRow:
        if plan.match % 4 == 0:  # bot 0 wins once by 99 points, bot 1 three times
            return row(plan, [1, 2], scores=[99, 0])
        ranks = [1 if bot == 1 else 2 for bot in plan.players]
        return row(plan, ranks, scores=[3, 3])

    assert rounds(played(knockout(2, deals=2), close)) == [[((0, 1), 1)]]


def test_a_round_of_void_matches_is_decided_by_the_seeds() -> None:
    store = played(knockout(4, seeding=(3, 2, 1, 0)), void)
    assert rounds(store)[-1] == [((3, 2), 3)]


def test_an_excluded_bot_has_lost_and_its_next_opponents_have_byes() -> None:
    def killing(plan: Plan) -> MatchRow:
        """Bots 0 and 1 kill the worker in their semi-final."""
        if plan.players in ((0, 1), (1, 0)):
            return unplayed_row(plan, {0, 1}, WORKER_KILLED, "")
        return better_wins(plan)

    setup = made_setup(
        4, format="knockout", deals=1, knockout=Knockout((0, 2, 3, 1), third_place=True)
    )
    store = played(setup, killing)
    assert rounds(store) == [[((0, 1), None), ((2, 3), 2)], [((2, None), 2), ((3, None), 3)]]
    assert rounds_of(store).table.places() == {2: 1, 3: 3, 0: 4, 1: 4}
    assert is_finished(store)


def test_places_are_known_as_soon_as_a_bot_has_lost() -> None:
    setup, table = knockout(4), KnockoutTable()
    table.next_round(setup)
    table.add([], [])  # without matches, seeds decide
    for _ in range(2):
        assert table.places() == {2: 3, 3: 3}
        table.next_round(setup)
    table.add([], [], withdrawn=[0, 1])
    assert table.places() == {0: 2, 1: 2, 2: 3, 3: 3}


def test_a_bot_that_is_left_out_has_lost_its_round() -> None:
    store = Store.in_memory()
    store.add_stage(knockout(4))
    first = next(stages(store))
    store.add([unplayed_row(plan, {0}, LEFT_OUT, "it could not start") for plan in first.plans(0)])
    play(store, better_wins)
    assert rounds(store) == [[((0, 3), 3), ((1, 2), 1)], [((1, 3), 1)]]


def test_of_two_bots_that_are_left_out_none_goes_on() -> None:
    store = Store.in_memory()
    store.add_stage(knockout(4))
    first = next(stages(store))
    gone = [plan for deal in (0, 1) for plan in first.plans(deal) if 0 in plan.players]
    store.add([unplayed_row(plan, {0, 3}, LEFT_OUT, "it could not start") for plan in gone])
    play(store, better_wins)
    assert rounds(store) == [[((0, 3), None), ((1, 2), 1)], [((1, None), 1)]]
    assert rounds_of(store).table.places() == {1: 1, 0: 3, 2: 3, 3: 3}


def test_the_round_that_is_being_played_is_known() -> None:
    store = Store.in_memory()
    store.add_stage(knockout(4, deals=2))
    play(store, better_wins, until=9, most=1)
    table: KnockoutTable = rounds_of(store).table
    assert len(table.rounds) == 1
    assert [pair.bots for pair in table.playing] == [(0, 1)]


def test_only_bots_that_have_not_lost_have_matches_left() -> None:
    setup = knockout(6, deals=1)
    store = Store.in_memory()
    store.add_stage(setup)
    assert bots_with_matches_left(store, [setup]) == {*range(6)}
    play(store, better_wins, until=5, most=1, jobs=1)
    assert bots_with_matches_left(store, [setup]) == {0, 1, 2, 3}
    play(store, better_wins)
    assert bots_with_matches_left(store, [setup]) == set()


def test_the_deals_of_a_pair_follow_each_other() -> None:
    store = played(knockout(8, deals=3))
    deals = {line.deal: tuple(sorted(line.players)) for line in store.matches()}
    met = list(deals.values())
    assert all(met.count(pair) in (0, 3) for pair in combinations(range(8), 2))
    assert met == [pair for pair in dict.fromkeys(met) for _ in range(3)]


@pytest.mark.parametrize("until", [1, 8, 31])
@pytest.mark.parametrize("jobs", [1, 5])
def test_a_run_that_is_cut_off_goes_on_to_the_same_store(until: int, jobs: int) -> None:
    setup = knockout(9, deals=2, third_place=True)
    whole = played(setup)
    store = Store.in_memory()
    store.add_stage(setup)
    play(store, until=until, most=2, jobs=jobs)
    play(store, most=3, jobs=jobs)
    assert contents(store) == contents(whole)
    assert rounds(store) == rounds(whole)


@pytest.mark.parametrize(
    ("bots", "options", "says"),
    [
        (3, {"players": 3}, "--pairing knockout plays matches of two"),
        (4, {"matches": 9}, "--matches cannot be combined with --pairing knockout; give --deals"),
        (3, {"knockout": Knockout(third_place=True)}, "--third-place needs 4 bots"),
        (3, {"knockout": Knockout((0, 1))}, "must have each bot once"),
        (3, {"knockout": Knockout((0, 1, 1))}, "must have each bot once"),
    ],
)
def test_wrong_settings(bots: int, options: dict[str, object], says: str) -> None:
    with pytest.raises(UsageError) as caught:
        made_setup(bots, format="knockout", **options)
    assert says in str(caught.value)


def test_other_formats_take_no_settings_of_a_knockout() -> None:
    with pytest.raises(UsageError, match="--seeding and --third-place can only be used with"):
        made_setup(4, knockout=Knockout())
