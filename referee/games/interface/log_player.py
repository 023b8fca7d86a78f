"""Run the rules of a game behind a spectator log: `GameDefinition.log_player`.

A spectator log has no replies. A `LogPlayer` reads ahead in the log and infers the reply that leads
to the next messages. `referee.logs.behind` passes the reply to the rules and compares the published
messages with the log. So a checker of logs needs no second copy of the rules.

Hidden cards do not matter. The game is dealt in any order. When the log shows a card, the
`LogPlayer` exchanges it with a card whose place nobody knows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

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
    """The next message of a log does not follow from the rules.

    Args:
        expected: a possible message or value, as a noun phrase.
        section: section of the protocol. Empty: that of the message.
        found: the wrong message or part. Empty: the message.
    """

    def __init__(self, expected: str, section: str = "", found: str = "") -> None:
        super().__init__(expected)
        self.expected, self.section, self.found = expected, section, found


class UnfollowedError(Exception):
    """Too many hidden states are possible to decide whether the message follows from the rules.

    The text is a clause for people.
    """


class LogPlayer(Protocol):
    """Reconstructs the game of a log. `sections` maps each message to its section, for findings."""

    sections: Mapping[type[Struct], str]

    def begin(self, info: Any, names: Sequence[str]) -> GameSetup:
        """Derive the setup of the game from its first public message and the players' names."""

    def reply(self, game: Any, asked: Request, ahead: Sequence[Struct]) -> object | None:
        """Infer the reply that leads to the next messages, and arrange hidden cards for it.

        Args:
            asked: a request of a seat that is still in the match.
            ahead: the messages that the rules have not published yet, at least one, including
                `Gone` and `End`. Nothing follows `End`.

        Returns:
            A reply struct of the game. None if that needs more messages.

        Raises:
            DifferenceError: no reply leads to these messages.
            UnfollowedError: the search takes too long. Also raised by `settle`.
        """

    def settle(self, game: Any, expected: Struct, found: Struct) -> bool:
        """Change hidden state so that the rules would have published another message.

        Returns:
            True if the messages differed only in hidden state. It is changed now.
        """
