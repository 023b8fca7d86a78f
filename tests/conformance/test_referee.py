"""`referee conform --referee`: correct referees pass, and wrong ones fail in the right case.

There are three kinds of wrong referees, each with one mistake: our rules in this process, our
`referee play` as a process (both from wrong_referee.py), and a referee that was written from the
specification alone (foreign_referee.py). Each plays only the few matches about its mistake.

Run `test_referee.py [2|4] [MODE...]` to have the foreign referee play all matches for up to two
or four players with each of its mistakes. It prints the sections that the reports name.
"""

from __future__ import annotations

import json
import re
import shlex
import sys
import tempfile
from functools import partial
from pathlib import Path

import msgspec
import pytest
import trio

from referee import conformance
from referee.conformance.referee_side import RefereeCase, Template, check_referee
from referee.conformance.referee_side.experiment import check_deals
from referee.conformance.referee_side.line_tricks import HANDSHAKES, REPLIES
from referee.conformance.verdict import Report, Result, Status
from referee.errors import UsageError
from referee.games.dominion.probes.probe_state import Style
from referee.games.dominion.probes.tricks import TRICKS
from referee.match.messages import SHARED_PUBLIC, PlayerNameRequest
from tests.conformance import foreign_referee
from tests.conformance.in_process import (
    CASES,
    MATCHES,
    NOT_IN_PROCESS,
    RULES,
    another_package,
    check,
    compare,
    failing,
    judged,
    matches_about,
    reached,
)
from tests.conformance.mutants import LEAN, MUTANTS
from tests.support.marks import all_cases, slow

HERE = Path(__file__).parent
OURS = shlex.join([sys.executable, "-m", "referee", "play", "-q"]) + " {players} --seed {seed}"
# We import both modules because Python caches the bytecode of imported files. Compiling them would
# take longer than most matches.
START_FOREIGN = (
    f"import sys; sys.path.insert(0, {str(HERE)!r}); "
    "from foreign_referee import main; sys.exit(main(sys.argv[1:]))"
)
FOREIGN = [sys.executable, "-I", "-S", "-c", START_FOREIGN, "--limit", "4"]
WRONG = ["env", f"PYTHONPATH={HERE}", sys.executable, "-m", "wrong_referee"]
SOME = ("names-2", "militia-3", "stays")
"""A few matches. `test_no_case_is_blamed_and_every_case_comes_up` plays all, but in-process."""
TWO = "{player1} {player2}"
BY_PROCESS = another_package().REAL | LEAN


def wrong(mode: str, players: str = "{players}") -> str:
    return shlex.join([*WRONG, mode]) + " " + players


def foreign(mode: str, players: str = "{players}") -> str:
    return shlex.join([*FOREIGN, *(["--wrong", mode] if mode else [])]) + " " + players


async def conform(
    command: str, *only: str, limit: float = 20.0, rounds: int = 1, keep: Path | None = None
) -> Report:
    return await check_referee(
        command, RULES, CASES, seed=1, jobs=2, timeout=limit, only=only, rounds=rounds, keep=keep
    )


def ids(report: Report, status: Status = Status.FAILED) -> list[str]:
    return [result.id for result in report.cases if result.status == status]


def blamed(report: Report) -> list[str]:
    """Return all violations. The referee is correct, so there should be none."""
    return [
        f"{result.id} {violation.expected} {violation.actual} {violation.conversation}"
        for result in report.cases
        for violation in result.violations
    ]


def failed(report: Report) -> Result:
    [result] = [result for result in report.cases if result.status == Status.FAILED]
    return result


def section(case: str) -> str:
    return case.partition("/")[0]


# --- sound ones -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("command", "matches", "passed"),
    [
        pytest.param(foreign("", TWO), ("stays",), 10, id="foreign"),
        pytest.param(OURS, SOME, 30, id="ours", marks=pytest.mark.slow),
    ],
)
async def test_a_sound_referee_passes_in_some_matches(
    command: str, matches: tuple[str, ...], passed: int
) -> None:
    report = await conform(command, *matches, limit=60)
    assert blamed(report) == []
    assert report.passed > passed
    assert {*ids(report, Status.PASSED)} >= NOT_IN_PROCESS


@pytest.mark.all_cases
@pytest.mark.parametrize("command", [OURS, foreign("")], ids=["ours", "foreign"])
async def test_a_sound_referee_passes_every_case(command: str) -> None:
    report = await check_referee(command, RULES, CASES, seed=7, jobs=2, timeout=60)
    assert blamed(report) == []
    assert ids(report, Status.NOT_JUDGED) == []
    assert report.conforms
    assert report.passed + report.skipped == len(CASES)
    skipped = [case.id for case in CASES if case.seeded] if command != OURS else []
    assert ids(report, Status.SKIPPED) == skipped
    assert [result.id for result in report.cases] == [case.id for case in CASES]


