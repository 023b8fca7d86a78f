"""A person's seat: who may use it, what its page receives, and which answers are accepted."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from functools import partial
from http.cookies import SimpleCookie
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx
import msgspec
import pytest
import trio
import trio.testing

from referee import cli
from referee.bots.command import HUMAN, BotSource, find_bot
from referee.bots.person import PersonBot
from referee.bots.processes.launch import launch_bots
from referee.errors import UsageError
from referee.games.interface.dialogue import Choice, Question
from referee.match.spec import match_spec
from referee.runner import play_once
from referee.web.server import games, seat
from referee.web.server.app import Site
from referee.web.server.games import Games
from referee.web.server.library import Library
from referee.web.server.seat import (
    END_SECONDS,
    POLL_SECONDS,
    Answered,
    LiveSeat,
    MatchSession,
    Refused,
    Seats,
    links_beside,
)
from tests.support import toy

URL = "http://127.0.0.1:8000"
SHORT = {"max_turns": 2}


class Visitor:
    """A browser tab that shows a seat."""

    def __init__(self, app: Any, link: str, tab: str = "a") -> None:
        self.client = httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url=URL)
        self.at, _, self.token = link.partition("#")
        self.tab = tab
        self.run = ""
        self.next = 0
        self.done = 0  # number of the question that was answered last
        self.events: list[dict[str, Any]] = []

    async def post(self, path: str, body: object, **options: Any) -> httpx.Response:
        return await self.client.post(f"{self.at}/{path}", json=body, **options)

    async def enter(self) -> httpx.Response:
        return await self.post("enter", {"tab": self.tab, "token": self.token})

    async def listen(self, *, wait: bool = True) -> httpx.Response:
        query = {"run": self.run, "after": self.next, "tab": self.tab, "wait": int(wait)}
        answer = await self.client.get(f"{self.at}/events", params=query)
        if answer.status_code == 200:
            news = answer.json()
            self.run, self.next = news["run"], news["next"]
            self.events += news["events"]
        return answer

    async def asked(self) -> Any:
        """Return the number of the open request and its question, or None if the match is over."""
        while True:
            for event in reversed(self.events):
                if event["type"] in ("end", "gone"):
                    return None
                if event["type"] == "question":
                    if event["question"] is not None and event["request"] > self.done:
                        return event["request"], event["question"]
                    break
            assert (await self.listen()).status_code == 200

    async def answer(self, request: int, picks: object, **other: Any) -> httpx.Response:
        body = {"tab": self.tab, "run": self.run, "request": request, "picks": picks, **other}
        answer = await self.post("answer", body)
        if answer.status_code == 200:
            self.done = request
        return answer

    async def play(self) -> None:
        """Answer every question without picking anything."""
        while (asked := await self.asked()) is not None:
            assert (await self.answer(asked[0], [])).status_code == 200

    def of(self, kind: str) -> list[dict[str, Any]]:
        return [event for event in self.events if event["type"] == kind]


class Playing:
    """A match with human seats that is being played."""

    def __init__(self, sitting: MatchSession) -> None:
        self.sitting = sitting
        self.app = Site(Library([]), more=Seats([sitting]).routes()).app()

    def visitor(self, number: int = 0, tab: str = "a") -> Visitor:
        return Visitor(self.app, self.sitting.links()[number], tab)


@asynccontextmanager
async def playing(
    *bots: str, game: str = "dominion", seed: int = 3, options: Mapping[str, Any] = SHORT
) -> AsyncIterator[Playing]:
    sitting = MatchSession(game, bots)
    sources: list[BotSource] = [
        sitting.person(number) if bot == "human" else find_bot(bot, game)
        for number, bot in enumerate(bots)
    ]
    spec = match_spec(bots, game=game, seed=seed, options=options)
    it = Playing(sitting)
    with launch_bots(sources, spec.limits) as started:
        async with trio.open_nursery() as nursery:

            async def play() -> None:
                watch = partial(sitting.watch, spec)
                sitting.end(spec, await play_once(spec, started, watch=watch))

            nursery.start_soon(play)
            yield it
            nursery.cancel_scope.cancel()


def problem(answer: httpx.Response) -> str:
    text: str = answer.json()["problem"]
    return text


# --- a whole match --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("game", "bots", "options"),
    [
        ("dominion", ("human", "smithy.json"), {"max_turns": 2}),
        ("botwars", ("gatherer", "human"), {"max_turns": 4}),
    ],
)
async def test_the_page_is_sent_what_the_seat_was_sent(
    game: str, bots: tuple[str, str], options: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    pushed: list[bytes] = []
    push = PersonBot.push
    monkeypatch.setattr(
        PersonBot, "push", lambda bot, lines: push(bot, pushed.append(lines) or lines)
    )
    number = bots.index("human")
    async with playing(*bots, game=game, options=options) as match:
        visitor = match.visitor()
        await visitor.enter()
        await visitor.play()
        ((first, whole), steps) = visitor.of("reset"), visitor.of("steps")
        made = match.sitting.seats[number]._steps.turns
        turns = {turn.turn: json.loads(msgspec.json.encode(turn)) for turn in made}
    parts = [first, *steps]
    lines = [line for part in parts for line in part["lines"]]
    sent = "".join(f"{text}\n" for kind, _, text in lines if kind in ("all", "sent"))
    # The last lines of the match are only in the page of the whole match.
    assert b"".join(pushed).startswith(sent.encode())
    assert sent.count("\n") > 10
    assert {(kind, to) for kind, to, _ in lines} <= {
        ("all", None),
        ("sent", number),
        ("received", number),
    }
    assert first["header"]["seed"] is None
    assert first["header"]["viewers"] == [str(number)]
    assert [seat["bot"] for seat in first["header"]["seats"]] == ["", ""]
    views = {viewer for part in parts for step in part["steps"] for viewer in step.get("set", {})}
    assert views == {str(number)}
    assert not any("time" in step for part in parts for step in part["steps"])
    told: dict[int, Any] = {}
    for turn in (turn for part in steps for turn in part["turns"]):  # each only when it changes
        assert told.get(turn["turn"]) != turn
        told[turn["turn"]] = turn
    assert len(told) > 1
    assert {turn: turns[turn] for turn in told} == told
    # When it is over, everything is shown.
    assert whole["header"]["viewers"][0] == "all"
    assert whole["header"]["seed"] == 3
    assert whole["header"]["outcome"] == visitor.of("end")[0]["header"]["outcome"]


async def test_two_people() -> None:
    async with playing("human", "human", game="botwars", options={"max_turns": 2}) as match:
        one, other = match.visitor(0), match.visitor(1)
        async with trio.open_nursery() as nursery:
            for visitor in (one, other):
                await visitor.enter()
                nursery.start_soon(visitor.play)
        assert one.of("end") == other.of("end")
        assert one.of("reset")[0]["header"]["viewers"] == ["0"]
        assert (await one.client.get(f"{other.at}/events")).status_code == 403


async def test_who_leaves_is_out_and_sees_the_end() -> None:
    async with playing("human", "smithy.json") as match:
        visitor = match.visitor()
        await visitor.enter()
        request, _ = await visitor.asked()
        assert (await visitor.answer(request, None)).status_code == 200
        assert await visitor.asked() is None
        assert visitor.of("end")[0]["header"]["outcome"]["reason"] == "last-player-standing"


# --- who has a seat -------------------------------------------------------------------------------


async def test_a_token_becomes_a_cookie_of_this_seat_alone() -> None:
    async with playing("human", "smithy.json") as match:
        visitor = match.visitor()
        # Anybody can load the page, but without the token it has no data.
        assert (await visitor.client.get(visitor.at)).status_code == 200
        for wrong in ("", "x" * 22, "\ud800", visitor.token[:-1]):
            answer = await visitor.client.post(
                f"{visitor.at}/enter",
                content=json.dumps({"tab": "a", "token": wrong}),
                headers={"content-type": "application/json"},
            )
            assert answer.status_code in (403, 422)
            assert "set-cookie" not in answer.headers
        assert (await visitor.listen()).status_code == 403
        assert (await visitor.answer(1, [])).status_code == 403
        answer = await visitor.enter()
        cookie = SimpleCookie(answer.headers["set-cookie"])["seat"]
        assert cookie.value == visitor.token
        assert not cookie["secure"]
        assert (cookie["path"], cookie["httponly"], cookie["samesite"]) == (
            visitor.at,
            True,
            "strict",
        )
        assert len(visitor.token) == 22  # 128 bits
        assert match.sitting.seats[0].digest == hashlib.sha256(visitor.token.encode()).hexdigest()
        token, visitor.token = visitor.token, ""  # after a reload, there's only the cookie
        assert (await visitor.enter()).status_code == 200
        answer = await visitor.client.post(
            str(visitor.client.base_url.copy_with(scheme="https")).rstrip("/")
            + f"{visitor.at}/enter",
            content=json.dumps({"tab": "a", "token": token}),
            headers={"content-type": "application/json"},
        )
        assert SimpleCookie(answer.headers["set-cookie"])["seat"]["secure"]


async def test_the_newest_tab_has_the_seat_and_the_other_is_told() -> None:
    async with playing("human", "smithy.json") as match:
        old, new = match.visitor(tab="old"), match.visitor(tab="new")
        await old.enter()
        request, _ = await old.asked()
        told: list[httpx.Response] = []
        async with trio.open_nursery() as nursery:

            async def wait() -> None:
                told.append(await old.listen())

            nursery.start_soon(wait)
            await trio.testing.wait_all_tasks_blocked()
            await new.enter()
        assert [event["type"] for event in told[0].json()["events"]] == ["moved"]
        await new.asked()
        assert "open in another tab" in problem(await old.answer(request, []))
        assert (await new.answer(request, [])).status_code == 200
        await old.enter()
        old.next, old.events = 0, []
        assert (await old.asked())[0] > request


async def test_a_reload_finds_the_match_again() -> None:
    async with playing("human", "smithy.json") as match:
        before = match.visitor()
        await before.enter()
        request, _ = await before.asked()
        await before.answer(request, [])
        await before.asked()
        after = match.visitor(tab="b")
        await after.enter()
        assert await after.asked() == await before.asked()
        assert len(after.of("question")) == 1  # only the open one, not those answered before

        def lines(visitor: Visitor) -> list[Any]:
            return [line for event in visitor.events for line in event.get("lines", [])]

        assert lines(after) == lines(before)


# --- answers --------------------------------------------------------------------------------------


async def test_an_answer_counts_once() -> None:
    async with playing("human", "smithy.json") as match:
        visitor = match.visitor()
        await visitor.enter()
        request, question = await visitor.asked()
        silver = [choice["name"] for choice in question["choices"]].index("silver")
        assert (await visitor.answer(request, [silver])).status_code == 200
        assert (await visitor.answer(request, [silver])).status_code == 200  # sent again
        late = await visitor.answer(request, [])
        assert (late.status_code, problem(late)) == (409, "This was answered before.")
        again, _ = await visitor.asked()
        assert again > request
        assert (await visitor.answer(request, [silver])).status_code == 409
        assert (await visitor.answer(again, [])).status_code == 200
        await visitor.play()
        bought = [line for kind, _, line in visitor.of("reset")[-1]["lines"] if '"silver"' in line]
        assert sum('"player-gained","player_number":"player1"' in line for line in bought) == 1


async def test_wrong_answers_are_refused_with_a_sentence() -> None:
    async with playing("human", "smithy.json") as match:
        visitor = match.visitor()
        await visitor.enter()
        request, question = await visitor.asked()
        names = [choice["name"] for choice in question["choices"]]
        barred = next(choice for choice in question["choices"] if choice["barred"])
        at = names.index(barred["name"])
        key = next(n for n, choice in enumerate(question["choices"]) if choice["key"])
        for picks, says in (
            ([len(names)], "This is not one of the choices."),
            ([-1], "This is not one of the choices."),
            ([10**30], "This is not one of the choices."),
            ([at], f"{barred['name']} {barred['barred']}."),
            ([0, 0], "That is 2."),
            ([0, key], "cannot be combined"),
        ):
            answer = await visitor.answer(request, picks)
            assert answer.status_code == 422
            assert says in problem(answer)
        assert (await visitor.answer(request + 1, [])).status_code == 422
        assert (await visitor.answer(request, [], run="other")).status_code == 409
        assert (await visitor.asked())[0] == request  # the question is still open


async def test_what_the_game_says_of_picks_is_obeyed() -> None:
    async with playing("human", "gatherer", game="botwars") as match:
        visitor = match.visitor()
        await visitor.enter()
        request, question = await visitor.asked()
        cells = [choice["name"].partition("-")[0] for choice in question["choices"]]
        assert cells[0] == cells[1]
        answer = await visitor.answer(request, [0, 1])
        assert (answer.status_code, problem(answer)) == (422, f"{cells[0]} is moved twice.")


# --- a seat alone ---------------------------------------------------------------------------------


QUESTION = Question("Which number?", [Choice("1"), Choice("2")])


async def news_of(seat: LiveSeat, tab: str = "a", run: str = "", after: int = 0) -> Any:
    return json.loads(await seat.news(tab, run or seat.run, after, wait=False))


def refused(seat: LiveSeat, request: int, picks: list[int] | None, **other: str) -> int:
    """Return the status with which an answer is refused, or 200."""
    try:
        given = {"tab": "a", "run": seat.run, **other}
        seat.answer(Answered(**given, request=request, picks=picks))
    except Refused as error:
        return error.status
    return 200


async def test_each_question_takes_one_answer(autojump_clock: trio.testing.MockClock) -> None:
    seat = LiveSeat(toy.RULES, 0)
    answers: list[Any] = []

    async def ask() -> None:
        answers.append(await seat.ask(QUESTION))

    assert refused(seat, 0, None) == 409  # nothing was asked yet
    assert refused(seat, 1, [0]) == 422
    async with trio.open_nursery() as nursery:
        for request, picks in ((1, [1]), (2, None), (3, [0])):
            nursery.start_soon(ask)
            await trio.testing.wait_all_tasks_blocked()
            assert (await news_of(seat))["events"][-1]["request"] == request
            assert refused(seat, request - 1, [1]) == 409
            assert refused(seat, request + 1, [1]) == 422
            assert refused(seat, request, []) == 422
            assert refused(seat, request, [1], tab="b") == 409
            assert refused(seat, request, [1], run="b") == 409
            used = trio.current_time() if request > 1 else None
            assert seat.used == used  # what is refused isn't a use
            await trio.sleep(1)
            assert refused(seat, request, picks) == 200
            assert (await news_of(seat))["events"][-1]["question"] is None
            assert refused(seat, request, picks) == 200  # our response was lost
            assert refused(seat, request, [0, 1]) == 409
            assert refused(seat, request - 1, picks) == 409
            assert refused(seat, request + 1, picks) == 422
            assert seat.used == trio.current_time()
            await trio.testing.wait_all_tasks_blocked()
    assert answers == [(1,), None, (0,)]


def test_the_last_entries_of_a_match_are_shown_without_a_question() -> None:
    session: Any = MatchSession("dominion", [HUMAN, "minimal"])
    seen: list[list[str]] = []
    seat = SimpleNamespace(observe=lambda spec, match, entries: seen.append(entries))
    session.seats = {0: seat}
    session._add_entries(None, SimpleNamespace(outcome=None), ["one"])
    assert seen == []
    session._add_entries(None, SimpleNamespace(outcome="over"), ["two"])
    assert seen == [["one", "two"]]


async def test_the_end_closes_an_open_question() -> None:
    """It may have been open when the match ended without this seat's reply."""
    seat = LiveSeat(toy.RULES, 0)
    whole: Any = SimpleNamespace(header={}, lines=[], steps=[], turns=[], turned=[])
    async with trio.open_nursery() as nursery:
        nursery.start_soon(seat.ask, QUESTION)
        await trio.testing.wait_all_tasks_blocked()
        seat.end(whole)
        events = (await news_of(seat))["events"]
        assert [event["type"] for event in events] == ["question", "reset", "end"]
        assert events[0]["question"] is None
        assert refused(seat, 1, [0]) == 409
        nursery.cancel_scope.cancel()


