"""Choosing the working directory of a bot without a sandbox.

It is the folder of the bot's program, unless an argument of the command may be a relative path.
"""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import pytest

from referee.bots.command import find_bot, resolve_bot
from referee.bots.processes.place import from_here, start_place


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Change to a folder that has a bot in the subfolder `own`."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "own").mkdir()
    (tmp_path / "own/bot.py").touch()
    (tmp_path / "own/bot").touch(0o755)
    (tmp_path / "book.txt").touch()
    return tmp_path


@pytest.mark.parametrize(
    ("command", "program"),
    [
        ("own/bot.py", "bot.py"),
        ("own/bot", "bot"),
        ("own/bot --depth 3 -x=4", "bot"),
        ("python3 own/bot.py", "bot.py"),
        ("python3 -u own/bot.py", "bot.py"),
        ("sh own/bot", "bot"),
    ],
)
def test_the_folder_of_the_program(here: Path, command: str, program: str) -> None:
    folder, argv = start_place(resolve_bot(command))
    assert folder == str(here / "own")
    assert str(here / "own" / program) in argv


@pytest.mark.parametrize(
    "command",
    [
        "own/bot book.txt",
        "own/bot --book=book.txt",
        "own/bot --to=new/file",
        "python3 own/bot.py own",
        "java -cp own Bot" if shutil.which("java") else "sh -x own",
        "sh -c 'cd own; ./bot'",
        f"{sys.executable} -m own.bot",
        "python3 -c pass",
    ],
)
def test_a_word_that_may_be_a_path_is_meant_from_here(command: str) -> None:
    found = resolve_bot(command)
    assert start_place(found) == ("", [*found.argv])


def test_how_a_folder_is_shown(here: Path) -> None:
    assert from_here(str(here / "own")) == "own"
    assert from_here(str(here)) == str(here)
    assert from_here("/usr") == "/usr"


def test_a_chosen_folder_stays(here: Path) -> None:
    folder, argv = start_place(resolve_bot("./bot", str(here / "own")))
    assert (folder, argv) == (str(here / "own"), [str(here / "own/bot")])


def test_the_python_of_an_environment_is_no_program_of_a_bot(here: Path) -> None:
    (here / "env").mkdir()
    os.symlink(sys.executable, here / "env/python3.11")
    folder, argv = start_place(resolve_bot("env/python3.11 own/bot.py"))
    assert folder == str(here / "own")
    assert argv == [str(here / "env/python3.11"), str(here / "own/bot.py")]


@pytest.mark.extras
def test_a_bot_of_an_adapter(here: Path) -> None:
    pytest.importorskip("scripts_of_tribute")
    found = find_bot("sot:own/bot.py", "tribute")
    assert start_place(found)[0] == str(here / "own")  # type: ignore[arg-type]
