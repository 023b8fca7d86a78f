"""Verifies a match record: runs the match again and compares every line (spec/log-format.md, 2).

`Rerun` compares the lines.

The verdict depends on two questions. Does the match give the same lines again, i.e. is the record
reproducible? And does the digest in the last line match the other lines?

    reproducible  digest matches
    yes           yes             valid
    yes           no              modified in a part that is not recomputed: header, exit codes,
                                  the wording of a fault
    no            yes             unmodified, so the rules have changed
    no            no              modified

Because of the second question, we read the rest of the file even after a difference. A record
without its last line is truncated, and valid up to that point. We ignore the bots' stderr.
"""

from __future__ import annotations

from msgspec import Struct

from referee._version import __version__
from referee.errors import LogReadError
from referee.games.interface.seats import seat_id
from referee.logs import record
from referee.logs.files import LogFile
from referee.logs.header import Kind as Kind
from referee.logs.header import read_header
from referee.logs.rerun import Difference, DifferenceError, Rerun
from referee.logs.source import LogReader
from referee.text.terminal import escaped

# We show at most this many characters of a line, with the first difference in it, and at most
# `_BEFORE` characters before the difference.
_EXCERPT = 200
_BEFORE = 60

_HEADER = b'{"entry":"header"'


class Verdict(Struct, frozen=True):
    """The result of verifying a file.

    Attributes:
        name: the file name as given.
        kind: the verdict.
        text: an explanation in one line, including the name.
        line: number of the first different or invalid line, from 1. For a truncated record, the
            number of its last complete line, or 0 if it doesn't have one.
        expected: the part of the expected line around the first different byte.
        found: the same part of the line in the file.
        section: section of spec/log-format.md about the expected line.
        lines: number of complete lines in the readable part of the file.
    """

    name: str
    kind: Kind
    text: str
    line: int | None = None
    expected: str | None = None
    found: str | None = None
    section: str | None = None
    lines: int = 0


def verify_record(name: str, *, log: LogFile | None = None) -> Verdict:
    """Run a recorded match again, and compare it with the record (spec/log-format.md, 2.10).

    Args:
        name: file name of the record, plain or compressed, or "-" for standard input.
        log: where to write the spectator log of the match. We stop writing it at the first
            difference.

    Raises:
        UsageError: the file can't be opened.
        LogWriteError: `log` can't be written.
    """
    with LogReader(name) as reader:
        verification = _Verification(reader, log)
        try:
            return verification.run()
        except DifferenceError as error:
            return verification.differs(error.difference)
        except LogReadError as error:
            return verification.unreadable(error)
        finally:
            if verification.rerun is not None:
                verification.rerun.flush()


class _Verification:
    def __init__(self, reader: LogReader, log: LogFile | None) -> None:
        self._reader = reader
        self._log = log
        self.rerun: Rerun | None = None

    def run(self) -> Verdict:
        reader, lines = self._reader, iter(self._reader)
        line = next(lines, b"")
        if not line or (reader.torn and _HEADER.startswith(line[: len(_HEADER)])):
            return self._cut_short()
        header = read_header(line)
        if not isinstance(header, record.Header):
            found, section = _excerpt(line), header.section
            return self._verdict(header.kind, header.text, 1, found=found, section=section)
        self.rerun = rerun = Rerun(reader, lines, header, line, self._log)
        for _ in rerun.steps():
            pass
        if not rerun.whole:
            return self._cut_short()
        if rerun.wrong_end is not None:
            return self.differs(rerun.wrong_end)
        assert rerun.match.outcome is not None
        won = rerun.match.outcome.winners
        winners = " and ".join(map(seat_id, won)) or "nobody"
        result = "a draw" if len(won) == len(header.bots) else f"{winners} won"
        bots = escaped(" vs ".join(bot[:_EXCERPT] for bot in header.bots))
        text = f"{reader.line} lines, seed {header.seed}, {bots}, {result}"
        return Verdict(reader.name, Kind.VALID, f"{reader.name}: valid ({text})", lines=reader.line)

    def unreadable(self, error: LogReadError) -> Verdict:
        if self.rerun is None:
            return self._verdict(Kind.NOT_A_RECORD, error.problem, error.line)
        text = f"{error.problem}; it is valid up to line {error.line - 1}"
        return self._verdict(Kind.MODIFIED, text, error.line)

    def _cut_short(self) -> Verdict:
        whole = self._reader.whole
        text = f"truncated after line {whole}, valid so far"
        if not self._reader.line:
            text = "the file is empty: truncated after line 0"
        return self._verdict(Kind.TRUNCATED, text, whole)

    def differs(self, difference: Difference) -> Verdict:
        """Read the rest of the file to check its digest, and return the verdict."""
        rerun = self.rerun
        assert rerun is not None  # it has found the difference
        rerun.flush()
        line, found, expected, section, problem, edited = difference
        fits, finished = (False, True) if edited else rerun.rest_fits(found)
        writer = escaped(rerun.header.referee[:_EXCERPT])
        other = writer != __version__
        is_other_game = record.is_of_other_game(rerun.header)
        kind = Kind.RULES_CHANGED if fits else Kind.MODIFIED
        if is_other_game and not edited and (fits or not finished):
            kind = Kind.RULES_CHANGED
            text = "it is of another version of the game, which gives something else from here on"
            text += "" if fits else "; and the record is truncated, so its digest is missing"
        elif is_other_game:
            text = f"modified: {problem}; it is also of another version of the game"
        elif fits:
            text = (
                f"the digest fits, so the record is as referee {writer} wrote it, but the rules of "
                f"referee {__version__} give something else from here on"
            )
            text += "" if other else ", of the same version: one of the two was altered"
        else:
            rules = f"; it may be the rules too: referee {writer} wrote it, this is {__version__}"
            cut = "" if finished else "; and the record is truncated, so its digest is missing"
            text = f"modified: {problem}{cut}{rules if other else ''}"
        place, shown = 0, None
        if expected is not None:
            equal = (due == is_there for due, is_there in zip(expected, found, strict=False))
            place = next((i for i, same in enumerate(equal) if not same), len(expected))
            shown = _excerpt(expected, place) if expected else "the end of the file"
        parts = {"expected": shown, "found": _excerpt(found, place), "section": section}
        return self._verdict(kind, text, line, **parts)

    def _verdict(self, kind: Kind, text: str, line: int, **difference: str | None) -> Verdict:
        name = self._reader.name
        where = name if kind is Kind.TRUNCATED else f"{name}, line {line}"
        # If the file isn't a record, we've only read one line. Count that line even if it's
        # truncated.
        lines = self._reader.line if kind is Kind.NOT_A_RECORD else self._reader.whole
        return Verdict(name, kind, f"{where}: {text}", line, lines=lines, **difference)


def _excerpt(line: bytes, place: int = 0) -> str:
    start = max(0, place - _BEFORE)
    if start < 20:
        start = 0
    end = start + _EXCERPT
    text = escaped(line[start:end].rstrip(b"\n").decode(errors="backslashreplace"))
    cut = len(text) > _EXCERPT or end < len(line)
    return ("..." if start else "") + text[:_EXCERPT] + ("..." if cut else "")
