"""What a worker does without processes: lateness, time, and which records it keeps."""

from __future__ import annotations

import os
import re
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, nullcontext
from functools import partial
from itertools import count
from math import inf
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import trio
import trio.testing
from msgspec.structs import replace

from referee.bots.command import BotCommand, PythonBot
from referee.bots.stand_in import stand_in
from referee.errors import GameError, UsageError
from referee.games.interface.faults import Disqualification
from referee.match.limits import Limits
from referee.match.spec import MatchSpec
from referee.tournament.playing import witness
from referee.tournament.playing import worker as module
from referee.tournament.playing.batch import BATCH_SECONDS
from referee.tournament.playing.witness import MOST_SECONDS, witness_seconds
from referee.tournament.playing.worker import (
    MAX_LATE_REPLAYS,
    MAX_STDERR,
    Lateness,
    Worker,
    _Attempt,
    _files,
    _head_and_tail,
    _until_deadline,
)
from referee.tournament.rows import REACHED, LateReply
from tests.support.batches import batch, play, worker
from tests.support.live import hostile


def test_the_worst_delay_and_all_together_are_of_each_seat() -> None:
    lateness = Lateness(3)
    for late, seats in ((0.25, [0, 1]), (0.5, [1]), (0.125, [0, 1])):
        lateness.note(late, seats)
    assert lateness.worst == [0.25, 0.5, 0.0]
    assert lateness.total == [0.375, 0.875, 0.0]


@pytest.mark.parametrize(
    ("code", "worst", "total", "is_late"),  # limits: a reply 1 s, the start 2 s, the bank 4 s
    [
        ("timeout", 0.1, 9.0, False),  # a tenth is not too much
        ("timeout", 0.11, 0.0, True),
        ("startup-timeout", 0.2, 9.0, False),
        ("startup-timeout", 0.21, 0.0, True),
        ("time-bank", 9.0, 0.4, False),
        ("time-bank", 0.0, 0.41, True),
        ("exited", 9.0, 9.0, False),
    ],
)
def test_only_a_timeout_is_excused_and_by_a_delay_that_matters(
    code: str, worst: float, total: float, is_late: bool
) -> None:
    attempt: Any = object.__new__(_Attempt)
    attempt.lateness = Lateness(2)
    attempt.lateness.worst = [9.0, worst]  # the first seat wasn't disqualified
    attempt.lateness.total = [9.0, total]
    limits = Limits(time_limit=1.0, startup_limit=2.0, time_bank=4.0)
    attempt.spec = SimpleNamespace(each_limits=[Limits(), limits])
    left = SimpleNamespace(code=Disqualification(code))
    attempt.played = SimpleNamespace(disqualified={1: left})
    assert attempt.is_late() == is_late
    attempt.spec.each_limits[1] = limits._replace(time_limit=inf, startup_limit=inf, time_bank=inf)
    assert not attempt.is_late()


@pytest.mark.parametrize(
    ("faults", "is_out", "kept"),
    [(0, False, "all"), (1, False, "all faulty"), (0, True, "all faulty"), (1, True, "all faulty")],
)
@pytest.mark.parametrize("keep", ["all", "faulty", "none"])
def test_the_record_of_a_match_with_trouble_is_kept(
    keep: str, faults: int, is_out: bool, kept: str
) -> None:
    matches = batch(["one", "two"], (1,), keep=keep)
    source = PythonBot("stand-in", partial(stand_in, "dominion"))
    attempt = _Attempt(matches, matches.plans[0], {0: source, 1: source})
    assert attempt.play_objects().record.count(b'"entry":"end"') == (keep == "all")
    played = attempt.played
    players = list(played.result.players)
    players[1] = replace(players[1], faults={"no-buys": faults} if faults else {})
    left: Any = SimpleNamespace(code=Disqualification.EXITED, detail="it ended")
    attempt.played = replace(
        played,
        result=replace(played.result, players=players),
        disqualified={0: left} if is_out else {},
        reached=[("memory_limit",), ("memory_limit", "process_limit")],
    )
    row = attempt.row(0, 0, [])
    reached = [f"{REACHED}memory-limit", f"{REACHED}memory-limit process-limit"]
    assert [seat.detail for seat in row.seats] == ["it ended" if is_out else reached[0], reached[1]]
    assert bool(row.record) == bool(row.stderr) == (keep in kept.split())
    assert [seat.disqualified for seat in row.seats] == ["exited" if is_out else None, None]
    assert row.seats[1].fault_count == faults


