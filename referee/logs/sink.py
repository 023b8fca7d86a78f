"""Where the lines of a log go: a file (`files.py`), memory, or what else takes lines."""

from __future__ import annotations


class Sink:
    """Takes whole lines. One that is behind a reader says so, and waits for its `fd`."""

    fd = -1

    def write(self, lines: bytes) -> None:
        """Append whole lines without waiting for a reader; raises `LogWriteError` if it fails."""
        raise NotImplementedError

    @property
    def behind(self) -> bool:
        """Whether a reader has yet to take something that was written."""
        return False

    def push(self) -> None:
        """Hand over lines as far as a reader takes them now; raises `LogWriteError` without one."""

    def close(self) -> None:
        """Take no more."""


class MemorySink(Sink):
    """Keeps what is written in memory."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []

    @property
    def data(self) -> bytes:
        """All that was written."""
        return b"".join(self._parts)

    def write(self, lines: bytes) -> None:
        """Append whole lines."""
        self._parts.append(lines)
