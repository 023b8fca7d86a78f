"""The output of a bot as lines with exact limits (protocol, 1.1 to 1.3). No I/O."""

from __future__ import annotations

from referee.match.decode import is_blank
from referee.match.limits import Limits


class OutputLimitError(Exception):
    """The bot wrote more than a limit allows. The text names the limit."""


class Output:
    """The output of a bot in one match, and the lines that no request has consumed.

    Args:
        limits: `line_limit`, `queue_limit` and `output_limit` are enforced here.
        line_end: the bytes at the end of each line.
    """

    def __init__(self, limits: Limits, line_end: bytes = b"\n") -> None:
        self._line_limit = limits.line_limit
        self._queue_limit = limits.queue_limit
        self._limit = limits.output_limit
        self._line_end = line_end
        self._buffer = bytearray()
        self._scanned = 0  # bytes of the buffer without a line end
        self._blank = 0  # bytes of blank lines skipped since the last line
        self._size = 0  # bytes of the whole match

    @property
    def unread(self) -> bytes:
        """The unconsumed bytes."""
        return bytes(self._buffer)

    @property
    def is_empty(self) -> bool:
        """True if all output is consumed."""
        return not self._buffer

    @property
    def is_overfull(self) -> bool:
        """True if there is too much output, even if the first line has the maximum length."""
        return len(self._buffer) > self._line_limit + 1 + self._queue_limit

    @property
    def is_blank_so_far(self) -> bool:
        """True if blank lines were skipped since the last line."""
        return bool(self._blank)

    def feed(self, data: bytes) -> None:
        """Add bytes."""
        self._buffer += data
        self._size += len(data)

    def whole_reply(self, data: bytes) -> bytes | None:
        """Return the reply if the bytes are exactly one JSON object and a line end.

        Otherwise add the bytes like `feed`, and return None. Requires `is_empty`.
        """
        end = len(data) - len(self._line_end)
        size = self._size + len(data)
        if (
            data[:1] == b"{"
            and data.find(self._line_end) == end <= self._line_limit
            and size <= self._limit
        ):
            self._size = size
            return data[:end]
        self.feed(data)
        return None

    def next_line(self) -> bytes | None:
        """Remove and return the first complete line that is not blank, without its line end.

        Raises:
            OutputLimitError: a line is too long, there are too many blank lines, or the output of
                the match is too long.
        """
        buffer = self._buffer
        if self._size > self._limit:
            raise OutputLimitError(f"more than {self._limit} bytes of output in this match")
        while buffer:
            end = buffer.find(self._line_end, self._scanned)
            if (end if end >= 0 else len(buffer)) > self._line_limit:
                raise OutputLimitError(f"a line of more than {self._line_limit} bytes")
            if end < 0:
                self._scanned = max(0, len(buffer) - len(self._line_end) + 1)
                return None
            line = bytes(buffer[:end])
            taken = end + len(self._line_end)
            del buffer[:taken]
            self._scanned = 0
            if not is_blank(line):
                self._blank = 0
                return line
            self._blank += taken
            self._check(self._blank)
        return None

    def check_queue(self) -> None:
        """Check the size of unrequested output (1.3).

        Raises:
            OutputLimitError: there is too much.
        """
        self._check(len(self._buffer))

    def clear(self) -> None:
        """Discard unconsumed bytes. They still count for the output limit."""
        self._buffer.clear()
        self._scanned = 0

    def _check(self, unread: int) -> None:
        if unread > self._queue_limit:
            raise OutputLimitError(f"more than {self._queue_limit} bytes that no request asked for")
