"""What a game may have besides its rules: a checker of logs, a reader of turns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from msgspec import Struct

from referee.seam.faults import Fault


class Finding(Struct, frozen=True):
    """Something in a log that the protocol does not allow.

    Attributes:
        line: where, counted from 1.
        section: the section of the protocol that it breaks, such as "4.6".
        expected: what would be right there.
        found: what is there.
        count: on how many lines this was found; `line` is the first.
    """

    line: int
    section: str
    expected: str
    found: str
    count: int = 1


class Observer(Protocol):
    """Follows one game by its public messages alone, and finds what the rules do not allow.

    What it reports is certain: a log of a game by the rules has no findings. Having reported
    something it goes on as well as it can.
    """

    def see(self, line: int, message: Struct) -> list[Finding]:
        """Take one of the game's public messages."""

    def leave(self, line: int, seat: int, code: str) -> list[Finding]:
        """Take the disqualification of a seat."""

    def end(
        self, line: int, scores: Sequence[int], winners: Sequence[str], reason: str
    ) -> list[Finding]:
        """Take the end of the match: scores in seat order, winners as player numbers."""


class Phrase(Struct, frozen=True):
    """A line of a turn, for people.

    Attributes:
        label: one word.
        text: parts separated by ", ", where it may be wrapped.
        style: "", "bold", "red", "green" or "yellow".
    """

    label: str
    text: str
    style: str = ""


class Story(Protocol):
    """Tells a match turn by turn, from a record or from its public messages alone.

    It is told of players of this match alone, in any order of messages that a damaged log may have.
    A turn is a struct of the game's own, with at least the fields `turn` (counted from 1 over all
    players), `player_number`, `player_turn` (counted from 1), `gained`, `bought`, `scores` (in seat
    order) and `cards` (card -> count that this player owns), all after the turn.
    """

    def tell(self, message: Struct, to: int | None) -> Sequence[Any]:
        """Take a message, to all or to one seat; returns the turns that are over by now."""

    def fault(self, fault: Fault) -> Sequence[Any]:
        """Take a fault."""

    def leave(self, seat: int, text: str) -> Sequence[Any]:
        """Take the disqualification of a seat."""

    def end(self) -> Sequence[Any]:
        """The match is over, or its log is; returns the turns that were not told yet."""

    def show(self, turn: Any) -> list[Phrase]:
        """A turn for people."""
