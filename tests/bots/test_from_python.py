"""The types of bots that a Python program can pass (spec/python.md, 2)."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import pytest

import referee
from referee.bots import from_python
from referee.bots.command import BotAddress, BotCommand
from referee.bots.from_python import BotLike, bot_source
from tests.support.helpers import cautious
from tests.support.live import ROOT, entries

Message = dict[str, Any]
MINIMAL = str(ROOT / "example_bots" / "dominion" / "minimal.py")


class Cautious:
    """Plays like `cautious`, counts its matches and remembers the type of the last message."""

    made = 0

    def __init__(self, name: str = "Careful") -> None:
        type(self).made += 1
        self.name = name
        self.matches = 0
        self.last = ""

    def reply(self, lines: Sequence[bytes]) -> bytes:
        asked = msgspec.json.decode(lines[-1])
        answer = cautious(asked)
        if answer is None:
            self.matches += 1
            number = asked["player_number"]
            answer = {"type": "player-name-reply", "player_number": number, "name": self.name}
        return msgspec.json.encode(answer)

    def notify(self, lines: Sequence[bytes]) -> None:
        self.last = msgspec.json.decode(lines[-1])["type"]


def play(*bots: BotLike, turns: int = 2) -> referee.MatchResult:
    return referee.play_match(bots, seed=1, options={"max_turns": turns})


# --- commands -------------------------------------------------------------------------------------


def test_strings_are_those_of_referee_play() -> None:
    source = bot_source("big_money", "dominion")
    assert isinstance(source, BotCommand)
    assert source.argument == "big_money"
    assert bot_source("http://[::1]:8000/", "dominion") == BotAddress(
        "http://[::1]:8000/", "http://[::1]:8000/"
    )


@pytest.mark.parametrize("words", [[MINIMAL], ("minimal",)])
def test_a_list_of_words_is_a_command_line(words: Sequence[str]) -> None:
    result = play(words, "minimal")
    assert [player.faults for player in result.players] == [{}, {}]
    assert result.players[0].bot == shlex.join(words)


def test_no_word_of_a_list_is_split(tmp_path: Path) -> None:
    program = tmp_path / "my bot.py"
    program.write_text(Path(MINIMAL).read_text())
    source = bot_source([str(program), "a b", "$HOME"], "dominion")
    assert isinstance(source, BotCommand)
    assert source.argv == (sys.executable, str(program), "a b", "$HOME")


def test_a_path_is_a_file_whatever_it_is_called(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("big_money").write_text("#!/bin/sh\n")
    Path("big_money").chmod(0o755)
    Path("my bot.py").write_text("")
    found = [bot_source(Path(name), "dominion") for name in ("big_money", "my bot.py")]
    assert [source.argument for source in found] == ["big_money", "my bot.py"]
    assert isinstance(found[0], BotCommand)
    assert found[0].argv == (str(tmp_path / "big_money"),)
    with pytest.raises(referee.BotNotFoundError, match="minimal not found"):
        bot_source(Path("minimal"), "dominion")


def test_what_was_found_before_is_taken_as_it_is() -> None:
    command = BotCommand("mine", (sys.executable, MINIMAL), env=(("A", "B"),))
    assert bot_source(command, "dominion") is command


# --- objects --------------------------------------------------------------------------------------


def test_a_function_is_called_with_every_message(tmp_path: Path) -> None:
    heard: list[Message] = []

    def listening(message: Message) -> Mapping[str, object] | None:
        heard.append(message)
        return cautious(message)

    record, options = tmp_path / "record", {"max_turns": 2}
    result = referee.play_match([listening, cautious], seed=1, options=options, record=record)
    sent = [entry for entry in entries(record) if entry["entry"] == "sent"]
    assert heard == [entry["message"] for entry in sent if entry["to"] in ("player1", "all")]
    assert heard[-1]["type"] == "game-end"
    assert [(player.name, player.bot) for player in result.players] == [
        ("listening", "listening"),
        ("cautious", "cautious"),
    ]


def test_a_function_can_answer_the_handshake() -> None:
    def named(message: Message) -> Mapping[str, object] | None:
        if message["type"] == "player-name-request":
            number = message["player_number"]
            return {"type": "player-name-reply", "player_number": number, "name": "Ann"}
        return cautious(message)

    assert [player.name for player in play(named, cautious).players] == ["Ann", "cautious"]


def test_a_wrong_reply_is_a_fault_as_that_of_any_bot() -> None:
    def wrong(message: Message) -> Mapping[str, object] | None:
        return {"type": "hello"} if message["type"] == "play-turn" else None

    assert play(wrong, cautious).players[0].faults == {"wrong-type": 2}


def test_an_object_plays_match_after_match_and_hears_the_end() -> None:
    bot = Cautious()
    for match in (1, 2):
        result = play(bot, "minimal")
        assert bot.matches == match
        assert bot.last == "game-end"
    assert result.players[0].name == "Careful"
    assert result.players[0].bot == "Cautious"


@pytest.mark.parametrize(
    "factory", [Cautious, lambda: Cautious(), partial(Cautious, name="Careful")]
)
def test_of_a_class_there_is_a_new_object_for_each_match(factory: BotLike) -> None:
    Cautious.made = 0
    for match in (1, 2):
        result = play(factory, factory)
        assert Cautious.made == 2 * match
    assert [player.name for player in result.players] == ["Careful", "Careful"]


def test_a_class_can_make_functions() -> None:
    class Memory:
        def __call__(self, message: Message) -> Mapping[str, object] | None:
            return cautious(message)

    assert [player.name for player in play(Memory, Memory()).players] == ["Memory", "Memory"]


# --- objects that fail ----------------------------------------------------------------------------


def test_what_a_bot_raises_comes_through_with_its_traceback() -> None:
    def failing(message: Message) -> Mapping[str, object] | None:
        return {} if message["type"] == "no" else message["no_such_field"]

    with pytest.raises(referee.BotError) as caught:
        play(failing, "minimal")
    assert str(caught.value) == "the bot failing raised KeyError: 'no_such_field'"
    assert isinstance(caught.value.__cause__, KeyError)
    trace = caught.value.__cause__.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    assert trace is not None
    assert trace.tb_frame.f_code.co_name == "failing"


@pytest.mark.parametrize("hears_the_end", [False, True])
def test_sys_exit_in_a_bot_does_not_end_the_program(hears_the_end: bool) -> None:
    class Quitting(Cautious):
        def reply(self, lines: Sequence[bytes]) -> bytes:
            return super().reply(lines) if hears_the_end else sys.exit(3)

        def notify(self, lines: Sequence[bytes]) -> None:
            sys.exit(3)

    with pytest.raises(referee.BotError, match=r"^the bot Quitting raised SystemExit: 3$"):
        play(Quitting(), "minimal")


@pytest.mark.parametrize(
    ("kind", "reply", "says"),
    [
        ("play-turn", None, r"returned None for 'play-turn'; return a dict for it"),
        ("play-turn", 3, r"returned 3 \(int\) for 'play-turn'; return a dict for it"),
        ("play-turn", {"x": {1j}}, r"for 'play-turn', which is not JSON: "),
        ("supply-info", {}, r"returned {} \(dict\) for 'supply-info', which asks for nothing"),
    ],
)
def test_what_a_function_may_not_return(kind: str, reply: object, says: str) -> None:
    def odd(message: Message) -> Any:
        return reply if message["type"] == kind else cautious(message)

    with pytest.raises(referee.BotError, match=f"^the bot odd .*{says}"):
        play(odd, cautious)


def test_a_class_that_fails_and_one_that_makes_no_bot() -> None:
    class Failing:
        def __init__(self) -> None:
            raise ValueError("no model")

    with pytest.raises(referee.BotError, match="the bot Failing raised ValueError: no model"):
        play(Failing, "minimal")  # type: ignore[arg-type]
    with pytest.raises(referee.UsageError, match=r"Path\(\) made .*, which is not a bot"):
        play(Path, "minimal")  # type: ignore[arg-type]


async def _asynchronous(message: Message) -> None: ...


@pytest.mark.parametrize(
    ("bot", "says"),
    [
        (3, r"3 \(int\) is not a bot; a bot is a string"),
        (None, "None is not a bot"),
        ([], r"\[\] \(list\) is not a bot"),
        (["node", 3], "is not a bot"),
        (b"big_money", r"b'big_money' \(bytes\) is not a bot"),
        ({"type": "hello"}, "is not a bot"),
        (_asynchronous, "_asynchronous is an async function"),
        ("x" * 5000, "BOT x+ not found"),
    ],
)
def test_what_is_no_bot(bot: Any, says: str) -> None:
    with pytest.raises(referee.UsageError, match=says):
        play(bot, "minimal")


def test_an_object_cannot_sit_in_two_seats() -> None:
    bot = Cautious()
    with pytest.raises(referee.UsageError, match="the same Cautious object sits in two seats"):
        play(bot, bot)


@pytest.mark.parametrize(
    ("length", "shown"), [(58, "'" + "x" * 58 + "'"), (59, "'" + "x" * 56 + "...")]
)
def test_a_long_value_is_cut_in_a_message(length: int, shown: str) -> None:
    assert from_python._shown("x" * length) == f"{shown} (str)"


def test_a_function_gets_messages_as_lines_or_as_dicts() -> None:
    asked: Message = {"type": "player-name-request", "player_number": "player2"}
    replies = {
        from_python.FunctionPlayer(cautious, "Ann").reply([line])
        for line in (asked, json.dumps(asked).encode())
    }
    assert replies == {b'{"type":"player-name-reply","player_number":"player2","name":"Ann"}'}
