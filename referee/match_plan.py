"""How a match is set up: the one place for commands, Python programs and the web server.

    sources = [find_bot("big_money", "dominion"), find_bot("./my_bot.py", "dominion")]
    plan = MatchPlan(sources, settled_spec(sources, seed=7), record="game.jsonl")
    with plan.opened() as files, plan.launched() as started:
        files.begin()
        played = trio.run(partial(plan.play, started, files))
        warnings, lost = files.finish()

The files are opened before a bot starts, so that a slip in a name costs no match.
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
    """The description of a match between these bots.

    Args:
        game, seed: as of `match_spec`.
        options: chosen by the user, as of `match_spec`.
        recorded: the options of the record that the match continues. They lift no limit of the
            sandbox.
        redeals, names: as of `MatchSpec`.
        sandbox: whose limits hold unless the user has chosen others.
        limits_of_bots: the own limits of each bot, by name; empty: none has any.

    Raises:
        UsageError: such a match is not possible; the text says why.
    """
    limits = dict(sandbox.limits)
    for name, value in (recorded or {}).items():
        if name not in limits or value < math.inf:
            limits[name] = value
    bots = [source.argument for source in sources]
    chosen = {**limits, **(options or {})}
    spec = match_spec(bots, game=game, seed=seed, options=chosen, sandbox=sandbox)
    for source in sources if redeals else ():
        if source.dialect and spec.rules.dialects[source.dialect].tells_hidden:
            raise UsageError(
                f"BOT {source.argument}: its dialect tells hidden cards as the seed of the match "
                "has them, and here they were dealt again"
            )
    own = [with_own(spec.limits, checked_own(spec.rules, spec.limits, n)) for n in limits_of_bots]
    return replace(
        spec,
        redeals=tuple(redeals),
        names=tuple(names),
        limits_of_bots=tuple(own) if any(limits_of_bots) else (),
    )


class MatchFiles(NamedTuple):
    """The open files of a match; None: there is none."""

    log: LogFile | None
    record: LogFile | None
    stderr: Sequence[LogFile | None]

    def begin(self) -> None:
        """Drop what the files held before."""
        for file in (self.log, self.record):
            if file is not None:
                file.begin(copy=True)
        for file in filter(None, self.stderr):
            file.begin()

    def finish(self) -> tuple[list[str], LogWriteError | None]:
        """Complete the logs; as `finished`."""
        return finished([self.log, self.record])


NO_FILES = MatchFiles(None, None, ())


class MatchPlan(NamedTuple):
    """A match that is settled, and has not begun.

    Attributes:
        sources: of the bots, in seat order.
        spec: of the match, with the same bots.
        log, record: names of the files for the logs; None: no file. `STDOUT` is standard output.
        stderr: for each seat the name of a file for its stderr, or None; empty: no files.
        record_stderr: whether stderr goes into the record, too.
        answers: the first replies of each seat, which replace the bot's own; may be empty.
        force: whether files may be replaced that the referee did not write.
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
        """The files, which are open inside this block; `hint` and errors as of `opened`."""
        with opened(self.outputs, force=self.force, hint=hint) as (log, record, *stderr):
            yield MatchFiles(log, record, stderr)

    def launched(self) -> AbstractContextManager[list[Started]]:
        """The bots, which run inside this block; as `launch_bots`."""
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
            stderr: takes the stderr of the bots in the place of the files.
            watch, alone, errors: as of `play_once`.
        """
        from referee.runner import play_once  # loads trio: the bots come up in the meantime

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
