"""Bots for seats that nobody plays."""

from __future__ import annotations

import json

import msgspec
import pytest

from referee.bots.bot import Failure
from referee.bots.stand_in import StandIn, leaver, stand_in
from referee.errors import UsageError
from referee.games.dominion import RULES
from tests.support.helpers import to_line

ASKED = to_line({"type": "player-name-request", "player_number": "player2"})
TURN = to_line({"type": "play-turn", "buys": 1})


def test_the_given_replies_come_before_the_simplest_one() -> None:
    bot = StandIn(RULES, "Ann", [{"type": "x"}, [1], {"leave": "exited"}, {"leave": "x", "a": 1}])
    name = json.loads(str(bot.reply([TURN, ASKED]), "ascii"))  # type: ignore[arg-type]
    assert name == {"type": "player-name-reply", "player_number": "player2", "name": "Ann"}
    assert bot.reply([TURN]) == b'{"type":"x"}'
    assert bot.reply([ASKED, TURN]) == b"[1]"
    assert bot.reply([TURN]) == Failure("exited", "as the case says")  # type: ignore[arg-type]
    assert bot.reply([TURN]) == b'{"leave":"x","a":1}'
    assert bot.reply([TURN]) == b'{"type":"play-reply","phase":"cleanup"}'


def test_without_a_name_it_is_late_for_the_handshake() -> None:
    failure = StandIn(RULES, None).reply([ASKED])
    assert isinstance(failure, Failure)
    assert failure.code == "startup-timeout"


def test_a_game_without_a_simplest_reply_needs_enough_replies() -> None:
    bot = StandIn(msgspec.structs.replace(RULES, simplest_reply=None), "Ann", [1])
    assert bot.reply([TURN]) == b"1"
    with pytest.raises(UsageError, match="dominion has no simplest reply"):
        bot.reply([TURN])


def test_a_leaver_leaves_in_the_handshake() -> None:
    left = leaver("dominion").answer([ASKED])
    assert isinstance(left, Failure)
    assert left.code == "failed-to-start"
    assert stand_in("dominion").answer([TURN]) == b'{"type":"play-reply","phase":"cleanup"}'
