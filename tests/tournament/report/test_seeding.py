"""Seeding a knockout by the ratings of an earlier tournament."""

from __future__ import annotations

from pathlib import Path

import pytest

from referee.errors import UsageError
from referee.tournament.report.seeding import seeding_by
from referee.tournament.rows import MatchRow, Plan
from referee.tournament.store import Store
from tests.support.made_up import made_setup, play, row


def better_wins(plan: Plan) -> MatchRow:
    """The bot with the lower number wins."""
    return row(plan, [1, 2] if plan.players[0] < plan.players[1] else [2, 1])


def without_bot4(plan: Plan) -> MatchRow:
    return better_wins(plan) if 4 not in plan.players else row(plan, void=True)


def test_bots_without_a_rating_come_last_in_their_order(tmp_path: Path) -> None:
    file = str(tmp_path / "week.sqlite")
    with Store.for_writing(file) as store:
        store.add_stage(made_setup(5, deals=3))
        play(store, without_bot4)
    for names, seeds in (
        (["bot2", "bot0", "bot1"], (1, 2, 0)),
        (["new", "bot3", "other", "bot0"], (3, 1, 0, 2)),  # also before a bot of less than 1500
        (["bot4", "bot3"], (1, 0)),  # bot4 has no match
        (["bot3"], (0,)),
    ):
        assert seeding_by(file, names) == seeds
    with pytest.raises(UsageError, match="it has no rating of a bot with one of these names"):
        seeding_by(file, ["new", "bot4"])
