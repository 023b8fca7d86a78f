"""`referee game check`: what it prints, and its exit codes."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path

import msgspec
import pytest

from referee import cli
from referee.cli.commands import game
from referee.gamecheck.check import GameReport
from referee.gamecheck.findings import Finding
from referee.games import GAMES
from tests.support import mixed
from tests.support.mixed import Mixed
from tests.support.own_game import SMALL_GAMES, clean_games
from tools.generators.make_shown import PROGRESS


class Prints(Mixed):
    def advance(self, replies: Mapping[int, object]) -> None:
        print("debug")
        super().advance(replies)


@pytest.mark.all_cases
def test_a_right_game(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """The checker reports games that print. Our own progress bar must not count as their output."""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    with clean_games():
        assert cli.main(["game", "check", SMALL_GAMES["goofspiel"], "--matches", "2"]) == 0
    out, err = capsys.readouterr()
    note, end = out.splitlines()
    assert "1 of 2 random matches" in err
    assert note.startswith("goofspiel: note: all viewers see the same")
    assert end.startswith("goofspiel: 2 random matches to the end, ")
    assert end.endswith(" per reply: nothing is wrong")


def test_a_wrong_game(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setitem(GAMES, "mixed", msgspec.structs.replace(mixed.RULES, new=Prints))
    assert cli.main(["game", "check", "mixed", "--matches", "1"]) == 1
    first, again, _, end = capsys.readouterr().out.splitlines()
    assert again.endswith(": referee game check mixed --matches 1 --seed 0")
    where, line, text = first.split(":", 2)
    assert where.endswith("tests/cli/commands/test_game.py")
    assert int(line) == Prints.advance.__code__.co_firstlineno + 1
    assert text == " it prints, and the output of the referee is for results: remove the print"
    assert end.endswith(" per reply: 1 mistake")
    assert cli.main(["game", "check", "mixed", "--matches", "1", "--format", "json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert (found["passed"], found["findings"][0]["kind"]) == (False, "prints")


def test_without_a_terminal_a_line_says_every_five_seconds_where_the_time_goes(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    now = iter([0.0, 4.9, 5.0, 9.9, 10.0])
    monkeypatch.setattr(game.time, "monotonic", lambda: next(now))
    progress = game._Progress(20, None)
    for played, spent in enumerate([1.0, 3.0, 4.0, 5.0]):
        progress.on_match(played)
        progress.on_call({"view": spent, "legal": 3.5})
    first, second = capsys.readouterr().err.splitlines()
    assert first == "1 of 20 random matches in 5.00 s; legal took 3.50 s"
    assert second == "3 of 20 random matches in 10.00 s; view took 5.00 s"
    assert PROGRESS.match(second), "the pages are compared without it"


def test_a_game_that_never_ends_by_itself_is_not_called_right(
    capsys: pytest.CaptureFixture[str],
) -> None:
    note = Finding("turn-limit", "all random matches ended by the turn limit", is_error=False)
    game._print(GameReport("endless", [note], 2, 10, 0.0), "endless", thorough=False)
    last = capsys.readouterr().out.splitlines()[-1]
    assert last.endswith(": no mistake, but no match ended by itself")


def test_an_unknown_game(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["game", "check", "chess"]) == 2
    assert "chess" in capsys.readouterr().err


@pytest.mark.slow
def test_the_page_of_a_game(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with clean_games():
        page = ["game", "page", SMALL_GAMES["kuhn"]]
        assert cli.main(page) == 0
        text = capsys.readouterr().out
        assert text.startswith("# kuhn\n")
        for _ in range(2):  # a page written by us may be overwritten without --force
            assert cli.main([*page, "--output", "kuhn.md"]) == 0
        assert Path("kuhn.md").read_text() == text
        assert [file.name for file in Path().glob("*.md")] == ["kuhn.md"]


def test_the_page_of_a_game_replaces_no_other_file(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with clean_games():
        page = ["game", "page", SMALL_GAMES["kuhn"]]
        Path("mine.md").write_text("my own notes")
        assert cli.main([*page, "--output", "mine.md"]) == 2
        assert "--force" in capsys.readouterr().err
        game = Path("own.py")
        game.write_text(Path(SMALL_GAMES["kuhn"]).read_text())
        assert cli.main(["game", "page", "own.py", "--output", "own.py", "--force"]) == 2
        assert game.read_text() == Path(SMALL_GAMES["kuhn"]).read_text()
        assert cli.main([*page, "--format", "json"]) == 2
        assert cli.main(["game", "check", "botwars", "--output", "x"]) == 2
        assert [file.name for file in Path().glob("*.md")] == ["mine.md"]
        assert Path("mine.md").read_text() == "my own notes"
