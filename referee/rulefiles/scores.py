"""A parsed rule file, and the scores that it gives.

A `Look` computes each value once per decision, or once per card if it depends on the card. Still, a
file can cause a lot of work, because conditions are checked for every card, and averages read an
info of many cards. If we limited the time, a bot would play differently on a slow machine. Instead
we count steps, which are the same everywhere, and a reply may take `MAX_STEPS`. Each use of a key
is one step, also for each card of an average. The first use is two steps.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from math import fsum
from typing import Any, NamedTuple, TypeAlias

from referee.games.interface.faults import Disqualification, OverLimitError
from referee.games.interface.vocabulary import Average, Key, Vocabulary

OPERATORS: Mapping[str, Callable[[float, float], bool]] = {
    "": operator.eq,
    "<": operator.lt,
    ">": operator.gt,
    "<=": operator.le,
    ">=": operator.ge,
}

MAX_STEPS = 20_000
"""Maximum steps of a reply (spec/rule-files.md, 1): tens of milliseconds on a slow machine."""

Value: TypeAlias = float | Key


class TooManyStepsError(OverLimitError):
    """A reply took more than `MAX_STEPS`."""

    code = Disqualification.STEP_LIMIT

    where = ""  # the score that was being computed

    def __str__(self) -> str:
        return (
            f"a decision took more than {MAX_STEPS:,} steps, and was stopped at {self.where}: "
            "use fewer conditions, values of cardInfo and averages (spec/rule-files.md, 1)"
        )


class Condition(NamedTuple):
    """A comparison that has to be true for a rule."""

    left: Key
    holds: Callable[[float, float], bool]
    right: Value


class Rule(NamedTuple):
    """A score that applies if all conditions are true. `line` is its line in the file, from 1."""

    conditions: Sequence[Condition]
    score: Value
    line: int


class Entry(NamedTuple):
    """An entry of a set: the scores of some cards.

    Attributes:
        score: the score if no rule applies, or None.
        flags: the flags that are true.
        line: its line in the file, from 1.
        path: its path in the file, such as "$.buyRules[0]".
    """

    rules: Sequence[Rule]
    score: Value | None
    flags: frozenset[str]
    line: int
    path: str

    def judge(self, look: Look, card: str) -> Judgement | None:
        """Return the score of the first rule that applies, or else the entry's score, or None."""
        for rule in self.rules:
            for left, holds, right in rule.conditions:
                wanted = right if isinstance(right, float) else look.value(right, card)
                if not holds(look.value(left, card), wanted):
                    break
            else:
                return Judgement(look.value(rule.score, card), self, rule)
        return None if self.score is None else Judgement(look.value(self.score, card), self)


class Judgement(NamedTuple):
    """A score and its origin, i.e. an entry and one of its rules, or None for the default score."""

    score: float
    entry: Entry | None = None
    rule: Rule | None = None


class Ranking(NamedTuple):
    """Cards compared by a set of rules.

    Attributes:
        cards: in the given order.
        judgements: one per card.
        order: indices of `cards`, best first. Excluded cards aren't in it.
        remark: the reason for the choice, if there's more than one way to order them.
    """

    rules: str
    cards: Sequence[str]
    judgements: Sequence[Judgement]
    order: Sequence[int]
    remark: str = ""


class Look:
    """The evaluation of one state, as far as the player knows it. Implements `Decision`.

    Attributes:
        rankings: in order of evaluation.
        steps: steps of the reply so far.
    """

    __slots__ = ("_book", "_judged", "_values", "rankings", "sight", "steps")

    def __init__(self, book: Book, sight: Any, steps: int) -> None:
        self.sight = sight
        self.steps = steps
        self.rankings: list[Ranking] = []
        self._book = book
        self._values: dict[object, float] = {}
        self._judged: dict[tuple[str, str], Judgement] = {}

    def score(self, rules: str, card: str) -> float:
        return self._judge(rules, card).score

    def _judge(self, rules: str, card: str) -> Judgement:
        found = self._judged.get((rules, card))
        if found is None:
            found = self._judged[rules, card] = self._book.judge(self, rules, card)
        return found

    def rank(self, rules: str, cards: Sequence[str], above: float | None = None) -> list[int]:
        judged = [self._judge(rules, card) for card in cards]
        scores = [each.score for each in judged]
        order = [i for i, score in enumerate(scores) if above is None or score > above]
        # sort() is stable, so ties keep their order.
        order.sort(key=scores.__getitem__, reverse=True)
        if judged:
            self.rankings.append(Ranking(rules, cards, judged, order))
        return order

    def remark(self, text: str) -> None:
        if self.rankings:
            self.rankings[-1] = self.rankings[-1]._replace(remark=text)

    def value(self, value: Value, card: str) -> float:
        """Return a number or the value of a key, which is cached."""
        if isinstance(value, float):
            return value
        self.steps += 1
        if self.steps > MAX_STEPS:
            raise TooManyStepsError
        at = (value, card) if value.of_card else value
        found = self._values.get(at)
        if found is None:
            self.steps += 1
            found = self._values[at] = value.value(self, card)
        return found


class Book:
    """A parsed rule file. Implements `vocabulary.Book`. `looks` explain the last reply."""

    def __init__(
        self, name: str, vocabulary: Vocabulary, sets: Mapping[str, Mapping[str, Entry]]
    ) -> None:
        self.name = name
        self.vocabulary = vocabulary
        self.looks: list[Look] = []
        self._sets = sets

    def fresh_copy(self) -> Book:
        return Book(self.name, self.vocabulary, self._sets)

    @property
    def steps(self) -> int:
        """The number of steps of the last reply."""
        return self.looks[-1].steps if self.looks else 0

    def decide(self, sight: Any) -> Look:
        looks = self.looks
        look = Look(self, sight, looks[-1].steps if looks else 0)
        looks.append(look)
        return look

    def flag(self, rules: str, card: str, name: str) -> bool:
        entry = self._sets[rules].get(card)
        return entry is not None and name in entry.flags

    def judge(self, look: Look, rules: str, card: str) -> Judgement:
        entry = self._sets[rules].get(card)
        try:
            judged = None if entry is None else entry.judge(look, card)
        except TooManyStepsError as error:
            line = "" if entry is None else f", line {entry.line}"
            error.where = error.where or f"the score of {card} in {rules}{line}"
            raise
        if judged is None:
            return Judgement(float(self.vocabulary.sets[rules].default(look, card)))
        return judged


def info_key(entries: Mapping[str, Entry]) -> Key:
    """Create the key `card_info_X` of a card. Its value is 0 if the card has no entry.

    `entries` may be filled later.
    """

    def value(look: Any, card: str) -> float:
        entry = entries.get(card)
        judged = None if entry is None else entry.judge(look, card)
        return 0.0 if judged is None else judged.score

    return Key("", value, of_card=True)


def average_key(over: Average, info: Key) -> Key:
    """Create the key of an average, i.e. the rounded mean of an info over cards, or 0."""

    def value(look: Any, _: str) -> float:
        found = [look.value(info, card) for card in over.cards(look.sight)]
        return fsum(found) / len(found) if found else 0.0

    return Key("", value)
