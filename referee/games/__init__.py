"""The games that the referee knows. A game is a folder here and a line in `GAMES`."""

from __future__ import annotations

from collections import UserDict
from importlib import import_module

from referee.errors import UsageError

TYPE_CHECKING = False  # as in typing, which takes long to load
if TYPE_CHECKING:
    from typing import Any

    from referee.games.interface.definition import GameDefinition


class Games(UserDict[str, "GameDefinition"]):
    """Games by name: each is its `GameDefinition`, or the module that has them as `RULES`.

    Such a module is loaded when its game is first used.
    """

    data: dict[str, Any]

    def __init__(self, games: dict[str, GameDefinition | str]) -> None:
        super().__init__()
        self.data |= games

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
DEFAULT_GAME = "dominion"
"""The game of commands that do not name one."""


def game_rules(name: object) -> GameDefinition:
    """The rules of a game that a user has named; `UsageError` if the game is unknown."""
    if not isinstance(name, str) or name not in GAMES:
        raise UsageError(f"no game {name!r}; there are: {', '.join(GAMES)}")
    return GAMES[name]
