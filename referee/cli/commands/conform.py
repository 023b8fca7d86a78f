"""`referee conform`: check a bot, or another referee, against each section of the protocol."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NoReturn

from referee.bots.processes.orphans import no_orphans
from referee.capacity import cores
from referee.cli import console
from referee.cli.consent import chosen_sandbox
from referee.cli.files import make_folder
from referee.cli.options import Heading, Options, argument, flag, option, repeated
from referee.cli.progress import show_progress
from referee.cli.running import collect_garbage, run_in_trio
from referee.cli.settings import (
    Settings,
    env_option,
    force_option,
    game_of_bots_option,
    sandbox_options,
    system_limits_options,
)
from referee.cli.values import Count, GameName, SandboxChoice, Seconds, Seed, Variable
from referee.errors import UsageError
from referee.games import GAMES
from referee.interrupts import Interrupted, Interrupts
from referee.logs.outputs import check_output, report_kind
from referee.text.terminal import plain

if TYPE_CHECKING:
    from referee.conformance.case import Rule
    from referee.conformance.suite import Suite
    from referee.conformance.text import TextReport
    from referee.conformance.verdict import Report, Result

# Unless `--time-limit` is given, a referee has to finish each match within this many seconds.
MATCH_SECONDS = 60.0
# If stderr isn't a terminal, we print the progress this often, in seconds.
SAY_EVERY_SECONDS = 15
# `--watch` checks the bot's files this often, in seconds.
LOOK_EVERY_SECONDS = 0.5


class ConformOptions(Options):
    """Check a bot against each sentence of the protocol. A failure shows the request, the expected
    reply and the actual one. With --referee, check a program that plays matches between bots.
    """

    epilog = """
