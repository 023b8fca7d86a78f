"""Runs a bot in bubblewrap, which shows it only the files that it needs (sandbox.md).

    bwrap (in the referee's namespaces; ends with the bot, and with its exit code)
      bwrap (the first process inside; when it ends, the kernel ends all others there)
        the bot (in the session of the second bwrap, apart from the referee's session)

We start, wait for and kill the first bwrap. If either bwrap is killed, all processes of the bot end
with it, no matter which session they're in.
"""

from __future__ import annotations

import errno
import json
import math
import os
import pwd
import shlex
import shutil
import stat
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache
from glob import glob
from pathlib import Path
from typing import NamedTuple

from referee.bots.bundled import is_bundled
from referee.bots.command import BotCommand, is_interpreter
from referee.bots.folder import handed_in, is_bot_folder, leaves_folder
from referee.bots.processes.orphans import children
from referee.bots.processes.place import start_place
from referee.bots.processes.program import check_program, interpreter, loader
from referee.bots.processes.seccomp import MACHINES, seccomp_filter
from referee.errors import SHORTAGES, BotNotFoundError, ShortageError, UsageError
from referee.match.sandbox import NO_SANDBOX, Sandbox
from referee.text.terminal import escaped

INSTALL = "apt-get install bubblewrap"
BOT = "/bot"
SOURCES = "/sources"
"""During a build, the submitted files are in this folder of the sandbox."""
USER = 1000
"""In the sandbox, bots have this user and group id, no matter who runs the referee."""
PROBE_SECONDS = 10.0
# The folders in which a system keeps its interpreters and libraries.
_SYSTEM = (
    *("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"),
    *("/nix/store", "/gnu/store"),
)
# Interpreters and libraries read these files. Bots don't need the rest of /etc.
_ETC = (
    *("/etc/alternatives", "/etc/java-*", "/etc/ld-musl-*", "/etc/ld.so.cache", "/etc/localtime"),
    *("/etc/nsswitch.conf", "/etc/perl", "/etc/ssl/openssl.cnf"),
)
# Nobody keeps bots in these folders.
_NO_BOTS = ("/boot", "/dev", "/etc", "/proc", "/run", "/sys", "/var")
_PASSWD = f"bot:x:{USER}:{USER}:bot:/tmp:/bin/sh\n".encode()
_INSIDE = {"HOME": "/tmp", "TMPDIR": "/tmp"}
# For builds by root. Compilers may change modes of files, but they mustn't change the modes of the
# machine's devices.
_FIXED_DEVICES = (
    *("unshare", "--mount", "sh", "-c"),
    "for name in null zero full random urandom tty; do mount --bind /dev/$name /dev/$name && "
    'mount -o remount,bind,ro /dev/$name || exit 1; done; exec "$@"',
    "sh",
)
_MOST_STATUS = 4096
# This file makes a folder a virtual environment of Python.
_VIRTUAL = "pyvenv.cfg"


class Prepared(NamedTuple):
    """Everything that we pass to `Popen` to start a bot, and the file descriptors to close.

    Attributes:
        fds: file descriptors for the new process. We close our copies after it has started.
        status: our end of a pipe with bubblewrap's status, or None without a sandbox.
        folder: the folder in which the bot starts, or "" if that folder only exists in the sandbox.
    """

    argv: list[str]
    directory: str | None
    env: Mapping[str, str]
    fds: tuple[int, ...] = ()
    status: int | None = None
    folder: str = ""


# --- Whether a sandbox works here -----------------------------------------------------------------


