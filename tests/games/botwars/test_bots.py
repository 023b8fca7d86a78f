"""The example bots of Bot Wars play without faults, over pipes and over HTTP."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest

from tests.games.botwars.botwars_matches import Decide, gathering, new_match, play_out, reply
from tests.support.helpers import ROOT, Announced, to_line
from tests.support.marks import slow

BOTS = ROOT / "example_bots" / "botwars"
SERVERS = {"http_gatherer.py": sys.executable, "http_gatherer.js": "node"}


@contextmanager
def running(name: str) -> Iterator[str]:
    """Start an example bot that is an HTTP server, and yield its URL."""
    program = shutil.which(SERVERS[name])
    if program is None:
        pytest.skip(f"{name}: no {SERVERS[name]} on this machine")
    server = subprocess.Popen([program, str(BOTS / name), "0"], stdout=subprocess.PIPE, text=True)
    assert server.stdout is not None
    try:
        yield server.stdout.readline().strip()
    finally:
        server.kill()
        server.communicate()


def post(url: str, body: bytes, content_type: str) -> bytes:
    request = urllib.request.Request(url, body, {"Content-Type": content_type})
    with urllib.request.urlopen(request, timeout=60) as response:
        assert response.status == 200
        data: bytes = response.read()
        return data


def as_json(url: str, message: Any) -> Any:
    return json.loads(post(url, to_line(message), "application/json"))


def as_form(url: str, message: Any) -> Any:
    form = urlencode({"data": to_line(message)}).encode()
    return json.loads(post(url, form, "application/x-www-form-urlencoded"))


def against_a_gatherer(decide: Decide, side: str) -> list[Any]:
    """Play `decide` on one side against `gathering`, and return the faults of that side."""

    def both(colour: str, state: Any) -> bytes:
        return decide(colour, state) if colour == side else gathering(colour, state)

    match = new_match(4, rows=6, cols=7, max_turns=12)
    told = Announced(play_out(match, both))
    assert told.public[-1]["type"] == "game-end"
    assert len(told.public) > 6
    return [fault for fault in told.faults if fault.seat == "rb".index(side)]


servers = pytest.mark.parametrize("name", ["http_gatherer.py", slow("http_gatherer.js")])


@servers
def test_a_server_answers_classic_requests(name: str) -> None:
    with running(name) as url:

        def decide(colour: str, state: Any) -> bytes:
            ask = {"r": as_json, "b": as_form}[colour]
            return reply(ask(url, {"player": colour, "state": state, "gameId": 7}))

        for side in "rb":
            assert against_a_gatherer(decide, side) == []


@servers
def test_a_server_answers_canonical_requests(name: str) -> None:
    names = [{"type": "player-name", "player_number": "player1", "name": "a\u2028b\u0085c"}]
    with running(name) as url:

        def say(*messages: Any) -> bytes:
            lines = b"".join(to_line(message) + b"\n" for message in messages)
            return post(url, lines, "application/x-ndjson")

        hello = {"type": "player-name-request", "player_number": "player2", "version": 1}
        answer = json.loads(say(hello))
        assert answer["type"] == "player-name-reply"
        assert answer["player_number"] == "player2"
        assert isinstance(answer["name"], str)

        def decide(colour: str, state: Any) -> bytes:
            request = {"type": "move-request", "player": colour, "state": state}
            return say(*names, request)

        assert against_a_gatherer(decide, "b") == []
        assert say({"type": "game-end", "scores": [1, 0], "winners": [], "reason": "x"}) == b""


@pytest.mark.slow
@pytest.mark.parametrize("side", "rb")
def test_the_servers_play_alike(side: str) -> None:
    with running("http_gatherer.py") as python, running("http_gatherer.js") as node:
        states = []

        def decide(colour: str, state: Any) -> bytes:
            states.append(state)
            asked = {"player": colour, "state": state, "gameId": 7}
            moves = as_json(python, asked)
            assert as_json(node, asked) == moves
            return reply(moves)

        against_a_gatherer(decide, side)
        assert len(states) > 6


def test_the_classic_walker_answers_each_line_with_an_array() -> None:
    words = [sys.executable, "-I", "-S", str(BOTS / "classic_walker.py")]
    bot = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert bot.stdin is not None
    assert bot.stdout is not None

    def decide(colour: str, state: Any) -> bytes:
        assert bot.stdin is not None
        assert bot.stdout is not None
        bot.stdin.write(to_line({"player": colour, "state": state, "gameId": 7}) + b"\n")
        bot.stdin.flush()
        return reply(json.loads(bot.stdout.readline()))

    try:
        assert against_a_gatherer(decide, "r") == []
        rest, _ = bot.communicate(timeout=60)
        assert rest == b""
        assert bot.returncode == 0
    finally:
        bot.kill()
        bot.communicate()


@pytest.mark.parametrize("file", sorted(BOTS.glob("*.*")), ids=lambda file: file.name)
def test_a_bot_needs_nobody_else(file: Path) -> None:
    text = file.read_text()
    assert "import referee" not in text
    assert len(text.splitlines()) < 120
    assert file.stat().st_mode & 0o111


# --- match after match (8.4) ----------------------------------------------------------------------


def a_match(grids: list[str]) -> list[dict[str, Any]]:
    """A plausible conversation with the red bot: handshake, one request per grid, and the end."""
    side = {"energy": 1, "spawn": 5, "spawnDisabled": False}
    state = {"rows": 4, "cols": 4, "p1": side, "p2": side, "maxTurns": 100, "turnsElapsed": 1}
    return [
        {"type": "player-name-request", "player_number": "player1", "version": 1},
        *({"type": "move-request", "player": "r", "state": state | {"grid": g}} for g in grids),
        {"type": "game-end", "scores": [1, 1], "winners": [], "reason": "turn-limit"},
    ]


def replies(name: str, *matches: list[dict[str, Any]]) -> list[Any]:
    lines = b"".join(to_line(message) + b"\n" for match in matches for message in match)
    done = subprocess.run(
        [sys.executable, str(BOTS / name)], input=lines, capture_output=True, check=True, timeout=60
    )
    assert done.stderr == b""
    return [json.loads(line) for line in done.stdout.splitlines()]


GRID = "r..r.*.bb...r..*"
OTHER = "*..r.*.bb...r..r"


@pytest.mark.parametrize("name", ["formation.py", "gatherer.py", "random_walker.py"])
def test_a_bot_begins_each_match_afresh(name: str) -> None:
    match = a_match([GRID] * 10)
    said = replies(name, match, a_match([OTHER] * 10), match)
    assert said[0]["keep_alive"] is True
    assert len(said) == 3 * 11
    assert said[:11] == said[22:]


def test_every_match_has_dice_of_its_own() -> None:
    one, other = (
        replies("random_walker.py", a_match([grid, *[GRID] * 10])) for grid in (GRID, OTHER)
    )
    assert one[2:] != other[2:]
