"""Which lines of a chart stand out, and which have a name beside them."""

from __future__ import annotations

from referee.web.pages.charts import colour_of, curves


def test_the_best_six_are_clear_and_twice_as_many_have_a_name() -> None:
    lines = {f"bot {number}": [0.0, float(-number)] for number in range(13)}
    found = curves([0, 10], lines, colour_of(lines))
    assert found is not None
    assert [line.kind.endswith(" thin") for line in found.lines] == [False] * 6 + [True] * 7
    assert [bool(line.name) for line in found.lines] == [True] * 12 + [False]
