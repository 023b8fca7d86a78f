"""Test the configuration file: options, bots, and errors that must be a single line."""

from __future__ import annotations

import codecs
import os
from pathlib import Path
from typing import Any

import pytest

from referee.cli.commands.tournament_options import TournamentOptions
from referee.cli.config import read_options
from referee.errors import UsageError
from referee.match.limits import LIMITS
from referee.tournament.config import read_config
from referee.tournament.rows import Entrant


def read(file: Path, text: str) -> tuple[dict[str, Any], list[Entrant]]:
    file.write_text(text)
    return read_file(str(file))


def read_file(name: str) -> tuple[dict[str, Any], list[Entrant]]:
    config = read_config(name)
    given = read_options(name, config.options, config.folder, TournamentOptions)
    return given, config.bots


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "night.toml"


def test_options_have_the_values_of_the_command_line(file: Path) -> None:
    given, bots = read(
        file,
        """
        deals = 5
        time-limit = 2.5
        elo0 = -3          # not an option
        anchor = "a=1500"
        no_keep_alive = true
        extend = false
        sandbox_read = ["data", "/opt"]
        [set]
        max_turns = 20
        fast = true
        [env]
        LEVEL = 3
        """,
    )
    assert given == {
        "deals": 5,
        "time_limit": 2.5,
        "elo0": -3,
        "anchor": "a=1500",
        "no_keep_alive": True,
        "sandbox_read": [f"{file.parent}/data", "/opt"],
        "set": ["max_turns=20", "fast=true"],
        "env": [("LEVEL", "3")],
    }
    assert bots == []


def test_the_file_of_a_game_is_beside_the_configuration(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir("/")
    with pytest.raises(UsageError, match=f"{file.parent}/games/own.py"):
        read(file, 'game = "games/own.py"')
    assert read(file, 'game = "tribute"')[0] == {"game": "tribute"}


def test_bots_are_started_where_the_file_says(file: Path) -> None:
    (file.parent / "bots" / "mine").mkdir(parents=True)
    _, bots = read(
        file,
        """
        [[bot]]
        command = "big_money"
        [[bot]]
        name = "mine"
        command = "python3 bot.py"
        directory = "bots/mine"
        env = { LEVEL = "3", HOME = "/" }
        [[bot]]
        command = "http://localhost:8000/"
        directory = "/usr"
        """,
    )
    here = file.parent
    assert bots == [
        Entrant("big_money", "big_money", str(here)),
        Entrant("mine", "python3 bot.py", str(here / "bots/mine"), (("LEVEL", "3"), ("HOME", "/"))),
        Entrant("http://localhost:8000/", "http://localhost:8000/", "/usr"),
    ]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("deals = ", "is not valid TOML: Invalid value"),
        ("deal = 4", "unknown option 'deal'; did you mean deals?"),
        ("x = 3", "unknown option 'x'; there are: [[bot]], alpha, anchor, beta, bot"),
        ("deals = [1, 2]", "deals must be one value, not [1, 2]"),
        ("extend = 1", "extend must be true or false, not 1"),
        ("set = 1", "set must be a table, not 1"),
        ("bot = 3", "bot must be a table each: [[bot]]"),
        ("bot = [3]", "bot 1 must be a table, not 3"),
        ("[bot]\ncommand = 'a'", "bot must be a table each: [[bot]]"),
        ("[[bot]]\nname = 'a'", "bot 1: command is missing: give the command that starts the bot"),
        ("[[bot]]\ncommand = 3", "bot 1: command: Expected `str`, got `int`"),
        ("[[bot]]\ncommand = 'a'\ncolour = 'red'", "unknown key 'colour'; there are: command"),
        ("[[bot]]\ncommand = 'a'\ndirectroy = 'x'", "'directroy'; did you mean directory?"),
        ("[[bot]]\ncommand = 'a'\nbuild = 'make'", "unknown key 'build'"),
        ("[[bot]]\ncommand = 'a'\ntime-limt = 2", "'time-limt'; did you mean time-limit?"),
        ("[[bot]]\ncommand = 'a'\ndirectory = 'none'", "bot 1: directory: none is not there"),
        ("[[bot]]\ncommand = 'a'\nname = \"a\\u001b[31m\"", "'a\\x1b[31m' has a character that"),
        (
            "[[bot]]\ncommand = 'a'\nenv = { B = '2', A = 1 }",
            "1: env: A: Expected `str`, got `int`",
        ),
        ("time-limit = 2\ntime_limit = 3", "time-limit and time_limit are the same option"),
        (
            "[[bot]]\ncommand = 'a'\ncpu_limit = 2\ncpu-limit = 2",
            "bot 1: cpu_limit and cpu-limit are the same option",
        ),
    ],
)
def test_what_is_wrong_is_one_line_with_the_file_in_it(file: Path, text: str, says: str) -> None:
    with pytest.raises(UsageError) as caught:
        read(file, text)
    assert str(caught.value).startswith(str(file))
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_bot_has_limits_of_its_own(file: Path) -> None:
    file.write_text(
        """
        [[bot]]
        command = "big_money"
        time-limit = 2
        memory_limit = "64M"
        [[bot]]
        command = "minimal"
        """
    )
    assert read_config(str(file)).limits == [{"time_limit": 2, "memory_limit": "64M"}, {}]


