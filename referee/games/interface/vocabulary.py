"""A game's part of the language of rule files (`referee/rulefiles`): its words, and the player.

The language knows no game: it reads a file into scores. A game says which cards, keys and sets of
rules there are, and has a `RulePlayer`, which plays by the scores.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Protocol

from msgspec import Struct


class Decision(Protocol):
    """One look of a rule file at a game. Each value is worked out once in it."""

    @property
    def sight(self) -> Any:
        """The player's knowledge, in a form of the game's own."""

    def score(self, rules: str, card: str) -> float:
        """Return a card's score by a set of rules."""

    def rank(self, rules: str, cards: Sequence[str], above: float | None = None) -> list[int]:
        """Indices of cards, the highest score first, equal ones in the order given.

        Args:
            above: leave out what has a score of this or less; None: nothing is left out.
        """

    def remark(self, text: str) -> None:
        """Note the reason for the choice after the last ranking, for `referee rules explain`."""


class Key(Struct, frozen=True, eq=False):
    """A number that a condition can compare."""

    about: str
    value: Callable[[Decision, str], float]  # of a decision and the card that is scored
    of_card: bool = False  # whether it depends on that card
    asks: tuple[str, ...] = ()  # the sets of rules whose scores it needs


class RuleSet(Struct, frozen=True):
    """A list of entries of a file.

    Attributes:
        choices: how many there are, for a set whose entries have `choice` for `score`; else 0.
        flags: the other fields of its entries, true or false: name -> its effect.
    """

    about: str
    default: Callable[[Decision, str], float]  # the score of a card that no entry or rule gives one
    default_text: str
    cards: frozenset[str]  # those that it is ever asked about
    choices: int = 0
    flags: Mapping[str, str] = {}


class Matcher(Struct, frozen=True):
    """A word for several cards, in an entry's own `field`, such as "type", or in `card`."""

    about: str
    cards: frozenset[str]
    field: str = ""
    in_card: bool = True


class Average(Struct, frozen=True):
    """Over which cards the average of a card's info is taken: `PREFIXcard_info_avg_NAME`."""

    about: str
    cards: Callable[[Any], Iterable[str]]
    """A mean over the cards of a decision's sight."""


class Book(Protocol):
    """A rule file that was read."""

    def decide(self, sight: Any) -> Decision:
        """Look at a game."""

    def flag(self, rules: str, card: str, name: str) -> bool:
        """Whether the entry by which a card goes has a flag that is true."""


class RulePlayer(Protocol):
    """Plays one match by the scores of a rule file."""

    def reply(self, view: Any) -> Struct:
        """The reply to the request of a view of its seat."""


class Vocabulary(Struct, frozen=True):
    """The words of a game's rule files.

    Attributes:
        advice: part of a note of the game -> what the author of a rule file can do about it.
    """

    cards: Sequence[str]
    matchers: Mapping[str, Matcher]  # in the order in which they are tried, after a card's name
    sets: Mapping[str, RuleSet]
    keys: Mapping[str, Key]
    averages: Mapping[str, Average]  # by prefix, "" for one's own cards
    rule_player: Callable[[Book], RulePlayer]
    advice: Mapping[str, str] = {}

    @property
    def fields(self) -> dict[str, list[str]]:
        """The fields of an entry that say which cards it is for -> the words that each takes."""
        found = {"card": [*self.cards, *(name for name, m in self.matchers.items() if m.in_card)]}
        for name, matcher in self.matchers.items():
            if matcher.field:
                found.setdefault(matcher.field, []).append(name)
        return found
