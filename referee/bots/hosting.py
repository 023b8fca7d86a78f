"""Starts or borrows the bots of a match, and stops them no matter what happens."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable, Container, Hashable, Sequence
from contextlib import asynccontextmanager
from functools import partial

import trio

from referee.bots.bot import Answer, Bot
from referee.bots.command import BotSource, PythonBot
from referee.bots.dialect import in_dialect, reply_end
from referee.bots.processes.launch import LaunchedBot, Started, launch
from referee.bots.processes.pool import BotPool
from referee.bots.processes.process import BotProcess
from referee.bots.processes.stderr import StderrKeeper
from referee.bots.wrapper import process_of
from referee.games.interface.definition import GameDefinition
from referee.logs.record import RecordedStderr
from referee.logs.sink import Sink
from referee.match.limits import Limits
from referee.match.spec import MatchSpec

QUICK_SECONDS = 0.005
"""We block the thread for up to this many seconds to get a quick reply (`Bot.quick_reply`)."""


async def quick_answer(bot: Bot, until: float) -> Answer | None:
    """Wait for a bot's reply until a time on trio's clock, usually `QUICK_SECONDS` from now.

    Other tasks can run in the meantime. This opens no nursery, so it costs far less than
    `Bot.reply`. If it returns None, call that.
    """
    if bot.stdout_fd == -1:
        await trio.lowlevel.checkpoint()
    else:
        with trio.move_on_at(until):
            await trio.lowlevel.wait_readable(bot.stdout_fd)
    return bot.quick_reply(0.0)


@asynccontextmanager
async def run_bots(
    spec: MatchSpec,
    started: Sequence[Started],
    stderr: Sequence[Sink | None] = (),
    *,
    recorded: Sequence[RecordedStderr] = (),
    look_seconds: float = 0.0,
) -> AsyncGenerator[list[Bot], None]:
    """Run the bots of one match in an `async with` block, and kill any that are left at its end.

    Args:
        started: the bots in seat order.
        stderr: where to write each bot's stderr. If an entry is None, we don't write that bot's
            stderr, and if the whole sequence is empty, we don't write any.
        recorded: for each bot, the buffer that records its stderr. If this is empty, we don't
            record stderr.
        look_seconds: see `BotProcess`.
    """
    bots: list[Bot] = []
    try:
        for seat, (source, limits) in enumerate(zip(started, spec.each_limits, strict=True)):
            file = stderr[seat] if stderr else None
            text = recorded[seat] if recorded else None
            bot = new_bot(spec.definition, limits, source, file, look_seconds, text)
            bots.append(in_dialect(spec, seat, source, bot) if source.dialect else bot)
        yield bots
    finally:
        left = [bot for bot in bots if not _is_closed(bot)]
        # Shielded, because the bots have to be stopped even if this task was cancelled.
        with trio.CancelScope(shield=True):
            await _side_by_side([bot.kill for bot in left])


@asynccontextmanager
async def borrow_bots(
    pool: BotPool,
    spec: MatchSpec,
    sources: Sequence[BotSource],
    keys: Sequence[Hashable],
    stderr: Sequence[Sink | None] = (),
    recorded: Sequence[RecordedStderr] = (),
    *,
    fresh: bool = False,
    look_seconds: float = 0.0,
) -> AsyncGenerator[list[Bot], None]:
    """Like `run_bots`, but use waiting processes from a pool if there are any.

    After the block, the processes that you've released (`release`) are back in the pool. All others
    have been killed.

    Args:
        keys: for each seat, the key of its process in the pool.
        fresh: if True, start new processes for all seats, and stop the old ones in the pool.
        look_seconds: see `BotProcess`.

    Raises:
        ShortageError: the system lacks processes, memory or file descriptors.
    """
    started: list[Started] = []
    try:
        for key, source, limits in zip(keys, sources, spec.each_limits, strict=True):
            waiting = await pool.take(key, fresh=fresh)
            started.append(waiting or launch(source, limits, spec.sandbox))
        async with run_bots(
            spec, started, stderr, recorded=recorded, look_seconds=look_seconds
        ) as bots:
            yield bots
    finally:
        for key, launched in zip(keys, started, strict=False):
            if isinstance(launched, LaunchedBot):
                # Only release() sets last_stderr, so that's how we tell which processes have been
                # released.
                if launched.last_stderr is not None:
                    pool.put(key, launched)
                else:
                    launched.end()
    await pool.shrink()


async def release(bots: Sequence[Bot], keep: Container[int], graces: Sequence[float]) -> set[int]:
    """Release the processes in the seats of `keep`, and stop the other bots in parallel (8.4).

    A process can't play another match if there's something left in its pipes. In this case, we stop
    it like the rest.

    Args:
        graces: for each bot, the seconds that it gets to exit.

    Returns:
        The seats of the processes that we could release.
    """
    processes = {seat: process_of(bot) for seat, bot in enumerate(bots) if seat in keep}
    released = {seat for seat, process in processes.items() if process and process.release()}

    async def end(seat: int) -> None:
        process = processes.get(seat)
        # Perhaps we couldn't release a process because it hasn't read all of its input yet, so give
        # it some time and try again.
        if process is not None:
            await process.hand_over(graces[seat])
            if process.release():
                released.add(seat)
                return
        await bots[seat].finish(graces[seat])

    await _side_by_side([partial(end, seat) for seat in range(len(bots)) if seat not in released])
    return released


async def finish_all(bots: Sequence[Bot], spec: MatchSpec) -> None:
    """Stop the bots of a match (8.4).

    We stop them in parallel, because each may use all of the time that it has to exit.
    """
    await release(bots, (), [limits.grace for limits in spec.each_limits])


async def _side_by_side(calls: Sequence[Callable[[], Awaitable[object]]]) -> None:
    # A nursery isn't free, and usually these calls return immediately.
    if len(calls) == 1:
        await calls[0]()
    elif calls:
        async with trio.open_nursery() as nursery:
            for call in calls:
                nursery.start_soon(call)


def _is_closed(bot: Bot) -> bool:
    process = process_of(bot)
    return process is not None and process.is_closed


def new_bot(
    definition: GameDefinition,
    limits: Limits,
    source: Started,
    file: Sink | None = None,
    look_seconds: float = 0.0,
    recorded: RecordedStderr | None = None,
) -> Bot:
    """Create the bot for one match. If it speaks a dialect, wrap the result with `in_dialect`."""
    if isinstance(source, LaunchedBot):
        stderr = StderrKeeper(file, recorded, source.limits.stderr_limit)
        return BotProcess(source, stderr, look_seconds, reply_end=reply_end(definition, source))
    if isinstance(source, PythonBot):
        return source.new()
    from referee.bots.http import http_bot  # h11 is slow to import

    return http_bot(definition, limits, source)
