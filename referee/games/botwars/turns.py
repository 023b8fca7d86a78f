"""A match of Bot Wars turn by turn, for people and scripts (`referee replay`).

A turn is known when it is played; faults before that are its own. What cannot be told without the
turn before it, such as who gathered, is only told where the log has that turn.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from referee.games.botwars.rules.board import COLOURS, Board, Happened, is_sound, played_again
from referee.games.botwars.rules.messages import GameInfo, Move, Moves, State, TurnPlayed
from referee.games.interface.capabilities import Kept, Phrase, Picture, Summary
from referee.games.interface.faults import Fault
from referee.games.interface.seats import seat_id

NAMES = ("red", "blue")
_STYLES = {"r": "red", "b": "blue", "*": "yellow", "x": "bold", ".": "dim"}
_LEGEND = "r red, b blue, * energy, x where a botlet died"
"""Shown once, with the first grid."""
_WIDE_COLS = 38
"""A wider grid has one character a cell, not two: it would not fit 80 columns."""


class Turn(Struct, frozen=True):
    """One turn; a line of `referee replay --format json`. Lists of two are red's and blue's.

    Attributes:
        turn: counted from 1.
        played: false for a turn that was not carried out, since somebody failed in it.
        moves: that were carried out.
        died: the cells where botlets died, ascending.
        lost: botlets that died; null where the turn before is not known, and so are the next two.
        spawned: botlets that appeared.
        gathered: energy gathered.
        botlets: after the turn; they are the scores.
        energy: gathered and not used, after the turn.
        notes: faults and disqualifications: the player, and a sentence; the first 1,000.
        state: after the turn; null if no turn is known.
    """

    turn: int
    played: bool
    moves: Moves
    died: list[int]
    lost: list[int] | None
    spawned: list[int] | None
    gathered: list[int] | None
    botlets: list[int]
    energy: list[int]
    notes: list[str]
    state: State | None


class Turns:
    """Implements `referee.games.interface.capabilities.TurnReader` for Bot Wars.

    Args:
        names: the players' names, in seat order.
    """

    def __init__(self, names: Sequence[str]) -> None:
        self._names = list(names)
        self._number = 0
        self._board: Board | None = None
        self._state: State | None = None
        self._notes: Kept[str] = Kept()
        self._explained = False  # what stands in the grid

    def read(self, message: Struct, to: int | None) -> list[Turn]:
        """Read a message; returns the turn that it tells of."""
        if isinstance(message, GameInfo) and min(message.rows, message.cols) > 1:
            self._board = Board.empty(message.rows, message.cols)
        if not isinstance(message, TurnPlayed):
            return []
        state = message.state
        sound = is_sound(state)
        happened = self._happened(message) if sound else None
        self._number = message.turn
        self._state = state
        self._board = Board(state) if sound else None
        return [self._turn(message.moves, message.died, happened, played=True)]

    def fault(self, fault: Fault) -> list[Turn]:
        """Read a fault, which a record tells of."""
        text = f"{fault.code} ({fault.section}): {fault.detail}"
        self._notes.append(f"{seat_id(fault.seat)}: {text}")
        return []

    def disqualify(self, seat: int, text: str) -> list[Turn]:
        """Read the disqualification of a seat."""
        self._notes.append(f"{seat_id(seat)}: disqualified: {text}")
        return []

    def end(self) -> list[Turn]:
        """Read the end; returns the turn in which somebody failed, if there is one."""
        if not self._notes:
            return []
        self._number += 1
        return [self._turn(Moves([], []), [], None, played=False)]

    def seats(self, turn: Turn) -> tuple[int, ...]:
        """Both: they move at once."""
        return (0, 1)

    def title(self, turn: Turn) -> str:
        """How many botlets there are."""
        red, blue = turn.botlets
        return f"{red} red, {blue} blue"

    def show(self, turn: Turn) -> list[Phrase | Picture]:
        """The grid, and what each side has done."""
        parts: list[Phrase | Picture] = []
        if not turn.played:
            parts.append(Phrase("", "this turn was not carried out", "bold"))
        elif turn.state is not None:
            parts.append(_picture(turn.state))
            if not self._explained:
                parts.append(Phrase("grid", _LEGEND, "dim"))
                self._explained = True
        if turn.played:
            for side, name in enumerate(NAMES):
                parts.append(Phrase(name, account(turn, side), _STYLES[COLOURS[side]]))
            for name, moves in zip(NAMES, (turn.moves.r, turn.moves.b), strict=True):
                if moves:
                    parts.append(Phrase(f"{name} moves", _listed(moves)))
            if turn.died:
                parts.append(Phrase("died in", ", ".join(map(str, turn.died)), "bold"))
        parts += [Phrase("note", note, "yellow") for note in turn.notes]
        return parts

    def summary(self, turns: Sequence[Turn]) -> Summary:
        """Each turn as a row: botlets, energy, moves and losses of both sides."""
        heads = ("botlets", "energy", "moves", "lost", "spawned", "gathered")
        columns = ["turn", *(f"{head} r/b" for head in heads), "notes"]
        rows = [[str(turn.turn), *_pairs(turn), str(len(turn.notes) or "")] for turn in turns]
        sums = []
        for field in ("lost", "spawned", "gathered"):
            known = [getattr(turn, field) or [0, 0] for turn in turns]
            sums.append(_pair([sum(pair[side] for pair in known) for side in (0, 1)]))
        moves = [sum(len(getattr(turn.moves, colour)) for turn in turns) for colour in COLOURS]
        notes = str(sum(len(turn.notes) for turn in turns) or "")
        totals = [["all", "", "", _pair(moves), *sums, notes]]
        return Summary(columns, rows, totals)

    def _turn(
        self, moves: Moves, died: list[int], happened: Happened | None, *, played: bool
    ) -> Turn:
        state = self._state
        notes, self._notes = self._notes, Kept()
        more = [f"{notes.left_out} more were left out"] if notes.left_out else []
        return Turn(
            turn=self._number,
            played=played,
            moves=moves,
            died=died,
            lost=None if happened is None else list(happened.lost),
            spawned=None if happened is None else list(happened.spawned),
            gathered=None if happened is None else list(happened.gathered),
            botlets=[0 if state is None else state.grid.count(colour) for colour in COLOURS],
            energy=[0, 0] if state is None else [state.p1.energy, state.p2.energy],
            notes=[*notes, *more],
            state=state,
        )

    def _happened(self, message: TurnPlayed) -> Happened | None:
        """What the turn has done, from the turn before."""
        board, state = self._board, message.state
        if (
            board is None
            or message.turn != self._number + 1
            or (board.rows, board.cols) != (state.rows, state.cols)
        ):
            return None
        return played_again(board, message.moves)[0]


def _picture(state: State) -> Picture:
    """The grid, a cell two characters wide, so that it is about as wide as it is tall."""
    cols = max(state.cols, 1)
    lines = [state.grid[start : start + cols] for start in range(0, len(state.grid), cols)]
    wide = cols <= _WIDE_COLS
    rows = ["".join(f"{cell} " for cell in line).rstrip() if wide else line for line in lines]
    return Picture(rows, [[_STYLES.get(letter, "") for letter in row] for row in rows])


def account(turn: Turn, side: int) -> str:
    """What a side has, and what became of it in the turn."""
    moved = len(turn.moves.r if side == 0 else turn.moves.b)
    botlets = turn.botlets[side]
    count = "1 botlet" if botlets == 1 else f"{botlets} botlets"
    parts = [count, f"energy {turn.energy[side]}", f"{moved} moved"]
    for what, pair in (("lost", turn.lost), ("spawned", turn.spawned), ("gathered", turn.gathered)):
        if pair and pair[side]:
            parts.append(f"{pair[side]} {what}")
    if turn.state is not None:
        owner = turn.state.p1 if side == 0 else turn.state.p2
        if owner.spawn_disabled:
            parts.append("spawn point razed")
    return ", ".join(parts)


def _listed(moves: Sequence[Move]) -> str:
    return ", ".join(f"{move.from_} to {move.to}" for move in moves)


def _pairs(turn: Turn) -> list[str]:
    moves = [len(turn.moves.r), len(turn.moves.b)]
    known = (turn.lost, turn.spawned, turn.gathered)
    pairs = [turn.botlets, turn.energy, moves, *known]
    return [_pair(pair) if pair is not None else "?" for pair in pairs]


def _pair(pair: Sequence[int]) -> str:
    return f"{pair[0]}/{pair[1]}"
