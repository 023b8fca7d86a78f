"""The standings as a page: one file of HTML that needs nothing else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from referee._version import __version__
from referee.terminal import plain_lines
from referee.tournament import text
from referee.tournament.lessons import Lesson
from referee.tournament.standings import Standings
from referee.tournament.statistics import Statistics

_PICTURE = 160
_MARGIN = 5


def page(found: Standings, facts: Statistics, lessons: Mapping[str, Sequence[Lesson]]) -> str:
    """The standings as HTML; whatever a bot wrote is made plain and escaped."""
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=lambda value: plain_lines(value) if isinstance(value, str) else value,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    low = min((bot.rating_low for bot in found.bots), default=0.0)
    high = max((bot.rating_high for bot in found.bots), default=1.0)

    def at(rating: float) -> float:
        return _MARGIN + (_PICTURE - 2 * _MARGIN) * (rating - low) / max(high - low, 1.0)

    return environment.get_template("page.html").render(
        found=found,
        facts=facts,
        lessons=lessons,
        sprt=found.sprt and text.sprt_line(found.sprt),
        at=at,
        share=text.share,
        seconds=text.seconds,
        counts=text.counts,
        shown=text.cell,
        version=__version__,
    )
