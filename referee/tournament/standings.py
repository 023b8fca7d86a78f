"""The standings of a tournament, from what its store has so far."""

from __future__ import annotations

import math
from itertools import islice

import numpy as np
from msgspec import Struct

from referee.tournament.deals import Deals, Table
from referee.tournament.intervals import Shares
from referee.tournament.rating import Ratings, rate
from referee.tournament.schedule import planned
from referee.tournament.sequential import Sequential
from referee.tournament.store import Store
from referee.tournament.tallies import head_to_head, seat_advantage, tally

_MATCHES = 1_000  # at a time


class Share(Struct, frozen=True):
    """A share of 1, with the ends of its 95% interval over deals."""

    share: float
    low: float
    high: float


class BotStanding(Struct, frozen=True):
    """One bot.

    Attributes:
        name: in the tournament.
        calls_itself: the name that it gave itself most often; None if it has played none.
        rank: 1 is best, by rating.
        rating, rating_low, rating_high: Elo, with the ends of a 95% interval.
        above_next: how likely it is better than the next in the ranking; None for the last.
        matches: that count.
        wins: first alone.
        draws: first with others.
        losses: all others.
        points: of each match the share of the others that were beaten, draws half; their sum.
        win_rate: wins a match; None if it has played none.
        mean_points: points a match; likewise.
    """

    name: str
    calls_itself: str | None
    rank: int
    rating: float
    rating_low: float
    rating_high: float
    above_next: float | None
    matches: int
    wins: int
    draws: int
    losses: int
    points: float
    win_rate: Share | None
    mean_points: Share | None


class Meeting(Struct, frozen=True):
    """One bot against another one: matches that both were in, and what it took off the other."""

    matches: int
    points: float


class Difference(Struct, frozen=True):
    """One bot's rating minus another's, with the ends of its 95% interval, in Elo."""

    elo: float
    low: float
    high: float


class SprtStanding(Struct, frozen=True):
    """A sequential test.

    Attributes:
        elo0, elo1, alpha, beta: what is tested.
        llr: the log-likelihood ratio, and the bounds at which the test ends.
        counts: how many deals have brought the first bot 0, 0.5, 1, 1.5 and 2 points.
        verdict: "H0", "H1", or None while it is not known.
    """

    elo0: float
    elo1: float
    alpha: float
    beta: float
    llr: float
    lower: float
    upper: float
    counts: list[int]
    verdict: str | None


class Standings(Struct, frozen=True):
    """The standings.

    Attributes:
        matches: that count.
        void: that do not, since the referee was late or was killed, again and again.
        planned: matches in all, as far as is known.
        deals: that have a match that counts.
        seed: of the schedule and of the deals.
        anchor: the name of the bot whose rating is given, or None.
        bots: best first.
        head_to_head: name -> name -> what the first did against the second.
        differences: name -> name -> the first's rating minus the second's.
        seats: points a match in each, in seat order.
        out: the names of bots that were put out, since they kill the processes that play.
    """

    game: str
    format: str
    players: int
    matches: int
    void: int
    planned: int
    deals: int
    seed: int
    anchor: str | None
    bots: list[BotStanding]
    head_to_head: dict[str, dict[str, Meeting]]
    differences: dict[str, dict[str, Difference]]
    seats: list[Share]
    sprt: SprtStanding | None
    out: list[str]


def deals_of(store: Store) -> Deals:
    """The matches of a store that count."""
    setup = store.stages[-1]
    deals = Deals(len(setup.bots), setup.players)
    rows = store.select(
        "SELECT deal, bot, rank FROM matches JOIN seats USING (match) WHERE NOT void "
        "ORDER BY match, seat"
    )
    while chunk := list(islice(rows, _MATCHES * setup.players)):
        part = np.array(chunk).reshape(-1, setup.players, 3)
        deals.extend(part[:, 0, 0], part[:, :, 1], part[:, :, 2])
    return deals


