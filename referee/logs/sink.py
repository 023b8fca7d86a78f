"""Defines sinks, to which the lines of a log are written. `files.py` has the sinks for files."""

from __future__ import annotations


class Sink:
    """The target to which the lines of a log are written.

    If a sink is `behind` because its reader is slow, wait until `fd` is writable and call `push`.
    """

    fd = -1

    def write(self, lines: bytes) -> None:
        """Append complete lines without waiting for a reader.

        Raises:
            LogWriteError: writing failed.
        """
        raise NotImplementedError

    @property
    def behind(self) -> bool:
        """True if some lines are still waiting for a slow reader."""
        return False

    def push(self) -> None:
        """Write as many of the waiting lines as the reader accepts without blocking.

        Raises:
            LogWriteError: the reader is gone.
        """

    def close(self) -> None:
        """Close the sink."""


class MemorySink(Sink):
    """Keeps lines in memory."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []

    @property
    def data(self) -> bytes:
        """All lines that were written so far."""
        return b"".join(self._parts)

    def write(self, lines: bytes) -> None:
        """Append complete lines."""
        self._parts.append(lines)
