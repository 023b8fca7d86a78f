"""Reading a bot's stderr from the file beside a record."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from referee.logs.record import STDERR_PART, StderrEntry
from referee.logs.stderr import lines_of, read_stderr, stderr_beside


@pytest.mark.parametrize(
    "end", [".record.jsonl.zst", ".record.jsonl.gz", ".record.jsonl", ".jsonl"]
)
def test_it_is_called_as_the_record(end: str) -> None:
    assert stderr_beside(f"a.b/7{end}", 1) == "a.b/7.player2.stderr"


@pytest.mark.parametrize("name", ["-", "", "record", "a.jsonl.b"])
def test_a_file_of_another_name_has_none(name: str) -> None:
    assert stderr_beside(name, 0) is None
    assert read_stderr(name, 0) is None


def beside(folder: Path) -> tuple[str, Path]:
    """Return the name of a record, and the path of the file for player 1's stderr."""
    return str(folder / "7.record.jsonl"), folder / "7.player1.stderr"


def test_the_end_of_a_long_file_is_read(tmp_path: Path) -> None:
    record, file = beside(tmp_path)
    file.write_bytes(b"first" + b"x" * (STDERR_PART - 4) + b"\xfflast\n")
    entry = read_stderr(record, 0)
    assert isinstance(entry, StderrEntry)
    assert (entry.player_number, entry.left_out) == ("player1", 7)
    assert entry.text.endswith("x\ufffdlast\n")
    assert read_stderr(record, 1) is None
    assert lines_of(entry)[0] == "[7 bytes left out]"


@pytest.mark.parametrize("kind", ["link", "fifo", "folder", "empty", "none", "NUL"])
def test_what_is_no_such_file_is_not_read(kind: str, tmp_path: Path) -> None:
    record, file = beside(tmp_path)
    match kind:
        case "link":
            (tmp_path / "secret").write_text("secret")
            file.symlink_to(tmp_path / "secret")
        case "fifo":
            os.mkfifo(file)
        case "folder":
            file.mkdir()
        case "empty":
            file.touch()
    name = record.replace("7", "\0") if kind == "NUL" else record
    assert read_stderr(name, 0) is None


def test_lines_can_control_no_terminal() -> None:
    entry = StderrEntry(player_number="player1", text="\x1b[2J a\r\n\tb\u202e\n", time=0.0)
    assert lines_of(entry) == ["?[2J a", "        b?"]
    assert lines_of(None) == []


def test_of_many_lines_both_ends_are_shown() -> None:
    text = "".join(f"{number}\n" for number in range(100))
    lines = lines_of(StderrEntry(player_number="player1", text=text, time=0.0))
    assert lines == [*map(str, range(8)), "... 84 lines left out", *map(str, range(92, 100))]
    text = "".join(f"{number}\n" for number in range(32))
    lines = lines_of(StderrEntry(player_number="player1", text=text, time=0.0))
    assert lines == [*map(str, range(32))]
