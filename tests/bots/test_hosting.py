"""Releasing or ending the bots after a match (protocol, 8.4)."""

from __future__ import annotations

import contextlib
import os
import shlex
import sys
from pathlib import Path

import pytest
import trio

from referee.bots.bot import Bot
from referee.bots.command import PythonBot, resolve_bot
from referee.bots.hosting import release, run_bots
from referee.bots.in_process import InProcessBot
from referee.bots.processes.launch import launch_bots
from referee.bots.processes.process import BotProcess
from referee.match.spec import match_spec

READS_ALL = "import sys; sys.stdin.buffer.read()"
READS_NOTHING = "import signal; signal.pause()"
MORE_THAN_A_PIPE_HOLDS = b"x" * 1_000_000 + b"\n"


async def released(code: str, *, grace: float, lines: bytes = b"") -> tuple[set[int], list[Bot]]:
    """Start two bots and release them. Return the seats that were released, and the bots."""
    arguments = [shlex.join([sys.executable, "-I", "-S", "-c", code])] * 2
    spec = match_spec(arguments, seed=1)
    with launch_bots([resolve_bot(bot) for bot in arguments], spec.limits) as started:
        async with run_bots(spec, started) as bots:
            for bot in bots:
                bot.push(lines)
            return await release(bots, {0, 1}, [grace] * 2), bots


async def test_a_process_that_has_read_all_is_released_without_a_wait() -> None:
    kept, bots = await released(READS_ALL, grace=0.0)
    assert kept == {0, 1}
    assert all(isinstance(bot, BotProcess) and bot.is_closed for bot in bots)


async def test_a_process_has_time_to_read_its_last_lines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    both = os.open(fifo, os.O_RDWR)
    reads_late = f"import os; os.read(os.open({str(fifo)!r}, os.O_RDONLY), 1); {READS_ALL}"
    begun, hand_over = 0, BotProcess.hand_over

    async def note(bot: BotProcess, seconds: float) -> None:
        nonlocal begun
        begun += 1
        if begun == 2:  # they read when both are waited for
            os.write(both, b"xx")
        await hand_over(bot, seconds)

    monkeypatch.setattr(BotProcess, "hand_over", note)
    kept, _ = await released(reads_late, grace=60.0, lines=MORE_THAN_A_PIPE_HOLDS)
    os.close(both)
    assert kept == {0, 1}
    assert begun == 2


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
    kept, bots = await released(READS_NOTHING, grace=0.5, lines=MORE_THAN_A_PIPE_HOLDS)
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
