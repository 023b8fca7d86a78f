"""Test the API for reading records and logs (spec/reading-logs.md)."""

from __future__ import annotations

import gzip
import json
import os
import re
from pathlib import Path
from typing import Any

import msgspec
import pytest

import referee.logs
from referee.errors import LogReadError, UsageError
from referee.games.dominion.rules.messages import PlayTurn, SupplyInfo
from referee.logs import message_of, read_log, read_record, summaries
from referee.logs.record import EndEntry, Header, SentEntry
from referee.logs.source import LogReader
from referee.match.messages import GameEnd, PlayerName
from tests.support.helpers import ROOT
from tests.support.live import entries
from tests.support.live import referee as command_line

EXAMPLES = ROOT / "spec" / "examples"
RECORD = EXAMPLES / "four-players.record.jsonl"
LOG = EXAMPLES / "four-players.log.jsonl"


def test_every_name_is_there() -> None:
    for name in referee.logs.__all__:
        assert getattr(referee.logs, name) is not None
    assert set(dir(referee.logs)) == set(referee.logs.__all__)
    with pytest.raises(AttributeError):
        _ = referee.logs.no_such_name  # type: ignore[attr-defined]


def test_a_record_is_its_entries() -> None:
    read = list(read_record(RECORD))
    header, *others = [json.loads(msgspec.json.encode(entry)) for entry in read]
    first, *rest = entries(RECORD)
    first["options"] = header["options"] | first["options"]  # options of later versions
    assert [header, *others] == [first, *rest]
    assert isinstance(read[0], Header)
    assert isinstance(read[-1], EndEntry)
    messages = [message_of(entry) for entry in read if isinstance(entry, SentEntry)]
    assert {PlayTurn, SupplyInfo} <= set(map(type, messages))


def test_a_log_is_its_messages() -> None:
    read = list(read_log(str(LOG)))
    assert [json.loads(msgspec.json.encode(message)) for message in read] == entries(LOG)
    assert isinstance(read[0], PlayerName)
    assert isinstance(read[-1], GameEnd)


def test_compressed_cut_and_newer(tmp_path: Path) -> None:
    packed = tmp_path / "packed"
    packed.write_bytes(gzip.compress(RECORD.read_bytes()))
    assert list(read_record(packed)) == list(read_record(RECORD))
    cut = tmp_path / "cut"
    for end in (-1, -9):
        cut.write_bytes(LOG.read_bytes()[:end])
        assert list(read_log(cut)) == list(read_log(LOG))[:-1]
        cut.write_bytes(gzip.compress(RECORD.read_bytes()[:end]))
        assert [summary.end for summary in summaries([cut])] == [None]
        cut.write_bytes(RECORD.read_bytes()[:end])
        assert list(read_record(cut)) == list(read_record(RECORD))[:-1]
    whole, packed_too, unfinished = summaries(iter([RECORD, packed, cut]))
    assert whole.end == list(read_record(RECORD))[-1]
    assert (packed_too.header, packed_too.end) == (whole.header, whole.end)
    assert (unfinished.header, unfinished.end) == (whole.header, None)
    newer = tmp_path / "newer"
    newer.write_bytes(RECORD.read_bytes().replace(b'"version":1', b'"version":2', 1))
    for read in (read_record(newer), summaries([newer])):
        with pytest.raises(LogReadError, match="version 2"):
            list(read)


def test_the_summary_of_a_record_in_a_pipe() -> None:
    old = ROOT / "tests" / "golden" / "older" / "botwars.record.jsonl.zst"
    with LogReader(str(old)) as reader:
        data = b"".join(reader)
    output, given = os.pipe()
    os.write(given, data)
    os.close(given)
    (summary,) = summaries([f"/dev/fd/{output}"])
    os.close(output)
    assert summary.end == list(read_record(old))[-1]


