"""The observations of a policy, in an environment and in a match that it plays as a bot."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from referee.games.interface.environment import Environment, Translator

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Observation: TypeAlias = "NDArray[Any] | dict[str, NDArray[Any]]"
"""Numbers; with "action_mask" beside "observation" where not every action is legal."""


class Observer:
    """Makes the observations of a policy.

    Args:
        environment: of the game.
        seats: how many play.
        options: the game's own.
        normalised: whether numbers are scaled: float32, 0 at the lower bound and 1 at the upper.
    """

    def __init__(
        self, environment: Environment, seats: int, options: Any, *, normalised: bool
    ) -> None:
        self._bounds: tuple[NDArray[np.int32], NDArray[np.float32]] | None = None
        if normalised:
            numbers = environment.observation(seats, options)
            self._bounds = numbers.low, (numbers.high - numbers.low).clip(1).astype("float32")

    def __call__(self, player: Translator) -> Observation:
        """Return what a seat sees."""
        numbers: NDArray[Any] = player.observe()
        legal = player.legal()
        if self._bounds is not None:
            low, span = self._bounds
            numbers = (numbers - low).astype("float32") / span
        return numbers if legal is None else {"observation": numbers, "action_mask": legal}
