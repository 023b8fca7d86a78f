"""The report on a bot's process after its exit, for the author of the bot."""

from __future__ import annotations

from msgspec import Struct

from referee.match.limits import Limits
from referee.match.result import Stderr
from referee.match.sandbox import Kind


class TimeoutObservation(Struct, frozen=True):
    """The state of a process that didn't reply in time.

    Attributes:
        unfinished: the beginning of a line whose end never came.
        blank: True if it wrote only blank lines since the request.
        has_read: True if it had read all its input.
        has_answered: True if it replied to an earlier request.
        cpu_seconds: CPU time of the process and its children since its start; None if unknown.
        is_busy: True if it used the CPU while we watched.
        late: the first line after the timeout, or "".
        at_end: the first line after the end of its input, or "". (Some bots read their input to the
            end before they answer.)
        ended: True if it exited by itself after the end of its input.
    """

    unfinished: bytes = b""
    blank: bool = False
    has_read: bool = True
    has_answered: bool = False
    cpu_seconds: float | None = None
    is_busy: bool = False
    late: bytes = b""
    at_end: bytes = b""
    ended: bool = False


class ProcessReport(Struct, frozen=True):
    """The report on a process after its exit.

    Attributes:
        prefix: the dialect or adapter in the BOT argument, or "".
        unasked: number of whole lines of output that no request consumed, as far as we read them.
        first_unasked: the first of these lines; may be empty.
        unfinished: the bytes after these lines, without a line end.
        silence: the observation after a timeout, if there was one.
        folder: its working directory as written by the user; empty if unknown.
        reached: the names of limits at which the system refused something, if it reports that.
    """

    stderr: Stderr
    unasked: int = 0
    first_unasked: bytes = b""
    unfinished: bytes = b""
    silence: TimeoutObservation | None = None
    limits: Limits = Limits()
    reached: tuple[str, ...] = ()
    sandbox: Kind = "none"
    folder: str = ""
    prefix: str = ""
