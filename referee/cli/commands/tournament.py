"""`referee tournament`: many matches between many bots, and who is better."""

from __future__ import annotations

import argparse
import os
import signal
from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

from referee.cli.arguments import Parser, made_folder
from referee.cli.commands.standings import check_names, print_standings
from referee.cli.commands.tournament_ending import Ending, LetTimeIsOver, keep
from referee.cli.consent import chosen_sandbox
from referee.cli.console import OK, USAGE, printing, say
from referee.cli.settings import chosen_settings
from referee.cli.table import add_arguments
from referee.errors import UsageError, UsageErrors
from referee.games import GAMES
from referee.interrupts import Interrupted, Interrupts

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from referee.tournament.playing.directories import Packed
    from referee.tournament.playing.dispatcher import Dispatcher
    from referee.tournament.rating.sprt import Sprt
    from referee.tournament.schedule.format import TournamentSetup
    from referee.tournament.store import Store


def run(options: argparse.Namespace, interrupts: Interrupts) -> int:
    from referee.cli.work import load_numpy

    words = options.words
    if options.cluster is None:
        from referee.workers import prepare

        prepare()
    load_numpy()
    options.config_bots, options.directories = [], []
    if options.config is not None:
        options = _with_config(options)
    options.exclude = []  # as of `standings`
    if options.record_stderr and options.records is None:
        raise UsageError("--record-stderr goes with --records DIR")
    from referee.tournament.store import Store

    with ExitStack() as stack:
        file, server = options.store, None
        if options.browser:
            from referee.cli.watching import stay, temporary_folder, watched

            folder = stack.enter_context(temporary_folder())
            file = file or str(folder / "tournament.sqlite")
            options.records = options.records or str(folder / "records")
        store = stack.enter_context(Store.in_memory() if file is None else Store.for_writing(file))
        settled = _settle(options, store)
        interrupted: Interrupted | None = None
        lost = "nothing was played"
        try:
            with _dispatcher(options, settled) as dispatcher:
                if settled.is_unfinished:
                    _leave_out(options, interrupts, store, settled, dispatcher)
                _save(options, store, settled)
                if options.browser:
                    paths = [file, str(made_folder(options.records))]
                    page = f"store/{os.path.basename(file)}"
                    server = stack.enter_context(watched(interrupts, paths, page))
                    if server is None:
                        return USAGE
                lost = "matches that were being played were dropped"
                interrupted = _play(options, interrupts, store, dispatcher)
        except LetTimeIsOver:
            say(lost)
            interrupted = Interrupted(signal.SIGINT)
        except BaseException as error:
            if isinstance(error, Interrupted):
                say(f"{error}; {lost}")
            if isinstance(error, Interrupted) or options.store is None:
                keep(store, options.store, words)
            raise
        with interrupts.raising(), printing():
            print_standings(store, options.format, options)
        if interrupted is not None:
            keep(store, options.store, words)
            raise interrupted
        if server is not None:
            stay(interrupts, server, options.store, "--store FILE")
    return OK


_FLAGS = ("extend", "skip-broken", "no-keep-alive", "record-stderr", "quiet")
ONLY_TYPED = ("config", "browser", "same-bot", "force")
"""Options that a configuration file may not set."""
_CHOSEN = ("game", "players", "deals", "matches", "rounds", "challengers", "seats")
"""Fields of a `Setup` that are options."""


class _ConfigParser(Parser):
    """Takes the options of a configuration file, by whose name it says what is wrong there."""

    def error(self, message: str) -> NoReturn:
        """Report an invalid value of the file."""
        raise UsageError(f"{self.prog}: {message.removeprefix('argument ')}")


