"""`referee tournament`: many matches between many bots, and who is better."""

from __future__ import annotations

import argparse
import os
import shlex
from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack
from functools import partial
from typing import TYPE_CHECKING, Any, NoReturn

from referee.cli.arguments import Parser, made_folder
from referee.cli.commands.standings import check_names, print_standings
from referee.cli.consent import chosen_sandbox
from referee.cli.console import OK, USAGE, printing, say
from referee.cli.settings import chosen_settings
from referee.cli.table import add_arguments
from referee.errors import NotBuiltError, UsageError
from referee.games import GAMES
from referee.interrupts import Interrupted, Interrupts

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from referee.bots.folder import BotFolder
    from referee.tournament.rating.sprt import Sprt
    from referee.tournament.store import Store


def run(options: argparse.Namespace, interrupts: Interrupts) -> int:
    from referee.cli.work import check_descriptors, load_numpy

    words = options.words
    check_descriptors()  # a worker that cannot be forked for want of them prints a traceback
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
        _settle(options, store)
        if options.browser:
            paths = [file, str(made_folder(options.records))]
            page = f"store/{os.path.basename(file)}"
            server = stack.enter_context(watched(interrupts, paths, page))
            if server is None:
                return USAGE
        anchor = check_names(options, store.stages[-1].bots)
        try:
            _play(options, interrupts, store, anchor)
        except Interrupted as interrupted:
            say(f"{interrupted}; matches that were being played were dropped")
            if options.store is not None:
                say(f"continue with: referee {shlex.join(words)}")
            raise
        with interrupts.raising(), printing():
            print_standings(store, options.format, options)
        if server is not None:
            stay(interrupts, server, options.store, "--store FILE")
    return OK


_FLAGS = ("extend", "skip-unbuilt", "no-keep-alive", "record-stderr", "quiet")
_NOT_IN_CONFIG = ("config", "set", "env", "help", "browser", "same-bot")
_CHOSEN = ("game", "players", "deals", "matches", "rounds", "challengers", "seats")
"""Fields of a `Setup` that are options."""


class _ConfigParser(Parser):
    """Takes the options of a configuration file, by whose name it says what is wrong there."""

    def error(self, message: str) -> NoReturn:
        """Report an invalid value of the file."""
        raise UsageError(f"{self.prog}: {message.removeprefix('argument ')}")


def _with_config(options: argparse.Namespace) -> argparse.Namespace:
    """Merge the options of the configuration file into the command line, which has priority."""
    from referee.tournament.config import read_config

    parser = _ConfigParser(prog=options.config, allow_abbrev=False)
    add_arguments(parser, "tournament")
    names = {name.removeprefix("--") for name in parser._option_string_actions}
    values = {name for name in names if not name.startswith("-")} - {*_FLAGS, *_NOT_IN_CONFIG}
    chosen, bots, directories = read_config(options.config, values, _FLAGS)
    config = parser.parse_args(chosen)
    del config.bots
    if options.deals is not None or options.matches is not None:
        config.deals = config.matches = None  # either says the same in another way
    words = options.words[options.words.index("tournament") + 1 :]
    both: argparse.Namespace = options.parser.read(words, config)
    both.config_bots = bots
    both.directories = directories
    return both


