"""Reads submitted bots, which are folders with a `bot.toml` (spec/organisers.md, 2 and 3).

We don't trust these folders, and still have to read them outside of any sandbox. That's why this
module doesn't follow links, only opens regular files, and reads no more than the maximum size of a
bot.
"""

from __future__ import annotations

import hashlib
import os
import re
import stat
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from referee.bots.shell import why_shell, why_shell_program
from referee.bots.toml import BotTable, name_problem, read_table, read_toml
from referee.errors import UsageError

BOT_FILE = "bot.toml"
BUILT = ".built"
"""Subfolder with the result of a build. The built bot is in `COPY`, the hash of its sources in
`SOURCES`."""
BUILDING = ".building"
"""Subfolder in which a build is running. If it succeeds, the result is moved to `BUILT`."""
COPY = "bot"
SOURCES = "sources"
LEFT_OUT = (".git", "__pycache__", BUILT, BUILDING)
"""Files and folders with these names aren't part of a bot. We don't hash them or copy them."""
MAX_BYTES = 100_000_000
"""Maximum size of all files of a bot together."""
MAX_WORDS = 1_000
"""Maximum number of words of a command. Bubblewrap takes at most 9,000."""
_SHOWN = 20  # mistakes of a folder, because `files` may name a hundred thousand
_HEX = 64  # length of a SHA-256 in hexadecimal
_ADDRESS = re.compile("([a-z][a-z0-9-]*:)?https?://").match


class _Table(BotTable, kw_only=True):
    build: str = ""
    language: str = ""
    files: tuple[str, ...] = ()


class BotFolder(NamedTuple):
    """A submitted bot: the path of its folder as given, and the values in its `bot.toml`.

    Attributes:
        problems: the mistakes that we found, one line each. We don't check the program here,
            because it may not exist before the bot is built.
    """

    path: str
    name: str
    command: str
    build: str
    language: str
    problems: tuple[str, ...]

    @property
    def file(self) -> str:
        """Path of the `bot.toml`."""
        return os.path.join(self.path, BOT_FILE)

    @property
    def directory(self) -> str:
        """Absolute path of the folder in which the bot runs. For a built bot, that's the build."""
        place = os.path.join(self.path, BUILT, COPY) if self.build else self.path
        return os.path.abspath(place)


def is_bot_folder(directory: str) -> bool:
    """Return True if there's a `bot.toml` in a folder. This works for built bots, too.

    An empty path is never a bot's folder, even if there is a `bot.toml` in the current folder.
    """
    return bool(directory) and os.path.lexists(os.path.join(directory, BOT_FILE))


def leaves_folder(path: str, directory: str) -> bool:
    """Return True if a path leaves a folder, through `..` or through a link."""
    real = os.path.realpath  # Path.resolve() raises for circular links
    return not Path(real(os.path.join(directory, path))).is_relative_to(real(directory))


def read_folder(path: str) -> BotFolder:
    """Read a bot's folder, and collect all its mistakes instead of raising the first one."""
    path = os.path.normpath(path)
    name = os.path.basename(os.path.abspath(path))
    file = os.path.join(path, BOT_FILE)
    try:
        # Reading a FIFO may block forever. And if it's a link to somebody else's file, our error
        # message could show the author a line of that file.
        if not stat.S_ISREG(os.lstat(file).st_mode):
            raise UsageError(f"{file} is not a regular file: replace it")
        table, problems = read_table(_Table, read_toml(file), file)
    except (UsageError, OSError, ValueError) as error:  # ValueError: the path contains a NUL
        return BotFolder(path, name, "", "", "", (str(error),))
    problems += [f"{file}: {problem}" for problem in islice(_wrong(table, name, path), _SHOWN)]
    command, problem = table.command, why_shell(table.command)
    if not os.path.exists(os.path.join(path, command.partition(" ")[0])):
        problem = problem or why_shell_program(command)
    if problem:
        command, problems = "", [*problems, f"{file}: command: {problem}"]
    found = table.name or name, command, table.build, table.language
    return BotFolder(path, *found, tuple(problems))


