"""Keeps a tournament's records in a folder: one file per match, and the stderr of its bots.

A folder belongs to one tournament. A file in the folder contains the digest of that tournament. All
tournaments number their matches from 0, so without this check, two tournaments could overwrite each
other's records.
"""

from __future__ import annotations

import re
from collections.abc import Container, Sequence
from contextlib import suppress
from pathlib import Path

import msgspec
from msgspec import Struct

from referee.errors import LogReadError, UsageError, cannot_write
from referee.logs.outputs import OutputKind, check_output
from referee.logs.packed import Packer
from referee.logs.source import LogReader
from referee.logs.stderr import stderr_beside
from referee.text.terminal import as_text
from referee.tournament.rows import MatchRow
from referee.tournament.schedule.format import TournamentSetup
from referee.tournament.schedule.pairing import deal_seed

# The file with the tournament's digest.
OWNER = ".referee-tournament"
_FORMAT = "referee-records"
_OWNER_KIND = OutputKind("a file of referee", (f'{{"format":"{_FORMAT}",'.encode(),))
_FILE = re.compile(r"[0-9]{6,}\.(record\.jsonl\.zst|player[0-9]\.stderr|live\.jsonl)(\.part)?")
_RECORD, _STDERR = "record.jsonl.zst", ".stderr"


class _Owner(Struct):
    format: str
    tournament: str


class _Header(Struct):
    """The fields of a record's header that identify its tournament."""

    game: str
    seed: int
    bots: list[str]


def claim_folder(
    folder: Path,
    stages: Sequence[TournamentSetup],
    before: Sequence[TournamentSetup] = (),
    *,
    force: bool = False,
    hint: str = "add --force, which removes them",
) -> None:
    """Check that a folder has no records of another tournament, and claim it for this one.

    Args:
        folder: an existing folder.
        stages: the setups of the tournament, in order.
        before: other versions of the first setup, e.g. from before a bot was replaced.
        force: if True, delete the records of another tournament.
        hint: advice on how to delete those records, to add to the error message.

    Raises:
        UsageError: the folder has records of another tournament, or cannot be written.
    """
    digest, file = stages[0].digest, folder / OWNER
    owner = _owner(file)
    if owner == digest:
        return
    try:
        files = [path for path in sorted(folder.iterdir()) if _FILE.fullmatch(path.name)]
    except OSError as error:
        raise UsageError(f"cannot read {folder}: {error.strerror}") from error
    is_known = owner in [setup.digest for setup in before] or (
        not owner and _are_records_of(files, stages)
    )
    # An empty folder is fine, even if it belonged to another tournament.
    if files and not is_known:
        if not force:
            problem = f"the folder {folder} has records of another tournament"
            raise UsageError(f"{problem}; choose another folder, or {hint}")
        for path in files:
            _unlink(path)
    check_output(str(file), _OWNER_KIND, force=force)
    _write(file, msgspec.json.encode(_Owner(_FORMAT, digest)) + b"\n")


def write_record(folder: Path, row: MatchRow) -> None:
    """Write a match's record and its bots' stderr, if the row contains them.

    Files of an earlier attempt at the match are deleted.
    """
    files = _files_of(folder, row.match, len(row.seats) or len(row.stderr))
    packer = Packer(".zst")
    record = packer.pack(row.record) + packer.end() if row.record else b""
    missing = [b""] * (len(files) - 1 - len(row.stderr))
    for path, data in zip(files, [*row.stderr, *missing, record], strict=True):
        if data:
            _write(path, data)
        else:
            _unlink(path)


def _write(path: Path, data: bytes) -> None:
    # Somebody may have put a link or a FIFO in place of `path` or of this part, which a killed run
    # may have left, too. open() would follow the one and wait for the other.
    part = path.with_name(path.name + ".part")
    try:
        part.unlink(missing_ok=True)
        with part.open("xb") as file:
            file.write(data)
        part.replace(path)
    except OSError as error:
        with suppress(OSError):
            part.unlink()  # e.g. the disk is full
        raise cannot_write(str(path), error) from error


def remove_record(folder: Path, match: int, seats: int) -> None:
    """Delete the record of a match and the stderr files of its bots."""
    for path in _files_of(folder, match, seats):
        _unlink(path)


def remove_unstored(folder: Path, stored: Container[int]) -> None:
    """Remove the files of all matches that are not stored.

    A run writes a record before it stores the match. If it's killed in between, there's a record of
    a match that doesn't count and that may never be played again.
    """
    try:
        files = [path for path in folder.iterdir() if _FILE.fullmatch(path.name)]
    except FileNotFoundError:
        return  # writing the first record will report this
    except OSError as error:
        raise UsageError(f"cannot read {folder}: {error.strerror}") from error
    for path in files:
        if int(path.name.partition(".")[0]) not in stored:
            _unlink(path)


def _files_of(folder: Path, match: int, seats: int) -> list[Path]:
    # The record is last in the list, so it's written last. If it exists, the other files do too.
    record = record_of(folder, match)
    # No name is None, because the record has a usual suffix.
    stderr = filter(None, (stderr_beside(str(record), seat) for seat in range(seats)))
    return [*map(Path, stderr), record]


def record_of(folder: Path, match: int) -> Path:
    """Return the path of a match's record."""
    return folder / f"{match:06}.{_RECORD}"


def _unlink(path: Path) -> None:
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        raise UsageError(f"cannot remove {path}: {error.strerror}") from error


def _owner(file: Path) -> str:
    if not file.is_file():  # to read a FIFO may take forever
        return ""
    try:
        return msgspec.json.decode(file.read_bytes(), type=_Owner).tournament
    except (OSError, msgspec.MsgspecError):
        return ""


def _are_records_of(files: Sequence[Path], stages: Sequence[TournamentSetup]) -> bool:
    """Guess whether the records in a folder without a digest belong to this tournament.

    Older referees wrote no digest, so we have to look at the files. Each match must have a record
    with the seed of its deal, and all bots in the record must be bots of the tournament.
    """
    first, bots = stages[0], {as_text(bot.bot) for bot in stages[-1].bots}
    shown: set[str] = set()
    matches: set[str] = set()
    for path in files:
        match, _, kind = path.name.partition(".")
        if kind == _RECORD:
            header = _header(path)
            seed = deal_seed(first.seed, int(match) // first.matches_a_deal)
            if header is None or (header.game, header.seed) != (first.game, seed):
                return False
            if not bots.issuperset(map(as_text, header.bots)):
                return False
            shown.add(match)
        elif kind.endswith(_STDERR):
            matches.add(match)
    return matches <= shown


def _header(path: Path) -> _Header | None:
    try:
        with LogReader(str(path)) as reader:
            return msgspec.json.decode(next(iter(reader), b""), type=_Header)
    except (LogReadError, UsageError, msgspec.MsgspecError):
        return None
