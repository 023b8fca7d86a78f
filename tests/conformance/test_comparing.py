"""Comparing matches: any output of a referee can be judged, and the report shows the mistake."""

from __future__ import annotations

import json
import shlex
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest
import trio
from msgspec import structs
from trio.testing import MockClock

from referee.conformance.referee_side import Template, experiment, playing
from referee.conformance.referee_side.cases import results
from referee.conformance.referee_side.comparing import (
    LINE_LIMIT,
    Compared,
    Deviation,
    _Comparison,
    compare,
)
from referee.conformance.referee_side.playing import run_probe_match
from referee.conformance.referee_side.processes import check_processes
from referee.conformance.referee_side.recording import (
    SPACES,
    Line,
    RecordedMatch,
    RecordedSeat,
    Reply,
    check_transcripts,
    read_line,
)
from referee.conformance.verdict import Result, Status, Violation
from referee.errors import UsageError
from referee.games.interface.probing import ProbeAction, ProbeMatch, ProbePlan
from tests.conformance.in_process import CASES, MATCHES, PAGE, RULES, another_package, play
from tests.support.helpers import TIMES
from tests.support.marks import slow

Json = dict[str, Any]
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
    """Copy a match, so that its received lines can be changed."""
    seats = [structs.replace(seat, received=[*seat.received]) for seat in match.seats]
    return structs.replace(match, seats=seats)


def spoilt(chance: Random, right: RecordedMatch) -> RecordedMatch:
    """Damage a random message of a match, in one seat or in all of them."""
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
                each.received[place] = read_line(new)
    return wrong


@pytest.mark.untraced
@pytest.mark.parametrize(
    ("names", "times"),
    [
        (("names-3",), 12),
        slow(("names-3", "exit-3", "militia-3", "remodel", "leave-attacked"), 80),
    ],
    ids=["some", "many"],
)
def test_whatever_is_sent_is_judged(names: tuple[str, ...], times: int) -> None:
    matches = right(*names)
    for match in matches:
        compared = compare(match, RULES, BY_ID[match.id])
        assert compared.deviations == []
        assert compared.stopped == ""
    known = {case.id for case in CASES}
    broken = Counter[str]()
    for seed in range(times * TIMES):
        chance = Random(seed)
        match = spoilt(chance, chance.choice(matches))
        compared = compare(match, RULES, BY_ID[match.id])
        assert len(compared.deviations) <= 1
        assert bool(compared.deviations) == bool(compared.stopped)
        for case in [case for departure in compared.deviations for case in departure.cases]:
            assert case in known or case.endswith("/departs")
            broken[case] += 1
    assert "1.1/2" in broken


def departs(name: str, change: Callable[[Json], Json | None], *, seat: int | None = None) -> Any:
    """Change a message of a match and return the deviation that the comparison finds.

    In each seat, only the first message that `change` affects is replaced.

    Args:
        change: Returns the changed message, or None to drop it.
        seat: The only seat that gets the changed message. None for all seats.
    """
    [match] = right(name)
    wrong = copied(match)
    for number, each in enumerate(wrong.seats):
        for place, line in enumerate(each.received if seat in (None, number) else ()):
            made = change(dict(line.message))
            if made != line.message:
                written = [] if made is None else [read_line(encode(made))]
                each.received[place : place + 1] = written
                break
    [departure] = compare(wrong, RULES, BY_ID[name]).deviations
    return departure


def encode(message: Json) -> bytes:
    return json.dumps(message, separators=(",", ":")).encode()


def of(kind: str, **fields: Any) -> Callable[[Json], Json]:
    return lambda message: {**message, **fields} if message["type"] == kind else message


def without(kind: str) -> Callable[[Json], Json | None]:
    return lambda message: None if message["type"] == kind else message


