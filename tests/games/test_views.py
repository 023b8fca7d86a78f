"""In every game, views are immutable JSON data that can be computed from the viewer's lines."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from referee.games import GAMES
from referee.games.interface.faults import Fault
from referee.games.interface.game import ALL, PUBLIC, Viewer
from referee.games.interface.log_player import Gone
from referee.games.interface.page import Spectator
from referee.logs.inferred import InferredMatch
from referee.match.machine import Disqualified
from tests.support.any_game import Course, every_game
from tests.support.helpers import TIMES

SEEDS = st.integers(0, 2**53 - 1)


def viewers(course: Course) -> list[Viewer]:
    return [*range(course.seats), PUBLIC, ALL]


@every_game
@settings(max_examples=2 * TIMES)
@given(SEEDS)
def test_a_view_is_json_and_does_not_change_with_the_game(name: str, seed: int) -> None:
    course = Course(name, seed, wrong=0.1, max_turns=9)
    before: list[tuple[Any, bytes]] = []
    assert course.match.view(ALL) is None  # There's no view before the handshake ends.
    for _ in course.play():
        assert all(msgspec.json.encode(view) == data for view, data in before)
        views: list[Any] = [course.match.view(viewer) for viewer in viewers(course)]
        before = [(view, msgspec.json.encode(view)) for view in views]
        for view, data in before:
            assert msgspec.json.decode(data, type=type(view)) == view


@every_game
@settings(max_examples=4 * TIMES)
@given(SEEDS, st.sampled_from([0.0, 0.02, 0.2]))
def test_the_lines_of_a_seat_lead_to_its_view(name: str, seed: int, wrong: float) -> None:
    """Compare at each request, even after faults where the referee chose the seat's reply."""
    course = Course(name, seed, wrong=wrong)
    environment = course.definition.environment
    assert environment is not None
    trackers = [environment.tracker(seat, course.seats) for seat in range(course.seats)]
    for entries in course.play():
        for seat, tracker in enumerate(trackers):
            for message in course.sent_to(seat, entries):
                tracker.observe(message)
        for seat in course.match.due:
            assert trackers[seat].view() == course.match.view(seat)


def spectator_of(course: Course) -> Spectator:
    rules = course.definition
    if rules.page is not None and rules.page.spectator is not None:
        return rules.page.spectator(course.seats)
    assert rules.log_player is not None
    return InferredMatch(rules, rules.log_player(), course.names)


@every_game
@settings(max_examples=4 * TIMES)
@given(SEEDS, st.sampled_from([0.0, 0.02, 0.2]))
@example(145, 0.0)  # in the toy game, a seat leaves in the first turn
def test_the_public_lines_lead_to_the_public_view(name: str, seed: int, wrong: float) -> None:
    """Compare at each decision and at the end, except where the lines don't show everything yet."""
    course = Course(name, seed, wrong=wrong, leaving=0.005)
    spectator = spectator_of(course)
    whole: bool | None = False
    compared = decisions = 0
    for entries in course.play():
        for entry in entries:
            if isinstance(entry, Disqualified):
                if isinstance(spectator, InferredMatch):
                    whole = spectator.observe(Gone(entry.seat))
            elif not isinstance(entry, Fault) and getattr(entry, "to", 0) is None:
                message: Any = entry.message  # type: ignore[union-attr]
                if isinstance(message, course.definition.public):
                    whole = spectator.observe(message)
            assert whole is not None
        decisions += 1
        if whole:
            compared += 1
            assert spectator.view() == course.match.view(PUBLIC)
    assert compared > decisions - 9


@pytest.mark.parametrize("name", list(GAMES))
def test_numbers_of_the_page_are_of_every_seat(name: str) -> None:
    """Every viewer must get the same numbers, or a curve would depend on who looks at it."""
    page = GAMES[name].page
    assert page is not None
    course = Course(name, 3, max_turns=9)
    for _ in course.play():
        for series in page.series:
            numbers = [series.of(course.match.view(viewer)) for viewer in viewers(course)]
            assert all(each == numbers[0] for each in numbers)
            assert len(numbers[0]) == course.seats
