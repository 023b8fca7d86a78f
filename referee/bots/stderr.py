"""What a bot said on stderr: its last part for the report, and a file on request (1.4)."""

from __future__ import annotations

from referee.errors import LogWriteError
from referee.logs.sink import Sink
from referee.terminal import plain

FILE_CAP = 16 * 1024 * 1024
"""At most so many bytes go into a bot's stderr file; the rest is read and dropped."""
TAIL_CAP = 16 * 1024


class StderrKeeper:
    """Keeps one bot's stderr.

    Args:
        file: to write to, or None. A file that takes no more is given up silently: a full disk
            is no reason to stop a match, and the logs will say so.
    """

    def __init__(self, file: Sink | None) -> None:
        self._file = file
        self._room = FILE_CAP
        self._tail = b""

    def feed(self, data: bytes) -> None:
        """Take the next bytes."""
        self._tail = (self._tail + data)[-TAIL_CAP:]
        if self._file is None or not self._room:
            return
        kept = data[: self._room]
        self._room -= len(kept)
        try:
            self._file.write(kept)
            if not self._room:
                self._file.write(b"\n[cut here by the referee: %d bytes kept]\n" % FILE_CAP)
        except LogWriteError:
            self.close()

    def last_lines(self, count: int) -> list[str]:
        """The last lines, made plain."""
        text = self._tail.decode(errors="replace").replace("\r\n", "\n")
        lines = [plain(line.expandtabs()) for line in text.split("\n")]
        if lines and not lines[-1]:
            lines.pop()
        return lines[-count:]

    def close(self) -> None:
        """Close the file, if there is one."""
        if self._file is not None:
            self._file.close()
            self._file = None
