"""Copies of matches and environments continue like the original and reveal nothing new."""

from __future__ import annotations

from random import Random
from typing import Any

import msgspec
import pytest

from referee.env.episode import Episode
from referee.errors import UsageError
from referee.games import GAMES
from referee.games.interface.game import ALL
from tests.support.any_game import Course, every_game
from tests.support.helpers import TIMES
from tests.support.learners import chosen


def state(episode: Episode) -> Any:
    """Everything observable about an episode."""
    match = episode._match
    seen = [str(episode.observe(seat)) for seat in range(episode.seats)]
    return seen, msgspec.json.encode(match.view(ALL)), episode.due, match.standings()


@every_game
def test_a_copy_continues_as_the_original_does(name: str) -> None:
    """Copies are made at random points, even of copies and between the actions of one reply."""
    copies = 0
    for seed in range(TIMES):
        random = Random(seed)
        course = Course(name, seed, max_turns=6 if name == "botwars" else 4)
        episode = Episode(GAMES[name], course.seats, course.options)
        episode.begin(seed)
        behind: list[tuple[Episode, Any, list[tuple[int, Any]]]] = []
        while episode.due:
            if len(behind) < 3 and random.random() < 0.2:
                behind.append((episode.copy(), state(episode), []))
                copies += 1
            elif random.random() < 0.05:  # Discard the original and continue with a copy of a copy.
                episode = episode.copy().copy()
            for seat in episode.due:
                action = chosen(random, episode.observe(seat))
                for _, _, acts in behind:
                    acts.append((seat, action))
                episode.act(seat, action)
        for copy, before, acts in behind:
            assert state(copy) == before
            for seat, action in acts:
                copy.act(seat, action)
            assert state(copy) == state(episode)
            assert copy.rewards() == episode.rewards()
            with pytest.raises(UsageError, match="the match is over"):
                copy.copy()
    assert copies > TIMES


@every_game
def test_a_copy_for_a_viewer_shows_it_the_same_and_another_course(name: str) -> None:
    courses: list[Any] = []
    options = Course(name, 3, max_turns=4).options
    for dealt in (1, 1, 2):
        random = Random(3)
        episode = Episode(GAMES[name], GAMES[name].min_seats, options)
        episode.begin(3)
        courses.append([])
        for move in range(15):
            if not episode.due:
                break
            viewer = episode.due[0]
            if not episode._match.can_redeal:
                with pytest.raises(UsageError, match="cannot deal hidden cards again"):
                    episode.copy(viewer, dealt)
                return
            if move % 10 == 0:
                copy = episode.copy(viewer, dealt)
                assert str(copy.observe(viewer)) == str(episode.observe(viewer))
                assert copy.facts(viewer) == {**episode.facts(viewer), "seed": dealt}
                course = Random(4)
                while copy.due:
                    for seat in copy.due:
                        copy.act(seat, chosen(course, copy.observe(seat)))
                courses[-1].append(state(copy))
            for seat in episode.due:
                episode.act(seat, chosen(random, episode.observe(seat)))
    one, same, other = courses
    assert one == same
    assert one != other