@pytest.mark.slow
@pytest.mark.untraced
def test_no_case_is_blamed_and_every_case_comes_up() -> None:
    """Our own rules pass with any number of seats, and each match does what it is for."""
    all_together = {"4.1/3"}  # it takes several deals to see that decks are shuffled
    compared, missing = [], {}
    for match in MATCHES:
        held, not_reached = reached(match, seed=1)
        compared.append(held)
        missing[match.id] = not_reached - all_together
    assert {id: cases for id, cases in missing.items() if cases} == {}
    for seats in (2, 3, 4):
        few = [
            held for held, match in zip(compared, MATCHES, strict=True) if len(match.seats) <= seats
        ]
        check_deals(few, RULES)
        found = judged(few, seats)
        assert failing(found) == []
        assert {each.id for each in found if each.status == Status.NOT_JUDGED} == NOT_IN_PROCESS
        skipped = {each.id for each in found if each.status == Status.SKIPPED}
        assert skipped == {case.id for case in CASES if case.seats > seats or case.seeded}


# --- wrong ones -------------------------------------------------------------------------------


def breaks(cases: str) -> tuple[str, set[str]]:
    """Split the text from `MUTANTS` into the broken case and the set of cases that fail."""
    breaks, _, fail = cases.partition(": ")
    return breaks.split()[0], {*(fail or breaks).split()}


ROWS = [row for row in MUTANTS if row[0] not in BY_PROCESS]


@pytest.mark.parametrize(
    ("mode", "match", "expected"),
    [
        ("unknown fields are wrong", "lines-3", "1.5/1"),
        ("version 2", "pass", "2.1/1"),
        ("names are stripped", "names-2", "3.1/1"),
        ("six coppers", "pass", "4.6/1"),
        ("smithy draws two", "smithy", "6.7/1"),
        ("militia attacks nobody", "militia-3", "7.1/1"),
        ("a wrong number is kept", "bad-discards", "7.2/2 7.4/3"),
        ("who is left alone plays on", "leave", "8.2/1 8.3/1"),
    ],
)
def test_a_wrong_rule_fails_its_cases_in_one_match(mode: str, match: str, expected: str) -> None:
    chosen = [each for each in MATCHES if each.id == match]
    assert failing(check(mode, chosen)) == expected.split()


@pytest.mark.untraced
@pytest.mark.parametrize(
    ("mode", "cases"),
    [slow(*row) if row in ROWS[::5] else all_cases(*row) for row in ROWS],
    ids=str,
)
def test_a_wrong_rule_fails_its_cases(mode: str, cases: str) -> None:
    case, expected = breaks(cases)
    fewest = next(each.seats for each in CASES if each.id == case)
    few, matches = matches_about(case, fewest), matches_about(case)
    compared = compare(mode, matches)
    assert failing(judged(compared if few == matches else compare(mode, few), fewest))
    found = judged(compared)
    assert set(failing(found)) == expected
    for result in found:
        if result.status == Status.FAILED:
            assert result.violations[0].section == result.section
            assert result.violations[0].expected != result.violations[0].actual


@pytest.mark.all_cases
@pytest.mark.parametrize(
    ("mode", "cases"), [row for row in MUTANTS if row[0] in BY_PROCESS], ids=str
)
async def test_a_wrong_process_fails_its_cases(mode: str, cases: str) -> None:
    case, expected = breaks(cases)
    report = await conform(wrong(mode), *(match.id for match in matches_about(case)))
    assert set(ids(report)) == expected


def test_the_section_is_right_of_more_than_four_in_five() -> None:
    right = [
        section(case) in {section(fails) for fails in expected}
        for case, expected in (breaks(cases) for _, cases in MUTANTS)
    ]
    assert sum(right) > 0.8 * len(right)


def about_sections(sections: str, seats: int = 4) -> list[str]:
    cases = [case.id for case in CASES if case.section in sections.split()]
    return sorted({match.id for case in cases for match in matches_about(case, seats)})


FOREIGN_MODES = [(mode, *rest) for mode, rest in foreign_referee.MODES.items()]
# For about four modes in five, the report names the right section. For these modes it always does.
NAMED = (
    "SIGTERM right after game-end",
    "no winner after a disqualification",
    "militia attacks only if it is the first card in play",
    "militia attacks nobody",
    "players with three cards are asked",
    "reply of a bot that is gone does not count",
)


