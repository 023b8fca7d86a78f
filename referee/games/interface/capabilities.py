"""Optional parts of a game, such as a log checker, statistics, or texts for people.

Games return their texts as data rather than printing them. The terminal and the page can then show
them without knowing the game.
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
    """Checks the public messages of a match against the rules."""

    def read(self, line: int, message: Struct) -> Sequence[Finding | Unchecked]:
        """Check the next message. Returns nothing if it follows the rules.

        The message is one of the game's public messages, or a `Gone` or `End` (log_player.py).
        """


class StatisticsTable(Struct, frozen=True):
    """A table that sums up many matches, for people and programs.

    A cell is a text or a number, or None if there's no value.
    """

    title: str
    columns: Sequence[str]  # short headings, with "bot" for the column with the bots' names
    rows: Sequence[Sequence[str | float | None]]
    percent: Sequence[str] = ()  # columns with fractions from 0 to 1, to be shown as percentages


class SeatFacts(Struct, frozen=True):
    """The result of one bot in one match.

    Attributes:
        points: the bot's share of the points, from 0 to 1.
        facts: the JSON object that `Statistics.of_match` returned for its seat.
    """

    bot: str
    points: float
    facts: bytes


class Statistics(Protocol):
    """Statistics of a game's matches, for people who want to improve their bot.

    A tournament only stores the facts of each match. The tables are computed when somebody asks for
    them, so a table that you add today also works for old tournaments.
    """

    def of_match(self, game: Any) -> list[bytes]:
        """Return the facts to store about a match: a short JSON object per seat, in seat order.

        This is called after every match of a tournament, so it must be fast.
        """

    def tables(self, seats: Iterable[SeatFacts]) -> list[StatisticsTable]:
        """Compute the tables for all bots.

        `seats` may come in any order and may be empty. You can iterate over it only once.
        """


class Phrase(Struct, frozen=True):
    """A line with a label, e.g. "bought  gold, silver". The label is a single word."""

    label: str
    text: str  # long lines are wrapped at ", "
    # One of "", "bold", "red", "green", "yellow", "blue" and "dim", or "raw" for a bot's own text.
    style: str = ""


class Picture(Struct, frozen=True):
    """Lines that must not be wrapped, such as a grid. Each character can have its own style."""

    rows: Sequence[str]
    styles: Sequence[Sequence[str]] = ()


class Summary(Struct, frozen=True):
    """A table about one match, with totals below the rows. The first column should be narrow."""

    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    totals: Sequence[Sequence[str]] = ()


class Starters(Struct, frozen=True):
    """Templates for new bots (`referee.starters`), which `referee new` copies."""

    folder: Path  # contains a README.md, and a folder per language
    first_match: str  # the opponent and options to put after `referee play BOT` for a first match