def _with_config(options: argparse.Namespace) -> argparse.Namespace:
    """Merge the options of the configuration file into the command line, which has priority."""
    from referee.cli.foreign_options import use_instead
    from referee.tournament.config import read_config

    parser = _ConfigParser(prog=options.config, allow_abbrev=False)
    add_arguments(parser, "tournament")
    names = {name.removeprefix("--") for name in parser._option_string_actions}
    values = {name for name in names if not name.startswith("-")} - {*_FLAGS, *ONLY_TYPED}
    values -= {"set", "env", "help"}  # the first two are tables there

    def hint(key: str) -> str:
        if key in ONLY_TYPED:
            return f"; give --{key} on the command line"
        typed = {f"--{name}" for name in ONLY_TYPED}
        actions = [each for each in parser._actions if typed.isdisjoint(each.option_strings)]
        return use_instead(f"-{key}", "referee tournament", actions, in_file=True)

    chosen, bots, directories = read_config(options.config, values, _FLAGS, hint)
    config = parser.parse_args(chosen)
    del config.bots
    if options.deals is not None or options.matches is not None:
        config.deals = config.matches = None  # either says the same in another way
    words = options.words[options.words.index("tournament") + 1 :]
    both: argparse.Namespace = options.parser.read(words, config)
    both.config_bots = bots
    both.directories = directories
    return both


class _Settled(NamedTuple):
    """The decisions about a run.

    Attributes:
        setup: of the tournament; `is_known` if the store has it already.
        stages: of the store, with other bots in place of some that never played.
        digests: of the files of the bots, by their names.
        broken: mistakes of bots that cannot be started, by their numbers.
        is_unfinished: whether there is something to play.
    """

    setup: TournamentSetup
    is_known: bool
    stages: list[TournamentSetup]
    digests: dict[str, str]
    broken: dict[int, UsageError]
    is_unfinished: bool


def _settle(options: argparse.Namespace, store: Store) -> _Settled:
    """Decide which matches to play, for a new, known or extended store, or raise a `UsageError`."""
    from msgspec.structs import replace

    from referee.bots.command import game_of_bots
    from referee.bots.digest import files_digest
    from referee.match.spec import drawn_seed, tournament_limits
    from referee.tournament.playing.run import is_finished
    from referee.tournament.setup import (
        as_stored,
        as_unicode,
        check_extension,
        differences,
        entrants,
        named,
        setup,
        with_bots,
        with_unique_names,
    )
    from referee.tournament.stages import check_schedule

    stages = store.stages
    seed = options.seed
    if seed is None:
        seed = stages[-1].seed if stages else drawn_seed()
    if options.game is None:
        of_config = [] if options.bots else options.config_bots
        options.game = game_of_bots(
            [(named(bot)[1], "") for bot in options.bots]
            + [(bot.bot, bot.directory) for bot in of_config]
        )
    given, broken = entrants(options.bots, options.game)
    folders = [bot.directory for bot in given if bot.directory]
    options.directories = [*options.directories, *folders]
    for_all = dict(options.env)
    bots = [
        replace(bot, env=tuple((for_all | dict(bot.env)).items()))
        for bot in (given if options.bots else options.config_bots)
    ]
    bots, no_unicode = as_unicode(bots)
    broken |= no_unicode
    if stages:
        played = store.seated()
        bots, broken = as_stored(bots, broken, stages[-1].bots, played, options.game)
    limits: dict[str, Any] = tournament_limits(GAMES[options.game])
    if stages:  # what is not chosen stays as it is there
        limits = {name: stages[-1].settings.get(name) for name in limits}
        if options.sandbox == "auto" and stages[-1].sandbox == "bwrap":  # "none" is no reason
            options.sandbox = "bwrap"
    sandbox = chosen_sandbox(options, given)
    now = setup(
        with_unique_names(bots),
        **{name: getattr(options, name) for name in _CHOSEN},
        format=options.pairing,
        sprt=_sprt(options),
        seed=seed,
        keep_alive=not options.no_keep_alive,
        sandbox=sandbox.kind,
        sandbox_read=sandbox.readable,
        settings=limits | chosen_settings(options),
    )
    if stages:  # a bot that never played may have been mended since
        stages = with_bots(stages, now.bots, store.left_out.keys() - played)
    is_known = bool(stages) and stages[-1] == now
    is_unfinished = not (is_known and is_finished(store))
    # What is shown at the end is checked before the first match.
    check_names(options, now.bots)
    if stages and is_unfinished:
        check_schedule(store)
    if not is_known and not store.is_empty:  # else nothing is lost: a slip can be mended
        if options.sandbox == "auto" and stages[-1].sandbox != now.sandbox:
            raise UsageError(
                f"{store.name}: its matches had no sandbox, and now there is one: --sandbox none "
                "continues without it"
            )
        if options.extend:
            check_extension(stages[-1], now)
        else:
            raise UsageError(
                f"{store.name} is of another tournament: {'; '.join(differences(stages[-1], now))}"
                " (give another --store; --extend allows more bots, deals or rounds)"
            )
    digests = {
        bot.name: files_digest(bot.bot, now.game, bot.directory)
        for number, bot in enumerate(now.bots)
        if number not in broken
    }
    changed = store.changed(digests)
    if changed and not options.same_bot:
        raise UsageError(
            f"{', '.join(changed)} {'has' if len(changed) == 1 else 'have'} changed since the "
            f"matches in {store.name} were played: give another --store, or --same-bot to count "
            "all versions as one bot"
        )
    return _Settled(now, is_known, stages, digests, broken, is_unfinished)


