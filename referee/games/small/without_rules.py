"""Checks what's true of every log of a small game, whatever the rules of the game are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct

from referee.games.interface.capabilities import Finding
from referee.games.interface.faults import EndReason
from referee.games.interface.log_player import End, Gone
from referee.games.interface.seats import seat_id, seat_ids, seat_index
from referee.games.small.machine import FINISHED, WRONG_MOVE
from referee.games.small.messages import GameInfo, MovesPlayed, PlayerLost

ONE_LEFT = (EndReason.LAST_PLAYER_STANDING, WRONG_MOVE)


class WithoutRules:
    """A `LogChecker` for the part of a log that depends on random draws or hidden things.

    Attributes:
        seats: the number of seats. Set it before the first turn.
        left: the seats that have left, or lost because of a wrong move.
    """

    def __init__(self, sections: Mapping[type[Struct], str], reasons: Sequence[str]) -> None:
        self.seats, self.left = 0, set[int]()
        self._sections, self._reasons = sections, reasons
        self._turns, self._begun = 0, False
        # the scores in the last message, or None if a seat has left since then
        self._scores: list[int | float] | None = None

    def read(self, line: int, message: Struct) -> list[Finding]:
        """Check the next message, and return at most one finding."""
        match message:
            case GameInfo():
                problem = ("no second game-info", "one") if self._begun else None
                self._begun = True
            case MovesPlayed():
                problem = self._moves(message)
                self._turns, self._scores = message.turn, message.scores
            case PlayerLost(turn, player):
                problem = self._turn(turn) or self._leaves(seat_index(player))
            case Gone(seat):
                problem = self._leaves(seat)
            case End():
                problem = self._end(message)
            case _:
                problem = None
        return [Finding(line, self._sections[type(message)], *problem)] if problem else []

    def _turn(self, turn: int) -> tuple[str, str] | None:
        due = self._turns + 1
        return None if turn == due else (f"turn {due}", f"turn {turn}")

    def _leaves(self, seat: int) -> tuple[str, str] | None:
        if seat >= self.seats:
            return f"one of {', '.join(seat_ids(self.seats))}", seat_id(seat)
        again = seat in self.left
        self.left.add(seat)
        self._scores = None  # the rules may change the scores when a seat leaves
        return ("a player who is still in the match", seat_id(seat)) if again else None

    def _moves(self, message: MovesPlayed) -> tuple[str, str] | None:
        players = seat_ids(self.seats)
        strange = [player for player in message.moves if player not in players]
        if strange or not message.moves:
            return f"moves of {', '.join(players)}", ", ".join(strange) or "no moves"
        if len(message.scores) != self.seats:
            return f"{self.seats} scores", f"{len(message.scores)}"
        if self.seats - len(self.left) < 2:
            return "a game-end, because fewer than two players are left", "moves-played"
        return self._turn(message.turn)

    def _end(self, end: End) -> tuple[str, str] | None:
        if self._scores not in (None, end.scores):
            return f"the scores {self._scores} of the last turn", f"{end.scores}"
        here = [seat for seat in range(self.seats) if seat not in self.left]
        reasons: Sequence[str] = (FINISHED, EndReason.TURN_LIMIT, *self._reasons)
        if len(here) < 2:
            reasons = ONE_LEFT if here else (EndReason.NO_PLAYERS,)
        if end.reason not in reasons:
            return f"the reason {' or '.join(reasons)}", end.reason
        if len(end.scores) != self.seats:
            return f"{self.seats} scores", f"{len(end.scores)}"
        best = max((end.scores[seat] for seat in here), default=0)
        winners = [seat_id(seat) for seat in here if end.scores[seat] == best]
        if end.winners != winners:
            return f"the winners {', '.join(winners) or 'nobody'}", ", ".join(end.winners)
        return None
