"""Test the match record (spec/log-format.md, 2): lines, digest and schema."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections import defaultdict
from functools import partial
from pathlib import Path
from typing import Any

import jsonschema
import msgspec
import pytest
import trio
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from referee.games import GAMES
from referee.games.outside import Source
from referee.logs.header import read_header
from referee.logs.record import (
    Header,
    Place,
    RecordWriter,
    entry_types,
    header_of,
    is_of_other_game,
    received_head,
    spec_of,
    without_time,
)
from referee.logs.sink import MemorySink
from referee.match.machine import Received, Redeal
from referee.match.sandbox import Sandbox
from referee.match.spec import MatchSpec, match_spec
from tests.support.helpers import name_line
from tests.support.live import ROOT, entries, hostile, play

SCHEMAS = ROOT / "spec" / "schema"


def validator(name: str) -> jsonschema.Draft202012Validator:
    return jsonschema.Draft202012Validator(json.loads((SCHEMAS / name).read_text()))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Play a match with many faults, and return the folder of its logs."""
    folder = tmp_path_factory.mktemp("match")
    line = folder / "line"
    line.write_bytes(b"\xff\xfe not text\n")
    bots = (
        "village_engine",
        hostile("garbage", f"3:{line}"),
        "militia_money",
        hostile("exit_at", 6),
    )
    trio.run(partial(play, folder, *bots, patient=[0, 2]))
    return folder


