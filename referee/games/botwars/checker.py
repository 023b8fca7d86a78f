"""What a spectator can check of a game of Bot Wars: everything but the draw of the energy's place.

Nothing is hidden, so each turn is played again from the state before it. Where the log departs from
the rules it is believed from there on, so that one mistake is found once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from referee.games.botwars.rules.board import COLOURS, Board, is_sound, played_again
from referee.games.botwars.rules.game import ELIMINATED
from referee.games.botwars.rules.messages import MAX_SIZE, MIN_SIZE, GameInfo, State, TurnPlayed
from referee.games.botwars.rules.moves import BAD_FORMAT
from referee.games.interface.capabilities import Finding
from referee.games.interface.faults import Termination
from referee.games.interface.seats import seat_id


class Checker:
    """Implements `referee.games.interface.capabilities.LogChecker` for Bot Wars.

    Args:
        names: the players' names, in seat order.
    """

    def __init__(self, names: Sequence[str]) -> None:
        self._names = list(names)
        self._info: GameInfo | None = None
        self._board: Board | None = None
        self._elapsed = 0
        self._max_turns: int | None = None
        self._disqualified: set[int] = set()

    def read(self, line: int, message: Struct) -> list[Finding]:
        """Read one of the game's public messages."""
        if isinstance(message, GameInfo):
            return list(self._begin(line, message))
        assert isinstance(message, TurnPlayed)  # the decoder knows no other
        return list(self._turn(line, message))

    def disqualify(self, line: int, seat: int, code: str) -> list[Finding]:
        """Read the disqualification of a seat."""
        if seat in self._disqualified:
            expected = f"one player-disqualified of {seat_id(seat)}"
            return [Finding(line, "2.6", expected, "another one")]
        self._disqualified.add(seat)
        return self._too_late(line, "player-disqualified")

    def end(
        self, line: int, scores: Sequence[int], winners: Sequence[str], reason: str
    ) -> list[Finding]:
        """Read the end of the match."""
        findings = [] if self._info else [Finding(line, "2.3", "a game-info first", "game-end")]
        due = self._due_reasons()
        if reason not in due:
            expected = " or ".join(due)
            findings.append(Finding(line, "4.4", f"the reason {expected}", reason))
        if self._board is not None:
            ours = [len(side) for side in self._board.botlets]
            if list(scores) != ours:
                expected = f"the scores {_listed(ours)}"
                findings.append(Finding(line, "4.5", expected, _listed(scores)))
        possible = self._possible_winners(reason)
        if list(winners) not in possible:
            expected = " or ".join(_listed(some) or "nobody" for some in possible)
            findings.append(
                Finding(line, "4.5", f"the winners {expected}", _listed(winners) or "nobody")
            )
        return findings

    # --- messages -----------------------------------------------------------------------------

    def _begin(self, line: int, info: GameInfo) -> Iterator[Finding]:
        if self._info is not None or self._board is not None:
            yield Finding(line, "2.3", "one game-info, right after the names", "another one")
            return
        self._info = info
        self._max_turns = info.max_turns
        if info.player_bot_names != self._names:
            expected = "the names of player-name as `player_bot_names`"
            yield Finding(line, "2.3", expected, "other names")
        if all(MIN_SIZE <= size <= MAX_SIZE for size in (info.rows, info.cols)):
            self._board = Board.empty(info.rows, info.cols)
        else:
            expected = f"{MIN_SIZE} to {MAX_SIZE} rows and columns"
            yield Finding(line, "2.3", expected, f"{info.rows} rows, {info.cols} columns")

    def _turn(self, line: int, played: TurnPlayed) -> Iterator[Finding]:
        state = played.state
        yield from self._too_late(line, "turn-played")
        follows = self._info is not None and played.turn == self._elapsed + 1
        if self._info is None:
            yield Finding(line, "2.3", "a game-info first", "turn-played")
        elif self._disqualified:
            yield Finding(line, "8.3", "no turn after a player-disqualified", "turn-played")
        elif not follows:
            yield Finding(line, "2.5", f"turn {self._elapsed + 1}", f"turn {played.turn}")
        sound = is_sound(state)
        board = self._board
        if not sound:
            expected = "a grid of `rows` * `cols` cells, and spawn points in it"
            yield Finding(line, "4.1", expected, "another one")
        elif board is not None and (board.rows, board.cols) != (state.rows, state.cols):
            expected = f"{board.rows} rows and {board.cols} columns"
            yield Finding(line, "4.1", expected, f"{state.rows} and {state.cols}")
        elif board is not None and follows:
            yield from self._replay(line, board, played)
        if sound:
            self._board = Board(state)
        self._elapsed = played.turn
        self._max_turns = state.max_turns

    def _replay(self, line: int, board: Board, played: TurnPlayed) -> Iterator[Finding]:
        """Play the turn on the board, and compare."""
        happened, problems = played_again(board, played.moves)
        for colour, problem in zip(COLOURS, problems, strict=True):
            if problem:
                yield Finding(line, "5.2", f"moves of {colour} that can be made", problem)
        if happened.died != played.died:
            expected = f"`died`: {_listed(happened.died) or 'none'}"
            yield Finding(line, "4.3", expected, _listed(played.died) or "none")
        state = played.state
        for name, right in _fields(board.state(self._max_turns or 1, self._elapsed + 1)).items():
            found = _fields(state)[name]
            if found != right:
                yield Finding(line, "4.3", f"`{name}` {right} in the state", found)
        yield from self._compare_grids(line, board, state)

    def _compare_grids(self, line: int, board: Board, state: State) -> Iterator[Finding]:
        """Compare with the grid as it is before new energy (4.3, step 6)."""
        grid = board.state(1, 0).grid
        other = [cell for cell, what in enumerate(grid) if what != state.grid[cell]]
        assert self._info is not None  # without it nothing is played again
        every = self._info.energy_every
        free = board.free_pairs()
        drawn = (
            len(other) == 2
            and other[0] in free
            and sum(other) == len(grid) - 1
            and all(state.grid[cell] == "*" for cell in other)
        )
        due = every > 0 and self._elapsed % every == 0 and bool(free)
        if due and not other:
            yield Finding(line, "4.3", "new energy in this turn", "none")
        elif drawn and not due:
            yield Finding(line, "4.3", "no new energy in this turn", f"it is on {_listed(other)}")
        elif other and not drawn:
            # What is neither ours nor new energy says more than what may be.
            wrong = [cell for cell in other if state.grid[cell] != "*"] or other
            cell = wrong[0]
            row, column = divmod(cell, state.cols)
            more = f", and {len(wrong) - 1} more other cells" if len(wrong) > 1 else ""
            expected = f"`{grid[cell]}` in cell {cell} (row {row}, column {column})"
            yield Finding(line, "4.3", expected, f"`{state.grid[cell]}`{more}")

    # --- the end ------------------------------------------------------------------------------

    def _over(self) -> str | None:
        """Why the game is over after the last turn, if it is (4.4)."""
        if not self._elapsed or self._board is None:
            return None
        if not all(self._board.botlets):
            return ELIMINATED
        if self._max_turns is not None and self._elapsed >= self._max_turns:
            return Termination.TURN_LIMIT
        return None

    def _too_late(self, line: int, what: str) -> list[Finding]:
        over = self._over()
        return [Finding(line, "4.4", f"game-end: {over}", what)] if over else []

    def _due_reasons(self) -> list[str]:
        """The reasons for which it can have ended here."""
        over = self._over()
        if over:
            return [over]
        if len(self._disqualified) > 1:
            return [Termination.NO_PLAYERS]
        # A reply of the wrong format is not announced.
        return (
            [Termination.LAST_PLAYER_STANDING, Termination.NO_PLAYERS]
            if self._disqualified
            else [BAD_FORMAT]
        )

    def _possible_winners(self, reason: str) -> list[list[str]]:
        both = [seat_id(seat) for seat in range(len(COLOURS))]
        if reason == Termination.NO_PLAYERS:
            return [[]]
        if reason == Termination.LAST_PLAYER_STANDING:
            return [
                [seat_id(seat)] for seat in range(len(COLOURS)) if seat not in self._disqualified
            ]
        if reason == BAD_FORMAT or self._board is None:
            return [[both[0]], [both[1]], both]
        red, blue = map(len, self._board.botlets)
        if red == blue:
            return [both]
        return [[both[red < blue]]]


def _fields(state: State) -> dict[str, str]:
    """The fields of a state but its size and its grid, as JSON."""
    fields: dict[str, object] = {"maxTurns": state.max_turns, "turnsElapsed": state.turns_elapsed}
    for name, side in (("p1", state.p1), ("p2", state.p2)):
        fields[f"{name}.energy"] = side.energy
        fields[f"{name}.spawn"] = side.spawn
        fields[f"{name}.spawnDisabled"] = side.spawn_disabled
    return {name: str(value).lower() for name, value in fields.items()}


def _listed(values: Sequence[object]) -> str:
    return ", ".join(map(str, values))
