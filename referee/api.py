"""`play_match`: one match from a Python program, without the command."""

from __future__ import annotations

import secrets
import warnings
from collections.abc import Sequence

import trio

from referee.bots.command import resolve_bot
from referee.errors import UsageError
from referee.games import GAMES
from referee.logs.files import open_logs, restored
from referee.match import MAX_SEED
from referee.options import Options
from referee.play import Runner
from referee.result import MatchResult


def play_match(
    bots: Sequence[str],
    *,
    seed: int | None = None,
    options: Options | None = None,
    log: str | None = None,
    record: str | None = None,
    game: str = "dominion",
) -> MatchResult:
    """Play one match with bots as processes.

    Not to be called inside an async program: there, await `Runner.run` under trio.

    Args:
        bots: BOT arguments as `referee play` takes them, in seat order.
        seed: 0 <= seed < 2**53; drawn if None.
        options: limits.
        log: file name of the spectator log.
        record: file name of the match record.
        game: a key of `GAMES`.

    Raises:
        UsageError: wrong number of bots, a bad seed, a BOT or file that cannot be used.
        LogWriteError: a log could not be written; the match was given up.
        ShortageError: the system is short of processes, memory or file descriptors.
        InternalError: the referee has a bug.
        KeyboardInterrupt: Ctrl-C; the bots have ended.

    Warns:
        RuntimeWarning: somebody has changed or removed a log during the match; it was written anew.
    """
    rules = GAMES[game]
    if not rules.min_seats <= len(bots) <= rules.max_seats:
        raise UsageError(
            f"{game} takes {rules.min_seats} to {rules.max_seats} bots, not {len(bots)}"
        )
    if seed is None:
        seed = secrets.randbelow(MAX_SEED)
    if not 0 <= seed < MAX_SEED:
        raise UsageError(f"seed {seed} is not an integer from 0 to 2**53 - 1")
    commands = [resolve_bot(bot) for bot in bots]
    files = open_logs([log, record])
    for file in files:
        if file is not None:
            file.keep_copy()
    try:
        runner = Runner(
            rules,
            commands,
            seed=seed,
            options=options or Options(),
            log=files[0],
            record=files[1],
        )
        result = trio.run(runner.run).result
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
