"""Test the file of a running match in a tournament (spec/serve.md, 7)."""

from __future__ import annotations

import fcntl
import json
from functools import partial
from pathlib import Path

import pytest
from msgspec.structs import replace

from referee.bots.command import PythonBot
from referee.bots.stand_in import stand_in
from referee.logs.header import Kind
from referee.logs.verify import verify_record
from referee.match.spec import match_spec
from referee.tournament.playing import live
from referee.tournament.playing.batch import Batch
from referee.tournament.playing.live import LiveRecord, finished_path, live_path, remove_live
from referee.tournament.playing.task import play_batch
from referee.tournament.rows import Entrant, Plan
from referee.web.server.library import Library

BOT = PythonBot("bot", partial(stand_in, "dominion"))
BATCH = Batch(
    match_spec(["", ""], seed=0, options={"max_turns": 4}),
    {0: Entrant("a", "bot"), 1: Entrant("b", "bot")},
    (Plan(7, 0, 1, (0, 1)),),
    keep="all",
    sources={0: BOT, 1: BOT},
)


@pytest.mark.parametrize("opening", [0, 2], ids=["of objects", "in an event loop"])
@pytest.mark.parametrize("seconds", [-1.0, 60.0])
def test_a_match_that_takes_a_while_is_in_a_file_as_it_goes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seconds: float, opening: int
) -> None:
    """Afterwards it's closed, so nobody takes the match for one in progress."""
    monkeypatch.setattr(live, "LIVE_SECONDS", seconds)
    spec = replace(BATCH.spec, opening=opening)
    rows = play_batch(replace(BATCH, spec=spec, live=str(tmp_path)))
    assert isinstance(rows, list)
    found = []
    for path in tmp_path.iterdir():
        with path.open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            found.append(file.read())
    assert found == [rows[0].record][: seconds < 0]


def test_a_record_says_from_its_first_line_which_match_of_which_tournament_it_is(
    tmp_path: Path,
) -> None:
    place = {"tournament": f"sha256:{7:064}", "match": 7}
    other = f"sha256:{8:064}"
    played = [play_batch(replace(BATCH, tournament=t)) for t in ("", place["tournament"], other)]
    (plain,), (row,), (elsewhere,) = (rows for rows in played if isinstance(rows, list))
    headers = [json.loads(each.record.split(b"\n", 1)[0]) for each in (plain, row, elsewhere)]
    assert [header.get("place") for header in headers] == [
        None,
        place,
        place | {"tournament": other},
    ]
    assert list(headers[1])[-2:] == ["place", "started"]
    assert plain.digest == row.digest == elsewhere.digest  # the place isn't part of the digest
    (tmp_path / "record.jsonl").write_bytes(row.record)
    assert verify_record(str(tmp_path / "record.jsonl")).kind is Kind.VALID
    moved = row.record.replace(b'"match":7}', b'"match":-7}', 1)
    (tmp_path / "record.jsonl").write_bytes(moved)
    assert verify_record(str(tmp_path / "record.jsonl")).kind is Kind.MODIFIED


def test_what_is_written_is_there_at_once_and_locked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live, "LIVE_SECONDS", -1.0)
    path = live_path(tmp_path, 7)
    path.write_bytes(b"of an attempt before\n")
    record = LiveRecord(path)
    record.write(b"one\n")
    assert path.read_bytes() == b"one\n"
    with path.open("rb") as other, pytest.raises(BlockingIOError):
        fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)
    record.write(b"two\n")
    assert path.read_bytes() == record.data == b"one\ntwo\n"
    record.close()
    with path.open("rb") as other:
        fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)
    remove_live(tmp_path)
    assert not path.exists()


def test_a_folder_that_is_gone_ends_no_match(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live, "LIVE_SECONDS", -1.0)
    record = LiveRecord(live_path(tmp_path / "gone", 7))
    record.write(b"one\n")
    assert record.data == b"one\n"


def test_a_match_keeps_its_address_after_its_end(tmp_path: Path) -> None:
    at = live_path(tmp_path, 7)
    (tmp_path / "000007.record.jsonl.zst").touch()
    library = Library([str(tmp_path)])
    library.look()
    assert library.log(at.name) == library.log("000007.record.jsonl.zst") is not None
    assert finished_path("game.jsonl") == "game.jsonl"
