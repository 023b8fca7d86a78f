"""Which recorded answers a match accepts when it's run again (spec/log-format.md, 2.3 and 2.5)."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace

from referee.errors import LogReadError
from referee.games import GAMES
from referee.games.dominion.rules.messages import PlayTurn
from referee.logs.conversation import answers_before
from referee.logs.decisions import decisions
from referee.logs.record import (
    DisqualifiedEntry,
    ExitEntry,
    ReceivedEntry,
    line_received,
)
from referee.logs.rerun import Rerun, answer_in, played, rerun_of, rounds
from referee.logs.verify import Kind, verify_record
from referee.match.machine import Match
from referee.match.spec import match_spec
from referee.rulefiles.bot import read_rule_file
from referee.web.recorded import read_match
from tests.support.damage import with_digest
from tests.support.helpers import name_line
from tests.support.live import ROOT

RECORD = (ROOT / "spec" / "examples" / "two-players.record.jsonl").read_bytes()


def new_match(*, begun: bool) -> Match:
    match = match_spec(["a", "b"], seed=1).new_match()
    match.start()
    for seat in (0, 1) if begun else ():
        match.receive(seat, name_line(seat))
    return match


@pytest.mark.parametrize(
    ("seat", "line", "accepted"),
    [
        (0, b"x" * 10, True),
        (0, b"x" * 11, False),
        (1, b"x" * 20, True),
        (1, b"x" * 21, False),
        (0, b"", False),
        (0, b" \t\r", False),
        (0, b"x\ny", False),
        (0, b"x\r", True),
    ],
)
def test_a_reply_is_a_line_that_fits_and_is_not_blank(
    seat: int, line: bytes, accepted: bool
) -> None:
    match = new_match(begun=False)
    if seat == 1:
        match.receive(0, name_line(0))
    entry = ReceivedEntry(f"player{seat + 1}", 0, base64=base64.b64encode(line).decode())
    assert answer_in(entry, match, [10, 20]) == (line if accepted else None)


@pytest.mark.parametrize(
    ("code", "in_handshake", "in_game"),
    [
        ("failed-to-start", True, False),
        ("startup-timeout", True, False),
        ("timeout", False, True),
        ("exited", True, True),
        ("time-bank", True, True),
        ("unsupported-version", False, False),  # the rules see this in the reply
        ("bad-format", False, False),
    ],
)
def test_a_disqualification_takes_the_place_of_a_reply(
    code: str, in_handshake: bool, in_game: bool
) -> None:
    for begun, accepted in ((False, in_handshake), (True, in_game)):
        match = new_match(begun=begun)
        entry = DisqualifiedEntry(f"player{match.due[0] + 1}", code, "", 0)
        assert answer_in(entry, match, [99, 99]) == (entry if accepted else None)


def test_only_the_first_seat_that_is_due_answers() -> None:
    match = new_match(begun=False)
    assert answer_in(ReceivedEntry("player2", 0, "x"), match, [9, 9]) is None
    assert answer_in(ExitEntry("player1", 0, 0), match, [9, 9]) is None
    assert answer_in(None, match, [9, 9]) is None
    for seat in (0, 1):
        match.receive(seat, b'{"type":"player-name-reply","version":2}')
    assert match.due == ()
    assert answer_in(ReceivedEntry("player1", 0, "x"), match, [9, 9]) is None


@pytest.mark.parametrize(
    ("entry", "line"),
    [
        (ReceivedEntry("player1", 0, "é"), b"\xc3\xa9"),
        (ReceivedEntry("player1", 0, base64="/w=="), b"\xff"),
        (ReceivedEntry("player1", 0, "a", "YQ=="), b""),
        (ReceivedEntry("player1", 0), b""),
        (ReceivedEntry("player1", 0, base64="/w="), b""),
        (ReceivedEntry("player1", 0, base64="/!w=="), b""),
    ],
)
def test_an_entry_has_a_line_or_base64(entry: ReceivedEntry, line: bytes) -> None:
    assert line_received(entry) == line


def test_a_round_has_the_replies_of_all_seats_that_are_due() -> None:
    match = match_spec(["a", "b"], game="botwars", seed=1, options={"max_turns": 2}).new_match()
    moves = b'{"type":"move-reply","moves":[]}'
    answers = [(0, name_line(0), 0.1), (1, name_line(1), 0.2)]
    answers += [(0, moves, 0.3), (1, moves, 0.4), (0, moves, 0.5), (1, moves, 0.6)]
    assert [seconds for _, seconds in rounds(match, played(match, answers))] == [0.0, 0.2, 0.4, 0.6]


def rerun(folder: Path, lines: list[bytes]) -> Rerun:
    (folder / "record").write_bytes(b"".join(lines))
    run = rerun_of(str(folder / "record"))
    for _ in run.rounds():
        assert not run.digest
    return run


def test_a_record_is_whole_with_its_end_entry(tmp_path: Path) -> None:
    lines = RECORD.splitlines(keepends=True)
    run = rerun(tmp_path, lines)
    assert (run.whole, run.digest.encode() in lines[-1]) == (True, True)
    for cut in (lines[:-1], [*lines[:-1], lines[-1][:-1]], lines[: len(lines) // 2]):
        run = rerun(tmp_path, cut)
        assert (run.whole, run.digest) == (False, "")
    edited = [lines[0].replace(b'"time_limit":10.0', b'"time_limit":11.0'), *lines[1:]]
    assert rerun(tmp_path, edited).digest == ""
    assert rerun(tmp_path, with_digest(edited)).digest


@pytest.mark.parametrize("older", [1, 2])
@pytest.mark.parametrize("is_in_table", [True, False])
def test_a_record_without_a_newer_field_is_accepted_by_all_readers(
    older: int, is_in_table: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its messages don't have one or two fields yet that all later versions write."""
    known = GAMES["dominion"].added_fields.get(PlayTurn, ())
    fields = (*known, "cards_gained", "cards_bought")
    gone = "|".join(f',"{field}":(\\[[^]]*]|[^],}}]+)' for field in fields[: len(known) + older])
    lines = [re.sub(gone.encode(), b"", line) for line in RECORD.splitlines(keepends=True)]
    assert b"".join(lines) != RECORD
    file = tmp_path / "older"
    file.write_bytes(b"".join(with_digest(lines)))
    rules = read_rule_file(ROOT / "example_bots" / "dominion" / "big_money.json", "dominion")
    readers: dict[str, Callable[[], object]] = {
        "verify": lambda: verify_record(str(file)).kind == Kind.VALID,
        "page": lambda: not read_match(str(file)).header.problem,
        "digest": lambda: rerun(tmp_path, file.read_bytes().splitlines(keepends=True)).digest,
        "resume": lambda: answers_before(str(file), 3).answers,
        "decisions": lambda: list(decisions(str(file), rules, 3)),
    }
    if is_in_table:
        definition = replace(GAMES["dominion"], added_fields={PlayTurn: fields})
        monkeypatch.setitem(GAMES, "dominion", definition)
    assert {name for name, reads in readers.items() if accepted(reads)} == (
        set(readers) if is_in_table else set()
    )


def accepted(read: Callable[[], object]) -> bool:
    try:
        return bool(read())
    except LogReadError:
        return False


def test_lines_that_cannot_follow_are_errors(tmp_path: Path) -> None:
    lines = RECORD.splitlines(keepends=True)
    sent = [number for number, line in enumerate(lines) if line.startswith(b'{"entry":"sent"')]
    at = sent[20]
    last = next(i for i in sent[9:] if lines[i + 1].startswith(b'{"entry":"received"'))
    changed = [*lines]
    changed[at] = lines[at].replace(b'"type":"', b'"type":"x', 1)
    for wrong, line in (
        ([*lines, lines[-1]], len(lines) + 1),
        ([*lines, lines[20]], len(lines) + 1),
        ([*lines[:at], lines[at], *lines[at:]], at + 2),
        ([*lines[: last + 1], *lines[last:]], last + 2),
        (changed, at + 1),
    ):
        with pytest.raises(LogReadError, match=f"line {line}: does not follow"):
            rerun(tmp_path, wrong)
