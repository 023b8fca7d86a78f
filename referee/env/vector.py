"""Many matches against bots in one process: the vector environment of `gymnasium.make_vec`."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.vector import SyncVectorEnv
from numpy.typing import NDArray

from referee.env.opponents import check_for_many
from referee.env.single import SingleEnv
from referee.errors import UsageError


class MatchesEnv(SyncVectorEnv):  # type: ignore[misc]
    """A SyncVectorEnv of `SingleEnv`, with a step that costs less.

    It resets a match that is over in the next step (NEXT_STEP), whose action is ignored.

    Args:
        num_envs: how many matches.
        game, options: the arguments of `SingleEnv`, the same for each match.

    Attributes:
        envs: the environments of the matches.

    Raises:
        UsageError: the match does not exist, or an object among the opponents can play only one
            match at a time.
    """

    _autoreset_envs: NDArray[np.bool_]

    def __init__(self, game: str, num_envs: int = 1, **options: Any) -> None:
        check_for_many(options.get("opponents"), num_envs)
        super().__init__([partial(SingleEnv, game, **options)] * num_envs)
        one = self.single_action_space
        self._most = one.nvec if isinstance(one, spaces.MultiDiscrete) else one.n
        self._rows: Any = self._observations  # written in each step
        self._infos: dict[str, NDArray[Any]] = {}
        self._share()

    def _share(self) -> None:
        """Let the observation of each match be its row, which `reset` of some others keeps."""
        rows = self._rows
        self._env_obs = [
            {name: array[place] for name, array in rows.items()}
            if isinstance(rows, dict)
            else rows[place]
            for place in range(self.num_envs)
        ]

    def reset(
        self, *, seed: int | list[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Begin a new match in each environment.

        Args:
            seed: of the first match, and of each other one more; or one for each match.
            options: `{"reset_mask": array}` for some of the matches only.

        Raises:
            UsageError: a seed is not valid.
        """
        seen, infos = super().reset(seed=seed, options=options)
        self._share()
        self._infos = {}
        return seen, infos

    def step(
        self, actions: Any
    ) -> tuple[Any, NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]:
        """Take an action in each match.

        Raises:
            UsageError: an action does not exist; nothing has changed.
        """
        chosen = self._checked(actions)
        rewards, over = [0.0] * self.num_envs, [False] * self.num_envs
        rows, is_masked = self._rows, isinstance(self._rows, dict)
        for place, (env, is_due) in enumerate(zip(self.envs, self._autoreset_envs, strict=True)):
            if is_due:
                env.reset()
            else:
                rewards[place], over[place] = env.advance(chosen[place])
            seen = env.seen()
            if is_masked:
                rows["observation"][place] = seen["observation"]
                rows["action_mask"][place] = seen["action_mask"]
            else:
                rows[place] = seen
        if not self._infos or any(over) or self._autoreset_envs.any():
            self._infos = self._facts()
        self._autoreset_envs = np.array(over)
        return (
            {name: array.copy() for name, array in rows.items()} if is_masked else rows.copy(),
            np.array(rewards),
            self._autoreset_envs.copy(),
            np.zeros(self.num_envs, np.bool_),
            {name: array.copy() for name, array in self._infos.items()},
        )

    def _checked(self, actions: Any) -> Any:
        """Return the actions, each of which exists."""
        given, space = np.asarray(actions), self.action_space
        if given.shape != space.shape or given.dtype.kind not in "iu":
            raise UsageError(f"actions are integers of the shape {space.shape}, not {actions!r}")
        wrong = ~self._autoreset_envs & ((given < 0) | (given >= self._most)).reshape(
            self.num_envs, -1
        ).any(axis=1)
        if wrong.any():
            place = int(wrong.argmax())
            raise UsageError(
                f"{given[place]} is no action of {self.single_action_space}, in match {place}"
            )
        return given.tolist() if given.ndim == 1 else given

    def _facts(self) -> dict[str, NDArray[Any]]:
        """Return the numbers beside what is seen, each with "_name": in which matches it is."""
        facts = [env.facts for env in self.envs]
        infos = dict[str, NDArray[Any]]()
        for name in facts[0]:
            infos[name] = np.array([each[name] for each in facts])
            infos[f"_{name}"] = np.ones(self.num_envs, np.bool_)
        return infos
