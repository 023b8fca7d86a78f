"""`referee conform --referee`: our own referee passes, wrong ones are found by the right case.

Here each wrong referee plays the few matches that are about it, and ours those of `SOME`, or all in
the test that is marked `all_cases`. As a program, with modes or none for all, this has the wrong
ones play all matches, half a minute each, and says where more fails than should.
"""

from __future__ import annotations

import shlex
import sys
from collections import Counter
from functools import partial
from pathlib import Path

import pytest
import trio
from mutants import ELSEWHERE, LEAN, MUTANTS

from referee.conformance.referee_side import (
    RefereeCase,
    Template,
    check_referee,
    load_referee_cases,
)
from referee.conformance.referee_side.retelling import Found
from referee.conformance.referee_side.verdicts import assign
from referee.conformance.verdict import Report, Result, Status, Violation
from referee.errors import UsageError
from referee.games import GAMES

HERE = Path(__file__).parent
OURS = shlex.join([sys.executable, "-m", "referee", "play", "-q"]) + " {players} --seed {seed}"
# As a module it is read as byte code: to compile it takes longer than most matches.
WRONG = ["env", f"PYTHONPATH={HERE}", sys.executable, "-m", "wrong_referee"]
RULES = GAMES["dominion"]
CASES = load_referee_cases().cases
SOME = (
    *("money", "names-2", "names-4", "version-1", "exit-3", "side-by-side", "framing-1", "json-2"),
    *("news", "long-line", "lists", "too-much", "cellar", "mine", "remodel-want", "workshop"),
    *("militia-3", "reveals", "three-piles", "leave-attacked", "last-words", "stays"),
)
"""Some matches about each chapter."""
NO_MATCH_YET = {"5.5/6"}
"""Cases of sections 4 to 7 that no match brings about, so that no wrong referee can fail them."""


def wrong(mode: str) -> str:
    return shlex.join([*WRONG, mode]) + " {players}"


async def check(command: str, *only: str, jobs: int = 2, limit: float = 20.0) -> Report:
    return await check_referee(
        command, RULES, CASES, seed=1, jobs=jobs, timeout=limit, only=only, rounds=1
    )


def ids(report: Report, status: Status) -> list[str]:
    return [result.id for result in report.cases if result.status == status]


# --- our own ----------------------------------------------------------------------------------


async def test_our_own_referee_passes_in_some_matches() -> None:
    assert {match.id for match in RULES.probes.matches} >= set(SOME)
    report = await check(OURS, *SOME, limit=60)
    assert ids(report, Status.FAILED) == []
    assert report.passed > 100


@pytest.mark.all_cases
async def test_our_own_referee_passes_every_case() -> None:
    told: list[Result] = []
    report = await check_referee(OURS, RULES, CASES, seed=7, jobs=2, timeout=60, tell=told.append)
    assert ids(report, Status.FAILED) == []
    assert ids(report, Status.NOT_JUDGED) == []
    assert report.conforms
    assert report.passed == len(CASES) == len(told)
    assert [result.id for result in told] == [case.id for case in CASES]


async def test_one_that_takes_two_players_and_no_seed_is_asked_about_no_more() -> None:
    command = OURS.replace("{players}", "{player1} {player2}").replace("{seed}", "3")
    report = await check(command, "money", "names-1")
    asked = {result.id for result in report.cases}
    assert asked == {case.id for case in CASES if case.seats == 2 and not case.seeded}
    assert ids(report, Status.FAILED) == []


# --- wrong ones -------------------------------------------------------------------------------


async def test_a_departure_counts_though_its_case_needs_more_seats() -> None:
    """A referee of two players must not pass because a rule shows best with three."""
    command = wrong("militia attacks nobody").replace("{players}", "{player1} {player2}")
    report = await check(command, "militia*")
    assert not report.conforms
    failed = ids(report, Status.FAILED)
    assert {case.seats for case in CASES if case.id in failed} == {3}


def section_of(mutant: tuple[str, str, str]) -> str:
    """The section of the first case that a wrong referee fails."""
    return mutant[2].partition("/")[0]


FIRST = {section_of(mutant): mutant for mutant in reversed(MUTANTS)}
"""The first wrong referee of each section; the others are for the exhaustive run."""


@pytest.mark.parametrize(
    ("mode", "only", "failing"),
    [
        pytest.param(
            *mutant,
            id=mutant[0],
            marks=[] if mutant in FIRST.values() else [pytest.mark.all_cases],
        )
        for mutant in MUTANTS
    ],
)
async def test_a_wrong_referee_is_found_by_the_case_for_the_rule(
    mode: str, only: str, failing: str
) -> None:
    report = await check(wrong(mode), *only.split())
    assert " ".join(ids(report, Status.FAILED)) == failing
    for result in report.cases:
        if result.status == Status.FAILED:
            assert result.violations[0].section == result.section
            assert result.violations[0].expected != result.violations[0].actual


