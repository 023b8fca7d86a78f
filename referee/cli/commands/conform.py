"""`referee conform`: check a bot, or another referee, against each section of the protocol."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from referee.bots.processes.orphans import no_orphans
from referee.capacity import cores
from referee.cli import console, settings
from referee.cli.arguments import made_folder
from referee.cli.consent import chosen_sandbox
from referee.cli.work import collect_garbage, run_in_trio, show_progress
from referee.errors import UsageError
from referee.games import GAMES
from referee.interrupts import Interrupted, Interrupts
from referee.logs.outputs import check_output, report_kind

if TYPE_CHECKING:
    from referee.conformance.suite import Suite
    from referee.conformance.text import TextReport
    from referee.conformance.verdict import Report, Result

MATCH_SECONDS = 60.0
"""A referee gets so long for a match."""
SAY_EVERY_SECONDS = 15
"""How often it says how far it is where there is no terminal."""


def run(options: argparse.Namespace, interrupts: Interrupts) -> int:
    from referee.conformance.text import TextReport

    if options.bot is not None and options.referee is not None:
        raise UsageError("conform takes a BOT or --referee COMMAND, not both")
    if options.bot is None and options.referee is None and not options.list:
        raise UsageError("conform takes a BOT, such as ./my_bot.py (see referee conform --help)")
    if options.referee is not None and options.sandbox == "bwrap":
        raise UsageError("--sandbox is for a BOT: give it to the referee in COMMAND")
    if options.referee is None and (options.match or options.transcripts):
        raise UsageError("--match and --transcripts are for --referee COMMAND")
    if options.game is None:
        from referee.bots.command import game_of_bots

        options.game = game_of_bots([] if options.bot is None else [(options.bot, "")])
    subject = _Bot(options) if options.referee is None else _Referee(options)
    if options.transcripts is not None:
        from referee.conformance.referee_side.recording import check_transcripts

        check_transcripts(made_folder(options.transcripts), force=options.force)
    if options.output is not None:
        _check_writable(Path(options.output))
        console.check_other_file(options.output, [options.bot])
        check_output(options.output, report_kind(options.format), force=options.force)

    words = _as_words(options)
    text_report = partial(TextReport, subject.chapters, strict=options.strict, options=words)
    on_stdout = text_report(width=console.width(sys.stdout), colour=console.has_colour(sys.stdout))
    if options.list:
        with console.printing():
            if options.format == "json":
                console.print_json(subject.cases)
            else:
                _print(on_stdout.listed(subject.cases))
        return console.OK
    shown = options.format == "text" or options.output is not None
    results: list[Result] = []
    try:
        report = _run(subject, interrupts, results, quiet=options.quiet)
    except Interrupted as interrupted:
        if shown:
            with console.printing():
                _print(on_stdout.failures(results))
        ended = "the running cases were ended, without a report"
        console.say(f"{interrupted} after {subject.progress()}; {ended}")
        raise
    if shown:
        only_verdict = options.quiet and options.output is not None
        with console.printing():
            text = on_stdout.verdict(report) if only_verdict else _text(options, on_stdout, report)
            _print(text)
    if options.format != "text":
        _write(options, _rendered(options.format, report, subject.chapters))
    elif options.output is not None:
        in_file = text_report(width=console.PLAIN_WIDTH, colour=False)
        _write(options, "\n".join([*_text(options, in_file, report), ""]))
    if report.conforms and _is_broken(options, interrupts):
        return console.FAILED
    return console.OK if report.conforms else console.FAILED


def _is_broken(options: argparse.Namespace, interrupts: Interrupts) -> bool:
    """Whether the bot in a folder cannot be started as a tournament starts it; says why."""
    from referee.bots.command import bot_folder
    from referee.bots.processes.sandbox import resolve

    folder = None if options.bot is None else bot_folder(options.bot, options.game)
    if folder is None:
        return False
    from referee.tournament.playing.starting import start_once
    from referee.tournament.rows import Entrant

    bot = Entrant(folder.path, folder.command, folder.directory, tuple(options.env))
    sandbox = resolve("auto", options.sandbox_read)
    found = start_once([bot], options.game, sandbox, 1, lambda started: interrupts.check())
    for why in found.values():
        console.say(f"no tournament can start it: {why}")
    return bool(found)


def _text(options: argparse.Namespace, text: TextReport, report: Report) -> Iterator[str]:
    # One mistake of a referee fails many cases: the first is to be mended first.
    brief = options.quiet and report.tested == "referee"
    yield from text.failures(report.cases, verbose=options.verbose, brief=brief)
    if options.verbose:
        yield from text.listed(report.cases)
        yield ""
    if not options.quiet:
        yield from text.counts(report.cases)
    if not options.quiet or (report.not_judged and not report.failed):
        yield from text.unjudged(report.cases)
        yield ""
    yield from text.verdict(report)
    yield from text.notes(report)
    yield from text.commands(report)


def _print(lines: Iterator[str]) -> None:
    sys.stdout.writelines(f"{line}\n" for line in lines)


def _as_words(options: argparse.Namespace) -> list[str]:
    """The sandbox, the variables and the limits of the bot, as words of a command line."""
    from referee.bots.repeat import sandbox_words
    from referee.match.spec import setting_words

    words = sandbox_words(options.sandbox, options.sandbox_read, options.env)
    for name, value in settings.chosen_settings(options).items():
        words += setting_words(name, value)
    return words


class _Bot:
    """A bot, with the titles of the protocol's chapters and the selected cases."""

    def __init__(self, options: argparse.Namespace) -> None:
        from referee.bots.command import find_bot
        from referee.conformance.case import load_cases, select

        file = load_cases(GAMES[options.game])
        self.chapters = file.chapters
        self.cases = select(file.cases, options.case)
        bot, env = options.bot, tuple(options.env)
        self._bot = None if bot is None else find_bot(bot, options.game, env=env)
        self._options = options
        self._suite: Suite | None = None

    async def check(self, on_result: Callable[[Result], None]) -> Report:
        """Run the cases; `on_result` gets each result, in their order, as soon as can be."""
        from referee.conformance.driver import ConformanceLimits
        from referee.conformance.suite import Suite, why_skipped

        assert self._bot is not None  # only a list goes without
        whys = [why_skipped(case, self._bot) for case in self.cases]
        if all(whys):
            raise UsageError(f"no case to try with this BOT: {self.cases[0].id} is {whys[0]}")
        options = self._options
        sandbox = chosen_sandbox(options, [self._bot], options.output)
        system = {**sandbox.limits, **settings.chosen_settings(options)}
        timeout = system.pop("time_limit", ConformanceLimits().timeout)
        limits = ConformanceLimits(timeout=timeout, system=system, sandbox=sandbox)
        self._suite = Suite(
            self.cases,
            self._bot,
            GAMES[options.game],
            options.seed,
            jobs=options.jobs or cores(),
            limits=limits,
            on_result=on_result,
        )
        return await self._suite.run(strict=options.strict)

    def progress(self) -> str:
        """How far it is."""
        done = 0 if self._suite is None else self._suite.done
        return f"{done} of {len(self.cases)} cases"


