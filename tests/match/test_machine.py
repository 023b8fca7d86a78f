"""Test `Match`: handshake, faults, disqualifications and the end (spec/protocol-v1.md)."""

from __future__ import annotations

import json
import pickle
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import permutations
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import Struct

from referee.errors import ProtocolMisuseError, UsageError
from referee.games.dominion import RULES
from referee.games.dominion.rules.game import Options
from referee.games.dominion.rules.messages import PlayerTopDiscard, PlayReply, PlayTurn
from referee.games.interface.definition import GameDefinition
from referee.games.interface.faults import Disqualification, EndReason, Fault, InvalidReply
from referee.games.interface.game import (
    ALL,
    LEFT,
    PUBLIC,
    GameSetup,
    Outcome,
    Request,
    SeatState,
    ranks,
)
from referee.games.interface.random_source import SeededRandomSource
from referee.games.interface.seats import seat_id
from referee.games.interface.table import CardFacts
from referee.match.decode import decode_reply, reply_decoder
from referee.match.machine import (
    MAX_NAME_LENGTH,
    Disqualified,
    Entry,
    Match,
    Received,
    Redeal,
    Sent,
)
from referee.match.messages import GameEnd
from referee.match.result import Diagnosis, MatchResult, ReplySeconds, player_results
from tests.support.helpers import (
    KINGDOM,
    NAMES,
    PILES,
    WORTH,
    Announced,
    Imposed,
    answer,
    begun,
    name_line,
    new_match,
    new_setup,
    play_out,
    seat_of,
    shake_hands,
    to_line,
)


def test_a_whole_match() -> None:
    """Two bots play one turn each, from the handshake to the result. It needs no process.

    The caller passes lines on: those of `take_entries` to the bots, and the bots' lines to
    `receive`. The second bot doesn't know the protocol, which costs it its turn, not the match.
    """
    match = Match(RULES, seats=2, seed=7, options=Options(max_turns=1))
    match.start()
    assert match.due == (0, 1)  # in the handshake, both have a request
    match.receive(1, b'{"type":"player-name-reply","player_number":"player2","name":"Ben"}')
    match.receive(0, b'{"type":"player-name-reply","player_number":"player1","name":"Ann"}')
    assert match.due == (0,)
    entries = match.take_entries()
    assert [(entry.to, entry.line[:38]) for entry in entries if isinstance(entry, Sent)] == [
        (0, b'{"type":"player-name-request","player_'),
        (1, b'{"type":"player-name-request","player_'),
        (None, b'{"type":"player-name","player_number":'),  # None: to all, and to spectators
        (None, b'{"type":"player-name","player_number":'),
        (None, b'{"type":"game-info","kingdom_cards":["'),
        (None, b'{"type":"supply-info","cards":[{"card"'),
        (0, b'{"type":"play-turn","actions":1,"buys"'),
    ]
    silver = b'{"type":"play-reply","phase":"buy","played_treasures":["copper","copper","copper"],'
    silver += b'"cards_to_buy":["silver"]}'
    match.receive(0, silver)
    received, gained, supply, request = match.take_entries()
    assert received == Received(0, silver)
    assert isinstance(gained, Sent)
    line = b'{"type":"player-gained","player_number":"player1","gained":"silver"}\n'
    assert (gained.to, gained.line) == (None, line)
    assert isinstance(supply, Sent)
    assert b'{"card":"silver","count":39}' in supply.line
    assert isinstance(request, Sent)
    assert request.line.startswith(b'{"type":"play-turn","actions":0,"buys":0,')

    match.receive(0, b'{"type":"play-reply","phase":"cleanup"}')
    assert match.due == (1,)
    match.take_entries()
    match.receive(1, b"pass")
    received, fault, *_, end = match.take_entries()
    assert received == Received(1, b"pass")
    assert fault == Fault(1, "invalid-json", "5.5", "the JSON is malformed at byte 1")
    assert isinstance(end, Sent)
    line = b'{"type":"game-end","scores":[3,3],"winners":["player1","player2"],'
    line += b'"reason":"turn-limit"}\n'
    assert (end.to, end.line) == (None, line)
    assert match.due == ()
    assert match.outcome == Outcome(EndReason.TURN_LIMIT, (1, 1))
    assert [state.score for state in match.standings()] == [3, 3]
    assert match.faults == [Counter(), Counter({"invalid-json": 1})]


CLEANUP = to_line({"type": "play-reply", "phase": "cleanup"})
EXITED = Disqualification.EXITED
TIMEOUT = Disqualification.TIMEOUT
FAILED = Disqualification.FAILED_TO_START
STARTUP = Disqualification.STARTUP_TIMEOUT


def started(seats: int = 2, **options: Any) -> Match:
    """Start a match, and drop the handshake requests from its entries."""
    match = new_match(seats, **options)
    match.start()
    match.take_entries()
    return match


def hands_shaken(*answers: bytes | Disqualification, **options: Any) -> tuple[Match, Announced]:
    """Play the handshakes, one answer per seat. Return the match and its announcements."""
    match = started(len(answers), **options)
    for seat, reply in enumerate(answers):
        shake(match, seat, reply)
    return match, Announced(match.take_entries())


def shake(match: Match, seat: int, answer: bytes | Disqualification) -> None:
    if isinstance(answer, Disqualification):
        match.disqualify(seat, answer, "no handshake")
    else:
        match.receive(seat, answer)


# --- 3: the handshake -------------------------------------------------------------------------


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_every_bot_is_asked_for_its_name_at_once(seats: int) -> None:
    match = Match(RULES, seats=seats, seed=1)
    assert match.due == ()
    match.start()
    assert match.due == tuple(range(seats))
    assert [(entry.to, entry.line) for entry in match.take_entries() if type(entry) is Sent] == [
        (seat, b'{"type":"player-name-request","player_number":"player%d","version":1}\n' % number)
        for seat, number in enumerate(range(1, seats + 1))
    ]
    assert match.requests == [0] * seats
    assert match.names == [f"PLAYER{seat + 1}" for seat in range(seats)]


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_the_start(seats: int) -> None:
    match, told = hands_shaken(*(name_line(seat) for seat in range(seats)))
    kinds = [message["type"] for message in told.public]
    assert kinds == ["player-name"] * seats + ["game-info", "supply-info"]
    assert told.public[:seats] == [
        {
            "type": "player-name",
            "player_number": f"player{seat + 1}",
            "name": NAMES[seat],
            "version": 1,
        }
        for seat in range(seats)
    ]
    assert told.public[seats] == {
        "type": "game-info",
        "kingdom_cards": KINGDOM,
        "player_bot_names": list(NAMES[:seats]),
    }
    assert [pile["card"] for pile in told.public[-1]["cards"]] == PILES
    assert told.faults == []
    assert told.left == []
    assert [to for to, _ in told.requests] == ["player1"]
    assert match.due == (0,)
    assert match.requests == [1] + [0] * (seats - 1)
    assert match.names == list(NAMES[:seats])


def test_nothing_is_told_of_the_game_before_the_last_handshake() -> None:
    match = started(3)
    match.receive(2, name_line(2))
    assert match.take_entries() == []
    match.receive(0, name_line(0))
    assert match.take_entries() == [Received(0, name_line(0))]
    assert match.due == (1,)
    assert match.in_handshake
    match.disqualify(1, EXITED, "gone")
    assert not match.in_handshake
    first, second, *others = match.take_entries()
    assert isinstance(first, Disqualified)
    assert second == Received(2, name_line(2))
    assert all(isinstance(entry, Sent) for entry in others)


