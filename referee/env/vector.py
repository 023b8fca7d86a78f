"""Plays many matches against bots in one process, for `gymnasium.make_vec`."""

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
    """A SyncVectorEnv of `SingleEnv` with a faster `step`.

    A finished match is reset in the next step (NEXT_STEP). The action of that step is ignored.

    Args:
        num_envs: number of matches.
        game, options: arguments of `SingleEnv`, the same for all matches.

    Attributes:
        envs: the environments of the matches.

    Raises:
        UsageError: the arguments aren't valid for the game, or an opponent is an object that can
            only play one match at a time.
    """

    _autoreset_envs: NDArray[np.bool_]

    def __init__(self, game: str, num_envs: int = 1, **options: Any) -> None:
        check_for_many(options.get("opponents"), num_envs)
        super().__init__([partial(SingleEnv, game, **options)] * num_envs)
        one = self.single_action_space
        self._most = one.nvec if isinstance(one, spaces.MultiDiscrete) else one.n
        self._rows: Any = self._observations  # every step overwrites these arrays
        self._infos: dict[str, NDArray[Any]] = {}
        self._share_rows()

    def _share_rows(self) -> None:
        """Let each match write its observations to a view of its row in the arrays.

        If only some matches are reset, the rows of the others keep their content.
        """
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
            seed: a list with a seed for each match. If you pass a number, the first match gets this
                seed, the next one the number after it, and so on.
            options: pass `{"reset_mask": array}` to reset only some of the matches.

        Raises:
            UsageError: a seed isn't valid.
        """
        seen, infos = super().reset(seed=seed, options=options)
        self._share_rows()
        self._infos = {}
        return seen, infos

    def step(
        self, actions: Any
    ) -> tuple[Any, NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]:
        """Apply an action in each match.

        Raises:
            UsageError: an action doesn't exist. The state is unchanged.
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
        # The infos only change when a match ends or is reset, so after most steps we return
        # the same ones again.
        if not self._infos or any(over) or self._autoreset_envs.any():
            self._infos = self._facts()
        self._autoreset_envs = np.array(over)
        return (
            # Return copies, because the next step overwrites the rows, and the program may keep the
            # arrays.
            {name: array.copy() for name, array in rows.items()} if is_masked else rows.copy(),
            np.array(rewards),
            self._autoreset_envs.copy(),
            np.zeros(self.num_envs, np.bool_),
            {name: array.copy() for name, array in self._infos.items()},
        )

    def _checked(self, actions: Any) -> Any:
        # Check all actions before we apply any of them. Otherwise, if one is wrong, some matches
        # would be a step ahead of the others.
        given, space = np.asarray(actions), self.action_space
        if given.shape != space.shape or given.dtype.kind not in "iu":
            raise UsageError(f"actions are integers of the shape {space.shape}, not {actions!r}")
        # If a match is about to be reset, it doesn't matter what its action is.
        wrong = ~self._autoreset_envs & ((given < 0) | (given >= self._most)).reshape(
            self.num_envs, -1
        ).any(axis=1)
        if wrong.any():
            place = int(wrong.argmax())
            raise UsageError(
                f"{given[place]} is not an action of {self.single_action_space}, in match {place}"
            )
        return given.tolist() if given.ndim == 1 else given

    def _facts(self) -> dict[str, NDArray[Any]]:
        # For each "name", Gymnasium expects a mask "_name" that marks the matches with a value.
        # Here all matches have one.
        facts = [env.facts for env in self.envs]
        infos = dict[str, NDArray[Any]]()
        for name in facts[0]:
            infos[name] = np.array([each[name] for each in facts])
            infos[f"_{name}"] = np.ones(self.num_envs, np.bool_)
        return infos
