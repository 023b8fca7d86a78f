"""Lets an environment play each match against a different opponent.

For example, you can train a policy against its own older versions, and add a new version now and
then.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random

from referee.bots.from_python import BotLike
from referee.errors import UsageError


class Pool:
    """A list of bots for a seat, from which we choose one for each match.

    Args:
        bots: names, commands, policies, or anything else that you can pass to
            `referee.play_match`.
        choose: a function that returns the index of the next bot. It gets the number of earlier
            matches and the number of bots. By default, we choose at random, with the seed of the
            match.

    Attributes:
        bots: the list. You can change it between matches, e.g. to append an older version of your
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
        """Return the bot for the next match.

        Args:
            match: how many matches the environment has played before.
            seat: the seat of the bot.
            seed: the seed of the match.
        """
        if self._choose is None:
            # This only depends on the seed and the seat, so that you can repeat a match without the
            # matches before it.
            return Random(f"opponent {seat} {seed}").choice(self.bots)
        return self.bots[self._choose(match, len(self.bots))]
