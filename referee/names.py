"""The displayed name of a bot, in tables, sentences and pages.

Logs, records and messages contain the unchanged name from the handshake.
"""

from __future__ import annotations

import os
import re
import shlex
import unicodedata
from collections.abc import Sequence

from referee.games.interface.seats import seat_id
from referee.text.terminal import cut

# Maximum width at which a bot's own name is shown. Names that an organiser chose may be longer.
MAX_COLUMNS = 40
_NAMED = re.compile(r"([^\s=/:]{1,64})=(.+)", re.DOTALL).fullmatch
_FILE = re.compile(r"[^-].*\.[A-Za-z0-9]{1,6}").fullmatch


def named(argument: str) -> tuple[str, str]:
    """Split `NAME=BOT` into (name, BOT). The name is "" if the argument is only a BOT.

    If the whole argument is an existing path, it isn't split, because a stranger may have chosen a
    file name that looks like `NAME=BOT`.
    """
    found = None if os.path.lexists(argument) else _NAMED(argument)
    return (found[1], found[2]) if found else ("", argument)


def shown_names(
    own: Sequence[str], given: Sequence[str] = (), bots: Sequence[str] = ()
) -> list[str]:
    """Choose the displayed name of each player.

    We use the first of these that isn't empty: the organiser's name, the bot's own name, the stem
    of its file, its seat. If two players have the same name, the seat is added: "Big Money
    (player1)".

    Args:
        own: names from the handshakes, in seat order. A name that is only the id of the seat
            doesn't count.
        given: names from `NAME=BOT` or a tournament, in seat order. Empty: none.
        bots: the BOT arguments, in seat order. Empty: not known.
    """
    names = []
    for seat, name in enumerate(own):
        by_others = clean(given[seat]) if seat < len(given) else ""
        itself = "" if name.casefold() == seat_id(seat) else _short(clean(name))
        stem = clean(stem_of(bots[seat])) if seat < len(bots) else ""
        names.append(by_others or itself or stem or seat_id(seat))
    return [
        f"{name} ({seat_id(seat)})" if names.count(name) > 1 else name
        for seat, name in enumerate(names)
    ]


def clean(name: str) -> str:
    """Remove characters that control a terminal, are invisible, or change the text direction."""
    if name.isascii() and name.isprintable():
        return name.strip()
    kept = (" " if sign.isspace() else sign for sign in name if not _is_hidden(sign))
    return "".join(kept).strip()


def stem_of(bot: str) -> str:
    """Return the stem of the started file: "my_bot" for the BOT argument "python3 ./my_bot.py"."""
    try:
        words = shlex.split(bot)
    except ValueError:  # unbalanced quotes
        words = bot.split()
    if "://" in bot:
        return bot
    file = next(filter(_FILE, words), words[0] if words else "")
    return os.path.splitext(os.path.basename(file))[0]


def _short(name: str) -> str:
    # Keep the end of a long path, because bots usually differ there.
    if "/" in name and len(name) > MAX_COLUMNS:
        return "..." + name[3 - MAX_COLUMNS :]
    return cut(name, MAX_COLUMNS)


def _is_hidden(sign: str) -> bool:
    return unicodedata.category(sign) in ("Cc", "Cf", "Cs", "Co", "Cn") and not sign.isspace()
