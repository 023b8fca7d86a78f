"""The rules about the processes of bots, one seat at a time."""

from __future__ import annotations

import os
from typing import Any

import pytest

from referee.conformance.referee_side.comparing import Compared
from referee.conformance.referee_side.processes import _rules_for, check_processes
from referee.conformance.referee_side.recording import Line, RecordedMatch, RecordedSeat, Reply
from referee.games.interface.probing import ProbeAction, ProbeMatch, ProbePlan
from tests.conformance.in_process import RULES

END = Line(b"", {"type": "game-end"})
AWAITS = ProbeAction(cases=("waits", "more"), awaits=("play-turn", 1))


def rules(*others: str, **fields: Any) -> dict[str, str]:
    """Return what was found of each rule, or "" if the referee kept it."""
    seat = RecordedSeat(**{"group": "7 8", "folder": os.getcwd(), **fields})
    found = _rules_for(seat, [seat.group, *others], lambda name: (name,))
    return {cases[0]: actual for cases, _, actual in found}


@pytest.mark.parametrize(
    ("group", "others", "shares"),
    [
        ("7 8", [], False),
        ("7 8", ["9 8", "77 9", ""], False),
        ("7 8", ["7 9"], True),
        (f"{os.getsid(0)} 8", [], True),
        (f"7 {os.getpgid(0)}", [], True),
    ],
    ids=["alone", "others", "a bot's", "our session", "our group"],
)
def test_a_session_is_shared_with_us_or_another_bot(
    group: str, others: list[str], shares: bool
) -> None:
    assert rules(*others, group=group)["session"] == "it shares them with others" * shares


def test_a_folder_is_named_if_it_is_another() -> None:
    assert rules()["folder"] == ""
    assert rules(folder="/other")["folder"] == "its folder is /other"


def test_who_awaits_is_judged() -> None:
    replies = [Reply(b"{}", ProbeAction()), Reply(b"{}", AWAITS)]
    assert "waits" not in rules(replies=replies)
    assert rules(replies=replies, waited=True)["waits"] == ""
    assert rules(replies=replies, waited=False)["waits"] == "that did not come within 3 s"


@pytest.mark.parametrize(
    ("fields", "found"),
    [
        ({"received": []}, {}),
        ({"received": [END, Line(b"")]}, {}),
        ({"left": ProbeAction(then="exit")}, {}),
        ({}, {"end": "", "grace": ""}),
        ({"ended": True, "patience": 5.0}, {"end": "", "grace": ""}),
        ({"patience": 0.3}, {"end": "", "grace": ""}),
        ({"patience": 0.31}, {"end": "it did not end"}),
        ({"killed": True}, {"grace": "it was killed at once"}),
        ({"killed": True, "ended": True}, {"end": "", "grace": "it was killed at once"}),
        ({"terminated": True}, {"grace": "SIGTERM came at once"}),
        ({"terminated": True, "killed": True}, {"grace": "SIGTERM came at once"}),
        (
            {"stays": "yes", "ended": True},
            {"end": "", "sigterm": "no SIGTERM came", "outlives": ""},
        ),
        (
            {"stays": "yes", "terminated": True, "outlived": True},
            {"sigterm": "", "outlives": "this one was still running"},
        ),
    ],
)
def test_what_is_judged_after_the_end_of_a_match(
    fields: dict[str, Any], found: dict[str, str]
) -> None:
    seen = rules(**{"received": [END], **fields})
    assert {name: seen[name] for name in seen if name not in ("session", "folder")} == found


def test_a_process_that_never_connected_is_not_judged() -> None:
    there = RecordedSeat(group="7 8", folder="/other", received=[END], lines=[b"> a", b"! b"])
    recorded = RecordedMatch("pass", 1, [RecordedSeat(), there])
    compared = Compared(ProbeMatch("pass", (), (ProbePlan(), ProbePlan())), recorded)
    check_processes(compared, RULES.probes())
    (deviation,) = compared.deviations
    assert deviation.violation.actual == "player2: its folder is /other"
    assert deviation.violation.conversation[1:] == ["> a", "! b"]
