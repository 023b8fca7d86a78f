"""The one name that people see of a bot, in tables, sentences and pages.

Logs, records and messages keep the name of the handshake as the bot wrote it.
"""

from __future__ import annotations

import os
import re
import shlex
import unicodedata
from collections.abc import Sequence

from referee.games.interface.seats import seat_id
from referee.text.terminal import cut

MAX_COLUMNS = 40
"""Columns of a name that a bot gave itself; the name of an organiser is shown whole."""
_NAMED = re.compile(r"([^\s=/:]{1,64})=(.+)", re.DOTALL).fullmatch
_FILE = re.compile(r"[^-].*\.[A-Za-z0-9]{1,6}").fullmatch


def named(argument: str) -> tuple[str, str]:
    """The name, or "", and the BOT of `NAME=BOT` or BOT.

    The path of a file or folder is never read as a name: a stranger may have chosen it.
    """
    found = None if os.path.lexists(argument) else _NAMED(argument)
    return (found[1], found[2]) if found else ("", argument)


def shown_names(
    own: Sequence[str], given: Sequence[str] = (), bots: Sequence[str] = ()
) -> list[str]:
    """What people see of each player.

    The first of these that is not empty: the name that its organiser gave, its own, the stem of its
    file, its seat. Players with equal names get their seats added: "Big Money (player1)".

    Args:
        own: the names of the handshakes, in seat order; a seat's id stands for none.
        given: by `NAME=BOT` or a tournament, in seat order; empty: none.
        bots: the BOT arguments, in seat order; empty: not known.
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
    """A name without characters that control a terminal, have no sign or turn the direction."""
    if name.isascii() and name.isprintable():
        return name.strip()
    kept = (" " if sign.isspace() else sign for sign in name if not _is_hidden(sign))
    return "".join(kept).strip()


def stem_of(bot: str) -> str:
    """The stem of the file that a BOT argument starts: "my_bot" of "python3 ./my_bot.py"."""
    try:
        words = shlex.split(bot)
    except ValueError:  # a quotation mark is not closed
        words = bot.split()
    if "://" in bot:
        return bot
    file = next(filter(_FILE, words), words[0] if words else "")
    return os.path.splitext(os.path.basename(file))[0]


def _short(name: str) -> str:
    """At most `MAX_COLUMNS`; the end of a path says more than its start."""
    if "/" in name and len(name) > MAX_COLUMNS:
        return "..." + name[3 - MAX_COLUMNS :]
    return cut(name, MAX_COLUMNS)


def _is_hidden(sign: str) -> bool:
    return unicodedata.category(sign) in ("Cc", "Cf", "Cs", "Co", "Cn") and not sign.isspace()
