"""Keeps a bot's stderr for reports, and writes it to a file or a record if requested (1.4)."""

from __future__ import annotations

from referee.errors import LogWriteError
from referee.logs.record import RecordedStderr
from referee.logs.sink import Sink
from referee.logs.stderr_excerpt import plain_lines, shortened
from referee.match.limits import Limits
from referee.match.result import Stderr

# For the report, we keep this many bytes from the beginning, and the same number from the end.
END_CAP = 16 * 1024


class StderrKeeper:
    """Stores the stderr of one bot.

    Args:
        file: where to write the whole text up to the limit, or None. If writing fails, we stop
            without an error, because a full disk mustn't stop a match, and the logs report the
            problem anyway.
        recorded: a buffer that adds the text to a record, or None.
        limit: maximum size of the file in bytes.
    """

    def __init__(
        self,
        file: Sink | None,
        recorded: RecordedStderr | None = None,
        limit: float = Limits().stderr_limit,
    ) -> None:
        self._file = file
        self.recorded = recorded
        self._limit = self._room = limit
        self._head = b""
        self._tail = b""  # the end of the text, which doesn't overlap with the head
        self._dropped = 0  # number of newlines in the middle part, which we've dropped
        self._ended = False

    def feed(self, data: bytes) -> None:
        """Add text that we've just read."""
        if not self._ended:
            self._keep(data)
            if self.recorded is not None:
                self.recorded.feed(data)
        if self._file is None or not self._room:
            return
        kept = data if len(data) <= self._room else data[: int(self._room)]
        self._room -= len(kept)
        try:
            self._file.write(kept)
            if not self._room:
                self._file.write(b"\n[cut here by the referee: %d bytes kept]\n" % self._limit)
        except LogWriteError:
            self.close()

    def says(self, words: bytes) -> bool:
        """Return True if the part of the text that we've kept contains these words."""
        return words in self._head or words in self._tail

    def end(self) -> None:
        """Leave later text out of the report and the record, because the referee has caused it."""
        self._ended = True

    def forget(self) -> None:
        """Discard the text so far."""
        self._head = self._tail = b""

    def _keep(self, data: bytes) -> None:
        room = END_CAP - len(self._head)
        if room > 0:
            self._head += data[:room]
            data = data[room:]
        tail = self._tail + data
        if len(tail) > END_CAP:
            self._dropped += tail.count(b"\n", 0, len(tail) - END_CAP)
            tail = tail[-END_CAP:]
        self._tail = tail

    def lines(self, count: int) -> Stderr:
        """Return up to `count` lines from each end of the text, with control characters escaped."""
        if not self._dropped:
            return shortened(list(enumerate(_lines(self._head + self._tail))), count)
        head, tail = _lines(self._head), _lines(self._tail)
        # The last line of the head and the first line of the tail may be parts of the same line.
        behind = max(len(head) + self._dropped - 1, len(head) + 1)
        return shortened([*enumerate(head), *enumerate(tail, behind)], count)

    def close(self) -> None:
        """Close the file, if there is one."""
        if self._file is not None:
            self._file.close()
            self._file = None


def _lines(data: bytes) -> list[str]:
    return plain_lines(data.decode(errors="replace"))
