"""Matches compared: whatever a referee sends, it is judged, and the mistake is in the report."""

from __future__ import annotations

import json
import shlex
import sys
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import pytest
from helpers import TIMES
from in_process import CASES, CATALOGUE, MATCHES, PAGE, RULES, another_package, play
from msgspec import structs

from referee.conformance.referee_side import Template
from referee.conformance.referee_side.comparing import Compared, Finding, compare
from referee.conformance.referee_side.playing import run_probe_match
from referee.conformance.referee_side.recording import RecordedMatch, Seat
from referee.conformance.referee_side.surroundings import check_processes
from referee.conformance.referee_side.verdicts import results
from referee.conformance.verdict import Result, Status, Violation
from referee.seam.probing import Deed, Mismatch, Plan, ProbeMatch, ProbeStep

BY_ID = {match.id: match for match in MATCHES}
JUNK: list[Any] = [
    *(None, True, 0, -1, 1.5, 10**30, "", "copper", "player3", "player9"),
    *([], {}, [[]], [{}], ["copper", 7], {"a": 1}),
]
KINDS = [
    *("play-turn", "attack-request", "player-gained", "game-end", "player-disqualified"),
    *("supply-info", "player-name", "player-shuffled", "player-name-request", "weather"),
]
LINES = [b"", b"[]", b"{", b"\xff", b"7", b'{"type":[]}', b"[" * 100_000]
RIGHT = another_package()


def right(*names: str) -> list[RecordedMatch]:
    return [play(RIGHT, BY_ID[name], 1) for name in names]


def copied(match: RecordedMatch) -> RecordedMatch:
    """One of which other lines can be received."""
    seats = [structs.replace(seat, received=[*seat.received]) for seat in match.seats]
    return structs.replace(match, seats=seats)


def spoilt(chance: Random, right: RecordedMatch) -> RecordedMatch:
    """A match with one message that was another one, for one seat or for all."""
    wrong = copied(right)
    seat = chance.choice([seat for seat in wrong.seats if seat.received])
    line = chance.choice(seat.received).text
    message = json.loads(line)
    field = chance.choice(list(message))
    match chance.randrange(6):
        case 0:
            message[field] = chance.choice(JUNK)
        case 1:
            if isinstance(message[field], list) and message[field]:
                message[field][0] = chance.choice(JUNK)
        case 2:
            del message[field]
        case 3:
            message = {
                "type": chance.choice(KINDS),
                "player_number": chance.choice(JUNK),
                "hand": chance.choice(JUNK),
            }
        case _:
            message = None
    new = chance.choice(LINES) if message is None else json.dumps(message).encode()
    for each in [seat] if chance.random() < 0.5 else wrong.seats:
        texts = [read.text for read in each.received]
        if line in texts:
            place = texts.index(line)
            if chance.random() < 0.1:
                del each.received[place:]
            else:
                each.received[place] = CATALOGUE.read(new)
    return wrong


@pytest.mark.untraced
def test_whatever_is_sent_is_judged() -> None:
    matches = right("names-3", "exit-3", "militia-3", "remodel", "leave-attacked")
    for match in matches:
        compared = compare(match, CATALOGUE, BY_ID[match.id])
        assert compared.findings == []
        assert compared.stopped == ""
    known = {case.id for case in CASES}
    broken = Counter[str]()
    for seed in range(80 * TIMES):
        chance = Random(seed)
        match = spoilt(chance, chance.choice(matches))
        compared = compare(match, CATALOGUE, BY_ID[match.id])
        for finding in compared.findings:
            assert finding.case in known or finding.case.endswith("/departs")
            broken[finding.case] += 1
        if compared.stopped:
            assert compared.findings  # nothing disappears
    assert {"1.1/1", "1.1/2", "1.7/1", "2.1/1"} <= set(broken)


