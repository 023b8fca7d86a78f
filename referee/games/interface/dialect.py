"""Translations for bots that don't speak the canonical messages of a game.

A game needs a dialect if bots for it already exist, for example for an older referee. The dialect
translates the lines of a match for one bot, and the bot's replies back. It does no I/O. Logs and
records only contain canonical lines, so you can replay, verify and validate them without knowing
the dialect. Each bot of a match has its own dialect object, which may keep state:

    dialect = kind.new(seat, seed, name)
    for line in new_lines:
        bot.push(dialect.send(line))
    # The last line was a request:
    reply = dialect.answer() or dialect.reply(what_the_bot_wrote)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol, TypeAlias

from msgspec import Struct

from referee.games.interface.faults import Fault


class Dialect(Protocol):
    """Translates for one bot in one match.

    It sees all lines for its bot, in order, so it may remember things such as the definitions of
    cards. Lines are passed without newlines.
    """

    def send(self, line: bytes) -> bytes:
        """Translate the next line of the match, which may be a request, news, or the end.

        Returns:
            What to send to the bot: any number of lines, each with its newline, or nothing.
        """

    def answer(self) -> bytes | None:
        """Reply to the last request in place of the bot, or return None if the bot has to reply.

        A dialect doesn't need to have all canonical requests. For example, if it has no handshake,
        the dialect object answers the handshake. You can call this several times.
        """

    def reply(self, data: bytes) -> bytes:
        """Translate a reply of the bot into a canonical reply. `data` isn't blank.

        We return text that we can't translate as it is, and let the game find the fault. However,
        if a bot writes a canonical reply, which is wrong in this dialect, the game would accept it.
        To make it invalid, we put it in brackets.
        """


Wrong: TypeAlias = Callable[[Fault, Mapping[str, Any], bytes], str]
"""Explains a fault: see `DialectKind.wrong`."""


class Adapter(Struct, frozen=True):
    """A program that runs bots of another kind, such as classes written for some library.

    The program itself speaks the canonical messages.

    Attributes:
        command: takes the text after "PREFIX:" and the bot's start folder (or ""), and returns the
            command line of the program. Raises `UsageError` if the bot doesn't exist.
        methods: type of a request -> the author's method that answers it. The value is used as the
            subject of a sentence.
        on_time: type of a request -> a clause with advice for a method that is too slow.
        wrong: takes a fault, the request and the reply as JSON objects, and explains the fault to
            the author in a sentence.
        library: the module that these bots import, or "" if there's no library.
    """

    command: Callable[[str, str], Sequence[str]]
    methods: Mapping[str, str]
    on_time: Mapping[str, str]
    wrong: Callable[[Fault, Mapping[str, Any], Mapping[str, Any]], str]
    library: str = ""


class DialectKind(Struct, frozen=True):
    """A dialect of a game, in `GameDefinition.dialects`.

    Attributes:
        new: creates the dialect for one bot from its seat, the seed of the match, and a name that
            is used if the bot can't send one.
        over_http: True if bots can use the dialect over HTTP, because each reply is exactly one
            line of JSON.
        form_field: if this isn't empty, the referee posts each line over HTTP as a form with this
            field.
        reply_end: the bytes that end a reply on standard output. They aren't part of the reply.
        greets: True if a bot has to answer the game's handshake. If a bot doesn't, it probably
            speaks another dialect.
        tells_hidden: True if bots see hidden information. We use this to compare implementations of
            the game. Tournaments don't accept it.
        wrong: takes a fault, the canonical request and the bot's own reply, and explains the fault
            in terms of the dialect. The result continues a sentence that begins with the reply, and
            it contains the expected reply and the section. If bots write canonical replies, this
            is None.
    """

    new: Callable[[int, int, str], Dialect]
    over_http: bool = False
    form_field: str = ""
    reply_end: bytes = b"\n"
    greets: bool = False
    tells_hidden: bool = False
    wrong: Wrong | None = None
