"""Explain the exit of a process by its exit code and stderr (protocol, 8.2).

Each language has its own format for errors, so most explanations are guesses.
"""

from __future__ import annotations

import math
import re
import signal
from collections.abc import Sequence

from referee.bots.process_report import ProcessReport
from referee.interrupts import signal_name

# A line that names an exception, as printed by Python, node, Java and others.
_ERROR = re.compile(
    r"(?:Uncaught |Exception in thread \"[^\"]*\" |thread '[^']*'.* panicked at )?"
    r"(?:[\w.$]*(?:Error|Exception|Exit|Interrupt)\b|[\w.$]+: [\w.$]*Error\b).*"
)
_PANIC = re.compile(
    r"thread '.*' .*panicked at |panic: |Segmentation fault|.*: (?:command )?not found$|"
    r".*: cannot execute|.*: No such file or directory$|Can't locate .* in @INC|"
    r"syntax error at |.* line \d+\.$"
)
# Limit -> pattern of the error messages of programs that reach it.
_REFUSED = {
    "open_file_limit": re.compile(r"Too many open files|EMFILE"),
    "file_size_limit": re.compile(r"File too large|EFBIG|SIGXFSZ|[Ff]ile size limit exceeded"),
    "process_limit": re.compile(
        r"Resource temporarily unavailable|can't start new thread|unable to create native thread|"
        r"[Cc]annot fork|EAGAIN"
    ),
    "tmp_limit": re.compile(r"No space left on device|ENOSPC"),
    "memory_limit": re.compile(
        r"MemoryError|Cannot allocate memory|OutOfMemoryError|bad_alloc|out of memory|ENOMEM"
    ),
}
# Error messages of programs that need something that the sandbox hides.
_MISSED = re.compile(
    r"No such file|ENOENT|FileNotFound|NoSuchFile|ModuleNotFound|[Cc]annot find module|"
    r"Can't locate|cannot open shared object|not found$|[Rr]ead-only file system|EROFS|"
    r"Operation not permitted|EPERM|Permission denied|EACCES|"
    r"[Nn]etwork is unreachable|ENETUNREACH|resol(?:ve|ution)",
    re.MULTILINE,
)
# Error messages of programs that don't find a file.
_NO_FILE = re.compile(r"No such file|ENOENT|FileNotFound|NoSuchFile|os error 2\b")
_NO_LIBRARY = re.compile(r"No module named '?referee\b")
_PYTHON = "Traceback (most recent call last):"
_MAX_HEADLINE = 200
# The error message of env if the first line of a script has a Windows line end.
_CARRIAGE_RETURN = re.compile(r"(?:.*/)?env: .*(?:\\r|\r)\W?: No such file")


# The error message of env if it can't find the interpreter of a script.
_NO_INTERPRETER = re.compile(r"(?:.*/)?env: \W?(?P<name>[\w.+-]+)\W*: No such file")


def headline(stderr: Sequence[str]) -> str:
    """Return the line of stderr that contains the error, made printable, or "".

    Python prints this line last (after the traceback), other languages print it first.
    """
    is_python = any(line.startswith((_PYTHON, "  File ")) for line in stderr)
    lines = [line.strip() for line in stderr]
    for pattern in (_ERROR, _PANIC):
        found = [line for line in lines if pattern.match(line)]
        if found:
            return found[-1 if is_python else 0][:_MAX_HEADLINE]
    return ""


def why_exited(exit_code: int | None, stderr: Sequence[str], requests: int) -> str:
    """Explain why a bot's process exited, as a sentence without full stop. Empty if unknown.

    Args:
        exit_code: exit code of the process; -N for signal N. None if unknown.
        stderr: as for `headline`.
        requests: number of requests after the handshake.
    """
    error = headline(stderr)
    if _NO_LIBRARY.search(error):
        return (
            f"its stderr says: {error}; name the file alone, such as ./my_bot.py, and the referee "
            "runs it with its own Python, which has this library"
        )
    if error and any(map(_CARRIAGE_RETURN.match, stderr)):
        return (
            f"its stderr says: {error.strip()}; its first line ends with a carriage return "
            "(Windows line ends): save it with Unix line ends"
        )
    if name := next((found["name"] for found in map(_NO_INTERPRETER.match, stderr) if found), ""):
        return (
            f"its stderr says: {error}; its first line names {name}, which is not on the PATH of "
            "the referee: install it, or name it by its path"
        )
    if error:
        return f"its stderr says: {error}"
    if exit_code == 0:
        if requests:
            where, cause = "in the middle of the match", "its loop was over"
        else:
            where = "before the match began"
            cause = "it reads no input (a class of referee.bot needs MyBot.run() as the last line)"
        return (
            f"it ended by itself {where}, without an error: it called exit, {cause}, or "
            "it is a script that left the bot in the background (exec runs it in the foreground)"
        )
    if exit_code is not None and exit_code > 128:
        # A shell reports a signal that killed its command in this way.
        return f"exit code {exit_code} of a shell means {signal_name(exit_code - 128)}"
    return ""


def why_ended(exit_code: int | None, stderr: Sequence[str], method: str) -> str:
    """Explain the same as `why_exited`, for the author of a bot behind an adapter.

    Args:
        method: the author's method that was called, as the subject of a sentence.
    """
    if error := headline(stderr):
        return f"its stderr says: {error}"
    if exit_code is None or exit_code < 0 or exit_code > 128:
        return why_exited(exit_code, stderr, 0)
    if any(
        line.startswith(_PYTHON) for line in stderr
    ):  # The names of some exceptions don't contain "Error", so headline() may have missed them.
        return f"its stderr says: {stderr[-1]}"
    return f"{method} called exit"


def started_in(sandbox: str, folder: str, stderr: Sequence[str]) -> str:
    """Mention the start folder of a process that didn't find a file, as a clause, or "".

    Usually the file exists, and the author only expected another start folder.
    """
    others = (_NO_INTERPRETER, _CARRIAGE_RETURN)
    if not folder or any(pattern.match(line) for pattern in others for line in stderr):
        return ""
    if not _NO_FILE.search("\n".join(stderr)):
        return ""
    if sandbox != "none":
        return f"it was started in /bot, which is {folder}"
    return f"it was started in {folder}, and a relative path begins there"


def missed(sandbox: str, stderr: Sequence[str]) -> str:
    """Mention the sandbox if the process may have needed something hidden, as a clause, or ""."""
    if sandbox == "none" or not _MISSED.search("\n".join(stderr)):
        return ""
    return (
        "outside its folder a bot in the sandbox sees only the system, read-only, and no network "
        "(spec/sandbox.md)"
    )


def limit_reached(exit_code: int | None, words: ProcessReport) -> str:
    """Mention the limit that an exited process had reached, as a clause. Empty if unknown."""
    limits = words.limits._asdict()
    found = list(words.reached)
    if exit_code in (-signal.SIGXFSZ, 128 + signal.SIGXFSZ):
        found.append("file_size_limit")
    said = "\n".join(words.stderr.lines)
    found += [name for name, pattern in _REFUSED.items() if pattern.search(said)]
    for name in found:
        if limits[name] < math.inf:
            flag = "--" + name.replace("_", "-")
            return f"it had reached a limit of the match: {flag} {limits[name]}"
    return ""