@pytest.mark.parametrize(
    ("name", "change", "seat", "cases"),
    [
        ("buys", without("player-gained"), None, "2.5/1"),
        ("buys", without("player-gained"), 1, "1.7/1"),
        ("buys", of("player-gained", gained="Silver"), None, "2.5/1"),
        ("buys", of("player-gained", player_number=1), None, "2.5/1"),
        ("pass", of("supply-info", cards=[]), None, "4.2/1"),
        ("money-3", of("supply-info", cards=[]), None, "4.2/2"),
        ("pass", of("play-turn", actions=2), 0, "4.4/1"),
        ("pass", of("play-turn", cards_played={}), 0, "2.11/2"),
        ("pass", of("player-top-discard", card="gold"), None, "5.1/2"),
        ("pass", of("player-top-discard", hand=["gold"]), 0, "1.7/2"),
        ("pass", of("game-end", winners=[]), None, "8.3/1"),
        ("money", of("game-end", winners=[]), None, "4.5/1"),
        ("money", of("game-end", scores=[0, 0]), None, "4.3/3 4.5/1"),
        ("names-3", of("player-name", name="?"), None, "3.2/1"),
        ("reveals", of("player-reveal", cards=[]), None, "7.3/1"),
        ("militia", of("attack-request", discard=1), None, "7.1/3"),
        ("pass", of("player-top-discard", type="weather"), None, "1.7/2"),
        ("money", without("game-end"), 0, "4.4/2"),
        ("buys", of("game-end", scores=[0, 0]), None, "4.3/3 4.5/1"),
    ],
)
def test_which_cases_a_line_breaks(
    name: str, change: Callable[[Json], Json | None], seat: int | None, cases: str
) -> None:
    assert departs(name, change, seat=seat).cases == tuple(cases.split())


@pytest.mark.parametrize(("seat", "cases"), [(1, ("7.2/1",)), (0, ("7.1/2",))])
def test_a_second_attack_request_is_about_the_reply_only_for_the_one_who_replied(
    seat: int, cases: tuple[str, ...]
) -> None:
    [match] = right("militia")
    wrong = copied(match)
    received = match.seats[1].received
    place, again = next(
        (place, line)
        for place, line in enumerate(received)
        if line.message["type"] == "attack-request"
    )
    if seat == 0:
        news = [line.text for line in received[:place] if line.message["type"] == "player-played"]
        place = [line.text for line in match.seats[0].received].index(news[-1])
    wrong.seats[seat].received.insert(place + 1, again)
    [departure] = compare(wrong, RULES, BY_ID["militia"]).deviations
    assert departure.cases == cases


@pytest.mark.parametrize(
    ("message", "seats", "cases"),
    [
        ({"type": "debug-hand", "player_number": "player2", "hand": ["gold"]}, [0], "1.7/2"),
        ({"type": "debug-hand", "player_number": "player2", "hand": ["gold"]}, [0, 1], "1.7/2"),
        ({"type": "weather", "text": "fine"}, [0, 1], "2/departs"),
        ({"type": "weather", "text": "fine"}, [1], "1.7/1"),
    ],
)
def test_a_message_of_a_type_that_the_page_does_not_know_departs(
    message: Json, seats: list[int], cases: str
) -> None:
    [match] = right("pass")
    wrong = copied(match)
    for seat in seats:
        wrong.seats[seat].received.insert(4, read_line(encode(message)))
    compared = compare(wrong, RULES, BY_ID["pass"])
    [departure] = compared.deviations
    assert departure.cases == tuple(cases.split())
    assert departure.violation.actual.endswith(encode(message).decode())
    assert compared.stopped == f"pass, line 5 to player{seats[0] + 1}"
    assert failing(compared) == {cases}


def test_another_field_and_a_number_with_a_point_are_no_departure() -> None:
    [match] = right("pass")
    wrong = copied(match)
    for seat in wrong.seats:
        lines = [line.message | {"hint": "none"} for line in seat.received]
        text = [encode(line).replace(b'"actions":1,', b'"actions":1.0,') for line in lines]
        seat.received = [read_line(each) for each in text]
    assert compare(wrong, RULES, BY_ID["pass"]).deviations == []


# --- each decision alone --------------------------------------------------------------------------


def comparison(*seats: RecordedSeat, exit_code: int | None = 0, **match: Any) -> Any:
    """Return a comparison whose match has ended, with these attributes."""
    recorded = RecordedMatch("pass", 1, [*seats, *[RecordedSeat()] * (2 - len(seats))], exit_code)
    made: Any = _Comparison(recorded, RULES, BY_ID["pass"], seeded=False)
    nothing: Json = {"start": lambda: None, "take_entries": list, "due": [], "disqualified": {}}
    made._match = SimpleNamespace(**{"in_handshake": False, **nothing, **match})
    return made


