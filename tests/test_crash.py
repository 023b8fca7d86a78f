"""Kills the referee in the middle of a match. The log and the record must still be valid."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from referee.games import GAMES
from referee.logs.validate import validate_log
from referee.logs.verify import Kind, verify_record
from tests.support.live import referee, without_times
from tests.support.marks import slow

MATCH = ("random_legal", "village_engine", "--seed", "3", "--quiet", "--max-turns", "9")


@pytest.fixture(scope="module")
def uninterrupted(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Play the whole match and return its record and log."""
    folder = tmp_path_factory.mktemp("whole")
    record, log = folder / "record", folder / "log"
    done = referee("play", *MATCH, "--record", str(record), "--log", str(log))
    assert done.returncode == 0
    return record, log


@pytest.mark.parametrize("lines", [slow(1), 40, slow(200)])
def test_log_and_record_are_valid_prefixes(
    lines: int, tmp_path: Path, uninterrupted: tuple[Path, Path]
) -> None:
    whole, whole_log = uninterrupted
    command = [sys.executable, "-m", "referee", "play", *MATCH]
    record, log = tmp_path / "record", tmp_path / "log"
    with subprocess.Popen(
        [*command, "--record", str(record), "--log", "-"], stdout=subprocess.PIPE
    ) as killed:
        assert killed.stdout is not None
        seen = b"".join(killed.stdout.readline() for _ in range(lines))
        killed.kill()
        seen += killed.stdout.read()
    log.write_bytes(seen)

    assert whole_log.read_bytes().startswith(seen)
    assert seen.endswith(b"\n")
    entries = without_times(record)
    assert entries == without_times(whole)[: len(entries)]
    verdict = verify_record(str(record))
    assert verdict.kind in (Kind.TRUNCATED, Kind.VALID)  # the match may end before we kill it
    if verdict.kind == Kind.TRUNCATED:
        assert f"truncated after line {len(entries)}, valid so far" in verdict.text
    findings = [f.section for f in validate_log(str(log), GAMES["dominion"])]
    assert findings == ([] if seen == whole_log.read_bytes() else ["2.14"])
