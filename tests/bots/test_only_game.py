"""Finding out if a BOT argument can only play one game."""

from __future__ import annotations

from pathlib import Path

import pytest

from referee.bots.command import game_of_bots
from referee.bots.only_game import libraries, only_game
from referee.diagnosis.author import dialects_for
from referee.errors import UsageError
from referee.games import GAMES


@pytest.mark.parametrize(
    ("argument", "game"),
    [
        ("courtier", "tribute"),
        ("big_money", "dominion"),
        ("courtier --fast", "tribute"),
        ("random", "tribute"),
        ("sot:mine.py:Mine", "tribute"),
        ("classic-index:./mine", "tribute"),
        ("original:./mine", "dominion"),
        ("classic:classic_walker", "botwars"),
        ("classic:classic_spender", "tribute"),
        ("classic:./mine", None),  # two games have this dialect
        ("http://localhost:1/", None),
        ("./mine", None),
        ("'", None),
        ("", None),
    ],
)
def test_a_name_or_a_prefix(argument: str, game: str | None) -> None:
    assert only_game(argument) == game


def test_a_file_of_the_same_name_is_that_file(tmp_path: Path) -> None:
    (tmp_path / "courtier").touch()
    assert only_game("courtier", str(tmp_path)) is None


def test_a_file_that_imports_the_library_of_a_game(tmp_path: Path) -> None:
    bot = tmp_path / "bot.py"
    bot.write_text("import random\nfrom scripts_of_tribute.base_ai import BaseAI\n")
    assert libraries(str(bot)) == {"random", "scripts_of_tribute"}
    assert game_of_bots([(str(bot), "")]) == game_of_bots([("bot.py", str(tmp_path))]) == "tribute"
    hint = f"it imports the library scripts_of_tribute: give it as sot:{bot}"
    assert dialects_for(GAMES["tribute"], str(bot)) == hint
    bot.write_text("# import scripts_of_tribute\nimport numpy\n")
    assert game_of_bots([(str(bot), "")]) == "dominion"
    advice = f'if it speaks classic or classic-index, give it as "classic:{bot}"'
    assert dialects_for(GAMES["tribute"], str(bot)) == advice


def test_bots_of_two_games_are_named() -> None:
    says = "courtier is for tribute and gatherer is for botwars: bots of one game can play"
    with pytest.raises(UsageError, match=says):
        game_of_bots([("./mine", ""), ("courtier", ""), ("gatherer", ""), ("magnate", "")])
    assert game_of_bots([("./mine", ""), ("gatherer", "")]) == "botwars"
