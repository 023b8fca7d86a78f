"""The dialect for bots of the original server, from which the protocol comes (protocol-v1, 11)."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path
from typing import Any

import pytest

from referee import play_match
from referee.cli import main
from referee.games.dominion.original import Original
from referee.logs.verify import Kind, verify_record
from tests.support.helpers import PILES

BOT = """
import json, sys

def send(**reply):
    print(json.dumps(reply), flush=True)

cards = None
for line in sys.stdin:
    message = json.loads(line)
    kind = message["type"]
    if kind == "player-name-request":
        number = message["player_number"]
        send(type="player-name-reply", player_number=number, name="Original", version=1)
    elif kind == "supply-info":
        assert cards is None, "more than once a turn"
        cards = dict(message["cards"].items())
    elif kind == "play-turn" and message["buys"]:
        left = [card for card, count in cards.items() if count]
        coins = [card for card in message["hand"] if card in ("copper", "silver", "gold")]
        buy = ["silver"] if len(coins) >= 3 and "silver" in left else []
        send(type="play-reply", phase="buy", played_treasures=coins, cards_to_buy=buy)
    elif kind == "play-turn":
        cards = None
        send(type="play-reply", phase="cleanup")
    elif kind == "attack-request":
        send(type="attack-reply", discard=message["options"][: message["discard"]])
"""

PILE_LIST = [{"card": card, "count": 8} for card in PILES]
TURN = {
    "type": "play-turn",
    "actions": 1,
    "buys": 1,
    "extra_money": 0,
    "hand": ["moat"],
    "cards_played": [],
    "cards_bought": [],
    "cards_gained": [],
}
WITHOUT = {key: value for key, value in TURN.items() if key != "cards_bought"}
SUPPLY = {"type": "supply-info", "cards": dict.fromkeys(PILES, 8)}


def sent(*messages: dict[str, Any]) -> list[Any]:
    """Return the lines that the dialect sends to player 1's bot for these messages."""
    dialect = Original(0, 7, "bot")
    data = b"".join(dialect.send(json.dumps(message).encode()) for message in messages)
    assert dialect.answer() is None
    return [json.loads(line) for line in data.splitlines()]


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ({"type": "player-name", "name": "é"}, {"type": "player-name", "name": "é"}),
        (
            {"type": "player-gained", "player_number": "player2", "gained": "moat"},
            {"type": "player-gained", "player_number": 2, "gained": ["moat"]},
        ),
        (
            {"type": "player-played", "player_number": "player4", "played": ["moat", "gold"]},
            {"type": "player-played", "player_number": 4, "played": ["moat", "gold"]},
        ),
        (
            {
                "type": "player-reveal",
                "player_number": "player1",
                "from": "hand",
                "cards": ["moat"],
            },
            {"type": "player-reveal", "player_number": 1, "cards": "moat"},
        ),
    ],
)
def test_what_is_told_of_players_has_numbers_and_other_shapes(message: Any, expected: Any) -> None:
    assert sent(message) == [expected]


@pytest.mark.parametrize(
    "message",
    [
        {"type": "player-name-request", "player_number": "player2", "version": 1},
        {"type": "attack-request", "discard": 1, "options": ["moat"] * 4},
        {"type": "game-end", "scores": [3, 4], "winners": ["player2"], "reason": "provinces"},
    ],
)
def test_what_is_sent_as_it_is(message: Any) -> None:
    assert sent(message) == [message]


def test_the_supply_is_told_once_a_turn_and_only_to_who_is_about_to_move() -> None:
    supply = {"type": "supply-info", "cards": PILE_LIST}
    attack = {"type": "attack-request", "discard": 1, "options": ["moat"] * 4}
    assert sent(supply, supply, attack, supply, TURN) == [attack, SUPPLY, WITHOUT]
    later = [
        {**TURN, "actions": 0},  # The bot tried an action that it couldn't play.
        {**TURN, "cards_played": ["village"], "actions": 2},
    ]
    assert [message["type"] for message in sent(supply, TURN, supply, *later, supply, TURN)] == [
        *("supply-info", "play-turn", "play-turn", "play-turn"),
        *("supply-info", "play-turn"),
    ]


@pytest.mark.slow
def test_a_bot_that_reads_the_supply_as_an_object_plays(tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_text(BOT)
    bot = f"original:{shlex.join([sys.executable, '-I', '-S', str(tmp_path / 'bot.py')])}"
    record = str(tmp_path / "record")
    result = play_match([bot, "big_money", bot], seed=1, options={"max_turns": 12}, record=record)
    assert verify_record(record).kind == Kind.VALID
    assert [player.name for player in result.players] == ["Original", "Big Money", "Original"]
    assert [player.faults for player in result.players] == [{}, {}, {}]
    assert [player.exit_code for player in result.players] == [0, 0, 0]
    cases = [word for case in ("1.1", "3.1", "5.3", "7") for word in ("--case", case)]
    assert main(["conform", bot, "--quiet", *cases]) == 0
