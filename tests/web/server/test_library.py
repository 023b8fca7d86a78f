"""What a list of matches says of each match."""

from __future__ import annotations

import pytest

from referee.web.server.library import RESULTS, Item


@pytest.mark.parametrize(
    ("ranks", "out", "results"),
    [
        ([1, 2], [None, None], ["won", "lost"]),
        ([1, 1], [None, None], ["drawn", "drawn"]),
        ([1, 1, 3], [None] * 3, ["drawn", "drawn", "lost"]),
        ([1, 2, 2], [None] * 3, ["won", "lost", "lost"]),
        ([2, 1], ["timeout", None], ["lost disqualified", "won"]),
        ([1, 1], ["timeout", "exited"], ["drawn disqualified", "drawn disqualified"]),
        ([], [], ["", ""]),  # not over
        ([], ["timeout", None], ["disqualified", ""]),
    ],
)
def test_a_draw_is_not_won(ranks: list[int], out: list[str | None], results: list[str]) -> None:
    item = Item("a", "record", ranks=ranks, disqualified=out)
    found = [
        " ".join(result for result in RESULTS if item.has_result(seat, result))
        for seat in range(len(results))
    ]
    assert found == results


def test_a_bot_is_found_by_any_part_of_its_names() -> None:
    item = Item("a", "record", names=["Big Money", "Any"], bots=["./x", "./Y"], shown=["one", "2"])
    assert [item.seats_of(text) for text in ("MONEY", "y", "./", "ONE", "2", "", "z")] == [
        [0],
        [0, 1],
        [0, 1],
        [0],
        [1],
        [0, 1],
        [],
    ]
    assert Item("a", "log", names=["Any", "B"], shown=["Any", "B"]).seats_of("b") == [1]
