"""Turning points of a match, found from the scores after its turns."""

from __future__ import annotations

from referee.web.data import Moment, Step, TurnText
from referee.web.turned import turning_points


def moments(
    *scores: list[int] | None, winners: tuple[int, ...] = (), seats: tuple[int, ...] = ()
) -> list[Moment]:
    """Find the turning points of a match with these scores.

    Each turn has two steps, and the second one has the points.
    """
    turns = [
        TurnText(turn, 2 * turn - 2, 2 * turn - 1, seats=seats or ((turn - 1) % 2,), scores=after)
        for turn, after in enumerate(scores, 1)
    ]
    steps = [
        Step(turn, (0, 0), values={"points": [*map(float, after or ())]} if second else {})
        for turn, after in enumerate(scores, 1)
        for second in (False, True)
    ]
    return turning_points(turns, steps, "points", winners)


def test_a_lead_counts_if_it_lasts_until_each_seat_had_a_turn() -> None:
    passing = [1, 0], [1, 0], [1, 2], [3, 2], [3, 4], [3, 5]
    assert moments(*passing) == [Moment("lead", 5, 9, 1, [3, 2])]
    assert moments([0, 0], [1, 0], [1, 0]) == [Moment("lead", 2, 3, 0, [0, 0])]
    assert moments([1, 0], [1, 1], [1, 2]) == [Moment("lead", 3, 5, 1, [1, 1])]
    assert moments([1, 0], [1, 2], [1, 3]) == [Moment("lead", 2, 3, 1, [1, 0])]


def test_a_lead_begins_with_the_step_that_is_ahead_and_not_level() -> None:
    points = [1.0, 0.0], [1.0, 0.0], [1.0, 1.0], [1.0, 2.0]
    turns = [TurnText(1, 0, 0, seats=(0,), scores=[1, 0])]
    turns += [TurnText(2, 1, 3, seats=(1,), scores=[1, 2])]
    steps = [Step(1 + (n > 0), (0, 0), values={"points": two}) for n, two in enumerate(points)]
    assert turning_points(turns, steps, "points", ()) == [Moment("lead", 2, 3, 1, [1, 0])]


def test_a_lead_counts_at_once_if_all_seats_move_together() -> None:
    passing = [1, 0], [1, 2], [3, 2]
    assert moments(*passing) == [Moment("lead", 3, 5, 0, [1, 2])]
    leads = [Moment("lead", 2, 3, 1, [1, 0]), Moment("lead", 3, 5, 0, [1, 2])]
    assert moments(*passing, seats=(0, 1)) == leads


def test_the_turn_in_which_the_winner_gained_most_decided_the_match() -> None:
    scores = [3, 0], [3, 0], [3, 6], [3, 6], [3, 7]
    lead = Moment("lead", 3, 5, 1, [3, 0])
    assert moments(*scores) == [lead]
    # "decided" replaces "lead", so this turn isn't listed twice.
    assert moments(*scores, winners=(1,)) == [Moment("decided", 3, 4, 1, [3, 0])]
    later = [3, 0], [3, 4], [3, 4], [3, 9]
    turned = [Moment("lead", 2, 3, 1, [3, 0]), Moment("decided", 4, 6, 1, [3, 4])]
    assert moments(*later, winners=(1,)) == turned
    assert moments(*scores, winners=(0, 1)) == [lead]
    assert moments(*scores, winners=(0,)) == [lead]  # player2 led but was disqualified


def test_a_turn_after_which_the_winner_was_caught_decided_nothing() -> None:
    lead = Moment("lead", 3, 5, 1, [3, 0])
    caught = [3, 0], [3, 0], [3, 9], [9, 9], [9, 12]
    assert moments(*caught, winners=(1,)) == [lead, Moment("decided", 5, 8, 1, [9, 9])]
    passed = [3, 0], [3, 0], [3, 9], [10, 9], [10, 12]
    assert moments(*passed, winners=(1,)) == [Moment("decided", 5, 8, 1, [10, 9])]
    closer = [3, 0], [3, 0], [3, 9], [8, 9], [8, 10]
    assert moments(*closer, winners=(1,)) == [Moment("decided", 3, 4, 1, [3, 0])]


def test_a_match_with_level_scores_was_not_decided_by_a_score() -> None:
    scores = [3, 0], [3, 0], [3, 6], [3, 6], [6, 6]
    assert moments(*scores, winners=(1,)) == [Moment("lead", 3, 5, 1, [3, 0])]


def test_small_steps_decide_nothing() -> None:
    steps = [[place, 0] for place in range(9)]
    assert moments(*steps, winners=(0,)) == [Moment("lead", 2, 3, 0, [0, 0])]
    assert moments([5, 0], [5, -9], [5, -50], winners=(0,)) == []  # negative scores count as 0


def test_turns_without_scores_are_left_out() -> None:
    scores = None, [1, 0], [1, 0], None, [1, 2]
    assert moments(*scores) == [Moment("lead", 5, 9, 1, [1, 0])]
    assert moments([1], [2], winners=(0,)) == []


def test_the_longest_think() -> None:
    """Thinking time counts for the seat that had the request, and for the turn of its reply."""
    times = [(1.0, (0,)), (1.05, (1,)), (None, (1,)), (3.05, (0, 1)), (4.0, ())]
    steps = [Step(turn, (0, 0), seats, time=time) for turn, (time, seats) in enumerate(times, 1)]
    assert turning_points([], steps, "", ()) == [Moment("think", 4, 3, 1, seconds=2.0)]
    assert turning_points([], steps[:3], "", ()) == []