@pytest.mark.parametrize("number", [None, 7, "player9", ["player1"], "player3"])
def test_whoever_is_said_to_have_left_at_the_start(number: object) -> None:
    [match] = right("names-3")
    left = {"type": "player-disqualified", "player_number": number, "reason": "exited"}
    for after in range(1, len(match.seats[0].received)):
        wrong = copied(match)
        for seat in wrong.seats:
            if after < len(seat.received):
                seat.received[after] = CATALOGUE.read(json.dumps(left).encode())
        assert compare(wrong, CATALOGUE, BY_ID["names-3"]).findings


def test_a_probe_that_makes_nothing_of_what_is_right_is_our_mistake() -> None:
    [match] = right("pass")
    seat = match.seats[0]
    del seat.replies[1:]
    seat.gave_up, seat.left = "KeyError 'buys'", Deed(then="exit")
    with pytest.raises(AssertionError, match="made nothing of what is right"):
        compare(match, CATALOGUE, BY_ID["pass"])


# --- which case it is -------------------------------------------------------------------------


def follower() -> Any:
    return RULES.probes().follower([[], []], [])


TURN = {
    "type": "play-turn",
    "actions": 1,
    "buys": 1,
    "extra_money": 0,
    "hand": ["copper"],
    "cards_played": [],
    "cards_bought": [],
    "cards_gained": [],
}
ATTACK = {"type": "attack-request", "discard": 1, "options": ["copper"] * 4}
END = {"type": "game-end", "scores": [3, 6], "winners": ["player2"], "reason": "piles-empty"}
TOP = {"type": "player-top-discard", "player_number": "player1", "card": "copper"}
SHUFFLED = {"type": "player-shuffled", "player_number": "player1"}
TRASHED = {"type": "player-trashed", "player_number": "player1", "trashed": ["copper"]}
GAINED = {"type": "player-gained", "player_number": "player1", "gained": "copper"}


