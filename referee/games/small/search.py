"""The search for the hidden draws that reproduce a log.

If the rules publish anything that differs from the log, we change draws and play the match again,
until the messages are equal:

1. Try all changes of a single draw, likely changes first. Keep a change that makes the first wrong
message more similar to the log. A message with five hidden cards is reached card by card.
2. If no single change helps, add a second change to one that makes the wrong part right. For
example, a die that everyone sees may also decide who loses.
3. Try all combinations of the last draws.
4. Walk at random through matches that fit as far as this one.

If the difference is the same in all these matches, it doesn't depend on hidden draws, and the log
is wrong. Otherwise we don't know, unless step 3 has tried all combinations.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from random import Random
from typing import Any, Protocol, TypeAlias

from referee.games.interface.log_player import Followed, UnfollowedError
from referee.games.small.guessed import Draw, Value

MOST_REPLIES = 80_000
"""Maximum number of replies played by all searches in one log. It takes a few seconds."""
COMBINATIONS = 2_000
"""Maximum number of combinations of the last draws."""
NEAR = 3
"""Maximum number of single changes for which a second change is tried."""
STEPS = 300
"""Number of steps of the random walk."""


class Guess(Protocol):
    """A match with guessed draws.

    Attributes:
        replies: number of replies played.
        before_turn: number of draws before the last turn.
    """

    replies: int
    before_turn: int

    @property
    def draws(self) -> Sequence[Draw]:
        """All draws so far."""

    def again(self, values: Sequence[Value]) -> Guess:
        """Create a match with other draws, not played yet."""


Follow: TypeAlias = Callable[[Any], Followed]


class Search:
    """All searches in one log. They share a limit, so that a long log can't take forever."""

    def __init__(self) -> None:
        self._replies = 0
        self._random = Random(0)
        self._tried_all = False

    def best(self, start: Guess, follow: Follow) -> Guess:
        """Return the draws that fit a log best.

        Args:
            start: the match with the initial draws.
            follow: plays a match until its messages differ from the log.

        Raises:
            UnfollowedError: other draws may fit better, but there are too many to try.
        """
        best: _Match | None = _Match(start.again(_values(start.draws)), follow)
        while best is not None and best.difference is not None and best.player.draws:
            start = best.player
            best = self._better(best)
        return start if best is None else best.player

    def _better(self, best: _Match) -> _Match | None:
        is_open = False
        for new in self._others(best):
            self._replies += new.player.replies
            if self._replies > MOST_REPLIES:
                text = f"{MOST_REPLIES:,} replies were played in the search for hidden draws"
                raise UnfollowedError(text)
            # We take the first improvement. To find the best one, we'd have to play all the other
            # matches, too.
            if new.right > best.right:
                return new
            is_open = is_open or new.is_other(best)
        if is_open and not self._tried_all:
            raise UnfollowedError("too many hidden draws are possible")
        return None

    def _others(self, best: _Match) -> Iterator[_Match]:
        near: list[_Match] = []
        for new in _singles(best):
            yield new
            if len(near) < NEAR and new.has_part_of(best):
                near.append(new)
        for each in near:
            yield from _singles(each)
        self._tried_all = yield from _combinations(best)
        if not self._tried_all:
            yield from self._walk(best)

    def _walk(self, best: _Match) -> Iterator[_Match]:
        random, now = self._random, best
        for _ in range(STEPS):
            draws = [*now.player.draws]
            for _ in range(random.randint(1, 3)):
                place = random.randrange(len(draws))
                draws[place] = draws[place].changed(random)
            yield (new := now.again(_values(draws)))
            # If these draws fit less well, go back to the previous draws.
            if int(new.right) == int(best.right):
                now = new


class _Match:
    """A match with guessed draws, played until its messages differ from the log."""

    def __init__(self, player: Guess, follow: Follow) -> None:
        self.player, self._follow = player, follow
        self.right, self.difference = follow(player)

    def again(self, values: Sequence[Value]) -> _Match:
        """Play the match with other draws."""
        return _Match(self.player.again(values), self._follow)

    def has_part_of(self, best: _Match) -> bool:
        """True if it has the wrong part of another match right, but a different part wrong."""
        one, two = self.difference, best.difference
        if one is None or two is None or int(self.right) != int(best.right):
            return False
        return one.has_part_of(two)

    def is_other(self, best: _Match) -> bool:
        """True if it fits as far as another match, but its wrong part differs.

        In that case the difference depends on hidden draws, so the log may still be right.
        """
        one, two = self.difference, best.difference
        if one is None or two is None or int(self.right) != int(best.right):
            return False
        if one.place != two.place:
            return one.place > two.place
        return (one.expected, one.ours) != (two.expected, two.ours)


def _singles(best: _Match) -> Iterator[_Match]:
    """Yield all matches with one changed draw, beginning with likely changes and the last draws.

    If the wrong message in the log contains an item, a likely change is a shuffle that puts this
    item elsewhere.
    """
    draws = best.player.draws
    values, named = _values(draws), [*_leaves(best.difference and best.difference.theirs)]
    places = range(len(draws) - 1, -1, -1)
    singles = [(place, value) for place in places for value in draws[place].others()]
    likely = [(place, value) for place, value in singles if draws[place].moves(value, named)]
    for place, value in (*likely, *singles):
        yield best.again([*values[:place], value, *values[place + 1 :]])


def _combinations(best: _Match) -> Generator[_Match, None, bool]:
    """Yield combinations of all draws, varying the last draws first.

    Returns True if all combinations were tried.

    Raises:
        UnfollowedError: there are too many combinations even for the draws of the last turn.
    """
    base = best.player.draws
    given, is_all, first_changed = _values(base), True, len(base)
    for _ in range(COMBINATIONS):
        # This works like an odometer whose number of wheels changes, because a changed draw may be
        # followed by other draws, or by more of them.
        yield (new := best.again(given))
        draws = new.player.draws
        for place in range(len(draws) - 1, -1, -1):
            draw = draws[place]
            is_all = is_all and draw.is_listed
            is_same = place < len(base) and draw.is_like(base[place])
            first = base[place].value if is_same else draw.first
            values = [first, *draw._replace(value=first).others()] if draw.is_listed else [first]
            if draw.value != values[-1]:
                number = values.index(draw.value) + 1
                given = [*_values(draws[:place]), values[number], *_values(base[place + 1 :])]
                first_changed = min(first_changed, place)
                break
        else:
            return is_all
    # All changes so far were in the draws of the last turn, so these alone have too many
    # combinations.
    if first_changed >= best.player.before_turn:
        raise UnfollowedError("too many hidden draws are possible")
    return False


def _values(draws: Sequence[Draw]) -> list[Value]:
    return [draw.value for draw in draws]


def _leaves(value: Any) -> Iterator[Any]:
    if isinstance(value, dict | list):
        for part in value.values() if isinstance(value, dict) else value:
            yield from _leaves(part)
    else:
        yield value
