"""Test errors and warnings in rule files, with their lines (spec/rule-files.md, 1)."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

import jsonschema
import pytest

import referee
from referee.games import GAMES
from referee.games.interface.vocabulary import Vocabulary
from referee.rulefiles.reading import read, stated_game
from referee.rulefiles.source import MAX_BYTES, Problem
from tests.support.helpers import TIMES
from tests.support.live import schema

ROOT = Path(__file__).resolve().parents[2]
FILES = sorted(ROOT.glob("example_bots/*/*.json"))
STAR_REALMS = GAMES["starrealms"].vocabulary
assert isinstance(STAR_REALMS, Vocabulary)


def problems(text: str | bytes, *, right: bool) -> list[Problem]:
    data = text.encode() if isinstance(text, str) else text
    assert STAR_REALMS is not None
    book, found = read(data, STAR_REALMS, "starrealms")
    assert (book is not None) is right
    return found


def file(**fields: Any) -> str:
    return json.dumps({"name": "A", "author": "B", **fields})


def one(text: str | bytes, *, right: bool = False) -> Problem:
    (found,) = problems(text, right=right)
    assert found.is_error is not right
    return found


RULE = "$.buyRules[0].rules[0]"
AT = "$.buyRules[0]"


@pytest.mark.parametrize(
    ("entry", "path", "said"),
    [
        ({"card": "Ram"}, AT, '"score" is missing'),
        ({"score": 1}, AT, '"card" or "faction" or "type" is missing'),
        ({"card": "Ram", "type": "ship", "score": 1}, AT, 'either "card" or "type"'),
        (
            {"card": "Blob", "score": 1},
            f"{AT}.card",
            'blob is a faction: write {"faction": "blob"}',
        ),
        ({"type": "Ram", "score": 1}, f"{AT}.type", 'Ram is a card: write {"card": "Ram"}'),
        ({"faction": "base", "score": 1}, f"{AT}.faction", 'base is a type: write {"type": "base"'),
        ({"type": "boat", "score": 1}, f"{AT}.type", "there are: outpost, base, ship"),
        ({"card": 3, "score": 1}, f"{AT}.card", "expected a card's name in quotes, not 3"),
        ({"card": "Ram", "score": 1, "scroe": 2}, f"{AT}.scroe", "did you mean score?"),
        ({"card": "Ram", "choice": 1, "score": 1}, f"{AT}.choice", "no field is called 'choice'"),
        ({"card": "Ram", "score": True}, f"{AT}.score", "a number or a key expected here"),
        ({"card": "Ram", "score": None}, f"{AT}.score", "not null"),
        ({"card": "Ram", "score": []}, f"{AT}.score", "not an empty list"),
        ({"card": "Ram", "score": [1]}, f"{AT}.score", "not a list"),
        ({"card": "Ram", "score": {}}, f"{AT}.score", "not an object"),
        ({"card": "Ram", "score": "> 3"}, f"{AT}.score", "a score does not have an operator"),
        ({"card": "Ram", "score": ""}, f"{AT}.score", "is missing"),
        ({"card": "Ram", "score": 1.1e15}, f"{AT}.score", "beyond 1e+15"),
        ({"card": "Ram", "score": "card.cots"}, f"{AT}.score", "did you mean card.cost?"),
        ({"card": "Ram", "score": "Card.cost"}, f"{AT}.score", "no key is called 'Card.cost'"),
        ({"card": "Ram", "score": "1e3"}, f"{AT}.score", "no key is called '1e3'"),
        ({"card": "Ram", "score": "card_info_x"}, f"{AT}.score", "no entry of cardInfo has 'x'"),
        ({"card": "Ram", "rules": []}, f"{AT}.rules", "expected a list of rules"),
        ({"card": "Ram", "rules": [3]}, RULE, "a rule is an object"),
        ({"card": "Ram", "rules": [{"deck": 1}]}, RULE, '"score" is missing in this rule'),
        (
            {"card": "Ram", "rules": [{"dek": 1, "score": 1}]},
            f"{RULE}.dek",
            "no key is called 'dek'; did you mean deck?",
        ),
        (
            {"card": "Ram", "rules": [{"scroe": 1, "score": 1}]},
            f"{RULE}.scroe",
            "no key is called 'scroe'; did you mean score?",
        ),
        ({"card": "Ram", "rules": [{"deck": "== 1", "score": 1}]}, f"{RULE}.deck", "no operator"),
        ({"card": "Ram", "rules": [{"deck": "<", "score": 1}]}, f"{RULE}.deck", "is missing"),
        ({"card": "Ram", "rules": [{"deck": [1], "score": 1}]}, f"{RULE}.deck", "not a list"),
        ({"card": "Ram", "rules": [{"deck": "< 1e9", "score": 1}]}, f"{RULE}.deck", "no key"),
        ("Ram", AT, "an entry is an object"),
    ],
)
def test_errors_of_an_entry(entry: Any, path: str, said: str) -> None:
    found = one(file(buyRules=[entry]))
    assert found.path == path
    assert said in found.text


@pytest.mark.parametrize(
    ("text", "path", "said"),
    [
        ("[]", "$", "a rule file is one object"),
        ('{"name": "A"}', "$", '"author" is missing'),
        (file(name=3), "$.name", "expected a text in quotes, not 3"),
        (
            file(game="starrealms", buyRules=[{"card": "Rem", "score": 1}]),
            f"{AT}.card",
            'no card of starrealms is called "Rem"; did you mean Ram?',
        ),
        (file(buyRule=[]), "$.buyRule", "no field is called 'buyRule' here; did you mean buyRules"),
        (file(buyRules={}), "$.buyRules", '"buyRules" is a list'),
        (file(makeChoiceRules=[{"card": "*", "choice": 3}]), "$.makeChoiceRules[0].choice", "1 or"),
        (file(makeChoiceRules=[{"card": "*", "choice": "1"}]), "$.makeChoiceRules[0].choice", "1"),
        (file(makeChoiceRules=[{"card": "*", "score": 1}]), "$.makeChoiceRules[0]", "choice"),
        (
            file(playRules=[{"card": "Ram", "score": 1, "useAllyAfterPlay": 1}]),
            "$.playRules[0].useAllyAfterPlay",
            "expected true or false",
        ),
        (file(cardInfo=[{"card": "Ram"}]), "$.cardInfo[0]", '"info" is missing'),
        (file(cardInfo=[{"card": "Ram", "info": 3}]), "$.cardInfo[0].info", '"info" is an object'),
        (
            file(cardInfo=[{"card": "Ram", "info": {"avg_x": 3}}]),
            "$.cardInfo[0].info.avg_x",
            "begins with avg_",
        ),
        ('{"name": "A", "author": "B", "name": "C"}', "$.name", "appears twice"),
        (b'{"name": "\xff"}', "$", "not UTF-8"),
        ('{"name": NaN}', "$.name", "not JSON"),
        (b" " * (MAX_BYTES + 1), "$", "more than 1,048,576 bytes"),
    ],
)
def test_errors_of_a_file(text: str | bytes, path: str, said: str) -> None:
    found = [each for each in problems(text, right=False) if each.path == path]
    assert any(said in each.text for each in found)


def test_a_byte_that_is_no_text_has_its_line() -> None:
    for text, line in ((b"\xff", 1), (b"\n\xff", 2), (b"{\n\n\xff\n", 3)):
        assert one(text).line == line


@pytest.mark.parametrize(
    ("choice", "right"),
    [(0, False), (1, True), (2, True), (3, False), (1.5, False), (True, False), (None, False)],
)
def test_a_choice_is_one_of_those_that_there_are(choice: Any, right: bool) -> None:
    problems(file(makeChoiceRules=[{"card": "*", "choice": choice}]), right=right)


@pytest.mark.parametrize(
    ("text", "game"),
    [
        (b'{"game": "starrealms"}', "starrealms"),
        (b'{"game": 3}', None),
        (b"{}", None),
        (b'["game"]', None),
        (b"{", None),
    ],
)
def test_the_game_that_a_file_states(text: bytes, game: str | None) -> None:
    assert stated_game(text) == game


def info(**values: Any) -> list[dict[str, Any]]:
    return [{"card": "*", "info": values}]


@pytest.mark.parametrize(
    "fields",
    [
        {"cardInfo": info(a="card_info_a")},
        {"cardInfo": info(a="card_info_avg_a")},
        {"cardInfo": info(a=[{"card_info_avg_b": 1, "score": 1}], b="card_info_a")},
        {"cardInfo": info(a="opponent_card_info_avg_b", b="trade_row_card_info_avg_a")},
        {"buyRules": [{"card": "*", "score": "buy.score.increase"}]},
        {
            "buyRules": [{"card": "*", "score": "card_info_a"}],
            "cardInfo": info(a="buyScoreIncrease"),
        },
    ],
)
def test_a_value_that_leads_back_to_itself(fields: dict[str, Any]) -> None:
    assert "leads back to itself" in one(file(**fields)).text


def test_a_value_of_another_card_leads_not_back() -> None:
    """Ram computes `a` from `b` and Cutter `b` from `a`, so neither card has a cycle."""
    entries = [
        {"card": "Ram", "info": {"a": "card_info_b", "b": 1}},
        {"card": "Cutter", "info": {"b": "card_info_a", "a": 1}},
    ]
    assert problems(file(cardInfo=entries), right=True) == []


def test_a_chain_that_is_too_long() -> None:
    values = {f"v{n}": f"card_info_avg_v{n + 1}" for n in range(100)} | {"v100": 1}
    assert "more than 100 values" in one(file(cardInfo=info(**values))).text
    del values["v0"]
    assert problems(file(cardInfo=info(**values)), right=True) == []


@pytest.mark.parametrize(
    ("fields", "path", "said"),
    [
        (
            {"buyRules": [{"card": "Merc Cruiser", "score": 1}]},
            "$.buyRules[0].card",
            'no card of starrealms is called "Merc Cruiser"',
        ),
        (
            {"buyRules": [{"card": "Ram", "score": 1}, {"card": "RAM", "score": 2}]},
            "$.buyRules[1].card",
            "stood in line 1 before: this one counts",
        ),
        (
            {"buyRules": [{"card": "Ram", "rules": [{"score": 1}, {"deck": 1, "score": 2}]}]},
            "$.buyRules[0].rules[1]",
            "never used: if it applies, so does the rule in line 1",
        ),
        ({"buyRules": [{"card": "Scout", "score": 1}]}, "$.buyRules[0].card", "never asks about"),
        ({"useBaseRules": [{"card": "ship", "score": 1}]}, "$.useBaseRules[0].card", "never asks"),
    ],
)
def test_warnings(fields: dict[str, Any], path: str, said: str) -> None:
    found = one(file(**fields), right=True)
    assert found.path == path
    assert said in found.text


def test_a_file_for_another_game_has_one_mistake() -> None:
    found = one(file(game="dominion", topDiscardRules=3))
    assert (found.path, found.is_error) == ("$.game", True)
    assert 'this file is for the game "dominion", not for starrealms' in found.text


@pytest.mark.parametrize(
    ("first", "second", "is_never_asked"),
    [
        ({"turn": "> 3"}, {"turn": "> 5"}, True),
        ({"turn": "> 5"}, {"turn": "> 3"}, False),
        ({"turn": ">= 3"}, {"turn": 3}, True),
        ({"turn": "> 3"}, {"turn": ">= 3"}, False),
        ({"turn": "<= 3"}, {"turn": "< 3", "trade": 2}, True),
        ({"turn": "< 3", "trade": 2}, {"turn": "< 3"}, False),
        ({"trade": ">= combat"}, {"trade": "> combat"}, True),
        ({"trade": "> combat"}, {"trade": "> authority"}, False),
        ({"trade": "> combat"}, {"trade": "> 5"}, False),
    ],
)
def test_a_rule_that_can_never_win(first: Any, second: Any, is_never_asked: bool) -> None:
    rules = [{**first, "score": 1}, {**second, "score": 2}]
    found = problems(file(buyRules=[{"card": "Ram", "rules": rules}]), right=True)
    assert [each.path for each in found] == ["$.buyRules[0].rules[1]"] * is_never_asked


def test_a_name_goes_before_a_faction_and_a_faction_before_a_type() -> None:
    entries = [
        {"type": "ship", "score": 1},
        {"faction": "Star Empire", "score": 2},
        {"faction": "blob", "score": 3},
        {"card": "Ram", "score": 4},
    ]
    assert STAR_REALMS is not None
    book, _ = read(file(buyRules=entries).encode(), STAR_REALMS, "starrealms")
    assert book is not None
    cards = ("Cutter", "Corvette", "Fleet HQ", "Blob Wheel", "Ram", "Junkyard")
    assert [book.decide(None).score("buyRules", card) for card in cards] == [1, 2, 2, 3, 4, 0]
    jsonschema.Draft202012Validator(schema("starrealms-v1-rule-file")).validate(
        json.loads(file(buyRules=entries))
    )


def test_what_is_right() -> None:
    """A file like those on the internet: no game, any spelling of names, and unknown cards."""
    text = """\ufeff{"name": "A", "author": "B", "comment": [null], "discardRules": [],
      "cardInfo": [{"type": "ship", "info": {"comment": [null], "x": 1}, "comment": {}}],
      "buyRules": [
        {"card": "Port Of Call", "score": "5.5", "comment": 1},
        {"card": "PORTOFCALL ", "rules": [{"comment": 2, "deck": "<=+3.0", "score": -1}]}
      ]}"""
    (again,) = problems(text, right=True)
    assert (again.line, again.is_error) == (5, False)


def test_all_mistakes_are_said_at_once_in_the_order_of_the_lines() -> None:
    text = '{"name": 1,\n"buyRules": [{"card": "Ram", "score": []},\n{"score": 3}],\n"autor": "x"}'
    found = problems(text, right=False)
    assert [each.line for each in found] == [1, 1, 2, 3, 4]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_the_example_files_are_right(path: Path) -> None:
    game = path.parent.name
    words = GAMES[game].vocabulary
    assert words is not None
    book, found = read(path.read_bytes(), words, game)
    assert book is not None
    assert found == []
    jsonschema.Draft202012Validator(schema(f"{game}-v1-rule-file")).validate(
        json.loads(path.read_bytes())
    )


@pytest.mark.parametrize(
    "wrong",
    [
        {"buyRule": []},
        {"buyRules": [{"card": "Ram"}]},
        {"buyRules": [{"card": "Ram", "rules": [{"deck": 1}]}]},
        {"buyRules": [{"card": "Ram", "rules": [{"dek": 1, "score": 1}]}]},
        {"makeChoiceRules": [{"card": "Ram", "choice": 3}]},
        {"buyRules": [{"card": "Ram", "type": "ship", "score": 1}]},
        {"cardInfo": [{"card": "Ram"}]},
    ],
)
def test_the_schema_refuses_what_is_wrong(wrong: dict[str, Any]) -> None:
    problems(file(**wrong), right=False)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.Draft202012Validator(schema("starrealms-v1-rule-file")).validate(
            json.loads(file(**wrong))
        )


# --- broken files -----------------------------------------------------------------------------

_TOKENS = [
    *('"', "{", "}", "[", "]", ",", ":", "<", "null", "true", "1e999", "-0", "\\u0000", "\\"),
    *("NaN", '"card"', '"score"', '"rules"', "card_info_x", '"*"', "\ud7ff", "\n", '"deck"'),
]


def mutated(text: str, random: Random) -> str:
    """Make up to three changes: insert a token, or duplicate, replace or delete some text."""
    for _ in range(random.randint(1, 3)):
        at = random.randrange(len(text))
        to = min(len(text), at + random.choice((0, 1, 1, 5, 40)))
        piece = random.choice((random.choice(_TOKENS), text[at:to] * 2, text[to : to + 30], ""))
        text = text[:at] + piece + text[to:]
    return text


def test_broken_files_are_refused_or_right() -> None:
    random = Random(3)
    refused = 0
    for _ in range(60 * TIMES):
        path = random.choice(FILES)
        words = GAMES[path.parent.name].vocabulary
        assert words is not None
        data = mutated(path.read_text(), random).encode(errors="surrogatepass")
        book, found = read(data, words, path.parent.name)
        assert (book is None) == any(problem.is_error for problem in found)
        assert all(problem.line >= 1 and problem.text for problem in found)
        refused += book is None
    assert refused > 30 * TIMES


# --- performance ------------------------------------------------------------------------------


def test_a_chain_of_averages_comes_to_an_end(tmp_path: Path) -> None:
    """There are 99 infos, each using the next one twice. Without caching that's 2 ** 99 steps."""
    values: dict[str, Any] = {
        f"v{n}": [
            {f"card_info_avg_v{n + 1}": f"> opponent_card_info_avg_v{n + 1}", "score": 1},
            {"score": f"trade_row_card_info_avg_v{n + 1}"},
        ]
        for n in range(99)
    }
    values["v99"] = "card.cost"
    text = file(cardInfo=info(**values), buyRules=[{"card": "*", "score": "card_info_v0"}])
    tmp_path.joinpath("long.json").write_text(text)
    bots = [tmp_path / "long.json"] * 2
    assert referee.play_match(bots, game="starrealms", options={"max_turns": 2}).turns == 4
