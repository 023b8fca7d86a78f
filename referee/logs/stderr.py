"""Reads the stderr of bots for people who look at a match.

A record only contains stderr if the user asked for it. Tournaments write the stderr of each bot to
a file beside the record.
"""

from __future__ import annotations

import os
import re
import stat

from msgspec.structs import replace

from referee.games.interface.seats import seat_id
from referee.logs.record import STDERR_PART, StderrEntry
from referee.logs.stderr_excerpt import ENDS, plain_lines, shortened

# A text of up to this many lines is shown completely, because an excerpt might be just as long.
_MOST = 4 * ENDS
# The usual suffixes of record files.
_RECORD = re.compile(r"(?:\.record)?\.jsonl(?:\.gz|\.zst)?$")


def stderr_beside(record: str, seat: int) -> str | None:
    """Return the file for a seat's stderr, or None if the record's name has an unusual suffix."""
    stem, count = _RECORD.subn("", record)
    return f"{stem}.{seat_id(seat)}.stderr" if count else None


def read_stderr(record: str, seat: int) -> StderrEntry | None:
    """Read up to 64 KiB from the end of a seat's stderr file.

    Returns None if the file is missing, empty or not readable, or if the record's name is unusual.
    We only read regular files. If the folder is shared, another user could otherwise put a link
    there, and make us show a private file.
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
    """Create a stderr entry, or return None if the text is empty.

    `omitted` is the number of bytes that were cut off before the text.
    """
    if not text:
        return None
    return StderrEntry(player_number=seat_id(seat), text=text, left_out=omitted, time=0.0)


def text_of(entry: StderrEntry) -> str:
    """Return the text of an entry, after a note if some bytes were cut off."""
    return f"[{entry.left_out} bytes left out]\n{entry.text}" if entry.left_out else entry.text


def lines_of(entry: StderrEntry | None) -> list[str]:
    """Return the lines to show to the bot's author. A long text is shortened to an excerpt."""
    if entry is None:
        return []
    # The referee never writes a longer text, but the record may come from another program.
    lines = plain_lines(text_of(replace(entry, text=entry.text[-STDERR_PART:])))
    if len(lines) <= _MOST:
        return lines
    return shortened(list(enumerate(lines))).lines
