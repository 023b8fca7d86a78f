"""What some foreign bots speak in the place of a game's canonical messages.

A dialect is a pure translation between the lines of a match and one bot. Logs and records only have
canonical lines, and replay, verify and validate do not know dialects. Each bot of a match has an
object of its own, which may keep state:

    dialect = kind.new(seat, seed, name)
    for line in new_lines:
        bot.push(dialect.send(line))
    # The last of them was a request:
    reply = dialect.answer() or dialect.reply(what_the_bot_wrote)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol, TypeAlias

from msgspec import Struct

from referee.games.interface.faults import Fault


class Dialect(Protocol):
    """The translation for one bot in one match. Lines have no line ends here."""

    def send(self, line: bytes) -> bytes:
        """Translate the next line of the match, a request, news, or the end, for the bot.

        Returns:
            Any number of lines, with their line ends; empty if it is sent nothing.
        """

    def answer(self) -> bytes | None:
        """The canonical reply to the last line, a request, if the bot is not asked for one.

        For one that the bot was not sent, such as a handshake. None: the bot is to reply.
        May be called several times, and changes nothing.
        """

    def reply(self, data: bytes) -> bytes:
        """Translate the bot's answer, which is not blank, into the canonical reply.

        Text without a canonical form is returned unchanged, for the game to judge. But a canonical
        reply is wrong in the dialect, and must not be returned as it is: put it into brackets.
        """


Wrong: TypeAlias = Callable[[Fault, Mapping[str, Any], bytes], str]
"""Explains a fault: see `DialectKind.wrong`."""


class Adapter(Struct, frozen=True):
    """A program that plays foreign bots in the game's own messages, such as classes of a library.

    Attributes:
        command: the command line of the program, from the text after the prefix and its colon, and
            the folder that the bot starts in, or "". It raises `UsageError` if the bot does not
            exist.
        methods: type of a request -> the author's method that answers it, as the subject of a
            sentence.
        on_time: type of a request -> advice to that method about its time, as a clause.
        wrong: explains a fault to the author in a sentence, from the fault, and from the request
            and the reply as JSON objects.
        library: the module of the library, which the files of its bots import; empty: none.
    """

    command: Callable[[str, str], Sequence[str]]
    methods: Mapping[str, str]
    on_time: Mapping[str, str]
    wrong: Callable[[Fault, Mapping[str, Any], Mapping[str, Any]], str]
    library: str = ""


class DialectKind(Struct, frozen=True):
    """A dialect of a game, as its `GameDefinition.dialects` has it.

    Attributes:
        new: makes the translation for one bot: from its seat, the seed of the match, and the bot's
            name if it cannot send one.
        over_http: whether its bots can play over HTTP: they send exactly one line of JSON per
            reply.
        form_field: over HTTP the bot is sent a form with the line in this field; empty: the line
            as it is.
        reply_end: the end mark of a process's reply, which does not belong to the reply.
        greets: whether its bots answer the game's own handshake. A bot that does not then probably
            speaks another dialect.
        tells_hidden: whether its bots see hidden things, to compare the game with another
            implementation; no tournament takes them.
        wrong: explains a fault in the words of the dialect, from the fault, the canonical request
            and the bot's own answer. The text completes a sentence that begins with the answer. It
            gives the expected answer and the section. None: the bot writes the game's own replies.
    """

    new: Callable[[int, int, str], Dialect]
    over_http: bool = False
    form_field: str = ""
    reply_end: bytes = b"\n"
    greets: bool = False
    tells_hidden: bool = False
    wrong: Wrong | None = None
