"""Which limits apply to a match, and which file is which."""

from __future__ import annotations

import math
from typing import Any

import pytest
from msgspec.structs import replace

from referee.bots.command import BotCommand
from referee.errors import UsageError
from referee.games import GAMES
from referee.logs.outputs import LOG, RECORD, TEXT, Output
from referee.match.limits import MIB
from referee.match.machine import Redeal
from referee.match.sandbox import NO_SANDBOX, Sandbox
from referee.match_plan import MatchPlan, settled_spec
from tests.support import toy

BOTS = [BotCommand("a", ("/a",)), BotCommand("b", ("/b",))]
BWRAP = Sandbox("bwrap")


@pytest.mark.parametrize(
    ("recorded", "options", "sandbox", "most"),
    [
        ({}, {}, NO_SANDBOX, math.inf),
        ({}, {}, BWRAP, 1024 * MIB),
        ({"memory_limit": math.inf}, {}, NO_SANDBOX, math.inf),
        # A sandbox holds strangers, whatever their record says.
        ({"memory_limit": math.inf}, {}, BWRAP, 1024 * MIB),
        ({"memory_limit": 2048 * MIB}, {}, BWRAP, 2048 * MIB),
        ({"memory_limit": 5 * MIB}, {"memory_limit": 7 * MIB}, BWRAP, 7 * MIB),
        ({}, {"memory_limit": None}, BWRAP, math.inf),
    ],
)
def test_the_users_limits_come_before_the_records_and_those_before_the_sandboxs(
    recorded: dict[str, Any], options: dict[str, Any], sandbox: Sandbox, most: float
) -> None:
    spec = settled_spec(BOTS, options=options, recorded=recorded, sandbox=sandbox)
    assert spec.limits.memory_limit == most


def test_the_record_may_have_no_limit_of_time() -> None:
    spec = settled_spec(BOTS, recorded={"time_limit": math.inf}, sandbox=BWRAP)
    assert spec.limits.time_limit == math.inf


def test_only_bots_with_limits_of_their_own_are_told_apart() -> None:
    assert settled_spec(BOTS, limits_of_bots=[{}, {}]).limits_of_bots == ()
    spec = settled_spec(BOTS, options={"time_limit": 5}, limits_of_bots=[{}, {"grace": 3}])
    assert [(each.time_limit, each.grace) for each in spec.limits_of_bots] == [(5, 1), (5, 3)]
    assert spec.each_limits == spec.limits_of_bots


@pytest.mark.parametrize(
    ("redeals", "dialect", "is_possible"),
    [
        ((), "leaks", True),
        ((Redeal(3, 7),), "", True),
        ((Redeal(3, 7),), "bare", True),
        ((Redeal(3, 7),), "leaks", False),
    ],
)
def test_a_dialect_that_tells_hidden_cards_cannot_follow_a_redeal(
    redeals: tuple[Redeal, ...], dialect: str, is_possible: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It has them from the seed, and they were dealt again."""
    bare = toy.RULES.dialects["bare"]
    dialects = {"bare": bare, "leaks": replace(bare, tells_hidden=True)}
    monkeypatch.setitem(GAMES, "toy", replace(toy.RULES, dialects=dialects))
    bots = [BOTS[0], BOTS[1]._replace(dialect=dialect)]
    if is_possible:
        assert settled_spec(bots, game="toy", redeals=redeals).redeals == redeals
    else:
        with pytest.raises(UsageError, match="BOT b: its dialect tells hidden cards"):
            settled_spec(bots, game="toy", redeals=redeals)


def test_a_match_writes_its_logs_and_the_stderr_of_each_seat() -> None:
    plan = MatchPlan(BOTS, settled_spec(BOTS), "log", "record", [None, "errors"])
    assert plan.outputs == [
        Output("log", LOG),
        Output("record", RECORD),
        Output(None, TEXT),
        Output("errors", TEXT),
    ]