class _Referee:
    """Another referee, checked by matches with probes. It has the attributes of `_Bot`."""

    def __init__(self, options: argparse.Namespace) -> None:
        from referee.conformance.case import select
        from referee.conformance.referee_side import Template, load_referee_cases

        rules = GAMES[options.game]
        file = load_referee_cases(rules)
        self.chapters = file.chapters
        template = Template(options.referee, rules.max_seats)
        cases = select(file.cases, options.case)
        asked = [case for case in cases if case.applies(template)]
        if not asked:
            raise UsageError("COMMAND has no place for the players or the seed that this needs")
        if not options.list:
            template.check_program()
        self.cases = asked if options.list else cases
        self._options = options
        self._played = 0

    async def check(self, on_result: Callable[[Result], None]) -> Report:
        """Play all matches; their results come together, in the report."""
        from referee.conformance.referee_side import check_referee

        def played() -> None:
            self._played += 1

        options = self._options
        rules = GAMES[options.game]
        return await check_referee(
            options.referee,
            rules,
            self.cases,
            seed=options.seed,
            jobs=options.jobs or cores(),
            timeout=options.time_limit or MATCH_SECONDS,
            strict=options.strict,
            on_match=played,
            covers=[case.id for case in self.cases] if options.case else [],
            only=options.match,
            keep=None if options.transcripts is None else Path(options.transcripts),
        )

    def progress(self) -> str:
        """How far it is."""
        return "1 match" if self._played == 1 else f"{self._played} matches"


def _run(
    subject: _Bot | _Referee, interrupts: Interrupts, results: list[Result], *, quiet: bool
) -> Report:
    """Check the subject; each result is put into `results` as soon as it is known."""
    import trio

    async def work(nursery: trio.Nursery) -> Report:
        started = trio.current_time()

        def line() -> str:
            failed = [result.id for result in results if result.status == "failed"]
            parts = [subject.progress(), f"{trio.current_time() - started:.0f} s"]
            if failed:
                parts.insert(1, f"{len(failed)} failed, the first {failed[0]}")
            return ", ".join(parts)

        async def say_line() -> None:
            while True:
                await trio.sleep(SAY_EVERY_SECONDS)
                console.say(line())

        if sys.stderr.isatty():
            await nursery.start(partial(show_progress, line))
        elif not quiet:
            nursery.start_soon(say_line)
        return await subject.check(results.append)

    collect_garbage()
    with no_orphans():
        return run_in_trio(work, interrupts)


def _check_writable(path: Path) -> None:
    """Say before the run, not after it, that the report could not be written."""
    folder = path.parent
    if path.is_dir():
        raise UsageError(f"cannot write {path}: it is a directory")
    if not folder.is_dir():
        raise UsageError(f"cannot write {path}: the folder does not exist: {folder}")
    if not os.access(path if path.exists() else folder, os.W_OK):
        raise UsageError(f"cannot write {path}: permission denied")


def _rendered(format: str, report: Report, chapters: Mapping[str, str]) -> str:
    if format == "json":
        return console.json_line(report) + "\n"
    if format == "junit":
        from referee.conformance.junit import junit

        return junit(report, chapters)
    from referee.conformance.page import page

    return page(report, chapters) + "\n"


def _write(options: argparse.Namespace, text: str) -> None:
    kind = report_kind(options.format)
    with console.printing_to(options.output, kind, force=options.force) as file:
        print(text, end="", file=file)
