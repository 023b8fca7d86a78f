"""Charts as SVG: no script, no style of their own; colours come from the page's classes."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from markupsafe import Markup

from referee.text.terminal import cut, plain

_STEPS = (1, 2, 5, 10)
_CLEAR = 6
"""Lines that have a colour of their own; more could not be told apart."""
_LABEL = 22


class Scale(NamedTuple):
    """A range of numbers on a line of pixels."""

    low: float
    high: float
    start: float
    end: float

    def at(self, value: float) -> float:
        """Where a number stands, rounded to a tenth of a pixel."""
        part = (value - self.low) / (self.high - self.low)
        return round(self.start + part * (self.end - self.start), 1)

    def ticks(self, most: int) -> list[int]:
        """Round whole numbers inside the range, at most so many."""
        least = max((self.high - self.low) / most, 1e-9)
        power = 10 ** math.floor(math.log10(least))
        step = max(1, round(next(power * step for step in _STEPS if power * step >= least)))
        return list(range(math.ceil(self.low / step) * step, math.floor(self.high) + 1, step))


def scale(values: Sequence[float], start: float, end: float) -> Scale:
    """A scale on which all values stand, with some room around them."""
    low, high = min(values, default=0.0), max(values, default=1.0)
    room = max(0.06 * (high - low), 1.0)
    return Scale(low - room, high + room, start, end)


_WIDTH = 240
_TICKS = 5
_HEIGHT = 22


def axis(on: Scale) -> Markup:
    """The numbers above a column of `interval`."""
    made = [
        Markup('<text x="{}" y="14">{}</text>').format(on.at(tick), tick)
        for tick in on.ticks(_TICKS)
    ]
    return _svg("intervals", _WIDTH, 18, "Elo", made)


def interval_scale(values: Sequence[float]) -> Scale:
    """The scale of a column of `interval`."""
    return scale(values, 8, _WIDTH - 8)


def interval(on: Scale, value: float, low: float | None, high: float | None, label: str) -> Markup:
    """A dot with its error bar; an end that is None is open: the bar goes to the edge.

    Args:
        label: the same in words.
    """
    middle = _HEIGHT / 2
    left = 0.0 if low is None else on.at(low)
    right = float(_WIDTH) if high is None else on.at(high)
    made = [
        Markup('<path class="grid" d="M{} 0V{}"/>').format(on.at(tick), _HEIGHT)
        for tick in on.ticks(_TICKS)
    ]
    made.append(Markup('<path class="bar" d="M{} {}H{}"/>').format(left, middle, right))
    made += [
        Markup('<path class="bar" d="M{} {}v8"/>').format(x, middle - 4)
        for x, end in ((left, low), (right, high))
        if end is not None
    ]
    made.append(
        Markup('<circle class="dot" cx="{}" cy="{}" r="4.5"/>').format(on.at(value), middle)
    )
    return _svg("intervals", _WIDTH, _HEIGHT, label, made)


_CHART = Scale(0, 1, 48, 600)
_TOP, _BOTTOM, _CHART_WIDTH, _CHART_HEIGHT = 12, 268, 820, 300


def curves(at: Sequence[int], lines: Mapping[str, Sequence[float | None]], label: str) -> Markup:
    """Lines over matches, named at their ends.

    Args:
        at: where on the axis, ascending.
        lines: name -> a value at each of these, None where there is none; best first. The first
            six are coloured, the others grey.
        label: what is shown, for those who do not see it.
    """
    known = [value for line in lines.values() for value in line if value is not None]
    if not known:
        return Markup("")
    across = Scale(0, max(at), _CHART.start, _CHART.end)
    up = scale(known, _BOTTOM, _TOP)
    made = []
    for tick in up.ticks(6):
        made.append(Markup('<path class="grid" d="M{} {}H{}"/>').format(48, up.at(tick), 600))
        made.append(
            Markup('<text x="42" y="{}" class="end">{}</text>').format(up.at(tick) + 4, tick)
        )
    made += [
        Markup('<text x="{}" y="288" class="middle">{:,}</text>').format(across.at(tick), tick)
        for tick in across.ticks(8)
    ]
    ends = _ends(lines, up)
    for place, (name, line) in reversed(list(enumerate(lines.items()))):
        kind = f"line-{place + 1}" if place < _CLEAR else "line-other"
        path = "".join(
            f"{'L' if before is not None else 'M'}{across.at(x)} {up.at(y)}"
            for x, y, before in zip(at, line, [None, *line], strict=False)
            if y is not None
        )
        made.append(Markup('<path class="{}" d="{}"/>').format(kind, path))
        if name in ends:
            height, last = ends[name]
            text = f"{cut(plain(name), _LABEL)} {last:.0f}"
            made.append(
                Markup(
                    '<path class="{}" d="M602 {}L614 {}"/><text x="618" y="{}">{}</text>'
                ).format(kind, up.at(last), height, height + 4, text)
            )
    return _svg("curves", _CHART_WIDTH, _CHART_HEIGHT, label, made)


def _ends(lines: Mapping[str, Sequence[float | None]], up: Scale) -> dict[str, tuple[float, float]]:
    """Of each named line where its name stands, so that no two overlap, and its last value."""
    named = [(name, line[-1]) for name, line in list(lines.items())[: 2 * _CLEAR]]
    found: dict[str, tuple[float, float]] = {}
    free = float(_TOP)
    for name, last in sorted(
        ((name, last) for name, last in named if last is not None), key=lambda each: -each[1]
    ):
        height = max(up.at(last), free)
        found[name] = (height, last)
        free = height + 15
    return found


def share_bar(parts: Sequence[tuple[str, int]]) -> Markup:
    """Parts of a whole as one bar.

    Args:
        parts: the class and the size of each.
    """
    whole = sum(size for _, size in parts)
    made, x = [], 0.0
    for kind, size in parts:
        width = round(600 * size / whole, 1) if whole else 0
        made.append(
            Markup('<rect class="{}" x="{}" width="{}" height="24"/>').format(kind, x, width)
        )
        x += width
    label = ", ".join(f"{kind} {size}" for kind, size in parts)
    return _svg("share", 600, 24, label, made)


def _svg(kind: str, width: int, height: int, label: str, parts: Sequence[Markup]) -> Markup:
    return Markup(
        '<svg class="{}" viewBox="0 0 {} {}" width="{}" height="{}" role="img" aria-label="{}">{}'
        "</svg>"
    ).format(kind, width, height, width, height, plain(label), Markup("").join(parts))
