"""The commands know the bot that is bundled with the small games."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from referee import cli
from referee.bots.bundled import bots_of_own_games
from tests.support.own_game import SMALL_GAMES, STICKS, clean_games
from tests.support.sandboxed import needs_bwrap

KUHN = SMALL_GAMES["kuhn"]


@pytest.fixture(autouse=True)
def _games() -> Iterator[None]:
    with clean_games():
        yield


def out_of(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert cli.main([*words]) == 0
    out, err = capsys.readouterr()
    assert not err
    return out


def test_it_is_listed_and_shown(capsys: pytest.CaptureFixture[str]) -> None:
    out = out_of(capsys, "bots", "--game", KUHN)
    assert "  any_move  Plays a listed move at random, " in out
    assert f"To read one: referee bots --show NAME --game {KUHN}" in out
    shown = out_of(capsys, "bots", "--show", "any_move", "--game", KUHN)
    assert '{"type": "move-reply", "move": ' in shown


@pytest.mark.slow
def test_its_moves_follow_from_the_seed(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    logs = [tmp_path / "1", tmp_path / "2"]
    for log in logs:
        out_of(
            capsys,
            *("play", "any_move", "any_move", "--game", KUHN, "--seed", "5", "--log", str(log)),
        )
    one, other = (log.read_text() for log in logs)
    assert one == other


@needs_bwrap
@pytest.mark.slow
def test_it_plays_a_tournament_in_the_sandbox(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    bots = ("Ann=any_move", "Ben=any_move 2")
    assert cli.main(["tournament", *bots, "--game", KUHN, "--matches", "4"]) == 0
    assert "4 of 4 matches" in capsys.readouterr().out


@pytest.mark.parametrize("game", [[], ["--game", "botwars"], ["--game", str(STICKS)]])
def test_it_needs_a_small_game(game: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert bots_of_own_games() == {"any_move"}
    assert cli.main(["play", "any_move", "any_move", *game]) == 2
    assert "any_move plays games that are one class, not" in capsys.readouterr().err


def test_a_game_that_is_called_as_a_folder_of_bots_has_none(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    named = tmp_path / "small.py"
    named.write_text(STICKS.read_text().replace('name="sticks"', 'name="small"'))
    assert "any_move" not in out_of(capsys, "bots", "--game", str(named))
