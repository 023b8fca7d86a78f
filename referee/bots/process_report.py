"""The report on a bot's process after its end, for its author."""

from __future__ import annotations

from msgspec import Struct

from referee.match.limits import Limits
from referee.match.result import Stderr
from referee.match.sandbox import Kind


class TimeoutObservation(Struct, frozen=True):
    """The state of a process that did not answer in time.

    Attributes:
        unfinished: the beginning of a line without its end.
        blank: whether it had written only blank lines since the request.
        has_read: whether it had read all that it was sent.
        has_answered: whether it had answered anything before.
        cpu_seconds: CPU time of the process and its children, from its start; None if not known.
        is_busy: whether it computed while it was looked at.
        late: the line that came after all; empty if none did.
        at_end: the first line that came when its input had ended; empty if none did.
        ended: whether it ended by itself when its input had ended.
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
    """The report on a process after its end.

    Attributes:
        prefix: the dialect or the adapter of its bot, which a BOT argument begins with; or "".
        unasked: how many whole lines of its output nobody has read, as far as was looked.
        first_unasked: the first of these lines; may be empty.
        unfinished: the bytes after these lines, without a line end.
        silence: the state of the process, if it did not answer in time and was examined.
        folder: where it started, as the user has it; empty if not known.
        reached: the names of those at which the system has refused something, as far as it tells.
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
