"""Collects what we know about a bot's process, to explain to its author why the bot failed."""

from __future__ import annotations

from msgspec import Struct

from referee.match.limits import Limits
from referee.match.result import Stderr
from referee.match.sandbox import SandboxKind


class TimeoutObservation(Struct, frozen=True):
    """Our observations of a process that missed its deadline, made before we killed it.

    Attributes:
        unfinished: the beginning of a line, if the bot didn't write the end of it.
        blank: True if the bot has only written blank lines since the request.
        has_read: True if the bot has read everything that we sent.
        has_answered: True if it replied to an earlier request.
        cpu_seconds: CPU time of the process and its children since the start, or None if we
            don't know.
        is_busy: True if the process was computing while we watched.
        late: the first line that it wrote after the deadline, or "".
        at_end: the first line that it wrote after we closed its stdin, or "". (Some bots read all
            of their input before they reply.)
        ended: True if it exited by itself after we closed its stdin.
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
    """Everything that we know about a process after its exit.

    Attributes:
        prefix: the dialect or adapter in the BOT argument, or "".
        unasked: number of lines that the bot wrote without a request. We stop reading at some
            point, so there may have been more.
        first_unasked: the first line that the bot wrote without a request, or b"".
        unfinished: the beginning of a line that the bot didn't complete.
        silence: our observations, if the bot didn't reply in time.
        folder: its working directory, as a user would type it, or "" if we don't know.
        reached: the names of the limits that the bot has reached. The system doesn't report all of
            them.
    """

    stderr: Stderr
    unasked: int = 0
    first_unasked: bytes = b""
    unfinished: bytes = b""
    silence: TimeoutObservation | None = None
    limits: Limits = Limits()
    reached: tuple[str, ...] = ()
    sandbox: SandboxKind = "none"
    folder: str = ""
    prefix: str = ""
