"""The standings of a tournament, computed from its store.

`--format json` prints these structs. spec/json.md, 6, explains their fields.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable
from typing import Any, NamedTuple

import numpy as np
from msgspec import UNSET, Struct, UnsetType
from numpy.typing import NDArray

from referee.match.limits import LimitsBy
from referee.match.sandbox import SandboxKind
from referee.tournament.rating.deals import DealTable
from referee.tournament.rating.intervals import Shares
from referee.tournament.rating.ratings import Differences, Ratings, rate
from referee.tournament.rating.sprt import OUTCOMES
from referee.tournament.rating.tallies import head_to_head, seat_advantage, tally
from referee.tournament.report import formats
from referee.tournament.report.played import Played, played_of
from referee.tournament.report.seats import SeatStanding, seat_standings
from referee.tournament.rows import FORFEIT, points_of_forfeit
from referee.tournament.schedule.sprt import sequential
from referee.tournament.schedule.withdrawals import Withdrawal
from referee.tournament.stages import expected, rounds_of
from referee.tournament.store import Store

# With more bots than this, we only compare pairs that have met, because all pairs would take more
# space than the store itself.
MOST_COMPARED = 200
_COUNTS = ("matches", "wins", "draws", "losses")


class Share(Struct, frozen=True):
    """A share from 0 to 1, with a 95% interval over deals."""

    share: float
    low: float
    high: float


class BotStanding(Struct, frozen=True):
    """One row of the standings. Unknown values and open ends of intervals are None.

    Attributes:
        points: points from matches and forfeits. All other fields only include matches that were
            played.
    """

    name: str
    reported_name: str | None
    rank: int
    rating: float | None
    rating_low: float | None
    rating_high: float | None
    in_rating_pool: bool
    los: float | None
    deals: int
    matches: int
    wins: int
    draws: int
    losses: int
    points: float
    forfeits_won: int
    forfeits_lost: int
    win_rate: Share | None
    mean_points: Share | None


class Meeting(Struct, frozen=True, gc=False):
    """How one bot did against another, in all matches in which both played."""

    matches: int
    wins: int
    draws: int
    losses: int
    points: float


class Difference(Struct, frozen=True, gc=False):
    """One bot's rating minus another's. Unknown values and open ends of the interval are None."""

    elo: float | None
    low: float | None
    high: float | None
    los: float | None


_UNKNOWN = Difference(None, None, None, None)
_DIGITS = (2, 2, 2, 4)  # we round a difference to these


class Repeats(Struct, frozen=True):
    """A line-up that has played the same matches again and again.

    Attributes:
        bots: names.
        matches: number of matches that count.
        different: number of these matches with different messages.
    """

    bots: list[str]
    matches: int
    different: int


class Standings(Struct, frozen=True):
    """The standings of a tournament. Lists by seat are in seat order.

    Attributes:
        seats: the points per match of each seat.
        pairs: number of deals with 0, 0.5, 1, 1.5 and 2 points for the first of two bots.
        removed: the bots that are out.
        changed: the bots that played with several versions of their files.
        knockout: the bracket. This field is missing in other formats.
        limits_of_bots: the limits of bots that have their own, by name. This field is missing if no
            bot has any.
        by_seat: the results of each seat. This field is missing if the matches don't start from a
            position.
        too_early: number of matches that ended before they got to the position. This field is
            missing if the matches don't start from a position.
        repeats: the line-ups in which fewer than half of the matches are different.
        opening: number of rounds of each match in which the replies were drawn at random. This
            field is missing if there are none.
    """

    game: str
    format: str
    players: int
    matches: int
    void: int
    forfeits: int
    planned: int
    deals: int
    seed: int
    anchor: str | None
    excluded: list[str]
    bots: list[BotStanding]
    head_to_head: dict[str, dict[str, Meeting]]
    differences: dict[str, dict[str, Difference]]
    seats: list[Share]
    pairs: list[int] | None
    swiss: formats.Swiss | None
    sprt: formats.SprtStanding | None
    removed: list[str]
    changed: list[str]
    sandbox: SandboxKind
    limits_by: list[LimitsBy]
    left_out: dict[str, str]
    withdraw_after: int | None
    withdrawn: dict[str, Withdrawal]
    position: str | UnsetType = UNSET
    knockout: formats.KnockoutStanding | UnsetType = UNSET
    limits_of_bots: dict[str, dict[str, int | float | None]] | UnsetType = UNSET
    too_early: int | UnsetType = UNSET
    repeats: list[Repeats] = []
    opening: int | UnsetType = UNSET
    by_seat: list[SeatStanding] | UnsetType = UNSET

    @property
    def has_no_verdict(self) -> bool:
        """Whether a withdrawal ended the tournament, because every bot plays in every match."""
        return bool(self.withdrawn) and len(self.bots) + len(self.excluded) == self.players

    def apart(self, one: str, other: str) -> Difference:
        """Return the difference between two bots, by name."""
        return self.differences[one].get(other) or _UNKNOWN


def standings(
    store: Store,
    anchor: tuple[int, float] | None = None,
    without: Collection[int] = (),
    most_paired: int | None = None,
    played: Played | None = None,
) -> Standings:
    """Compute the current standings.

    Args:
        anchor: number of a bot, and its fixed rating. Without an anchor, the mean of the field is
            1500.
        without: numbers of bots whose matches don't count.
        most_paired: compare only this many bots, from the top of the ranking, with each other. If
            it's None, compare all bots.
        played: the matches of the store without these bots, if already read.
    """
    setup = store.stages[-1]
    names = store.shown_names
    played = played or played_of(store, without)
    _, void = store.count()
    forfeited, withdrawn = count_matches(store, "reason = ?", FORFEIT), store.withdrawn
    is_ended = bool(withdrawn) and setup.ends_with_withdrawal
    test = sequential(setup, store.matches())
    table = played.deals.table()
    rated = rate_played(table, anchor, stopped=test is not None)
    rounds = rounds_of(store)
    meetings, differences = _compare_pairs(rated, names, most_paired)
    return Standings(
        game=setup.game,
        format=setup.format,
        players=setup.players,
        matches=len(table.index),
        void=void - forfeited,
        forfeits=forfeited,
        planned=expected(store, test),
        deals=len(table.bots),
        seed=setup.seed,
        anchor=None if anchor is None else names[anchor[0]],
        excluded=[names[bot] for bot in sorted(without)],
        bots=bot_standings(
            table, rated, names, reported_names(store), forfeits_of(store, without), without
        ),
        head_to_head=meetings,
        differences=differences,
        seats=_seats(table),
        pairs=_pairs(table) if len(names) == 2 and setup.seats != "fixed" else None,
        swiss=formats.swiss_standing(store, rounds),
        sprt=formats.sprt_standing(test, is_ended=is_ended),
        removed=[names[bot] for bot in sorted(store.bots_out())],
        changed=[name for name, digests in store.versions.items() if len(digests) > 1],
        sandbox=setup.sandbox,
        limits_by=store.limits_by,
        left_out={names[bot]: why for bot, why in store.left_out.items()},
        withdraw_after=setup.withdraw_after,
        withdrawn={names[bot]: withdrawal for bot, withdrawal in withdrawn.items()},
        position=str(setup.position) if setup.position else UNSET,
        knockout=formats.knockout_standing(rounds, names),
        limits_of_bots={
            name: dict(bot.limits)
            for name, bot in zip(names, setup.bots, strict=True)
            if bot.limits
        }
        or UNSET,
        too_early=count_matches(store, "NOT void AND turns < ?", setup.position.turn)
        if setup.position
        else UNSET,
        repeats=[
            Repeats([names[bot] for bot in bots], count, different)
            for bots, count, different in table.repeats()
        ],
        opening=setup.opening,
        by_seat=seat_standings(table, played.scores) if setup.position else UNSET,
    )


def count_matches(store: Store, condition: str, value: str | int) -> int:
    """Count the matches in a store, including void ones, that meet a condition of SQL."""
    ((count,),) = store.select(f"SELECT count(*) FROM matches WHERE {condition}", (value,))
    return int(count)


class Forfeits(NamedTuple):
    """How many forfeits each bot won and lost, and its points for them, by bot number."""

    won: Counter[int]
    lost: Counter[int]
    points: Counter[int]


def forfeits_of(store: Store, without: Collection[int] = ()) -> Forfeits:
    """Count each bot's forfeits. Takes the same arguments as `played_of`."""
    players = store.stages[-1].players
    excluded = ", ".join(str(int(bot)) for bot in without)
    rows = store.select(
        "WITH forfeits AS (SELECT match, count(disqualified) AS withdrawn FROM matches JOIN seats "
        f"USING (match) WHERE reason = ? GROUP BY match HAVING NOT max(bot IN ({excluded}))) "
        "SELECT bot, disqualified IS NULL, withdrawn, count(*) FROM forfeits JOIN seats "
        "USING (match) GROUP BY 1, 2, 3",
        (FORFEIT,),
    )
    found = Forfeits(Counter(), Counter(), Counter())
    for bot, is_won, withdrawn, count in rows:
        (found.won if is_won else found.lost)[bot] += count
        if is_won:
            found.points[bot] += count * points_of_forfeit(withdrawn, players)
    return found


