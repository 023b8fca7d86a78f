"""What a rule file says of the cards of its game."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from referee.games.interface.vocabulary import Vocabulary
from referee.rulefiles.values import Entry, Judgement, Look, judge


class Book:
    """A rule file that was read; implements `referee.games.interface.vocabulary.Book`.

    Attributes:
        name: of the bot.
        vocabulary: of its game.
        looks: those of the last reply, for who explains it.
    """

    def __init__(
        self, name: str, vocabulary: Vocabulary, sets: Mapping[str, Mapping[str, Entry]]
    ) -> None:
        self.name = name
        self.vocabulary = vocabulary
        self.looks: list[Look] = []
        self._sets = sets

    def anew(self) -> Book:
        """The same for another match."""
        return Book(self.name, self.vocabulary, self._sets)

    def decide(self, sight: Any) -> Look:
        """Look at a game."""
        look = Look(self, sight)
        self.looks.append(look)
        return look

    def flag(self, rules: str, card: str, name: str) -> bool:
        """Whether the entry by which a card goes has a flag that is true."""
        entry = self._sets[rules].get(card)
        return entry is not None and name in entry.flags

    def judge(self, look: Look, rules: str, card: str) -> Judgement:
        """What a set gives for a card."""
        entry = self._sets[rules].get(card)
        if entry is not None:
            judged = judge(entry, look, card, _DEFAULT)
            if judged is not _DEFAULT:
                return judged
        return Judgement(float(self.vocabulary.sets[rules].default(look, card)))


_DEFAULT = Judgement(0.0)
