"""Bots that aren't ready in time are started again, alone, before it counts against them."""

from __future__ import annotations

from collections.abc import Callable, Generator
from concurrent.futures import BrokenExecutor, Future
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from referee.tournament.playing import dispatcher as dispatching
from referee.tournament.playing.dispatcher import (
    LEAVER,
    MAX_DEATHS,
    MAX_STALLS,
    START_PAUSES,
    Dispatcher,
)
from referee.tournament.playing.run import Run
from referee.tournament.playing.starting import broken_bots
from referee.tournament.rating.sprt import Sprt
from referee.tournament.rows import Entrant, MatchRow, Plan
from referee.tournament.schedule.format import TournamentSetup
from referee.tournament.setup import setup
from referee.tournament.stages import stages
from referee.tournament.store import Store
from referee.workers import worker_processes
from tests.support.live import hostile
from tests.support.made_up import (
    MadeUp,
    contents,
    dispatcher,
    left,
    made_setup,
    play,
    played,
    row,
)
from tests.tournament.playing.test_forfeits import by_hand

FORMATS = {
    "round robin of three": made_setup(5, players=3, deals=1),
    "gauntlet": made_setup(4, format="gauntlet", deals=1),
    "swiss": made_setup(5, format="swiss", rounds=3, deals=1),
    "knockout": made_setup(5, format="knockout", deals=2),
    "sprt": made_setup(2, format="sprt", deals=9, sprt=Sprt(0, 10)),
}


class Machine(MadeUp):
    """An executor in which some bots aren't ready in time.

    Args:
        bots: these bots.
        ready: number of the first start of each of them, alone, that is in time.
        always: they are also late in all matches after such a start.
        most: play at most this number of matches per batch.

    Attributes:
        starts: the bots that were started alone.
        before: the matches that were played before the first such start.
        late: the matches in which a bot wasn't ready in time.
    """

    def __init__(
        self, bots: set[int], ready: int, *, always: bool = False, most: int = 1_000
    ) -> None:
        super().__init__(most=most)
        self._bots = bots
        self._ready = ready
        self._always = always
        self._in_play: list[Future[Any]] = []
        self.starts: list[int] = []
        self.on_start: Callable[[], object] = lambda: None
        self.before: list[int] = []
        self.late: list[int] = []

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        # Batches end when the next one is given out, as they do in other processes.
        (batch,) = args
        is_start = any(LEAVER in plan.players for plan in batch.plans)
        assert not is_start or all(future.done() for future in self._in_play)
        future = super().submit(fn, *args, **kwargs)
        self._in_play.append(future)
        return future

    def _play(self, batch: Any) -> list[MatchRow]:
        plans = batch.plans[: self._most]
        self.played += [plan.match for plan in plans if LEAVER not in plan.players]
        return [self._one(plan) for plan in plans]

    def _one(self, plan: Plan) -> MatchRow:
        if LEAVER in plan.players:
            bot = plan.players[0]
            self.on_start()
            self.before = self.before or [*self.played]
            self.starts.append(bot)
            late = {bot} if self.starts.count(bot) < self._ready else set()
        else:
            late = {
                bot
                for bot in self._bots.intersection(plan.players)
                if self._always or self.starts.count(bot) < self._ready
            }
            if late:
                self.late.append(plan.match)
        return with_late(plan, late)


def with_late(plan: Plan, late: set[int]) -> MatchRow:
    if not late:
        return row(plan)
    ranks = [2 if bot in late else 1 for bot in plan.players]
    return row(
        plan, ranks, left=[left("startup-timeout") if bot in late else None for bot in plan.players]
    )


def run(wanted: TournamentSetup, machine: Machine, jobs: int = 2) -> Store:
    store = Store.in_memory()
    store.add_stage(wanted)
    with dispatcher(machine, jobs) as made:
        Run(store).play(made)
    return store


