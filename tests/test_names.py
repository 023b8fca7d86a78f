"""The name under which a bot is shown."""

from pathlib import Path

import pytest

from referee.names import named, shown_names, stem_of


@pytest.mark.parametrize(
    ("own", "given", "bots", "shown"),
    [
        (["Ann", "Ben"], (), (), ["Ann", "Ben"]),
        (["Ann", "Ben"], ["x", ""], ["a", "b"], ["x", "Ben"]),
        (["Ann", "Ann"], (), (), ["Ann (player1)", "Ann (player2)"]),
        (["Human", "Ann"], (), ["human", "ann"], ["Player 1", "Ann"]),
        (["Human", "Human", "Human"], ["", "", "Eve"], (), ["Player 1", "Player 2", "Eve"]),
        (["player2", "zorro"], (), (), ["player2", "zorro"]),
        (["", "PLAYER2"], (), ["./my_bot.py --fast", ""], ["my_bot", "player2"]),
        (["a\u202eb\u200bc\x1b[2J", "\t"], (), (), ["abc[2J", "player2"]),
        (["x" * 64, "\u65e5" * 30], (), (), ["x" * 37 + "...", "\u65e5" * 18 + "..."]),
        (["Ann", "Ben"], ["y" * 60, "y"], (), ["y" * 60, "y"]),
        (["a\x1b[2Jb", "\x07"], (), (), ["a[2Jb", "player2"]),
        (["x" * 40, "x" * 41], (), (), ["x" * 40, "x" * 37 + "..."]),
        (["/" + "x" * 39, "/x" + "y" * 39], (), (), ["/" + "x" * 39, "..." + "y" * 37]),
        (["Ann", "Ben", "Ann"], ["Ben"], ["a"], ["Ben (player1)", "Ben (player2)", "Ann"]),
        ([" a\u3000b ", "\u200b"], ["\t"], (), ["a b", "player2"]),
    ],
)
def test_a_bot_has_one_name(
    own: list[str], given: list[str], bots: list[str], shown: list[str]
) -> None:
    assert shown_names(own, given, bots) == shown


@pytest.mark.parametrize(
    ("bot", "stem"),
    [
        ("big_money", "big_money"),
        ("python3 ./bots/my_bot.py -x", "my_bot"),
        ("node 'other bot.js'", "other bot"),
        ("./compiled", "compiled"),
        ("http://127.0.0.1:8000/bot", "http://127.0.0.1:8000/bot"),
        ("an 'open quote", "an"),
        ("", ""),
    ],
)
def test_a_bot_without_a_name_is_called_as_its_file(bot: str, stem: str) -> None:
    assert stem_of(bot) == stem


def test_a_name_is_given_before_a_bot() -> None:
    assert named("new=./my_bot.py") == ("new", "./my_bot.py")
    assert named("env A=1 ./bot") == ("", "env A=1 ./bot")
    assert named("x" * 64 + "=a=b\nc") == ("x" * 64, "a=b\nc")
    for whole in ("x" * 65 + "=a", "a=", "=a", "./a=b", "http:a=b"):
        assert named(whole) == ("", whole)


def test_the_name_of_a_file_is_not_split(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("big=bot").symlink_to("missing")
    assert named("big=bot") == ("", "big=bot")
