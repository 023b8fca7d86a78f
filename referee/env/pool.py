"""Several bots for one seat of an environment, one per match.

For example, a policy can train against older versions of itself, and you can add a new version now
and then.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random

from referee.bots.from_python import BotLike
from referee.errors import UsageError


class Pool:
    """Opponents for one seat, one per match.

    Args:
        bots: names, commands, policies, or any other argument of `referee.play_match`.
        choose: a function that returns the index of the next bot, given the number of earlier
            matches and the number of bots. None: random, determined by the seed of the match.

    Attributes:
        bots: you can change this list between matches, e.g. to append an older version of your own
            policy.

    Raises:
        UsageError: `bots` is empty.
    """

    def __init__(
        self, bots: Sequence[BotLike], choose: Callable[[int, int], int] | None = None
    ) -> None:
        self.bots = list(bots)
        self._choose = choose
        if not self.bots:
            raise UsageError("a pool has at least one bot: give a list of them")

    def bot_of(self, match: int, seat: int, seed: int) -> BotLike:
        """Return the bot that plays this match.

        Args:
            match: number of earlier matches of the environment.
            seat: the seat of the bot.
            seed: the seed of the match.
        """
        if self._choose is None:
            # The choice depends only on the seed, so you can repeat a match without the matches
            # before it.
            return Random(f"opponent {seat} {seed}").choice(self.bots)
        return self.bots[self._choose(match, len(self.bots))]
