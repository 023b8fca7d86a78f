"""Plays matches in workers, in batches."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, wait
from contextlib import AbstractContextManager

from referee.bots.command import BotSource
from referee.errors import ShortageError
from referee.tournament.batch import (
    BATCH_SECONDS,
    Batch,
    Failed,
    MatchRow,
    Plan,
    lost_row,
    play_batch,
)
from referee.tournament.setup import Setup

MAX_BATCH = 1_000
AHEAD = 2
"""Batches that are given out for each job, so that none waits for work."""
MAX_DEATHS = 3
"""A match is void after so many deaths of workers that were playing it alone."""
MAX_LOST = 3
"""After so many such matches in a row it is not the bots that kill workers."""
LOOK_SECONDS = 0.1


class Player:
    """Plays matches of a tournament; a context in which its workers live.

    Args:
        workers: makes the executor.
        jobs: says how many batches it works on at once.
        keep: which records are given back: "all", "faulty" or "none".
        results, sources: as of `Batch`.
    """

    def __init__(
        self,
        workers: Callable[[], AbstractContextManager[Executor]],
        jobs: Callable[[], int],
        *,
        keep: str = "none",
        results: bool = False,
        sources: Mapping[int, BotSource] | None = None,
    ) -> None:
        self._workers = workers
        self._jobs = jobs
        self._keep = keep
        self._results = results
        self._sources = sources or {}
        self._context: AbstractContextManager[Executor] | None = None
        self._executor: Executor | None = None
        self._seconds: float | None = None  # a match, lately
        self._again: deque[Plan] = deque()  # given out, and given back
        self._suspects: deque[Plan] = deque()  # were being played when a worker died
        self._deaths: Counter[int] = Counter()  # match -> how often it was alone then
        self._lost = 0  # matches in a row that were given up

    def __enter__(self) -> Player:
        self._context = self._workers()
        self._executor = self._context.__enter__()
        return self

    def __exit__(self, *exc_info: object) -> None:
        if self._context is not None:
            context, self._context = self._context, None
            context.__exit__(*exc_info)  # type: ignore[arg-type]

    def play(self, setup: Setup, plans: Iterator[Plan]) -> Iterator[list[MatchRow]]:
        """Play these matches.

        When a worker dies, the matches that were out are played again one at a time, since a bot
        may have killed it. A match that is alone when its worker dies is void in the end.

        Yields:
            Batches that are finished, in whatever order they are; an empty one now and then, so
            that the caller can look around.

        Raises:
            UsageError: a bot is not there any more.
            ShortageError: the system is short of something, or kills workers whatever they play.
            InternalError: the referee has a bug.
        """
        in_play: dict[Future[list[MatchRow] | Failed], Batch] = {}
        while True:
            try:
                while len(in_play) < (1 if self._suspects else self._jobs() * AHEAD):
                    batch = self._batch(setup, plans)
                    if batch is None:
                        break
                    assert self._executor is not None  # inside the context
                    try:
                        in_play[self._executor.submit(play_batch, batch)] = batch
                    except BrokenExecutor:
                        self._again += batch.plans
                        raise
                if not in_play:
                    return
                finished, _ = wait(in_play, LOOK_SECONDS, FIRST_COMPLETED)
                if not finished:
                    yield []
                for future in finished:
                    rows = future.result()
                    if isinstance(rows, Failed):
                        raise rows.as_error()
                    self._again += in_play.pop(future).plans[len(rows) :]
                    self._lost = 0
                    self._note_seconds(rows)
                    yield rows
            except BrokenExecutor as error:
                out = [plan for batch in in_play.values() for plan in batch.plans]
                in_play.clear()
                self.__exit__(type(error), error, error.__traceback__)
                if len(out) == 1 and self._is_lost(out[0], error):
                    yield [lost_row(out[0])]
                else:
                    self._suspects.extendleft(reversed(out))
                self.__enter__()

    def _is_lost(self, plan: Plan, error: BrokenExecutor) -> bool:
        """Note a match that was alone when its worker died; whether it is given up."""
        self._deaths[plan.match] += 1
        if self._deaths[plan.match] < MAX_DEATHS:
            return False
        self._lost += 1
        if self._lost >= MAX_LOST:
            problem = "processes that play matches are killed, whatever they play"
            raise ShortageError(problem) from error
        return True

    def _batch(self, setup: Setup, plans: Iterator[Plan]) -> Batch | None:
        """What is expected to take `BATCH_SECONDS`; the first ones are one match each."""
        size = 1
        if self._seconds is not None and not self._suspects:
            size = min(MAX_BATCH, max(1, round(BATCH_SECONDS / self._seconds)))
        chosen: list[Plan] = []
        while len(chosen) < size:
            given_back = self._suspects or self._again
            plan = given_back.popleft() if given_back else next(plans, None)
            if plan is None:
                break
            chosen.append(plan)
        if not chosen:
            return None
        return Batch(
            game=setup.game,
            settings=setup.settings,
            entrants={bot: setup.bots[bot] for plan in chosen for bot in plan.players},
            plans=tuple(chosen),
            keep_alive=setup.keep_alive,
            keep=self._keep,
            results=self._results,
            sources=self._sources,
        )

    def _note_seconds(self, rows: list[MatchRow]) -> None:
        seconds = sum(row.seconds for row in rows) / len(rows)
        self._seconds = max(1e-4, 0.7 * (self._seconds or seconds) + 0.3 * seconds)
