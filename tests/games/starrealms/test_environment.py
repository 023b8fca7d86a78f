"""Star Realms for programs that learn: legal choices lead to legal replies, all reachable."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import pytest

from referee.errors import UsageError
from referee.games import GAMES
from referee.games.starrealms.environment import CHOICES, NAMES, Follower, Translator
from referee.games.starrealms.rules.messages import PlayTurn
from tests.games.starrealms.star_matches import new_setup

RULES = GAMES["starrealms"]


@pytest.mark.parametrize("seed", range(4))
def test_what_a_seat_is_sent_comes_to_its_view_and_all_is_offered(seed: int) -> None:
    dice = Random(seed)
    game: Any = RULES.new(new_setup(seed, max_turns=30))
    followers = [Follower(seat, 2) for seat in (0, 1)]
    translators = [Translator(seat, 2) for seat in (0, 1)]
    numbers = GAMES["starrealms"].environment
    assert numbers is not None
    bounds = numbers.observation(2, RULES.options())
    while game.requests:
        (request,) = game.requests
        seat = request.seat
        followers[seat].hear(request.message)
        view = game.view(seat)
        assert followers[seat].view() == view
        player, other = translators[seat], translators[1 - seat]
        other.look(game.view(1 - seat), asked=False)
        assert not other.legal().any()
        player.look(view, asked=True)
        if isinstance(request.message, PlayTurn):
            assert player.legal().sum() == len(request.message.actions)
        reply = None
        while reply is None:
            seen = player.observe()
            assert ((bounds.low <= seen) & (seen <= bounds.high)).all()
            choices = np.flatnonzero(player.legal()).tolist()
            *others, _ = choices
            reply = player.act(dice.choice(others if others and dice.random() < 0.5 else choices))
        assert not player.legal().any()
        game.advance({seat: reply})


def test_what_is_seen() -> None:
    assert RULES.situation is not None
    seats = {"player1": {"hand": ["Ram", "Ram"], "bases": ["The Hive"], "deck": ["Scout"]}}
    game: Any = RULES.situation(new_setup(), {"seats": seats, "combat": 3})
    player = Translator(0, 2)
    player.look(game.view(0), asked=True)
    seen = dict(zip(NAMES, player.observe().tolist(), strict=True))
    assert (seen["hand Ram"], seen["unused The Hive"], seen["deck Scout"]) == (2, 1, 1)
    assert (seen["combat"], seen["own authority"], seen["other hidden Scout"]) == (3, 50, 8)
    assert "hand Ram: 2" in player.show()
    for wrong in (-1, len(CHOICES), 0.5, CHOICES.index("play Scout")):
        with pytest.raises(UsageError, match="action mask"):
            player.act(wrong)
    assert len(set(CHOICES)) == len(CHOICES)
    assert len(set(NAMES)) == len(NAMES)
