"""Fixtures of the tests of commands."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from referee import cli, play_match
from referee.cli import registry
from tests.support.batches import play_in_a_thread
from tests.support.helpers import Say


@pytest.fixture(scope="session", autouse=True)
def _parsers_are_made_once() -> Iterator[None]:
    """Making a parser takes longer than many commands, and these tests run a thousand."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(registry, "command_parser", cache(registry.command_parser))
        yield


@pytest.fixture
def in_a_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    play_in_a_thread(monkeypatch)


@pytest.fixture
def say(in_a_thread: None, capsys: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Say:
    """Run a command in an empty folder. Returns its exit code, stdout and stderr."""
    monkeypatch.chdir(tmp_path)

    def run(*words: str) -> tuple[int, str, str]:
        code = cli.main([*words])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return run


@pytest.fixture(scope="session")
def short_record(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The record of a match of four turns."""
    file = tmp_path_factory.mktemp("short") / "short.record.jsonl"
    bots = ["big_money.json", "smithy.json"]
    play_match(bots, seed=1, options={"max_turns": 2}, record=file)
    return file
