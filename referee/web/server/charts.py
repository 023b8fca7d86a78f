"""Layout of charts. templates/charts.html draws them as SVG."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from referee.text.terminal import cut, plain

_STEPS = (1, 2, 5, 10)
# The best bots, up to this number, have thick lines. With more thick lines, they would hide each
# other.
CLEAR = 6
# There are six hues. Each hue is used twice, with a square and with a circle, and with different
# dashes.
COLOURS = 12
_LABEL = 22
# We keep at least this much of the scale (in Elo) even if there are outliers ...
_ROOM = 500.0
# ... and we leave outliers out only if the rest of the scale shrinks to this share.
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
        """Return a number's position, clipped to the ends of the line. None is drawn at `end`."""
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
    """Return a rating below which bots are outliers, or -inf if there are no outliers.

    A single hopeless bot can be 1000 Elo below all others, and then all other bots end up in a few
    pixels at the top. At most a quarter of the bots are outliers, and only if the scale is much
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
        kind: CSS class of its colour.
        path: SVG path data.
        name: label beside its end. May be empty.
        end: position of its end.
        height: vertical position of its label.
    """

    kind: str
    path: str
    name: str = ""
    end: float = 0.0
    height: float = 0.0


class Curves(NamedTuple):
    """Lines over the number of matches, best first."""

    across: Scale
    up: Scale
    lines: list[Curve]


def colours_of(bots: Iterable[str]) -> dict[str, str]:
    """Return name -> CSS class of the colour.

    Args:
        bots: the bots of a season or a tournament. Their order decides the colours, so a bot keeps
            its colour when its rank changes.
    """
    return {name: f"line-{number % COLOURS + 1}" for number, name in enumerate(bots)}


def curves(
    at: Sequence[int],
    lines: Mapping[str, Sequence[float | None]],
    colour: Callable[[str], str],
) -> Curves | None:
    """Lay out lines over the number of matches. Returns None if there isn't a single value.

    Args:
        at: positions on the axis, ascending.
        lines: name -> one value per position, where None is a gap; best first.
        colour: name -> CSS class.
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
