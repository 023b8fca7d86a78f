"""A probe: its handshake, when it doesn't reply, and when it plays its tricks."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any

import pytest
from msgspec import structs

from referee.conformance.referee_side.probe import Probe
from referee.conformance.referee_side.recording import Reply
from referee.games.interface.probing import ProbeAction
from tests.conformance.in_process import MATCHES, RULES

TURN = b'{"type":"play-turn"}'
NEWS = b'{"type":"game-end"}'
MOVE = ProbeAction(b"move\n")


def make(tricks: str = "", move: ProbeAction = MOVE) -> Probe:
    """Return a probe whose player always makes the same move, and could make a plain one."""
    probe = Probe(RULES, structs.replace(MATCHES[0].seats[0], tricks=tricks), 0, 1)
    player: Any = SimpleNamespace(
        observe=lambda message: None, reply=lambda message: move, plain=lambda: {"plain": 1}
    )
    probe._player = player
    return probe


def test_the_handshake_says_who_it_is() -> None:
    action = make().take(b'{"type":"player-name-request"}')
    assert action is not None
    assert json.loads(action.data) == {
        "type": "player-name-reply",
        "player_number": "player1",
        "name": "Probe 1",
        "version": 1,
    }


@pytest.mark.parametrize("error", [ValueError, KeyError, TypeError, AttributeError])
def test_a_probe_that_cannot_reply_exits(error: type[Exception]) -> None:
    def reply(message: object) -> ProbeAction:
        raise error("oh")

    probe = make()
    probe._player.reply = reply  # type: ignore[method-assign]
    action = probe.take(TURN)
    assert action is not None
    assert action.then == "exit"
    assert probe.seat.lines[1].startswith(b"! gives up: " + error.__name__.encode())


@pytest.mark.parametrize(("then", "read"), [("exit", 0), ("block", 0), ("close", 1)])
def test_a_probe_that_left_does_not_reply(then: str, read: int) -> None:
    probe = make()
    probe.seat.left = ProbeAction(then=then)
    assert probe.take(TURN) is None
    assert len(probe.seat.received) == read


def test_a_line_that_is_not_a_message_is_only_recorded() -> None:
    probe = make()
    assert probe.take(b"{") is None
    assert (len(probe.seat.received), probe.sent) == (1, {})


def test_a_request_whose_reply_was_written_before_gets_no_other() -> None:
    probe = make()
    probe.seat.replies.append(Reply(b"early", MOVE))
    assert probe.take(TURN) is None
    assert probe.take(TURN) is MOVE


def test_a_trick_changes_a_plain_move_that_tests_nothing_else() -> None:
    twice = make("twice")
    action = twice.take(TURN)
    assert action is not None
    assert action.data == b'{"plain":1}\n{"plain":1}\n'
    busy = ProbeAction(b"move\n", cases=("5.1/1",))
    assert make("twice", busy).take(TURN) is busy
    assert make("long-line-early twice").take(TURN) is MOVE


@pytest.mark.parametrize(
    ("replies", "asked", "early"), [(2, 2, False), (3, 3, True), (3, 4, False)]
)
def test_a_line_comes_early_after_three_replies_and_between_two_requests(
    replies: int, asked: int, early: bool
) -> None:
    probe = make("long-line-early")
    probe.seat.replies += [Reply(b"", MOVE)] * replies
    probe._asked = asked
    action = probe.take(NEWS)
    assert (action is not None and action.then == "block") == early
