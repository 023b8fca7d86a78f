"""Test stderr in the match record (spec/log-format.md, 2.12)."""

from __future__ import annotations

import shlex
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import trio

from referee.games.interface.faults import Disqualification
from referee.logs.conversation import answers_before
from referee.logs.entries import read_record
from referee.logs.record import (
    STDERR,
    STDERR_CAP,
    STDERR_PART,
    RecordedStderr,
    RecordWriter,
    StderrEntry,
)
from referee.logs.replay.reader import Replay, Skipped
from referee.logs.rerun import rerun_of
from referee.logs.sink import MemorySink
from referee.logs.source import LogReader
from referee.logs.verify import Kind, Verdict, verify_record
from referee.match.spec import match_spec
from tests.support.batches import kept
from tests.support.damage import with_digest
from tests.support.live import entries, hostile, play

BOTS = (kept(), hostile("exit_at", 3), kept())
"""The first and last bot write "match 1" to stderr before each reply.
The other one writes "giving up" and exits.
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Play a match with and without recording stderr, in the folders `with` and `without`."""
    folder = tmp_path_factory.mktemp("matches")
    for name, recorded in (("with", True), ("without", False)):
        (folder / name).mkdir()

        async def match(name: str = name, recorded: bool = recorded) -> None:
            await play(folder / name, *BOTS, record_stderr=recorded, max_turns=2)

        trio.run(match)
    return folder


@pytest.fixture
def lines(folder: Path) -> list[bytes]:
    return (folder / "with" / "record").read_bytes().splitlines(keepends=True)


def verified(folder: Path, lines: list[bytes]) -> Verdict:
    (folder / "record").write_bytes(b"".join(lines))
    return verify_record(str(folder / "record"))


def said(file: Path, player: str) -> list[dict[str, Any]]:
    return [
        entry
        for entry in entries(file)
        if entry["entry"] == "stderr" and entry["player_number"] == player
    ]


# --- position in the record -----------------------------------------------------------------------


def test_it_stands_right_before_the_answer_that_followed_it(folder: Path) -> None:
    record = entries(folder / "with" / "record")
    answers = 0
    for before, entry in pairwise(record):
        if entry["entry"] == "received" and entry["player_number"] != "player2":
            answers += 1
            assert before["entry"] == "stderr"
            assert before["player_number"] == entry["player_number"]
            assert before["text"] == "match 1\n"
    assert answers > 4
    assert len([entry for entry in record if entry["entry"] == "stderr"]) == answers + 1


def test_the_words_of_a_bot_that_leaves_stand_before_its_disqualification(folder: Path) -> None:
    record = entries(folder / "with" / "record")
    left = next(i for i, entry in enumerate(record) if entry["entry"] == "disqualified")
    assert record[left - 1]["text"] == "giving up\n"
    assert record[left - 1]["player_number"] == record[left]["player_number"] == "player2"


def test_the_traceback_of_a_bot_that_crashes_is_there(tmp_path: Path) -> None:
    bot = shlex.join([sys.executable, "-c", "1 / 0"])
    trio.run(lambda: play(tmp_path, "minimal", bot, record_stderr=True))
    (entry,) = said(tmp_path / "record", "player2")
    assert entry["text"].startswith("Traceback")
    assert entry["text"].endswith("ZeroDivisionError: division by zero\n")


