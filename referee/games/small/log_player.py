"""Reproduces the match of a spectator log with the rules of a small game.

A log doesn't contain hidden draws and secret moves, so we guess them. The match keeps its draws in
a list (guessed.py), in which a secret move counts as a draw. If the rules publish anything that
differs from the log, we try other draws (search.py).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec
from msgspec import UNSET, Struct

from referee.games.interface.faults import describe
from referee.games.interface.game import GameSetup, Request
from referee.games.interface.log_player import (
    DifferenceError,
    End,
    Followed,
    Gone,
    LogPlayer,
)
from referee.games.interface.seats import seat_id
from referee.games.small.guessed import LOST, Draw, GuessedDraws, LoggedGame, Shown, Value
from referee.games.small.machine import plain
from referee.games.small.messages import GameInfo, MoveReply, MovesPlayed, PlayerLost
from referee.games.small.search import Search


class SmallLog:
    """The `LogPlayer` of small games, which is also a `Guesser`.

    Args:
        options: the struct of the game's options.
        search: limits the replies of all searches in this log. By default a new search begins.
        given: the results of the first draws.
    """

    sections: Mapping[type[Struct], str] = {
        GameInfo: "2.3",
        MovesPlayed: "2.4",
        PlayerLost: "2.5",
        Gone: "8.3",
        End: "4.1",
    }

    def __init__(
        self,
        options: type[Struct],
        search: Search | None = None,
        given: Sequence[Value] = (),
    ) -> None:
        self._options, self._given = options, given
        self._search = search or Search()
        self._chance = GuessedDraws(given)
        self.replies = self.before_turn = 0

    @property
    def draws(self) -> Sequence[Draw]:
        """All draws of the match so far."""
        return self._chance.draws

    def begin(self, info: Any, names: Sequence[str]) -> GameSetup:
        """Set up the game with the options of the log, and with guessed draws."""
        try:
            # The log may come from an older version of the game, which had other options.
            options = msgspec.convert(info.options, self._options)
        except msgspec.ValidationError as error:
            raise DifferenceError(f"options of the game: {error}") from None
        self._chance = GuessedDraws(self._given)
        chance: Any = self._chance
        return GameSetup(chance=chance, names=tuple(names), options=options)

    def reply(self, game: LoggedGame, asked: Request, ahead: Sequence[Struct]) -> object | None:
        """Read the seat's move from the log, which may show only a part of it."""
        self.replies += 1
        self.before_turn = len(self.draws)
        seat, player = asked.seat, seat_id(asked.seat)
        for found in ahead:
            if isinstance(found, PlayerLost) and found.player_number == player:
                if game.game.wrong_move != "loses":
                    raise DifferenceError("no player who lost by a wrong move")
                return LOST
            if isinstance(found, MovesPlayed):
                if found.turn != game.turns:
                    raise DifferenceError(f"moves of turn {game.turns}")
                shown = found.moves.get(player, UNSET)
                if shown is UNSET:
                    raise DifferenceError(f"a move of {player}")
                if not game.candidates(seat, shown):
                    raise _illegal(game, seat, shown)
                return Shown(shown)
            # The match ended before this move was played, because the other players left. Any legal
            # move will do.
            if isinstance(found, End):
                return MoveReply(plain(game.legal[seat][0]))
            if not isinstance(found, PlayerLost | Gone):
                raise DifferenceError("the next moves")
        return None

    def settle(self, game: LoggedGame, expected: Struct, found: Struct) -> bool:
        """Do nothing. If messages differ, we search for other draws and play the match again."""
        return False

    def again(self, values: Sequence[Value]) -> SmallLog:
        """Return a new player for the same log, in which draws have the given results."""
        return type(self)(self._options, self._search, values)

    def guess_again(self, follow: Callable[[LogPlayer], Followed]) -> LogPlayer:
        """Return a player with the draws that fit the log best."""
        best = self._search.best(self, follow)
        return self.again([draw.value for draw in best.draws])


def _illegal(game: LoggedGame, seat: int, shown: Any) -> DifferenceError:
    place = [request.seat for request in game.requests].index(seat)
    return DifferenceError(
        "a legal move",
        found=describe(shown),
        ours=game.legal[seat],
        theirs=shown,
        place=(0, place),
        # If all moves are legal, at least half of the message is right, because `turn` and `moves`
        # are. An illegal move must therefore count as less than a half.
        equal=0.4 * place / len(game.requests),
    )
