"""Contains what all environments share: Gymnasium spaces, metadata and rendering."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self

import msgspec
import numpy as np
from gymnasium import logger, spaces
from gymnasium.utils import EzPickle
from numpy.typing import NDArray

from referee.env.episode import Episode, Saved
from referee.errors import UsageError
from referee.games import GAMES, find_game
from referee.games.interface.table import copied

if TYPE_CHECKING:
    from referee.env.opponents import Bots

RENDER_MODES = ("ansi", "human")


class MatchEnv:
    """What the environments of PettingZoo and Gymnasium have in common.

    Both expect numbers in `infos` (a vector environment packs them into arrays), so texts about the
    match are attributes of the environment instead.
    """

    render_mode: str | None
    _episode: Episode

    @property
    def reason(self) -> str | None:
        """The reason why the match ended, e.g. "turn-limit", or None if it hasn't ended."""
        return self._episode.reason

    @property
    def opponents(self) -> dict[str, str]:
        """Which bot plays for which player in this match, e.g. `{"player2": "big_money"}`."""
        return self._episode.opponents

    @property
    def disqualified(self) -> dict[str, str]:
        """For each disqualified player, the code of the reason."""
        return self._episode.disqualified

    def close(self) -> None:
        """Stop the opponents' processes.

        You can still use the environment, since `reset` starts new ones.
        """
        self._episode.close()

    def _shown(self, seat: int) -> str | None:
        """Describe a player's view of the game. In "human" mode, print it and return None."""
        if self.render_mode is None:
            # Like Gymnasium's own environments, warn here and don't raise.
            logger.warn('render() without a render_mode: make the environment with "ansi"')
            return None
        text = f"player_{seat + 1}\n{self._episode.player(seat).show()}"
        if self.render_mode == "human":
            sys.stdout.write(f"{text}\n")
            return None
        return text


