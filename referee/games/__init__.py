"""The games that the referee knows. Each built-in game has a folder here and an entry in `GAMES`.

`outside.py` adds games that the user has in a file or in an installed package.
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
    """The games by name.

    Most commands only need one game, so we import a built-in game when somebody looks it up. Until
    then, its value is the name of a module that defines `RULES`.

    Attributes:
        outside: where the games that aren't built in come from, by name.
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
"""Advice to show if a record or a log is from a game that we don't know."""
DEFAULT_GAME = "dominion"
"""The game to use if a command doesn't name one."""


def game_rules(name: object) -> GameDefinition:
    """Look up a game in `GAMES`.

    Raises:
        UsageError: there's no such game.
    """
    if not isinstance(name, str) or name not in GAMES:
        raise UsageError(f"no game {name!r}; there are: {', '.join(GAMES)}")
    return GAMES[name]


def find_game(name: str) -> str:
    """Return the name in `GAMES` of the game that a user asks for.

    If the game isn't built in, this executes its code and adds it to `GAMES`.

    Args:
        name: the name of a built-in or installed game, or the path of a game's file or folder.

    Raises:
        UsageError: there's no such game.
        GameError: the code of the game has a mistake.
    """
    if not isinstance(name, str) or (name in GAMES and name not in GAMES.outside):
        game_rules(name)
        return name
    from referee.games.outside import add  # slow to import, and rarely needed

    return add(name)


def game_words(game: str) -> list[str]:
    """Return the option that makes a command play this game, or [] for the default game."""
    return outside_words(game) or ([] if game == DEFAULT_GAME else ["--game", game])


def outside_words(game: str) -> list[str]:
    """Return the option for reading a record or a log of this game, or [] if it's built in.

    If the game isn't built in, even such a command needs the option. We don't load any code just
    because the file names a game, because the file may come from a stranger.
    """
    outside = GAMES.outside.get(game)
    return [] if outside is None else ["--game", outside.source.file]