async def test_the_name_of_a_tab_is_kept_in_part() -> None:
    """It comes from a stranger."""
    async with playing("human", "smithy.json") as match:
        visitor = match.visitor(tab="x" * 65)
        await visitor.enter()
        assert match.sitting.seats[0]._tab == "x" * 64
        visitor.tab += "y"
        await visitor.listen(wait=False)
        assert visitor.of("moved") == []


async def test_a_page_gets_what_it_does_not_have_yet() -> None:
    seat = LiveSeat(toy.RULES, 0)
    for number in range(3):
        seat.tell(0, [str(number)])
    seat.tell(0, [])  # no event

    async def lines(after: int, run: str = "") -> list[str]:
        news = await news_of(seat, after=after, run=run)
        assert (news["run"], news["next"]) == (seat.run, 3)
        return [line for event in news["events"] for line in event["lines"]]

    assert [await lines(after) for after in range(5)] == [
        ["0", "1", "2"],
        ["1", "2"],
        ["2"],
        [],
        ["0", "1", "2"],  # no page of this run has seen so many
    ]
    assert await lines(3, run="another") == ["0", "1", "2"]


async def test_a_poll_waits_for_news_but_not_for_ever(
    autojump_clock: trio.testing.MockClock,
) -> None:
    seat = LiveSeat(toy.RULES, 0)

    async def poll(*, wait: bool = True) -> tuple[list[str], float]:
        """Return the types of the new events, and how long it waited for them."""
        begun = trio.current_time()
        found = json.loads(await seat.news("a", seat.run, after, wait=wait))
        return [event["type"] for event in found["events"]], trio.current_time() - begun

    after = 0
    assert await poll(wait=False) == ([], 0)
    assert await poll() == ([], POLL_SECONDS)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(poll)
        await trio.sleep(POLL_SECONDS / 2)
        seat.tell(0, ["hello"])
        assert await poll() == (["told"], 0)
    after = 1
    async with trio.open_nursery() as nursery:

        async def lose() -> None:
            assert await poll() == (["moved"], 1)

        nursery.start_soon(lose)
        await trio.sleep(1)
        seat.enter("b")
    assert await poll() == (["moved"], 0)
    seat.enter("a")
    seat.give_up("no reason")
    seat.give_up("another reason")
    assert await poll() == (["gone"], 0)
    after = 2
    assert await poll() == ([], 0)


