"""Shows a match of a small game turn by turn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, ClassVar

from msgspec import Struct

from referee.games.interface import turns
from referee.games.interface.capabilities import Phrase
from referee.games.interface.data import about
from referee.games.interface.seats import seat_index
from referee.games.interface.sentence import Part, Seat, joined
from referee.games.small.author import Game, words_of
from referee.games.small.messages import MovesPlayed, PlayerLost
from referee.games.small.parts import parts
from referee.games.small.person import phrases

SECRET = "a secret move"
_WRONG_MOVE = "by a wrong move"


class Turn(turns.Turn, kw_only=True):
    """One turn, as printed by `referee replay --format json`."""

    state: Annotated[
        dict[str, Any] | None, about("The public state after the turn, or null if it's unknown.")
    ] = None


class Turns(turns.TurnReader[Turn]):
    """The `TurnReader` of small games. There's a turn for each `moves-played`.

    Each game has a subclass, in which `kind` is the author's class.
    """

    turn_type = Turn
    styles: ClassVar[dict[str, str]] = {"loses": "red"}
    kind: ClassVar[type[Game]]

    def __init__(self, names: Sequence[str]) -> None:
        super().__init__(names)
        # The number of the last turn, with a clause for each move if several players moved.
        self._together: tuple[int, list[list[Part]]] = (0, [])

    def read(self, message: Struct, to: int | None) -> list[Turn]:
        """Read a message. Returns a turn for each `moves-played`."""
        if isinstance(message, PlayerLost):
            self.now.turn = message.turn
            self._lose(message.player_number)
        if not isinstance(message, MovesPlayed):
            return []
        alone = len(message.moves) == 1
        self.now.turn = message.turn
        for action in self.now.actions if not alone else ():
            # _lose() didn't add the name, because it didn't know yet that several players move.
            if action.what == "loses" and action.card == _WRONG_MOVE:
                action.card += f": {self.call(self.now.player_number)}"
        clauses: list[list[Part]] = []
        for player, move in message.moves.items():
            said = SECRET if move is None else words_of(self.kind, move)
            self.act("plays", said if alone else f"{self.call(player)} {said}")
            # A turn with several players belongs to nobody, and their names are in the actions.
            self.now.player_number = player if alone else ""
            clauses.append([Seat(seat_index(player)), f" plays {said}"])
        self._together = (message.turn, clauses if not alone else [])
        self.now.scores, self.now.state = message.scores, message.state
        return [self.close()]

    def _lose(self, player: str) -> None:
        # If another player has already lost in this turn, we have to say who lost.
        is_first = self.now.player_number in ("", player)
        self.now.player_number = self.now.player_number or player
        self.act("loses", _WRONG_MOVE if is_first else f"{_WRONG_MOVE}: {self.call(player)}")

    def line(self, turn: Turn) -> list[Part]:
        """Summarise a turn in one line. If several players moved, the line has their names."""
        number, clauses = self._together
        if number != turn.turn or not clauses:
            return super().line(turn)
        return joined([*clauses, *self.losses(turn)])

    def state(self, turn: Turn) -> Sequence[Phrase]:
        """Describe the public state after a turn as a person at the terminal sees it."""
        return phrases(parts(self.kind, turn.state or {}, len(self._names)))

    def title(self, turn: Turn) -> str:
        """Return the scores as a heading, after the player's name if only one player moved."""
        return super().title(turn).removeprefix(", ")
