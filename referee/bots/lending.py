"""Make the bots of a match without an event loop, or lend those that have waited for it."""

from __future__ import annotations

from collections.abc import Container, Hashable, Iterator, Sequence
from contextlib import contextmanager
from typing import TypeAlias

from referee.bots.command import BotAddress, BotSource
from referee.bots.dialect import DialectBot, in_dialect, reply_end
from referee.bots.in_process import InProcessBot
from referee.bots.processes.launch import LaunchedBot, Started, launch
from referee.bots.processes.piped import PipedBot, Steps
from referee.bots.processes.polling import run
from referee.bots.processes.pool import BotPool
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
        from referee.bots.http import http_bot  # with h11 and trio, which take long to load

        return RemoteBot(http_bot(spec.rules, spec.limits, source))
    bot = source.new()
    assert isinstance(bot, InProcessBot)  # people sit at the command's terminal alone
    return bot