async def test_the_page_shows_how_long_a_person_may_still_think(
    autojump_clock: trio.testing.MockClock,
) -> None:
    seat = LiveSeat(toy.RULES, 0)

    async def left() -> float | None:
        shown: float | None = (await news_of(seat))["seconds"]
        return shown

    async with trio.open_nursery() as nursery:
        nursery.start_soon(seat.ask, QUESTION)
        await trio.testing.wait_all_tasks_blocked()
        assert await left() is None
        seat.limit(60)
        await trio.sleep(20.02)
        assert await left() == 40.0
        seat.enter("a")
        assert (await left(), seat.ends) == (60.0, trio.current_time() + 60)
        await trio.sleep(61)
        assert await left() == 0.0
        assert refused(seat, 1, [0]) == 200
        assert seat.ends == trio.current_time() + 60
        assert await left() is None  # nothing is asked


async def test_the_end_is_fetched_by_who_has_its_last_event() -> None:
    seat = LiveSeat(toy.RULES, 0)
    await seat.note_end(0)
    seat.tell(0, ["hello"])
    await seat.note_end(1)
    assert not seat.has_end.is_set()
    seat.give_up("no reason")
    await seat.note_end(1)
    assert not seat.has_end.is_set()
    await seat.note_end(2)
    assert seat.has_end.is_set()