def marks(mode: str) -> list[pytest.MarkDecorator]:
    return [pytest.mark.slow if mode in NAMED else pytest.mark.all_cases]


@pytest.mark.parametrize(
    ("mode", "sections", "seats"),
    [pytest.param(*row, id=row[0], marks=marks(row[0])) for row in FOREIGN_MODES],
)
async def test_a_wrong_foreign_referee_fails(mode: str, sections: str, seats: int) -> None:
    command = foreign(mode, TWO if seats == 2 else "{players}")
    matches = about_sections(sections, seats)
    for rounds in (1, 2):  # some mistakes don't show in every deal
        report = await conform(command, *matches, rounds=rounds)
        if not report.conforms:
            break
    named = {section(case) for case in ids(report)}
    assert named
    assert mode not in NAMED or named & {*sections.split()}, named


def test_the_wrong_referees_cover_each_chapter() -> None:
    assert {cases[0] for _, cases in MUTANTS} == set("12345678")
    assert {sections.split(".")[0] for _, sections, _ in FOREIGN_MODES} == set("12345678")


def test_there_is_a_wrong_referee_for_every_rule_of_sections_4_to_7() -> None:
    found = {breaks(cases)[0] for _, cases in MUTANTS}
    rules = {case.id for case in CASES if case.id[0] in "4567" and not case.seeded}
    assert rules - found == set()


# --- what is told -----------------------------------------------------------------------------


def test_what_is_told_of_a_departure() -> None:
    found = check("smithy draws two", [match for match in MATCHES if match.id == "smithy"])
    [result] = [each for each in found if each.status == Status.FAILED]
    assert result.id == "6.7/1"
    assert result.again == ["--seed", "5", "--match", "smithy"]
    [violation] = result.violations
    where, _, expected = violation.expected.partition(": ")
    player = where.partition(",")[0]
    assert where == f"{player}, after the reply of {player.removeprefix('to ')}"
    assert expected.startswith('{"type":"play-turn","actions":0,"buys":1,')
    assert violation.actual.startswith(player + ': {"type":"play-turn","actions":0,"buys":1,')
    note, *lines = violation.conversation
    assert note == f"! {player.removeprefix('to ')} of the match smithy"
    assert lines[-2].startswith('< {"type":"play-reply","phase":"action","card":"smithy"')
    assert lines[-1] == "> " + violation.actual.removeprefix(player + ": ")


@pytest.mark.slow
async def test_again_plays_the_match_that_failed() -> None:
    command = wrong("workshop up to five", TWO)
    first = failed(await conform(command, "pass", "workshop", "workshop-faults"))
    _, seed, _, match = first.again
    again = failed(await conform(command, match))
    assert (seed, again.id) == ("1", first.id)
    assert again.violations[0].expected == first.violations[0].expected


def test_why_a_case_was_not_judged() -> None:
    matches = [match for match in MATCHES if match.id in ("pass", "woodcutter")]
    found = check("actions are free", matches, seats=2)
    why = {result.id: result.why for result in found}
    assert why["8.3/2"] == "needs 3 seats: name {player3} in COMMAND, or {players}"
    assert why["4.7/2"] == "needs a seed: name {seed} in COMMAND"
    assert why["5.2/5"].startswith("departed before, at woodcutter, line ")
    assert why["6.1/1"] == "never came up"
    assert why["4.1/1"] == ""
    skipped = {result.id for result in found if result.status == Status.SKIPPED}
    assert skipped <= {case.id for case in CASES if case.seats > 2 or case.seeded}
    assert {"4.2/2", "4.7/2", "8.3/2"} <= skipped


async def test_what_probes_were_sent_and_wrote_is_kept(tmp_path: Path) -> None:
    await conform(foreign("", TWO), "names-3", keep=tmp_path)
    kept = (tmp_path / "names-3" / "player1.txt").read_text().splitlines()
    first = {"type": "player-name-request", "player_number": "player1", "version": 1}
    assert json.loads(kept[0].removeprefix("> ")) == first
    assert kept[1] == "< Hello"
    assert kept[-1] in ("! exits", "! its input ended")


