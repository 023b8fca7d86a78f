"""A folder with a `bot.toml`: a bot as it is handed in (spec/organisers.md, 2 and 3).

Strangers write these folders, and this module reads them outside any sandbox. Therefore it follows
no link, opens only plain files, and reads at most the size that a bot may have.
"""

from __future__ import annotations

import hashlib
import os
import re
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from referee.bots.shell import why_shell, why_shell_program
from referee.bots.toml import BotTable, name_problem, read_table, read_toml
from referee.errors import UsageError

BOT_FILE = "bot.toml"
BUILT = ".built"
"""In the folder, what came of its build: `COPY`, and `SOURCES` with the hash of what was built."""
BUILDING = ".building"
"""The same while it is built."""
COPY = "bot"
SOURCES = "sources"
LEFT_OUT = (".git", "__pycache__", BUILT, BUILDING)
"""What is no part of a bot, wherever it is."""
MAX_BYTES = 100_000_000
"""Of all files of a bot together."""
_HEX = 64  # digits of a SHA-256
_ADDRESS = re.compile("([a-z][a-z0-9-]*:)?https?://").match


class _Table(BotTable, kw_only=True):
    build: str = ""
    language: str = ""
    files: tuple[str, ...] = ()


class BotFolder(NamedTuple):
    """A bot's folder: the path as given, and the keys of its `bot.toml`, or defaults.

    Attributes:
        problems: the mistakes, one line each, except those of the program of its command.
    """

    path: str
    name: str
    command: str
    build: str
    language: str
    problems: tuple[str, ...]

    @property
    def file(self) -> str:
        """Its `bot.toml`."""
        return os.path.join(self.path, BOT_FILE)

    @property
    def directory(self) -> str:
        """Where the bot is started: an absolute path."""
        place = os.path.join(self.path, BUILT, COPY) if self.build else self.path
        return os.path.abspath(place)


def is_bot_folder(directory: str) -> bool:
    """Whether a path is a bot's folder, as handed in or built: it has a `bot.toml`. "" is none."""
    return bool(directory) and os.path.lexists(os.path.join(directory, BOT_FILE))


def leads_out(path: str, directory: str) -> bool:
    """Whether a path leads out of a folder, by `..` or by a link."""
    real = os.path.realpath  # which, other than `Path.resolve`, copes with links in a circle
    return not Path(real(os.path.join(directory, path))).is_relative_to(real(directory))


def read_folder(path: str) -> BotFolder:
    """Read a bot's folder, and list its mistakes."""
    path = os.path.normpath(path)
    name = os.path.basename(os.path.abspath(path))
    file = os.path.join(path, BOT_FILE)
    try:
        # A FIFO would never be read to its end, and a link leads to a file of somebody else.
        if not stat.S_ISREG(os.lstat(file).st_mode):
            raise UsageError(f"{file} is not a regular file: replace it")
        table, problems = read_table(_Table, read_toml(file), file)
    except (UsageError, OSError, ValueError) as error:  # ValueError: the path has a NUL
        return BotFolder(path, name, "", "", "", (str(error),))
    problems += [f"{file}: {problem}" for problem in _wrong(table, name, path)]
    command, problem = table.command, why_shell(table.command)
    if not os.path.exists(os.path.join(path, command.partition(" ")[0])):
        problem = problem or why_shell_program(command)
    if problem:
        command, problems = "", [*problems, f"{file}: command: {problem}"]
    found = table.name or name, command, table.build, table.language
    return BotFolder(path, *found, tuple(problems))


def folder_around(directory: str) -> BotFolder | None:
    """The bot's folder that a directory is, or was built in; None if it is neither."""
    path = handed_in(directory)
    return read_folder(path) if is_bot_folder(path) else None


def handed_in(directory: str) -> str:
    """The path of the bot's folder that a directory would be, or was built in."""
    return directory.removesuffix(os.path.join(os.sep, BUILT, COPY))


def _wrong(table: _Table, name: str, path: str) -> Iterator[str]:
    if not table.name and name_problem(name):
        yield f"name is missing, and the name of the folder cannot be used: {name_problem(name)}"
    if _ADDRESS(table.command):
        yield "command: it is an address, and a folder is of a program: give the address as BOT"
    if problem := name_problem(table.language):
        yield f"language: {problem}"
    for file in table.files:
        if leads_out(file, path):
            yield f"files: {file} is not in the folder: copy it there, and give its path in it"
        elif not os.path.exists(os.path.join(path, file)):
            yield f"files: {file} is not there: add it, or take it out of the list"


# --- what was built -------------------------------------------------------------------------------


def is_built(folder: BotFolder) -> bool:
    """Whether there is nothing to build, or it was built from just these sources."""
    if not folder.build:
        return True
    built = Path(folder.path, BUILT)
    # What was handed in as built may be a link, to what its author would like to see inside.
    if any(path.is_symlink() or not path.is_dir() for path in (built, built / COPY)):
        return False
    if not is_bot_folder(str(built / COPY)):  # which marks it as a stranger's
        return False
    try:
        fd = os.open(built / SOURCES, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        with open(fd, "rb") as file:
            return file.read(_HEX) == sources_hash(folder.path).encode()
    except OSError:
        return False


def sources_hash(path: str) -> str:
    """A digest of all files of a bot's folder, except the results of a build.

    Names, contents, links and run bits count; owners and times do not.

    Raises:
        UsageError: the files cannot be read, are too large, or are not regular files.
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
            for part in (kind.encode(), os.fsencode(os.path.relpath(entry.path, path)), content):
                found.update(b"%d:%s" % (len(part), part))
    except OSError as error:
        raise UsageError(f"cannot read {error.filename or path}: {error.strerror}") from error
    except RecursionError as error:
        raise UsageError(f"cannot read {path}: its folders are nested too deeply") from error
    return found.hexdigest()


def _entries(path: str) -> Iterator[os.DirEntry[str]]:
    """All that is in a folder and in those in it, but for the folders themselves, by name."""
    with os.scandir(path) as entries:
        found = sorted(entries, key=lambda entry: entry.name)
    for entry in found:
        if entry.name in LEFT_OUT:
            continue
        if not entry.is_dir(follow_symlinks=False):
            yield entry
        else:
            yield from _entries(entry.path)
