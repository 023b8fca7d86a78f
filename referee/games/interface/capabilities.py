"""Optional parts of a game: a checker of logs, statistics, starters, and the words for people.

These words are data. The terminal and the page, which show them, know no game.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Protocol

from msgspec import Struct


class Finding(Struct, frozen=True):
    """Something in a log that the protocol does not allow.

    Attributes:
        line: where, counted from 1.
        section: the section of the protocol that it breaks, such as "4.6".
        expected: what would be right there.
        found: the actual message or value.
        count: on how many lines this was found; `line` is the first.
        stops: whether the game's rules were not checked after this line.
    """

    line: int
    section: str
    expected: str
    found: str
    count: int = 1
    stops: bool = False


class Unchecked(Struct, frozen=True):
    """The end of what a checker can say of a log, which may be right there or wrong.

    Attributes:
        line: the rules are not checked from here on, counted from 1.
        why: why not, a clause.
    """

    line: int
    why: str


class LogChecker(Protocol):
    """Finds breaches of the rules in public messages: a log of a game by the rules has none."""

    def read(self, line: int, message: Struct) -> Sequence[Finding | Unchecked]:
        """Read one of the game's public messages, or `Gone` or `End` of `log_player.py`."""


class StatisticsTable(Struct, frozen=True):
    """A table over many matches, for people and programs.

    Attributes:
        rows: texts, numbers, or None where there is nothing to say.
    """

    title: str
    columns: Sequence[str]  # the headings; a name, not a sentence. One of them is "bot"
    rows: Sequence[Sequence[str | float | None]]
    percent: Sequence[str] = ()  # the columns whose numbers are shares, from 0 to 1


class SeatFacts(Struct, frozen=True):
    """One seat of one match: its share of the points, 0 to 1, and its `Statistics.of_match`."""

    bot: str
    points: float
    facts: bytes


class Statistics(Protocol):
    """Statistics of a game's matches, for people who want to improve a bot."""

    def of_match(self, game: Any) -> list[bytes]:
        """Return the data of one match to keep: for each seat a short JSON object, in seat order.

        It is called after every match of a tournament, so it must be quick.
        """

    def tables(self, seats: Iterable[SeatFacts]) -> list[StatisticsTable]:
        """Summarise matches, in any order, bot by bot. `seats` is read once, and may be empty."""


class Phrase(Struct, frozen=True):
    """A labelled line of a turn."""

    label: str  # one word
    text: str  # parts separated by ", ", where it may be wrapped
    style: str = ""  # "", "bold", "red", "green", "yellow", "blue", "dim"; "raw": of a bot


class Picture(Struct, frozen=True):
    """Lines of characters that are not wrapped, such as a grid; styles per character, or none."""

    rows: Sequence[str]
    styles: Sequence[Sequence[str]] = ()


class Summary(Struct, frozen=True):
    """A match as one table: rows, and below them the totals. The first column has short labels."""

    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    totals: Sequence[Sequence[str]] = ()


class Starters(Struct, frozen=True):
    """Bots to start one's own from (`referee.starters`)."""

    folder: Path  # has a README.md, and a folder for each language there is a bot in
    first_match: str  # the first match of one of them: the words after `referee play BOT`
