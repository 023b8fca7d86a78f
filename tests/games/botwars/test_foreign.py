"""Bot Wars matches with bots behind HTTP, and with bots that speak the classic format."""

from __future__ import annotations

import json
import shlex
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

import pytest

from referee.games import GAMES
from referee.logs.validate import validate_log
from tests.games.botwars.test_bots import SERVERS, running
from tests.support.helpers import ROOT
from tests.support.live import entries, referee

BOTS = ROOT / "example_bots" / "botwars"
GATHERER, WALKER = (str(BOTS / f"{name}.py") for name in ("gatherer", "random_walker"))
CLASSIC_WALKER = f"classic:{BOTS / 'classic_walker.py'}"
SMALL = ["--set", "rows=8", "--set", "cols=9", "--max-turns", "3", "--seed", "5"]


def play(folder: Path, *bots: str, code: int = 0) -> dict[str, Any]:
    """Play a match, check that its record and log are valid, and return the result.

    The files are `folder/log` and `folder/record`.
    """
    record = str(folder / "record")
    logs = ["--log", str(folder / "log"), "--record", record]
    done = referee("play", "--game", "botwars", *SMALL, *logs, "--format", "json", *bots)
    assert done.returncode == code, done.stderr
    assert referee("verify", record).returncode == 0
    assert list(validate_log(str(folder / "log"), GAMES["botwars"])) == []
    result: dict[str, Any] = json.loads(done.stdout)
    return result


def turns(folder: Path) -> list[Any]:
    return [message for message in entries(folder / "log") if message["type"] == "turn-played"]


@contextmanager
def answering(body: bytes, status: int = 200, **headers: str) -> Iterator[tuple[str, list[Any]]]:
    """Run a server that answers every POST with `body`. Yields its URL and the list of POSTs."""
    posts: list[Any] = []

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            data = self.rfile.read(int(self.headers["Content-Length"]))
            posts.append((self.headers["Content-Type"], data.decode()))
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name.replace("_", "-"), value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/bot", posts
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.mark.slow
@pytest.mark.parametrize("name", SERVERS)
def test_a_server_plays_the_same_match_in_every_way(tmp_path: Path, name: str) -> None:
    play(tmp_path, GATHERER, WALKER)
    as_process = turns(tmp_path)
    assert as_process
    with running(name) as url:
        for way in ("", "classic:", "classic-form:"):
            result = play(tmp_path, way + url, WALKER)
            assert turns(tmp_path) == as_process
            first = result["players"][0]
            assert (first["faults"], first["disqualified"]) == ({}, None)
            if way:
                assert first["name"] == (way + url)[:64]


def test_a_classic_program_is_recorded_in_canonical_messages(tmp_path: Path) -> None:
    result = play(tmp_path, CLASSIC_WALKER, WALKER)
    first = result["players"][0]
    assert (first["name"], first["faults"]) == (CLASSIC_WALKER[:64], {})
    said = [
        json.loads(entry["line"])
        for entry in entries(tmp_path / "record")
        if entry["entry"] == "received" and entry["player_number"] == "player1"
    ]
    assert said.pop(0)["type"] == "player-name-reply"
    assert said
    assert all(reply.keys() == {"type", "moves"} for reply in said)


@pytest.mark.parametrize("form", [False, True])
def test_what_a_classic_server_is_sent(tmp_path: Path, form: bool) -> None:
    with answering(b"[]") as (url, posts):
        play(tmp_path, WALKER, f"classic{'-form' if form else ''}:{url}")
    requests = [
        entry["message"]
        for entry in entries(tmp_path / "record")
        if entry["entry"] == "sent" and entry["message"]["type"] == "move-request"
    ]
    sent = []
    for content_type, body in posts:
        if form:
            assert content_type == "application/x-www-form-urlencoded"
            fields = parse_qs(body, strict_parsing=True)
            assert fields.keys() == {"data"}
            (body,) = fields["data"]
        else:
            assert content_type == "application/json"
        sent.append(json.loads(body))
    # A classic server gets one POST per turn: no handshake, no public messages, no game-end.
    assert sent == [
        {"player": "b", "state": request["state"], "gameId": 5}
        for request in requests
        if request["player"] == "b"
    ]


def test_what_a_canonical_server_is_sent(tmp_path: Path) -> None:
    name = {"type": "player-name-reply", "player_number": "player2", "name": "Both"}
    answer = json.dumps({**name, "type": "player-name-reply"}).encode()
    with answering(answer) as (url, posts):
        result = play(tmp_path, WALKER, url)
    assert result["reason"] == "bad-format"  # It answered a move-request with its name.
    kinds = [[json.loads(line)["type"] for line in body.splitlines()] for _, body in posts]
    assert kinds == [
        ["player-name-request"],
        ["player-name", "player-name", "game-info", "move-request"],
        ["game-end"],
    ]


@pytest.mark.parametrize(
    ("way", "body"),
    [
        ("classic:", b'{"type":"move-reply","moves":[]}'),
        ("classic-form:", b"{}"),
    ],
)
def test_a_classic_answer_of_the_wrong_format_loses(tmp_path: Path, way: str, body: bytes) -> None:
    with answering(body) as (url, _):
        result = play(tmp_path, way + url, WALKER)
    assert (result["reason"], result["winners"]) == ("bad-format", ["player2"])
    assert result["players"][0]["faults"] == {"bad-format": 1}
    assert turns(tmp_path) == []


@pytest.mark.parametrize(
    ("status", "headers", "code"),
    [(500, {}, "http-status"), (200, {"Content_Encoding": "gzip"}, "http-error")],
)
def test_an_exchange_that_fails_disqualifies(
    tmp_path: Path, status: int, headers: dict[str, str], code: str
) -> None:
    with answering(b"[]", status, **headers) as (url, posts):
        result = play(tmp_path, WALKER, f"classic:{url}", code=1)
        assert len(posts) == 1
    assert (result["reason"], result["winners"]) == ("last-player-standing", ["player1"])
    assert result["players"][1]["disqualified"] == code


def test_an_answer_that_is_too_long_disqualifies(tmp_path: Path) -> None:
    with answering(b"[" + b" " * 2**20 + b"]") as (url, _):
        result = play(tmp_path, WALKER, f"classic:{url}", code=1)
    assert result["players"][1]["disqualified"] == "output-limit"


@pytest.mark.parametrize("way", ["", "classic:"])
def test_a_server_that_is_not_there_is_unreachable(tmp_path: Path, way: str) -> None:
    with answering(b"") as (url, _):
        pass
    result = play(tmp_path, way + url, WALKER, code=1)
    assert [player["disqualified"] for player in result["players"]] == ["unreachable", None]
    assert (result["reason"], result["winners"]) == ("last-player-standing", ["player2"])
    assert turns(tmp_path) == []


@pytest.mark.parametrize("bot", ["classic:./no-such-bot", f"classic-form:{WALKER}", "classic:"])
def test_a_bot_that_is_none_is_a_usage_error(bot: str) -> None:
    done = referee("play", "--game", "botwars", bot, WALKER)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1


def test_blank_lines_of_a_classic_program_are_skipped(tmp_path: Path) -> None:
    program = tmp_path / "blank.py"
    program.write_text("for _ in iter(input, None): print('\\n \\t\\n[]', flush=True)\n")
    bot = shlex.join([sys.executable, "-I", "-S", str(program)])
    result = play(tmp_path, f"classic:{bot}", WALKER)
    assert result["players"][0]["faults"] == {}
    assert len(turns(tmp_path)) > 1
