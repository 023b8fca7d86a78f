"""Whether a bot seems to compute, from two measurements of its CPU time."""

from __future__ import annotations

import pytest

from referee.bots.processes.cpu import Usage, is_computing


@pytest.mark.parametrize(
    ("before", "now", "seconds", "computes"),
    [
        (None, Usage(5.0, True), 1.0, False),
        (Usage(5.0, True), None, 1.0, False),
        (Usage(5.0, False), Usage(6.0, False), 5.0, False),
        (Usage(5.0, False), Usage(6.25, False), 5.0, True),
        (Usage(5.0, False), Usage(9.0, False), 0.0, False),
        (Usage(5.0, True), Usage(5.0, True), 0.0, True),
        (Usage(5.0, False), Usage(5.0, True), 1.0, False),
        (Usage(5.0, True), Usage(5.0, False), 1.0, False),
    ],
)
def test_it_uses_more_than_a_fifth_of_a_core_or_runs_both_times(
    before: Usage | None, now: Usage | None, seconds: float, computes: bool
) -> None:
    assert is_computing(before, now, seconds) is computes
