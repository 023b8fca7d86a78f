"""Turning what a person types into picks, or into a message that lists the possible answers."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.cli.human_answer import Refusal, read_answer
from referee.games.interface.dialogue import Choice, Question
from tests.support.helpers import TIMES

CARDS = [
    Choice("militia"),
    Choice("mine", barred="costs 5, you have 4"),
    Choice("gold", barred="costs 6, you have 4"),
    Choice("silver"),
    Choice("reveal", key="r"),
    Choice("silver"),
]
ONE = Question("Which?", CARDS)
TWO = Question("Which two?", CARDS, least=2, most=2)
ANY = Question(
    "Which?", CARDS, most=4, repeats=True, enter="none", check=lambda p: "x" * (p == (0,))
)


@pytest.mark.parametrize(
    ("question", "text", "picks"),
    [
        (ONE, "1", (0,)),
        (ONE, " 1 ", (0,)),
        (ONE, "MILITIA", (0,)),
        (ONE, "mil", (0,)),
        (ONE, "silver", (3,)),
        (ONE, "5", (5,)),  # choices with a key aren't numbered
        (ONE, "r", (4,)),
        (TWO, "4 1", (3, 0)),
        (TWO, "4,1", (3, 0)),
        (TWO, "silver, silver", (3, 5)),
        (TWO, "s s", (3, 5)),
        (TWO, "r", (4,)),
        (ANY, "", ()),
        (ANY, "4 4 4", (3, 3, 3)),
        (ANY, "silver silver", (3, 3)),
    ],
)
def test_what_is_chosen(question: Question, text: str, picks: tuple[int, ...]) -> None:
    assert read_answer(question, text) == picks


@pytest.mark.parametrize(
    ("question", "text", "why"),
    [
        (ONE, "", "Nothing was chosen. Type a number (1 4 5) or a name, r (reveal) or ? for help."),
        (ONE, "0", "0 is not possible here."),
        (ONE, "6", "6 is not possible here."),
        (ONE, "9" * 5000, "is not a choice here."),
        (ONE, "٣", "is not a choice here."),
        (ONE, "-1", "is not a choice here."),
        (ONE, "copper", '"copper" is not a choice here.'),
        (ONE, "3", "gold costs 6, you have 4."),
        (ONE, "mi", '"mi" can be militia or mine: type more of it, or a number.'),
        (ONE, "1 4", "That is 2."),
        (TWO, "1", "That is 1. Type 2 numbers"),
        (TWO, "1 1", "Each can be chosen once."),
        (TWO, "r 1", "r cannot be combined with other choices: reveal."),
        (TWO, "s s s", "Every silver is chosen already."),
        (ANY, "1", "x."),
        (ANY, "1 1 1 1 1", "That is 5. Type up to 4 numbers"),
    ],
)
def test_what_is_refused(question: Question, text: str, why: str) -> None:
    with pytest.raises(Refusal) as refused:
        read_answer(question, text)
    assert why in str(refused.value)


@settings(max_examples=40 * TIMES)
@given(st.sampled_from([ONE, TWO, ANY]), st.text())
def test_whatever_is_typed(question: Question, text: str) -> None:
    """Any text gives either picks that the question allows or a refusal with a message."""
    try:
        answer = read_answer(question, text)
    except Refusal as refusal:
        if not str(refusal):
            pytest.fail("it says nothing")
        return
    chosen = [question.choices[pick] for pick in answer]
    assert not any(choice.barred for choice in chosen)
    if not answer:
        assert question.enter
    elif chosen[0].key:
        assert len(answer) == 1
    else:
        assert question.least <= len(answer) <= question.most
