"""The games that the referee knows. A game is a folder here and a line in `GAMES`."""

from __future__ import annotations

from collections.abc import Iterator, MutableMapping
from importlib import import_module

from referee.errors import UsageError

TYPE_CHECKING = False  # as in typing, which takes long to load
if TYPE_CHECKING:
    from referee.games.interface.rules import Rules


class Games(MutableMapping[str, "Rules"]):
    """Games by name: each is its `Rules`, or the module that has them as `RULES`.

    Such a module is loaded when its game is first used.
    """

    def __init__(self, games: dict[str, Rules | str]) -> None:
        self._games = games

    def __getitem__(self, name: str) -> Rules:
        game = self._games[name]
        if isinstance(game, str):
            rules: Rules = import_module(game).RULES
            self._games[name] = game = rules
        return game

    def __setitem__(self, name: str, rules: Rules) -> None:
        self._games[name] = rules

    def __delitem__(self, name: str) -> None:
        del self._games[name]

    def __contains__(self, name: object) -> bool:
        return name in self._games  # that of the base class would load the game

    def __iter__(self) -> Iterator[str]:
        return iter(self._games)

    def __len__(self) -> int:
        return len(self._games)


GAMES = Games(
    {
        "dominion": "referee.games.dominion",
        "botwars": "referee.games.botwars",
        "starrealms": "referee.games.starrealms",
        "tribute": "referee.games.tribute",
    }
)
DEFAULT_GAME = "dominion"
"""The game of whoever names none."""


def game_rules(name: object) -> Rules:
    """The rules of a game that a user has named.

    Raises:
        UsageError: there is no such game.
    """
    if not isinstance(name, str) or name not in GAMES:
        raise UsageError(f"no game {name!r}; there are: {', '.join(GAMES)}")
    return GAMES[name]
