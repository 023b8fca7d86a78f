"""A rule file as a bot, wherever bots can be."""

from __future__ import annotations

from pathlib import Path

import pytest

from referee.errors import BotNotFoundError
from referee.rulefiles.bot import read_rule_file
from tests.support.live import one_line, referee

FILE = '{"name": "Mine", "author": "B", "buyRules": [{"card": "*", "score": "card.cost"}]}'


@pytest.fixture
def made(tmp_path: Path) -> Path:
    tmp_path.joinpath("mine.json").write_text(FILE)
    return tmp_path


def test_it_goes_on_from_a_turn_of_a_record(made: Path) -> None:
    """There something stands before it: the answers of the record."""
    bots = ("mine.json", "minimal")
    assert referee("play", *bots, "--seed", "1", "--record", "r", cwd=made).returncode == 0
    done = referee("play", "--from", "r", "--turn", "9", *bots, cwd=made)
    assert done.returncode == 0
    assert "Mine" in done.stdout


def test_a_file_with_an_error_is_no_bot(made: Path) -> None:
    made.joinpath("wrong.json").write_text('{"name": 3,\n"buyRules": 1}')
    done = referee("play", "wrong.json", "minimal", cwd=made)
    assert done.returncode == 2
    text = one_line(done.stderr)
    assert "wrong.json, line 1: " in text
    assert "2 more: referee rules check wrong.json" in text


def test_the_check_that_an_error_names_is_of_the_game_that_was_played(tmp_path: Path) -> None:
    """The file does not say its game, and the check's default is another."""
    file = tmp_path / "wrong.json"
    file.write_text('{"name": 3, "author": 3, "scrapTradeRowRules": []}')
    with pytest.raises(BotNotFoundError, match=r"1 more: .* --game starrealms$"):
        read_rule_file(file, "starrealms")
