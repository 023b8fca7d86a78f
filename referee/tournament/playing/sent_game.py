"""A game from outside on its way to the process that plays it: by its path, or with its code."""

from __future__ import annotations

import os
from functools import lru_cache

from msgspec import Struct
from msgspec.structs import replace

from referee.errors import UsageError
from referee.games import GAMES
from referee.games.outside import Source, need
from referee.tournament.playing.directories import Packed, pack, place, unpack


class SentGame(Struct, frozen=True):
    """A game from outside, as plain data: none of its classes is pickled.

    Attributes:
        path: of its file or folder, or the name of an installed game.
        code: what is at this path, for another machine; None: the path is good there.
    """

    name: str
    source: Source
    path: str
    code: Packed | None = None

    def packed(self) -> SentGame:
        """This game with its code. An installed game must be installed there, too."""
        return replace(self, code=_packed(self.path)) if os.path.isabs(self.path) else self

    def load(self) -> None:
        """Have the game in this process; raises what `need` does."""
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
    """A game for another process; None if it is the referee's own."""
    game = GAMES.outside.get(name)
    return None if game is None else SentGame(name, game.source, game.place)


@lru_cache
def _packed(path: str) -> Packed:
    return pack(path)
