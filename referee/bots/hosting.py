"""Make the bots of a match under trio, and end them on every way out (`lending.py`: without)."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager

import trio

from referee.bots.bot import Bot
from referee.bots.command import PythonBot
from referee.bots.dialect import in_dialect, reply_end
from referee.bots.processes.launch import LaunchedBot, Started
from referee.bots.processes.process import BotProcess
from referee.bots.processes.stderr import StderrKeeper
from referee.games.interface.definition import GameDefinition
from referee.logs.record import RecordedStderr
from referee.logs.sink import Sink
from referee.match.limits import Limits
from referee.match.spec import MatchSpec


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
    if isinstance(source, PythonBot):
        return source.new()
    from referee.bots.http import http_bot  # with h11, which takes long to load

    return http_bot(rules, limits, source)
