"""A run plays all missing matches, no matter where the last one stopped."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import Executor, Future
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any, get_args

import pytest

from referee.errors import GameError, InternalError, ShortageError, UsageError
from referee.logs.source import LogReader
from referee.tournament.choices import FORMATS, Pairing
from referee.tournament.playing.batch import BATCH_SECONDS, Failed
from referee.tournament.playing.dispatcher import MAX_DEATHS, MAX_OTHERS, Dispatcher
from referee.tournament.playing.run import MOST_FAILED, Run
from referee.tournament.rating.sprt import Sprt
from referee.tournament.rows import MatchRow, Plan, void_row
from referee.tournament.schedule.format import Knockout, TournamentSetup
from referee.tournament.stages import Stage, is_finished, stages
from referee.tournament.store import Store
from tests.support.made_up import (
    MadeUp,
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

SETUPS = {
    "round robin": made_setup(5, deals=3),
    "by matches": made_setup(5, matches=33),
    "three players": made_setup(6, players=3, deals=2),
    "four players, all seats": made_setup(5, players=4, deals=1, seats="all"),
    "list of deals": made_setup(4, format="swiss", rounds=2, deal_seeds=(5, 3, 9)),
    "fixed seats": made_setup(5, deals=3, seats="fixed"),
    "gauntlet": made_setup(6, format="gauntlet", challengers=2, deals=2),
    "swiss": made_setup(7, format="swiss", rounds=3, deals=1),
    "swiss of three": made_setup(7, format="swiss", players=3, rounds=3, deals=1),
    "knockout": made_setup(6, format="knockout", deals=2, knockout=Knockout(third_place=True)),
    "sprt": made_setup(2, format="sprt", deals=40, sprt=Sprt(0, 100)),
}


def test_there_is_a_setup_of_each_format() -> None:
    assert {setup.format for setup in SETUPS.values()} == {*FORMATS} == {*get_args(Pairing)}


@pytest.mark.parametrize("setup", SETUPS.values(), ids=SETUPS)
def test_a_run_that_is_cut_off_goes_on_to_the_same_store(setup: TournamentSetup) -> None:
    whole = contents(played(setup))
    total = len(whole["matches"])
    assert total > 10
    for until in (1, total // 2, total - 1):
        store = Store.in_memory()
        store.add_stage(setup)
        before = play(store, until=until, most=3)
        after = play(store)
        assert contents(store) == whole
        if setup.sprt is None:
            # Only matches that were dispatched but had no result may be played twice.
            assert len(before) + len(after) <= total + 12
            assert sorted({*before, *after}) == [*range(total)]


@pytest.mark.parametrize("setup", SETUPS.values(), ids=SETUPS)
def test_the_number_of_jobs_changes_nothing(setup: TournamentSetup) -> None:
    assert contents(played(setup, jobs=7, most=2)) == contents(played(setup, jobs=1))


@pytest.mark.parametrize("name", ["round robin", "swiss", "knockout", "sprt"])
def test_what_is_whole_is_not_played_again(name: str) -> None:
    store = played(SETUPS[name])
    assert play(store) == []


def test_the_total_and_what_is_done() -> None:
    setup = SETUPS["round robin"]
    store = Store.in_memory()
    store.add_stage(setup)
    play(store, until=7, most=1)
    (there, _) = store.count()
    run = Run(store)
    seen: list[int] = []
    run.on_rows = lambda rows: seen.extend(row.match for row in rows)
    with dispatcher(MadeUp()) as made:
        run.play(made)
    assert run.total == run.done == 60
    assert run.played == len(seen) == 60 - there


def test_void_matches_are_not_played_again() -> None:
    """They have already been tried four times (spec/store.md, 2.3)."""
    store = played(
        SETUPS["round robin"], lambda plan: void(plan) if plan.match % 9 == 0 else row(plan)
    )
    assert store.count() == (60, 7)
    assert play(store) == []


# --- a sequential test ----------------------------------------------------------------------------


def first_wins(plan: Plan) -> MatchRow:
    return row(plan, [1, 2] if plan.players[0] == 0 else [2, 1])


def test_sprt_stops_when_it_knows() -> None:
    setup = SETUPS["sprt"]
    store = played(setup, first_wins, jobs=5)
    matches, _ = store.count()
    assert matches < 60
    # The last deal decided the test, and there's no gap before it.
    assert [line.match for line in store.matches()] == [*range(matches)]
    run = Run(store)
    assert run.test is not None
    lines = list(store.matches())
    run.test.add(lines[:-2])
    assert run.test.verdict is None
    run.test.add(lines[-2:])
    assert run.test.verdict is not None
    assert run.test.verdict == "H1"


def test_sprt_drops_what_was_played_beyond_even_after_a_kill(tmp_path: Path) -> None:
    setup = SETUPS["sprt"]
    whole = contents(played(setup, first_wins))
    store = played(setup, first_wins)
    matches, _ = store.count()
    # If a run is killed at this moment, the store still has matches after the deciding deal.
    beyond = [Plan(matches + n, (matches + n) // 2, 9, [(0, 1), (1, 0)][n % 2]) for n in range(6)]
    store.add([first_wins(plan) for plan in beyond])
    for match in range(matches + 6):
        (tmp_path / f"{match:06}.record.jsonl.zst").touch()
    with dispatcher(MadeUp(first_wins)) as made:
        run = Run(store, records=tmp_path)
        run.play(made)
    assert run.played == 0
    assert contents(store) == whole
    assert {path.name[:6] for path in tmp_path.iterdir()} == {f"{m:06}" for m in range(matches)}


def test_no_bot_is_withdrawn_by_matches_after_the_deciding_deal() -> None:
    setup = made_setup(2, format="sprt", deals=40, sprt=Sprt(0, 100), withdraw_after=3)
    whole = contents(played(setup, first_wins))
    store = played(setup, first_wins)
    matches, _ = store.count()
    beyond = [Plan(matches + n, (matches + n) // 2, 9, [(0, 1), (1, 0)][n % 2]) for n in range(4)]
    store.add([row(p, left=[left() if bot else None for bot in p.players]) for p in beyond])
    assert play(store) == []
    assert contents(store) == whole


def test_sprt_does_not_count_a_deal_with_a_void_match() -> None:
    def result(plan: Plan) -> MatchRow:
        return void(plan) if plan.match == 4 else first_wins(plan)

    with_void = played(SETUPS["sprt"], result).count()
    without = played(SETUPS["sprt"], first_wins).count()
    assert with_void == (without[0] + 2, 1)


def test_sprt_ends_undecided_at_its_last_deal() -> None:
    setup = made_setup(2, format="sprt", deals=20, sprt=Sprt(0, 1))
    assert played(setup).count() == (40, 0)


# --- workers --------------------------------------------------------------------------------------


class Dying(MadeUp):
    """An executor whose workers die at these calls of `submit`, numbered from 1."""

    def __init__(self, at: set[int]) -> None:
        super().__init__()
        self.at = at
        self.submitted = 0

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        self.submitted += 1
        if self.submitted not in self.at:
            return super().submit(fn, *args)
        future: Future[Any] = Future()
        future.set_exception(BrokenProcessPool("a worker was killed"))
        return future


def run_with(executor: Executor) -> tuple[Store, int]:
    """Play a tournament. Return its store, and how often its workers were started."""
    store = Store.in_memory()
    store.add_stage(SETUPS["round robin"])
    started = itertools.count()

    @contextmanager
    def context() -> Any:
        next(started)
        yield executor

    with Dispatcher(context, lambda: 2) as made:
        Run(store).play(made)
    return store, next(started)


def test_workers_that_die_cost_only_time() -> None:
    store, started = run_with(Dying({1, 9}))
    assert contents(store) == contents(played(SETUPS["round robin"]))
    assert started > 2


class DyingAt(MadeUp):
    """An executor whose worker dies the first `times` times that match 0 is in a batch."""

    def __init__(self, times: int, *, at_once: bool = False) -> None:
        super().__init__()
        self.times = times
        self.at_once = at_once
        self.tries = 0
        self.alone: list[bool] = []

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        (batch,) = args
        if any(plan.match == 0 for plan in batch.plans):
            self.tries += 1
            self.alone.append(batch.alone)
        if self.tries > self.times or all(plan.match for plan in batch.plans):
            return super().submit(fn, *args)
        if self.at_once:
            raise BrokenProcessPool("all workers were killed")
        future: Future[Any] = Future()
        future.set_exception(BrokenProcessPool("a worker was killed"))
        return future


@pytest.mark.parametrize("at_once", [False, True])
def test_a_match_is_tried_alone_so_many_times_before_it_is_void(at_once: bool) -> None:
    """The first time, it is not alone yet. A pool that was broken before is no attempt."""
    assert MAX_DEATHS == 3  # failing-bots.md
    first = 0 if at_once else 1
    for times in (MAX_DEATHS - 1 + first, MAX_DEATHS + first):
        executor = DyingAt(times, at_once=at_once)
        store, _ = run_with(executor)
        assert executor.alone == [False, *[True] * (len(executor.alone) - 1)]
        (match,) = store.matches(0, 1)
        is_void = times == MAX_DEATHS + first and not at_once
        assert (match.void, store.bots_out()) == (is_void, set())
        assert store.count() == (30 * 2, int(is_void))


class Noting(MadeUp):
    """An executor that notes how many matches each batch has."""

    def __init__(self, seconds: float) -> None:
        super().__init__(lambda plan: row(plan, seconds=seconds))
        self.sizes: list[int] = []

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        self.sizes.append(len(args[0].plans))
        return super().submit(fn, *args)


@pytest.mark.parametrize(
    ("seconds", "size"),
    [(9.0, 1), (BATCH_SECONDS, 1), (BATCH_SECONDS / 2, 2), (BATCH_SECONDS / 7, 7), (0.0, 8)],
)
def test_a_batch_has_as_many_matches_as_fit(
    seconds: float, size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first batches have one, because it's not known yet how long a match takes."""
    monkeypatch.setattr("referee.tournament.playing.dispatcher.MAX_BATCH", 8)
    executor = Noting(seconds)
    with dispatcher(executor, 2) as made:
        assert sum(map(len, made.play(SETUPS["round robin"], of_one_line_up(58)))) == 58
    assert executor.sizes[:2] == [1, 1]
    assert {*executor.sizes[2:]} == {size}


