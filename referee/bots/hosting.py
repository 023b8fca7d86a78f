"""Start or borrow the bots of a match, and stop them no matter what happens."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable, Container, Hashable, Sequence
from contextlib import asynccontextmanager
from functools import partial

import trio

from referee.bots.bot import Bot
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
"""Seconds that polling bots may block the thread (`Bot.quick_reply`)."""


@asynccontextmanager
async def run_bots(
    spec: MatchSpec,
    started: Sequence[Started],
    stderr: Sequence[Sink | None] = (),
    *,
    recorded: Sequence[RecordedStderr] = (),
    look_seconds: float = 0.0,
) -> AsyncGenerator[list[Bot], None]:
    """Context manager for the bots of one match. Bots that still run at the end are killed.

    Args:
        started: in seat order.
        stderr: for each bot, a sink for its stderr, or None. Empty: no sinks.
        recorded: for each bot, the buffer for recording its stderr. Empty: not recorded.
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
) -> AsyncGenerator[list[Bot], None]:
    """Like `run_bots`, but reuse processes from the pool where possible.

    After the block, processes that were released (`release`) wait in the pool. All others have
    exited.

    Args:
        keys: for each seat, the key of its process in the pool.
        fresh: if True, reuse nothing, and replace the processes in the pool by new ones.

    Raises:
        ShortageError: the system lacks processes, memory or file descriptors.
    """
    started: list[Started] = []
    try:
        for key, source, limits in zip(keys, sources, spec.each_limits, strict=True):
            waiting = await pool.take(key, fresh=fresh)
            started.append(waiting or launch(source, limits, spec.sandbox))
        async with run_bots(spec, started, stderr, recorded=recorded) as bots:
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

    Args:
        graces: for each bot, the seconds to wait for its exit.

    Returns:
        The seats of the processes that were really released. A bot whose pipes aren't in a clean
        state can't play another match, and is stopped like the rest.
    """
    processes = {seat: process_of(bot) for seat, bot in enumerate(bots) if seat in keep}
    released = {seat for seat, process in processes.items() if process and process.release()}

    async def end(seat: int) -> None:
        process = processes.get(seat)
        # The process couldn't be released, perhaps only because its pipe is still full. Give it a
        # chance to read the rest.
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

    Each of them has some time to exit and may use all of it, so we stop them in parallel.
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
    """Create a bot for one match. If the bot speaks a dialect, the caller has to translate it."""
    if isinstance(source, LaunchedBot):
        stderr = StderrKeeper(file, recorded, source.limits.stderr_limit)
        return BotProcess(source, stderr, look_seconds, reply_end=reply_end(definition, source))
    if isinstance(source, PythonBot):
        return source.new()
    from referee.bots.http import http_bot  # h11 is slow to import

    return http_bot(definition, limits, source)
