"""After a crash, all complete blocks of a compressed log must be readable."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path

import pytest

from referee.errors import LogReadError, UsageError
from referee.logs import packed, source
from referee.logs.files import LogFile, open_logs
from referee.logs.source import LogReader
from referee.logs.zstd import zstd

UNPACK: dict[str, Callable[[bytes], bytes]] = {".gz": gzip.decompress, ".zst": zstd.decompress}
LINES = [b'{"line":%d}\n' % number for number in range(3000)]


@pytest.fixture(params=UNPACK)
def suffix(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def open_log(file: Path) -> LogFile:
    (log,) = open_logs([str(file)])
    assert log is not None
    return log


def read(file: Path) -> tuple[list[bytes], bool]:
    with LogReader(str(file)) as reader:
        return list(reader), reader.cut


def test_a_closed_file_holds_everything(tmp_path: Path, suffix: str) -> None:
    file = tmp_path / f"log{suffix}"
    log = open_log(file)
    for line in LINES:
        log.write(line)
    log.close()
    log.close()
    assert UNPACK[suffix](file.read_bytes()) == b"".join(LINES)
    assert read(file) == (LINES, False)


def test_without_its_end_every_flushed_block_can_be_read(tmp_path: Path, suffix: str) -> None:
    """After a crash we can read whole lines, and lose less than a block."""
    file = tmp_path / f"log{suffix}"
    log = open_log(file)
    written = 0
    for number, line in enumerate(LINES, 1):
        log.write(line)
        written += len(line)
        if number % 500 == 0:
            lines, _ = read(file)
            assert lines == LINES[: len(lines)]
            assert written - sum(map(len, lines)) < packed.BLOCK_BYTES
    assert read(file)[1]
    LogFile.close(log)


def test_a_slow_match_does_not_wait_for_a_full_block(
    tmp_path: Path, suffix: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 0.0
    monkeypatch.setattr(packed.time, "monotonic", lambda: now)
    file = tmp_path / f"log{suffix}"
    log = open_log(file)
    log.write(b"one\n")
    assert read(file)[0] == []
    now += packed.BLOCK_SECONDS
    log.write(b"two\n")
    log.write(b"three\n")
    assert read(file)[0] == [b"one\n", b"two\n"]
    log.close()


def test_a_full_block_does_not_wait(suffix: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packed.time, "monotonic", lambda: 0.0)
    packer = packed.Packer(suffix)
    for _ in range(2):
        assert packer.pack(b"x" * (packed.BLOCK_BYTES - 1)) == b""
        assert packer.pack(b"x") != b""


def test_cut_anywhere_it_is_a_prefix(tmp_path: Path, suffix: str) -> None:
    whole = tmp_path / f"log{suffix}"
    log = open_log(whole)
    for line in LINES[:20]:
        log.write(line)
    log.close()
    data, text = whole.read_bytes(), b"".join(LINES[:20])
    part = tmp_path / "part"
    for length in range(len(data)):
        part.write_bytes(data[:length])
        lines, cut = read(part)
        # With less than four bytes we can't tell that the file is compressed.
        assert length < 4 or (cut and text.startswith(b"".join(lines))), length


def test_streams_that_follow_on_each_other_are_one_log(tmp_path: Path, suffix: str) -> None:
    for name in ("a", "b"):
        log = open_log(tmp_path / f"{name}{suffix}")
        log.write(name.encode() + b"\n")
        log.close()
    both = tmp_path / "both"
    both.write_bytes(b"".join((tmp_path / f"{n}{suffix}").read_bytes() for n in "ab"))
    assert read(both) == ([b"a\n", b"b\n"], False)


def test_damage_is_said_with_its_line(tmp_path: Path, suffix: str) -> None:
    file = tmp_path / f"log{suffix}"
    log = open_log(file)
    log.write(b"".join(LINES))
    log.close()
    data = bytearray(file.read_bytes())
    data[len(data) // 2 : len(data) // 2 + 40] = bytes(40)
    file.write_bytes(data)
    with pytest.raises(LogReadError, match="damaged"):
        read(file)


def test_nothing_is_written_to_an_old_file_where_another_cannot_be_opened(
    tmp_path: Path, suffix: str
) -> None:
    file = tmp_path / f"log{suffix}"
    file.write_bytes(b"precious")
    with pytest.raises(UsageError):
        open_logs([str(file), str(tmp_path / "no" / "log")])
    assert file.read_bytes() == b"precious"


@pytest.mark.parametrize("text", [b"", b"a", b"a\n", b"a\nbc", b"a\n\n", b"ab\ncdef\n", b"a\n" * 9])
def test_the_last_line_is_the_last_of_the_lines(
    text: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "log").write_bytes(text)
    for size in (1, 2, 3, 100):
        monkeypatch.setattr(source, "_CHUNK", size)
        with LogReader(str(tmp_path / "log")) as reader, LogReader(str(tmp_path / "log")) as again:
            assert again.last() == [b"", *reader][-1]
