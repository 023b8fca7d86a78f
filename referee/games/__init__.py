"""The games that the referee knows. A game is a folder here and a line in `_HOMES`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module

TYPE_CHECKING = False  # as in typing, which takes long to load
if TYPE_CHECKING:
    from referee.seam.rules import Rules

_HOMES = {
    "dominion": "referee.games.dominion",
}
"""Name -> module with the game's `RULES`."""


class Games(Mapping[str, "Rules"]):
    """Every game by its name; each is loaded when it is first used."""

    def __init__(self, homes: Mapping[str, str]) -> None:
        self._homes = dict(homes)
        self._loaded: dict[str, Rules] = {}

    def __getitem__(self, name: str) -> Rules:
        if name not in self._loaded:
            self._loaded[name] = import_module(self._homes[name]).RULES
        return self._loaded[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._homes)

    def __len__(self) -> int:
        return len(self._homes)

    def __contains__(self, name: object) -> bool:
        return name in self._homes

    def register(self, name: str, module: str) -> None:
        """Add a game that is not the referee's own.

        Args:
            module: has the game's `RULES`.
        """
        self._homes[name] = module


GAMES = Games(_HOMES)
