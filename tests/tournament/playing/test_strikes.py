"""Kept processes that go wrong in the middle of a match: the verdict is that of `referee play`."""

from __future__ import annotations

import os

import pytest
from msgspec.structs import replace

from tests.support.batches import batch, play_all, worker
from tests.support.live import hostile
from tools.attacks.kept import Attack, attacks, try_out

QUICK = {"early", "flood_stderr", "heir", "ignores_sigterm", "small_pipes", "thinks"}
ALL = attacks()


@pytest.mark.parametrize(
    "attack",
    [pytest.param(a, marks=() if a.what in QUICK else pytest.mark.slow) for a in ALL],
    ids=[a.what for a in ALL],
)
def test_both_runners_say_the_same(attack: Attack) -> None:
    """The opponent plays on, the tournament continues, and nothing is left behind."""
    seen = try_out(attack)
    assert seen.is_right(attack), seen


def test_a_bot_that_was_let_go_leaves_no_descriptor() -> None:
    """Its opponent takes longer to end, and must not have the referee watch both meanwhile."""
    matches = batch(["big_money", hostile("stays")], range(6), grace=0.1)
    with worker() as executor:
        opened = []
        for plan in matches.plans:
            play_all(executor, replace(matches, plans=(plan,)))
            opened.append(len(os.listdir("/proc/self/fd")))
    assert opened[1:] == opened[:1] * 5