@pytest.mark.parametrize("jobs", [1, 3])
def test_so_many_batches_are_in_flight(jobs: int) -> None:
    executor = Noting(9.0)
    with dispatcher(executor, jobs) as made:
        finished = made.play(SETUPS["round robin"], of_one_line_up(60))
        next(finished)
        assert len(executor.sizes) == jobs
        made.stop()
        assert len([*finished]) == jobs - 1
        assert len(executor.sizes) == jobs


def of_one_line_up(matches: int) -> Iterator[Plan]:
    return (Plan(number, number, 1, (0, 1)) for number in range(matches))


@pytest.mark.parametrize(
    ("failed", "played", "is_broken"),
    [
        (MOST_FAILED - 1, MOST_FAILED - 1, False),
        (MOST_FAILED, MOST_FAILED, True),
        (MOST_FAILED, MOST_FAILED + 1, False),
        (MOST_FAILED + 1, MOST_FAILED + 1, True),
    ],
)
def test_a_game_is_broken_if_all_of_the_first_matches_failed(
    failed: int, played: int, is_broken: bool
) -> None:
    assert MOST_FAILED == 5  # failing-bots.md
    store = Store.in_memory()
    store.add_stage(SETUPS["round robin"])
    run = Run(store)
    match = void_row(Plan(0, 0, 1, (0, 1)), GameError("one"))
    run.problems["one"], run.problems["another"] = [match], [match] * (failed - 1)
    run.played = played
    assert run.has_broken_game == is_broken