def test_the_wrong_referees_cover_each_chapter() -> None:
    assert {cases[0] for _, _, cases in MUTANTS} == set("12345678")


def test_there_is_a_wrong_referee_for_every_rule_of_sections_4_to_7() -> None:
    found = {case for _, _, cases in MUTANTS for case in cases.split()}
    rules = {case.id for case in CASES if case.id[0] in "4567" and not case.seeded}
    assert rules - found == NO_MATCH_YET


async def test_what_is_told_of_a_departure() -> None:
    report = await check(wrong("smithy draws two"), "smithy")
    [failed] = [result for result in report.cases if result.status == Status.FAILED]
    assert failed.id == "6.7/1"
    assert not report.conforms
    [violation] = failed.violations
    player, _, expected = violation.expected.partition(": ")
    assert expected.startswith('{"type":"play-turn","actions":0,"buys":1,')
    assert violation.actual.startswith(player + ': {"type":"play-turn","actions":0,"buys":1,')
    note, *lines = violation.conversation
    assert note == f"! {player.removeprefix('to ')} of the match smithy"
    assert lines[-2].startswith('< {"type":"play-reply","phase":"action","card":"smithy"')
    assert lines[-1] == "> " + violation.actual.removeprefix(player + ": ")


# --- seeds ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("mode", "failing"),
    [
        ("unseeded", ["4.7/1"]),
        ("another shuffle", ["4.7/2"]),
        ("the first cards at random", ["4.7/3"]),
        ("right", []),
    ],
)
async def test_a_referee_with_a_seed_is_asked_what_the_seed_is_for(
    mode: str, failing: list[str]
) -> None:
    report = await check(wrong(mode) + " --seed={seed}", "money", "bad-answers")
    assert ids(report, Status.FAILED) == failing


# --- referees that play nothing ---------------------------------------------------------------


@pytest.mark.parametrize(
    ("command", "limit", "actual"),
    [
        ("/nowhere/referee", 20, "nothing: the referee could not be started: [Errno 2]"),
        (
            f"{sys.executable} -c 'import sys; sys.exit(\"out of order\")'",
            20,
            "ended with exit code 1",
        ),
        (
            f"{sys.executable} -c 'import signal; signal.pause()'",
            0.5,
            "until the referee was ended",
        ),
    ],
)
async def test_one_that_plays_nothing_fails_one_case(
    command: str, limit: float, actual: str
) -> None:
    report = await check(command + " {players} {seed}", limit=limit)
    [failed] = [result for result in report.cases if result.status == Status.FAILED]
    assert failed.id == "2.1/1"
    assert actual in failed.violations[0].actual
    assert len(ids(report, Status.NOT_JUDGED)) == len(CASES) - 1
    assert not report.conforms
    if "out of order" in command:
        assert failed.stderr == ["out of order"]


async def test_what_it_prints_and_its_exit_code_do_not_matter() -> None:
    script = (
        "import subprocess, sys\n"
        "assert sys.stdin.read() == ''\n"
        "subprocess.run(sys.argv[1:])\n"
        "print('{\"type\":\"game-end\"}', 'no JSON', sep='\\n')\n"
        "sys.exit(3)\n"
    )
    command = shlex.join([sys.executable, "-c", script]) + " " + OURS
    report = await check(command, "names-2", limit=60)
    assert ids(report, Status.FAILED) == []
    assert report.passed > 10


async def test_one_that_hangs_now_and_then_is_not_waited_for_for_ever() -> None:
    # It never ends a match: the first is judged all the same, and only few more are waited for.
    script = "import subprocess, sys, signal\nsubprocess.run(sys.argv[1:])\nsignal.pause()\n"
    program = shlex.join([sys.executable, "-c", script, *WRONG, "nothing"])
    report = await check(program + " {player1} {player2}", "names-*", limit=4)
    assert ids(report, Status.FAILED) == ["8.4/1"]
    [failed] = [result for result in report.cases if result.status == Status.FAILED]
    assert "until the referee was ended" in failed.violations[0].actual
    assert sum(failed.counts.values()) < 6


# --- templates --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("command", "players", "filled"),
    [
        ("r {player1} {player2}", 2, ["r", "a b", "c"]),
        (
            "r --one={player1} --two {player2} -s {seed}",
            2,
            ["r", "--one=a b", "--two", "c", "-s", "9"],
        ),
        ("r {players} -q", 3, ["r", "a b", "c", "d", "-q"]),
        ("r '{player1} x' {player2} --three {player3} -q", 2, ["r", "a b x", "c", "-q"]),
        ("r {player1} {player2} {player3} {player4}", 3, ["r", "a b", "c", "d"]),
        (
            "'my referee' a\\ b \"it's\" $HOME *.py | {player1}{player2}",
            2,
            ["my referee", "a b", "it's", "$HOME", "*.py", "|", "a bc"],
        ),
    ],
)
def test_placeholders_are_filled_word_by_word(
    command: str, players: int, filled: list[str]
) -> None:
    template = Template(command)
    assert template.fill(["a b", "c", "d"][:players], 9) == filled
    assert players in template.seats
    assert template.seeded == ("{seed}" in command)


