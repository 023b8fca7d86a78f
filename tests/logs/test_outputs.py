"""Which files may an output replace? A typo in a name mustn't destroy anything."""

from __future__ import annotations

import gzip
import os
from itertools import count
from pathlib import Path

import pytest

from referee.errors import UsageError
from referee.logs.outputs import (
    LINKS,
    LIST,
    LOG,
    PAGE,
    RECORD,
    REPORT,
    TEXT,
    OutputKind,
    check_output,
    note_output,
    report_kind,
)
from referee.logs.parsing import BOM
from referee.logs.zstd import zstd

EXAMPLES = Path(__file__).parents[2] / "spec" / "examples"
RECORDED = (EXAMPLES / "two-players.record.jsonl").read_bytes()
LOGGED = (EXAMPLES / "two-players.log.jsonl").read_bytes()
BOT = b"#!/usr/bin/env python3\nprint('a bot')\n"


def _gzip(data: bytes) -> bytes:
    return gzip.compress(data, mtime=0)


def is_ours(path: Path, kind: OutputKind) -> bool:
    try:
        check_output(str(path), kind)
    except UsageError:
        return False
    return True


@pytest.mark.parametrize(
    ("kind", "data", "ours"),
    [
        (RECORD, b"", True),
        (RECORD, RECORDED, True),
        (RECORD, RECORDED[:20], True),  # left by a run that was killed
        (RECORD, _gzip(RECORDED), True),
        (RECORD, _gzip(RECORDED)[:100], True),
        (RECORD, _gzip(RECORDED)[:8], True),
        (RECORD, zstd.compress(RECORDED), True),
        (RECORD, zstd.compress(RECORDED)[:6], True),
        (RECORD, BOT, False),
        (RECORD, _gzip(BOT), False),
        (RECORD, zstd.compress(BOT), False),
        (RECORD, _gzip(RECORDED)[:10] + bytes([255] * 99), False),
        (RECORD, BOM + RECORDED, False),
        (RECORD, b"\n" + RECORDED, False),
        (RECORD, bytes(1000), False),
        (RECORD, b'{"entry":"header","format":"another"}\n', False),
        (RECORD, LOGGED, False),
        (LOG, LOGGED, True),
        (LOG, RECORDED, False),
        (LINKS, b'{"id":"2a163927ab80998d","digests":{},"port":1}', True),
        (LINKS, b"a list of seats\n", False),
        (PAGE, b"<!DOCTYPE html>\n<html><title>My own page</title>", False),
        (PAGE, b"<!DOCTYPE html>\n", True),
        (REPORT, b"name,points\nanna,3\n", False),
        (TEXT, BOT, False),
        (TEXT, b"", True),
    ],
    ids=map(str, count()),
)
def test_files_of_a_kind(tmp_path: Path, kind: OutputKind, data: bytes, ours: bool) -> None:
    path = tmp_path / "file"
    path.write_bytes(data)
    assert is_ours(path, kind) == ours
    check_output(str(path), kind, force=True)
    (tmp_path / "link").symlink_to(path)
    assert is_ours(tmp_path / "link", kind) == ours
    assert path.read_bytes() == data


@pytest.mark.parametrize("kind", [RECORD, TEXT])
def test_only_regular_files_can_be_lost(tmp_path: Path, kind: OutputKind) -> None:
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "nowhere").symlink_to(tmp_path / "missing")
    for name in ("missing", "nowhere", "fifo", ".", "no/folder", "a\0b", "/dev/null", "/dev/full"):
        check_output(str(tmp_path / name), kind)


def test_a_file_behind_a_descriptor(tmp_path: Path) -> None:
    (tmp_path / "notes").write_bytes(BOT)
    with (tmp_path / "notes").open("rb") as file:
        assert not is_ours(Path(f"/dev/fd/{file.fileno()}"), RECORD)


def test_a_list_names_files_without_a_mark(tmp_path: Path) -> None:
    mine, other = tmp_path / os.fsdecode(b"m\xffne.txt"), tmp_path / "other.txt"
    mine.write_bytes(BOT)
    other.write_bytes(BOT)
    (tmp_path / "link").symlink_to(mine)
    assert not is_ours(mine, TEXT)
    for _ in range(2):
        note_output(str(tmp_path / "link"), TEXT)
    assert is_ours(mine, TEXT)
    assert is_ours(mine, REPORT)  # a report may replace a report in another format
    assert not is_ours(other, TEXT)
    note_output(str(other), TEXT)
    assert is_ours(other, TEXT)
    assert (tmp_path / LIST).read_bytes() == (
        b"# referee wrote these files, and may replace them:\nm\xffne.txt\nother.txt\n"
    )


def test_a_list_of_somebody_else_names_nothing(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(BOT)
    (tmp_path / LIST).write_bytes(b"my files:\nfile\n")
    note_output(str(path), TEXT)
    assert not is_ours(path, TEXT)
    assert (tmp_path / LIST).read_bytes() == b"my files:\nfile\n"


def test_a_list_names_only_files(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    note_output(str(tmp_path / "fifo"), TEXT)
    assert not (tmp_path / LIST).exists()


def test_a_list_that_is_no_file_is_not_read(tmp_path: Path) -> None:
    """A folder may come from a stranger, and to read a FIFO may take forever."""
    (tmp_path / "file").write_bytes(BOT)
    note_output(str(tmp_path / "file"), TEXT)
    reader, writer = os.pipe()
    os.write(writer, (tmp_path / LIST).read_bytes())
    os.close(writer)  # or a reader would wait
    (tmp_path / LIST).unlink()
    (tmp_path / LIST).symlink_to(f"/dev/fd/{reader}")
    note_output(str(tmp_path / "other"), TEXT)
    assert not is_ours(tmp_path / "file", TEXT)
    with open(reader, "rb") as unread:
        assert unread.read().endswith(b"file\n")


def test_a_list_that_cannot_be_written_stops_nothing(tmp_path: Path) -> None:
    (tmp_path / LIST).mkdir()
    (tmp_path / "file").write_bytes(BOT)
    note_output(str(tmp_path / "file"), TEXT)
    assert not is_ours(tmp_path / "file", TEXT)


def test_only_reports_without_a_mark_are_listed(tmp_path: Path) -> None:
    for form in ("html", "junit", "csv"):
        note_output(str(tmp_path / form), report_kind(form))
    assert not (tmp_path / LIST).exists()
    for form in ("text", "json", "jsonl"):
        note_output(str(tmp_path / form), report_kind(form))
    assert (tmp_path / LIST).read_text().splitlines()[1:] == ["text", "json", "jsonl"]
