"""Which bots are withdrawn: those that fail in the same way in match after match.

A bot is withdrawn by the match that completes a *row*: consecutive matches of its own, by their
numbers in the schedule, in each of which it was disqualified with the same code. From then on its
matches are forfeits: they are not played.

A void match breaks no row and starts none, and neither does a forfeit, since the bot did not
play there. The rule reads numbers and codes only, so it does not matter in which order, where and
how often matches were played:

    withdrawals = Withdrawals(after=5)
    for number, codes in schedule:          # in its order; void matches are left out
        if not withdrawals.of(codes):       # else the match is a forfeit
            withdrawals.take(number, codes)
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from msgspec import Struct


class Withdrawal(Struct, frozen=True):
    """Why a bot was withdrawn: the match that completed its row, and the code of the row."""

    match: int
    code: str


class Withdrawals:
    """Follows the rows of all bots.

    Args:
        after: the length of a row that withdraws its bot; None: no bot is withdrawn.

    Attributes:
        found: the bots that are withdrawn, by their numbers.
    """

    def __init__(self, after: int | None) -> None:
        self.found: dict[int, Withdrawal] = {}
        self._after = after
        self._rows: dict[int, tuple[str, int]] = {}  # bot -> code and length

    def of(self, bots: Iterable[int]) -> set[int]:
        """Those of the bots of a match that are withdrawn; if there are any, it is a forfeit."""
        return self.found.keys() & bots

    def take(self, match: int, codes: Mapping[int, str | None]) -> None:
        """Take the next match of the schedule that was played and counts.

        Args:
            match: its number.
            codes: each bot of the match, and the code with which it was disqualified, or None.
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
