"""Bundled bots that play in this process, which takes a tenth of the time of a process.

A bundled bot is one file of Python that reads `sys.stdin` and writes `sys.stdout`. Here it runs in
a thread with a `sys` of its own. It has no time limit.
"""

from __future__ import annotations

import builtins
import sys
import weakref
from collections.abc import Iterator, Sequence
from functools import cache, partial
from pathlib import Path
from queue import SimpleQueue
from threading import Thread
from types import CodeType, ModuleType
from typing import Any

from referee.errors import BotError

_END = b""


class ScriptBot:
    """A bundled bot as an object that plays one match. Its thread ends with it.

    Args:
        path: of its file.
    """

    def __init__(self, path: Path) -> None:
        self._name = path.stem
        self._lines: SimpleQueue[bytes] = SimpleQueue()
        self._replies: SimpleQueue[bytes | BaseException] = SimpleQueue()
        Thread(target=_run, args=(path, self._lines, self._replies), daemon=True).start()
        weakref.finalize(self, self._lines.put, _END)

    def reply(self, lines: Sequence[bytes]) -> bytes:
        """Return its reply to the last of these lines.

        Raises:
            BotError: its program has ended.
        """
        self.notify(lines)
        reply = self._replies.get()
        if isinstance(reply, BaseException):
            raise BotError(f"the bot {self._name} has ended: {reply!r}") from reply
        return reply

    def notify(self, lines: Sequence[bytes]) -> None:
        """Send it lines that need no reply."""
        for line in lines:
            self._lines.put(line + b"\n")


def _run(
    path: Path, lines: SimpleQueue[bytes], replies: SimpleQueue[bytes | BaseException]
) -> None:
    """Run a bot to the end of its input."""
    own = ModuleType("sys")
    output = _Output(replies)
    vars(own).update(vars(sys), argv=[str(path)], stdin=_Input(lines), stdout=output)

    def imported(name: str, *others: Any) -> ModuleType:
        return own if name == "sys" else builtins.__import__(name, *others)

    changed = {"__import__": imported, "print": partial(print, file=output)}
    try:
        exec(_code(path), {"__name__": "__main__", "__builtins__": vars(builtins) | changed})
        replies.put(EOFError("its program has come to its end"))
    except BaseException as error:
        replies.put(error)


@cache
def _code(path: Path) -> CodeType:
    return compile(path.read_bytes(), path, "exec")


class _Input:
    """Standard input: lines of text, or of bytes from `buffer`."""

    def __init__(self, lines: SimpleQueue[bytes]) -> None:
        self.buffer = iter(lines.get, _END)

    def __iter__(self) -> Iterator[str]:
        return map(bytes.decode, self.buffer)


class _Output:
    """Standard output, of which each line is a reply."""

    def __init__(self, replies: SimpleQueue[Any]) -> None:
        self._replies = replies
        self._begun = ""

    def write(self, text: str) -> None:
        *lines, self._begun = (self._begun + text).split("\n")
        for line in lines:
            self._replies.put(line.encode())

    def flush(self) -> None:
        """Do nothing: a line is a reply as soon as it is written."""