ANSWERS: list[bytes | Disqualification] = [
    b"?",
    b"\xff",
    b"hello",
    CLEANUP,
    FAILED,
    STARTUP,
    EXITED,
]


def handshake(seat: int) -> st.SearchStrategy[bytes | Disqualification]:
    return st.sampled_from(
        [
            *ANSWERS,
            name_line(seat),
            name_line(seat),
            name_line(seat, "\x1bx" * 50),
            name_line(seat, version=2),
            name_line(seat, name=...),
            name_line(seat, version=...),
            name_line((seat + 1) % 4),
        ]
    )


@given(st.data(), st.integers(2, 4))
@settings(max_examples=15)
def test_handshakes_in_any_order_give_the_same_entries(data: st.DataObject, seats: int) -> None:
    answers = [data.draw(handshake(seat)) for seat in range(seats)]
    seen: list[tuple[Any, ...]] = []
    for order in permutations(range(seats)):
        match = started(seats)
        entries = []
        for seat in order:
            shake(match, seat, answers[seat])
            entries += match.take_entries()
        seen.append(
            (entries, match.due, match.names, match.faults, match.disqualified, match.outcome)
        )
        assert match.first_faults == {
            (entry.seat, entry.code): entry for entry in entries if isinstance(entry, Fault)
        }
    assert all(other == seen[0] for other in seen)


def test_a_name_is_taken() -> None:
    match, told = hands_shaken(name_line(0, "Zoë 🃏"), name_line(1, "  spaced  "))
    assert match.names == ["Zoë 🃏", "  spaced  "]
    assert [message["name"] for message in told.public[:2]] == match.names
    assert told.public[2]["player_bot_names"] == match.names


@pytest.mark.parametrize(
    ("changes", "kept"),
    [
        ({"keep_alive": True}, {1}),
        ({}, set()),
        *(({"keep_alive": value}, set()) for value in (False, None, 1, 1.0, "true", [True], {})),
        ({"keep_alive": True, "name": 7}, set()),
        ({"keep_alive": True, "player_number": "player1"}, set()),
    ],
    ids=str,
)
def test_true_alone_keeps_a_bot_and_only_in_a_right_reply(
    changes: dict[str, Any], kept: set[int]
) -> None:
    match = new_match()
    match.start()
    match.receive(0, name_line(0))
    reply = {"type": "player-name-reply", "player_number": "player2", "name": "B"}
    match.receive(1, to_line(reply | changes))
    assert match.keep_alive == kept
    assert sum(match.faults[1].values()) == (0 if {"keep_alive"} >= changes.keys() else 1)


def test_a_bot_of_another_version_is_not_kept() -> None:
    match = new_match()
    match.start()
    match.receive(0, to_line(json.loads(name_line(0)) | {"keep_alive": True, "version": 2}))
    assert match.keep_alive == set()


def test_a_bot_that_has_left_is_not_kept() -> None:
    match = new_match()
    match.start()
    for seat in (0, 1):
        match.receive(seat, to_line(json.loads(name_line(seat)) | {"keep_alive": True}))
    match.disqualify(0, EXITED, "gone")
    assert match.keep_alive == {1}


def test_names_may_be_empty_or_equal() -> None:
    match, told = hands_shaken(name_line(0, ""), name_line(1, ""))
    assert match.names == ["", ""]
    assert told.faults == []


def test_unknown_fields_and_duplicate_keys_of_a_name_reply() -> None:
    line = name_line(0, "first")[:-1] + b',"name":"last","author":{"mail":[]},"type":"x"}'
    line = line[:-1] + b',"type":"player-name-reply"}'
    match, told = hands_shaken(line, name_line(1) + b"\r")
    assert match.names == ["last", "Ben"]
    assert told.faults == []


def test_control_characters_are_removed_from_names() -> None:
    controls = "".join(map(chr, [*range(0x20), *range(0x7F, 0xA0)]))
    assert len(controls) == 65
    match, told = hands_shaken(name_line(0, f"a{controls}b"), name_line(1, controls))
    assert match.names == ["ab", ""]
    assert told.faults == []


def test_other_characters_stay_in_names() -> None:
    name = "\u00a0~\u2028\u200b\u202e\ufeff\ue000\U000e0001"
    match, _ = hands_shaken(name_line(0, name), name_line(1))
    assert match.names[0] == name


def test_names_are_cut_after_the_controls_are_removed() -> None:
    assert MAX_NAME_LENGTH == 64
    match, told = hands_shaken(
        name_line(0, "\x00" * 100 + "x" * 65),
        name_line(1, "🃏" * 64),
        name_line(2, "🃏" * 65 + "\n"),
        name_line(3, "y" * 63 + "\x7fz!"),
    )
    assert match.names == ["x" * 64, "🃏" * 64, "🃏" * 64, "y" * 63 + "z"]
    assert told.faults == []


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"])))
@settings(max_examples=25)
def test_any_name(name: str) -> None:
    match, told = hands_shaken(name_line(0, name), name_line(1))
    kept = "".join(char for char in name if not (char < " " or "\x7f" <= char <= "\x9f"))
    assert match.names[0] == kept[:64]
    assert told.public[0]["name"] == kept[:64]
    assert told.faults == []


WRONG_REPLIES = {
    "nonsense": b"?",
    "no JSON": b"hello",
    "invalid UTF-8": b'{"type":"player-name-reply","player_number":"player2","name":"\xff"}',
    "lone surrogate": b'{"type":"player-name-reply","player_number":"player2","name":"\\ud800"}',
    "null": b"null",
    "list": b"[" + name_line(1) + b"]",
    "string": b'"Ben"',
    "cut short": name_line(1)[:-1],
    "two objects": name_line(1) * 2,
    "deep": b'{"x":' + b"[" * 200,
    "empty object": b"{}",
    "play-reply": CLEANUP,
    "unknown type": to_line({"type": "hello", "version": 1}),
    "unknown type of another version": to_line({"type": "hello", "version": 2}),
    "the request": to_line(
        {"type": "player-name-request", "player_number": "player2", "name": "Ben", "version": 1}
    ),
    "type null": name_line(1, type=None),
    "type number": name_line(1, type=1),
    "type missing": name_line(1, type=...),
    "type missing of another version": name_line(1, type=..., version=2),
    "type overruled": name_line(1)[:-1] + b',"type":"hello"}',
    "name missing": name_line(1, name=...),
    "name null": b'{"type":"player-name-reply","player_number":"player2","name":null,"version":1}',
    "name number": b'{"type":"player-name-reply","player_number":"player2","name":7,"version":1}',
    "name list": b'{"type":"player-name-reply","player_number":"player2","name":["Ben"]}',
    "name object": b'{"type":"player-name-reply","player_number":"player2","name":{}}',
    "name true": b'{"type":"player-name-reply","player_number":"player2","name":true}',
    "number missing": name_line(1, player_number=...),
    "number of another": name_line(0, "Ben"),
    "number of nobody": name_line(1, player_number="player5"),
    "number in capitals": name_line(1, player_number="PLAYER2"),
    "number as number": name_line(1, player_number=2),
    "number null": name_line(1, player_number=None),
    "number list": name_line(1, player_number=["player2"]),
    "number empty": name_line(1, player_number=""),
    "number with a space": name_line(1, player_number="player2 "),
}