def test_last_words_stand_before_the_exits(tmp_path: Path) -> None:
    """Text after a bot's last reply is recorded before its exit code."""
    sink, stderr = MemorySink(), [RecordedStderr(), RecordedStderr()]
    spec = match_spec(["a", "b"], seed=3)
    writer = RecordWriter(sink, spec, "2026-01-01", stderr)
    match = spec.new_match()
    match.start()
    for seat in (0, 1):
        stderr[seat].feed(b"early")
        stderr[seat].mark()
        stderr[seat].feed(b" late")
        match.disqualify(seat, Disqualification.FAILED_TO_START, "it could not be started")
    writer.write(match.take_entries(), 0.5)
    writer.end(match, [None, None], 1)
    file = tmp_path / "record"
    file.write_bytes(sink.data)
    assert [entry["text"] for entry in said(file, "player2")] == ["early", " late"]
    kinds = [entry["entry"] for entry in entries(file)]
    assert kinds[-5:] == ["stderr", "exit", "stderr", "exit", "end"]
    assert verify_record(str(file)).kind == Kind.VALID
    *_, over, after = rerun_of(str(file)).rounds()
    assert [said.text for said in over.stderr] == ["early"] * 2
    assert (after.entries, after.time) == ([], 1.0)
    assert [said.text for said in after.stderr] == [" late"] * 2


# --- what is recorded -----------------------------------------------------------------------------


def test_bytes_that_are_no_text(tmp_path: Path) -> None:
    words = tmp_path / "words"
    words.write_bytes(b'\xff\xfe \x1b[2J\0 "\xc3\xa9"\n')
    trio.run(lambda: play(tmp_path, "minimal", hostile("shout", words), record_stderr=True))
    (entry,) = said(tmp_path / "record", "player2")
    assert entry["text"] == '\ufffd\ufffd \x1b[2J\0 "\xe9"\n'
    assert b"\\u001b[2J\\u0000" in (tmp_path / "record").read_bytes()


def test_a_flood_is_cut(tmp_path: Path) -> None:
    trio.run(lambda: play(tmp_path, "minimal", hostile("noisy"), record_stderr=True, max_turns=1))
    parts = said(tmp_path / "record", "player2")
    megabyte = 6 * 1000 * 170 + 1
    for part in parts:
        assert len(part["text"]) + part["left_out"] == megabyte
        assert len(part["text"]) == STDERR_PART
        assert part["text"].endswith("noise \n")
    assert len(parts) == 3  # one for the handshake, and one for each of two requests


