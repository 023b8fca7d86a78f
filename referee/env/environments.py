"""Provides the environments of each game, with the function names of PettingZoo's modules.

You can import them like modules, e.g. with `import referee.env.dominion_v1`.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import TYPE_CHECKING, Any

from referee.env.episode import Episode
from referee.env.observer import no_environment
from referee.errors import UsageError
from referee.games import GAMES, find_game
from referee.games.interface.environment import Environment

if TYPE_CHECKING:
    from gymnasium import Env
    from pettingzoo import AECEnv, ParallelEnv

    from referee.env.dataset import Dataset
    from referee.env.opponents import Bots
    from referee.logs.entries import PathLike


class Environments(ModuleType):
    """The functions of a PettingZoo module, for a game in which players take turns.

    All functions that create an environment take these arguments. `players` is the number of
    players, or None for as few as the game allows. `opponents` has a bot for each seat, or None
    where your program plays. `render_mode` is None, "ansi" or "human". With `normalised`,
    observations are scaled to the range 0 to 1. You can also pass options of the game, such as
    `max_turns=50`. The functions raise `UsageError` if the arguments aren't valid for the game, or
    if PettingZoo isn't installed.

    Attributes:
        choices: the names of the choices, with the game's default options. An action is the index
            of a choice.
        name: the name in `referee.env`.
        version: the version of the observations and actions.
    """

    def __init__(self, game: str, environment: Environment) -> None:
        self.choices = environment.choices(GAMES[game].options())
        self.name = f"{game}_v{environment.version}"
        self.version = environment.version
        outside = GAMES.outside.get(game)
        # A pickle may be opened in another process that hasn't loaded the game yet.
        self._game = game if outside is None else outside.place
        super().__init__(f"referee.env.{self.name}", self.__doc__)

    def env(self, players: int | None = None, **options: Any) -> AECEnv:
        """Create an AECEnv in PettingZoo's usual wrappers.

        An illegal action ends the match with reward -1.
        """
        raw = self.raw_env(players, **options)
        from pettingzoo.utils import wrappers

        raw = wrappers.TerminateIllegalWrapper(raw, illegal_reward=-1)
        return wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(raw))

    def raw_env(self, players: int | None = None, **options: Any) -> AECEnv:
        """Create an AECEnv without wrappers. An illegal action raises `UsageError`."""
        _check_installed(self.name)
        from referee.env.sequential import SequentialEnv

        return SequentialEnv(self._game, self.name, players, version=self.version, **options)

    def gym_env(self, opponents: Bots | None = None, **options: Any) -> Env:
        """Create a Gymnasium Env. An illegal action ends the match with reward -1.

        Args:
            opponents: a bot for each seat, with None in the one where your program plays. By
                default, it plays in the first of two seats against the game's usual opponent.
            options: the arguments that all environments take.
        """
        _check_installed(self.name)
        from referee.env.single import SingleEnv

        return SingleEnv(self._game, opponents, version=self.version, **options)

    def observation_names(self, players: int | None = None, **options: Any) -> tuple[str, ...]:
        """Return the names of the numbers in an observation.

        If the observation is a grid, these are the numbers of one cell.
        """
        episode = Episode(GAMES[find_game(self._game)], players, options, version=self.version)
        return episode.environment.observation(episode.seats, episode.options).names

    def choice_names(self, **options: Any) -> tuple[str, ...]:
        """Return the names of the choices in a game with these options, like `choices`."""
        episode = Episode(GAMES[find_game(self._game)], None, options, version=self.version)
        return episode.environment.choices(episode.options)

    def dataset(
        self,
        paths: PathLike | Iterable[PathLike],
        *,
        bot: str | None = None,
        won: bool = False,
        normalised: bool = False,
        progress: bool = True,
    ) -> Dataset:
        """Read the steps of recorded matches as arrays. This doesn't need PettingZoo.

        Args:
            paths: one or more match records, plain or compressed.
            bot: only return the steps of this bot. Give its BOT argument, or its name in a
                tournament.
            won: only return the steps of players who won their match.
            normalised: scale observations to the range 0 to 1.
            progress: show a progress bar if stderr is a terminal.

        Raises:
            UsageError: a file can't be opened, is of another game, or has another number of players
                or other options, so that its arrays have another shape than the first. Also raised
                if the records have no matching steps.
            LogReadError: a file isn't a record, or its match can't be played again.
        """
        # Imported late, because most programs that use an environment don't read records.
        from referee.env.dataset import dataset

        return dataset(
            paths,
            self._game,
            self.version,
            bot=bot,
            won=won,
            normalised=normalised,
            progress=progress,
        )

    def __repr__(self) -> str:
        return f"<environments {self.name}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return environments_of, (self._game, self.version)


class ParallelEnvironments(Environments):
    """The functions of a PettingZoo module, for a game in which all players move together."""

    def parallel_env(self, players: int | None = None, **options: Any) -> ParallelEnv:
        """Create a ParallelEnv, in which one step is one round."""
        _check_installed(self.name)
        from referee.env.simultaneous import SimultaneousEnv

        return SimultaneousEnv(self._game, self.name, players, version=self.version, **options)

    def raw_env(self, players: int | None = None, **options: Any) -> AECEnv:
        """Create an AECEnv from the ParallelEnv, with PettingZoo's own converter."""
        parallel = self.parallel_env(players, **options)
        from pettingzoo.utils.conversions import parallel_to_aec_wrapper

        return parallel_to_aec_wrapper(parallel)

    def env(self, players: int | None = None, **options: Any) -> AECEnv:
        """Create an AECEnv in PettingZoo's wrapper that checks the order of calls."""
        raw = self.raw_env(players, **options)
        from pettingzoo.utils import wrappers

        return wrappers.OrderEnforcingWrapper(raw)


