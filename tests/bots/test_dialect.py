"""Bots that speak a dialect of the toy game, as processes and over HTTP, and their records."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Callable
from pathlib import Path
from urllib.parse import parse_qs

import pytest

from referee import MatchResult, play_match
from referee.bots.bot import Answer, Failure, NoProcess
from referee.bots.command import BotAddress, BotCommand, find_bot, resolve_bot
from referee.bots.dialect import DialectBot
from referee.errors import BotNotFoundError
from referee.games import GAMES
from referee.games.interface.faults import Disqualification
from referee.logs.verify import Kind, verify_record
from tests.support import live, servers
from tests.support.live import entries

URL = "http://127.0.0.1:8000/bot"


def process(code: str) -> str:
    """Return the BOT argument of a program that runs `code` for each message, parsed as `asked`."""
    loop = f"import json, sys\nfor line in sys.stdin:\n    asked = json.loads(line); {code}"
    return "bare:" + shlex.join([sys.executable, "-I", "-S", "-c", loop])


TURN = process("print(asked['turn'], flush=True)")
DOUBLE = process("print(2 * asked['turn'], flush=True)")


def play(folder: Path, *bots: str, **options: float) -> MatchResult:
    """Play the toy game and check that the record in `folder/record` is valid."""
    record = str(folder / "record")
    result = play_match(bots, game="toy", seed=7, options=options, record=record)
    assert verify_record(record).kind == Kind.VALID
    return result


def received(folder: Path, number: str) -> list[str]:
    return [
        entry["line"]
        for entry in entries(folder / "record")
        if entry["entry"] == "received" and entry["player_number"] == number
    ]


# --- which is meant -------------------------------------------------------------------------------


def test_an_address() -> None:
    assert find_bot(URL, "dominion") == BotAddress(URL, URL)
    assert find_bot("https://example.org", "toy").dialect == ""


def test_a_dialect_of_the_game_before_a_program_or_an_address() -> None:
    argument = "bare:sh --fast"
    assert find_bot(argument, "toy") == BotCommand(argument, resolve_bot("sh --fast").argv, "bare")
    assert find_bot(f"bare:{URL}", "toy") == BotAddress(f"bare:{URL}", URL, "bare")
    assert find_bot(f"bare-form:{URL}", "toy") == BotAddress(f"bare-form:{URL}", URL, "bare-form")


def test_a_file_that_looks_like_a_dialect_is_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("bare:x", "bare:x y"):
        (tmp_path / name).write_text("#!/bin/sh\n")
        (tmp_path / name).chmod(0o755)
    monkeypatch.chdir(tmp_path)
    program = str(tmp_path / "bare:x")
    assert find_bot("bare:x", "toy") == BotCommand("bare:x", (program,))
    assert find_bot("bare:x --fast", "toy") == BotCommand("bare:x --fast", (program, "--fast"))
    assert find_bot("bare:x y", "toy") == BotCommand("bare:x y", (f"{program} y",))


def test_a_colon_in_a_command_line_means_nothing() -> None:
    command = find_bot("sh -c a:b", "toy")
    assert isinstance(command, BotCommand)
    assert command.argv[1:] == ("-c", "a:b")


def test_an_address_where_a_program_is_needed() -> None:
    with pytest.raises(BotNotFoundError, match="is an address"):
        resolve_bot(URL)


@pytest.mark.parametrize(
    ("argument", "game", "says"),
    [
        ("bare:no_such_bot", "toy", "no_such_bot not found"),
        ("bare:", "toy", "empty"),
        ("bare:big_money", "dominion", "bare:big_money not found"),
        (f"other:{URL}", "toy", "not found"),
        ("bare-form:big_money", "toy", "http://"),
        ("bare:http://", "toy", "not a valid address"),
        ("bare:big_money", "no such game", "not found"),
    ],
)
def test_what_names_nothing(argument: str, game: str, says: str) -> None:
    with pytest.raises(BotNotFoundError, match=says) as caught:
        find_bot(argument, game)
    assert "\n" not in str(caught.value)


# --- one bot --------------------------------------------------------------------------------------


class Told(NoProcess):
    """A bot that replies at once."""

    def __init__(self) -> None:
        self.pushed: list[bytes] = []
        self.answer: Answer | None = b"own"

    def push(self, lines: bytes) -> None:
        self.pushed.append(lines)

    def quick_reply(self, seconds: float) -> Answer | None:
        return self.answer

    async def reply(self, deadline: float) -> Answer:
        assert self.answer is not None
        return self.answer

    async def finish(self, grace: float) -> None: ...

    async def kill(self) -> None: ...


class Shouting:
    """A dialect in capitals, without news. It answers the line "name" itself."""

    answered: bytes | None = None

    def send(self, line: bytes) -> bytes:
        self.answered = b"its name" if line == b"name" else None
        return line.upper() + b"\n" if line.startswith(b"ask") else b""

    def answer(self) -> bytes | None:
        return self.answered

    def reply(self, data: bytes) -> bytes:
        return data + b"\n!"


@pytest.mark.parametrize("is_quick", [True, False])
async def test_only_what_the_dialect_has_is_sent_and_asked(is_quick: bool) -> None:
    told = Told()
    bot = DialectBot(told, Shouting())

    async def reply() -> Answer | None:
        return bot.quick_reply(0) if is_quick else await bot.reply(0)

    bot.push(b"name\n")
    assert await reply() == b"its name"
    assert bot.spoken == (b"", b"")
    bot.push(b"news\nask 1\nask 2\n")
    assert told.pushed == [b"ASK 1\nASK 2\n"]
    assert await reply() == b"own\r!"  # one line
    bot.push(b"news\n")
    assert told.pushed == [b"ASK 1\nASK 2\n"]
    assert bot.spoken == (b"ASK 1\nASK 2\n", b"own")
    bot.push(b"ask 3\n")
    assert bot.spoken == (b"ASK 3\n", b"own")
    told.answer = Failure(Disqualification.EXITED, "it has left")
    assert await reply() == told.answer
    told.answer = None
    assert bot.quick_reply(0) is None


# --- processes ------------------------------------------------------------------------------------


def test_a_match_of_processes_that_know_nothing_but_the_dialect(tmp_path: Path) -> None:
    result = play(tmp_path, TURN, DOUBLE)
    assert [player.score for player in result.players] == [6, 12]
    assert [player.exit_code for player in result.players] == [0, 0]
    assert [player.faults for player in result.players] == [{}, {}]
    assert result.players[0].name == TURN.replace("\n", "")[:64]
    handshake, *replies = received(tmp_path, "player2")
    assert json.loads(handshake)["type"] == "player-name-reply"
    assert [json.loads(reply)["number"] for reply in replies] == [2, 4, 6]


def test_a_process_is_sent_its_requests_alone(tmp_path: Path) -> None:
    heard = tmp_path / "heard"
    copy = process(f"open({str(heard)!r}, 'a').write(line); print(1, flush=True)")
    play(tmp_path, copy, TURN)
    assert [json.loads(line) for line in heard.read_text().splitlines()] == [
        {"turn": turn, "you": "player1", "game": 7} for turn in (1, 2, 3)
    ]


def test_what_has_no_canonical_form_is_recorded_as_it_came(tmp_path: Path) -> None:
    nonsense = process("print(['', 'NaN', '<p>', ' '][asked['turn']], flush=True)")
    result = play(tmp_path, nonsense, TURN, turns=2)
    assert result.players[0].faults == {"invalid-json": 2}
    assert received(tmp_path, "player1")[1:] == ["NaN", "<p>"]


@pytest.mark.parametrize(
    ("code", "verdict"),
    [
        ("sys.exit(3)", "exited"),
        ("import signal; signal.pause()", "timeout"),
        ("print('1' * 1025, flush=True)", "output-limit"),
    ],
)
async def test_the_limits_hold(tmp_path: Path, code: str, verdict: str) -> None:
    limits = {"time_limit": 0.5 if verdict == "timeout" else 60, "line_limit": 1024}
    bots = (TURN, process(code))
    played = await live.play(tmp_path, *bots, game="toy", patient=[0], **limits)
    assert played.result.players[1].disqualified == verdict
    assert played.result.winners == ["player1"]


SPOKEN = """
import sys
name, number, heard = sys.argv[1], int(sys.argv[2]), open(sys.argv[3], "w")
for line in sys.stdin:
    heard.write(line)
    heard.flush()
    if line == "you?\\n":
        print("I am\\n" + name + "\\nover", flush=True)
    elif line == "your number?\\n":
        print("I say", end="\\n", flush=True)
        print(number, "\\nover", sep="", flush=True)
