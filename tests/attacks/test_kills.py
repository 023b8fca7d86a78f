"""Short runs of `tools.attacks.kills`, which interrupts tournaments and continues them."""

from __future__ import annotations

import os
import select
import signal
from pathlib import Path
from random import Random

import pytest

from referee.bots.processes.orphans import descendants
from tests.support.live import hostile
from tests.support.remains import cgroups_of
from tools.attacks.kills import KILLER, Tournament, cut_off, read_only, two_at_once


def small(folder: Path) -> Tournament:
    """Return a tournament of 16 matches."""
    return Tournament(folder, 8, "minimal", "big_money")


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
def test_a_tournament_that_is_cut_off_goes_on_to_the_same_rows(
    number: signal.Signals, tmp_path: Path
) -> None:
    game = small(tmp_path / "cut")
    cut_off(game, number, Random(6))  # after three matches have been stored
    game.finish()
    assert game.problems == []
    assert [match["match"] for match in game.rows()["matches"]] == [*range(16)]


@pytest.mark.slow
def test_a_bot_that_kills_is_out_however_the_run_is_cut_off(tmp_path: Path) -> None:
    whole, cut = (
        Tournament(tmp_path / name, 2, KILLER, "minimal", "big_money", sandbox="none")
        for name in ("whole", "cut")
    )
    cut_off(cut, signal.SIGTERM, Random(3))
    for game in (cut, whole):
        game.finish(1)  # exit code 1, because a bot was excluded
        assert game.problems == []
    assert cut.rows() == whole.rows()
    assert [match["reason"] for match in cut.rows()["matches"]].count("worker-killed") == 1
    assert len(cut.rows()["matches"]) == 5


def test_an_interrupted_tournament_ends_what_bots_have_started(tmp_path: Path) -> None:
    """The bot's child has its own session, so only the referee can find and kill it."""
    fifo = tmp_path / "pid"
    os.mkfifo(fifo)
    opened = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
    bots = ("minimal", hostile("daemon_and_hang", fifo))
    game = Tournament(tmp_path / "game", 50, *bots, sandbox="none")
    run = game.start()
    select.select([opened], [], [], 60)
    assert os.read(opened, 20).isdigit()  # the bot's child has started and written its pid
    os.close(opened)
    workers = descendants(run.pid)
    # On SIGHUP, the command doesn't wait for matches to finish. Its workers ignore the signal.
    os.killpg(run.pid, signal.SIGHUP)
    game.expect(run, 129)
    game.check_left(cut_off=False)
    assert cgroups_of(workers) == []
    assert game.problems == []


@pytest.mark.slow
@pytest.mark.parametrize("attack", [read_only, two_at_once])
def test_a_store_that_cannot_be_had(attack: object, tmp_path: Path) -> None:
    game = small(tmp_path / "game")
    assert callable(attack)
    attack(game)
    assert game.problems == []
    assert len(game.rows()["matches"]) == 16
