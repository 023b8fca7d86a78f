"""Play batches of a tournament's matches in tests."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import msgspec
import pytest
from msgspec import structs

from referee.bots.processes.orphans import adopt_orphans
from referee.match.spec import match_spec
from referee.tournament.playing.batch import Batch, Failed
from referee.tournament.playing.task import play_batch
from referee.tournament.playing.worker import end_bots
from referee.tournament.rows import Entrant, MatchRow, Plan
from tests.support.live import ROOT, left_behind


@contextmanager
def worker() -> Iterator[Executor]:
    """Yield an executor that plays batches in a thread. All its bots end with the block."""
    with ThreadPoolExecutor(1) as executor:
        try:
            yield executor
        finally:
            executor.submit(end_bots).result()
            adopt_orphans(False)
    assert left_behind() == []


def play_in_a_thread(patch: pytest.MonkeyPatch) -> None:
    """Let tournaments play in a thread of this process, which starts at once."""
    patch.setattr("referee.workers.prepare", lambda: True)
    patch.setattr("referee.workers.worker_processes", lambda *_, **__: worker())


def batch(
    bots: Sequence[str],
    seeds: Sequence[int],
    *,
    game: str = "dominion",
    keep_alive: bool = True,
    keep: str = "all",
    **settings: Any,
) -> Batch:
    """Return a batch with one short match per seed. The bots change seats from match to match."""
    seats = range(len(bots))
    return Batch(
        spec=match_spec(
            [""] * max(2, len(bots)), game=game, seed=0, options={"max_turns": 6} | settings
        ),
        entrants={number: Entrant(f"bot {number}", bot) for number, bot in enumerate(bots)},
        plans=tuple(
            Plan(number, number, seed, tuple((seat + number) % len(bots) for seat in seats))
            for number, seed in enumerate(seeds)
        ),
        keep_alive=keep_alive,
        keep=keep,
    )


def play(executor: Executor, *arguments: Any, **options: Any) -> list[MatchRow]:
    return play_all(executor, batch(*arguments, **options))


def play_all(executor: Executor, asked: Batch) -> list[MatchRow]:
    """Play all matches of a batch.

    Raises:
        RefereeError: the worker couldn't play the batch.
    """
    rows: list[MatchRow] = []
    while len(rows) < len(asked.plans):  # a call may return early, when its time is up
        rest = structs.replace(asked, plans=asked.plans[len(rows) :])
        played = executor.submit(play_batch, rest).result()
        if isinstance(played, Failed):
            raise played.as_error()
        rows += played
    return rows


RULES = "smithy.json"
"""A rule file. It plays in the worker, so it needs no process and is never too late."""


def kept(mode: str = "", argument: str = "") -> str:
    file = ROOT / "tests" / "hostile_bots" / "kept.py"
    return shlex.join([sys.executable, "-I", "-S", str(file), mode, argument])


def names(row: MatchRow) -> list[str]:
    return [seat.calls_itself for seat in row.seats]


def left(row: MatchRow) -> list[str | None]:
    return [seat.disqualified for seat in row.seats]


def faults(row: MatchRow) -> list[dict[str, int]]:
    return [msgspec.json.decode(str(seat.faults)) for seat in row.seats]


def name_of(row: MatchRow, number: int) -> str:
    """Return the name that a bot reported. kept.py says "match N" in its process's N-th match."""
    return names(row)[row.players.index(number)]


def stderr_of(row: MatchRow, number: int) -> set[str]:
    return set(row.stderr[row.players.index(number)].decode().splitlines())