async def test_the_server_waits_for_pages_that_were_used(
    autojump_clock: trio.testing.MockClock,
) -> None:
    session = MatchSession("dominion", [HUMAN, HUMAN])

    async def waited() -> float:
        begun = trio.current_time()
        await session.shown()
        return trio.current_time() - begun

    assert await waited() == 0
    session.seats[1].enter("a")
    assert await waited() == END_SECONDS
    session.give_up("no reason")
    await session.seats[1].note_end(1)
    assert await waited() == 0
    session.seats[0].enter("a")
    assert await waited() == END_SECONDS


def test_a_session_is_over_once_all_of_its_seats_are() -> None:
    session = MatchSession("dominion", ["minimal", HUMAN, HUMAN])
    assert [*session.seats] == [1, 2]
    session.seats[2].give_up("no reason")
    assert not session.is_over
    session.give_up("another reason")
    assert session.is_over


# --- strangers ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "kind", "status"),
    [
        (b"{}", "text/plain", 415),
        (b"", "application/json", 422),
        (b"[" * 60_000, "application/json", 422),
        (b'{"tab":"a","run":"","request":"1","picks":[]}', "application/json", 422),
        (b'{"tab":"a","run":"","request":1,"picks":[1.5]}', "application/json", 422),
        (b'{"tab":"\xff"}', "application/json", 422),
        (b" " * seat.MOST_BODY, "application/json", 422),
        pytest.param(
            b"1" * (seat.MOST_BODY + 1),
            "application/json",
            413,
            # httpx doesn't read this body to its end, and leaves a generator open.
            marks=pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
        ),
    ],
)
async def test_bodies_that_are_no_answers(body: bytes, kind: str, status: int) -> None:
    async with playing("human", "smithy.json") as match:
        visitor = match.visitor()
        await visitor.enter()
        answer = await visitor.client.post(
            f"{visitor.at}/answer", content=body, headers={"content-type": kind}
        )
        assert answer.status_code == status
        assert problem(answer)


