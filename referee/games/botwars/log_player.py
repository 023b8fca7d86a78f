"""Infer the replies of a spectator log of Bot Wars (`referee.games.interface.log_player`).

This game hides nothing. Only the place of new energy is random, and the log shows it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct

from referee.games.botwars.rules.board import COLOURS, Board
from referee.games.botwars.rules.game import BotWars, Options
from referee.games.botwars.rules.messages import GameInfo, MoveReply, State, TurnPlayed
from referee.games.botwars.rules.moves import BAD_FORMAT
from referee.games.interface.faults import EndReason
from referee.games.interface.game import GameSetup, Request
from referee.games.interface.log_player import End, Gone
from referee.games.interface.random_source import SeededRandomSource
from referee.games.interface.seats import seat_id

SECTIONS: Mapping[type[Struct], str] = {GameInfo: "2.3", TurnPlayed: "4.3", Gone: "2.6", End: "4.4"}


class _EnergyOfLog(SeededRandomSource):
    """Puts new energy where the log shows it.

    The place of new energy is the only random choice of this game. The log shows the state after
    the turn, so the place can be looked up.
    """

    def __init__(self) -> None:
        super().__init__(0)
        self.board: Board | None = None
        self.shown: State | None = None

    def choose(self, stream: str, count: int) -> int:
        # If the log doesn't contain this turn, any cell is fine.
        if self.board is None or self.shown is None:
            return 0
        grid = self.shown.grid
        shown = [grid[cell : cell + 1] == "*" for cell in self.board.free_pairs()]
        # If no free pair has energy, the log differs from the rules. Any index is fine then,
        # because the comparison of the states will show the difference.
        return shown.index(True) if True in shown else 0


class BotWarsLog:
    """Implements `referee.games.interface.log_player.LogPlayer` for Bot Wars."""

    sections = SECTIONS

    def __init__(self) -> None:
        self._chance = _EnergyOfLog()

    def begin(self, info: GameInfo, names: Sequence[str]) -> GameSetup:
        options = Options(info.rows, info.cols, info.max_turns, info.energy_every)
        return GameSetup(chance=self._chance, names=tuple(names), options=options)

    def reply(self, game: BotWars, asked: Request, ahead: Sequence[Struct]) -> MoveReply:
        """Infer the moves of a turn.

        If a reply has the wrong format, the turn isn't in the log. Only the reason and the
        winners at the end of the log show it.
        """
        found = ahead[0]
        if isinstance(found, TurnPlayed):
            self._chance.board, self._chance.shown = game.board, found.state
            moves = getattr(found.moves, COLOURS[asked.seat])
            return MoveReply([{"from": move.from_, "to": move.to} for move in moves])
        won = isinstance(found, End) and found.winners == [seat_id(asked.seat)]
        is_bad = isinstance(found, End) and found.reason in (BAD_FORMAT, EndReason.NO_PLAYERS)
        return MoveReply() if is_bad and not won else MoveReply([])

    def settle(self, game: BotWars, expected: Struct, found: Struct) -> bool:
        return False
