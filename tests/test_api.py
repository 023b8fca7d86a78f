"""The public API: what `import referee` gives, and that it costs nothing before it is used."""

from __future__ import annotations

import errno
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import pytest
from live import await_end, entries, hostile, left_behind

import referee
from referee.errors import as_ours
from referee.logs.verify import Kind, verify_record


def test_every_name_of_the_api_is_there() -> None:
    for name in referee.__all__:
        assert getattr(referee, name) is not None
    assert set(referee.__all__) == set(dir(referee))
    with pytest.raises(AttributeError, match="no_such_name"):
        _ = referee.no_such_name  # type: ignore[attr-defined]


def test_importing_is_light() -> None:
    code = (
        "import referee, referee.cli, sys\n"
        "print(sorted({'trio', 'msgspec', 'rich'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


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


def test_play_match_draws_a_seed() -> None:
    results = [
        referee.play_match(["big_money", "minimal"], options={"max_turns": 1}) for _ in range(2)
    ]
    assert results[0].seed != results[1].seed


@pytest.mark.parametrize(
    ("bots", "seed", "says"),
    [
        (["big_money"], 1, "2 to 4"),
        (["big_money"] * 5, 1, "2 to 4"),
        (["big_money"] * 2, -1, "seed"),
        (["big_money"] * 2, 2**53, "seed"),
        (["big_money", "no_such_bot"], 1, "no_such_bot"),
    ],
)
def test_play_match_with_wrong_arguments(bots: list[str], seed: int, says: str) -> None:
    with pytest.raises(referee.UsageError, match=says):
        referee.play_match(bots, seed=seed)


def test_a_bug_is_an_error_of_ours(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Never a bare ExceptionGroup; the bots have ended, and the record holds as far as it goes."""

    def fail(*_: object) -> None:
        raise ValueError("a bug")

    monkeypatch.setattr(referee.Match, "disqualify", fail)
    record = str(tmp_path / "record")
    with pytest.raises(referee.InternalError, match="ValueError: a bug") as caught:
        referee.play_match(["big_money", hostile("exit_at", 2)], seed=1, record=record)
    assert isinstance(caught.value, referee.RefereeError)
    assert isinstance(caught.value.__cause__, ValueError)
    assert left_behind() == []
    assert verify_record(record).kind == Kind.CUT_SHORT


def test_ctrl_c_is_a_keyboard_interrupt() -> None:
    bot = hostile("signal_referee", f"3:{int(signal.SIGINT)}")
    with pytest.raises(KeyboardInterrupt):
        referee.play_match([bot, hostile("stays")], seed=1)
    assert left_behind() == []


@pytest.mark.parametrize("mode", ["daemon", "lost_daemon"])
def test_nothing_that_a_bot_has_started_is_left(tmp_path: Path, mode: str) -> None:
    """8.4: in a session of its own, and cut off from the bot as well."""
    pid_file = tmp_path / "pid"
    bots = ["minimal", hostile(mode, pid_file)]
    referee.play_match(bots, seed=1, options={"max_turns": 1})
    await_end(int(pid_file.read_text()))
    assert left_behind() == []


def test_matches_in_several_threads_leave_each_other_alone() -> None:
    with ThreadPoolExecutor(3) as pool:
        play = partial(referee.play_match, ["minimal", "minimal"], options={"max_turns": 5})
        results = list(pool.map(lambda seed: play(seed=seed), range(9)))
    assert [player.exit_code for result in results for player in result.players] == [0] * 18


def test_a_log_that_a_bot_removes_is_written_anew_with_a_warning(tmp_path: Path) -> None:
    log = tmp_path / "log"
    with pytest.warns(RuntimeWarning, match="log was removed by somebody else"):
        referee.play_match(["minimal", hostile("remove", f"6:{log}")], seed=1, log=str(log))
    assert entries(log)[-1]["type"] == "game-end"


@pytest.mark.parametrize(
    ("error", "ours"),
    [
        (OSError(errno.EMFILE, "Too many open files"), referee.ShortageError),
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
    """The loop that `referee/seam/game.py` shows."""
    rules = referee.GAMES["dominion"]
    chance = referee.SeededChance(7)
    options = rules.options(max_turns=3)
    game = rules.new(referee.Setup(chance=chance, names=("Ann", "Ben"), options=options))
    events = game.take_events()
    while game.requests:
        nonsense = referee.Malformed("invalid-json", "not even tried")
        game.advance({asked.seat: nonsense for asked in game.requests})
        events += game.take_events()
    assert game.outcome == referee.Outcome("turn-limit", (1, 1))
    assert sum(isinstance(event, referee.Fault) for event in events) == 6
