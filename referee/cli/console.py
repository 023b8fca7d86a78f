"""Prints messages and results for all commands, and defines the exit codes.

This module also copes with a stdout that is closed, or that is a file on a full disk.
"""

from __future__ import annotations

import codecs
import contextlib
import errno
import os
import shutil
import stat
import sys
import textwrap
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING, TextIO

from referee.errors import (
    SHORTAGES,
    LogReadError,
    UnknownGameError,
    UsageError,
    cannot_write,
)
from referee.text.terminal import escaped, json_escaped, paint, plain

if TYPE_CHECKING:
    from rich.console import Console

    from referee.logs.outputs import OutputKind

OK = 0
# The command found a mistake, or a bot was disqualified.
FAILED = 1
USAGE = 2
# A game that isn't built in has a bug.
GAME = 65  # EX_DATAERR in sysexits.h
BUG = 70  # EX_SOFTWARE
SHORTAGE = 71  # EX_OSERR
READER_GONE = 128 + 13  # how a shell reports that a process was killed by SIGPIPE
_NAME = "referee:"
# If there's no terminal, we assume this many columns.
PLAIN_WIDTH = 80
# JSON is written in pieces of this many bytes, since converting a long text as a whole would need
# memory for several copies.
_LETTERS = 2**20


def fail(code: int, *lines: str) -> int:
    """Print one line for each mistake, and return the exit code."""
    for line in lines:
        say(line, is_wrong=True)
    return code


def code_of(error: LogReadError) -> int:
    """Return the exit code for an unreadable log, which is `USAGE` if we don't know its game."""
    return USAGE if isinstance(error, UnknownGameError) else FAILED


def say(text: str, *, is_wrong: bool = False) -> None:
    """Print one line on stderr, escaped.

    On a terminal the line is wrapped at words, and "referee:" is red if `is_wrong`.
    """
    said = f"{_NAME} {escaped(text)}"
    if sys.stderr.isatty():
        wrapped = textwrap.wrap(
            said, width(sys.stderr), break_long_words=False, break_on_hyphens=False
        )
        said = "\n".join(wrapped)
        if is_wrong and has_colour(sys.stderr):
            said = said.replace(_NAME, paint(_NAME, "red", colour=True), 1)
    # If stderr is on a full disk, we can't report the error anywhere.
    with contextlib.suppress(OSError):
        print(said, file=sys.stderr, flush=True)


def report_bug(error: BaseException) -> int:
    """Report a bug of the referee in one line. The traceback goes to a file."""
    import platform
    import tempfile
    import traceback

    from referee._version import __version__

    what = f"{type(error).__name__}: {error}"
    versions = f"referee {__version__}, Python {platform.python_version()}, {platform.platform()}"
    text = "\n".join([versions, repr(sys.argv), *traceback.format_exception(error)])
    try:
        with tempfile.NamedTemporaryFile(
            "w", prefix="referee-bug-", suffix=".txt", delete=False, errors="backslashreplace"
        ) as file:
            file.write(text)
        where = f"with {file.name}, which says where it happened"
    except OSError:
        with contextlib.suppress(OSError):
            print(text, file=sys.stderr)
        where = "with the lines above"
    say(f"{what}. This is a bug in the referee: please report it in its issue tracker, {where}")
    return BUG


def check_other_file(output: str, others: Sequence[str | None]) -> None:
    """Raise a `UsageError` if the command also uses an output file for something else."""
    for name in filter(None, others):
        # A file that doesn't exist yet can't be the same as another one.
        with contextlib.suppress(OSError, ValueError):
            is_file = stat.S_ISREG(os.stat(output).st_mode)
            if is_file and os.path.samefile(output, name):
                raise UsageError(f"{output} and {name} are the same file")


@contextmanager
def printing() -> Iterator[TextIO]:
    """Context manager for printing results on stdout. Handles a full disk.

    Raises:
        UsageError: stdout cannot be written.
    """
    try:
        yield sys.stdout
        sys.stdout.flush()
    except OSError as error:
        # The `with` block also computes the results, so this error isn't necessarily about stdout.
        if isinstance(error, BrokenPipeError) or error.errno in SHORTAGES:
            raise
        silence(sys.stdout)
        raise cannot_write("standard output", error) from error


