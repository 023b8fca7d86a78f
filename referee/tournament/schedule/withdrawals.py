"""Find bots that fail in the same way in consecutive matches, and withdraw them.

A bot is withdrawn by the match that completes a *streak*: consecutive matches of this bot, by
number in the schedule, that all end with the same disqualification. From then on, its matches are
forfeits, which are not played.

Void matches and forfeits neither break nor extend a streak, because the bot didn't play in them.
The rule depends only on numbers and codes. It doesn't matter when, where or how often matches were
played:

    withdrawals = Withdrawals(after=5)
    for number, codes in schedule:          # in order, without void matches
        if not withdrawals.of(codes):       # otherwise the match is a forfeit
            withdrawals.take(number, codes)
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from msgspec import Struct


class Withdrawal(Struct, frozen=True):
    """Why a bot was withdrawn: the match that completed its streak, and the code of the streak."""

    match: int
    code: str


class Withdrawals:
    """Tracks the streaks of all bots.

    Args:
        after: length of a streak that withdraws its bot. None: no bot is withdrawn.

    Attributes:
        found: the withdrawn bots, by number.
    """

    def __init__(self, after: int | None) -> None:
        self.found: dict[int, Withdrawal] = {}
        self._after = after
        self._rows: dict[int, tuple[str, int]] = {}  # bot -> code and length

    def of(self, bots: Iterable[int]) -> set[int]:
        """Return the withdrawn bots among these bots. If there are any, the match is a forfeit."""
        return self.found.keys() & bots

    def take(self, match: int, codes: Mapping[int, str | None]) -> None:
        """Add the next match of the schedule that was played and counts.

        Args:
            match: the number of the match.
            codes: bot -> code of its disqualification, or None.
        """
        for bot, code in codes.items():
            if code is None:
                self._rows.pop(bot, None)
                continue
            before, length = self._rows.get(bot, (code, 0))
            length = length + 1 if before == code else 1
            self._rows[bot] = code, length
            if length == self._after:
                self.found[bot] = Withdrawal(match, code)