def resolve(choice: str, readable: Sequence[str] = (), hidden: Sequence[str] = ()) -> Sandbox:
    """Turn the value of `--sandbox` into a sandbox that works on this machine.

    Args:
        choice: one of `CHOICES`. "auto" means bubblewrap if it works, otherwise no sandbox.
        readable, hidden: see `Sandbox`. Relative paths are fine here.

    Raises:
        UsageError: the user wants bubblewrap and it doesn't work, a readable folder doesn't exist,
            or there are readable folders with "none".
    """
    if choice == "none":
        if readable:
            raise UsageError("--sandbox-read goes with a sandbox: --sandbox bwrap")
        return NO_SANDBOX
    for folder in readable:
        if not os.path.isdir(folder):
            raise UsageError(f"--sandbox-read {folder}: the folder does not exist")
    problem = unavailable_reason()
    if problem and choice == "auto":
        return NO_SANDBOX
    if problem:
        raise UsageError(f"--sandbox bwrap: {problem} (--sandbox none: bots have your rights)")
    seen, unseen = (tuple(map(os.path.abspath, paths)) for paths in (readable, hidden))
    return Sandbox("bwrap", seen, unseen)


def unavailable_reason() -> str:
    """Explain in one line why bubblewrap doesn't work on this machine, or return "" if it works.

    The only way to find out is to try it, which we do once per process.

    Raises:
        ShortageError: the system has too few resources left to try it.
    """
    return _probed()[1]


