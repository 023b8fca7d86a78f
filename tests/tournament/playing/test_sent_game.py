"""A game that isn't bundled is sent to other processes, which may have its code or not."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from referee.games import GAMES
from referee.games.outside import add
from referee.match.spec import match_spec
from referee.tournament.playing import on_worker
from referee.tournament.playing.batch import Batch, Failed
from referee.tournament.playing.sent_game import sent_game
from referee.tournament.playing.task import play_batch
from referee.tournament.rows import Entrant, MatchRow, Plan
from tests.support.batches import worker
from tests.support.own_game import ONE_TAKER, STICKS, clean_games


@pytest.fixture(autouse=True)
def _games() -> Iterator[None]:
    with clean_games():
        yield


@pytest.fixture
def batch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Batch:
    """Make a batch with one match of a game in `tmp_path`, where workers keep files as well."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(on_worker, "_END_SECONDS", 10.0)
    (tmp_path / "sticks.py").write_text(STICKS.read_text())
    (tmp_path / "bot.py").write_text(ONE_TAKER)
    name = add(str(tmp_path / "sticks.py"))
    bot = Entrant("One", str(tmp_path / "bot.py"))
    spec = match_spec(["", ""], game=name, seed=0, options={"sticks": 5})
    plan = Plan(0, 0, 7, (0, 1))
    return Batch(spec, {0: bot, 1: bot}, (plan,), game=sent_game(name))


def played_here(batch: Batch) -> list[MatchRow] | Failed:
    """Play a batch as a process would that has not loaded the game."""
    sent = pickle.dumps(batch)
    for name in [*GAMES.outside]:
        del GAMES[name]
        del GAMES.outside[name]
    with worker() as executor:
        return executor.submit(play_batch, pickle.loads(sent)).result()


def played(batch: Batch) -> list[MatchRow] | Failed:
    processes = on_worker.Processes()
    try:
        rows: list[MatchRow] | Failed = pickle.loads(
            processes.call(pickle.dumps((play_batch, batch)))
        )
    finally:
        processes.end_idle()
    return rows


def one(found: list[MatchRow] | Failed) -> MatchRow:
    assert not isinstance(found, Failed), found
    (row,) = found
    return row


def test_it_is_loaded_by_its_path(batch: Batch) -> None:
    row = one(played_here(batch))
    assert (row.reason, row.turns, row.scores) == ("all-taken", 5, (1, 0))


def test_its_code_goes_to_another_machine(batch: Batch, tmp_path: Path) -> None:
    far = batch.with_game_code()
    (tmp_path / "sticks.py").unlink()
    assert one(played(far)).reason == "all-taken"


def test_other_code_is_refused(batch: Batch, tmp_path: Path) -> None:
    (tmp_path / "sticks.py").write_text("raise SystemError\n")
    found = played_here(batch)
    assert isinstance(found, Failed)
    assert found.kind == "usage"
    assert found.text.startswith("the game sticks has changed while it was used")


def test_its_mistake_makes_its_match_void(batch: Batch, tmp_path: Path) -> None:
    text = STICKS.read_text().replace("        take = 1\n", "        take = [][1]\n", 1)
    (tmp_path / "sticks.py").write_text(text)
    add(str(tmp_path / "sticks.py"))
    row = one(played_here(replace(batch, game=sent_game("sticks"))))
    assert (row.void, row.reason) == (True, "game-error")
    assert row.problem.endswith(", in advance: IndexError: list index out of range")
    assert not any(seat.disqualified for seat in row.seats)
    assert "sticks" in GAMES.outside
