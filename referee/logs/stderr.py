"""The stderr of bots beside their match: the files next to a record, and the lines to show of it.

A record has it only on request. A tournament writes it into files beside its records.
"""

from __future__ import annotations

import os
import re
import stat

from msgspec.structs import replace

from referee.games.interface.seats import seat_id
from referee.logs.record import STDERR_PART, StderrEntry
from referee.logs.stderr_excerpt import ENDS, plain_lines, shortened

_MOST = 4 * ENDS
"""So many lines are shown whole: a shortened text may have as many."""
_RECORD = re.compile(r"(?:\.record)?\.jsonl(?:\.gz|\.zst)?$")
"""The end of a record's file name."""


def stderr_beside(record: str, seat: int) -> str | None:
    """The file beside a record that has the stderr of a seat; None for a file of another name."""
    stem, count = _RECORD.subn("", record)
    return f"{stem}.{seat_id(seat)}.stderr" if count else None


def read_stderr(record: str, seat: int) -> StderrEntry | None:
    """The stderr of a seat in the file beside a record, at most its last 64 KiB.

    None if there is no such file, or nothing in it. Only a regular file is read, never a link: it
    may lie in a folder of strangers.
    """
    path = stderr_beside(record, seat)
    if path is None:
        return None
    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
        with open(fd, "rb") as file:
            found = os.fstat(fd)
            if not stat.S_ISREG(found.st_mode):
                return None
            omitted = max(0, found.st_size - STDERR_PART)
            file.seek(omitted)
            data = file.read(STDERR_PART)
    except (OSError, ValueError):
        return None
    return entry_of(seat, data.decode(errors="replace"), omitted)


def entry_of(seat: int, text: str, omitted: int = 0) -> StderrEntry | None:
    """A text as an entry of a record, with the bytes omitted before it; None if it is empty."""
    if not text:
        return None
    return StderrEntry(player_number=seat_id(seat), text=text, left_out=omitted, time=0.0)


def text_of(entry: StderrEntry) -> str:
    """The text of an entry, with a line for what is left out before it."""
    return f"[{entry.left_out} bytes left out]\n{entry.text}" if entry.left_out else entry.text


def lines_of(entry: StderrEntry | None) -> list[str]:
    """What its author needs of an entry, made plain: all lines, or both ends of many."""
    if entry is None:
        return []
    # No referee writes a longer text.
    lines = plain_lines(text_of(replace(entry, text=entry.text[-STDERR_PART:])))
    if len(lines) <= _MOST:
        return lines
    return shortened(list(enumerate(lines))).lines
