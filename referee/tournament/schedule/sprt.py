"""Runs the sequential test of two bots on deals in the order of the schedule."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec.structs import replace

from referee.errors import UsageError
from referee.tournament.choices import SPRT_DEALS
from referee.tournament.rating.sprt import OUTCOMES, Sprt, Verdict
from referee.tournament.rows import MatchRow, points_of
from referee.tournament.schedule.format import TournamentSetup
from referee.tournament.schedule.pairing import LineUps, Listed


class Sequential:
    """The state of a sequential test. Matches may end in any order, but deals are counted in order.

    If we counted matches as they end, short ones would come first. The test would be biased if one
    of the bots tends to win short matches. A deal with a void match doesn't count. As long as all
    deals have the same messages, they count as one (`DealTable.merged`).

    Attributes:
        deals: number of deals that were looked at, including void ones. After a verdict, later
            deals are ignored.
    """

    def __init__(self, setup: TournamentSetup) -> None:
        assert setup.sprt is not None
        self.test: Sprt = setup.sprt
        self._counts = [0] * OUTCOMES
        self._is_same = True
        self._first: list[int] = []  # the messages of the first deal's matches
        self.verdict: Verdict | None = None
        self.deals = 0
        self._matches = setup.matches_a_deal
        # For each deal that isn't counted yet, the first bot's points in its matches, with their
        # numbers and messages. Void matches have None.
        self._waiting: dict[int, list[tuple[int, float | None, int]]] = {}

    def add(self, rows: Iterable[MatchRow]) -> None:
        """Add matches, in any order."""
        for row in rows:
            of_first = None if row.void else points_of(row.ranks)[row.players.index(0)]
            self._waiting.setdefault(row.deal, []).append((row.match, of_first, row.messages))
        # Deals are counted in the order of the schedule, and only when all their matches are there.
        while self.verdict is None and len(self._waiting.get(self.deals, ())) == self._matches:
            of_deal = sorted(self._waiting.pop(self.deals))
            self.deals += 1
            points = [each for _, each, _ in of_deal if each is not None]
            if len(points) == self._matches:
                messages = [each for *_, each in of_deal]
                self._counts[round(2 * sum(points))] += 1
                self._first = self._first or messages
                self._is_same &= all(messages) and messages == self._first
                self.verdict = self.test.verdict(self.counts)

    @property
    def counts(self) -> list[int]:
        """Number of deals in which the first bot got 0, 0.5, 1, 1.5 and 2 points."""
        return [min(count, 1) for count in self._counts] if self._is_same else self._counts

    @property
    def llr(self) -> float:
        """The log-likelihood ratio after the deals counted so far."""
        return self.test.llr(self.counts)


def sequential(setup: TournamentSetup, rows: Iterable[MatchRow] = ()) -> Sequential | None:
    """Return the state of a tournament's test after some matches, or None if it has no test."""
    if setup.sprt is None:
        return None
    test = Sequential(setup)
    test.add(rows)
    return test


class SprtFormat(Listed):
    """The format `sprt`: two bots play deals until the test decides."""

    own = (("sprt", "--elo0, --elo1, --alpha and --beta"),)
    deals = SPRT_DEALS
    takes_matches = False

    def settle(self, setup: TournamentSetup) -> TournamentSetup:
        """Check that two bots play in two seats, and set the default test."""
        if len(setup.bots) != 2 or setup.players != 2:
            raise UsageError("--pairing sprt compares two bots in matches of two")
        if setup.seats == "fixed":
            raise UsageError("--seats fixed is not for --pairing sprt: it compares whole deals")
        return replace(setup, sprt=setup.sprt or Sprt())

    def listed(self, setup: TournamentSetup, length: TournamentSetup) -> LineUps:
        return LineUps(length.deals or 0, lambda _: (0, 1))


FORMAT = SprtFormat()
