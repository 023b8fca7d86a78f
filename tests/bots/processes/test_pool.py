"""The pool of bot processes that wait for their next match (protocol-v1, 8.4)."""

from __future__ import annotations

import os
import signal
import sys

import pytest
import trio

from referee.bots.bot import Failure
from referee.bots.command import BotCommand, resolve_bot
from referee.bots.processes import pool as module
from referee.bots.processes.launch import LaunchedBot
from referee.bots.processes.pool import BotPool
from referee.bots.processes.process import BotProcess
from referee.bots.processes.stderr import StderrKeeper
from referee.games.interface.faults import Disqualification
from referee.logs.sink import MemorySink
from referee.match.limits import Limits
from tests.support.batches import kept
from tests.support.live import await_end, hostile, is_running

LIMITS = Limits(grace=5.0)
GRACE = 5.0
ASK = b'{"type":"player-name-request","player_number":"player1","version":1}\n'
END = b'{"type":"game-end","scores":[],"winners":[],"reason":"turn-limit"}\n'


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
    assert await pool.take(2) is None
    assert pool.waiting == []


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


# --- letting go (BotProcess.release) --------------------------------------------------------------


async def let_go(launched: LaunchedBot, stderr: MemorySink) -> tuple[bool, object]:
    """Play the shortest possible match. Return whether the bot was released, and its reply."""
    bot = BotProcess(launched, StderrKeeper(stderr))
    bot.push(ASK)
    reply = await bot.reply(trio.current_time() + 60)
    bot.push(END)
    await bot.hand_over(GRACE)
    released = bot.release()
    await bot.kill()
    return released, reply


def program(code: str) -> LaunchedBot:
    """Start a Python program that reads one line and then runs `code`."""
    text = f"import os, sys, signal; sys.stdin.readline(); {code}"
    return LaunchedBot(BotCommand("bot", (sys.executable, "-I", "-S", "-c", text)), LIMITS)


async def test_what_is_on_stderr_by_then_is_of_the_match() -> None:
    launched = LaunchedBot(resolve_bot(kept()), LIMITS)
    for match in (b"match 1\n", b"match 2\n"):
        stderr = MemorySink()
        assert (await let_go(launched, stderr))[0]
        assert stderr.data == match
    launched.end()


async def test_what_comes_on_stderr_later_is_not_of_the_next_match() -> None:
    launched = program(
        "signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR1}); os.write(1, b'{}\\n'); "
        "sys.stdin.readline(); signal.sigwait({signal.SIGUSR1}); os.write(2, b'later'); "
        "sys.stdin.readline(); os.write(2, b'next'); os.write(1, b'{}\\n'); signal.pause()"
    )
    assert (await let_go(launched, MemorySink()))[0]
    os.kill(pid(launched), signal.SIGUSR1)
    await trio.lowlevel.wait_readable(launched.pipes[2])
    stderr = MemorySink()
    assert (await let_go(launched, stderr))[0]
    assert stderr.data == b"next"
    launched.end()


@pytest.mark.parametrize(
    ("early", "taken"),
    [
        (b"{}\n", False),
        (b"{", False),
        (b"\n" * 60_000 + b"{}\n", False),
        (b" \r\n\n", True),
    ],
    ids=["a line", "half a line", "behind blank lines", "blank lines"],
)
async def test_what_was_written_before_the_next_match_does_not_answer_it(
    early: bytes, taken: bool
) -> None:
    launched = program(
        "signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR1}); os.write(1, b'{}\\n'); "
        f"sys.stdin.readline(); signal.sigwait({{signal.SIGUSR1}}); os.write(1, {early!r}); "
        "os.write(2, b'.'); sys.stdin.readline(); os.write(1, b'{}\\n'); signal.pause()"
    )
    assert (await let_go(launched, MemorySink()))[0]
    os.kill(pid(launched), signal.SIGUSR1)
    await trio.lowlevel.wait_readable(launched.pipes[2])
    _, reply = await let_go(launched, MemorySink())
    launched.end()
    if taken:
        assert reply == b"{}"
    else:
        assert reply == Failure(Disqualification.OUTPUT_LIMIT, "it wrote before it got a request")


@pytest.mark.parametrize(
    ("code", "fit"),
    [
        ("os.write(1, b'{}\\n'); signal.pause()", True),
        ("os.write(1, b'{}\\n \\r\\n\\n'); signal.pause()", True),
        ("os.write(1, b'{}\\n{}\\n'); signal.pause()", False),
        ("os.write(1, b'{}\\n{'); signal.pause()", False),
        ("os.close(0); os.write(1, b'{}\\n'); signal.pause()", False),
    ],
    ids=["waits", "blank lines", "a line too many", "half a line", "no stdin"],
)
async def test_who_has_read_all_and_written_nothing_can_play_again(code: str, fit: bool) -> None:
    launched = program(code)
    released, reply = await let_go(launched, MemorySink())
    launched.end()
    assert reply == b"{}"
    assert released == fit
