"""Test rule files as bots, in all the places where a bot can be given."""

from __future__ import annotations

from pathlib import Path

import pytest

from referee.bots.command import find_bot, game_of_bots
from referee.errors import BotNotFoundError
from referee.rulefiles.bot import read_rule_file
from referee.rulefiles.source import MAX_BYTES
from tests.support.live import one_line, referee
from tests.support.marks import slow

FILE = '{"name": "Mine", "author": "B", "buyRules": [{"card": "*", "score": "card.cost"}]}'
SHORT = ("--set", "max_turns=4")


@pytest.fixture
def made(tmp_path: Path) -> Path:
    tmp_path.joinpath("mine.json").write_text(FILE)
    return tmp_path


def test_it_goes_on_from_a_turn_of_a_record(made: Path) -> None:
    bots = ("mine.json", "minimal")
    done = referee("play", *bots, "--seed", "1", *SHORT, "--record", "r", cwd=made)
    assert done.returncode == 0
    done = referee("play", "--resume", "r", "--turn", "4", *bots, cwd=made)
    assert done.returncode == 0
    assert "Mine" in done.stdout


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """Two files for Star Realms, only one of which says so, and one for Dominion."""
    named = FILE.replace('"buyRules"', '"game": "starrealms", "buyRules"')
    tmp_path.joinpath("rush.json").write_text(named)
    tmp_path.joinpath("economy.json").write_text(FILE.replace('"*"', '"Cutter"'))
    tmp_path.joinpath("gold.json").write_text(FILE.replace('"*"', '"gold"'))
    return tmp_path


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        (("play", "rush.json", "economy.json"), "play --game starrealms rush.json economy.json"),
        slow(
            ("tournament", "a=rush.json", "economy.json", "--deals", "1", *SHORT),
            "ended by turn-limit",
        ),
        (("conform", "economy.json", "--case", "1.1/2"), "economy.json conforms"),
    ],
)
def test_the_game_is_known_from_the_files(files: Path, words: tuple[str, ...], shown: str) -> None:
    done = referee(*words, cwd=files)
    assert done.returncode == 0
    assert shown in done.stdout


@pytest.mark.slow
def test_a_configuration_has_the_game_of_its_files_or_its_own(files: Path) -> None:
    bots = "\n".join(f'[[bot]]\ncommand = "{name}.json"' for name in ("rush", "economy"))
    for first, code in (("", 0), ('game = "dominion"\n', 2)):
        files.joinpath("t.toml").write_text(f"deals = 1\nset = {{ max_turns = 4 }}\n{first}{bots}")
        assert referee("tournament", "--config", "t.toml", cwd=files).returncode == code


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            ("rush.json", "gold.json", "economy.json"),
            "rush.json is for starrealms and gold.json is for dominion: bots of one game",
        ),
        (
            ("--game", "dominion", "rush.json", "gold.json"),
            'rush.json, line 1: this file is for the game "starrealms", not for dominion',
        ),
    ],
)
def test_files_that_no_game_fits(files: Path, words: tuple[str, ...], said: str) -> None:
    done = referee("play", *words, cwd=files)
    assert done.returncode == 2
    assert said in one_line(done.stderr)


def test_a_file_that_fits_several_games_decides_none(files: Path) -> None:
    files.joinpath("any.json").write_text('{"name": "A", "author": "B"}')
    bots = [(str(files / name), "") for name in ("any.json", "rush.json")]
    assert game_of_bots(bots) == "starrealms"


def test_a_name_that_a_bundled_file_had_means_no_other_file() -> None:
    with pytest.raises(BotNotFoundError, match="did you mean"):
        find_bot("smart_bot.json", "starrealms")


def test_a_note_speaks_of_rules(files: Path) -> None:
    files.joinpath("none.json").write_text('{"name": "A", "author": "B"}')
    done = referee("play", "none.json", "minimal", "--set", "max_turns=7", cwd=files)
    assert "7 turns: `buyRules` gave no card" in " ".join(done.stdout.split())


def test_a_file_with_an_error_is_no_bot(made: Path) -> None:
    made.joinpath("wrong.json").write_text('{"name": 3,\n"buyRules": 1}')
    done = referee("play", "wrong.json", "minimal", cwd=made)
    assert done.returncode == 2
    text = one_line(done.stderr)
    assert "wrong.json, line 1: " in text
    assert "2 more: referee rules check wrong.json" in text


@pytest.mark.parametrize("too_many", [False, True])
def test_a_file_has_at_most_so_many_bytes(too_many: bool, tmp_path: Path) -> None:
    file = tmp_path / "large.json"
    file.write_text(FILE + " " * (MAX_BYTES - len(FILE) + too_many))
    if not too_many:
        assert read_rule_file(file, "starrealms").data.endswith(b" ")
        return
    with pytest.raises(BotNotFoundError, match="more than 1,048,576 bytes"):
        read_rule_file(file, "starrealms")


def test_the_check_that_an_error_names_is_of_the_game_that_was_played(tmp_path: Path) -> None:
    """The file doesn't name its game, and the default of the check would be another game."""
    file = tmp_path / "wrong.json"
    file.write_text('{"name": 3, "author": 3, "scrapTradeRowRules": []}')
    with pytest.raises(BotNotFoundError, match=r"1 more: .* --game starrealms$"):
        read_rule_file(file, "starrealms")
