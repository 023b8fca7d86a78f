"""Which lines of a chart stand out, and which have a name beside them."""

from __future__ import annotations

import pytest

from referee.web.pages.charts import Scale, colour_of, curves


@pytest.mark.parametrize(("start", "end"), [(40, 240), (240, 40)])
def test_what_is_beyond_a_scale_is_at_its_end(start: float, end: float) -> None:
    values = (None, -1, 0, 5, 10, 11)
    scale = Scale(0, 10, start, end)
    assert [scale.inside(value, 7) for value in values] == [7, start, start, 140, end, end]


def test_the_best_six_are_clear_and_twice_as_many_have_a_name() -> None:
    lines = {f"bot {number}": [0.0, float(-number)] for number in range(13)}
    found = curves([0, 10], lines, colour_of(lines))
    assert found is not None
    assert [line.kind.endswith(" thin") for line in found.lines] == [False] * 6 + [True] * 7
    assert [bool(line.name) for line in found.lines] == [True] * 12 + [False]
