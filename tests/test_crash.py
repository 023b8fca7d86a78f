"""The referee killed with SIGKILL in the middle of a match: what it leaves proves itself."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from live import without_times

from referee.games import GAMES
from referee.logs.validate import validate_log
from referee.logs.verify import Kind, verify_record

MATCH = ("random_legal", "village_engine", "--seed", "3", "--quiet")


@pytest.mark.parametrize("lines", [1, 5, 40, 200])
def test_log_and_record_are_valid_prefixes(lines: int, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "referee", "play", *MATCH]
    whole, whole_log = tmp_path / "whole", tmp_path / "whole-log"
    subprocess.run([*command, "--record", str(whole), "--log", str(whole_log)], check=True)
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
    assert verdict.kind in (Kind.CUT_SHORT, Kind.HOLDS)  # it may have been done before the kill
    if verdict.kind == Kind.CUT_SHORT:
        assert f"cut short after line {len(entries)}, valid so far" in verdict.text
    findings = [f.section for f in validate_log(str(log), GAMES["dominion"])]
    assert findings == ([] if seen == whole_log.read_bytes() else ["2.14"])
