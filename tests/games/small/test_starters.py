"""`referee new --game FILE`: bots to start from, for every small game."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from referee import cli
from referee.bots.command import find_bot
from tests.support.conforming import failed
from tests.support.own_game import SMALL_GAMES, clean_games

LANGUAGES = ["python", "javascript"]


@pytest.fixture(autouse=True)
def _games() -> Iterator[None]:
    with clean_games():
        yield


def new(folder: str, game: str, language: str, capfd: pytest.CaptureFixture[str]) -> list[str]:
    """Create a bot in this folder and return the printed commands."""
    if language == "javascript" and shutil.which("node") is None:
        pytest.skip("no node on this machine")
    assert cli.main(["new", folder, "--game", game, "--language", language]) == 0
    out, err = capfd.readouterr()
    assert not err
    return re.findall("^  (.*)$", out, re.MULTILINE)


@pytest.mark.slow
@pytest.mark.parametrize("language", LANGUAGES)
async def test_a_new_bot_conforms(
    language: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copy(SMALL_GAMES["kuhn"], "kuhn.py")
    new("my_bot", "kuhn.py", language, capfd)
    assert await failed(find_bot("my_bot", "kuhn"), "kuhn") == []


@pytest.mark.slow
@pytest.mark.parametrize("language", LANGUAGES)
def test_the_printed_commands_find_the_game(
    language: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    file = 'sub/my_bot "best" game.py'
    Path("sub").mkdir()
    text = Path(SMALL_GAMES["kuhn"]).read_text()
    named = 'from referee.games.small import definition\nGAME = definition(Kuhn, "kuhn")\n'
    # The file name isn't always a valid name for a game, so we pass the name.
    Path(file).write_text(text + named)
    change, test, play = new("first_bot", file, language, capfd)
    assert change == "cd first_bot"
    assert "my_bot" not in "".join(path.name for path in Path("first_bot").iterdir())
    program = f"{sys.executable} -m referee"
    text = Path("first_bot", test.split()[-1]).read_text()
    (conform,) = re.findall(r"referee conform .*?_bot\.[a-z]+(?=[\n\"])", text)
    for command in (play, conform.replace('\\"', '"') + " --list"):
        done = subprocess.run(
            command.replace("referee", program, 1),
            shell=True,
            cwd="first_bot",
            capture_output=True,
            text=True,
            check=False,
        )
        assert (done.returncode, done.stderr) == (0, ""), command
    if language == "python":
        compile(text, "test", "exec")


def test_another_language_is_named(capfd: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["new", "my_bot", "--game", SMALL_GAMES["kuhn"], "--language", "go"]) == 2
    err = capfd.readouterr().err
    assert err == "referee: kuhn has no bot to start from in Go yet; there are python, javascript\n"