BOT is the same as for referee play: a program, a command line, the http:// or https:// address of
a bot, or one that speaks a dialect of the game, such as classic:COMMAND with --game botwars.
Cases that cannot be tried with it are skipped, and the reason is printed. In the COMMAND of a
referee, {player1} and {player2} stand for the command lines of its bots. A referee for more
players also takes {player3} and {player4}, or {players} for all of them. {seed} is optional.
COMMAND is split into words like in a shell, but not run by one. Each command line of a bot becomes
one argument, which the referee must split in the same way."""
    exit_codes = (
        (0, "it conforms"),
        (1, "it does not"),
    )
    examples = (
        ("referee conform ./my_bot.py", "all cases: failures, and the number of passed cases"),
        ("referee conform ./my_bot.py --case 7.2 -q", "only one section, and only its failures"),
        ("referee conform ./my_bot.py -x --watch", "the first failure, again after each change"),
        (
            "referee conform ./my_bot.py --format html --output report.html",
            "also write the report as a page",
        ),
    )

    bot: str | None = argument("BOT", "a bundled name, a program, a command, an address")
    referee: str | None = option(
        "COMMAND", None, 'check this referee instead of a bot: "my_referee {player1} {player2}"'
    )
    case: tuple[str, ...] = repeated(
        "PATTERN", 'only these cases: "5.2/1", a section "5.2", a chapter "5", or "*/1"; repeatable'
    )
    list_cases: bool = flag("list the cases without running them", flags="--list")
    strict: bool = flag("a failed SHOULD counts as well as a failed MUST")
    match: tuple[str, ...] = repeated(
        "NAME", "with --referee: play only this match, or a pattern of its name; repeatable"
    )
    transcripts: str | None = option(
        "DIR",
        None,
        "with --referee: write the input and output of each bot to DIR/MATCH/PLAYER.txt",
    )
    game: GameName | None = game_of_bots_option()
    env: tuple[Variable, ...] = env_option()
    sandbox: SandboxChoice = sandbox_options("none")
    time_limit: Seconds | None = option(
        "S",
        None,
        "seconds for a reply, start-up or exit (default: 10); with --referee, for a match "
        "(default: 60)",
        hidden="--timeout",
    )
    seed: Seed = option("N", 1, "seed of the matches (default: %(default)s)")
    jobs: Count | None = option(
        "N", None, "number of parallel cases (default: number of cores; 1 for a bot's address)"
    )
    format: Literal["text", "json", "junit", "html"] = option(
        None, "text", "format of the report (default: %(default)s)"
    )
    exit_first: bool = flag(
        "stop at the first failure that counts, in the order of the cases",
        flags="-x, --exit-first",
    )
    watch: bool = flag(
        "run again whenever a file of the bot changes, until Ctrl-C: a file that BOT names, or any "
        "file in its folder"
    )
    output: str | None = option(
        "FILE", None, "write the report to this file; stdout still shows text"
    )
    force: bool = force_option()
    quiet: bool = flag(
        "show only failures and the verdict, with --referee only the first failure in full; with "
        "--output only the verdict",
        flags="-q, --quiet",
        excludes="verbosity",
    )
    verbose: bool = flag(
        "show a line for each case, and the last lines before each failure",
        flags="-v, --verbose",
        excludes="verbosity",
    )
    _limits = Heading("limits")
    settings: Settings = system_limits_options()


def run(options: ConformOptions, interrupts: Interrupts) -> int:
    from referee.bots.command import game_of_bots

    _check(options)
    named = [] if options.bot is None else [(options.bot, "")]
    game = options.game or game_of_bots(named)
    if options.watch:
        _run_at_changes(options, game, interrupts)
    return _run_once(options, game, interrupts)


def _run_at_changes(options: ConformOptions, game: str, interrupts: Interrupts) -> NoReturn:
    from referee.bots.digest import files_digest

    bot = options.bot or ""
    seen = files_digest(bot, game)
    if not seen:
        _Bot(options, game)  # this raises a `UsageError` if the bot doesn't exist
        raise UsageError(f"--watch: BOT {plain(bot)} names no file that could change")
    changed = writes = False
    while True:
        try:
            _run_once(options, game, interrupts)
        except UsageError as error:
            # Don't exit, because the author can usually fix this right away, for example by
            # building the folder again.
            for line in error.lines:
                console.say(line)
        # The author may have saved a file during the test, so we test again. If files change during
        # that test as well, they are probably the bot's own, such as a log.
        after = files_digest(bot, game)
        changed_before, changed = changed, after not in ("", seen)
        if changed_before and changed and not writes:
            writes = True
            console.say("files in the bot's folder change in each test: only later changes count")
        if writes and after:
            seen = after
        console.say("waiting for a change of the bot's files; Ctrl-C ends")
        with interrupts.raising():
            # While somebody is replacing the file, the digest is "".
            while (now := files_digest(bot, game)) in ("", seen):
                time.sleep(LOOK_EVERY_SECONDS)
        seen = now


def _run_once(options: ConformOptions, game: str, interrupts: Interrupts) -> int:
    if options.referee is None:
        subject: _Bot | _Referee = _Bot(options, game)
    else:
        subject = _Referee(options, game, options.referee)
    _check_outputs(options)
    reporter = _Reporter(options, subject.chapters, game)
    if options.list_cases:
        reporter.list(subject.cases)
        return console.OK
    results: list[Result] = []
    try:
        report = _run(subject, interrupts, results, reporter.show_new, quiet=options.quiet)
    except Interrupted as interrupted:
        # People have waited for these results, so we show them even if the run is interrupted.
        reporter.show_failures(results)
        ended = "the running cases were ended, without a report"
        console.say(f"{interrupted} after {subject.progress()}; {ended}")
        raise
    reporter.show(report)
    reporter.save(report)
    if not report.conforms or _is_broken(options, game, interrupts):
        return console.FAILED
    return console.OK


def _check(options: ConformOptions) -> None:
    if options.bot is not None and options.referee is not None:
        raise UsageError("conform takes a BOT or --referee COMMAND, not both")
    if options.bot is None and options.referee is None and not options.list_cases:
        raise UsageError("conform takes a BOT, such as ./my_bot.py (see referee conform --help)")
    if options.referee is not None and options.sandbox.kind == "bwrap":
        raise UsageError("--sandbox is for a BOT: give it to the referee in COMMAND")
    if options.bot is None and options.watch:
        raise UsageError("--watch is for a BOT")
    if options.referee is not None and options.exit_first:
        raise UsageError("-x is for a BOT: results of a referee come together")
    if options.referee is None and (options.match or options.transcripts):
        raise UsageError("--match and --transcripts are for --referee COMMAND")


def _check_outputs(options: ConformOptions) -> None:
    if options.transcripts is not None:
        from referee.conformance.referee_side.recording import check_transcripts

        check_transcripts(make_folder(options.transcripts), force=options.force)
    if options.output is not None:
        _check_writable(Path(options.output))
        console.check_other_file(options.output, [options.bot])
        check_output(options.output, report_kind(options.format), force=options.force)


def _is_broken(options: ConformOptions, game: str, interrupts: Interrupts) -> bool:
    """Return True if the bot is in a folder, and tournaments couldn't start it.

    The cases may have run without a sandbox, but tournaments usually have one. That's why we start
    the bot in a sandbox here, if one works. If the bot fails to start, we print the reason.
    """
    from referee.bots.command import bot_folder
    from referee.bots.processes.sandbox import resolve

    folder = None if options.bot is None else bot_folder(options.bot, game)
    if folder is None:
        return False
    from referee.tournament.playing.starting import start_once
    from referee.tournament.rows import Entrant

    bot = Entrant(folder.path, folder.command, folder.directory, options.env)
    sandbox = resolve("auto", options.sandbox.readable)
    found = start_once([bot], game, sandbox, 1, lambda started: interrupts.check())
    for why in found.values():
        console.say(f"no tournament can start it: {why}")
    return bool(found)


class _Reporter:
    """Writes the results to stdout and to the file of `--output`."""

    def __init__(self, options: ConformOptions, chapters: Mapping[str, str], game: str) -> None:
        from referee.conformance.text import TextReport

        self._options = options
        self._chapters = chapters
        self._text_report = partial(
            TextReport, chapters, game=game, strict=options.strict, options=_as_words(options)
        )
        self._on_stdout = self._text_report(
            width=console.width(sys.stdout), colour=console.has_colour(sys.stdout)
        )
        self._is_shown = options.format == "text" or options.output is not None
        self._only_verdict = options.quiet and options.output is not None
        # A check of a referee reports all results at the end, so there's nothing to show before.
        self._is_live = options.referee is None and self._is_shown and not self._only_verdict

    def list(self, cases: Sequence[Rule]) -> None:
        with console.printing():
            if self._options.format == "json":
                console.print_json(cases)
            else:
                _print(self._on_stdout.listed(cases))

    def show_new(self, result: Result) -> None:
        """Print a failure, unless another case has already failed for the same reason."""
        if self._is_live:
            with console.printing():
                _print(self._on_stdout.new_failures(result, verbose=self._options.verbose))

    def show_failures(self, results: Sequence[Result]) -> None:
        if self._is_shown:
            with console.printing():
                _print(self._failures(self._on_stdout, results))

    def show(self, report: Report) -> None:
        if self._is_shown:
            on = self._on_stdout
            with console.printing():
                _print(on.verdict(report) if self._only_verdict else self._lines(on, report))

    def save(self, report: Report) -> None:
        """Write the report to the file of `--output`.

        Without that option, print the report if it's JSON, JUnit or HTML. A text report has already
        been printed.
        """
        options = self._options
        if options.format != "text":
            text = _rendered(options.format, report, self._chapters)
        elif options.output is not None:
            in_file = self._text_report(width=console.PLAIN_WIDTH, colour=False)
            text = "\n".join([*self._lines(in_file, report), ""])
        else:
            return
        kind = report_kind(options.format)
        with console.printing_to(options.output, kind, force=options.force) as file:
            print(text, end="", file=file)

    def _lines(self, text: TextReport, report: Report) -> Iterator[str]:
        options = self._options
        yield from self._failures(text, report.cases)
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

    def _failures(self, text: TextReport, results: Sequence[Result]) -> Iterator[str]:
        options = self._options
        if self._is_live and text is self._on_stdout:
            return text.repeated(results)
        # When a referee makes one mistake, many cases fail. With --quiet we only show the first
        # failure in full, because the author should fix that first.
        brief = options.quiet and options.referee is not None
        return text.failures(results, verbose=options.verbose, brief=brief)


def _print(lines: Iterator[str]) -> None:
    # Write all lines together, because the terminal redraws the progress line after each write.
    sys.stdout.write("".join(f"{line}\n" for line in lines))


def _as_words(options: ConformOptions) -> list[str]:
    from referee.bots.repeat import sandbox_words
    from referee.match.spec import setting_words

    kind, readable = options.sandbox
    words = sandbox_words(kind or "none", readable, options.env)
    limit = {} if options.time_limit is None else {"time_limit": options.time_limit}
    for name, value in {**limit, **options.settings}.items():
        words += setting_words(name, value)
    return words


class _Bot:
    """The bot that we check. Knows the selected cases and the titles of the protocol's chapters."""

    def __init__(self, options: ConformOptions, game: str) -> None:
        from referee.bots.command import find_bot
        from referee.conformance.case import load_cases, select

        self._rules = GAMES[game]
        file = load_cases(self._rules)
        self.chapters = file.chapters
        self.cases = select(file.cases, options.case)
        bot = options.bot
        self._bot = None if bot is None else find_bot(bot, game, env=options.env)
        self._options = options
        self._suite: Suite | None = None

    async def check(self, on_result: Callable[[Result], None]) -> Report:
        """Run the cases, and pass their results to `on_result` in the order of the cases."""
        from referee.conformance.driver import ConformanceLimits
        from referee.conformance.suite import Suite, why_skipped

        assert self._bot is not None  # the bot can only be None with --list
        whys = [why_skipped(case, self._bot) for case in self.cases]
        # Some cases can't be tried with every kind of bot. If no case is left, we report an error,
        # because a report without any case would look like success.
        if all(whys):
            raise UsageError(f"no case to try with this BOT: {self.cases[0].id} is {whys[0]}")
        options = self._options
        sandbox = chosen_sandbox(options.sandbox, [self._bot], options.output)
        system = {**sandbox.limits, **options.settings}
        timeout = options.time_limit or ConformanceLimits().timeout
        limits = ConformanceLimits(timeout=timeout, system=system, sandbox=sandbox)
        self._suite = Suite(
            self.cases,
            self._bot,
            self._rules,
            options.seed,
            jobs=options.jobs or cores(),
            limits=limits,
            on_result=on_result,
            stop_first=options.exit_first,
        )
        return await self._suite.run(strict=options.strict)

    def progress(self) -> str:
        done = 0 if self._suite is None else self._suite.done
        return f"{done} of {len(self.cases)} cases"


