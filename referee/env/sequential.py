"""Provides games in which one seat acts at a time as PettingZoo environments (AECEnv).

Most attributes and their names are defined by PettingZoo.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from pettingzoo import AECEnv

from referee.env.common import Common
from referee.env.observer import Observation

_OF_A_MATCH = (
    *("agent_selection", "rewards", "_cumulative_rewards"),
    *("terminations", "truncations", "infos"),
)
"""PettingZoo's attributes that only exist after the first reset."""


class SequentialEnv(Common, AECEnv):  # type: ignore[misc]
    """An AECEnv. An agent acts until its reply is complete, so it may act several times."""

    # Python calls this for missing attributes. Many attributes only exist after reset(). The error
    # has to mention this, because Python's usual message would look like a bug in the environment.
    def __getattr__(self, name: str) -> Any:
        if name in _OF_A_MATCH:
            raise AttributeError(f"there is no {name} before the first match: call reset")
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin a new match. Without a seed, we choose the next one. `options` are ignored.

        Raises:
            UsageError: the seed isn't valid.
        """
        self._episode.begin(seed)
        self._init_agents()
        if self.render_mode == "human":
            self.render()

    def _init_agents(self) -> None:
        super()._init_agents()
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        # PettingZoo sets this when an agent dies. It may still be set if you reset the environment
        # at that moment.
        self._skip_agent_selection = None
        self.agent_selection = self.agents[0]
        self.infos = self._facts()
        self._select_next()

    def _pending(self) -> dict[str, dict[str, float]]:
        return {"rewards": self.rewards, "_cumulative_rewards": self._cumulative_rewards}

    def step(self, action: Any) -> None:
        """Apply an action of the selected agent. If the agent is terminated, pass None.

        Raises:
            UsageError: the action isn't legal. The state is unchanged.
        """
        self._episode.check_begun()
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            # The agent's match is over, so the action is None. This method of PettingZoo removes
            # the agent.
            self._was_dead_step(action)
            return
        episode = self._episode
        episode.act(self._seat[agent], action)
        # An agent's rewards accumulate until it acts again, as usual in PettingZoo.
        self._cumulative_rewards[agent] = 0.0
        self._select_next()
        if self.render_mode == "human":
            self.render()

    def observe(self, agent: str) -> Observation:
        """Return an agent's observation."""
        return self._episode.observe(self._seat[agent])

    def action_mask(self, agent: str) -> NDArray[np.int8]:
        """Return the mask of the agent's legal actions. This is cheaper than `observe`."""
        legal = self._episode.player(self._seat[agent]).legal()
        # the mask is only None in games in which all players move together
        assert legal is not None
        return legal

    def render(self) -> str | None:
        """Describe the selected agent's view of the game as text. In "human" mode, print it."""
        self._episode.check_begun()
        return self._shown(self._seat[self.agent_selection])

    def _select_next(self) -> None:
        episode = self._episode
        if episode.outcome is None:
            self.agent_selection = f"player_{episode.due[0] + 1}"
            # With "result", all rewards are 0 until the end, so there's nothing to add.
            if episode.reward != "result":
                self.rewards = self._rewards()
                self._accumulate_rewards()
            return
        self.rewards = self._rewards()
        self.terminations = dict.fromkeys(self.agents, True)
        self._accumulate_rewards()
        self.infos = self._facts()
