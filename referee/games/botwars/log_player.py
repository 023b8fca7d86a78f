"""Work out the bots' replies from a spectator log (`referee.games.interface.log_player`).

That's easy for Bot Wars, because it hides nothing. The only random choice is the place of new
energy, and the log shows that, too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct

from referee.games.botwars.rules.board import COLOURS, Board
from referee.games.botwars.rules.game import BotWars
from referee.games.botwars.rules.messages import GameInfo, MoveReply, State, TurnPlayed
from referee.games.botwars.rules.moves import BAD_FORMAT
from referee.games.interface.faults import EndReason
from referee.games.interface.game import Request
from referee.games.interface.log_player import End, Gone
from referee.games.interface.random_source import RandomSource, SeededRandomSource
from referee.games.interface.seats import seat_id

SECTIONS: Mapping[type[Struct], str] = {GameInfo: "2.3", TurnPlayed: "4.3", Gone: "2.6", End: "4.4"}


class _EnergyOfLog(SeededRandomSource):
    """A random source that puts new energy where the log shows it after the turn."""

    def __init__(self) -> None:
        super().__init__(0)
        self.seen: tuple[Board, State] | None = None

    def choose(self, stream: str, count: int) -> int:
        # We haven't seen a turn in the log yet, so any cell is fine.
        if self.seen is None:
            return 0
        board, state = self.seen
        shown = [state.grid[cell : cell + 1] == "*" for cell in board.free_pairs()]
        # By the rules, one of the free pairs must have got energy. If none has, the log is wrong.
        # We can return any index then, because our state will differ from the log's anyway.
        return shown.index(True) if True in shown else 0


class BotWarsLog:
    """Implements `referee.games.interface.log_player.LogPlayer` for Bot Wars."""

    sections = SECTIONS

    def __init__(self) -> None:
        self._chance = _EnergyOfLog()

    def begin(self, names: Sequence[str]) -> RandomSource:
        return self._chance

    def reply(self, game: BotWars, asked: Request, ahead: Sequence[Struct]) -> MoveReply:
        """Return the moves that the log shows for this seat.

        A reply of the wrong format ends the match before the turn is played, so the log doesn't
        show any moves. We can only tell from the reason and the winners in `game-end` who sent it.
        """
        found = ahead[0]
        if isinstance(found, TurnPlayed):
            self._chance.seen = game.board, found.state
            moves = getattr(found.moves, COLOURS[asked.seat])
            return MoveReply([{"from": move.from_, "to": move.to} for move in moves])
        won = isinstance(found, End) and found.winners == [seat_id(asked.seat)]
        is_bad = isinstance(found, End) and found.reason in (BAD_FORMAT, EndReason.NO_PLAYERS)
        return MoveReply() if is_bad and not won else MoveReply([])

    def settle(self, game: BotWars, expected: Struct, found: Struct) -> bool:
        return False
