"""Prepares the bracket of a knockout for JSON, the terminal and HTML pages."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from referee.tournament.schedule.knockout import KnockoutTable, Pair


class KnockoutPair(Struct, frozen=True):
    """Two bots that meet in a knockout.

    Attributes:
        bots: the better seed comes first. If a bot is None, the other bot has a bye.
        is_over: True if the round is over.
        points, scores: sums for both bots over all matches. Only valid if the round is over.
        winner: the bot that advances, or None if the pair has not played or neither bot can
            continue.
    """

    round: str
    bots: tuple[str | None, str | None]
    is_over: bool
    points: tuple[float, float]
    scores: tuple[float, float]
    winner: str | None

    @property
    def is_level(self) -> bool:
        """Whether both bots of a finished pair have equal points."""
        return self.is_over and None not in self.bots and self.points[0] == self.points[1]


class KnockoutPlace(Struct, frozen=True):
    """The final place of a bot. Bots that lost in the same round share a place."""

    place: int
    name: str


class KnockoutStanding(Struct, frozen=True):
    """The pairs of a knockout, by round, and the places known so far, best first."""

    pairs: list[KnockoutPair]
    places: list[KnockoutPlace]


def knockout_standing(table: KnockoutTable, names: Sequence[str]) -> KnockoutStanding:
    """Return the bracket, with names instead of numbers."""
    over = [_pair(pair, names, is_over=True) for each in table.rounds for pair in each]
    playing = [_pair(pair, names, is_over=False) for pair in table.playing]
    places = sorted(table.places().items(), key=lambda each: (each[1], each[0]))
    return KnockoutStanding(
        [*over, *playing], [KnockoutPlace(place, names[bot]) for bot, place in places]
    )


def _pair(pair: Pair, names: Sequence[str], *, is_over: bool) -> KnockoutPair:
    first, second = (None if bot is None else names[bot] for bot in pair.bots)
    winner = None if pair.winner is None else names[pair.winner]
    return KnockoutPair(pair.round, (first, second), is_over, pair.points, pair.scores, winner)
