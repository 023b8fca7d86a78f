"""The pool of bot processes that wait for their next match (protocol-v1, 8.4)."""

from __future__ import annotations

import os
import signal

import pytest

from referee.bots.command import resolve_bot
from referee.bots.processes import pool as module
from referee.bots.processes.launch import LaunchedBot
from referee.bots.processes.pool import BotPool
from referee.bots.processes.stderr import StderrKeeper
from referee.match.limits import Limits
from tests.support.live import await_end, hostile, is_running

LIMITS = Limits(grace=5.0)


def waiting(bot: str = "minimal", limits: Limits = LIMITS) -> LaunchedBot:
    """Start a bot that looks as if a match had released it."""
    launched = LaunchedBot(resolve_bot(bot), limits)
    launched.last_stderr = StderrKeeper(None)
    return launched


def pid(bot: LaunchedBot) -> int:
    assert bot.popen is not None
    return bot.popen.pid


async def test_who_waits_is_taken_once() -> None:
    pool = BotPool()
    bot = waiting()
    pool.put("bot", bot)
    assert await pool.take("another") is None
    assert await pool.take("bot") is bot
    assert await pool.take("bot") is None
    bot.end()


async def test_two_of_one_kind_wait_side_by_side() -> None:
    pool = BotPool()
    bots = [waiting(), waiting()]
    for bot in bots:
        pool.put("bot", bot)
    assert {await pool.take("bot"), await pool.take("bot")} == set(bots)
    for bot in bots:
        bot.end()


async def test_who_is_taken_is_thawed() -> None:
    """A bot is frozen while it waits (limits.md, 5)."""
    pool = BotPool()
    bot = waiting()
    bot.is_frozen = True
    pool.put("bot", bot)
    assert pool.waiting == [bot]
    assert await pool.take("bot") is bot
    assert not bot.is_frozen
    bot.end()


async def test_a_process_that_may_not_play_again_is_ended() -> None:
    """It's thawed first, so that it can end by itself."""
    pool = BotPool()
    bot = waiting()
    bot.is_frozen = True
    pool.put("bot", bot)
    assert await pool.take("bot", fresh=True) is None
    assert (bot.is_frozen, bot.exit_code, pool.waiting) == (False, 0, [])


async def test_who_has_ended_meanwhile_is_not_taken() -> None:
    pool = BotPool()
    bot = waiting()
    pool.put("bot", bot)
    bot.kill()
    await_end(pid(bot))
    assert await pool.take("bot") is None
    assert bot.exit_code == -signal.SIGKILL  # the process was reaped


async def test_the_one_that_waited_longest_ends_when_there_are_too_many(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "MAX_WAITING", 1)
    pool = BotPool()
    bots = [waiting() for _ in range(3)]
    for number, bot in enumerate(bots):
        pool.put(number, bot)
    await pool.shrink()
    assert [bot.exit_code for bot in bots] == [0, 0, None]
    await pool.finish()
    assert [bot.exit_code for bot in bots] == [0] * len(bots)
    assert pool.waiting == []
    assert await pool.take(2) is None


async def test_who_does_not_end_by_itself_is_made_to() -> None:
    pool = BotPool()
    bot = waiting(hostile("stop_at", 0), Limits(grace=0.05))
    pool.put("bot", bot)
    os.killpg(pid(bot), signal.SIGSTOP)  # a stopped bot doesn't notice that its input has ended
    await pool.finish()
    assert bot.exit_code in (-signal.SIGKILL, -signal.SIGTERM)


async def test_all_are_killed_at_once() -> None:
    pool = BotPool()
    bots = [waiting(), waiting()]
    for number, bot in enumerate(bots):
        pool.put(number, bot)
    pool.end()
    assert [bot.exit_code for bot in bots] == [-signal.SIGKILL] * 2
    assert not any(is_running(pid(bot)) for bot in bots)
