"""If bots of two matches are late for a reply at the same time, the matches are played again."""

from __future__ import annotations

from concurrent.futures import BrokenExecutor, Future
from types import SimpleNamespace
from typing import Any

import pytest
from msgspec.structs import replace

from referee.tournament.playing import dispatcher as dispatching
from referee.tournament.playing.batch import Batch, Failed
from referee.tournament.playing.dispatcher import MAX_DEATHS, MAX_STALLS, START_PAUSES
from referee.tournament.playing.late_replies import LateReplies, late_bots
from referee.tournament.playing.run import Run
from referee.tournament.rows import LateReply, MatchRow, Plan
from referee.tournament.schedule.format import TournamentSetup
from referee.tournament.store import Store
from tests.support.made_up import MadeUp, contents, dispatcher, left, made_setup, played, row


def late(
    match: int,
    players: tuple[int, ...],
    asked: float = 0.0,
    until: float = 10.0,
    machine: str = "",
) -> MatchRow:
    """Make up a match in which the first player was late for a reply."""
    plan = Plan(match, match // 2, match // 2, players)
    lost = [2, *[1] * (len(players) - 1)]
    found = row(plan, lost, left=[left(), *[None] * (len(players) - 1)])
    return replace(found, late_replies=(LateReply(players[0], asked, until, machine),))


# --- who is a witness -----------------------------------------------------------------------------


def stalled(*rows: MatchRow, twins: frozenset[int] = frozenset()) -> list[int]:
    """Return the matches that are played again."""
    found = LateReplies(lambda bot: "twin" if bot in twins else bot)
    for each in rows:
        found.add(each, ["a batch"])
    again = [each.match for each in found.stalled]
    over = [each.match for each in found.take_over([])]
    assert sorted(again + over) == sorted(each.match for each in rows)
    return again


def test_two_matches_without_a_common_bot_are_witnesses() -> None:
    assert stalled(late(7, (0, 1)), late(3, (2, 3))) == [3, 7]


def test_one_match_has_no_witness() -> None:
    assert stalled(late(7, (0, 1))) == []


@pytest.mark.parametrize("players", [(0, 2), (2, 0), (1, 2), (2, 1)])
def test_a_common_bot_is_no_witness(players: tuple[int, int]) -> None:
    assert stalled(late(1, (0, 1)), late(2, players)) == []


@pytest.mark.parametrize("players", [(2, 3), (3, 2)])
def test_a_twin_is_no_witness_and_neither_is_its_opponent(players: tuple[int, int]) -> None:
    assert stalled(late(1, (0, 1)), late(2, players), twins=frozenset({0, 2})) == []
    assert stalled(late(1, (0, 1)), late(2, players)) == [1, 2]


@pytest.mark.parametrize(("asked", "again"), [(9.9, [1, 2]), (10.0, []), (11.0, [])])
def test_both_must_be_late_at_the_same_time(asked: float, again: list[int]) -> None:
    rows = late(1, (0, 1), 0, 10), late(2, (2, 3), asked, asked + 10)
    assert stalled(*rows) == stalled(*rows[::-1]) == again


def test_clocks_of_two_machines_cannot_be_compared() -> None:
    assert stalled(late(1, (0, 1), machine="a"), late(2, (2, 3), machine="b")) == []


@pytest.mark.parametrize(("players", "again"), [((2, 3), [1]), ((0, 2), []), ((2, 1), [])])
def test_a_late_handshake_is_a_witness_whose_match_is_over(
    players: tuple[int, int], again: list[int]
) -> None:
    """The bot is started again anyway. It may be found before the other match or after it."""
    start = late(2, players)
    start = replace(start, late_replies=(replace(start.late_replies[0], is_start=True),))
    for first, second in ((start, late(1, (0, 1))), (late(1, (0, 1)), start)):
        found = LateReplies(lambda bot: bot)
        found.add(first, ["a batch"])
        found.add(second, ["a batch"])
        assert [each.match for each in found.stalled] == again
        assert [each.match for each in found.take_over([])] == ([] if again else [1])
    assert late_bots([start]) == set()


def test_a_late_handshake_does_not_excuse_a_later_reply() -> None:
    reply = late(1, (0, 1), 50, 60)
    start = replace(late(1, (0, 1), 0, 10).late_replies[0], is_start=True)
    both = replace(reply, late_replies=(start, *reply.late_replies))
    assert stalled(both, late(2, (2, 3), 0, 10)) == [2]


def test_a_match_joins_others_that_have_witnessed_each_other() -> None:
    assert stalled(late(1, (0, 1)), late(2, (2, 3)), late(3, (4, 5))) == [1, 2, 3]


def test_a_match_is_over_when_the_batches_beside_it_have_ended() -> None:
    found = LateReplies(lambda bot: bot)
    found.add(late(1, (0, 1)), ["x", "y"])
    found.add(late(2, (0, 2)), ["y", "z"])
    assert [*found.take_over(["x", "y", "z"])] == []
    assert [each.match for each in found.take_over(["z"])] == [1]
    assert [each.match for each in found.take_over(["new"])] == [2]
    assert not found.stalled


# --- a tournament ---------------------------------------------------------------------------------


class Stall(MadeUp):
    """An executor for a machine that stands still for a while.

    Args:
        matches: in these matches, the first player is late when they're played beside others.
        tries: how often it is also late when the match is played alone.

    Attributes:
        alone: the matches that were played alone.
    """

    def __init__(self, matches: set[int], tries: int = 0) -> None:
        super().__init__(most=1)
        self._matches = matches
        self._tries = tries
        self.alone: list[int] = []

    def _play(self, batch: Any) -> list[MatchRow]:
        (plan, *_) = batch.plans
        if batch.alone:
            self.alone.append(plan.match)
            if self.alone.count(plan.match) > self._tries:
                return [row(plan)]
        elif plan.match not in self._matches:
            return super()._play(batch)
        found = late(plan.match, plan.players)
        return [replace(found, deal=plan.deal, seed=plan.seed)]


@pytest.fixture(autouse=True)
def slept(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Seconds that the dispatcher slept. It takes no time."""
    seconds: list[float] = []
    monkeypatch.setattr(dispatching, "time", SimpleNamespace(sleep=seconds.append))
    return seconds


def run(wanted: TournamentSetup, machine: Stall, jobs: int = 2) -> tuple[Store, list[list[int]]]:
    """Play a tournament. Returns its store, and the bots that were named in each stall."""
    store = Store.in_memory()
    store.add_stage(wanted)
    named: list[list[int]] = []
    with dispatcher(machine, jobs) as made:
        made.on_stall = lambda bots: named.append([*bots])
        Run(store).play(made)
    return store, named


FOUR = made_setup(4, deals=2, withdraw_after=2)


def apart(wanted: TournamentSetup) -> set[int]:
    """Return the first match, and the first one that has no common bot with it."""
    first, *others = played(wanted).matches()
    return {first.match, next(e.match for e in others if not {*e.players} & {*first.players})}


@pytest.mark.parametrize("tries", [0, len(START_PAUSES)])
def test_a_stall_changes_nothing(tries: int, slept: list[float]) -> None:
    matches = apart(FOUR)
    machine = Stall(matches, tries)
    store, named = run(FOUR, machine)
    assert contents(store) == contents(played(FOUR))
    assert {match.match for match in store.matches() if match.late} == matches
    assert sorted({*machine.alone}) == sorted(matches)
    assert len(named) == 1
    assert sum(slept) == pytest.approx(len(matches) * sum(START_PAUSES[:tries]))


def test_a_match_of_a_bot_that_is_out_by_now_is_not_played_again() -> None:
    """The other match is."""
    matches = sorted(apart(FOUR))
    machine = Stall({*matches})
    store = Store.in_memory()
    store.add_stage(FOUR)
    with dispatcher(machine, 2) as made:
        first = next(each for each in played(FOUR).matches() if each.match == matches[0])
        made.on_stall = lambda bots: made.out.update(first.players)
        Run(store).play(made)
    assert machine.alone == matches[1:]


def test_bots_that_are_late_alone_are_at_fault_from_then_on() -> None:
    """Two bots hang at the same time, each in its own match. They get one try, and no other."""
    matches = {match.match for match in played(FOUR).matches()}
    machine = Stall(matches, tries=99)
    store, named = run(made_setup(4, deals=2, withdraw_after=None), machine)
    assert named
    assert len({bot for bots in named for bot in bots}) == sum(map(len, named))
    assert len(machine.alone) <= 4 * (1 + len(START_PAUSES))
    assert len([*store.select("SELECT 1 FROM seats WHERE disqualified = 'timeout'")]) == 24


def test_a_bot_that_was_late_alone_has_one_try_in_its_next_match() -> None:
    machine = Stall({1, 2, 3}, tries=99)
    with dispatcher(machine) as made:
        made._begin(made_setup(5))
        made._late = LateReplies(lambda bot: bot)
        for match, players in ((1, (0, 1)), (2, (2, 3)), (3, (0, 4))):
            made._late.add(late(match, players), ["a batch"])
        rows = [each for some in made._play_stalled() for each in some]
    tries = 1 + len(START_PAUSES)
    assert machine.alone == [1] * tries + [2] * tries + [3]
    assert [(each.match, late_bots([each])) for each in rows] == [(1, {0}), (2, {2}), (3, {0})]


def test_a_bot_gets_so_many_matches_again() -> None:
    """Even if it's never late when it's alone, it may not have more than this."""
    wanted = made_setup(4, deals=30, withdraw_after=None)
    everything = {match.match for match in played(wanted).matches()}
    store, named = run(wanted, Stall(everything))
    counts = [sum(bot in bots for bots in named) for bot in range(4)]
    assert max(counts) == MAX_STALLS
    assert store.count()[0] == len(everything)


def test_a_bot_that_hangs_alone_is_withdrawn_as_before() -> None:
    wanted = made_setup(4, deals=4, withdraw_after=3)
    hanging = {match.match for match in played(wanted).matches() if match.players[0] == 1}
    machine = Stall(hanging)
    store, named = run(wanted, machine)
    assert (named, machine.alone) == ([], [])
    assert store.count()[0] == 48


def test_a_match_whose_worker_dies_alone_is_played_with_the_others() -> None:
    class Kills(Stall):
        def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
            future = super().submit(fn, *args, **kwargs)
            if args[0].alone and len(self.alone) <= MAX_DEATHS:
                future = Future()
                future.set_exception(BrokenExecutor())
            elif self.alone:
                self._matches = set()
            return future

    wanted = made_setup(4, deals=2, withdraw_after=None)  # so that each match is asked for once
    machine = Kills(apart(wanted))
    store, _ = run(wanted, machine)
    assert len(machine.alone) > MAX_DEATHS
    assert contents(store) == contents(played(wanted))


def test_a_late_match_counts_if_the_worker_of_the_match_beside_it_has_died() -> None:
    class Dies(Stall):
        def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
            future = super().submit(fn, *args, **kwargs)
            if args[0].plans[0].match == 1 and not args[0].alone:
                future = Future()
                future.set_exception(BrokenExecutor())
            return future

    plans = [Plan(0, 0, 1, (0, 1)), Plan(1, 0, 1, (2, 3))]
    with dispatcher(Dies({0}), jobs=2) as made:
        rows = [each.match for some in made.play(FOUR, iter(plans)) for each in some]
    assert sorted(rows) == [0, 1]


def test_a_match_counts_if_one_of_its_late_bots_is_at_fault() -> None:
    both = late(1, (0, 1))
    both = replace(both, late_replies=(*both.late_replies, LateReply(1, 0, 10, "")))
    with dispatcher(Stall(set())) as made:
        made._begin(FOUR)
        made._late = LateReplies(lambda bot: bot)
        assert made._undoubted([both], ["a batch"]) == []
        made._stalls[1] = MAX_STALLS - 1
        assert made._undoubted([both], ["a batch"]) == []
        made._stalls[1] = MAX_STALLS
        assert made._undoubted([both], ["a batch"]) == [both]


@pytest.mark.parametrize("hangs", [False, True])
def test_a_bot_that_hangs_at_every_start_is_no_witness(hangs: bool) -> None:
    start = late(2, (2, 3))
    start = replace(start, late_replies=(replace(start.late_replies[0], is_start=True),))
    with dispatcher(Stall(set())) as made:
        made._begin(FOUR)
        made._late = LateReplies(lambda bot: bot)
        made._hanging = {2} if hangs else set()
        assert made._undoubted([start], ["a batch"]) == [start]
        assert made._undoubted([late(1, (0, 1))], ["a batch"]) == []
        assert bool(made._late.stalled) != hangs


def test_matches_that_were_not_asked_for_in_the_end_are_forgotten() -> None:
    """The caller may stop in the middle, e.g. if the tournament is decided."""
    machine = Stall(set())
    plans = [Plan(number, number, 1, (0, 1)) for number in range(9)]
    with dispatcher(machine) as made:
        for _ in made.play(FOUR, iter(plans)):
            if machine.played:
                break
        machine.played.clear()
        assert sum(map(len, made.play(FOUR, iter(plans[:1])))) == 1
    assert machine.played == [0]


def test_late_bots_of_several_matches() -> None:
    assert late_bots([late(1, (0, 1)), late(2, (2, 3)), row(Plan(3, 1, 1, (0, 1)))]) == {0, 2}


# --- which matches are played beside each other ---------------------------------------------------


class Beside(MadeUp):
    """An executor that ends the oldest batch when nothing else happens.

    Attributes:
        bots: the bots of each batch in play, after each new batch.
    """

    def __init__(self) -> None:
        super().__init__()
        self._in_play: list[tuple[Batch, Future[list[MatchRow] | Failed]]] = []
        self.bots: list[list[set[int]]] = []

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        self._in_play.append((args[0], Future()))
        self.bots.append([{*batch.entrants} for batch, _ in self._in_play])
        return self._in_play[-1][1]

    def end_one(self) -> None:
        batch, future = self._in_play.pop(0)
        future.set_result(self._play(batch))


def play_beside(
    executor: Beside, bots: int, jobs: int, monkeypatch: pytest.MonkeyPatch, deals: int = 9
) -> list[list[set[int]]]:
    """Play a round robin. Returns the bots of each batch in play, after each new batch."""
    monkeypatch.setattr(dispatching, "LOOK_SECONDS", 0)
    wanted = made_setup(bots, deals=deals)
    plans = [
        Plan(row.match, row.deal, row.seed, tuple(row.players)) for row in played(wanted).matches()
    ]
    with dispatcher(executor, jobs) as made:
        for rows in made.play(wanted, iter(plans)):
            if not rows:
                executor.end_one()
    assert sorted(executor.played) == [plan.match for plan in plans]
    return executor.bots


def has_partner(bots: set[int], in_play: list[set[int]]) -> bool:
    return any(bots.isdisjoint(others) for others in in_play)


@pytest.mark.parametrize(("bots", "jobs"), [(4, 2), (5, 2), (9, 2), (8, 4)])
def test_matches_beside_each_other_have_no_common_bot(
    bots: int, jobs: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With four bots that's only possible until the next matches have none of the other two."""
    moments = play_beside(Beside(), bots, jobs, monkeypatch)[jobs:]
    alone = [each for each in moments if not all(has_partner(bots, each) for bots in each)]
    assert len(alone) <= len(moments) * (0.2 if bots < 6 else 0.1)


def test_a_batch_leaves_half_of_the_bots_for_its_partner(monkeypatch: pytest.MonkeyPatch) -> None:
    moments = play_beside(Beside(), 9, 2, monkeypatch)
    assert max(len(bots) for in_play in moments for bots in in_play) == 4


def test_a_batch_is_the_partner_of_one_that_has_none() -> None:
    with dispatcher(MadeUp(), jobs=4) as made:
        made._begin(made_setup(8))
        made._next = [Plan(match, 0, 1, (bot, 4)) for match, bot in enumerate((1, 2, 3, 0))]
        assert [plan.match for plan in made._choose(1, [{0, 1}, {2, 3}, {1, 2}])] == [2]
        assert [plan.match for plan in made._next] == [0, 1, 3]


@pytest.mark.parametrize(("bots", "jobs"), [(4, 1), (3, 2)])
def test_without_partners_the_schedule_decides_the_order(
    bots: int, jobs: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    executor = Beside()
    play_beside(executor, bots, jobs, monkeypatch)
    assert executor.played == sorted(executor.played)
