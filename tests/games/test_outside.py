"""Games from outside the package, loaded from a file, folder or module that the user names."""

from __future__ import annotations

import pickle
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from importlib.metadata import EntryPoint
from pathlib import Path
from types import ModuleType

import pytest
from msgspec import structs

import referee
from referee.errors import GameError, UsageError
from referee.games import GAMES, find_game, game_words, outside
from referee.games.interface import blaming
from referee.games.outside import add, load, need
from tests.support.own_game import STICKS, clean_games, one_taker


@pytest.fixture(autouse=True)
def _games() -> Iterator[None]:
    with clean_games():
        yield


def broken(tmp_path: Path, line: str, other: str) -> str:
    text = STICKS.read_text()
    assert line in text
    file = tmp_path / "broken.py"
    file.write_text(text.replace(line, other, 1))
    return str(file)


def in_folder(tmp_path: Path) -> Path:
    """Write a game as a folder with two files."""
    folder = tmp_path / "sticks"
    folder.mkdir()
    (folder / "__init__.py").write_text("from .rules import GAME\n")
    (folder / "rules.py").write_text(STICKS.read_text())
    return folder


def test_a_file_is_a_game() -> None:
    assert find_game(str(STICKS)) == "sticks"
    source = GAMES.outside["sticks"].source
    assert (source.file, source.version) == (str(STICKS), "1.2")
    assert game_words("sticks") == ["--game", str(STICKS)]
    result = referee.play_match([one_taker, one_taker], game=str(STICKS), seed=1)
    assert (result.game, result.players[0].score, result.players[1].score) == ("sticks", 1, 0)


def test_a_folder_is_a_game_and_all_its_code_counts(tmp_path: Path) -> None:
    folder = in_folder(tmp_path)
    assert load(str(folder)).name == "sticks"
    before = outside._code_of(str(folder)).digest
    (folder / "notes.txt").write_text("not code")
    assert outside._code_of(str(folder)).digest == before
    (folder / "more.py").write_text("")
    assert outside._code_of(str(folder)).digest != before


def test_an_installed_package_is_a_game(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "my_sticks.py").write_text(STICKS.read_text())
    monkeypatch.syspath_prepend(tmp_path)
    entry = EntryPoint("sticks", "my_sticks", outside.GROUP)
    monkeypatch.setattr(outside, "_entries", lambda: [entry])
    assert find_game("sticks") == "sticks"
    assert game_words("sticks") == ["--game", "sticks"]
    assert GAMES.outside["sticks"].place == "sticks"
    monkeypatch.delitem(sys.modules, "my_sticks")


def test_a_game_is_loaded_once_until_it_changes(tmp_path: Path) -> None:
    file = tmp_path / "sticks.py"
    file.write_text(STICKS.read_text())
    add(str(file))
    first = GAMES["sticks"]
    add(str(file))
    add(str(tmp_path / ".." / tmp_path.name / "sticks.py"))
    assert GAMES["sticks"] is first
    file.write_text(STICKS.read_text() + "# another version\n")
    add(str(file))
    assert GAMES["sticks"] is not first


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("./nothing.py", "no game ./nothing.py: there is no such file"),
        ("chess", "no game 'chess'; there are: dominion, botwars, starrealms, tribute; or name a"),
        (str(STICKS.parent), "it has no __init__.py"),
        (sys.executable, "give a .py file or a folder"),
    ],
)
def test_what_is_not_a_game_is_a_users_mistake(name: str, says: str) -> None:
    with pytest.raises(UsageError, match=says):
        find_game(name)


def test_the_folder_of_a_new_game_is_named_with_its_file(tmp_path: Path) -> None:
    folder = tmp_path / "sticks"
    folder.mkdir()
    (folder / "sticks.py").touch()
    with pytest.raises(UsageError, match=r"no __init__.py; did you mean .*sticks/sticks.py\?"):
        find_game(str(folder))


