"""The standings as a page: one file of HTML that needs nothing else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice
from pathlib import Path

from referee.text.html import render
from referee.text.terminal import command_line, duration
from referee.tournament.report import text
from referee.tournament.report.facts import Statistics
from referee.tournament.report.lessons import Lesson, chosen
from referee.tournament.report.standings import Standings
from referee.tournament.store import Store

MOST_MATCHES = 1_000
"""A list of more matches makes a page that is slow to open: `referee export` has all."""

_PICTURE = 160
_MARGIN = 5


def page(
    store: Store,
    found: Standings,
    facts: Statistics,
    lessons: Mapping[str, Sequence[Lesson]],
    made: str,
) -> str:
    """The standings as HTML; whatever a bot wrote is made plain and escaped.

    Args:
        store: of which the others are.
        found: the ranking.
        facts: what else there is to say.
        lessons: of each bot by its name.
        made: when the page was made.
    """
    ends = [
        end
        for bot in found.bots
        for end in (bot.rating, bot.rating_low, bot.rating_high)
        if end is not None
    ]
    low, high = min(ends, default=0.0), max(ends, default=1.0)

    def at(rating: float | None, without: float) -> float:
        """Where a rating stands in the picture; an interval without an end goes to its edge."""
        part = without if rating is None else (rating - low) / max(high - low, 1.0)
        return _MARGIN + (_PICTURE - 2 * _MARGIN) * part

    return render(
        Path(__file__).with_name("page.html"),
        found=found,
        facts=facts,
        lessons=lessons,
        made=made,
        settings=command_line(chosen(store.stages[-1])),
        names=store.names,
        matches=islice((line for line in store.matches() if not line.void), MOST_MATCHES),
        most_matches=MOST_MATCHES,
        at=at,
        text=text,
        share=text.share,
        seconds=duration,
        counts=text.counts,
        shown=text.cell,
    )
