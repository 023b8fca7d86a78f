"""Which requests the guard lets through, and who sent them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
import trio
import trio.testing
from starlette.datastructures import Headers
from starlette.requests import Request

from referee.web.server import guard
from referee.web.server.guard import Guard, name_of, visitor_of, whole_number


class Broken(Exception):
    """The application fails."""


def scope(
    *headers: tuple[str, str], method: str = "GET", path: str = "/", client: str = "192.0.2.1"
) -> dict[str, Any]:
    raw = [(name.encode(), value.encode()) for name, value in headers]
    return {
        "type": "http",
        "method": method,
        "path": path,
        "headers": raw,
        "client": (client, 9) if client else None,
    }


HOST = ("host", "bots.example:80")


class Guarded:
    """A guard before an application that only notes the requests, and what was sent back."""

    def __init__(self, *names: str) -> None:
        self.passed: list[Any] = []
        self.fails = False
        self.goes_on: trio.Event | None = None
        self.in_progress = 0
        self.guard = Guard(self.app, names)

    async def app(self, scope: Any, receive: Any, send: Any) -> None:
        self.passed.append(scope)
        if self.fails:
            raise Broken
        if self.goes_on is not None:
            self.in_progress += 1
            await self.goes_on.wait()
            self.in_progress -= 1
        headers = [(b"x-content-type-options", b"other")]
        headers += [(b"cache-control", b"max-age=9")] * (scope["path"] == "/static")
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": b""})

    async def ask(self, wanted: dict[str, Any]) -> tuple[int, Headers]:
        sent: list[Any] = []

        async def send(message: Any) -> None:
            sent.append(message)

        await self.guard(wanted, None, send)  # type: ignore[arg-type]
        assert (sent[0]["status"] == 200) == any(wanted is passed for passed in self.passed)
        status: int = sent[0]["status"]
        return status, Headers(raw=sent[0]["headers"])

    async def status(self, *headers: tuple[str, str], **wanted: str) -> int:
        return (await self.ask(scope(*headers, **wanted)))[0]


@pytest.mark.parametrize(
    ("hosts", "status"),
    [
        (["bots.example"], 200),
        (["BOTS.example:443"], 200),
        (["bots.example:x"], 421),
        (["bots.example:"], 421),
        (["bots.example.:80"], 421),
        (["127.0.0.1"], 200),
        (["[::1]:8000"], 200),
        (["[::1"], 421),
        ([], 421),
        ([""], 421),
        (["bots.example", "bots.example"], 421),  # RFC 9112, 3.2: not valid
        (["bots.example", "evil.example"], 421),
        (["evil.example", "bots.example"], 421),
    ],
)
async def test_a_request_names_this_server_once(hosts: Sequence[str], status: int) -> None:
    guarded = Guarded("Bots.Example", "")
    assert await guarded.status(*(("host", host) for host in hosts)) == status


@pytest.mark.parametrize(
    ("origins", "status"),
    [
        ([], 200),
        (["http://bots.example:80"], 200),
        (["http://BOTS.Example:80"], 200),
        (["http://bots.example"], 403),
        (["http://bots.example:80.evil.example"], 403),
        (["http://evil.example"], 403),
        (["null"], 403),
        ([""], 403),
        (["http://bots.example:80", "http://evil.example"], 403),
        (["http://evil.example", "http://bots.example:80"], 403),
    ],
)
async def test_a_request_comes_from_a_page_of_this_server(
    origins: Sequence[str], status: int
) -> None:
    guarded = Guarded("bots.example")
    for host in ("bots.example:80", "Bots.example:80"):
        headers = [("origin", origin) for origin in origins]
        assert await guarded.status(("host", host), *headers) == status


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/", 200),
        ("HEAD", "/", 200),
        ("POST", "/", 405),
        ("POST", "/seat/a/0/answer", 200),
        ("POST", "/seat", 405),
        ("POST", "/play", 200),
        ("POST", "/match/play", 405),
        ("PUT", "/seat/a/0/answer", 405),
        ("DELETE", "/play", 405),
    ],
)
async def test_only_seats_and_new_games_accept_data(method: str, path: str, status: int) -> None:
    assert await Guarded("bots.example").status(HOST, method=method, path=path) == status


async def test_requests_in_progress_are_bounded_and_streams_are_not_counted(
    monkeypatch: pytest.MonkeyPatch, autojump_clock: trio.abc.Clock
) -> None:
    monkeypatch.setattr(guard, "MOST_REQUESTS", 2)
    guarded = Guarded("bots.example")
    guarded.fails = True
    for _ in range(3):
        with pytest.raises(Broken):
            await guarded.status(HOST)
    guarded.fails = False
    for _ in range(2):
        guarded.goes_on = trio.Event()
        async with trio.open_nursery() as nursery:

            async def begin(path: str) -> None:
                nursery.start_soon(guarded.ask, scope(HOST, path=path))
                await trio.testing.wait_all_tasks_blocked()

            for path in ("/match/a/events", "/store/a/events", "/"):
                await begin(path)
            assert guarded.in_progress == 3
            await begin("/seat/a/0/events")  # no stream, and the last one
            assert guarded.in_progress == 4
            for path in ("/", "/matches/a/events", "/match/a/events/1"):
                with trio.fail_after(1):  # a request that isn't refused would wait forever
                    assert await guarded.status(HOST, path=path) == 503
            await begin("/match/b/events")
            assert guarded.in_progress == 5
            guarded.goes_on.set()


async def test_what_is_no_request_is_not_passed_on() -> None:
    guarded = Guarded("bots.example")
    await guarded.guard({**scope(HOST), "type": "websocket"}, None, None)  # type: ignore[arg-type]
    assert guarded.passed == []


async def test_answers_and_refusals_have_the_headers() -> None:
    guarded = Guarded("bots.example")
    for path, host, cached in (
        ("/", "bots.example", "no-store"),
        ("/static", "bots.example", "max-age=9"),
        ("/", "evil.example", "no-store"),
    ):
        _, headers = await guarded.ask(scope(("host", host), path=path))
        assert headers.getlist("cache-control") == [cached]
        assert {name: headers.getlist(name) for name in guard.HEADERS} == {
            name: [value] for name, value in guard.HEADERS.items()
        }


@pytest.mark.parametrize(
    ("client", "forwarded", "visitor"),
    [
        ("192.0.2.1", [], "192.0.2.1"),
        ("::ffff:192.0.2.1", [], "192.0.2.1"),
        ("2001:db8::1:2:3:4", [], "2001:db8::/64"),
        ("2001:db8:0:1::1", [], "2001:db8:0:1::/64"),
        ("fe80::1%eth0", [], "fe80::/64"),
        ("", [], "None"),
        ("192.0.2.1", ["198.51.100.1"], "192.0.2.1"),
        ("127.0.0.1", [], "127.0.0.1"),
        ("127.0.0.1", ["198.51.100.1"], "198.51.100.1"),
        ("::ffff:127.0.0.1", ["198.51.100.1"], "198.51.100.1"),
        ("::1", ["198.51.100.1"], "198.51.100.1"),
        ("127.0.0.1", ["198.51.100.1, 198.51.100.2"], "198.51.100.2"),
        ("127.0.0.1", ["198.51.100.1", "198.51.100.2"], "198.51.100.2"),
        ("127.0.0.1", ["198.51.100.1, ::1,127.0.0.1"], "198.51.100.1"),
        ("127.0.0.1", ["127.0.0.1"], "127.0.0.1"),
        ("127.0.0.1", ["198.51.100.1, unknown"], "127.0.0.1"),
        ("127.0.0.1", ["2001:db8::1"], "2001:db8::/64"),
    ],
)
def test_a_visitor_is_the_client_of_the_last_trusted_proxy(
    client: str, forwarded: Sequence[str], visitor: str
) -> None:
    request = Request(scope(*(("x-forwarded-for", text) for text in forwarded), client=client))
    assert visitor_of(request, ["127.0.0.1", "::1"]) == visitor


def test_a_number_has_at_most_nine_digits_and_nothing_else() -> None:
    texts = ["0", "007", "999999999", "1000000000", "", "+1", " 1", "-1", "1_0", "1.0", "\u0661"]
    assert [*map(whole_number, texts)] == [0, 7, 999_999_999, *[None] * 8]


@pytest.mark.parametrize(
    ("host", "name"),
    [("A.b", "a.b"), ("A.b:80", "a.b"), ("a.b:", "a.b:"), ("a.b:x", "a.b:x"), ("80", "80")],
)
def test_the_name_of_a_host_has_no_port(host: str, name: str) -> None:
    assert name_of(host) == name
