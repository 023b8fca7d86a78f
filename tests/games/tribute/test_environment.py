"""Scripts of Tribute for programs that learn: legal choices lead to legal replies."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import pytest

from referee.errors import UsageError
from referee.games import GAMES
from referee.games.interface.faults import Fault
from referee.games.tribute.environment import CHOICES, NAMES, Follower, Translator
from tests.games.tribute.tribute_matches import new_setup

RULES = GAMES["tribute"]


@pytest.mark.parametrize("seed", range(3))
def test_what_a_seat_is_sent_comes_to_its_view_and_nothing_is_a_fault(seed: int) -> None:
    dice = Random(seed)
    game: Any = RULES.new(new_setup(seed, max_turns=40))
    followers = [Follower(seat, 2) for seat in (0, 1)]
    translators = [Translator(seat, 2) for seat in (0, 1)]
    while game.requests:
        events = game.take_events()
        assert not any(isinstance(event, Fault) for event in events)
        (request,) = game.requests
        seat = request.seat
        for follower in followers:
            for event in events:
                follower.hear(event)
        followers[seat].hear(request.message)
        view = game.view(seat)
        assert followers[seat].view() == view
        player, other = translators[seat], translators[1 - seat]
        other.look(game.view(1 - seat), asked=False)
        assert not other.legal().any()
        player.look(view, asked=True)
        reply = None
        while reply is None:
            assert (player.observe() >= 0).all()
            choices = np.flatnonzero(player.legal()).tolist()
            reply = player.act(dice.choice(choices))
        assert not player.legal().any()
        game.advance({seat: reply})


def test_what_is_seen() -> None:
    assert RULES.situation is not None
    seat = {"hand": ["GOLD", "GOLD"], "agents": [{"card": "OATHMAN", "hp": 1}], "power": 3}
    patrons = ["HLAALU", "RED_EAGLE", "PELIN", "ANSEI"]
    state = {"patrons": patrons, "seats": {"player1": seat}, "row": ["TITHE"]}
    player = Translator(0, 2)
    player.look(RULES.situation(new_setup(), state).view(0), asked=True)
    seen = dict(zip(NAMES, player.observe().tolist(), strict=True))
    assert (seen["hand GOLD"], seen["HP OATHMAN"], seen["row TITHE"]) == (2, 1, 1)
    assert seen["own power"] == 3
    assert "hand GOLD: 2" in player.show()
    legal = {CHOICES[index] for index in np.flatnonzero(player.legal())}
    assert {"play-card GOLD", "activate-agent OATHMAN", "end-turn"} <= legal
    for wrong in (-1, len(CHOICES), 0.5, CHOICES.index("play-card TITHE")):
        with pytest.raises(UsageError, match="action mask"):
            player.act(wrong)
    assert len(set(CHOICES)) == len(CHOICES)
    assert len(set(NAMES)) == len(NAMES)