@pytest.mark.parametrize("line", WRONG_REPLIES.values(), ids=WRONG_REPLIES.keys())
def test_a_wrong_name_reply_is_a_fault_and_not_more(line: bytes) -> None:
    match, told = hands_shaken(name_line(0), line, name_line(2))
    assert match.names == ["Ann", "PLAYER2", "Cid"]
    assert [message["name"] for message in told.public[:3]] == match.names
    assert told.codes() == [(1, "bad-name-reply", "3.2")]
    assert told.faults[0].detail.isprintable()
    assert told.left == []
    assert match.disqualified == {}
    assert match.faults == [{}, {"bad-name-reply": 1}, {}]
    assert match.due == (0,)


@pytest.mark.parametrize("version", [b"1", b"1.0", b"1e0", b"10E-1", b"1.000"])
def test_version_1(version: bytes) -> None:
    line = name_line(1, version=...)[:-1] + b',"version":%s}' % version
    match, told = hands_shaken(name_line(0), line)
    assert match.names == ["Ann", "Ben"]
    assert told.faults == []
    assert told.left == []


def test_a_missing_version_is_none_that_is_not_1() -> None:
    match, told = hands_shaken(name_line(0), name_line(1, version=...))
    assert match.names == ["Ann", "Ben"]
    assert told.faults == []
    assert told.left == []


OTHER_VERSIONS = (
    b"2 0 -1 1.5 1e999 -1e999 10000000000000000000001 true false null [] [1] {} "
    b'"1" "" "1.0" {"version":1} 0.99999999999'
).split()


@pytest.mark.parametrize("version", [*OTHER_VERSIONS, b"1" * 5000], ids=lambda line: line[:20])
def test_another_version_disqualifies(version: bytes) -> None:
    line = name_line(1, version=...)[:-1] + b',"version":%s}' % version
    match, told = hands_shaken(name_line(0), line, name_line(2))
    ((seat, left),) = match.disqualified.items()
    assert (seat, left.code) == (1, "unsupported-version")
    assert "version" in left.detail
    assert left.detail.isprintable()
    assert json.loads(left.asked)["type"] == "player-name-request"
    assert told.left == [left]
    assert told.faults == []
    assert match.names == ["Ann", "PLAYER2", "Cid"]
    assert told.public[-1] == disqualified("player2", "unsupported-version")


@pytest.mark.parametrize(
    "changes",
    [
        {"name": ...},
        {"name": 5},
        {"player_number": "player1"},
        {"player_number": ...},
        {"name": ..., "player_number": ...},
    ],
)
def test_another_version_disqualifies_whatever_else_is_wrong(changes: dict[str, Any]) -> None:
    reply = {
        "type": "player-name-reply",
        "player_number": "player2",
        "name": "Ben",
        "version": 2,
        **changes,
    }
    line = to_line({field: value for field, value in reply.items() if value is not ...})
    match, told = hands_shaken(name_line(0), line)
    assert match.disqualified[1].code == "unsupported-version"
    assert told.faults == []


def test_of_two_versions_the_last_counts() -> None:
    line = name_line(1, version=2)[:-1] + b',"version":1}'
    assert hands_shaken(name_line(0), line)[0].disqualified == {}
    line = name_line(1)[:-1] + b',"version":2}'
    assert 1 in hands_shaken(name_line(0), line)[0].disqualified


# --- 3.4, 3.5: failed handshakes --------------------------------------------------------------


def disqualified(number: str, reason: str) -> dict[str, str]:
    return {"type": "player-disqualified", "player_number": number, "reason": reason}


def ended(scores: list[int], winners: list[str], reason: str) -> dict[str, Any]:
    return {"type": "game-end", "scores": scores, "winners": winners, "reason": reason}


def test_one_fails_the_handshake() -> None:
    match, told = hands_shaken(STARTUP, name_line(1), name_line(2))
    assert [message["type"] for message in told.public] == [
        *["player-name"] * 3,
        "game-info",
        "supply-info",
        "player-disqualified",
    ]
    assert told.public[0]["name"] == "PLAYER1"
    assert told.public[3]["player_bot_names"] == ["PLAYER1", "Ben", "Cid"]
    assert told.public[4]["cards"][0] == {"card": "curse", "count": 20}
    assert told.public[5] == disqualified("player1", "startup-timeout")
    assert match.due == (1,)
    assert match.requests == [0, 1, 0]
    assert match.disqualified[0] == Disqualified(
        0,
        STARTUP,
        "no handshake",
        b'{"type":"player-name-request","player_number":"player1","version":1}\n',
    )


@pytest.mark.parametrize("seats", [2, 3, 4])
@pytest.mark.parametrize("left", [0, 1])
def test_all_but_one_fail_the_handshake(seats: int, left: int) -> None:
    answers = [name_line(left) if seat == left else FAILED for seat in range(seats)]
    match, told = hands_shaken(*answers)
    number = seat_id(left)
    assert told.public[-seats:] == [
        *(disqualified(seat_id(s), "failed-to-start") for s in range(seats) if s != left),
        ended([3] * seats, [number], "last-player-standing"),
    ]
    ranks = tuple(1 if seat == left else 2 for seat in range(seats))
    assert match.outcome == Outcome("last-player-standing", ranks)
    assert match.due == ()
    assert told.requests == []
    assert match.requests == [0] * seats


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_all_fail_the_handshake(seats: int) -> None:
    codes = [STARTUP, FAILED, EXITED, Disqualification.OUTPUT_LIMIT][:seats]
    match, told = hands_shaken(*codes)
    assert told.public[-seats - 1 :] == [
        *(disqualified(seat_id(seat), code) for seat, code in enumerate(codes)),
        ended([3] * seats, [], "no-players"),
    ]
    assert [message["type"] for message in told.public[: -seats - 1]] == [
        *["player-name"] * seats,
        "game-info",
        "supply-info",
    ]
    assert match.outcome == Outcome(EndReason.NO_PLAYERS, (1,) * seats)
    assert match.due == ()


def test_disqualifications_of_the_handshake_come_in_seat_order() -> None:
    match = started(4)
    match.disqualify(3, FAILED, "no such file")
    match.receive(1, name_line(1))
    match.disqualify(0, EXITED, "status 1")
    match.receive(2, name_line(2, version=2))
    told = Announced(match.take_entries())
    assert told.public[-4:] == [
        disqualified("player1", "exited"),
        disqualified("player3", "unsupported-version"),
        disqualified("player4", "failed-to-start"),
        ended([3, 3, 3, 3], ["player2"], "last-player-standing"),
    ]
    assert [left.seat for left in told.left] == [0, 2, 3]
    assert [left.detail for left in told.left][::2] == ["status 1", "no such file"]


def test_the_game_begins_after_the_disqualifications_of_the_handshake() -> None:
    match = started(4)
    for seat in (2, 0):
        match.disqualify(seat, EXITED, "gone")
    for seat in (3, 1):
        match.receive(seat, name_line(seat))
    sent = [entry for entry in match.take_entries() if isinstance(entry, Sent)]
    supply, *left, request = (json.loads(entry.line) for entry in sent[-4:])
    assert (supply["type"], request["type"]) == ("supply-info", "play-turn")
    assert left == [disqualified(number, "exited") for number in ("player1", "player3")]


# --- 8.3: leaving later -----------------------------------------------------------------------


