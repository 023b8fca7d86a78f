"""Choices of people and learners: what an answer may be, and picks one by one."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import pytest
from msgspec import Struct

from referee.errors import UsageError
from referee.games.interface.choices import Choices, ChoosingTranslator, counted
from referee.games.interface.dialogue import (
    Choice,
    Question,
    problem_with,
    turn_question,
)
from referee.games.interface.environment import NoActionError, made_of
from referee.games.interface.table import Move, moves_of

CHOICES = (Choice("ram"), Choice("cutter", barred="costs 6, you have 5"), Choice("end", key="e"))
SOME = Question("What?", (*CHOICES, Choice("viper")), least=2, most=3)


@pytest.mark.parametrize(
    ("question", "picks", "problem"),
    [
        (SOME, (), "Nothing was chosen."),
        (Question("What?", CHOICES, enter="end"), (), ""),
        (SOME, (4, 0), "This is not one of the choices."),
        (SOME, (-1, 0), "This is not one of the choices."),
        (SOME, (0, 1), "cutter costs 6, you have 5."),
        (SOME, (0, 2), "e cannot be combined with other choices: end."),
        (SOME, (2,), ""),
        (SOME, (0,), "That is 1."),
        (SOME, (0, 3), ""),
        (SOME, (3, 0, 3), "Each can be chosen once."),
        (SOME, (0, 3, 0, 3), "That is 4."),
        (Question("What?", CHOICES, most=3, repeats=True), (0, 0, 0), ""),
        (Question("What?", CHOICES, check=lambda picks: f"no {picks}"), (0,), "no (0,)."),
    ],
)
def test_what_an_answer_may_be(question: Question, picks: tuple[int, ...], problem: str) -> None:
    assert problem_with(question, picks) == problem


def test_the_end_of_a_turn_is_doubted_if_something_can_be_done() -> None:
    asked = turn_question(CHOICES, ["buy", "play", "buy"], title="Turn 2")
    assert asked.doubts == {-1: "You can still buy or play. Do you end your turn?"}
    assert (asked.least, asked.enter, asked.title) == (0, "end your turn", "Turn 2")
    assert turn_question(CHOICES, []).doubts == {}
    assert [choice.is_typed for choice in (Choice("3", key="3"), Choice("3"))] == [True, False]


def test_counts_are_clipped_to_their_bounds() -> None:
    bounds = np.array([9, 9, 2, 1], np.int32)
    assert counted([-1, 10], [0, 2, 2, 2, 3], bounds).tolist() == [0, 9, 2, 1]
    assert counted([], [1, 1], bounds).tolist() == [0, 2, 0, 0]


class Picked(Struct, frozen=True):
    places: tuple[int, ...]


class Picks(ChoosingTranslator, choices=("a", "b", "c", "done")):
    """Picks one or two of three items, two of which have the same name."""

    def choices(self) -> Choices:
        return Picked(tuple((yield from self.pick(("a", "b", "a"), 1, 2))))

    def chosen(self, reply: Any) -> Iterable[str]:
        return [("a", "b", "a", "c")[place] for place in reply.places]


def asked() -> Picks:
    made = Picks(0, 2)
    assert made.legal().tolist() == [0, 0, 0, 0]
    made.look(None, asked=True)
    return made


def test_items_are_picked_one_by_one() -> None:
    made = asked()
    assert made.legal().tolist() == [1, 1, 0, 0]
    assert made.act(np.int8(0)) is None
    assert made.legal().tolist() == [1, 1, 0, 1]
    assert made.act(0) == Picked((0, 2))
    assert made.legal().tolist() == [0, 0, 0, 0]
    made = asked()
    made.act(1)
    assert made.act(3) == Picked((1,))
    made.look(None, asked=True)
    assert made.picks == []


@pytest.mark.parametrize("action", [-1, 2, 3, 4, 1.0, "a", None])
def test_an_action_that_is_not_legal_changes_nothing(action: object) -> None:
    made = asked()
    with pytest.raises(UsageError, match="is not legal now: see the action mask"):
        made.act(action)
    assert made.legal().tolist() == [1, 1, 0, 0]


@pytest.mark.parametrize(
    ("places", "actions"), [((0,), [0, 3]), ((0, 2), [0, 0]), ((1, 0), [1, 0])]
)
def test_the_actions_of_a_reply(places: tuple[int, ...], actions: list[int]) -> None:
    assert [*asked().actions_of(Picked(places))] == actions


@pytest.mark.parametrize("places", [(3,), (), (0, 3), (0, 1, 2)])
def test_a_reply_that_no_actions_lead_to(places: tuple[int, ...]) -> None:
    with pytest.raises(NoActionError):
        [*asked().actions_of(Picked(places))]


def test_a_struct_is_made_of_words_first_and_then_of_the_first_source() -> None:
    first, second = moves_of(1, ["a"], "hand", "play")[0], Move(2, "deck", "hand", "b", 3)
    assert made_of(Move, first, second, count=9) == Move(1, "hand", "play", "a", 9)
