"""Runs a command and turns all its errors into exit codes."""

from __future__ import annotations

import io
import os
import signal
import sys
from collections.abc import Sequence
from contextlib import nullcontext

from referee.cli import console
from referee.cli.registry import read_words
from referee.errors import (
    GameError,
    LogReadError,
    LogWriteError,
    ShortageError,
    UsageError,
    as_ours,
)
from referee.interrupts import Interrupted, Interrupts


def main(arguments: Sequence[str] | None = None, *, interrupts: Interrupts | None = None) -> int:
    """Run a command.

    Args:
        arguments: the words after the program's name. By default, from `sys.argv`.
        interrupts: the signal handler, if the caller has already entered one.

    Returns:
        The exit code: 0, 1, 2, 65 (a game that isn't built in has a bug), 70 (the referee has a
        bug), 71 (the system lacks resources), or 128 + N after signal N.
    """
    # If the caller has closed a stream (>&-), Python sets it to None. Results must not get lost
    # silently, so we replace stdout by a file that can't be written, which makes printing fail.
    # Messages on stderr are just dropped.
    sys.stdout = sys.stdout or os.fdopen(os.open(os.devnull, os.O_RDONLY), "w")
    sys.stderr = sys.stderr or open(os.devnull, "w")  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # Names of bots may contain characters that the encoding of the locale doesn't have.
            stream.reconfigure(errors="backslashreplace")
    with nullcontext(interrupts) if interrupts is not None else Interrupts() as caught:
        code = _run(arguments, caught)
        console.flush_streams()
    return code


def _run(arguments: Sequence[str] | None, interrupts: Interrupts) -> int:
    try:
        try:
            words = list(sys.argv[1:] if arguments is None else arguments)
            with console.printing():
                run, options = read_words(words)
        except SystemExit as left:  # the parser exits after --help, --version or wrong usage
            with console.printing():
                return int(left.code or console.OK)
        code = run(options, interrupts)
        interrupts.check()
        with console.printing():  # flushes stdout, so that write errors are reported
            return code
    except Interrupted as interrupted:
        return interrupted.exit_code
    except Exception as error:
        if console.terminal_is_gone():  # nobody can see an error any more
            return 128 + signal.SIGHUP
        return _failed(error)
    except BaseException as error:  # the code of an added game may raise anything
        ours = as_ours(error)
        if not isinstance(ours, GameError):
            raise
        return _failed(ours)


def _failed(error: Exception) -> int:
    if isinstance(error, LogWriteError):
        if error.reader_gone:
            console.silence(sys.stdout)
            return console.READER_GONE
        return console.fail(console.USAGE, f"{error}; the match was given up")
    if isinstance(error, BrokenPipeError):  # the reader of stdout has closed it
        console.silence(sys.stdout)
        return console.READER_GONE
    ours = as_ours(error)
    if isinstance(ours, UsageError):
        return console.fail(console.USAGE, *ours.lines)
    if isinstance(ours, LogReadError):
        return console.fail(console.USAGE, str(ours))
    if isinstance(ours, GameError):
        return console.fail(console.GAME, str(ours))
    if isinstance(ours, ShortageError):
        return console.fail(console.SHORTAGE, str(ours))
    cause = ours.__cause__ or ours
    if isinstance(cause, ModuleNotFoundError) and not str(cause.name).startswith("referee"):
        return console.fail(
            console.USAGE,
            f"the Python package {cause.name} is missing: install the referee, in its folder: "
            "python3 -m venv .venv && .venv/bin/pip install .",
        )
    return console.report_bug(cause)