def test_a_bot_has_so_much_and_its_last_words() -> None:
    stderr = RecordedStderr()
    taken = []
    for number in range(100):
        stderr.feed(b"%05d" % number * (STDERR_PART // 10))
        stderr.mark()
        taken.append(stderr.take())
    assert sum(len(text) for text, _ in taken) <= STDERR_CAP
    written = [text for text, _ in taken if text]
    assert taken[: len(written)] == [(text, 0) for text in written]
    assert len(written) >= STDERR_CAP // STDERR_PART
    stderr.feed(b"the end")
    text, left_out = stderr.take(last=True)
    assert text.endswith("00099the end")
    assert len(text) == STDERR_PART
    assert sum(map(len, written)) + len(text) + left_out == 100 * (STDERR_PART // 10) * 5 + 7


def test_what_is_recorded_before_a_reply_ends_at_the_cap() -> None:
    stderr = RecordedStderr()
    taken = []
    for _ in range(STDERR_CAP // STDERR_PART + 1):
        stderr.feed(b"x" * STDERR_PART)
        stderr.mark()
        taken.append(len(stderr.take()[0]))
    assert taken == [STDERR_PART] * (STDERR_CAP // STDERR_PART) + [0]


@pytest.mark.parametrize("more", [0, 1])
def test_so_much_is_recorded_at_a_time(more: int) -> None:
    stderr = RecordedStderr()
    stderr.feed(b"x" * (STDERR_PART + more))
    assert stderr.take(last=True) == ("x" * STDERR_PART, more)


def test_output_after_the_last_reply_waits_for_the_next() -> None:
    stderr = RecordedStderr()
    stderr.feed(b"early")
    stderr.mark()
    stderr.feed(b"late")
    assert [stderr.take(), stderr.take()] == [("early", 0), ("", 0)]
    stderr.mark()
    assert stderr.take() == ("late", 0)


def test_what_was_dropped_is_not_text_before_the_reply() -> None:
    """If all output before the last reply was dropped, later output isn't before it either."""
    stderr = RecordedStderr()
    stderr.feed(b"early")
    stderr.mark()
    stderr.feed(b"x" * (STDERR_PART + 3))
    assert stderr.take()[0] == ""
    assert stderr.take(last=True) == ("x" * STDERR_PART, 8)


def test_a_character_may_come_in_two_pieces() -> None:
    stderr = RecordedStderr()
    parts = []
    for piece in (b"caf\xc3", b"\xa9", b"\xe2\x82"):
        stderr.feed(piece)
        stderr.mark()
        parts.append(stderr.take()[0])
    assert [*parts, stderr.take(last=True)[0]] == ["caf", "\xe9", "", "\ufffd"]


# --- readers --------------------------------------------------------------------------------------


def test_the_rest_is_as_without_it(folder: Path) -> None:
    def without_times(name: str) -> list[dict[str, Any]]:
        return [
            {key: value for key, value in entry.items() if key not in ("time", "started")}
            for entry in entries(folder / name / "record")
            if entry["entry"] != "stderr"
        ]

    assert without_times("with") == without_times("without")  # even the digests are equal
    assert STDERR not in (folder / "without" / "record").read_bytes()


def test_readers_know_it_or_pass_over_it(folder: Path) -> None:
    name, without = (str(folder / each / "record") for each in ("with", "without"))
    read = [entry for entry in read_record(name) if isinstance(entry, StderrEntry)]
    assert read[0] == StderrEntry(player_number="player1", text="match 1\n", time=read[0].time)
    assert len(list(read_record(name))) == len(list(read_record(without))) + len(read)
    assert answers_before(name, 2).answers == answers_before(without, 2).answers
    with LogReader(name) as reader, LogReader(without) as other:
        items = list(Replay(reader).items())
        assert not [item for item in items if isinstance(item, Skipped)]
        assert len(items) == len(list(Replay(other).items()))


def test_it_may_be_edited_moved_and_removed(lines: list[bytes], tmp_path: Path) -> None:
    assert verified(tmp_path, lines).kind == Kind.VALID
    assert with_digest(lines) == lines
    (first, *_) = [line for line in lines if line.startswith(STDERR)]
    rest = [line for line in lines if not line.startswith(STDERR)]
    assert verified(tmp_path, rest).kind == Kind.VALID
    text = b'"text":"match 1'
    edited = [line.replace(text, b'"text":"nothing') for line in lines]
    assert edited != lines
    assert verified(tmp_path, edited).kind == Kind.VALID
    everywhere = [rest[0], *(line for each in rest[1:] for line in (first, each))]
    verdict = verified(tmp_path, everywhere)
    assert (verdict.kind, verdict.lines) == (Kind.VALID, len(everywhere))
    assert verified(tmp_path, [*everywhere[:41], first[:-9]]).kind == Kind.TRUNCATED


def test_all_else_is_checked(lines: list[bytes], tmp_path: Path) -> None:
    place = next(i for i, line in enumerate(lines) if b'"actions":1' in line and i > 30)
    other = [*lines]
    other[place] = other[place].replace(b'"actions":1', b'"actions":2')
    verdict = verified(tmp_path, other)
    assert (verdict.kind, verdict.line) == (Kind.MODIFIED, place + 1)
    verdict = verified(tmp_path, with_digest(other))  # the stderr after this line is skipped
    assert (verdict.kind, verdict.line) == (Kind.RULES_CHANGED, place + 1)
    assert verified(tmp_path, [*lines, lines[-1]]).kind == Kind.MODIFIED
    for wrong in (b"nonsense\n", b'"player_number":"player1","time":1}\n'):
        verdict = verified(tmp_path, [*lines[:40], STDERR + wrong, *lines[40:]])
        assert (verdict.kind, verdict.line) == (Kind.MODIFIED, 41)
        assert "line 41: modified: the line is not an entry of a record" in verdict.text
    (stderr, *_) = [line for line in lines if line.startswith(STDERR)]
    assert verified(tmp_path, [*lines, stderr]).kind == Kind.MODIFIED