@pytest.mark.slow
async def test_the_name_of_the_temporary_folder_can_be_long(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / ("x" * 150)
    folder.mkdir()
    # as if TMPDIR had been set before the start
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    report = await conform(foreign(""), "names-2")
    assert report.passed > 0
    assert report.failed == 0


async def test_which_folder_is_another_is_told() -> None:
    mode = "bots in another working directory"
    result = failed(await conform(foreign(mode, TWO), "pass"))
    assert result.id == "8.5/2"
    assert "its folder is /" in result.violations[0].actual


async def test_what_it_prints_and_its_exit_code_do_not_matter() -> None:
    script = 'echo hello; "$0" "$@"; exit 3'
    command = shlex.join(["/bin/sh", "-c", script, *FOREIGN]) + " " + TWO
    assert ids(await conform(command, "pass")) == []


# --- seeds ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("mode", "match", "cases"),
    [
        ("another shuffle", "pass", ["4.7/2"]),
        ("the first cards at random", "bad-answers", ["4.7/3"]),
        ("right", "bad-answers", []),
    ],
)
def test_a_referee_with_a_seed_is_asked_what_the_seed_is_for(
    mode: str, match: str, cases: list[str]
) -> None:
    matches = [each for each in MATCHES if each.id == match]
    found = judged(compare(mode, matches, seeded=True), seeded=True)
    assert failing(found) == cases


@pytest.mark.slow
async def test_a_referee_that_does_not_use_the_seed_of_its_command_fails() -> None:
    report = await conform(wrong("unseeded") + " --seed={seed}", "money")
    assert ids(report) == ["4.7/2"]


# --- referees that play nothing ---------------------------------------------------------------


@pytest.mark.parametrize(
    ("command", "limit", "actual"),
    [
        ("/nowhere/referee", 20, "nothing: the referee could not be started: it does not exist"),
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
    report = await conform(command + " {players} {seed}", limit=limit)
    result = failed(report)
    assert result.id == "2.1/1"
    assert actual in result.violations[0].actual
    assert len(ids(report, Status.NOT_JUDGED)) == len(CASES) - 1
    assert not report.conforms
    if "out of order" in command:
        assert result.stderr == ["out of order"]


@pytest.mark.slow
async def test_one_that_hangs_now_and_then_is_not_waited_for_for_ever() -> None:
    # This referee hangs after each match. We must still judge the first match, and give up soon.
    script = "import subprocess, sys, signal\nsubprocess.run(sys.argv[1:])\nsignal.pause()\n"
    program = shlex.join([sys.executable, "-c", script, *FOREIGN])
    report = await conform(program + " " + TWO, "names-*", limit=2)
    result = failed(report)
    assert result.id == "8.4/1"
    assert "until the referee was ended" in result.violations[0].actual
    assert sum(result.counts.values()) < 6


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
            "'my referee' a\\ b \"it's\" $HOME *.py '|' {player1}{player2}",
            2,
            ["my referee", "a b", "it's", "$HOME", "*.py", "|", "a bc"],
        ),
    ],
)
def test_placeholders_are_filled_word_by_word(
    command: str, players: int, filled: list[str]
) -> None:
    template = Template(command, 4)
    assert template.fill(["a b", "c", "d"][:players], 9) == filled
    assert players in template.seats
    assert template.seeded == ("{seed}" in command)


def test_a_value_goes_into_its_word_as_it_is() -> None:
    value = shlex.join(["a b", "it's", '"', "\\", "$x", "{seed}", "{player2}", "\\1"])
    for command in ("r {player1} {player2}", "r '{player1}' \"{player2}\"", "r {players}"):
        assert Template(command, 4).fill([value, "c"], 9) == ["r", value, "c"]


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
        ("r {players} | tee x", "no shell runs the command, so | does nothing"),
    ],
)
def test_a_command_that_cannot_be_used_is_refused(command: str, problem: str) -> None:
    with pytest.raises(UsageError) as error:
        Template(command, 4)
    assert problem in str(error.value)


def test_a_word_without_its_player_is_left_out_but_an_option_only_with_its_value() -> None:
    template = Template("{player3} {player1} -q x{player3} {player2}", 4)
    assert template.fill(["a", "b"], 9) == ["a", "-q", "b"]


