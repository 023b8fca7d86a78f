"""`referee validate`: spectator logs against the protocol."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from referee.cli.arguments import Commands, check_files
from referee.cli.console import OK, printing, say
from referee.cli.work import collect_garbage
from referee.interrupts import Interrupts
from referee.terminal import as_text, escaped, plain, plain_lines

if TYPE_CHECKING:
    from referee.seam.capabilities import Finding

INVALID = 1
SPECIFICATION = "protocol-v1"
"""What a log must follow whose game is unknown."""


def add(commands: Commands) -> None:
    """Add the command."""
    validate = commands.add_parser(
        "validate",
        help="check spectator logs, of any referee, against the protocol",
        description="Check spectator logs against the protocol: every line, and whether such a "
        "game can have been played.",
        epilog="Each finding has its line, the section of spec/protocol-v1.md that it breaks, what "
        "is expected and what was found. Exit codes: 0 all valid, 1 one is not, 2 wrong usage.",
        allow_abbrev=False,
    )
    validate.set_defaults(run=run)
    log = 'a spectator log, plain, .gz or .zst; "-" is stdin'
    validate.add_argument("logs", nargs="+", metavar="LOG", help=log)
    formats = "text; json: an object a log; junit: a test case a log"
    validate.add_argument(
        "--format", choices=("text", "json", "junit"), default="text", help=formats
    )
    quiet = "say nothing of valid logs"
    validate.add_argument("-q", "--quiet", action="store_true", help=quiet)


def run(options: argparse.Namespace, interrupts: Interrupts) -> int:
    """Run the command."""
    check_files(options.logs)

    from referee.logs.validate import MAX_FINDINGS, check_log

    collect_garbage()
    pages: list[str] = []  # of the specification, one a log
    failed: dict[int, list[Finding]] = {}  # by place; what JUnit's first line needs to know of
    unchecked: dict[str, str] = {}  # games without a checker, each with its first log
    invalid = findings_in_all = 0
    with interrupts.raising(), printing():
        for place, name in enumerate(options.logs):
            findings, rules = check_log(name)
            pages.append(SPECIFICATION if rules is None else rules.specification)
            if rules is not None and rules.checker is None:
                unchecked.setdefault(rules.name, name)
            invalid += bool(findings)
            findings_in_all += len(findings)
            if options.format == "text":
                _print_text(name, pages[-1], findings, quiet=options.quiet, most=MAX_FINDINGS)
            elif options.format == "json":
                _print_json(name, findings)
            elif findings:
                failed[place] = findings
        if options.format == "junit":
            _print_junit(options.logs, pages, failed)
        elif options.format == "text" and len(options.logs) > 1:
            valid = len(options.logs) - invalid
            print(f"{len(options.logs)} logs: {valid} valid, {invalid} not", end="")
            print(f" ({findings_in_all} findings)" if invalid else "")
    for game, name in unchecked.items():
        say(f"{as_text(name)}: the rules of {game} are not checked, only the lines of its logs")
    return INVALID if invalid else OK


def _print_text(name: str, page: str, findings: list[Finding], *, quiet: bool, most: int) -> None:
    name = escaped(name)
    if not findings and not quiet:
        print(f"{name}: valid")
    for finding in findings:
        print(f"{name}, line {finding.line}: {page}, {finding.section}{_times(finding)}")
        print(f"  expected: {escaped(finding.expected)}")
        print(f"  found:    {escaped(finding.found)}")
    if len(findings) >= most:
        print(f"{name}: {most} different findings or more; the rest was not looked at")


def _times(finding: Finding) -> str:
    return f", the first of {finding.count} lines" if finding.count > 1 else ""


def _print_json(name: str, findings: list[Finding]) -> None:
    import msgspec

    from referee.logs.validate import Validation

    print(msgspec.json.encode(Validation(as_text(name), not findings, findings)).decode())


def _print_junit(
    logs: Sequence[str], pages: Sequence[str], failed: Mapping[int, list[Finding]]
) -> None:
    """A test case a log; `failed` has the findings by the log's place."""
    from xml.etree import ElementTree

    counts = f'tests="{len(logs)}" failures="{len(failed)}"'
    print('<?xml version="1.0" encoding="UTF-8"?>')
    print(f'<testsuites {counts}>\n  <testsuite name="referee validate" {counts}>')
    for place, (log, page) in enumerate(zip(logs, pages, strict=True)):
        case = ElementTree.Element("testcase", classname=page, name=plain(log))
        findings = failed.get(place)
        if findings:
            first = findings[0]
            message = f"line {first.line}: {page}, {first.section}"
            failure = ElementTree.SubElement(case, "failure", message=message)
            failure.text = plain_lines(
                "\n".join(
                    f"line {finding.line}: {page}, {finding.section}{_times(finding)}\n"
                    f"  expected: {finding.expected}\n  found:    {finding.found}"
                    for finding in findings
                )
            )
        ElementTree.indent(case, level=2)
        print("    " + ElementTree.tostring(case, encoding="unicode"))
    print("  </testsuite>\n</testsuites>")
