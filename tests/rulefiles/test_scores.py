"""Test the scores of a rule file with a vocabulary of three cards."""

from __future__ import annotations

import json
from typing import Any

import pytest

from referee.games.interface.vocabulary import Average, Key, RuleSet, Vocabulary
from referee.rulefiles import scores
from referee.rulefiles.reading import read
from referee.rulefiles.scores import Book, TooManyStepsError

CARDS = ("a", "b", "c")
COST = {"a": 1.0, "b": 2.0, "c": 3.0}
BUY = RuleSet("", lambda look, card: -1, "", frozenset(CARDS), flags={"keep": ""})
WORDS = Vocabulary(
    cards=CARDS,
    matchers={},
    sets={"buyRules": BUY},
    keys={
        "n": Key("", lambda look, card: look.sight),
        "card.cost": Key("", lambda look, card: COST[card], of_card=True),
    },
    averages={"": Average("", lambda sight: CARDS[: int(sight)])},
    rule_player=lambda book: None,  # type: ignore[arg-type,return-value]
)


def book(*entries: Any, **fields: Any) -> Book:
    text = json.dumps({"name": "A", "author": "B", "buyRules": entries, **fields})
    made, found = read(text.encode(), WORDS, "game")
    assert made is not None, found
    return made


@pytest.mark.parametrize(
    ("condition", "holds"),
    [
        (3, [False, True, False]),
        ("< 3", [True, False, False]),
        ("<= 3", [True, True, False]),
        ("> 3", [False, False, True]),
        (">= 3", [False, True, True]),
        ("< card.cost", [True, False, False]),
    ],
)
def test_a_condition_at_its_bounds(condition: Any, holds: list[bool]) -> None:
    made = book({"card": "c", "score": 5, "rules": [{"n": condition, "score": 9}]})
    scored = [made.decide(n).score("buyRules", "c") for n in (2.0, 3.0, 4.0)]
    assert scored == [9 if each else 5 for each in holds]


def test_the_first_rule_whose_conditions_all_hold_gives_the_score() -> None:
    rules = [
        {"n": "> 1", "card.cost": "> 2", "score": 1},
        {"n": "> 1", "score": 2},
        {"score": 3},
    ]
    made = book({"card": "b", "score": 4, "rules": rules}, {"card": "c", "rules": rules[:1]})
    assert [made.decide(n).score("buyRules", "b") for n in (1.0, 2.0)] == [3, 2]
    # Without a rule that holds, and without a score of its own, a card has the default score.
    assert [made.decide(n).score("buyRules", "c") for n in (1.0, 2.0)] == [-1, 1]
    assert made.decide(2.0).score("buyRules", "a") == -1


def test_equal_scores_keep_their_order_and_low_ones_are_left_out() -> None:
    made = book({"card": "a", "score": 2}, {"card": "b", "score": 2}, {"card": "c", "score": 3})
    look = made.decide(1.0)
    assert look.rank("buyRules", ["b", "a", "c", "b"]) == [2, 0, 1, 3]
    assert look.rank("buyRules", ["a", "c"], above=2) == [1]
    assert look.rank("buyRules", ["a", "c"], above=1.9) == [1, 0]
    assert look.rank("buyRules", []) == []
    look.remark("so")
    assert [(each.cards, each.order, each.remark) for each in look.rankings] == [
        (["b", "a", "c", "b"], [2, 0, 1, 3], ""),
        (["a", "c"], [1], ""),
        (["a", "c"], [1, 0], "so"),
    ]


def test_a_flag_is_that_of_the_cards_entry() -> None:
    made = book({"card": "a", "score": 1, "keep": True}, {"card": "b", "score": 1, "keep": False})
    assert [made.flag("buyRules", card, "keep") for card in CARDS] == [True, False, False]


def test_averages_and_values_of_cards() -> None:
    info = [{"card": "b", "info": {"x": 4}}, {"card": "c", "info": {"x": "card.cost"}}]
    made = book({"card": "a", "score": "card_info_avg_x"}, cardInfo=info)
    found = [made.decide(n).score("buyRules", "a") for n in (0.0, 1.0, 2.0, 3.0)]
    assert found == [0, 0, 2, pytest.approx(7 / 3)]


def test_the_last_step_is_free_and_the_next_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each use of a key is a step, and each value that is computed is another (rule-files, 1)."""
    monkeypatch.setattr(scores, "MAX_STEPS", 4)
    rules = [{"n": "> 9", "score": 1}] * 2
    made = book({"card": "a", "rules": rules}, {"card": "b", "rules": [{"n": 9, "score": 1}]})
    look = made.decide(1.0)
    assert look.score("buyRules", "a") == -1
    assert made.steps == look.steps == 3
    assert look.score("buyRules", "a") == -1  # as it was found before
    assert look.score("buyRules", "b") == -1
    assert made.steps == 4
    assert made.fresh_copy().steps == 0
    with pytest.raises(TooManyStepsError, match="the score of b in buyRules, line 1"):
        made.decide(1.0).score("buyRules", "b")
