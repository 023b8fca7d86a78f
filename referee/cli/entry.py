"""From the arguments of the process to its exit code."""

from __future__ import annotations

import argparse
import io
import os
import sys
from collections.abc import Callable, Sequence
from contextlib import nullcontext

from referee.cli.console import (
    OK,
    READER_GONE,
    SHORTAGE,
    USAGE,
    fail,
    fail_lines,
    flush_streams,
    printing,
    report_bug,
    silence,
)
from referee.cli.registry import read_words
from referee.errors import LogWriteError, ShortageError, UsageError, as_ours
from referee.interrupts import Interrupted, Interrupts


def main(arguments: Sequence[str] | None = None, *, interrupts: Interrupts | None = None) -> int:
    """Run one command.

    Args:
        arguments: without the program's name; by default those of the process.
        interrupts: what catches the signals, entered already; by default one of its own.

    Returns:
        The exit code: 0, 1, 2, 70 (a bug in the referee), 71 (the system is short of something),
        128 + N after signal N.
    """
    # Closed by the caller (>&-): to write an answer fails as on a full disk, a message is lost.
    sys.stdout = sys.stdout or os.fdopen(os.open(os.devnull, os.O_RDONLY), "w")
    sys.stderr = sys.stderr or open(os.devnull, "w")  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # a bot's name may be in any script
    with nullcontext(interrupts) if interrupts is not None else Interrupts() as caught:
        code = _run(arguments, caught)
        flush_streams()
    return code


def _run(arguments: Sequence[str] | None, interrupts: Interrupts) -> int:
    try:
        try:
            words = list(sys.argv[1:] if arguments is None else arguments)
            with printing():
                options = read_words(words)
            options.words = words
        except SystemExit as left:  # --help, --version, wrong usage
            with printing():
                return int(left.code or OK)
        run: Callable[[argparse.Namespace, Interrupts], int] = options.run
        code = run(options, interrupts)
        interrupts.check()
        with printing():  # nothing that was to be printed is lost without a word
            return code
    except UsageError as error:
        return fail_lines(error.lines)
    except LogWriteError as error:
        if error.reader_gone:
            silence(sys.stdout)
            return READER_GONE
        return fail(f"{error}; the match was given up", USAGE)
    except BrokenPipeError:  # the reader of our own output has enough
        silence(sys.stdout)
        return READER_GONE
    except Interrupted as interrupted:
        return interrupted.exit_code
    except Exception as error:  # not one of ours, and no exit code of ours either
        ours = as_ours(error)
        if isinstance(ours, UsageError):
            return fail_lines(ours.lines)
        if isinstance(ours, ShortageError):
            return fail(str(ours), SHORTAGE)
        cause = ours.__cause__ or ours
        if isinstance(cause, ModuleNotFoundError) and not str(cause.name).startswith("referee"):
            return fail(
                f"the Python package {cause.name} is missing: install the referee, in its folder: "
                "python3 -m venv .venv && .venv/bin/pip install .",
                USAGE,
            )
        return report_bug(cause)
