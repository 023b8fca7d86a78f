"""Provides the games as PettingZoo and Gymnasium environments, for reinforcement learning.

spec/python-rl.md describes them.

    from referee.env import PolicyBot, botwars_v2, dominion_v1

    env = dominion_v1.env(players=2)

Every game with an `Environment` has a name here: the game's name, "_v" and the version of its
observations and actions. Use `environments_of("./my_game.py")` for a game of your own. We don't
import PettingZoo until you create an environment, so a policy can play matches (`PolicyBot`) on a
machine that doesn't have it.

common.py        shared code: spaces, metadata, rendering
episode.py       a match for a learner: actions in, observations and rewards out
observer.py      the observations of a policy
environments.py  the environments of one game, as in a module of PettingZoo
sequential.py    PettingZoo's AECEnv, for games in which players take turns
simultaneous.py  PettingZoo's ParallelEnv, for games in which all players move together
single.py        Gymnasium's Env, for one seat against bots
recorded.py      the match of a record, played again with the steps of an environment
dataset.py       these steps of many matches as arrays
registration.py  ids of the environments, for `gymnasium.make`
opponents.py     the bots in the other seats
pool.py          several bots for one seat, one per match
policy_bot.py    a trained policy as a bot, for matches against any other bot
"""

from __future__ import annotations

import sys

from referee.env.environments import Environments, Importer, environments, environments_of
from referee.env.policy_bot import PolicyBot
from referee.env.pool import Pool

__all__ = ["Environments", "PolicyBot", "Pool", "environments_of"]

# This makes `import referee.env.dominion_v1` work, although there's no file of that name.
sys.meta_path.append(Importer())
# Registering the ids imports Gymnasium, so do it only if the program has imported Gymnasium
# already.
if "gymnasium" in sys.modules:
    from referee.env import registration  # noqa: F401


def __getattr__(name: str) -> Environments:
    # Python itself looks up names such as `__path__`, and we don't have to load all games for them.
    if name.startswith("_"):
        raise AttributeError(name)
    known = environments()
    if name not in known:
        names = ", ".join(known)
        raise AttributeError(f"module 'referee.env' has no {name!r}; environments: {names}")
    return known[name]


def __dir__() -> list[str]:
    return sorted([*__all__, *environments()])
