"""Optional parts of a game, such as a checker of logs, statistics, or texts for people.

The texts are data, so the terminal and the page can show them for any game.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Protocol

from msgspec import Struct


class Finding(Struct, frozen=True):
    """A protocol violation in a log.

    Attributes:
        line: line number, from 1.
        section: the violated section of the protocol, such as "4.6".
        expected: a correct message or value.
        found: the actual message or value.
        count: number of lines with this finding; `line` is the first.
        stops: True if the game's rules were not checked after this line.
    """

    line: int
    section: str
    expected: str
    found: str
    count: int = 1
    stops: bool = False


class Unchecked(Struct, frozen=True):
    """The point where a checker gives up. The log may be right or wrong after it.

    Attributes:
        line: the first unchecked line, from 1.
        why: the reason, as a clause.
    """

    line: int
    why: str


class LogChecker(Protocol):
    """Finds violations of the rules in public messages. A valid log has none."""

    def read(self, line: int, message: Struct) -> Sequence[Finding | Unchecked]:
        """Read a public message of the game, or `Gone` or `End` of `log_player.py`."""


class StatisticsTable(Struct, frozen=True):
    """A table over many matches, for people and programs.

    Attributes:
        rows: cells are text, numbers, or None if there is no value.
    """

    title: str
    columns: Sequence[str]  # short headings; the heading of the bots' column is "bot"
    rows: Sequence[Sequence[str | float | None]]
    percent: Sequence[str] = ()  # columns whose numbers are fractions, 0 to 1


class SeatFacts(Struct, frozen=True):
    """One seat of one match: its share of the points, 0 to 1, and its `Statistics.of_match`."""

    bot: str
    points: float
    facts: bytes


class Statistics(Protocol):
    """Statistics of a game's matches, for people who improve a bot.

    A tournament stores the facts of each match, and computes the tables when they're requested. A
    new table therefore also works for old tournaments.
    """

    def of_match(self, game: Any) -> list[bytes]:
        """Return the data to store for one match: a short JSON object per seat, in seat order.

        This is called after every match of a tournament, so it must be fast.
        """

    def tables(self, seats: Iterable[SeatFacts]) -> list[StatisticsTable]:
        """Summarise matches per bot. `seats` is iterated once, in any order, and may be empty."""


class Phrase(Struct, frozen=True):
    """A labelled line of a turn, e.g. "bought  gold, silver"."""

    label: str  # one word
    text: str  # parts separated by ", ", where the line may be wrapped
    style: str = ""  # "", "bold", "red", "green", "yellow", "blue", "dim"; "raw": written by a bot


class Picture(Struct, frozen=True):
    """Lines of characters that aren't wrapped, such as a grid, with styles per character."""

    rows: Sequence[str]
    styles: Sequence[Sequence[str]] = ()


class Summary(Struct, frozen=True):
    """A match as a table with totals below. The first column has short labels."""

    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    totals: Sequence[Sequence[str]] = ()


class Starters(Struct, frozen=True):
    """Templates for new bots (`referee.starters`), which `referee new` copies."""

    folder: Path  # contains a README.md, and a folder per language
    first_match: str  # the words after `referee play BOT` for a first match
