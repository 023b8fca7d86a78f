"""Conformance cases of Tribute: correct bots pass, and each faulty bot fails its own cases."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest

from referee.bots.command import PythonBot
from referee.bots.in_process import InProcessBot
from referee.conformance.case import load_cases
from referee.games import GAMES
from referee.games.interface.game import ALL
from referee.games.tribute.rules.messages import FOLLOW_UPS
from referee.games.tribute.rules.situation import simplest_reply
from tests.games.tribute.tribute_matches import new_setup
from tests.support.conforming import failed, situation_of_the_page
from tests.support.helpers import ROOT, name_line, seat_of, to_line

Json = dict[str, Any]
RULES = GAMES["tribute"]
CASES = load_cases(RULES).cases
BOTS = sorted((ROOT / "example_bots" / "tribute").glob("*.py"))


def test_cases_for_dialects_begin_with_the_draft() -> None:
    """The engine's bots expect two picks before the first state."""
    theirs = [case for case in CASES if case.speaks == "*"]
    assert not [case.id for case in theirs if case.situation]
    assert {case.id.split(".")[0] for case in theirs} >= {"1", "4", "5", "8"}


@pytest.mark.parametrize("bot", BOTS, ids=lambda bot: bot.stem)
def test_an_example_bot_is_short(bot: Path) -> None:
    assert len(bot.read_text().splitlines()) <= 75


# --- wrong bots ---------------------------------------------------------------------------------


class Object:
    """A bot as a Python object. `answer` replies to every request except the handshake."""

    def __init__(self, answer: Callable[[Json], Any]) -> None:
        self._answer = answer
        self.asked: list[Json] = []

    def reply(self, lines: Sequence[bytes]) -> bytes:
        request = json.loads(lines[-1])
        if "version" in request:
            return name_line(seat_of(request["player_number"]))
        self.asked.append(request)
        return to_line(self._answer(request))


def eager(request: Json) -> Json:
    """Never attack, take the first action otherwise, and choose as many cards as possible."""
    if request["type"] == "play-turn":
        kinds = [action["type"] for action in request["actions"]]
        index = next(place for place, kind in enumerate(kinds) if kind != "attack")
        return {"type": "play-reply", "index": index}
    if request["type"] == "choose-request":
        uids = [card["uid"] for card in request["cards"][: request["max"]]]
        return {"type": "choose-reply", "cards": uids, "effect": 1}
    return dict(simplest_reply(request))


def hand_again(request: Json) -> Json:
    """Play the first card again and again, even when it isn't in the hand any more."""
    me = request.get("state", {}).get("me", {"hand": [], "played": []})
    cards = [*me["played"], *me["hand"]]
    if request["type"] == "play-turn" and cards:
        action = {"type": "play-card", "card": cards[0]["uid"]}
        return {"type": "play-reply", "action": action}
    return eager(request)


def agents_again(request: Json) -> Json:
    """Activate the first agent again and again."""
    if request["type"] == "play-turn" and (agents := request["state"]["me"]["agents"]):
        action = {"type": "activate-agent", "card": agents[0]["uid"]}
        return {"type": "play-reply", "action": action}
    return eager(request)


def buys_all(request: Json) -> Json:
    """Buy the first card of the row, whatever it costs."""
    if request["type"] == "play-turn" and (row := request["state"]["row"]):
        return {"type": "play-reply", "action": {"type": "buy-card", "card": row[0]["uid"]}}
    return eager(request)


def attacks_all(request: Json) -> Json:
    """Attack the first agent while any power is left."""
    if request["type"] == "play-turn" and request["state"]["me"]["power"]:
        for agent in request["state"]["opponent"]["agents"]:
            action = {"type": "attack", "card": agent["uid"]}
            return {"type": "play-reply", "action": action}
    return eager(request)


def choosing(cards: Callable[[Json], Any]) -> Callable[[Json], Json]:
    """Make a variant of `eager` that chooses cards with this function."""

    def answer(request: Json) -> Json:
        if request["type"] == "choose-request":
            return {"type": "choose-reply", "cards": cards(request), "effect": 0}
        return eager(request)

    return answer


