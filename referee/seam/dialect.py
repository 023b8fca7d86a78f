"""What some foreign bots speak in the place of a game's canonical messages.

A dialect is a pure translation. It stands between the lines of a match and one bot, so logs and
records hold canonical lines alone, and replay, verify and validate know nothing of it. It is made
anew for each bot of a match and may keep what it has seen:

    dialect = kind.new(seat, seed, name)
    data = dialect.request(lines)  # the last of them is a request
    if data is None:
        reply = dialect.answer_for(lines[-1])
    else:
        reply = dialect.reply(what_the_bot_says_to(data))
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from msgspec import Struct


class Dialect(Protocol):
    """The translation for one bot in one match. Lines have no line ends here."""

    def request(self, lines: Sequence[bytes]) -> bytes | None:
        """What the bot is sent, for all lines that are new to it, the last of which is a request.

        Returns:
            One line; None if the bot knows no such request: then `answer_for` answers it.
        """

    def answer_for(self, request: bytes) -> bytes:
        """The canonical reply to a request that the bot is not sent, such as a handshake."""

    def reply(self, data: bytes) -> bytes:
        """The canonical reply for what the bot has answered: any line that is not blank.

        What has no canonical form is given back as it came, for the game to judge. But a canonical
        reply is wrong in the dialect, and must not be given back as one: put it into brackets.
        """


class DialectKind(Struct, frozen=True):
    """A dialect of a game, as its `Rules.dialects` has it.

    Attributes:
        new: makes the translation for one bot: from its seat, the seed of the match, and what the
            bot is called if it is asked for no name.
        form_field: over HTTP the bot is sent a form with the data in this field; empty: the data as
            they are, which are JSON.
    """

    new: Callable[[int, int, str], Dialect]
    form_field: str = ""
