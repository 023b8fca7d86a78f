"""Play many matches from one position. Each bot keeps its seat."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Annotated

import numpy as np
from msgspec import UNSET, Meta, Struct

from referee.games.interface.seats import SeatId, seat_id
from referee.match.machine import MAX_SEED
from referee.match.position import Position
from referee.match.result import MatchResult
from referee.match.spec import MatchSpec, own_limits
from referee.tournament.rating.deals import Floats
from referee.tournament.rating.intervals import shares_over_deals, t_point
from referee.tournament.report.standings import Share
from referee.tournament.rows import Entrant, Plan, points_of
from referee.tournament.schedule.format import TournamentSetup
from referee.tournament.setup import setup


class MeanScore(Struct, frozen=True):
    """A mean score with its 95% interval. The ends are None for a single deal."""

    mean: float
    low: float | None
    high: float | None


class SeatChances(Struct, frozen=True):
    """How one bot did from the position, over all deals."""

    player_number: SeatId
    bot: Annotated[str, Meta(description="The BOT argument.")]
    name: str
    points: Annotated[
        Share,
        Meta(description="Mean share of the points of a match. A win gives 1; a draw counts half."),
    ]
    wins: int
    draws: int
    losses: int
    score: MeanScore
    disqualified: Annotated[
        dict[str, int], Meta(description="Code -> number of deals with this disqualification.")
    ]


class FromPosition(Struct, frozen=True):
    """The results of many deals from one position."""

    game: str
    position: Annotated[str, Meta(description="The position: a turn and the record of its match.")]
    seed: Annotated[
        int, Meta(description="Seed of the first deal. Each later deal has the next seed.")
    ]
    deals: Annotated[int, Meta(description="Number of deals that count.")]
    void: Annotated[
        int, Meta(description="Number of deals that do not count because the machine was too busy.")
    ]
    players: Annotated[list[SeatChances], Meta(description="The players, in seat order.")]


def deals_from(
    position: Position, spec: MatchSpec, *, deals: int
) -> tuple[TournamentSetup, list[Plan]]:
    """Set up a tournament that plays several deals from a position.

    Args:
        spec: the settings of the first deal. Each later deal has the next seed, so you can repeat
            any of them by itself.

    Returns:
        The setup of the tournament, and its matches. Each bot has the same seat in all matches.
    """
    seats = len(spec.bots)
    what = setup(
        [
            Entrant(
                seat_id(seat),
                bot,
                limits=tuple(own_limits(spec.limits, limits).items()) or UNSET,
            )
            for seat, (bot, limits) in enumerate(zip(spec.bots, spec.each_limits, strict=True))
        ],
        game=spec.game,
        players=seats,
        deals=deals,
        seed=spec.luck,
        settings=spec.by_name,
        sandbox=spec.sandbox.kind,
        sandbox_read=spec.sandbox.readable,
        position=position,
    )
    seated = tuple(range(seats))
    return what, [Plan(deal, deal, (spec.luck + deal) % MAX_SEED, seated) for deal in range(deals)]


def chances(what: TournamentSetup, results: Sequence[MatchResult], void: int) -> FromPosition:
    """Compute the statistics of each seat. There must be at least one result.

    Args:
        void: the number of void matches, which have no result.
    """
    assert what.position
    seats = range(what.players)
    ranks = np.array([[player.rank for player in result.players] for result in results])
    scores = np.array([[float(player.score) for player in result.players] for result in results])
    points = np.array([points_of([player.rank for player in r.players]) for r in results])
    of = np.tile(np.arange(what.players), len(results))
    shares = shares_over_deals(of, points.reshape(-1), np.ones(len(of)), what.players)
    first = ranks == 1
    alone = first.sum(axis=1) == 1
    return FromPosition(
        game=what.game,
        position=str(what.position),
        seed=what.seed,
        deals=len(results),
        void=void,
        players=[
            SeatChances(
                player_number=seat_id(seat),
                bot=what.bots[seat].bot,
                name=results[-1].players[seat].name,
                points=Share(
                    float(shares.share[seat]),
                    max(0.0, float(shares.low[seat])),
                    min(1.0, float(shares.high[seat])),
                ),
                wins=int((first[:, seat] & alone).sum()),
                draws=int((first[:, seat] & ~alone).sum()),
                losses=int((~first[:, seat]).sum()),
                score=mean_score(scores[:, seat]),
                disqualified=dict(
                    Counter(
                        str(code)
                        for result in results
                        if (code := result.players[seat].disqualified) is not None
                    )
                ),
            )
            for seat in seats
        ],
    )


def mean_score(scores: Floats) -> MeanScore:
    """Return the mean of the scores of independent deals, with Student's interval."""
    mean, count = float(scores.mean()), len(scores)
    if count < 2:
        # A single deal doesn't tell us anything about the spread.
        return MeanScore(mean, None, None)
    reach = float(t_point(count - 1) * scores.std(ddof=1) / np.sqrt(count))
    return MeanScore(mean, mean - reach, mean + reach)
