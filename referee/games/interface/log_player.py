"""Run the rules of a game behind a spectator log: `GameDefinition.log_player`.

A spectator log has no replies. A `LogPlayer` reads ahead in the log and infers the reply that leads
to the next messages. `referee.logs.inferred` passes the reply to the rules, and compares the
messages that they publish with the log. Writing a `LogPlayer` takes some thought, but it saves us a
second copy of the rules in a checker.

This works because hidden cards don't affect the public messages until they are shown. The game is
dealt in any order. When the log shows a card, the `LogPlayer` swaps it with a card whose place
nobody knows. Where that's impossible, a `Guesser` plays the whole log again with another guess.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol, runtime_checkable

from msgspec import Struct

from referee.games.interface.game import GameSetup, Request, Score


class Gone(Struct, frozen=True):
    """Represents a disqualification in a log: the seat, from 0, and the code."""

    seat: int
    code: str = ""


class End(Struct, frozen=True):
    """Represents `game-end` in a log: scores in seat order, and the winners' player numbers."""

    scores: list[Score]
    winners: list[str]
    reason: str


class DifferenceError(Exception):
    """The next message of a log doesn't follow from the rules.

    Args:
        expected: a possible message or value, as a noun phrase.
        section: section of the protocol. Empty: the section of the message.
        found: the wrong message or part. Empty: the message.
        ours: the wrong part, according to the rules.
        theirs: the same part in the log.
        place: place of this part in the message. Parts that are compared earlier have smaller
            places.
        equal: share of the message that is right, from 0 to 1.
        whole: the message according to the rules, as JSON data.
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
        """True if our message has the part that another match has wrong, but differs elsewhere."""
        part = self.whole
        for number in other.place[1:]:
            items = [*part.values()] if isinstance(part, dict) else part
            if not isinstance(items, list | str) or len(items) <= number:
                return False
            part = items[number]
        return self.whole is not None and part == other.theirs


class UnfollowedError(Exception):
    """Too many hidden states are possible to decide whether the message follows from the rules.

    The text is a clause for people.
    """


class LogPlayer(Protocol):
    """Reconstructs the game of a log.

    It may look at all cards of the game, and swap cards if nobody knows their places. `sections`
    maps each message to its section of the protocol, for findings.
    """

    sections: Mapping[type[Struct], str]

    def begin(self, info: Any, names: Sequence[str]) -> GameSetup:
        """Derive the setup of the game from its first public message and the players' names."""

    def reply(self, game: Any, asked: Request, ahead: Sequence[Struct]) -> object | None:
        """Infer the reply that leads to the next messages, and arrange the hidden cards to match.

        Args:
            asked: a request of a seat that is still in the match.
            ahead: the messages that the rules haven't published yet, at least one, including `Gone`
                and `End`. Nothing follows `End`.

        Returns:
            A reply struct of the game. None if that needs more messages.

        Raises:
            DifferenceError: no reply leads to these messages.
        """

    def settle(self, game: Any, expected: Struct, found: Struct) -> bool:
        """Change hidden state so that the rules would have published a different message.

        Returns:
            True if the messages differed only in hidden state. That state is now changed.
        """


class Followed(NamedTuple):
    """How much of a log follows from the rules.

    Attributes:
        right: number of correct messages. The fraction is the correct share of the next message.
        difference: the first difference, or None.
    """

    right: float
    difference: DifferenceError | None


@runtime_checkable
class Guesser(LogPlayer, Protocol):
    """A `LogPlayer` that guesses hidden state, and can guess again when the log shows more."""

    def guess_again(self, follow: Callable[[LogPlayer], Followed]) -> LogPlayer:
        """Return the player whose guesses fit the log best.

        Args:
            follow: plays the log from its beginning with a player.

        Returns:
            A player. If its guesses don't fit the whole log, no other guesses do either.

        Raises:
            UnfollowedError: other guesses may fit better.
        """