async def test_addresses_that_are_none() -> None:
    async with playing("human", "smithy.json") as match:
        visitor = match.visitor()
        await visitor.enter()
        for path in ("/seat/nothing/0", visitor.at[:-1] + "1", f"{visitor.at}/else"):
            assert (await visitor.client.get(path)).status_code == 404
        nobody = await visitor.client.post("/seat/nothing/0/enter", content=b"no JSON")
        assert nobody.status_code == 404
        assert (await visitor.client.get(f"{visitor.at}/events?after=x")).status_code == 422
        assert (await visitor.client.get(f"{visitor.at}/answer")).status_code == 405
        other = {"origin": "http://elsewhere.example"}
        assert (await visitor.post("answer", {}, headers=other)).status_code == 403


async def test_a_body_that_does_not_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(seat, "BODY_SECONDS", 0.01)

    async def slowly() -> AsyncIterator[bytes]:
        yield b"{"
        await trio.sleep_forever()

    async with playing("human", "smithy.json") as match:
        visitor = match.visitor()
        json_kind = {"content-type": "application/json"}
        answer = await visitor.client.post(
            f"{visitor.at}/enter", content=slowly(), headers=json_kind
        )
        assert answer.status_code == 408


async def test_there_is_one_poll_of_a_seat(monkeypatch: pytest.MonkeyPatch) -> None:
    async with playing("human", "smithy.json") as match:
        visitor = match.visitor()
        await visitor.enter()
        await visitor.asked()
        async with trio.open_nursery() as nursery:
            for _ in range(5):
                nursery.start_soon(visitor.listen)
            await trio.testing.wait_all_tasks_blocked()
            assert len(nursery.child_tasks) == 1
            nursery.cancel_scope.cancel()