def reported_names(store: Store) -> dict[int, str]:
    """Return the name that each bot has reported most often, by bot number."""
    # The rows come in ascending order of the count, so the most frequent name comes last and
    # overwrites the others.
    query = "SELECT bot, calls_itself, count(*) FROM seats GROUP BY bot, calls_itself ORDER BY 3"
    return {bot: name for bot, name, _ in store.select(query)}


class Rated(NamedTuple):
    """The ratings of all bots that have played.

    Attributes:
        numbers: the numbers of these bots in the tournament. All other fields number them from 0.
        table: the matches that count.
    """

    numbers: list[int]
    table: DealTable
    ratings: Ratings
    differences: Differences


def rate_played(
    table: DealTable, anchor: tuple[int, float] | None, *, stopped: bool
) -> Rated | None:
    """Rate the bots that have played. Returns None if no match counts.

    A store can name thousands of bots that haven't played, and they'd only cost time.
    """
    if not len(table.bots):
        return None
    numbers, anchor = rated_bots(table, anchor)
    table = table.of(numbers)
    ratings = rate(table, anchor=anchor, stopped=stopped)
    return Rated(numbers.tolist(), table, ratings, ratings.differences())


def rated_bots(
    table: DealTable, anchor: tuple[int, float] | None
) -> tuple[NDArray[np.integer], tuple[int, float] | None]:
    """Return the numbers of the bots to rate, and the anchor with its index in that array.

    We only rate bots that have played, and the anchor.
    """
    numbers = np.unique(table.bots)
    if anchor is None:
        return numbers, None
    numbers = np.union1d(numbers, [anchor[0]])
    return numbers, (int(np.searchsorted(numbers, anchor[0])), anchor[1])


