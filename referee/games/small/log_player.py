"""The rules of a small game, run behind a spectator log.

A log has no hidden draws and no secret moves. They are guessed: a match behind a log keeps its
draws in a list (guessed.py), and a secret move is one more draw. Where the rules publish something
else than the log, other draws are looked for (search.py).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from msgspec import UNSET, Struct

from referee.games.interface.faults import describe
from referee.games.interface.game import GameSetup, Request
from referee.games.interface.log_player import DifferenceError, End, Gone
from referee.games.interface.seats import seat_id
from referee.games.small.guessed import LOST, GuessedDraws, LoggedGame, Shown
from referee.games.small.machine import plain
from referee.games.small.messages import GameInfo, MoveReply, MovesPlayed, PlayerLost
from referee.games.small.search import Search, Wanted


class SmallLog:
    """Implements `interface.log_player.LogPlayer` for a small game with these options."""

    sections: Mapping[type[Struct], str] = {
        GameInfo: "2.3",
        MovesPlayed: "2.4",
        PlayerLost: "2.5",
        Gone: "8.3",
        End: "4.1",
    }

    def __init__(self, options: type[Struct]) -> None:
        self._options = options
        self._search = Search()

    def begin(self, info: Any, names: Sequence[str]) -> GameSetup:
        """Set up the game with the options of the log, and with guessed draws."""
        try:
            options = msgspec.convert(info.options, self._options)
        except msgspec.ValidationError as error:
            raise DifferenceError(f"options of the game: {error}") from None
        chance: Any = GuessedDraws()
        return GameSetup(chance=chance, names=tuple(names), options=options)

    def reply(self, game: LoggedGame, asked: Request, ahead: Sequence[Struct]) -> object | None:
        """Find what the log shows of the move."""
        seat, player = asked.seat, seat_id(asked.seat)
        for found in ahead:
            if isinstance(found, PlayerLost) and found.player_number == player:
                if game.game.wrong_move != "loses":
                    raise DifferenceError("no player who lost by a wrong move")
                return LOST
            if isinstance(found, MovesPlayed):
                shown = found.moves.get(player, UNSET)
                if shown is UNSET:
                    raise DifferenceError(f"a move of {player}")
                if not game.candidates(seat, shown) and not self._has(game, seat, shown):
                    raise DifferenceError("a legal move", found=describe(shown))
                return Shown(shown)
            if isinstance(found, End):  # the others have left: no move was played
                return MoveReply(plain(game.legal[seat][0]))
            if not isinstance(found, PlayerLost | Gone):
                raise DifferenceError("the next moves")
        return None

    def settle(self, game: LoggedGame, expected: Struct, found: Struct) -> bool:
        """Change draws so that the rules publish what the log has."""
        if type(expected) is not type(found) or isinstance(found, PlayerLost):
            return False
        if isinstance(found, MovesPlayed) and isinstance(expected, MovesPlayed):
            if found.turn != expected.turn or not self._moved(game, expected, found):
                return False
        elif not isinstance(found, End | GameInfo):
            return False
        said, end = [*game.said], None
        if isinstance(found, End):
            end = found
        else:
            place = max(at for at, one in enumerate(said) if type(one) is type(found))
            said[place] = found
        return self._search.run(game, Wanted(said, end=end))

    @staticmethod
    def _moved(game: LoggedGame, expected: MovesPlayed, found: MovesPlayed) -> bool:
        """Whether the moves are those of the log; the rules choose for seats that do not reply."""
        replied = [seat_id(s) for s, reply in game.given[-1].items() if isinstance(reply, Shown)]
        same = all(expected.moves[player] == found.moves[player] for player in replied)
        return same and expected.moves.keys() == found.moves.keys()

    def _has(self, game: LoggedGame, seat: int, shown: Any) -> bool:
        """Whether other draws make a move legal; the match has them then."""
        return self._search.run(game, Wanted([*game.said], seat, shown))
