"""Targets for the lines of a log: files (`files.py`), memory, or other sinks."""

from __future__ import annotations


class Sink:
    """Accepts complete lines.

    If the sink is `behind` because of a slow reader, poll its `fd` and call `push`.
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
        """True if a reader hasn't accepted all lines yet."""
        return False

    def push(self) -> None:
        """Write as much as the reader accepts now.

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
        """All lines so far."""
        return b"".join(self._parts)

    def write(self, lines: bytes) -> None:
        """Append complete lines."""
        self._parts.append(lines)
