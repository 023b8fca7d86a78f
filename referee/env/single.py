"""Provides a game against bots as a Gymnasium Env, in which the program plays one seat.

If you want to play several seats yourself, use an AECEnv.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from gymnasium import Env
from gymnasium.utils import EzPickle
from gymnasium.vector import SyncVectorEnv
from msgspec.structs import asdict
from numpy.typing import NDArray

from referee.env.common import (
    RENDER_MODES,
    MatchEnv,
    actions,
    checked_render_mode,
    made_again,
    observations,
    seat_of,
)
from referee.env.episode import Episode, Saved
from referee.env.observer import Observation
from referee.env.opponents import check_for_many
from referee.errors import UsageError
from referee.games import GAMES, find_game

if TYPE_CHECKING:
    from referee.env.opponents import Bots


class SingleEnv(MatchEnv, EzPickle, Env):  # type: ignore[misc]
    """A Gymnasium Env.

    Args:
        game: a key of `GAMES`.
        opponents: same as for `Episode`, with exactly one None. By default, the game's usual
            opponent (`Environment.opponent`) plays in the second seat.
        normalised, version, reward: same as for `Episode`.
        render_mode: same as for `Common`.
        options: options of the game that differ from the defaults.

    Raises:
        UsageError: the arguments aren't valid for the game.
    """

    metadata = {"render_modes": list(RENDER_MODES), "render_fps": 1}  # noqa: RUF012 (as theirs)

    def __init__(
        self,
        game: str,
        opponents: Bots | None = None,
        render_mode: str | None = None,
        normalised: bool = False,
        version: int | None = None,
        reward: str = "result",
        **options: Any,
    ) -> None:
        super().__init__(game, opponents, render_mode, normalised, version, reward, **options)
        definition = GAMES[find_game(game)]
        if opponents is None and definition.environment is not None:
            opponents = [None, definition.environment.opponent]
        self._episode = Episode(
            definition,
            None,
            options,
            opponents,
            normalised=normalised,
            version=version,
            reward=reward,
        )
        if len(self._episode.learners) != 1:
            raise UsageError(
                'opponents has one None, for the program, such as [None, "big_money"]; '
                "for more there is env()"
            )
        (self._seat,) = self._episode.learners
        self._game = game
        self._is_illegal = False  # True if the last action was illegal
        self._is_end_due = False  # True if the match was over before the first action
        self._copies: Any = None  # a template for copy(), created on the first call
        self.render_mode = checked_render_mode(render_mode)
        self.observation_space = observations(self._episode)
        self.action_space = actions(self._episode)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begin a new match, and play until you have to act. See `SequentialEnv.reset`.

        If the opponent leaves before that, the match is already over. Gymnasium doesn't allow this
        after a reset, so we wait for an action. Any action then ends the match with its result.

        Raises:
            UsageError: the seed isn't valid.
        """
        self._episode.begin(seed)
        super().reset(seed=seed)
        self._is_end_due = not self._episode.due
        self._is_illegal = False
        if self.render_mode == "human":
            self.render()
        return self.seen(), self.facts

    def step(self, action: Any) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Apply an action, and play until you have to act again.

        Raises:
            UsageError: the action doesn't exist, or the match is over.
        """
        reward, over = self._advance(action)
        return self.seen(), reward, over, False, self.facts

    def _advance(self, action: Any) -> tuple[float, bool]:
        episode, seat = self._episode, self._seat
        if self._is_end_due:
            self._is_end_due = False
            return episode.rewards()[seat], True
        if seat not in episode.due:
            raise UsageError("the match is over, or none was begun: call reset")
        try:
            reply = episode.player(seat).act(action)
        # If there's no such action at all, the program has a bug, so we raise an exception. If the
        # action just isn't legal now, the policy can learn from it, so we end the match with -1.
        except UsageError:
            if not self.action_space.contains(action):
                raise UsageError(f"{action!r} is not an action of {self.action_space}") from None
            episode.due = ()
            self._is_illegal = True
            return -1.0, True
        episode.apply(seat, action, reply)
        if self.render_mode == "human":
            self.render()
        return episode.rewards()[seat], episode.outcome is not None

    def copy(self, viewer: str | None = None, seed: int = 0) -> Any:
        """Copy the match into a PettingZoo environment, in which your program plays all seats.

        Takes the same arguments and raises the same errors as `Common.copy`.
        """
        episode = self._episode.copy(seat_of(viewer), seed)
        # Created on the first call, because most programs never copy a match.
        if self._copies is None:
            from referee.env.sequential import SequentialEnv
            from referee.env.simultaneous import SimultaneousEnv

            kind = SimultaneousEnv if episode.environment.simultaneous else SequentialEnv
            options = asdict(episode.options) | {
                "normalised": episode.normalised,
                "version": episode.environment.version,
                "reward": episode.reward,
            }
            game, render_mode = self._game, self.render_mode
            self._copies = kind(game, game, episode.seats, render_mode=render_mode, **options)
        return self._copies._copy_with(episode)

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        make, arguments = self.__reduce__()
        return make(*arguments)

    def __reduce__(self) -> tuple[Any, ...]:
        arguments = type(self), self._ezpickle_args, self._ezpickle_kwargs
        return made_again, (*arguments, self._episode.save() if self._episode.is_begun else None)

    def _resume(self, saved: Saved) -> None:
        self._episode.resume(saved)

    def action_masks(self) -> NDArray[np.int8]:
        """Return the mask of legal choices. sb3-contrib requires this method's name."""
        seen = self.seen()
        if isinstance(seen, dict):
            return seen["action_mask"]
        return np.ones(int(self.action_space.nvec.sum()), np.int8)

    @property
    def facts(self) -> dict[str, float]:
        """The `info` of a step: more numbers about the match."""
        return self._episode.facts(self._seat)

    @property
    def reason(self) -> str | None:
        """The reason why the match ended, as in `MatchEnv`, or "illegal-action"."""
        return "illegal-action" if self._is_illegal else super().reason

    def seen(self) -> Observation:
        """Return the observation. After the end of a match, its mask is all 1.

        A vector environment needs one more action before it resets a match, and ignores it. A
        policy couldn't choose that action if all of them were masked.
        """
        seen = self._episode.observe(self._seat)
        if isinstance(seen, dict) and self._seat not in self._episode.due:
            seen["action_mask"][:] = 1
        return seen

    def render(self) -> str | None:
        """Describe the player's view of the game as text. In "human" mode, print the text."""
        return self._shown(self._seat)


def matches_env(game: str, num_envs: int = 1, **options: Any) -> SyncVectorEnv:
    """Create a vector environment for `gymnasium.make_vec`. Takes the arguments of `SingleEnv`.

    Raises:
        UsageError: an opponent is an object that can only play one match at a time.
    """
    check_for_many(options.get("opponents"), num_envs)
    return SyncVectorEnv([partial(SingleEnv, game, **options)] * num_envs)