@pytest.mark.parametrize("seat", [0, 1])
def test_with_two_players_the_other_wins(seat: int) -> None:
    match = begun()
    if seat:
        match.receive(0, CLEANUP)
    request = match.take_entries()[-1] if seat else None
    match.disqualify(seat, TIMEOUT, "no reply within 10 s")
    entries = match.take_entries()
    assert isinstance(entries[0], Disqualified)
    assert (entries[0].seat, entries[0].code) == (seat, "timeout")
    assert json.loads(entries[0].asked)["type"] == "play-turn"
    if request is not None:
        assert isinstance(request, Sent)
        assert (request.to, request.line) == (1, entries[0].asked)
    number, other = seat_id(seat), seat_id(1 - seat)
    assert Announced(entries).public == [
        disqualified(number, "timeout"),
        ended([3, 3], [other], "last-player-standing"),
    ]
    assert match.disqualified == {seat: entries[0]}
    assert match.outcome == Outcome(
        EndReason.LAST_PLAYER_STANDING, (1 + (seat == 0), 1 + (seat == 1))
    )
    assert match.due == ()


@pytest.mark.parametrize("seats", [3, 4])
def test_with_more_players_the_rest_go_on(seats: int) -> None:
    match = begun(seats)
    match.disqualify(0, EXITED, "status 1")
    told = Announced(match.take_entries())
    assert [message["type"] for message in told.public] == [
        "player-disqualified",
        "player-top-discard",
    ]
    assert match.due == (1,)
    order: list[int] = []
    for _ in range(2 * (seats - 1)):
        order += match.due
        match.receive(match.due[0], CLEANUP)
    assert order == [*range(1, seats)] * 2
    assert match.outcome is None
    assert match.requests[0] == 1


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_the_last_one_left_wins_at_once(seats: int) -> None:
    match = begun(seats)
    for seat in range(seats - 1):
        assert match.outcome is None
        assert match.due == (seat,)
        match.disqualify(seat, TIMEOUT, "")
    told = Announced(match.take_entries())
    assert told.public[-2:] == [
        disqualified(seat_id(seats - 2), "timeout"),
        ended([3] * seats, [seat_id(seats - 1)], "last-player-standing"),
    ]
    assert match.due == ()
    assert [standing.turns for standing in match.standings()] == [1] * (seats - 1) + [0]


@pytest.mark.parametrize("seats", [3, 4])
def test_the_end_is_looked_at_after_the_turn_of_one_that_leaves(seats: int) -> None:
    """The last player is disqualified in its last turn, and the match must still end (4.4)."""
    match = begun(seats, max_turns=1)
    for seat in range(seats - 1):
        match.receive(seat, CLEANUP)
    match.take_entries()
    match.disqualify(seats - 1, EXITED, "gone")
    told = Announced(match.take_entries())
    assert [message["type"] for message in told.public] == [
        "player-disqualified",
        "player-top-discard",
        "game-end",
    ]
    assert match.outcome == Outcome(EndReason.TURN_LIMIT, (1,) * (seats - 1) + (seats,))


def test_leaving_under_attack_with_two_players() -> None:
    state = Imposed({"seats": {"player1": {"hand": ["militia"]}}})
    match = Match(state.definition, seats=2, seed=1)
    shake_hands(match)
    match.receive(0, to_line({"type": "play-reply", "phase": "action", "card": "militia"}))
    assert match.due == (1,)
    assert match.requests == [1, 1]
    match.take_entries()
    match.disqualify(1, TIMEOUT, "")
    entries = match.take_entries()
    assert isinstance(entries[0], Disqualified)
    assert json.loads(entries[0].asked)["type"] == "attack-request"
    assert Announced(entries).public == [
        disqualified("player2", "timeout"),
        ended([0, 3], ["player1"], "last-player-standing"),
    ]


@given(st.data(), st.integers(2, 4))
@settings(max_examples=12)
def test_a_disqualification_at_any_time(data: st.DataObject, seats: int) -> None:
    match = begun(seats, max_turns=6)
    alive = list(range(seats))
    while match.due:
        (seat,) = match.due
        assert seat in alive
        if data.draw(st.integers(0, 5)) == 0:
            match.disqualify(seat, EXITED, "")
            alive.remove(seat)
        else:
            match.receive(seat, CLEANUP)
    assert match.outcome is not None
    assert set(match.outcome.winners) <= set(alive)
    assert sorted(match.disqualified) == [seat for seat in range(seats) if seat not in alive]
    alone = len(alive) == 1
    assert match.outcome.reason == ("last-player-standing" if alone else "turn-limit")
    told = Announced(match.take_entries())
    left = [m["player_number"] for m in told.public if m["type"] == "player-disqualified"]
    assert sorted(left) == [seat_id(seat) for seat in sorted(match.disqualified)]
    assert [message["type"] for message in told.public].count("game-end") == 1
    assert told.public[-1]["type"] == "game-end"


# --- requests, replies, faults ----------------------------------------------------------------


def test_requests_go_to_one_bot_and_the_rest_to_all() -> None:
    entries = play_out(new_match(3, max_turns=4), lambda number, request: CLEANUP)
    for entry in entries:
        if isinstance(entry, Sent):
            kind = json.loads(entry.line)["type"]
            requests = ("player-name-request", "play-turn", "attack-request")
            assert (entry.to is None) == (kind not in requests)


def test_lines_are_compact_and_ended() -> None:
    match = Match(RULES, seats=2, seed=3)
    match.start()
    for seat in range(2):
        match.receive(seat, name_line(seat))
    for entry in match.take_entries():
        if isinstance(entry, Sent):
            value = json.loads(entry.line)
            assert entry.line == to_line(value) + b"\n"
            assert next(iter(value)) == "type"


def test_the_nth_line_answers_the_nth_request() -> None:
    match = new_match(3, seed=9, max_turns=5)
    match.start()
    sent: list[list[bytes]] = [[], [], []]
    written: list[list[bytes]] = [[], [], []]
    waiting: dict[int, int] = {}
    while match.due:
        for entry in match.take_entries():
            if isinstance(entry, Sent) and entry.to is not None:
                sent[entry.to].append(entry.line)
                waiting[entry.to] = len(sent[entry.to])
        assert sorted(waiting) == list(match.due)
        for seat in match.due:
            assert waiting.pop(seat) == len(written[seat]) + 1
            line = CLEANUP + b" " * len(written[seat]) if written[seat] else name_line(seat)
            written[seat].append(line)
            match.receive(seat, line)
    assert [len(lines) for lines in sent] == [6, 6, 6] == [len(lines) for lines in written]
    assert match.requests == [5, 5, 5]


def test_received_lines_are_noted_as_they_came() -> None:
    match = begun()
    for line in (b"?", b"\xff\xfe", b'{"type":"play-reply","phase":"cleanup"}\r', b" {} "):
        (seat,) = match.due
        match.receive(seat, line)
        assert match.take_entries()[0] == Received(seat, line)


def test_a_fault_comes_between_its_line_and_what_follows_from_it() -> None:
    match = begun()
    match.receive(0, b"?")
    kinds = [type(entry) for entry in match.take_entries()]
    assert kinds == [Received, Fault, Sent, Sent]


def test_faults_are_counted_and_the_first_of_each_kept() -> None:
    match = Match(RULES, seats=2, seed=1)
    match.start()
    match.receive(0, b"?")
    match.receive(1, name_line(1))
    for line in (b"one", b"null", b"[]", to_line({"type": "play-reply"}), b"{}", b"{}", b"\x00"):
        match.receive(match.due[0], line)
    assert match.faults == [
        Counter({"bad-name-reply": 1, "invalid-json": 3, "wrong-type": 1}),
        Counter({"invalid-json": 1, "bad-phase": 1, "wrong-type": 1}),
    ]
    told = Announced(match.take_entries())
    first: dict[tuple[int, str], Fault] = {}
    for fault in told.faults:
        first.setdefault((fault.seat, fault.code), fault)
    assert match.first_faults.keys() == first.keys()
    assert all(match.first_faults[key] is fault for key, fault in first.items())
    assert len(first) == 6