def environments_of(game: str, version: int | None = None) -> Environments:
    """Return the environments of a game, e.g. `environments_of("./my_game.py").env()`.

    Args:
        game: a key of `GAMES`, or the file, the folder or the installed name of your own game. Its
            code is executed.
        version: version of the environments. The default is the newest.

    Raises:
        UsageError: there is no such game, or it has no environment of this version.
        GameError: the code of the game has a mistake.
    """
    name = find_game(game)
    # We don't cache games from outside. If somebody changes the file and loads it again, the same
    # name is another game.
    found = _made(name) if name in GAMES.outside else _environments_of(name)
    if not found:
        raise no_environment(name)
    for one in found:
        if version in (None, one.version):
            return one
    raise UsageError(f"{name} has no environment of version {version}; there is {found[0].name}")


def _made(game: str) -> tuple[Environments, ...]:
    environment = GAMES[game].environment
    if environment is None:
        return ()
    kind = ParallelEnvironments if environment.simultaneous else Environments
    return tuple(kind(game, one) for one in (environment, *environment.earlier))


_environments_of = cache(_made)


def environments() -> dict[str, Environments]:
    """Return the environments of all games, by name."""
    return {one.name: one for game in GAMES for one in _environments_of(game)}


class Importer:
    """An import hook that makes `import referee.env.dominion_v1` work.

    `from referee.env import dominion_v1` doesn't need it, because the package has a `__getattr__`.
    """

    def find_spec(self, name: str, path: object, target: object = None) -> ModuleSpec | None:
        """Find the environments of a game. For all other modules, return None."""
        package, _, last = name.rpartition(".")
        if package != "referee.env" or last not in environments():
            return None
        return ModuleSpec(name, self)  # type: ignore[arg-type]

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """Return the environments, which are already a module, so we don't have to create one."""
        return environments()[spec.name.rpartition(".")[2]]

    def exec_module(self, module: ModuleType) -> None:
        """Do nothing, because the module is complete."""


def _check_installed(name: str) -> None:
    try:
        from pettingzoo import AECEnv  # noqa: F401
    except ImportError as error:
        problem = f"{name} needs PettingZoo: run pip install '.[rl]' in a clone of the referee"
        raise UsageError(problem) from error
