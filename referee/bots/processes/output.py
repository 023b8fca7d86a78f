"""Splits the output of a bot into lines and checks its limits (protocol, 1.1 to 1.3). No I/O."""

from __future__ import annotations

from referee.match.decode import is_blank
from referee.match.limits import Limits


class OutputLimitError(Exception):
    """The bot wrote more than a limit allows. The text names the limit."""


class Output:
    """The output of a bot in one match. Keeps lines until a request uses them as a reply.

    Args:
        limits: `line_limit`, `queue_limit` and `output_limit` are enforced here.
        line_end: the bytes that end a line.
    """

    def __init__(self, limits: Limits, line_end: bytes = b"\n") -> None:
        self._line_limit = limits.line_limit
        self._queue_limit = limits.queue_limit
        self._limit = limits.output_limit
        self._line_end = line_end
        self._buffer = bytearray()
        # this many bytes of the buffer are known not to contain the end of a line
        self._scanned = 0
        self._blank = 0  # bytes of blank lines that we've skipped since the last real line
        self._size = 0  # bytes of output in the whole match

    @property
    def unread(self) -> bytes:
        """Output that hasn't been used as a reply yet."""
        return bytes(self._buffer)

    @property
    def is_empty(self) -> bool:
        """True if all output was used as replies."""
        return not self._buffer

    @property
    def is_overfull(self) -> bool:
        """True if there's more output than the longest reply and a full queue together."""
        return len(self._buffer) > self._line_limit + 1 + self._queue_limit

    @property
    def is_blank_so_far(self) -> bool:
        """True if the bot has written blank lines since its last real line."""
        return bool(self._blank)

    def feed(self, data: bytes) -> None:
        """Add output that we've just read."""
        self._buffer += data
        self._size += len(data)

    def whole_reply(self, data: bytes) -> bytes | None:
        """Add output. If it's exactly one JSON object and a line end, return it as the reply.

        Nearly all replies look like that, so we don't even put them into the buffer, which must be
        empty. In all other cases, this does the same as `feed`, and returns None.
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
        """Remove and return the first complete line that isn't blank, without its line ending.

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
                # The next search can skip the bytes that we've already searched, except for the
                # last few: the end of a line can have several bytes, and they may arrive
                # separately. (Without this, a bot that sends a long line byte by byte would cost us
                # quadratic time.)
                self._scanned = max(0, len(buffer) - len(self._line_end) + 1)
                return None
            line = bytes(buffer[:end])
            taken = end + len(self._line_end)
            del buffer[:taken]
            self._scanned = 0
            if not is_blank(line):
                self._blank = 0
                return line
            # Blank lines aren't replies, but an endless stream of them would keep us in this loop.
            # That's why they count as output that no request has consumed.
            self._blank += taken
            self._check(self._blank)
        return None

    def check_queue(self) -> None:
        """Check the size of the output that no request has asked for (1.3).

        Raises:
            OutputLimitError: it's larger than `queue_limit`.
        """
        self._check(len(self._buffer))

    def clear(self) -> None:
        """Discard all buffered output. It still counts towards `output_limit`."""
        self._buffer.clear()
        self._scanned = 0

    def _check(self, unread: int) -> None:
        if unread > self._queue_limit:
            raise OutputLimitError(f"more than {self._queue_limit} bytes that no request asked for")
