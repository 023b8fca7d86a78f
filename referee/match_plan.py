"""Prepare a match for commands, Python programs and the web server.

    sources = [find_bot("big_money", "dominion"), find_bot("./my_bot.py", "dominion")]
    plan = MatchPlan(sources, settled_spec(sources, seed=7), record="game.jsonl")
    with plan.opened() as files, plan.launched() as started:
        files.begin()
        played = trio.run(partial(plan.play, started, files))
        warnings, lost = files.finish()

We open the files first, so that you learn about a mistyped name before the match and not after it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

from msgspec.structs import replace

from referee.bots.command import BotSource
from referee.bots.processes.launch import Started, launch_bots
from referee.errors import LogWriteError, UsageError
from referee.games import DEFAULT_GAME
from referee.logs.files import LogFile, finished, opened
from referee.logs.outputs import LOG, RECORD, TEXT, Output
from referee.logs.record import RecordedAnswer
from referee.logs.sink import Sink
from referee.match.machine import Redeal
from referee.match.sandbox import NO_SANDBOX, Sandbox
from referee.match.spec import MatchSpec, checked_own, match_spec, with_own

if TYPE_CHECKING:
    from referee.course import Played
    from referee.runner import Runner


def settled_spec(
    sources: Sequence[BotSource],
    *,
    game: str = DEFAULT_GAME,
    seed: int | None = None,
    options: Mapping[str, Any] | None = None,
    recorded: Mapping[str, Any] | None = None,
    redeals: Sequence[Redeal] = (),
    sandbox: Sandbox = NO_SANDBOX,
    names: Sequence[str] = (),
    limits_of_bots: Sequence[Mapping[str, Any]] = (),
) -> MatchSpec:
    """Describe a match between these bots, and determine the limits that apply to it.

    Args:
        game, seed: see `match_spec`.
        options: the options that the user has chosen, see `match_spec`.
        recorded: the options of the record, if a match is continued. Where the record has no limit
            but the sandbox does, the sandbox's limit applies.
        redeals, names: see `MatchSpec`.
        sandbox: its limits apply unless the user has chosen others.
        limits_of_bots: for each bot, the limits that only apply to this bot, by name. The sequence
            can be empty.

    Raises:
        UsageError: the match isn't possible.
    """
    limits = dict(sandbox.limits)
    for name, value in (recorded or {}).items():
        if name not in limits or value < math.inf:
            limits[name] = value
    bots = [source.argument for source in sources]
    chosen = {**limits, **(options or {})}
    spec = match_spec(bots, game=game, seed=seed, options=chosen, sandbox=sandbox)
    for source in sources if redeals else ():
        if spec.definition.tells_hidden(source.dialect):
            raise UsageError(
                f"BOT {source.argument}: its dialect tells hidden cards as the seed of the match "
                "has them, and here they were dealt again"
            )
    own = [
        with_own(spec.limits, checked_own(spec.definition, spec.limits, n)) for n in limits_of_bots
    ]
    return replace(
        spec,
        redeals=tuple(redeals),
        names=tuple(names),
        limits_of_bots=tuple(own) if any(limits_of_bots) else (),
    )


class MatchFiles(NamedTuple):
    """A match's open files. A file that nobody asked for is None."""

    log: LogFile | None
    record: LogFile | None
    stderr: Sequence[LogFile | None]

    def begin(self) -> None:
        """Discard the old content of the files."""
        for file in (self.log, self.record):
            if file is not None:
                file.begin(copy=True)
        for file in filter(None, self.stderr):
            file.begin()

    def finish(self) -> tuple[list[str], LogWriteError | None]:
        """Complete the logs, and restore logs that were damaged during the match.

        Returns:
            A warning for each restored log, and the error if a log couldn't be completed.
        """
        return finished([self.log, self.record])


NO_FILES = MatchFiles(None, None, ())


class MatchPlan(NamedTuple):
    """A match that hasn't begun yet, with its bots and its files.

    Attributes:
        sources: the bots, in seat order.
        spec: the description of the match.
        log, record: file names of the logs, `STDOUT` for standard output, or None for no file.
        stderr: for each seat, the file for its stderr, or None. The sequence can be empty.
        record_stderr: if True, the record includes stderr.
        answers: for each seat, replies that are used instead of the bot's first ones. The sequence
            can be empty.
        force: if True, we may replace files that the referee didn't write.
    """

    sources: Sequence[BotSource]
    spec: MatchSpec
    log: str | None = None
    record: str | None = None
    stderr: Sequence[str | None] = ()
    record_stderr: bool = False
    answers: Sequence[Sequence[RecordedAnswer]] = ()
    force: bool = False

    @property
    def outputs(self) -> list[Output]:
        """The files that the match writes."""
        logs = [Output(self.log, LOG), Output(self.record, RECORD)]
        return [*logs, *(Output(name, TEXT) for name in self.stderr)]

    @contextmanager
    def opened(self, hint: str = "add --force") -> Iterator[MatchFiles]:
        """Open the files for a `with` block. `hint` tells people how they can replace a file."""
        with opened(self.outputs, force=self.force, hint=hint) as (log, record, *stderr):
            yield MatchFiles(log, record, stderr)

    def launched(self) -> AbstractContextManager[list[Started]]:
        """Start the bots for a `with` block. All of them are stopped at its end."""
        return launch_bots(self.sources, self.spec.each_limits, self.spec.sandbox)

    async def play(
        self,
        started: Sequence[Started],
        files: MatchFiles = NO_FILES,
        *,
        stderr: Sequence[Sink | None] | None = None,
        watch: Callable[[Runner], object] = lambda runner: None,
        alone: bool = False,
    ) -> Played:
        """Play the match under trio.

        Args:
            stderr: for each seat, where to write its stderr. The default is `files.stderr`.
            watch, alone, errors: see `play_once`.
        """
        # Importing trio takes a while, so we do it here, while the bots are starting.
        from referee.runner import play_once

        return await play_once(
            self.spec,
            started,
            files.log,
            files.record,
            stderr=files.stderr if stderr is None else stderr,
            record_stderr=self.record_stderr,
            watch=watch,
            answers=self.answers,
            alone=alone,
        )
