"""Test `play --resume`, and printing what a bot was sent."""

from __future__ import annotations

import json
from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import trio
from msgspec import UNSET
from msgspec.structs import replace

from referee.errors import LogReadError, UsageError
from referee.games.interface.faults import Disqualification
from referee.logs.conversation import RecordedAnswers, answers_before, input_of
from referee.logs.entries import read_record
from referee.logs.record import DisqualifiedEntry, RecordWriter
from referee.logs.sink import MemorySink
from referee.match.machine import Redeal
from referee.match.spec import match_spec
from tests.support.live import ROOT, entries, hostile, play, referee, without_times
from tests.support.marks import slow

RECORD = str(ROOT / "spec" / "examples" / "two-players.record.jsonl")
LOST = str(ROOT / "tests" / "golden" / "faults.record.jsonl")


def go_on(folder: Path, turn: int, *words: str) -> list[dict[str, Any]]:
    """Resume the match at this turn. Return the new record without times."""
    record = folder / "again.record.jsonl"
    done = referee("play", "--resume", RECORD, "--turn", str(turn), "--record", str(record), *words)
    assert done.returncode == 0, done.stderr
    return without_times(record)


@pytest.mark.parametrize("turn", [slow(1), slow(2), 30])
def test_the_same_bots_play_the_same_match(tmp_path: Path, turn: int) -> None:
    """Header and digest differ once a version has new options."""
    (_, *lines, end), (_, *before, old_end) = go_on(tmp_path, turn), without_times(Path(RECORD))
    assert lines == before
    assert end | {"digest": ""} == old_end | {"digest": ""}


def test_another_bot_goes_on_where_the_match_was(tmp_path: Path) -> None:
    """Only the name may differ in turns 1 to 17. After that, the other bot makes the decisions."""
    again = go_on(tmp_path, 18, "big_money", "minimal")
    before = without_times(Path(RECORD))
    (changed,) = {e["name"] for e in (e.get("message", {}) for e in again) if "name" in e} - {
        "Big Money"
    }
    assert changed == "Minimal"
    types = [entry.get("message", {}).get("type") for entry in before]
    end = [place for place, kind in enumerate(types) if kind == "player-played"][16]
    kinds = ("player-played", "player-bought", "play-turn", "attack-request")

    def played(lines: list[dict[str, Any]]) -> list[Any]:
        return [e["message"] for e in lines if e.get("message", {}).get("type") in kinds]

    same = played(before[: end + 1])
    assert same == played(again)[: len(same)]
    assert played(before) != played(again)
    assert referee("verify", str(tmp_path / "again.record.jsonl")).returncode == 0


def test_a_bot_that_fails_meanwhile_is_lost(tmp_path: Path) -> None:
    done = referee(
        "play", "--resume", RECORD, "--turn", "30", "big_money", hostile("exit_at", 3), "--format",
        "json",
    )  # fmt: skip
    assert done.returncode == 1
    assert json.loads(done.stdout)["players"][1]["disqualified"] == "exited"


def test_who_was_lost_before_stays_lost(tmp_path: Path) -> None:
    """A bot left in the recorded match. It stays disqualified when we resume the last turn."""
    record = tmp_path / "lost.record.jsonl"
    bots = ["minimal", "minimal", hostile("exit_at", 1)]
    trio.run(partial(play, tmp_path, *bots, patient=[0, 1], max_turns=4))
    (tmp_path / "record").rename(record)
    again = tmp_path / "again.record.jsonl"
    words = ["--resume", str(record), "--turn", "5", "--record", str(again)]
    assert referee("play", *words, *["big_money.json"] * 3, "-q").returncode == 1
    found = [e for e in entries(again) if e["entry"] == "disqualified"]
    assert [(e["player_number"], e["code"]) for e in found] == [("player3", "exited")]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--resume", RECORD], "the match is over; --turn N says"),
        (["--turn", "3", "big_money", "minimal"], "--turn goes with --resume FILE"),
        (["--resume", RECORD, "--turn", "999"], "turn 999 does not exist, the match has 3"),
        (["--resume", RECORD, "--turn", "3", "minimal"], "has 2 bots"),
        (["--resume", RECORD, "--turn", "3", "--game", "dominion"], "leave out the option"),
        (["--resume", __file__, "--turn", "3"], "not a match record"),
        (["--resume", "nosuch", "--turn", "3"], "cannot read nosuch"),
    ],
)
def test_what_cannot_be_gone_on_with(words: list[str], says: str) -> None:
    done = referee("play", *words)
    assert (done.returncode, done.stdout) == (2, "")
    assert says in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_record_that_does_not_follow_is_no_start(tmp_path: Path) -> None:
    lines = Path(RECORD).read_bytes().splitlines(keepends=True)
    (first, *_) = [n for n, line in enumerate(lines) if b'"phase' in line and b'"received"' in line]
    lines.insert(first, lines[first].replace(b'"player1"', b'"player2"', 1))
    edited = tmp_path / "edited"
    edited.write_bytes(b"".join(lines))
    with pytest.raises(LogReadError, match="does not follow"):
        answers_before(str(edited), 5)


# --- positions ----------------------------------------------------------------------------------


