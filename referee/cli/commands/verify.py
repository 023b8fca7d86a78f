"""`referee verify`: run match records again and compare."""

from __future__ import annotations

import argparse
import os
import sys
from collections import Counter
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from referee import workers
from referee.capacity import cores
from referee.cli.arguments import check_files
from referee.cli.consent import check_recorded
from referee.cli.console import (
    BUG,
    FAILED,
    OK,
    USAGE,
    check_other_file,
    fail,
    printing,
    printing_to,
)
from referee.cli.many_files import FileReport, Report, difference, examine
from referee.cli.work import collect_garbage
from referee.errors import LogWriteError, UsageError
from referee.interrupts import Interrupts
from referee.logs.files import LogFile, opened
from referee.logs.outputs import LOG, Output, report_kind
from referee.text.junit import Case
from referee.text.terminal import as_text

if TYPE_CHECKING:
    from referee.logs.verify import Verdict
    from referee.tournament.playing.check import Checked


def run(options: argparse.Namespace, interrupts: Interrupts) -> int:
    if options.store is not None:
        return _check_store(options, interrupts)
    # No import is to be interrupted, a forked process has it, and the collector lets it be.
    import referee.logs.verify  # noqa: F401

    names: list[str] = options.files
    _check(options, names)
    seen: Counter[str] = Counter()

    def tell(name: str, verdict: Verdict) -> FileReport:
        seen[verdict.kind] += 1
        shown = verdict.kind != "valid" or not (options.quiet or len(names) > 1)
        return FileReport(_lines(verdict) if shown else [], verdict, _case(verdict))

    def summary() -> list[str]:
        return [] if options.quiet else [_summary(seen)]

    try:
        output = Output(options.log, LOG)
        with interrupts.raising(), opened([output], force=options.force) as (log,):
            if options.output is not None:
                check_other_file(options.output, [options.log])
            work, text = partial(_verify, log=log), sys.stderr if options.log == "-" else None
            done = examine(
                "verifying records", work, names, options, interrupts, tell, summary, text
            )
            if log is not None:
                log.finish()
    except LogWriteError as error:
        if error.reader_gone:
            raise
        return fail(USAGE, str(error))
    if not done:
        return BUG
    return OK if seen.keys() <= {"valid"} else FAILED


def _check(options: argparse.Namespace, names: list[str]) -> None:
    """Raise a `UsageError` for what cannot be verified, before anything starts."""
    if not names:
        raise UsageError("give a RECORD, or --store with the store of a tournament")
    if options.sample is not None or options.records is not None:
        raise UsageError("--sample and --records go with --store")
    if options.log is not None and len(names) > 1:
        raise UsageError(f"--log takes one RECORD, not {len(names)}")
    if options.log == "-" and options.format != "text" and options.output is None:
        both = f"--log - and --format {options.format} both want stdout"
        raise UsageError(f"{both}; write one of them to a file (--output)")
    check_files(names, written=options.log)


def _verify(name: str, log: LogFile | None = None) -> Verdict:
    """Verify one file that was there a moment ago."""
    from referee.logs.verify import Kind, Verdict, verify_record

    try:
        return verify_record(name, log=log)
    except UsageError as error:
        return Verdict(as_text(name), Kind.NOT_A_RECORD, str(error))


def _check_store(options: argparse.Namespace, interrupts: Interrupts) -> int:
    from msgspec.structs import replace

    from referee.bots.command import find_all
    from referee.bots.processes.sandbox import resolve
    from referee.tournament.entrants import find_entrant
    from referee.tournament.playing.check import check, sampled, without_record
    from referee.tournament.playing.dispatcher import Dispatcher
    from referee.tournament.store import Store

    if options.files or options.log is not None:
        raise UsageError(
            "--store cannot be used with RECORD or --log; give the folder with --records"
        )
    folder = None if options.records is None else Path(options.records)
    if folder is not None and not folder.is_dir():
        raise UsageError(f"--records {folder}: the folder does not exist")
    unseen = (options.store, options.records, options.output)
    jobs = options.jobs or cores()
    seen: Counter[str] = Counter()
    collect_garbage()
    with Store.for_reading(options.store) as store:
        matches = sampled(store, options.sample)
        setup = store.stages[-1]
        again = without_record(matches, folder)
        played = sorted({number for match in again for number in match.players})
        bots = find_all(lambda number: find_entrant(setup.bots[number], setup.game), played)
        check_recorded(options, str(options.store), bots, setup.game, setup.sandbox, hidden=unseen)
        readable = resolve(setup.sandbox, options.sandbox_read).readable if again else ()
        setup = replace(setup, sandbox_read=readable)  # what the store says shows no folder
        with (
            Dispatcher(
                partial(workers.worker_processes, jobs),
                lambda: jobs,
                hidden=tuple(os.path.abspath(path) for path in unseen if path),
                recorded=True,
            ) as dispatcher,
            printing(),
            printing_to(
                options.output,
                report_kind(options.format),
                [options.store],
                force=options.force,
            ) as file,
        ):
            report = Report(options, sys.stdout, file)
            for checked in check(setup, matches, again, dispatcher, folder):
                interrupts.check()
                if checked is None:
                    continue
                seen[checked.how if not checked.problem else "problem"] += 1
                report.add(_told_of_match(checked))
            if not options.quiet:
                summary = (
                    f"{seen.total()} matches: {seen['record']} run again from their records and "
                    f"{seen['played']} played again are the same, {seen['problem']} are not"
                )
                report.say([summary])
            report.end()
    return FAILED if seen["problem"] else OK


def _lines(verdict: Verdict) -> list[str]:
    section = verdict.section
    where = f" (log-format {section})" if section and verdict.kind != "valid" else ""
    return [verdict.text + where, *difference(verdict.expected, verdict.found)]


def _case(verdict: Verdict) -> Case:
    if verdict.kind == "valid":
        return Case("log-format 2", verdict.name)
    lines = _lines(verdict)
    section = f"log-format {verdict.section or 2}"
    return Case(section, verdict.name, "failure", lines[0], "\n".join(lines))


def _told_of_match(checked: Checked) -> FileReport:
    name, problem = f"match {checked.match}", checked.problem
    case = Case("tournament", name, "failure" if problem else "passed", problem, problem)
    return FileReport([f"{name}: {problem}"] if problem else [], checked, case)


_WORDS = {
    "truncated": "truncated",
    "modified": "modified",
    "rules-changed": "of other rules",
    "newer-format": "of a newer format",
    "other-game": "of another game",
    "not-a-record": "not a record",
}


def _summary(seen: Counter[str]) -> str:
    total, holding = seen.total(), seen["valid"]
    parts = ["all valid" if holding == total else f"{holding} valid"]
    parts += [f"{seen[kind]} {word}" for kind, word in _WORDS.items() if seen[kind]]
    return f"{total} records: {', '.join(parts)}"
