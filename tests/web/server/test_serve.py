"""The command `referee serve`, with real connections."""

from __future__ import annotations

import math
import os
import signal
import socket
import tomllib
import webbrowser
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
import trio

from referee import cli
from referee.cli import serving
from referee.tournament.store import Store
from referee.web.server import guard, listen
from referee.web.server.app import Site
from referee.web.server.library import Library
from tests.support.imports import loaded
from tests.support.live import ROOT, one_line
from tests.support.made_up import made_setup, play
from tests.support.serving import running

EXAMPLES = ROOT / "spec" / "examples"


def test_it_serves_until_a_signal_whatever_clients_do() -> None:
    with running(str(EXAMPLES)) as (process, url):
        with (
            httpx.Client(timeout=60) as client,
            socket.create_connection((httpx.URL(url).host, httpx.URL(url).port)) as silent,
        ):
            assert "two-players.record.jsonl" in client.get(url).text
            assert client.get(f"{url}nothing").status_code == 404
            silent.sendall(b"GET / HTTP/1.1\r\n")
            process.send_signal(signal.SIGINT)
            assert process.wait(timeout=60) == 130
        assert process.communicate() == ("", "")


@pytest.mark.slow
def test_visitors_who_play_see_no_file_that_was_not_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "game.jsonl").write_bytes((EXAMPLES / "four-players.record.jsonl").read_bytes())
    monkeypatch.chdir(tmp_path)
    with running("--play", "minimal") as (_, url):
        assert httpx.get(url.replace("/play", "/?format=json"), timeout=60).json()["matches"] == []


@pytest.mark.parametrize(
    ("words", "opened"),
    [
        ([str(EXAMPLES / "two-players.record.jsonl")], "watch/two-players.record.jsonl"),
        ([str(EXAMPLES)], ""),
        (["--play", "minimal"], "play"),
    ],
)
def test_the_page_that_is_opened(
    words: list[str],
    opened: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A single file is opened itself, not the list of files that has only this one."""
    found: list[str] = []

    def browser(url: str) -> bool:
        found.append(url)
        os.kill(os.getpid(), signal.SIGINT)
        return True

    monkeypatch.setattr(webbrowser, "open", browser)
    assert cli.main(["serve", *words, "--listen", "127.0.0.1:0", "--open"]) == 130
    printed = capsys.readouterr().out.split()[0]
    assert found == [f"{printed.removesuffix('play')}{opened}"]


@pytest.mark.parametrize(
    ("host", "url", "is_local"),
    [
        ("127.0.0.1", "http://127.0.0.1:8", True),
        ("::1", "http://[::1]:8", True),
        ("localhost", "http://localhost:8", True),
        ("0.0.0.0", "http://0.0.0.0:8", False),
        ("::", "http://[::]:8", False),
    ],
)
def test_addresses(host: str, url: str, is_local: bool) -> None:
    assert (serving.origin(host, 8), serving.is_local(host)) == (url, is_local)


def test_only_this_machine_can_connect_unless_the_user_names_another_address() -> None:
    for given in (None, serving._address(":8")):
        assert serving.host_and_port(given, 8) == ("127.0.0.1", 8)
    assert serving.host_and_port(serving._address("other:9"), 8) == ("other", 9)


def test_a_port_that_is_in_use(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert cli.main(["serve", str(EXAMPLES), "--listen", f"127.0.0.1:{port}"]) == 2
    line = one_line(capsys.readouterr().err)
    assert f"cannot listen on 127.0.0.1:{port}: Address already in use" in line
    assert "--listen 127.0.0.1:0" in line


def test_the_plain_install_has_what_it_needs() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    for name in ("starlette", "hypercorn[trio]"):
        assert any(wanted.startswith(name) for wanted in project["dependencies"])


@pytest.mark.slow
@pytest.mark.parametrize("format", ["text", "json", "csv", "html"])
def test_standings_load_no_server(format: str, tmp_path: Path) -> None:
    store, report = tmp_path / "night.sqlite", tmp_path / "report"
    with Store.for_writing(str(store)) as made:
        made.add_stage(made_setup(3, deals=1))
        play(made)
    words = ["standings", str(store), "--format", format, "--output", str(report)]
    program = f"from referee.cli import main; assert main({words}) == 0"
    server = {"hypercorn", "referee.web.server", "starlette", "trio"}
    shows = {"text": {"rich.table"}, "html": {"jinja2", "referee.web.pages"}}.get(format, set())
    assert loaded(program, server | {"jinja2", "referee.web.pages", "rich.table"}) == shows
    assert report.stat().st_size


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["nothing-there"], "cannot read nothing-there: No such file"),
        (["/dev/null"], "/dev/null is neither a file nor a folder"),
        (["--play", "no_such_bot"], "no_such_bot"),
        (["--set", "max_turns=1"], "--set goes with --play BOT"),
        (["--save-games", "games"], "--save-games goes with --play BOT"),
        (["--proxy", "127.0.0.1"], "--proxy goes with --play BOT"),
        (["--play", "minimal", "--proxy", "me"], "'me' is not an address such as 127.0.0.1"),
        (["--listen", "x:y"], "'x:y' is not HOST:PORT"),
        (["--listen", "127.0.0.1:70000"], "is not HOST:PORT"),
        (["--listen", "256.0.0.1:0"], "cannot listen on 256.0.0.1:0"),
    ],
)
def test_wrong_usage(words: list[str], says: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["serve", *words]) == 2
    assert says in one_line(capsys.readouterr().err)


@contextmanager
def listening() -> Iterator[socket.socket]:
    with listen.listening("127.0.0.1", 0) as on:
        yield on


def fail(error: Exception) -> None:
    raise AssertionError from error


@pytest.mark.parametrize(("seconds", "sending"), [(0.05, 32), (math.inf, 1)])
async def test_a_client_that_takes_nothing_is_left(
    seconds: float, sending: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A client that doesn't read is disconnected after `STUCK_SECONDS`.

    If many such clients are connected, this happens immediately (spec/serve.md, 4).
    """
    monkeypatch.setattr(listen, "STUCK_SECONDS", seconds)
    monkeypatch.setattr(listen, "MOST_SENDING", sending)
    monkeypatch.setattr(guard, "MOST_REQUESTS", 1)
    (tmp_path / "game.jsonl").write_bytes((EXAMPLES / "two-players.record.jsonl").read_bytes())
    site = Site(Library([str(tmp_path)]))
    request = b"GET /match/game.jsonl?format=json HTTP/1.1\r\nHost: localhost\r\n\r\n"
    with trio.fail_after(60), listening() as on:
        on.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4_096)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(listen.serve, site.app(), on, fail)
            with trio.socket.socket() as stuck:
                stuck.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
                await stuck.connect(on.getsockname())
                await stuck.send(request)
                await stuck.recv(1)  # the server is busy with this response now
                answer = b""
                # Only one request is allowed at a time, so 404 means that the first client is gone.
                while not answer.startswith(b"HTTP/1.1 404"):
                    answer = await answer_to(
                        b"GET /nothing HTTP/1.1\r\nHost: localhost\r\n\r\n", on
                    )
            nursery.cancel_scope.cancel()


