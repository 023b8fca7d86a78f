"""Star Realms for programs that learn: legal actions give legal replies, and all are reachable."""

from __future__ import annotations

from typing import Any

import pytest

from referee.errors import UsageError
from referee.games import GAMES
from referee.games.starrealms.environment import CHOICES, NAMES, Translator
from referee.games.starrealms.rules.messages import PlayTurn
from tests.games.starrealms.star_matches import new_setup
from tests.support.any_game import Course

RULES = GAMES["starrealms"]


def test_every_action_of_a_request_is_a_choice() -> None:
    """The number of legal actions must match, since two actions could share the same name."""
    turns = 0
    for seed in range(2):
        course = Course("starrealms", seed, max_turns=30)
        players = [Translator(seat, 2) for seat in (0, 1)]
        for _ in course.play():
            for seat in course.match.due:
                view: Any = course.match.view(seat)
                if isinstance(view.request, PlayTurn):
                    players[seat].look(view, asked=True)
                    assert players[seat].legal().sum() == len(view.request.actions)
                    turns += 1
                else:
                    players[seat].look(view, asked=True)
                    seen = dict(zip(NAMES, players[seat].observe().tolist(), strict=True))
                    asked = view.request.least, view.request.most
                    assert (seen["least"], seen["most"]) == asked
    assert turns > 50


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
