"""Bots over HTTP, working and broken ones, on real connections (spec/http-bots.md)."""

from __future__ import annotations

import errno
import json
import socket
import ssl
import threading
from pathlib import Path
from typing import Any

import certifi
import h11
import pytest
import trio
from hypothesis import given, settings
from hypothesis import strategies as st

from referee import play_match
from referee.bots import http
from referee.bots.bot import Answer, Failure
from referee.bots.http import FORM, JSON, LINES, HttpBot, _rejected, _why_unreachable
from referee.errors import ShortageError
from referee.logs.verify import Kind, verify_record
from referee.match.limits import Limits
from tests.support import servers
from tests.support.helpers import TIMES
from tests.support.imports import loaded
from tests.support.live import entries, referee

LINE = b'{"type":"some-request"}\n'
OK = servers.always(servers.response(b"reply\n"))
CERTIFICATE = str(Path(__file__).with_name("self_signed.pem"))


def tls() -> ssl.SSLContext:
    """Return a context for a server that uses our self-signed certificate."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(CERTIFICATE)
    return context


async def ask(url: str, seconds: float = 20, line_limit: int = 65536, **named: Any) -> Answer:
    """Send one request to a bot and return the answer. Fails if that takes far too long."""
    bot = HttpBot(url, Limits(line_limit=line_limit), **named)
    try:
        bot.push(LINE)
        with trio.fail_after(seconds + 10):
            return await bot.reply(trio.current_time() + seconds)
    finally:
        await bot.kill()


# --- what a bot is sent ---------------------------------------------------------------------------


async def test_a_post_has_all_that_is_new_and_the_request_last() -> None:
    with servers.server(OK) as server:
        bot = HttpBot(server.url, Limits())
        for lines in (b"1\n", b"2\n3\n"):
            bot.push(lines)
        assert await bot.reply(trio.current_time() + 20) == b"reply"
        bot.push(b"4\n")
        assert await bot.reply(trio.current_time() + 20) == b"reply"
        bot.push(b"5\n6\n")
        await bot.finish(20)
    assert [request.body for request in server.requests] == [b"1\n2\n3\n", b"4\n", b"5\n6\n"]
    assert {request.line for request in server.requests} == {"POST /bot?key=1 HTTP/1.1"}
    # All requests use the same connection.
    assert {request.connection for request in server.requests} == {1}
    headers = server.requests[0].headers
    assert headers["content-type"] == LINES
    assert headers["accept-encoding"] == "identity"


async def test_at_the_end_a_bot_is_not_asked_without_news() -> None:
    with servers.server(OK) as server:
        bot = HttpBot(server.url, Limits())
        await bot.finish(20)
    assert server.requests == []


@pytest.mark.parametrize(
    ("content_type", "field", "body"),
    [(JSON, "", LINE.rstrip()), (FORM, "data", b"data=%7B%22type%22%3A%22some-request%22%7D")],
)
async def test_other_ways_to_carry_a_line(content_type: str, field: str, body: bytes) -> None:
    with servers.server(OK) as server:
        answer = await ask(server.url, content_type=content_type, form_field=field)
    assert answer == b"reply"
    assert server.requests[0].headers["content-type"] == content_type
    assert server.requests[0].body == body


async def test_no_proxy_of_the_environment_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    with servers.server(OK) as server, servers.server(OK) as proxy:
        for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
            monkeypatch.setenv(name, proxy.url)
        assert await ask(server.url) == b"reply"
    assert proxy.requests == []


# --- what it may answer ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "line"),
    [
        (b'{"a":1}', b'{"a":1}'),
        (b' \r\n{"a":1}\r\n\n', b'{"a":1}'),
        (b'{\n "a": 1\n}', b'{\r "a": 1\r}'),
        (b'{"a":"x\ny"}', b'{"a":"x\ry"}'),  # invalid before and after
        (b"", b"null"),
        (b" \t\r\n", b"null"),
        (b"<html>\n<p>Hello\n</html>\n", b"<html>\r<p>Hello\r</html>"),
        (b"\xff\x00", b"\xff\x00"),
    ],
)
async def test_the_body_is_taken_as_one_line(body: bytes, line: bytes) -> None:
    with servers.server(servers.always(servers.response(body))) as server:
        assert await ask(server.url) == line


@pytest.mark.parametrize(("size", "passes"), [(1024, True), (1025, False)])
async def test_the_cap_on_a_body_is_exact(size: int, passes: bool) -> None:
    body = b"x" * size
    with servers.server(servers.always(servers.response(body))) as server:
        answer = await ask(server.url, line_limit=1024)
    assert answer == (
        body if passes else Failure("output-limit", "an answer of more than 1024 bytes")
    )


ODD = {
    "chunks": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
    b"2\r\nre\r\n3;x=y\r\nply\r\n0\r\nX-Trailer: 1\r\n\r\n",
    "an end by closing": b"HTTP/1.0 200 OK\r\n\r\nreply",
    "1xx before it": b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Hints\r\n\r\n"
    + servers.response(b"reply"),
    "another 2xx": servers.response(b"reply", status="205 Reset Content"),
    "no reason, bare newlines": b"HTTP/1.1 200\nContent-Length: 5\n\nreply",
    "no coding": servers.response(b"reply", "Content-Encoding:", "content-encoding: Identity"),
    "another type and charset": servers.response(b"reply", "Content-Type: x/y; charset=utf-16"),
    "a place that is none": servers.response(b"reply", "Location: http://xn--\xff:99999/"),
    "as many headers as pass": servers.response(b"reply", *["X: y"] * 10_000),
}


@pytest.mark.parametrize("what", ODD)
async def test_an_odd_answer_that_is_one(what: str) -> None:
    with servers.server(servers.always(ODD[what], keep=False)) as server:
        assert await ask(server.url) == b"reply"


async def test_a_status_without_a_body_is_null() -> None:
    data = b"HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\nreply"
    with servers.server(servers.always(data)) as server:
        assert await ask(server.url) == b"null"


async def test_no_cookie_comes_back() -> None:
    data = servers.response(b"reply", "Set-Cookie: a=b; Path=/")
    with servers.server(servers.always(data)) as server:
        bot = HttpBot(server.url, Limits())
        for _ in range(2):
            bot.push(LINE)
            assert await bot.reply(trio.current_time() + 20) == b"reply"
        await bot.kill()
    assert len(server.requests) == 2
    assert all("cookie" not in request.headers for request in server.requests)


async def test_the_requests_of_a_match_have_a_name_in_common() -> None:
    with servers.server(OK) as server:
        for _ in range(2):
            bot = HttpBot(server.url, Limits())
            for _ in range(2):
                bot.push(LINE)
                assert await bot.reply(trio.current_time() + 20) == b"reply"
            await bot.kill()
    first, again, second, _ = [request.headers["referee-match"] for request in server.requests]
    assert first == again != second


async def test_a_user_and_a_password_are_sent() -> None:
    with servers.server(OK) as server:
        host = server.url.removeprefix("http://")
        assert await ask(f"http://me:a%40b:c@{host}") == b"reply"
    assert server.requests[0].headers["authorization"] == "Basic bWU6YUBiOmM="  # me:a@b:c
    assert server.requests[0].headers["host"] == host.removesuffix("/bot?key=1")


@pytest.mark.parametrize("secure", [False, True])
@pytest.mark.parametrize("together", [False, True])
async def test_an_answer_in_advance_answers_nothing(
    secure: bool, together: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The extra response may come together with the first one or right after it."""
    sent = threading.Event()

    def behave(connection: socket.socket, body: bytes) -> bool:
        answers = [servers.response(body), servers.response(b"in advance")]
        for answer in [b"".join(answers)] if together else answers:
            connection.sendall(answer)
        sent.set()
        return True

    monkeypatch.setattr(certifi, "where", lambda: CERTIFICATE)
    with servers.server(behave, tls() if secure else None) as server:
        bot = HttpBot(server.url, Limits())
        for line in (b"1\n", b"2\n", b"3\n"):
            bot.push(line)
            assert await bot.reply(trio.current_time() + 20) == line.strip()
            await trio.to_thread.run_sync(sent.wait, 20)
            sent.clear()
        await bot.kill()
    assert len({request.connection for request in server.requests}) == 3


