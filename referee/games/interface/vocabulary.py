"""A game's part of rule files (`referee/rulefiles`): its words, and the player.

The language of rule files is independent of games and only computes scores. A game defines the
cards, keys and sets of rules, and has a `RulePlayer`, which plays by the scores.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Protocol

from msgspec import Struct


class Decision(Protocol):
    """The evaluation of a rule file in one state. Each value is computed once."""

    @property
    def sight(self) -> Any:
        """The player's knowledge, in the game's own format."""

    def score(self, rules: str, card: str) -> float:
        """Return a card's score by a set of rules."""

    def rank(self, rules: str, cards: Sequence[str], above: float | None = None) -> list[int]:
        """Return indices of cards, sorted by score, highest first. Ties keep the given order.

        Args:
            above: omit cards whose score is at most this. None: omit nothing.
        """

    def remark(self, text: str) -> None:
        """Record the reason for the choice after the last ranking, for `referee rules explain`."""


class Key(Struct, frozen=True, eq=False):
    """A number that conditions can compare."""

    about: str
    value: Callable[[Decision, str], float]  # arguments: the decision, and the card to score
    of_card: bool = False  # True if the value depends on the card
    asks: tuple[str, ...] = ()  # sets of rules whose scores the value depends on


class RuleSet(Struct, frozen=True):
    """A set of rules: a list of entries in a file.

    Attributes:
        choices: number of choices, for a set whose entries have `choice` instead of `score`.
            Otherwise 0.
        flags: boolean fields of its entries: name -> effect.
    """

    about: str
    default: Callable[[Decision, str], float]  # score of a card if no entry or rule gives one
    default_text: str
    cards: frozenset[str]  # all cards that may need a score
    choices: int = 0
    flags: Mapping[str, str] = {}


class Matcher(Struct, frozen=True):
    """A word that stands for several cards, in a field of its own such as "type", or in `card`."""

    about: str
    cards: frozenset[str]
    field: str = ""
    in_card: bool = True


class Average(Struct, frozen=True):
    """Cards whose infos can be averaged. The name of the key is `PREFIXcard_info_avg_NAME`."""

    about: str
    cards: Callable[[Any], Iterable[str]]
    """Returns the cards, given the sight of a decision."""


class Book(Protocol):
    """A parsed rule file."""

    def decide(self, sight: Any) -> Decision:
        """Evaluate a state."""

    def flag(self, rules: str, card: str, name: str) -> bool:
        """True if the entry for a card has a flag."""


class RulePlayer(Protocol):
    """Plays one match by the scores of a rule file. It decides when to ask for which score."""

    def reply(self, view: Any) -> Struct:
        """Reply to the request in a view of its seat."""


class Vocabulary(Struct, frozen=True):
    """The words of a game's rule files.

    Attributes:
        advice: part of a note of the game -> advice for authors of rule files.
    """

    cards: Sequence[str]
    matchers: Mapping[str, Matcher]  # in order of priority, after a card's name
    sets: Mapping[str, RuleSet]
    keys: Mapping[str, Key]
    averages: Mapping[str, Average]  # by prefix; "" for the player's own cards
    rule_player: Callable[[Book], RulePlayer]
    advice: Mapping[str, str] = {}

    @property
    def fields(self) -> dict[str, list[str]]:
        """Return the words that each field of an entry accepts, for fields that select cards."""
        found = {"card": [*self.cards, *(name for name, m in self.matchers.items() if m.in_card)]}
        for name, matcher in self.matchers.items():
            if matcher.field:
                found.setdefault(matcher.field, []).append(name)
        return found
