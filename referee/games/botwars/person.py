"""Ask a person for moves in Bot Wars.

A person can move any number of botlets in one turn, so a question offers all possible steps as
choices.
"""

from __future__ import annotations

from msgspec import Struct

from referee.games.botwars.rules.board import COLOURS, neighbours_of
from referee.games.botwars.rules.messages import MoveRequest, State
from referee.games.botwars.turns import NAMES, Turn, Turns, place_of
from referee.games.interface.capabilities import Phrase
from referee.games.interface.dialogue import Choice, Decision, Picks, Question
from referee.games.interface.turns import TurnListener

_HELP = (
    "3:4-up moves the botlet in row 3, column 4, both counted from 0. Both sides move at once; "
    "each botlet may move one step. Those that end in the same cell die.",
    "Of two that are beside each other then, the one with more enemies beside it dies; with "
    "equally many both die. So two win against one.",
    "Energy goes to a side if only that side is beside it; a step onto it destroys it. With "
    "energy, one botlet per turn appears on your free spawn point. A step of the other side "
    "onto your spawn point razes it.",
    "The game ends when a side has no botlet left, or after the last turn: the most botlets win.",
)
_WIDE_COLS = 20
"""Wider grids have one character per cell instead of three, to fit into 80 columns."""


class BotWarsDialogue(TurnListener[Turn]):
    """Implements `referee.games.interface.dialogue.Dialogue` for Bot Wars."""

    reader_type = Turns

    def tell(self, turn: Turn) -> list[str]:
        return [
            f"Turn {turn.turn}: {part.label} {part.text}."
            for part in self._turns.words(turn)
            if isinstance(part, Phrase) and part.label in NAMES
        ]

    def decide(self, request: Struct) -> Decision:
        assert isinstance(request, MoveRequest)  # the only kind of request
        state = request.state
        steps = [
            (cell, to)
            for cell, what in enumerate(state.grid)
            if what == request.player
            for to in neighbours_of(state.rows, state.cols)[cell]
        ]
        # Grids have at least four columns, so the offsets of "up" and "left" always differ.
        ways = {-state.cols: "up", -1: "left", 1: "right", state.cols: "down"}
        names = [f"{place_of(cell, state.cols)}-{ways[to - cell]}" for cell, to in steps]

        def check(picks: Picks) -> str:
            # Only duplicates have to be checked. All choices on the list are possible steps.
            starts = [steps[pick][0] for pick in picks]
            twice = [cell for cell in starts if starts.count(cell) > 1]
            return f"{place_of(twice[0], state.cols)} is moved twice" if twice else ""

        picks: Picks = ()
        # If no botlet can move, there is nothing to ask.
        if steps:
            picks = yield Question(
                "Which moves do you send?",
                [Choice(name, verb="move", thing=name.replace("-", " ")) for name in names],
                title=f"Turn {state.turns_elapsed + 1} of {state.max_turns}: you are "
                f"{NAMES[self._seat]} ({COLOURS[self._seat]})",
                state=_picture(state),
                least=0,
                most=len(steps),
                enter="send no moves",
                check=check,
                help=_HELP,
                targets=[(cell, ways[to - cell]) for cell, to in steps],
            )
        moves = [{"from": steps[pick][0], "to": steps[pick][1]} for pick in picks]
        return {"type": "move-reply", "moves": moves}


def _picture(state: State) -> list[Phrase]:
    cols = state.cols
    rows = [state.grid[start : start + cols] for start in range(0, len(state.grid), cols)]
    wide = cols <= _WIDE_COLS
    # In a narrow picture, there is only room for the last digit of a column number.
    heads = "".join(f"{column:<3}" if wide else str(column % 10) for column in range(cols))
    spawns = [
        f"{name} {place_of(side.spawn, state.cols)}{' (razed)' if side.spawn_disabled else ''}"
        for name, side in zip(NAMES, (state.p1, state.p2), strict=True)
    ]
    return [
        Phrase("", heads.rstrip(), "dim"),
        *(Phrase(str(row), ("  " if wide else "").join(cells)) for row, cells in enumerate(rows)),
        Phrase("spawn", ", ".join(spawns)),
    ]
