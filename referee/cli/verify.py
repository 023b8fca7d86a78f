"""`referee verify`: run match records again and compare."""

from __future__ import annotations

import argparse
import os
import stat
import sys
from collections import Counter, deque
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING

from referee.cli.arguments import Commands, count
from referee.cli.console import BUG, OK, USAGE, fail, printing, say
from referee.cli.work import collect_garbage, cores
from referee.errors import LogWriteError, UsageError
from referee.interrupts import Interrupted, Interrupts
from referee.terminal import as_text, escaped

if TYPE_CHECKING:
    from concurrent.futures import Future

    from referee.logs.files import LogFile
    from referee.logs.verify import Verdict

FAILED = 1
STDIN = "-"  # as in referee.logs.source, and STDOUT in referee.logs.files
FEW = 8
"""Fewer files are verified in this process: starting others takes longer."""
MAX_CHUNK = 16
AHEAD = 3
"""Chunks that are given out for each process, so that none waits for work."""
POLL_SECONDS = 0.1


def add(commands: Commands) -> None:
    """Add the command."""
    verify = commands.add_parser(
        "verify",
        help="run match records again and compare",
        description="Run each match again from the seed and the replies in its record, and compare "
        "every message, fault, disqualification and the outcome.",
        epilog="A record is plain or compressed (.gz, .zst). Exit codes: 0 all hold, 1 one does "
        "not, 2 wrong usage, 130 after Ctrl-C, 143 after SIGTERM.",
        allow_abbrev=False,
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
    text = "text: a line for a failure; json: an object a line for each RECORD"
    add("--format", choices=("text", "json"), default="text", help=text)
    add("-q", "--quiet", action="store_true", help="failures only: no summary, no progress")
    add("--jobs", type=count, metavar="N", help="processes (as many as there are cores)")


def run(options: argparse.Namespace, interrupts: Interrupts) -> int:
    """Run the command."""
    if options.store is not None:
        return _check_store(options, interrupts)
    # No import is to be interrupted, a forked process has it, and the collector lets it be.
    import referee.logs.verify  # noqa: F401

    names: list[str] = options.records
    _check_names(names, options)
    seen: Counter[str] = Counter()
    verdicts: Generator[Verdict, None, None]
    try:
        with interrupts.raising(), _log(options.log) as log, _progress(options) as advance:
            jobs = _jobs(options)
            if jobs == 1:
                verdicts = _verify_here(names, log)
            else:
                verdicts = _verify_in_processes(names, jobs, interrupts)
            with printing(), closing(verdicts):
                for verdict in verdicts:
                    _print_verdict(verdict, options)
                    seen[verdict.kind] += 1
                    advance()
        if len(names) > 1 and options.format == "text" and not options.quiet:
            with printing():
                print(_summary(seen))
    except Interrupted as interrupted:
        say(f"{interrupted}; {seen.total()} of {len(names)} records were looked at")
        raise
    except LogWriteError as error:
        if error.reader_gone:
            raise
        return fail(str(error), USAGE)
    except _WorkerDiedError:
        text = f"a process ended by itself (out of memory?); {seen.total()} of {len(names)} records"
        return fail(f"{text} were looked at", BUG)
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
    if options.log == "-" and options.format == "json":
        raise UsageError("--log - and --format json both want stdout; write the log to a file")
    for name in names:
        if name == STDIN:
            continue
        try:
            status = os.stat(name)
        except (OSError, ValueError) as error:  # ValueError: a NUL in the name
            reason = error.strerror if isinstance(error, OSError) else str(error)
            raise UsageError(f"cannot read {name}: {reason}") from error
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


def _jobs(options: argparse.Namespace) -> int:
    """How many processes are to work; 1 is this one alone."""
    names = options.records
    if len(names) < FEW or STDIN in names:  # another process has another standard input
        return 1
    jobs: int | None = options.jobs
    if jobs is None:
        jobs = cores()
    return min(jobs, len(names))


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


class _WorkerDiedError(Exception):
    """A process that was verifying has ended."""


def _verify(name: str, log: LogFile | None = None) -> Verdict:
    """Verify one file that was there a moment ago."""
    from referee.logs.verify import Kind, Verdict, verify_record

    try:
        return verify_record(name, log=log)
    except UsageError as error:
        return Verdict(as_text(name), Kind.NO_RECORD, str(error))


def _verify_chunk(names: Sequence[str]) -> list[Verdict]:
    return [_verify(name) for name in names]


def _verify_here(names: Sequence[str], log: LogFile | None) -> Generator[Verdict, None, None]:
    collect_garbage()
    for name in names:
        yield _verify(name, log)


def _verify_in_processes(
    names: Sequence[str], jobs: int, interrupts: Interrupts
) -> Generator[Verdict, None, None]:
    """Spread files over processes; the verdicts come in the order of the files."""
    from concurrent.futures import wait
    from concurrent.futures.process import BrokenProcessPool

    from referee.workers import worker_processes

    collect_garbage()
    size = max(1, min(MAX_CHUNK, len(names) // (jobs * 4)))
    chunks = (names[start : start + size] for start in range(0, len(names), size))
    waiting: deque[Future[list[Verdict]]] = deque()
    # Signals are only noted while the pool is at work: its locks must not be left by an exception.
    with interrupts.held():
        try:
            with worker_processes(jobs, fork=True) as pool:
                while True:
                    while len(waiting) < jobs * AHEAD:
                        chunk = next(chunks, None)
                        if chunk is None:
                            break
                        waiting.append(pool.submit(_verify_chunk, chunk))
                    if not waiting:
                        break
                    while not wait((waiting[0],), timeout=POLL_SECONDS).done:
                        interrupts.check()
                    interrupts.check()
                    yield from waiting.popleft().result()
        except BrokenProcessPool as error:
            raise _WorkerDiedError from error


# --- the store of a tournament ------------------------------------------------------------------


def _check_store(options: argparse.Namespace, interrupts: Interrupts) -> int:
    from functools import partial
    from pathlib import Path

    from referee.tournament.check import check, sampled
    from referee.tournament.player import Player
    from referee.tournament.store import Store
    from referee.workers import worker_processes

    if options.records or options.log is not None:
        raise UsageError("--store takes neither a RECORD nor --log; --records-of names a folder")
    jobs = options.jobs or cores()
    seen: Counter[str] = Counter()
    collect_garbage()
    with Store.for_reading(options.store) as store:
        matches = sampled(store, options.sample)
        folder = None if options.records_of is None else Path(options.records_of)
        with Player(partial(worker_processes, jobs), lambda: jobs) as player, printing():
            for checked in check(store, matches, player, folder):
                interrupts.check()
                if checked is None:
                    continue
                seen[checked.how if not checked.problem else "problem"] += 1
                if options.format == "json":
                    import msgspec

                    print(msgspec.json.encode(checked).decode(), flush=True)
                elif checked.problem:
                    print(escaped(f"match {checked.match}: {checked.problem}"), flush=True)
    if options.format == "text" and not options.quiet:
        with printing():
            print(
                f"{seen.total()} matches: {seen['record']} run again from their records and "
                f"{seen['played']} played again are the same, {seen['problem']} are not"
            )
    return FAILED if seen["problem"] else OK


# --- what is shown --------------------------------------------------------------------------------


def _print_verdict(verdict: Verdict, options: argparse.Namespace) -> None:
    if options.format == "json":
        import msgspec

        print(msgspec.json.encode(verdict).decode(), flush=True)
        return
    holds = verdict.kind == "holds"
    if holds and (options.quiet or len(options.records) > 1):
        return
    lines = [verdict.text]
    if verdict.expected is not None:
        lines.append(f"  expected: {verdict.expected}")
    if verdict.found is not None:
        lines.append(f"  found:    {verdict.found}")
    if not holds and verdict.section is not None:
        lines[0] += f" (log-format {verdict.section})"
    print(
        "\n".join(map(escaped, lines)),
        file=sys.stderr if options.log == "-" else sys.stdout,
        flush=True,
    )


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


@contextmanager
def _progress(options: argparse.Namespace) -> Iterator[Callable[[], None]]:
    """A bar on the terminal while many files are verified; yields what moves it on."""
    if len(options.records) < FEW or options.quiet or not sys.stderr.isatty():
        yield lambda: None
        return
    import time

    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn

    bar = Progress(
        "verifying",
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        # No thread of its own: processes are forked while it is shown.
        auto_refresh=False,
        transient=True,
        # What is printed to the same terminal goes above the bar, but a file gets it as it is.
        redirect_stdout=sys.stdout.isatty(),
        redirect_stderr=False,
    )
    with bar:
        task = bar.add_task("verifying", total=len(options.records))
        shown = time.monotonic()

        def advance() -> None:
            nonlocal shown
            bar.advance(task)
            if time.monotonic() - shown > POLL_SECONDS:
                shown = time.monotonic()
                bar.refresh()

        yield advance
