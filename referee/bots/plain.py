"""The bots of a match without an event loop: processes, Python objects, web addresses."""

from __future__ import annotations

from collections.abc import Container, Hashable, Iterator, Sequence
from contextlib import contextmanager
from typing import TypeAlias

from referee.bots.command import BotSource, PythonBot
from referee.bots.dialect import DialectBot, in_dialect, reply_end
from referee.bots.in_process import InProcessBot
from referee.bots.processes.launch import LaunchedBot, Started
from referee.bots.processes.piped import PipedBot, Steps
from referee.bots.processes.polling import run
from referee.bots.processes.pool import BotPool, borrowed
from referee.bots.processes.stderr import StderrKeeper
from referee.bots.remote import RemoteBot
from referee.bots.wrapper import BotWrapper
from referee.logs.record import RecordedStderr
from referee.logs.sink import Sink
from referee.match.spec import MatchSpec

PlainBot: TypeAlias = InProcessBot | PipedBot | RemoteBot | DialectBot


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
    """Bots to play with inside this block, as of `borrowed`; at its end the others are killed.

    Args:
        stderr: for each a file to keep its stderr in, or None.
        recorded: for each what hands its stderr to the record; empty if none does.
    """
    with borrowed(pool, spec, sources, keys, fresh=fresh) as started:
        handed: Sequence[RecordedStderr | None] = recorded or [None] * len(started)
        bots = [_bot(spec, *each) for each in zip(started, stderr, handed, strict=True)]
        try:
            yield [
                in_dialect(spec, seat, source, bot) if source.dialect else bot
                for seat, (source, bot) in enumerate(zip(started, bots, strict=True))
            ]
        finally:
            awaited = [bot for bot in bots if not isinstance(bot, InProcessBot)]
            run({bot: bot.killing() for bot in awaited})


def release_plain(bots: Sequence[PlainBot], keep: Container[int], grace: float) -> set[int]:
    """Let go of bots that wait for another match, and end the others, side by side (8.4).

    Args:
        bots: in seat order.
        keep: the seats of those that wait.
        grace: seconds.

    Returns:
        The seats of those that were let go of.
    """
    awaited = awaited_of(bots)
    released = {seat for seat in range(len(bots)) if seat in keep}

    def end(seat: int, bot: PipedBot | RemoteBot) -> Steps[None]:
        if seat not in keep or not (yield from bot.releasing(grace)):
            released.discard(seat)
            yield from bot.finishing(grace)

    run({bot: end(seat, bot) for seat, bot in awaited.items()})
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


def _bot(
    spec: MatchSpec, source: Started, file: Sink | None, recorded: RecordedStderr | None
) -> InProcessBot | PipedBot | RemoteBot:
    if isinstance(source, LaunchedBot):
        return PipedBot(
            source,
            StderrKeeper(file, recorded, source.limits.stderr_limit),
            reply_end=reply_end(spec.rules, source),
        )
    if not isinstance(source, PythonBot):
        from referee.bots.http import http_bot  # with h11, which takes long to load

        return RemoteBot(http_bot(spec.rules, spec.limits, source))
    bot = source.new()
    assert isinstance(bot, InProcessBot)  # people sit at the command's terminal alone
    return bot
