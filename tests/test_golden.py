"""The example transcripts can be reproduced with every supported version of Python."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any

import pytest

from referee.logs.record import RecordWriter
from referee.match.machine import Entry
from referee.match.spec import match_spec
from tests.support.live import entries, without_times
from tools.generators.make_examples import EXAMPLES, MATCHES, play

GOLDEN = Path(__file__).parent / "golden"
RECORDS = [*EXAMPLES.glob("*.record.jsonl"), *GOLDEN.glob("*.record.jsonl")]


@pytest.mark.parametrize("name", MATCHES)
def test_the_same_seed_and_bots_play_the_same_match(name: str, tmp_path: Path) -> None:
    play(name, tmp_path)
    log, record = f"{name}.log.jsonl", f"{name}.record.jsonl"
    assert (tmp_path / log).read_bytes() == (EXAMPLES / log).read_bytes()
    assert without_times(tmp_path / record) == without_times(EXAMPLES / record)


class Lines:
    """Collects the lines that are written to a log."""

    def __init__(self) -> None:
        self.data = b""

    def write(self, lines: bytes) -> None:
        self.data += lines

    def close(self) -> None: ...


def run_again(record: list[dict[str, Any]]) -> bytes:
    """Play a recorded match again with the same replies, and return the new record."""
    header, *rest = record
    spec = match_spec(
        header["bots"], game=header["game"], seed=header["seed"], options=header["options"]
    )
    match = spec.new_match()
    lines = Lines()
    writer = RecordWriter(lines, spec, header["started"])  # type: ignore[arg-type]
    match.start()
    noted: list[Entry] = match.take_entries()
    exits = []
    for entry in rest:
        seat = int(entry.get("player_number", "player0")[-1]) - 1
        if entry["entry"] == "received":
            raw = entry["line"].encode() if "line" in entry else base64.b64decode(entry["base64"])
            match.receive(seat, raw)
        elif entry["entry"] == "disqualified" and seat in match.due:
            match.disqualify(seat, entry["code"], entry["detail"])
        elif entry["entry"] == "exit":
            exits.append(entry["exit_code"])
        noted += match.take_entries()
    writer.write(noted, 0)
    writer.end(match, exits, 0)
    return lines.data


@pytest.mark.parametrize("file", RECORDS, ids=lambda file: file.name)
def test_a_record_holds_all_that_is_needed_to_run_the_match_again(
    file: Path, tmp_path: Path
) -> None:
    (tmp_path / "again").write_bytes(run_again(entries(file)))
    assert without_times(tmp_path / "again") == without_times(file)


def test_the_golden_records_show_faults_and_disqualifications() -> None:
    kinds = {entry["entry"] for file in RECORDS for entry in entries(file)}
    assert kinds == {"header", "sent", "received", "fault", "disqualified", "exit", "end"}
