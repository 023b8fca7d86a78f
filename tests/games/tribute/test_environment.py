"""Scripts of Tribute for programs that learn: legal actions always give legal replies."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from referee.errors import UsageError
from referee.games import GAMES
from referee.games.interface.seats import seat_id
from referee.games.tribute.environment import CHOICES, NAMES, Translator, layout
from tests.games.tribute.tribute_matches import new_setup
from tests.support.any_game import Course

RULES = GAMES["tribute"]


def test_what_is_seen() -> None:
    assert RULES.situation is not None
    seat = {"hand": ["GOLD", "GOLD"], "agents": [{"card": "OATHMAN", "hp": 1}], "power": 3}
    patrons = ["HLAALU", "RED_EAGLE", "PELIN", "ANSEI"]
    other = {"agents": [{"card": "OATHMAN", "hp": 2}]}
    seats = {"player1": seat, "player2": other}
    state = {"patrons": patrons, "seats": seats, "row": ["TITHE"]}
    player = Translator(0, 2)
    player.look(RULES.situation(new_setup(), state).view(0), asked=True)
    seen = dict(zip(NAMES, player.observe().tolist(), strict=True))
    assert (seen["hand GOLD"], seen["HP OATHMAN"], seen["row TITHE"]) == (2, 1, 1)
    assert seen["own power"] == 3
    assert "hand GOLD: 2" in player.show()
    legal = {CHOICES[index] for index in np.flatnonzero(player.legal())}
    assert {
        "play-card GOLD",
        "activate-agent OATHMAN",
        "attack OATHMAN",
        "end-turn",
    } <= legal
    for wrong in (-1, len(CHOICES), 0.5, CHOICES.index("play-card TITHE")):
        with pytest.raises(UsageError, match="action mask"):
            player.act(wrong)
    assert len(set(CHOICES)) == len(CHOICES)
    assert len(set(NAMES)) == len(NAMES)


def test_favours_are_seen_from_the_seat() -> None:
    favours = 0
    for seed in range(2):
        course = Course("tribute", seed, max_turns=20)
        players = [Translator(seat, 2) for seat in (0, 1)]
        for _ in course.play():
            for seat in course.match.due:
                view: Any = course.match.view(seat)
                players[seat].look(view, asked=True)
                seen = dict(zip(NAMES, players[seat].observe().tolist(), strict=True))
                for patron, owner in view.favours.items():
                    if owner is not None and patron != "TREASURY":
                        whose = "own" if owner == seat_id(seat) else "other"
                        assert seen[f"{whose} favour {patron}"] == 1
                        favours += 1
    assert favours > 20


def test_the_own_turn_is_0_or_1_and_the_turn_is_a_number() -> None:
    numbers = layout(2, RULES.options(max_turns=7))
    most = dict(zip(numbers.names, numbers.high.tolist(), strict=True))
    assert (most["turn"], most["own turn"], most["own power"]) == (8, 1, 100)
