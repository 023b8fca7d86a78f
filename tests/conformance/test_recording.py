"""Recording what another referee sends: lines, replies, endings, and the files kept of them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from referee.conformance.referee_side.recording import (
    SPACES,
    Line,
    RecordedMatch,
    RecordedSeat,
    check_transcripts,
    read_line,
)
from referee.conformance.verdict import LAST_LINES
from referee.errors import UsageError
from referee.games.interface.probing import ProbeAction

NO_OBJECT = "it is not a JSON object with a type"


@pytest.mark.parametrize(
    ("line", "wrong", "kind"),
    [
        (b'{"type":"x"}', "", "x"),
        (b'{"type":"x"}\r', "it ends with \\r\\n", "x"),
        (b'{"type":"x y"}\r', "it ends with \\r\\n", "x y"),
        (b'{"type": "x"}\r', SPACES, "x"),
        (b'{"type":7}', NO_OBJECT, ""),
        (b'["type"]', NO_OBJECT, ""),
        (b"[" * 100_000, NO_OBJECT, ""),
        (b"\xff", NO_OBJECT, ""),
    ],
    ids=["right", "cr", "space-cr", "spaces", "number", "array", "deep", "not-utf8"],
)
def test_a_line_says_what_is_wrong_with_it(line: bytes, wrong: str, kind: str) -> None:
    read = read_line(line)
    assert (read.wrong, read.kind) == (wrong, kind)


def test_a_reply_is_a_whole_line_that_is_not_blank() -> None:
    seat = RecordedSeat()
    seat.write(ProbeAction(b" \t\r\n\v\f\n{}\ntorn"))
    assert [reply.line for reply in seat.replies] == [b"\v\f", b"{}"]
    assert seat.lines == [b"<  \t\r", b"< \v\f", b"< {}", b"< torn"]
    assert seat.left is None


@pytest.mark.parametrize(
    ("then", "note"),
    [("exit", b"! exits"), ("close", b"! closes its output"), ("block", b"! blocks")],
)
def test_a_seat_says_how_it_was_left(then: str, note: bytes) -> None:
    seat = RecordedSeat()
    seat.write(ProbeAction(b"{}\n", then=then))
    assert seat.lines == [b"< {}", note]
    assert seat.left is seat.replies[0].action


def test_the_end_of_the_input_may_cut_a_line() -> None:
    whole, torn = RecordedSeat(), RecordedSeat()
    whole.end(b"")
    torn.end(b"{")
    assert (whole.ended, whole.received, whole.lines) == (True, [], [b"! its input ended"])
    assert (torn.ended, torn.received) == (True, [Line(b"{", wrong="it has no line end")])
    assert torn.lines == [b"> {", b"! its input ended"]


def test_a_violation_shows_the_lines_up_to_the_one_that_is_wrong() -> None:
    seat = RecordedSeat(lines=[b"> 0", b"< a", b"> 1", b"! b", *[b"< c"] * LAST_LINES])

    def shown(received: int) -> list[str]:
        match = RecordedMatch("pass", 1, [RecordedSeat(), seat])
        note, *lines = match.violation("departure", 1, received, "", "").conversation
        assert note == "! player2 of the match pass"
        return lines

    assert shown(0) == ["> 0"]
    assert shown(1) == ["> 0", "< a", "> 1"]
    assert shown(2) == ["< c"] * LAST_LINES


def test_each_seat_and_stderr_are_kept_in_a_folder_of_the_match(tmp_path: Path) -> None:
    recorded = RecordedMatch(
        "pass 2", 2, [RecordedSeat(lines=[b"> a", b"< b"]), RecordedSeat()], stderr=["oh"]
    )
    for _ in range(2):  # a later run replaces the files
        recorded.keep(tmp_path)
    folder = tmp_path / "pass-seed-2"
    assert {path.name: path.read_bytes() for path in folder.glob("*.txt")} == {
        "player1.txt": b"> a\n< b\n",
        "player2.txt": b"",
        "stderr.txt": b"oh\n",
    }
    with pytest.raises(UsageError):
        recorded.keep(folder / "stderr.txt")


@pytest.mark.parametrize("name", ["player1.txt", "player4.txt", "stderr.txt"])
def test_a_file_of_somebody_else_is_replaced_only_by_force(tmp_path: Path, name: str) -> None:
    (tmp_path / "pass").mkdir()
    (tmp_path / "pass" / name).write_text("a file of somebody else")
    with pytest.raises(UsageError, match="would be replaced"):
        check_transcripts(tmp_path, force=False)
    check_transcripts(tmp_path, force=True)


def test_a_folder_that_is_read_only_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "access", lambda path, mode: mode != os.W_OK)
    with pytest.raises(UsageError, match="Permission denied"):
        check_transcripts(tmp_path, force=False)