@pytest.mark.parametrize(
    ("line", "left", "taken"),
    [
        (b"x" * LINE_LIMIT, None, "received"),
        (b"x" * (LINE_LIMIT + 1), None, "output-limit"),
        (None, ProbeAction(cases=("8.2/1",), then="exit"), "exited"),
        (None, None, "exited"),
    ],
    ids=["limit", "above", "left", "silent"],
)
def test_what_a_reply_does_to_our_match(
    line: bytes | None, left: ProbeAction | None, taken: str
) -> None:
    action = left or ProbeAction(cases=("1.6/1",))
    replies = [] if line is None else [Reply(line, action)]
    said: list[str] = []
    made = comparison(
        RecordedSeat(replies=replies, left=left),
        receive=lambda seat, line: said.append("received"),
        disqualify=lambda seat, code, detail: said.append(code),
    )
    made._take_reply(0)
    assert said == [taken]
    assert made._last[0] == (action.cases if replies or left else ())


@pytest.mark.parametrize("winners", [[], [0]])
def test_a_match_without_a_winner_has_cases_of_its_own(winners: list[int]) -> None:
    outcome = SimpleNamespace(winners=winners)
    no_player, end = (set(RULES.probes().named(name)) for name in ("no player left", "end"))
    made = comparison(outcome=outcome)
    made.run()
    assert made.result.held >= set(BY_ID["pass"].shows)
    assert (made.result.held >= no_player) == (not winners)
    made = comparison(outcome=outcome, exit_code=None)
    with pytest.raises(Exception):  # noqa: B017, PT011 (a private class)
        made.run()
    (deviation,) = made.result.deviations
    assert set(deviation.cases) == (end if winners else no_player)


def test_a_line_is_right_if_it_says_the_same_without_a_secret() -> None:
    made = comparison()
    secret = sorted(made._probes.names)[0]
    for kind, right in (("supply-info", False), ("play-turn", True)):
        due = {"type": kind}
        assert made._is(Line(b"", due), due)
        assert not made._is(Line(b"", due, SPACES), due)
        assert made._is(Line(b"", {**due, "hint": 1}), due)
        assert made._is(Line(b"", {**due, secret: 1}), due) == right


def test_a_seat_reads_until_it_has_left_or_is_disqualified() -> None:
    line, left = Line(b"{}"), ProbeAction(then="exit")
    seats = RecordedSeat(), RecordedSeat(left=left)
    assert [comparison(*seats)._reads(seat) for seat in (0, 1)] == [True, False]
    seats = RecordedSeat(received=[line]), RecordedSeat(received=[line], left=left)
    assert [comparison(*seats)._reads(seat) for seat in (0, 1)] == [True, True]
    assert not comparison(*seats, disqualified={0: ""})._reads(0)


def test_a_deviation_of_the_handshake_has_no_request() -> None:
    start = departs("names-3", of("player-name", name="?"))
    assert (start.violation.request, start.violation.kind) == ("", "departure")
    last = departs("buys", without("player-gained"))
    assert '"type":"play-turn"' in last.violation.request


def test_another_seed_is_a_deviation_of_its_own() -> None:
    [match] = right("pass")
    other = structs.replace(match, seed=99)
    [deviation] = compare(other, RULES, BY_ID["pass"], seeded=True).deviations
    assert deviation.violation.kind == "seed"
    assert ", with the seed 99" in deviation.violation.expected


def test_a_line_that_is_missing_at_the_end_comes_after_the_last() -> None:
    [match] = right("pass")
    wrong = copied(match)
    wrong.seats[1].received.pop()
    result = compare(wrong, RULES, BY_ID["pass"])
    count = len(wrong.seats[1].received)
    assert result.stopped == f"pass, after line {count} to player2"
    assert result.deviations[0].cases != RULES.probes().named("same news")


# --- what all matches say together ------------------------------------------------------------


def departure(*cases: str, what: str = "play-turn hand") -> Deviation:
    return Deviation(cases, (what,), Violation("departure", "", "this", "that"))


