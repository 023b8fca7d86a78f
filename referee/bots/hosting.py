"""The bots of a match under trio: made of what was launched, and ended on every way out."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager

import trio

from referee.bots.bot import Bot
from referee.bots.launch import LaunchedBot
from referee.bots.process import BotProcess
from referee.bots.stderr import StderrKeeper
from referee.logs.files import LogFile
from referee.options import Limits


@asynccontextmanager
async def hosted(
    launched: Sequence[LaunchedBot],
    limits: Limits,
    stderr: Sequence[LogFile | None] | None = None,
) -> AsyncGenerator[list[Bot]]:
    """Bots to play with inside this block; at its end they are killed, if they have not ended.

    Args:
        launched: in seat order.
        limits: of each bot.
        stderr: for each a file to keep its stderr in, or None.
    """
    files = stderr or [None] * len(launched)
    async with trio.open_nursery() as nursery:
        bots = [
            BotProcess(process, limits, StderrKeeper(file))
            for process, file in zip(launched, files, strict=True)
        ]
        try:
            for bot in bots:
                nursery.start_soon(bot.watch)
                nursery.start_soon(bot.drain_stderr)
            yield list(bots)
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
