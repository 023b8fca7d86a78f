"""Shows the progress of a tournament."""

from __future__ import annotations

import io
import math
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, suppress
from typing import TYPE_CHECKING

from referee.cli.console import rich_console, say, width
from referee.cli.progress import LINE_SECONDS, bar, clock_time, status
from referee.games.interface.counts import plural
from referee.text.terminal import plain
from referee.tournament.playing.run import Run
from referee.tournament.rating.ratings import Ratings, rate
from referee.tournament.report.played import played_of
from referee.tournament.report.standings import standings
from referee.tournament.report.terminal import ranking
from referee.tournament.report.words import PUT_OUT, withdrawn
from referee.tournament.rows import WORKER_KILLED, MatchRow
from referee.tournament.schedule.withdrawals import Withdrawal
from referee.tournament.store import Store

if TYPE_CHECKING:
    from rich.console import RenderableType

REFRESH_SECONDS = 0.5
# A line names at most this many bots.
MOST_NAMED = 5
# At first, an estimate of the remaining time would be much too high, because the bots are still
# starting. Before we show one, we wait for this many seconds ...
ESTIMATE_AFTER = 2.0
# ... and until this many matches have been played. We also wait for this many matches before we
# show ratings.
ESTIMATE_FROM = 10
# With `--progress lines`, a run prints about this many tables.
TABLES = 10
# Only the best bots are shown while the tournament runs.
LEADING = 5
# At most this fraction of the time may be spent on ratings.
_RATING_PART = 0.05


def table_every(matches: int) -> int:
    """Return after how many matches a table is printed, with `--progress lines`."""
    return max(1, math.ceil(matches / TABLES))


def start_again(names: Sequence[str], bots: Sequence[int]) -> None:
    """Print which bots weren't ready in time, and are started again now."""
    say(f"not ready in time: {_listed(names, bots)}; started again now, since no match is running")


def _listed(names: Sequence[str], bots: Sequence[int]) -> str:
    listed = ", ".join(plain(names[bot]) for bot in bots[:MOST_NAMED])
    more = f" and {plural(len(bots) - MOST_NAMED, 'other bot')}" if bots[MOST_NAMED:] else ""
    return listed + more


