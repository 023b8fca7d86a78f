"""Which cases run for which kind of bot, and how a report lists the others."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any
from xml.etree import ElementTree

import jsonschema
import msgspec
import pytest

from referee.bots.bot import Answer, Failure
from referee.bots.command import BotAddress, BotCommand, BotSource, PythonBot
from referee.bots.in_process import InProcessBot
from referee.conformance.case import Case, Close, load_cases
from referee.conformance.driver import ConformanceLimits
from referee.conformance.junit import junit
from referee.conformance.page import page
from referee.conformance.suite import Suite, why_skipped
from referee.conformance.text import TextReport
from referee.conformance.verdict import Report, Status
from referee.games.dominion import RULES
from referee.games.interface.faults import Disqualification
from tests.support import servers
from tests.support.live import schema
from tests.support.marks import slow

FILE = load_cases(RULES)
PROCESS = BotCommand("bot", ("bot",))
ADDRESS = BotAddress("http://bot/", "http://bot/")


class Minimal:
    """Replies to every request of Dominion with a move that does nothing."""

    def reply(self, lines: list[bytes]) -> Answer:
        return answer(lines[-1])


def answer(request: bytes) -> bytes:
    asked = json.loads(request)
    match asked["type"]:
        case "player-name-request":
            number = asked["player_number"]
            reply = {"type": "player-name-reply", "player_number": number, "name": "", "version": 1}
        case "attack-request":
            reply = {"type": "attack-reply", "discard": asked["options"][: asked["discard"]]}
        case _:
            reply = {"type": "play-reply", "phase": "cleanup"}
    return json.dumps(reply).encode()


PATIENT = ConformanceLimits(timeout=60.0)
OBJECT = PythonBot("object", lambda: InProcessBot(Minimal()))


def case(**fields: Any) -> Case:
    return Case("8.1/1", "Something.", **fields)


@pytest.mark.parametrize("bot", [PROCESS, ADDRESS, OBJECT])
@pytest.mark.parametrize(
    "fields",
    [{}, {"about": ["timeout", "surplus-output"]}, {"about": ["no-json", "no-line-end"]}],
)
def test_what_each_kind_of_bot_can_do_wrong_is_tried(
    bot: BotSource, fields: dict[str, Any]
) -> None:
    assert why_skipped(case(**fields), bot) == ""


@pytest.mark.parametrize("bot", [ADDRESS, OBJECT])
@pytest.mark.parametrize(
    "fields",
    [
        {"close": Close("first")},
        {"exits": "grace"},
        {"pieces": 3},
        {"about": ["no-flush"]},
        {"about": ["unasked-output", "surplus-output"]},
        {"about": ["not-started"]},
    ],
)
def test_what_is_of_processes_is_tried_with_them_alone(
    bot: BotSource, fields: dict[str, Any]
) -> None:
    assert why_skipped(case(**fields), PROCESS) == ""
    assert why_skipped(case(**fields), bot) == "only for processes"


def test_what_is_of_servers_is_tried_with_them_alone() -> None:
    about = case(about=["http-status", "unreachable"])
    assert why_skipped(about, ADDRESS) == ""
    assert why_skipped(about, PROCESS) == why_skipped(about, OBJECT) == "only for bots behind HTTP"


@pytest.mark.parametrize(
    ("speaks", "tried", "why"),
    [
        (
            "",
            [
                "",
            ],
            "only for bots that speak the game's own messages",
        ),
        ("*", ["", "classic", "classic-form"], ""),
        ("classic*", ["classic", "classic-form"], "only for bots that speak classic"),
        ("classic-form", ["classic-form"], "only for bots that speak classic-form"),
    ],
)
def test_a_case_is_for_what_it_speaks(speaks: str, tried: list[str], why: str) -> None:
    for dialect in ("", "classic", "classic-form"):
        found = why_skipped(case(speaks=speaks), PROCESS._replace(dialect=dialect))
        assert found == ("" if dialect in tried else why)


async def run(bot: BotSource, limits: ConformanceLimits = PATIENT, every: int = 1) -> Report:
    cases = [case for case in FILE.cases if not case.opponents][::every]
    suite = Suite(cases, bot, RULES, seed=1, limits=limits)
    return await suite.run(strict=True)


@pytest.mark.parametrize(("every", "most"), [(10, 5), slow(1, 50)])
async def test_a_server_is_tried_with_all_but_what_is_of_processes(every: int, most: int) -> None:
    def behave(connection: Any, body: bytes) -> bool:
        last = body.splitlines()[-1]
        news = json.loads(last)["type"] in ("game-end", "supply-info")
        connection.sendall(servers.response(b"" if news else answer(last)))
        return True

    with servers.server(behave) as server:
        report = await run(BotAddress(server.url, server.url), every=every)
    assert (report.failed, report.not_judged) == (0, 0)
    assert report.passed > most
    assert report.conforms
    ends = [request for request in server.requests if b'"type":"game-end"' in request.body]
    assert len(ends) > most  # the bot gets the end of each match


def words_of(lines: Iterable[str]) -> str:
    """Join the lines of a text, so that we can search it for phrases."""
    return " ".join(" ".join(lines).split())


@pytest.mark.slow
async def test_what_was_skipped_is_told_in_every_form() -> None:
    report = await run(OBJECT, every=2)
    assert (report.failed, report.not_judged) == (0, 0)
    skipped = {result.id: result.why for result in report.cases if result.status == Status.SKIPPED}
    assert report.skipped == len(skipped)
    assert report.passed == len(report.cases) - len(skipped)
    assert skipped["1.1/1"] == "only for processes"
    told = json.loads(msgspec.json.encode(report))
    jsonschema.Draft202012Validator(schema("conformance-report")).validate(told)
    assert {c["id"]: c["why"] for c in told["cases"] if c["status"] == "skipped"} == skipped
    suites = ElementTree.fromstring(junit(report, FILE.chapters))
    assert suites.get("skipped") == str(len(skipped))
    assert {e.get("message") for e in suites.iter("skipped")} == {"only for processes"}
    text = TextReport(FILE.chapters, width=80, colour=False)
    lines = list(text.listed(report.cases))
    assert sum(line.startswith("  -     ") for line in lines) == len(skipped)
    reasons = words_of(text.unjudged(report.cases))
    assert "more skipped: only for processes" in reasons
    assert f"{len(skipped)} skipped" in words_of(text.verdict(report))
    # once per skipped case, and in one summary
    assert page(report, FILE.chapters).count("only for processes") == len(skipped) + 1


@pytest.mark.parametrize(
    ("code", "kind"),
    [("timeout", "no-reply"), ("exited", "not-started"), ("output-limit", "output-limit")],
)
async def test_an_object_that_fails(code: str, kind: str) -> None:
    class Failing:
        def reply(self, lines: object) -> Answer:
            return Failure(Disqualification(code), "as it does")

    report = await run(PythonBot("failing", lambda: InProcessBot(Failing())))
    shown = [v for result in report.cases for v in result.violations]
    assert {(violation.kind, violation.actual) for violation in shown} == {(kind, "as it does")}
    assert not report.passed


async def test_a_server_that_never_answers() -> None:
    def behave(connection: object, body: bytes) -> bool:
        return not server.over.wait()

    with servers.server(behave) as server:
        report = await run(BotAddress(server.url, server.url), ConformanceLimits(timeout=2.0))
        server.over.set()
    (failed,) = [result for result in report.cases if result.status == Status.FAILED]
    (violation,) = failed.violations
    assert failed.id == "3.4/1"
    assert (violation.kind, violation.section) == ("no-reply", "http-bots.md 3")
    assert len(server.requests) == 2  # it was tried twice, in case the machine was too busy
