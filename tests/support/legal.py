"""Random legal replies, in every game with an environment."""

from __future__ import annotations

import msgspec
import numpy as np

from referee.match.machine import Match
from referee.match.spec import MatchSpec


class Legal:
    """The players of one match. They choose legal actions, and only know what their seats know.

    Args:
        seed: determines their choices.
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
        """Return a reply of a due seat. Each call gives another one."""
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
