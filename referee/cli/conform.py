"""`referee conform`: what a bot does wrong, by section of the protocol."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from referee.cli.arguments import Commands, count, seconds, seed
from referee.cli.console import OK, has_colour, printing, say, width
from referee.errors import UsageError
from referee.interrupts import Interrupted, Interrupts

if TYPE_CHECKING:
    import trio

    from referee.conformance.case import Case
    from referee.conformance.suite import Suite
    from referee.conformance.text import Table
    from referee.conformance.verdict import Report, Result

DEPARTS = 1
GAME = "dominion"
FORMATS = ("text", "json", "junit", "html")
PROGRESS_EVERY_SECONDS = 0.2


def add(commands: Commands) -> None:
    """Add the command."""
    conform = commands.add_parser(
        "conform",
        help="check a bot against the protocol, sentence by sentence",
        description="Check a bot against the protocol, sentence by sentence: what it is sent, what "
        "it must answer, and what it did instead.",
        epilog="BOT is what referee play takes. The cases are those of spec/vectors. Exit codes: "
        "0 the bot conforms, 1 it does not, 2 wrong usage, 130 after Ctrl-C, 143 after SIGTERM.",
        allow_abbrev=False,
    )
    conform.set_defaults(run=run)
    add = conform.add_argument
    add("bot", nargs="?", metavar="BOT", help="a bundled name, a program, or a command line")
    pattern = 'only these cases: "5.2/1", a section "5.2", a chapter "5", or "*/1"; repeatable'
    add("--case", action="append", default=[], metavar="PATTERN", help=pattern)
    add("--list", action="store_true", help="list the cases and run none")
    add("--strict", action="store_true", help="what should pass must pass")
    add("--timeout", type=seconds, default=10.0, metavar="S", help="a reply, start-up, exit (10)")
    add("--seed", type=seed, default=1, metavar="N", help="of the matches (1)")
    add("--jobs", type=count, metavar="N", help="cases at a time (as many as there are cores)")
    add("--format", choices=FORMATS, default="text", help="of the report (text)")
    output = "write the report there; on stdout the table is shown all the same"
    add("--output", metavar="FILE", help=output)
    add("-q", "--quiet", action="store_true", help="leave out of the table what passed")


def run(options: argparse.Namespace, interrupts: Interrupts) -> int:
    """Run the command."""
    from referee.conformance.case import load_cases, select

    if options.bot is None and not options.list:
        raise UsageError("conform takes a BOT, such as ./my_bot.py (see referee conform --help)")
    file = load_cases()
    cases = select(file.cases, options.case)
    chapters = file.chapters
    if options.list:
        return _list(options, cases, chapters)
    if options.output is not None:
        _check_writable(Path(options.output))

    table = _table(options, cases, chapters)
    shown = options.format == "text" or options.output is not None
    told = 0

    def tell(result: Result) -> None:
        nonlocal told
        told += 1
        if shown:
            _print(table.result(result))

    try:
        with printing():
            report = _run_cases(options, interrupts, cases, tell)
            if shown:
                _print(table.verdict(report))
    except Interrupted as interrupted:
        say(f"{interrupted} after {told} of {len(cases)} cases; the bot was ended, no report made")
        raise
    _write(options, report, cases, chapters)
    return OK if report.conforms else DEPARTS


def _list(options: argparse.Namespace, cases: list[Case], chapters: dict[str, str]) -> int:
    with printing():
        if options.format == "json":
            import msgspec

            print(msgspec.json.encode(cases).decode())
        else:
            table = _table(options, cases, chapters)
            for case in cases:
                _print(table.listed(case))
    return OK


def _table(
    options: argparse.Namespace, cases: list[Case], chapters: dict[str, str], *, plain: bool = False
) -> Table:
    from referee.conformance.text import Table

    return Table(
        chapters,
        [case.id for case in cases],
        width=80 if plain else width(sys.stdout),
        colour=not plain and has_colour(sys.stdout),
        strict=options.strict,
        quiet=options.quiet,
    )


def _print(lines: Iterator[str]) -> None:
    for line in lines:
        print(line)
    sys.stdout.flush()


# --- running --------------------------------------------------------------------------------------


def _run_cases(
    options: argparse.Namespace,
    interrupts: Interrupts,
    cases: list[Case],
    tell: Callable[[Result], None],
) -> Report:
    from referee.bots.command import resolve_bot
    from referee.bots.orphans import adopt_orphans, children, kill_orphans
    from referee.cli.running import run_in_trio
    from referee.conformance.driver import Limits
    from referee.conformance.suite import Suite
    from referee.games import GAMES

    bot = resolve_bot(options.bot)
    spare = children()
    suite = Suite(
        cases,
        bot,
        GAMES[GAME],
        options.seed,
        jobs=options.jobs or _cores(),
        limits=Limits(timeout=options.timeout),
        tell=tell,
    )

    async def work(nursery: trio.Nursery) -> Report:
        if sys.stderr.isatty():
            await nursery.start(_show_progress, suite)
        return await suite.run(strict=options.strict)

    try:
        with interrupts.held():
            adopt_orphans()
        return run_in_trio(work, interrupts)
    finally:
        with interrupts.held():
            kill_orphans(spare)
            adopt_orphans(False)


async def _show_progress(suite: Suite, task_status: trio.TaskStatus[None]) -> None:
    """A line on the terminal that says how far the cases are."""
    import trio
    from rich.console import Console
    from rich.live import Live
    from rich.text import Text

    started = trio.current_time()
    with Live(
        console=Console(stderr=True),
        auto_refresh=False,
        transient=True,
        # What is printed to the same terminal goes above the line, but a file gets it as it is.
        redirect_stdout=sys.stdout.isatty(),
        redirect_stderr=False,
    ) as live:
        task_status.started()
        while True:
            seconds = trio.current_time() - started
            line = f"{suite.done} of {len(suite.cases)} cases, {seconds:.0f} s"
            live.update(Text(line, no_wrap=True, overflow="ellipsis"), refresh=True)
            await trio.sleep(PROGRESS_EVERY_SECONDS)


def _cores() -> int:
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # macOS
        return os.cpu_count() or 1


# --- the report -----------------------------------------------------------------------------------


def _check_writable(path: Path) -> None:
    """Say before the run, not after it, that the report could not be written."""
    folder = path.parent
    if path.is_dir():
        raise UsageError(f"cannot write {path}: it is a directory")
    if not folder.is_dir():
        raise UsageError(f"cannot write {path}: there is no folder {folder}")
    if not os.access(path if path.exists() else folder, os.W_OK):
        raise UsageError(f"cannot write {path}: permission denied")


def _write(
    options: argparse.Namespace, report: Report, cases: list[Case], chapters: dict[str, str]
) -> None:
    if options.format == "text":
        if options.output is None:
            return
        table = _table(options, cases, chapters, plain=True)
        lines = [line for result in report.cases for line in table.result(result)]
        text = "\n".join([*lines, *table.verdict(report)]) + "\n"
    elif options.format == "json":
        import msgspec

        text = msgspec.json.encode(report).decode() + "\n"
    elif options.format == "junit":
        from referee.conformance.junit import junit

        text = junit(report, chapters)
    else:
        from referee.conformance.page import page

        text = page(report, chapters) + "\n"
    if options.output is None:
        with printing():
            print(text, end="")
        return
    try:
        Path(options.output).write_text(text, encoding="utf-8", errors="backslashreplace")
    except OSError as error:
        raise UsageError(f"cannot write {options.output}: {error.strerror}") from error