def test_requests_are_counted_without_the_handshake() -> None:
    match = begun()
    assert match.requests == [1, 0]
    match.receive(0, to_line({"type": "play-reply", "phase": "buy"}))
    assert match.requests == [2, 0]
    match.receive(0, CLEANUP)
    assert match.requests == [2, 1]
    match.disqualify(1, EXITED, "")
    assert match.requests == [2, 1]


def test_entries_are_taken_once() -> None:
    match = begun()
    match.receive(0, CLEANUP)
    assert match.take_entries() != []
    assert match.take_entries() == []


# --- the end ----------------------------------------------------------------------------------


@pytest.mark.parametrize("max_turns", [1, 2, 7])
@pytest.mark.parametrize("seats", [2, 3, 4])
def test_the_turn_limit(seats: int, max_turns: int) -> None:
    match = new_match(seats, max_turns=max_turns)
    told = Announced(play_out(match, lambda number, request: CLEANUP))
    assert [standing.turns for standing in match.standings()] == [max_turns] * seats
    numbers = [seat_id(seat) for seat in range(seats)]
    assert told.public[-1] == ended([3] * seats, numbers, "turn-limit")
    assert match.requests == [max_turns] * seats
    assert match.outcome == Outcome("turn-limit", (1,) * seats)


def test_the_turn_limit_by_default() -> None:
    match = Match(RULES, seats=2, seed=1)
    play_out(match, lambda number, request: CLEANUP)
    assert [standing.turns for standing in match.standings()] == [500, 500]
    assert match.outcome == Outcome("turn-limit", (1, 1))


def test_the_end_of_a_game_that_was_played() -> None:
    match = new_match(seed=5)
    told = Announced(play_out(match, big_money))
    end = told.public[-1]
    assert end["type"] == "game-end"
    assert end["reason"] == "provinces-empty"
    standings = match.standings()
    assert end["scores"] == [standing.score for standing in standings]
    assert max(end["scores"]) > 20
    assert match.outcome is not None
    assert end["winners"] == [seat_id(seat) for seat in match.outcome.winners]
    assert told.faults == []
    assert match.faults == [Counter(), Counter()]
    provinces = sum(standing.facts.cards.get("province", 0) for standing in standings)
    assert provinces == 8


def big_money(number: str, request: dict[str, Any]) -> bytes:
    """Buy province, gold or silver. Only count the player's own treasures."""
    if not request["buys"]:
        return CLEANUP
    treasures = [card for card in request["hand"] if card in WORTH]
    money = sum(WORTH[card] for card in treasures)
    card = "province" if money >= 8 else "gold" if money >= 6 else "silver" if money >= 3 else ""
    return to_line(
        {
            "type": "play-reply",
            "phase": "buy",
            "played_treasures": treasures,
            "cards_to_buy": [card] if card else [],
        }
    )


def test_equal_seeds_and_lines_give_equal_entries() -> None:
    def entries(seed: int) -> list[Entry]:
        return play_out(new_match(3, seed=seed), big_money)

    assert entries(11) == entries(11)
    assert entries(11) != entries(12)


def test_standings_at_any_time() -> None:
    match = Match(RULES, seats=2, seed=1)
    facts = CardFacts({"copper": 7, "estate": 3})
    shake_hands(match)
    assert match.standings() == [SeatState(3, 1, facts), SeatState(3, 0, facts)]


@pytest.mark.parametrize("line", [b"\v", b"\f", b"\xc2\xa0", b" \f\r"])
def test_a_line_that_only_looks_blank_is_a_reply(line: bytes) -> None:
    """Such a line must cause a fault, both in the handshake and as a reply to `play-turn` (1.1)."""
    match, told = hands_shaken(line, name_line(1))
    assert told.codes() == [(0, "bad-name-reply", "3.2")]
    match.receive(0, line)
    assert Announced(match.take_entries()).codes() == [(0, "invalid-json", "5.5")]
    assert match.due == (1,)


# --- misuse -----------------------------------------------------------------------------------


@pytest.mark.parametrize("line", [b"", b" ", b"\t \r", b"{}\n{}"])
@pytest.mark.parametrize("match", [new_match, begun])
def test_a_blank_line_is_no_reply(match: Callable[..., Match], line: bytes) -> None:
    """The driver must skip blank lines (1.1). If they got into a record, it wouldn't be valid."""
    driven = match()
    if not driven.due:
        driven.start()
    with pytest.raises(ProtocolMisuseError, match="one line that is not blank"):
        driven.receive(0, line)
    assert driven.due[0] == 0


def test_nobody_is_due_before_the_start() -> None:
    match = Match(RULES, seats=2, seed=1)
    with pytest.raises(ProtocolMisuseError, match="seat 0 is not due"):
        match.receive(0, name_line(0))
    with pytest.raises(ProtocolMisuseError, match="seat 1 is not due"):
        match.disqualify(1, EXITED, "")


def test_a_match_starts_once() -> None:
    over = begun()
    over.disqualify(0, EXITED, "")
    over.take_entries()
    for match in (started(2), begun(), over):
        with pytest.raises(ProtocolMisuseError, match="the match was started already"):
            match.start()
        assert match.take_entries() == []


def test_a_handshake_ends_once() -> None:
    match = started(3)
    match.receive(1, name_line(1))
    with pytest.raises(ProtocolMisuseError):
        match.receive(1, name_line(1))
    with pytest.raises(ProtocolMisuseError):
        match.disqualify(1, EXITED, "")
    match.disqualify(2, EXITED, "")
    with pytest.raises(ProtocolMisuseError):
        match.receive(2, name_line(2))


def test_only_the_seat_that_is_due_can_answer_or_leave() -> None:
    match = begun(3)
    for seat in (1, 2):
        with pytest.raises(ProtocolMisuseError):
            match.receive(seat, CLEANUP)
        with pytest.raises(ProtocolMisuseError):
            match.disqualify(seat, EXITED, "")
    assert match.take_entries() == []
    assert match.disqualified == {}
    match.receive(0, CLEANUP)
    assert match.due == (1,)


def test_nobody_is_due_after_the_end() -> None:
    match = begun()
    match.disqualify(0, EXITED, "")
    for seat in (0, 1):
        with pytest.raises(ProtocolMisuseError):
            match.receive(seat, CLEANUP)
        with pytest.raises(ProtocolMisuseError):
            match.disqualify(seat, EXITED, "")


# --- with a scripted game ---------------------------------------------------------------------


class Question(Struct, frozen=True, tag_field="type", tag="question"):
    """A request without any fields."""


class Scripted:
    """A game that sends fixed requests, and then has a fixed outcome.

    Attributes:
        asked: the seats with a request, for each of the remaining rounds.
        replies: the replies that the game got in each round.
    """

    def __init__(
        self,
        *rounds: Sequence[int],
        outcome: Outcome | None = None,
        standings: Sequence[SeatState] = (),
    ) -> None:
        self.requests: Sequence[Request] = ()
        self.outcome: Outcome | None = None
        self.setup: GameSetup
        self.replies: list[Mapping[int, object]] = []
        self._rounds = list(rounds)
        self._outcome = outcome
        self._standings = standings

    def definition(self) -> GameDefinition:
        return msgspec.structs.replace(RULES, new=self.begin)

    def begin(self, setup: GameSetup) -> Scripted:
        self.setup = setup
        self._go_on()
        return self

    def advance(self, replies: Mapping[int, object]) -> None:
        self.replies.append(replies)
        self._go_on()

    @property
    def turns(self) -> int:
        return sum(standing.turns for standing in self._standings)

    def take_events(self) -> list[Struct]:
        return []

    def standings(self) -> Sequence[SeatState]:
        return self._standings

    def _go_on(self) -> None:
        seats = self._rounds.pop(0) if self._rounds else ()
        self.requests = [Request(seat, Question()) for seat in seats]
        if not seats:
            self.outcome = self._outcome


