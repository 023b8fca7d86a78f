"""Read a match of Bot Wars turn by turn, for people and scripts (`referee replay`).

No message says how many botlets were lost or how much energy was gathered. We work it out from the
states before and after a turn, if we know both.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from msgspec import Struct, field

from referee.games.botwars.rules.board import COLOURS, Board
from referee.games.botwars.rules.messages import GameInfo, Moves, State, TurnPlayed
from referee.games.botwars.rules.view import after
from referee.games.interface import turns
from referee.games.interface.capabilities import Phrase, Picture, Summary
from referee.games.interface.counts import plural
from referee.games.interface.sentence import Part, Seat, joined

NAMES = ("red", "blue")
_STYLES = {"r": "red", "b": "blue", "*": "yellow", "x": "bold", ".": "dim"}
_LEGEND = "r red, b blue, * energy, x where a botlet died; a cell is row:column"
"""Printed once, below the first grid."""
_WIDE_COLS = 38
"""Wider grids have one character per cell instead of two, to fit into 80 columns."""


class Turn(turns.Turn, kw_only=True):
    """One turn, as printed by `referee replay --format json`. Lists of two are for red and blue.

    Attributes:
        actions: one action per side, whose effects are the state, losses and gains of that side.
        scores: number of botlets.
        played: False if the turn was not carried out, because a player failed in it.
        moves: the moves carried out.
        died: cells where botlets died, ascending.
        lost: number of botlets that died, or null if the state before the turn is unknown.
        spawned: number of botlets that appeared, or null if `lost` is null.
        gathered: energy gathered, or null if `lost` is null.
        energy: unused energy after the turn.
        state: the state after the turn, or null if it's unknown.
    """

    played: bool = False
    moves: Moves = Moves([], [])
    died: list[int] = field(default_factory=list)
    lost: list[int] | None = None
    spawned: list[int] | None = None
    gathered: list[int] | None = None
    energy: list[int] | None = None
    state: State | None = None


class Turns(turns.TurnReader[Turn]):
    """Reads a match of Bot Wars. Each turn is a single message, so there is nothing to collect."""

    turn_type = Turn
    styles: ClassVar[Mapping[str, str]] = {"red": "red", "blue": "blue"}

    def __init__(self, names: Sequence[str]) -> None:
        super().__init__(names)
        self._is_explained = False  # True once the legend has been printed

    def read(self, message: Struct, to: int | None) -> list[Turn]:
        if isinstance(message, GameInfo):
            self._set(Board.empty(message.rows, message.cols).state(message.max_turns, 0))
        if not isinstance(message, TurnPlayed):
            return []
        now, before, state = self.now, self.now.state, message.state
        # In a damaged log, the previous state may be from another turn or even have another size.
        # Comparing it with this state would give nonsense.
        is_next = before is not None and message.turn == now.turn
        if before and is_next and (before.rows, before.cols) == (state.rows, state.cols):
            now.lost, now.spawned, now.gathered = _changes(before, message)
        now.turn, now.moves, now.died, now.played = message.turn, message.moves, message.died, True
        self._set(state)
        for side, name in enumerate(NAMES):
            self.act(name, "", *_describe_side(now, state, side))
        over = self.close()
        self._set(state)  # the next turn begins with this state
        return [over]

    def _set(self, state: State) -> None:
        self.now.state = state
        self.now.scores = [state.grid.count(colour) for colour in COLOURS]
        self.now.energy = [state.p1.energy, state.p2.energy]

    def seats(self, turn: Turn) -> tuple[int, ...]:
        return (0, 1)

    def line(self, turn: Turn) -> list[Part]:
        """Summarise a turn by its losses and gains. If nothing changed, count the moves."""
        changes = {"lost": turn.lost, "spawned": turn.spawned, "gathered": turn.gathered}
        clauses: list[list[Part]] = []
        for side in range(len(NAMES)):
            said = [f"{pair[side]} {what}" for what, pair in changes.items() if pair and pair[side]]
            clauses += [[Seat(side), f" {', '.join(said)}"]] if said else []
        if not clauses and turn.played:
            moved = plural(len(turn.moves.r) + len(turn.moves.b), "botlet")
            clauses.append([f"{moved} moved"])
        return joined([*clauses, *self.losses(turn)])

    def title(self, turn: Turn) -> str:
        return ", ".join(f"{n} {name}" for n, name in zip(turn.scores or (), NAMES, strict=False))

    def words(self, turn: Turn) -> list[Phrase | Picture]:
        # A player failed in this turn, so nobody moved.
        if not turn.played or turn.state is None:
            return [Phrase("", "this turn was not carried out", "bold")]
        parts: list[Phrase | Picture] = [_picture(turn.state)]
        # Print the legend only once, and not for each of a hundred turns.
        if not self._is_explained:
            parts.append(Phrase("grid", _LEGEND, "dim"))
            self._is_explained = True
        parts += super().words(turn)
        cols = turn.state.cols
        for name, moves in zip(NAMES, (turn.moves.r, turn.moves.b), strict=True):
            steps = [f"{place_of(m.from_, cols)} to {place_of(m.to, cols)}" for m in moves]
            parts += [Phrase(f"{name} moves", ", ".join(steps))] if steps else []
        died = [place_of(cell, cols) for cell in turn.died]
        return [*parts, Phrase("died in", ", ".join(died), "bold")] if died else parts

    def in_words(self, action: turns.Action) -> str:
        return ", ".join(action.effects)

    def summary(self, turns: Sequence[Turn]) -> Summary:
        heads = ("botlets", "energy", "moves", "lost", "spawned", "gathered")
        columns = ["turn", *(f"{head} r/b" for head in heads), "notes"]
        rows = []
        sums: list[list[float]] = [[0, 0] for _ in heads]
        for turn in turns:
            moved = [len(turn.moves.r), len(turn.moves.b)]
            pairs: list[Sequence[float] | None] = [
                turn.scores,
                turn.energy,
                moved,
                turn.lost,
                turn.spawned,
                turn.gathered,
            ]
            rows.append([str(turn.turn), *map(_pair, pairs), str(len(turn.notes) or "")])
            # If we don't know a number, add nothing to the total.
            for total, pair in zip(sums, pairs, strict=True):
                total[:] = [sum(both) for both in zip(total, pair or (0, 0), strict=True)]
        notes = str(sum(len(turn.notes) for turn in turns) or "")
        return Summary(columns, rows, [["all", "", "", *map(_pair, sums[2:]), notes]])


def _changes(before: State, played: TurnPlayed) -> tuple[list[int], list[int], list[int]]:
    view = after(before, played)
    spawned = [int(appeared) for appeared in view.spawned]
    sides = (before.p1, view.p1), (before.p2, view.p2)
    energy = [new.energy - old.energy for old, new in sides]
    # Each botlet that appeared has cost one energy, so add this energy again.
    gathered = [more + used for more, used in zip(energy, spawned, strict=True)]
    return [len(cells) for cells in view.died], spawned, gathered


def _picture(state: State) -> Picture:
    cols = max(state.cols, 1)
    lines = [state.grid[start : start + cols] for start in range(0, len(state.grid), cols)]
    # Two characters per cell, so that the grid looks square in a terminal.
    step = 2 if cols <= _WIDE_COLS else 1
    width = len(str(len(lines) - 1))
    tens = ["" if column % 10 else str(column // 10 or "") for column in range(cols)]
    ones = [str(column % 10) for column in range(cols)]
    heads = [line for line in (tens, ones) if any(line)]
    rows = [("", *head) for head in heads]
    rows += [(str(number), *line) for number, line in enumerate(lines)]
    shown = [
        (f"{name:>{width}} " + "".join(f"{cell:{step}}" for cell in line)).rstrip()
        for name, *line in rows
    ]
    edge = width + 1
    dim = [["dim"] * len(row) for row in shown[: len(heads)]]
    styles = [
        ["dim"] * edge + [_STYLES.get(letter, "") for letter in row[edge:]]
        for row in shown[len(heads) :]
    ]
    return Picture(shown, dim + styles)


def _describe_side(turn: Turn, state: State, side: int) -> list[str]:
    moved = len(turn.moves.r if side == 0 else turn.moves.b)
    own = state.p1 if side == 0 else state.p2
    botlets = state.grid.count(COLOURS[side])
    parts = [plural(botlets, "botlet"), f"energy {own.energy}", f"{moved} moved"]
    for what, pair in (("lost", turn.lost), ("spawned", turn.spawned), ("gathered", turn.gathered)):
        if pair and pair[side]:
            parts.append(f"{pair[side]} {what}")
    return [*parts, "spawn point razed"] if own.spawn_disabled else parts


def place_of(cell: int, cols: int) -> str:
    """Format a cell as row:column, counted from 0."""
    row, column = divmod(cell, max(cols, 1))
    return f"{row}:{column}"


def _pair(pair: Sequence[float] | None) -> str:
    return f"{pair[0]}/{pair[1]}" if pair else "?"
