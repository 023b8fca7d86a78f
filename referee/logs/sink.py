"""Where the lines of a log go: a file (`files.py`), or memory."""

from __future__ import annotations

from typing import Protocol


class Sink(Protocol):
    """Takes whole lines.

    Attributes:
        fd: what to wait for while it is behind.
    """

    fd: int

    def write(self, lines: bytes) -> None:
        """Append whole lines, without waiting for a reader.

        Raises:
            LogWriteError: it takes no more.
        """

    @property
    def behind(self) -> bool:
        """Whether a reader has yet to take something that was written."""

    def push(self) -> None:
        """Hand over what waits for a reader, as far as it is taken at once.

        Raises:
            LogWriteError: the reader is gone.
        """

    def close(self) -> None:
        """Take no more."""


class MemorySink:
    """Keeps what is written in memory."""

    fd = -1
    behind = False

    def __init__(self) -> None:
        self._parts: list[bytes] = []

    @property
    def data(self) -> bytes:
        """All that was written."""
        return b"".join(self._parts)

    def write(self, lines: bytes) -> None:
        """Append whole lines."""
        self._parts.append(lines)

    def push(self) -> None:
        """Nobody is behind."""

    def close(self) -> None:
        """Keep what there is."""
