"""The games that the referee knows. A game is a folder here and a line in `GAMES`.

`outside.py` adds games from files and installed packages, when a user names them.
"""

from __future__ import annotations

from collections import UserDict
from importlib import import_module

from referee.errors import UsageError

TYPE_CHECKING = False  # as in typing, which takes long to load
if TYPE_CHECKING:
    from typing import Any

    from referee.games.interface.definition import GameDefinition
    from referee.games.outside import Outside


class Games(UserDict[str, "GameDefinition"]):
    """Games by name: each is its `GameDefinition`, or the module that has them as `RULES`.

    Such a module is loaded when its game is first used.

    Attributes:
        outside: where games come from that are not the referee's own, by name.
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
"""What to do about a file of a game that is not in `GAMES`."""
DEFAULT_GAME = "dominion"
"""The game of commands that do not name one."""


def game_rules(name: object) -> GameDefinition:
    """The rules of a game that is known; `UsageError` if it is not."""
    if not isinstance(name, str) or name not in GAMES:
        raise UsageError(f"no game {name!r}; there are: {', '.join(GAMES)}")
    return GAMES[name]


def find_game(name: str) -> str:
    """The key in `GAMES` of a game that a user names now.

    Args:
        name: such a key; the path of a game's file or folder; or the name of a game of an installed
            package. The code of a game from outside is run, and stays loaded.

    Raises:
        UsageError: there is no such game.
        GameError: its code has a mistake.
    """
    if not isinstance(name, str) or (name in GAMES and name not in GAMES.outside):
        game_rules(name)
        return name
    from referee.games.outside import add  # loads much that most commands do not need

    return add(name)


def game_words(game: str) -> list[str]:
    """A game as an option of a command; none for the default."""
    outside = GAMES.outside.get(game)
    if outside is not None:
        return ["--game", outside.source.file]
    return [] if game == DEFAULT_GAME else ["--game", game]
