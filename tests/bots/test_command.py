"""Turning a BOT argument into a command line."""

from __future__ import annotations

import os
import re
import sys
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import pytest
from msgspec import structs

from referee.bots.bundled import bundled_bots, describe_bot
from referee.bots.command import (
    BotCommand,
    PythonBot,
    are_objects,
    find_all,
    find_bot,
    resolve_bot,
)
from referee.errors import BotNotFoundError, NotBuiltError, UsageError, UsageErrors
from referee.games import GAMES
from referee.games.interface.dialect import Adapter
from tests.support import toy


def test_a_bundled_name_runs_under_this_python() -> None:
    argv = resolve_bot("big_money").argv
    assert argv[0] == sys.executable
    assert argv[-1] == str(bundled_bots()["big_money"])


def test_a_bundled_name_with_arguments() -> None:
    assert resolve_bot("random_legal 42").argv[-2:] == (str(bundled_bots()["random_legal"]), "42")


def test_only_a_program_has_an_environment(tmp_path: Path) -> None:
    env = (("A", "1"),)
    found = find_bot("minimal", "dominion", env=env)
    assert isinstance(found, BotCommand)
    assert found.env == env
    for other in ("http://localhost/", "big_money.json"):
        assert find_bot(other, "dominion", env=env).argument == other


def test_a_bot_behind_an_adapter_starts_in_the_folder_of_its_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    adapter = Adapter(lambda *arguments: ("/x", *arguments), {}, {}, lambda *_: "")
    monkeypatch.setitem(GAMES, "toy", structs.replace(toy.RULES, adapters={"lib": adapter}))
    monkeypatch.chdir(tmp_path)
    found = find_bot("lib:sub/a.py:Bot", "toy")
    assert isinstance(found, BotCommand)
    assert (found.directory, found.adapter, found.dialect) == (str(tmp_path / "sub"), "lib", "")
    assert found.argv == ("/x", "sub/a.py:Bot", "")
    found = find_bot("lib:sub/a.py", "toy", "/elsewhere")
    assert isinstance(found, BotCommand)
    assert (found.directory, found.argv) == ("/elsewhere", ("/x", "sub/a.py", "/elsewhere"))


def test_a_file_with_its_run_bit_is_a_program_whatever_its_name(tmp_path: Path) -> None:
    file = tmp_path / "bot.json"
    file.write_text("#!/bin/sh\n")
    file.chmod(0o755)
    assert find_bot(str(file), "dominion") == BotCommand(str(file), (str(file),))


def test_all_mistakes_are_told_together() -> None:
    def find(argument: str) -> str:
        if argument.startswith("folder"):
            raise NotBuiltError([argument])
        if argument.startswith("wrong"):
            raise UsageErrors([f"{argument} one", f"{argument} two"])
        return argument

    assert find_all(find, ["a", "b"]) == ["a", "b"]
    with pytest.raises(UsageError) as caught:
        find_all(find, ["folder1", "a", "wrong1", "folder2", "wrong2"])
    assert caught.value.lines[:4] == ("wrong1 one", "wrong1 two", "wrong2 one", "wrong2 two")
    (last,) = caught.value.lines[4:]
    assert "referee build folder1 folder2" in last
    with pytest.raises(NotBuiltError):
        find_all(find, ["folder1"])
    with pytest.raises(UsageErrors, match="wrong one"):
        find_all(find, ["a", "wrong"])


def test_only_objects_need_no_event_loop() -> None:
    here, program = PythonBot("a", partial(int)), resolve_bot("minimal")
    assert are_objects([here, here])
    assert not are_objects([here, program])
    assert not are_objects([here, here._replace(dialect="bare")])


def test_a_python_file_needs_no_run_bit(tmp_path: Path) -> None:
    bot = tmp_path / "my bot.py"
    bot.write_text("")
    assert resolve_bot(str(bot)).argv == (sys.executable, str(bot))
    quoted = f"'{bot}' --fast 'two words'"
    assert resolve_bot(quoted).argv == (sys.executable, str(bot), "--fast", "two words")


def test_a_file_in_python_is_no_option_of_python(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "-c.py").touch()
    assert resolve_bot("./-c.py").argv == (sys.executable, "./-c.py")


def test_a_program_is_found_in_the_callers_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "bot"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    monkeypatch.chdir(tmp_path)
    for argument in ("bot", "./bot", str(program)):
        assert resolve_bot(argument).argv == (str(program),)


def test_a_command_is_found_on_the_path_and_no_shell_sees_it() -> None:
    command = resolve_bot("sh -c 'exit 3; $HOME *'")
    assert os.path.isabs(command.argv[0])
    assert command.argv[1:] == ("-c", "exit 3; $HOME *")
    assert command.argument == "sh -c 'exit 3; $HOME *'"


def test_a_path_wins_over_a_command_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "sh -c"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    monkeypatch.chdir(tmp_path)
    assert resolve_bot("sh -c").argv == (str(program),)


@pytest.mark.parametrize(
    ("argument", "says"),
    [
        ("", "empty"),
        ("  ", "empty"),
        ("a\0b", "has a NUL"),
        ("''", "not found"),
        ("big_mony", "did you mean big_money"),
        ("no_such_bot", "referee bots"),
        ("pyhton3 x.py", "the program pyhton3 is not on PATH; did you mean python3"),
        ("bahs -c exit", "the program bahs is not on PATH; did you mean bash"),
        ("qqqq x.py", "the program qqqq is not on PATH$"),
        ("./no_such x.py", "no such file"),
        ("./no/such/file", "no such file"),
        ("node 'unclosed", "no closing quotation"),
        ("x" * 5000, "not found"),
        ("x" * 300 + ".json", "not found"),
        ("python3", 'the whole command in quotes, such as "python3 my_bot.py"'),
        ("node", 'in quotes, such as "node my_bot.js"'),
    ],
)
def test_what_names_nothing(argument: str, says: str) -> None:
    with pytest.raises(BotNotFoundError, match=says) as caught:
        resolve_bot(argument)
    assert "\n" not in str(caught.value)


