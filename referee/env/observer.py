"""Creates observations for a policy, both in an environment and when it plays as a bot.

We use the same class for both, so that a policy sees the same numbers in a match as in training.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from referee.errors import UsageError
from referee.games.interface.environment import Environment, Translator

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Observation: TypeAlias = "NDArray[Any] | dict[str, NDArray[Any]]"
"""An array, or a dictionary with "observation" and "action_mask" if not every action is legal."""


def no_environment(game: str) -> UsageError:
    """Return the error for a game that programs can't learn."""
    return UsageError(
        f"{game} has no environment: for one, the class needs `moves`, and its `legal` must list "
        "all legal moves (own-games.md, 4)"
    )


class Observer:
    """Creates observations for a policy.

    Args:
        environment: the environment of the game.
        seats: number of seats.
        options: options of the game.
        normalised: if True, scale all numbers to the range 0 (their lower bound) to 1 (their upper
            bound), as float32.
    """

    def __init__(
        self, environment: Environment, seats: int, options: Any, *, normalised: bool
    ) -> None:
        self._bounds: tuple[NDArray[Any], NDArray[np.float32]] | None = None
        if normalised:
            numbers = environment.observation(seats, options)
            # Numbers that can't change have a span of 0. clip(1) avoids a division by zero.
            self._bounds = numbers.low, (numbers.high - numbers.low).clip(1).astype("float32")

    def __call__(self, player: Translator) -> Observation:
        """Return a seat's observation, including the mask unless all actions are always legal."""
        numbers: NDArray[Any] = player.observe()
        legal = player.legal()
        if self._bounds is not None:
            low, span = self._bounds
            numbers = (numbers - low).astype("float32") / span
        return numbers if legal is None else {"observation": numbers, "action_mask": legal}