# --- games of visitors ----------------------------------------------------------------------------


@asynccontextmanager
async def visited(
    folder: Path | None = None,
    most: int = 8,
    bots: Sequence[str] = ("smithy.json",),
    options: Mapping[str, Any] = SHORT,
) -> AsyncIterator[Any]:
    seats = Seats()
    offered = Games(
        "dominion", bots, options, seats, folder, most_of_address=most, proxies=["127.0.0.1"]
    )
    app = Site(Library([]), more=[*seats.routes(), *offered.routes()]).app()
    async with trio.open_nursery() as nursery:
        await nursery.start(offered.run)
        yield app
        nursery.cancel_scope.cancel()


async def begin(
    app: Any, address: str = "127.0.0.1", forwarded: str = "", after: str = ""
) -> httpx.Response:
    transport = httpx.ASGITransport(app, client=(address, 1))
    headers = {"X-Forwarded-For": forwarded} if forwarded else {}
    async with httpx.AsyncClient(transport=transport, base_url=URL) as client:
        return await client.post("/play", params={"after": after}, headers=headers)


async def test_an_address_has_a_share_of_the_games() -> None:
    """A visitor can't get more games with forged headers or another address of the same network."""
    tries = [  # addresses of two requests by the same visitor, and their X-Forwarded-For
        (["192.0.2.1", "::ffff:192.0.2.1"], ""),
        (["2001:db8::1", "2001:db8::ffff:1"], ""),
        (["192.0.2.2"] * 2, "198.51.100.{}"),  # only a local proxy is trusted
        (["127.0.0.1"] * 2, "198.51.100.{}, 192.0.2.3"),  # the visitor made up the first address
        (["127.0.0.1"] * 2, "unknown{}"),
    ]
    async with visited(most=1) as app:
        for addresses, forwarded in tries:
            answers = [
                await begin(app, address, forwarded.format(number))
                for number, address in enumerate(addresses)
            ]
            assert [answer.status_code for answer in answers] == [303, 503], (addresses, forwarded)
            assert "No more than 1 games at a time" in answers[1].text
        assert (await begin(app, "2001:db8:0:1::1")).status_code == 303
        assert (await begin(app, "127.0.0.1", "192.0.2.4")).status_code == 303


async def test_a_browser_has_a_share_of_the_games_and_finds_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(games, "MOST_OF_BROWSER", 2)
    async with (
        visited() as app,
        httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url=URL) as client,
    ):
        assert "Your games" not in (await client.get("/play")).text
        begun = [await client.post("/play") for _ in range(3)]
        assert [answer.status_code for answer in begun] == [303, 303, 503]
        assert "You have 2 games" in begun[2].text
        page = (await client.get("/play")).text
        assert all(answer.headers["location"] in page for answer in begun[:2])
        stranger = await client.get("/play", headers={"Cookie": "player="})
        assert "Your games" not in stranger.text
        forged = await client.post("/play", headers={"Cookie": "player=forged"})
        assert "player=forged" not in forged.headers.get("set-cookie", "player=forged")
        refused = await client.post("/play", headers={"Origin": "null"})
        assert refused.status_code == 403


