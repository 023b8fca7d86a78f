"""What every command says and how it ends: messages, exit codes, a closed or full stdout."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO

from referee.errors import UsageError

OK = 0
USAGE = 2
BUG = 70  # EX_SOFTWARE of sysexits.h
READER_GONE = 128 + 13  # as if SIGPIPE had ended us
PLAIN_WIDTH = 80
"""Columns where there is no terminal."""


def fail(text: str, code: int) -> int:
    """Say what is wrong and return the exit code."""
    say(text)
    return code


def say(text: str) -> None:
    """Say one line on stderr."""
    print(f"referee: {text}", file=sys.stderr)


@contextmanager
def printing() -> Iterator[None]:
    """Where results are printed: a full disk there is the user's business, not a bug."""
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        silence_stdout()
        raise UsageError(f"cannot write standard output: {error.strerror}") from error


def silence_stdout() -> None:
    """Send what is still written to stdout nowhere."""
    # Python flushes stdout once more at its end and would complain there.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def width(file: TextIO) -> int:
    """The columns to wrap at."""
    return shutil.get_terminal_size().columns if file.isatty() else PLAIN_WIDTH


def has_colour(file: TextIO) -> bool:
    """Whether a person looks at this who wants colours (https://no-color.org)."""
    return file.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