def test_a_value_goes_into_its_word_as_it_is() -> None:
    value = shlex.join(["a b", "it's", '"', "\\", "$x", "{seed}", "{player2}", "\\1"])
    for command in ("r {player1} {player2}", "r '{player1}' \"{player2}\"", "r {players}"):
        assert Template(command).fill([value, "c"], 9) == ["r", value, "c"]


@pytest.mark.parametrize(
    ("command", "problem"),
    [
        ("r {player1}", "{player2} is missing"),
        ("r", "{player1} is missing"),
        ("r {player1} {player2} {player4}", "{player3} is missing"),
        ("r {player1} {player2} {bot}", "unknown placeholder {bot}"),
        ("r {players} {player1}", "{players} stands for all players"),
        ("r --bots={players}", "{players} must be a word of its own"),
        ("r '{player1} {player2}", "no closing quotation"),
    ],
)
def test_a_command_that_cannot_be_used_is_refused(command: str, problem: str) -> None:
    with pytest.raises(UsageError) as error:
        Template(command)
    assert problem in str(error.value)


def test_seats_are_those_that_the_command_has_room_for() -> None:
    assert Template("r {player1} {player2}").seats == (2,)
    assert Template("r {player1} {player2} {player3}").seats == (2, 3)
    assert Template("r {players}").seats == (2, 3, 4)


# --- cases ------------------------------------------------------------------------------------


def test_the_cases_stand_in_the_order_of_the_sections() -> None:
    order = [tuple(map(int, case.id.replace("/", ".").split("."))) for case in CASES]
    assert order == sorted(set(order))
    assert all(case.requirement.endswith(".") for case in CASES)


def test_every_match_is_about_cases_that_there_are() -> None:
    known = [case.id for case in CASES]
    for match in RULES.probes.matches:
        for pattern in match.about:
            assert any(_matches(case, pattern) for case in known), (match.id, pattern)


def _matches(case: str, pattern: str) -> bool:
    return case == pattern or (pattern.endswith("*") and case.startswith(pattern[:-1]))


def test_the_case_that_was_right_least_often_is_to_blame() -> None:
    violation = Violation("departure", "", "", "")
    one = Found(["6.7/1", "4.6/2"], violation)
    two = Found(["4.6/2", "5.1/4"], violation)
    passed = Counter({"5.1/4": 9})
    assert assign([one, two], passed) == ["4.6/2", "4.6/2"]  # it explains both
    assert assign([one, two], passed + Counter({"4.6/2": 5})) == ["4.6/2", "4.6/2"]
    assert assign([one, two], passed + Counter({"4.6/2": 99})) == ["6.7/1", "5.1/4"]
    assert assign([one], passed) == ["6.7/1"]  # the likeliest by itself
    sure = Found(["4.6/2"], violation)
    assert assign([one, sure], Counter({"4.6/2": 99})) == ["4.6/2", "4.6/2"]
    cost = Found(["6.6/3", "4.3/1#gold cheaper"], violation)
    assert assign([cost], Counter({"6.6/3": 1})) == ["6.6/3"]
    bought = Found(["4.3/1#gold cheaper"], violation)
    assert assign([cost, bought], Counter({"6.6/3": 1})) == ["4.3/1#gold cheaper"] * 2


def test_a_case_says_of_which_commands_it_can_be_asked() -> None:
    case = RefereeCase("4.2/2", "MUST", "A supply.", seats=3)
    assert not case.applies(Template("r {player1} {player2}"))
    assert case.applies(Template("r {players}"))
    assert not RefereeCase("4.7/1", "MUST", "Seeds.", seeded=True).applies(Template("r {players}"))


def main(modes: list[str]) -> int:
    """Have wrong referees play all matches."""
    different = 0
    for mode, _, cases in MUTANTS:
        if mode in LEAN or (modes and mode not in modes):
            continue
        check_all = partial(
            check_referee, wrong(f"real:{mode}"), RULES, CASES, seed=1, jobs=2, timeout=20
        )
        report = trio.run(check_all)
        right = {*cases.split(), *ELSEWHERE.get(mode, "").split()}
        came = set(ids(report, Status.FAILED))
        text = "as expected"
        if came != right:
            text = f"not {sorted(right - came)}, but {sorted(came - right)}"
            different += 1
        unjudged = len(ids(report, Status.NOT_JUDGED))
        print(f"{mode}: {text}, {unjudged} not judged, {report.seconds:.1f} s", flush=True)
    return min(different, 1)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
