"""Reading files that a user names. Pipes work, devices are refused, and nothing waits forever."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from referee import inputs
from referee.errors import UsageError
from referee.inputs import InputFile, check_input, read_input
from referee.interrupts import Interrupted, Interrupts


@pytest.fixture
def fifo(tmp_path: Path) -> str:
    path = str(tmp_path / "fifo")
    os.mkfifo(path)
    return path


@pytest.mark.parametrize("most", [1, 3, 100])
def test_a_file_is_read(tmp_path: Path, most: int) -> None:
    (tmp_path / "a").write_bytes(b"12345")
    assert read_input(str(tmp_path / "a"), most) == b"12345"[:most]


def test_a_fifo_is_read_to_the_end_of_its_writer(fifo: str) -> None:
    with subprocess.Popen(["sh", "-c", 'printf 12 > "$0"', fifo]) as writer:
        assert read_input(fifo) == b"12"
    assert writer.returncode == 0


def test_a_fifo_whose_writer_is_silent_is_waited_for(
    fifo: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(inputs, "WRITER_SECONDS", 0.0)
    monkeypatch.setattr(inputs, "_LOOK_SECONDS", 0.0)
    reader = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
    writer = os.open(fifo, os.O_WRONLY)
    with InputFile(fifo) as file:
        os.write(writer, b"1")
        os.close(writer)
        assert (file.read(9), file.read(9)) == (b"1", b"")
    os.close(reader)


def test_a_fifo_that_nobody_writes_to_is_refused(
    fifo: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(inputs, "WRITER_SECONDS", 0.0)
    with pytest.raises(UsageError, match="is a FIFO, and no program has opened it for writing"):
        read_input(fifo)


def test_a_byte_that_comes_while_the_writer_is_looked_for_is_kept(
    fifo: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(inputs.select, "poll", _Blind)
    reader = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
    writer = os.open(fifo, os.O_WRONLY)
    os.write(writer, b"12")
    with InputFile(fifo) as file:
        assert (file.read(9), file.read(9)) == (b"1", b"2")
    os.close(reader)
    os.close(writer)


class _Blind:
    """A poll that never notices anything, as if data always came right after the poll."""

    def register(self, fd: int, events: int) -> None:
        """Do nothing."""

    def poll(self, timeout: float) -> list[tuple[int, int]]:
        return []


def test_a_pipe_of_a_shell_is_read() -> None:
    reads, writes = os.pipe()
    os.write(writes, b"1")
    os.close(writes)
    assert read_input(f"/dev/fd/{reads}") == b"1"
    assert read_input(f"/dev/fd/{reads}") == b""  # the writer has closed the pipe
    os.close(reads)


def test_other_kinds_are_refused(tmp_path: Path) -> None:
    place = str(tmp_path / "socket")
    with socket.socket(socket.AF_UNIX) as listens:
        listens.bind(place)
        for name, says in (
            ("/dev/zero", "it is a device; name a file, or - for standard input"),
            (place, "it is a socket; name a file"),
            (str(tmp_path), "it is a directory; name the files in it"),
            (str(tmp_path / "none"), "No such file or directory"),
            ("a\0b", "there is a NUL in its name"),
        ):
            for look in (check_input, read_input):
                with pytest.raises(UsageError, match=says):
                    look(name)


def test_standard_input_may_be_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(UsageError, match="standard input is closed: name a file"):
        read_input("-")


def test_a_signal_ends_the_wait_for_a_pipe() -> None:
    reads, writes = os.pipe()
    with Interrupts(), InputFile(f"/dev/fd/{reads}") as file:
        signal.raise_signal(signal.SIGTERM)
        with pytest.raises(Interrupted, match="SIGTERM"):
            file.read(1)
    os.close(reads)
    os.close(writes)


def test_a_signal_ends_the_wait_for_a_writer(fifo: str) -> None:
    with Interrupts():
        signal.raise_signal(signal.SIGINT)
        with pytest.raises(Interrupted):
            read_input(fifo)
