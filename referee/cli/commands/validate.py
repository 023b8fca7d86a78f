"""`referee validate`: check spectator logs against the protocol."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from referee.cli.console import BUG, FAILED, OK, USAGE, say
from referee.cli.files import check_files
from referee.cli.many_files import FileReport, ReportOptions, difference, process_files
from referee.cli.options import Options, argument, flag, option
from referee.cli.settings import force_option, game_of_files_option
from referee.cli.values import Count, GameName
from referee.interrupts import Interrupts
from referee.text.junit import Case
from referee.text.terminal import as_text

if TYPE_CHECKING:
    from referee.games.interface.capabilities import Finding
    from referee.logs.validate import CheckedLog


class ValidateOptions(Options):
    """Check spectator logs against the protocol: every line, and whether such a game is
    possible.
    """

    epilog = """
Each finding shows its line, the section of the game's page in spec/, and the expected and the
found text."""
    exit_codes = (
        (0, "all valid"),
        (1, "a log is not valid"),
    )
    examples = (
        ("referee validate game.jsonl", "one log"),
        (
            "referee validate logs/*.jsonl --format junit --output validate.xml",
            "many, with a report for a build server",
        ),
    )

    logs: tuple[str, ...] = argument(
        "LOG", 'a spectator log, plain, .gz or .zst; "-" is stdin', at_least_one=True
    )
    game: tuple[GameName, ...] = game_of_files_option()
    format: Literal["text", "json", "junit"] = option(
        None, "text", "text; json: one object per log; junit: one test case per log"
    )
    output: str | None = option(
        "FILE", None, "write the report to this file; stdout still shows text"
    )
    force: bool = force_option()
    quiet: bool = flag("print nothing for valid logs", flags="-q, --quiet")
    jobs: Count | None = option("N", None, "number of processes (default: number of cores)")


def run(options: ValidateOptions, interrupts: Interrupts) -> int:
    names = options.logs
    check_files(names)
    from msgspec import UNSET

    # Import this before we start, so that a signal can't interrupt the import, and forked processes
    # get the module for free. The garbage collector won't look at it either.
    from referee.logs.validate import Validation, check_log

    # Maps each game whose rules we can't check to the first log of this game.
    unchecked: dict[str, str] = {}
    invalid = found = unknown = 0

    def make_report(name: str, log: CheckedLog) -> FileReport:
        nonlocal invalid, found, unknown
        if log.unchecked:
            unchecked.setdefault(log.unchecked, name)
        invalid += bool(log.findings)
        unknown += log.game_is_unknown
        found += len(log.findings)
        is_dull = not log.findings and log.stopped is None
        lines = [] if options.quiet and is_dull else _lines(name, log)
        unchecked_from = UNSET if log.stopped is None else log.stopped
        value = Validation(as_text(name), not log.findings, log.findings, unchecked_from)
        return FileReport(lines, value, _case(name, log))

    def summary() -> list[str]:
        findings = f" ({found} findings)" if invalid else ""
        return [f"{len(names)} logs: {len(names) - invalid} valid, {invalid} not{findings}"]

    how = ReportOptions(
        "validate", options.format, options.output, options.force, options.quiet, options.jobs
    )
    if not process_files("logs", check_log, names, how, interrupts, make_report, summary):
        return BUG
    for game, name in unchecked.items():
        say(f"{as_text(name)}: the rules of {game} are not checked, only the lines of its logs")
    if invalid > unknown:
        return FAILED
    return USAGE if unknown else OK


def _lines(name: str, log: CheckedLog) -> list[str]:
    from referee.logs.validate import MAX_FINDINGS

    if log.stopped is not None and not log.findings:
        line, why = log.stopped.line, log.stopped.why
        return [
            f"{name}: valid; from line {line} on the rules are not checked, because {why}, only "
            "turns, scores, seats that left and the end"
        ]
    if not log.findings:
        return [f"{name}: valid"]
    lines = [line for finding in log.findings for line in _finding(f"{name}, ", log.page, finding)]
    if len(log.findings) >= MAX_FINDINGS:
        more = "different findings or more; the rest was not looked at"
        lines.append(f"{name}: {MAX_FINDINGS} {more}")
    return lines


def _finding(where: str, page: str, finding: Finding) -> list[str]:
    times = f", the first of {finding.count} lines" if finding.count > 1 else ""
    head = f"{where}line {finding.line}: {page}, {finding.section}{times}"
    end = ["  the game's rules were not checked after this line"] if finding.stops else []
    return [head, *difference(finding.expected, finding.found), *end]


def _case(name: str, log: CheckedLog) -> Case:
    if not log.findings:
        return Case(log.page, name)
    first = log.findings[0]
    lines = [line for finding in log.findings for line in _finding("", log.page, finding)]
    message = f"line {first.line}: {log.page}, {first.section}"
    return Case(log.page, name, "failure", message, "\n".join(lines))