async def test_everybody_has_a_game_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(games, "MOST_GAMES", 2)
    async with visited(most=1) as app:
        links = [(await begin(app, f"192.0.2.{n}")).headers["location"] for n in range(2)]
        assert len({link.split("/")[2] for link in links}) == 2
        full = await begin(app, "192.0.2.9")
        assert full.status_code == 503
        assert "2 games are played here" in full.text
        visitor = Visitor(app, links[0])
        await visitor.enter()
        await visitor.play()
        with trio.fail_after(60):
            while (await begin(app)).status_code != 303:  # until the game has made room
                await trio.lowlevel.checkpoint()
        assert (await visitor.client.get(visitor.at)).status_code == 200  # still there to look at


async def test_in_a_return_match_a_person_has_the_next_seat() -> None:
    async with visited(bots=["minimal", "minimal"]) as app:
        seats, after = [], ""
        for _ in range(2):
            *_, after, seat = (await begin(app, after=after)).headers["location"].split("/")
            seats.append(int(seat.partition("#")[0]))
    assert seats == [(seats[0] + number) % 3 for number in range(2)]


def test_finished_games_are_kept_as_long_as_there_is_room(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(games, "MOST_GAMES", 3)
    for most_of_address, finished, kept in (
        (1, 2, [0, 1]),
        (1, 3, [1, 2]),
        (1, 5, [3, 4]),
        (2, 5, [2, 3, 4]),  # there's always room for two visitors
    ):
        seats = Seats()
        offered = Games("dominion", ["minimal"], SHORT, seats, most_of_address=most_of_address)
        seats.sittings = dict.fromkeys([*map(str, range(finished)), "new"])  # type: ignore[arg-type]
        offered._running = {"new": games._Owner("", "")}
        offered._drop_finished()
        assert [*seats.sittings] == [*map(str, kept), "new"]


async def test_a_game_against_other_bots_is_not_continued(tmp_path: Path) -> None:
    async with visited(tmp_path) as app:
        visitor = Visitor(app, (await begin(app)).headers["location"])
        await visitor.enter()
        await visitor.asked()
    files = sorted(os.listdir(tmp_path))
    async with visited(tmp_path, bots=["minimal"]) as app:
        assert (await Visitor(app, visitor.at).client.get(visitor.at)).status_code == 404
    assert sorted(os.listdir(tmp_path)) == files


async def test_a_game_in_which_nobody_answers_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(games, "IDLE_SECONDS", 0.2)
    async with visited() as app:
        visitor = Visitor(app, (await begin(app)).headers["location"])
        await visitor.enter()
        while not visitor.of("gone"):
            seconds = (await visitor.listen()).json()["seconds"]
            assert seconds is None or 0 <= seconds <= 0.2
        assert "nothing was answered" in visitor.of("gone")[0]["problem"]


def test_a_bot_that_is_not_there() -> None:
    with pytest.raises(UsageError, match="no_such_bot"):
        Games("dominion", ["no_such_bot"], {}, Seats(), most_of_address=1)


async def test_games_of_visitors_go_on_with_a_new_server(tmp_path: Path) -> None:
    async with visited(tmp_path) as app:
        link = (await begin(app)).headers["location"]
        visitor = Visitor(app, link)
        await visitor.enter()
        asked = await visitor.asked()
    async with visited(tmp_path) as app:
        again = Visitor(app, link, "b")
        assert (await again.enter()).status_code == 200
        # Nobody knows whose game it is now, so it's in nobody's list.
        for headers in ({}, {"Cookie": "player="}):
            assert "Your games" not in (await again.client.get("/play", headers=headers)).text
        assert await again.asked() == asked
        await again.play()
        assert len(again.of("end")) == 1
        with trio.fail_after(60):
            while len(os.listdir(tmp_path)) > 1:  # until the file with the links is gone
                await trio.lowlevel.checkpoint()
    (record,) = os.listdir(tmp_path)
    assert cli.main(["verify", str(tmp_path / record), "-q"]) == 0
    transport = httpx.ASGITransport(Site(Library([str(tmp_path)])).app())
    async with httpx.AsyncClient(transport=transport, base_url=URL) as client:
        assert (await client.get(f"/match/{record}")).status_code == 200  # the game is over


@pytest.mark.parametrize("is_known", [False, True])
def test_a_game_goes_on_with_its_seed_options_and_answers(is_known: bool, tmp_path: Path) -> None:
    """The server may offer other options by now."""
    bots = [HUMAN, "minimal"]
    offered = Games("dominion", bots[1:], {"max_turns": 9}, Seats(), tmp_path, most_of_address=1)
    before: Any = SimpleNamespace(
        header=SimpleNamespace(seed=5), settings={"max_turns": 3}, answers=("an answer",)
    )
    session = MatchSession("dominion", bots)
    plan = offered._plan_of(session, before if is_known else None)
    assert plan.record == str(tmp_path / f"{session.id}.jsonl")
    assert [source.argument for source in plan.sources] == bots
    known = (plan.spec.seed == 5, plan.spec.options.max_turns, plan.answers)
    assert known == ((True, 3, ("an answer",)) if is_known else (False, 9, ()))


async def test_a_game_that_is_given_up_does_not_tell_where_files_are(tmp_path: Path) -> None:
    class Failing:
        record = str(tmp_path / "game.jsonl")

        def opened(self) -> Any:
            raise UsageError(f"cannot write {self.record}: no space left")

    offered = Games("dominion", ["minimal"], SHORT, Seats(), tmp_path, most_of_address=1)
    session = MatchSession("dominion", [HUMAN, "minimal"])
    offered._running[session.id] = games._Owner("", "")
    await offered._play(session, Failing())  # type: ignore[arg-type]
    assert offered._running == {}
    (event,) = (await news_of(session.seats[0]))["events"]
    assert event["problem"] == "The game was given up: cannot write game.jsonl: no space left."


async def test_a_game_ends_if_nothing_is_answered_for_some_time_however_long_it_lasts(
    autojump_clock: trio.testing.MockClock,
) -> None:
    session = MatchSession("dominion", [HUMAN, "minimal"])
    offered = Games("dominion", ["minimal"], SHORT, Seats(), most_of_address=1)
    begun = trio.current_time()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(offered._end_idle, session, nursery.cancel_scope)
        for _ in range(3):
            await trio.sleep(0.75 * games.IDLE_SECONDS)
            session.seats[0].enter("a")
        await trio.sleep_forever()
    assert trio.current_time() - begun == pytest.approx(3.25 * games.IDLE_SECONDS)
    assert session.is_over


async def test_another_server_shows_no_game_that_is_not_over(tmp_path: Path) -> None:
    """Hands and the seed stay secret, also while the server that plays the game is down."""
    transport = httpx.ASGITransport(Site(Library([str(tmp_path)])).app())

    async def shown(name: str) -> list[httpx.Response]:
        urls = ["/?format=json", f"/match/{name}?format=json"]
        urls += [f"/match/{name}/{part}" for part in ("header", "steps", "lines")]
        async with httpx.AsyncClient(transport=transport, base_url=URL) as client:
            return [await client.get(url) for url in urls]

    async with visited(tmp_path) as app:
        link = (await begin(app)).headers["location"]
        visitor = Visitor(app, link)
        await visitor.enter()
        await visitor.asked()
        name = link.split("/")[2] + ".jsonl"
        while_played = await shown(name)
    for found in (while_played, await shown(name)):
        assert [answer.status_code for answer in found] == [200, 404, 404, 404, 404]
        (item,) = found[0].json()["matches"]
        assert (item["seed"], item["bots"], item["live"]) == (None, [], False)
        assert "a person plays here" in item["problem"]


@pytest.mark.parametrize(
    "data",
    [b"", b"[]", b'{"id":1}', b"\xff", b'{"id":"a","digests":[]}', b'{"x":' + b"[" * 100_000],
    ids=range(6),
)
def test_links_that_cannot_be_read_are_an_error(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "game.jsonl.seats").write_bytes(data)
    with pytest.raises(UsageError, match="has no links: remove it"):
        links_beside(str(tmp_path / "game.jsonl"))


def test_links_are_kept_for_their_owner_alone_and_without_tokens(tmp_path: Path) -> None:
    record = str(tmp_path / "game.jsonl")
    sitting = MatchSession("dominion", [HUMAN, "minimal"])
    sitting.save_links(record)
    (kept,) = tmp_path.iterdir()
    assert kept.stat().st_mode & 0o777 == 0o600
    token = sitting.seats[0].token
    assert token not in kept.read_text()
    again = MatchSession("dominion", [HUMAN, "minimal"], links_beside(record))
    assert again.id == sitting.id
    assert again.seats[0].accepts(token)
    again.delete_links(record)
    assert links_beside(record) is None
