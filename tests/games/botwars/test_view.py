"""The view of Bot Wars: nothing is hidden, and everything is in the lines."""

from __future__ import annotations

from random import Random

import pytest

from referee.games.botwars.environment import Follower
from referee.games.interface.game import ALL, PUBLIC
from referee.match.machine import Sent
from tests.games.botwars.botwars_matches import new_match, wandering
from tests.support.helpers import from_struct, name_line


@pytest.mark.parametrize("seed", range(3))
def test_the_view_of_everybody_is_the_state_of_the_last_line(seed: int) -> None:
    match = new_match(seed, rows=6, cols=7, max_turns=12)
    decide = wandering(Random(seed))
    followers = [Follower(seat, 2) for seat in range(2)]
    match.start()
    for seat in match.due:
        match.receive(seat, name_line(seat))
    while match.due:
        asked = {}
        for entry in match.take_entries():
            if isinstance(entry, Sent):
                for seat in range(2) if entry.to is None else (entry.to,):
                    followers[seat].hear(entry.message)
                    asked[seat] = from_struct(entry.message)
        for seat, viewer in ((0, 0), (1, 1), (0, PUBLIC), (1, ALL)):
            assert match.view(viewer) == followers[seat].view()
        for seat in match.due:
            match.receive(seat, decide(asked[seat]["player"], asked[seat]["state"]))