def folder_around(directory: str) -> BotFolder | None:
    """Read a bot's folder, given the folder or its build. Returns None for other folders."""
    path = handed_in(directory)
    return read_folder(path) if is_bot_folder(path) else None


def handed_in(directory: str) -> str:
    """Return the folder that the author submitted, given either this folder or its build.

    A built bot runs in a copy inside of the submitted folder (`.built/bot`).
    """
    return directory.removesuffix(os.path.join(os.sep, BUILT, COPY))


def _wrong(table: _Table, name: str, path: str) -> Iterator[str]:
    if not table.name and name_problem(name):
        yield f"name is missing, and the name of the folder cannot be used: {name_problem(name)}"
    if _ADDRESS(table.command):
        yield "command: it is an address, and a folder is of a program: give the address as BOT"
    if len(table.command.split()) > MAX_WORDS:
        yield f"command: it has more than {MAX_WORDS:,} words"
    if problem := name_problem(table.language):
        yield f"language: {problem}"
    for file in table.files:
        if leaves_folder(file, path):
            yield f"files: {file} is not in the folder: copy it there, and give its path in it"
        elif not os.path.exists(os.path.join(path, file)):
            yield f"files: {file} is not there: add it, or take it out of the list"


# --- build results --------------------------------------------------------------------------------


def is_built(folder: BotFolder) -> bool:
    """Return True if the build is up to date with the sources, or there's nothing to build."""
    if not folder.build:
        return True
    built = Path(folder.path, BUILT)
    # A submitted folder may already contain a `.built`. If we followed it as a link, its author
    # could choose any folder to see from the sandbox.
    if any(path.is_symlink() or not path.is_dir() for path in (built, built / COPY)):
        return False
    # Without a `bot.toml`, the sandbox would trust this folder like one of the user's own.
    if not is_bot_folder(str(built / COPY)):
        return False
    try:
        fd = os.open(built / SOURCES, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        with open(fd, "rb") as file:
            return file.read(_HEX) == sources_hash(folder.path).encode()
    except OSError:
        return False


def sources_hash(path: str) -> str:
    """Hash all files in a bot's folder, except build results.

    The digest depends on names, contents, links and executable bits. It doesn't depend on owners
    and times, because those change when somebody copies the folder.

    Raises:
        UsageError: the files can't be read, are too large, or aren't regular files.
    """
    found = hashlib.sha256()
    room = MAX_BYTES
    try:
        for entry in _entries(path):
            info = entry.stat(follow_symlinks=False)
            if stat.S_ISLNK(info.st_mode):
                kind, content = "link", os.fsencode(os.readlink(entry.path))
            elif stat.S_ISREG(info.st_mode):
                kind = "program" if info.st_mode & 0o111 else "file"
                room -= info.st_size
                if room < 0:
                    raise UsageError(
                        f"{path} is too large: its files have more than {MAX_BYTES // 1_000_000} MB"
                    )
                with open(entry.path, "rb") as file:
                    content = hashlib.file_digest(file, "sha256").digest()
            else:
                raise UsageError(f"{entry.path} is neither a file, a folder nor a link: remove it")
            # We add the length of each part, because otherwise two different folders could produce
            # the same bytes.
            for part in (kind.encode(), os.fsencode(os.path.relpath(entry.path, path)), content):
                found.update(b"%d:%s" % (len(part), part))
    except OSError as error:
        raise UsageError(f"cannot read {error.filename or path}: {error.strerror}") from error
    except RecursionError as error:
        raise UsageError(f"cannot read {path}: its folders are nested too deeply") from error
    return found.hexdigest()


def _entries(path: str) -> Iterator[os.DirEntry[str]]:
    with os.scandir(path) as entries:
        found = sorted(entries, key=lambda entry: entry.name)
    for entry in found:
        if entry.name in LEFT_OUT:
            continue
        if not entry.is_dir(follow_symlinks=False):
            yield entry
        else:
            yield from _entries(entry.path)