def bot_standings(
    table: DealTable,
    rated: Rated | None,
    names: list[str],
    own_names: dict[int, str],
    forfeits: Forfeits,
    without: Collection[int] = (),
) -> list[BotStanding]:
    """Return all bots except those in `without`, best first. Bots without matches are last."""
    found = tally(table)
    columns = {} if rated is None else rating_columns(rated)
    nothing: dict[str, Any] = dict.fromkeys(("rating", "rating_low", "rating_high", "los"))
    nothing["in_rating_pool"] = False
    order = [*columns, *(bot for bot in range(len(names)) if bot not in columns)]
    order = [bot for bot in order if bot not in without]
    return [
        BotStanding(
            name=names[bot],
            reported_name=own_names.get(bot),
            rank=rank,
            **columns.get(bot, nothing)
            | {name: int(getattr(found, name)[bot]) for name in _COUNTS},
            deals=int(found.deals[bot]),
            points=round(float(found.points[bot] + forfeits.points[bot]), 6),
            forfeits_won=forfeits.won[bot],
            forfeits_lost=forfeits.lost[bot],
            win_rate=_share(found.win_rate, bot),
            mean_points=_share(found.point_rate, bot),
        )
        for rank, bot in enumerate(order, 1)
    ]


def rating_columns(rated: Rated) -> dict[int, dict[str, Any]]:
    """Return each bot's rating fields of `BotStanding`, by bot number, with the best bot first."""
    numbers, _, ratings, differences = rated
    low, high = ratings.low, ratings.high
    order = [int(place) for place in ratings.order()]
    return {
        numbers[place]: {
            "rating": _round(ratings.rating[place], 2),
            "rating_low": _round(low[place], 2),
            "rating_high": _round(high[place], 2),
            "in_rating_pool": bool(ratings.weights[place] > 0),
            "los": None if after is None else _round(differences.better[place, after], 4),
        }
        for place, after in zip(order, [*order[1:], None], strict=True)
    }


