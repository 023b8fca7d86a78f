"""The result of a match as one object: what `referee play --format json` prints."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

from referee.match import Match
from referee.seam.seats import SeatId, seat_id


class ReplySeconds(Struct, frozen=True):
    """How long a bot took for its replies, in seconds, its handshake not counted.

    Each is counted from the moment the request was handed to the pipe (protocol-v1, 8.1).
    """

    total: float
    max: float


class PlayerResult(Struct, frozen=True):
    """How one seat fared."""

    player_number: SeatId
    name: Annotated[str, Meta(description="The name that the bot gave itself.")]
    bot: Annotated[str, Meta(description="The BOT argument, as it was given.")]
    score: int
    turns: Annotated[int, Meta(description="Turns that it began.")]
    rank: Annotated[
        int, Meta(description="1 is best; shared on ties; the disqualified share the last.")
    ]
    disqualified: Annotated[str | None, Meta(description="A code, or null.")]
    faults: Annotated[dict[str, int], Meta(description="Code -> count; no zeros.")]
    requests: Annotated[int, Meta(description="Requests sent to it after the handshake.")]
    reply_seconds: ReplySeconds
    exit_code: Annotated[
        int | None,
        Meta(description="Of its process; -N after signal N; null if it never started."),
    ]
    cards: Annotated[dict[str, int], Meta(description="Card -> count owned at the end.")]


class MatchResult(Struct, frozen=True):
    """How a match ended."""

    game: str
    protocol: int
    seed: int
    reason: Annotated[str, Meta(description="Why it ended (protocol-v1, 9).")]
    turns: Annotated[int, Meta(description="Turns begun, of all players together.")]
    winners: list[SeatId]
    duration_seconds: Annotated[
        float, Meta(description="From the start of the bots to the end of the last.")
    ]
    players: Annotated[list[PlayerResult], Meta(description="In seat order.")]


def ranks(match: Match) -> list[int]:
    """One rank a seat, in seat order: winners 1, the others by score and fewest turns (4.5).

    Equal results share a rank and the next one leaves the gap (1, 1, 3); the disqualified come
    behind everybody else and share one rank.
    """
    outcome = match.outcome
    winners = outcome.winners if outcome else ()

    def key(seat: int) -> tuple[bool, bool, int, int]:
        if seat in match.gone:
            return (True, False, 0, 0)
        standing = standings[seat]
        return (False, seat not in winners, -standing.score, standing.turns)

    standings = match.standings()
    keys = [key(seat) for seat in range(len(standings))]
    return [1 + sum(other < mine for other in keys) for mine in keys]


def player_results(
    match: Match,
    bots: list[str],
    reply_seconds: list[ReplySeconds],
    exit_codes: list[int | None],
) -> list[PlayerResult]:
    """One entry a seat, in seat order, once the match is over; so are the arguments."""
    return [
        PlayerResult(
            player_number=seat_id(seat),
            name=match.names[seat],
            bot=bots[seat],
            score=standing.score,
            turns=standing.turns,
            rank=rank,
            disqualified=match.gone[seat].code if seat in match.gone else None,
            faults=dict(sorted(match.faults[seat].items())),
            requests=match.requests[seat],
            reply_seconds=reply_seconds[seat],
            exit_code=exit_codes[seat],
            cards=standing.cards,
        )
        for seat, (standing, rank) in enumerate(zip(match.standings(), ranks(match), strict=True))
    ]
