"""`play_match`: one match from a Python program, without the command."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import trio

from referee.bots.command import find_bot
from referee.bots.launch import launched
from referee.logs.files import open_logs, restored
from referee.match_spec import match_spec
from referee.play import play_once
from referee.result import MatchResult


def play_match(
    bots: Sequence[str],
    *,
    seed: int | None = None,
    options: Mapping[str, Any] | None = None,
    log: str | None = None,
    record: str | None = None,
    game: str = "dominion",
) -> MatchResult:
    """Play one match with bots as processes.

    Not to be called inside an async program: there, await `referee.play.play_once` under trio.
    At the end whatever the bots have left behind is killed. What another thread starts meanwhile in
    a session of its own cannot be told from that.

    Args:
        bots: BOT arguments as `referee play` takes them, in seat order.
        seed: 0 <= seed < 2**53; drawn if None.
        options: the game's options and the limits of the bots that are not to have their defaults,
            by name: {"max_turns": 4, "time_limit": 2.5}.
        log: file name of the spectator log.
        record: file name of the match record.
        game: a key of `GAMES`.

    Raises:
        UsageError: wrong number of bots, a bad seed or option, a BOT or file that cannot be used.
        LogWriteError: a log could not be written; the match was given up.
        ShortageError: the system is short of processes, memory or file descriptors.
        InternalError: the referee has a bug.
        KeyboardInterrupt: Ctrl-C; the bots have ended.

    Warns:
        RuntimeWarning: somebody has changed or removed a log during the match; it was written anew.
    """
    sources = [find_bot(bot, game) for bot in bots]
    arguments = [source.argument for source in sources]
    spec = match_spec(arguments, game=game, seed=seed, options=options)
    files = open_logs([log, record])
    for file in files:
        if file is not None:
            file.begin(copy=True)
    try:
        with launched(sources) as started:
            play = partial(play_once, spec, started, log=files[0], record=files[1])
            result = trio.run(play).result
        for file in files:
            problem = file.finish() if file is not None else None
            if file is not None and problem is not None:
                warnings.warn(restored(file, problem), RuntimeWarning, stacklevel=2)
        return result
    except BaseExceptionGroup as group:  # Ctrl-C in a nursery
        if group.subgroup(KeyboardInterrupt) is not None:
            raise KeyboardInterrupt from None
        raise
    finally:
        for file in files:
            if file is not None:
                file.close()
