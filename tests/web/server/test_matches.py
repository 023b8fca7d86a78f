"""Which matches the server keeps as JSON, and which files are too large for it."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import pytest

from referee.errors import UsageError
from referee.web.server import matches
from referee.web.server.matches import Matches, Parts


def test_the_matches_viewed_last_are_kept_up_to_a_size(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[Any] = []
    monkeypatch.setattr(matches, "_KEPT_BYTES", 8)
    monkeypatch.setattr(matches, "check_in_place", lambda file: None)
    monkeypatch.setattr(matches, "_check_size", lambda file: None)
    monkeypatch.setattr(matches, "_read", lambda file, *_: read.append(file) or file)
    monkeypatch.setattr(
        Parts, "of", lambda file: Parts(file, b"1", b"2" * (20 if file == "large" else 1), b"34")
    )
    kept = Matches()

    def viewed(*files: Any) -> list[Any]:
        read.clear()
        assert [kept.parts(file).about for file in files] == [*files]
        return read.copy()

    assert viewed("a", "b", "a", "b") == ["a", "b"]  # both together have 8 bytes
    assert viewed("a", "c") == ["c"]
    assert viewed("a", "c", "b") == ["b"]
    assert viewed("c", "b", "a") == ["a"]
    assert viewed("large", "large") == ["large"]
    assert viewed("large", "a", "large") == ["a", "large"]
    read.clear()
    for names, errors in ((["x"], []), (["x"], [None]), (["y"], []), (["x"], ["oh"])):
        kept.parts("small", names, errors)  # type: ignore[arg-type]
    assert read == ["small"] * 3


@pytest.mark.parametrize("packed", [False, True])
def test_a_file_that_is_too_large_is_not_shown(
    packed: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "game.jsonl"
    data = b"{}\n" * 700
    path.write_bytes(gzip.compress(data) if packed else data)

    class Shown:
        id = "game"
        path = str(tmp_path / "game.jsonl")

    monkeypatch.setattr(matches, "MAX_FILE", len(data))
    matches._check_size(Shown())  # type: ignore[arg-type]
    monkeypatch.setattr(matches, "MAX_FILE", len(data) - 1)
    with pytest.raises(UsageError, match="unpacked" if packed else "0 MB, more than is shown"):
        matches._check_size(Shown())  # type: ignore[arg-type]
