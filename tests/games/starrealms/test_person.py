"""A person's Star Realms: all that is legal can be chosen, and no choice is a fault."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from msgspec import convert

from referee.cli.typed import read_answer
from referee.games.interface.dialogue import Question
from referee.games.interface.faults import Fault
from referee.games.starrealms import RULES
from referee.games.starrealms.person import Player
from referee.games.starrealms.rules.messages import ChooseReply, PlayReply, PlayTurn
from tests.games.starrealms.star_matches import new_setup
from tests.support.helpers import from_struct

Json = dict[str, Any]


def asked(state: Json) -> tuple[Any, Question]:
    """The first decision in a situation, with its question."""
    assert RULES.situation is not None
    game: Any = RULES.situation(new_setup(), {"trade_row": [], "trade_deck": []} | state)
    decision = Player(["Ann", "Ben"], 0).decide(game.requests[0].message)
    return decision, next(decision)


def replied(decision: Any, picks: tuple[int, ...]) -> Json:
    with pytest.raises(StopIteration) as over:
        decision.send(picks)
    reply: Json = over.value.value
    return reply


HAND = {"seats": {"player1": {"hand": ["Scout", "Scout", "Missile Bot", "Ram"]}}}


@pytest.mark.parametrize(
    ("typed", "actions"),
    [
        ("", [{"action": "end-turn"}]),
        ("2", [{"action": "play", "card": "Missile Bot"}]),
        ("play-ram", [{"action": "play", "card": "Ram"}]),
        ("a", [{"action": "play", "card": card} for card in ("Scout", "Scout", "Ram")]),
    ],
)
def test_what_is_typed_is_done(typed: str, actions: list[Json]) -> None:
    decision, question = asked(HAND)
    picks = read_answer(question, typed)
    assert isinstance(picks, tuple)
    assert replied(decision, picks) == {"type": "play-reply", "actions": actions}


def test_what_is_seen() -> None:
    seats = {
        "player1": {"hand": ["Ram"], "bases": ["Fleet HQ"]},
        "player2": {"bases": ["The Hive"]},
    }
    _, question = asked({"seats": seats, "trade_row": ["Cutter"], "combat": 6, "trade": 2})
    seen = {phrase.label: phrase.text for phrase in question.state}
    assert seen["row"] == "Cutter 2"
    assert (seen["its bases"], seen["in play"]) == ("The Hive 5", "Fleet HQ")
    assert {choice.name: choice.cells[0] for choice in question.choices} == {
        "play-Ram": "5 combat; ally: 2 combat; scrap: 3 trade",
        "buy-Cutter": "costs 2; 4 authority, 2 trade; ally: 4 combat",
        "buy-Explorer": "costs 2; 2 trade; scrap: 2 combat",
        "attack-base-The-Hive": "5 combat",
        "attack-player": "6 combat",
    }


@pytest.mark.parametrize("seed", range(6))
def test_a_person_who_picks_anything_makes_no_fault(seed: int) -> None:
    """It is told the turns of the other one, and every kind of action comes up."""
    dice = Random(seed)
    game: Any = RULES.new(new_setup(seed, max_turns=30))
    players = [Player(["Ann", "Ben"], seat) for seat in (0, 1)]
    told: list[str] = []
    while game.requests:
        events = game.take_events()
        assert not any(isinstance(event, Fault) for event in events)
        for seat, player in enumerate(players):
            lines = [line for event in events for line in player.hear(event)]
            told += lines if seat == 0 else []
        (request,) = game.requests
        decision = players[request.seat].decide(request.message)
        question = next(decision)
        indices = range(len(question.choices))
        least = 0 if question.enter and dice.random() < 0.1 else min(1, len(indices))
        most = max(least, min(question.most, len(indices)))
        picks = tuple(dice.sample(indices, dice.randint(max(least, question.least), most)))
        assert question.check(picks) == ""
        reply = replied(decision, picks)
        if isinstance(request.message, PlayTurn):
            assert from_struct(request.message)["actions"][-1] == {"action": "end-turn"}
            game.advance({request.seat: convert(reply, PlayReply)})
        else:
            game.advance({request.seat: convert(reply, ChooseReply)})
    assert len(told) > 50
    assert all(line.startswith("Ben ") and line.endswith(".") for line in told)
    assert any(line.startswith("Ben uses, with an ally, ") for line in told)
