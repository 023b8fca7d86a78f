"""Builds a submitted bot with the build command in its `bot.toml` (spec/organisers.md, 3).

    FOLDER/.building/new/bot      a copy of the sources, and later the result of the build
    FOLDER/.building/new/sources  the hash of the copied sources
    FOLDER/.built                 `new`, moved here after a successful build

We never build in the author's own files. `.built` only appears by renaming a finished build, so it
is always complete. We don't trust the result, though: outside of a sandbox, none of our code
follows its links or runs its programs. Other users can't get into `.building`.

In a sandbox, the build command works in a tmpfs that starts as a copy of the sources. The size of
the tmpfs limits all files together, even deleted ones that are still open. (Deleted files also take
up space on a disk, but there we couldn't measure it.)
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import IO, Literal, NamedTuple, TypeAlias

import trio

from referee.bots.command import BotCommand, find_single, not_on_path
from referee.bots.folder import (
    BOT_FILE,
    BUILDING,
    BUILT,
    COPY,
    LEFT_OUT,
    SOURCES,
    BotFolder,
    is_bot_folder,
    is_built,
    sources_hash,
)
from referee.bots.processes.launch import LaunchedBot
from referee.bots.processes.process import read_now, wait_for_exit
from referee.bots.processes.program import why_not_runnable
from referee.bots.processes.sandbox import SOURCES as HANDED_IN
from referee.bots.processes.sandbox import why_hidden
from referee.bots.processes.stderr import StderrKeeper
from referee.errors import UsageError
from referee.interrupts import signal_name
from referee.match.limits import MIB, Limits
from referee.match.sandbox import Sandbox
from referee.text.terminal import escaped

DISK_LIMIT = 2048 * MIB
"""Maximum size of all files of a build together, including the bot's own."""
FILES_LIMIT = 200_000
"""Maximum number of files and folders of a build. Even an empty file uses an inode."""
# A compiler needs a lot more than a bot does.
_LIMITS = Limits(
    # A control group also counts the files in the tmpfs, so the limit must be higher.
    memory_limit=4096 * MIB,
    process_limit=1024,
    file_size_limit=DISK_LIMIT,
    tmp_limit=1024 * MIB,  # /tmp must be large, because Go compiles its standard library there
)
_FULL = b"No space left on device"
SHOWN_LINES = 40
"""We show this many lines of the build's output: half from the beginning, half from the end."""
_LAST_READS = 64
# Exit codes of a shell that can't run a program (126), or can't find it (127).
_NOT_RUN = (126, 127)
_OF_MAKE = b"Error 127"
# The error messages of shells and make in these cases. They contain the name of the program, which
# tells the author more than "exit code 127".
_OF_SHELL = re.compile(
    r"(?:[^:]+: (?:line )?\d+: |(?:\S*/)?(?:ba|da)?sh: |make(?:\[\d+\])?: )(?P<program>[^:]+): "
    r"(?:(?:command )?not found|Permission denied|No such file or directory)$"
)

State: TypeAlias = Literal["built", "up to date", "nothing to build", "failed"]


class Built(NamedTuple):
    """The result of a build.

    Attributes:
        problem: the reason why the build failed, or "".
        output: lines from the beginning and the end of the command's output.
    """

    folder: BotFolder
    state: State
    problem: str = ""
    seconds: float = 0.0
    output: Sequence[str] = ()


