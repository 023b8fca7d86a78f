"""Several bots for one seat of an environment, of which one plays each match."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random

from referee.bots.from_python import BotLike
from referee.errors import UsageError


class Pool:
    """Opponents for one seat: one of them plays each match.

    Args:
        bots: names, commands, policies, and everything else that `referee.play_match` takes.
        choose: returns the place of the bot that plays, from the number of matches that the
            environment has begun before and the number of bots. None: at random; it follows from
            the seed of the match.

    Attributes:
        bots: may be changed between two matches, for example by `append` of an older version of
            the program's own policy.

    Raises:
        UsageError: there is no bot.
    """

    def __init__(
        self, bots: Sequence[BotLike], choose: Callable[[int, int], int] | None = None
    ) -> None:
        self.bots = list(bots)
        self._choose = choose
        if not self.bots:
            raise UsageError("a pool has at least one bot: give a list of them")

    def bot_of(self, match: int, seat: int, seed: int) -> BotLike:
        """Return the bot that plays.

        Args:
            match: how many matches the environment has begun before.
            seat: where it sits.
            seed: of the match.
        """
        if self._choose is None:
            return Random(f"opponent {seat} {seed}").choice(self.bots)
        return self.bots[self._choose(match, len(self.bots))]