async def answer_to(request: bytes, on: socket.socket) -> bytes:
    async with await trio.open_tcp_stream(*on.getsockname()) as stream:
        await stream.send_all(request)
        return bytes(await stream.receive_some())


UPGRADE = b"GET /nothing HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade, HTTP2-Settings\r\n"


@pytest.mark.parametrize(
    ("request_", "status"),
    [
        (b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + b"\0\0\0\4" + bytes(5), b"505"),
        (UPGRADE + b"Upgrade: h2c\r\nHTTP2-Settings: AAQAAAAA\r\n\r\n", b"404"),
        (
            UPGRADE + b"Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
            b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
            b"404",
        ),
    ],
    ids=["HTTP/2", "h2c", "WebSocket"],
)
async def test_it_speaks_no_other_protocol(request_: bytes, status: bytes) -> None:
    """Requests to upgrade the protocol are answered as plain HTTP/1.1 (spec/serve.md, 5)."""
    with listening() as on:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(listen.serve, Site(Library([str(EXAMPLES)])).app(), on, fail)
            assert (await answer_to(request_, on)).startswith(b"HTTP/1.1 " + status)
            nursery.cancel_scope.cancel()


async def test_too_many_connections_end_the_oldest_of_those_who_have_most(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(listen, "MOST_CONNECTIONS", 3)
    monkeypatch.setattr(listen, "MOST_SENDING", 2)  # an idle connection isn't sending
    request = b"HEAD /nothing HTTP/1.1\r\nHost: localhost\r\n\r\n"
    with listening() as on:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(listen.serve, Site(Library([str(EXAMPLES)])).app(), on, fail)
            made = []
            for address in ("127.0.0.2", "127.0.0.1", "127.0.0.1", "127.0.0.3"):
                made.append(await trio.open_tcp_stream(*on.getsockname(), local_address=address))
                if address != "127.0.0.1" or len(made) == 3:
                    await made[-1].send_all(request)
                    assert await made[-1].receive_some()
            first, oldest, kept, _ = made
            assert await oldest.receive_some() == b""
            for stream in (first, kept):
                await stream.send_all(request)
                assert (await stream.receive_some()).startswith(b"HTTP/1.1 404")
            for stream in made:
                await stream.aclose()
            nursery.cancel_scope.cancel()