async def test_a_connection_that_was_closed_between_two_requests_is_made_anew() -> None:
    with servers.server(servers.always(servers.response(b"reply"), keep=False)) as server:
        bot = HttpBot(server.url, Limits())
        for _ in range(3):
            bot.push(LINE)
            assert await bot.reply(trio.current_time() + 20) == b"reply"
            # The server's thread closes the connection a moment later.
            with trio.fail_after(20):
                assert isinstance(bot._stream, trio.SocketStream)
                await trio.lowlevel.wait_readable(bot._stream.socket)
        await bot.kill()
    assert [request.connection for request in server.requests] == [1, 2, 3]


async def test_an_answer_before_the_whole_request_was_read_counts() -> None:
    class Closed(trio.abc.Stream):
        """The server has answered, and closed the connection while the request was sent."""

        async def send_all(self, data: Any) -> None:
            raise trio.BrokenResourceError

        async def wait_send_all_might_not_block(self) -> None:
            pass

        async def receive_some(self, max_bytes: int | None = None) -> bytes:
            return servers.response(b"reply")

        async def aclose(self) -> None:
            pass

    bot = HttpBot("http://127.0.0.1:1", Limits())
    assert await bot._exchange(Closed()) == b"reply"


# --- what it may not ------------------------------------------------------------------------------


