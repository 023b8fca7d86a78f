"""Run tournaments with made-up results, which takes no time because no bot is started.

A result only depends on the plan of the match, as it would with deterministic bots.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future
from contextlib import AbstractContextManager, contextmanager
from random import Random
from typing import Any, NamedTuple

import msgspec

from referee.games.interface.game import Score
from referee.tournament.playing.batch import Batch, Failed
from referee.tournament.playing.dispatcher import LEAVER, Dispatcher
from referee.tournament.playing.run import Run
from referee.tournament.playing.task import play_batch
from referee.tournament.playing.worker import MAX_LATE_REPLAYS
from referee.tournament.rows import Entrant, Faults, Histogram, MatchRow, Plan, SeatRow
from referee.tournament.schedule.format import TournamentSetup
from referee.tournament.setup import setup
from referee.tournament.store import Store
from tests.support.stores import TIME_COLUMNS

Result = Callable[[Plan], MatchRow]
REFEREE = "0.0"


class Left(NamedTuple):
    code: str
    detail: str
    stderr: list[str]


def row(
    plan: Plan,
    ranks: list[int] | None = None,
    *,
    names: list[str] | None = None,
    scores: list[Score] | None = None,
    faults: list[dict[str, int]] | None = None,
    left: list[Left | None] | None = None,
    replies: int = 50,
    reply_histogram: dict[int, int] | None = None,
    statistics: list[bytes] | None = None,
    **changes: Any,
) -> MatchRow:
    """Make up the result of a match.

    Bots with lower numbers are stronger, but luck counts too. It depends on the plan's seed and
    players.
    """
    chance = Random(f"{plan.seed} {plan.players}")
    if ranks is None:
        strength = [chance.randrange(4) - bot % 5 for bot in plan.players]
        ranks = [1 + sum(other > own for other in strength) for own in strength]
    seats = []
    for seat, (bot, rank) in enumerate(zip(plan.players, ranks, strict=True)):
        gone = left[seat] if left else None
        seats.append(
            SeatRow(
                match=plan.match,
                seat=seat,
                bot=bot,
                calls_itself=names[seat] if names else f"Bot {bot}",
                rank=rank,
                score=scores[seat] if scores else 40 - 3 * rank,
                faults=Faults(_json(faults[seat] if faults else {})),
                disqualified=gone.code if gone else None,
                detail=gone.detail if gone else None,
                stderr="\n".join(gone.stderr) if gone else None,
                replies=replies,
                reply_seconds=0.1,
                longest_reply=0.01,
                reply_histogram=Histogram(_json(reply_histogram or {40: 50})),
                statistics=statistics[seat].decode() if statistics else "",
            )
        )
    fields: dict[str, Any] = {
        "match": plan.match,
        "deal": plan.deal,
        "seed": plan.seed,
        "turns": chance.randrange(20, 60),
        "reason": "provinces-empty",
        "void": False,
        "late": 0,
        "restarts": 0,
        "seconds": 0.25,
        "digest": f"sha256:{plan.seed:x}-{plan.players}",
        "referee": REFEREE,
        "seats": tuple(seats),
    }
    return MatchRow(**(fields | changes))


def _json(value: object) -> str:
    return msgspec.json.encode(value).decode()


def void(plan: Plan) -> MatchRow:
    return row(plan, late=MAX_LATE_REPLAYS + 1, void=True)


def left(code: str = "timeout") -> Left:
    return Left(code, "it took too long", ["Traceback"])


_MOST_TIMES = 100


class MadeUp(Executor):
    """An executor whose batches are done immediately, with made-up results.

    Args:
        result: makes up the result of a match.
        most: play at most this number of matches per batch.
    """

    def __init__(self, result: Result = row, most: int = 1_000) -> None:
        self._result = result
        self._most = most
        self._times: Counter[int] = Counter()
        self.played: list[int] = []

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        assert fn is play_batch
        (batch,) = args
        future: Future[list[MatchRow] | Failed] = Future()
        future.set_result(self._play(batch))
        return future

    def _play(self, batch: Batch) -> list[MatchRow]:
        if any(LEAVER in plan.players for plan in batch.plans):
            return [row(plan) for plan in batch.plans]  # only called to start the worker
        plans = batch.plans[: self._most]
        self._times[plans[0].match] += 1
        assert self._times[plans[0].match] < _MOST_TIMES, "this match is played for ever"
        self.played += [plan.match for plan in plans]
        return [self._result(plan) for plan in plans]


@contextmanager
def workers(executor: Executor) -> Iterator[Executor]:
    yield executor


def dispatcher(executor: Executor, jobs: int = 2, **options: Any) -> Dispatcher:
    def context() -> AbstractContextManager[Executor]:
        return workers(executor)

    return Dispatcher(context, lambda: jobs, **options)


def made_setup(bots: int = 3, **options: Any) -> TournamentSetup:
    # These commands don't exist, but nobody ever runs them.
    entrants = [Entrant(f"bot{number}", f"bot{number}") for number in range(bots)]
    return setup(entrants, **({"game": "dominion", "seed": 1} | options))


class StopError(Exception):
    """Interrupts a tournament, like Ctrl-C."""


def play(
    store: Store,
    result: Result = row,
    *,
    jobs: int = 2,
    most: int = 1_000,
    until: int | None = None,
) -> list[int]:
    """Run a tournament. Return the numbers of the matches that were played.

    Args:
        until: interrupt the run after this number of stored matches.
    """
    executor = MadeUp(result, most)
    run = Run(store)

    def look() -> None:
        if until is not None and run.done >= until:
            raise StopError

    run.look = look
    with dispatcher(executor, jobs) as made:
        try:
            run.play(made)
        except StopError:
            return executor.played
    assert until is None, "it was to be cut off"
    return executor.played


def played(wanted: TournamentSetup, result: Result = row, **how: Any) -> Store:
    store = Store.in_memory()
    store.add_stage(wanted)
    play(store, result, **how)
    return store


def contents(store: Store) -> dict[str, list[dict[str, Any]]]:
    """Return all rows of a store in the order of the schedule, without the `TIME_COLUMNS`."""
    tables = {}
    for table, order in (("bots", "bot"), ("matches", "match"), ("seats", "match, seat")):
        names = [name for _, name, *_ in store.select(f"PRAGMA table_info({table})")]
        rows = store.select(f"SELECT * FROM {table} ORDER BY {order}")
        skipped = TIME_COLUMNS.get(table, ())
        tables[table] = [
            {name: value for name, value in zip(names, values, strict=True) if name not in skipped}
            for values in rows
        ]
    return tables
