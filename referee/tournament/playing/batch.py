"""Some matches of a tournament, to be played in a process that does nothing else.

Batches and results are picklable: the process may be on another machine.
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

BATCH_SECONDS = 0.5
"""Seconds after which a batch begins no further match, so that finished matches are stored."""


class Batch(Struct, frozen=True):
    """Matches to be played one after the other in one process, as many as there is time for.

    Attributes:
        spec: of every match, but for its bots and its luck.
        keep: the matches whose record is returned: "all", "faulty" or "none".
        tournament: for the records, as in a `Place`; empty if this is no tournament with a store.
        live: a folder on this machine into which a match is written while it is played; or empty.
        sources: of entrants that need not be looked for, by their numbers.
        alone: whether nothing of the bots may be left when the matches are over.
        matches_a_deal: how many matches a deal has; they follow each other in the schedule.
        run: no bot plays on in another run, which may play some of the same matches again.
        game: a game from outside; None: one of the referee's own.
        answers: the first replies of each seat, as of `Position`; empty: the bots' own.
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

    def in_directories(self, place: Callable[[str], str]) -> Batch:
        """This batch with its bots in other directories: `place` of those that they are in."""
        entrants = {
            number: replace(entrant, directory=place(entrant.directory))
            for number, entrant in self.entrants.items()
        }
        return replace(self, entrants=entrants)

    def opened(self) -> Batch:
        """This batch in a process that may not have its game yet.

        Raises:
            UsageError, GameError: the game cannot be loaded here, or has changed.
        """
        if self.game is None:
            return self
        self.game.load()
        return replace(self, spec=self.spec.unpickled())

    def sent_far(self) -> Batch:
        """This batch with the code of its game, for another machine."""
        return self if self.game is None else replace(self, game=self.game.packed())


_KINDS: dict[str, type[RefereeError]] = {
    "bot": BotNotFoundError,
    "game": GameError,
    "usage": UsageError,
    "shortage": ShortageError,
}
"""The first that fits is the kind of an error."""


class Failed(Struct, frozen=True):
    """Why a batch could not be played, as plain data: a kind of `_KINDS` or "bug", and a text."""

    kind: str
    text: str
    trace: str = ""

    @classmethod
    def of(cls, error: Exception) -> Failed:
        """The plain data on an exception."""
        ours = as_ours(error)
        kind = next((kind for kind, its in _KINDS.items() if isinstance(ours, its)), "bug")
        return cls(kind, str(ours), "".join(traceback.format_exception(error)))

    def as_error(self) -> RefereeError:
        """The exception that it stands for: one of `_KINDS`, or an `InternalError`."""
        if self.kind in _KINDS:
            return _KINDS[self.kind](self.text)
        error = InternalError(self.text)
        error.__cause__ = RuntimeError(f"in a worker:\n{self.trace}")
        return error