@pytest.mark.parametrize("what", servers.BROKEN)
async def test_a_broken_answer(what: str) -> None:
    data, code, says = servers.BROKEN[what]
    with servers.server(servers.always(data, keep=False)) as server:
        answer = await ask(server.url)
    assert isinstance(answer, Failure)
    assert answer.code == code
    assert says in answer.detail
    assert "redirects" not in answer.detail


LOCATION = (b"location", b"/")
NO_CODING = "the answer has a Content-Encoding that the request did not allow"


@pytest.mark.parametrize(
    ("status", "headers", "says"),
    [
        (200, [LOCATION], ""),
        (299, [], ""),
        (300, [], "the answer has status 300"),
        (300, [LOCATION], "the answer has status 300; redirects are not followed"),
        (399, [LOCATION], "the answer has status 399; redirects are not followed"),
        (400, [LOCATION], "the answer has status 400"),
        (200, [(b"content-encoding", b"IDENTITY,, identity")], ""),
        (200, [(b"content-encoding", b"identity"), (b"content-encoding", b"br")], NO_CODING),
    ],
)
def test_which_heads_are_of_a_reply(
    status: int, headers: list[tuple[bytes, bytes]], says: str
) -> None:
    failure = _rejected(h11.Response(status_code=status, headers=headers))
    assert ("" if failure is None else failure.detail) == says


def grouped(error: OSError) -> OSError:
    """Wrap an error as trio does after it has tried each address of a name."""
    outer = OSError("all attempts failed")
    outer.__cause__ = ExceptionGroup("attempts", [OSError(errno.EHOSTUNREACH, "x"), error])
    return outer


@pytest.mark.parametrize(
    ("error", "says"),
    [
        (OSError(errno.ENETUNREACH, "x"), "no connection"),
        (grouped(ConnectionRefusedError(errno.ECONNREFUSED, "x")), "no connection: refused"),
        (grouped(ssl.SSLError(1, "x")), "no TLS connection"),
    ],
)
def test_why_there_is_no_connection(error: OSError, says: str) -> None:
    assert _why_unreachable(error) == says


def test_a_shortage_of_the_referee_is_not_the_bots_fault() -> None:
    with pytest.raises(ShortageError, match="cannot connect to a bot"):
        _why_unreachable(grouped(OSError(errno.EMFILE, "x")))


