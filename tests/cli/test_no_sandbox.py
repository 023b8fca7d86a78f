"""`--sandbox` on machines without a usable bubblewrap (sandbox.md, 4)."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from referee.bots.processes import sandbox
from tests.support.live import entries, referee

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="bubblewrap works only on Linux")
WORDS = ["play", "minimal", "smithy.json", "--max-turns", "1", "--seed", "1", "--sandbox", "auto"]
NOT_ALLOWED = """#!/bin/sh
echo "bwrap: No permissions to create new namespace" >&2
echo "bwrap: and more" >&2
exit 1
"""


@pytest.fixture(params=["missing", "not allowed"])
def no_bwrap(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[str]:
    """Make bubblewrap missing, or unable to create namespaces. Yields the expected message."""
    said = "bwrap is not installed: apt-get install bubblewrap"
    if request.param != "missing":
        file = tmp_path / "bwrap"
        file.write_text(NOT_ALLOWED)
        file.chmod(0o755)
        said = "bwrap does not work here (No permissions to create new namespace): "
    monkeypatch.setenv("PATH", str(tmp_path))
    sandbox._probed.cache_clear()
    yield said
    sandbox._probed.cache_clear()


@pytest.mark.parametrize(
    "words", ["play minimal minimal", "conform minimal", "tournament minimal minimal"]
)
def test_what_cannot_be_had_is_refused(no_bwrap: str, words: str) -> None:
    done = referee(*words.split(), "--sandbox", "bwrap")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"referee: --sandbox bwrap: {no_bwrap}")
    assert done.stderr.count("\n") == 1


def test_a_tournament_says_at_once_that_it_has_none(no_bwrap: str) -> None:
    """An organiser who runs strangers' bots must learn this before the matches, not afterwards."""
    words = ["tournament", "minimal", "minimal", "--deals", "1", "--seed", "1", "--quiet"]
    done = referee(*words, "--sandbox", "auto")
    assert done.returncode == 0
    assert done.stderr.startswith(f"referee: bots are in no sandbox: {no_bwrap}")
    assert done.stderr.count("\n") == 1
    assert referee(*words, "--sandbox", "none").stderr == ""


@pytest.mark.usefixtures("no_bwrap")
def test_auto_takes_what_there_is_and_says_so(tmp_path: Path) -> None:
    record = tmp_path / "record"
    done = referee(*WORDS, "--record", str(record))
    assert "Seed 1, sandbox none." in done.stdout
    assert "sandbox" not in entries(record)[0]  # log-format: none
    done = referee(*WORDS, "--format", "json")
    assert (done.returncode, json.loads(done.stdout)["sandbox"]) == (0, "none")
