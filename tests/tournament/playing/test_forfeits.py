"""A tournament must have the same forfeits, no matter in which order it's played."""

from __future__ import annotations

from concurrent.futures import Future
from contextlib import suppress
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest

from referee.tournament.playing.forfeits import Forfeits, Settled
from referee.tournament.playing.live import live_path
from referee.tournament.playing.run import Run
from referee.tournament.rating.sprt import Sprt
from referee.tournament.rows import (
    LEFT_OUT,
    WORKER_KILLED,
    MatchRow,
    Plan,
    forfeit_row,
    unplayed_row,
)
from referee.tournament.schedule.format import Knockout, TournamentSetup
from referee.tournament.schedule.withdrawals import Withdrawal, Withdrawals
from referee.tournament.setup import check_extension
from referee.tournament.stages import is_finished, planned, stages
from referee.tournament.store import Store
from tests.support.helpers import TIMES
from tests.support.made_up import (
    MadeUp,
    Result,
    StopError,
    contents,
    dispatcher,
    left,
    made_setup,
    play,
    played,
    row,
    void,
)

made = partial(made_setup, withdraw_after=3)

SETUPS = {
    "round robin": made(5, deals=2),
    "by matches": made(5, matches=31),
    "three players": made(5, players=3, deals=3),
    "four players, all seats": made(5, players=4, deals=1, seats="all"),
    "gauntlet": made(5, format="gauntlet", challengers=2, deals=3),
    "challenger": made(5, format="gauntlet", deals=4),
    "swiss": made(7, format="swiss", rounds=4, deals=2),
    "knockout": made(6, format="knockout", deals=4, knockout=Knockout(third_place=True)),
    "swiss of three": made(7, format="swiss", players=3, rounds=4, deals=2),
    "two": made(2, deals=12),
    "sprt": made(2, format="sprt", deals=20, sprt=Sprt(0, 10)),
}


