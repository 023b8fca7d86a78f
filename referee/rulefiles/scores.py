"""Computes the scores that a parsed rule file gives.

A `Look` caches each value for the rest of a decision. Still, a file can cause a lot of work,
because we check conditions for every card, and compute averages over many cards. If we limited the
time for this, a bot would play worse on a slow machine. We limit the number of steps instead, to
`MAX_STEPS` per reply. Each use of a key is one step (in an average, one for each card), and
computing its value is another.
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
"""A reply may take this many steps (spec/rule-files.md, 1).

On a slow machine, that's tens of milliseconds.
"""

Value: TypeAlias = float | Key


class TooManyStepsError(OverLimitError):
    """A reply took more than `MAX_STEPS`."""

    code = Disqualification.STEP_LIMIT

    # The score that we were computing at the time, for the message.
    where = ""

    def __str__(self) -> str:
        return (
            f"a decision took more than {MAX_STEPS:,} steps, and was stopped at {self.where}: "
            "use fewer conditions, values of cardInfo and averages (spec/rule-files.md, 1)"
        )


class Condition(NamedTuple):
    """A condition of a rule. It's true if `holds(left, right)`."""

    left: Key
    holds: Callable[[float, float], bool]
    right: Value


class Rule(NamedTuple):
    """Gives a card a score if all conditions are true. `line` is where it starts in the file."""

    conditions: Sequence[Condition]
    score: Value
    line: int


class Entry(NamedTuple):
    """An object in the file that gives scores to one card, or to the cards of a matcher.

    Attributes:
        rules: the first rule that applies gives the score.
        score: the score if no rule applies, or None for the default score.
        flags: names of the flags that are set to true.
        line: where the entry starts in the file, from 1.
        path: its path in the file, such as "$.buyRules[0]".
    """

    rules: Sequence[Rule]
    score: Value | None
    flags: frozenset[str]
    line: int
    path: str

    def judge(self, look: Look, card: str) -> Judgement | None:
        """Return the score of a card, or None if it should get the default score."""
        for rule in self.rules:
            for left, holds, right in rule.conditions:
                wanted = right if isinstance(right, float) else look.value(right, card)
                if not holds(look.value(left, card), wanted):
                    break
            else:
                return Judgement(look.value(rule.score, card), self, rule)
        return None if self.score is None else Judgement(look.value(self.score, card), self)


class Judgement(NamedTuple):
    """A score, and the entry and rule that gave it. The default score has neither.

    If no rule applied, and the entry gave its own score, only `rule` is None.
    """

    score: float
    entry: Entry | None = None
    rule: Rule | None = None


class Ranking(NamedTuple):
    """The result of ranking some cards with a set of rules.

    Attributes:
        rules: the name of the set.
        cards: the cards, in the order in which they were given.
        judgements: the score of each card.
        order: indices of `cards`, best first. Cards whose score is too low are left out.
        remark: the reason for the player's choice, unless it simply chose the best card.
    """

    rules: str
    cards: Sequence[str]
    judgements: Sequence[Judgement]
    order: Sequence[int]
    remark: str = ""


class Look:
    """Computes scores for one state of the game, with a cache. Implements `Decision`.

    Attributes:
        sight: the state, as far as the player knows it.
        rankings: the rankings so far, oldest first.
        steps: how many steps the reply has taken so far, including earlier looks.
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
        # sort() is stable, so cards with equal scores keep their order.
        order.sort(key=scores.__getitem__, reverse=True)
        if judged:
            self.rankings.append(Ranking(rules, cards, judged, order))
        return order

    def remark(self, text: str) -> None:
        if self.rankings:
            self.rankings[-1] = self.rankings[-1]._replace(remark=text)

    def value(self, value: Value, card: str) -> float:
        """Return the value of a key for a card. If `value` is a number, return that.

        Raises:
            TooManyStepsError: the reply has taken too many steps.
        """
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
    """A parsed rule file. Implements `vocabulary.Book`.

    `looks` has all decisions for the last reply, with their rankings.
    """

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
        """How many steps the last reply took."""
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
        if entry is not None:
            try:
                judged = entry.judge(look, card)
            except TooManyStepsError as error:
                error.where = error.where or f"the score of {card} in {rules}, line {entry.line}"
                raise
            if judged is not None:
                return judged
        return Judgement(float(self.vocabulary.sets[rules].default(look, card)))


def info_key(entries: Mapping[str, Entry]) -> Key:
    """Create a key for the value of an info. If a card has no entry, the value is 0.

    You can add to `entries` afterwards.
    """

    def value(look: Any, card: str) -> float:
        entry = entries.get(card)
        judged = None if entry is None else entry.judge(look, card)
        return 0.0 if judged is None else judged.score

    return Key("", value, of_card=True)


def average_key(over: Average, info: Key) -> Key:
    """Create a key for the mean of an info over some cards. Without cards, the value is 0."""

    def value(look: Any, _: str) -> float:
        found = [look.value(info, card) for card in over.cards(look.sight)]
        return fsum(found) / len(found) if found else 0.0

    return Key("", value)
