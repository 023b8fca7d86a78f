"""`referee verify`: run match records again and compare."""

from __future__ import annotations

import argparse
import os
import stat
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from functools import partial
from typing import TYPE_CHECKING

from referee.cli.arguments import Commands, count
from referee.cli.console import BUG, OK, USAGE, fail, printing, say
from referee.cli.many_files import STDIN, WorkerDiedError, over_files, progress
from referee.cli.reports import Findings, add_output
from referee.cli.work import collect_garbage, cores
from referee.errors import LogWriteError, UsageError, why
from referee.interrupts import Interrupted, Interrupts
from referee.terminal import as_text

if TYPE_CHECKING:
    from referee.junit import Case
    from referee.logs.files import LogFile
    from referee.logs.verify import Verdict
    from referee.tournament.check import Checked

FAILED = 1


def add(commands: Commands) -> None:
    """Add the command."""
    verify = commands.add_parser(
        "verify",
        help="run match records again and compare",
        description="Run each match again from the seed and the replies in its record, and compare "
        "every message, fault, disqualification and the outcome.",
        epilog="A record is plain or compressed (.gz, .zst).",
        exit_codes={0: "all hold", 1: "one does not"},
        examples=(
            ("referee verify game.record.jsonl", "whether this record is of a real match"),
            ("referee verify --store night.sqlite --sample 20", "20 matches of a tournament"),
        ),
    )
    verify.set_defaults(run=run)
    add = verify.add_argument
    add("records", nargs="*", metavar="RECORD", help='a match record; "-" is stdin')
    add("--store", metavar="FILE", help="of a tournament: play its matches again and compare")
    add("--sample", type=count, metavar="N", help="so many matches of the store, drawn by lot")
    add("--records-of", metavar="DIR", help="where the tournament's records are, to be run again")
    add(
        "--log",
        metavar="FILE",
        help="write the spectator log that follows from the one RECORD; "
        '"-" is stdout, and nothing else goes there',
    )
    text = "text: a line for a failure; json: an object a line for each RECORD; junit: a case each"
    add_output(verify, formats=text)
    add("-q", "--quiet", action="store_true", help="failures only: no summary, no progress")
    add("--jobs", type=count, metavar="N", help="processes (default: as many as there are cores)")


def run(options: argparse.Namespace, interrupts: Interrupts) -> int:
    """Run the command."""
    if options.store is not None:
        return _check_store(options, interrupts)
    # No import is to be interrupted, a forked process has it, and the collector lets it be.
    import referee.logs.verify  # noqa: F401

    names: list[str] = options.records
    _check_names(names, options)
    seen: Counter[str] = Counter()
    text = sys.stderr if options.log == "-" else sys.stdout
    look = partial(over_files, names=names, jobs=options.jobs, interrupts=interrupts)
    try:
        with (
            interrupts.raising(),
            _log(options.log) as log,
            progress("verifying", len(names), quiet=options.quiet) as advance,
            printing(),
            printing(options.output, names) as report,
            Findings("referee verify", options, text, report) as findings,
            closing(look(partial(_verify, log=log))) as verdicts,
        ):
            for verdict in verdicts:
                lines = _lines(verdict, quiet=options.quiet or len(names) > 1)
                findings.add(lines, verdict, partial(_case, verdict))
                seen[verdict.kind] += 1
                advance()
            if len(names) > 1 and not options.quiet:
                findings.say([_summary(seen)])
    except Interrupted as interrupted:
        say(f"{interrupted}; {seen.total()} of {len(names)} records were looked at")
        raise
    except LogWriteError as error:
        if error.reader_gone:
            raise
        return fail(str(error), USAGE)
    except WorkerDiedError:
        problem = f"a process ended by itself (out of memory?); {seen.total()} of {len(names)}"
        return fail(f"{problem} records were looked at", BUG)
    return OK if seen.keys() <= {"holds"} else FAILED


# --- before anything starts ---------------------------------------------------------------------


def _check_names(names: Sequence[str], options: argparse.Namespace) -> None:
    """Find out what cannot be verified.

    Raises:
        UsageError: something cannot.
    """
    if not names:
        raise UsageError("give a RECORD, or --store with the store of a tournament")
    if options.sample is not None or options.records_of is not None:
        raise UsageError("--sample and --records-of go with --store")
    if names.count(STDIN) > 1:
        raise UsageError("standard input can be read only once")
    if options.log is not None and len(names) > 1:
        raise UsageError(f"--log takes one RECORD, not {len(names)}")
    if options.log == "-" and options.format != "text" and options.output is None:
        both = f"--log - and --format {options.format} both want stdout"
        raise UsageError(f"{both}; write one of them to a file (--output)")
    for name in names:
        if name == STDIN:
            continue
        try:
            status = os.stat(name)
        except (OSError, ValueError) as error:
            raise UsageError(f"cannot read {name}: {why(error)}") from error
        if stat.S_ISDIR(status.st_mode):
            reason = f"it is a directory; name the files in it: {name}/*"
            raise UsageError(f"cannot read {name}: {reason}")
        if not os.access(name, os.R_OK):
            raise UsageError(f"cannot read {name}: Permission denied")
        if options.log not in (None, "-") and _same_file(options.log, status):
            raise UsageError(f"{options.log} and {name} are the same file")


