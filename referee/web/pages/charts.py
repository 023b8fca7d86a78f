"""Computes the layout of charts, which templates/charts.html draws as SVG."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from referee.text.terminal import cut, plain

_STEPS = (1, 2, 5, 10)
# Only this many of the best bots have thick lines. More thick lines would hide each other.
CLEAR = 6
# There are six hues. Each hue is used twice, with a square and with a circle, and with different
# dashes.
COLOURS = 12
_LABEL = 22
# If the ratings span no more than this (in Elo), all of them fit, so we don't look for outliers.
_ROOM = 500.0
# Leaving out the outliers has to shrink the span to this share or less. Otherwise we keep them.
_MUCH = 0.6
_TOP, _BOTTOM, _LEFT, _RIGHT = 12, 268, 48, 600


class Scale(NamedTuple):
    """Maps a range of numbers to a range of pixels. Either range may run backwards."""

    low: float
    high: float
    start: float
    end: float

    def at(self, value: float) -> float:
        """Return a number's position, rounded to a tenth of a pixel to keep the page small."""
        part = (value - self.low) / (self.high - self.low)
        return round(self.start + part * (self.end - self.start), 1)

    def inside(self, value: float | None, end: float) -> float:
        """Like `at`, but move positions outside the scale to its ends. None becomes `end`."""
        low, high = sorted((self.start, self.end))
        return end if value is None else min(max(self.at(value), low), high)

    def ticks(self, most: int) -> list[int]:
        """Return at most `most` round integers inside the range, e.g. 0, 50, 100."""
        least = max((self.high - self.low) / most, 1e-9)
        power = 10 ** math.floor(math.log10(least))
        step = max(1, round(next(power * step for step in _STEPS if power * step >= least)))
        return list(range(math.ceil(self.low / step) * step, math.floor(self.high) + 1, step))


def scale(values: Sequence[float], start: float, end: float) -> Scale:
    """Return a scale that contains all values, with a small margin on both sides."""
    low, high = min(values, default=0.0), max(values, default=1.0)
    room = max(0.06 * (high - low), 1.0)
    return Scale(low - room, high + room, start, end)


def far_below(ratings: Sequence[float]) -> float:
    """Return the rating below which bots count as outliers, or -inf if there's no outlier.

    A single hopeless bot can be 1000 Elo below all others, so that these end up in a few pixels at
    the top. At most a quarter of the bots count as outliers, and only if the scale gets much
    shorter without them.
    """
    ordered = sorted(ratings)
    for count in range(1, len(ordered) // 4 + 1):
        best, least = ordered[-1], ordered[count]
        whole = best - ordered[0]
        if whole > _ROOM and best - least <= _MUCH * whole:
            return least
    return -math.inf


class Curve(NamedTuple):
    """A line of a chart.

    Attributes:
        kind: CSS classes of the line.
        path: SVG path data.
        name: label beside the end of the line, which may be empty.
        end: y coordinate of the end of the line.
        height: y coordinate of the label. It's below `end` if other labels are in the way.
    """

    kind: str
    path: str
    name: str = ""
    end: float = 0.0
    height: float = 0.0


class Curves(NamedTuple):
    """A chart with a line per bot, best bot first. The x axis is the number of matches."""

    across: Scale
    up: Scale
    lines: list[Curve]


def colour_of(bots: Iterable[str]) -> Callable[[str], str]:
    """Return a function that maps a bot's name to the CSS classes of its colour and sign.

    The first 48 are different.

    Args:
        bots: the names of the bots of a season or a tournament, as in tables. Their order decides
            the colours, so a bot keeps its colour when its rank changes.
    """
    marks = ["", " ring", " half-left", " half-top"]
    colours = {
        name: f"line-{number % COLOURS + 1}{marks[number // COLOURS % len(marks)]}"
        for number, name in enumerate(bots)
    }
    return lambda name: colours.get(name, "line-other")


def curves(
    at: Sequence[int],
    lines: Mapping[str, Sequence[float | None]],
    colour: Callable[[str], str],
) -> Curves | None:
    """Lay out a chart of values over the number of matches, or return None without any values.

    Args:
        at: positions on the x axis, ascending.
        lines: for each bot name, one value per position. The best bot comes first. If a value is
            None, the line has a gap there.
        colour: a function that returns the CSS class for a name.
    """
    known = [value for line in lines.values() for value in line if value is not None]
    if not known:
        return None
    across, up = Scale(0, max(at), _LEFT, _RIGHT), scale(known, _BOTTOM, _TOP)
    heights = _heights(list(lines.values())[: 2 * CLEAR], up)
    made = []
    for place, (name, line) in enumerate(lines.items()):
        kind = colour(name) + " thin" * (place >= CLEAR)
        path = "".join(
            f"{'L' if before is not None else 'M'}{across.at(x)} {up.at(y)}"
            for x, y, before in zip(at, line, [None, *line], strict=False)
            if y is not None
        )
        # A line has gaps where its bot hasn't played yet, and each gap begins a new piece of the
        # path.
        curve, last = Curve(kind, path), line[-1]
        if place in heights and last is not None:
            text = f"{cut(plain(name), _LABEL)} {last:.0f}"
            curve = Curve(kind, path, text, up.at(last), heights[place])
        made.append(curve)
    return Curves(across, up, made)


def _heights(lines: Sequence[Sequence[float | None]], up: Scale) -> dict[int, float]:
    found: dict[int, float] = {}
    free = float(_TOP)
    lasts = [(place, line[-1]) for place, line in enumerate(lines)]
    for place, last in sorted(
        ((place, last) for place, last in lasts if last is not None), key=lambda each: -each[1]
    ):
        found[place] = max(up.at(last), free)
        free = found[place] + 15
    return found