def scripted(*standings: SeatState, outcome: Outcome | None) -> Match:
    """Make a match of a game that is over as soon as it starts."""
    seats = len(standings)
    match = Match(Scripted(outcome=outcome, standings=standings).definition(), seats=seats, seed=1)
    match.start()
    for seat in range(seats):
        shake(match, seat, name_line(seat))
    return match


def standing(score: int = 0, turns: int = 0) -> SeatState:
    return SeatState(score, turns, CardFacts({}))


def test_a_game_that_stops_without_an_outcome_is_a_bug() -> None:
    with pytest.raises(ProtocolMisuseError, match="no outcome"):
        scripted(standing(), standing(), outcome=None)


def test_a_game_is_made_once_with_names_options_and_the_chance_of_the_seed() -> None:
    game = Scripted([0])
    made: list[GameSetup] = []

    def new(setup: GameSetup) -> Scripted:
        made.append(setup)
        return game.begin(setup)

    rules = msgspec.structs.replace(RULES, new=new)
    shake_hands(Match(rules, seats=2, seed=2**53 - 1, options=Options(9)))
    (setup,) = made
    assert setup.names == ("Ann", "Ben")
    assert setup.options == Options(9)
    assert setup.seed == 2**53 - 1
    seeded = SeededRandomSource(2**53 - 1)
    for _ in range(3):
        hands = [list("abcdefgh"), list("abcdefgh")]
        taken = [
            chance.take("referee", hand, 3)
            for chance, hand in zip((setup.chance, seeded), hands, strict=True)
        ]
        assert taken[0] == taken[1]


def test_a_game_has_the_chance_that_the_match_is_given() -> None:
    game = Scripted([0])
    chance = SeededRandomSource(2)
    shake_hands(Match(game.definition(), seats=2, seed=1, chance=chance))
    assert game.setup.chance is chance


def test_the_game_learns_of_seats_that_fail_the_handshake() -> None:
    game = Scripted([0], outcome=Outcome("over", (1, 2, 2)), standings=[standing()] * 3)
    match = Match(game.definition(), seats=3, seed=1)
    match.start()
    match.receive(0, name_line(0))
    match.disqualify(2, STARTUP, "")
    match.receive(1, name_line(1))
    assert game.setup.absent == {2}


def test_there_are_no_standings_before_the_names_are_known() -> None:
    match = started(2)
    match.receive(1, name_line(1))
    assert match.standings() == []
    match.receive(0, name_line(0))
    assert len(match.standings()) == 2


def test_the_end_is_told_as_the_game_says() -> None:
    match = scripted(
        standing(-3, 4),
        standing(9, 4),
        standing(9, 4),
        outcome=Outcome("provinces-empty", (3, 1, 1)),
    )
    told = Announced(match.take_entries())
    assert told.public[-1] == ended([-3, 9, 9], ["player2", "player3"], "provinces-empty")


# --- rounds with several requests -------------------------------------------------------------


@pytest.mark.parametrize("order", list(permutations(range(3))))
def test_the_order_of_answers_does_not_matter(order: Sequence[int]) -> None:
    """Replies are recorded in seat order, and the game gets all of them together."""
    game = Scripted([0, 1, 2], [1], standings=[standing()] * 3)
    match = Match(game.definition(), seats=3, seed=1)
    told = shake_hands(match)
    assert [number for number, _ in told.requests] == ["player1", "player2", "player3"]
    assert match.due == (0, 1, 2)
    entries = []
    for place, seat in enumerate(order):
        assert game.replies == []
        match.receive(seat, b'{"type":"none","of":%d}' % seat)
        assert match.due == tuple(sorted(order[place + 1 :])) or not order[place + 1 :]
        entries += match.take_entries()
    assert [entry.seat for entry in entries if isinstance(entry, Received)] == [0, 1, 2]
    ((replies),) = game.replies
    assert list(map(type, replies.values())) == [InvalidReply] * 3
    # The order must be deterministic, because a game may iterate over them.
    assert list(replies) == [0, 1, 2]
    assert match.due == (1,)
    assert match.requests == [1, 2, 1]


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_a_seat_that_leaves_in_a_round_leaves_at_its_end(order: Sequence[int]) -> None:
    """The disqualification is announced after the round, when the game gets all replies."""
    game = Scripted([0, 1], outcome=Outcome("over", (1, 2)), standings=[standing()] * 2)
    match = Match(game.definition(), seats=2, seed=1)
    shake_hands(match)
    entries: list[Entry] = []
    for seat in order:
        if seat == 1:
            match.disqualify(1, TIMEOUT, "too late")
        else:
            match.receive(0, CLEANUP)
        entries += match.take_entries()
    (replies,) = game.replies
    assert replies[1] is LEFT
    assert isinstance(replies[0], PlayReply)
    kinds = [type(entry).__name__ for entry in entries]
    assert kinds == ["Received", "Disqualified", "Sent", "Sent"]
    assert Announced(entries).public == [
        disqualified("player2", "timeout"),
        ended([0, 0], ["player1"], "over"),
    ]


def test_a_seat_answers_once_a_round() -> None:
    match = Match(Scripted([0, 1]).definition(), seats=2, seed=1)
    shake_hands(match)
    match.receive(1, CLEANUP)
    for again in (lambda: match.receive(1, CLEANUP), lambda: match.disqualify(1, EXITED, "")):
        with pytest.raises(ProtocolMisuseError, match="seat 1 is not due"):
            again()


# --- redeals ----------------------------------------------------------------------------------


def test_a_redeal_is_carried_out_before_the_first_request_of_its_turn() -> None:
    """Faults before it belong to the recorded match, except for those of the handshake (3.2)."""
    match = Match(RULES, seats=2, seed=5, redeals=[Redeal(2, 9)], copies=True)
    plain = Match(RULES, seats=2, seed=5)
    for each in (match, plain):
        each.start()
        each.receive(0, b"no name")
        each.receive(1, name_line(1))
    assert match.view(ALL) == plain.view(ALL)
    for each in (match, plain):
        each.receive(0, b"?")
        assert (each.turns, each.due) == (2, (1,))
    for viewer in (PUBLIC, 0, 1):
        assert match.view(viewer) == plain.view(viewer)
    assert match.view(ALL) != plain.view(ALL)
    assert match.copy().view(ALL) == match.view(ALL)
    assert len(match.history) == 2
    assert match.faults == [Counter({"bad-name-reply": 1}), Counter()]
    assert match.first_faults.keys() == {(0, "bad-name-reply")}
    assert plain.faults[0] == {"bad-name-reply": 1, "invalid-json": 1}
    assert plain.first_faults.keys() == {(0, "bad-name-reply"), (0, "invalid-json")}
    match.receive(1, b"?")
    assert match.faults[1] == {"invalid-json": 1}


def test_two_redeals_of_one_turn_give_the_deal_of_the_last() -> None:
    views = []
    for redeals in ([Redeal(1, 8), Redeal(1, 9)], [Redeal(1, 9)], [Redeal(1, 8)]):
        match = Match(RULES, seats=2, seed=5, redeals=redeals)
        shake_hands(match)
        views.append(match.view(ALL))
    assert views[0] == views[1] != views[2]


