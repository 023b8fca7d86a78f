"""Starts a trivial program in the same way as a bot, to see if the machine stands still."""

from __future__ import annotations

import trio
from msgspec.structs import replace

from referee.bots.command import BotCommand
from referee.bots.hosting import run_bots
from referee.bots.processes.launch import LaunchedBot
from referee.match.spec import MatchSpec

# We don't wait for the witness any longer than this many seconds.
MOST_SECONDS = 100.0
_ECHO = BotCommand("witness", ("/bin/sh", "-c", "read line && echo ready"))


async def witness_seconds(spec: MatchSpec) -> float:
    """Return how many seconds the program takes to start, and to reply to a line.

    On a machine that works, these are a few hundredths. If the machine stands still, this returns
    when it works again, or after `MOST_SECONDS`.

    Args:
        spec: the match whose limits and sandbox the program gets.
    """
    began = trio.current_time()
    launched = LaunchedBot(_ECHO, spec.limits, spec.sandbox)
    try:
        alone = replace(spec, bots=(_ECHO.argument,), names=(), limits_of_bots=())
        async with run_bots(alone, [launched]) as (bot,):
            bot.push(b"ready?\n")
            await bot.reply(began + MOST_SECONDS)
    finally:
        launched.end()
    return trio.current_time() - began
