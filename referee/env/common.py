"""What both kinds of environment have: spaces of Gymnasium, metadata, rendering."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import logger, spaces
from gymnasium.utils import EzPickle

from referee.env.episode import Episode
from referee.errors import UsageError
from referee.games import GAMES

RENDER_MODES = ("ansi",)


class Common(EzPickle):  # type: ignore[misc]
    """The part of an environment of PettingZoo that all of ours share.

    Each agent has spaces of its own, so that each can be seeded.

    Args:
        game: a key of `GAMES`.
        name: of the environment.
        players: how many; None for as few as can play.
        render_mode: None, or "ansi" for text.
        options: the game's own that are not to have their defaults.

    Raises:
        UsageError: there is no such match.
    """

    render_mode: str | None

    def __init__(
        self,
        game: str,
        name: str,
        players: int | None,
        render_mode: str | None,
        options: dict[str, Any],
    ) -> None:
        super().__init__(game, name, players, render_mode, options)
        episode = Episode(GAMES[game], players, options)
        if render_mode is not None and render_mode not in RENDER_MODES:
            raise UsageError(f'render_mode is {render_mode!r}; give None or "ansi"')
        self.metadata = {
            "name": name,
            "render_modes": list(RENDER_MODES),
            "is_parallelizable": False,
        }
        self.render_mode = render_mode
        self.possible_agents = episode.agents.copy()
        self.agents = episode.agents.copy()
        self.observation_spaces = {agent: _observations(episode) for agent in self.agents}
        self.action_spaces = {agent: _actions(episode) for agent in self.agents}
        self._episode = episode
        self._seat = {agent: seat for seat, agent in enumerate(self.agents)}

    def observation_space(self, agent: str) -> Any:
        """What an agent sees."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        """What an agent can do."""
        return self.action_spaces[agent]

    def close(self) -> None:
        """Do nothing: there is nothing to close."""

    def _shown(self, seat: int) -> str | None:
        if self.render_mode is None:
            logger.warn('render() without a render_mode: make the environment with "ansi"')
            return None
        return f"{self.possible_agents[seat]}\n{self._episode.players[seat].show()}"


def _observations(episode: Episode) -> Any:
    environment = episode.environment
    numbers = environment.observation(episode.seats, episode.options)
    box = spaces.Box(numbers.low, numbers.high, dtype=np.int32)
    if environment.action_shape(episode.options):
        return box
    mask = spaces.Box(0, 1, (len(environment.choices),), np.int8)
    return spaces.Dict({"observation": box, "action_mask": mask})


def _actions(episode: Episode) -> Any:
    choices = len(episode.environment.choices)
    shape = episode.environment.action_shape(episode.options)
    return spaces.MultiDiscrete(np.full(shape, choices)) if shape else spaces.Discrete(choices)
