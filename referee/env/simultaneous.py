"""Provides games in which all seats act together as PettingZoo environments (ParallelEnv)."""

from __future__ import annotations

from typing import Any

from pettingzoo import ParallelEnv

from referee.env.common import Common
from referee.env.observer import Observation
from referee.errors import UsageError


class SimultaneousEnv(Common, ParallelEnv):  # type: ignore[misc]
    """A ParallelEnv in which one step is one round.

    An agent without a request in a round has an empty mask. Its action is ignored, so you may leave
    it out.
    """

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Observation], dict[str, dict[str, Any]]]:
        """Begin a new match, like `SequentialEnv.reset`, and return observations and infos.

        Raises:
            UsageError: the seed isn't valid.
        """
        self._episode.begin(seed)
        self._init_agents()
        if self.render_mode == "human":
            self.render()
        return self._seen(), self._facts()

    def step(
        self, actions: dict[str, Any]
    ) -> tuple[
        dict[str, Observation],
        dict[str, float],
        dict[str, bool],
        dict[str, bool],
        dict[str, dict[str, Any]],
    ]:
        """Play a round, with an action for each agent that has a request.

        Raises:
            UsageError: an action is missing or not legal. The state is unchanged.
        """
        agents, episode = self.agents, self._episode
        due = [agent for agent in agents if self._seat[agent] in episode.due]
        for agent in due:
            if agent not in actions or not self.action_spaces[agent].contains(actions[agent]):
                raise UsageError(f"{agent} needs an action of {self.action_spaces[agent]}")
        episode.act_together({self._seat[agent]: actions[agent] for agent in due})
        over = episode.outcome is not None
        result = (
            self._seen(),
            self._rewards(),
            dict.fromkeys(agents, over),
            dict.fromkeys(agents, False),
            self._facts(),
        )
        if self.render_mode == "human":
            self.render()
        # PettingZoo expects an empty list of agents after the end of a match.
        if over:
            self.agents = []
        return result

    def render(self) -> str | None:
        """Render the grid as text, as seen by the first player that your program controls."""
        return self._shown(self._episode.learners[0])

    def _seen(self) -> dict[str, Observation]:
        return {agent: self._episode.observe(self._seat[agent]) for agent in self.agents}