@pytest.mark.parametrize(
    ("command", "problem"),
    [
        ("''", "is empty: give a program"),
        ("./no", "./no not found: no such file"),
        ("nosuchprogram", "nosuchprogram not found: no program of that name on the PATH"),
        ("folder", "folder is a directory: give the program in it"),
        ("runs", "runs is not on the PATH; did you mean ./runs?"),
        ("text", "text is not executable; "),
        ("X=1 r", "'X=1 r {players}': no shell runs the command, so X=1 sets no variable"),
    ],
)
def test_a_program_that_cannot_be_run_says_why(
    command: str, problem: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    for name, mode in (("runs", 0o755), ("text", 0o644)):
        (tmp_path / name).touch(mode)
    Template("./runs {players}", 4).check_program()
    with pytest.raises(UsageError) as error:
        Template(f"{command} {{players}}", 4).check_program()
    assert str(error.value).startswith(f"COMMAND {problem}")


def test_seats_are_those_that_the_command_has_room_for() -> None:
    assert Template("r {player1} {player2}", 4).seats == (2,)
    assert Template("r {player1} {player2} {player3}", 4).seats == (2, 3)
    assert Template("r {players}", 4).seats == (2, 3, 4)


# --- cases ------------------------------------------------------------------------------------


def test_the_cases_stand_in_the_order_of_the_sections() -> None:
    order = [tuple(map(int, case.id.replace("/", ".").split("."))) for case in CASES]
    assert order == sorted(set(order))
    assert all(case.requirement.endswith(".") for case in CASES)


def test_every_match_is_about_cases_that_there_are() -> None:
    known = [case.id for case in CASES]
    for match in MATCHES:
        for pattern in match.covers:
            assert any(_matches(case, pattern) for case in known), (match.id, pattern)


def _matches(case: str, pattern: str) -> bool:
    return case == pattern or (pattern.endswith("*") and case.startswith(pattern[:-1]))


def test_a_case_says_of_which_commands_it_can_be_asked() -> None:
    case = RefereeCase("4.2/2", "A supply.", seats=3)
    assert not case.applies(Template("r {player1} {player2}", 4))
    assert case.applies(Template("r {players}", 4))
    assert case.applies(Template("r {player1} {player2} {player3}", 4))
    assert not RefereeCase("4.7/2", "Seeds.", seeded=True).applies(Template("r {players}", 4))


def test_what_can_be_wrong_with_a_message_is_a_field_or_whether_it_is_there() -> None:
    fields = {
        struct.__struct_config__.tag: {
            field.encode_name for field in msgspec.structs.fields(struct)
        }
        for struct in (PlayerNameRequest, *SHARED_PUBLIC, *RULES.public, *RULES.requests)
    }
    rows = [row.removesuffix(" at the start").split() for row in RULES.probes().about if " " in row]
    for kind, what in rows:
        assert what in {"missing", "extra", *fields[kind]}, (kind, what)


def test_every_case_has_a_match() -> None:
    patterns = {pattern for match in MATCHES for pattern in match.covers}
    cases = [case.id for case in CASES if not case.seeded]
    assert [case for case in cases if not any(_matches(case, each) for each in patterns)] == []


def test_every_case_can_fail() -> None:
    # Mistakes that only show as a different message (spec/vectors/README.md, 2) have no case.
    probes = RULES.probes()
    named = [*probes.about.values(), *probes.shared.values(), *probes.seeded(["7.4/3"])]
    named += [row.cases for row in TRICKS.values()]
    named += [plan.cases for match in MATCHES for plan in match.seats if isinstance(plan, Style)]
    named += [f"6.{number}/1" for number in range(1, 11)]  # the default for playing a card
    named += ["7.2/1", "7.3/1"]  # the default for replies to an attack
    assert {case.id for case in CASES} <= {case for cases in named for case in cases.split()}


def test_what_is_looked_at_in_any_game_has_cases_in_the_game_alone() -> None:
    shared = Path(conformance.__file__).parent / "referee_side"
    ids = re.compile(r'"\d+\.\d+/\d+"')
    texts = {path: path.read_text() for path in shared.iterdir() if path.is_file()}
    assert [
        path for path, text in texts.items() if ids.search(text.replace('as "6.3/1"', ""))
    ] == []
    written = [*REPLIES, *(f"handshake {name}" for name in HANDSHAKES)]
    tricks = {name for name in RULES.probes().shared if name in written}
    assert tricks == {*written}
    code = "".join(text for path, text in texts.items() if path.suffix == ".py")
    assert [name for name in RULES.probes().shared.keys() - tricks if f'"{name}"' not in code] == []


def main(words: list[str]) -> int:
    """Play all matches with each mistake of the foreign referee and print what the reports name."""
    seats = int(words.pop(0)) if words and words[0] in ("2", "4") else 2
    other = 0
    for mode, sections, least in FOREIGN_MODES:
        if least > seats or (words and mode not in words):
            continue
        command = foreign(mode, TWO if seats == 2 else "{players}")
        report = trio.run(partial(conform, command, limit=60.0, rounds=4))
        named = ids(report)
        wrongly = [case for case in named if section(case) not in sections.split()]
        verdict = "passes" if report.conforms else "right"
        if wrongly and not report.conforms:
            verdict = "also" if len(wrongly) < len(named) else "wrong"
        other += verdict != "right"
        print(f"{verdict}: {mode} ({sections}): {' '.join(named)}", flush=True)
    return min(other, 1)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
