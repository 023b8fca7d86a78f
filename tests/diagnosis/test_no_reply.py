"""Explaining lines that aren't replies. Each mistake that beginners make has its own message."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from referee.bots.process_report import TimeoutObservation
from referee.diagnosis.lines import QUOTED, quoted, why_no_reply
from referee.diagnosis.no_reply import why_not_returned, why_silent
from referee.games.dominion import RULES
from referee.games.interface.dialect import Adapter
from referee.games.interface.faults import InvalidReply
from referee.match.decode import decode_reply, is_blank, reply_decoder
from referee.match.messages import PlayerNameReply
from tests.support.helpers import TIMES

REPLY = {"type": "play-reply", "phase": "buy", "cards_to_buy": ["silver"]}
TEXT = json.dumps(REPLY)


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("my hand is ['copper', 'estate']", "is not JSON: standard output is the protocol"),
        ("hello", "print to stderr"),
        ('["my", "hand"]', "is a bare list: a reply is an object"),
        ('"cleanup"', "is a bare string: a reply is an object"),
        ("42", "is 42: a reply is an object"),
        ("null", "is null: a reply is an object"),
        (json.dumps(TEXT), "is a string that contains JSON: it was encoded twice"),
        (str(REPLY), "as Python prints it: write json.dumps(reply)"),
        (f"{REPLY} done", "as Python prints it: write json.dumps(reply)"),
        ('{"type": "play-reply", "top_discard": None}', "write json.dumps(reply)"),
        ("{ type: 'play-reply', phase: 'buy' }", "write JSON.stringify(reply)"),
        ("{", "one object must be on one line"),
        ('  "phase": "buy",', "one object must be on one line"),
        ('"played_treasures": [', "one object must be on one line"),
        ('{"type": "play-reply",', "one object must be on one line"),
        ("}", "one object must be on one line"),
        ("  phase: 'buy',", "as JavaScript shows it: write JSON.stringify(reply)"),
        ("[object Object]", "write JSON.stringify(reply)"),
        (TEXT + TEXT, "contains two JSON objects: write one line per request"),
        (f"{TEXT} {TEXT}", "contains two JSON objects"),
        (f"buying now {TEXT}", "has `buying now` before the JSON: standard output"),
        (f"{TEXT} done", "has `done` behind the JSON: standard output"),
        ('{"type": "play-reply", "phase": buy}', "is not JSON: the JSON is malformed at byte 33"),
        ("{}", "has no field `type`: it must be"),
        ('{"Type": "play-reply"}', "did you mean `type` by `Type`?"),
        ('{"type": "play_reply"}', 'has the type "play_reply"; did you mean "play-reply"?'),
        ('{"type": "ok"}', 'has the type "ok"; known are "play-reply" or "attack-reply"'),
        ('{"type": 3}', "has the type 3; known are"),
        (
            '{"type": "player-name-reply", "player_number": "player1", "name": "A"}',
            "answers player-name-request, an earlier request",
        ),
    ],
)
def test_a_line_that_is_no_reply(line: str, says: str) -> None:
    said = why_no_reply(line.encode(), RULES.replies)
    assert says in said
    assert said.startswith(f"the line {quoted(line.encode())} ")


def test_a_reply_is_one() -> None:
    assert why_no_reply(TEXT.encode(), RULES.replies) == ""
    assert "did you mean" in why_no_reply(b'{"type": "name-reply"}', (PlayerNameReply,))


@pytest.mark.parametrize(
    ("line", "says"),
    [
        (b"x\xff", "is not JSON: byte 2 of the line is not UTF-8; write UTF-8"),
        (TEXT.encode("utf-8-sig"), "begins with a byte order mark: write UTF-8 without"),
        (TEXT.encode("utf-16"), "is UTF-16, not UTF-8: write UTF-8 without a byte order mark"),
        (TEXT.encode("utf-16-le"), "is UTF-16, not UTF-8"),
        (TEXT.encode("utf-16-be"), "is UTF-16, not UTF-8"),
        # the byte before it is the end of the previous line
        (b"\0" + TEXT.encode("utf-16"), "is UTF-16, not UTF-8"),
        (TEXT.encode("utf-32"), "is UTF-32, not UTF-8"),
        (TEXT.encode().ljust(256, b"\0"), "has NUL bytes behind the text: write the bytes of"),
        (b"\0" + TEXT.encode(), "has NUL bytes before the text: write the bytes of the text"),
        (TEXT.encode().replace(b" ", b"\0"), "has NUL bytes in the text"),
    ],
)
def test_bytes_that_are_no_text(line: bytes, says: str) -> None:
    assert says in why_no_reply(line, RULES.replies)


def test_what_is_quoted_is_harmless_and_short() -> None:
    assert quoted(b"\x1b[2J\x9b") == r"`?[2J\x9b`"
    assert quoted(b"x" * QUOTED) == f"`{'x' * QUOTED}`"
    assert quoted(b"x" * (QUOTED + 1)) == f"`{'x' * QUOTED}...`"


@settings(max_examples=12 * TIMES)
@given(
    st.binary(max_size=80)
    | st.text(alphabet="{}[]\",:'ntTruefalsNone0123 type-reply_$", max_size=80).map(str.encode)
)
@example(b"[" * 3000)
@example(b'{"a":' * 3000)
@example(b'{"type":' + b"9" * 10_000 + b"}")
@example(b'{"type": "\\ud800", "\\udfff": 1}')
@example(b'{"type": NaN}')
def test_it_says_something_of_every_line_that_is_no_reply_and_nothing_of_others(
    line: bytes,
) -> None:
    if b"\n" in line or is_blank(line):
        return
    said = why_no_reply(line, RULES.replies)
    decoded = decode_reply(line, reply_decoder(RULES.replies))
    assert bool(said) == isinstance(decoded, InvalidReply)
    said.encode()  # fails if there's half a surrogate pair
    assert said.isprintable()


ADAPTER = Adapter(
    lambda argument, directory: (),
    {"ask": "its play()", "start": "its file"},
    {"ask": "look at the clock"},
    lambda fault, asked, reply: "",
)


@pytest.mark.parametrize(
    ("silence", "asked", "says"),
    [
        ({"late": b"x"}, "ask", "its play() returned later: it is too slow; look at the clock"),
        ({"at_end": b"x"}, "start", "its file returned later: it is too slow"),
        ({"is_busy": True}, "start", "its file was computing: it is still loading, which a longer"),
        ({"is_busy": True, "has_answered": True}, "ask", "takes too long; look at the clock"),
        ({"cpu_seconds": 0.12}, "ask", "its play() was waiting (0.1 s of CPU time), not computing"),
    ],
)
def test_a_bot_behind_an_adapter_writes_no_lines(
    silence: dict[str, Any], asked: str, says: str
) -> None:
    said = why_not_returned(TimeoutObservation(**silence), asked, ADAPTER)
    assert says in said
    assert "flush" not in said


@pytest.mark.parametrize(
    ("silence", "says"),
    # Each row could also be explained by a later one.
    [
        ({"unfinished": b"{", "late": b"x"}, "it wrote `{` without a line end"),
        ({"late": b"x", "is_busy": True}, "its reply came later, `x`: it is too slow"),
        (
            {"is_busy": True, "cpu_seconds": 0.12, "at_end": b"x"},
            "it was computing (0.1 s of CPU time): it is still loading, which a longer start-up",
        ),
        ({"is_busy": True, "has_answered": True}, "it was computing: an endless loop, or a search"),
        (
            {"at_end": b"x", "has_answered": True},
            "when its input had ended, `x` came out: this reply was not flushed",
        ),
        ({"at_end": b"x", "has_read": False}, "`x` came out: it does not flush its output"),
        ({"has_read": False, "ended": True}, "it was not computing and did not read its input"),
        (
            {"ended": True},
            "it read the ask, wrote nothing, and waited for the next line, so it has no answer to",
        ),
        ({"ended": True, "blank": True}, "wrote only an empty line, which is skipped (1.1)"),
        ({"has_answered": True}, "did not wait for input: a sleep, a lock, the network?"),
    ],
)
def test_why_a_process_is_silent(silence: dict[str, Any], says: str) -> None:
    assert says in why_silent(TimeoutObservation(**silence), "ask")


@pytest.mark.parametrize(
    ("asked", "game", "ends"),
    [
        ("ask", "", "so it has no answer to ask"),
        ("ask", "toy", "answer to ask; if it plays another game than toy, add --game NAME"),
        ("", "", "it read the request, wrote nothing, and waited for the next line, so it has no "
         "answer to it"),
    ],
)  # fmt: skip
def test_a_request_of_another_game_or_dialect(asked: str, game: str, ends: str) -> None:
    assert why_silent(TimeoutObservation(ended=True), asked, game).endswith(ends)
