"""What every command says and how it ends: messages, exit codes, a closed or full stdout."""

from __future__ import annotations

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

from referee.errors import SHORTAGES, UsageError, cannot_write
from referee.text.terminal import escaped, json_escaped, paint, plain

if TYPE_CHECKING:
    from rich.console import Console

    from referee.logs.outputs import Kind

OK = 0
FAILED = 1
"""It was done, and something is wrong with what was looked at or played."""
USAGE = 2
GAME = 65  # EX_DATAERR of sysexits.h
"""The code of a game from outside has a mistake."""
BUG = 70  # EX_SOFTWARE
SHORTAGE = 71  # EX_OSERR
READER_GONE = 128 + 13  # as if SIGPIPE had ended us
_NAME = "referee:"
PLAIN_WIDTH = 80
"""Columns where there is no terminal."""
_LETTERS = 2**20
"""Letters of a text that are written at a time: a file keeps them a second time, as bytes."""


def fail(code: int, *lines: str) -> int:
    """Say what is wrong, one line for each mistake, and return the exit code."""
    for line in lines:
        say(line, is_wrong=True)
    return code


def say(text: str, *, is_wrong: bool = False) -> None:
    """Print one line on stderr, with the text of strangers escaped.

    On a terminal the line is wrapped at its words, and "referee:" is red if something is wrong.
    """
    said = f"{_NAME} {escaped(text)}"
    if sys.stderr.isatty():
        wrapped = textwrap.wrap(
            said, width(sys.stderr), break_long_words=False, break_on_hyphens=False
        )
        said = "\n".join(wrapped)
        if is_wrong and has_colour(sys.stderr):
            said = said.replace(_NAME, paint(_NAME, "red", colour=True), 1)
    with contextlib.suppress(OSError):  # a full disk there: nobody can be told
        print(said, file=sys.stderr, flush=True)


def report_bug(error: BaseException) -> int:
    """Say in one line that the referee has a bug; what its developers need goes to a file."""
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
    """Raise a `UsageError` if an output file is another file of the same command."""
    for name in filter(None, others):
        with contextlib.suppress(OSError, ValueError):  # one of them is not there
            is_file = stat.S_ISREG(os.stat(output).st_mode)
            if is_file and os.path.samefile(output, name):
                raise UsageError(f"{output} and {name} are the same file")


@contextmanager
def printing() -> Iterator[TextIO]:
    """Stdout, for results: a full disk there is the user's business, not a bug.

    Raises:
        UsageError: it cannot be written.
    """
    try:
        yield sys.stdout
        sys.stdout.flush()
    except OSError as error:
        # A shortage is not that file's: what is printed is made in this block, too.
        if isinstance(error, BrokenPipeError) or error.errno in SHORTAGES:
            raise
        silence(sys.stdout)
        raise cannot_write("standard output", error) from error


@contextmanager
def printing_to(
    output: str | None,
    kind: Kind,
    inputs: Sequence[str] = (),
    *,
    force: bool,
    whole: bool = False,
) -> Iterator[TextIO]:
    """Where results are printed: the file of `--output`, or stdout without one.

    Args:
        output: a name, or None.
        kind: of the file, which replaces no other kind of file without `force`.
        inputs: the files that the results come from, which must not be replaced.
        whole: replace the file only when all was printed. Otherwise write to it all the time.

    Raises:
        UsageError: it cannot be printed there.
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
            _whole(output) if whole else nullcontext(output) as name,
            open(name, "w", encoding="utf-8", errors="backslashreplace") as file,
        ):
            note_output(output, kind)
            yield file
    except OSError as error:
        if isinstance(error, BrokenPipeError) or error.errno in SHORTAGES:
            raise
        raise cannot_write(output, error) from error


@contextmanager
def _whole(output: str) -> Iterator[str]:
    """The name of a new file, which replaces `output` if the block ends without an error."""
    import secrets

    output = os.path.realpath(output)
    part = f"{output}.{secrets.token_hex(4)}.part"  # a name that nobody has given to a file
    if os.path.exists(output) and not os.path.isfile(output):  # such as /dev/stdout
        yield output
        return
    if os.path.exists(output) and not os.access(output, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    try:
        os.close(os.open(part, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666))
    except PermissionError:  # the folder is another user's, and the file may be ours
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
    out, line = file or sys.stdout, json_line(value)
    for start in range(0, len(line), _LETTERS):
        out.write(line[start : start + _LETTERS])
    print(file=out, flush=True)


def json_line(value: object) -> str:
    """A value as one line of JSON, in which a terminal finds no command of a stranger."""
    import msgspec  # a command that needs none starts without it

    return json_escaped(msgspec.json.encode(value).decode())


def rich_console(file: TextIO, columns: int | None = None) -> Console:
    """A console of rich that writes to a file as the terminal of stdout would show it.

    Code has no background, which would be a black block on a light terminal.
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
    """A console of rich, whose text is printed on stdout at the end.

    Rich has an exit code of its own for a reader that has seen enough, so it does not print it.

    Args:
        title: above all else, if it is not empty.
    """
    import io
    import re

    from rich.text import Text

    text = io.StringIO()
    console = rich_console(text)
    if title:
        console.print(Text(plain(title), style="bold underline"))
    yield console
    # Where rich breaks a line, it leaves the space.
    print(re.sub(r" +(\x1b\[0m)?$", r"\1", text.getvalue(), flags=re.MULTILINE), end="")


def terminal_is_gone() -> bool:
    """Whether this process has a terminal that was closed, as when a connection is lost.

    Then stdout and stderr lead nowhere from now on.
    """
    import termios  # not on every system

    gone = []
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        try:
            termios.tcgetattr(stream)
        except termios.error as error:
            if error.args[0] == errno.EIO:
                gone.append(stream)
        except (OSError, ValueError, AttributeError):  # closed, or not a file
            continue
    if gone:
        for stream in (sys.stdout, sys.stderr):
            silence(stream)
    return bool(gone)


def silence(stream: TextIO) -> None:
    """Send what is still written to stdout or stderr nowhere."""
    # Python flushes both once more at its end and would complain there.
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def flush_streams() -> None:
    """Flush stdout and stderr, so that Python has nothing to complain of at its end."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            silence(stream)


def width(file: TextIO) -> int:
    """The columns to wrap at."""
    return shutil.get_terminal_size().columns if file.isatty() else PLAIN_WIDTH


def has_colour(file: TextIO) -> bool:
    """Whether a person looks at this who wants colours (https://no-color.org)."""
    return file.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
