"""Simulates moves for the library, which would normally ask the engine to do this.

To simulate a move, we copy the table, shuffle the cards that the active player doesn't know, and
let the referee's rules carry out the move on the copy. The original state doesn't change. The two
states share all cards except agents in play.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from itertools import chain, combinations, count
from typing import Any

from msgspec import to_builtins

from referee.games.interface.faults import EndReason
from referee.games.tribute.classic import NOBODY, ClassicIndex, reason_of
from referee.games.tribute.rules import turn
from referee.games.tribute.rules.cards import Card
from referee.games.tribute.rules.chance import TAVERN, Generator
from referee.games.tribute.rules.messages import Acted, Event
from referee.games.tribute.rules.table import PLAYERS, Choice, Table, copy_of
from referee.games.tribute.sot import shown
from referee.games.tribute.sot.knowledge import Json
from referee.games.tribute.sot.shown import Asked, Fields

_PROCESS = os.urandom(6).hex()
_states = count()


class State:
    """A game state and its legal moves.

    Attributes:
        completed: the actions that were completed in the match.
        news: the actions that were completed in simulations after that.
        end: winner, reason and context, or () if the game isn't over.
    """

    # No two moves in this process have the same id. If a bot applies a move to the wrong state, we
    # notice it.
    _next_move = 1

    def __init__(
        self, table: Table, asked: Asked, completed: list[str], news: Any = (), end: Any = ()
    ) -> None:
        self.table, self.asked, self.completed = table, asked, completed
        self.news, self.end = news, end
        self.id = f"{_PROCESS}-{next(_states)}"
        self.decisions: Sequence[Any] = range(len(asked) if isinstance(asked, list) else 2)
        if isinstance(asked, Choice) and asked.effects is None:
            places = range(len(asked.cards))
            sizes = range(asked.least, min(asked.most, len(places)) + 1)
            self.decisions = [*chain.from_iterable(combinations(places, size) for size in sizes)]
        self.count = len(self.decisions)
        self._first = State._next_move
        State._next_move += self.count

    def place_of(self, move_id: Any) -> int | None:
        """Return the index of a move, or None if it isn't a move of this state."""
        place = move_id - self._first if isinstance(move_id, int) else -1
        return place if 0 <= place < self.count else None

    def moves(self) -> list[Fields]:
        return shown.moves(self.asked, self.decisions, self._first)

    def shown(self, *, is_seeded: bool) -> Fields:
        about = {"state_id": self.id, "completed_actions": [*self.completed, *self.news]}
        end = shown.end(*self.end or ("", "", ""))
        return shown.state(self.table, self.asked, is_seeded, end_game_state=end, **about)


class Engine:
    """Applies moves to the states of one match. The library uses it as its client of the engine."""

    def __init__(self, info: Json) -> None:
        self._limits = info["max_turns"], info["max_actions"]
        self._story = ClassicIndex(0, 0, "")
        self._story.observe(info)
        self._states: dict[str, State] = {}

    def keep(self, state: State) -> State:
        """Remember a state, so that the bot can apply moves to it later in the match."""
        self._states[state.id] = state
        return state

    def ApplyMove(self, request: Any) -> Fields:  # noqa: N802 - the library's name
        """Apply a move to a state, and return the new state with its moves.

        Raises:
            ValueError: the state is unknown, or the move doesn't belong to it.
        """
        state, id = self._states.get(request.state_id), request.move.id
        if state is None:
            raise ValueError(f"there is no state {request.state_id} in this match")
        place = state.place_of(id)
        if place is None:
            raise ValueError(f"move_id {id} is not one of the {state.count} moves of this state")
        made = self._applied(state, place, request.seed)
        return Fields(gameState=made.shown(is_seeded=True), possibleMoves=made.moves())

    def ReleaseState(self, request: Any) -> None:  # noqa: N802 - the library's name
        self._states.pop(request.id, None)

    def _applied(self, state: State, place: int, seed: int) -> State:
        table, asked = copy_of(state.table, state.asked)
        scramble(table, seed)
        end: tuple[str, ...] = ()
        script = turn.resume(table, asked if isinstance(asked, Choice) else None, *self._limits)
        # resume() starts by asking again what this state has asked, and we answer that below.
        next(script)
        try:
            asked = script.send(state.decisions[place])
        except StopIteration as ended:
            reason, winner = ended.value
            end = NOBODY if winner is None else winner.number.upper(), reason_of(reason), ""
            asked = []
            # When the game is over, the engine has usually passed the turn to the other player
            # already, so we do the same. At the turn limit, it doesn't.
            if reason != EndReason.TURN_LIMIT:
                table.me, table.other = table.other, table.me
        self._story.completed = [*state.news]
        if isinstance(state.asked, list) and isinstance(card := state.asked[place][1], Card):
            self._story.learn([to_builtins(card.ref)])
        # The engine adds the actions and events of a simulation to the list of completed actions.
        for event in table.events:
            if isinstance(event, Acted | Event):
                self._story.observe(to_builtins(event))
        # A bot that searches keeps many states, so drop the data that we don't need again.
        table.events, table.generators = [], {}
        return self.keep(State(table, asked, state.completed, self._story.completed, end))


def scramble(table: Table, seed: int) -> None:
    """Shuffle all cards whose place the active player doesn't know.

    We shuffle one pile after the other, in the same order as the engine. All further random numbers
    in this table come from the same seed.
    """
    generator, me, other = Generator(seed), table.me, table.other
    hidden = me.draw_pile[me.known :]
    cards, size = other.hand + other.draw_pile, len(other.hand)
    for pile in (me.cooldown, hidden, other.cooldown, cards, table.deck):
        generator.shuffle(pile)
    me.draw_pile[me.known :] = hidden
    other.hand, other.draw_pile, other.known = cards[:size], cards[size:], 0
    table.generators = dict.fromkeys((TAVERN, *PLAYERS), generator)