def recorded(left: Iterable[int] = (), can_redeal: bool = True) -> RecordedAnswers:
    header = replace(
        next(read_record(RECORD)),
        redeals=[Redeal(3, 1), Redeal(5, 2)],
        limits_of_bots=[{"memory_limit": None, "time_limit": None}, {"memory_limit": 9}],
    )
    gone = DisqualifiedEntry("player2", "exited", "", 1)
    return RecordedAnswers(header, [[None, b"a"], [None, gone]], frozenset(left), can_redeal)


@pytest.mark.parametrize(("turn", "redeals"), [(3, 0), (4, 1), (5, 1), (6, 2)])
def test_a_position_has_the_redeals_before_its_turn(turn: int, redeals: int) -> None:
    position = recorded().position("file", turn)
    assert position.redeals == (Redeal(3, 1), Redeal(5, 2))[:redeals]
    assert position.answers == ((None, b"a"), (None,))


@pytest.mark.parametrize(
    ("left", "can_redeal", "turn", "says"),
    [
        ([1, 0], True, 4, "file: player1 left the match before turn 4; give an earlier turn"),
        ([1], False, 1, "file: player2 left the match before turn 1; no turn can be played again"),
        ([], False, 4, "dominion cannot deal hidden cards again"),
    ],
)
def test_what_is_no_position(left: list[int], can_redeal: bool, turn: int, says: str) -> None:
    with pytest.raises(UsageError, match=says):
        recorded(left, can_redeal).position("file", turn)


def test_a_record_lifts_no_limit_of_the_sandbox() -> None:
    assert recorded().limits_of_bots == [{"time_limit": None}, {"memory_limit": 9}]
    header = replace(recorded().header, limits_of_bots=UNSET)
    assert recorded()._replace(header=header).limits_of_bots == [{}, {}]


def test_turns_begin_at_1_and_end_with_the_match() -> None:
    """Before turn 1 there are only the handshakes, which new bots answer themselves."""
    assert answers_before(RECORD, 1).answers == [[None], [None]]
    last = entries(Path(RECORD))[-1]
    turns = sum(player["turns"] for player in last["players"])
    assert len(answers_before(RECORD, turns).answers[0]) > turns / 2
    with pytest.raises(UsageError, match=f"turn {turns + 1} does not exist"):
        answers_before(RECORD, turns + 1)


@pytest.mark.parametrize("version", [1, 2])
def test_who_left_in_the_handshake_stays_away(version: int, tmp_path: Path) -> None:
    """A bot that left without a reply isn't asked again, nor is one whose reply made it leave."""
    spec, sink = match_spec(["a", "b", "c", "d"], seed=1), MemorySink()
    writer, match = RecordWriter(sink, spec, "2026-01-01"), spec.new_match()
    reply = b'{"type":"player-name-reply","player_number":"player%d","name":"A","version":%d}'
    match.start()
    match.receive(0, reply % (1, 1))
    match.receive(1, reply % (2, version))
    match.disqualify(2, Disqualification.STARTUP_TIMEOUT, "late")
    match.receive(3, reply % (4, 1))
    writer.write(match.take_entries(), 0.5)
    (tmp_path / "record").write_bytes(sink.data)
    found = answers_before(str(tmp_path / "record"), None)
    assert found.answers[0] == [None]
    assert found.answers[1] == ([None] if version == 1 else [reply % (2, 2)])
    assert found.answers[2] == [DisqualifiedEntry("player3", "startup-timeout", "late", 0.5)]
    assert found.left == ({2} if version == 1 else {1, 2})


# --- what a bot was sent --------------------------------------------------------------------------


@pytest.mark.parametrize("player", ["player1", "player2"])
def test_a_bot_that_is_fed_its_input_answers_as_it_did(player: str) -> None:
    sent = referee("replay", RECORD, "--print-input", player)
    assert sent.returncode == 0
    assert [json.loads(line) for line in sent.stdout.splitlines()] == [
        entry["message"]
        for entry in entries(Path(RECORD))
        if entry["entry"] == "sent" and entry["to"] in ("all", player)
    ]


def test_the_input_ends_where_a_bot_was_lost() -> None:
    lines = entries(Path(LOST))
    lost = {e["player_number"]: n for n, e in enumerate(lines) if e["entry"] == "disqualified"}
    for player in ("player1", "player2", "player3", "player4"):
        end = lost.get(player, len(lines))
        sent = [e for e in lines[:end] if e["entry"] == "sent" and e["to"] in ("all", player)]
        assert [json.loads(line) for line in input_of(LOST, player)] == [e["message"] for e in sent]
    assert lost


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        ([RECORD, "--print-input", "player3"], 2, "there are: player1 player2"),
        ([RECORD, "--print-input", "3"], 2, "'player3' does not exist; there are: player1 player2"),
        ([RECORD, "--print-input", "player1", "--summary"], 2, "no other option"),
        ([RECORD, "--print-input", "player1", "--follow"], 2, "no other option"),
        ([__file__, "--print-input", "player1"], 1, "not a match record"),
    ],
)
def test_what_has_no_input(words: list[str], code: int, says: str) -> None:
    done = referee("replay", *words)
    assert (done.returncode, done.stdout) == (code, "")
    assert says in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_player_is_needed() -> None:
    with pytest.raises(UsageError):
        list(input_of(RECORD, "all"))