def test_unknown_kinds_are_left_out(tmp_path: Path) -> None:
    lines = RECORD.read_bytes().splitlines(keepends=True)
    (tmp_path / "r").write_bytes(b"".join([lines[0], b'{"entry":"mood"}\n', *lines[1:]]))
    assert list(read_record(tmp_path / "r")) == list(read_record(RECORD))
    lines = LOG.read_bytes().splitlines(keepends=True)
    (tmp_path / "l").write_bytes(b"".join([lines[0], b'{"type":"mood"}\n', *lines[1:]]))
    assert list(read_log(tmp_path / "l")) == list(read_log(LOG))


@pytest.mark.parametrize(
    "data", [b"x\n", b"[]\n", b'{"entry":"end"}\n', b'{"entry":7}\n', b"\xff\n"]
)
def test_what_is_no_log(data: bytes, tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(data)
    for read in (read_record(file), summaries([file])):
        with pytest.raises(LogReadError, match="line 1"):
            list(read)
    lines = LOG.read_bytes().splitlines(keepends=True)
    file.write_bytes(lines[0] + data)
    with pytest.raises(LogReadError, match="line 2"):
        list(read_log(file))


@pytest.mark.parametrize("line", [b"[]\n", b'{"seat":1}\n', b"text\n"])
def test_a_line_without_a_kind_is_no_entry(line: bytes, tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(RECORD.read_bytes().splitlines(keepends=True)[0] + line)
    with pytest.raises(LogReadError, match="line 2: this is not an entry of a match record"):
        list(read_record(file))


def test_a_known_kind_must_have_its_fields(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(RECORD.read_bytes().splitlines(keepends=True)[0] + b'{"entry":"exit"}\n')
    with pytest.raises(LogReadError, match="line 2: this is not an entry of a match record"):
        list(read_record(file))
    file.write_bytes(LOG.read_bytes().splitlines(keepends=True)[0] + b'{"type":"game-end"}\n')
    with pytest.raises(LogReadError, match="line 2: this is not a message"):
        list(read_log(file))


def test_a_packed_record_is_at_most_so_long(tmp_path: Path) -> None:
    data = RECORD.read_bytes()
    packed = tmp_path / "packed"
    packed.write_bytes(gzip.compress(data))
    (summary,) = summaries([packed], most=len(data))
    assert summary.end is not None
    with pytest.raises(LogReadError, match="the file is longer than"):
        list(summaries([packed], most=len(data) - 1))


@pytest.mark.parametrize("new", [b'"seed":-', b'"names":["a"],"seed":', b'"names":7,"seed":'])
def test_a_header_that_no_match_can_have(new: bytes, tmp_path: Path) -> None:
    file = tmp_path / "record"
    file.write_bytes(RECORD.read_bytes().replace(b'"seed":', new, 1))
    for read in (read_record(file), summaries([file])):
        with pytest.raises(LogReadError, match="line 1: modified: not a valid header"):
            list(read)


def test_misuse() -> None:
    with pytest.raises(UsageError):
        list(read_record(EXAMPLES))
    with pytest.raises(UsageError, match="no game"):
        list(read_log(LOG, "chess"))


PAGE = (ROOT / "spec" / "reading-logs.md").read_text()
CODE = re.findall(r"^```python\n(.*?)^```", PAGE, re.S | re.M)


def test_the_page_shows_what_a_player_was_sent(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ROOT)
    exec(CODE[0])
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) > 20
    assert all(line.startswith(("PlayTurn", "AttackRequest", "PlayerName")) for line in lines)


@pytest.mark.slow
def test_the_page_makes_records_and_reads_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    command = re.search(r"^referee (tournament .*)", PAGE, re.M)
    assert command is not None
    monkeypatch.chdir(tmp_path)
    words = command[1].replace("--matches 1000", "--matches 2").split()
    assert "2" in words
    assert command_line(*words, "--quiet", "--jobs", "1").returncode == 0
    space: dict[str, Any] = {}
    exec(next(code for code in CODE if "seats" in code), space)
    rows = space["rows"]
    assert len(rows) == 4
    assert sum(row["win"] for row in rows) == 2
    assert {row["bot"] for row in rows} <= set(words)
    assert all(row["smithies"] >= 0 for row in rows)