def test_all_mistakes_of_all_bots_are_told_at_once(file: Path) -> None:
    text = "[[bot]]\nname = 'a'\ncolour = 'red'\n[[bot]]\ncommand = 'b'\nenv = { '' = 'c' }\n"
    keys = ["command", "directory", "env", "name", *(name.replace("_", "-") for name in LIMITS)]
    with pytest.raises(UsageError) as caught:
        read(file, text)
    assert [line.removeprefix(f"{file}: ") for line in caught.value.lines] == [
        f"bot 1: unknown key 'colour'; there are: {', '.join(sorted(keys))}",
        "bot 1: command is missing: give the command that starts the bot",
        "bot 2: env: '' cannot name a variable",
    ]


def test_a_file_of_a_windows_editor_is_read(file: Path) -> None:
    """Editors on Windows may add a byte order mark and CRLF. UTF-16 is an error."""
    text = 'deals = 4\n[[bot]]\ncommand = "minimal"\n'
    file.write_bytes(codecs.BOM_UTF8 + text.replace("\n", "\r\n").encode())
    given, bots = read_file(str(file))
    assert given == {"deals": 4}
    assert [bot.bot for bot in bots] == ["minimal"]
    for encoding in ("utf-16", "utf-16-be"):
        data = text.encode(encoding)
        file.write_bytes(data if encoding == "utf-16" else codecs.BOM_UTF16_BE + data)
        with pytest.raises(UsageError, match="it is UTF-16; save it as UTF-8"):
            read_config(str(file))


def test_paths_of_a_pipe_are_from_the_current_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A shell turns `<(...)` into a path in /dev/fd, where there aren't any bots."""
    monkeypatch.chdir(tmp_path)
    reads, writes = os.pipe()
    os.write(writes, b'store = "n.sqlite"\n[[bot]]\ncommand = "./a.py"\n')
    os.close(writes)
    given, (bot,) = read_file(f"/dev/fd/{reads}")
    os.close(reads)
    assert given == {"store": "n.sqlite"}
    assert bot.directory == str(tmp_path)


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    for name, says in (
        (tmp_path / "none", "No such file or directory"),
        (tmp_path, "it is a directory"),
    ):
        with pytest.raises(UsageError, match=f"cannot read {name}: {says}"):
            read_config(str(name))
    (tmp_path / "latin").write_bytes(b"anchor = '\xe9'")
    with pytest.raises(UsageError, match="latin is not valid TOML"):
        read_config(str(tmp_path / "latin"))


def test_one_seed(file: Path) -> None:
    (file.parent / "seed").write_text("7")
    with pytest.raises(UsageError, match=r"night.toml: give seed or seed-file, not both$"):
        read(file, "seed = 1\nseed-file = 'seed'\n")
