"""The first public message of a match announces its options, for everything that reads a log."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from referee.games import GAMES
from referee.games.interface.log_player import DifferenceError
from referee.match.machine import Sent
from tests.support.any_game import Course, every_game
from tests.support.helpers import TIMES
from tests.support.own_game import small_games

SEEDS = st.integers(0, 2**53 - 1)


@every_game
@settings(max_examples=3 * TIMES)
@given(SEEDS)
def test_the_options_are_those_of_the_match(name: str, seed: int) -> None:
    check(Course(name, seed))


@pytest.mark.parametrize("seed", range(3))
def test_a_small_game_has_them_in_one_field(seed: int) -> None:
    with small_games():
        check(Course("connect4", seed))


def check(course: Course) -> None:
    definition = course.definition
    kind = definition.public[0]
    sent = (entry for entries in course.play() for entry in entries if isinstance(entry, Sent))
    info = course.read(next(entry for entry in sent if type(entry.message) is kind))
    options = course.spec.options
    # Protocol version 1 of Dominion doesn't announce the turn limit.
    hidden = {"max_turns": definition.options().max_turns} if definition.name == "dominion" else {}  # type: ignore[attr-defined]
    assert definition.announced(info) == replace(options, **hidden)


def test_options_that_no_match_can_have_are_refused() -> None:
    definition = GAMES["botwars"]
    info = next(struct for struct in definition.public if struct.__name__ == "GameInfo")
    given = {"rows": 5, "cols": 5, "max_turns": 10_001, "energy_every": 1, "player_bot_names": []}
    message = msgspec.convert({"type": "game-info", **given}, info)
    with pytest.raises(DifferenceError, match=r"options of the game: .*10000"):
        definition.announced(message)
    assert definition.announced(replace(message, max_turns=10_000)).max_turns == 10_000
