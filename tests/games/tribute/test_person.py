"""Tribute for people: every legal action can be chosen, and no choice leads to a fault."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec import convert

from referee.cli.human_answer import read_answer
from referee.games.interface.dialogue import Question
from referee.games.tribute import RULES
from referee.games.tribute.person import _VERBS, TributeDialogue
from referee.games.tribute.rules.effects import VERBS
from referee.games.tribute.rules.messages import ChooseReply, PatronReply, PlayReply
from tests.games.tribute.tribute_matches import new_setup

Json = dict[str, Any]
REPLIES = {"patron-reply": PatronReply, "play-reply": PlayReply, "choose-reply": ChooseReply}
PATRONS = ["HLAALU", "RED_EAGLE", "PELIN", "ANSEI"]


def asked(state: Json) -> tuple[Any, Question, Any]:
    """Start the first decision in a situation. Returns the generator, question and request."""
    assert RULES.situation is not None
    game: Any = RULES.situation(new_setup(), {"patrons": PATRONS} | state)
    player = TributeDialogue(["Ann", "Ben"], 0)
    for message in game.take_events():
        player.observe(message)
    request = game.requests[0].message
    decision = player.decide(request)
    return decision, next(decision), request


def replied(decision: Any, picks: tuple[int, ...]) -> Json:
    with pytest.raises(StopIteration) as over:
        decision.send(picks)
    reply: Json = over.value.value
    return reply


@pytest.mark.parametrize(
    ("typed", "index"), [("", -1), ("1", 0), ("play-oath", 1), ("buy-tithe", 2)]
)
def test_what_is_typed_is_done(typed: str, index: int) -> None:
    seat = {"hand": ["GOLD", "OATHMAN"], "coins": 4}
    decision, question, request = asked(
        {"seats": {"player1": seat}, "row": ["TITHE", "LUXURY_EXPORTS"]}
    )
    picks = read_answer(question, typed)
    assert isinstance(picks, tuple)
    assert replied(decision, picks)["index"] == range(len(request.actions))[index]


def test_a_hand_is_played_as_a_whole() -> None:
    """A card's questions are still asked, cards drawn meanwhile are not played, nor the next hand.

    The next hand has the same cards, after a shuffle.
    """
    assert RULES.situation is not None
    seat = {"hand": ["RAGPICKER", "HARVEST_SEASON", "GOLD"], "draw_pile": ["GOLD"], "coins": 2}
    game: Any = RULES.situation(
        new_setup(), {"patrons": PATRONS, "seats": {"player1": seat}, "row": ["TITHE"]}
    )
    player = TributeDialogue(["Ann", "Ben"], 0)
    asked: list[str] = []
    done: list[Json] = []
    while len(asked) < 4:
        for message in game.take_events():
            player.observe(message)
        request = game.requests[0].message
        if game.requests[0].seat == 1:
            game.advance({1: PlayReply(index=len(request.actions) - 1)})
            continue
        decision = player.decide(request)
        try:
            question = next(decision)
        except StopIteration as over:
            reply = over.value
        else:
            asked.append(question.text)
            picks = read_answer(question, "a" if len(asked) == 1 else "")
            reply = replied(decision, picks)
        if reply["type"] == "play-reply":
            done.append(request.actions[reply["index"]])
        game.advance({0: convert(reply, REPLIES[reply["type"]])})
    assert [action.type for action in done] == ["play-card"] * 3 + ["end-turn"] * 2
    ragpicker = "Ragpicker: Which cards do you destroy?"
    assert asked == ["What do you do?", ragpicker, *["What do you do?"] * 2]


def test_what_is_seen() -> None:
    seats = {
        "player1": {"hand": ["GOLD", "GOLD", "MIDNIGHT_RAID"], "coins": 4},
        "player2": {"agents": [{"card": "OATHMAN"}], "hand": ["GOLD"], "prestige": 7},
    }
    _, question, _ = asked({"seats": seats, "row": ["MIDNIGHT_RAID", "OATHMAN"]})
    seen = {phrase.label: phrase.text for phrase in question.state}
    assert seen["row"] == "Midnight Raid 4 (can buy), Oathman 6"
    assert seen["its agents"] == "Oathman 2 HP"
    assert seen["hand"] == "2x Gold, Midnight Raid"
    assert seen["other"] == "prestige 7, 1 in hand"
    cells = {choice.name: choice.cells[0] for choice in question.choices}
    assert cells["play-Midnight-Raid"] == "3 power; combo 2: 2 power"
    assert cells["buy-Midnight-Raid"] == "costs 4; 3 power; combo 2: 2 power"
    done = {f"{choice.verb} {choice.thing}" for choice in question.choices}
    assert done > {"play Midnight Raid", "buy Midnight Raid for 4"}
    assert _VERBS.keys() == VERBS.keys()