@cache
def _probed() -> tuple[tuple[str, ...], str]:
    if not sys.platform.startswith("linux"):
        return (), "bubblewrap works only on Linux"
    if not seccomp_filter():
        known = " and ".join(MACHINES)
        return (), f"there are filters of system calls for {known}, not for {os.uname().machine}"
    program = shutil.which("bwrap")
    if program is None:
        return (), f"bwrap is not installed: {INSTALL}"
    said = ""
    # The second attempt is for versions before 0.8, and for containers in which /proc/sys is
    # read-only. We can live without --disable-userns, because the filter denies new user namespaces
    # as well.
    for words in ((program, "--unshare-user", "--disable-userns"), (program, "--unshare-user")):
        options = _system(tmp_bytes=1 << 20)  # the same options as in a match
        env = {"PATH": os.defpath}
        prepared = _prepared([*words, *options], (), ["true"], env, seccomp_filter())
        try:
            done = subprocess.run(
                prepared.argv,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                errors="replace",
                env=env,
                pass_fds=prepared.fds,
                timeout=PROBE_SECONDS,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            if isinstance(error, OSError) and error.errno in SHORTAGES:
                raise ShortageError("cannot start bwrap", error) from error
            return (), f"bwrap cannot be started here: {error}"
        finally:
            close(prepared)
        if not done.returncode:
            return words, ""
        said = said or done.stderr.strip().partition("\n")[0] or f"exit code {done.returncode}"
        if said.rpartition(": ")[2] in map(os.strerror, SHORTAGES):
            raise ShortageError(f"cannot make a sandbox: {said.removeprefix('bwrap: ')}")
    hint = "it must be 0.7 or newer, and allowed to make user namespaces (spec/sandbox.md, 1)"
    return (), f"bwrap does not work here ({said.removeprefix('bwrap: ')}): {hint}"


# --- Visible files --------------------------------------------------------------------------------


def prepare(
    command: BotCommand,
    env: Mapping[str, str],
    sandbox: Sandbox,
    tmp_bytes: float = math.inf,
    first: Sequence[str] = (),
) -> Prepared:
    """Return the arguments that start a bot. Raises `OSError` like `Popen`.

    The bot's own variables are only set inside of the sandbox. bubblewrap mustn't get them, because
    a variable like `LD_PRELOAD` would run the bot's code in it, outside of the sandbox.

    Args:
        env: the environment of all bots. We add the variables of this bot (`command.env`).
        tmp_bytes: maximum size of /tmp. /dev/shm may be as large again.
        first: words to put before the bot's command in a sandbox.

    Raises:
        UsageError: the sandbox doesn't work.
        BotNotFoundError: the permissions of the bot's files are too strict for the sandbox.
    """
    if sandbox.kind == "none":
        env = {**env, **dict(command.env)}
        folder, argv = start_place(command)
        with suppress(FileNotFoundError):  # the current folder may have been deleted
            return Prepared(argv, folder or None, env, folder=os.path.abspath(folder))
        return Prepared(argv, folder or None, env)
    words, problem = _probed()
    # Our commands have already called resolve(), so this only happens in programs that use the
    # library.
    if problem:
        raise UsageError(f"the sandbox bwrap: {problem}")
    place = _Place(command, sandbox)
    inside = {**env, **_INSIDE}
    filter = seccomp_filter(builds=sandbox.writable)
    if sandbox.writable and os.geteuid() == 0:
        words = (*_FIXED_DEVICES, *words)
    options = [*words, *_system(tmp_bytes)]
    own = [(name, value) for name, value in command.env if name not in _INSIDE]
    prepared = _prepared(options, place.binds(), [*first, *place.argv], inside, filter, own)
    return prepared._replace(folder=place.folder)


def close(prepared: Prepared, *, status: bool = True) -> None:
    """Close the file descriptors, and the status pipe if nothing will read it."""
    for fd in prepared.fds:
        os.close(fd)
    if status and prepared.status is not None:
        os.close(prepared.status)


def _prepared(
    words: Sequence[str],
    binds: Sequence[str],
    argv: Sequence[str],
    env: Mapping[str, str],
    filter: bytes,
    own_env: Sequence[tuple[str, str]] = (),
) -> Prepared:
    opened: list[int] = []
    try:
        opened += os.pipe()
        for data in (filter, _PASSWD):
            reads, writes = os.pipe()
            opened.append(reads)
            os.write(writes, data)  # This can't block, since at most one page fits into every pipe.
            os.close(writes)
        # The variables may be too large for a command line, and other users can read command lines
        # anyway.
        if own_env:
            opened.append(_file_of(own_env))
    except OSError:
        for fd in opened:
            os.close(fd)
        raise
    status, *fds = opened
    said, seccomp, passwd, *variables = map(str, fds)
    options = [
        *(word for fd in variables for word in ("--args", fd)),
        *("--json-status-fd", said, "--seccomp", seccomp),
        *("--ro-bind-data", passwd, "/etc/passwd"),
        *binds,
        *("--remount-ro", "/dev", "--remount-ro", "/proc", "--remount-ro", "/"),
        *("--chdir", BOT, "--"),
    ]
    return Prepared([*words, *options, *argv], None, env, tuple(fds), status)


def _file_of(variables: Sequence[tuple[str, str]]) -> int:
    file = os.memfd_create("variables")
    try:
        words = [word for name, value in variables for word in ("--setenv", name, value)]
        data = memoryview(b"".join(os.fsencode(word) + b"\0" for word in words))
        while data:
            data = data[os.write(file, data) :]
        os.lseek(file, 0, os.SEEK_SET)
    except OSError:
        os.close(file)
        raise
    return file


@cache
def _system(tmp_bytes: float = math.inf) -> tuple[str, ...]:
    size: tuple[str, ...] = ("--perms", "0700", "--tmpfs")
    if tmp_bytes < math.inf:
        size = (*size[:-1], "--size", str(tmp_bytes), "--tmpfs")
    words = [
        *("--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-net"),
        *("--unshare-cgroup-try", "--uid", str(USER), "--gid", str(USER), "--hostname", "bot"),
        # --new-session, because a signal to the bot's group mustn't reach the first bwrap.
        *("--die-with-parent", "--new-session", "--cap-drop", "ALL"),
        *("--proc", "/proc", "--dev", "/dev", *size, "/tmp", *size, "/dev/shm", "--dir", BOT),
        # No terminals: nothing limits the memory that their buffers take from the kernel.
        *("--tmpfs", "/dev/pts", "--remount-ro", "/dev/pts"),
    ]
    for folder in _SYSTEM:
        if os.path.islink(folder):
            words += ["--symlink", os.readlink(folder), folder]
        elif os.path.isdir(folder):
            words += ["--ro-bind", folder, folder]
    for pattern in _ETC:
        for path in glob(pattern):
            words += ["--ro-bind-try", path, path]
    return tuple(words)


class _Place:
    """Decides which files a bot can see in the sandbox, and translates its command line.

    Attributes:
        folder: the folder that the bot sees as `BOT`, or "" if it only sees some of the files.
        argv: the command line, with the paths that the files have inside.
    """

    def __init__(self, command: BotCommand, sandbox: Sandbox) -> None:
        self._here = os.path.abspath(command.directory or ".")
        self._is_bot_folder = is_bot_folder(command.directory)
        self._hidden = [*map(os.path.realpath, sandbox.hidden)]
        self._writable = sandbox.writable
        self._room = sandbox.room
        self._named = [*map(os.path.realpath, sandbox.readable)] if sandbox.recorded else None
        program = self._path(command.argv[0])
        check_program(program, self._here)
        runtimes = self._interpreter(program, command.argv[1:])
        self._runtimes = [*sandbox.readable, *runtimes]
        self._shown = [*_SYSTEM, *self._runtimes]
        # For a recorded bot, the readable folders are where the user allows its own files to be.
        not_own = self._shown if self._named is None else [*_SYSTEM, *runtimes]
        paths = [path for path in map(self._path, command.argv) if os.path.exists(path)]
        own = [path for path in paths if not _is_in_one(path, not_own) and self._may_show(path)]
        self.folder = self._bot_folder(command, own)
        apart = [path for path in own[:2] if not self.folder or not _is_in(path, self.folder)]
        if apart and program in own and is_interpreter(os.path.basename(program)):
            raise OSError(errno.ENOENT, why_hidden("the interpreter ", program))
        # Other paths among the words may be missing inside. This is intended, because a bot mustn't
        # read a file just because its command line names it.
        beside = [path for path in own if self.folder and _is_in(path, self.folder)]
        for path in (*filter(None, [self.folder]), *beside):
            if not _is_visible(path):
                name = command.directory if self._is_bot_folder else command.argument
                raise BotNotFoundError(
                    f"BOT {name}: the sandbox may not read {path}: its owner or mode forbids it "
                    f"(chmod -R a+rX {shlex.quote(self.folder or path)})"
                )
        self._files: list[str] = []
        if _is_wide(self.folder) or os.path.realpath(self.folder) in self._hidden:
            # The folder may be somebody's home directory, so only show the files in the command
            # line.
            self._files = [path for path in own if os.path.dirname(path) == self.folder]
            self.folder = ""
        self.argv = [self._word(word) for word in command.argv]

    def binds(self) -> list[str]:
        shown = [(path, path) for path in self._runtimes]
        shown += [(path, _in_bot(path, os.path.dirname(path))) for path in self._files]
        if self.folder:
            shown.append((self.folder, SOURCES if self._room else BOT))
        binds = [word for path, at in shown for word in self._bound(path, at)]
        return binds + (["--size", str(self._room), "--tmpfs", BOT] if self._room else [])

    @property
    def shown(self) -> list[str]:
        own = [self.folder] if self.folder else [*map(os.path.dirname, self._files)]
        return [*own, *self._runtimes]

    def _path(self, word: str) -> str:
        return os.path.normpath(os.path.join(self._here, word))

    def _may_show(self, path: str) -> bool:
        """Return True if we may show a path to the bot.

        We show anything if the user typed the command. For a recorded command, the path must be in
        a folder that the user has named. If it's a file, we check its folder as well, because the
        whole folder becomes visible. Bundled bots are public.
        """
        if self._named is None or is_bundled(path):
            return True
        folder = path if os.path.isdir(path) else os.path.dirname(path)
        real = os.path.realpath(path), os.path.realpath(folder)
        return all(_is_in_one(each, self._named) for each in real)

    def _bot_folder(self, command: BotCommand, own: Sequence[str]) -> str:
        is_allowed = self._may_show(self._here)
        # The command of a submitted bot mustn't decide which files the bot can read.
        if self._is_bot_folder:
            return self._here if is_allowed else ""
        # If there's a hidden path in the folder, it's the folder of a whole tournament.
        here = os.path.realpath(self._here)
        is_whole = any(_is_in(path, here) for path in self._hidden)
        if command.directory and is_allowed and not is_whole:
            return self._here
        if not own:
            return ""
        return own[0] if os.path.isdir(own[0]) else os.path.dirname(own[0])

    def _word(self, word: str) -> str:
        """Convert a word of the command line, because a path may be different in the sandbox."""
        path = self._path(word)
        if word.startswith("-") or not os.path.exists(path):
            return word
        if path in self._files:
            return _in_bot(path, os.path.dirname(path))
        if self.folder and _is_in(path, self.folder):
            # Keep a relative path as it is if it means the same inside.
            is_same = not os.path.isabs(word) and self.folder == self._here
            return word if is_same else _in_bot(path, self.folder)
        # If the bot can't see a file, we don't convert its path. Otherwise, the bot could find out
        # that the file exists.
        return path if os.sep in word and _is_in_one(path, self._shown) else word

    def _bound(self, path: str, at: str) -> Iterator[str]:
        """Yield options that mount a path in the sandbox, without the hidden files in it."""
        real = os.path.realpath(path)
        if not any(_is_in(hidden, real) for hidden in self._hidden):
            yield from ("--bind" if self._writable and at == BOT else "--ro-bind", path, at)
            return
        with os.scandir(real) as entries:
            for entry in entries:
                inside = os.path.join(at, entry.name)
                # The journal of an SQLite store has the same name with a suffix, and is just as
                # secret.
                if any(f"{entry.path}-".startswith(f"{hidden}-") for hidden in self._hidden):
                    continue
                if entry.is_symlink():  # a bind mount would follow the link, wherever it leads
                    yield from ("--symlink", os.readlink(entry.path), inside)
                else:
                    yield from self._bound(entry.path, inside)

    def _interpreter(self, program: str, others: Sequence[str]) -> set[str]:
        """Return the files that we have to show so that an interpreter works.

        The program may be an interpreter, or it may be a script with one in its first line. If the
        user typed the interpreter's path, it may be anywhere. If the path comes from a script or
        from a submitted folder, we have to be careful, because a stranger wrote it.
        """
        if _is_in_system(program):
            return set()
        if program == sys.executable:
            own = Path(__file__).parents[2]  # Python bots import `referee.bot` from here
            found = {*_prefix(sys.prefix), *_prefix(sys.base_prefix), str(own)}
            if self._is_bot_folder:  # the command in a bot.toml may be a bundled bot
                found |= {path for path in map(self._path, others) if is_bundled(path)}
            return {path for path in found if not _is_in_system(path) and path not in _homes()}
        within = self._named
        if self._is_bot_folder:
            within = [os.path.realpath(self._here)] * self._may_show(self._here)
        files = [*map(self._path, others)] if within is None else None
        found = _runtimes_of(program, within, files)
        if not found and (named := _named_by(program)):
            found = _runtimes_of(self._path(named), within)
        return found


def unnamed_folders(command: BotCommand, sandbox: Sandbox) -> list[str]:
    """Return the folders that the user still has to name, so that a recorded bot can run.

    If the user had typed the bot's command, we'd show these folders without being asked.
    """
    found: list[str] = []
    typed = _shown_to(command, sandbox._replace(readable=(), recorded=False))
    while True:
        named = sandbox._replace(readable=(*sandbox.readable, *found), recorded=True)
        recorded = _shown_to(command, named)
        missing = [_folder_to_name(path) for path in typed if path not in recorded]
        missing = [path for path in missing if path not in found]
        if not missing:
            return found
        # Begin with a virtual environment. If we show it, we also show the Python that it uses, so
        # the user may not have to name that folder separately.
        found.append(min(missing, key=lambda folder: (not _is_virtual(folder), folder)))


def _folder_to_name(path: str) -> str:
    prefix = os.path.dirname(path)
    return prefix if _is_virtual(prefix) else handed_in(path)


def _shown_to(command: BotCommand, sandbox: Sandbox) -> list[str]:
    try:
        return _Place(command, sandbox).shown
    except (OSError, UsageError):  # starting the bot will report this
        return []


def is_private_folder(folder: str) -> bool:
    """Return True for folders that aren't meant for bots: system, home and hidden folders."""
    folder = os.path.realpath(folder)
    is_hidden = f"{os.sep}." in handed_in(folder)
    return is_hidden or _is_wide(folder) or _is_in_one(folder, _NO_BOTS)


def why_not_inside(program: str) -> str:
    """Explain why a program didn't start in the sandbox although it exists, and how to fix that."""
    with suppress(OSError):
        if words := interpreter(program):
            return why_hidden("the interpreter of its first line, ", words[0])
        if needed := loader(program):
            return f"the sandbox does not show the loader that it needs, {needed}: {_show(needed)}"
    return "the sandbox does not show a file that it needs (--sandbox-read DIR shows a folder)"


def why_hidden(what: str, program: str) -> str:
    """Explain that the sandbox doesn't show a program, and how the user can change that.

    Args:
        what: a description to put before the path, such as "the interpreter ".
    """
    remedy, folder = _show(program), os.path.dirname(program)
    if folder not in os.environ.get("PATH", "").split(os.pathsep):
        remedy = f"put {folder} on the PATH of the referee, or {remedy}"
    return f"the sandbox does not show {what}{escaped(program)}: {remedy}"


def _show(program: str) -> str:
    # The path may come from a stranger who wants to read the user's files. That's why we never
    # suggest a folder that contains much more than the program.
    folder = os.path.dirname(program)
    prefix, name = os.path.split(folder)
    shown = prefix if name == "bin" and not _is_private(prefix) else folder
    if _is_wide(os.path.realpath(shown)):
        return "move it to a folder of its own"
    return f"give --sandbox-read {shlex.quote(shown)}"


def _in_bot(path: str, folder: str) -> str:
    return os.path.normpath(os.path.join(BOT, os.path.relpath(path, folder)))


def _runtimes_of(
    program: str, within: Sequence[str] | None, files: Sequence[str] | None = None
) -> set[str]:
    """Return the smallest set of paths that an interpreter needs to run.

    The set is empty unless the program is on the PATH or is the Python of a virtual environment. We
    have to be strict: a bot can have any path or link in its first line, and we mustn't show it a
    folder just because of that.

    Args:
        within: we accept virtual environments in these folders: the bot's own, or the folders that
            the user named for recorded bots. If it's None, we accept them anywhere.
        files: the paths in the command line, if the user typed the interpreter. If this is None, we
            only accept a virtual environment that uses a Python of this machine, or one in the
            folders of `within`.
    """
    on_path = os.path.dirname(program) in os.environ.get("PATH", "").split(os.pathsep)
    real = os.path.realpath(program)
    if not on_path:
        prefix = os.path.dirname(os.path.dirname(program))
        base = os.path.dirname(os.path.dirname(real))
        is_allowed = within is None or _is_in_one(os.path.realpath(prefix), within)
        if not _is_virtual(prefix) or not is_allowed:
            return set()
        is_meant = files is not None and not any(_is_in(file, base) for file in files)
        is_python = is_meant and glob(os.path.join(base, "lib", "python3*", "os.py"))
        is_named = within is not None and _is_in_one(base, within)
        if not (is_python or is_named or _is_installed(real)):
            return set()
    found = set()
    for path in {program, real}:
        if _is_in_system(path):
            continue
        folder = os.path.dirname(path)
        prefix, name = os.path.split(folder)
        # pyenv and similar tools have shims, which search the whole prefix.
        is_whole = name == "shims" or (name == "bin" and not _is_private(prefix))
        found |= _prefix(prefix) if is_whole else {path}
    return found


def _prefix(prefix: str) -> set[str]:
    if not _is_virtual(prefix):
        return {prefix}
    paths = [os.path.join(prefix, name) for name in ("bin", "lib", "lib64", _VIRTUAL)]
    return {path for path in paths if os.path.exists(path) and not leaves_folder(path, prefix)}


def _is_virtual(prefix: str) -> bool:
    return os.path.isfile(os.path.join(prefix, _VIRTUAL))


def _is_installed(real: str) -> bool:
    found = (sys.executable, shutil.which(os.path.basename(real)) or sys.executable)
    return _is_in_system(real) or real in map(os.path.realpath, found)


def _named_by(script: str) -> str:
    words = interpreter(script)
    if words and os.path.basename(words[0]) == "env":
        names = [word for word in words[1:] if not word.startswith("-") and "=" not in word]
        return shutil.which(os.path.basename(names[0])) or "" if names else ""
    return words[0] if words else ""


def _is_private(prefix: str) -> bool:
    """Return True if there may be private files next to an interpreter, e.g. in ~/.local.

    We mustn't show such a prefix as a whole.
    """
    if _is_virtual(prefix):
        return False
    folder, name = os.path.split(prefix)
    return _is_wide(prefix) or (folder in _homes() and name.startswith("."))


def _is_wide(folder: str) -> bool:
    """Return True if a folder contains a home directory, the temporary files or the referee."""
    own, temporary = Path(__file__).parents[2], os.environ.get("TMPDIR", "/tmp")
    narrow = [*_homes(), str(own), os.path.abspath(temporary), "/tmp"]
    return any(_is_in(path, folder) for path in narrow)


@cache
def _homes() -> set[str]:
    homes = {os.path.expanduser("~")}
    with suppress(KeyError):
        homes.add(pwd.getpwuid(os.getuid()).pw_dir)
    return {home for home in homes if home != os.sep}


def _is_visible(path: str) -> bool:
    # os.access() doesn't help here. It answers for our own process, but in the sandbox even root
    # has no privileges. There, everybody needs permission to enter a folder, and to read or execute
    # a file.
    status = os.stat(path)
    mode = status.st_mode
    shift = 6 if status.st_uid == os.geteuid() else 3 if status.st_gid in _groups() else 0
    needed = 0o1 if stat.S_ISDIR(mode) else 0o5
    return bool(mode >> shift & needed)


@cache
def _groups() -> frozenset[int]:
    return frozenset({os.getegid(), *os.getgroups()})


def _is_in_system(path: str) -> bool:
    return _is_in_one(path, _SYSTEM)


def _is_in_one(path: str, folders: Iterable[str]) -> bool:
    return any(_is_in(path, folder) for folder in folders)


def _is_in(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)


# --- Status after the start -----------------------------------------------------------------------


def first_inside(pid: int) -> int | None:
    """Return the id of the first process in a sandbox, or None if there isn't one yet.

    Args:
        pid: the bwrap that we started.
    """
    return min(children(pid), default=None)


def was_started(status: int) -> bool:
    """Return True if bwrap has run the bot. Only call this after bwrap has ended.

    Args:
        status: see `Prepared.status`.
    """
    try:
        os.set_blocking(status, False)
        said = os.read(status, _MOST_STATUS)
    except OSError:
        return False
    return any("exit-code" in json.loads(line) for line in said.splitlines())


def bot_exit_code(exit_code: int | None) -> int | None:
    """Convert the exit code of bwrap to the exit code of the bot.

    Like a shell, bwrap exits with 128 + N if the bot was killed by signal N.
    """
    if exit_code is not None and 128 < exit_code <= 128 + 64:
        return 128 - exit_code
    return exit_code
