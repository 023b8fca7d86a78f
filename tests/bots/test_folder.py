"""Folders with a bot.toml: reading the file, reporting mistakes, and starting what was built."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.bots import folder as folders
from referee.bots.command import BotCommand, PythonBot, find_bot, game_of_bots
from referee.bots.folder import is_built, read_folder, sources_hash
from referee.bots.toml import read_table
from referee.errors import NotBuiltError, UsageError
from tests.support.helpers import TIMES

BOT = "import sys\n"


@pytest.fixture
def bot(tmp_path: Path) -> Path:
    """Create a folder with a bot written in Python."""
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "mine.py").write_text(BOT)
    (folder / "bot.toml").write_text('command = "./mine.py"\n')
    return folder


def mistakes(folder: Path) -> list[str]:
    """Return the error messages for a folder, without the path of its bot.toml."""
    with pytest.raises(UsageError) as caught:
        find_bot(str(folder), "dominion")
    start = f"{folder / 'bot.toml'}: "
    assert all(line.startswith(start) for line in caught.value.lines)
    return [line.removeprefix(start) for line in caught.value.lines]


def test_a_mistake_in_a_rule_file_is_told_without_the_folders_above_it(bot: Path) -> None:
    (bot / "bot.toml").write_text('command = "mine.json"\n')
    (bot / "mine.json").write_text("{")
    (line,) = mistakes(bot)
    assert line.startswith("command: mine.json, line 1: not JSON")


def test_a_folder_is_a_bot_that_is_started_in_it(bot: Path) -> None:
    started = BotCommand(str(bot), (sys.executable, str(bot / "mine.py")), directory=str(bot))
    assert find_bot(str(bot), "dominion") == started
    assert find_bot(f"{bot}/", "dominion") == started._replace(argument=f"{bot}/")
    assert find_bot("mine", "dominion", str(bot.parent)) == started._replace(argument="mine")
    assert read_folder(str(bot)).name == "mine"


def test_a_folder_of_a_rule_file_or_with_a_dialect(bot: Path) -> None:
    (bot / "bot.toml").write_text('command = "big_money.json"\n')
    assert isinstance(find_bot(str(bot), "dominion"), PythonBot)
    (bot / "bot.toml").write_text('command = "classic:./mine.py"\n')
    found = find_bot(str(bot), "botwars")
    assert isinstance(found, BotCommand)
    assert found.dialect == "classic"


def test_a_folder_chooses_no_dialect_that_shows_hidden_information(bot: Path) -> None:
    (bot / "bot.toml").write_text('command = "classic-leaks:./mine.py"\n')
    with pytest.raises(UsageError, match=r"bot.toml: command: classic-leaks shows hidden info"):
        find_bot(str(bot), "tribute")


def test_a_bundled_name_is_that_bot_whatever_lies_around(bot: Path) -> None:
    shutil.move(bot, bot.parent / "minimal")
    assert find_bot("minimal", "dominion", str(bot.parent)) == find_bot(
        "minimal", "dominion"
    )._replace(directory=str(bot.parent))
    found = find_bot("./minimal", "dominion", str(bot.parent))
    assert isinstance(found, BotCommand)
    assert found.argv[-1].endswith("/minimal/mine.py")


def test_a_folder_without_bot_toml_is_told_of_it(tmp_path: Path) -> None:
    with pytest.raises(
        UsageError, match=r"is a directory: give the program in it, or .* bot\.toml"
    ):
        find_bot(str(tmp_path), "dominion")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", ["command is missing: give the command that starts the bot"]),
        ("command = ''", ["command is missing: give the command that starts the bot"]),
        ("command = 3", ["command: Expected `str`, got `int`"]),
        (
            "comand = './mine.py'\ncommand = 'true'",
            ["unknown key 'comand'; did you mean command?"],
        ),
        (
            "command = 'true'\nenv = { LD_PRELOAD = './x.so' }",
            ["unknown key 'env'; there are: build, command, files, language, name"],
        ),
        (
            "command = 'true'\ntime-limit = 99",
            ["unknown key 'time-limit'; there are: build, command, files, language, name"],
        ),
        ("command = './nine.py'", ["command: BOT ./nine.py not found; did you mean ./mine.py?"]),
        ("command = 'nodde bot.js'", ["command: BOT 'nodde bot.js' not found: *"]),
        ("command = '.'", ["command: BOT . is a directory: *"]),
        ("command = 'X=1 ./mine.py'", ["command: no shell runs the command, so X=1 sets no *"]),
        ("command = 'X=1 ./mine.py > log'", ["command: no shell runs the command, so > does *"]),
        ("command = 'human'", ["command: BOT human is a person*"]),
        ("command = 'http://10.0.0.1/'", ["command: it is an address, *"]),
        (f"command = 'nodde{' a' * 999}'", ["command: BOT 'nodde a *"]),
        (f"command = 'true{' a' * 1000}'", ["command: it has more than 1,000 words"]),
        (
            "command = 'classic-form:http://10.0.0.1/'",
            ["command: it is an address, *", "command: *"],
        ),
        ("command = 'true'\nname = \"a\\u001b[2J\"", ["name: 'a\\x1b[2J' has a character that *"]),
        ("command = 'true'\nname = \"a\\u202eb\"", ["name: 'a\\u202eb' has a character that *"]),
        (f"command = 'true'\nname = '{'x' * 65}'", ["name: it has 65 letters: 64 is the most"]),
        ("command = 'true'\nfiles = 'x'", ["files: Expected `array`, got `str`"]),
        ("command = 'true'\nfiles = ['weights']", ["files: weights is not there: *"]),
        (f"command = 'true'\nfiles = {['x'] * 21}", ["files: x is not there: *"] * 20),
        ("command = 'true'\nfiles = ['../other']", ["files: ../other is not in the folder: *"]),
        (
            "command = 'true'\nfiles = ['/etc/passwd']",
            ["files: /etc/passwd is not in the folder: *"],
        ),
        (
            "command = './nine.py'\nfiles = ['a', 'b']\nlanguage = \"\\u0007\"",
            ["language: *", "files: a is not*", "files: b is not*", "command: BOT ./nine.py *"],
        ),
    ],
)
def test_each_mistake_is_one_line(bot: Path, text: str, says: list[str]) -> None:
    (bot / "bot.toml").write_text(text)
    found = mistakes(bot)
    assert len(found) == len(says)
    for line, said in zip(found, says, strict=True):
        assert "\n" not in line
        start, star, _ = said.partition("*")
        assert line.startswith(start) if star else line == said


def test_a_file_may_have_a_name_that_a_shell_would_take_apart(bot: Path) -> None:
    (bot / "mine.py").rename(bot / "a&b.py")
    (bot / "bot.toml").write_text("command = './a&b.py'\n")
    assert isinstance(find_bot(str(bot), "dominion"), BotCommand)


@pytest.mark.parametrize(
    ("command", "game"),
    [
        ("gatherer", "botwars"),
        ("./mine.py", "dominion"),
        ("no_such_bot", "dominion"),
    ],
)
def test_the_bot_in_a_folder_says_which_game_is_played(bot: Path, command: str, game: str) -> None:
    (bot / "bot.toml").write_text(f'command = "{command}"\n')
    assert game_of_bots([(str(bot), "")]) == game
    (bot / "bot.toml").write_text(f'command = "{command}"\nbuild = "make"\n')
    assert game_of_bots([(str(bot), "")]) == "dominion"  # it isn't built


def test_the_longest_name_that_a_bot_may_have(bot: Path) -> None:
    (bot / "bot.toml").write_text(f"command = './mine.py'\nname = '{'x' * 64}'\n")
    find_bot(str(bot), "dominion")


@pytest.mark.parametrize("name", ["no\x1btoml", "x" * 65])
def test_the_name_of_a_folder_must_do_if_there_is_no_other(bot: Path, name: str) -> None:
    folder = bot.rename(bot.parent / name)
    assert mistakes(folder)[0].startswith("name is missing, and the name of the folder cannot be")
    (folder / "bot.toml").write_text('command = "./mine.py"\nname = "mine"\n')
    find_bot(str(folder), "dominion")


def link_to_passwd(file: Path) -> None:
    file.symlink_to("/etc/passwd")


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (os.mkfifo, "is not a regular file"),  # reading it would never end
        (link_to_passwd, "is not a regular file"),
        (Path.mkdir, "is not a regular file"),
        (lambda file: file.write_bytes(b"name = '\xff'"), "is not valid TOML"),
        (lambda file: file.write_text("command = "), "is not valid TOML"),
        (lambda file: file.write_text("x = " + "[" * 100_000), "nested too deeply"),
        (lambda file: file.write_bytes(b"#" * 2_000_000), "has more than 1,048,576 bytes"),
    ],
)
def test_a_bot_toml_that_cannot_be_read(
    bot: Path, make: Callable[[Path], object], says: str
) -> None:
    (bot / "bot.toml").unlink()
    make(bot / "bot.toml")
    with pytest.raises(UsageError, match=says) as caught:
        find_bot(str(bot), "dominion")
    assert len(caught.value.lines) == 1


def test_a_link_out_of_the_folder_is_no_file_of_it(bot: Path) -> None:
    (bot / "weights").symlink_to("/etc/passwd")
    (bot / "bot.toml").write_text('command = "./mine.py"\nfiles = ["weights"]\n')
    assert mistakes(bot) == [
        "files: weights is not in the folder: copy it there, and give its path in it"
    ]


OUTSIDE = ["m.json", "../anna/s.json", "{anna}/s.json", "../anna/a.py", "sh ../anna/a.py", "a.py"]


@pytest.mark.parametrize("command", OUTSIDE)
def test_what_a_command_names_is_in_the_folder(bot: Path, command: str) -> None:
    """Other files are neither read nor quoted."""
    anna = bot.parent / "anna"
    anna.mkdir()
    (anna / "s.json").write_text('{"game": "starrealms", "token": "secret"}')
    (anna / "a.py").write_text("secret")
    (bot / "m.json").symlink_to("../anna/s.json")
    (bot / "a.py").symlink_to(anna / "a.py")
    command = command.format(anna=anna)
    (bot / "bot.toml").write_text(f'command = "{command}"\n')
    named = command.removeprefix("sh ")
    says = f"BOT {named} is outside the folder, by a link or by ..: copy the file into the folder"
    assert mistakes(bot) == [f"command: {says}"]
    assert game_of_bots([(str(bot), "")]) == "dominion"
    with pytest.raises(UsageError, match="outside the folder"):  # a tournament makes this call
        find_bot(command, "dominion", str(bot))


def test_links_in_a_folder_and_of_an_interpreter_are_followed(bot: Path) -> None:
    (bot / "env/bin").mkdir(parents=True)
    (bot / "env/bin/python").symlink_to(sys.executable)
    (bot / "main.py").symlink_to("mine.py")
    for command in ("./main.py", "env/bin/python main.py"):
        (bot / "bot.toml").write_text(f'command = "{command}"\n')
        assert isinstance(find_bot(str(bot), "dominion"), BotCommand)


VALUES = st.recursive(
    st.text(max_size=5) | st.integers() | st.booleans() | st.floats(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=5,
)
KEYS = st.sampled_from(["command", "name", "build", "language", "files", "nmae"]) | st.text()


@settings(max_examples=6 * TIMES)
@given(st.dictionaries(KEYS, VALUES, max_size=5) | VALUES)
def test_whatever_stands_in_a_table_is_a_bot_or_has_lines(table: object) -> None:
    read, problems = read_table(folders._Table, table, "here")
    assert all(line.startswith("here") for line in problems)
    if not problems:
        assert read.command
        assert read.name.isprintable()


@given(st.binary(max_size=100) | st.text(alphabet="commandfiles=[]{}\"'\n#.x \\", max_size=60))
def test_whatever_stands_in_a_bot_toml_is_read(data: bytes | str) -> None:
    with TemporaryDirectory() as folder:
        Path(folder, "bot.toml").write_bytes(data.encode() if isinstance(data, str) else data)
        found = read_folder(folder)
    assert found.command or found.problems


# --- what was built -------------------------------------------------------------------------------


def build(bot: Path) -> None:
    """Leave the folder in the state that `referee build` leaves it in."""
    (bot / "bot.toml").write_text('command = "./mine.py"\nbuild = "true"\n')
    (bot / ".built").mkdir()
    (bot / ".built/sources").write_text(sources_hash(str(bot)))
    shutil.copytree(bot, bot / ".built/bot", ignore=shutil.ignore_patterns(".built"))


def test_what_was_built_is_started(bot: Path) -> None:
    build(bot)
    found = find_bot(str(bot), "dominion")
    assert isinstance(found, BotCommand)
    assert found.directory == str(bot / ".built/bot")
    assert found.argv[-1] == str(bot / ".built/bot/mine.py")


@pytest.mark.parametrize(
    "change",
    [
        lambda bot: shutil.rmtree(bot / ".built"),
        lambda bot: shutil.rmtree(bot / ".built/bot"),
        lambda bot: (bot / ".built/bot/bot.toml").unlink(),
        lambda bot: (bot / "mine.py").write_text("import os\n"),
        lambda bot: (bot / "mine.py").chmod(0o755),
        lambda bot: (bot / "mine.py").chmod(0o654),  # not for its owner, but for others
        lambda bot: (bot / "mine.py").rename(bot / "nine.py"),
        lambda bot: (bot / "more").touch(),
        lambda bot: (bot / "more").symlink_to("mine.py"),
        lambda bot: (bot / "bot.toml").write_text('command = "./mine.py"\nbuild = "make"\n'),
    ],
)
def test_a_changed_folder_is_to_be_built_again(bot: Path, change: Callable[[Path], object]) -> None:
    build(bot)
    change(bot)
    with pytest.raises(NotBuiltError) as caught:
        find_bot(str(bot), "dominion")
    assert str(caught.value) == f"{bot} is not built, or changed since: referee build {bot}"


def test_what_python_and_git_leave_there_changes_nothing(bot: Path) -> None:
    build(bot)
    for name in (".git", "__pycache__", "deep/__pycache__", ".building"):
        (bot / name).mkdir(parents=True)
        (bot / name / "file").touch()
    (bot / "mine.py").touch()
    assert is_built(read_folder(str(bot)))


@pytest.mark.parametrize("name", [".built", ".built/bot"])
def test_no_link_stands_for_what_was_built(bot: Path, name: str) -> None:
    build(bot)
    (bot / name).rename(bot.parent / "elsewhere")
    (bot / name).symlink_to(bot.parent / "elsewhere")
    assert not is_built(read_folder(str(bot)))


@pytest.mark.parametrize("make", [os.mkfifo, link_to_passwd, Path.unlink, Path.mkdir])
def test_a_hash_that_cannot_be_read_is_none(bot: Path, make: Callable[[Path], object]) -> None:
    build(bot)
    file = bot / ".built/sources"
    if make is not Path.unlink:
        file.unlink()
    make(file)
    assert not is_built(read_folder(str(bot)))


def test_files_that_are_none_and_folders_that_are_too_large(
    bot: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    os.mkfifo(bot / "fifo")
    with pytest.raises(UsageError, match="fifo is neither a file, a folder nor a link: remove it"):
        sources_hash(str(bot))
    (bot / "fifo").unlink()
    monkeypatch.setattr(folders, "MAX_BYTES", 1_000_000)
    (bot / "deep").mkdir()
    others = sum(file.stat().st_size for file in bot.iterdir() if file.is_file())
    (bot / "deep/sparse").touch()
    os.truncate(bot / "deep/sparse", 1_000_000 - others)
    assert sources_hash(str(bot))
    os.truncate(bot / "deep/sparse", 1_000_001 - others)
    with pytest.raises(UsageError, match="is too large: its files have more than 1 MB"):
        sources_hash(str(bot))


def test_folders_that_are_nested_too_deeply_have_no_hash(
    bot: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def too_deep(path: str) -> Iterator[os.DirEntry[str]]:
        raise RecursionError

    monkeypatch.setattr(folders, "_entries", too_deep)
    with pytest.raises(UsageError, match="its folders are nested too deeply"):
        sources_hash(str(bot))
