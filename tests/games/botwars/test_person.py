"""A person who plays Bot Wars can choose every legal move, and none of the choices is a fault."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Any

import pytest
from msgspec import convert

from referee.cli.human_answer import Refusal, read_answer
from referee.games.botwars import BotWars
from referee.games.botwars.person import BotWarsDialogue
from referee.games.botwars.rules.game import begin_at
from referee.games.botwars.rules.messages import MoveReply
from referee.games.interface.dialogue import Question
from referee.games.interface.faults import Fault
from tests.games.botwars.botwars_matches import new_setup
from tests.games.botwars.naive_turn import beside
from tests.support.helpers import from_struct


def asked(grid: str = "r....r....b.....", seat: int = 0, cols: int = 4) -> tuple[Any, Question]:
    """Start the decision of a turn on a small grid. Returns the generator and its question."""
    game = begin_at(new_setup(rows=len(grid) // cols, cols=cols), {"grid": grid})
    decision = BotWarsDialogue(["Ann", "Ben"], seat).decide(game.requests[seat].message)
    return decision, next(decision)


def replied(decision: Any, picks: tuple[int, ...]) -> Mapping[str, Any]:
    with pytest.raises(StopIteration) as over:
        decision.send(picks)
    reply: Mapping[str, Any] = over.value.value
    return reply


def test_what_is_typed_moves_botlets() -> None:
    decision, question = asked()
    picks = read_answer(question, "0:0-right 1:1-d")
    moves = [{"from": 0, "to": 1}, {"from": 5, "to": 9}]
    assert replied(decision, picks) == {"type": "move-reply", "moves": moves}


def test_an_empty_line_moves_none() -> None:
    decision, question = asked()
    assert question.enter == "send no moves"
    assert read_answer(question, "") == ()
    assert replied(decision, ())["moves"] == []


@pytest.mark.parametrize(
    ("typed", "problem"),
    [
        ("1:1-up 1:1-down", "1:1 is moved twice."),
        ("1:1", '"1:1" can be 1:1-up or'),
        ("0:0-up", '"0:0-up" is not a choice here.'),  # would leave the grid
        ("2:2-up", '"2:2-up" is not a choice here.'),  # the opponent's botlet
    ],
)
def test_what_is_no_answer(typed: str, problem: str) -> None:
    with pytest.raises(Refusal) as answer:
        read_answer(asked()[1], typed)
    assert str(answer.value).startswith(problem)


def test_the_grid_stands_before_the_question() -> None:
    _, question = asked(seat=1)
    assert question.title == "Turn 1 of 100: you are blue (b)"
    shown = [(phrase.label, phrase.text) for phrase in question.state]
    assert shown == [
        ("", "0  1  2  3"),
        ("0", "r  .  .  ."),
        ("1", ".  r  .  ."),
        ("2", ".  .  b  ."),
        ("3", ".  .  .  ."),
        ("spawn", "red 1:1, blue 2:2"),
    ]
    _, question = asked("r" + "." * 82 + "b", cols=21)
    assert question.state[0].text == "012345678901234567890"


@pytest.mark.parametrize(("cols", "row"), [(20, "r" + "  ." * 19), (21, "r" + "." * 20)])
def test_a_grid_of_more_than_20_columns_has_one_character_per_cell(cols: int, row: str) -> None:
    game = begin_at(new_setup(rows=4, cols=cols), {"grid": ("r" + "." * cols * 4)[: cols * 4]})
    question = next(BotWarsDialogue(["Ann", "Ben"], 0).decide(game.requests[0].message))
    assert question.state[1].text == row


@pytest.mark.parametrize("seed", range(3))
def test_all_moves_can_be_chosen_and_none_is_a_fault(seed: int) -> None:
    random = Random(seed)
    game = BotWars(new_setup(seed, rows=5, cols=6, max_turns=30))
    players = [BotWarsDialogue(["Ann", "Ben"], seat) for seat in range(2)]
    told: list[str] = []
    while game.requests:
        replies = {}
        for request in game.requests:
            state: Any = from_struct(request.message)["state"]
            own = [at for at, what in enumerate(state["grid"]) if what == "rb"[request.seat]]
            decision = players[request.seat].decide(request.message)
            question = next(decision, None)
            reply: Mapping[str, Any] = {"type": "move-reply", "moves": []}
            if question is None:
                assert not own
            else:
                assert len(question.choices) == sum(len(list(beside(state, at))) for at in own)
                picks = random.sample(range(question.most), random.randint(0, question.most))
                while question.check(tuple(picks)):
                    picks.pop()
                reply = replied(decision, tuple(picks))
                assert len(reply["moves"]) == len(picks)
            replies[request.seat] = convert(reply, MoveReply)
        game.advance(replies)
        for event in game.take_events():
            assert not isinstance(event, Fault), event
            told += players[0].observe(event)
    assert told[:2] == [
        "Turn 1: red 1 botlet, energy 0, 0 moved, 1 spawned.",
        "Turn 1: blue 1 botlet, energy 0, 0 moved, 1 spawned.",
    ]
    assert len(told) == 2 * (game.turns if game.outcome else 0)