def some_of_each_kind(lines: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return a line of each type of entry and message, and the last five lines."""
    kinds: defaultdict[tuple[str, str], list[dict[str, Any]]] = defaultdict(list)
    for line in lines:
        kinds[line.get("entry", ""), line.get("message", line).get("type", "")].append(line)
    return [line for kind in kinds.values() for line in kind[:1]] + lines[-5:]


def test_the_lines_validate_against_their_schema(folder: Path) -> None:
    public = validator("dominion-v1-spectator-log.schema.json")
    for message in some_of_each_kind(entries(folder / "log")):
        public.validate(message)
    record = some_of_each_kind(entries(folder / "record"))
    whole = validator("dominion-v1-match-record.schema.json")
    for entry in record:
        whole.validate(entry)
    to_bot = validator("dominion-v1-to-bot.schema.json")
    for entry in record:
        if entry["entry"] == "sent":
            to_bot.validate(entry["message"])


def test_the_replies_of_the_example_bots_validate(folder: Path) -> None:
    from_bot = validator("dominion-v1-from-bot.schema.json")
    replies = [
        json.loads(entry["line"])
        for entry in entries(folder / "record")
        if entry["entry"] == "received" and entry["player_number"] in ("player1", "player3")
    ]
    for reply in replies:
        from_bot.validate(reply)
    assert len(replies) > 50


def test_the_schema_tells_wrong_replies() -> None:
    from_bot = validator("dominion-v1-from-bot.schema.json")
    for wrong in (
        {},
        {"type": "play-reply"},
        {"type": "play-reply", "phase": "attack"},
        {"type": "play-reply", "phase": "buy", "played_treasures": 5},
        {"type": "play-reply", "phase": "buy", "cards_to_buy": ["platinum"]},
        {"type": "attack-reply"},
        {"type": "attack-reply-reaction", "reaction": "hide"},
        {"type": "player-name-reply", "player_number": "player1"},
        {"type": "player-name-reply", "player_number": "player1", "name": "x", "version": 2},
    ):
        assert not from_bot.is_valid(wrong), wrong


def test_the_lines_are_what_the_structs_say(folder: Path) -> None:
    """The writer formats lines by hand, so we check that the structs can decode all of them."""
    decoder = msgspec.json.Decoder(entry_types(GAMES["dominion"]).any)
    for line in (folder / "record").read_bytes().splitlines():
        again: dict[str, Any] = json.loads(msgspec.json.encode(decoder.decode(line)))
        assert again == json.loads(line)


def test_first_and_last_line(folder: Path) -> None:
    first, *_, last = entries(folder / "record")
    assert first["entry"] == "header"
    assert first["format"] == "referee-match-record"
    assert first["version"] == 1
    assert first["seed"] == 1
    assert first["bots"][0] == "village_engine"
    assert first["options"]["max_turns"] == 500
    assert last["entry"] == "end"
    assert last["players"][3]["disqualified"] == "exited"
    assert last["winners"]
    assert [len(player["cards"]) > 0 for player in last["players"]] == [True] * 4


def test_exit_codes_stand_before_the_end_in_seat_order(folder: Path) -> None:
    exits = entries(folder / "record")[-5:-1]
    assert [entry["player_number"] for entry in exits] == [f"player{n}" for n in (1, 2, 3, 4)]
    assert [entry["exit_code"] for entry in exits] == [None, 0, None, 3]


def test_the_digest_is_over_the_lines_without_their_time(folder: Path) -> None:
    *lines, last = (folder / "record").read_bytes().splitlines(keepends=True)
    timed = re.compile(rb',"(time|started)":("[^"]*"|[0-9.]+)}\n$')
    without = b"".join(timed.sub(b"}\n", line) for line in lines)
    digest = hashlib.sha256(without).hexdigest()
    assert json.loads(last)["digest"] == f"sha256:{digest}"


def test_a_fault_follows_its_line_and_names_its_section(folder: Path) -> None:
    record = entries(folder / "record")
    at = next(i for i, entry in enumerate(record) if entry["entry"] == "fault")
    assert record[at]["player_number"] == "player2"
    assert record[at]["code"] == "invalid-json"
    before = [entry for entry in record[:at] if entry["entry"] == "received"][-1]
    assert base64.b64decode(before["base64"]) == b"\xff\xfe not text"


@pytest.mark.parametrize(
    ("line", "field"),
    [
        (b'{"type":"play-reply","phase":"cleanup"}', "line"),
        ("é".encode() * 2000, "line"),
        (b'"' * 99, "line"),  # 200 bytes with the quotes
        (b'"' * 100, "base64"),
        (b"\x01" * 33, "line"),
        (b"\x01" * 34, "base64"),
        (b"a" * 602 + b'"' * 398, "line"),  # 1,400 bytes as a JSON string
        (b"a" * 601 + b'"' * 399, "base64"),
        (b"\xff", "base64"),
    ],
)
def test_what_escapes_would_blow_up_is_base64(line: bytes, field: str) -> None:
    """We use Base64 if the JSON string is longer than 200 bytes and 1.4 times the line (2.3)."""
    entry = json.loads(received_head(Received(0, line)) + b"}")
    assert {"line", "base64"} & entry.keys() == {field}
    value = entry[field]
    assert (value.encode() if field == "line" else base64.b64decode(value)) == line


@given(st.binary(max_size=60) | st.text(max_size=60).map(str.encode), st.integers(1, 20))
def test_a_line_takes_no_more_than_its_bytes_and_a_bit(part: bytes, times: int) -> None:
    line = part * times
    assert len(received_head(Received(0, line))) <= 1.4 * len(line) + 260


def written(spec: MatchSpec, *, to_file: bool = True, **header: Any) -> tuple[bytes, str]:
    """Write a match in which nobody buys anything. Return the record and its digest."""
    sink = MemorySink()
    writer = RecordWriter(sink if to_file else None, spec, "2026-01-01", **header)
    match = spec.new_match()
    match.start()
    while match.due:
        writer.write(match.take_entries(), 0.5)
        for seat in match.due:
            reply = b'{"type":"play-reply","phase":"cleanup"}'
            match.receive(seat, name_line(seat) if match.in_handshake else reply)
    writer.write(match.take_entries(), 0.5)
    digest = writer.end(match, [0, None], 1)
    return sink.data, digest


def test_a_header_describes_the_whole_match() -> None:
    spec = match_spec(["a", "b"], seed=3, options={"max_turns": 2, "memory_limit": None})
    own = tuple(spec.limits._replace(time_limit=limit) for limit in (10.0, 2.5))
    redeals = (Redeal(2, 7), Redeal(4, 8))
    spec = replace(
        spec, sandbox=Sandbox("bwrap"), names=("x", ""), redeals=redeals, limits_of_bots=own
    )
    data, _ = written(spec, limits_by="rlimits")
    header = read_header(data.splitlines(keepends=True)[0])
    assert isinstance(header, Header)
    assert spec_of(header) == spec
    assert header.limits_by == "rlimits"


def test_a_record_of_a_file_is_not_of_a_built_in_game() -> None:
    header = header_of(match_spec(["a", "b"], seed=3), "2026-01-01")
    assert not is_of_other_game(header)
    assert is_of_other_game(replace(header, game_file=Source("dominion.py", "sha256:0")))


def test_the_digest_is_the_same_without_a_file_and_in_another_tournament() -> None:
    spec = match_spec(["a", "b"], seed=3, options={"max_turns": 75})
    data, digest = written(spec)
    assert data.count(b"\n") > 500  # so that entries are hashed in several batches
    assert written(spec, to_file=False) == (b"", digest)
    placed, same = written(spec, place=Place("sha256:" + "0" * 64, 7))
    assert same == digest
    assert placed != data
    assert digest.encode() in placed


def test_times_never_go_back(folder: Path) -> None:
    times = [entry["time"] for entry in entries(folder / "record") if "time" in entry]
    assert times == sorted(times)
    assert times[0] >= 0


def test_only_the_last_field_of_a_line_is_its_time() -> None:
    line = b'{"message":{"turn":1,"time":2}'
    assert without_time(line + b',"time":3.5}\n') == line + b"}\n"
