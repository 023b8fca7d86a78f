"""Memory and time don't depend on the numbers of deals and rounds that a store claims."""

from __future__ import annotations

from referee.tournament.schedule.pairing import Repeated, distinct
from referee.tournament.schedule.swiss import SwissTable


def test_repeated_line_ups_are_those_of_a_list() -> None:
    each = [(0, 3), (1, 2)]
    assert [*Repeated(each, 3)] == [line_up for line_up in each for _ in range(3)]
    many = Repeated(each, 10**9)
    assert len(many) == 2 * 10**9
    assert (many[10**9 - 1], many[10**9], many[-1]) == ((0, 3), (1, 2), (1, 2))
    assert distinct(many) == each
    assert distinct([(0, 1), (0, 1)]) == [(0, 1)]


def test_empty_rounds_together_are_as_one_after_the_other() -> None:
    tables = [SwissTable(), SwissTable()]
    for table in tables:
        table.add_bots(3)
        table.add([], [], [0, 1])
    tables[0].add_empty(3)
    for _ in range(3):
        tables[1].add([], [])
    for table in tables:
        assert (table.rounds, table.points, table.byes) == (4, [1.0, 1.0, 4.0], {0: 1, 1: 1, 2: 4})
    tables[0].add_empty(10**9)
    assert tables[0].rounds == 10**9 + 4
