"""Reads the steps of recorded matches as arrays, for imitation learning (spec/rl-training.md, 5).

We collect the rows in lists, because we don't know how many there are until we've read the last
record.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from referee.env.observer import Observation
from referee.env.recorded import RecordedMatch, Row
from referee.errors import UsageError
from referee.games import GAMES, find_game
from referee.games.interface.environment import Environment
from referee.logs.entries import PathLike

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Dataset(NamedTuple):
    """Steps of matches, one row per action. All arrays have the same length.

    Attributes:
        observations: as in the environment, or float32 if normalised. Each row has the shape of an
            observation.
        action_masks: int8, 1 for each legal choice. This is None if all actions are legal.
        actions: int64, one number or one array per row.
        results: float64, the reward of the seat at the end of its match, from -1 to 1.
        matches: int64, index of the record in `paths`.
        seats: int64, the seat, from 0.
        left_out: number of replies that have no row, because they were invalid or can't be
            expressed as an action.
        unfinished: number of records that don't have an end. We don't use their steps.
    """

    observations: NDArray[Any]
    action_masks: NDArray[np.int8] | None
    actions: NDArray[np.int64]
    results: NDArray[np.float64]
    matches: NDArray[np.int64]
    seats: NDArray[np.int64]
    left_out: int
    unfinished: int


def dataset(
    paths: PathLike | Iterable[PathLike],
    game: str,
    version: int,
    *,
    bot: str | None,
    won: bool,
    normalised: bool,
    progress: bool,
) -> Dataset:
    """Read records. See `Environments.dataset`."""
    # rich is slow to import, and most programs never read records.
    from rich.console import Console
    from rich.progress import track

    given = [paths] if isinstance(paths, str | os.PathLike) else paths
    files = [os.fspath(path) for path in given]
    if not files:
        raise UsageError("no record is given: look whether the pattern of the file names fits")
    name = find_game(game)
    environment = GAMES[name].environment
    assert environment is not None
    reader = _Reader(name, environment.of_version(version), bot, won=won, normalised=normalised)
    console = Console(stderr=True)
    is_shown = progress and sys.stderr.isatty()
    for number, file in enumerate(
        track(files, "reading records", console=console, transient=True, disable=not is_shown)
    ):
        reader.add(number, file)
    return reader.arrays()


class _Reader:
    def __init__(
        self, game: str, environment: Environment, bot: str | None, *, won: bool, normalised: bool
    ) -> None:
        self._game, self._environment, self._bot = game, environment, bot
        self._won, self._normalised = won, normalised
        self._bots: set[str] = set()
        self._rows: list[Row] = []
        self._results: list[float] = []
        self._matches: list[int] = []
        self._left_out = self._unfinished = 0
        self._first = ""
        self._shapes: list[Sequence[int]] = []  # the shape of an observation, and of an action

    def add(self, number: int, path: str) -> None:
        match = RecordedMatch(
            path, self._game, self._environment, self._bot, normalised=self._normalised
        )
        self._bots.update(*match.bots)
        rows = [*match.rows()]
        # We can't learn from an unfinished match, because we don't know who won.
        if not match.results:
            self._unfinished += 1
            return
        self._left_out += match.left_out
        # If all players are tied, nobody has won, so we don't use any of the rows.
        if self._won:
            best = max(match.results)
            rows = [row for row in rows if match.results[row.seat] == best > 0]
        if rows:
            self._check_shapes(path, rows[0], match.shape)
        self._rows += rows
        self._results += [match.results[row.seat] for row in rows]
        self._matches += [number] * len(rows)

    def _check_shapes(self, path: str, row: Row, action: Sequence[int]) -> None:
        shapes = [_numbers(row.seen).shape, action]
        if not self._shapes:
            self._first, self._shapes = path, shapes
        # NumPy can't stack rows of different shapes. We check this here, because arrays() no longer
        # knows which file a row comes from.
        elif shapes != self._shapes:
            raise UsageError(
                f"{path} has observations of another shape than {self._first}: give records with "
                "the same number of players and the same options"
            )

    def arrays(self) -> Dataset:
        import numpy as np

        if not self._rows:
            bots = ", ".join(sorted(self._bots))
            # The bot's name is probably wrong, so list the names that do occur.
            problem = f"the records have no step for these arguments; their bots: {bots}"
            if self._unfinished:
                problem += f"; {self._unfinished} of the matches were not finished"
            raise UsageError(problem)
        seen = [row.seen for row in self._rows]
        masks = [each["action_mask"] for each in seen if isinstance(each, dict)]
        actions = np.array([row.action for row in self._rows], np.int64)
        return Dataset(
            np.array([_numbers(each) for each in seen]),
            np.array(masks) if masks else None,
            # There's one row per action, even if an action is an array of numbers.
            actions.reshape(len(actions), *self._shapes[1]),
            np.array(self._results),
            np.array(self._matches, np.int64),
            np.array([row.seat for row in self._rows], np.int64),
            self._left_out,
            self._unfinished,
        )


def _numbers(seen: Observation) -> NDArray[Any]:
    return seen["observation"] if isinstance(seen, dict) else seen
