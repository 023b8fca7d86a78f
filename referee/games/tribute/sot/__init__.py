"""Bots of the Python library of Scripts of Tribute: unchanged classes, each in its own process.

The process is an adapter, which exchanges the messages of the game with the referee and calls the
class as the library does. The engine isn't needed, because simulations also use the rules of the
referee, in the same process.

__main__.py    the process: reads and writes lines
author.py      the author's file: finding the class, creating the bot, errors
dialogue.py    messages -> calls of the bot, and its answers -> replies
knowledge.py   the bot's knowledge of the match, as a table of the rules
simulation.py  simulations of moves for the library
shown.py       a table in the format for the library's builders
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from typing import Any

from referee.errors import BotNotFoundError
from referee.games.interface.dialect import Adapter
from referee.games.interface.faults import Fault

BOT = "--bot="
"""Prefix for the name of a bot, so that a sandbox doesn't take the name for a path."""

_PLAY = ("play-turn", "choose-request")


def command(argument: str, directory: str) -> Sequence[str]:
    """Return the command line of the adapter (see `Adapter.command`)."""
    file, colon, name = argument.partition(":")
    path = os.path.abspath(os.path.join(directory, file))
    if not file.endswith(".py") or (colon and not name.isidentifier()):
        problem = "expected sot:FILE.py or sot:FILE.py:CLASS"
    elif not os.path.isfile(path) or not os.access(path, os.R_OK):
        problem = f"there is no file {file} that can be read"
    elif find_spec("scripts_of_tribute") is None:
        problem = "the package is missing: pip install scripts-of-tribute, beside the referee"
    else:
        # -P keeps the current directory out of sys.path, because a file called random.py there
        # would replace Python's.
        return (sys.executable, "-P", "-m", __name__, path, BOT + name)
    raise BotNotFoundError(f"BOT sot:{argument}: {problem}")


def wrong(fault: Fault, asked: Mapping[str, Any], reply: Mapping[str, Any]) -> str:
    """Explain a fault in the library's words (see `Adapter.wrong`)."""
    if asked["type"] == "patron-request":
        method, returned, choices = "select_patron()", reply.get("patron"), "available_patrons"
    else:
        returned = reply.get("cards" if asked["type"] == "choose-request" else "action")
        method, choices = "play()", "possible_moves"
    # The adapter has found the move, so the return value isn't the problem.
    if not isinstance(returned, str):
        return fault.detail
    return (
        f"its {method} returned {returned}, which is not in {choices}: return an entry of that "
        "list, of the same call"
    )


ADAPTER = Adapter(
    command,
    {
        "player-name-request": "its file, its constructor or its pregame_prepare()",
        "patron-request": "its select_patron()",
        **dict.fromkeys(_PLAY, "its play()"),
    },
    dict.fromkeys(_PLAY, "remaining_time has the milliseconds that are left of the turn"),
    wrong,
    library="scripts_of_tribute",
)
