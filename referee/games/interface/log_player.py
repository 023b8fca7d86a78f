"""Reconstruct a match from its spectator log (`GameDefinition.log_player`).

A spectator log has no replies. A `LogPlayer` reads ahead in the log and infers the reply that leads
to the next messages. `referee.logs.inferred` passes the reply to the rules, and compares the
messages that they publish with the log. Writing a `LogPlayer` takes some thought, but otherwise
we'd need a second copy of the rules to check logs.

This works because a hidden card doesn't affect the public messages until it's shown. We can
therefore deal the cards in any order. When the log shows a card, the `LogPlayer` swaps it with one
whose place nobody knows yet. If a game doesn't allow such swaps, it has a `Guesser`, which plays
the whole log again with another guess.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol, runtime_checkable

from msgspec import Struct

from referee.games.interface.game import GameSetup, Request, Score


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
        ours: the first part that differs, with the value that the rules published.
        theirs: the value of this part in the log.
        place: where this part is in the message, as a path of indices. Places are compared to find
            out which of two parts comes first.
        equal: how much of the message is right, from 0 to 1.
        whole: the whole message that the rules published, as JSON data.
    """

    def __init__(
        self,
        expected: str,
        section: str = "",
        found: str = "",
        *,
        ours: Any = None,
        theirs: Any = None,
        place: tuple[int, ...] = (),
        equal: float = 0.0,
        whole: Any = None,
    ) -> None:
        super().__init__(expected)
        self.expected, self.section, self.found = expected, section, found
        self.ours, self.theirs = ours, theirs
        self.place, self.equal, self.whole = place, equal, whole

    def has_part_of(self, other: DifferenceError) -> bool:
        """Compare two attempts to reproduce the same message of a log.

        Returns True if this attempt is right where the other one is wrong. It must then be wrong
        somewhere else.
        """
        part = self.whole
        for number in other.place[1:]:
            items = [*part.values()] if isinstance(part, dict) else part
            if not isinstance(items, list | str) or len(items) <= number:
                return False
            part = items[number]
        return self.whole is not None and part == other.theirs


class UnfollowedError(Exception):
    """Raised if there are too many hidden states to tell if a message follows from the rules.

    The message of the exception is a clause for people.
    """


class LogPlayer(Protocol):
    """Infers the replies of a match from its spectator log.

    It may look at all cards of the game, and swap cards whose places nobody knows.

    Attributes:
        sections: the section of the protocol that describes each message, for findings.
    """

    sections: Mapping[type[Struct], str]

    def begin(self, info: Any, names: Sequence[str]) -> GameSetup:
        """Derive the setup of the game from its first public message and the players' names."""

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
        """

    def settle(self, game: Any, expected: Struct, found: Struct) -> bool:
        """Try to change hidden cards in such a way that the rules would have published `found`.

        For example, if the log reveals another card than the rules did, exchange the two cards.

        Returns:
            True if this worked, so the message is right, or False if the messages still differ.
        """


class Followed(NamedTuple):
    """How far a log follows from the rules.

    Attributes:
        right: the number of messages before the first difference, plus a fraction that says how
            much of the next message is right.
        difference: the first difference, or None.
    """

    right: float
    difference: DifferenceError | None


@runtime_checkable
class Guesser(LogPlayer, Protocol):
    """Guesses hidden information, and guesses again if the log contradicts the guess."""

    def guess_again(self, follow: Callable[[LogPlayer], Followed]) -> LogPlayer:
        """Return a new player with the guesses that fit the log best.

        If they don't fit the whole log, no other guesses do, and the log is wrong.

        Args:
            follow: plays the log from its beginning with the given player.

        Raises:
            UnfollowedError: we gave up, although other guesses may fit better.
        """
