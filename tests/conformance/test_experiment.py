"""Which matches of an experiment are played, and again with which seed. No match is played here."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
import trio

from referee.conformance.referee_side import experiment
from referee.conformance.referee_side.cases import RefereeCase
from referee.conformance.referee_side.comparing import Compared, Deviation
from referee.conformance.referee_side.experiment import _Experiment, _selected, check_deals
from referee.conformance.referee_side.recording import Line, RecordedMatch, RecordedSeat
from referee.conformance.referee_side.template import Template
from referee.conformance.verdict import Violation
from referee.errors import UsageError
from referee.games.interface.probing import ProbeMatch, ProbePlan
from tests.conformance.in_process import RULES

TEMPLATE = Template("r {player1} {player2}", 4)
CASES = [RefereeCase(f"1/{number}", "?", seeded=number == 9) for number in (1, 2, 3, 9)]


async def played(
    monkeypatch: pytest.MonkeyPatch, rounds: int = 3, **matches: dict[str, Any]
) -> list[str]:
    """Return the ids of the matches that are played. Each is about a case: 1/1, 1/2 and so on."""
    plans = [
        ProbeMatch(id, (f"1/{number}", f"1/{number + 8}"), (ProbePlan(), ProbePlan()))
        for number, id in enumerate(matches, 1)
    ]

    async def run(template: Any, definition: Any, match: ProbeMatch, **_: Any) -> RecordedMatch:
        code = matches[match.id].get("exit_code", 0)
        return RecordedMatch(match.id, 5, [], exit_code=code)

    def judge(recorded: RecordedMatch, definition: Any, match: ProbeMatch, **_: Any) -> Compared:
        fields = {n: v for n, v in matches[match.id].items() if n != "exit_code"}
        return Compared(match, recorded, **fields)

    deals: list[int] = []
    monkeypatch.setattr(experiment, "run_probe_match", run)
    monkeypatch.setattr(experiment, "judge", judge)
    monkeypatch.setattr(experiment, "check_deals", lambda every, _: deals.append(len(every)))
    made = _Experiment(TEMPLATE, RULES, plans, 5, 1.0, trio.CapacityLimiter(1), lambda: None, [])
    await made.run(rounds, CASES[: len(matches)] + CASES[3:])
    assert len(deals) == 1
    return [each.recorded.id for each in made.compared]


async def test_matches_whose_cases_did_not_come_up_are_played_with_other_seeds(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ids = await played(monkeypatch, a={"held": {"1/1"}}, b={"held": {"1/2"}}, c={})
    assert (ids[0], sorted(ids[1:])) == ("a", ["b", "c", "c 6", "c 7"])


@pytest.mark.parametrize("stopped", ["", "line 3"])
def test_only_a_match_that_was_followed_to_its_end_shows_more(
    stopped: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its treatment of processes is judged only then, and whether it used the seed."""
    did: list[str] = []

    def compare(recorded: Any, definition: Any, match: Any, *, seeded: bool = False) -> Compared:
        did.append("seeded" if seeded else "rules")
        return Compared(match, recorded, stopped=stopped)

    monkeypatch.setattr(experiment, "compare", compare)
    monkeypatch.setattr(experiment, "check_processes", lambda *_: did.append("processes"))
    match = ProbeMatch("a", ("1/1",), (ProbePlan(), ProbePlan()))
    experiment.judge(RecordedMatch("a", 5, []), RULES, match, seeded=True)
    assert did == (["rules"] if stopped else ["rules", "processes", "seeded"])


async def test_a_failed_case_has_come_up(monkeypatch: pytest.MonkeyPatch) -> None:
    deviation = Deviation(("1/2", "1/3"), "", Violation("departure", "", "", ""))
    ids = await played(
        monkeypatch, a={"held": {"1/1"}}, b={"deviations": [deviation]}, c={"stopped": "here"}
    )
    assert sorted(ids) == ["a", "b", "c"]


async def test_if_the_first_match_shows_nothing_no_other_is_played(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert await played(monkeypatch, a={"stopped": "here"}, b={}, c={}) == ["a"]


async def test_it_goes_on_until_more_than_half_of_the_matches_stop(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ids = await played(monkeypatch, a={"held": {"1/1"}}, b={"stopped": "here"})
    assert ids == ["a", "b", "b 6"]


async def test_after_three_matches_without_an_end_no_other_is_played(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    hangs: Any = {"held": {"1/1"}, "exit_code": None}
    assert len(await played(monkeypatch, a=hangs, b=hangs, c=hangs, d=hangs)) == 3


async def test_a_deviation_of_a_control_counts_once_whichever_match_ends_first(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    plans = ProbePlan(), ProbePlan()
    matches = [
        ProbeMatch("first", (), plans),
        ProbeMatch("control", (), plans),
        ProbeMatch("tests", (), plans, controls=("control",)),
    ]
    is_over = trio.Event()

    async def run(template: Any, definition: Any, match: ProbeMatch, **_: Any) -> RecordedMatch:
        if match.id == "control":
            await is_over.wait()
        elif match.id == "tests":
            is_over.set()
        return RecordedMatch(match.id, 5, [], exit_code=0)

    def judge(recorded: RecordedMatch, definition: Any, match: ProbeMatch, **_: Any) -> Compared:
        case = {"first": (), "control": ("2.3/1",), "tests": ("2.4/1",)}[match.id]
        deviation = Deviation(case, "same", Violation("departure", "", "", ""))
        return Compared(match, recorded, held={"1/1"}, deviations=[deviation])

    monkeypatch.setattr(experiment, "_selected", lambda *_: matches)
    monkeypatch.setattr(experiment, "run_probe_match", run)
    monkeypatch.setattr(experiment, "judge", judge)
    monkeypatch.setattr(experiment, "check_deals", lambda *_: None)
    report = await experiment.check_referee(
        "r {player1} {player2}", RULES, [], seed=5, jobs=2, timeout=1.0
    )
    assert [result.id for result in report.cases if result.status == "failed"] == ["2.3/1"]


@pytest.mark.parametrize(
    ("hands", "held", "failed"),
    [("a" * 7, False, False), ("a" * 8, False, True), ("ab", True, False), ("", False, False)],
)
def test_eight_equal_deals_are_not_shuffled(hands: str, held: bool, failed: bool) -> None:
    requests = {"type": "play-turn"}
    news = Line(b"news", {"type": "supply-info"})
    seats = [
        RecordedSeat(
            received=[news, Line(hand.encode(), requests), Line(str(n).encode(), requests)]
        )
        for n, hand in enumerate(hands)
    ]
    match = ProbeMatch("a", (), (ProbePlan(), ProbePlan()))
    compared = Compared(match, RecordedMatch("a", 1, [*seats, RecordedSeat(received=[news])]))
    check_deals([compared], RULES)
    assert (bool(compared.held), bool(compared.deviations)) == (held, failed)


def test_a_match_without_a_place_in_the_command_is_named() -> None:
    none: Any = SimpleNamespace(seats=(9,))
    for template, only, what in ((none, (), "any match"), (TEMPLATE, ("x", "y"), "the match x, y")):
        with pytest.raises(UsageError) as error:
            _selected(template, RULES, only, ())
        assert str(error.value) == f"COMMAND has no place for the players of {what}"