class Killing(MadeUp):
    """An executor whose worker dies in every match with all bots of one of these sets."""

    def __init__(self, *killers: set[int]) -> None:
        super().__init__()
        self.killers = killers

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        (batch,) = args
        if not any(bots <= {*plan.players} for plan in batch.plans for bots in self.killers):
            return super().submit(fn, *args)
        future: Future[Any] = Future()
        future.set_exception(BrokenProcessPool("a worker was killed"))
        return future


def test_a_match_that_kills_its_worker_is_void_and_no_other() -> None:
    """Both bots are harmless against others, so we can't tell which one to blame."""
    store, _ = run_with(Killing({0, 3}))
    usual = {match.match: match for match in played(SETUPS["round robin"]).matches()}
    found = {match.match: match for match in store.matches()}
    void = {number for number, match in usual.items() if {*match.players} == {0, 3}}
    assert found.keys() == usual.keys()
    assert {number for number, match in found.items() if match.void} == void
    assert {found[number].reason for number in void} == {"worker-killed"}
    assert all(found[number] == usual[number] for number in usual.keys() - void)
    assert store.bots_out() == set()


@pytest.mark.parametrize("setup", SETUPS.values(), ids=SETUPS)
@pytest.mark.parametrize("killers", [{1, 4}], ids=str)
def test_bots_that_kill_workers_are_out_and_the_others_go_on(
    setup: TournamentSetup, killers: set[int]
) -> None:
    """A killer is out after its first match in the schedule, even if the run is interrupted."""
    stores = []
    for until in (None, 5):
        store = Store.in_memory()
        store.add_stage(setup)
        for stop in {until, None}:
            run = Run(store)

            def look(run: Run = run, stop: int | None = stop) -> None:
                if stop is not None and run.done >= stop:
                    raise StopError

            run.look = look
            with (
                dispatcher(Killing(*({bot} for bot in killers)), jobs=until or 2) as made,
                suppress(StopError),
            ):
                run.play(made)
        stores.append(store)
    store = stores[0]
    assert is_finished(store)
    assert all(contents(other) == contents(store) for other in stores)
    assert store.bots_out() == killers & {*range(len(setup.bots))}
    void = [match for match in store.matches() if match.void]
    assert len(void) <= len(killers)
    for match in store.matches():
        out = {seat.bot for seat in match.seats if seat.disqualified}
        assert out == (killers & {*match.players} if match.void else set())
        assert match.void or killers.isdisjoint(match.players)
    if setup.format in ("round-robin", "gauntlet"):
        usual = [match for match in played(setup).matches() if killers.isdisjoint(match.players)]
        assert [match for match in store.matches() if not match.void] == usual