def failing(seed: int) -> Result:
    """Make up results in which some bots fail often, and a tenth of the matches are void."""

    def result(plan: Plan) -> MatchRow:
        chance = Random(f"{seed} {plan.seed} {plan.match}")
        if chance.random() < 0.1:
            return void(plan)
        fails = [chance.random() < (0.9, 0.05, 0.6, 0.3)[(bot + seed) % 4] for bot in plan.players]
        code = chance.choice(["timeout", "exited", "exited"])
        own = [1 + len(plan.players) // 2 if fail else 1 for fail in fails]
        reasons = [left(code) if fail else None for fail in fails]
        return row(plan, own if any(fails) else None, left=reasons)

    return result


def by_hand(setup: TournamentSetup, result: Result) -> Store:
    """Play a tournament match by match in the schedule's order, as the rule is defined."""
    store = Store.in_memory()
    store.add_stage(setup)
    withdrawals = Withdrawals(setup.withdraw_after)
    for stage in stages(store):
        for match in range(stage.first_match, stage.end):
            plan = stage.plan(match)
            gone = withdrawals.of(plan.players)
            found = forfeit_row(plan, gone) if gone else result(plan)
            if gone and len(setup.bots) == setup.players:
                return store
            if not found.void:
                withdrawals.take(match, {seat.bot: seat.disqualified for seat in found.seats})
            store.add([found])
            store.settle([], [], withdrawals.found)
    return store


class Shuffled(MadeUp):
    """An executor whose batches end in random order. Each call of `look` finishes another one."""

    def __init__(self, result: Result, seed: int, ahead: int) -> None:
        super().__init__(result, most=1 + seed % 3)
        self._chance = Random(seed)
        self._ahead = ahead
        self._open: list[tuple[Future[Any], Any]] = []

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        self._open.append((Future(), args[0]))
        future = self._open[-1][0]
        if len(self._open) >= self._ahead:
            self.look()
        return future

    def look(self) -> None:
        if self._open:
            future, batch = self._open.pop(self._chance.randrange(len(self._open)))
            future.set_result(self._play(batch))


def play_shuffled(store: Store, result: Result, seed: int, until: int | None = None) -> Run:
    """Play a tournament in an order that depends on `seed`. Stop after `until` matches."""
    jobs = 1 + seed % 5
    executor = Shuffled(result, seed, 2 * jobs)
    run = Run(store)

    def look() -> None:
        executor.look()
        if until is not None and run.played >= until:
            raise StopError

    run.look = look
    with dispatcher(executor, jobs) as made, suppress(StopError):
        run.play(made)
    return run


@pytest.fixture(autouse=True)
def _no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("referee.tournament.playing.dispatcher.LOOK_SECONDS", 0)


def whole(store: Store) -> tuple[Any, ...]:
    """Return everything that must be equal in two stores of a tournament."""
    return contents(store), store.withdrawn


@pytest.mark.parametrize("setup", SETUPS.values(), ids=SETUPS)
@pytest.mark.parametrize("seed", range(TIMES))
def test_the_order_in_which_matches_end_changes_nothing(setup: TournamentSetup, seed: int) -> None:
    result = failing(seed)
    store = Store.in_memory()
    store.add_stage(setup)
    run = play_shuffled(store, result, 4 + seed)
    assert whole(store) == whole(by_hand(setup, result))
    assert run.done == store.count()[0]
    assert is_finished(store)


@pytest.mark.parametrize("setup", SETUPS.values(), ids=SETUPS)
@pytest.mark.parametrize("seed", range(TIMES))
def test_a_run_that_is_killed_five_times_goes_on_to_the_same_store(
    setup: TournamentSetup, seed: int
) -> None:
    result = failing(seed)
    store = Store.in_memory()
    store.add_stage(setup)
    chance = Random(seed)
    for _ in range(5):
        play_shuffled(store, result, chance.randrange(9), until=chance.randrange(1, 9))
    run = play_shuffled(store, result, seed)
    assert whole(store) == whole(by_hand(setup, result))
    assert play_shuffled(store, result, seed).played == 0
    assert run.done == store.count()[0]


def test_these_tournaments_have_withdrawals() -> None:
    for setup in SETUPS.values():
        assert any(by_hand(setup, failing(seed)).withdrawn for seed in range(3))


@pytest.mark.parametrize("name", ["round robin", "swiss"])
def test_without_the_rule_nobody_is_withdrawn(name: str) -> None:
    setup = SETUPS[name]
    never = msgspec.structs.replace(setup, withdraw_after=None)
    store = played(never, failing(0))
    assert store.withdrawn == {}
    assert store.count()[0] > by_hand(setup, failing(0)).count()[0] - 1
    assert not any(match.reason == "forfeit" for match in store.matches())


@pytest.mark.parametrize("name", ["round robin", "three players"])
@pytest.mark.parametrize("seed", range(TIMES))
def test_a_bot_that_was_left_out_plays_its_matches_as_if_it_had_never_been(
    name: str, seed: int
) -> None:
    """When a bot comes back, its results may break another bot's row of failures.

    The matches that were forfeits because of that row must be played then.
    """
    setup, result = SETUPS[name], failing(seed)
    expected = whole(by_hand(setup, result))
    for order in range(2):
        store = Store.in_memory()
        store.add_stage(setup)
        for out in ({"bot1": "broken"}, {"bot3": "broken", "bot4": "broken"}, {}):
            store.leave_out(out)
            play_shuffled(store, result, order, until=9 if order % 2 else None)
        play_shuffled(store, result, order)
        assert whole(store) == expected


def test_forfeits_are_played_after_all_if_the_row_is_broken() -> None:
    """Bot 0 only fails against bots 2 and 3, which makes a row while bot 1 is left out."""

    def result(plan: Plan) -> MatchRow:
        fails = 0 in plan.players and 1 not in plan.players
        return row(plan, left=[left() if fails and bot == 0 else None for bot in plan.players])

    setup = made(4, deals=6, withdraw_after=5)
    store = Store.in_memory()
    store.add_stage(setup)
    store.leave_out({"bot1": "it could not start"})
    play(store, result)
    assert store.withdrawn.keys() == {0}
    assert any(match.reason == "forfeit" for match in store.matches())
    store.leave_out({})
    play(store, result)
    assert store.withdrawn == {}
    assert store.count() == (planned(store), 0)
    assert whole(store) == whole(by_hand(setup, result))


def test_a_bot_that_is_left_out_has_no_forfeits_until_it_is_back() -> None:
    store = Store.in_memory()
    store.add_stage(made(4, deals=4))
    store.leave_out({"bot3": "it could not start"})
    play(store, always(0))
    assert store.withdrawn.keys() == {0}
    assert not any(3 in match.players for match in store.matches())
    assert not is_finished(store)


@pytest.mark.parametrize("reason", [LEFT_OUT, WORKER_KILLED])
def test_a_match_that_says_why_a_bot_does_not_play_never_becomes_a_forfeit(reason: str) -> None:
    store = Store.in_memory()
    store.add_stage(made(3, deals=2, withdraw_after=1))
    stage = next(stages(store))
    first, second, third, fourth = [*stage.plans(0), *stage.plans(1)]
    gone, other = first.players
    store.add(
        [
            row(first, left=[left(), None]),
            unplayed_row(second, {other}, reason, ""),
            row(third),
            row(fourth),
        ]
    )
    forfeits = Forfeits(store)
    settled = forfeits.settle(stage, set(), 4)
    assert forfeits.found.keys() == {gone}
    assert forfeits.next == 4
    assert second.match not in settled.replaced
    assert settled.replaced == [plan.match for plan in (third, fourth) if gone in plan.players]


def test_a_forfeit_of_a_bot_that_is_back_is_played_unless_the_other_is_out() -> None:
    store = Store.in_memory()
    store.add_stage(made(3, deals=2, withdraw_after=2))
    stage = next(stages(store))
    first, second = stage.plans(0)
    back, other = first.players
    store.add([forfeit_row(first, {back}), row(second)])
    for out, decided in ((set(), 0), ({other}, 2)):
        forfeits = Forfeits(store)
        assert forfeits.settle(stage, out, 2).dropped == [0]
        assert forfeits.next == decided


def test_withdrawals_of_later_matches_stand_until_they_are_decided_again() -> None:
    store = Store.in_memory()
    store.add_stage(made(3, deals=2, withdraw_after=2))
    stage = next(stages(store))
    plans = [*stage.plans(0), *stage.plans(1)]
    store.add([row(plan) for plan in plans])
    for match, stands in ((1, False), (2, True), (3, True)):
        store.settle([], [], {0: Withdrawal(match, "timeout")})
        forfeits = Forfeits(store)
        assert forfeits.withdrawn.keys() == {0}
        forfeits.settle(stage, set(), 2)
        assert forfeits.next == 2
        assert forfeits.withdrawn == ({0: Withdrawal(match, "timeout")} if stands else {})
    # An earlier withdrawal counts, e.g. of a bot that was left out for a while.
    forfeits._withdrawals.found[0] = Withdrawal(1, "timeout")
    assert forfeits.withdrawn == {0: Withdrawal(1, "timeout")}


def test_many_forfeits_are_stored_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("referee.tournament.playing.forfeits._MAX_FORFEITS", 3)
    store = Store.in_memory()
    store.add_stage(made(3, deals=9))
    store.withdraw(0, -1)
    store.withdraw(1, -1)
    forfeits, stage = Forfeits(store), next(stages(store))
    assert [len(forfeits.settle(stage, set(), 8).forfeits) for _ in range(4)] == [3, 3, 2, 0]


@pytest.mark.parametrize("bots", [2, 3])
def test_a_bot_that_is_withdrawn_before_the_first_match_plays_none(bots: int) -> None:
    """Two bots play no match at all then, and that has no forfeits."""
    store = Store.in_memory()
    store.add_stage(made(bots, deals=2))
    store.withdraw(1, -1)
    assert len(play(store)) == (4 if bots == 3 else 0)
    assert store.count() == ((12, 8) if bots == 3 else (0, 0))
    assert is_finished(store)


def test_a_match_that_became_a_forfeit_while_it_was_played_is_not_stored(tmp_path: Path) -> None:
    """Its file for viewers goes too."""
    store = Store.in_memory()
    store.add_stage(made(3, deals=2))
    run = Run(store, live=tmp_path)
    assert run._forfeits is not None
    run._forfeits.next = 1
    plans = next(stages(store)).plans(0)
    for plan in plans:
        live_path(tmp_path, plan.match).touch()
    run._add([row(plan) for plan in plans])
    assert ([*store.played()], [*tmp_path.iterdir()]) == ([1], [])


def always(*bots: int) -> Result:
    """Make up results in which these bots are disqualified in every match."""
    return lambda plan: row(plan, left=[left() if bot in bots else None for bot in plan.players])


def test_what_a_forfeit_is() -> None:
    store = played(made(3, deals=4), always(1))
    (withdrawal,) = store.withdrawn.values()
    assert withdrawal.code == "timeout"
    own = [match for match in store.matches() if 1 in match.players]
    assert [match.match for match in own].index(withdrawal.match) == 2
    assert [match.reason == "forfeit" for match in own] == [False] * 3 + [True] * 13
    for match in own[3:]:
        assert match.void
        assert (match.turns, match.digest, match.seconds) == (0, "", 0)
        seats = {seat.bot: (seat.rank, seat.disqualified) for seat in match.seats}
        assert seats.pop(1) == (2, "withdrawn")
        assert set(seats.values()) == {(1, None)}


def test_a_match_beyond_the_withdrawal_becomes_a_forfeit_and_loses_its_record(
    tmp_path: Path,
) -> None:
    def result(plan: Plan) -> MatchRow:
        return msgspec.structs.replace(always(1)(plan), record=b"{}\n", stderr=[b"", b"oh"])

    store = Store.in_memory()
    store.add_stage(made(3, deals=9))
    executor = MadeUp(result)
    with dispatcher(executor, jobs=9, keep="all") as made_up:
        run = Run(store, records=tmp_path)
        run.play(made_up)
    counting = {f"{match.match:06}" for match in store.matches() if not match.void}
    assert len(executor.played) > len(counting)
    assert {path.name[:6] for path in tmp_path.iterdir()} == counting


def test_few_matches_of_a_withdrawn_bot_are_played() -> None:
    store = Store.in_memory()
    store.add_stage(made(7, deals=3))
    matches = play(store, always(4), most=1)
    own = [match for match in store.matches() if 4 in match.players]
    assert len(own) == 6 * 6
    # Bot 4 may also play matches that were dispatched earlier: two jobs, two batches of two each.
    assert len({match.match for match in own} & {*matches}) <= 3 + 8
    assert is_finished(store)
    assert store.count() == (planned(store), 6 * 6 - 3)


def test_who_is_withdrawn_is_said_once() -> None:
    store = Store.in_memory()
    store.add_stage(made(5, deals=4))
    said: list[int] = []
    for until in (30, 50, None):
        run = Run(store)
        run.on_withdrawn = said.extend

        def look(run: Run = run, until: int | None = until) -> None:
            if until is not None and run.done >= until:
                raise StopError

        run.look = look
        with dispatcher(MadeUp(always(0, 2), most=1)) as made_up, suppress(StopError):
            run.play(made_up)
    assert sorted(said) == [0, 2]


def test_matches_that_become_forfeits_or_stop_being_one_are_told_too() -> None:
    store = Store.in_memory()
    store.add_stage(made(3, deals=2, withdraw_after=1))
    run, told = Run(store), list[Any]()
    run.on_withdrawn = told.append
    forfeits = Forfeits(store)
    plan = next(stages(store)).plans(0)[0]
    gone = forfeit_row(plan, {plan.players[0]})
    for settled in (
        Settled([], [], []),
        Settled([gone], [], []),  # a match that was not played
        Settled([gone], [0], []),
        Settled([], [], [0]),
    ):
        run._store_settled(forfeits, settled)
    assert told == [{}, {}]
    assert run.done == 1 + 0 - 1


# --- two bots -------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["two", "sprt"])
def test_a_test_of_two_bots_ends_with_the_match_that_withdraws_one(name: str) -> None:
    store = played(SETUPS[name], always(1), jobs=7, most=2)
    assert store.count() == (3, 0)
    assert store.withdrawn == {1: Withdrawal(2, "timeout")}
    assert is_finished(store)
    assert play(store, always(1)) == []


@pytest.mark.parametrize("name", ["two", "sprt", "verdict"])
def test_a_run_that_is_killed_before_it_drops_the_last_matches_is_not_finished(name: str) -> None:
    setup, result = SETUPS.get(name, SETUPS["sprt"]), always(1)
    if name == "verdict":
        setup = made(2, format="sprt", deals=500, sprt=Sprt(0, 150))
        result = wins_all
    store = played(setup, result)
    expected = whole(store)
    last = store.count()[0] + 1
    store.add([result(next(stages(store)).plan(last))])
    assert not is_finished(store)
    assert play(store, result) == []
    assert whole(store) == expected
    assert is_finished(store)


def wins_all(plan: Plan) -> MatchRow:
    return row(plan, [1, 2] if plan.players[0] == 0 else [2, 1])


def wins_all_and_fails(plan: Plan, first: int) -> MatchRow:
    """The first bot wins, and the other one fails from match `first` on."""
    fails = [left() if plan.match >= first and bot else None for bot in plan.players]
    return row(plan, [1, 2] if plan.players[0] == 0 else [2, 1], left=fails)


def test_a_verdict_before_the_withdrawal_stands() -> None:
    """The first bot wins everything, and the other one starts to fail close to the verdict."""
    result = wins_all_and_fails
    setup = made(2, format="sprt", deals=500, sprt=Sprt(0, 150))
    never = msgspec.structs.replace(setup, withdraw_after=None)
    decided, _ = played(never, partial(result, first=1_000)).count()
    for first, ends, withdrawn in (
        (decided - 2, decided, False),
        (decided - 3, decided, True),  # both in the same match, so there's no verdict
        (decided - 4, decided - 1, True),
    ):
        for order in (0, 3):
            store = Store.in_memory()
            store.add_stage(setup)
            play_shuffled(store, partial(result, first=first), order, until=2 * order + 1)
            play_shuffled(store, partial(result, first=first), order)
            assert (store.count()[0], bool(store.withdrawn)) == (ends, withdrawn)


def test_a_withdrawal_before_the_verdict_stands_even_after_a_kill() -> None:
    """The run of an extension was killed when it had stored the matches, and nothing else."""
    result, setup = partial(wins_all_and_fails, first=4), made(2, format="sprt", sprt=Sprt(0, 150))
    store = played(msgspec.structs.replace(setup, deals=2), result)
    store.add_stage(msgspec.structs.replace(setup, deals=500))
    *_, stage = stages(store)
    store.add([result(stage.plan(match)) for match in range(4, 40)])
    play(store, result)
    assert store.count() == (7, 0)
    assert store.withdrawn == {1: Withdrawal(6, "timeout")}


def test_more_bots_continue_a_test_that_has_ended() -> None:
    small, large = made(2, deals=5), made(3, deals=5)
    check_extension(small, large)
    store = played(small, always(1))
    store.add_stage(large)
    play(store, always(1))
    assert store.count() == (planned(store), 7 + 10)
    assert is_finished(store)


# --- swiss ----------------------------------------------------------------------------------------


def test_a_bot_that_is_withdrawn_is_in_no_later_round() -> None:
    store = played(made(8, format="swiss", rounds=4, deals=2), always(0))
    (withdrawal,) = store.withdrawn.values()
    for number, stage in enumerate(stages(store)):
        seated = {bot for line_up in stage.line_ups for bot in line_up}
        assert (0 in seated) == (number == 0)
        assert withdrawal.match < stage.end
    first = [match for match in store.matches(0, 16) if 0 in match.players]
    assert [match.reason for match in first] == ["provinces-empty"] * 3 + ["forfeit"]
    assert is_finished(store)


def test_a_forfeit_gives_points_in_the_table_of_a_swiss_tournament() -> None:
    """Bot 0 has no points. Its opponent wins the round, although one match wasn't played."""
    from referee.tournament.stages import rounds_of

    def result(plan: Plan) -> MatchRow:
        return row(plan, [1, 1], left=[left() if bot == 0 else None for bot in plan.players])

    store = played(made(4, format="swiss", rounds=1, deals=2), result)
    table = rounds_of(store).table
    assert sorted(table.points) == [0.0, 0.5, 0.5, 1.0]
    assert table.points[0] == 0.0
