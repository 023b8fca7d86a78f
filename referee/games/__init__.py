"""The games that the referee knows. Each game is a folder here and an entry of `GAMES`.

`outside.py` adds games from files and installed packages that a user names.
"""

from __future__ import annotations

from collections import UserDict
from importlib import import_module

from referee.errors import UsageError

TYPE_CHECKING = False  # like typing.TYPE_CHECKING, but typing is slow to import
if TYPE_CHECKING:
    from typing import Any

    from referee.games.interface.definition import GameDefinition
    from referee.games.outside import Outside


class Games(UserDict[str, "GameDefinition"]):
    """Games by name. A value is a `GameDefinition`, or a module that has one as `RULES`.

    Such a module is imported on the first use of its game, because most commands only need one
    game.

    Attributes:
        outside: name -> origin, for games that aren't built in.
    """

    data: dict[str, Any]
    outside: dict[str, Outside]

    def __init__(self, games: dict[str, GameDefinition | str]) -> None:
        super().__init__()
        self.data |= games
        self.outside = {}

    def __getitem__(self, name: str) -> GameDefinition:
        if isinstance(self.data[name], str):
            self.data[name] = import_module(self.data[name]).RULES
        rules: GameDefinition = self.data[name]
        return rules


GAMES = Games(
    {
        "dominion": "referee.games.dominion",
        "botwars": "referee.games.botwars",
        "starrealms": "referee.games.starrealms",
        "tribute": "referee.games.tribute",
    }
)
ADD_GAME = "if it is a game of your own, add --game FILE"
"""Advice for files of an unknown game."""
DEFAULT_GAME = "dominion"
"""The game of commands that do not name one."""


def game_rules(name: object) -> GameDefinition:
    """Return the definition of a known game.

    Raises:
        UsageError: the game is unknown.
    """
    if not isinstance(name, str) or name not in GAMES:
        raise UsageError(f"no game {name!r}; there are: {', '.join(GAMES)}")
    return GAMES[name]


def find_game(name: str) -> str:
    """Return the key in `GAMES` of a game that a user names.

    Args:
        name: a key, the path of a game's file or folder, or the name of an installed game. The code
            of a game from outside is executed and stays loaded.

    Raises:
        UsageError: there is no such game.
        GameError: its code has a mistake.
    """
    if not isinstance(name, str) or (name in GAMES and name not in GAMES.outside):
        game_rules(name)
        return name
    from referee.games.outside import add  # slow to import, and rarely needed

    return add(name)


def game_words(game: str) -> list[str]:
    """Return the command-line option for a game. Empty for the default game."""
    return outside_words(game) or ([] if game == DEFAULT_GAME else ["--game", game])


def outside_words(game: str) -> list[str]:
    """Return the command-line option for a game from outside. Empty for the referee's own games.

    A command that reads a record or a log needs this option. The file itself can't say which code
    to load, because it may come from a stranger.
    """
    outside = GAMES.outside.get(game)
    return [] if outside is None else ["--game", outside.source.file]
