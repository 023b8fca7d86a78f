"""A game from outside in the commands (`--game FILE`)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from referee import cli
from tests.support.own_game import ONE_TAKER, STICKS, clean_games


@pytest.fixture(autouse=True)
def _games() -> Iterator[None]:
    with clean_games():
        yield


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the game and two bots, where the commands run."""
    (tmp_path / "sticks.py").write_text(STICKS.read_text())
    for name in ("a.py", "b.py"):
        (tmp_path / name).write_text(ONE_TAKER)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def broken(here: Path, line: str, other: str) -> None:
    text = STICKS.read_text()
    assert line in text
    (here / "sticks.py").write_text(text.replace(line, other, 1))


PLAY = ("play", "--game", "./sticks.py", "./a.py", "./b.py", "--seed", "3")
TOURNAMENT = ("tournament", "--game", "./sticks.py", "./a.py", "./b.py", "--sandbox", "none", "-q")


def test_the_printed_command_names_the_file(here: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert cli.main([*PLAY, "--set", "sticks=5"]) == 0
    again = "referee play --game ./sticks.py ./a.py ./b.py --seed 3 --set sticks=5"
    assert capfd.readouterr().out.splitlines()[-1].strip() == again


def test_the_listed_commands_name_the_file(here: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["bots", "--game", "./sticks.py"]) == 0
    out = capfd.readouterr().out
    assert "sticks (referee play --game ./sticks.py BOT BOT):" in out
    assert "referee new my_bot --game ./sticks.py" in out


def test_a_file_that_is_not_there(here: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["play", "--game", "./chess.py", "./a.py", "./b.py"]) == 2
    assert "no game ./chess.py: there is no such file" in capfd.readouterr().err


@pytest.mark.parametrize("seconds", ["10", "none"])
def test_a_mistake_of_the_game_ends_the_match_with_65(
    here: Path, capfd: pytest.CaptureFixture[str], seconds: str
) -> None:
    broken(here, "        take = 1\n", "        take = 1\n        {}['key']\n")
    assert cli.main([*PLAY, "--time-limit", seconds]) == 65
    out, err = capfd.readouterr()
    file = (here / "sticks.py").resolve()
    (line,) = err.splitlines()
    assert out == ""
    assert line.startswith(f"referee: the game sticks has a mistake: {file}, line ")
    assert line.endswith(", in advance: KeyError: 'key'; the match is void")


def test_a_tournament_in_worker_processes(here: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert cli.main([*TOURNAMENT, "--matches", "6", "--jobs", "2", "--seed", "1"]) == 0
    assert "6 of 6 matches" in capfd.readouterr().out


def test_a_tournament_goes_on_without_the_matches_that_a_game_spoils(
    here: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    spoiled = "(self, setup):\n        if setup.seed % 2: raise SystemExit\n"
    broken(here, "(self, setup):\n", spoiled)
    assert cli.main([*TOURNAMENT, "--matches", "20", "--jobs", "2", "--seed", "1"]) == 65
    out, err = capfd.readouterr()
    assert "20 of 20 matches" not in out
    assert "matches are void: the game made a mistake in them" in out.replace("\n", " ")
    (line,) = err.splitlines()
    assert "in __init__: SystemExit (" in line
    assert line.endswith(" matches are void)")