def _round(value: float, digits: int) -> float | None:
    # infinity and NaN aren't valid JSON
    return round(float(value), digits) if math.isfinite(value) else None


def _share(shares: Shares, index: int) -> Share | None:
    share, low, high = (
        round(float(part[index]), 4) for part in (shares.share, shares.low, shares.high)
    )
    return None if math.isnan(share) else Share(share, low, high)


def _compare_pairs(
    rated: Rated | None, names: list[str], most: int | None
) -> tuple[dict[str, dict[str, Meeting]], dict[str, dict[str, Difference]]]:
    """Return how the bots did against each other, and their differences, by both names."""
    meetings: dict[str, dict[str, Meeting]] = {name: {} for name in names}
    differences: dict[str, dict[str, Difference]] = {name: {} for name in names}
    if rated is None:
        return meetings, differences
    met = head_to_head(rated.table)
    counts = (met.matches, met.wins, met.draws, met.wins.T, met.points)
    is_first = np.zeros(len(rated.numbers), np.bool_)
    is_first[rated.ratings.order()[:most]] = True
    compared = is_first[:, None] & is_first & ~np.eye(len(rated.numbers), dtype=bool)
    have_met = compared & (met.matches > 0)
    if len(rated.numbers) > MOST_COMPARED:  # all pairs would be larger than the store
        compared = have_met

    def by_name(kind: type[Struct], others: NDArray[Any], columns: Iterable[list[Any]]) -> Any:
        values = zip(others, zip(*columns, strict=True), strict=True)
        return {names[rated.numbers[other]]: kind(*each) for other, each in values}

    for place, bot in enumerate(rated.numbers):
        others = np.flatnonzero(have_met[place])
        of_each = (column[place, others].tolist() for column in counts)
        meetings[names[bot]] = by_name(Meeting, others, of_each)
        others = np.flatnonzero(compared[place])
        rows = zip((part[place, others] for part in rated.differences), _DIGITS, strict=True)
        of_each = (_rounded(row, digits) for row, digits in rows)
        differences[names[bot]] = by_name(Difference, others, of_each)
    return meetings, differences


def _rounded(row: NDArray[np.floating], digits: int) -> list[float | None]:
    """Round numbers. Infinity and NaN become None."""
    rounded = np.round(row, digits).astype(object)
    found: list[float | None] = np.where(np.isfinite(row), rounded, np.array(None)).tolist()
    return found


def _seats(table: DealTable) -> list[Share]:
    found = seat_advantage(table)
    seats = [_share(found, seat) for seat in range(table.players)]
    return [seat for seat in seats if seat is not None]


def _pairs(table: DealTable) -> list[int]:
    points = table.pair_points[table.matches == 2, 0]
    return [int(count) for count in np.bincount((2 * points).astype(int), minlength=OUTCOMES)]