@pytest.mark.parametrize(
    ("killers", "seed"),
    [*(([{1}, {4}], seed) for seed in (0, 4, 9, 19)), ([{0}, {2}, {5}], 21), ([{1, 4}, {2}], 0)],
    ids=str,
)
def test_the_number_of_jobs_does_not_choose_the_match_that_puts_a_bot_out(
    killers: list[set[int]], seed: int
) -> None:
    """Matches are not given out in the order of the schedule, but killers are found in it."""
    stores = []
    for jobs in (1, 2, 5):
        store = Store.in_memory()
        store.add_stage(made_setup(6, deals=2, seed=seed))
        with dispatcher(Killing(*killers), jobs) as made:
            Run(store).play(made)
        stores.append(contents(store))
    assert stores[1:] == stores[:1] * 2


# While match 0 is played, match 2 is its partner, because they have no bot in common. So match 1 is
# still to be played when the worker of match 2 dies.
BESIDE = [Plan(0, 0, 1, (0, 2)), Plan(1, 1, 1, (0, 3)), Plan(2, 2, 1, (1, 3))]


def test_a_match_that_killed_its_worker_is_not_lost_if_an_earlier_one_does_too() -> None:
    with dispatcher(Killing({1, 3}, {0, 3})) as made:
        rows = [*itertools.chain.from_iterable(made.play(made_setup(4), iter(BESIDE)))]
    assert [(row.match, row.void) for row in rows] == [(0, False), (1, True), (2, True)]


