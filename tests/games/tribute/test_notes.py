"""Notes to a bot's author: missed opportunities, and the probable causes of faults."""

from __future__ import annotations

from typing import Any

import pytest

from referee.games.tribute.notes import hint, notes
from tests.games.tribute.tribute_matches import Scene

Json = dict[str, Any]
PATRONS = ["HLAALU", "RED_EAGLE", "PELIN", "ANSEI"]
MANY = ["GOLD"] * 40


def noted(turns: int, situation: Json, each: str = "end; end") -> list[list[str]]:
    """Repeat the replies in `each`, which should play a turn of both players. Returns the notes."""
    scene = Scene({"before": {"patrons": PATRONS} | situation})
    for _ in range(turns):
        scene.do(each)
    game = scene.match._game
    assert game is not None
    return notes(game)  # type: ignore[arg-type]


def test_cards_and_agents_that_were_not_used() -> None:
    seat = {"hand": ["GOLD"], "draw_pile": MANY, "agents": [{"card": "OATHMAN"}]}
    first, second = noted(5, {"seats": {"player1": seat}})
    assert len(first) == 2
    assert first[0].startswith("it ended 5 turns with cards in hand that could be played")
    assert first[1].startswith("it ended 5 turns with an agent that was not activated")
    assert second == []
    assert noted(4, {"seats": {"player1": seat}}) == [[], []]


def test_coins_that_were_left() -> None:
    seat = {"hand": ["GOLD"] * 5, "draw_pile": MANY}
    situation = {"seats": {"player1": seat}, "row": ["TITHE"]}
    played = "; ".join(["play GOLD"] * 5)
    (note,) = noted(5, situation, f"{played}; end; end")[0]
    assert note.startswith("it ended 5 turns with coins for a card of the row")
    # With an empty row, the coins can't buy anything.
    assert noted(5, {"seats": {"player1": seat}}, f"{played}; end; end")[0] == []


def test_power_that_hit_a_taunt_agent_in_vain() -> None:
    seats = {
        "player1": {"hand": ["FORTIFY"], "draw_pile": ["FORTIFY"] * 40},
        "player2": {"agents": [{"card": "BANNERET"}] * 2},
    }
    fortify = "play FORTIFY; play FORTIFY; play FORTIFY; play FORTIFY; play FORTIFY"
    scene = Scene({"before": {"patrons": PATRONS, "seats": seats}})
    scene.do("play FORTIFY; end; end")
    assert scene.match._game.table.players[0].made.missed["power"] == 1  # type: ignore[union-attr]
    # Five power knocks out the damaged agent and hits the other one without effect.
    scene.do(f"{fortify}; end; end")
    assert scene.match._game.table.players[0].made.missed["power"] == 2  # type: ignore[union-attr]


def test_the_fourth_favour_in_reach() -> None:
    favours = dict.fromkeys(PATRONS[1:], "player1")
    seats = {"player1": {"hand": ["LUXURY_EXPORTS"]}}
    situation = {"seats": seats, "favours": favours}
    (note,) = noted(1, situation)[0]
    assert note.startswith("it ended a turn in which a call of the fourth patron would have won")
    # The patron can be called, but its favour would only become neutral.
    assert noted(1, situation | {"favours": favours | {"HLAALU": "player2"}})[0] == []
    assert noted(1, {"seats": {}, "favours": favours})[0] == []


STATE = {
    "favours": {"HLAALU": None, "TREASURY": None},
    "row": [{"uid": 10_000, "card": "TITHE"}],
    "me": {
        "hand": [{"uid": 10_001, "card": "GOLD"}],
        "agents": [{"uid": 10_002, "card": "OATHMAN", "hp": 2, "activated": True}],
        "coins": 2,
        "power": 1,
        "patron_calls": 1,
    },
    "opponent": {"agents": [{"uid": 10_003, "card": "OATHMAN", "hp": 2, "activated": False}]},
}
ASKED = {
    "type": "play-turn",
    "state": STATE,
    "actions": [{"type": "play-card", "card": 10_001}, {"type": "end-turn"}],
}


@pytest.mark.parametrize(
    ("action", "says"),
    [
        ({"type": "play-card", "card": 10_009}, "not in `hand`"),
        ({"type": "buy-card", "card": 10_000}, "costs more than the coins, 2"),
        ({"type": "buy-card", "card": 10_001}, "not in `row`"),
        ({"type": "activate-agent", "card": 10_002}, "was activated in this turn"),
        ({"type": "activate-agent", "card": 10_003}, "not one of your `agents`"),
        ({"type": "attack", "card": 10_003}, "a taunt agent has to be attacked first"),
        ({"type": "attack", "card": 10_002}, "not one of the opponent's `agents`"),
        ({"type": "call-patron", "patron": "Hlaalu"}, 'did you mean "HLAALU"?'),
        ({"type": "call-patron", "patron": "ORGNUM"}, "not at the table"),
        ({"type": "call-patron", "patron": "HLAALU"}, "what it needs is not there"),
        (None, "it counts from 0, so the last is 1"),
    ],
)
def test_what_an_illegal_action_comes_of(action: Any, says: str) -> None:
    assert says in hint("illegal-action", ASKED, {"type": "play-reply", "action": action})


def test_what_else_an_illegal_action_comes_of() -> None:
    def told(action: Json, **me: Any) -> str:
        state = STATE | {"me": STATE["me"] | me}  # type: ignore[operator]
        asked = ASKED | {"state": state, "actions": [{"type": "end-turn"}]}
        return hint("illegal-action", asked, {"action": action})

    assert "max_actions" in told({"type": "play-card", "card": 10_001})
    assert "no call is left" in told({"type": "call-patron", "patron": "HLAALU"}, patron_calls=0)
    assert "no power left" in told({"type": "attack", "card": 10_003}, power=0, hand=[])


CHOICE = {"type": "choose-request", "cards": [{"uid": 10_001}], "min": 0, "max": 1, "effects": []}


@pytest.mark.parametrize(
    ("code", "asked", "reply", "says"),
    [
        ("bad-patron", {"available": ["ANSEI"]}, {"patron": "Ansei"}, 'did you mean "ANSEI"?'),
        ("bad-patron", {"available": ["ANSEI"]}, {"patron": "x"}, ""),
        ("illegal-choice", CHOICE, {"cards": [1, 2]}, "`min` and `max`"),
        ("illegal-choice", CHOICE, {"cards": [1]}, "by its `uid`"),
        ("illegal-choice", CHOICE, {"effect": 2}, ""),
        ("bad-format", CHOICE, {"type": "play-reply"}, "a choice is open"),
        ("bad-format", CHOICE, {"type": "choose-reply", "cards": ["GOLD"]}, "a list of uids"),
        (
            "bad-format",
            CHOICE | {"effects": ["a", "b"]},
            {"type": "choose-reply"},
            "0 for the left",
        ),
        ("bad-format", ASKED, {"action": {"type": "play", "card": 1}}, 'did you mean "play-card"?'),
        ("bad-format", ASKED, {"action": {"type": "attack", "card": {}}}, "is a uid"),
        ("bad-format", ASKED, {"index": "1"}, ""),
        ("bad-name-reply", {}, {}, ""),
    ],
)
def test_what_other_faults_come_of(code: str, asked: Json, reply: Json, says: str) -> None:
    told = hint(code, asked, reply)
    assert (says in told) if says else told == ""
