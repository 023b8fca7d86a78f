"""Conformance cases of Star Realms: correct bots pass, and each faulty bot fails its own cases."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

import msgspec
import pytest

from referee.bots.command import PythonBot
from referee.bots.in_process import InProcessBot
from referee.conformance.case import load_cases
from referee.games import GAMES
from referee.games.starrealms.rules.situation import simplest_reply
from tests.games.starrealms.star_matches import new_setup
from tests.support.conforming import failed, situation_of_the_page
from tests.support.helpers import to_line

Json = dict[str, Any]
RULES = GAMES["starrealms"]
CASES = load_cases(RULES).cases


# --- wrong bots ---------------------------------------------------------------------------------


class Mistaken:
    """A bot as a Python object. `answer` replies to every request except the handshake."""

    def __init__(self, answer: Callable[[Json], Any]) -> None:
        self._answer = answer

    def reply(self, lines: Sequence[bytes]) -> bytes:
        request = json.loads(lines[-1])
        if request["type"] == "player-name-request":
            number = request["player_number"]
            reply = {"type": "player-name-reply", "player_number": number, "name": "M"}
            return to_line(reply | {"version": 1})
        return to_line(self._answer(request))


def whole_hand(request: Json) -> Any:
    """Play the whole hand without looking again, and pick as many options as possible."""
    if request["type"] == "choose":
        return {"type": "choose-reply", "picks": list(range(request["most"]))}
    plays = [{"action": "play", "card": card} for card in request["state"]["hand"]]
    wanted = [action for action in request["actions"] if action["action"] != "play"]
    return {"type": "play-reply", "actions": plays or wanted[:1]}


def each_base_again(request: Json) -> Any:
    """Use every base in play without checking whether it was used already."""
    if request["type"] == "choose":
        return simplest_reply(request)
    pieces = request["state"]["in_play"]
    uses = [{"action": "use-base", "card": piece["card"]} for piece in pieces]
    return {"type": "play-reply", "actions": [*uses, *uses[:1], {"action": "end-turn"}]}


def buys_all(request: Json) -> Any:
    """Play all cards, then buy everything on offer as if each card had all the trade to itself."""
    if request["type"] == "choose":
        return simplest_reply(request)
    plays = [action for action in request["actions"] if action["action"] == "play"]
    buys = [action for action in request["actions"] if action["action"] == "buy"]
    return {"type": "play-reply", "actions": plays[:1] or [*buys, {"action": "end-turn"}]}


def ends(request: Json, picks: Any) -> Any:
    """End every turn at once, and answer each question with `picks`."""
    if request["type"] == "choose":
        return {"type": "choose-reply", "picks": picks}
    return simplest_reply(request)


WRONG: dict[str, tuple[Callable[[Json], Any], list[str]]] = {
    "plays what a choice took": (whole_hand, ["5.2/2"]),
    "uses a base twice": (each_base_again, ["4.3/1", "5.2/3"]),
    "spends its trade twice": (buys_all, ["5.2/4"]),
    "one action, no list": (
        lambda r: simplest_reply(r) | {"actions": {"action": "end-turn"}},
        ["5.1/1"],
    ),
    "another type": (lambda request: {"type": "end-turn"}, ["5.1/1", "6.1/1"]),
    "picks none": (lambda request: ends(request, []), ["6.1/1", "4.6/1"]),
    "picks one": (lambda request: ends(request, [0]), ["6.2/1", "4.6/2"]),
    "picks the card": (lambda request: ends(request, ["Scout"]), ["6.1/1"]),
}


@pytest.mark.parametrize("mistake", WRONG)
async def test_a_wrong_bot_fails_its_cases(mistake: str) -> None:
    answer, failing = WRONG[mistake]
    for case in failing:
        bot = PythonBot(mistake, lambda: InProcessBot(Mistaken(answer)))
        assert await failed(bot, "starrealms", [case]) == [case]


# --- the file -----------------------------------------------------------------------------------


def test_the_page_about_cases() -> None:
    situation = situation_of_the_page("starrealms")
    assert RULES.situation is not None
    game: Any = RULES.situation(new_setup(), situation)
    # The player has to discard a card, and this is the request for it.
    state = game.requests[0].message.state
    assert [state.turn, state.trade, state.combat, state.authority] == [8, 2, 3, 20]
    assert [state.hand, state.deck, state.trade_row] == [["Ram"], ["Scout"], ["Ram"]]
    for wrong in ({"seats": {"player1": {"hands": []}}}, situation | {"x": 1}):
        with pytest.raises(msgspec.ValidationError):
            RULES.situation(new_setup(), wrong)
