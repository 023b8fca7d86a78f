"""Simulations for the library, which asks an engine to apply moves to states.

The rules of the referee carry out the moves. States never change. A simulation copies the table,
shuffles the cards that the player on turn doesn't know, and carries out one move. States share all
cards except agents in play, which have hit points.
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
    """A position and its moves. `news` has the completed actions of simulations."""

    # Ids are unique in the process, so a move of another state can't be mistaken for a move of this
    # state.
    _next_move = 1

    def __init__(
        self, table: Table, asked: Asked, completed: list[str], news: Any = (), end: Any = ()
    ) -> None:
        self.table, self.asked, self.completed = table, asked, completed
        self.news, self.end = news, end  # end: winner, reason and context; empty during the game
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
        """Return the index of a move of this state, or None."""
        place = move_id - self._first if isinstance(move_id, int) else -1
        return place if 0 <= place < self.count else None

    def moves(self) -> list[Fields]:
        return shown.moves(self.asked, self.decisions, self._first)

    def shown(self, *, is_seeded: bool) -> Fields:
        about = {"state_id": self.id, "completed_actions": [*self.completed, *self.news]}
        end = shown.end(*self.end or ("", "", ""))
        return shown.state(self.table, self.asked, is_seeded, end_game_state=end, **about)


class Engine:
    """Applies moves to states of one match, in place of the library's client of the engine."""

    def __init__(self, info: Json) -> None:
        self._limits = info["max_turns"], info["max_actions"]
        self._story = ClassicIndex(0, 0, "")
        self._story.observe(info)
        self._states: dict[str, State] = {}

    def keep(self, state: State) -> State:
        """Remember a state until the match is over, so that moves can be applied to it."""
        self._states[state.id] = state
        return state

    def ApplyMove(self, request: Any) -> Fields:  # noqa: N802 - the library's name
        """Apply a move to a state. Request and result have the library's format."""
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
        # resume() first yields the question that the state already has.
        next(script)
        try:
            asked = script.send(state.decisions[place])
        except StopIteration as ended:
            reason, winner = ended.value
            end = NOBODY if winner is None else winner.number.upper(), reason_of(reason), ""
            asked = []
            # Unless the turn limit ended the game, the engine has already switched the players, so
            # do the same.
            if reason != EndReason.TURN_LIMIT:
                table.me, table.other = table.other, table.me
        self._story.completed = [*state.news]
        if isinstance(state.asked, list) and isinstance(card := state.asked[place][1], Card):
            self._story.learn([to_builtins(card.ref)])
        # The engine also lists the events of a simulation, after the events of the match, so
        # translate them as well.
        for event in table.events:
            if isinstance(event, Acted | Event):
                self._story.observe(to_builtins(event))
        # A search keeps many states, so drop everything that we can compute again.
        table.events, table.generators = [], {}
        return self.keep(State(table, asked, state.completed, self._story.completed, end))


def scramble(table: Table, seed: int) -> None:
    """Shuffle the cards that the player on turn doesn't know, pile by pile in the engine's order.

    The seed also determines all later random numbers.
    """
    generator, me, other = Generator(seed), table.me, table.other
    hidden = me.draw_pile[me.known :]
    cards, size = other.hand + other.draw_pile, len(other.hand)
    for pile in (me.cooldown, hidden, other.cooldown, cards, table.deck):
        generator.shuffle(pile)
    me.draw_pile[me.known :] = hidden
    other.hand, other.draw_pile, other.known = cards[:size], cards[size:], 0
    table.generators = dict.fromkeys((TAVERN, *PLAYERS), generator)