WRONG: dict[str, tuple[Callable[[Json], Any], list[str]]] = {
    "picks Ansei": (
        lambda r: {"type": "patron-reply", "patron": "ANSEI"} if "picked" in r else eager(r),
        ["4.1/3", "4.1/4"],
    ),
    "plays a card twice": (hand_again, ["5.2/4", "4.3/4"]),
    "activates an agent twice": (agents_again, ["5.2/5", "4.3/5"]),
    "buys without coins": (buys_all, ["5.2/6"]),
    "attacks past a taunt agent": (attacks_all, ["4.6/3", "4.6/4"]),
    "another type": (lambda request: {"type": "end-turn"}, ["5.1/1", "5.2/1", "5.3/1"]),
    "names cards": (choosing(lambda r: [c["card"] for c in r["cards"]]), ["5.3/1", "5.3/5"]),
    "sends the cards": (choosing(lambda r: r["cards"][: r["max"]]), ["5.3/8"]),
    "chooses none": (choosing(lambda r: []), ["5.3/1", "5.3/9", "4.8/3"]),
    "chooses all": (choosing(lambda r: [c["uid"] for c in r["cards"]]), ["5.3/5", "5.3/15"]),
    "fills up to max": (
        choosing(lambda r: ([c["uid"] for c in r["cards"]] * 9 + [1] * 9)[: r["max"]]),
        ["5.3/14"],
    ),
    "chooses by index": (choosing(lambda r: [*range(r["min"])]), ["5.3/1", "5.3/11"]),
    "effects are cards": (
        lambda r: {"type": "choose-reply", "cards": []} if "effects" in r else eager(r),
        ["5.3/2"],
    ),
}


@pytest.mark.parametrize("mistake", WRONG)
async def test_a_wrong_bot_fails_its_cases(mistake: str) -> None:
    answer, failing = WRONG[mistake]
    for case in failing:
        bot = PythonBot(mistake, lambda: InProcessBot(Object(answer)))
        assert await failed(bot, "tribute", [case]) == [case]


async def test_a_bot_without_a_mistake_passes() -> None:
    cases = ["4.3/4", "4.6/3", "5.3/1", "5.3/8"]
    bot = PythonBot("eager", lambda: InProcessBot(Object(eager)))
    assert await failed(bot, "tribute", cases) == []


@pytest.mark.slow
async def test_the_cases_ask_every_kind_of_question() -> None:
    bots: list[Object] = []

    def new() -> InProcessBot:
        bots.append(Object(eager))
        return InProcessBot(bots[-1])

    assert await failed(PythonBot("eager", new), "tribute", ["4.8", "5.3"]) == []
    asked = {request.get("follow_up") for bot in bots for request in bot.asked}
    assert asked >= {*FOLLOW_UPS}


@pytest.mark.all_cases
@pytest.mark.parametrize("answer", [eager, simplest_reply])
async def test_a_bot_without_a_mistake_passes_all_cases(answer: Callable[[Json], Any]) -> None:
    bot = PythonBot("right", lambda: InProcessBot(Object(answer)))
    assert await failed(bot, "tribute", ["4", "5", "7"]) == []


# --- the file -----------------------------------------------------------------------------------


def test_the_page_about_cases() -> None:
    situation = situation_of_the_page("tribute")
    assert RULES.situation is not None
    game: Any = RULES.situation(new_setup(), situation)
    # The player has to discard a card, and this is the request for it.
    request = game.requests[0].message
    assert (request.follow_up, request.source.card) == ("discard-cards", "TWILIGHT_REVELRY")
    state = request.state
    assert [card.card for card in state.me.hand] == ["GOLD", "SWIPE"]
    assert [card.card for card in state.me.known] == ["WAR_SONG"]
    assert (state.me.coins, state.opponent.prestige, state.favours["PELIN"]) == (3, 12, "player2")
    assert [(card.uid, card.card) for card in state.row] == [(10_000, "TITHE")]
    assert [(a.uid, a.card, a.hp) for a in state.opponent.agents] == [(10_006, "OATHMAN", 1)]
    assert game.view(ALL).turn == 7
    for wrong in (
        {"seats": {"player1": {"hands": []}}},
        situation | {"x": 1},
        situation | {"row": ["SHEOGORATH"]},
        situation | {"discards": ["GOLD"]},
        situation | {"patrons": ["HLAALU", "RED_EAGLE", "RAJHIN", "NOBODY"]},
        situation | {"seats": {"player3": {}}},
    ):
        with pytest.raises(msgspec.ValidationError):
            RULES.situation(new_setup(), wrong)
