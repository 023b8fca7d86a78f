"""Turn the matches of withdrawn bots into forfeits.

Matches end in any order, and a run may stop at any time. Still, the same matches must be forfeits
in the end. That's why we go through the matches in the order of the schedule, and stop at the first
one whose result isn't known yet. Some matches were played before we knew that one of their bots had
been withdrawn. They become forfeits when we get to them.

We don't wait for matches of bots that are out or left out. If such a match is missing, we skip it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set
from typing import NamedTuple

from referee.tournament.rows import (
    FORFEIT,
    LEFT_OUT,
    WITHDRAWN,
    WORKER_KILLED,
    MatchRow,
    forfeit_row,
)
from referee.tournament.schedule.withdrawals import BY_HAND, Withdrawal, Withdrawals
from referee.tournament.stages import Stage
from referee.tournament.store import Store

# If a bot is withdrawn early, it may have many forfeits, so we store them in parts.
_MAX_FORFEITS = 1_000


class Settled(NamedTuple):
    """Changes to make in the store.

    Attributes:
        forfeits: new forfeits to store.
        replaced: the numbers of those forfeits that replace a stored match.
        dropped: the numbers of stored forfeits to delete. Their bots aren't withdrawn after all,
            because a bot that was left out has played an earlier match in the meantime.
    """

    forfeits: list[MatchRow]
    replaced: list[int]
    dropped: list[int]


class Forfeits:
    """Finds the forfeits of a tournament.

    Attributes:
        next: number of the first match that we haven't decided yet.
        end: if all bots play in every match, the first withdrawal ends the tournament. In that
            case, this is the number of the first match that isn't played any more, otherwise None.
    """

    def __init__(self, store: Store) -> None:
        setup = store.stages[-1]
        self._store = store
        self._noted = store.withdrawn
        by_hand = {bot: each for bot, each in self._noted.items() if each.code == BY_HAND}
        self._withdrawals = Withdrawals(setup.withdraw_after, store.reinstated, by_hand)
        self._ends_with_withdrawal = setup.ends_with_withdrawal
        self.next = 0
        self.end: int | None = 0 if self._ends_with_withdrawal and self.found else None

    @property
    def found(self) -> Mapping[int, Withdrawal]:
        """The bots that were withdrawn because of matches before `next`."""
        return self._withdrawals.found

    @property
    def withdrawn(self) -> dict[int, Withdrawal]:
        """The bots in `found`, and bots that an earlier run withdrew in match `next` or later."""
        later = {bot: each for bot, each in self._noted.items() if each.match >= self.next}
        return {**later, **self.found}

    def settle(self, stage: Stage, out: Set[int], end: int) -> Settled:
        """Decide matches from `next` up to `end` (exclusive), or until a match must be played.

        Args:
            out: the bots whose matches are not played, except withdrawn bots.
        """
        settled = Settled([], [], [])
        for match, row in self._next_matches(end):
            if self.end is not None or len(settled.forfeits) == _MAX_FORFEITS:
                break
            if row is None:
                is_decided = self._decide_missing(stage, match, out, settled)
            else:
                is_decided = self._decide_stored(stage, row, out, settled)
            if not is_decided:
                break
            self.next = match + 1
            self._withdrawals.decide(match)
            if self._ends_with_withdrawal and self.found:
                self.end = self.next
        return settled

    def _next_matches(self, end: int) -> Iterator[tuple[int, MatchRow | None]]:
        rows = self._store.matches(self.next, end)
        row = next(rows, None)
        for match in range(self.next, end):
            if row is not None and row.match == match:
                yield match, row
                row = next(rows, None)
            else:
                # The match isn't in the store.
                yield match, None

    def _decide_missing(self, stage: Stage, match: int, out: Set[int], settled: Settled) -> bool:
        # Returns False if this match must be played before we can continue.
        plan = stage.plan(match)
        if not out.isdisjoint(plan.players):
            return True
        withdrawn = self._withdrawals.of(plan.players)
        if withdrawn:
            settled.forfeits.append(forfeit_row(plan, withdrawn))
        return bool(withdrawn)

    def _decide_stored(self, stage: Stage, row: MatchRow, out: Set[int], settled: Settled) -> bool:
        match, codes = row.match, {seat.bot: seat.disqualified for seat in row.seats}
        if row.reason == LEFT_OUT or WORKER_KILLED in codes.values():
            return True  # This row says why a bot doesn't play, so it never becomes a forfeit.
        withdrawn = self._withdrawals.of(codes)
        if withdrawn:
            # The match may already be a forfeit, but name the wrong bots.
            if {bot for bot, code in codes.items() if code == WITHDRAWN} != withdrawn:
                settled.forfeits.append(forfeit_row(stage.plan(match), withdrawn))
                settled.replaced.append(match)
        elif row.reason == FORFEIT:
            settled.dropped.append(match)
            # The match was a forfeit, but its bots aren't withdrawn any more. It must be played
            # after all, unless one of its bots is out.
            return not out.isdisjoint(codes)
        elif not row.void:
            self._withdrawals.take(match, codes)
        return True
