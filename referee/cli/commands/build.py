"""`referee build`: run the build commands of bots in folders, each in a sandbox."""

from __future__ import annotations

import sys
from collections import Counter
from functools import partial
from operator import add
from typing import TYPE_CHECKING

from referee.bots.processes.orphans import no_orphans
from referee.capacity import cores
from referee.cli.consent import chosen_sandbox
from referee.cli.console import FAILED, OK, printing, say
from referee.cli.options import Options, argument, flag, option
from referee.cli.progress import show_progress, working
from referee.cli.running import run_in_trio
from referee.cli.settings import game_option, sandbox_options
from referee.cli.values import Count, GameName, SandboxChoice, Seconds
from referee.errors import UsageError, UsageErrors
from referee.interrupts import Interrupted, Interrupts
from referee.text.terminal import cells, cut, escaped, plain

if TYPE_CHECKING:
    import trio

    from referee.bots.building import Built
    from referee.bots.folder import BotFolder
    from referee.match.sandbox import Sandbox

# When we print the output of a build, lines are cut to this many columns.
_MOST_WIDTH = 160
_NAME_WIDTH = 30


class BuildOptions(Options):
    """Run the build command of each bot.toml on a copy of its folder, in a sandbox without a
    network. A folder that was built and has not changed is not built again.
    """

    epilog = "spec/organisers.md describes bot.toml and the folder with the result."
    exit_codes = (
        (0, "all folders are built"),
        (1, "a build failed, or a folder was skipped"),
        (2, "wrong usage, or a mistake in a folder; nothing was built"),
    )
    examples = (
        ("referee build bots/*/", "build new and changed folders"),
        ("referee build --rebuild bots/*/", "build all folders, even if they contain a build"),
    )

    bots: tuple[str, ...] = argument("BOT", "a folder with a bot.toml", at_least_one=True)
    game: GameName = game_option()
    time_limit: Seconds = option(
        "SECONDS", 300.0, "time limit of each build in seconds (default: %(default)s)"
    )
    jobs: Count | None = option("N", None, "number of parallel builds (default: number of cores)")
    rebuild: bool = flag("also build folders that are built already")
    skip_broken: bool = flag("skip folders with a mistake in their bot.toml, and build the others")
    sandbox: SandboxChoice = sandbox_options("auto")
    quiet: bool = flag("show only the output of failed builds", flags="-q, --quiet")


def run(options: BuildOptions, interrupts: Interrupts) -> int:
    from referee.bots.building import build

    found, skipped = _folders(options)
    # The same folder may be given twice, e.g. with and without a slash.
    folders = list({folder.directory: folder for folder in found}.values())
    sandbox = chosen_sandbox(options.sandbox, folders)
    done: dict[int, Built] = {}

    async def work(nursery: trio.Nursery) -> None:
        import trio

        limiter = trio.CapacityLimiter(options.jobs or cores())

        async def one(number: int, folder: BotFolder) -> None:
            async with limiter:
                limit, again = options.time_limit, options.rebuild
                built = await build(folder, options.game, sandbox, limit, again=again)
            done[number] = built
            if built.problem or not options.quiet:
                _say_output(built)

        if sys.stderr.isatty() and not options.quiet:
            await nursery.start(partial(show_progress, lambda: f"{len(done)} of {len(folders)}"))
        async with trio.open_nursery() as builds:
            for number, folder in enumerate(folders):
                builds.start_soon(one, number, folder)

    try:
        with no_orphans():
            run_in_trio(work, interrupts)
    except Interrupted as interrupted:
        say(f"{interrupted} after {len(done)} of {len(folders)}; no other bot was changed")
        raise
    all_built = [done[number] for number in range(len(folders))]
    to_start = [built for built in all_built if not built.problem]
    try:
        broken = _broken(options, to_start, sandbox, interrupts)
    except Interrupted as interrupted:
        say(f"{interrupted} while bots were being started; all builds are done")
        raise
    with interrupts.raising(), printing():
        _print_table(all_built, broken, skipped, sandbox.kind)
    return FAILED if skipped or broken or any(built.problem for built in all_built) else OK


def _broken(
    options: BuildOptions, built: list[Built], sandbox: Sandbox, interrupts: Interrupts
) -> set[str]:
    from referee.bots.command import bot_in
    from referee.tournament.playing.starting import start_once
    from referee.tournament.rows import Entrant

    bots: list[Entrant] = []
    broken: set[str] = set()
    # A bot that was built may still fail to start, e.g. because a file is missing. It's better to
    # learn this now than when the tournament begins.
    for folder in (each.folder for each in built):
        try:
            bot_in(folder, options.game)
        except UsageError as error:
            for line in error.lines:
                say(line)
            broken.add(folder.directory)
        else:
            bots.append(Entrant(folder.path, folder.command, folder.directory))
    jobs = options.jobs or cores()
    with working(len(bots), "bots started", quiet=options.quiet, interrupts=interrupts) as look:
        found = start_once(bots, options.game, sandbox, jobs, look)
    for why in found.values():
        say(str(why))
    return broken | {bots[number].directory for number in found}


def _folders(options: BuildOptions) -> tuple[list[BotFolder], int]:
    from referee.bots.command import find_each, together

    found, mistakes = find_each(partial(_folder, options.game), options.bots)
    lines = together(mistakes).lines if mistakes else ()
    if mistakes and not (found and options.skip_broken):
        # People may overlook one message among many. Unless they skip broken bots, a mistake in one
        # folder therefore prevents all builds.
        nothing = ["nothing was built; --skip-broken builds the other folders"] * bool(found)
        raise UsageErrors([*lines, *nothing])
    for line in lines:
        say(line)
    return found, len(mistakes)


def _folder(game: str, argument: str) -> BotFolder:
    from referee.bots.command import bot_folder

    folder = bot_folder(argument, game)
    if folder is None:
        problem = "is not a folder with a bot.toml, which says how to build it"
        raise UsageError(f"BOT {argument} {problem}")
    if folder.problems:
        raise UsageErrors(folder.problems)
    return folder


def _say_output(built: Built) -> None:
    name = plain(built.folder.name)
    for line in built.output:
        print(cut(f"{name}| {escaped(line.expandtabs())}", _MOST_WIDTH), file=sys.stderr)
    if built.problem:
        say(f"{built.folder.path}: the build failed: {built.problem}")


def _print_table(found: list[Built], broken: set[str], skipped: int, sandbox: str) -> None:
    rows = [("bot", "language", "build")]
    names = Counter(built.folder.name for built in found)
    for built in found:
        folder = built.folder
        name = folder.name if names[folder.name] == 1 else folder.path
        took = f"{built.state}, {built.seconds:.1f} s" if built.seconds else built.state
        took += ", cannot be started" * (folder.directory in broken)
        rows.append((plain(name), plain(folder.language) or "-", took))
    widths = [min(_NAME_WIDTH, max(cells(row[column]) for row in rows)) for column in range(2)]
    for name, language, took in rows:
        shown = [cut(text, width) for text, width in zip((name, language), widths, strict=True)]
        spaces = [" " * (width - cells(text)) for text, width in zip(shown, widths, strict=True)]
        print("  ".join([*map(add, shown, spaces), took]))
    good = sum(not built.problem for built in found) - len(broken)
    print(f"\n{good} of {len(found) + skipped} can be played; sandbox of the builds: {sandbox}")