def _leave_out(
    options: argparse.Namespace,
    interrupts: Interrupts,
    store: Store,
    settled: _Settled,
    dispatcher: Dispatcher,
) -> None:
    """Start each bot that has matches left, and add broken bots to `settled.broken`.

    Without --skip-broken they are a `UsageError`, as are too many of them.
    """
    from referee.bots.command import together
    from referee.cli.work import starting
    from referee.tournament.entrants import find_entrant
    from referee.tournament.playing.starting import broken_bots
    from referee.tournament.stages import with_matches_left

    now, broken = settled.setup, settled.broken
    setups = settled.stages if settled.is_known else [*settled.stages, now]
    left = with_matches_left(store, setups)
    for number in broken.keys() - left:
        del broken[number]
    if options.cluster is None:  # of a cluster its workers look for them
        for number in left - broken.keys():
            try:
                find_entrant(now.bots[number], now.game)
            except UsageError as error:
                broken[number] = error
    dispatcher.out |= broken.keys()
    to_start = sorted(left - broken.keys())
    with starting(len(to_start), interrupts, quiet=options.quiet) as look:
        broken |= broken_bots(dispatcher, now, to_start, look)
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


def _save(options: argparse.Namespace, store: Store, settled: _Settled) -> None:
    """Store the setup of the matches that follow, and the bots that are left out."""
    from referee.bots.processes.sandbox import unavailable_reason
    from referee.tournament.playing.records import claim_folder

    now, broken = settled.setup, settled.broken
    if options.records is not None:
        before = [] if store.is_empty else store.stages
        every = [*settled.stages, now] if before else [now]
        claim_folder(made_folder(options.records), every, before[:1], force=options.force)
    if settled.stages and settled.stages != store.stages:
        store.replace_bots(settled.stages)
    if not settled.is_known:
        if options.sandbox == "auto" and now.sandbox == "none":
            say(f"bots are in no sandbox: {unavailable_reason()} (silent with --sandbox none)")
        store.add_stage(now)
    if settled.is_unfinished and options.cluster is None and now.sandbox != "none":
        _note_limits(store, settled, quiet=options.quiet)
    names = {now.bots[number].name: "; ".join(why.lines) for number, why in broken.items()}
    if settled.is_unfinished:
        store.leave_out(names)
    store.add_versions({name: d for name, d in settled.digests.items() if name not in names})