@contextmanager
def printing_to(
    output: str | None,
    kind: OutputKind,
    inputs: Sequence[str] = (),
    *,
    force: bool,
    whole: bool = False,
) -> Iterator[TextIO]:
    """Context manager for printing results to the file of `--output`, or to stdout without it.

    Args:
        output: the name of the file, or None.
        kind: the kind of the file. Without `force`, we only replace files of the same kind.
        inputs: the command's input files, which must not be overwritten.
        whole: if True, an existing file is replaced at the end, and it stays unchanged after an
            error. Otherwise, everything is written to it immediately.

    Raises:
        UsageError: the file cannot be written.
    """
    if output is None:
        with printing() as file:
            yield file
        return
    from referee.logs.outputs import check_output, note_output

    check_other_file(output, inputs)
    check_output(output, kind, force=force)
    try:
        with (
            _replacing(output) if whole else nullcontext(output) as name,
            open(name, "w", encoding="utf-8", errors="backslashreplace") as file,
        ):
            note_output(output, kind)
            yield file
    except OSError as error:
        if isinstance(error, BrokenPipeError) or error.errno in SHORTAGES:
            raise
        raise cannot_write(output, error) from error


@contextmanager
def _replacing(output: str) -> Iterator[str]:
    """Yield the name of a temporary file, and rename it to `output` unless an error occurs."""
    import secrets

    output = os.path.realpath(output)
    part = f"{output}.{secrets.token_hex(4)}.part"  # choose a name that doesn't exist yet
    # We must not replace something like /dev/stdout, so we write to it directly.
    if os.path.exists(output) and not os.path.isfile(output):
        yield output
        return
    # To rename a file, you only need permission for its folder. Check the file as well, because we
    # don't want to replace a read-only file.
    if os.path.exists(output) and not os.access(output, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    try:
        os.close(os.open(part, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666))
    except PermissionError:  # we can't rename files here, so write to the file itself
        yield output
        return
    try:
        with contextlib.suppress(FileNotFoundError):
            shutil.copymode(output, part)
        yield part
        os.replace(part, output)
    finally:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(part)


def print_json(value: object, file: TextIO | None = None) -> None:
    """Print a value as one line of JSON, on stdout or to a file."""
    import msgspec  # slow, and many commands don't print JSON

    out, line = file or sys.stdout, msgspec.json.encode(value)
    # The standings of 500 bots are 26 MB of JSON. We convert them piece by piece, which saves a
    # second copy as text.
    decode = codecs.getincrementaldecoder("utf-8")().decode
    for start in range(0, len(line), _LETTERS):
        out.write(json_escaped(decode(line[start : start + _LETTERS])))
    print(file=out, flush=True)


def json_line(value: object) -> str:
    """Encode a value as one line of JSON. It's safe to print on a terminal."""
    import msgspec  # slow, and many commands don't print JSON

    return json_escaped(msgspec.json.encode(value).decode())


def rich_console(file: TextIO, columns: int | None = None) -> Console:
    """Return a rich console that writes to `file`, with the colours that stdout supports.

    In Markdown, code has no background colour, because rich would use black even on a light
    terminal.
    """
    from rich.console import Console
    from rich.theme import Theme

    colour = has_colour(sys.stdout)
    return Console(
        file=file,
        theme=Theme({"markdown.code": "bold", "markdown.code_block": ""}),
        width=columns or width(sys.stdout),
        force_terminal=colour,
        no_color=not colour,
        highlight=False,
        markup=False,
        emoji=False,
    )


@contextmanager
def printing_rich(title: str = "") -> Iterator[Console]:
    """Context manager that yields a rich console. Its text is printed on stdout at the end.

    If rich printed the text itself, it would exit with its own code when the pipe is closed.

    Args:
        title: printed as the first line, unless it's empty.
    """
    import io
    import re

    from rich.text import Text

    text = io.StringIO()
    console = rich_console(text)
    if title:
        console.print(Text(plain(title), style="bold underline"))
    yield console
    # When rich wraps a line, it leaves a space at the end.
    print(re.sub(r" +(\x1b\[0m)?$", r"\1", text.getvalue(), flags=re.MULTILINE), end="")


def terminal_is_gone() -> bool:
    """Check whether this process has lost its terminal, e.g. because a connection broke.

    If so, stdout and stderr are redirected to /dev/null.
    """
    import termios  # does not exist on every system

    gone = []
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        try:
            termios.tcgetattr(stream)
        except termios.error as error:
            if error.args[0] == errno.EIO:
                gone.append(stream)
        except (OSError, ValueError, TypeError):  # the stream is closed, or not a file
            continue
    if gone:
        for stream in (sys.stdout, sys.stderr):
            silence(stream)
    return bool(gone)


def silence(stream: TextIO) -> None:
    """Redirect stdout or stderr to /dev/null."""
    # At exit, Python flushes both streams once more. If that failed, we'd see an error message.
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def flush_streams() -> None:
    """Flush stdout and stderr, so that Python has nothing left to flush at exit."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            silence(stream)


def width(file: TextIO) -> int:
    """Return the number of columns for wrapping text."""
    return shutil.get_terminal_size().columns if file.isatty() else PLAIN_WIDTH


def has_colour(file: TextIO) -> bool:
    """Check whether a file is a terminal and the user wants colours (https://no-color.org)."""
    return file.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
