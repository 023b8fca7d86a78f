"""Conformance cases of Bot Wars: correct bots pass, and each faulty bot fails the right case."""

from __future__ import annotations

import json
import shlex
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest

from referee.bots.command import BotCommand, BotSource, PythonBot, find_bot
from referee.bots.in_process import InProcessBot
from referee.conformance.case import load_cases, select
from referee.conformance.suite import Suite, why_skipped
from referee.conformance.verdict import Report, Status
from referee.games import GAMES
from tests.support import servers
from tests.support.conforming import PATIENT, failed
from tests.support.helpers import ROOT, name_line, seat_of, to_line

RULES = GAMES["botwars"]
CASES = load_cases(RULES).cases


async def report(bot: BotSource, patterns: Sequence[str] = ()) -> Report:
    suite = Suite(select(CASES, patterns), bot, RULES, seed=1, limits=PATIENT)
    return await suite.run(strict=True)


def not_passed(report: Report) -> list[str]:
    """The ids of the cases that were tried without success."""
    fine = (Status.PASSED, Status.SKIPPED)
    return [result.id for result in report.cases if result.status not in fine]


SOME = [case.id for case in CASES if case.basic or case.section[0] in "56" or case.id[-2:] == "/1"]


def walker() -> str:
    program = ROOT / "example_bots" / "botwars" / "classic_walker.py"
    return "classic:" + shlex.join([sys.executable, "-I", "-S", str(program)])


@pytest.mark.slow
@pytest.mark.parametrize("cases", [SOME, pytest.param([], marks=pytest.mark.all_cases)])
async def test_a_classic_bot_conforms(cases: list[str]) -> None:
    found = await report(find_bot(walker(), "botwars"), cases)
    assert not_passed(found) == []
    assert found.passed > 20
    passed = {result.id for result in found.cases if result.status == Status.PASSED}
    assert {"1.1/6", "6.1/1", "6.1/2", "6.2/1", "8.4/1"} <= passed


