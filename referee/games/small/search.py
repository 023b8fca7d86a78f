"""Search for the hidden draws that reproduce a log.

If the rules publish anything that differs from the log, we change some draws and play the match
again, until the messages are equal:

1. We try all changes of a single draw, and begin with the most likely ones. If a change makes the
first wrong message more similar to the log, we keep it. If the message depends on five hidden
cards, we find them one by one.
2. If no single change helps, we take one that corrects the wrong part but breaks another part, and
try to add a second change. For example, a die that everyone sees may also decide who loses.
3. We try all combinations of the last draws.
4. We change draws at random, and undo a change if the match then differs from the log earlier.

If the difference is the same in all these matches, it doesn't depend on hidden draws, so the log is
wrong. If it isn't the same, we can only be sure if we tried all combinations in step 3.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from random import Random
from typing import Any, Protocol, TypeAlias

from referee.games.interface.log_player import Followed, UnfollowedError
from referee.games.small.guessed import Draw, Value

MOST_REPLIES = 80_000
"""We give up on a log after playing this many replies, which takes a few seconds."""
COMBINATIONS = 2_000
"""The maximum number of combinations that we try in step 3."""
NEAR = 3
"""How many single changes we try to combine with a second one in step 2."""
STEPS = 300
"""The number of random steps in step 4."""


class Guess(Protocol):
    """The `LogPlayer` of a match with guessed draws.

    Attributes:
        replies: how many replies were played.
        before_turn: how many draws there were before the last turn.
    """

    replies: int
    before_turn: int

    @property
    def draws(self) -> Sequence[Draw]:
        """All draws so far."""

    def again(self, values: Sequence[Value]) -> Guess:
        """Return a new player for the same log, in which draws have these results."""


Follow: TypeAlias = Callable[[Any], Followed]


class Search:
    """All searches in one log. They share a limit, so that a long log can't take forever."""

    def __init__(self) -> None:
        self._replies = 0
        self._random = Random(0)
        self._tried_all = False

    def best(self, start: Guess, follow: Follow) -> Guess:
        """Return the guess that fits the log best.

        Args:
            start: the guess to begin with.
            follow: plays the match of a guess until the messages differ from the log.

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
            # If the match now differs from the log earlier, go back to the previous draws.
            if int(new.right) == int(best.right):
                now = new


class _Match:
    """A match with guessed draws, played until its messages differ from the log."""

    def __init__(self, player: Guess, follow: Follow) -> None:
        self.player, self._follow = player, follow
        self.right, self.difference = follow(player)

    def again(self, values: Sequence[Value]) -> _Match:
        return _Match(self.player.again(values), self._follow)

    def has_part_of(self, best: _Match) -> bool:
        """Return True if the part that's wrong in the other match is right here.

        Another part of the same message is wrong instead.
        """
        one, two = self.difference, best.difference
        if one is None or two is None or int(self.right) != int(best.right):
            return False
        return one.has_part_of(two)

    def is_other(self, best: _Match) -> bool:
        """Return True if the same message is wrong as in the other match, but in a different way.

        A part that comes earlier in the message doesn't count. If the result is True, the message
        depends on hidden draws, and the log may still be right.
        """
        one, two = self.difference, best.difference
        if one is None or two is None or int(self.right) != int(best.right):
            return False
        if one.place != two.place:
            return one.place > two.place
        return (one.expected, one.ours) != (two.expected, two.ours)


def _singles(best: _Match) -> Iterator[_Match]:
    """Yield all matches in which one draw is different. Likely changes come first.

    If the log shows a card where our message is wrong, we first try shuffles that put this card
    elsewhere. We begin with the last draws, because the earlier ones are probably right.
    """
    draws = best.player.draws
    values, named = _values(draws), [*_leaves(best.difference and best.difference.theirs)]
    places = range(len(draws) - 1, -1, -1)
    singles = [(place, value) for place in places for value in draws[place].others()]
    likely = [(place, value) for place, value in singles if draws[place].moves(value, named)]
    for place, value in (*likely, *singles):
        yield best.again([*values[:place], value, *values[place + 1 :]])


def _combinations(best: _Match) -> Generator[_Match, None, bool]:
    """Yield matches with all combinations of draws. The last draws change most often.

    Returns True if we tried all combinations.

    Raises:
        UnfollowedError: even the draws of the last turn have too many combinations.
    """
    base = best.player.draws
    given, is_all, first_changed = _values(base), True, len(base)
    for _ in range(COMBINATIONS):
        # This works like an odometer. But the number of its wheels isn't fixed, because different
        # draws, or more of them, may follow after a change.
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
    # If we've only changed draws of the last turn so far, these alone have too many combinations.
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
