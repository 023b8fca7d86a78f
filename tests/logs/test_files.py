"""Test log files: writing, and restoring a log that was damaged while we were writing it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from referee.errors import LogWriteError, UsageError
from referee.logs import files
from referee.logs.files import open_logs
from referee.logs.outputs import TEXT, Output, check_output
from referee.logs.source import LogReader


def test_no_log_is_no_file() -> None:
    assert open_logs([None, None]) == [None, None]


def test_a_write_is_with_the_system_when_it_returns(tmp_path: Path) -> None:
    (log,) = open_logs([str(tmp_path / "log")])
    assert log is not None
    os.umask(umask := os.umask(0o77))
    assert (tmp_path / "log").stat().st_mode & 0o777 == 0o666 & ~umask
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


def test_standard_output_is_not_truncated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`referee play --log - >> FILE` appends."""
    file = tmp_path / "log"
    file.write_bytes(b"before\n")
    with file.open("a") as stream:
        monkeypatch.setattr(sys, "stdout", stream)
        (log,) = open_logs(["-"])
        assert log is not None
        log.write(b"line\n")
        log.close()
    assert file.read_bytes() == b"before\nline\n"


def test_standard_output_waits_for_its_reader(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another program may have made the pipe non-blocking, where a long write fails."""
    output, given = os.pipe()
    os.set_blocking(given, False)
    with os.fdopen(given, "w") as stream:
        monkeypatch.setattr(sys, "stdout", stream)
        open_logs(["-"])
        assert os.get_blocking(given)
    os.close(output)


def test_closed_standard_output_takes_no_log(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "__stdout__", None)
    with pytest.raises(UsageError, match="standard output is closed"):
        open_logs(["-"])


def test_a_terminal_is_sent_no_command_of_a_bot(tmp_path: Path) -> None:
    line = '{"name":"a\x9b2J\u202e"}\n'
    master, slave = os.openpty()
    names = [os.ttyname(slave), str(tmp_path / "log")]
    logs = [log for log in open_logs(names) if log is not None]
    for log in logs:
        log.write(line.encode())
        log.finish()
    assert os.read(master, 1_000).rstrip() == rb'{"name":"a\u009b2J\u202e"}'
    assert (tmp_path / "log").read_text() == line
    os.close(master)
    os.close(slave)


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
    assert not log.behind
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


def test_two_logs_may_go_nowhere() -> None:
    for log in open_logs(["/dev/null", "/dev/null"]):
        assert log is not None
        log.close()


def test_a_log_that_another_run_is_writing(tmp_path: Path) -> None:
    file = tmp_path / "log"
    (log,) = open_logs([str(file)])
    assert log is not None
    log.write(b"line\n")
    with pytest.raises(UsageError, match=f"another run is writing {file}: wait for it, or choose"):
        open_logs([str(tmp_path / "new"), str(file)])
    assert file.read_bytes() == b"line\n"
    assert not (tmp_path / "new").exists()
    log.close()
    (log,) = open_logs([str(file)])
    assert log is not None
    log.close()


# --- a log that another program changes while we write it (spec/log-format.md, 1) -----------------

LINES = [b'{"line":%d,"random":"%s"}\n' % (n, os.urandom(40).hex().encode()) for n in range(1000)]


def truncate(file: Path) -> None:
    os.truncate(file, 0)


def change(file: Path) -> None:
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 1
    file.write_bytes(content)


def add(file: Path) -> None:
    with file.open("ab") as opened:
        opened.write(b"more\n")


def replace(file: Path) -> None:
    file.unlink()
    file.write_bytes(b"another\n")


def link_elsewhere(file: Path) -> None:
    file.unlink()
    (file.parent / "precious").write_bytes(b"precious\n")
    file.symlink_to(file.parent / "precious")


def remove_folder(file: Path) -> None:
    file.unlink()
    file.parent.rmdir()


@pytest.mark.parametrize(
    ("damage", "problem"),
    [
        (truncate, "changed"),
        (change, "changed"),
        (add, "changed"),
        (lambda file: file.chmod(0), None),
        (Path.unlink, "removed"),
        (remove_folder, "removed"),
        (replace, "replaced"),
        (link_elsewhere, "replaced"),
        (lambda file: None, None),
    ],
)
@pytest.mark.parametrize("suffix", ["", ".gz"])
def test_a_damaged_log_is_written_anew(
    tmp_path: Path, damage: Callable[[Path], object], problem: str | None, suffix: str
) -> None:
    file = tmp_path / "folder" / f"log{suffix}"
    file.parent.mkdir()
    (log,) = open_logs([str(file)])
    assert log is not None
    log.begin(copy=True)
    for line in LINES[:900]:
        log.write(line)
    damage(file)
    for line in LINES[900:]:
        log.write(line)
    found = log.finish()
    # Root can read the file even if its mode forbids it. Other users get "changed".
    assert found == problem or (problem is None and found == "changed")
    file.chmod(0o644)
    with LogReader(str(file)) as reader:
        assert list(reader) == LINES
        assert not reader.cut
    if (file.parent / "precious").exists():
        assert (file.parent / "precious").read_bytes() == b"precious\n"


@pytest.mark.parametrize("chunk", [4, 5, 6])
def test_a_log_that_has_become_longer_is_written_anew(
    chunk: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "_CHUNK", chunk)
    (log,) = open_logs([str(tmp_path / "log")])
    assert log is not None
    log.begin(copy=True)
    log.write(b"line\n")
    (tmp_path / "log").write_bytes(b"line\nmore\n")
    assert log.finish() == "changed"
    assert (tmp_path / "log").read_bytes() == b"line\n"


def test_a_truncated_log_has_no_hole(tmp_path: Path) -> None:
    """If somebody truncates the file, we continue at its start and leave no NUL bytes."""
    (log,) = open_logs([str(tmp_path / "log")])
    assert log is not None
    log.write(b"one\n")
    os.truncate(tmp_path / "log", 0)
    log.write(b"two\n")
    assert (tmp_path / "log").read_bytes() == b"two\n"
    log.close()


def test_a_long_copy_leaves_the_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "_COPY_IN_MEMORY", 1000)
    (log,) = open_logs([str(tmp_path / "log")])
    assert log is not None
    log.begin(copy=True)
    for line in LINES:
        log.write(line)
    (tmp_path / "log").unlink()
    assert log.finish() == "removed"
    assert (tmp_path / "log").read_bytes() == b"".join(LINES)


def test_a_log_that_a_link_leads_to_is_written_anew_where_it_was(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("log")
    (log,) = open_logs([str(tmp_path / "link")])
    assert log is not None
    log.begin(copy=True)
    log.write(b"line\n")
    (tmp_path / "log").unlink()
    assert log.finish() == "removed"
    assert (tmp_path / "log").read_bytes() == b"line\n"
    assert (tmp_path / "link").is_symlink()


def test_a_log_that_cannot_be_restored_is_said(tmp_path: Path) -> None:
    (log,) = open_logs([str(tmp_path / "log")])
    assert log is not None
    log.begin(copy=True)
    log.write(b"line\n")
    (tmp_path / "log").unlink()
    (tmp_path / "log").mkdir()
    with pytest.raises(LogWriteError, match="log"):
        log.finish()
    assert log.closed


def test_each_log_is_restored_and_the_first_that_cannot_be_is_named(tmp_path: Path) -> None:
    names = ["whole", "lost", "lost too", "gone"]
    logs = open_logs([None, *(str(tmp_path / name) for name in names)])
    for log in filter(None, logs):
        log.begin(copy=True)
        log.write(b"line\n")
    for name in names[1:]:
        (tmp_path / name).unlink()
    for name in names[1:3]:
        (tmp_path / name).mkdir()
    warnings, lost = files.finished(logs)
    assert len(warnings) == 1
    assert warnings[0].startswith(f"{tmp_path / 'gone'} was removed by another program")
    assert lost is not None
    assert lost.target == str(tmp_path / "lost")
    assert (tmp_path / "gone").read_bytes() == b"line\n"


# --- pipes ----------------------------------------------------------------------------------------


def test_a_write_does_not_wait_for_the_reader_of_a_pipe(tmp_path: Path) -> None:
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    reader = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
    (log,) = open_logs([str(fifo)])
    assert log is not None
    written = b"".join(LINES) * 50
    log.write(written)
    assert log.behind
    read = bytearray()
    while log.behind:
        read += os.read(reader, 65536)
        log.push()
    log.drain()  # returns immediately, because everything is written
    read += os.read(reader, 65536)
    os.close(reader)
    assert read == written
    log.close()


def test_draining_waits_for_the_reader(tmp_path: Path) -> None:
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    reader = subprocess.Popen(["cat", str(fifo)], stdout=subprocess.PIPE)
    (log,) = open_logs([str(fifo)])
    assert log is not None
    written = b"".join(LINES) * 50
    log.write(written)
    with ThreadPoolExecutor(1) as pool:
        read = pool.submit(reader.communicate)
        assert log.finish() is None  # it drains, too
        assert not log.behind
        assert read.result()[0] == written


def test_a_nul_in_a_name_is_wrong_usage() -> None:
    for use in (lambda name: open_logs([name]), LogReader):
        with pytest.raises(UsageError, match=r"^cannot .* there is a NUL in its name$"):
            use("a\0b")


@pytest.mark.parametrize("name", ["log", "log.gz", "log.zst"])
def test_a_log_that_nothing_was_written_to_is_as_it_was(tmp_path: Path, name: str) -> None:
    """If a match doesn't start, the old log must be unchanged, and no new file may be left."""
    old, new = tmp_path / name, tmp_path / f"new-{name}"
    old.write_bytes(b"precious")
    for log in open_logs([str(old), str(new)]):
        assert log is not None
        log.close()
    assert old.read_bytes() == b"precious"
    assert not new.exists()


def test_an_unused_log_leaves_another_file_of_its_name(tmp_path: Path) -> None:
    file = tmp_path / "log"
    (log,) = open_logs([str(file)])
    assert log is not None
    replace(file)
    log.close()
    assert file.read_bytes() == b"another\n"


def test_opened_logs_are_listed_and_closed(tmp_path: Path) -> None:
    file = tmp_path / "player1.stderr"
    with files.opened([Output(None, TEXT), Output(str(file), TEXT)]) as (none, log):
        assert (none, log is not None and log.closed) == (None, False)
        log.write(b"words\n")
    assert log.closed
    check_output(str(file), TEXT)  # the next run may replace it


def test_a_log_that_cannot_be_closed_hides_no_exception(tmp_path: Path) -> None:
    file = tmp_path / "log.gz"
    file.symlink_to("/dev/full")

    def write() -> None:
        with files.opened([Output(str(file), TEXT)]) as (log,):
            assert log is not None
            log.write(b"words\n")
            raise KeyError

    with pytest.raises(KeyError):
        write()


@pytest.mark.parametrize("begun", [True, False])
def test_the_first_line_drops_what_was_there(tmp_path: Path, begun: bool) -> None:
    file = tmp_path / "log"
    file.write_bytes(b"old\n" * 9)
    (log,) = open_logs([str(file)])
    assert log is not None
    if begun:
        log.begin()
        assert file.read_bytes() == b""
    log.write(b"new\n")
    log.write(b"more\n")
    log.close()
    assert file.read_bytes() == b"new\nmore\n"
