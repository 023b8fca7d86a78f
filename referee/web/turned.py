"""Find turning points: changes of the lead, the deciding turn, and the longest thinking time.

Taking the lead only counts if it lasts until everybody else has had a turn. To find the deciding
turn, we look at the turns since which the winner has always been ahead of everybody. The turn in
which the winner gained the most on the best opponent decided the match, but only if that was more
than a quarter of the final margin. Otherwise it was won in small steps, with no deciding turn.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from referee.games.interface.game import Score
from referee.web.data import Moment, Step, TurnText

# Nobody cares about the longest thinking time if it's less than this many seconds.
LONG_SECONDS = 0.1


def turning_points(
    turns: Sequence[TurnText], steps: Sequence[Step], curve: str, winners: Sequence[int]
) -> list[Moment]:
    """Find the turning points so far. They are in the order of their steps.

    Args:
        curve: the name of the curve with the scores.
        winners: the seats that won. While the match is in progress, there aren't any.
    """
    scored = [turn for turn in turns if turn.scores and len(turn.scores) > 1]
    scores = [list(turn.scores or ()) for turn in scored]
    leads = _lead_changes(scored, scores)
    found = []
    for place, seat in leads:
        if place == 0:
            continue  # we don't know the scores before the first turn, so this isn't a change
        turn = scored[place]
        at = _step_of_lead(turn, steps, curve, seat)
        found.append(Moment("lead", turn.turn, at, seat, scores[place - 1]))
    # If the winner isn't ahead on points, something else decided, e.g. the number of turns.
    if leads and [leads[-1][1]] == list(winners) and _margin(scores[-1], winners[0]) > 0:
        place = _deciding_turn(scores, winners[0])
        turn = scored[place]
        if place:
            if place == leads[-1][0]:
                found.pop()  # don't list this turn twice
            found.append(Moment("decided", turn.turn, turn.first, winners[0], scores[place - 1]))
    return sorted([*found, *_longest_think(steps)], key=lambda moment: moment.at)


def _margin(scores: Sequence[Score], seat: int) -> Score:
    return scores[seat] - max(other for at, other in enumerate(scores) if at != seat)


def _lead_changes(
    turns: Sequence[TurnText], scores: Sequence[Sequence[Score]]
) -> list[tuple[int, int]]:
    leaders = []
    for row in scores:
        most = max(row)
        leaders.append(row.index(most) if row.count(most) == 1 else None)
    leads: list[tuple[int, int]] = []
    for place, seat in enumerate(leaders):
        if seat is None or (leads and leads[-1][1] == seat):
            continue
        end = place + _turns_of_all(turns[place : place + len(scores[0])], len(scores[0]))
        if all(other in (None, seat) for other in leaders[place:end]):
            leads.append((place, seat))
    return leads


def _turns_of_all(turns: Sequence[TurnText], seats: int) -> int:
    """Count the turns until every seat has moved, which is only one in some games."""
    moved: set[int] = set()
    for count, turn in enumerate(turns, 1):
        moved.update(turn.seats)
        if len(moved) == seats:
            return count
    return len(turns)


def _step_of_lead(turn: TurnText, steps: Sequence[Step], curve: str, seat: int) -> int:
    for at in range(turn.first, turn.last + 1):
        scores = steps[at].values.get(curve, ())
        if scores and _margin(scores, seat) > 0:
            return at
    return turn.first


def _deciding_turn(scores: Sequence[Sequence[Score]], winner: int) -> int:
    """Return the index of the deciding turn, or 0 if there's none. Negative scores count as 0."""
    taken = max((at + 1 for at, row in enumerate(scores) if _margin(row, winner) <= 0), default=0)
    margins = [_margin([max(score, 0) for score in row], winner) for row in scores]
    gains = [0, *(now - last for last, now in pairwise(margins))]
    place = max(range(taken, len(gains)), key=gains.__getitem__)
    return place if 4 * gains[place] > margins[-1] else 0


def _longest_think(steps: Sequence[Step]) -> list[Moment]:
    longest: list[Moment] = []
    before: Step | None = None
    most = LONG_SECONDS
    for at, step in enumerate(steps):
        if step.time is None:
            continue
        if before is not None and before.time is not None and step.time - before.time > most:
            most = step.time - before.time
            seat = before.seats[0] if len(before.seats) == 1 else None
            moment = Moment("think", step.ends or step.turn, at, seat, seconds=round(most, 3))
            longest = [moment]
        before = step
    return longest
