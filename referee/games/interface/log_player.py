"""How the rules of a game run behind a spectator log: `GameDefinition.log_player`.

A spectator log has no replies. A `LogPlayer` reads ahead in the log and says which reply the next
messages come from. The rules do the rest: `referee.logs.behind` gives them the reply and compares
what they publish with the log. A checker of logs needs no second copy of the rules.

Hidden cards do not matter. The game is dealt in any order. When the log shows a card, the
`LogPlayer` exchanges it with a card whose place nobody knows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from msgspec import Struct

from referee.games.interface.game import GameSetup, Request, Score


class Gone(Struct, frozen=True):
    """Stands in a log for the disqualification of a seat, counted from 0, with its code."""

    seat: int
    code: str = ""


class End(Struct, frozen=True):
    """Stands in a log for its `game-end`: scores in seat order, and the winners' player numbers."""

    scores: list[Score]
    winners: list[str]
    reason: str


class DifferenceError(Exception):
    """The next message of a log is not what the rules can lead to.

    Args:
        expected: what could be there, a noun phrase.
        section: of the protocol; empty: that of the message.
        found: the message, or the part of it that is wrong; empty: the message.
    """

    def __init__(self, expected: str, section: str = "", found: str = "") -> None:
        super().__init__(expected)
        self.expected, self.section, self.found = expected, section, found


class UnfollowedError(Exception):
    """Too many hidden things are possible: nobody knows whether the rules lead to the message.

    Its text is a clause for people.
    """


class LogPlayer(Protocol):
    """Plays the game of a log again; `sections` has the section of each message's findings."""

    sections: Mapping[type[Struct], str]

    def begin(self, info: Any, names: Sequence[str]) -> GameSetup:
        """Say what the game is made of, by its first public message and the names in seat order."""

    def reply(self, game: Any, asked: Request, ahead: Sequence[Struct]) -> object | None:
        """Find the reply that the next messages come from, and put hidden cards in place for it.

        Args:
            asked: one of its requests, of a seat that is still in the match.
            ahead: the messages that the rules have not published yet, at least one. `Gone` and
                `End` are among them; nothing follows `End`.

        Returns:
            A reply struct of the game; None if it takes more messages to know.

        Raises:
            DifferenceError: no reply leads there.
            UnfollowedError: to know it takes too long; likewise in `settle`.
        """

    def settle(self, game: Any, expected: Struct, found: Struct) -> bool:
        """Change hidden things so that the rules would have published another message.

        Returns:
            Whether only hidden things made the difference. They are changed now.
        """