@pytest.fixture(autouse=True)
def slept(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Seconds that the dispatcher slept. It takes no time."""
    seconds: list[float] = []
    monkeypatch.setattr(dispatching, "time", SimpleNamespace(sleep=seconds.append))
    return seconds


@pytest.mark.parametrize(("ready", "jobs"), [(1, 3), (len(START_PAUSES), 1)])
@pytest.mark.parametrize("wanted", FORMATS.values(), ids=FORMATS)
def test_a_stall_changes_nothing(wanted: TournamentSetup, ready: int, jobs: int) -> None:
    everyone = {*range(len(wanted.bots))}
    machine = Machine(everyone, ready)
    assert contents(run(wanted, machine, jobs)) == contents(played(wanted))
    assert machine.starts


@pytest.mark.parametrize("wanted", FORMATS.values(), ids=FORMATS)
def test_a_bot_that_hangs_fails_as_if_it_had_not_been_started_again(
    wanted: TournamentSetup,
) -> None:
    machine = Machine({1}, ready=len(START_PAUSES) + 1)
    expected = by_hand(wanted, lambda plan: with_late(plan, {1}.intersection(plan.players)))
    assert contents(run(wanted, machine)) == contents(expected)
    assert machine.starts == [1] * len(START_PAUSES)


@pytest.mark.parametrize("hanging", [{1}, {0, 1}])
def test_a_match_of_two_late_bots_is_played_again_if_one_of_them_is_ready(
    hanging: set[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    def is_ready(bot: int) -> Generator[list[MatchRow], None, bool]:
        yield from ()
        return bot not in hanging

    plan = Plan(0, 0, 1, (0, 1))
    with dispatcher(Machine(set(), ready=0)) as made:
        monkeypatch.setattr(made, "_is_ready", is_ready)
        made._begin(made_setup(3))
        made._waiting, made._held = {0, 1}, [(plan, with_late(plan, {0, 1}))]
        over = [each.match for rows in made._start_again() for each in rows]
    assert (over, made._next) == (([0], []) if hanging == {0, 1} else ([], [plan]))


class Killing(Machine):
    """A machine whose worker dies in every match of bot 1."""

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        if not any(1 in plan.players for plan in args[0].plans):
            return super().submit(fn, *args)
        future: Future[Any] = Future()
        future.set_exception(BrokenExecutor())
        return future


@pytest.mark.parametrize("ready", [1, len(START_PAUSES) + 1])
def test_a_match_that_waits_for_a_bot_puts_its_opponent_out(ready: int) -> None:
    """It comes first in the schedule, so the later match that killed its worker doesn't count."""
    wanted = made_setup(5, deals=2, seed=7)
    stores = [run(wanted, Killing({0}, ready), jobs) for jobs in (1, 2, 5)]
    assert [contents(store) for store in stores] == [contents(stores[0])] * 3
    (void,) = [match for match in stores[0].matches() if match.void]
    assert {*void.players} == {0, 1}
    assert stores[0].bots_out() == {1}
    first = next(plan for plan in first_plans(wanted) if 1 in plan.players)
    assert void.match == first.match


def first_plans(wanted: TournamentSetup) -> list[Plan]:
    store = Store.in_memory()
    store.add_stage(wanted)
    return [*next(stages(store)).missing(set())]


def test_a_match_that_a_bot_has_lost_so_is_not_played_again() -> None:
    machine = Machine({0}, ready=9)
    run(made_setup(2, deals=3), machine)
    assert sorted(machine.played) == [*range(6)]


def test_a_bot_that_hangs_is_withdrawn_after_few_matches() -> None:
    """Each match takes the whole start-up limit, so batches come back in part."""
    machine = Machine({0}, ready=9, most=1)
    run(made_setup(3, deals=20, withdraw_after=9), machine)
    assert len(machine.late) <= 20


def test_only_the_late_bot_waits() -> None:
    machine = Machine({0}, ready=1)
    store = run(made_setup(3, deals=2), machine)
    without = {match.match for match in store.matches() if 0 not in match.players}
    assert len(without) == 4
    assert without <= {*machine.before}
    assert sorted(machine.played) == sorted([*range(12), *machine.late])
    assert machine.starts == [0]


def test_bots_that_are_late_again_and_again_have_no_advantage() -> None:
    machine = Machine({0}, ready=1, always=True)
    store = run(made_setup(2, deals=9), machine)
    assert machine.starts == [0] * MAX_STALLS == [0] * 5  # failing-bots.md
    assert all(match.seats[match.players.index(0)].disqualified for match in store.matches())


def test_the_pauses_grow_to_a_minute(slept: list[float]) -> None:
    machine = Machine({0}, ready=9)
    run(made_setup(2, deals=1), machine)
    assert START_PAUSES == (5, 20, 60)
    assert sum(slept) == pytest.approx(85)


def test_no_pause_is_left_when_all_are_ready(slept: list[float]) -> None:
    run(made_setup(2, deals=1), Machine({0, 1}, ready=1))
    assert sum(slept) == pytest.approx(5)


def test_so_many_matches_wait_at_most(monkeypatch: pytest.MonkeyPatch) -> None:
    """Beside the two that were in flight when the first one came back."""
    monkeypatch.setattr(dispatching, "MAX_HELD", 6)
    drawn: list[int] = []
    wanted = made_setup(2, deals=20)
    machine = Machine({0}, ready=1)

    def plans() -> Any:
        for match in range(40):
            drawn.append(match)
            if not machine.starts:
                assert len(drawn) <= 6 + 2
            yield Plan(match, match // 2, 1, (0, 1))

    with dispatcher(machine, 2) as made:
        rows = [row for each in made.play(wanted, plans()) for row in each]
    assert sorted(row.match for row in rows) == [*range(40)]


def test_a_tournament_that_is_stopped_leaves_the_matches_that_wait() -> None:
    store = Store.in_memory()
    store.add_stage(made_setup(2, deals=2))
    machine = Machine({0}, ready=9)
    with dispatcher(machine) as made:
        it = Run(store)
        it.look = lambda: made.stop() if machine.played else None
        it.play(made)
    assert (store.count()[0], machine.starts) == (0, [])
    assert sorted(play(store)) == [0, 1, 2, 3]


def test_a_run_that_is_stopped_in_a_pause_starts_nothing_more(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    machine = Machine({0, 1}, ready=9)
    with dispatcher(machine) as made:
        monkeypatch.setattr(dispatching, "time", SimpleNamespace(sleep=lambda _: made.stop()))
        assert [*made.play(made_setup(2), iter([Plan(0, 0, 1, (0, 1))]))][-1] == []
    assert machine.starts == []


def test_a_run_that_is_stopped_between_two_starts_leaves_the_second_out() -> None:
    machine = Machine({0, 1}, ready=9)
    with dispatcher(machine) as made:
        for _ in made.play(made_setup(2), iter([Plan(0, 0, 1, (0, 1))])):
            pass
        whole = [*machine.starts]
        machine.starts.clear()
        rows = made.play(made_setup(2), iter([Plan(0, 0, 1, (0, 1))]))
        machine.on_start = made.stop
        made._hanging.clear()
        assert sum(map(len, rows)) == 0
    assert (whole, machine.starts) == ([0, 1] * len(START_PAUSES), [0])


def test_a_bot_that_kills_its_worker_alone_is_left_to_its_matches() -> None:
    class Kills(Machine):
        def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
            future = super().submit(fn, *args, **kwargs)
            if any(LEAVER in plan.players for plan in args[0].plans):
                future = Future()
                future.set_exception(BrokenExecutor())
            return future

    wanted = made_setup(2, deals=2)
    machine = Kills({0}, ready=1)
    assert contents(run(wanted, machine)) == contents(played(wanted))
    assert machine.starts == [0] * MAX_DEATHS


class Check(Machine):
    """Starts bots in the check. `keeps` has for each start whether its process may be kept."""

    def __init__(self, late: Callable[[Check, int], bool]) -> None:
        super().__init__(set(), 1)
        self._is_late = late
        self.keeps: list[bool] = []

    def _play(self, batch: Any) -> list[MatchRow]:
        rows = []
        for plan in batch.plans:
            bot = plan.players[0]
            self.starts.append(bot)
            self.keeps.append(batch.keep_alive)
            rows.append(with_late(plan, {bot} if self._is_late(self, bot) else set()))
        return rows


def test_in_the_check_a_bot_that_hangs_alone_has_one_more_start(slept: list[float]) -> None:
    """Another bot starts in time, so it's not the machine. Somebody may wait for the answer."""
    machine = Check(lambda _, bot: bot == 1)
    with dispatcher(machine) as made:
        assert [*broken_bots(made, made_setup(3), range(3))] == [1]
        assert machine.starts == [0, 1, 2, 2, 1]
        assert machine.keeps == [True] * 3 + [False] * 2  # a process that waits shows nothing
        assert sum(slept) == pytest.approx(START_PAUSES[0])
        assert made._seconds is None  # starts say nothing about how long a match takes
        # In matches a bot has as many starts as usual, whoever starts in time.
        made._hanging.clear()
        assert [*made.play(made_setup(3), iter([Plan(0, 0, 1, (1, 0))]))]
        assert machine.starts[5:] == [1] * (1 + len(START_PAUSES))


@pytest.mark.parametrize("before", range(4))
def test_a_stall_of_a_minute_in_the_check_leaves_nobody_out(
    before: int, slept: list[float]
) -> None:
    """The machine hangs before this bot is started, until it's time for the third start."""
    machine = Check(lambda it, bot: len(it.starts) > before and sum(slept) < sum(START_PAUSES) - 1)
    with dispatcher(machine, 1) as made:
        assert broken_bots(made, made_setup(4), range(4)) == {}
    assert sum(slept) == pytest.approx(sum(START_PAUSES))


def test_a_machine_that_works_again_after_a_late_start_leaves_nobody_out() -> None:
    machine = Check(lambda it, bot: it.starts == [0, 1])
    with dispatcher(machine, 1) as made:
        assert broken_bots(made, made_setup(2), range(2)) == {}
    assert machine.starts == [0, 1, 0, 1, 1]


def test_bots_of_which_none_is_ready_have_all_starts() -> None:
    machine = Check(lambda _, bot: True)
    with dispatcher(machine) as made:
        assert [*broken_bots(made, made_setup(2), range(2))] == [0, 1]
    assert machine.starts == [0, 1] * (1 + len(START_PAUSES))


def test_a_bot_that_cannot_be_started_does_not_show_that_the_machine_works() -> None:
    class Broken(Check):
        def _play(self, batch: Any) -> list[MatchRow]:
            rows = super()._play(batch)
            for each in rows:
                if each.seats[0].bot == 0:
                    each.seats[0].disqualified = "failed-to-start"
            return rows

    machine = Broken(lambda _, bot: bot == 1)
    with dispatcher(machine) as made:
        assert [*broken_bots(made, made_setup(2), range(2))] == [0, 1]
    assert machine.starts == [0, *[1] * (1 + len(START_PAUSES))]


WAITS = """#!/bin/sh
while [ -e stall ]; do sleep 0.05; done
exec {bot}
"""


@pytest.mark.slow
def test_real_bots_that_wait_for_a_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The disk answers again in the pause before the second start."""
    monkeypatch.chdir(tmp_path)
    Path("bot").write_text(WAITS.format(bot=hostile("normal")))
    Path("bot").chmod(0o755)
    Path("stall").touch()
    disk = SimpleNamespace(sleep=lambda _: Path("stall").unlink(missing_ok=True))
    monkeypatch.setattr(dispatching, "time", disk)
    bots = [Entrant("a", "./bot"), Entrant("b", "./bot")]
    limits = {"startup_limit": 5, "max_turns": 2}
    wanted = setup(bots, game="dominion", seed=1, deals=1, settings=limits)
    store = Store.in_memory()
    store.add_stage(wanted)
    with Dispatcher(lambda: worker_processes(1), lambda: 1) as made:
        Run(store).play(made)
    assert [seat.disqualified for match in store.matches() for seat in match.seats] == [None] * 4


def test_a_start_has_no_opening() -> None:
    """With another seed an opening could end the game, and that would end the tournament."""
    openings = []

    class Seen(Machine):
        def _play(self, batch: Any) -> list[MatchRow]:
            is_start = any(LEAVER in plan.players for plan in batch.plans)
            openings.append((is_start, batch.spec.opening))
            return super()._play(batch)

    wanted = made_setup(3, deals=1, opening=2)
    run(wanted, Seen({1}, 1))
    assert set(openings) == {(False, 2), (True, 0)}
    openings.clear()
    with dispatcher(Seen(set(), 1)) as made:
        assert broken_bots(made, wanted, range(3)) == {}
    assert set(openings) == {(True, 0)}
