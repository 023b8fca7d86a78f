"""A batch of matches, to be played in a separate process.

Batches and results can be pickled, because the process may run on another machine.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Mapping

from msgspec import Struct
from msgspec.structs import replace

from referee.bots.command import BotSource
from referee.errors import (
    BotNotFoundError,
    GameError,
    InternalError,
    RefereeError,
    ShortageError,
    UsageError,
    as_ours,
)
from referee.match.spec import MatchSpec
from referee.tournament.playing.sent_game import SentGame
from referee.tournament.rows import Entrant, Plan

# A batch starts no more matches after this many seconds. If it ran longer, finished matches would
# not be stored for a long time, and a crash would lose them.
BATCH_SECONDS = 0.5


class Batch(Struct, frozen=True):
    """Matches to play one after the other in one process, until time is up.

    Attributes:
        spec: settings of every match, except its bots and its seed.
        entrants: the bots that play in these matches, by number.
        keep: which matches return their record: "all", "faulty" or "none".
        tournament: the digest that records have in `Place.tournament`. It's empty if the matches
            don't belong to a store.
        live: a local folder to which records are written while their matches are played. It's empty
            if nobody watches.
        results: if True, the rows contain a `MatchResult` and leave out most columns of the store.
        sources: the bot programs that were already found, by bot number. The worker looks for the
            others.
        alone: if True, stop all bots at the end of the batch.
        matches_a_deal: number of matches per deal. They are consecutive in the schedule.
        run: a unique id of the run. A bot's process never plays in two runs, because a run may
            repeat matches that the process has already seen.
        game: the external game to load, or None for a game that comes with the referee.
        answers: recorded replies for each seat, as in `Position`. We play these back first, and
            from then on the bots reply themselves.
    """

    spec: MatchSpec
    entrants: dict[int, Entrant]
    plans: tuple[Plan, ...]
    keep_alive: bool = True
    keep: str = "none"
    record_stderr: bool = False
    tournament: str = ""
    live: str = ""
    results: bool = False
    sources: Mapping[int, BotSource] = {}
    alone: bool = False
    matches_a_deal: int = 1
    run: str = ""
    game: SentGame | None = None
    answers: tuple[tuple[bytes | None, ...], ...] = ()

    def with_directories(self, place: Callable[[str], str]) -> Batch:
        """Return this batch, but with the folder of each bot replaced by `place(folder)`."""
        entrants = {
            number: replace(entrant, directory=place(entrant.directory))
            for number, entrant in self.entrants.items()
        }
        return replace(self, entrants=entrants)

    def opened(self) -> Batch:
        """Load the game in this process, and return this batch with the loaded game.

        Raises:
            UsageError, GameError: we can't load the game here, or its files differ.
        """
        if self.game is None:
            return self
        self.game.load()
        return replace(self, spec=self.spec.unpickled())

    def with_game_code(self) -> Batch:
        """Return this batch with the code of its game, for another machine."""
        return self if self.game is None else replace(self, game=self.game.packed())


# Subclasses must come before their base class, because `Failed.of` takes the first match.
_KINDS: dict[str, type[RefereeError]] = {
    "bot": BotNotFoundError,
    "game": GameError,
    "usage": UsageError,
    "shortage": ShortageError,
}


class Failed(Struct, frozen=True):
    """An error that kept a worker from playing a batch, as plain data.

    `kind` is a key of `_KINDS`, or "bug" for any other exception.
    """

    kind: str
    text: str
    trace: str = ""

    @classmethod
    def of(cls, error: Exception) -> Failed:
        """Describe an exception that a worker has caught."""
        ours = as_ours(error)
        kind = next((kind for kind, its in _KINDS.items() if isinstance(ours, its)), "bug")
        return cls(kind, str(ours), "".join(traceback.format_exception(error)))

    def as_error(self) -> RefereeError:
        """Return an exception to raise here. Any bug in the worker becomes an `InternalError`."""
        if self.kind in _KINDS:
            return _KINDS[self.kind](self.text)
        error = InternalError(self.text)
        error.__cause__ = RuntimeError(f"in a worker:\n{self.trace}")
        return error
