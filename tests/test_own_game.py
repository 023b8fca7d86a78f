"""Commands with a game that isn't bundled (`--game FILE`)."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

import referee
from referee import cli
from referee.cli.serving import say_bug
from referee.errors import GameError, LogReadError, UsageError
from referee.games import GAMES
from tests.support.live import ROOT
from tests.support.marks import slow
from tests.support.own_game import ONE_TAKER, STICKS, clean_games


@pytest.fixture(autouse=True)
def _games() -> Iterator[None]:
    with clean_games():
        yield


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Change to a folder with a game and two bots."""
    fill(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def fill(folder: Path) -> None:
    (folder / "sticks.py").write_text(STICKS.read_text())
    for name in ("a.py", "b.py"):
        (folder / name).write_text(ONE_TAKER)


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


@pytest.mark.parametrize("seconds", ["10", slow("none")])
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
    problem, void, again = line.split("; ")
    assert problem.endswith(", in advance: KeyError: 'key'")
    assert void == "the match is void"
    assert again.startswith(
        "to see it again: referee play --game ./sticks.py ./a.py ./b.py --seed 3"
    )


def test_the_record_shows_a_mistake_of_the_game_again(
    here: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    broken(here, "        take = 1\n", "        take = 1\n        {}['key']\n")
    assert cli.main([*PLAY, "--record", "r.jsonl"]) == 65
    first, _, again = capfd.readouterr().err.strip().partition("; the match is void; ")
    assert again == "to see it again: referee verify r.jsonl --game ./sticks.py"
    assert cli.main(["verify", "r.jsonl", *GAME]) == 65
    assert capfd.readouterr().err.strip() == first
    assert cli.main(["page", "r.jsonl", *GAME, "-o", "m.html"]) == 0
    assert (
        "The match ends here, because the game sticks has a mistake" in Path("m.html").read_text()
    )


@pytest.mark.slow
def test_a_tournament_in_worker_processes(here: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert cli.main([*TOURNAMENT, "--matches", "6", "--jobs", "2", "--seed", "1"]) == 0
    assert "6 of 6 matches" in capfd.readouterr().out


def test_a_tournament_goes_on_without_the_matches_that_a_game_spoils(
    here: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    spoiled = "(self, setup):\n        if setup.seed % 2: raise SystemExit\n"
    broken(here, "(self, setup):\n", spoiled)
    records = ("--records", "records", "--keep-records", "faulty")
    assert cli.main([*TOURNAMENT, "--matches", "4", "--jobs", "1", "--seed", "2", *records]) == 65
    out, err = capfd.readouterr()
    assert "4 of 4 matches" not in out
    assert "matches are void: the code of the game made a mistake" in out.replace("\n", " ")
    (line,) = err.splitlines()
    assert "in __init__: SystemExit (" in line
    void, again = line.split("; ")
    assert void.endswith(" matches are void)")
    _, _, record = again.rpartition("referee verify ")
    assert cli.main(["verify", *record.split()]) == 65


def test_a_tournament_of_a_game_that_always_fails_ends(
    here: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    spoiled = "(self, setup):\n        raise (OSError if setup.seed % 3 else KeyError)\n"
    # The first deal fails in one way, the second in the other, and it may end after five matches.
    broken(here, "(self, setup):\n", spoiled)
    assert cli.main([*TOURNAMENT, "--matches", "5000", "--jobs", "1", "--seed", "25"]) == 65
    out, err = capfd.readouterr()
    assert err.endswith("the game failed in each match, so the other matches were not played\n")
    often, rare = (int(re.findall(r"\((\d+) matches", line)[0]) for line in err.splitlines()[:-1])
    assert often > rare
    assert " of 5,000 matches" in out
    assert "5,000 void" not in out


def test_the_command_of_a_match_that_failed_has_the_limits_of_its_bots(
    here: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    broken(here, "(self, setup):\n", "(self, setup):\n        raise SystemExit\n")
    bots = '[[bot]]\ncommand = "./a.py"\ntime-limit = 7\n[[bot]]\ncommand = "./b.py"\n'
    Path("cup.toml").write_text(f"seed = 1\nmatches = 2\njobs = 1\n{bots}")
    words = ("tournament", "--game", "./sticks.py", "--config", "cup.toml", "--sandbox", "none")
    assert cli.main([*words, "-q"]) == 65
    _, again = capfd.readouterr().err.strip().split("; ")
    assert again.startswith("to see match 0 again: referee play --game ./sticks.py ")
    assert re.search(" --limit-of [12]:time-limit=7", again)


GAME = ("--game", "./sticks.py")


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write a record, a log and a store in a folder with the game and its bots."""
    folder = tmp_path_factory.mktemp("played")
    fill(folder)
    with clean_games(), pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        assert cli.main([*PLAY, "--record", "r.jsonl", "--log", "l.jsonl", "-q"]) == 0
        assert cli.main([*STORED, "--matches", "4"]) == 0
    return folder


@pytest.fixture
def played(kept: Path, here: Path) -> Path:
    """Change to a copy of that folder. The game isn't loaded."""
    shutil.copytree(kept, here, dirs_exist_ok=True)
    return here


STORED = (*TOURNAMENT, "--seed", "1", "--store", "s.sqlite", "--jobs", "1")
PLAY_AGAIN = ("--store", "s.sqlite", "--run-recorded", "--sandbox", "none")


def forgotten(here: Path) -> Path:
    """Unload all games that aren't bundled, as if this were a new process."""
    for name in GAMES.outside:
        del GAMES[name]
    GAMES.outside.clear()
    return here


def header(file: Path) -> dict[str, object]:
    found: dict[str, object] = msgspec.json.decode(file.read_bytes().splitlines()[0])
    return found


@pytest.mark.slow
def test_a_record_names_the_code_that_was_played(played: Path) -> None:
    named = header(played / "r.jsonl")["game_file"]
    assert isinstance(named, dict)
    assert (named["file"], named["version"]) == ("./sticks.py", "1.2")
    assert named["digest"].startswith("sha256:")


COMMANDS = [
    (["verify", "r.jsonl"], "r.jsonl: valid"),
    (["validate", "l.jsonl"], "l.jsonl: valid"),
    (["page", "r.jsonl", "-o", "r.html", "--force"], "r.html"),
    (["page", "l.jsonl", "-o", "l.html", "--force"], "l.html"),
    (["standings", "s.sqlite"], "4 of 4 matches"),
    (["export", "s.sqlite"], "all-taken"),
    slow(["verify", *PLAY_AGAIN], "4 played again are the same"),
    slow(
        ["play", "--resume", "r.jsonl", "--turn", "3", "./a.py", "./b.py"], "all sticks were taken"
    ),
]


@pytest.mark.parametrize(("command", "says"), COMMANDS)
def test_a_file_of_a_game_that_is_not_there_says_what_to_add(
    played: Path, capfd: pytest.CaptureFixture[str], command: list[str], says: str
) -> None:
    assert cli.main(command) == 2
    shown = "".join(capfd.readouterr())
    assert "if it is a game of your own, add --game FILE" in shown
    assert "damaged" not in shown
    assert "modified" not in shown
    assert "sticks" not in GAMES  # reading a file never loads the game that it names
    assert cli.main([*command, *GAME]) == 0
    assert says in "".join(capfd.readouterr())


@pytest.mark.parametrize("file", ["r.jsonl", "l.jsonl"])
def test_replay_names_the_missing_game(
    played: Path, capfd: pytest.CaptureFixture[str], file: str
) -> None:
    assert cli.main(["replay", file]) == 2
    assert "if it is a game of your own, add --game FILE" in capfd.readouterr().err


def test_a_record_of_another_version_is_not_called_modified(
    played: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    broken(played, "Taken(seat_id(self.seat), take)", "Taken(seat_id(self.seat), -take)")
    assert cli.main(["verify", "r.jsonl", *GAME]) == 1
    first = capfd.readouterr().out.splitlines()[0]
    assert "it is of another version of the game, which gives something else" in first
    assert "modified" not in first
    text = (played / "r.jsonl").read_text().replace("One", "Two")
    (played / "r.jsonl").write_text(text)
    assert cli.main(["verify", "r.jsonl", *GAME]) == 1
    assert "modified: " in capfd.readouterr().out


def test_another_end_of_another_version_is_not_called_modified(
    played: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    broken(played, "max(self.most[self.seat], take)", "7")
    assert cli.main(["verify", "r.jsonl", *GAME]) == 1
    assert "line 39: it is of another version of the game" in capfd.readouterr().out


def test_a_position_needs_the_version_that_was_played(
    played: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    again = ["play", "--resume", "r.jsonl", "--turn", "3", *GAME, "./a.py", "./b.py"]
    broken(played, "Taken(seat_id(self.seat), take)", "Taken(seat_id(self.seat), -take)")
    assert cli.main(again) == 2
    assert "in this version of the game: give the file of the game" in capfd.readouterr().err


def test_positions_of_an_own_game_in_python(here: Path) -> None:
    game, bots = str(ROOT / "spec" / "examples" / "games" / "kuhn.py"), ["any_move", "any_move"]
    whole = referee.play_match(bots, seed=3, game=game, record="r.jsonl")
    forgotten(here)
    with pytest.raises(LogReadError, match="if it is a game of your own"):
        referee.resume("r.jsonl", bots, turn=3)
    assert referee.resume("r.jsonl", bots, turn=3, game=game).turns == whole.turns
    with pytest.raises(UsageError, match="and the record is of kuhn"):
        referee.resume("r.jsonl", bots, turn=3, game="tribute")


@pytest.mark.slow
def test_many_matches_from_a_position_of_an_own_game(here: Path) -> None:
    game, bots = str(ROOT / "spec" / "examples" / "games" / "kuhn.py"), ["any_move", "any_move"]
    referee.play_match(bots, seed=3, game=game, record="r.jsonl")
    forgotten(here)
    matches = referee.play_matches(bots, 1, seed=1, position=("r.jsonl", 3), game=game)
    assert len(matches.results) == 1


@pytest.mark.slow
def test_a_store_does_not_go_on_with_another_version(
    played: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    broken(played, '__version__ = "1.2"', '__version__ = "1.3"')
    more = [*STORED, "--matches", "8", "--extend"]
    assert cli.main(more) == 2
    assert "the game sticks has changed since the matches in s.sqlite" in capfd.readouterr().err
    assert cli.main(["verify", *PLAY_AGAIN, *GAME]) == 2
    assert "s.sqlite is of another version of the game sticks" in capfd.readouterr().err
    assert cli.main([*more, "--same-game"]) == 0
    capfd.readouterr()
    cli.main(["verify", *PLAY_AGAIN, *GAME])
    assert "has matches of several versions of the game" in capfd.readouterr().err


@pytest.mark.slow
def test_a_store_goes_on_from_another_folder(
    played: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """The digest shows that it's the same game.

    New records keep its first path, so that a replay gives equal records.
    """
    there = str(played / "sticks.py")
    again = [there if word == "./sticks.py" else word for word in STORED]
    assert cli.main([*again, "--matches", "8", "--extend", "--records", "records"]) == 0
    assert "8 of 8 matches" in capfd.readouterr().out
    assert cli.main(["verify", *PLAY_AGAIN, "--game", there]) == 0


def test_a_file_of_options_names_a_game_beside_it(
    here: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (here / "night.toml").write_text('game = "./sticks.py"\nmatches = 2\n')
    (here / "elsewhere").mkdir()
    monkeypatch.chdir(here / "elsewhere")
    words = ["tournament", "--config", "../night.toml", "../a.py", "../b.py", "-q"]
    assert cli.main([*words, "--sandbox", "none"]) == 0
    assert "2 of 2 matches" in capfd.readouterr().out


@pytest.mark.parametrize("command", ["verify r.jsonl", "play ./a.py ./b.py --sandbox none"])
@pytest.mark.parametrize("line", ["        take = 1\n", "class Sticks:"])
def test_an_interrupt_that_a_game_raises_is_its_mistake(
    played: Path, capfd: pytest.CaptureFixture[str], command: str, line: str
) -> None:
    indent = line.removesuffix(line.lstrip())
    broken(played, line, f"{indent}raise KeyboardInterrupt\n{line}")
    assert cli.main([*command.split(), *GAME]) == 65
    (said,) = capfd.readouterr().err.splitlines()
    assert " has a mistake: " in said
    assert ": KeyboardInterrupt" in said


@pytest.mark.parametrize(("files", "jobs"), [(1, 1), slow(6, 2)])
def test_a_mistake_while_files_are_checked_is_the_games(
    played: Path, capfd: pytest.CaptureFixture[str], files: int, jobs: int
) -> None:
    broken(played, "        take = 1\n", "        exit()\n")
    names = [f"r{number}.jsonl" for number in range(files)]
    for name in names:
        (played / name).write_bytes((played / "r.jsonl").read_bytes())
    assert cli.main(["verify", *names, "--jobs", str(jobs), *GAME]) == 65
    (line,) = capfd.readouterr().err.splitlines()
    assert "the game sticks has a mistake: " in line
    assert ", in advance: SystemExit" in line


def test_a_page_that_a_game_spoils(capfd: pytest.CaptureFixture[str]) -> None:
    say_bug(GameError("the game sticks has a mistake: sticks.py, line 3"))
    say = "referee: a page could not be made: the game sticks has a mistake: sticks.py, line 3\n"
    assert capfd.readouterr().err == say
    say_bug(ValueError("ours"))
    assert "which is a bug in the referee: ValueError: ours" in capfd.readouterr().err


OPTIONS = """
from typing import Annotated
from msgspec import Meta
from referee.games.small import Game

class Sum(Game):
    class Options:
        free: int = 1
        ranged: Annotated[int, Meta(ge=1, le=3)] = 1

    def start(self):
        pass

    def legal(self, seat):
        return [0] * self.options.free

    def apply(self, move):
        self.to_move = None

    def view(self, viewer):
        return {}

    def scores(self):
        return [0, 0]
"""


@pytest.mark.parametrize(
    ("option", "code", "says"),
    [
        ("ranged=0", 2, ["referee: option ranged=0: give an integer of at least 1"]),
        (
            "free=0",
            65,
            ["the game sums has a mistake: ", "in legal: seat 0 is to move", "--set free=0"],
        ),
    ],
)
def test_an_option_out_of_range_is_the_users_mistake_only_with_a_range(
    here: Path, capfd: pytest.CaptureFixture[str], option: str, code: int, says: list[str]
) -> None:
    """Messages name the file of the game and not its class."""
    Path("sums.py").write_text(OPTIONS)
    words = ["play", "--game", "./sums.py", "any_move", "any_move", "--set", option]
    assert cli.main(words) == code
    err = capfd.readouterr().err
    assert [part for part in says if part not in err] == []