@pytest.mark.parametrize(
    ("mismatch", "case"),
    [
        (Mismatch("missing", GAINED, None), "2.5/1"),
        (Mismatch("extra", None, TOP), "2.8/2"),
        (Mismatch("content", TOP, TOP, "card"), "5.1/2"),
        (Mismatch("missing", SHUFFLED, None), "2.10/1"),
        (Mismatch("extra", None, SHUFFLED), "2.10/2"),
        (Mismatch("content", TURN, TURN, "buys"), "4.4/1"),
        (Mismatch("content", TURN, TURN, "hand:order"), "2.11/1"),
        (Mismatch("content", TURN, {**TURN, "hand": []}, "hand"), "5.1/4"),
        (Mismatch("content", TURN, {**TURN, "hand": ["gold"]}, "hand"), "4.1/1"),
        (Mismatch("extra", TURN, TURN), "4.1/2"),
        (Mismatch("extra", ATTACK, TURN), "7.1/1"),
        (Mismatch("content", ATTACK, ATTACK, "discard"), "7.1/3"),
        (Mismatch("missing", END, TURN), "!4.4/3"),
        (Mismatch("missing", TURN, {**END, "reason": "provinces-empty"}), "!4.4/2"),
        (Mismatch("content", END, END, "scores"), "!4.3/3"),
        (Mismatch("order", TRASHED, GAINED), "2.15/2"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_the_table_of_what_messages_are_about(mismatch: Mismatch, case: str) -> None:
    due = (TRASHED, GAINED, TURN) if mismatch.kind == "order" else (TURN,)
    assert follower().case_of(mismatch, ProbeStep(0, TURN, b"{}", due))[0] == case


def finding(case: str, kind: str = "missing", *, shape: bool = False) -> Finding:
    violation = Violation("departure", "", "this", "that")
    return Finding(case, (kind, "play-turn", "hand"), violation, shape=shape)


def found(*every: Compared) -> dict[str, Result]:
    template = Template("r {player1} {player2}", 4)
    judged = results(CASES, CASES, template, RULES.probes(), every, PAGE, 1.0)
    return {result.id: result for result in judged}


def failing(*every: Compared) -> set[str]:
    return {id for id, result in found(*every).items() if result.status == Status.FAILED}


def match(id: str, *about: str, **fields: Any) -> ProbeMatch:
    return ProbeMatch(id, about, (Plan(), Plan()), **fields)


def compared(match: ProbeMatch, held: Counter[str], findings: list[Finding]) -> Compared:
    return Compared(match, RecordedMatch(match.id, 1, [Seat(), Seat()]), held, findings)


def test_what_the_control_has_as_well_is_not_counted_twice() -> None:
    basic = compared(match("pass", basic=True), Counter(), [finding("5.1/4")])
    control = compared(match("cellar"), Counter(), [finding("6.1/1", "content")])
    other = compared(match("smithy"), Counter(), [finding("6.7/1")])
    faults = compared(match("faults", control="cellar"), Counter(), [finding("6.1/2", "content")])
    assert failing(basic, control, other, faults) == {"5.1/4", "6.1/1"}
    assert failing(control, other, faults) == {"6.1/1", "6.7/1"}
    assert failing(faults) == {"6.1/2"}


def test_the_rule_that_cases_share_is_broken_if_three_are_alike() -> None:
    two = [compared(match(f"{n}"), Counter(), [finding(f"6.{n}/1")]) for n in (2, 7)]
    third = compared(match("8"), Counter(), [finding("6.8/1")])
    assert failing(*two) == {"6.2/1", "6.7/1"}
    assert failing(*two, third) == {"5.3/1"}
    again = found(*two, third)["5.3/1"].again
    assert sorted(again) == sorted(
        ["--seed", "1", *("--match", "2", "--match", "7", "--match", "8")]
    )


def test_what_cannot_be_known_while_another_case_is_broken_is_not_judged() -> None:
    both = compared(match("smithy"), Counter({"5.1/2": 3}), [finding("5.1/2"), finding("2.11/1")])
    assert failing(both) == {"2.11/1"}
    assert found(both)["5.1/2"].status == Status.NOT_JUDGED
    assert found(both)["5.1/2"].because == ["2.11/1"]


def test_what_a_mixed_match_shows_counts_only_alone() -> None:
    mixed = compared(match("all", mixed=True), Counter(), [finding("6.2/1")])
    other = compared(match("smithy"), Counter(), [finding("6.7/1", "extra")])
    assert failing(mixed) == {"6.2/1"}
    assert failing(mixed, other) == {"6.7/1"}


def test_what_belongs_to_no_case_is_reported_all_the_same_with_the_rule() -> None:
    result = found(compared(match("smithy"), Counter(), [finding("2.8/departs")]))["2.8/departs"]
    assert result.status == Status.FAILED
    (violation,) = result.violations
    assert violation.rule
    assert violation.rule in " ".join(PAGE.sections["2.8"].text.replace("*", "").split())


def test_a_case_that_needs_more_seats_fails_all_the_same() -> None:
    assert failing(compared(match("leave"), Counter(), [finding("8.3/2")])) == {"8.3/2"}


# --- processes --------------------------------------------------------------------------------


async def test_one_that_is_stopped_leaves_no_probe_behind() -> None:
    program = "import shlex, signal, subprocess, sys\n"
    program += "subprocess.run(shlex.split(sys.argv[1]))\nsignal.pause()"
    command = shlex.join([sys.executable, "-c", program]) + " {player1} {player2}"
    recorded = await run_probe_match(
        Template(command, 4), CATALOGUE, BY_ID["money"], seed=1, limit=2.0
    )
    assert recorded.exit_code is None
    compared = compare(recorded, CATALOGUE, BY_ID["money"])
    assert [finding.case for finding in compared.findings] == ["2.1/1"]


async def test_bots_that_are_left_behind_are_seen() -> None:
    wrong = str(Path(__file__).parent / "wrong_referee.py")
    command = shlex.join([sys.executable, wrong, "bots are left behind"]) + " {players}"
    recorded = await run_probe_match(
        Template(command, 4), CATALOGUE, BY_ID["stays"], seed=1, limit=30.0
    )
    assert [seat.outlived for seat in recorded.seats] == [False, True]
    assert recorded.exit_code == 0
    judged = Compared(BY_ID["stays"], recorded)
    check_processes(judged)
    assert {finding.case for finding in judged.findings} == {"8.4/3", "8.4/4"}