def test_a_name_without_its_ending(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "my_bot.py").touch()
    monkeypatch.chdir(tmp_path)
    with pytest.raises(BotNotFoundError, match=r"did you mean \./my_bot\.py\?"):
        resolve_bot("./my_bot")


@pytest.mark.parametrize("command", ["node {}", "./x {} 7", "{} 7", "env A=1 node {}"])
def test_a_path_with_spaces_is_one_word(command: str, tmp_path: Path) -> None:
    path = "my first bots/a bot.js"
    (tmp_path / path).parent.mkdir()
    (tmp_path / path).touch()
    with pytest.raises(BotNotFoundError, match=f"the path {path} has a space: put '...' around"):
        resolve_bot(command.format(path), str(tmp_path))


def test_words_that_are_files_are_no_path_with_spaces(tmp_path: Path) -> None:
    for file in ("a", "b.txt", "a b.txt"):
        (tmp_path / file).touch()
    assert resolve_bot("sh a b.txt", str(tmp_path)).argv[1:] == ("a", "b.txt")


@pytest.mark.parametrize(
    ("argument", "meant"),
    [
        ("anna", "annna"),
        ("ben.py", "benn.py"),
        ("rulse.json", "rules.json"),
        ("sub/car", "sub/carl"),
        ("./sub/carla.py", "./sub/carl"),
        ("dora", None),
        ("zz.py", None),
        ("sub/zz", None),
    ],
)
def test_a_misspelt_path(
    argument: str, meant: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for folder in ("annna", "sub/carl"):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "bot.toml").touch()
    (tmp_path / "doraa").mkdir()  # a folder without a bot
    for file in ("benn.py", "rules.json"):
        (tmp_path / file).touch()
    monkeypatch.chdir(tmp_path)
    with pytest.raises(BotNotFoundError) as caught:
        resolve_bot(argument)
    asked = re.findall(r"did you mean (.*)\?", str(caught.value))
    assert asked == ([meant] if meant else [])


@pytest.mark.parametrize(
    ("argument", "game", "says"),
    [
        ("minimal", "botwars", "BOT minimal plays dominion, not botwars; .*gatherer"),
        ("classic:minimal", "botwars", "BOT minimal plays dominion, not botwars"),
        ("gatherer 7", "dominion", "BOT 'gatherer 7' plays botwars, not dominion; .* minimal"),
        ("gathrer", "botwars", "did you mean gatherer"),
        ("http_gatherer.py", "botwars", "referee bots --show http_gatherer.py > my_bot.py"),
    ],
)
def test_a_bundled_bot_is_one_of_its_game(argument: str, game: str, says: str) -> None:
    with pytest.raises(BotNotFoundError, match=says):
        find_bot(argument, game)


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("bot.js", '"node '),
        ("bot.c", "compile it"),
        ("bot", "chmod"),
        ("bot.json.txt", r"rename it so that it ends in \.json"),
    ],
)
def test_a_file_without_its_run_bit(tmp_path: Path, name: str, says: str) -> None:
    file = tmp_path / name
    file.write_text("")
    with pytest.raises(BotNotFoundError, match=says):
        resolve_bot(str(file))


def test_a_file_on_a_mount_with_noexec(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "bot"
    file.write_text("#!/bin/sh\n")
    monkeypatch.setattr(os, "statvfs", lambda _: SimpleNamespace(f_flag=os.ST_NOEXEC))
    with pytest.raises(BotNotFoundError, match="mounted with noexec"):
        resolve_bot(str(file))


def test_a_bundled_rule_file_is_found_by_its_whole_name(tmp_path: Path) -> None:
    found = find_bot("big_money.json", "dominion", str(tmp_path))
    assert isinstance(found, PythonBot)
    assert found.argument == "big_money.json"
    assert find_bot("big_money", "dominion") == resolve_bot("big_money")
    own = tmp_path / "big_money.json"
    own.write_text("{")
    with pytest.raises(BotNotFoundError, match="the file ends"):
        find_bot("big_money.json", "dominion", str(tmp_path))
    with pytest.raises(BotNotFoundError, match=r"did you mean smithy\.json"):
        find_bot("smithi.json", "dominion")


def test_a_directory(tmp_path: Path) -> None:
    with pytest.raises(BotNotFoundError, match="directory"):
        resolve_bot(str(tmp_path))


@pytest.mark.parametrize("name", ["bot", "bot.py", "bot.json"])
def test_a_pipe_is_no_program(tmp_path: Path, name: str) -> None:
    """Python would block on the FIFO until the start-up limit."""
    path = tmp_path / name
    os.mkfifo(path, 0o755)
    with pytest.raises(BotNotFoundError, match="is a pipe or a device: give the file of a program"):
        find_bot(str(path), "dominion")


def test_every_bundled_bot_has_a_line_on_it() -> None:
    lines = {bot: describe_bot(path) for game in GAMES for bot, path in bundled_bots(game).items()}
    assert {"big_money", "minimal", "random_legal", "gatherer", "random_walker"} <= set(lines)
    assert all(0 < len(line) <= 60 for line in lines.values())
