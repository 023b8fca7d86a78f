"""The bots of a match under trio: made of what was launched, and ended on every way out."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Container, Hashable, Sequence
from contextlib import asynccontextmanager

import trio

from referee.bots.bot import Bot
from referee.bots.command import BotSource, PythonBot
from referee.bots.processes.launch import LaunchedBot, Started, launch
from referee.bots.processes.pool import BotPool, finish
from referee.bots.processes.process import BotProcess
from referee.bots.processes.stderr import StderrKeeper
from referee.games.interface.rules import Rules
from referee.logs.record import RecordedStderr
from referee.logs.sink import Sink
from referee.match.limits import Limits
from referee.match.spec import MatchSpec

_PATIENCE = 1
"""Milliseconds to wait for a reply without the event loop."""


@asynccontextmanager
async def hosted(
    spec: MatchSpec,
    started: Sequence[Started],
    stderr: Sequence[Sink | None] | None = None,
    *,
    recorded: Sequence[RecordedStderr] = (),
    patience: int = 0,
    look_seconds: float = 0.0,
) -> AsyncGenerator[list[Bot], None]:
    """Bots to play with inside this block; at its end those that have not ended are killed.

    Args:
        spec: the match.
        started: in seat order.
        stderr: for each a file to keep its stderr in, or None.
        recorded: for each what hands its stderr to the record; empty if none does.
        patience, look_seconds: as of `BotProcess`.
    """
    files = stderr or [None] * len(started)
    async with trio.open_nursery() as nursery:
        bots: list[Bot] = []
        try:
            for seat, (source, file) in enumerate(zip(started, files, strict=True)):
                bot = start(
                    nursery,
                    spec.rules,
                    spec.limits,
                    source,
                    file,
                    patience,
                    look_seconds,
                    recorded[seat] if recorded else None,
                )
                bots.append(bot)
                if source.dialect:
                    bots[-1] = _translated(spec, seat, source, bot)
            yield bots
        finally:
            with trio.CancelScope(shield=True):
                async with trio.open_nursery() as ending:
                    for bot in bots:
                        ending.start_soon(bot.kill)
            nursery.cancel_scope.cancel()


@asynccontextmanager
async def lent(
    pool: BotPool,
    spec: MatchSpec,
    sources: Sequence[BotSource],
    keys: Sequence[Hashable],
    stderr: Sequence[Sink | None] | None = None,
    *,
    recorded: Sequence[RecordedStderr] = (),
    fresh: bool = False,
) -> AsyncGenerator[list[Bot], None]:
    """As `hosted`, with processes that have waited for this match, else with new ones (8.4).

    After this block those wait in the pool that were let go of; the others have ended. It is for
    who has nothing else to do than to wait for one bot.

    Args:
        keys: of those that wait, in seat order.
        recorded: as of `hosted`.
        fresh: those that have waited end, and new ones play.

    Raises:
        ShortageError: the system has no process, memory or file descriptor left for one.
    """
    started: list[Started] = []
    try:
        for key, source in zip(keys, sources, strict=True):
            waiting = pool.take(key)
            if waiting is not None and fresh:
                await finish(waiting)
                waiting = None
            started.append(waiting or launch(source, spec.limits, spec.sandbox))
        async with hosted(spec, started, stderr, recorded=recorded, patience=_PATIENCE) as bots:
            yield bots
    finally:
        for key, bot in zip(keys, started, strict=False):
            if isinstance(bot, LaunchedBot):
                if bot.last_stderr is not None:
                    pool.put(key, bot)
                else:
                    bot.end()
    await pool.shrink()


async def finish_all(bots: Sequence[Bot], grace: float) -> None:
    """End bots side by side (8.4)."""
    async with trio.open_nursery() as nursery:
        for bot in bots:
            nursery.start_soon(bot.finish, grace)


async def release_all(bots: Sequence[Bot], keep: Container[int], grace: float) -> set[int]:
    """Let go of bots that wait for another match, and end the others, side by side (8.4).

    Args:
        bots: in seat order.
        keep: the seats of those that wait.
        grace: seconds.

    Returns:
        The seats of those that were let go of.
    """
    released: set[int] = set()

    async def end(seat: int, bot: Bot) -> None:
        if seat in keep and await bot.release(grace):
            released.add(seat)
        else:
            await bot.finish(grace)

    async with trio.open_nursery() as nursery:
        for seat, bot in enumerate(bots):
            nursery.start_soon(end, seat, bot)
    return released


def start(
    nursery: trio.Nursery,
    rules: Rules,
    limits: Limits,
    source: Started,
    file: Sink | None = None,
    patience: int = 0,
    look_seconds: float = 0.0,
    recorded: RecordedStderr | None = None,
) -> Bot:
    """A bot as it is, without what stands before it if it speaks a dialect.

    Args:
        nursery: for the tasks that a process needs as long as it runs.
        file: to keep its stderr in, or None.
        patience, look_seconds: as of `BotProcess`.
        recorded: hands its stderr to the record, or None.
    """
    if isinstance(source, LaunchedBot):
        kind = rules.dialects[source.dialect]() if source.dialect else None
        process = BotProcess(
            source,
            StderrKeeper(file, recorded, source.limits.stderr_limit),
            patience,
            look_seconds,
            reply_end=b"\n" if kind is None else kind.reply_end,
        )
        process.attend(nursery)
        return process
    if isinstance(source, PythonBot):
        return source.new()
    from referee.bots import http  # with h11, which takes long to load

    if not source.dialect:
        return http.HttpBot(source.url, limits)
    field = rules.dialects[source.dialect]().form_field
    content_type = http.FORM if field else http.JSON
    return http.HttpBot(source.url, limits, content_type, field)


def _translated(spec: MatchSpec, seat: int, source: Started, bot: Bot) -> Bot:
    from referee.bots.dialect import DialectBot

    kind = spec.rules.dialects[source.dialect]()
    return DialectBot(bot, kind.new(seat, spec.seed, source.argument))