def test_no_bot_is_blamed_that_is_out_already() -> None:
    """It may be withdrawn because of an earlier match."""
    with dispatcher(Killing({1})) as made:
        played = []
        for rows in made.play(made_setup(4), iter(BESIDE)):
            played += [row.match for row in rows]
            if 1 in played:
                made.out.add(3)
        assert (played, made.out) == ([0, 1], {3})


def test_a_match_that_lost_its_worker_is_not_played_again_if_a_bot_is_out() -> None:
    with dispatcher(Dying({2})) as made:
        played = []
        for rows in made.play(made_setup(4), iter(BESIDE)):
            played += [row.match for row in rows]
            made.out.add(3)
    assert played == [0]


@pytest.mark.parametrize("seat", [0, 1])
def test_a_bot_is_tried_in_its_own_seat(seat: int) -> None:
    class KillingThere(MadeUp):
        def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
            is_there = any(plan.players[seat] == 1 for plan in args[0].plans)
            return (Killing({1}) if is_there else super()).submit(fn, *args)

    players = [(1, 0), (0, 1)][seat]
    with dispatcher(KillingThere()) as made:
        assert [*made.play(made_setup(2), iter([Plan(0, 0, 1, players)]))]
        assert made.out == {1}


def test_no_bot_is_blamed_after_the_end() -> None:
    class Stopping(Killing):
        def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
            if args[0].alone:
                made.stop()
            return super().submit(fn, *args)

    with dispatcher(Stopping({1})) as made:
        rows = [*itertools.chain.from_iterable(made.play(made_setup(4), iter(BESIDE)))]
        assert ([row.match for row in rows], made.out) == ([0], set())


@pytest.mark.parametrize(
    "workers", [Dying({*range(1_000)}), Killing(*({bot} for bot in range(5)))], ids=["none", "all"]
)
def test_workers_that_die_whatever_they_play_are_given_up(workers: Executor) -> None:
    """If every match kills its worker, we blame the machine and don't exclude any bot."""
    store = Store.in_memory()
    store.add_stage(SETUPS["round robin"])
    with (
        pytest.raises(ShortageError, match="killed in every match"),
        dispatcher(workers) as made,
    ):
        Run(store).play(made)
    assert store.count() == (0, 0)


@pytest.mark.parametrize("is_known", [True, False])
@pytest.mark.parametrize(("others", "ends"), [(MAX_OTHERS - 1, False), (MAX_OTHERS, True)])
def test_before_the_machine_is_blamed_some_bots_of_other_matches_are_tried(
    others: int, ends: bool, is_known: bool
) -> None:
    """Bots that don't play anyway are not tried."""
    assert MAX_OTHERS == 3  # failing-bots.md
    setup = made_setup(9, deals=1)
    first = {*next(stages_of(setup)).plans(0)[0].players}
    spared = sorted({*range(9)} - first)
    out = set() if is_known else {spared.pop(0)}
    killers = first | {*spared[:others]}
    store = Store.in_memory()
    store.add_stage(setup)
    with dispatcher(Killing(*({bot} for bot in killers)), jobs=1) as made:
        made.out |= out
        if ends:
            with pytest.raises(ShortageError, match="killed in every match"):
                Run(store).play(made)
        else:
            Run(store).play(made)
            assert store.bots_out() == killers


def test_the_machine_is_not_blamed_if_one_bot_of_the_match_kills_no_worker() -> None:
    setup = made_setup(9, deals=1)
    first = next(stages_of(setup)).plans(0)[0].players
    killers = {first[0], *sorted({*range(9)} - {*first})[:MAX_OTHERS]}
    store = Store.in_memory()
    store.add_stage(setup)
    with dispatcher(Killing(*({bot} for bot in killers)), jobs=1) as made:
        Run(store).play(made)
    assert store.bots_out() == killers


def stages_of(setup: TournamentSetup) -> Iterator[Stage]:
    store = Store.in_memory()
    store.add_stage(setup)
    return stages(store)