def standings(store: Store, anchor: tuple[int, float] | None = None) -> Standings:
    """The standings so far.

    Args:
        anchor: the number of a bot, and its rating; else the mean of all is 1500.
    """
    setup = store.stages[-1]
    names = store.names
    deals = deals_of(store)
    played, void = store.count()
    test = None
    if setup.sprt is not None:
        test = Sequential(setup)
        test.add(store.matches())
    table = deals.table()
    ratings = rate(table, anchor=anchor)
    return Standings(
        game=setup.game,
        format=setup.format,
        players=setup.players,
        matches=len(deals),
        void=void,
        planned=played if test is not None and test.verdict else planned(store),
        deals=len(table.bots),
        seed=setup.seed,
        anchor=None if anchor is None else names[anchor[0]],
        bots=_bots(table, ratings, names, _own_names(store)),
        head_to_head=_head_to_head(table, names),
        differences=_differences(ratings, names),
        seats=_seats(table),
        sprt=None if test is None else _sprt(test),
        out=[names[bot] for bot in sorted(store.put_out())],
    )


def _own_names(store: Store) -> dict[int, str]:
    query = "SELECT bot, calls_itself, count(*) FROM seats GROUP BY bot, calls_itself ORDER BY 3"
    return {bot: name for bot, name, _ in store.select(query)}


def _bots(
    table: Table, ratings: Ratings, names: list[str], own_names: dict[int, str]
) -> list[BotStanding]:
    found = tally(table)
    order = [int(bot) for bot in ratings.order()]
    return [
        BotStanding(
            name=names[bot],
            calls_itself=own_names.get(bot),
            rank=rank,
            rating=round(float(ratings.rating[bot]), 2),
            rating_low=round(float(ratings.low[bot]), 2),
            rating_high=round(float(ratings.high[bot]), 2),
            above_next=None if after is None else round(ratings.superiority(bot, after), 4),
            matches=int(found.matches[bot]),
            wins=int(found.wins[bot]),
            draws=int(found.draws[bot]),
            losses=int(found.losses[bot]),
            points=round(float(found.points[bot]), 6),
            win_rate=_share(found.win_rate, bot),
            mean_points=_share(found.point_rate, bot),
        )
        for rank, (bot, after) in enumerate(zip(order, [*order[1:], None], strict=True), 1)
    ]


def _share(shares: Shares, index: int) -> Share | None:
    share, low, high = (
        round(float(part[index]), 4) for part in (shares.share, shares.low, shares.high)
    )
    return None if math.isnan(share) else Share(share, low, high)


def _head_to_head(table: Table, names: list[str]) -> dict[str, dict[str, Meeting]]:
    met = head_to_head(table)
    return {
        name: {
            names[other]: Meeting(int(met.matches[bot, other]), float(met.points[bot, other]))
            for other in np.flatnonzero(met.matches[bot])
        }
        for bot, name in enumerate(names)
    }


def _differences(ratings: Ratings, names: list[str]) -> dict[str, dict[str, Difference]]:
    elo, low, high = (np.round(part, 2).tolist() for part in ratings.differences())
    return {
        name: {
            other: Difference(elo[one][two], low[one][two], high[one][two])
            for two, other in enumerate(names)
            if two != one
        }
        for one, name in enumerate(names)
    }


def _seats(table: Table) -> list[Share]:
    found = seat_advantage(table)
    seats = [_share(found, seat) for seat in range(table.players)]
    return [seat for seat in seats if seat is not None]


def _sprt(test: Sequential) -> SprtStanding:
    asked = test.test
    lower, upper = asked.bounds
    return SprtStanding(
        elo0=asked.elo0,
        elo1=asked.elo1,
        alpha=asked.alpha,
        beta=asked.beta,
        llr=round(test.llr, 4),
        lower=round(lower, 4),
        upper=round(upper, 4),
        counts=test.counts,
        verdict=test.verdict and test.verdict.value,
    )
