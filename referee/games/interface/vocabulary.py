"""The interface between a game and its rule files (`referee/rulefiles`).

The language of rule files doesn't know any game, because it only computes scores of cards. A game
defines the words in a file, i.e. cards, keys and sets of rules. It also has a `RulePlayer`, which
uses the scores to decide on its moves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Protocol

from msgspec import Struct


class Decision(Protocol):
    """Evaluates a rule file in one state of the game. Results are cached."""

    @property
    def sight(self) -> Any:
        """The state as the player sees it. Each game has its own struct for this."""

    def score(self, rules: str, card: str) -> float:
        """Return the score that a set of rules gives to a card."""

    def rank(self, rules: str, cards: Sequence[str], above: float | None = None) -> list[int]:
        """Return the indices of the cards, highest score first. Ties keep the given order.

        Args:
            above: if given, leave out cards whose score isn't higher than this.
        """

    def remark(self, text: str) -> None:
        """Explain how the player uses the last ranking, for `referee rules explain`."""


class Key(Struct, frozen=True, eq=False):
    """A number that conditions can compare.

    Attributes:
        value: computes the number from the decision and the card that gets a score.
        of_card: True if the number depends on the card.
        asks: the sets of rules that `value` asks for scores.
    """

    about: str
    value: Callable[[Decision, str], float]
    of_card: bool = False
    asks: tuple[str, ...] = ()


class RuleSet(Struct, frozen=True):
    """A list of entries in a rule file, which give scores to cards for one purpose.

    Attributes:
        default: computes the score of a card that doesn't get one from the file.
        cards: all cards for which we may need a score.
        choices: how many choices there are, if entries have a `choice` instead of a `score`.
        flags: boolean fields that entries may have: name -> effect.
    """

    about: str
    default: Callable[[Decision, str], float]
    default_text: str
    cards: frozenset[str]
    choices: int = 0
    flags: Mapping[str, str] = {}


class Matcher(Struct, frozen=True):
    """A word that stands for several cards.

    Attributes:
        field: a field in which entries may use the word, such as "type", or "" if there's none.
        in_card: True if entries may use the word in `card`.
    """

    about: str
    cards: frozenset[str]
    field: str = ""
    in_card: bool = True


class Average(Struct, frozen=True):
    """A group of cards over which keys can average, e.g. all cards in the opponent's deck.

    The name of such a key is `PREFIXcard_info_avg_NAME`.

    Attributes:
        cards: returns the cards from `Decision.sight`.
    """

    about: str
    cards: Callable[[Any], Iterable[str]]


class Book(Protocol):
    """A parsed rule file."""

    def decide(self, sight: Any) -> Decision:
        """Begin a decision in a new state."""

    def flag(self, rules: str, card: str, name: str) -> bool:
        """Return True if a flag is set in the entry for a card."""


class RulePlayer(Protocol):
    """Plays a match with a rule file, by asking for scores whenever it has to choose a card."""

    def reply(self, view: Any) -> Struct:
        """Return a reply to the request in the view."""


class Vocabulary(Struct, frozen=True):
    """The words that the rule files of a game may use.

    Attributes:
        matchers: if a card has no entry with its own name, the first of these that fits is used.
        averages: prefix of the keys -> cards. The prefix for the player's own cards is "".
        advice: part of one of the game's notes -> advice to add for authors of rule files.
    """

    cards: Sequence[str]
    matchers: Mapping[str, Matcher]
    sets: Mapping[str, RuleSet]
    keys: Mapping[str, Key]
    averages: Mapping[str, Average]
    rule_player: Callable[[Book], RulePlayer]
    advice: Mapping[str, str] = {}

    @property
    def fields(self) -> dict[str, list[str]]:
        """The words that you can write in `card` and in each field of a matcher."""
        found = {"card": [*self.cards, *(name for name, m in self.matchers.items() if m.in_card)]}
        for name, matcher in self.matchers.items():
            if matcher.field:
                found.setdefault(matcher.field, []).append(name)
        return found