def test_after_the_end_nothing_is_dealt_again() -> None:
    """This game can't deal again, so trying to would be an error."""
    game = Scripted(outcome=Outcome("over", (1, 1)), standings=[standing(turns=1)] * 2)
    match = Match(game.definition(), seats=2, seed=5, redeals=[Redeal(1, 8)])
    shake_hands(match)
    assert match.outcome == Outcome("over", (1, 1))
    game = Scripted([0], standings=[standing(turns=1)] * 2)
    match = Match(game.definition(), seats=2, seed=5, redeals=[Redeal(1, 8)])
    with pytest.raises(UsageError, match="dominion cannot deal hidden cards again"):
        shake_hands(match)


# --- without lines, and copies ----------------------------------------------------------------


def without_lines(**options: Any) -> Match:
    match = Match(RULES, seats=2, seed=1, lines=False, **options)
    match.start()
    match.receive(1, name_line(1))
    match.receive(0, name_line(0))
    return match


def test_without_lines_only_the_readers_are_told() -> None:
    match = without_lines(readers=[1])
    told = [entry for entry in match.take_entries() if isinstance(entry, Sent)]
    assert {entry.line for entry in told} == {b""}
    assert [(entry.to, type(entry.message).__name__) for entry in told] == [
        (1, "PlayerNameRequest"),
        *[(None, "PlayerName")] * 2,
        (None, "GameInfo"),
        (None, "SupplyInfo"),
    ]
    match.take(0, PlayReply(phase="cleanup"))
    told = [entry for entry in match.take_entries() if isinstance(entry, Sent)]
    assert [(entry.to, type(entry.message)) for entry in told] == [
        (None, PlayerTopDiscard),
        (1, PlayTurn),
    ]


@pytest.mark.parametrize(
    ("options", "heard"),
    [
        ({}, []),
        ({"readers": [0], "heard": {PlayerTopDiscard}}, [PlayerTopDiscard] * 2),
        ({"readers": [0], "heard": {GameEnd}}, [GameEnd]),
    ],
)
def test_readers_hear_what_they_want(options: dict[str, Any], heard: list[type[Struct]]) -> None:
    match = without_lines(**options)
    for seat in (0, 1):
        match.take(seat, PlayReply(phase="cleanup"))
    match.disqualify(0, EXITED, "")
    told = [entry for entry in match.take_entries() if isinstance(entry, Sent)]
    assert [type(entry.message) for entry in told if entry.to is None] == heard


def test_a_struct_is_taken_from_a_due_seat_after_the_handshake() -> None:
    match = new_match()
    reply = PlayReply(phase="cleanup")
    for _ in range(2):
        with pytest.raises(ProtocolMisuseError, match="seat 0 is not due"):
            match.take(0, reply)
        if not match.due:
            match.start()
    match = begun()
    with pytest.raises(ProtocolMisuseError, match="seat 1 is not due"):
        match.take(1, reply)


def test_structs_of_one_round_wait_for_each_other() -> None:
    game = Scripted([0, 1], [0], standings=[standing()] * 2)
    match = Match(game.definition(), seats=2, seed=1)
    shake_hands(match)
    match.take(1, Question())
    assert (match.in_round, match.due, game.replies) == (True, (0,), [])
    match.take(0, Question())
    assert (match.in_round, game.replies) == (False, [{0: Question(), 1: Question()}])
    assert not any(isinstance(entry, Received) for entry in match.take_entries())


def test_what_cannot_be_copied() -> None:
    says = "only a match with `copies` can be copied, after its handshake"
    with pytest.raises(ProtocolMisuseError, match=says):
        begun().copy()
    match = Match(RULES, seats=2, seed=1, copies=True)
    match.start()
    with pytest.raises(ProtocolMisuseError, match=says):
        match.copy()
    for seat in (0, 1):
        match.receive(seat, name_line(seat))
    with pytest.raises(ProtocolMisuseError, match="the viewer has no request"):
        match.copy(1)
    game = Scripted([0, 1], standings=[standing()] * 2)
    match = Match(game.definition(), seats=2, seed=1, copies=True)
    shake_hands(match)
    match.take(0, Question())
    with pytest.raises(ProtocolMisuseError, match="or another seat has replied"):
        match.copy(1)


def test_a_copy_with_a_viewer_knows_no_faults() -> None:
    match = Match(RULES, seats=2, seed=1, copies=True)
    shake_hands(match)
    match.receive(0, b"?")
    exact, seen = match.copy(), match.copy(1, seed=4)
    assert exact.faults == [{"invalid-json": 1}, {}]
    assert exact.first_faults.keys() == {(0, "invalid-json")}
    assert seen.faults == [{}, {}]
    assert seen.first_faults == {}
    exact.receive(1, b"?")
    seen.receive(1, b"?")
    assert not any(isinstance(entry, Sent) for entry in exact.take_entries())
    assert match.faults == [{"invalid-json": 1}, {}]
    assert match.due == (1,)
    assert match.requests == [1, 1]


def test_a_copy_with_a_viewer_deals_the_hands_of_the_others_again() -> None:
    match = Match(RULES, seats=2, seed=1, copies=True)
    shake_hands(match)
    match.receive(0, CLEANUP)
    copies = [match.copy(1, seed=seed) for seed in range(9)]
    assert all(copy.view(1) == match.view(1) for copy in copies)
    assert len({msgspec.json.encode(copy.view(0)) for copy in copies}) > 1
    assert msgspec.json.encode(match.copy().view(ALL)) == msgspec.json.encode(match.view(ALL))


class Redealing(Scripted):
    """Can be dealt again, and not be copied. Each reply is a fault."""

    events: Sequence[Struct] = ()

    def advance(self, replies: Mapping[int, object]) -> None:
        super().advance(replies)
        self.events = [*self.events, Fault(min(replies), "odd", "5", "")]

    def take_events(self) -> list[Struct]:
        events, self.events = [*self.events], ()
        return events

    def redeal(self, seats: Sequence[int], chance: SeededRandomSource) -> None:
        (seat,) = seats
        self.replies.append({seat: chance.choose("redeal", 1000)})


def test_the_copy_of_a_game_that_cannot_be_copied_repeats_all_steps() -> None:
    rules = msgspec.structs.replace(
        RULES, new=lambda setup: Redealing([0], [1], [0], [0]).begin(setup)
    )
    match = Match(rules, seats=2, seed=1, copies=True)
    shake_hands(match)
    match.take(0, Question())
    redealt = match.copy(1, seed=7)
    redealt.take(1, Question())
    dealt = {1: SeededRandomSource(7).choose("redeal", 1000)}
    steps = [{0: Question()}, dealt, {1: Question()}]
    for each in [redealt.copy(), redealt.copy().copy(), redealt]:
        game: Any = each._game
        assert (game.replies, each.due) == (steps, (0,))
        assert each.faults == [{}, {"odd": 1}]
        each.take(0, Question())
        assert each.faults == [{"odd": 1}, {"odd": 1}]
    original: Any = match._game
    assert original.replies == steps[:1]


def test_a_history_can_be_repeated() -> None:
    """The redeal of a copy and a seat that left are steps of it too."""
    first = Match(RULES, seats=3, seed=1, copies=True)
    shake_hands(first)
    first.take(0, PlayReply(phase="cleanup"))
    first = first.copy(1, seed=6)
    first.disqualify(1, TIMEOUT, "")
    first = first.copy()
    first.take(2, PlayReply(phase="cleanup"))
    again = Match(RULES, seats=3, seed=1, copies=True)
    shake_hands(again)
    for step in first.history:
        again.repeat(step, again.due)
    assert again.view(ALL) == first.view(ALL)
    assert again.disqualified.keys() == {1}
    assert (again.disqualified[1].code, again.due) == (EXITED, (0,))
    assert again.history == first.history
    before = first.history
    later = first.copy()
    later.take(0, PlayReply(phase="cleanup"))
    later.copy()
    assert first.history == before  # the steps of a copy are its own
    assert later.history[: len(before)] == before
    last = Match(RULES, seats=3, seed=1, copies=True)
    shake_hands(last)
    last.repeat(first.history[0], [1, 2])
    assert last.due == (0,)


