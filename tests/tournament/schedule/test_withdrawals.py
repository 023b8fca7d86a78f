"""Tests for withdrawals (spec/tournaments.md, 4). They only depend on the schedule's order."""

from __future__ import annotations

from itertools import groupby

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.tournament.schedule.withdrawals import Withdrawal, Withdrawals

CODES = st.sampled_from([None, "timeout", "exited"])


def found(after: int | None, *matches: dict[int, str | None]) -> dict[int, Withdrawal]:
    """Return who is withdrawn after these matches, numbered from 0. A void match is {}."""
    withdrawals = Withdrawals(after)
    for number, codes in enumerate(matches):
        if codes and not withdrawals.of(codes):
            withdrawals.take(number, codes)
    return withdrawals.found


@pytest.mark.parametrize(
    ("codes", "match"),
    [
        ("ttt", 2),
        ("ttttt", 2),
        (".ttt", 3),
        ("tt.ttt", 5),
        ("tt.tt", None),
        ("tteet", None),
        ("tteee", 4),  # a different cause starts a new row
        ("tt tt", 3),  # void matches don't break a row ...
        ("t   t   t", 8),
        ("   tt", None),  # ... and don't add to it
        ("tt", None),
        ("", None),
    ],
)
def test_a_row_of_one_cause_withdraws_a_bot(codes: str, match: int | None) -> None:
    meaning = {"t": "timeout", "e": "exited", ".": None}
    matches = [{} if code == " " else {7: meaning[code], 8: None} for code in codes]
    code = "exited" if codes.endswith("eee") else "timeout"
    assert found(3, *matches) == ({} if match is None else {7: Withdrawal(match, code)})


@pytest.mark.parametrize(("last", "match"), [(-1, 2), (0, 3), (2, 5), (6, None)])
def test_a_row_begins_after_the_match_of_a_bot_that_was_reinstated(
    last: int, match: int | None
) -> None:
    withdrawals = Withdrawals(3, {7: last})
    for number in range(9):
        if not withdrawals.of([7]):
            withdrawals.take(number, {7: "timeout", 8: None})
    assert withdrawals.found == ({} if match is None else {7: Withdrawal(match, "timeout")})


def test_never() -> None:
    assert found(None, *[{0: "timeout", 1: None}] * 100) == {}


def test_once_is_enough_if_it_is_asked_for() -> None:
    assert found(1, {0: None, 1: "exited"}) == {1: Withdrawal(0, "exited")}


def test_all_bots_of_a_match_can_be_withdrawn_by_it() -> None:
    assert found(2, *[{0: "timeout", 1: "exited", 2: None}] * 9) == {
        0: Withdrawal(1, "timeout"),
        1: Withdrawal(1, "exited"),
    }


def test_a_forfeit_neither_breaks_a_row_nor_lengthens_it() -> None:
    """Match 1 withdraws bot 0, which makes match 3 a forfeit, between two failures of bot 2."""
    matches: list[dict[int, str | None]] = [
        {0: "timeout", 1: None},
        {0: "timeout", 1: None},
        {2: "exited", 1: None},
        {2: None, 0: None},
        {2: "exited", 1: None},
    ]
    assert found(2, *matches).keys() == {0, 2}
    assert found(2, *matches[:4]).keys() == {0}


@given(
    st.integers(1, 4),
    st.lists(
        st.dictionaries(st.integers(0, 4), CODES, min_size=2, max_size=3) | st.just({}),
        max_size=60,
    ),
)
def test_it_is_the_first_row_in_the_bots_own_schedule(
    after: int, matches: list[dict[int, str | None]]
) -> None:
    """Apply the definition to one bot at a time, given the withdrawals of the others."""
    withdrawn = found(after, *matches)
    for bot in range(5):
        own = [
            (number, codes[bot])
            for number, codes in enumerate(matches)
            if bot in codes
            and not any(
                other in withdrawn and withdrawn[other].match < number
                for other in codes
                if other != bot
            )
        ]
        rows = ([*row] for _, row in groupby(own, lambda each: each[1]))
        first = next(
            (row[after - 1] for row in rows if row[0][1] is not None and len(row) >= after), None
        )
        assert withdrawn.get(bot) == (None if first is None else Withdrawal(*first))
