"""Whether a bot seems to compute, from two measurements of its CPU time."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from referee.bots.processes.cpu import Usage, is_computing, stat_fields


@pytest.mark.parametrize(
    ("before", "now", "seconds", "computes"),
    [
        (None, Usage(5.0, True), 1.0, False),
        (Usage(5.0, True), None, 1.0, False),
        (Usage(5.0, False), Usage(6.0, False), 5.0, False),
        (Usage(5.0, False), Usage(6.25, False), 5.0, True),
        (Usage(5.0, False), Usage(9.0, False), 0.0, False),
        (Usage(5.0, True), Usage(5.0, True), 0.0, True),
        (Usage(5.0, False), Usage(5.0, True), 1.0, False),
        (Usage(5.0, True), Usage(5.0, False), 1.0, False),
    ],
)
def test_it_uses_more_than_a_fifth_of_a_core_or_runs_both_times(
    before: Usage | None, now: Usage | None, seconds: float, computes: bool
) -> None:
    assert is_computing(before, now, seconds) is computes


def test_a_program_may_have_any_name(tmp_path: Path) -> None:
    """Its own name must not shift the fields, or a bot could hide its CPU time."""
    program = shutil.copy("/bin/cat", tmp_path / "a) R 1 (b")
    with subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(b"x")
        process.stdin.flush()
        process.stdout.read(1)  # from now on it has its own name
        fields = stat_fields(process.pid)
        process.stdin.close()
    assert len(fields) == len(stat_fields(os.getpid()))
    assert int(fields[1]) == os.getpid()  # the parent
