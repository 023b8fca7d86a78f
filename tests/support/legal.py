"""Random legal replies for every game that has an environment."""

from __future__ import annotations

import msgspec
import numpy as np

from referee.match.machine import Match
from referee.match.spec import MatchSpec


class Legal:
    """Chooses random legal actions for all seats of a match.

    An action depends only on the view of its own seat.

    Args:
        seed: determines the choices.
    """

    def __init__(self, spec: MatchSpec, seed: int) -> None:
        environment = spec.definition.environment
        assert environment is not None
        seats = len(spec.bots)
        self._players = [environment.translator(seat, seats, spec.options) for seat in range(seats)]
        self._shape = environment.action_shape(spec.options)
        self._choices = len(environment.choices(spec.options))
        self._dice = np.random.default_rng(seed)

    def reply(self, match: Match, seat: int) -> bytes:
        """Return a random legal reply for a seat that has a request."""
        player = self._players[seat]
        player.look(match.view(seat), asked=True)
        while True:
            legal = player.legal()
            if legal is None:
                reply = player.act(self._dice.integers(self._choices, size=self._shape))
            else:
                reply = player.act(self._dice.choice(np.flatnonzero(legal)))
            if reply is not None:
                return msgspec.json.encode(reply)