def _same_file(name: str, status: os.stat_result) -> bool:
    try:
        return os.path.samestat(os.stat(name), status)
    except (OSError, ValueError):
        return False


@contextmanager
def _log(name: str | None) -> Iterator[LogFile | None]:
    """The spectator log that is to be written."""
    from referee.logs.files import open_logs

    (log,) = open_logs([name])
    try:
        yield log
        if log is not None:
            log.finish()
    finally:
        if log is not None:
            log.close()


# --- the work -------------------------------------------------------------------------------------


def _verify(name: str, log: LogFile | None = None) -> Verdict:
    """Verify one file that was there a moment ago."""
    from referee.logs.verify import Kind, Verdict, verify_record

    try:
        return verify_record(name, log=log)
    except UsageError as error:
        return Verdict(as_text(name), Kind.NO_RECORD, str(error))


# --- the store of a tournament ------------------------------------------------------------------


def _check_store(options: argparse.Namespace, interrupts: Interrupts) -> int:
    from pathlib import Path

    from referee.tournament.check import check, sampled
    from referee.tournament.player import Player
    from referee.tournament.store import Store
    from referee.workers import worker_processes

    if options.records or options.log is not None:
        raise UsageError("--store takes neither a RECORD nor --log; --records-of names a folder")
    folder = None if options.records_of is None else Path(options.records_of)
    if folder is not None and not folder.is_dir():
        raise UsageError(f"--records-of {folder}: there is no such folder")
    jobs = options.jobs or cores()
    seen: Counter[str] = Counter()
    collect_garbage()
    with Store.for_reading(options.store) as store:
        matches = sampled(store, options.sample)
        with (
            Player(partial(worker_processes, jobs), lambda: jobs) as player,
            printing(),
            printing(options.output, [options.store]) as report,
            Findings("referee verify", options, sys.stdout, report) as findings,
        ):
            for checked in check(store, matches, player, folder):
                interrupts.check()
                if checked is None:
                    continue
                seen[checked.how if not checked.problem else "problem"] += 1
                match = f"match {checked.match}"
                lines = [f"{match}: {checked.problem}"] if checked.problem else []
                findings.add(lines, checked, partial(_case_of_match, checked))
            if not options.quiet:
                summary = (
                    f"{seen.total()} matches: {seen['record']} run again from their records and "
                    f"{seen['played']} played again are the same, {seen['problem']} are not"
                )
                findings.say([summary])
    return FAILED if seen["problem"] else OK


# --- what is shown --------------------------------------------------------------------------------


def _lines(verdict: Verdict, *, quiet: bool) -> list[str]:
    """What people are told; of a record that holds nothing if quiet."""
    holds = verdict.kind == "holds"
    if holds and quiet:
        return []
    lines = [verdict.text]
    if verdict.expected is not None:
        lines.append(f"  expected: {verdict.expected}")
    if verdict.found is not None:
        lines.append(f"  found:    {verdict.found}")
    if not holds and verdict.section is not None:
        lines[0] += f" (log-format {verdict.section})"
    return lines


def _case(verdict: Verdict) -> Case:
    from referee.junit import Case

    section = f"log-format {verdict.section or 2}"
    if verdict.kind == "holds":
        return Case("log-format 2", verdict.name)
    message, *more = _lines(verdict, quiet=True)
    return Case(section, verdict.name, "failure", message, "\n".join([message, *more]))


def _case_of_match(checked: Checked) -> Case:
    from referee.junit import Case

    name, problem = f"match {checked.match}", checked.problem
    return Case("tournament", name, "failure" if problem else "passed", problem, problem)


_WORDS = {
    "cut-short": "cut short",
    "edited": "edited",
    "rules-changed": "of other rules",
    "newer-format": "of a newer format",
    "other-game": "of another game",
    "no-record": "no record",
}


def _summary(seen: Counter[str]) -> str:
    """How many of each kind."""
    total, holding = seen.total(), seen["holds"]
    hold = "holds" if holding == 1 else "hold"
    parts = [f"all {hold}" if holding == total else f"{holding} {hold}"]
    parts += [f"{seen[kind]} {word}" for kind, word in _WORDS.items() if seen[kind]]
    return f"{total} records: {', '.join(parts)}"
