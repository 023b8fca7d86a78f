"""What a game may have besides its rules: a checker of logs, a reader of turns, and the like.

A reader gives turns as data; who draws them, a terminal or a page, knows no game.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Protocol, TypeVar

from msgspec import Struct

from referee.games.interface.faults import Fault

T = TypeVar("T")
MAX_KEPT = 1000
"""How much of one turn is kept: no turn by the rules comes near it, and a log may be endless."""


class Finding(Struct, frozen=True):
    """Something in a log that the protocol does not allow.

    Attributes:
        line: where, counted from 1.
        section: the section of the protocol that it breaks, such as "4.6".
        expected: what would be right there.
        found: what is there.
        count: on how many lines this was found; `line` is the first.
        stops: whether the game's rules were not checked after this line.
    """

    line: int
    section: str
    expected: str
    found: str
    count: int = 1
    stops: bool = False


class LogChecker(Protocol):
    """Follows one game by its public messages alone, and finds what the rules do not allow.

    What it reports is certain: a log of a game by the rules has no findings. After a finding it
    continues as well as it can, or says that it stops.
    """

    def read(self, line: int, message: Struct) -> list[Finding]:
        """Read one of the game's public messages."""

    def disqualify(self, line: int, seat: int, code: str) -> list[Finding]:
        """Read the disqualification of a seat."""

    def end(
        self, line: int, scores: Sequence[int], winners: Sequence[str], reason: str
    ) -> list[Finding]:
        """Read the end of the match: scores in seat order, winners as player numbers."""


class Table(Struct, frozen=True):
    """A table over many matches, for people and programs.

    Attributes:
        title: one line.
        columns: the headings; a name, not a sentence. One of them is "bot".
        rows: texts, numbers, or None where there is nothing to say.
        percent: the columns whose numbers are shares, from 0 to 1.
    """

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str | float | None]]
    percent: Sequence[str] = ()


class SeatFacts(Struct, frozen=True):
    """One seat of one match, for `Statistics.tables`.

    Attributes:
        bot: its name.
        points: the share of the others that were beaten, draws half: 0 to 1.
        facts: what `Statistics.of_match` said of it.
    """

    bot: str
    points: float
    facts: bytes


class Statistics(Protocol):
    """What the matches of a game have to say to someone who wants to improve a bot."""

    def of_match(self, game: Any) -> list[bytes]:
        """What is to be kept of one match: for each seat a short JSON object, in seat order.

        It is called after every match of a tournament, so it must be quick.

        Args:
            game: as `Rules.new` made it; it is over.
        """

    def tables(self, seats: Iterable[SeatFacts]) -> list[Table]:
        """What many matches come to, bot by bot.

        Args:
            seats: of all matches, in any order; they are gone through once, and may be none.
        """


class Phrase(Struct, frozen=True):
    """A labelled line of a turn.

    Attributes:
        label: one word.
        text: parts separated by ", ", where it may be wrapped.
        style: "", "bold", "red", "green", "yellow", "blue" or "dim".
    """

    label: str
    text: str
    style: str = ""


class Picture(Struct, frozen=True):
    """Lines of characters, such as a grid; they are not wrapped.

    Attributes:
        rows: from top to bottom.
        styles: for each row the style of each character, as of `Phrase`; empty: nothing is styled.
    """

    rows: Sequence[str]
    styles: Sequence[Sequence[str]] = ()


class Summary(Struct, frozen=True):
    """A match as one table.

    Attributes:
        columns: the headings; the first column holds numbers and short labels.
        rows: each with one text a column.
        totals: rows below the others, apart from them: the sums of the match.
    """

    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    totals: Sequence[Sequence[str]] = ()


class Kept(list[T]):
    """What a reader keeps of one turn: what is appended beyond `MAX_KEPT` is only counted.

    Attributes:
        left_out: how many those are.
    """

    left_out = 0

    def append(self, item: T) -> None:
        """Keep it, or count it."""
        if len(self) < MAX_KEPT:
            super().append(item)
        else:
            self.left_out += 1


class TurnReader(Protocol):
    """Reads a match turn by turn, from a record or from its public messages alone.

    A turn is a struct of the game's own with the field `turn`, counted from 1; all else that is to
    be known of it the reader answers. What it is given is of seats of this match, but a damaged log
    may have its messages in any order.
    """

    def read(self, message: Struct, to: int | None) -> Sequence[Any]:
        """Read a message to all, or to one seat; returns the turns that are over by now."""

    def fault(self, fault: Fault) -> Sequence[Any]:
        """Read a fault; returns likewise."""

    def disqualify(self, seat: int, text: str) -> Sequence[Any]:
        """Read the disqualification of a seat, with its reason in words; returns likewise."""

    def end(self) -> Sequence[Any]:
        """Read the end of the match, or of its log; returns the turns not yet returned."""

    def seats(self, turn: Any) -> tuple[int, ...]:
        """Who moved in this turn."""

    def title(self, turn: Any) -> str:
        """What stands beside the turn's number, such as whose it is; may be empty."""

    def show(self, turn: Any) -> list[Phrase | Picture]:
        """What happened in the turn, for people."""

    def summary(self, turns: Sequence[Any]) -> Summary:
        """These turns as one table; they may be some of the match, or none."""


class Starters(Struct, frozen=True):
    """Bots to start one's own from (`referee.starters`).

    Attributes:
        folder: has a README.md, and a folder for each language there is a bot in.
        first_match: how one of them is to play for the first time: what follows `referee play BOT`.
    """

    folder: Path
    first_match: str
