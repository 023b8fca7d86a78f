"""Releasing or ending the bots after a match (protocol, 8.4)."""

from __future__ import annotations

import contextlib
import os
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import trio

from referee.bots import hosting
from referee.bots.bot import Bot
from referee.bots.command import BotCommand, PythonBot, resolve_bot
from referee.bots.hosting import borrow_bots, release, run_bots
from referee.bots.in_process import InProcessBot
from referee.bots.processes import pool as module
from referee.bots.processes.launch import LaunchedBot, launch_bots
from referee.bots.processes.pool import BotPool
from referee.bots.processes.process import BotProcess
from referee.errors import ShortageError
from referee.match.spec import match_spec

READS_ALL = "import sys; sys.stdin.buffer.read()"
READS_NOTHING = "import signal; signal.pause()"
MORE_THAN_A_PIPE_HOLDS = b"x" * 1_000_000 + b"\n"


async def released(
    code: str, *, graces: Sequence[float], lines: bytes = b""
) -> tuple[set[int], list[Bot]]:
    """Start two bots and release them. Return the seats that were released, and the bots."""
    arguments = [shlex.join([sys.executable, "-I", "-S", "-c", code])] * 2
    spec = match_spec(arguments, seed=1)
    with launch_bots([resolve_bot(bot) for bot in arguments], spec.limits) as started:
        async with run_bots(spec, started) as bots:
            for bot in bots:
                bot.push(lines)
            return await release(bots, {0, 1}, graces), bots


async def test_a_process_that_has_read_all_is_released_without_a_wait() -> None:
    kept, bots = await released(READS_ALL, graces=[0.0, 0.0])
    assert kept == {0, 1}
    assert all(isinstance(bot, BotProcess) and bot.is_closed for bot in bots)


async def test_a_process_has_time_to_read_its_last_lines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    both = os.open(fifo, os.O_RDWR)
    reads_late = f"import os; os.read(os.open({str(fifo)!r}, os.O_RDONLY), 1); {READS_ALL}"
    begun, hand_over = list[float](), BotProcess.hand_over

    async def note(bot: BotProcess, seconds: float) -> None:
        begun.append(seconds)
        if len(begun) == 2:  # they read when both are waited for
            os.write(both, b"xx")
        await hand_over(bot, seconds)

    monkeypatch.setattr(BotProcess, "hand_over", note)
    kept, _ = await released(reads_late, graces=[60.0, 50.0], lines=MORE_THAN_A_PIPE_HOLDS)
    os.close(both)
    assert kept == {0, 1}
    assert sorted(begun) == [50.0, 60.0]  # each has its own


async def test_processes_that_read_nothing_end_side_by_side(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Ending one takes up to three times the grace period, but both are ended concurrently."""
    order, finish = list[str](), BotProcess.finish

    async def note(bot: BotProcess, grace: float) -> None:
        order.append("begins")
        await finish(bot, grace)
        order.append("ends")

    monkeypatch.setattr(BotProcess, "finish", note)
    kept, bots = await released(READS_NOTHING, graces=[0.5, 0.5], lines=MORE_THAN_A_PIPE_HOLDS)
    assert kept == set()
    assert order == ["begins", "begins", "ends", "ends"]
    assert [bot.exit_code for bot in bots] == [-15, -15]


@pytest.mark.parametrize("is_cancelled", [True, False])
async def test_what_is_left_in_the_block_is_killed(is_cancelled: bool) -> None:
    """Even if the task is cancelled. A bot that has ended in the block keeps its exit code."""
    spec = match_spec(["/bin/cat"] * 2, seed=1)
    bots: list[Bot] = []
    with launch_bots([resolve_bot(bot) for bot in spec.bots], spec.limits) as started:
        with contextlib.suppress(KeyError), trio.CancelScope() as scope:
            async with run_bots(spec, started) as bots:
                if is_cancelled:
                    scope.cancel()
                    await trio.lowlevel.checkpoint()
                await bots[0].finish(20)
                raise KeyError
        assert [isinstance(bot, BotProcess) and bot.is_closed for bot in bots] == [True, True]
        assert [bot.exit_code for bot in bots] == [-9 if is_cancelled else 0, -9]


async def test_a_cancelled_task_waits_until_its_bots_are_killed() -> None:
    killed = []

    class Slow(InProcessBot):
        async def kill(self) -> None:
            await trio.lowlevel.checkpoint()
            killed.append(self)

    sources = [PythonBot("slow", lambda: Slow(None)) for _ in range(2)]  # type: ignore[arg-type]
    with trio.CancelScope() as scope:
        async with run_bots(match_spec(["slow"] * 2, seed=1), sources) as bots:
            scope.cancel()
    assert {*killed} == {*bots}


async def test_released_processes_wait_for_their_key_and_all_others_are_ended(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pool = BotPool()
    spec = match_spec(["/bin/cat"] * 2, seed=1)
    sources = [resolve_bot(bot) for bot in spec.bots]
    used: list[list[LaunchedBot]] = []

    async def play(*keys: str, keep: set[int], fresh: bool = False) -> None:
        async with borrow_bots(pool, spec, sources, keys, fresh=fresh) as bots:
            used.append([bot.launched for bot in bots if isinstance(bot, BotProcess)])
            assert await release(bots, keep, [20.0, 20.0]) == keep

    await play("a", "b", keep={0})
    (a, b), waiting = used[-1], pool.waiting
    assert (waiting, a.exit_code, b.exit_code) == ([a], None, 0)
    await play("c", "a", keep={0, 1})
    assert used[-1][1] is a
    assert pool.waiting == used[-1]
    await play("a", "d", keep={0}, fresh=True)
    assert used[-1][0] is not a
    assert a.exit_code == 0
    monkeypatch.setattr(module, "MAX_WAITING", 1)
    with contextlib.suppress(KeyError):
        async with borrow_bots(pool, spec, sources, ["e", "f"]) as bots:
            assert isinstance(bots[0], BotProcess)
            assert bots[0].release()
            raise KeyError
    last = pool.waiting[-1]
    assert last is bots[0].launched
    await play("e", "f", keep={0})
    assert pool.waiting == [last]
    await pool.finish()
    assert {bot.exit_code for pair in used for bot in pair} == {0}


async def test_a_shortage_ends_the_bots_that_were_started(monkeypatch: pytest.MonkeyPatch) -> None:
    pool = BotPool()
    spec = match_spec(["/bin/cat"] * 2, seed=1)
    started: list[LaunchedBot] = []

    def launch(source: BotCommand, *others: Any) -> LaunchedBot:
        if started:
            raise ShortageError("no process left")
        started.append(LaunchedBot(source, *others))
        return started[-1]

    monkeypatch.setattr(hosting, "launch", launch)
    with pytest.raises(ShortageError):
        async with borrow_bots(pool, spec, [resolve_bot(bot) for bot in spec.bots], ["a", "b"]):
            pass
    assert [bot.exit_code for bot in started] == [-9]
    assert pool.waiting == []
