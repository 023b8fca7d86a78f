"""A match for programs that learn: actions in, observations and rewards out. Pure, as the rules.

The match is the one that `referee play` plays with the same seed, options and replies.
"""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import TYPE_CHECKING, Any, TypeAlias

from msgspec import Struct

from referee.errors import InternalError, UsageError
from referee.match_spec import DRAWN_SEEDS, match_spec
from referee.seam.chance import SeededChance
from referee.seam.environment import Environment, Translator
from referee.seam.faults import Fault
from referee.seam.game import Game, Outcome, Setup
from referee.seam.rules import Rules
from referee.seam.seats import seat_id

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


Observation: TypeAlias = "NDArray[np.int32] | dict[str, NDArray[Any]]"
"""Numbers; with "action_mask" beside "observation" where not every action is legal."""


def observation_of(player: Translator) -> Observation:
    """What a policy is given for a seat."""
    numbers, legal = player.observe(), player.legal()
    return numbers if legal is None else {"observation": numbers, "action_mask": legal}


class Episode:
    """One match after the other, between seats that are played by a program.

    Args:
        rules: of a game that has an `Environment`.
        players: how many seats; None for as few as can play.
        options: the game's options that are not to have their defaults.

    Attributes:
        seats: how many.
        agents: their names, in seat order: "player_1" is `player1` of a log.
        options: the game's own, its `Rules.options`.
        environment: how the game is translated.
        seed: of the match.
        players: one translator a seat.
        due: the seats that have to act.

    Raises:
        UsageError: there is no such match; the text says why.
    """

    def __init__(self, rules: Rules, players: int | None, options: Mapping[str, Any]) -> None:
        assert rules.environment is not None
        self.seats = rules.min_seats if players is None else players
        self.environment: Environment = rules.environment()
        own = rules.options.__struct_fields__
        for name in options:
            if name not in own:
                raise UsageError(
                    f"{rules.name} has no option {name!r}; there are: players, {', '.join(own)}"
                )
        if type(self.seats) is not int:
            raise UsageError(f"players is {players!r}; give an integer")
        spec = match_spec([""] * self.seats, game=rules.name, seed=0, options=options)
        self.options: Any = spec.options
        self.seed = 0
        self.players: list[Translator] = []
        self.due: tuple[int, ...] = ()
        self.agents = [f"player_{seat + 1}" for seat in range(self.seats)]
        self._rules = rules
        self._seeds = Random()
        self._game: Game
        self._replies: dict[int, Struct] = {}

    def begin(self, seed: int | None) -> None:
        """Begin a new match.

        Args:
            seed: of the match; None for the next one that is drawn. What is drawn follows from the
                last seed that was given.

        Raises:
            UsageError: there is no such seed.
        """
        if seed is None:
            seed = self._seeds.randrange(DRAWN_SEEDS)
        else:
            match_spec([""] * self.seats, game=self._rules.name, seed=seed)
            self._seeds = Random(seed)
        self.seed = seed
        names = tuple(seat_id(seat).upper() for seat in range(self.seats))
        setup = Setup(chance=SeededChance(seed), names=names, options=self.options)
        new = self.environment.translator
        self.players = [new(seat, self.seats) for seat in range(self.seats)]
        self._game = self._rules.new(setup)
        self._replies = {}
        self._go_on()

    def act(self, seat: int, action: Any) -> None:
        """Take an action of a seat that is due. After the last one the match goes on.

        Raises:
            UsageError: it is not legal; nothing has changed.
        """
        reply = self.players[seat].act(action)
        if reply is None:
            return
        self._replies[seat] = reply
        if len(self._replies) == len(self.due):
            replies, self._replies = self._replies, {}
            self._game.advance(replies)
            self._go_on()

    def observe(self, seat: int) -> Observation:
        """What a seat knows."""
        return observation_of(self.players[seat])

    @property
    def outcome(self) -> Outcome | None:
        """How the match ended; None while it goes on."""
        return self._game.outcome

    def rewards(self) -> list[float]:
        """What the seats get at the end: 1 if all others were beaten, -1 if it was by all.

        Of each other it is one that is beaten, less one that it was beaten by; the mean of that. So
        a draw is 0, and the sum is 0.
        """
        outcome = self.outcome
        if outcome is None:
            return [0.0] * self.seats
        return [
            sum((other > rank) - (other < rank) for other in outcome.ranks) / (self.seats - 1)
            for rank in outcome.ranks
        ]

    def facts(self, seat: int) -> dict[str, Any]:
        """What is told of a seat beside what it sees: `infos` of PettingZoo."""
        facts: dict[str, Any] = {"seed": self.seed}
        outcome = self.outcome
        if outcome is not None:
            scores = [standing.score for standing in self._game.standings()]
            best = max(score for other, score in enumerate(scores) if other != seat)
            facts |= {
                "reason": str(outcome.reason),
                "rank": outcome.ranks[seat],
                "score": scores[seat],
                "margin": scores[seat] - best,
            }
        return facts

    def _go_on(self) -> None:
        for event in self._game.take_events():
            if isinstance(event, Fault):
                raise InternalError(f"a legal action has led to a fault: {event.detail}")
            for player in self.players:
                player.hear(event)
        for request in self._game.requests:
            self.players[request.seat].hear(request.message)
        self.due = tuple(request.seat for request in self._game.requests)
