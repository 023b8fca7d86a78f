"""Make the bots of a match from their sources, and end them on every way out.

`run_bots` does so under trio. `borrow_plain_bots` needs no event loop, and lets processes wait for
another match.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Container, Hashable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from typing import TypeAlias

import trio

from referee.bots.bot import Bot
from referee.bots.command import BotAddress, BotSource, PythonBot
from referee.bots.dialect import DialectBot, in_dialect, reply_end
from referee.bots.in_process import InProcessBot
from referee.bots.processes.launch import LaunchedBot, Started, launch
from referee.bots.processes.piped import PipedBot, Steps
from referee.bots.processes.polling import run
from referee.bots.processes.pool import BotPool
from referee.bots.processes.process import BotProcess
from referee.bots.processes.stderr import StderrKeeper
from referee.bots.remote import RemoteBot
from referee.bots.wrapper import BotWrapper
from referee.games.interface.definition import GameDefinition
from referee.logs.record import RecordedStderr
from referee.logs.sink import Sink
from referee.match.limits import Limits
from referee.match.spec import MatchSpec

PlainBot: TypeAlias = InProcessBot | PipedBot | RemoteBot | DialectBot


@asynccontextmanager
async def run_bots(
    spec: MatchSpec,
    started: Sequence[Started],
    stderr: Sequence[Sink | None] = (),
    *,
    recorded: Sequence[RecordedStderr] = (),
    look_seconds: float = 0.0,
) -> AsyncGenerator[list[Bot], None]:
    """Bots to play with inside this block; at its end those that have not ended are killed.

    Args:
        started: in seat order.
        stderr: for each a file to keep its stderr in, or None; empty: no files.
        recorded: for each what hands its stderr to the record; empty if none does.
        look_seconds: as of `BotProcess`.
    """
    async with trio.open_nursery() as nursery:
        bots: list[Bot] = []
        try:
            for seat, source in enumerate(started):
                file = stderr[seat] if stderr else None
                text = recorded[seat] if recorded else None
                bot = start(nursery, spec.rules, spec.limits, source, file, look_seconds, text)
                bots.append(bot)
                if source.dialect:
                    bots[-1] = in_dialect(spec, seat, source, bot)
            yield bots
        finally:
            with trio.CancelScope(shield=True):
                async with trio.open_nursery() as ending:
                    for bot in bots:
                        ending.start_soon(bot.kill)
            nursery.cancel_scope.cancel()


async def finish_all(bots: Sequence[Bot], grace: float) -> None:
    """End bots side by side (8.4)."""
    async with trio.open_nursery() as nursery:
        for bot in bots:
            nursery.start_soon(bot.finish, grace)


def start(
    nursery: trio.Nursery,
    rules: GameDefinition,
    limits: Limits,
    source: Started,
    file: Sink | None = None,
    look_seconds: float = 0.0,
    recorded: RecordedStderr | None = None,
) -> Bot:
    """A bot without what stands before it if it speaks a dialect; its tasks are in the nursery."""
    if isinstance(source, LaunchedBot):
        stderr = StderrKeeper(file, recorded, source.limits.stderr_limit)
        process = BotProcess(source, stderr, look_seconds, reply_end=reply_end(rules, source))
        process.attend(nursery)
        return process
    return source.new() if isinstance(source, PythonBot) else _http_bot(rules, limits, source)


# --- without an event loop ------------------------------------------------------------------------


@contextmanager
def borrow_plain_bots(
    pool: BotPool,
    spec: MatchSpec,
    sources: Sequence[BotSource],
    keys: Sequence[Hashable],
    stderr: Sequence[Sink | None],
    recorded: Sequence[RecordedStderr] = (),
    fresh: bool = False,
) -> Iterator[list[PlainBot]]:
    """Bots to play with inside this block: processes that have waited for this match, or new ones.

    After the block those that were let go of (`release_plain`) wait in the pool; the others have
    ended.

    Args:
        keys: by which those that wait are found.
        stderr, recorded: as of `run_bots`.
        fresh: whether new processes play, and those that have waited end.

    Raises:
        ShortageError: the system has no process, memory or file descriptor left for one.
    """
    started: list[Started] = []
    bots: list[InProcessBot | PipedBot | RemoteBot] = []
    try:
        for key, source in zip(keys, sources, strict=True):
            waiting = pool.take(key, fresh=fresh)
            started.append(waiting or launch(source, spec.limits, spec.sandbox))
        handed: Sequence[RecordedStderr | None] = recorded or [None] * len(started)
        bots += [_plain(spec, *each) for each in zip(started, stderr, handed, strict=True)]
        yield [
            in_dialect(spec, seat, source, bot) if source.dialect else bot
            for seat, (source, bot) in enumerate(zip(started, bots, strict=True))
        ]
    finally:
        run({bot: bot.killing() for bot in awaited_of(bots).values()})
        for key, launched in zip(keys, started, strict=False):
            if isinstance(launched, LaunchedBot):
                if launched.last_stderr is not None:
                    pool.put(key, launched)
                else:
                    launched.end()
    pool.shrink()


def release_plain(bots: Sequence[PlainBot], keep: Container[int], grace: float) -> set[int]:
    """Let go of the bots in the seats of `keep`, and end the others, side by side (8.4).

    Each has `grace` seconds. Returns the seats of those that were let go of.
    """
    released = {seat for seat in range(len(bots)) if seat in keep}

    def end(seat: int, bot: PipedBot | RemoteBot) -> Steps[None]:
        if seat not in keep or not (yield from bot.releasing(grace)):
            released.discard(seat)
            yield from bot.finishing(grace)

    run({bot: end(seat, bot) for seat, bot in awaited_of(bots).items()})
    return released


def awaited_of(bots: Sequence[object]) -> dict[int, PipedBot | RemoteBot]:
    """Those of the bots that have to be waited for, by seat, without a dialect before them."""
    found = {}
    for seat, bot in enumerate(bots):
        while isinstance(bot, BotWrapper):
            bot = bot.wrapped
        if isinstance(bot, PipedBot | RemoteBot):
            found[seat] = bot
    return found


def _plain(
    spec: MatchSpec, source: Started, file: Sink | None, recorded: RecordedStderr | None
) -> InProcessBot | PipedBot | RemoteBot:
    if isinstance(source, LaunchedBot):
        stderr = StderrKeeper(file, recorded, source.limits.stderr_limit)
        return PipedBot(source, stderr, reply_end=reply_end(spec.rules, source))
    if isinstance(source, BotAddress):
        return RemoteBot(_http_bot(spec.rules, spec.limits, source))
    bot = source.new()
    assert isinstance(bot, InProcessBot)  # people sit at the command's terminal alone
    return bot


def _http_bot(rules: GameDefinition, limits: Limits, source: BotAddress) -> Bot:
    from referee.bots.http import http_bot  # with h11, which takes long to load

    return http_bot(rules, limits, source)
