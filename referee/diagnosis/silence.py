"""A reply that did not come: what the process was doing instead (protocol-v1, 8.1 and 10)."""

from __future__ import annotations

from msgspec import Struct

from referee.diagnosis.lines import quoted


class Silence(Struct, frozen=True):
    """What a look at a process showed that did not answer in time.

    Attributes:
        unfinished: what it had written of a line that has not ended.
        has_read: whether it had read all that it was sent.
        has_answered: whether it had answered anything before.
        cpu_seconds: CPU time of it and what it has started, from its start; None if not known.
        is_busy: whether it computed while it was looked at.
        late: the line that came after all; empty if none did.
        at_end: the first line that came when its input had ended; empty if none did.
        ended: whether it ended by itself when its input had ended.
    """

    unfinished: bytes = b""
    has_read: bool = True
    has_answered: bool = False
    cpu_seconds: float | None = None
    is_busy: bool = False
    late: bytes = b""
    at_end: bytes = b""
    ended: bool = False


def why_silent(silence: Silence, asked: str) -> str:
    """What the bot most likely does wrong, in a sentence without its full stop.

    Args:
        asked: the type of the request that it did not answer.
    """
    if silence.unfinished:
        return f"it wrote {quoted(silence.unfinished)} without a line end"
    used = "" if silence.cpu_seconds is None else f" ({silence.cpu_seconds:.1f} s of CPU time)"
    if silence.late:
        return f"its reply came later, {quoted(silence.late)}: it is too slow"
    if silence.is_busy:
        return f"it was computing{used}: an endless loop, or a search that takes too long"
    if silence.at_end:
        came = f"when its input had ended, {quoted(silence.at_end)} came out"
        if silence.has_answered:
            return f"{came}: this reply was not flushed, or it is too slow"
        return (
            f"{came}: it does not flush its output after every line, or it reads its input in "
            "blocks or to its end instead of line by line (protocol-v1, 10)"
        )
    if not silence.has_read:
        return f"it was not computing{used} and did not read what it was sent: it waits elsewhere"
    if silence.ended:
        return (
            f"it was not computing{used}: it read the {asked}, wrote nothing, and waited for the "
            f"next line, so it has no answer to {asked}"
        )
    return f"it was not computing{used} and did not wait for input: a sleep, a lock, the network?"
