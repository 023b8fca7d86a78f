"""Draw a learning curve as SVG."""

from __future__ import annotations

from collections.abc import Sequence


def picture(
    points: Sequence[tuple[float, float, float]], ticks: Sequence[tuple[float, str]]
) -> str:
    """Return a curve of shares of points, with bars for their standard errors.

    Args:
        points: x from 0 to 1, share, and error.
        ticks: x and its label; the last label is to the left of its tick.
    """
    places = [(60 + 500 * x, 230 - 200 * share, 200 * error) for x, share, error in points]
    line = " ".join(f"{x:.0f},{y:.0f}" for x, y, _ in places)
    bars = "".join(f"M{x:.0f} {y - bar:.0f}v{2 * bar:.0f}" for x, y, bar in places if bar)
    rows = "".join(
        f'<path d="M60 {230 - 2 * percent}h500" stroke="#ccc"/>'
        f'<text x="52" y="{235 - 2 * percent}" text-anchor="end">{percent}%</text>'
        for percent in (0, 25, 50, 75, 100)
    )
    texts = "".join(
        f'<text x="{60 + 500 * x:.0f}" y="255" text-anchor="{"end" if x == 1 else "start"}">'
        f"{text}</text>"
        for x, text in ticks
    )
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 580 280" font-family="sans-serif" '
        f'font-size="14"><rect width="580" height="280" fill="#fff"/>{rows}'
        f'<polyline points="{line}" fill="none" stroke="#06c" stroke-width="3"/>'
        f'<path d="{bars}" stroke="#06c" stroke-width="2"/>{texts}</svg>\n'
    )
