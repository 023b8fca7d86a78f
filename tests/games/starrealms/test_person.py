"""Star Realms for people: every legal action can be chosen, and no choice leads to a fault."""

from __future__ import annotations

from typing import Any

import pytest

from referee.cli.human_answer import read_answer
from referee.games.interface.dialogue import Question
from referee.games.interface.turns import Action
from referee.games.starrealms import RULES
from referee.games.starrealms.person import StarRealmsDialogue
from referee.games.starrealms.turns import Turn
from tests.games.starrealms.star_matches import new_setup

Json = dict[str, Any]


def asked(state: Json) -> tuple[Any, Question]:
    """Start the first decision in a situation. Returns the generator and its question."""
    assert RULES.situation is not None
    game: Any = RULES.situation(new_setup(), {"trade_row": [], "trade_deck": []} | state)
    decision = StarRealmsDialogue(["Ann", "Ben"], 0).decide(game.requests[0].message)
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
    done = {f"{choice.verb} {choice.thing}" for choice in question.choices}
    assert done > {"buy Cutter for 2", "attack The Hive with 5 combat", "attack the other player"}


def test_what_the_other_did_is_told_with_its_verb() -> None:
    turn = Turn(turn=2, player_number="player2", actions=[Action("ally", "Ram", ["2 combat"])])
    assert StarRealmsDialogue(["Ann", "Ben"], 0).tell(turn) == [
        "Ben uses, with an ally, Ram (2 combat)."
    ]
