"""The public API: the names that `import referee` provides, and that the import is cheap."""

from __future__ import annotations

import ast
import errno
import json
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import trio

import referee
import referee.logs
from referee.errors import as_ours
from referee.games import dominion
from referee.logs.verify import Kind, verify_record
from tests.support.helpers import cautious
from tests.support.imports import loaded
from tests.support.live import await_end, entries, hostile, left_behind
from tests.support.marks import slow
from tests.support.sandboxed import needs_bwrap


def test_every_name_of_the_api_is_there() -> None:
    for name in referee.__all__:
        assert getattr(referee, name) is not None
    assert set(referee.__all__) == set(dir(referee))
    with pytest.raises(AttributeError, match="no_such_name"):
        _ = referee.no_such_name  # type: ignore[attr-defined]


@pytest.mark.parametrize("package", [referee, referee.logs, dominion], ids=str)
def test_names_are_the_imports_that_type_checkers_see(package: ModuleType) -> None:
    """A name that is not written in the expected form would be missing at run time."""
    tree = ast.parse(Path(package.__file__ or "").read_text())
    blocks = [node.body for node in tree.body if isinstance(node, ast.If) and is_checking(node)]
    imports = [node for block in blocks for node in block if isinstance(node, ast.ImportFrom)]
    homes = {name.asname: node.module for node in imports for name in node.names}
    assert [*sorted(homes)] == dir(package)
    for name, home in homes.items():
        assert getattr(package, name) is getattr(import_module(home), name)
    # With `import x as x`, type checkers treat the name as re-exported.
    assert all(name.asname == name.name for node in imports for name in node.names)


def is_checking(node: ast.If) -> bool:
    return isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"


def test_importing_is_light() -> None:
    assert not loaded("import referee, referee.cli", {"trio", "msgspec", "rich"})


def test_play_match(tmp_path: Path) -> None:
    log, record = tmp_path / "log", tmp_path / "record"
    result = referee.play_match(
        ["big_money", "minimal"],
        seed=7,
        options={"max_turns": 4},
        log=str(log),
        record=str(record),
    )
    assert (result.seed, result.reason, result.turns) == (7, "turn-limit", 8)
    assert entries(log)[-1]["reason"] == "turn-limit"
    assert entries(record)[-1]["entry"] == "end"


def test_a_log_replaces_only_files_of_the_referee(tmp_path: Path) -> None:
    bot = tmp_path / "my_bot.py"
    bot.write_text("print('my bot')\n")
    problem = "my_bot.py is not a match record, and would be replaced; choose another name, or pass"
    play = partial(referee.play_match, [cautious, cautious], options=SHORT, record=bot)
    with pytest.raises(referee.UsageError, match=f"{problem} force=True$"):
        play()
    assert bot.read_text() == "print('my bot')\n"
    for force in (True, False):
        play(force=force)
    assert bot.read_bytes().startswith(b'{"entry":"header"')


def test_play_match_draws_a_seed() -> None:
    results = [referee.play_match([cautious, cautious], options={"max_turns": 1}) for _ in range(2)]
    assert results[0].seed != results[1].seed


@pytest.mark.parametrize(
    ("bots", "seed", "says"),
    [
        (["big_money"], 1, "2 to 4"),
        (["big_money"] * 5, 1, "2 to 4"),
        (["big_money"] * 2, -1, "seed"),
        (["big_money"] * 2, 2**53, "seed"),
        (["big_money", "no_such_bot"], 1, "no_such_bot"),
        (["big_money"] * 2, "7", "seed '7' is not an integer"),
        (["big_money"] * 2, 7.0, "seed 7.0 is not an integer"),
        ("big_money", 1, r"bots are given as a list, such as \[.*\], not 'big_money'"),
        ({"big_money", "minimal"}, 1, "bots are given as a list"),
        (["big_money", 3], 1, r"3 \(int\) is not a bot"),
    ],
)
def test_play_match_with_wrong_bots_or_seed(bots: Any, seed: Any, says: str) -> None:
    with pytest.raises(referee.UsageError, match=says):
        referee.play_match(bots, seed=seed)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"game": "chess"}, "no game 'chess'; there are: dominion"),
        ({"game": ["dominion"]}, "no game"),
        ({"options": [("max_turns", 3)]}, "options are given by name"),
        ({"options": {"max_turn": 3}}, "no option 'max_turn'"),
        ({"options": {3: 4}}, "no option 3"),
        ({"options": {"max_turns": object()}}, "option max_turns="),
        ({"log": 3}, "log is a file name, not 3"),
        ({"record": b"record"}, "record is a file name"),
        ({"record_stderr": True}, "record_stderr goes with record"),
        ({"log": "/no/such/folder/log"}, "cannot write /no/such/folder/log"),
        ({"sandbox": "docker"}, "sandbox is 'docker'; there are: auto, bwrap, none"),
    ],
)
def test_play_match_with_other_wrong_arguments(arguments: dict[str, Any], says: str) -> None:
    with pytest.raises(referee.UsageError, match=says):
        referee.play_match(["big_money", "minimal"], **arguments)


