"""Shows the stderr of bots while they run (`--stderr -`)."""

from __future__ import annotations

from contextlib import suppress

from referee.errors import LogWriteError
from referee.logs.files import LogFile
from referee.logs.sink import Sink
from referee.text.terminal import escaped

_MOST_LINE = 64 * 1024
_PUSH_SECONDS = 0.1


class LiveStderr(Sink):
    """Shows the stderr of a bot line by line, with the bot's seat in front.

    All bots share `out`. Writing to it never blocks.
    """

    def __init__(self, seat: int, out: LogFile) -> None:
        from referee.games.interface.seats import seat_id

        self._name = seat_id(seat)
        self._out = out
        self._rest = b""

    def write(self, lines: bytes) -> None:
        """Show complete lines.

        A very long line is shown in parts, because a bot may never end its line.
        """
        *whole, self._rest = (self._rest + lines).split(b"\n")
        if len(self._rest) > _MOST_LINE:
            whole.append(self._rest)
            self._rest = b""
        for line in whole:
            text = line.decode(errors="backslashreplace").rstrip("\r").expandtabs()
            self._out.write(f"{self._name}| {escaped(text)}\n".encode())

    def close(self) -> None:
        """Show the last line, even if it doesn't end with a newline."""
        if self._rest:
            self.write(b"\n")


async def push(out: LogFile) -> None:
    """Keep writing the output that a slow reader hasn't accepted yet, until cancelled."""
    import trio

    with suppress(LogWriteError):  # the reader has closed its end
        while True:
            await trio.sleep(_PUSH_SECONDS)
            out.push()