@pytest.mark.parametrize(
    ("line", "other", "says"),
    [
        ("class Sticks:", "class Sticks(:", r"broken.py, line \d+: invalid syntax"),
        ("class Sticks:", "1 / 0\nclass Sticks:", "in <module>: ZeroDivisionError: division"),
        ("class Sticks:", "exit(3)\nclass Sticks:", "in <module>: SystemExit: 3"),
        ("class Sticks:", "raise GeneratorExit\nclass Sticks:", "in <module>: GeneratorExit"),
        ("class Sticks:", "\0", "mistake: source code string cannot contain null bytes$"),
        (
            "GAME = Game",
            "OTHER = Game",
            "has no class below `Game`, and no GAME, which must be a GameDefinition",
        ),
        ("GAME = Game", "GAME = 3\nOTHER = Game", "has a int as GAME"),
        ('name="sticks"', 'name="My Sticks"', "is called 'My Sticks': a name has lower-case"),
    ],
)
def test_wrong_code_is_the_games_mistake(tmp_path: Path, line: str, other: str, says: str) -> None:
    with pytest.raises(GameError, match=says):
        find_game(broken(tmp_path, line, other))


def test_no_game_takes_the_name_of_another(tmp_path: Path) -> None:
    file = broken(tmp_path, 'name="sticks"', 'name="dominion"')
    with pytest.raises(UsageError, match="there is a game dominion already"):
        find_game(file)


def test_another_process_refuses_other_code(tmp_path: Path) -> None:
    file = tmp_path / "sticks.py"
    file.write_text(STICKS.read_text())
    add(str(file))
    source = GAMES.outside["sticks"].source
    # Pretend to be a process that hasn't loaded the game yet.
    del GAMES.outside["sticks"], GAMES["sticks"]
    need("sticks", source, str(file))
    assert GAMES["sticks"].name == "sticks"
    del GAMES.outside["sticks"], GAMES["sticks"]
    file.write_text(STICKS.read_text() + "raise SystemError\n")
    with pytest.raises(UsageError, match="the game sticks has changed while it was used"):
        need("sticks", source, str(file))


def test_the_classes_of_a_game_are_not_pickled() -> None:
    add(str(STICKS))
    spec = referee.match_spec(["a", "b"], game="sticks", seed=1, options={"sticks": 5})
    data = pickle.dumps(spec)
    assert b"_referee_game_" not in data
    again = pickle.loads(data)
    assert again.options == {"sticks": 5}
    assert again.unpickled() == spec


@pytest.mark.parametrize(
    ("line", "other", "says"),
    [
        ("        take = 1\n", "        take = 1 / 0\n", "in advance: ZeroDivisionError: division"),
        ("        take = 1\n", "        exit()\n", r"in advance: SystemExit"),
        ("        take = 1\n", "        raise GeneratorExit\n", "in advance: GeneratorExit"),
        (
            "        take = 1\n",
            "        self.advance(replies)\n",
            "in advance: RecursionError: maximum recursion depth exceeded",
        ),
        ("return [SeatState", "[][0]; return [SeatState", "in standings: IndexError: list index"),
        ("Taken(seat_id(self.seat), take)", "GameInfo(self)", "sticks has a mistake: TypeError: "),
        ("Request(self.seat, ", "Request(9, ", "sticks has a mistake: IndexError: list index"),
        (
            "        self.turns += 1\n",
            "        self.turns += 1\n        if self.turns == 3: return\n",
            "sticks has a mistake: ProtocolMisuseError: the game waits for nobody",
        ),
    ],
)
def test_what_a_game_raises_is_its_own_mistake(
    tmp_path: Path, line: str, other: str, says: str
) -> None:
    file = broken(tmp_path, line, other)
    with pytest.raises(GameError, match=says):
        referee.play_match([one_taker, one_taker], game=file, seed=1)


@pytest.mark.parametrize("line", ["        take = 1\n", "class Sticks:"])
def test_ctrl_c_while_a_game_computes_or_is_loaded_is_not_its_mistake(
    tmp_path: Path, line: str
) -> None:
    """The handler of the program raises it in the middle of the game's code."""
    indent = line.removesuffix(line.lstrip())
    interrupt = f"{indent}import signal; signal.raise_signal(signal.SIGINT)\n"
    file = broken(tmp_path, line, interrupt + line)
    with pytest.raises(KeyboardInterrupt):
        referee.play_match([one_taker, one_taker], game=file, seed=1)


