"""Writes the reports of `verify` and `validate`, which can check many files at a time.

A report is text, JSON or JUnit XML. With `--output`, we write it to that file and still print the
text on stdout. If there are many files, several processes share the work, and they say how far
they are.
"""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from itertools import islice
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TextIO, TypeVar

from referee import workers
from referee.capacity import cores
from referee.cli.console import print_json, printing, printing_to, say
from referee.cli.progress import working
from referee.cli.running import collect_garbage
from referee.errors import game_error
from referee.interrupts import Interrupted, Interrupts
from referee.logs.outputs import report_kind
from referee.text.junit import Case, document
from referee.text.terminal import escaped

if TYPE_CHECKING:
    from concurrent.futures import Future

T = TypeVar("T")
# With fewer files than this, we don't start other processes, because that would take too long.
FEW = 8
# We send at most this many files to a process at a time.
MAX_CHUNK = 16
# Each process has this many tasks in its queue, so that it's never idle.
AHEAD = 3
POLL_SECONDS = 0.1


class ReportOptions(NamedTuple):
    """The options that `verify` and `validate` have in common.

    Attributes:
        command: e.g. "verify".
        jobs: number of processes, or None for one per core.
    """

    command: str
    format: Literal["text", "json", "junit"]
    output: str | None
    force: bool
    quiet: bool
    jobs: int | None


class FileReport(NamedTuple):
    """The report on one file, in each format.

    Attributes:
        lines: the report as lines of text.
        value: the report as a JSON value.
        case: the report as a JUnit test case.
    """

    lines: Sequence[str]
    value: Any
    case: Case


class FilesReport:
    """Prints the results of files as they come in. A JUnit document is printed at the end.

    Args:
        text: where text goes, usually stdout.
        file: the file of `--output`, or stdout.
    """

    def __init__(self, options: ReportOptions, text: TextIO, file: TextIO) -> None:
        self._format = options.format
        self._title = f"referee {options.command}"
        self._file = file
        is_text, is_saved = options.format == "text", options.output is not None
        self._texts = [text] * (is_text or is_saved) + [file] * (is_text and is_saved)
        self._cases: list[Case] = []

    def add(self, told: FileReport) -> None:
        """Print the report on a file, or keep it for the JUnit document."""
        self.say(told.lines)
        if self._format == "json":
            print_json(told.value, self._file)
        elif self._format == "junit":
            self._cases.append(told.case)

    def say(self, lines: Sequence[str]) -> None:
        """Print lines of text. Does nothing if stdout gets JSON or JUnit instead."""
        for line in lines:
            for file in self._texts:
                print(escaped(line), file=file, flush=True)

    def end(self) -> None:
        """Print the JUnit document, after all files."""
        if self._format == "junit":
            print(document(self._title, {self._title: self._cases}), end="", file=self._file)


def difference(expected: str | None, found: str | None) -> list[str]:
    """Format the expected and the found text. A text that we don't know is skipped."""
    lines = [] if expected is None else [f"  expected: {expected}"]
    return lines if found is None else [*lines, f"  found:    {found}"]


def process_files(
    what: str,
    work: Callable[[str], T],
    names: Sequence[str],
    options: ReportOptions,
    interrupts: Interrupts,
    make_report: Callable[[str, T], FileReport],
    summary: Callable[[], Sequence[str]],
    text: TextIO | None = None,
) -> bool:
    """Process files, and report their results in the given order.

    Args:
        what: what the files are, e.g. "records".
        work: a function that processes a file. It has to be at the top level of a module, because
            other processes import it.
        make_report: gets a file's name and the result of `work`, and returns the report.
        summary: returns the last lines. It's only called if there are several files.
        text: where text is printed, by default on stdout.

    Returns:
        False if a process died, so that some files weren't processed. We've printed an error then.
    """
    done = 0
    try:
        with (
            interrupts.raising(),
            working(len(names), what, quiet=options.quiet or len(names) < FEW) as show,
            printing(),
            printing_to(
                options.output, report_kind(options.format), names, force=options.force
            ) as file,
            closing(_results(work, names, options.jobs, interrupts)) as results,
        ):
            report = FilesReport(options, text or sys.stdout, file)
            for name, result in zip(names, results, strict=True):
                report.add(make_report(name, result))
                done += 1
                show(done)
            if len(names) > 1:
                report.say(summary())
            report.end()
    except Interrupted as interrupted:
        say(f"{interrupted}; {done} of {len(names)} {what} were looked at")
        raise
    except _WorkerDiedError:
        problem = "a process ended by itself (out of memory?)"
        say(f"{problem}; {done} of {len(names)} {what} were looked at")
    return done == len(names)


class _WorkerDiedError(Exception):
    """A worker process has died."""


def _results(
    work: Callable[[str], T], names: Sequence[str], jobs: int | None, interrupts: Interrupts
) -> Generator[T, None, None]:
    collect_garbage()
    processes = min(jobs or cores(), len(names))
    # The worker processes can't read our standard input.
    if processes > 1 and len(names) >= FEW and "-" not in names:
        yield from _in_processes(work, names, processes, interrupts)
    else:
        yield from map(work, names)


def _process_all(work: Callable[[str], T], names: Sequence[str]) -> list[T]:
    try:
        return [work(name) for name in names]
    except BaseException as error:
        # An exception loses its traceback when it's pickled, so we have to examine it in this
        # process.
        ours = game_error(error)
        if ours is None:
            raise
        raise ours from None


def _in_processes(
    work: Callable[[str], T], names: Sequence[str], jobs: int, interrupts: Interrupts
) -> Generator[T, None, None]:
    from concurrent.futures import wait
    from concurrent.futures.process import BrokenProcessPool

    # Each process gets about four chunks, so that they finish at about the same time.
    size = max(1, min(MAX_CHUNK, len(names) // (jobs * 4)))
    chunks = (names[start : start + size] for start in range(0, len(names), size))
    waiting: deque[Future[list[T]]] = deque()
    # If a signal handler raised an exception in the middle of the pool's code, the pool's locks
    # might never be released. That's why the handler only records the signal, and we check for it
    # from time to time.
    with interrupts.raising(False):
        try:
            with workers.worker_processes(jobs, fork=True) as pool:
                # This is a generator, so that we only submit a task when we take it.
                submitted = (pool.submit(_process_all, work, chunk) for chunk in chunks)
                waiting.extend(islice(submitted, jobs * AHEAD))
                while waiting:
                    while not wait((waiting[0],), timeout=POLL_SECONDS).done:
                        interrupts.check()
                    interrupts.check()
                    yield from waiting.popleft().result()
                    waiting.extend(islice(submitted, 1))
        except BrokenProcessPool as error:
            raise _WorkerDiedError from error
