"""Log files: all or none, nothing lost, whole lines."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from referee.errors import LogWriteError, UsageError
from referee.logs.files import open_logs


def test_no_log_is_no_file() -> None:
    assert open_logs([None, None]) == [None, None]


def test_a_write_is_with_the_system_when_it_returns(tmp_path: Path) -> None:
    (log,) = open_logs([str(tmp_path / "log")])
    assert log is not None
    log.write(b"one\n")
    assert (tmp_path / "log").read_bytes() == b"one\n"
    log.write(b"two\nthree\n")
    assert (tmp_path / "log").read_bytes() == b"one\ntwo\nthree\n"
    log.close()


def test_standard_output_stays_open(capfd: pytest.CaptureFixture[str]) -> None:
    (log,) = open_logs(["-"])
    assert log is not None
    log.write(b"line\n")
    log.close()
    os.write(sys.stdout.fileno(), b"still open\n")
    assert capfd.readouterr().out == "line\nstill open\n"


def test_a_short_write_is_continued(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write = os.write
    (log,) = open_logs([str(tmp_path / "log")])
    assert log is not None
    monkeypatch.setattr(os, "write", lambda fd, data: write(fd, bytes(data[:3])))
    log.write(b"0123456789\n")
    assert (tmp_path / "log").read_bytes() == b"0123456789\n"


def test_a_reader_that_is_gone_is_told_apart(tmp_path: Path) -> None:
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    reader = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
    (log,) = open_logs([str(fifo)])
    assert log is not None
    os.close(reader)
    with pytest.raises(LogWriteError) as caught:
        log.write(b"line\n")
    assert caught.value.reader_gone
    (full,) = open_logs(["/dev/full"])
    assert full is not None
    with pytest.raises(LogWriteError) as caught:
        full.write(b"line\n")
    assert not caught.value.reader_gone
    assert caught.value.target == "/dev/full"


def test_two_logs_in_one_file(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "log")
    with pytest.raises(UsageError, match="same file"):
        open_logs([str(tmp_path / "log"), str(tmp_path / "link")])
    assert not (tmp_path / "log").exists()
