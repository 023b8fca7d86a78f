"""In every game, observations stay within their bounds, and no action leads to a fault."""

from __future__ import annotations

from collections import Counter
from typing import Any

import msgspec
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from referee.env.episode import Episode
from referee.errors import UsageError
from referee.games import GAMES
from tests.support.any_game import Course, every_game
from tests.support.helpers import TIMES, name_line
from tests.support.learners import Watched, at_random, play_match

SEEDS = st.integers(0, 2**53 - 1)


def parts(seen: Any) -> tuple[Any, Any]:
    """Split an observation into its numbers and the mask, which may be None."""
    return (seen["observation"], seen["action_mask"]) if isinstance(seen, dict) else (seen, None)


@every_game
@settings(max_examples=2 * TIMES)
@given(SEEDS, SEEDS)
@example(7, 1)
def test_no_action_is_a_fault_and_all_is_in_bounds(name: str, seed: int, dice: int) -> None:
    """An episode must also be the same match that the referee would play with these replies."""
    course = Course(name, seed)
    seats, options = course.seats, course.options
    watched = Watched(GAMES[name])
    episode = Episode(GAMES[name], seats, options)
    numbers = episode.environment.observation(seats, episode.options)
    policies = [at_random(dice + seat) for seat in range(seats)]
    watched.begin(episode, seed)
    while episode.due:
        for seat in range(seats):
            seen, mask = parts(episode.observe(seat))
            assert (seen.shape, seen.dtype) == (numbers.low.shape, np.int32)
            assert ((numbers.low <= seen) & (seen <= numbers.high)).all()
            assert mask is None or mask.any() == (seat in episode.due)
        for seat in episode.due:
            episode.act(seat, policies[seat](episode.observe(seat)))
    assert sum(episode.rewards()) == pytest.approx(0)
    own: list[list[bytes]] = [[name_line(seat)] for seat in range(seats)]
    for seat, reply in watched.replies:
        own[seat].append(msgspec.json.encode(reply))
    lines = [iter(replies) for replies in own]
    bots = [lambda new, left=left: next(left) for left in lines]
    match = play_match(name, seed, bots, **options)
    assert match.faults == [Counter()] * seats
    assert match.outcome == episode.outcome
    assert match.standings() == list(watched.game.standings())
    assert [next(rest, None) for rest in lines] == [None] * seats


@every_game
def test_names_are_unique_and_fit(name: str) -> None:
    environment, course = GAMES[name].environment, Course(name, 1)
    assert environment is not None
    choices = environment.choices(course.spec.options)
    assert len(set(choices)) == len(choices)
    numbers = environment.observation(course.seats, course.spec.options)
    assert len(set(numbers.names)) == len(numbers.names) == numbers.low.shape[-1]
    assert numbers.low.shape == numbers.high.shape
    assert (numbers.low < numbers.high).all()


@every_game
def test_what_is_not_legal_is_refused_and_changes_nothing(name: str) -> None:
    environment, course = GAMES[name].environment, Course(name, 1, max_turns=9)
    assert environment is not None
    options, seats = course.spec.options, course.seats
    players = [environment.translator(seat, seats, options) for seat in range(seats)]
    rounds = course.play()
    for _, _ in zip(rounds, range(9), strict=False):
        for seat, player in enumerate(players):
            asked = seat in course.match.due
            player.look(course.match.view(seat), asked=asked)
            before, legal = player.observe(), player.legal()
            wrong: list[Any] = [-1, len(environment.choices(options)), 0.5, None, "x"]
            if legal is not None:
                assert legal.any() == asked
                wrong += np.flatnonzero(legal == 0).tolist()
            for action in wrong:
                with pytest.raises(UsageError):
                    player.act(action)
            assert (player.observe() == before).all()
            assert legal is None or (player.legal() == legal).all()
            assert player.show()