@pytest.mark.parametrize(("idle", "connections"), [(999, 1), (1001, 2)])
async def test_only_a_connection_that_was_used_lately_is_used_again(
    idle: float, connections: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Servers close idle ones, and a request at that moment is lost."""
    monkeypatch.setattr(http, "_IDLE_SECONDS", 1000.0)
    with servers.server(OK) as server:
        bot = HttpBot(server.url, Limits())
        for _ in range(2):
            bot.push(LINE)
            assert await bot.reply(trio.current_time() + 20) == b"reply"
            bot._used -= idle
        await bot.kill()
    assert server.requests[-1].connection == connections


PIECES = st.sampled_from(
    [
        b"HTTP/1.1 200 OK\r\n",
        b"HTTP/1.0 204\r\n",
        b"HTTP/1.1 100 x\r\n",
        b"HTTP/9.9 302 \xff\r\n",
        b"Content-Length: 3\r\n",
        b"Content-Length: 3, 3\r\n",
        b"Transfer-Encoding: chunked\r\n",
        b"Transfer-Encoding: chunked, gzip\r\n",
        b"Connection: close\r\n",
        b"Content-Encoding: \xff\r\n",
        b"Location: \xff\r\n",
        b" folded\r\n",
        b": x\r\n",
        b"\r\n",
        b"\n",
        b"3\r\nabc\r\n",
        b"0\r\n\r\n",
        b"fffffffffffffffffffff\r\n",
        b"abc",
        b"\x00",
    ]
)


@settings(max_examples=8 * TIMES)
@given(st.lists(PIECES | st.binary(max_size=9)).map(b"".join))
def test_whatever_comes_is_an_answer_or_a_failure(data: bytes) -> None:
    async def ask_twice(url: str) -> None:
        bot = HttpBot(url, Limits())
        with trio.fail_after(20):
            for _ in range(2):
                bot.push(LINE)
                answer = await bot.reply(trio.current_time() + 10)
                assert isinstance(answer, bytes) or answer.code != "timeout"
            await bot.kill()

    with servers.server(servers.always(data, keep=False)) as server:
        trio.run(ask_twice, server.url)


@pytest.mark.parametrize("place", ["", "http://xn--\xff:99999/", "http://[", "/" * 60_000])
async def test_a_redirect_is_not_followed(place: str) -> None:
    with servers.server(OK) as other:
        data = servers.response(b"", f"Location: {place or other.url}", status="307 Over there")
        with servers.server(servers.always(data)) as server:
            answer = await ask(server.url)
    assert answer == Failure("http-status", "the answer has status 307; redirects are not followed")
    assert other.requests == []


@pytest.mark.parametrize(
    "head",
    [
        b"HTTP/1.1 200 OK\r\nContent-Length: 1073741824\r\n\r\n",
        b"HTTP/1.1 200 OK\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n40000000\r\n",
    ],
)
async def test_a_gigabyte_is_not_read(head: bytes) -> None:
    sent: list[int] = []
    with servers.server(servers.endless(sent, head)) as server:
        answer = await ask(server.url)
    assert answer == Failure("output-limit", "an answer of more than 65536 bytes")
    assert sum(sent) < 100 * 1024 * 1024  # the server could only fill the buffers of the sockets


async def test_nobody_listens() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    answer = await ask(f"http://127.0.0.1:{port}/")
    assert answer == Failure("unreachable", "no connection: refused")


class Nobody(trio.abc.HostnameResolver):
    async def getaddrinfo(self, *_: Any, **__: Any) -> Any:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    async def getnameinfo(self, *_: Any) -> Any:
        raise NotImplementedError


async def test_a_name_that_is_nobodys() -> None:
    trio.socket.set_custom_hostname_resolver(Nobody())
    answer = await ask("http://no-such-host.invalid/")
    assert answer == Failure("unreachable", "no connection")


async def test_no_tls_where_tls_was_asked_for() -> None:
    with servers.server(OK) as server:
        answer = await ask(server.url.replace("http:", "https:"))
    assert isinstance(answer, Failure)
    assert answer.code == "unreachable"


@pytest.mark.parametrize("trusted", [False, True])
async def test_a_certificate_has_to_be_trusted(
    trusted: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """We trust the certificates of certifi and ignore variables such as SSL_CERT_FILE."""
    monkeypatch.setenv("SSL_CERT_FILE", CERTIFICATE)
    if trusted:
        monkeypatch.setattr(certifi, "where", lambda: CERTIFICATE)
    with servers.server(OK, tls()) as server:
        answer = await ask(server.url)
    if trusted:
        assert answer == b"reply"
    else:
        assert isinstance(answer, Failure)
        assert answer.code == "unreachable"
        assert "certificate is not valid: self" in answer.detail
        assert server.requests == []


# --- its time -------------------------------------------------------------------------------------


async def test_a_slow_one_that_is_in_time() -> None:
    def behave(connection: socket.socket, body: bytes) -> bool:
        for byte in servers.response(b"reply"):
            connection.sendall(bytes([byte]))
        return True

    with servers.server(behave) as server:
        assert await ask(server.url) == b"reply"


@pytest.mark.parametrize(
    ("start", "says"),
    [
        (b"", "no reply in time"),
        (b"HTTP/1.1 200 OK\r\n", "no reply in time"),
        (servers.response(b"reply")[:-1], "no end of its answer in time"),
        (b"HTTP/1.1 200 OK\r\n\r\nreply", "no end of its answer in time"),
    ],
)
async def test_one_that_hangs(start: bytes, says: str) -> None:
    def behave(connection: socket.socket, body: bytes) -> bool:
        connection.sendall(start)
        server.over.wait()
        return False

    with servers.server(behave) as server:
        assert await ask(server.url, 0.1) == Failure("timeout", says)


async def test_one_that_drips_gets_no_more_time() -> None:
    def behave(connection: socket.socket, body: bytes) -> bool:
        connection.sendall(b"HTTP/1.1 200 OK\r\n")
        while not server.over.wait(0.01):
            connection.sendall(b"X: y\r\n")
        return False

    with servers.server(behave) as server:
        assert await ask(server.url, 0.3) == Failure("timeout", "no reply in time")


@pytest.mark.slow
async def test_one_that_says_continue_for_ever_gets_no_more_time() -> None:
    sent: list[int] = []
    interim = b"HTTP/1.1 100 Continue\r\n\r\n" * 1000
    with servers.server(servers.endless(sent, b"", interim)) as server:
        assert await ask(server.url, 0.3) == Failure("timeout", "no reply in time")


async def test_the_last_post_is_bounded_too() -> None:
    def behave(connection: socket.socket, body: bytes) -> bool:
        server.over.wait()
        return False

    with servers.server(behave) as server, trio.fail_after(20):
        bot = HttpBot(server.url, Limits())
        bot.push(LINE)
        await bot.finish(0.1)
    assert len(server.requests) == 1


async def test_one_that_was_killed_is_not_asked_again() -> None:
    with servers.server(OK) as server:
        bot = HttpBot(server.url, Limits())
        await bot.kill()
        await bot.kill()
        bot.push(LINE)
        answer = await bot.reply(trio.current_time() + 20)
        await bot.finish(20)
    assert answer == Failure("unreachable", "it has left a match before")
    assert server.requests == []


# --- whole matches --------------------------------------------------------------------------------


def simple(connection: socket.socket, body: bytes) -> bool:
    """Answer a request of Dominion with the simplest legal reply."""
    asked = json.loads(body.splitlines()[-1])
    reply: dict[str, Any] = {}
    if asked["type"] == "player-name-request":
        number = asked["player_number"]
        reply = {"type": "player-name-reply", "player_number": number, "name": "Web"}
    elif asked["type"] == "play-turn":
        reply = {"type": "play-reply", "phase": "cleanup"}
    elif asked["type"] == "attack-request":
        reply = {"type": "attack-reply", "discard": asked["options"][: asked["discard"]]}
    connection.sendall(servers.response(json.dumps(reply).encode() + b"\n"))
    return True


def test_dominion_through_the_command(tmp_path: Path) -> None:
    log, record = tmp_path / "log", tmp_path / "record"
    with servers.server(simple) as server:
        arguments = ["big_money", server.url, "--seed", "1", "--max-turns", "9"]
        done = referee(
            "play", *arguments, "--log", str(log), "--record", str(record), "--format", "json"
        )
    assert (done.returncode, done.stderr) == (0, "")
    player = json.loads(done.stdout)["players"][1]
    assert player["name"] == "Web"
    assert player["bot"] == server.url
    assert player["disqualified"] is None
    assert player["faults"] == {}
    assert player["turns"] == 9
    assert player["exit_code"] is None
    assert verify_record(str(record)).kind == Kind.VALID
    # The bot got every public message, including those after its last request.
    sent = b"".join(request.body for request in server.requests).splitlines(keepends=True)
    private = (b'{"type":"player-name-request"', b'{"type":"play-turn"')
    assert b"".join(line for line in sent if not line.startswith(private)) == log.read_bytes()
    assert b'"game-end"' in server.requests[-1].body


@pytest.mark.parametrize("what", ["an error", "closes at once"])
def test_a_disqualification_through_the_command(what: str) -> None:
    data, code, _ = servers.BROKEN[what]
    with servers.server(servers.always(data, keep=False)) as server:
        done = referee("play", "minimal", server.url, "--seed", "1")
    assert done.returncode == 1
    assert f"disqualified: {code}" in done.stdout
    assert "stderr" not in done.stdout
    assert len(server.requests) == 1


def test_html_is_a_fault_and_recorded_as_it_came(tmp_path: Path) -> None:
    page = servers.response(b"<html>\n</html>\n")
    record = tmp_path / "record"
    with servers.server(servers.always(page)) as server:
        result = play_match(
            ["minimal", server.url], seed=1, options={"max_turns": 2}, record=str(record)
        )
    assert result.players[1].faults == {"bad-name-reply": 1, "invalid-json": 2}
    received = [
        entry["line"]
        for entry in entries(record)
        if entry["entry"] == "received" and entry["player_number"] == "player2"
    ]
    assert received == ["<html>\r</html>"] * 3
    assert verify_record(str(record)).kind == Kind.VALID


@pytest.mark.slow
def test_nothing_of_http_is_loaded_for_other_bots() -> None:
    code = "import referee\nreferee.play_match(['minimal', 'minimal'], options={'max_turns': 1})"
    assert loaded(code, {"trio", "h11"}) == {"trio"}
