"""Plays matches in workers, in batches."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, wait
from contextlib import AbstractContextManager

from referee.errors import ShortageError
from referee.tournament.batch import BATCH_SECONDS, Batch, Failed, MatchRow, Plan, play_batch
from referee.tournament.setup import Setup

MAX_BATCH = 1_000
AHEAD = 2
"""Batches that are given out for each job, so that none waits for work."""
MAX_BREAKS = 3
"""So often in a row workers may die before anything comes back."""
LOOK_SECONDS = 0.1


class Player:
    """Plays matches of a tournament; a context in which its workers live.

    Args:
        workers: makes the executor.
        jobs: says how many batches it works on at once.
        keep: which records are given back: "all", "faulty" or "none".
    """

    def __init__(
        self,
        workers: Callable[[], AbstractContextManager[Executor]],
        jobs: Callable[[], int],
        *,
        keep: str = "none",
    ) -> None:
        self._workers = workers
        self._jobs = jobs
        self._keep = keep
        self._context: AbstractContextManager[Executor] | None = None
        self._executor: Executor | None = None
        self._seconds: float | None = None  # a match, lately
        self._again: deque[Plan] = deque()  # given out, and not played
        self._breaks = 0

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

        Yields:
            Batches that are finished, in whatever order they are; an empty one now and then, so
            that the caller can look around.

        Raises:
            UsageError: a bot is not there any more.
            ShortageError: the system is short of something, or workers are killed again and again.
            InternalError: the referee has a bug.
        """
        in_play: dict[Future[list[MatchRow] | Failed], Batch] = {}
        while True:
            try:
                while len(in_play) < self._jobs() * AHEAD:
                    batch = self._batch(setup, plans)
                    if batch is None:
                        break
                    assert self._executor is not None  # inside the context
                    in_play[self._executor.submit(play_batch, batch)] = batch
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
                    self._breaks = 0
                    self._note_seconds(rows)
                    yield rows
            except BrokenExecutor as error:
                self._again += [plan for batch in in_play.values() for plan in batch.plans]
                in_play.clear()
                self._restart(error)

    def _batch(self, setup: Setup, plans: Iterator[Plan]) -> Batch | None:
        """What is expected to take `BATCH_SECONDS`; the first ones are one match each."""
        size = 1
        if self._seconds is not None:
            size = min(MAX_BATCH, max(1, round(BATCH_SECONDS / self._seconds)))
        chosen: list[Plan] = []
        while len(chosen) < size:
            plan = self._again.popleft() if self._again else next(plans, None)
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
        )

    def _note_seconds(self, rows: list[MatchRow]) -> None:
        seconds = sum(row.seconds for row in rows) / len(rows)
        self._seconds = max(1e-4, 0.7 * (self._seconds or seconds) + 0.3 * seconds)

    def _restart(self, error: BrokenExecutor) -> None:
        self._breaks += 1
        self.__exit__(type(error), error, error.__traceback__)
        if self._breaks >= MAX_BREAKS:
            problem = "a process that plays matches was killed again and again"
            raise ShortageError(problem) from error
        self.__enter__()
