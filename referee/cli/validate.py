"""`referee validate`: spectator logs against the protocol."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from contextlib import closing
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from referee.cli.arguments import Commands, check_files, count
from referee.cli.console import BUG, OK, fail, printing, say
from referee.cli.many_files import WorkerDiedError, over_files, progress
from referee.cli.reports import Findings, add_output
from referee.games import DEFAULT_GAME, GAMES
from referee.interrupts import Interrupted, Interrupts
from referee.terminal import as_text

if TYPE_CHECKING:
    from referee.junit import Case
    from referee.logs.validate import Validation
    from referee.seam.capabilities import Finding

INVALID = 1


def add(commands: Commands) -> None:
    """Add the command."""
    validate = commands.add_parser(
        "validate",
        help="check spectator logs, of any referee, against the protocol",
        description="Check spectator logs against the protocol: every line, and whether such a "
        "game can have been played.",
        epilog="Each finding has its line, the section of the game's page in spec/ that it breaks, "
        "what is expected and what was found.",
        exit_codes={0: "all valid", 1: "one is not"},
        examples=(
            ("referee validate game.jsonl", "one log"),
            (
                "referee validate logs/*.jsonl --format junit --output validate.xml",
                "many, with a report for a build server",
            ),
        ),
    )
    validate.set_defaults(run=run)
    log = 'a spectator log, plain, .gz or .zst; "-" is stdin'
    validate.add_argument("logs", nargs="+", metavar="LOG", help=log)
    formats = "text; json: an object a log; junit: a test case a log"
    add_output(validate, formats=formats)
    quiet = "say nothing of valid logs"
    validate.add_argument("-q", "--quiet", action="store_true", help=quiet)
    jobs = "processes (default: as many as there are cores)"
    validate.add_argument("--jobs", type=count, metavar="N", help=jobs)


def run(options: argparse.Namespace, interrupts: Interrupts) -> int:
    """Run the command."""
    names: list[str] = options.logs
    check_files(names)
    # No import is to be interrupted, a forked process has it, and the collector lets it be.
    import referee.logs.validate  # noqa: F401

    unchecked: dict[str, str] = {}  # games without a checker, each with its first log
    looked = invalid = found = 0
    try:
        with (
            interrupts.raising(),
            progress("validating", len(names), quiet=options.quiet) as advance,
            printing(),
            printing(options.output, names) as report,
            Findings("referee validate", options, sys.stdout, report) as findings,
            closing(over_files(_check, names, options.jobs, interrupts)) as logs,
        ):
            for name, log in zip(names, logs, strict=True):
                if log.unchecked is not None:
                    unchecked.setdefault(log.unchecked, name)
                looked += 1
                invalid += bool(log.findings)
                found += len(log.findings)
                lines = [] if options.quiet and not log.findings else _lines(name, log)
                findings.add(lines, _validation(name, log), partial(_case, name, log))
                advance()
            if len(names) > 1:
                findings.say([_summary(len(names), invalid, found)])
    except Interrupted as interrupted:
        say(f"{interrupted}; {looked} of {len(names)} logs were looked at")
        raise
    except WorkerDiedError:
        problem = f"a process ended by itself (out of memory?); {looked} of {len(names)}"
        return fail(f"{problem} logs were looked at", BUG)
    for game, name in unchecked.items():
        say(f"{as_text(name)}: the rules of {game} are not checked, only the lines of its logs")
    return INVALID if invalid else OK


class _Log(NamedTuple):
    """A log that was checked.

    Attributes:
        findings: in the order of its lines.
        page: of the specification.
        unchecked: its game, if that has no checker.
    """

    findings: list[Finding]
    page: str
    unchecked: str | None


def _check(name: str) -> _Log:
    from referee.logs.validate import check_log

    findings, rules = check_log(name)
    if rules is None:
        return _Log(findings, GAMES[DEFAULT_GAME].specification, None)
    return _Log(findings, rules.specification, rules.name if rules.checker is None else None)


def _lines(name: str, log: _Log) -> Iterator[str]:
    """What people are told."""
    from referee.logs.validate import MAX_FINDINGS

    if not log.findings:
        yield f"{name}: valid"
    for finding in log.findings:
        yield f"{name}, {_place(finding, log)}"
        yield f"  expected: {finding.expected}"
        yield f"  found:    {finding.found}"
    if len(log.findings) >= MAX_FINDINGS:
        yield f"{name}: {MAX_FINDINGS} different findings or more; the rest was not looked at"


def _place(finding: Finding, log: _Log) -> str:
    times = f", the first of {finding.count} lines" if finding.count > 1 else ""
    return f"line {finding.line}: {log.page}, {finding.section}{times}"


def _summary(logs: int, invalid: int, findings: int) -> str:
    """How many are valid."""
    found = f" ({findings} findings)" if invalid else ""
    return f"{logs} logs: {logs - invalid} valid, {invalid} not{found}"


def _validation(name: str, log: _Log) -> Validation:
    from referee.logs.validate import Validation

    return Validation(as_text(name), not log.findings, log.findings)


def _case(name: str, log: _Log) -> Case:
    from referee.junit import Case

    if not log.findings:
        return Case(log.page, name)
    first = log.findings[0]
    message = f"line {first.line}: {log.page}, {first.section}"
    text = "\n".join(
        f"{_place(finding, log)}\n  expected: {finding.expected}\n  found:    {finding.found}"
        for finding in log.findings
    )
    return Case(log.page, name, "failure", message, text)
