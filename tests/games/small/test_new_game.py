"""`referee new NAME --kind game`: a game to start from, with its test and a bot."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from referee import cli
from tests.support.helpers import ROOT
from tests.support.own_game import clean_games


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.chdir(tmp_path)
    with clean_games():
        yield


def new(*words: str) -> int:
    return cli.main(["new", *words, "--kind", "game"])


@pytest.mark.all_cases
def test_the_printed_commands_and_the_test_pass(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """The name "game" is a likely source of conflicts, since modules and options share it."""
    name = "game"
    assert new(name) == 0
    out = capfd.readouterr().out
    change, *commands = re.findall("^  (.*)$", out, re.MULTILINE)
    assert change == f"cd {name}"
    assert f"Then change {name}.py; " in out
    bin = tmp_path / "bin"
    bin.mkdir()
    (bin / "referee").write_text(f'#!/bin/sh\nexec {sys.executable} -m referee "$@"\n')
    (bin / "referee").chmod(0o755)
    path = f"{bin}{os.pathsep}{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    for command in (*commands, f"python3 test_{name}.py"):
        done = subprocess.run(
            command,
            shell=True,
            cwd=name,
            env={**os.environ, "PATH": path},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, (command, done.stdout, done.stderr)


def test_the_files_have_the_name_of_the_game(capfd: pytest.CaptureFixture[str]) -> None:
    assert new("three_kings") == 0
    files = {file.name: file.read_text() for file in Path("three_kings").iterdir()}
    assert files.keys() == {"three_kings.py", "test_three_kings.py", "my_bot.py", "README.md"}
    assert not any(re.search("my_?game", text, re.IGNORECASE) for text in files.values())
    assert "class ThreeKings(Game):" in files["three_kings.py"]
    assert files["README.md"].startswith("# Three Kings\n")


def test_the_game_is_the_one_of_the_page(capfd: pytest.CaptureFixture[str]) -> None:
    assert new("nim") == 0
    page = (ROOT / "spec" / "own-games.md").read_text()
    (code,) = re.findall(r"^Save this as `nim.py`:\n\n```python\n(.*?)^```", page, re.S | re.M)
    assert Path("nim", "nim.py").read_text().partition("\n\n")[2] == code


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["dominion"], "'dominion', as a game of the referee is: dominion_game would do"),
        (["random"], "'random', as a module is: random_game would do"),
        (["my_bot"], "'my_bot', as a module is: my_bot_game would do"),
        (["My-Game"], "give small letters, digits and _"),
        (["no/such/game"], "the folder does not exist: no/such"),
        (["chess", "--language", "c"], "--language is for a bot, not for --kind game"),
        (["chess", "--plain"], "--plain is for a bot, not for --kind game"),
        (["chess", "--game", "botwars"], "--game is for a bot, not for --kind game"),
    ],
)
def test_what_cannot_be_made(
    words: list[str], says: str, capfd: pytest.CaptureFixture[str]
) -> None:
    assert new(*words) == 2
    assert says in capfd.readouterr().err
    assert not [*Path().iterdir()]
