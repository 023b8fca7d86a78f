"""Runs bots that were written for the engine's Python library, without changing their code.

Each bot runs in a process of its own. In that process, this package exchanges messages with the
referee, and calls the methods of the bot as the library would. The engine doesn't have to be
installed. If a bot simulates moves, the process carries them out with the referee's rules.

__main__.py    the main loop of the process
author.py      imports the author's file, creates the bot, and shows errors
dialogue.py    turns messages into method calls, and return values into replies
knowledge.py   keeps track of the cards and resources that the bot knows about
simulation.py  simulates moves when the library asks for it
shown.py       converts game states for the library
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
"""Prefix of the argument with the bot's name. Without it, a sandbox could mistake it for a path."""

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
        # -P keeps the current directory out of sys.path. Otherwise, a file called random.py in it
        # would hide the module of the standard library.
        return (sys.executable, "-P", "-m", __name__, path, BOT + name)
    raise BotNotFoundError(f"BOT sot:{argument}: {problem}")


def wrong(fault: Fault, asked: Mapping[str, Any], reply: Mapping[str, Any]) -> str:
    """Explain a fault to an author who only knows the library (see `Adapter.wrong`)."""
    if asked["type"] == "patron-request":
        method, returned, choices = "select_patron()", reply.get("patron"), "available_patrons"
    else:
        returned = reply.get("cards" if asked["type"] == "choose-request" else "action")
        method, choices = "play()", "possible_moves"
    # Patrons are always strings. For a move, we only send a string if the bot hasn't returned one
    # of the moves. If it isn't a string, there's a different problem.
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
