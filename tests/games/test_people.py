"""In every game, a person can choose anything on offer, and no choice leads to a fault."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import Struct

from referee.cli.human_answer import read_answer
from referee.games.interface.dialogue import Dialogue, Picks, Question, problem_with
from referee.match.machine import Sent
from tests.support.any_game import Course, every_game
from tests.support.helpers import TIMES, to_line
from tests.support.people import at_random, decide


def check(question: Question) -> None:
    """Check that a question can be displayed and answered."""
    assert question.text
    assert question.least >= 0
    width = max(1, len(question.columns))
    keys = [choice.key for choice in question.choices if choice.key]
    keys += [view.key for view in question.views]
    assert len(set(keys)) == len(keys)
    for choice in question.choices:
        assert choice.name
        assert choice.key or " " not in choice.name
        assert len(choice.cells) < width or not question.columns
    for view in question.views:
        assert all(len(row) == len(view.columns) for row in view.rows)
    if question.enter:
        assert read_answer(question, "") == ()
        assert problem_with(question, ()) == ""
    if question.most > 1:  # The page has one button for all picks, so they need the same verb.
        assert len({choice.verb for choice in question.choices if not choice.key}) == 1
    free = [(place, c) for place, c in enumerate(question.choices) if not (c.key or c.barred)]
    for place, choice in free:
        if question.least <= 1 and not question.check((place,)):
            typed = read_answer(question, choice.name)
            assert isinstance(typed, tuple)
            assert [question.choices[pick].name for pick in typed] == [choice.name]


@every_game
@settings(max_examples=3 * TIMES)
@given(st.integers(0, 2**53 - 1))
def test_no_choice_is_a_fault(name: str, seed: int) -> None:
    """All seats are people who pick at random, and each person is told what the others do."""
    course, dice = Course(name, seed), Random(seed)
    make = course.definition.person
    assert make is not None
    people: list[Dialogue] = [make(list(course.names), seat) for seat in range(course.seats)]
    told: list[list[str]] = [[] for _ in people]

    def pick(question: Question) -> Picks:
        check(question)
        picks = at_random(dice)(question)
        assert problem_with(question, picks) == ""
        return picks

    def reply(seat: int, request: Struct) -> bytes:
        answer: Mapping[str, Any] = decide(people[seat], request, pick)
        return to_line(answer)

    replies = 0
    for entries in course.play(reply):
        assert not any(course.match.faults), course.match.first_faults
        replies += len(course.match.due)
        own = (*course.definition.public, *course.definition.requests)
        for entry in entries:
            if isinstance(entry, Sent) and isinstance(entry.message, own):
                for seat in range(course.seats) if entry.to is None else (entry.to,):
                    told[seat] += people[seat].observe(course.read(entry))
    for seat, person in enumerate(people):
        told[seat] += person.end()
        assert all(line.endswith(".") and line[:1].strip() for line in told[seat])
        others = [other for other in course.names if other != course.names[seat]]
        assert replies < 99 or len(told[seat]) > 4, others