class _Referee:
    """Another referee that we check. We let it play matches with bots that observe it.

    The attributes and methods are the same as in `_Bot`.
    """

    def __init__(self, options: ConformOptions, game: str, command: str) -> None:
        from referee.conformance.case import select
        from referee.conformance.referee_side import Template, load_referee_cases

        self._command, self._rules = command, GAMES[game]
        file = load_referee_cases(self._rules)
        self.chapters = file.chapters
        template = Template(command, self._rules.max_seats)
        cases = select(file.cases, options.case)
        asked = [case for case in cases if case.applies(template)]
        if not asked:
            raise UsageError("COMMAND has no place for the players or the seed that this needs")
        if not options.list_cases:
            template.check_program()
        self.cases = asked if options.list_cases else cases
        self._options = options
        self._played = 0

    async def check(self, on_result: Callable[[Result], None]) -> Report:
        """Play the matches and return the report. `on_result` isn't used."""
        from referee.conformance.referee_side import check_referee

        def played() -> None:
            self._played += 1

        options = self._options
        return await check_referee(
            self._command,
            self._rules,
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
        return "1 match" if self._played == 1 else f"{self._played} matches"


def _run(
    subject: _Bot | _Referee,
    interrupts: Interrupts,
    results: list[Result],
    show: Callable[[Result], None],
    *,
    quiet: bool,
) -> Report:
    import trio

    def on_result(result: Result) -> None:
        results.append(result)
        show(result)

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
        return await subject.check(on_result)

    collect_garbage()
    with no_orphans():
        return run_in_trio(work, interrupts)


def _check_writable(path: Path) -> None:
    # We check this before the run, so that nobody waits for all cases and then loses the report.
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