@pytest.fixture(scope="module")
def gatherer() -> Iterator[str]:
    program = ROOT / "example_bots" / "botwars" / "http_gatherer.py"
    with subprocess.Popen([sys.executable, str(program), "0"], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        yield process.stdout.readline().decode().strip()
        process.terminate()


@pytest.mark.slow
@pytest.mark.parametrize(("dialect", "own"), [("", "7.2/1"), ("classic-form:", "6.3/1")])
async def test_a_server_conforms(dialect: str, own: str, gatherer: str) -> None:
    found = await report(find_bot(dialect + gatherer, "botwars"), SOME)
    assert not_passed(found) == []
    assert own in {result.id for result in found.cases if result.status == Status.PASSED}
    skipped = {result.id: result.why for result in found.cases if result.status == Status.SKIPPED}
    assert skipped.keys() >= {"1.1/6", "6.2/1", "8.4/1"}
    assert all(skipped.values())


def moves(mode: str, state: Any, me: str) -> list[Any]:
    """Move every botlet one cell to the right, if it's not at the edge."""
    cols = 20 if mode == "20 columns" else state["cols"]
    own = [cell for cell, what in enumerate(state["grid"]) if what == me]
    if (mode == "needs energy" and "*" not in state["grid"]) or (
        mode == "needs a botlet" and not own
    ):
        return [None]
    if mode == "out of the grid":
        return [{"from": cell, "to": cell + 1} for cell in own]
    if mode == "moves everybody":
        own = [cell for cell, what in enumerate(state["grid"]) if what in "rb"]
    if mode == "moves its spawn point":
        own.append(state["p1" if me == "r" else "p2"]["spawn"])
    if mode == "moves twice":
        own *= 2
    return [{"from": cell, "to": cell + 1} for cell in own if cell % cols < cols - 1]


class Mistaken:
    """A bot as a Python object with one mistake."""

    def __init__(self, mode: str) -> None:
        self._mode = mode

    def reply(self, lines: Sequence[bytes]) -> bytes:
        request = json.loads(lines[-1])
        if request["type"] == "player-name-request":
            return name_line(seat_of(request["player_number"]))
        me = "r" if self._mode == "always red" else request["player"]
        chosen = moves(self._mode, request["state"], me)
        if self._mode == "strings":
            chosen = [{key: str(move[key]) for key in move} for move in chosen]
        if self._mode == "pairs":
            chosen = [[move["from"], move["to"]] for move in chosen]
        kind = "moves-reply" if self._mode == "other type" else "move-reply"
        return to_line(chosen if self._mode == "bare array" else {"type": kind, "moves": chosen})


MODES = {
    "bare array": ["5.1/1", "5.1/2"],
    "other type": ["5.1/1"],
    "strings": ["5.1/1", "5.1/2", "5.1/3"],
    "pairs": ["5.1/1", "5.1/2", "5.1/3"],
    "needs energy": ["4.2/1", "4.3/4"],
    "needs a botlet": ["4.2/1", "4.2/2"],
    "moves its spawn point": ["4.2/3"],
    "always red": ["2.4/2"],
    "moves everybody": ["2.4/1", "2.4/2"],
    "20 columns": ["5.2/1"],
    "out of the grid": ["5.2/1", "5.2/2"],
    "moves twice": ["5.2/3", "5.2/4", "5.2/5"],
}
"""The mistakes of the game itself. Those in any game's messages are among Dominion's wrong bots."""


class ClassicMistake:
    """A classic bot as a Python object. `answer` turns the decoded request into the reply."""

    def __init__(self, answer: Callable[[Any], Any]) -> None:
        self._answer = answer

    def reply(self, lines: Sequence[bytes]) -> bytes:
        (line,) = lines  # A classic bot gets no handshake and no public messages.
        asked = json.loads(line)
        assert asked.keys() == {"player", "state", "gameId"}
        return json.dumps(self._answer(asked)).encode()


def without_32_bits(asked: Any) -> Any:
    return [] if asked["gameId"] < 2**31 else "overflow"


CLASSIC = {
    "right": (lambda asked: [], []),
    "a canonical reply": (lambda asked: {"type": "move-reply", "moves": []}, ["4.2/1", "6.1/1"]),
    "null when there is nothing to move": (
        lambda asked: [] if asked["player"] in asked["state"]["grid"] else None,
        ["4.2/1"],
    ),
    "a gameId of 32 bits": (without_32_bits, ["6.1/2"]),
}


@pytest.mark.parametrize("mistake", CLASSIC)
async def test_a_wrong_classic_bot_fails_its_cases(mistake: str) -> None:
    answer, failing = CLASSIC[mistake]
    bot = PythonBot(mistake, lambda: InProcessBot(ClassicMistake(answer)), "classic")
    found = await report(bot, ["4.2/1", "6.1/1", "6.1/2", "6.2/1", "8.4/1"])
    assert [r.id for r in found.cases if r.status == Status.FAILED] == failing
    for result in found.cases:
        if result.status == Status.FAILED:
            (violation,) = result.violations
            assert (violation.kind, violation.section) == ("bad-format", "5.3")
            # Shown in the classic format, as the bot received it.
            assert violation.conversation[-2].startswith('> {"player":')
            # And the reply exactly as the bot wrote it.
            assert violation.conversation[-1] == f"< {violation.reply}"


@pytest.mark.slow
async def test_what_a_wrong_format_kept_from_being_tried_has_not_passed() -> None:
    """A badly formatted reply ends the match at once (5.3), so later cases can't be judged."""
    bot = PythonBot("object", lambda: InProcessBot(ClassicMistake(lambda asked: {})), "classic")
    found = await report(bot)
    assert [r.id for r in found.cases if r.status == Status.FAILED] == ["4.2/1", "4.2/2", "6.1/1"]
    assert not found.passed
    for result in found.cases:
        if result.status == Status.NOT_JUDGED:
            assert result.because == ["4.2/1", "4.2/2", "6.1/1"]


async def test_a_classic_program_that_cannot_be_started() -> None:
    found = await report(BotCommand("bot", ("/no/such/program",), "classic"))
    assert [r.id for r in found.cases if r.status == Status.FAILED] == ["6.2/1"]


SERVERS = {
    "an error": (servers.response(b"", status="500 Oops"), "http-status", "3.4/1", "6.3/1"),
    "cut off": (servers.response(b"[]")[:-1], "http-error", "3.4/1", "6.3/1"),
    "too much": (servers.response(b"[%s]" % (b" " * 2**20)), "output-limit", "1.3/1", "1.3/1"),
}


@pytest.mark.parametrize("what", SERVERS)
async def test_a_broken_server_is_found_by_what_it_does(what: str) -> None:
    answer, kind, canonical, classic = SERVERS[what]
    with servers.server(servers.always(answer, keep=False)) as server:
        for dialect, id in (("", canonical), ("classic:", classic)):
            found = await report(find_bot(dialect + server.url, "botwars"), [id])
            ((violation,),) = [result.violations for result in found.cases]
            assert (violation.kind, violation.section) == (kind, "http-bots.md 3")
            assert found.failed == 1


async def test_a_page_of_html_is_no_reply() -> None:
    page = servers.response(b"<html>\n</html>\n")
    with servers.server(servers.always(page)) as server:
        for dialect, kind, section, id in (
            ("", "no-json", "1.1", "1.1/2"),
            ("classic-form:", "bad-format", "5.3", "6.1/1"),
        ):
            found = await report(find_bot(dialect + server.url, "botwars"), [id])
            ((violation,),) = [result.violations for result in found.cases]
            assert (violation.kind, violation.section) == (kind, section)
            assert found.failed == 1


@pytest.mark.parametrize(("dialect", "id"), [("", "3.4/1"), ("classic:", "6.3/1")])
async def test_nobody_listens(dialect: str, id: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    found = await report(find_bot(f"{dialect}http://127.0.0.1:{port}/", "botwars"))
    (case,) = [result for result in found.cases if result.status == Status.FAILED]
    assert case.id == id
    assert case.violations[0].actual == "no connection: refused"
    assert not found.passed


async def test_a_server_that_fails_in_a_later_turn() -> None:
    """The server has to fail in turn 3 of every match, since each case plays a whole match."""
    turns = 0

    def behave(connection: socket.socket, body: bytes) -> bool:
        nonlocal turns
        asked = json.loads(body.splitlines()[-1])
        number = asked.get("player_number")
        reply = {"type": "player-name-reply", "player_number": number, "name": "", "version": 1}
        if asked["type"] == "game-end":
            turns = 0
        if asked["type"] == "move-request":
            reply = {"type": "move-reply", "moves": []}
            turns += 1
        status = "500 Oops" if turns > 2 else "200 OK"
        connection.sendall(servers.response(json.dumps(reply).encode(), status=status))
        return True

    with servers.server(behave) as server:
        found = await report(find_bot(server.url, "botwars"), ["3.4/1", "4.2/1", "7.2/1"])
    assert not_passed(found) == ["7.2/1"]


async def test_a_bot_without_its_dialect_is_told_how_to_give_it() -> None:
    plain = find_bot(walker().removeprefix("classic:"), "botwars")
    found = await report(plain, ["3.4/1"])
    ((violation,),) = [result.violations for result in found.cases]
    assert f'if it speaks a dialect, give it as "{walker()}"' in violation.expected


def mistaken(mode: str) -> PythonBot:
    return PythonBot(mode, lambda: InProcessBot(Mistaken(mode)))


@pytest.mark.parametrize("mode", MODES)
async def test_a_wrong_bot_fails_its_cases(mode: str) -> None:
    for case in MODES[mode]:
        assert await failed(mistaken(mode), "botwars", [case]) == [case]


async def test_the_bot_without_a_mistake_passes() -> None:
    cases = sorted({case for cases in MODES.values() for case in cases})
    assert await failed(mistaken("none"), "botwars", cases) == []


def test_what_a_case_is_compared_with_is_tried_wherever_it_is() -> None:
    by_id = {case.id: case for case in CASES}
    for case in CASES:
        for dialect in ("", *RULES.dialects):
            bot = BotCommand("bot", ("bot",), dialect)
            if case.control and not why_skipped(case, bot):
                assert why_skipped(by_id[case.control], bot) == "", case.id


def test_what_a_case_speaks_is_spoken() -> None:
    assert {case.speaks for case in CASES} == {"", "*", "classic*"}
    assert set(RULES.dialects) == {"classic", "classic-form"}


def test_the_situations_are_of_the_size_of_their_options() -> None:
    file = json.loads(RULES.cases())  # type: ignore[misc]
    for case in file["cases"]:
        if "situation" in case:
            options = file["options"] | case.get("options", {})
            grid = case["situation"]["grid"]
            assert len(grid) == options["rows"], case["id"]
            assert {len(row) for row in grid} == {options["cols"]}, case["id"]