def found(*every: Compared) -> dict[str, Result]:
    template = Template("r {player1} {player2}", 4)
    judged = results(CASES, CASES, template, every, PAGE, 1.0)
    return {result.id: result for result in judged}


def failing(*every: Compared) -> set[str]:
    return {id for id, result in found(*every).items() if result.status == Status.FAILED}


def compared(id: str, *deviations: Deviation, controls: str = "") -> Compared:
    match = ProbeMatch(id, (), (ProbePlan(), ProbePlan()), tuple(controls.split()))
    return Compared(
        match, RecordedMatch(id, 1, [RecordedSeat(), RecordedSeat()]), deviations=[*deviations]
    )


def test_what_a_control_has_as_well_is_not_counted_twice() -> None:
    control = compared("cellar", departure("6.1/1"))
    same = compared("faults", departure("6.1/2"), controls="pass cellar")
    other = compared("more", departure("6.1/3", what="supply-info missing"), controls="cel*")
    assert failing(control, same, other) == {"6.1/1", "6.1/3"}
    assert failing(same, other) == {"6.1/2", "6.1/3"}
    # No failure may get lost: a match can't be the control of an earlier one, or of another seed.
    assert failing(same, control) == {"6.1/1", "6.1/2"}
    again = compared("faults", departure("6.1/2"))
    again.match = same.match
    assert failing(again, same) == {"6.1/2"}
    every = (compared("faults", departure(f"6.1/{n}"), controls="*") for n in (1, 2))
    assert failing(*every) == {"6.1/1", "6.1/2"}


def test_all_cases_of_a_reply_fail_and_each_says_how_to_see_it_again() -> None:
    results = found(compared("woodcutter", departure("5.3/1", "6.9/1")))
    for case in ("5.3/1", "6.9/1"):
        assert results[case].again == ["--seed", "1", "--match", "woodcutter"]
        assert results[case].violations[0].section == case.partition("/")[0]


def test_what_belongs_to_no_case_is_reported_all_the_same_with_the_rule() -> None:
    for id in ("2.8", "2"):
        result = found(compared("smithy", departure(f"{id}/departs")))[f"{id}/departs"]
        assert result.status == Status.FAILED
        (violation,) = result.violations
        assert violation.section == id
    assert found(compared("smithy", departure("2.8/departs")))["2.8/departs"].violations[0].rule


def test_a_failure_counts_its_matches_and_a_known_case_needs_no_rule() -> None:
    result = found(compared("a", departure("6.1/1")), compared("b", departure("6.1/1")))["6.1/1"]
    assert (result.counts, result.violations[0].rule) == ({"departure": 2}, "")


def test_a_deal_is_not_seen_in_one_match() -> None:
    deal = Deviation(("2.7/1",), "deal", Violation("deal", "", "this", "that"))
    assert found(compared("a", deal))["2.7/1"].again == ["--seed", "1"]


def test_what_is_held_passes_only_if_the_command_has_the_seats() -> None:
    held = compared("a")
    held.held |= {"8.3/2", "8.3/1"}
    results = found(held)
    assert (results["8.3/1"].status, results["8.3/2"].status) == ("passed", "skipped")


def test_the_first_match_may_have_stopped_before_a_case() -> None:
    first, second = compared("a"), compared("b")
    second.stopped = "b, line 1 to player1"
    assert found(first, second)["6.1/1"].why == "never came up"
    seeded = Template("r {players} {seed}", 4)
    (result,) = [r for r in results(CASES, CASES, seeded, [first], PAGE, 1.0) if r.id == "4.7/2"]
    assert result.why == "never came up"
    assert found(second, first)["6.1/1"].why == "departed before, at b, line 1 to player1"


def test_only_cases_that_were_chosen_or_failed_are_reported() -> None:
    template = Template("r {player1} {player2}", 4)
    assert results(CASES, [], template, [], PAGE, 1.0) == []
    every = results(CASES, CASES[:2], template, [compared("a", departure("6.1/1"))], PAGE, 1.0)
    assert [result.id for result in every] == [CASES[0].id, CASES[1].id, "6.1/1"]
    assert {result.seconds for result in every} == {0.333}


