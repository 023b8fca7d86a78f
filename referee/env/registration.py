"""Registers the environments with Gymnasium, so that `gymnasium.make("referee/Dominion-v1")` works.

This happens when the module is imported. `referee.env` imports it automatically if Gymnasium has
already been imported.
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
                vector_entry_point="referee.env.single:matches_env",
                kwargs={"game": _game, "version": _environment.version},
                order_enforce=False,  # our environments check the order of calls themselves
                disable_env_checker=True,
            )
