"""People and programs can give the same replies, if a request lists what is possible."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import Any

import msgspec
import numpy as np
import pytest

from referee.games.interface.dialogue import Picks, Question
from referee.match.decode import decode_reply, reply_decoder
from tests.support.any_game import TOY, Course
from tests.support.people import Choose, decide


def answers(question: Question) -> Iterator[Picks]:
    """Return the smallest answers: no pick, or as few as possible."""
    free = [i for i, each in enumerate(question.choices) if not each.key and not each.barred]
    if question.enter:
        yield ()
    yield from combinations(free, max(question.least, 1))


def always(picks: Picks) -> Choose:
    return lambda question: picks


def first_actions(course: Course, person: Any, player: Any, view: Any, message: Any) -> set[int]:
    """Return the first action of every smallest reply of a person, or {} if there's no question."""
    decoder, found = reply_decoder(course.definition.replies), set()
    question = next(person.decide(message), None)
    for picks in () if question is None else answers(question):
        line = msgspec.json.encode(decide(person, message, always(picks)))
        player.look(view, asked=True)
        found.add(next(player.actions_of(decode_reply(line, decoder))))
    return found


# In Dominion, a person is only asked for the top discard on request, and treasures are played even
# if nothing is bought.
@pytest.mark.parametrize("name", ["starrealms", "tribute", TOY])
def test_people_can_reply_what_programs_can(name: str) -> None:
    course = Course(name, 2, max_turns=8)
    environment, make = course.definition.environment, course.definition.person
    assert environment is not None
    assert make is not None
    seats, options = course.seats, course.spec.options
    players = [environment.translator(seat, seats, options) for seat in range(seats)]
    people = [make(list(course.names), seat) for seat in range(seats)]
    compared = 0
    for entries in course.play():
        for seat, person in enumerate(people):
            for message in course.sent_to(seat, entries):
                person.observe(message)
                if isinstance(message, course.definition.requests) and seat in course.match.due:
                    view = course.match.view(seat)
                    found = first_actions(course, person, players[seat], view, message)
                    players[seat].look(view, asked=True)
                    legal: Any = players[seat].legal()
                    assert found in (set(), {*np.flatnonzero(legal).tolist()})
                    compared += bool(found)
    assert compared > 5
