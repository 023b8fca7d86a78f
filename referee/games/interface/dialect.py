"""Translations for bots that don't speak the canonical messages of a game.

A game needs a dialect if bots for it already exist, for example for an older referee. The dialect
translates between the lines of a match and one bot, without I/O. Logs and records only contain
canonical lines, so they can be replayed, verified and validated without knowing the dialect. Each
bot of a match has its own dialect object, which may have state:

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
    """The translation for one bot in one match. Lines are without line ends.

    A dialect sees each line of its bot in order, so it may remember things (e.g. the definitions of
    cards).
    """

    def send(self, line: bytes) -> bytes:
        """Translate the next line of the match for the bot: a request, news, or the end.

        Returns:
            Any number of lines, with line ends. Empty if the bot gets nothing.
        """

    def answer(self) -> bytes | None:
        """Return the canonical reply to the last request, if the bot doesn't see that request.

        For example, a bot can't answer the handshake if its dialect has none. None means that the
        bot has to reply. The method can be called several times without side effects.
        """

    def reply(self, data: bytes) -> bytes:
        """Translate the bot's reply, which isn't blank, into the canonical reply.

        Text that can't be translated is returned unchanged, and the game judges it. There's one
        exception. A canonical reply is wrong in the dialect, but the game would accept it, so it is
        returned in brackets.
        """


Wrong: TypeAlias = Callable[[Fault, Mapping[str, Any], bytes], str]
"""Explains a fault: see `DialectKind.wrong`."""


class Adapter(Struct, frozen=True):
    """A program that runs foreign bots, such as classes of a library, with canonical messages.

    Attributes:
        command: (text after the prefix and its colon, start folder of the bot or "") -> command
            line of the program. Raises `UsageError` if the bot doesn't exist.
        methods: type of a request -> the author's method that answers it, as the subject of a
            sentence.
        on_time: type of a request -> advice about the time of that method, as a clause.
        wrong: (fault, request, reply) -> explanation for the author, in a sentence. Request and
            reply are JSON objects.
        library: the library's module, which its bots import. Empty: none.
    """

    command: Callable[[str, str], Sequence[str]]
    methods: Mapping[str, str]
    on_time: Mapping[str, str]
    wrong: Callable[[Fault, Mapping[str, Any], Mapping[str, Any]], str]
    library: str = ""


class DialectKind(Struct, frozen=True):
    """A dialect of a game, in `GameDefinition.dialects`.

    Attributes:
        new: (seat, seed of the match, name if the bot can't send one) -> translation for one bot.
        over_http: True if its bots can play over HTTP: they reply with exactly one line of JSON.
        form_field: over HTTP, the line is sent as a form with this field. Empty: sent as it is.
        reply_end: end mark of a process's reply, which isn't part of the reply.
        greets: True if its bots answer the game's handshake. Other bots probably speak another
            dialect.
        tells_hidden: True if its bots see hidden information. This is for comparing implementations
            of the game, and tournaments don't accept it.
        wrong: (fault, canonical request, bot's own reply) -> explanation in terms of the dialect.
            It completes a sentence that begins with the reply, and contains the expected reply and
            the section. None: the bot writes canonical replies.
    """

    new: Callable[[int, int, str], Dialect]
    over_http: bool = False
    form_field: str = ""
    reply_end: bytes = b"\n"
    greets: bool = False
    tells_hidden: bool = False
    wrong: Wrong | None = None
