"""`referee rules`: checks rule files, lists their keys and explains their decisions."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path

import pytest

from referee import play_match
from referee.games import GAMES
from referee.logs.decisions import decisions
from referee.rulefiles.bot import read_rule_file
from tests.support.live import one_line, referee

BUY = {"name": "A", "author": "B", "buyRules": [{"card": "*", "score": "card.cost"}]}
QUITTER = """import sys
for line in sys.stdin:
    if "player-name-request" in line:
        print(line.replace("request", "reply").replace("}", ', "name": "Quitter"}'), flush=True)
    if "play-request" in line:
        sys.exit()
"""


@pytest.fixture
def made(tmp_path: Path) -> Path:
    """A folder with a valid rule file, one with mistakes and one for an unknown game."""
    tmp_path.joinpath("right.json").write_text(json.dumps(BUY))
    wrong = '{"name": "A",\n"game": "starrealms",\n"buyRules": [{"card": "Rem", "score": "cost"}]}'
    tmp_path.joinpath("wrong.json").write_text(wrong)
    tmp_path.joinpath("chess.json").write_text(json.dumps({**BUY, "game": "chess"}))
    return tmp_path


def test_check_says_all_that_is_wrong(made: Path) -> None:
    done = referee("rules", "check", "wrong.json", "right.json", cwd=made)
    assert done.returncode == 1
    assert done.stderr == ""
    assert done.stdout.splitlines() == [
        'wrong.json:1: "author" is missing',
        'wrong.json:3: no card of starrealms is called "Rem"; did you mean Ram? '
        "($.buyRules[0].card)",
        "wrong.json:3: no key is called 'cost'; did you mean card.cost? ($.buyRules[0].score)",
        "right.json: valid, for dominion",
        "2 files: 1 valid, 1 not; 3 errors, 0 warnings",
    ]


def test_check_as_json(made: Path) -> None:
    done = referee("rules", "check", "wrong.json", "--format", "json", cwd=made)
    found = json.loads(done.stdout)
    assert (found["file"], found["game"], found["right"]) == ("wrong.json", "starrealms", False)
    assert found["problems"][0] == {
        "line": 1,
        "path": "$",
        "kind": "error",
        "text": '"author" is missing',
    }
    assert [each["kind"] for each in found["problems"]] == ["error"] * 3


def test_a_file_that_has_a_warning_is_right(made: Path) -> None:
    data = json.dumps({**BUY, "playRules": [{"card": "Merc Cruiser", "score": 1}]})
    made.joinpath("cruiser.json").write_text(data)
    done = referee("rules", "check", "cruiser.json", "--game", "starrealms", cwd=made)
    assert done.returncode == 0
    assert "1 file: 1 valid, 0 not; 0 errors, 1 warning" in done.stdout


def test_a_file_without_a_game_is_read_for_the_game_of_its_words(made: Path) -> None:
    made.joinpath("bases.json").write_text(json.dumps({**BUY, "useBaseRules": []}))
    done = referee("rules", "check", "bases.json", cwd=made)
    assert done.stdout == "bases.json: valid, for starrealms\n"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["check"], "needs a FILE"),
        (["check", "nothing.json"], "No such file"),
        (["check", "chess.json"], "no game with rule files is called 'chess'; there are: dominion"),
        (["check", "right.json", "--turn", "3"], "takes no --replay"),
        (["keys", "right.json"], "takes no FILE"),
        (["keys", "--game", "botwars"], "has no rule files"),
        (["explain", "right.json"], "needs --replay RECORD and --turn N"),
        (["explain", "right.json", "wrong.json"], "takes one FILE"),
    ],
)
def test_wrong_use(made: Path, words: list[str], said: str) -> None:
    done = referee("rules", *words, cwd=made)
    assert done.returncode == 2
    assert said in one_line(done.stderr)


@pytest.mark.parametrize("game", ["dominion", "starrealms"])
def test_keys_lists_every_word(game: str) -> None:
    done = referee("rules", "keys", "--game", game)
    assert done.returncode == 0
    words = GAMES[game].vocabulary
    assert words is not None
    averages = [f"{prefix}card_info_avg_X" for prefix in words.averages]
    for name in [*words.sets, *words.matchers, "card.cost", *averages]:
        assert f"\n  {name} " in done.stdout
    (default,) = [line for line in done.stdout.splitlines() if line.startswith("  buyRules ")]
    assert default.endswith("(default: 0)")


def test_explain_shows_the_scores_of_a_turn(made: Path) -> None:
    game = ("--game", "starrealms")
    played = referee(
        "play",
        *game,
        "right.json",
        "cadet",
        "--max-turns",
        "3",
        "--seed",
        "3",
        "--record",
        "r",
        cwd=made,
    )
    assert played.returncode == 0
    explain = ("rules", "explain", *game, "--replay", "r", "--turn")
    done = referee(*explain, "1", "right.json", cwd=made)
    assert done.returncode == 0
    assert done.stdout.startswith("Decision 1, player1, play, 0 steps:\n  playRules\n")
    assert "      20  Scout (2)" in done.stdout
    assert ": default\n  does actions: play Scout\n" in done.stdout
    assert "but in the record" not in done.stdout
    # For another player's turn, it shows what this file would have done.
    other = referee(*explain, "2", "right.json", "--player", "2", cwd=made)
    assert "player2, play, 0 steps:" in other.stdout
    as_json = referee(*explain, "1", "right.json", "--format", "json", cwd=made)
    first = json.loads(as_json.stdout.splitlines()[0])
    assert first["ranked"][0]["rules"] == "playRules"
    assert first["steps"] == 0
    assert first["does"]["actions"] == [{"action": "play", "card": "Scout"}]
    assert first["did"] is None
    made.joinpath("no_record").write_text("# Notes\n")
    for words, said in (
        (("999", "right.json"), "turns"),
        (("1", "right.json", "--replay", "no_record"), "no_record, line 1: not a match record"),
        (("1", "wrong.json"), "wrong.json, line 1"),
        (("1", "right.json", "--player", "3"), "no player3"),
    ):
        wrong = referee(*explain, *words, cwd=made)
        assert wrong.returncode == 2
        assert said in one_line(wrong.stderr)


@pytest.mark.slow
def test_explain_says_that_a_player_left_instead_of_replying(made: Path) -> None:
    made.joinpath("quitter.py").write_text(QUITTER)
    quitter_command = shlex.join([sys.executable, "quitter.py"])
    game = ("--game", "starrealms")
    words = ("play", *game, "cadet", quitter_command, "--seed", "3", "--record", "r")
    assert referee(*words, cwd=made).returncode == 1
    explain = ("rules", "explain", *game, "--replay", "r", "--turn", "2", "--player", "2")
    done = referee(*explain, "right.json", cwd=made)
    assert done.stdout.endswith("  but in the record: no reply\n")
    as_json = json.loads(referee(*explain, "right.json", "--format", "json", cwd=made).stdout)
    assert (as_json["did"], as_json["replied"]) == (None, False)


def test_explain_says_why_a_pair_was_bought_and_where_the_record_departs(made: Path) -> None:
    pair = {**BUY, "buyRules": [{"card": "Explorer", "score": 9}, {"card": "*", "score": 10}]}
    made.joinpath("pair.json").write_text(json.dumps(pair))
    bots = [made / "right.json", made / "right.json"]
    play_match(bots, game="starrealms", seed=3, record=made / "r")
    file = read_rule_file(made / "pair.json", "starrealms")
    found = [each for turn in range(1, 9) for each in decisions(str(made / "r"), file, turn)]
    remarks = {ranked.remark for each in found for ranked in each.ranked} - {""}
    assert remarks
    assert all(remark.endswith("alone") for remark in remarks)
    departed = [each for each in found if each.did is not None]
    assert departed
    assert all(each.did != each.does for each in departed)