@pytest.mark.parametrize(
    ("restarts", "times", "late", "void"),
    [
        ([True, True], 0, 0, False),
        ([], MAX_LATE_REPLAYS, MAX_LATE_REPLAYS, False),
        ([True], MAX_LATE_REPLAYS + 1, MAX_LATE_REPLAYS + 1, True),
    ],
)
async def test_a_match_is_void_after_one_late_attempt_too_many(
    restarts: list[bool], times: int, late: int, void: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After the first attempt, no process that has seen the match plays it."""
    assert MAX_LATE_REPLAYS == 3  # failing-bots.md: "again, up to three times"
    again, lateness = iter(restarts), iter([True] * times)
    fresh = []

    async def attempt(worker: Worker, made: _Attempt) -> bool:
        made.play_objects()
        fresh.append(made.fresh)
        return next(again, False)

    monkeypatch.setattr(Worker, "_attempt", attempt)
    monkeypatch.setattr(_Attempt, "is_late", lambda attempt: next(lateness, False))
    matches = batch(["one", "two"], (1,), keep="none")
    source = PythonBot("stand-in", partial(stand_in, "dominion"))
    row = await Worker()._play(matches, matches.plans[0], {0: source, 1: source})
    assert (row.late, row.restarts, row.void) == (late, len(restarts), void)
    assert fresh == [False, *[True] * (len(restarts) + min(late, MAX_LATE_REPLAYS))]


@pytest.mark.parametrize(
    ("code", "is_blamed"), [("exited", True), ("failed-to-start", True), ("output-limit", False)]
)
async def test_a_bot_whose_file_is_gone_has_not_lost(
    code: str, is_blamed: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def attempt(worker: Worker, made: _Attempt) -> bool:
        made.play_objects()
        left: Any = SimpleNamespace(code=Disqualification(code), detail="it ended")
        made.played = replace(made.played, disqualified={1: left})
        return False

    monkeypatch.setattr(Worker, "_attempt", attempt)
    matches = batch(["one", "two"], (1,), keep="none")
    sources = [PythonBot(name, partial(stand_in, "dominion")) for name in ("one", "two")]
    it = Worker()
    it._files = {sources[0]: [str(tmp_path)], sources[1]: [str(tmp_path / "gone")]}
    with (
        pytest.raises(UsageError, match=r"BOT two: .*gone is missing")
        if is_blamed
        else nullcontext()
    ):
        row = await it._play(matches, matches.plans[0], dict(enumerate(sources)))
        assert row.seats[1].disqualified == code


def test_the_matches_of_a_deal_share_an_opening(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[int] = []
    monkeypatch.setattr(module, "opening_answers", lambda spec, before: drawn.append(spec.luck))
    it = Worker()
    for luck, run in ((1, "a"), (1, "a"), (2, "a"), (2, "b"), (1, "b")):
        spec = SimpleNamespace(opening=2, luck=luck)
        made: Any = SimpleNamespace(batch=SimpleNamespace(answers=(), run=run), spec=spec)
        it._answers(made)
    assert drawn == [1, 2, 2, 1]


@pytest.mark.parametrize(
    ("code", "late"),
    [
        (Disqualification.TIMEOUT, [(16.0, False)]),
        (Disqualification.TIME_BANK, [(16.0, False)]),
        (Disqualification.STARTUP_TIMEOUT, [(10.0, True)]),
        (Disqualification.EXITED, []),
    ],
)
def test_a_late_reply_is_the_last_of_its_seat(
    code: Disqualification, late: list[tuple[float, bool]]
) -> None:
    """In the handshake, the time counts from the beginning."""
    attempt: Any = object.__new__(_Attempt)
    attempt.began = 10.0
    attempt.plan = SimpleNamespace(players=(3, 5))
    attempt.left_at = {1: 20.0}
    attempt.played = SimpleNamespace(
        disqualified={1: SimpleNamespace(code=code)}, reply_seconds=[[9.0], [1.0, 4.0]]
    )
    expected = [LateReply(5, since, 20.0, os.uname().nodename, at) for since, at in late]
    assert [*attempt.late_replies()] == expected


@pytest.mark.parametrize("keep", ["all", "faulty", "none"])
def test_the_record_of_a_match_in_which_the_game_failed_is_kept(keep: str) -> None:
    matches = batch(["one", "two"], (1,), keep=keep)
    source = PythonBot("stand-in", partial(stand_in, "dominion"))
    attempt = _Attempt(matches, matches.plans[0], {0: source, 1: source})
    attempt.play_objects()
    row = attempt.void_row(GameError("oh"))
    assert (row.void, row.problem) == (True, "oh")
    assert bool(row.record) == (len(row.stderr) == 2) == (keep != "none")


def test_a_batch_starts_no_match_after_its_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first match is always played. Time that is over exactly is over."""

    def times(*seconds: float) -> Iterator[float]:
        yield from seconds

    for seconds, played in (
        ((0.0, BATCH_SECONDS), 1),
        ((0.0, BATCH_SECONDS + 1), 1),
        ((0.0, BATCH_SECONDS - 0.01, BATCH_SECONDS), 2),
        ((0.0, *[0.1] * 9), 9),
    ):
        clock = times(*seconds)
        monkeypatch.setattr(module, "time", SimpleNamespace(monotonic=partial(next, clock)))
        plans: Any = zip(range(9), count())
        assert len([*_until_deadline(plans)]) == played


def test_the_middle_of_a_long_stderr_is_left_out() -> None:
    whole = bytes(range(256)) * (MAX_STDERR // 256)
    assert _head_and_tail(whole) == whole
    half = MAX_STDERR // 2
    shortened = whole[:half] + b"\n[1 bytes left out]\n" + whole[half:]
    assert _head_and_tail(whole[:half] + b"x" + whole[half:]) == shortened


def test_the_files_of_a_command_are_the_words_that_name_one(tmp_path: Path) -> None:
    (tmp_path / "bot.py").touch()
    command = BotCommand("./bot.py", ("python3", "bot.py", "x.py", "."), directory=str(tmp_path))
    assert _files(command) == [str(tmp_path / "bot.py")]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("seconds", "late"),
    [([1.01], 1), ([1.0], 0), ([9.0] * MAX_LATE_REPLAYS + [0.0], MAX_LATE_REPLAYS)],
)
def test_a_match_is_played_again_if_the_witness_is_late_too(
    seconds: list[float], late: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The witness may take a second."""
    waited = iter([*seconds, 0.0])

    async def told(spec: object) -> float:
        return next(waited)

    monkeypatch.setattr(module, "witness_seconds", told)
    monkeypatch.setattr(_Attempt, "is_late", lambda attempt: False)  # here the referee may be late
    with worker() as executor:
        (row,) = play(
            executor, [hostile("sleep_at", 1), "minimal"], [1], time_limit=0.2, startup_limit=20
        )
    assert (row.late, row.void, row.seats[0].disqualified) == (late, False, "timeout")
    cause = row.seats[0].cause or ""
    assert cause.startswith("it was not computing (0.")
    assert re.search("; the referee was late by [0-9.]+ m?s at most$", cause)
    assert row.seats[1].cause is None
    (reply,) = row.late_replies
    assert reply.bot == 0
    assert 0.2 <= reply.until - reply.asked < 20


@pytest.mark.parametrize(("seconds", "is_late"), [(3.0, False), (3.01, True)])
@pytest.mark.parametrize("late", [[1], [0, 1]])
async def test_with_a_long_limit_the_witness_may_take_a_tenth_of_it(
    late: list[int], seconds: float, is_late: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The longest limit of the bots that were late counts."""

    async def told(spec: object) -> float:
        return seconds

    monkeypatch.setattr(module, "witness_seconds", told)
    attempt: Any = object.__new__(_Attempt)
    each_limits = [Limits(time_limit=limit) for limit in (20, 30, 99)]
    attempt.spec = SimpleNamespace(each_limits=each_limits)
    lost = {seat: SimpleNamespace(code=Disqualification.TIMEOUT) for seat in late}
    attempt.played = SimpleNamespace(disqualified=lost)
    assert await attempt.is_witnessed() == is_late
    for left in lost.values():
        left.code = Disqualification.EXITED
    assert not await attempt.is_witnessed()


async def test_a_witness_has_the_limits_of_the_match_and_ends(
    monkeypatch: pytest.MonkeyPatch, autojump_clock: trio.testing.MockClock
) -> None:
    ended, launched = [], []

    class Launched:
        def __init__(self, *given: object) -> None:
            launched.append(given[1:])

        def end(self) -> None:
            ended.append(self)

    class Slow:
        def push(self, line: bytes) -> None:
            assert line == b"ready?\n"

        async def reply(self, deadline: float) -> None:
            await trio.sleep_until(deadline)

    @asynccontextmanager
    async def run(spec: MatchSpec, started: list[Any]) -> AsyncIterator[list[Slow]]:
        assert (spec.each_limits, len(started)) == ((spec.limits,), 1)
        yield [Slow()]

    monkeypatch.setattr(witness, "LaunchedBot", Launched)
    monkeypatch.setattr(witness, "run_bots", run)
    spec = batch(["minimal", "minimal"], [1]).spec
    own = replace(spec, limits_of_bots=(spec.limits, spec.limits._replace(grace=9.0)))
    assert await witness_seconds(own) == pytest.approx(MOST_SECONDS)
    assert (launched, len(ended)) == ([(spec.limits, spec.sandbox)], 1)


@pytest.mark.slow
async def test_a_witness_starts_and_replies() -> None:
    spec = batch(["minimal", "minimal"], [1]).spec
    assert 0 < await witness_seconds(spec) < MOST_SECONDS
