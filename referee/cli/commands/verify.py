"""`referee verify`: play matches again from their records, and compare."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from referee import workers
from referee.capacity import cores
from referee.cli.consent import run_recorded_option, sandbox_of_recorded
from referee.cli.console import (
    BUG,
    FAILED,
    OK,
    USAGE,
    check_other_file,
    fail,
    printing,
    printing_to,
    say,
)
from referee.cli.files import check_files
from referee.cli.many_files import FileReport, FilesReport, ReportOptions, difference, process_files
from referee.cli.options import Options, argument, flag, option
from referee.cli.running import collect_garbage
from referee.cli.settings import (
    force_option,
    game_of_files_option,
    sandbox_options,
)
from referee.cli.values import Count, GameName, SandboxChoice
from referee.errors import LogWriteError, UsageError
from referee.interrupts import Interrupts
from referee.logs.files import LogFile, opened
from referee.logs.outputs import LOG, Output, report_kind
from referee.text.junit import Case
from referee.text.terminal import as_text

if TYPE_CHECKING:
    from referee.logs.verify import Verdict
    from referee.tournament.playing.check import Checked
    from referee.tournament.rows import MatchRow
    from referee.tournament.schedule.format import TournamentSetup


class VerifyOptions(Options):
    """Run each match again from the seed and the replies in its record, and compare every message,
    fault, disqualification and the outcome.
    """

    epilog = "A record is plain or compressed (.gz, .zst)."
    exit_codes = (
        (0, "all are valid"),
        (1, "a record is not valid"),
    )
    examples = (
        ("referee verify game.record.jsonl", "check that this record is of a real match"),
        ("referee verify --store night.sqlite --sample 20", "20 matches of a tournament"),
    )

    files: tuple[str, ...] = argument("RECORD", 'a match record; "-" is stdin')
    game: tuple[GameName, ...] = game_of_files_option()
    store: str | None = option(
        "FILE", None, "store of a tournament: play its matches again and compare"
    )
    sample: Count | None = option("N", None, "check N matches of the store, chosen at random")
    records: str | None = option("DIR", None, "folder of the tournament's records: run them again")
    run_recorded: bool = run_recorded_option("the store")
    sandbox: SandboxChoice = sandbox_options(
        "bwrap",
        "none: repeat a tournament that had no sandbox without one",
        "folder that the programs of the store can read, with its subfolders; can be repeated",
    )
    log: str | None = option(
        "FILE",
        None,
        'write the spectator log of a single RECORD; "-" writes it to stdout, without other output',
    )
    format: Literal["text", "json", "junit"] = option(
        None,
        "text",
        "text: one line per failure; json: one object per RECORD; junit: one case per RECORD",
    )
    output: str | None = option(
        "FILE", None, "write the report to this file; stdout still shows text"
    )
    force: bool = force_option()
    quiet: bool = flag("failures only: no summary, no progress", flags="-q, --quiet")
    jobs: Count | None = option("N", None, "number of processes (default: number of cores)")


def run(options: VerifyOptions, interrupts: Interrupts) -> int:
    if options.store is not None:
        return _check_store(options, options.store, interrupts)
    # Import this before we start, so that a signal can't interrupt the import, and forked processes
    # get the module for free. The garbage collector won't look at it either.
    import referee.logs.verify  # noqa: F401

    names = options.files
    _check(options, names)
    seen: Counter[str] = Counter()

    def make_report(name: str, verdict: Verdict) -> FileReport:
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
            done = process_files(
                "records",
                work,
                names,
                _reported(options),
                interrupts,
                make_report,
                summary,
                text,
            )
            if log is not None:
                log.finish()
    except LogWriteError as error:
        if error.reader_gone:
            raise
        return fail(USAGE, str(error))
    if not done:
        return BUG
    if seen.keys() <= {"valid", "other-game"}:
        return USAGE if seen["other-game"] else OK
    return FAILED


def _reported(options: VerifyOptions) -> ReportOptions:
    return ReportOptions(
        "verify", options.format, options.output, options.force, options.quiet, options.jobs
    )


def _check(options: VerifyOptions, names: Sequence[str]) -> None:
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
    from referee.logs.verify import Kind, Verdict, verify_record

    try:
        return verify_record(name, log=log)
    except UsageError as error:
        return Verdict(as_text(name), Kind.NOT_A_RECORD, str(error))


def _check_store(options: VerifyOptions, file: str, interrupts: Interrupts) -> int:
    from referee.games.outside import known_as
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
    unseen = (file, options.records, options.output)
    jobs = options.jobs or cores()
    collect_garbage()
    with Store.for_reading(file) as store:
        if not known_as(store.stages[-1].game, store.game_files):
            raise UsageError(
                f"{file} is of another version of the game {store.stages[-1].game}: give the file "
                "that was played"
            )
        if len(store.game_files) > 1:
            say(f"{file} has matches of several versions of the game; other versions may differ")
        matches = sampled(store, options.sample)
        again = without_record(matches, folder)
        setup = _setup(options, file, store.stages[-1], again, unseen)
        kind = report_kind(options.format)
        with (
            Dispatcher(
                partial(workers.worker_processes, jobs),
                lambda: jobs,
                hidden=tuple(os.path.abspath(path) for path in unseen if path),
                recorded=True,
            ) as dispatcher,
            printing(),
            printing_to(options.output, kind, [file], force=options.force) as report_file,
        ):
            checked = check(setup, matches, again, dispatcher, folder)
            report = FilesReport(_reported(options), sys.stdout, report_file)
            problems = _report_matches(report, checked, interrupts, quiet=options.quiet)
    return FAILED if problems else OK


def _setup(
    options: VerifyOptions,
    file: str,
    setup: TournamentSetup,
    again: Sequence[MatchRow],
    unseen: Sequence[str | None],
) -> TournamentSetup:
    """Check that the bots of a store may be started, and return the setup for its matches."""
    from msgspec.structs import replace

    from referee.bots.command import find_all
    from referee.bots.processes.sandbox import resolve
    from referee.tournament.entrants import find_entrant

    played = sorted({number for match in again for number in match.players})
    bots = find_all(lambda number: find_entrant(setup.bots[number], setup.game), played)
    sandbox_of_recorded(
        options.sandbox,
        file,
        bots,
        setup.game,
        setup.sandbox,
        hidden=unseen,
        run_recorded=options.run_recorded,
    )
    readable = resolve(setup.sandbox, options.sandbox.readable).readable if again else ()
    # The user decides which folders bots can read, and not the store, which may come from a
    # stranger.
    return replace(setup, sandbox_read=readable)


def _report_matches(
    report: FilesReport, matches: Iterable[Checked | None], interrupts: Interrupts, *, quiet: bool
) -> int:
    seen: Counter[str] = Counter()
    for checked in matches:
        interrupts.check()
        if checked is None:
            continue
        seen[checked.how if not checked.problem else "problem"] += 1
        report.add(_match_report(checked))
    if not quiet:
        summary = (
            f"{seen.total()} matches: {seen['record']} run again from their records and "
            f"{seen['played']} played again are the same, {seen['problem']} are not"
        )
        report.say([summary])
    report.end()
    return seen["problem"]


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


def _match_report(checked: Checked) -> FileReport:
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
