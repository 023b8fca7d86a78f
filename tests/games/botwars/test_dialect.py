"""Translation between canonical messages and the classic format (protocol, 6)."""

from __future__ import annotations

import json
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.games.botwars import RULES
from referee.games.botwars.dialect import Classic
from referee.games.botwars.rules.moves import bad_format
from referee.match.decode import decode_reply, reply_decoder
from referee.match.machine import Match, Sent
from tests.games.botwars.botwars_matches import new_match, play_out, wild
from tests.support.helpers import TIMES, Announced, to_line

_decoder = reply_decoder(RULES.replies)


def classic(seed: int = 7) -> Classic:
    return Classic(0, seed, "node my_bot.js")


def is_bad(answer: bytes) -> bool:
    return bool(bad_format(decode_reply(classic().reply(answer), _decoder)))


STATE = {"rows": 4, "cols": 4, "grid": ".....r....b.....", "p1": {"energy": 0, "spawn": 5}}


@pytest.mark.parametrize("side", ["r", "b"])
def test_a_request_becomes_player_state_and_game_id(side: str) -> None:
    dialect = classic(2**53 - 1)
    for news in ({"type": "game-info"}, {"type": "turn-played", "state": {}}):
        assert dialect.send(to_line(news)) == b""
    sent = dialect.send(to_line({"type": "move-request", "player": side, "state": STATE}))
    assert dialect.answer() is None
    assert json.loads(sent) == {"player": side, "state": STATE, "gameId": 2**53 - 1}
    assert list(json.loads(sent)) == ["player", "state", "gameId"]
    assert sent.find(b"\n") == len(sent) - 1


def test_the_handshake_is_answered_for_it() -> None:
    line = to_line({"type": "player-name-request", "player_number": "player2", "version": 1})
    dialect = classic()
    assert dialect.send(line) == b""
    answer = dialect.answer()
    assert answer is not None
    assert json.loads(answer) == {
        "type": "player-name-reply",
        "player_number": "player2",
        "name": "node my_bot.js",
        "version": 1,
    }


@pytest.mark.parametrize(
    "answer", ["[]", ' [ {"from": 1,"to":2.5, "x": null}]\r', '[{"to":1,"from":0}]']
)
def test_an_array_becomes_the_moves(answer: str) -> None:
    reply = classic().reply(answer.encode())
    assert json.loads(reply) == {"type": "move-reply", "moves": json.loads(answer)}
    assert not is_bad(answer.encode())


BAD: list[Any] = [
    *(b"", b"null", b"{}", b"7", b'"[]"', b"true", b"[1]", b"[[]]", b"[null]", b"[] []", b"[],[]"),
    *(
        b'{"moves":[]}',
        b'{"type":"move-reply","moves":[]}',
        b'[{"from":1}]',
        b'[{"from":"1","to":2}]',
    ),
    *(
        b'[{"from":1,"to":true}]',
        b"<html>busy</html>",
        b"[NaN]",
        b'[{"from":NaN,"to":2}]',
        b"[\xff]",
    ),
    *(b"[]}", b'[],"x":[1]', b"\xef\xbb\xbf[]", b"[" * 200 + b"]" * 200, b"[" * 100_000),
]


@pytest.mark.parametrize("answer", BAD, ids=lambda answer: repr(answer[:20]))
def test_anything_else_is_of_the_wrong_format(answer: bytes) -> None:
    assert is_bad(answer)


@given(
    st.one_of(st.binary(max_size=40), st.text('[]{},:"fromt0123 \\u', max_size=40).map(str.encode))
)
@settings(max_examples=25 * TIMES)
def test_nothing_that_is_no_array_of_moves_passes(answer: bytes) -> None:
    answer = answer.replace(b"\n", b"\r")
    assert b"\n" not in classic().reply(answer)
    if is_bad(answer):
        return
    moves = json.loads(answer)
    assert isinstance(moves, list)
    for move in moves:
        assert type(move["from"]) in (int, float)
        assert type(move["to"]) in (int, float)


def test_a_match_of_classic_bots_is_the_same_match() -> None:
    """A match has the same public messages whether its bots are classic or canonical."""
    canonical = play_out(new_match(3, rows=8, cols=8), wild(Random(3)))
    decide = wild(Random(3))
    dialects = [Classic(seat, 3, name) for seat, name in enumerate(("Ann", "Ben"))]
    match: Match = new_match(3, rows=8, cols=8)
    match.start()
    entries = []
    while match.due:
        new = match.take_entries()
        entries += new
        asked = {entry.to: entry.line for entry in new if isinstance(entry, Sent)}
        for seat in match.due:
            line = asked[seat].rstrip(b"\n")
            data = dialects[seat].send(line)
            answer = dialects[seat].answer()
            if answer is not None:
                match.receive(seat, answer)
            else:
                turn = json.loads(data)
                moves = json.loads(decide(turn["player"], turn["state"]))["moves"]
                match.receive(seat, dialects[seat].reply(to_line(moves)))
    entries += match.take_entries()
    assert Announced(entries).public == Announced(canonical).public
    assert Announced(entries).codes() == Announced(canonical).codes()