async def build(
    folder: BotFolder, game: str, sandbox: Sandbox, limit: float, *, again: bool = False
) -> Built:
    """Build the bot in a folder, if it has a build command and the last build isn't up to date.

    This doesn't raise if the build fails, because `referee build` then continues with the next
    folder. The folder must not have any `problems`.

    Args:
        limit: maximum seconds for the build command.
        again: True to build even if the last build is up to date.
    """
    if not folder.build:
        return Built(folder, "nothing to build")
    started = time.monotonic()
    output = StderrKeeper(None)
    try:
        with _locked(folder.path):
            if not again and await trio.to_thread.run_sync(is_built, folder):
                return Built(folder, "up to date")
            problem = await _build(folder, game, sandbox, limit, output)
    except UsageError as error:
        problem = str(error)
    except OSError as error:
        problem = f"{error.filename or folder.path}: {error.strerror}"
    except RecursionError:
        problem = "its folders are nested too deeply"
    state: State = "failed" if problem else "built"
    return Built(
        folder, state, problem, time.monotonic() - started, output.lines(SHOWN_LINES // 2).lines
    )


async def _build(
    folder: BotFolder, game: str, sandbox: Sandbox, limit: float, output: StderrKeeper
) -> str:
    building, built = _places(folder.path)
    new = building / "new"
    _remove(building)  # a referee that was killed may have left this folder
    try:
        await trio.to_thread.run_sync(_copy, folder.path, new)
        with trio.move_on_after(limit) as clock:
            if sandbox.kind == "none":
                problem = await _run(folder, new / COPY, [folder.build], sandbox, output)
            else:
                problem = await _run_apart(folder, building, sandbox, output)
        if clock.cancelled_caught:
            return f"it took more than {limit:g} s (--time-limit)"
        if problem:
            return problem
        _make_writable(new)
        if not is_bot_folder(str(new / COPY)):
            return f"it has removed its {BOT_FILE}"
        try:
            find_single(folder.command, game, str(new / COPY))
        except UsageError as error:
            return f"it made no program for command: {error}"
        _replace_result(building, built)
        return ""
    finally:
        _remove(building)


def _places(path: str) -> tuple[Path, Path]:
    folder = Path(path).absolute()
    return folder / BUILDING, folder / BUILT


def _replace_result(building: Path, built: Path) -> None:
    if os.path.lexists(built):
        built.rename(building / "old")
    (building / "new").rename(built)


async def _run_apart(
    folder: BotFolder, building: Path, sandbox: Sandbox, output: StderrKeeper
) -> str:
    # The sources are mounted read-only, and the command works on a copy in memory. At the end, the
    # result comes out of the sandbox as a tar archive. We don't trust that archive, so we unpack it
    # in a second sandbox: tar itself would happily write through a link that the bot has put there.
    place = building / "new" / COPY
    building_it = sandbox._replace(writable=True, room=DISK_LIMIT)
    with tempfile.TemporaryFile(dir=building) as made:
        script = f'cp -a {HANDED_IN}/. . && /bin/sh -c "$0" >&2 && exec tar -cf - .'
        problem = await _run(folder, place, [script, folder.build], building_it, output, made)
        if problem:
            return problem
        _remove(place)
        place.mkdir()
        made.seek(0)
        unpacking = sandbox._replace(writable=True)
        said = f"it made more than {FILES_LIMIT:,} files"
        script = (
            f'test "$(tar -tf /dev/stdin | head -n {FILES_LIMIT + 1} | wc -l)" -le {FILES_LIMIT} '
            f'|| {{ echo "{said}" >&2; exit 1; }}; exec tar -xf - >&2'
        )
        return await _run(folder, place, [script], unpacking, output, stdin=made)


class _Archive:
    """Writes the standard output of a build to a file of limited size.

    We can't simply hand the file to the build. Its processes can open each other's standard output
    through /proc, and so they'd have a file outside of the sandbox to write to. A pipe doesn't have
    that problem.
    """

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._size = 0

    @property
    def is_full(self) -> bool:
        return self._size > DISK_LIMIT

    def feed(self, data: bytes) -> None:
        self._size += len(data)
        if not self.is_full:
            self._file.write(data)


async def _run(
    folder: BotFolder,
    place: Path,
    words: Sequence[str],
    sandbox: Sandbox,
    output: StderrKeeper,
    made: IO[bytes] | None = None,
    stdin: IO[bytes] | int = subprocess.DEVNULL,
) -> str:
    """Run a shell command in a folder. If it fails, return the reason, otherwise "".

    Args:
        words: the command, and arguments that it can use as $0, $1 and so on.
        made: a file that gets the command's stdout. By default, stdout goes to `output`, just like
            stderr.
    """
    bot = LaunchedBot(
        BotCommand(folder.path, ("/bin/sh", "-c", *words), directory=str(place)),
        _LIMITS,
        sandbox,
        stdin=stdin,
        stderr=subprocess.STDOUT if made is None else subprocess.PIPE,
    )
    archive = None if made is None else _Archive(made)
    try:
        if bot.popen is None or bot.popen.stdout is None:
            return f"it cannot be started: {bot.error}"
        takers = {bot.popen.stdout.fileno(): output.feed if archive is None else archive.feed}
        if bot.popen.stderr is not None:
            takers[bot.popen.stderr.fileno()] = output.feed
        try:
            async with trio.open_nursery() as nursery:
                for fd, take in takers.items():
                    os.set_blocking(fd, False)
                    nursery.start_soon(_read_all, fd, take)
                await wait_for_exit(bot)
                # Anything in the background may still hold a pipe open, so end-of-file might never
                # come. That's why we don't wait for it. The kill
                # below ends those processes as well.
                nursery.cancel_scope.cancel()
        finally:
            bot.kill()
            for fd, take in takers.items():
                _read_rest(fd, take)
        bot.was_started()
        bot.check_reached(output)
    finally:
        bot.end()
    code = bot.exit_code
    if code is None:
        return "the sandbox does not work (as root it needs CAP_SYS_ADMIN: build as another user)"
    is_full = code == -signal.SIGXFSZ or (archive is not None and archive.is_full)
    if is_full or (code and output.says(_FULL)):
        return f"its files take more than {DISK_LIMIT // MIB} MiB"
    if code < 0:
        return f"ended by {signal_name(-code)}"
    if code in _NOT_RUN or output.says(_OF_MAKE):
        return _why_not_run(folder, sandbox, output) or f"exit code {code}"
    return f"exit code {code}" if code else ""


def _why_not_run(folder: BotFolder, sandbox: Sandbox, output: StderrKeeper) -> str:
    """Find out from a shell's last messages why it didn't run a program, or return ""."""
    lines = output.lines(SHOWN_LINES // 2).lines
    found = [said["program"] for said in map(_OF_SHELL.match, lines) if said]
    if not found:
        return ""
    program = found[-1]
    if "/" in program:
        why = why_not_runnable(program, folder.path)
        return f"the program {escaped(program)} cannot be run: {why}" if why else ""
    place = shutil.which(program)
    if place is not None and sandbox.kind != "none":
        return why_hidden("the program ", place)
    return f"{not_on_path(escaped(program))} (referee doctor lists compilers)"


@contextlib.contextmanager
def _locked(path: str) -> Iterator[None]:
    # We lock the folder itself, so that there's no lock file to clean up.
    fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise UsageError("another referee builds it at this moment") from None
        yield
    finally:
        os.close(fd)


def _copy(path: str, new: Path) -> None:
    # This rejects FIFOs, which would make copytree() block forever.
    sources_hash(path)
    new.parent.mkdir(mode=0o700)
    # mkdir() passes on the setgid bit of the parent, so we have to clear it
    new.parent.chmod(0o700)
    new.mkdir()
    ignore = shutil.ignore_patterns(*LEFT_OUT)
    try:
        shutil.copytree(path, new / COPY, symlinks=True, ignore=ignore)
    except shutil.Error as error:
        source, _, why = error.args[0][0]
        raise UsageError(f"cannot copy {source}: {why}") from error
    _make_writable(new)
    (new / SOURCES).write_text(sources_hash(str(new / COPY)))


def _make_writable(folder: Path) -> None:
    # The mask 0o777 also clears the setuid and setgid bits. If root runs the build, such a program
    # would run as root.
    for root, folders, files in os.walk(folder):
        for name in (*folders, *files):
            path = os.path.join(root, name)
            if not os.path.islink(path):
                needed = 0o700 if name in folders else 0o600
                os.chmod(path, (os.lstat(path).st_mode | needed) & 0o777)


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        # shutil.rmtree() would fail here. Folders may be nested too deeply for Python, and a build
        # may have left folders that we can't even read.
        for words in (["chmod", "-R", "u+rwX"], ["rm", "-rf"]):
            subprocess.run([*words, "--", path], stderr=subprocess.DEVNULL, check=False)
        if os.path.lexists(path):
            raise UsageError(f"{path} cannot be removed: remove it")
    else:
        path.unlink(missing_ok=True)


async def _read_all(fd: int, take: Callable[[bytes], None]) -> None:
    while (data := read_now(fd)) != b"":
        take(data or b"")
        await trio.lowlevel.wait_readable(fd)


def _read_rest(fd: int, take: Callable[[bytes], None]) -> None:
    # Read what's available, and don't wait for more. The number of reads is bounded, because a
    # process may keep writing.
    for _ in range(_LAST_READS):
        if not (data := read_now(fd)):
            return
        take(data)
