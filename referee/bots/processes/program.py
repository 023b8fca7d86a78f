"""A program as the system looks at it before it runs it."""

from __future__ import annotations

import errno
import os
import sys

_HEAD = 256  # bytes: what Linux reads of it
_ELF = b"\x7fELF"
_FORMAT, _MACHINE = slice(0, 6), slice(18, 20)
"""Where the header of ELF says for which processor it is."""


def check_program(path: str, directory: str) -> None:
    """Raise `OSError` if the system would not run a program, relative to a directory.

    A shell or bubblewrap in front of a bot would run files that the system cannot run with a shell.
    """
    path = os.path.join(directory, path)
    os.stat(path)
    if not os.path.isfile(path) or not os.access(path, os.X_OK):
        raise _error(errno.EACCES, path)
    try:
        head, ours = _head(path), _head(sys.executable)
    except OSError:  # one that can be run and not read
        return
    if head.startswith(b"#!"):
        words = interpreter(path)
        if words and not os.path.exists(os.path.join(directory, words[0])):
            raise _error(errno.ENOENT, path)
    elif b"\0" not in head or (
        head.startswith(_ELF) and any(head[part] != ours[part] for part in (_FORMAT, _MACHINE))
    ):
        raise _error(errno.ENOEXEC, path)


def interpreter(script: str) -> list[str]:
    """The words of a script's first line, with which it is run; empty: it has no such line."""
    head = _head(script)
    return os.fsdecode(head[2:].partition(b"\n")[0]).split() if head.startswith(b"#!") else []


def _head(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read(_HEAD)


def _error(number: int, path: str) -> OSError:
    return OSError(number, os.strerror(number), path)