def test_in_the_handshake_there_is_no_game_yet() -> None:
    match = started(3)
    assert (match.turns, match.view(ALL), match.statistics()) == (0, None, [])
    assert match.notes() == [[], [], []]
    assert not any((match.can_redeal, match.in_round))
    match.receive(1, name_line(1))
    assert match.in_round
    for seat in (0, 2):
        match.receive(seat, name_line(seat))
    assert match.can_redeal


def test_cards_are_watched_only_at_a_table() -> None:
    moved: list[object] = []
    match = begun()
    match.watch(moved.append)
    match.receive(0, CLEANUP)
    assert moved
    match = Match(Scripted([0]).definition(), seats=2, seed=1)
    shake_hands(match)
    match.watch(moved.append)  # nothing to watch
    assert len(begun(3).statistics()) == len(begun(3).notes()) == 3


def test_seats_with_a_failed_or_wrong_handshake_are_known() -> None:
    match = started(3)
    match.disqualify(2, EXITED, "")
    match.receive(0, b"?")
    assert (match.failed_handshake, match.absent) == (set(), set())
    match.receive(1, name_line(1))
    assert (match.failed_handshake, match.absent) == ({0, 2}, {2})


def test_the_clock_of_a_request() -> None:
    game = Scripted([0, 1], [0], outcome=Outcome("over", (1, 2)), standings=[standing()] * 2)
    match = Match(game.definition(), seats=2, seed=1)
    match.start()
    for seat in (0, 1):
        match.receive(seat, name_line(seat))
    assert match.clocks == {}
    game.requests = [Request(0, Question(), clock="turn")]
    match._ask_or_end(game)
    assert match.clocks == {0: "turn"}
    game.requests = [Request(0, Question())]
    match._ask_or_end(game)
    assert match.clocks == {}


# --- results ----------------------------------------------------------------------------------


def test_ranks_are_those_of_the_outcome() -> None:
    outcome = Outcome("by the rules of another game", (2, 1, 3))
    match = scripted(standing(9, 5), standing(3, 5), standing(5, 5), outcome=outcome)
    seconds = [ReplySeconds(0.0, 0.0)] * 3
    results = player_results(RULES, match, ["a", "b", "c"], seconds, [0, 0, 0], [Diagnosis()] * 3)
    assert [result.rank for result in results] == [2, 1, 3]


def test_ranks_when_one_is_left_or_none() -> None:
    match, _ = hands_shaken(STARTUP, name_line(1), STARTUP)
    assert match.outcome == Outcome("last-player-standing", (2, 1, 2))
    match, _ = hands_shaken(STARTUP, STARTUP)
    assert match.outcome == Outcome("no-players", (1, 1))
    assert match.outcome.winners == ()


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        ([3, 4], (1, 2)),
        ([4, 3], (2, 1)),
        ([3, 3], (1, 1)),
        ([3, 3, 4], (1, 1, 3)),
        ([1, 2, 2, 4], (1, 2, 2, 4)),
        ([5, 3, 5, 3], (3, 1, 3, 1)),
    ],
)
def test_ranks_of_keys(keys: list[int], expected: tuple[int, ...]) -> None:
    assert ranks(keys) == expected


@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(1, 3), st.booleans()), min_size=2, max_size=4)
)
@settings(max_examples=25)
def test_ranks_count_those_who_did_better(seats: list[tuple[int, int, bool]]) -> None:
    """Points count first, then fewer turns (4.5). Everyone who left shares the last rank (8.3)."""
    away = [seat for seat, (_, _, leaves) in enumerate(seats) if leaves]
    there = [seat for seat in range(len(seats)) if seat not in away]
    cards = {
        seat_id(seat): {"hand": ["estate"] * points, "turns": turns}
        for seat, (points, turns, _) in enumerate(seats)
    }
    imposed = Imposed({"supply": {"province": 0}, "seats": cards})
    game = imposed.definition.new(new_setup(len(seats), absent=away))
    if len(there) > 1:
        # The reply below begins another turn of this player.
        seats[there[0]] = (seats[there[0]][0], seats[there[0]][1] + 1, False)
        answer(game, decode_reply(CLEANUP, reply_decoder(RULES.replies)))
    assert game.outcome is not None
    for seat, rank in enumerate(game.outcome.ranks):
        points, turns, _ = seats[seat]
        better = [o for o in there if (seats[o][0], -seats[o][1]) > (points, -turns)]
        assert rank == 1 + (len(there) if seat in away else len(better))


def test_faults_of_a_result_are_sorted() -> None:
    match = begun(max_turns=2)
    for line in (b"{}", CLEANUP, b"null", CLEANUP):
        match.receive(match.due[0], line)
    seconds = [ReplySeconds(0.0, 0.0)] * 2
    first, second = player_results(RULES, match, ["a", "b"], seconds, [0, 0], [Diagnosis()] * 2)
    assert list(first.faults.items()) == [("invalid-json", 1), ("wrong-type", 1)]
    assert second.faults == {}


def test_player_results() -> None:
    match = started(3, max_turns=1)
    match.receive(0, b"no name")
    match.receive(1, name_line(1))
    match.receive(2, name_line(2))
    match.receive(0, b"null")
    match.receive(1, to_line({"type": "play-reply"}))
    match.disqualify(2, TIMEOUT, "too late")
    seconds = [ReplySeconds(0.5, 0.25), ReplySeconds(0.0, 0.0), ReplySeconds(10.0, 10.0)]
    first, second, third = player_results(
        RULES, match, ["a", "b", "c"], seconds, [0, None, -9], [Diagnosis()] * 3
    )
    assert [result.player_number for result in (first, second, third)] == [
        "player1",
        "player2",
        "player3",
    ]
    assert (first.name, first.bot, first.rank, first.disqualified) == ("PLAYER1", "a", 1, None)
    assert first.faults == {"bad-name-reply": 1, "invalid-json": 1}
    assert (second.name, second.faults, second.exit_code) == ("Ben", {"bad-phase": 1}, None)
    assert (third.name, third.rank, third.disqualified) == ("Cid", 3, "timeout")
    assert (third.turns, third.requests, third.score, third.exit_code) == (1, 1, 3, -9)
    assert third.reply_seconds == seconds[2]
    assert third.cards == {"copper": 7, "estate": 3}
    assert pickle.loads(pickle.dumps(third)) == third
    players = [first, second, third]
    result = MatchResult("dominion", 1, 7, "turn-limit", 3, ["player1"], 1.5, players)
    shown = "<MatchResult: dominion, seed 7, turn-limit in turn 3; 'PLAYER1' 3 won, 'Ben' 3"
    assert repr(result) == f"{shown}, 'Cid' 3>"
    assert result._repr_html_() is None
    result.show_by(str.upper)
    assert result._repr_html_() == repr(result).upper()
    encoded = json.loads(msgspec.json.encode(result))
    assert [player["rank"] for player in encoded["players"]] == [1, 1, 3]
    assert encoded["players"][1]["exit_code"] is None
    assert seat_of(encoded["winners"][0]) == 0