class Common(MatchEnv, EzPickle):  # type: ignore[misc]
    """Base class of the PettingZoo environments.

    Each agent has its own space objects. Libraries seed spaces and sample from them, so agents with
    a common space would influence each other's random numbers.

    Args:
        game: a key of `GAMES`.
        name: the name of the environment.
        players: number of players, or None for as few as the game allows.
        render_mode: None, "ansi" for text, or "human" to print the text after each step.
        opponents, normalised, version, reward: see `Episode`.
        options: options of the game, if you don't want the defaults.

    Raises:
        UsageError: the arguments aren't valid for the game.
    """

    def __init__(
        self,
        game: str,
        name: str,
        players: int | None,
        /,
        render_mode: str | None = None,
        opponents: Bots | None = None,
        normalised: bool = False,
        version: int | None = None,
        reward: str = "result",
        **options: Any,
    ) -> None:
        given = game, name, players, render_mode, opponents, normalised, version, reward
        # EzPickle remembers these arguments, so that __deepcopy__ and __reduce__ can build a new
        # environment from them.
        super().__init__(*given, **options)
        definition = GAMES[find_game(game)]
        episode = Episode(
            definition,
            players,
            options,
            opponents,
            normalised=normalised,
            version=version,
            reward=reward,
        )
        self.metadata = {
            "name": name,
            "render_modes": list(RENDER_MODES),
            "is_parallelizable": False,
        }
        self.render_mode = checked_render_mode(render_mode)
        self.possible_agents = episode.agents.copy()
        self.agents = episode.agents.copy()
        self.observation_spaces = {agent: observations(episode) for agent in self.agents}
        self.action_spaces = {agent: actions(episode) for agent in self.agents}
        self._episode = episode
        self._seat = dict(zip(self.agents, episode.learners, strict=True))

    def observation_space(self, agent: str) -> Any:
        """Return the observation space of an agent. This is always the same object."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        """Return the action space of an agent. This is always the same object."""
        return self.action_spaces[agent]

    def copy(self, viewer: str | None = None, seed: int = 0) -> Self:
        """Copy the environment in the middle of a match.

        Your program plays all seats of the copy, even if this environment has opponents, because we
        can't copy the state of a bot that runs in another process.

        Args:
            viewer: an agent whose action is due. We redeal everything that's hidden from it at
                random. If this is None, you get an exact copy.
            seed: the seed for redealing.

        Raises:
            UsageError: the match is over, the viewer has no action due, or another agent has acted
                in this round.
        """
        new = self._copy_with(self._episode.copy(seat_of(viewer), seed))
        new._keep(self._pending())
        return new

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        if not self._episode.is_begun:
            return type(self)(*self._ezpickle_args, **self._ezpickle_kwargs)
        return self.copy()

    def __reduce__(self) -> tuple[Any, ...]:
        if not self._episode.is_begun:
            return made_again, (type(self), self._ezpickle_args, self._ezpickle_kwargs)
        # We can't pickle bots. Instead, we pickle a copy without them, in which your program plays
        # all seats.
        episode = self._episode.copy() if len(self._seat) < self._episode.seats else self._episode
        game, name, _, mode, _, *others = self._ezpickle_args
        arguments = game, name, episode.seats, mode, None, *others
        options = msgspec.structs.asdict(episode.options)
        return made_again, (type(self), arguments, options, episode.save(), self._pending())

    def _resume(self, saved: Saved) -> None:
        self._episode.resume(saved)
        self._init_agents()

    def _pending(self) -> dict[str, dict[str, float]]:
        """Return PettingZoo's attributes with rewards that agents haven't received yet, by name."""
        return {}

    def _keep(self, pending: Mapping[str, Mapping[str, float]]) -> None:
        # A copy may have more agents than the environment, because opponents aren't copied.
        for name, rewards in pending.items():
            getattr(self, name).update(rewards)

    def restore(self, saved: Self) -> None:
        """Return to the state of a copy.

        The copy itself doesn't change, so you can return to it any number of times.

        Raises:
            UsageError: the environment has opponents, whose state can't be restored.
        """
        if len(self._seat) < self._episode.seats:
            raise UsageError("bots cannot return to an earlier state: play on in the copy")
        self._set_episode(saved._episode.copy())
        self._keep(saved._pending())

    def _copy_with(self, episode: Episode) -> Self:
        new = copied(self)
        new._set_episode(episode)
        return new

    def _set_episode(self, episode: Episode) -> None:
        self._episode = episode
        # The other match may have other agents, for example if it's a copy in which the program
        # plays all seats.
        if self.possible_agents != episode.agents:
            self.possible_agents = agents = episode.agents.copy()
            self._seat = dict(zip(agents, episode.learners, strict=True))
            self.observation_spaces = {agent: observations(episode) for agent in agents}
            self.action_spaces = {agent: actions(episode) for agent in agents}
        self._init_agents()

    def _init_agents(self) -> None:
        self.agents = self.possible_agents.copy()

    @property
    def state_space(self) -> Any:
        """The space of `state`, which joins the observation spaces of all agents."""
        return state_space(list(self.observation_spaces.values()))

    def state(self) -> NDArray[Any]:
        """Return the observations of all agents as one flat array, without masks."""
        seen = [self._episode.observe(seat) for seat in self._seat.values()]
        return np.concatenate([numbers_of(each).ravel() for each in seen])

    def _rewards(self) -> dict[str, float]:
        rewards = self._episode.rewards()
        return {agent: rewards[self._seat[agent]] for agent in self.agents}

    def _facts(self) -> dict[str, dict[str, Any]]:
        return {agent: self._episode.facts(self._seat[agent]) for agent in self.agents}


def made_again(
    kind: type[Any],
    arguments: Sequence[Any],
    options: dict[str, Any],
    saved: Saved | None = None,
    pending: Mapping[str, Mapping[str, float]] = {},
) -> Any:
    """Create an environment, and continue its saved match if it had one. Used by pickle."""
    env = kind(*arguments, **options)
    if saved is not None:
        env._resume(saved)
    if pending:
        env._keep(pending)
    return env


def seat_of(agent: str | None) -> int | None:
    """Return an agent's seat, counted from 0, or None if there's no agent.

    An unknown name gives -1. Since no seat has this number, callers treat it like an agent that
    can't act now.
    """
    if agent is None:
        return None
    number = str(agent).removeprefix("player_")
    return int(number) - 1 if number.isdecimal() else -1


def checked_render_mode(mode: str | None) -> str | None:
    """Return the render mode if it's valid. Otherwise warn and return None.

    We don't raise an exception, because some libraries try several modes until one works.
    """
    if mode is None or mode in RENDER_MODES:
        return mode
    logger.warn(f'render_mode is {mode!r}, and nothing is rendered; give "ansi" or "human"')
    return None


def numbers_of(seen: Any) -> Any:
    """Remove the action mask from an observation or an observation space."""
    return seen["observation"] if isinstance(seen, dict | spaces.Dict) else seen


def state_space(of_agents: list[Any]) -> Any:
    """Concatenate observation spaces, without the masks."""
    boxes = [numbers_of(space) for space in of_agents]
    low, high = (
        np.concatenate([getattr(box, side).ravel() for box in boxes]) for side in ("low", "high")
    )
    return spaces.Box(low, high, dtype=boxes[0].dtype)


def observations(episode: Episode) -> Any:
    """Return the observation space of a seat.

    If every action is always legal, this is a Box. Otherwise it's a Dict that contains the numbers
    and the action mask.
    """
    environment = episode.environment
    numbers = environment.observation(episode.seats, episode.options)
    if episode.normalised:
        box = spaces.Box(0.0, 1.0, numbers.low.shape, np.float32)
    else:
        box = spaces.Box(numbers.low, numbers.high, dtype=numbers.low.dtype.type)
    # If an action is an array of choices, we don't need a mask. Choices that make no sense are
    # simply ignored.
    if environment.action_shape(episode.options):
        return box
    mask = spaces.Box(0, 1, (len(environment.choices(episode.options)),), np.int8)
    return spaces.Dict({"observation": box, "action_mask": mask})


def actions(episode: Episode) -> Any:
    """Return the action space of a seat.

    The space is Discrete, or MultiDiscrete if an action has several numbers.
    """
    choices = len(episode.environment.choices(episode.options))
    shape = episode.environment.action_shape(episode.options)
    return spaces.MultiDiscrete(np.full(shape, choices)) if shape else spaces.Discrete(choices)
