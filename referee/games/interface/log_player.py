"""Reconstruct a match from its spectator log (`GameDefinition.log_player`).

A spectator log has no replies. A `LogPlayer` reads ahead in the log and infers the reply that leads
to the next messages. `referee.logs.inferred` passes the reply to the rules, and compares the
messages that they publish with the log. Writing a `LogPlayer` takes some thought, but otherwise
we'd need a second copy of the rules to check logs.

This works because a hidden card doesn't affect the public messages until it's shown. We can
therefore deal the cards in any order. When the log shows a card, the `LogPlayer` swaps it with one
whose place nobody knows yet. If a game doesn't allow such swaps, it has a `PartLogPlayer`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol, runtime_checkable

from msgspec import Struct

from referee.games.interface.capabilities import LogChecker
from referee.games.interface.game import Request, Score
from referee.games.interface.random_source import RandomSource


class Gone(Struct, frozen=True):
    """A disqualification in the log. The code is the reason for it."""

    seat: int
    code: str = ""


class End(Struct, frozen=True):
    """The message `game-end` in the log. Winners are player numbers such as "player1"."""

    scores: list[Score]
    winners: list[str]
    reason: str


class DifferenceError(Exception):
    """The next message of a log doesn't follow from the rules.

    Args:
        expected: a message or value that would have been right, as a noun phrase.
        section: the section of the protocol. By default it's the section of the message.
        found: the wrong value in the log. By default it's the whole message.
    """

    def __init__(self, expected: str, section: str = "", found: str = "") -> None:
        super().__init__(expected)
        self.expected, self.section, self.found = expected, section, found


class UnfollowedError(Exception):
    """Raised if the rules need something that isn't in the log, such as a random draw.

    The message of the exception is a clause for people.
    """


class LogPlayer(Protocol):
    """Infers the replies of a match from its spectator log.

    It may look at all cards of the game, and swap cards whose places nobody knows.

    Attributes:
        sections: the section of the protocol that describes each message, for findings.
    """

    sections: Mapping[type[Struct], str]

    def begin(self, names: Sequence[str]) -> RandomSource:
        """Return the source of random numbers for a match of these players."""

    def reply(self, game: Any, asked: Request, ahead: Sequence[Struct]) -> object | None:
        """Infer the reply that leads to the next messages, and move hidden cards to where they fit.

        Args:
            asked: a request. Its seat is still in the match.
            ahead: the next messages of the log, which the rules haven't published yet. There's at
                least one. They can include `Gone` and `End`, and nothing follows `End`.

        Returns:
            A reply struct of the game, or None if we have to read more messages first.

        Raises:
            DifferenceError: no reply leads to these messages.
            UnfollowedError: the reply isn't in the log.
        """

    def settle(self, game: Any, expected: Struct, found: Struct) -> bool:
        """Try to change hidden cards in such a way that the rules would have published `found`.

        For example, if the log reveals another card than the rules did, exchange the two cards.

        Returns:
            True if this worked, so the message is right, or False if the messages still differ.
        """


@runtime_checkable
class PartLogPlayer(LogPlayer, Protocol):
    """A `LogPlayer` that gives up at the first thing that isn't in the log."""

    @property
    def rest(self) -> LogChecker:
        """Checks every message without the rules. We report its findings after giving up."""
