"""What a rule file says, ready to be asked: terms, conditions, rules, entries.

A term is worked out once a decision (`Look`), for each card if it depends on the card. So the cost
of a decision is bounded by the size of the file, however its values lead to each other.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from math import fsum
from typing import Any, NamedTuple, Protocol, TypeAlias

from referee.games.interface.vocabulary import Average, Key

OPERATORS: Mapping[str, Callable[[float, float], bool]] = {
    "": operator.eq,
    "<": operator.lt,
    ">": operator.gt,
    "<=": operator.le,
    ">=": operator.ge,
}


class Term(Protocol):
    """A value that the game has, or that the file works out."""

    @property
    def of_card(self) -> bool:
        """Whether it depends on the card that is scored."""

    def work_out(self, look: Look, card: str) -> float:
        """Its value now."""


Value: TypeAlias = float | Term


class Condition(NamedTuple):
    """What must hold for a rule."""

    left: Term
    holds: Callable[[float, float], bool]
    right: Value


class Rule(NamedTuple):
    """Conditions, and the score if all of them hold.

    Attributes:
        line: where it stands.
        path: likewise.
    """

    conditions: Sequence[Condition]
    score: Value
    line: int
    path: str


class Entry(NamedTuple):
    """What a set says of the cards that it is for.

    Attributes:
        score: if no rule holds; None: it has none.
        flags: that are true.
    """

    rules: Sequence[Rule]
    score: Value | None
    flags: frozenset[str]
    line: int
    path: str


class Judgement(NamedTuple):
    """A score, and where it comes from: an entry and one of its rules, if not from the default."""

    score: float
    entry: Entry | None = None
    rule: Rule | None = None


class Ranking(NamedTuple):
    """Cards that were compared by a set of rules.

    Attributes:
        cards: in the order given.
        judgements: one for each.
        order: their indices, best first, without those that are out of the question.
        remark: why it came to what was done, if not by this order alone.
    """

    rules: str
    cards: Sequence[str]
    judgements: Sequence[Judgement]
    order: Sequence[int]
    remark: str = ""


class Words(Protocol):
    """What a `Look` needs of the file that it looks with."""

    def judge(self, look: Look, rules: str, card: str) -> Judgement:
        """What a set gives for a card."""


class Look:
    """One look at a game; implements `referee.games.interface.vocabulary.Decision`.

    Attributes:
        sight: what the player may know.
        rankings: all that were asked for, in order.
    """

    __slots__ = ("_judged", "_values", "_words", "rankings", "sight")

    def __init__(self, words: Words, sight: Any) -> None:
        self.sight = sight
        self.rankings: list[Ranking] = []
        self._words = words
        self._values: dict[object, float] = {}
        self._judged: dict[tuple[str, str], Judgement] = {}

    def score(self, rules: str, card: str) -> float:
        """What a set of rules gives for a card."""
        return self.judge(rules, card).score

    def judge(self, rules: str, card: str) -> Judgement:
        """The same, with where it comes from."""
        found = self._judged.get((rules, card))
        if found is None:
            found = self._judged[rules, card] = self._words.judge(self, rules, card)
        return found

    def rank(self, rules: str, cards: Sequence[str], above: float | None = None) -> list[int]:
        """Indices of cards, the highest score first, equal ones in the order given."""
        judged = [self.judge(rules, card) for card in cards]
        order = [i for i, (score, *_) in enumerate(judged) if above is None or score > above]
        order.sort(key=lambda index: -judged[index].score)
        if judged:
            self.rankings.append(Ranking(rules, cards, judged, order))
        return order

    def remark(self, text: str) -> None:
        """Note why the last ranking came to what was done."""
        if self.rankings:
            self.rankings[-1] = self.rankings[-1]._replace(remark=text)

    def value(self, term: Term, card: str) -> float:
        """A term's value, worked out at the first time."""
        at = (term, card) if term.of_card else term
        found = self._values.get(at)
        if found is None:
            found = self._values[at] = term.work_out(self, card)
        return found


class KeyTerm:
    """What the game has."""

    def __init__(self, key: Key) -> None:
        self.of_card = key.of_card
        self._value = key.value

    def work_out(self, look: Look, card: str) -> float:
        """Ask the game."""
        return self._value(look, card)


class InfoTerm:
    """A card's info of one name: `card_info_X`. A card without it has 0."""

    of_card = True

    def __init__(self) -> None:
        self.entries: Mapping[str, Entry] = {}
        """Card -> its rules and number, once the file was read."""

    def work_out(self, look: Look, card: str) -> float:
        """As its entry has it now."""
        entry = self.entries.get(card)
        return 0.0 if entry is None else judge(entry, look, card, _NOTHING).score


class AverageTerm:
    """The average of an info over cards: the rounded sum divided by their number; 0 of none."""

    of_card = False

    def __init__(self, over: Average, info: InfoTerm) -> None:
        self._cards = over.cards
        self._info = info

    def work_out(self, look: Look, card: str) -> float:
        """As the cards are now."""
        found = [look.value(self._info, card) for card in self._cards(look.sight)]
        return fsum(found) / len(found) if found else 0.0


_NOTHING = Judgement(0.0)


def judge(entry: Entry, look: Look, card: str, default: Judgement) -> Judgement:
    """The score that an entry gives: by the first rule that holds, or its own, or neither."""
    for rule in entry.rules:
        for left, holds, right in rule.conditions:
            wanted = right if type(right) is float else look.value(right, card)  # type: ignore[arg-type]
            if not holds(look.value(left, card), wanted):
                break
        else:
            return Judgement(_number(rule.score, look, card), entry, rule)
    if entry.score is None:
        return default
    return Judgement(_number(entry.score, look, card), entry)


def _number(value: Value, look: Look, card: str) -> float:
    return value if isinstance(value, float) else look.value(value, card)