def _note_limits(store: Store, settled: _Settled, *, quiet: bool) -> None:
    """Store what holds the limits of strangers' bots, and say what does not hold here."""
    from referee.bots.command import BotCommand
    from referee.bots.processes.confinement import get_groups, held_by, not_held
    from referee.cli.consent import is_program
    from referee.tournament.entrants import find_entrant

    game, broken = settled.setup.game, settled.broken
    bots = (bot for number, bot in enumerate(settled.setup.bots) if number not in broken)
    sources = (find_entrant(bot, game) for bot in bots)
    if not any(isinstance(bot, BotCommand) and is_program(bot, game) for bot in sources):
        return
    store.add_limits_by(held_by())
    if held_by() == "rlimits" and not quiet:
        get = get_groups("tournament ...")
        say(f"no control groups: {'; '.join(not_held())}. To get them: {get}")


def _sprt(options: argparse.Namespace) -> Sprt | None:
    """The sequential test, or a `UsageError`; None if nothing is said of it."""
    from referee.tournament.rating.sprt import Sprt

    given = {name: getattr(options, name) for name in ("elo0", "elo1", "alpha", "beta")}
    given = {name: value for name, value in given.items() if value is not None}
    try:
        return Sprt(**given) if given else None
    except ValueError as error:
        raise UsageError(f"--pairing sprt: {error}") from error


def _dispatcher(options: argparse.Namespace, settled: _Settled) -> Dispatcher:
    from referee.cli.work import collect_garbage
    from referee.tournament.playing.dispatcher import Dispatcher

    workers, jobs = _workers(options, settled)
    collect_garbage()
    live = _live(options)
    unseen = (options.store, options.records, options.config, options.seed_file)  # seeds in them
    return Dispatcher(
        workers,
        jobs,
        keep="none" if options.records is None else options.keep_records,
        record_stderr=options.record_stderr,
        live="" if live is None else str(live.absolute()),
        hidden=tuple(os.path.abspath(path) for path in unseen if path),
    )


def _live(options: argparse.Namespace) -> Path | None:
    """The folder for the matches that are being played, where they can be watched."""
    is_live = options.browser and options.cluster is None
    return Path(options.records) if is_live else None


def _play(
    options: argparse.Namespace, interrupts: Interrupts, store: Store, dispatcher: Dispatcher
) -> Interrupted | None:
    """Play the missing matches.

    Returns:
        The interruption, if Ctrl-C came and running matches have ended; else None.
    """
    from referee.cli.commands.tournament_progress import Progress
    from referee.tournament.playing.live import remove_live
    from referee.tournament.playing.run import Run

    records = None if options.records is None else made_folder(options.records)
    live = _live(options)
    if live is not None:
        remove_live(live)  # of a run that was killed
    anchor = check_names(options, store.stages[-1].bots)
    run = Run(store, records=records, live=live)
    with Progress(run, store, anchor, quiet=options.quiet) as progress:
        ending = Ending(interrupts, dispatcher.stop)

        def look() -> None:
            ending.look()
            progress.look()

        run.look = look
        run.on_rows = progress.add
        try:
            run.play(dispatcher)
        finally:
            if live is not None:
                remove_live(live)
    return Interrupted(signal.SIGINT) if ending.has_begun else None


def _workers(
    options: argparse.Namespace, settled: _Settled
) -> tuple[Callable[[], AbstractContextManager[Executor]], Callable[[], int]]:
    from referee.capacity import cores

    if options.cluster is None:
        from referee.workers import worker_processes

        if (options.jobs or 0) > cores():
            few = "1 core" if cores() == 1 else f"{cores()} cores"
            say(f"{options.jobs} jobs on {few}: bots may time out since the machine is busy")
        jobs = options.jobs or cores()
        return lambda: worker_processes(jobs, pin=True), lambda: jobs
    from referee.tournament.playing.cluster import Cluster
    from referee.tournament.playing.directories import pack

    packed: dict[str, Packed] = {}
    for number, bot in enumerate(settled.setup.bots):
        if bot.directory in options.directories and number not in settled.broken:
            try:
                packed[bot.directory] = packed.get(bot.directory) or pack(bot.directory)
            except UsageError as error:
                settled.broken[number] = error
    cluster = Cluster(options.cluster, packed, say)
    return cluster.workers, lambda: min(cluster.threads, options.jobs or cluster.threads)
