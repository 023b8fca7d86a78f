"""Ids of Gymnasium, e.g. `gymnasium.make("referee/Dominion-v1")`.

The ids are registered when this module is imported. If Gymnasium was imported before `referee.env`,
that happens automatically.
"""

from __future__ import annotations

from gymnasium import register

from referee.games import GAMES

for _game, _rules in GAMES.items():
    if (_newest := _rules.environment) is not None:
        for _environment in (*_newest.earlier, _newest):
            register(
                f"referee/{_environment.id}-v{_environment.version}",
                "referee.env.single:SingleEnv",
                vector_entry_point="referee.env.vector:MatchesEnv",
                kwargs={"game": _game, "version": _environment.version},
                order_enforce=False,  # the environment checks the order itself
                disable_env_checker=True,
            )