SMALL = """\
from referee.games.small import Game

class Base(Game):
    pass

class One(Base):
    pass
"""


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (SMALL, ""),
        (SMALL + "class Two(Base):\n    pass\n", "has several games: One, Two; keep one$"),
        (SMALL + "class Two(One):\n    players = 1 / 0\n", "in Two: ZeroDivisionError"),
        (
            SMALL + "del Base, One\n",
            "has no class below `Game`, and no GAME, which must be a GameDefinition",
        ),
    ],
)
def test_a_file_with_one_class_of_a_small_game(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, says: str
) -> None:
    rules = load(str(STICKS))
    small = ModuleType("referee.games.small")
    small.Game = type("Game", (), {})
    small.definition = lambda kind, name: structs.replace(rules, name=name)
    monkeypatch.setitem(sys.modules, "referee.games.small", small)
    file = tmp_path / "nim.py"
    file.write_text(text)
    if says:
        with pytest.raises(GameError, match=says):
            load(str(file))
    else:
        assert load(str(file)).name == "nim"


@pytest.mark.untraced
@pytest.mark.parametrize("endless", ["while True: pass", "__import__('time').sleep(60)"])
def test_code_that_does_not_return_is_the_games_mistake(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, endless: str
) -> None:
    """Its time is over when it gets to the line that doesn't return, however fast that was."""
    over = "__import__('signal').setitimer(0, 0.001)"
    file = broken(tmp_path, "        take = 1\n", f"        {over}\n        {endless}\n")
    with pytest.raises(GameError, match=r"in advance: GameTimeoutError: this takes longer than"):
        referee.play_match([one_taker, one_taker], game=file, seed=1)
    file = broken(tmp_path, "class Sticks:", f"{over}\n{endless}\nclass Sticks:")
    says = r"in <module>: GameTimeoutError: this takes longer than"
    with pytest.raises(GameError, match=says):
        load(file)
    (tmp_path / "endless_game.py").write_text(Path(file).read_text())
    monkeypatch.syspath_prepend(tmp_path)
    entry = EntryPoint("endless", "endless_game", outside.GROUP)
    monkeypatch.setattr(outside, "_entries", lambda: [entry])
    with pytest.raises(GameError, match=says):
        find_game("endless")


@pytest.mark.untraced  # a debugger has no limit
def test_the_time_of_a_call_ends_with_it_and_that_of_an_outer_one_goes_on() -> None:
    def left() -> float:
        return signal.getitimer(signal.ITIMER_REAL)[0]

    before = signal.getsignal(signal.SIGALRM)
    with blaming.in_time(500.0):
        with blaming.in_time(1000.0):
            assert 0 < left() <= 500
        assert 0 < left() <= 500
    assert left() == 0
    with blaming.in_time():
        assert 0 < left() <= blaming.GAME_SECONDS
    with (
        pytest.raises(blaming.GameTimeoutError, match=r"longer than 0\.001 s"),
        blaming.in_time(0.001),
    ):
        time.sleep(60)
    assert signal.getsignal(signal.SIGALRM) == before


@pytest.mark.parametrize("is_debugged", [False, True])
def test_a_debugger_has_no_limit(is_debugged: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "gettrace", lambda: print if is_debugged else None)
    over: AbstractContextManager[object] = (
        nullcontext() if is_debugged else pytest.raises(blaming.GameTimeoutError)
    )
    with over, blaming.in_time():
        signal.raise_signal(signal.SIGALRM)


def test_what_a_game_prints_is_not_in_its_log(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = broken(tmp_path, "        take = 1\n", "        print('debug')\n        take = 1\n")
    referee.play_match([one_taker, one_taker], game=file, seed=1)
    out, err = capsys.readouterr()
    assert out == ""
    assert "debug" in err