class Progress:
    """Shows the progress of a tournament, and the best bots so far.

    On a terminal there's a bar, elsewhere a line now and then.

    Args:
        every: print a line for every match instead, and a table after this many matches.
    """

    def __init__(
        self,
        run: Run,
        store: Store,
        anchor: tuple[int, float] | None,
        *,
        quiet: bool,
        every: int | None = None,
    ) -> None:
        self._run = run
        self._store = store
        self._anchor = anchor
        self._quiet = quiet
        self._every = every
        self._tables = 0  # how many tables were due so far, including earlier runs
        self._names = [*map(plain, store.shown_names)]
        self._ratings: Ratings | None = None
        self._rate_at = 0.0
        self._show_at = time.monotonic()
        self._shown = ExitStack()
        # this is only used on a terminal
        self._show: Callable[[RenderableType], None] | None = None
        if not quiet:
            self._deals = played_of(store).deals

    def __enter__(self) -> Progress:
        if self._every is not None:
            self._tables = self._run.done // self._every
        elif not self._quiet and sys.stderr.isatty():
            self._show = self._shown.enter_context(status())
        return self

    def __exit__(self, *exc_info: object) -> None:
        self._shown.close()

    def add(self, rows: Sequence[MatchRow]) -> None:
        """Update the results with finished matches, and report bots that were excluded."""
        for row in rows:
            for seat in row.seats:
                if seat.disqualified == WORKER_KILLED:
                    say(f"{self._names[seat.bot]} {PUT_OUT}")
        counted = [row for row in rows if not row.void]
        if counted and not self._quiet:
            each = [(row.deal, row.players, row.ranks, row.messages) for row in counted]
            self._deals.extend(*zip(*each, strict=True))
        if self._every is not None:
            before = self._run.done - len(rows)
            for number, row in enumerate(rows, before + 1):
                say(f"{number:,} of {self._run.total:,}: {match_line(row, self._names)}")
            if self._run.done // self._every > self._tables:
                self._tables = self._run.done // self._every
                self._show_table()

    def withdraw(self, bots: Mapping[int, Withdrawal]) -> None:
        """Print which bots were withdrawn, and read the results again.

        After a withdrawal, matches that have been played may count as forfeits.
        """
        setup = self._run.setup
        for bot, withdrawal in bots.items():
            is_end = setup.ends_with_withdrawal
            why = withdrawn(withdrawal, setup.withdraw_after, is_end=is_end)
            say(f"{self._names[bot]} {why}")
        if not self._quiet:
            self._deals = played_of(self._store).deals

    def play_again(self, bots: Sequence[int]) -> None:
        """Print which bots were late at the same time, so that their matches are played again."""
        names = _listed(self._names, bots)
        say(f"late at the same time, in matches without a common bot: {names}; played again, alone")

    def update(self) -> None:
        """Show the progress, if it's time."""
        now = time.monotonic()
        if self._quiet or self._every is not None or now < self._show_at:
            return
        if self._show is not None:
            self._rate(now)
            self._show_at = now + REFRESH_SECONDS
            self._show(self._picture())
        elif self._run.played:
            self._show_at = now + LINE_SECONDS
            say(self._line())

    def _rate(self, now: float) -> None:
        if now >= self._rate_at and len(self._deals) >= ESTIMATE_FROM:
            stopped = self._run.test is not None
            self._ratings = rate(self._deals, anchor=self._anchor, stopped=stopped)
            cost = time.monotonic() - now
            self._rate_at = now + cost / _RATING_PART

    def _line(self) -> str:
        run = self._run
        rate = run.played / run.seconds if run.seconds else 0.0
        parts = [f"{run.done:,} of {run.total:,} matches", f"{_rate(rate)} matches/s"]
        is_known = run.played >= ESTIMATE_FROM and run.seconds >= ESTIMATE_AFTER
        if is_known and run.test is None:  # we can't estimate how long a test will take
            parts.append(f"{clock_time((run.total - run.done) / rate)} left")
        if run.test is not None:
            lower, upper = run.test.test.bounds
            parts.append(f"LLR {run.test.llr:.2f} ({lower:.2f} to {upper:.2f})")
        return ", ".join(parts)

    def _show_table(self) -> None:
        say(self._line())
        found = standings(self._store, self._anchor)
        if found.matches:
            text = io.StringIO()
            rich_console(text, width(sys.stderr)).print(ranking(found, width(sys.stderr)))
            with suppress(OSError):  # stderr may be on a full disk
                print(text.getvalue(), end="", file=sys.stderr, flush=True)

    def _picture(self) -> RenderableType:
        from rich.console import Group
        from rich.table import Table

        parts = [bar(self._run.done, self._run.total, self._line())]
        if self._ratings is not None:
            table = Table(box=None, pad_edge=False, header_style="dim")
            table.add_column("bot", overflow="ellipsis", no_wrap=True)
            table.add_column("rating", justify="right")
            table.add_column("95% interval", justify="right")
            for bot in self._ratings.order()[:LEADING]:
                rating, low, high = (
                    float(getattr(self._ratings, name)[bot]) for name in ("rating", "low", "high")
                )
                if math.isnan(rating):
                    continue  # the bot has no matches yet
                reach = f"{low - rating:+.0f} {high - rating:+.0f}".replace("inf", "?")
                table.add_row(self._names[bot], f"{rating:.0f}", reach)
            parts.append(table)
        return Group(*parts)


def match_line(row: MatchRow, names: Sequence[str]) -> str:
    """Format a match in one line: the bots by rank, with scores and disqualifications."""
    if row.void:
        return f"match {row.match} is void ({row.reason})"
    places = [
        f"{seat.rank}. {names[seat.bot]} {seat.score}"
        + (f" (disqualified: {seat.disqualified})" if seat.disqualified else "")
        for seat in sorted(row.seats, key=lambda seat: seat.rank)
    ]
    turns = f"{row.turns} turn{'s' * (row.turns != 1)}"
    return f"match {row.match}: {', '.join(places)}; {turns}, {row.reason}"


def _rate(rate: float) -> str:
    return f"{rate:.0f}" if rate >= 10 else f"{rate:.1f}"
