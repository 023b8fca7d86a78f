"""Test reading the lines of a log: how long they may be, where they end, and what is counted."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest

from referee.errors import LogReadError
from referee.inputs import InputFile
from referee.logs import source
from referee.logs.source import LogReader

Reader: TypeAlias = Callable[..., LogReader]


@pytest.fixture
def reader(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Reader:
    """Return a function that opens a file with these bytes. It's read in chunks of four bytes."""
    monkeypatch.setattr(source, "_CHUNK", 4)

    def opened(data: bytes, **options: int) -> LogReader:
        (tmp_path / "log").write_bytes(data)
        return LogReader(str(tmp_path / "log"), **options)

    return opened


@pytest.mark.parametrize("read", [list, LogReader.last])
def test_a_line_is_at_most_so_long(
    read: Callable[[LogReader], object], reader: Reader, monkeypatch: pytest.MonkeyPatch
) -> None:
    for most, fits in ((12, True), (11, False)):
        monkeypatch.setattr(source, "MAX_LINE_BYTES", most)
        for data in (b"x" * 12, b"x" * 12 + b"y"):
            with reader(b"a\nb\n" + data) as log:
                if fits and data.endswith(b"x"):
                    read(log)
                else:
                    with pytest.raises(LogReadError, match="log, line 3: the line is longer than"):
                        read(log)


@pytest.mark.parametrize("read", [list, LogReader.last])
@pytest.mark.parametrize("before", [b"", b"a\n"])
def test_a_long_line_has_not_many_lists_and_objects(
    read: Callable[[LogReader], object],
    before: bytes,
    reader: Reader,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """In memory they take up to 27 times their text."""
    assert source.LONG_LINE == 256 * 1024
    monkeypatch.setattr(source, "LONG_LINE", 47)
    for line, fits in (
        (b"[{" * 23 + b"x", True),  # not longer
        (b"[{" + b"x" * 46, True),  # 24 bytes for each
        (b"[{" + b"x" * 46 + b"[", False),
        (b"[{" + b"x" * 46 + b"{", False),
        (b"]}" * 24, True),
    ):
        with reader(before + line) as log:
            if fits:
                read(log)
            else:
                problem = r"the line has too many lists and objects for its length"
                with pytest.raises(LogReadError, match=problem):
                    read(log)


@pytest.mark.parametrize("read", [list, LogReader.last])
def test_a_file_is_at_most_so_long(read: Callable[[LogReader], object], reader: Reader) -> None:
    with reader(b"a\nbc\n" * 3, most=15) as log:
        read(log)
    with (
        reader(b"a\nbc\n" * 3, most=14) as log,
        pytest.raises(LogReadError, match="the file is longer than 0 MiB, unpacked"),
    ):
        read(log)


def test_the_head_and_the_size_of_a_file(reader: Reader) -> None:
    for size, head in ((0, b""), (3, b"abc"), (4, b"abcd"), (6, b"abcdef"), (99, b"abcdefghij")):
        with reader(b"abcdefghij") as log:
            assert log.head(size) == head
    for most, size in ((10, 10), (9, 10), (7, 8), (3, 4)):
        with reader(b"abcdefghij") as log:
            assert log.size(most) == size  # it stops after the chunk that is too much


def test_a_line_without_an_end_is_torn_and_not_whole(reader: Reader) -> None:
    for data, lines, torn in (
        (b"", 0, False),
        (b"a\n", 1, False),
        (b"a\nbcdefg\n", 2, False),
        (b"a\nbcdefg", 2, True),
    ):
        with reader(data) as log:
            assert b"".join(log) == data
            assert (log.line, log.torn, log.whole) == (lines, torn, lines - torn)


def test_only_the_first_line_shows_the_encoding(reader: Reader) -> None:
    wide = '{"type":"a"}'.encode("utf-16-le")
    for data in (wide, wide + b"\n\0"):
        with reader(data) as log, pytest.raises(LogReadError, match="line 1: the file is UTF-16"):
            list(log)
    with reader(b"a\n" + wide) as log:
        assert list(log) == [b"a\n", wide]


def test_a_growing_file_is_read_until_it_is_at_its_end(tmp_path: Path) -> None:
    parts = [b"bc\nd", b"", b"e\n"]

    def at_end() -> bool:
        if parts:
            with (tmp_path / "log").open("ab") as file:
                file.write(parts.pop(0))
            return True
        return False

    (tmp_path / "log").write_bytes(b"a\n")
    with LogReader(str(tmp_path / "log"), at_end=at_end) as log:
        assert list(log) == [b"a\n", b"bc\n", b"de\n"]


def test_standard_input_has_a_name_and_a_file_that_was_read_is_closed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "log").write_bytes(b"\xff\xfea\0\n\0")
    with (tmp_path / "log").open() as stdin:
        monkeypatch.setattr(sys, "stdin", stdin)
        before = os.listdir("/dev/fd")
        with LogReader("-") as log, pytest.raises(LogReadError, match=r"^standard input, line 1: "):
            list(log)
        assert os.listdir("/dev/fd") == before


def test_a_file_that_cannot_be_read_on_is_an_error_of_its_line(
    reader: Reader, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = reader(b"a\n" * 9)
    lines = iter(log)
    assert next(lines) == b"a\n"

    def fails(file: InputFile, size: int) -> bytes:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(InputFile, "read", fails)
    with pytest.raises(LogReadError, match="line 3: it cannot be read: Input/output error"):
        list(lines)
