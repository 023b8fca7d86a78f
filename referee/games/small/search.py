"""The search for the hidden draws of a match behind a log.

Where the rules publish something else than the log, single draws are changed and the match is
played again, until its messages are those of the log. A change that brings the first wrong message
nearer to the log is kept, and the search goes on from there: a message that shows five hidden cards
is reached card by card.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, permutations, product
from math import prod
from typing import Any

import msgspec
from msgspec import UNSET, Struct

from referee.games.interface.log_player import End, UnfollowedError
from referee.games.interface.seats import seat_id
from referee.games.small.guessed import Draw, GuessedDraws, LoggedGame, Shown, Value

MOST_TURNS = 40_000
"""Turns that the searches in one log play at most. They take a few seconds."""
MOST_PAIRS = 1_000
"""Pairs of changes that are tried at most, where no single one helps."""
SMALL_SHUFFLE = 4
"""Of so many items every order is tried; of more, every exchange of two."""


class Wanted(Struct, frozen=True):
    """What a log shows up to some place.

    Attributes:
        said: its public messages.
        seat, shown: a move of this seat, as the log shows it, that must be legal then; UNSET: none.
        end: the end of the match; None: it goes on.
    """

    said: Sequence[Struct]
    seat: int = 0
    shown: Any = UNSET
    end: End | None = None

    @property
    def goal(self) -> float:
        """The fit of a match that has led to all of this."""
        return len(self.said) + 1.0

    def fit(self, game: LoggedGame) -> float:
        """The number of messages that are as in the log, and the share of the first other one."""
        for place, message in enumerate(self.said):
            if place >= len(game.said):
                return float(place)
            if game.said[place] != message:
                return place + 0.9 * _likeness(message, game.said[place])
        if self.shown is not UNSET:
            legal = self.seat in game.legal and game.requests
            return self.goal - (0.0 if legal and game.candidates(self.seat, self.shown) else 1.0)
        if self.end is not None:
            return self.goal - (0.0 if end_of(game) == self.end else 1.0)
        return self.goal

    def parts(self, game: LoggedGame) -> dict[str, Any]:
        """The parts in which the first message that differs is not as in the log, with its values.

        Empty if it is a move that is not legal.
        """
        for place, message in enumerate(self.said):
            if place >= len(game.said):
                return {}
            if game.said[place] != message:
                return _parts(message, game.said[place])
        return {} if self.end is None else _parts(self.end, end_of(game))


class Search:
    """All searches in one log.

    Attributes:
        turns: played so far.
    """

    def __init__(self) -> None:
        self.turns = 0

    def run(self, game: LoggedGame, wanted: Wanted) -> bool:
        """Give a match other draws that lead to what is wanted.

        Returns:
            False if no draws do.

        Raises:
            UnfollowedError: nobody knows, because too many draws are possible.
        """
        best, best_fit = game, wanted.fit(game)
        while best_fit < wanted.goal:
            better = self._better(best, best_fit, wanted) or self._all_of(best, best_fit, wanted)
            if better is None:
                return False
            best, best_fit = better
        if best is not game:
            vars(game).update(vars(best))
        return True

    def _better(
        self, game: LoggedGame, fit: float, wanted: Wanted
    ) -> tuple[LoggedGame, float] | None:
        """The first change of the draws that fits better; None if there is none."""
        for given in _changes(game.draws.draws, _named(wanted, game)):
            new = self._again(game, given, wanted)
            new_fit = wanted.fit(new)
            if new_fit > fit:
                return new, new_fit
        return None

    def _all_of(
        self, game: LoggedGame, fit: float, wanted: Wanted
    ) -> tuple[LoggedGame, float] | None:
        """Try all draws together that change the part that is not as in the log.

        Returns:
            None if none of them fits better, so the log is wrong there.

        Raises:
            UnfollowedError: these are too many.
        """
        now = wanted.parts(game)
        if not now:
            return None  # a move that is not legal: the changes of one draw show that well
        values = [draw.value for draw in game.draws.draws]
        others: dict[int, list[Value]] = {}
        touched: set[str] = set()
        for place, value in _singles(game.draws.draws):
            new = self._again(game, _with(values, {place: value}), wanted)
            changed = {part for part, old in wanted.parts(new).items() if now.get(part) != old}
            if int(wanted.fit(new)) == int(fit) and changed & now.keys():
                others.setdefault(place, []).append(value)
                touched |= changed
        is_moved = any(part.startswith("/moves/") for part in now.keys() & touched)
        if not now.keys() <= touched and not is_moved:  # scores and state follow from a move
            return None  # no draw has to do with some part
        places = list(others)
        choices = [[values[place], *others[place]] for place in places]
        is_all = all(_is_listed(game.draws.draws[place]) for place in places)
        if not is_all or prod(map(len, choices)) > MOST_PAIRS:
            raise UnfollowedError("too many hidden draws are possible")
        for chosen in product(*choices):
            new = self._again(game, _with(values, dict(zip(places, chosen, strict=True))), wanted)
            if (new_fit := wanted.fit(new)) > fit:
                return new, new_fit
        return None

    def _again(self, game: LoggedGame, given: Sequence[Any], wanted: Wanted) -> LoggedGame:
        """Play the moves of the log again with other draws, as far as its messages are the same."""
        chance: Any = GuessedDraws(given)
        setup = msgspec.structs.replace(game.setup, chance=chance)
        new = LoggedGame(type(game.game), game.name, setup)
        new.take_events()
        for replies in game.given:
            self.turns += 1
            if self.turns > MOST_TURNS:
                raise UnfollowedError(
                    f"{MOST_TURNS:,} turns were played in the search for hidden draws"
                )
            if [*wanted.said[: len(new.said)]] != new.said or new.outcome is not None:
                break
            asked = {request.seat for request in new.requests}
            if asked != replies.keys() or not all(
                new.candidates(who, reply.move)
                for who, reply in replies.items()
                if isinstance(reply, Shown)
            ):
                break
            new.advance(replies)
            new.take_events()
        return new


def _changes(draws: Sequence[Draw], named: Sequence[Any]) -> Iterator[list[Any]]:
    """Other draws: one is changed, likely changes first; then two, if there are not too many.

    Args:
        named: values in the message that is not as in the log.
    """
    values = [draw.value for draw in draws]
    singles = _singles(draws)
    likely = [(place, v) for place, v in singles if _moves_named(draws[place], v, named)]
    for place, value in (*likely, *singles):
        yield _with(values, {place: value})
    if len(singles) ** 2 > 2 * MOST_PAIRS:
        return
    for (one, value), (two, other) in combinations(singles, 2):
        if one != two:
            yield _with(values, {one: value, two: other})


def _singles(draws: Sequence[Draw]) -> list[tuple[int, Value]]:
    """All changes of one draw, the last draw first."""
    return [(place, v) for place in range(len(draws) - 1, -1, -1) for v in _others(draws[place])]


def _with(values: Sequence[Value], changed: Mapping[int, Value]) -> list[Any]:
    return [changed.get(place, value) for place, value in enumerate(values)]


def _others(draw: Draw) -> Iterator[Value]:
    """Other results: every choice, every order of few items, every exchange of two of many."""
    if isinstance(draw.value, bytes):
        yield from (key for key in draw.items if key != draw.value)
    elif isinstance(draw.value, int):
        yield from (value for value in range(draw.size) if value != draw.value)
    elif draw.size <= SMALL_SHUFFLE:
        yield from (order for order in permutations(range(draw.size)) if order != draw.value)
    else:
        for one, two in combinations(range(draw.size), 2):
            order = [*draw.value]
            order[one], order[two] = order[two], order[one]
            yield tuple(order)


def _is_listed(draw: Draw) -> bool:
    """Whether `_others` has all results."""
    return not isinstance(draw.value, tuple) or draw.size <= SMALL_SHUFFLE


def _moves_named(draw: Draw, value: Value, named: Sequence[Any]) -> bool:
    """Whether a change moves an item that is named."""
    if not isinstance(value, tuple) or not isinstance(draw.value, tuple):
        return False
    return any(
        old != new and (draw.items[old] in named or draw.items[new] in named)
        for old, new in zip(draw.value, value, strict=True)
    )


def _named(wanted: Wanted, game: LoggedGame) -> list[Any]:
    """The values of the log that the rules do not have in the first message that differs."""
    if wanted.shown is not UNSET:
        return [*_leaves(wanted.shown), wanted.shown]
    for ours, theirs in zip(game.said, wanted.said, strict=False):
        if ours != theirs:
            there = [*_leaves(msgspec.to_builtins(ours))]
            return [leaf for leaf in _leaves(msgspec.to_builtins(theirs)) if leaf not in there]
    return []


def _leaves(value: Any) -> Iterator[Any]:
    if isinstance(value, dict | list):
        for part in value.values() if isinstance(value, dict) else value:
            yield from _leaves(part)
    else:
        yield value


def _likeness(one: Any, other: Any) -> float:
    """The share of two messages that is equal, from 0 to 1."""
    if isinstance(one, Struct):
        return _likeness(msgspec.to_builtins(one), msgspec.to_builtins(other))
    if one == other and type(one) is type(other):
        return 1.0
    if isinstance(one, dict) and isinstance(other, dict):
        keys = one.keys() | other.keys()
        return sum(_likeness(one.get(key), other.get(key)) for key in keys) / len(keys)
    if isinstance(one, list | str) and type(one) is type(other) and len(one) == len(other) > 1:
        return sum(map(_likeness, one, other)) / len(one)
    return 0.0


def _parts(wanted: Any, found: Any, path: str = "") -> dict[str, Any]:
    """The parts of a message that differ: path -> the part of `found`."""
    if isinstance(wanted, Struct):
        wanted, found = msgspec.to_builtins(wanted), msgspec.to_builtins(found)
    if wanted == found and type(wanted) is type(found):
        return {}
    inside: list[tuple[Any, Any, Any]] = []
    if isinstance(wanted, dict) and isinstance(found, dict) and wanted.keys() == found.keys():
        inside = [(key, wanted[key], found[key]) for key in wanted]
    elif isinstance(wanted, list) and isinstance(found, list) and len(wanted) == len(found):
        inside = [(at, a, b) for at, (a, b) in enumerate(zip(wanted, found, strict=True))]
    if not inside:
        return {path: found}
    parts: dict[str, Any] = {}
    for key, a, b in inside:
        parts |= _parts(a, b, f"{path}/{key}")
    return parts


def end_of(game: LoggedGame) -> End | None:
    """The end of a match; None if it goes on."""
    if game.outcome is None:
        return None
    scores = [state.score for state in game.standings()]
    winners = [seat_id(seat) for seat in game.outcome.winners]
    return End(scores, winners, game.outcome.reason)