def test_a_case_that_needs_more_seats_fails_all_the_same() -> None:
    assert failing(compared("leave", departure("8.3/2"))) == {"8.3/2"}


def test_a_case_that_no_match_covers_may_be_met_in_any() -> None:
    template = Template("r {player1} {player2}", 4)
    few = experiment._selected(template, RULES, (), ("8.3/1",))
    every = experiment._selected(template, RULES, (), ())
    assert len(few) < len(every)
    assert experiment._selected(template, RULES, (), ("8.3/1", "1.1/99")) == every


def test_the_conversations_of_an_earlier_run_may_be_replaced(tmp_path: Path) -> None:
    recorded = RecordedMatch("pass", 1, [RecordedSeat(), RecordedSeat()], stderr=["last words"])
    recorded.keep(tmp_path)
    check_transcripts(tmp_path, force=False)
    (tmp_path / "pass" / "player3.txt").write_text("a file of somebody else")
    with pytest.raises(UsageError, match="would be replaced"):
        check_transcripts(tmp_path, force=False)


# --- processes --------------------------------------------------------------------------------


@pytest.mark.parametrize(("groups", "waits"), [(["1 1", ""], True), (["1 1", "2 2"], False)])
async def test_all_relays_may_connect_before_they_are_killed(
    groups: list[str], waits: bool, autojump_clock: MockClock
) -> None:
    probes: Any = [SimpleNamespace(seat=SimpleNamespace(group=group)) for group in groups]
    began = trio.current_time()
    await playing._Room(probes).wait_for_relays()
    assert (trio.current_time() > began) == waits


async def test_a_frame_may_be_empty_or_come_in_parts() -> None:
    ours, theirs = trio.testing.memory_stream_pair()
    async with trio.open_nursery() as nursery:
        for part in (b"E\0\0\0\0R\0\0", b"\0\1", b"xB\0\0\0\0"):
            await theirs.send_all(part)
        await theirs.aclose()
        frames = [frame async for frame in playing._frames(ours)]  # type: ignore[arg-type]
        nursery.cancel_scope.cancel()
    assert frames == [(b"E", b""), (b"R", b"x"), (b"B", b"")]


@pytest.mark.parametrize(
    ("place", "used"), [("x" * 80, "x" * 80), ("x" * 81, "/tmp"), ("\u00e9" * 41, "/tmp")]
)
def test_a_long_folder_is_not_used_for_a_socket(
    place: str, used: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def folder(prefix: str, dir: str) -> str:
        if not dir:
            raise PermissionError(13, "Permission denied")
        return dir

    monkeypatch.setattr(playing.tempfile, "TemporaryDirectory", folder)
    monkeypatch.setattr(playing.tempfile, "gettempdir", lambda: place)
    assert playing._folder_for_socket() == used
    monkeypatch.setattr(playing.tempfile, "gettempdir", str)
    with pytest.raises(UsageError, match="Permission denied: set TMPDIR"):
        playing._folder_for_socket()


async def test_one_that_is_stopped_leaves_no_probe_behind() -> None:
    program = "import shlex, signal, subprocess, sys\n"
    program += "subprocess.run(shlex.split(sys.argv[1]))\nsignal.pause()"
    command = shlex.join([sys.executable, "-c", program]) + " {player1} {player2}"
    recorded = await run_probe_match(Template(command, 4), RULES, BY_ID["money"], seed=1, limit=2.0)
    assert recorded.exit_code is None
    compared = compare(recorded, RULES, BY_ID["money"])
    assert [departure.cases for departure in compared.deviations] == [("2.1/1",)]


@pytest.mark.slow
async def test_bots_that_are_left_behind_are_seen() -> None:
    wrong = str(Path(__file__).parent / "wrong_referee.py")
    command = shlex.join([sys.executable, wrong, "bots are left behind"]) + " {players}"
    recorded = await run_probe_match(
        Template(command, 4), RULES, BY_ID["stays"], seed=1, limit=30.0
    )
    assert [seat.outlived for seat in recorded.seats] == [False, True]
    assert recorded.exit_code == 0
    judged = Compared(BY_ID["stays"], recorded)
    check_processes(judged, RULES.probes())
    assert {departure.cases for departure in judged.deviations} == {("8.4/3",), ("8.4/4",)}
