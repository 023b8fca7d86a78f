"""Reproduces the match of a spectator log with the rules of a small game.

A log doesn't contain random draws and secret moves. We don't guess them. From the first of them on,
we only check what's true of every log (without_rules.py). `referee verify` checks the whole match,
from its record.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

from msgspec import UNSET, Struct

from referee.games.interface.faults import WRONG_TYPE, Fault, InvalidReply, describe
from referee.games.interface.game import Request
from referee.games.interface.log_player import DifferenceError, End, Gone, UnfollowedError
from referee.games.interface.seats import seat_id
from referee.games.small.author import Game, Move, lists_all
from referee.games.small.machine import SmallGame, find, plain
from referee.games.small.messages import GameInfo, MoveReply, MovesPlayed, PlayerLost
from referee.games.small.without_rules import WithoutRules

LOST = InvalidReply(WRONG_TYPE, "")
"""Stands for the reply of a player who lost because of a wrong move. Logs don't show that reply."""


class NoDraws:
    """The random source of a match whose draws we don't know."""

    def choose(self, stream: str, count: int) -> int:
        """Return 0 if that's the only result, and otherwise give up."""
        return 0 if count == 1 else _unknown("a random draw")

    def shuffle(self, stream: str, items: list[Any]) -> None:
        """Give up, unless there's only one order."""
        if len(items) > 1:
            _unknown("a shuffle")


def _unknown(what: str) -> NoReturn:
    raise UnfollowedError(f"{what} is not in a spectator log")


class LoggedGame(SmallGame):
    """A match that gets its moves from a spectator log."""

    def take_events(self) -> list[Struct]:
        """Return the messages since the last call, but no faults, because logs don't have them."""
        # In a log, `game-info` and what follows from an absent seat come without a pause.
        events = [*super().take_events(), *super().take_events()]
        return [event for event in events if not isinstance(event, Fault)]

    def candidates(self, seat: int, shown: Any) -> list[Move]:
        """Return the legal moves of a seat that would look like this in the log."""
        legal = self.legal[seat]
        if type(self.game).shown is Game.shown:
            move = self.legal_move(seat, shown)
            return [] if move is UNSET else [move]
        if not lists_all(type(self.game)):
            _unknown("a move that is shown in part")
        return [move for move in legal if find([self.shown(seat, move)], shown) == 0]


class SmallLog:
    """The `LogPlayer` of small games.

    Args:
        reasons: the game's own end reasons.
    """

    sections: Mapping[type[Struct], str] = {
        GameInfo: "2.3",
        MovesPlayed: "2.4",
        PlayerLost: "2.5",
        Gone: "8.3",
        End: "4.1",
    }

    def __init__(self, reasons: Sequence[str]) -> None:
        self.rest = WithoutRules(self.sections, reasons)

    def begin(self, names: Sequence[str]) -> Any:
        """Return a source without random numbers, because the log doesn't show them."""
        self.rest.seats = len(names)
        return NoDraws()

    def reply(self, game: LoggedGame, asked: Request, ahead: Sequence[Struct]) -> object | None:
        """Read the seat's move from the log, which may show only a part of it."""
        seat, player = asked.seat, seat_id(asked.seat)
        leaving = self.rest.left - game.left if len(game.legal) > 1 else set[int]()
        if len(leaving) > 1:
            _unknown("the order in which players left")
        for found in ahead:
            if isinstance(found, PlayerLost) and found.player_number == player:
                if game.game.wrong_move != "loses":
                    raise DifferenceError("no player who lost by a wrong move")
                return LOST
            if isinstance(found, MovesPlayed):
                return MoveReply(plain(_move(game, seat, found, is_certain=not leaving)))
            # The match ended before this move was played, because the other players left. Any legal
            # move will do.
            if isinstance(found, End):
                return MoveReply(plain(game.legal[seat][0]))
            if not isinstance(found, PlayerLost | Gone):
                raise DifferenceError("the next moves")
        return None

    def settle(self, game: LoggedGame, expected: Struct, found: Struct) -> bool:
        """Do nothing, because there's nothing hidden that we could change."""
        return False


def _move(game: LoggedGame, seat: int, found: MovesPlayed, *, is_certain: bool) -> Move:
    if found.turn != game.turns:
        raise DifferenceError(f"moves of turn {game.turns}")
    shown = found.moves.get(seat_id(seat), UNSET)
    moves = [] if shown is UNSET else game.candidates(seat, shown)
    if len(moves) > 1:
        _unknown("a secret move")
    if moves:
        return moves[0]
    # If another player leaves, the seat may get a new request. Its first reply has no effect then,
    # and isn't in the log.
    if not is_certain:
        return game.legal[seat][0]
    if shown is UNSET:
        raise DifferenceError(f"a move of {seat_id(seat)}")
    raise DifferenceError("a legal move", found=describe(shown))
