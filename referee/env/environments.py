"""The environments of one game, under the names that a module of PettingZoo has for them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from referee.env.episode import Episode
from referee.errors import UsageError
from referee.games import GAMES
from referee.games.interface.environment import Environment

if TYPE_CHECKING:
    from gymnasium import Env
    from pettingzoo import AECEnv, ParallelEnv

    from referee.env.opponents import Bots


class Environments:
    """What PettingZoo has in a module, for one game.

    All that makes an environment takes the number of players, None for as few as can play;
    `opponents`, for each seat a bot or None where the program plays; `render_mode`, None or "ansi";
    and the game's options by name, as `max_turns=50`. It raises a `UsageError` if there is no such
    match, or if PettingZoo is not installed.

    Attributes:
        choices: the name of each choice; its place is its number.
        name: as `referee.env` has it.
    """

    def __init__(self, game: str, environment: Environment) -> None:
        self.choices = environment.choices
        self.name = f"{game}_v{environment.version}"
        self._simultaneous = environment.simultaneous
        self._game = game  # not its rules: this can be pickled

    def env(self, players: int | None = None, **options: Any) -> AECEnv:
        """An AECEnv in PettingZoo's usual wrappers: an illegal action ends the match with -1."""
        raw = self.raw_env(players, **options)
        from pettingzoo.utils import wrappers

        if not self._simultaneous:
            raw = wrappers.TerminateIllegalWrapper(raw, illegal_reward=-1)
            raw = wrappers.AssertOutOfBoundsWrapper(raw)
        return wrappers.OrderEnforcingWrapper(raw)

    def raw_env(self, players: int | None = None, **options: Any) -> AECEnv:
        """An AECEnv without wrappers: an illegal action is a `UsageError`."""
        if self._simultaneous:
            parallel = self.parallel_env(players, **options)
            from pettingzoo.utils.conversions import parallel_to_aec_wrapper

            return parallel_to_aec_wrapper(parallel)
        _check_installed(self.name)
        from referee.env.sequential import SequentialEnv

        return SequentialEnv(self._game, self.name, players, **options)

    def parallel_env(self, players: int | None = None, **options: Any) -> ParallelEnv:
        """A ParallelEnv, of a game in which all move at once."""
        if not self._simultaneous:
            raise UsageError(
                f"{self.name} has no parallel_env: its players take turns; use {self.name}.env"
            )
        _check_installed(self.name)
        from referee.env.simultaneous import SimultaneousEnv

        return SimultaneousEnv(self._game, self.name, players, **options)

    def gym_env(self, opponents: Bots | None = None, **options: Any) -> Env:
        """A Gymnasium Env: one None in `opponents`; an illegal action ends the match with -1."""
        _check_installed(self.name)
        from referee.env.single import SingleEnv

        return SingleEnv(self._game, opponents, **options)

    def observation_names(self, players: int | None = None, **options: Any) -> tuple[str, ...]:
        """The names of an observation's entries; of a grid of numbers, of those in each cell."""
        episode = Episode(GAMES[self._game], players, options)
        return episode.environment.observation(episode.seats, episode.options).names

    def __repr__(self) -> str:
        return f"<environments {self.name}>"


def environments() -> dict[str, Environments]:
    """Those of all games that have one, by name."""
    every = [
        Environments(game, rules.environment)
        for game, rules in GAMES.items()
        if rules.environment is not None
    ]
    return {one.name: one for one in every}


def _check_installed(name: str) -> None:
    try:
        from pettingzoo import AECEnv  # noqa: F401
    except ImportError as error:
        problem = f"{name} needs PettingZoo: run pip install '.[rl]' in a clone of the referee"
        raise UsageError(problem) from error
