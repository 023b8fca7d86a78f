"""Explains why a process exited, based on its exit code and stderr (protocol, 8.2).

Every language prints errors in its own format, so most explanations are guesses.
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
# For each limit, a pattern that finds the error messages of programs that have reached it.
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
# The error message of env if the first line of a script ends with CR LF, as on Windows.
_CARRIAGE_RETURN = re.compile(r"(?:.*/)?env: .*(?:\\r|\r)\W?: No such file")


# The error message of env if it can't find the interpreter of a script.
_NO_INTERPRETER = re.compile(r"(?:.*/)?env: \W?(?P<name>[\w.+-]+)\W*: No such file")


def headline(stderr: Sequence[str]) -> str:
    """Return the line of stderr that names the error, or "" if we can't find it.

    Python prints this line last, after the traceback. Other languages print it first.
    """
    is_python = any(line.startswith((_PYTHON, "  File ")) for line in stderr)
    lines = [line.strip() for line in stderr]
    for pattern in (_ERROR, _PANIC):
        found = [line for line in lines if pattern.match(line)]
        if found:
            return found[-1 if is_python else 0][:_MAX_HEADLINE]
    return ""


def why_exited(exit_code: int | None, stderr: Sequence[str], requests: int) -> str:
    """Explain why a bot's process exited, as a sentence without full stop, or "" if we can't tell.

    Args:
        exit_code: exit code of the process, or -N if signal N killed it, or None if we don't know.
        stderr: the lines of its stderr.
        requests: how many requests it got after the handshake.
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
        # If a signal kills the command of a shell, the shell exits with 128 + the signal.
        return f"exit code {exit_code} of a shell means {signal_name(exit_code - 128)}"
    return ""


def why_ended(exit_code: int | None, stderr: Sequence[str], method: str) -> str:
    """Explain the exit to an author who writes methods that an adapter calls. See `why_exited`.

    `method` is the method that was running. It's used as the subject of the sentence.
    """
    if error := headline(stderr):
        return f"its stderr says: {error}"
    if exit_code is None or exit_code < 0 or exit_code > 128:
        return why_exited(exit_code, stderr, 0)
    # Some exceptions don't have "Error" in their names, so that headline() doesn't find them.
    if any(line.startswith(_PYTHON) for line in stderr):
        return f"its stderr says: {stderr[-1]}"
    return f"{method} called exit"


def started_in(sandbox: str, folder: str, stderr: Sequence[str]) -> str:
    """Return a clause with a process's start folder if it didn't find a file, otherwise "".

    Usually the file exists, but the author expected another working directory.
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
    """Return a hint if the sandbox may have hidden something from the process, otherwise ""."""
    if sandbox == "none" or not _MISSED.search("\n".join(stderr)):
        return ""
    return (
        "outside its folder a bot in the sandbox sees only the system, read-only, and no network "
        "(spec/sandbox.md)"
    )


def limit_reached(exit_code: int | None, words: ProcessReport) -> str:
    """Return a clause that names the limit that a process has reached, or "" if there's none."""
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