def _settle(options: argparse.Namespace, store: Store) -> None:
    """Decide which matches to play, for a new, known or extended store, or raise a `UsageError`."""
    import secrets

    from msgspec.structs import replace

    from referee.bots.command import find_all, game_of_bots
    from referee.bots.digest import files_digest
    from referee.bots.processes.sandbox import unavailable_reason
    from referee.match.machine import MAX_SEED
    from referee.match.spec import tournament_limits
    from referee.tournament.entrants import find_entrant
    from referee.tournament.playing.run import is_finished
    from referee.tournament.setup import (
        check_extension,
        differences,
        entrants,
        named,
        setup,
        with_unique_names,
    )
    from referee.tournament.stages import check_schedule

    stages = store.stages
    seed = options.seed
    if seed is None:
        seed = stages[-1].seed if stages else secrets.randbelow(MAX_SEED)
    if options.game is None:
        of_config = [] if options.bots else options.config_bots
        options.game = game_of_bots(
            [(named(bot)[1], "") for bot in options.bots]
            + [(bot.bot, bot.directory) for bot in of_config]
        )
    unbuilt: list[BotFolder] | None = [] if options.skip_unbuilt else None
    given = entrants(options.bots, options.game, unbuilt)
    for folder in unbuilt or ():
        say(f"left out: {NotBuiltError([folder.path])}")
    folders = [bot.directory for bot in given if bot.directory]
    options.directories = [*options.directories, *folders]
    for_all = dict(options.env)
    bots = [
        replace(bot, env=tuple((for_all | dict(bot.env)).items()))
        for bot in (given if options.bots else options.config_bots)
    ]
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
        unbuilt=tuple(folder.name for folder in unbuilt or ()),
    )
    is_known = bool(stages) and stages[-1] == now
    if options.cluster is None and not (is_known and is_finished(store)):
        # Of a cluster its workers look for them.
        find_all(partial(find_entrant, game=now.game), now.bots)
    # What is shown at the end is checked before the first match.
    check_names(options, now.bots)
    if stages and not (is_known and is_finished(store)):
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
    digests = {bot.name: files_digest(bot.bot, now.game, bot.directory) for bot in now.bots}
    changed = store.changed(digests)
    if changed and not options.same_bot:
        raise UsageError(
            f"{', '.join(changed)} {'has' if len(changed) == 1 else 'have'} changed since the "
            f"matches in {store.name} were played: give another --store, or --same-bot to count "
            "all versions as one bot"
        )
    if not is_known:
        if options.sandbox == "auto" and now.sandbox == "none":
            say(f"bots are in no sandbox: {unavailable_reason()} (silent with --sandbox none)")
        store.add_stage(now)
    store.add_versions(digests)


def _sprt(options: argparse.Namespace) -> Sprt | None:
    """The sequential test, or a `UsageError`; None if nothing is said of it."""
    from referee.tournament.rating.sprt import Sprt

    given = {name: getattr(options, name) for name in ("elo0", "elo1", "alpha", "beta")}
    given = {name: value for name, value in given.items() if value is not None}
    try:
        return Sprt(**given) if given else None
    except ValueError as error:
        raise UsageError(f"--pairing sprt: {error}") from error


def _play(
    options: argparse.Namespace,
    interrupts: Interrupts,
    store: Store,
    anchor: tuple[int, float] | None,
) -> None:
    from referee.cli.commands.tournament_progress import Progress
    from referee.cli.work import collect_garbage
    from referee.tournament.playing.dispatcher import Dispatcher
    from referee.tournament.playing.live import remove_live
    from referee.tournament.playing.run import Run

    workers, jobs = _workers(options)
    collect_garbage()
    records = None if options.records is None else made_folder(options.records)
    keep = "none" if records is None else options.keep_records
    live = records if options.browser and options.cluster is None else None
    if live is not None:
        remove_live(live)  # of a run that was killed
    run = Run(store, records=records, live=live)
    unseen = (options.store, records, options.config, options.seed_file)  # seeds are in them
    with (
        Progress(run, store, anchor, quiet=options.quiet) as progress,
        Dispatcher(
            workers,
            jobs,
            keep=keep,
            record_stderr=options.record_stderr,
            live="" if live is None else str(live.absolute()),
            hidden=tuple(os.path.abspath(path) for path in unseen if path),
        ) as dispatcher,
    ):

        def look() -> None:
            interrupts.check()
            progress.look()

        run.look = look
        run.on_rows = progress.add
        try:
            run.play(dispatcher)
        finally:
            if live is not None:
                remove_live(live)


def _workers(
    options: argparse.Namespace,
) -> tuple[Callable[[], AbstractContextManager[Executor]], Callable[[], int]]:
    from referee.cli.work import cores

    if options.cluster is None:
        from referee.workers import worker_processes

        if (options.jobs or 0) > cores():
            too_many = f"{options.jobs} jobs on {cores()} cores"
            say(f"{too_many}: bots may time out since the machine is busy")
        jobs = options.jobs or cores()
        return lambda: worker_processes(jobs, pin=True), lambda: jobs
    from referee.tournament.playing.cluster import Cluster
    from referee.tournament.playing.directories import pack

    cluster = Cluster(options.cluster, {name: pack(name) for name in options.directories}, say)
    return cluster.workers, lambda: min(cluster.threads, options.jobs or cluster.threads)
