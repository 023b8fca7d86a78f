"""`referee tournament`: play many matches between many bots, and rate them."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager, ExitStack
from functools import partial
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING

from referee.capacity import cores, shares
from referee.cli.commands.standings import print_standings
from referee.cli.commands.tournament_ending import Ending, GraceTimeout, save_unfinished
from referee.cli.commands.tournament_options import TournamentOptions
from referee.cli.commands.tournament_plan import TournamentPlan, plan_tournament
from referee.cli.config import merge_options, read_options
from referee.cli.console import FAILED, GAME, OK, USAGE, printing, say
from referee.cli.files import make_folder
from referee.cli.progress import working
from referee.cli.running import collect_garbage, load_numpy
from referee.cli.settings import limits_of_bot
from referee.errors import UsageError, UsageErrors
from referee.games import GAMES
from referee.games.interface.counts import plural
from referee.interrupts import Interrupted, Interrupts
from referee.text.lookalikes import confusable
from referee.text.terminal import command_line

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from referee.cli.watching import Server
    from referee.tournament.config import Config
    from referee.tournament.playing.dispatcher import Dispatcher
    from referee.tournament.rows import Entrant, MatchRow
    from referee.tournament.schedule.format import TournamentSetup
    from referee.tournament.store import Store

# We show at most this many mistakes of the game. The frequent ones come first.
MOST_PROBLEMS = 5


def run(options: TournamentOptions, interrupts: Interrupts) -> int:
    if options.cluster is None:
        from referee.workers import prepare

        prepare()
    load_numpy()
    from referee.tournament.stages import first_missing
    from referee.tournament.store import Store

    config = None
    if options.config is not None:
        options, config = _with_config(options, options.config)
        if options.bots and config.bots:
            say(f"{options.config}: its bots do not play, because the command names others")
    if options.record_stderr and options.records is None:
        raise UsageError("--record-stderr goes with --records DIR")
    if options.pin and options.cluster is not None:
        raise UsageError("--pin is not for --cluster: start Dask's workers on cores of their own")
    with ExitStack() as stack:
        file, records = options.store, options.records
        if options.browser:
            from referee.cli.watching import temporary_folder

            folder = stack.enter_context(temporary_folder())
            file = file or str(folder / "tournament.sqlite")
            records = records or str(folder / "records")
        store = stack.enter_context(Store.in_memory() if file is None else Store.for_writing(file))
        _reinstate(store, options.reinstate)
        to_withdraw = _to_withdraw(store, options.withdraw)
        plan = plan_tournament(options, config, store)
        for bot in to_withdraw:
            store.withdraw(bot, first_missing(store, bot) - 1)
        run = _Run(options, plan, store, file, records, interrupts)
        return run.run(stack)


def _reinstate(store: Store, names: Sequence[str]) -> None:
    """Take back withdrawals. It's fine if the same command did it before.

    Raises:
        UsageError: a bot is not withdrawn, or later rounds depend on its forfeits.
    """
    from referee.tournament.stages import depends_on_results

    for name in names:
        bot = None if store.is_empty else store.numbers.get(name)
        if bot is None or bot not in store.withdrawn:
            if bot is not None and bot in store.reinstated:
                continue
            withdrawn = () if store.is_empty else store.withdrawn
            there = ", ".join(store.shown_names[bot] for bot in withdrawn) or "no bot"
            raise UsageError(f"--reinstate {name}: it is not withdrawn; {there} is")
        if depends_on_results(store.stages[-1]):
            raise UsageError(
                f"--reinstate {name}: the pairs of later rounds depend on its forfeits; "
                "let it play in a new tournament"
            )
        store.reinstate(bot)


def _to_withdraw(store: Store, names: Sequence[str]) -> list[int]:
    """Return the numbers of the bots to withdraw. It's fine if they're withdrawn already.

    Raises:
        UsageError: a bot isn't in the store.
    """
    numbers = {} if store.is_empty else store.numbers
    found = []
    for name in names:
        if name not in numbers:
            hint = (
                "leave it out of the command"
                if store.is_empty
                else f"bots: {', '.join(store.shown_names)}"
            )
            raise UsageError(f"--withdraw {name}: it has no matches in the store; {hint}")
        if numbers[name] not in store.withdrawn:
            found.append(numbers[name])
    return found


def _with_config(options: TournamentOptions, file: str) -> tuple[TournamentOptions, Config]:
    from referee.tournament.config import read_config

    config = read_config(file)
    kind = type(options)
    given = read_options(file, config.options, config.folder, kind)
    config = config._replace(bots=_with_limits(file, config))
    return kind.of(merge_options(given, options.given, kind), options.words), config


def _with_limits(file: str, config: Config) -> list[Entrant]:
    from msgspec.structs import replace

    bots = list(config.bots)
    for number, given in enumerate(config.limits):
        if given:
            try:
                bots[number] = replace(bots[number], limits=limits_of_bot(given))
            except UsageError as error:
                raise UsageError(f"{file}: bot {number + 1}: {error}") from error
    return bots


class _Run:
    """Runs a tournament, from the check of the bots to the final standings.

    Args:
        file: the file of the store, or None for a store in memory.
        records: the folder for match records, or None if we don't write any.
    """

    def __init__(
        self,
        options: TournamentOptions,
        plan: TournamentPlan,
        store: Store,
        file: str | None,
        records: str | None,
        interrupts: Interrupts,
    ) -> None:
        self._options = options
        self._plan = plan
        self._store = store
        self._file = file
        self._records = records
        self._interrupts = interrupts
        self._void = 0  # number of matches that are void because of a mistake in the game

    def run(self, stack: ExitStack) -> int:
        """Play the missing matches, print the standings, and return the exit code.

        With `--browser`, the server of the page is entered into `stack`.
        """
        options, store = self._options, self._store
        server = None
        interrupted: Interrupted | None = None
        lost = "nothing was played"
        try:
            with self._dispatcher() as dispatcher:
                if self._plan.is_unfinished:
                    self._exclude_broken(dispatcher)
                self._save()
                if options.browser:
                    server = stack.enter_context(self._watched())
                    if server is None:
                        return USAGE
                lost = "matches that were being played were dropped"
                interrupted = self._play(dispatcher)
        except GraceTimeout:
            say(lost)
            interrupted = Interrupted(signal.SIGINT)
        except BaseException as error:
            if isinstance(error, Interrupted):
                say(f"{error}; {lost}")
            if isinstance(error, Interrupted) or options.store is None:
                save_unfinished(store, options.store, options.words)
            raise
        with self._interrupts.raising(), printing():
            print_standings(store, options.format, self._plan.view)
        if interrupted is not None:
            save_unfinished(store, options.store, options.words)
            raise interrupted
        if server is not None:
            from referee.cli.watching import wait_for_viewers

            wait_for_viewers(self._interrupts, server, options.store, "--store FILE")
        return GAME if self._void else self._exit_code()

    def _exit_code(self) -> int:
        from referee.tournament.schedule.withdrawals import BY_HAND

        store = self._store
        failed = [each for each in store.withdrawn.values() if each.code != BY_HAND]
        if failed or store.bots_out():
            return FAILED
        if self._options.strict and (store.left_out or store.has_disqualifications()):
            return FAILED
        return OK

    def _dispatcher(self) -> Dispatcher:
        from referee.tournament.playing.dispatcher import Dispatcher

        options = self._options
        workers, jobs = self._workers()
        collect_garbage()
        list_file = None if options.deal_seeds is None else options.deal_seeds.file
        # Each of these files can contain a seed, from which a bot could compute the next cards.
        files = (options.store, options.config, options.position, options.seed.file, list_file)
        unseen = (self._records, *files)
        live = self._live
        return Dispatcher(
            workers,
            jobs,
            keep="none" if self._records is None else options.keep_records,
            record_stderr=options.record_stderr,
            live="" if live is None else str(live.absolute()),
            hidden=tuple(os.path.abspath(path) for path in unseen if path),
        )

    def _workers(
        self,
    ) -> tuple[Callable[[], AbstractContextManager[Executor]], Callable[[], int]]:
        wanted = self._options.jobs
        if self._options.cluster is None:
            from referee.workers import worker_processes

            if (wanted or 0) > cores():
                few = plural(cores(), "core")
                say(f"{wanted} jobs on {few}: bots may time out since the machine is busy")
            jobs = wanted or cores()
            places = shares(jobs) if self._options.pin else []
            if self._options.pin and not places:
                why = "there are fewer cores than jobs, or the system is not Linux"
                say(f"--pin does nothing: {why}")
            return lambda: worker_processes(jobs, pin=True, places=places), lambda: jobs
        from referee.tournament.playing.cluster import Cluster

        cluster = Cluster(self._options.cluster, self._plan.packed, say)
        return cluster.workers, lambda: min(cluster.threads, wanted or cluster.threads)

    @property
    def _live(self) -> Path | None:
        # Workers of a cluster are on other machines, so they can't write to this folder.
        if self._records is None or self._options.cluster is not None:
            return None
        return Path(self._records)

    def _watched(self) -> AbstractContextManager[Server | None]:
        from referee.cli.watching import watched

        assert self._file is not None
        assert self._records is not None
        paths = [self._file, str(make_folder(self._records))]
        game, page = self._plan.setup.game, f"store/{os.path.basename(self._file)}"
        return watched(self._interrupts, game, paths, page)

    def _exclude_broken(self, dispatcher: Dispatcher) -> None:
        """Try to start each bot that still has matches, and exclude the bots that fail.

        Raises:
            UsageError: a bot doesn't start and --skip-broken isn't given, or too few bots are left.
        """
        from referee.bots.command import together
        from referee.cli.commands.tournament_progress import start_again
        from referee.tournament.playing.starting import broken_bots
        from referee.tournament.setup import short_names
        from referee.tournament.stages import bots_with_matches_left

        plan, options = self._plan, self._options
        now = plan.setup
        left = bots_with_matches_left(self._store, [*plan.stages, now])
        broken = {number: why for number, why in plan.broken.items() if number in left}
        # With a cluster, bots may exist only on other machines. The workers there check them.
        if options.cluster is None:
            broken |= _missing_bots(now, left - broken.keys())
        dispatcher.out |= broken.keys()
        dispatcher.on_not_ready = partial(start_again, short_names(now.bots))
        to_start = sorted(left - broken.keys())
        with working(
            len(to_start), "bots started", quiet=options.quiet, interrupts=self._interrupts
        ) as look:
            broken |= broken_bots(dispatcher, now, to_start, look)
        self._plan = plan._replace(broken=broken)
        if not broken:
            return
        mistakes = [mistake for _, mistake in sorted(broken.items())]
        able, lines = len(now.bots) - len(broken), together(mistakes).lines
        if able < now.players:
            few = f"nothing was played; a match needs {now.players} bots, and {able} can play"
            raise UsageErrors([*lines, few] if options.skip_broken else lines)
        if not options.skip_broken:
            raise UsageErrors([*lines, "nothing was played; --skip-broken plays without them"])
        for mistake in mistakes:
            say(f"left out: {'; '.join(mistake.lines)}")

    def _save(self) -> None:
        from referee.bots.processes.sandbox import unavailable_reason
        from referee.tournament.playing.records import claim_folder

        plan, options, store = self._plan, self._options, self._store
        now = plan.setup
        if self._records is not None:
            before = [] if store.is_empty else store.stages
            every = [*plan.stages, now] if before else [now]
            claim_folder(make_folder(self._records), every, before[:1], force=options.force)
        if plan.stages and plan.stages != store.stages:
            store.replace_bots(plan.stages)
        if not plan.is_known:
            # People who use "auto" may rely on a sandbox, so tell them if they don't get one.
            if options.sandbox.kind == "auto" and now.sandbox == "none":
                say(f"bots are in no sandbox: {unavailable_reason()} (silent with --sandbox none)")
            store.add_stage(now)
        if not options.quiet:
            from referee.tournament.report.words import look_alike
            from referee.tournament.setup import short_names

            for pair in confusable(sorted(short_names(now.bots))):
                say(look_alike(*pair))
        if plan.is_unfinished and options.cluster is None and now.sandbox != "none":
            self._store_limits()
        names = {now.bots[number].name: "; ".join(why.lines) for number, why in plan.broken.items()}
        if plan.is_unfinished:
            store.leave_out(names)
        if now.game in GAMES.outside:
            store.add_game_file(GAMES.outside[now.game].source)
        if options.title is not None:
            store.set_title(options.title)
        # The files of a bot that we leave out don't matter, because it won't play.
        store.add_versions({name: d for name, d in plan.digests.items() if name not in names})

    def _store_limits(self) -> None:
        from referee.bots.command import BotCommand
        from referee.bots.processes.confinement import enforced_by, get_groups, unenforced_limits
        from referee.cli.consent import is_program
        from referee.tournament.entrants import find_entrant

        setup, broken = self._plan.setup, self._plan.broken
        game = setup.game
        sources = (find_entrant(b, game) for n, b in enumerate(setup.bots) if n not in broken)
        if not any(isinstance(bot, BotCommand) and is_program(bot, game) for bot in sources):
            return
        self._store.add_limits_by(enforced_by())
        if enforced_by() == "rlimits" and not self._options.quiet:
            get = get_groups("tournament ...")
            say(f"no control groups: {'; '.join(unenforced_limits())}. To get them: {get}")

    def _play(self, dispatcher: Dispatcher) -> Interrupted | None:
        """Play the missing matches.

        Returns:
            An `Interrupted` if Ctrl-C was pressed and the running matches could still end,
            otherwise None.
        """
        from referee.cli.commands.tournament_progress import Progress, table_every
        from referee.tournament.playing.live import remove_live
        from referee.tournament.playing.run import Run

        live = self._live
        if live is not None:
            remove_live(live)  # a run that was killed may have left some files
        records = None if self._records is None else make_folder(self._records)
        run = Run(self._store, records=records, live=live)
        anchor, options = self._plan.view.anchor, self._options
        every = table_every(run.total) if options.progress == "lines" else None
        with Progress(run, self._store, anchor, quiet=options.quiet, every=every) as progress:
            ending = Ending(self._interrupts, dispatcher.stop)

            def look() -> None:
                ending.check_signals()
                progress.update()

            run.look = look
            run.on_rows = progress.add
            run.on_withdrawn = progress.withdraw
            dispatcher.on_stall = progress.play_again
            try:
                run.play(dispatcher)
            finally:
                if live is not None:
                    remove_live(live)
        self._void = sum(map(len, run.problems.values()))
        failed = sorted(run.problems.items(), key=lambda item: -len(item[1]))
        for problem, rows in failed[:MOST_PROBLEMS]:
            are = "match is" if len(rows) == 1 else "matches are"
            first = min(rows, key=attrgetter("match"))
            again = self._again(first)
            say(f"{problem} ({len(rows)} {are} void); to see match {first.match} again: {again}")
        if run.has_broken_game:
            say("the game failed in each match, so the other matches were not played")
        return Interrupted(signal.SIGINT) if ending.is_interrupted else None

    def _again(self, failed: MatchRow) -> str:
        """Return a command that reproduces a mistake of the game."""
        from referee.bots.repeat import verify_words
        from referee.tournament.playing.records import record_of
        from referee.tournament.report.notable_losses import repeat_command

        setup = self._store.stages[-1]
        if self._records is None or self._options.keep_records == "none":
            return repeat_command(failed, setup)
        record = record_of(Path(self._records), failed.match)
        return command_line(verify_words(str(record), setup.game))


def _missing_bots(setup: TournamentSetup, numbers: Iterable[int]) -> dict[int, UsageError]:
    from referee.tournament.entrants import find_entrant

    missing: dict[int, UsageError] = {}
    for number in numbers:
        try:
            find_entrant(setup.bots[number], setup.game)
        except UsageError as error:
            missing[number] = error
    return missing
