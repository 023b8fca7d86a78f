"""The standings as a page: one file of HTML that needs nothing else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from referee.html import render
from referee.terminal import duration
from referee.tournament import text
from referee.tournament.lessons import Lesson
from referee.tournament.standings import Standings
from referee.tournament.statistics import Statistics

_PICTURE = 160
_MARGIN = 5


def page(found: Standings, facts: Statistics, lessons: Mapping[str, Sequence[Lesson]]) -> str:
    """The standings as HTML; whatever a bot wrote is made plain and escaped."""
    low = min((bot.rating_low for bot in found.bots), default=0.0)
    high = max((bot.rating_high for bot in found.bots), default=1.0)

    def at(rating: float) -> float:
        return _MARGIN + (_PICTURE - 2 * _MARGIN) * (rating - low) / max(high - low, 1.0)

    return render(
        Path(__file__).with_name("page.html"),
        found=found,
        facts=facts,
        lessons=lessons,
        sprt=found.sprt and text.sprt_line(found.sprt),
        at=at,
        share=text.share,
        seconds=duration,
        counts=text.counts,
        shown=text.cell,
        put_out=text.PUT_OUT,
    )
