"""The game of Bot Wars, in which both sides move simultaneously (protocol, 4).

Both bots get one request per turn and reply to it, and that's all. Unlike Dominion, this game
therefore doesn't need a generator: `advance` plays one turn.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from msgspec import Meta, Struct, ValidationError
from msgspec.structs import asdict, replace

from referee.games.botwars.rules import messages as say
from referee.games.botwars.rules import moves
from referee.games.botwars.rules.board import COLOURS, Board
from referee.games.botwars.rules.view import View, after, begun
from referee.games.interface import game as interface
from referee.games.interface.data import about
from referee.games.interface.faults import EndReason, Fault
from referee.games.interface.game import LEFT, GameSetup, Outcome, Request, SeatState, ranks
from referee.games.interface.random_source import RandomSource
from referee.games.interface.table import copied

ELIMINATED = "eliminated"
REASONS = {
    ELIMINATED: "{loser} lost all botlets",
    moves.BAD_FORMAT: "{loser} sent a reply of the wrong format",
}
ENERGY_STREAM = "energy"


class Options(Struct, frozen=True):
    """The options of a game.

    Attributes:
        rows, cols: size of the grid.
        max_turns: number of turns after which the game ends (4.4).
        energy_every: number of turns between new energy (4.3), or 0 if none appears.
    """

    rows: say.Size = 20
    cols: say.Size = 20
    max_turns: Annotated[int, Meta(ge=1, le=10_000)] = 100
    energy_every: Annotated[int, Meta(ge=0, le=10_000)] = 3


class Facts(Struct):
    """More facts about a seat. The number of botlets isn't here, because that's the score."""

    energy: Annotated[int, about("Unused energy at the end.")]
    gathered: Annotated[int, about("Gathered energy.")]
    spawned: Annotated[int, about("Number of spawned botlets.")]
    lost: Annotated[int, about("Number of lost botlets.")]
    moves: Annotated[int, about("Number of moves carried out.")]
    ignored_moves: Annotated[int, about("Number of ignored moves (5.2).")]
    spawn_disabled: Annotated[bool, about("True if its spawn point was razed.")]


class Situation(Struct, frozen=True, forbid_unknown_fields=True):
    """A state from which a game can begin. The grid must be as large as the options say."""

    grid: str | list[str]  # one string as in `State`, or one string per row
    energy: tuple[Annotated[int, Meta(ge=0)], Annotated[int, Meta(ge=0)]] = (0, 0)
    disabled: tuple[bool, bool] = (False, False)  # for each side, True if its spawn point is razed
    turns_elapsed: Annotated[int, Meta(ge=0)] = 0


class BotWars:
    """One game of Bot Wars. Implements `referee.games.interface.game.Game`."""

    def __init__(self, setup: GameSetup, situation: Situation | None = None) -> None:
        options: Options = setup.options
        self.requests: tuple[Request, ...] = ()
        self.outcome: Outcome | None = None
        self.board = Board.empty(options.rows, options.cols)
        self._options = options
        self._chance: RandomSource = setup.chance
        self._elapsed = 0
        self.turns = 0
        self._facts = [Facts(0, 0, 0, 0, 0, 0, False) for _ in COLOURS]
        if situation is not None:
            self.board = _laid_out(situation, self.board)
            self._elapsed = situation.turns_elapsed
        self._state = self.board.state(options.max_turns, self._elapsed)
        self._view: View | None = None
        # The last turn and the state before it. The view needs both.
        self._last: tuple[say.State, say.TurnPlayed] | None = None
        info = say.GameInfo(**asdict(options), player_bot_names=list(setup.names))
        self._events: list[Struct] = [info]
        if setup.absent:
            self._end_by_failure(left=setup.absent, bad=frozenset())
        else:
            self._ask()

    def advance(self, replies: Mapping[int, object]) -> None:
        self.requests = ()
        left = frozenset(seat for seat, reply in replies.items() if reply is LEFT)
        bad = set()
        # Sorted, so that the order of faults doesn't depend on which bot was faster.
        for seat in sorted(replies.keys() - left):
            problem = moves.bad_format(replies[seat])
            if problem:
                self._fault(seat, moves.BAD_FORMAT, problem)
                bad.add(seat)
        if left or bad:
            self._end_by_failure(left=left, bad=frozenset(bad))
            return
        self._play(replies)
        reason = self._end_reason()
        if reason is None:
            self._ask()
        else:
            self.outcome = Outcome(reason, ranks([-len(side) for side in self.board.botlets]))

    def take_events(self) -> list[Struct]:
        events = self._events
        self._events = []
        return events

    def standings(self) -> list[SeatState]:
        board, found = self.board, []
        for side, facts in enumerate(self._facts):
            energy, disabled = board.stores[side], board.disabled[side]
            now = replace(facts, energy=energy, spawn_disabled=disabled)
            found.append(SeatState(len(board.botlets[side]), self.turns, now))
        return found

    def view(self, viewer: interface.Viewer) -> View:
        """Return the view, which is the same for all viewers, since the game hides nothing."""
        if self._view is None:  # Create it at most once per turn, and only if it is needed.
            self._view = begun(self._state) if self._last is None else after(*self._last)
        return self._view

    def copy(self, chance: RandomSource) -> BotWars:
        red, blue = self.board.botlets
        board = copied(self.board, botlets=(red.copy(), blue.copy()))
        facts = [replace(each) for each in self._facts]
        return copied(self, board=board, _facts=facts, _chance=chance)

    def redeal(self, seats: Sequence[int], chance: RandomSource) -> None:
        """Do nothing, because this game hides nothing."""

    def _fault(self, seat: int, code: str, detail: str) -> None:
        self._events.append(Fault(seat, code, moves.SECTIONS[code], detail))

    def _ask(self) -> None:
        self.turns += 1
        self.requests = tuple(
            Request(seat, say.MoveRequest(colour, self._state))
            for seat, colour in enumerate(COLOURS)
        )

    def _play(self, replies: Mapping[int, Any]) -> None:
        board = self.board
        targets = []
        for side, facts in enumerate(self._facts):
            reply: say.MoveReply = replies[side]
            own = board.botlets[side]
            made, ignored, first = moves.carried_out(reply.moves, own, board.neighbours)  # type: ignore[arg-type]
            targets.append(made)
            facts.moves += len(made)
            facts.ignored_moves += ignored
            if ignored:  # All ignored moves of a reply are one fault (1.9).
                what = "1 move is" if ignored == 1 else f"{ignored} moves are"
                self._fault(side, moves.IGNORED_MOVE, f"{what} ignored; {first}")
        happened = board.play(targets)
        every = self._options.energy_every
        if every and self._elapsed % every == 0:
            cells = board.free_pairs()
            if cells:
                board.add_energy(cells[self._chance.choose(ENERGY_STREAM, len(cells))])
        self._elapsed += 1
        before, self._state = self._state, board.state(self._options.max_turns, self._elapsed)
        for side, facts in enumerate(self._facts):
            facts.lost += happened.lost[side]
            facts.spawned += happened.spawned[side]
            facts.gathered += happened.gathered[side]
        lists = [[say.Move(*step) for step in made.items()] for made in targets]
        played = say.TurnPlayed(self._elapsed, say.Moves(*lists), happened.died, self._state)
        self._last = before, played
        self._view = None
        self._events.append(played)

    def _end_reason(self) -> str | None:
        if not all(self.board.botlets):
            return ELIMINATED
        return EndReason.TURN_LIMIT if self._elapsed >= self._options.max_turns else None

    def _end_by_failure(self, *, left: frozenset[int], bad: frozenset[int]) -> None:
        """End the game because seats left or sent replies of the wrong format (5.3, 8.3)."""
        lost = left | bad
        reason: str = EndReason.LAST_PLAYER_STANDING if len(lost) == 1 else EndReason.NO_PLAYERS
        if not left:
            reason = moves.BAD_FORMAT
        self.outcome = Outcome(reason, ranks([seat in lost for seat in range(len(COLOURS))]))


begin_at = interface.beginning_at(BotWars, Situation)


def simplest_reply(request: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the simplest legal reply: an empty list of moves."""
    return {"type": "move-reply", "moves": []}


def _laid_out(situation: Situation, board: Board) -> Board:
    """Create the board that a situation describes.

    Raises:
        ValidationError: the grid doesn't have the size that the options say, or contains
            unknown characters.
    """
    rows, cols = board.rows, board.cols
    grid = situation.grid if isinstance(situation.grid, str) else "".join(situation.grid)
    if len(grid) != rows * cols or set(grid) - set("rbx*."):
        raise ValidationError(f"the grid is not one of {rows} rows and {cols} columns")
    board.stores = list(situation.energy)
    board.disabled = list(situation.disabled)
    plain = board.state(1, 0)
    return Board(say.State(rows, cols, plain.p1, plain.p2, grid, 1, 0))
