"""Sends an external game to the process that plays it."""

from __future__ import annotations

import os
from functools import lru_cache

from msgspec import Struct
from msgspec.structs import replace

from referee.errors import UsageError
from referee.games import GAMES
from referee.games.outside import Source, need
from referee.tournament.playing.directories import Packed, pack, place, unpack

_packed = lru_cache(pack)


class SentGame(Struct, frozen=True):
    """An external game as plain data.

    We don't pickle any of its classes, because the other process could only find them after it has
    loaded the game.

    Attributes:
        path: the file or folder of the game, or the name of an installed game.
        code: the content of this path, if the game is sent to another machine. None if the other
            process can read the path itself.
    """

    name: str
    source: Source
    path: str
    code: Packed | None = None

    def packed(self) -> SentGame:
        """Add the game's code, for another machine. Installed games must be installed there."""
        return replace(self, code=_packed(self.path)) if os.path.isabs(self.path) else self

    def load(self) -> None:
        """Load the game in this process. Raises the same errors as `need`."""
        path, code = self.path, self.code
        if code is not None:
            folder = place(code.digest)
            if not folder.is_dir():
                try:
                    unpack(code)
                except OSError as error:
                    text = f"cannot write {error.filename or folder}: {error.strerror}"
                    raise UsageError(text) from error
            is_file = path.endswith(".py")
            path = str(folder / os.path.basename(path)) if is_file else str(folder)
        need(self.name, self.source, path)


def sent_game(name: str) -> SentGame | None:
    """Return a game to send to another process, or None if it comes with the referee."""
    game = GAMES.outside.get(name)
    return None if game is None else SentGame(name, game.source, game.place)
