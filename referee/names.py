"""Chooses the names under which bots appear in tables, sentences and pages.

These names aren't used in logs, records and messages, which contain the unchanged name from the
handshake.
"""

from __future__ import annotations

import os
import re
import shlex
import unicodedata
from collections.abc import Sequence

from referee.games.interface.seats import seat_id
from referee.text.terminal import cells, cut

# We shorten a bot's own name to this many columns. Names that an organiser chose may be longer.
MAX_COLUMNS = 40
PERSON = "Human"
"""All people play under this name, because records don't contain the names of people."""
_NAMED = re.compile(r"([^\s=/:]{1,64})=(.+)", re.DOTALL).fullmatch
_FILE = re.compile(r"[^-].*\.[A-Za-z0-9]{1,6}").fullmatch


def named(argument: str) -> tuple[str, str]:
    """Split `NAME=BOT` into (name, BOT). The name is "" if there's only a BOT.

    We don't split the path of an existing file, because a stranger may have chosen a file name that
    looks like `NAME=BOT`.
    """
    found = None if os.path.lexists(argument) else _NAMED(argument)
    return (found[1], found[2]) if found else ("", argument)


def shown_names(
    own: Sequence[str], given: Sequence[str] = (), bots: Sequence[str] = ()
) -> list[str]:
    """Choose the name by which each player is shown.

    We prefer the name that the organiser chose. If there isn't one, we show the bot's own name,
    otherwise the stem of its file name, and if all of them are missing, its seat. If several
    players have the same name, we add the seat: "Big Money (player1)". People without a name are
    "Player 1" and "Player 2", by their seats.

    Args:
        own: names from the handshakes, in seat order. We don't use a name that's only the id of the
            bot's own seat, like "player1" for the first bot.
        given: names from `NAME=BOT` or a tournament, in seat order. By default, we don't use any.
        bots: the BOT arguments, in seat order. By default, we don't use any.
    """
    names = []
    for seat, name in enumerate(own):
        by_others = clean(given[seat]) if seat < len(given) else ""
        itself = "" if name.casefold() == seat_id(seat) else short(clean(name))
        stem = clean(stem_of(bots[seat])) if seat < len(bots) else ""
        person = f"Player {seat + 1}" if itself == PERSON else ""
        names.append(by_others or person or itself or stem or seat_id(seat))
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
    """Return the stem of the file that a BOT starts: "my_bot" for "python3 ./my_bot.py"."""
    try:
        words = shlex.split(bot)
    except ValueError:  # unbalanced quotes
        words = bot.split()
    if "://" in bot:
        return bot
    file = next(filter(_FILE, words), words[0] if words else "")
    return os.path.splitext(os.path.basename(file))[0]


def short(name: str, columns: int = MAX_COLUMNS) -> str:
    """Cut a long name, at its start if it's a path, because the ends of paths usually differ."""
    if "/" in name and cells(name) > columns:
        return "..." + name[3 - columns :]
    return cut(name, columns)


def _is_hidden(sign: str) -> bool:
    return unicodedata.category(sign) in ("Cc", "Cf", "Cs", "Co", "Cn") and not sign.isspace()