LOOKS = """
import json, os, sys
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "player-name-request":
        seen = f"{os.getuid()} {os.getcwd()} {os.listdir('.')}"
        reply = {"player_number": message["player_number"], "name": seen}
        print(json.dumps({"type": "player-name-reply", **reply}), flush=True)
    elif message["type"] == "play-turn":
        print(json.dumps({"type": "play-reply", "phase": "cleanup"}), flush=True)
"""


@needs_bwrap
@pytest.mark.parametrize("jobs", [0, slow(1), slow(2)])
def test_bots_in_a_sandbox(jobs: int, tmp_path: Path) -> None:
    """In a sandbox the bot's folder is /bot, without the files of the referee (sandbox.md, 2)."""
    (tmp_path / "my_bot.py").write_text(LOOKS)
    bots, options = [tmp_path / "my_bot.py", "minimal"], {"max_turns": 1}
    record = tmp_path / "record"
    if jobs:
        result = referee.play_matches(
            bots, 1, options=options, records=record, sandbox="bwrap", jobs=jobs
        ).results[0]
    else:
        result = referee.play_match(bots, options=options, record=record, sandbox="bwrap")
        header = json.loads(record.read_text().partition("\n")[0])
        assert header["options"]["memory_limit"] == 2**30  # the default in a sandbox (sandbox.md)
    assert result.sandbox == "bwrap"
    assert "1000 /bot ['my_bot.py']" in [player.name for player in result.players]


# --- in async programs ----------------------------------------------------------------------------

SHORT = {"max_turns": 2}


async def test_play_match_async(tmp_path: Path) -> None:
    results = {}

    async def play(seed: int) -> None:
        record = tmp_path / str(seed)
        results[seed] = await referee.play_match_async(
            ["minimal", cautious], seed=seed, options=SHORT, record=record
        )

    async with trio.open_nursery() as nursery:
        for seed in (1, 2):
            nursery.start_soon(play, seed)
    for seed, result in results.items():
        assert result.seed == seed
        assert result.players[0].exit_code == 0
        assert verify_record(str(tmp_path / str(seed))).kind == Kind.VALID


async def test_a_match_that_is_cancelled_ends_its_bots() -> None:
    def cancelling(message: dict[str, Any]) -> dict[str, Any] | None:
        if message["type"] != "play-turn":
            return None
        scope.cancel()
        return {"type": "play-reply", "phase": "cleanup"}

    with trio.CancelScope() as scope:
        await referee.play_match_async([hostile("stays"), cancelling], seed=1)
    assert scope.cancelled_caught
    assert left_behind() == []


async def test_an_error_of_a_bot_comes_alone() -> None:
    """The exception isn't wrapped in an ExceptionGroup, as trio's nurseries would do."""

    def failing(message: object) -> None:
        raise ValueError("in the bot")

    with pytest.raises(referee.BotError, match="the bot failing raised ValueError: in the bot"):
        await referee.play_match_async([failing, "minimal"])


def test_objects_need_no_event_loop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(trio, "run")
    log, record = tmp_path / "log", tmp_path / "record"
    result = referee.play_match([cautious, cautious], seed=1, options=SHORT, log=log, record=record)
    assert result.reason == entries(log)[-1]["reason"] == "turn-limit"
    assert verify_record(str(record)).kind == Kind.VALID


async def test_play_match_in_an_async_program_of_trio() -> None:
    play = partial(referee.play_match, ["minimal", cautious], options=SHORT)
    many = partial(referee.play_matches, ["minimal", cautious], 2, options=SHORT)
    for call in (play, many):
        with pytest.raises(referee.UsageError, match="await play_match_async"):
            call()
    assert (await trio.to_thread.run_sync(play)).reason == "turn-limit"
    assert len((await trio.to_thread.run_sync(many)).results) == 2