@pytest.mark.parametrize(
    ("kind", "error"), [("usage", UsageError), ("shortage", ShortageError), ("bug", InternalError)]
)
def test_what_a_worker_cannot_do(kind: str, error: type[Exception]) -> None:
    class Failing(MadeUp):
        def _play(self, batch: Any) -> Any:
            return Failed(kind, "no luck today")

    with pytest.raises(error, match="no luck today"):
        run_with(Failing())


def test_a_batch_that_takes_too_long_is_given_back_in_part() -> None:
    setup = SETUPS["round robin"]
    store = Store.in_memory()
    store.add_stage(setup)
    matches = Counter(play(store, lambda plan: row(plan, seconds=0.0), most=1))
    assert set(matches.values()) == {1}
    assert len(matches) == 60


def test_matches_are_given_out_in_the_order_of_the_schedule(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The rest of a batch comes first. If a worker dies, its matches do."""
    monkeypatch.setattr("referee.tournament.playing.dispatcher.MAX_BATCH", 4)

    class InParts(Dying):
        def __init__(self) -> None:
            super().__init__({5})
            self._most = 1
            self._result = partial(row, seconds=0.0)
            self.batches: list[list[int]] = []

        def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
            self.batches.append([plan.match for plan in args[0].plans])
            return super().submit(fn, *args)

    executor = InParts()
    plans = (Plan(number, number, 1, (0, 1)) for number in range(12))
    with dispatcher(executor, jobs=1) as made:
        assert sum(map(len, made.play(SETUPS["round robin"], plans))) == 12
    parts = [[0], [1, 2, 3, 4], [2, 3, 4, 5], [3, 4, 5, 6], [4, 5, 6, 7]]
    alone = [[4], [5], [6], [7]]
    assert executor.batches == [*parts, *alone, [8, 9, 10, 11], [9, 10, 11], [10, 11], [11]]


# --- records --------------------------------------------------------------------------------------


def test_records_and_stderr_stand_in_files(tmp_path: Path) -> None:
    def result(plan: Plan) -> MatchRow:
        if plan.match % 2:
            return row(plan)
        return row(plan, record=b'{"match":%d}\n' % plan.match, stderr=[b"", b"oh"])

    store = Store.in_memory()
    store.add_stage(SETUPS["round robin"])
    with dispatcher(MadeUp(result), keep="faulty") as made:
        Run(store, records=tmp_path).play(made)
    files = sorted(path.name for path in tmp_path.iterdir())
    kept = [f"{match:06}" for match in range(0, 60, 2)]
    assert files == sorted(
        [f"{m}.record.jsonl.zst" for m in kept] + [f"{m}.player2.stderr" for m in kept]
    )
    with LogReader(str(tmp_path / "000058.record.jsonl.zst")) as lines:
        assert b"".join(lines) == b'{"match":58}\n'


def test_a_record_without_a_stored_match_is_removed(tmp_path: Path) -> None:
    """The record is from a run that was killed, and now one of its bots is left out."""
    store = Store.in_memory()
    store.add_stage(SETUPS["round robin"])
    left_out = {2}
    store.leave_out({store.names[bot]: "it is not built" for bot in left_out})
    for match in range(60):
        (tmp_path / f"{match:06}.record.jsonl.zst").write_text("of the run that was killed")
    (tmp_path / "notes.txt").write_text("mine")
    with dispatcher(MadeUp(lambda plan: row(plan, record=b"{}\n")), keep="all") as made:
        Run(store, records=tmp_path).play(made)
    files = {f"{match:06}.record.jsonl.zst" for match in store.played()}
    assert len(files) == 36
    assert {path.name for path in tmp_path.iterdir()} == {"notes.txt", *files}


def test_a_record_that_cannot_be_written_ends_the_run(tmp_path: Path) -> None:
    store = Store.in_memory()
    store.add_stage(SETUPS["round robin"])
    with (
        dispatcher(MadeUp(lambda plan: row(plan, record=b"{}\n"))) as made,
        pytest.raises(UsageError, match=r"cannot write .*0000..\.record"),
    ):
        Run(store, records=tmp_path / "none").play(made)
    assert store.count() == (0, 0)
