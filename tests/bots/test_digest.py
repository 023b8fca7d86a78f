"""The digest of a bot's files, by which a tournament notices another version (tournaments.md)."""

from __future__ import annotations

from pathlib import Path

import pytest

from referee.bots import digest
from referee.bots.digest import files_digest


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("a.py", "b.txt"):
        (tmp_path / name).write_text(name)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    "argument", ["a.py", "python3 a.py", "classic:a.py", "simulator:a.py:Bot", "sh -c x a.py"]
)
def test_a_changed_file_of_a_command_changes_it(argument: str, folder: Path) -> None:
    before = files_digest(argument, "dominion")
    assert len(before) == 64
    (folder / "b.txt").write_text("changed")
    assert files_digest(argument, "dominion") == before
    (folder / "a.py").write_text("changed")
    assert files_digest(argument, "dominion") not in (before, "")


def test_all_files_of_a_command_count_in_their_order(folder: Path) -> None:
    found = {files_digest(bot, "dominion") for bot in ("a.py", "a.py b.txt", "b.txt a.py")}
    assert len(found) == 3
    assert files_digest("a.py a.py", "dominion") == files_digest("a.py", "dominion")


def test_the_folder_of_a_bot_is_hashed_as_a_whole(folder: Path) -> None:
    (folder / "bot.toml").write_text('name = "A"\ncommand = "./a.py"\n')
    (folder / ".built").mkdir()
    before = files_digest(str(folder), "dominion")
    assert before == files_digest("./a.py", "dominion", str(folder))  # as its command line
    (folder / ".built" / "x").touch()
    assert files_digest(str(folder), "dominion") == before
    (folder / "b.txt").write_text("changed")
    assert files_digest(str(folder), "dominion") not in (before, "")


def test_a_bundled_bot_has_one_and_a_name_of_nothing_none(folder: Path) -> None:
    assert files_digest("big_money", "dominion") != ""
    assert files_digest("big_money.json", "dominion") not in (
        "",
        files_digest("big_money", "dominion"),
    )
    bundled = files_digest("big_money.json", "dominion")
    (folder / "big_money.json").write_text("{}")
    assert files_digest("big_money.json", "dominion") not in ("", bundled)  # that's the own file
    for argument in ("no_such_bot", "http://localhost:1/", "node 'unclosed", "a\0b"):
        assert files_digest(argument, "dominion") == ""


@pytest.mark.parametrize(("most", "is_hashed"), [(9, True), (8, False)])
def test_large_files_are_not_read(
    most: int, is_hashed: bool, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The two files have 9 bytes together."""
    monkeypatch.setattr(digest, "MAX_BYTES", most)
    assert bool(files_digest("a.py b.txt", "dominion")) == is_hashed