@pytest.mark.slow
def test_in_programs_of_asyncio() -> None:
    """Matches run in another thread or directly in the event loop, as they do in a notebook."""
    code = """
import asyncio, referee
from functools import partial

async def called(function):
    return function()

async def main():
    bots = ["minimal", "minimal"]
    play = partial(referee.play_match, bots, options={"max_turns": 2})
    many = partial(referee.play_matches, bots, 2, jobs=2, options={"max_turns": 2})
    print(type(await called(play)).__name__)
    for each in (play, many):
        print(type(await asyncio.to_thread(each)).__name__)

asyncio.run(main())
"""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], capture_output=True, text=True
    )
    assert done.stderr == ""
    assert done.stdout.split() == ["MatchResult", "MatchResult", "Matches"]
    assert left_behind() == []


def test_a_bug_is_an_error_of_ours(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A bug never causes a bare ExceptionGroup.

    The bots have exited, and the record so far is valid.
    """

    def fail(*_: object) -> None:
        raise ValueError("a bug")

    monkeypatch.setattr(referee.Match, "disqualify", fail)
    record = str(tmp_path / "record")
    with pytest.raises(referee.InternalError, match="ValueError: a bug") as caught:
        referee.play_match(["big_money", hostile("exit_at", 2)], seed=1, record=record)
    assert isinstance(caught.value, referee.RefereeError)
    assert isinstance(caught.value.__cause__, ValueError)
    assert left_behind() == []
    assert verify_record(record).kind == Kind.TRUNCATED


def test_ctrl_c_is_a_keyboard_interrupt() -> None:
    bot = hostile("signal_referee", f"3:{int(signal.SIGINT)}")
    with pytest.raises(KeyboardInterrupt):
        referee.play_match([bot, hostile("stays")], seed=1)
    assert left_behind() == []


@pytest.mark.parametrize("mode", ["daemon", "lost_daemon"])
def test_nothing_that_a_bot_has_started_is_left(tmp_path: Path, mode: str) -> None:
    """Not even a child in another session whose parent has exited is left (8.4)."""
    pid_file = tmp_path / "pid"
    bots = [cautious, hostile(mode, pid_file)]
    referee.play_match(bots, seed=1, options={"max_turns": 1})
    await_end(int(pid_file.read_text()))
    assert left_behind() == []


def test_matches_in_several_threads_leave_each_other_alone() -> None:
    with ThreadPoolExecutor(2) as pool:
        play = partial(referee.play_match, ["minimal", cautious], options={"max_turns": 1})
        results = list(pool.map(lambda seed: play(seed=seed), range(3)))
    assert [result.players[0].exit_code for result in results] == [0] * 3


def test_a_log_that_a_bot_removes_is_written_anew_with_a_warning(tmp_path: Path) -> None:
    log = tmp_path / "log"
    with pytest.warns(RuntimeWarning, match="log was removed by another program"):
        referee.play_match([cautious, hostile("remove", f"6:{log}")], seed=1, log=str(log))
    assert entries(log)[-1]["type"] == "game-end"


@pytest.mark.parametrize(
    ("error", "ours"),
    [
        (OSError(errno.EMFILE, "Too many open files"), referee.ShortageError),
        # epoll raises this one.
        (OSError(errno.ENOSPC, "No space left on device"), referee.ShortageError),
        (MemoryError(), referee.ShortageError),
        (OSError(errno.ENOENT, "No such file"), referee.InternalError),
        (referee.LogWriteError("log", OSError(errno.ENOSPC, "full")), referee.LogWriteError),
        (ExceptionGroup("two", [KeyError("first"), ValueError("second")]), referee.InternalError),
        (
            ExceptionGroup("outer", [ExceptionGroup("inner", [referee.UsageError("ours")])]),
            referee.UsageError,
        ),
    ],
)
def test_any_exception_becomes_one_of_ours(
    error: Exception, ours: type[referee.RefereeError]
) -> None:
    assert type(as_ours(error)) is ours
    assert type(as_ours(ExceptionGroup("group", [error]))) is ours


def test_the_example_in_the_seam_plays_a_game() -> None:
    """The loop is taken from the docstring in `referee/games/interface/game.py`."""
    definition = referee.GAMES["dominion"]
    chance = referee.SeededRandomSource(7)
    options = definition.options(max_turns=3)
    game = definition.new(referee.GameSetup(chance=chance, names=("Ann", "Ben"), options=options))
    events = game.take_events()
    while game.requests:
        nonsense = referee.InvalidReply("invalid-json", "not even tried")
        game.advance({asked.seat: nonsense for asked in game.requests})
        events += game.take_events()
    assert game.outcome == referee.Outcome("turn-limit", (1, 1))
    assert sum(isinstance(event, referee.Fault) for event in events) == 6