"""


def spoken(name: str, number: int, heard: Path) -> str:
    words = [sys.executable, "-I", "-S", "-c", SPOKEN.replace("\\\\", "\\")]
    return "spoken:" + shlex.join([*words, name, str(number), str(heard)])


def test_requests_news_replies_and_the_end_can_have_several_lines(tmp_path: Path) -> None:
    bots = [spoken("Ann", 2, tmp_path / "ann"), spoken("Ben", 1, tmp_path / "ben")]
    result = play(tmp_path, *bots, turns=2)
    assert [(player.name, player.score) for player in result.players] == [("Ann", 4), ("Ben", 2)]
    assert (tmp_path / "ann").read_text().splitlines() == [
        *("who are", "you?", "turn", "1", "your number?"),
        *("named", "player1 2", "player2 1", ".", "turn", "2", "your number?"),
        *("named", "player1 2", "player2 1", ".", "the end", "player1", "."),
    ]
    assert (tmp_path / "ann").read_text() == (tmp_path / "ben").read_text()


def test_a_bot_that_lost_by_its_own_reply_is_told_the_end(tmp_path: Path) -> None:
    bots = [spoken("Ann", -1, tmp_path / "ann"), spoken("Ben", 1, tmp_path / "ben")]
    result = play(tmp_path, *bots, turns=1)
    assert result.players[0].faults == {"invalid-json": 1}
    assert received(tmp_path, "player1")[1:] == ["I say\r-1"]
    assert (tmp_path / "ann").read_text().endswith("the end\nplayer2\n.\n")


# --- HTTP -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("dialect", "content_type", "data"),
    [
        ("bare", "application/json", lambda body: body.decode()),
        (
            "bare-form",
            "application/x-www-form-urlencoded",
            lambda body: parse_qs(body.decode(), strict_parsing=True)["data"][0],
        ),
    ],
)
def test_a_match_over_http(
    tmp_path: Path, dialect: str, content_type: str, data: Callable[[bytes], str]
) -> None:
    with servers.server(servers.always(servers.response(b" 5\n"))) as server:
        result = play(tmp_path, f"{dialect}:{server.url}", TURN)
    assert [player.score for player in result.players] == [15, 6]
    assert result.players[0].name == f"{dialect}:{server.url}"[:64]
    assert {request.headers["content-type"] for request in server.requests} == {content_type}
    # Only turns are sent: no handshake, no news, and nothing at the end.
    assert [json.loads(data(request.body)) for request in server.requests] == [
        {"turn": turn, "you": "player1", "game": 7} for turn in (1, 2, 3)
    ]


@pytest.mark.parametrize(
    ("answer", "recorded"),
    [
        (b"<html>\n</html>", "<html>\r</html>"),
        (b"NaN", "NaN"),
        (b"", "null"),
        (b"[]", "[]"),
        (b'{"type":"number-reply","number":1}', '[{"type":"number-reply","number":1}]'),
    ],
)
def test_an_answer_without_a_canonical_form(tmp_path: Path, answer: bytes, recorded: str) -> None:
    with servers.server(servers.always(servers.response(answer))) as server:
        result = play(tmp_path, f"bare:{server.url}", TURN, turns=1)
    assert result.players[0].faults == {"invalid-json": 1}
    assert received(tmp_path, "player1")[1:] == [recorded]


def test_a_status_disqualifies(tmp_path: Path) -> None:
    data = servers.response(b"1", status="503 Busy")
    with servers.server(servers.always(data)) as server:
        result = play(tmp_path, f"bare:{server.url}", TURN)
    assert result.players[0].disqualified == "http-status"
    assert result.players[0].requests == 1


def test_a_game_says_which_dialects_it_has() -> None:
    assert {name: kind.form_field for name, kind in GAMES["toy"].dialects.items()} == {
        "bare": "",
        "bare-form": "data",
        "spoken": "",
    }
