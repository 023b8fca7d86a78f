"""Finds bots that fail in the same way again and again, and withdraws them.

A *streak* is a sequence of consecutive matches of a bot that all end with the same
disqualification. When it is long enough, the bot is withdrawn. Its later matches are forfeits,
which are not played.

Void matches and forfeits neither break nor extend a streak, because the bot didn't play in them.
The order of matches is the order of the schedule. It doesn't matter when, where or how often they
were played:

    withdrawals = Withdrawals(after=5)
    for number, codes in schedule:          # in order, without void matches
        if not withdrawals.of(codes):       # otherwise the match is a forfeit
            withdrawals.take(number, codes)
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from msgspec import Struct

# The code of a bot that the organiser has withdrawn.
BY_HAND = "by-hand"


class Withdrawal(Struct, frozen=True):
    """Explains why a bot was withdrawn: its streak had this code and ended with this match.

    If the organiser has withdrawn it, the code is `BY_HAND`, and this is the last match before its
    forfeits, or -1.
    """

    match: int
    code: str


class Withdrawals:
    """Tracks the streaks of all bots.

    Args:
        after: withdraw a bot after a streak of this length. If it's None, no bot is withdrawn.
        reinstated: for each bot that was reinstated, the last match that doesn't count any more.
        by_hand: the bots that the organiser has withdrawn.

    Attributes:
        found: the withdrawn bots, by number.
    """

    def __init__(
        self,
        after: int | None,
        reinstated: Mapping[int, int] | None = None,
        by_hand: Mapping[int, Withdrawal] | None = None,
    ) -> None:
        self.found: dict[int, Withdrawal] = {}
        self._after = after
        self._reinstated = reinstated or {}
        self._by_hand = by_hand or {}
        self.decide(-1)
        self._rows: dict[int, tuple[str, int]] = {}  # for each bot, the code and the length

    def of(self, bots: Iterable[int]) -> set[int]:
        """Return which of these bots are withdrawn. If any are, the match is a forfeit."""
        return self.found.keys() & bots

    def decide(self, match: int) -> None:
        """Note that the result of a match is known. Call this for each match of the schedule."""
        self.found |= {bot: each for bot, each in self._by_hand.items() if each.match == match}

    def take(self, match: int, codes: Mapping[int, str | None]) -> None:
        """Add the next match of the schedule that isn't void or a forfeit.

        Args:
            match: the number of the match.
            codes: each bot's code if it was disqualified in this match, otherwise None.
        """
        for bot, code in codes.items():
            if code is None or match <= self._reinstated.get(bot, -1):
                self._rows.pop(bot, None)
                continue
            before, length = self._rows.get(bot, (code, 0))
            length = length + 1 if before == code else 1
            self._rows[bot] = code, length
            if length == self._after:
                self.found[bot] = Withdrawal(match, code)
