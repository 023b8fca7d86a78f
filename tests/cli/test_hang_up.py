"""A terminal that goes away, e.g. with its connection. That's like a closed pipe, not a bug."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.live import end_left_behind
from tests.support.marks import slow
from tests.support.typing_person import TypingPerson

LONG = ("minimal", "minimal", "--deals", "DEALS", "--jobs", "1", "--seed", "1")


STORED = ("tournament", *LONG, "--sandbox", "none", "--store", "STORE")


@pytest.mark.parametrize(
    ("words", "shown", "ignores"),
    [
        slow(("tournament", *LONG), "matches/s", False),
        slow(STORED, "matches/s", True),
        (("play", "human", "big_money.json", "--seed", "1"), "> ", False),
        (("play", "human", "big_money.json", "--seed", "1"), "> ", True),
        slow(("serve", "--listen", "127.0.0.1:0"), "http", False),
    ],
)
def test_the_command_ends_like_after_sighup(
    words: tuple[str, ...], shown: str, ignores: bool, tmp_path: Path
) -> None:
    """Under `nohup` the command ignores SIGHUP, and only notices when it can no longer write."""
    # With SIGHUP ignored, the tournament runs to its end before it fails to print the table.
    named = {"STORE": str(tmp_path / "s.sqlite"), "DEALS": "30" if ignores else "3000"}
    words = tuple(named.get(word, word) for word in words)
    person = TypingPerson(
        *words,
        TMPDIR=str(tmp_path),
        ignores_hangup=ignores,
        folder=tmp_path,
        forks=words[0] == "play",
    )
    try:
        person.expect(shown)
        assert person.hang_up() == 129
    finally:
        person.close()
        end_left_behind(10)
    assert list(tmp_path.glob("referee-bug-*")) == []
