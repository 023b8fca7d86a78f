"""What some formats add to the standings: a bracket, the points of Swiss rounds, a test."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import asdict

from msgspec import UNSET, Struct, UnsetType

from referee.tournament.rows import table_points
from referee.tournament.schedule.knockout import KnockoutTable, Pair
from referee.tournament.schedule.pairing import distinct
from referee.tournament.schedule.sprt import Sequential
from referee.tournament.schedule.swiss import SwissTable
from referee.tournament.stages import Rounds, Stage
from referee.tournament.store import Store


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

    @property
    def rounds(self) -> dict[str, list[KnockoutPair]]:
        """The pairs of each round, by its name."""
        names = dict.fromkeys(pair.round for pair in self.pairs)
        return {name: [pair for pair in self.pairs if pair.round == name] for name in names}


def knockout_standing(rounds: Rounds, names: Sequence[str]) -> KnockoutStanding | UnsetType:
    """Return the bracket, with names instead of numbers, or UNSET in another format."""
    table = rounds.table
    if not isinstance(table, KnockoutTable):
        return UNSET
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


class SwissPlace(Struct, frozen=True):
    """One bot in the table of a Swiss tournament."""

    place: int
    name: str
    score: float
    byes: int
    opponents: float


class SwissLineUp(Struct, frozen=True):
    """A line-up of the current round.

    Attributes:
        points: the points of each bot in this round so far.
        played: number of its matches that have a result, including void matches and forfeits.
        matches: number of its matches in the whole round.
    """

    bots: list[str]
    points: list[float]
    played: int
    matches: int


class Swiss(Struct, frozen=True):
    """The table of a Swiss tournament after the last finished round, best first.

    Attributes:
        rounds: number of finished rounds.
        first_matches: for each round that is paired, the number of its first match.
        next: the line-ups of the current round. After the last round, the list is empty.
        next_byes: the bots that have a bye in the current round.
    """

    rounds: int
    places: list[SwissPlace]
    first_matches: list[int]
    next: list[SwissLineUp]
    next_byes: list[str]


def swiss_standing(store: Store, rounds: Rounds) -> Swiss | None:
    """Return the table of a Swiss tournament, or None in another format."""
    if not isinstance(rounds.table, SwissTable):
        return None
    table, names = rounds.table, store.shown_names
    table.add_bots(len(names))  # some may have come after the last round
    scores = [round(score, 6) for score in table.points]
    keys = list(zip(scores, (round(score, 6) for score in table.opponents()), strict=True))
    best_first = sorted(keys, reverse=True)
    order = sorted(range(len(names)), key=keys.__getitem__, reverse=True)
    return Swiss(
        rounds=table.rounds,
        places=[
            SwissPlace(
                place=1 + best_first.index(keys[bot]),
                name=names[bot],
                score=keys[bot][0],
                byes=table.byes[bot],
                opponents=keys[bot][1],
            )
            for bot in order
        ],
        first_matches=rounds.first_matches,
        next=_next_line_ups(store, rounds.playing, names) if rounds.playing else [],
        next_byes=_next_byes(store, rounds.playing, names),
    )


def _next_line_ups(store: Store, stage: Stage, names: Sequence[str]) -> list[SwissLineUp]:
    """Return the line-ups of a Swiss round with their results so far."""
    played: Counter[frozenset[int]] = Counter()
    points: defaultdict[int, float] = defaultdict(float)
    for match in store.matches(stage.first_match, stage.end):
        played[frozenset(match.players)] += 1
        for bot, own in zip(match.players, table_points(match), strict=True):
            points[bot] += own
    line_ups = distinct(stage.line_ups)
    deals = len(stage.line_ups) // len(line_ups)
    return [
        SwissLineUp(
            bots=[names[bot] for bot in line_up],
            points=[round(points[bot], 6) for bot in line_up],
            played=played[frozenset(line_up)],
            matches=deals * stage.setup.matches_a_deal,
        )
        for line_up in line_ups
    ]


def _next_byes(store: Store, stage: Stage | None, names: Sequence[str]) -> list[str]:
    """Return the bots that have a bye in a Swiss round."""
    if stage is None:
        return []
    gone = {*store.bots_out(), *store.withdrawn}.union(*distinct(stage.line_ups))
    return [name for bot, name in enumerate(names) if bot not in gone]


class SprtStanding(Struct, frozen=True):
    """The hypotheses of a sequential test, and how far the test has got."""

    elo0: float
    elo1: float
    alpha: float
    beta: float
    llr: float
    lower: float
    upper: float
    counts: list[int]
    verdict: str | None


def sprt_standing(test: Sequential | None, *, is_ended: bool) -> SprtStanding | None:
    """Return the state of a sequential test, which a withdrawal may have ended, or None."""
    if test is None:
        return None
    asked = test.test
    lower, upper = asked.bounds
    return SprtStanding(
        **asdict(asked),
        llr=round(test.llr, 4),
        lower=round(lower, 4),
        upper=round(upper, 4),
        counts=test.counts,
        verdict=None if is_ended else test.verdict,
    )
