"""Fixtures of the tests of commands."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from referee import play_match
from referee.cli import registry
from tests.support.batches import play_in_a_thread


@pytest.fixture(scope="session", autouse=True)
def _parsers_are_made_once() -> Iterator[None]:
    """Making a parser takes longer than many commands, and these tests run a thousand."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(registry, "command_parser", cache(registry.command_parser))
        yield


@pytest.fixture
def in_a_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    play_in_a_thread(monkeypatch)


@pytest.fixture(scope="session")
def short_record(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The record of a match of four turns."""
    file = tmp_path_factory.mktemp("short") / "short.record.jsonl"
    bots = ["big_money.json", "smithy.json"]
    play_match(bots, seed=1, options={"max_turns": 2}, record=file)
    return file
