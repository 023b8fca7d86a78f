"""A match of a tournament as the store has it: its settings and its result.

The worker that plays a match creates the struct, the store writes it, and standings, exports and
checks read it. Its fields are the columns of spec/store.md, 2.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Container, Mapping, Sequence
from typing import Annotated

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from referee._version import __version__
from referee.errors import GameError
from referee.match.limits import MAX_SECONDS, Limits
from referee.match.result import MatchResult
from referee.match.spec import OwnLimits, with_own
from referee.tournament.choices import MAX_BOTS

# The reason of a void match whose process was killed in each attempt. This is also the code of a
# bot that is out because of this.
WORKER_KILLED = "worker-killed"
# The code of an external game failed. None of the bots is to blame for that, so the match is void.
GAME_ERROR = "game-error"
# A match that we didn't play because one of its bots is withdrawn.
FORFEIT = "forfeit"
# The code of a withdrawn bot in its forfeits.
WITHDRAWN = "withdrawn"
# The code of a bot that missed a round of a Swiss tournament, and the reason of its void matches.
LEFT_OUT = "left-out"
# If the detail of a seat begins with this, the bot wasn't disqualified, and the names of limits
# follow.
REACHED = "reached "
# Each bucket of the histogram of reply times is 2**(1/4) times as wide as the bucket before.
BUCKETS_PER_DOUBLING = 4
BUCKETS = 256
MAX_NUMBER = 2**53

Number = Annotated[int, Meta(ge=0, lt=MAX_NUMBER)]
Flag = Annotated[int, Meta(ge=0, le=1)]
Score = (
    Annotated[int, Meta(gt=-MAX_NUMBER, lt=MAX_NUMBER)]
    | Annotated[float, Meta(gt=-MAX_NUMBER, lt=MAX_NUMBER)]
)
Seconds = Annotated[float, Meta(ge=0, le=MAX_SECONDS * MAX_BOTS)]
Bucket = Annotated[int, Meta(ge=0, lt=BUCKETS)]


class Faults(str):
    """JSON object: code -> number of faults."""

    __slots__ = ()


class Histogram(str):
    """JSON object: bucket -> number of replies. Bucket b begins at 2**(b / 4) microseconds."""

    __slots__ = ()


class Entrant(Struct, frozen=True):
    """A bot of a tournament.

    Attributes:
        directory: the folder in which the bot is started. Empty: the current folder.
        env: additional environment variables, as pairs (name, value).
        limits: limits of this bot only. Missing if it has none, so that the digest of a setup
            without such limits is the same as in older versions.
    """

    name: str
    bot: str
    directory: str = ""
    env: tuple[tuple[str, str], ...] = ()
    limits: OwnLimits | UnsetType = UNSET


def limits_of_bots(limits: Limits, bots: Sequence[Entrant]) -> tuple[Limits, ...]:
    """Return the limits of each bot. Empty if no bot has limits of its own."""
    if not any(bot.limits for bot in bots):
        return ()
    return tuple([with_own(limits, bot.limits or ()) for bot in bots])


class Plan(Struct, frozen=True):
    """A match to play: its number, its deal, and the numbers of its bots in seat order."""

    match: int
    deal: int
    seed: int
    players: tuple[int, ...]


class SeatRow(Struct, array_like=True, gc=False):
    """A row of `seats` (spec/store.md, 2). Seats count from 0, and the handshake is not a reply.

    Attributes:
        detail: an explanation of the disqualification, one clause. Otherwise `REACHED` and the
            limits that the bot reached, if any.
        stderr: the last lines on standard error of a bot that was disqualified.
        statistics: statistics of the game, a JSON object. Empty if the game has none.
    """

    match: Number
    seat: Number
    bot: Number
    calls_itself: str = ""
    rank: Number = 1
    score: Score = 0
    faults: Faults = Faults("{}")
    disqualified: str | None = None
    detail: str | None = None
    stderr: str | None = None
    replies: Number = 0
    reply_seconds: Seconds = 0.0
    longest_reply: Seconds = 0.0
    reply_histogram: Histogram = Histogram("{}")
    statistics: str = ""

    @property
    def fault_count(self) -> int:
        """Total number of faults of all codes."""
        return 0 if self.faults == "{}" else sum(counts(str(self.faults)).values())


class MatchColumns(Struct, array_like=True, gc=False):
    """A row of `matches` (spec/store.md, 2)."""

    match: Number
    deal: Annotated[int, Meta(ge=0, lt=2**32)]
    seed: Number
    turns: Number = 0
    reason: str = ""
    void: Flag = 0
    late: Number = 0
    restarts: Number = 0
    seconds: Seconds = 0.0
    digest: str = ""
    referee: str = ""


class MatchRow(MatchColumns, array_like=True):
    """A match that was played.

    Attributes:
        seats: in seat order. In rows from a store, `reply_histogram` and `statistics` are empty,
            because they are long. Reports that need them read them with a separate query.
        record: the match record, not compressed. Empty if records are not kept. The store does not
            contain this field or the following ones.
        stderr: the standard error of each bot. If it's long, only its beginning and its end.
        result: None unless it was requested.
        problem: the error in the code of the game, if the match is void because of it. Otherwise
            empty.
    """

    seats: tuple[SeatRow, ...] = ()
    record: bytes = b""
    stderr: list[bytes] = []
    result: MatchResult | None = None
    problem: str = ""

    @property
    def players(self) -> tuple[int, ...]:
        """The numbers of the bots, in seat order."""
        return tuple([seat.bot for seat in self.seats])

    @property
    def ranks(self) -> tuple[int, ...]:
        """The rank of each seat, from 1. Tied seats share a rank."""
        return tuple([seat.rank for seat in self.seats])

    @property
    def scores(self) -> tuple[Score, ...]:
        """The score of each seat in the game."""
        return tuple([seat.score for seat in self.seats])


counts = msgspec.json.Decoder(dict[str, Number]).decode
buckets = msgspec.json.Decoder(dict[Bucket, Number]).decode


def points_of(ranks: Sequence[int]) -> list[float]:
    """Return, for each seat, the share of the other seats that it beat. A tie counts half."""
    if len(ranks) == 2:  # the usual case, which is worth a shortcut
        first, second = ranks
        return [0.5, 0.5] if first == second else [1.0, 0.0] if first < second else [0.0, 1.0]
    others = len(ranks) - 1
    return [
        (sum(rank < other for other in ranks) + (ranks.count(rank) - 1) / 2) / others
        for rank in ranks
    ]


def faults_of(faults: Mapping[str, int]) -> Faults:
    """Encode the number of faults per code."""
    return Faults(_encode(faults).decode())


def histogram(seconds: Sequence[float]) -> Histogram:
    """Encode the histogram of reply times."""
    found = Counter(
        [math.floor(BUCKETS_PER_DOUBLING * math.log2(max(time * 1e6, 1.0))) for time in seconds]
    )
    return Histogram(_encode({str(bucket): count for bucket, count in found.items()}).decode())


_encode = msgspec.json.Encoder(order="deterministic").encode


def reached(limits: Sequence[str]) -> str | None:
    """Return the detail of a seat whose bot has reached limits without being disqualified."""
    return f"{REACHED}{' '.join(limits).replace('_', '-')}" if limits else None


def unplayed_row(
    plan: Plan, by: Container[int], reason: str, detail: str | None, code: str = ""
) -> MatchRow:
    """Return a void match that wasn't played, because of some of its bots.

    Args:
        by: the numbers of these bots.
        code: their code in the row. Default: the reason.
    """
    seats = [
        SeatRow(
            plan.match,
            seat,
            bot,
            disqualified=(code or reason) if bot in by else None,
            detail=detail if bot in by else None,
        )
        for seat, bot in enumerate(plan.players)
    ]
    return MatchRow(
        plan.match,
        plan.deal,
        plan.seed,
        reason=reason,
        void=True,
        referee=__version__,
        seats=tuple(seats),
    )


def forfeit_row(plan: Plan, withdrawn: Collection[int]) -> MatchRow:
    """Return a match that we don't play because bots are withdrawn. The other bots share rank 1."""
    row = unplayed_row(plan, withdrawn, FORFEIT, None, WITHDRAWN)
    others = len(plan.players) - len(withdrawn)
    for seat in row.seats:
        seat.rank = 1 if seat.disqualified is None else 1 + others
    return row


def points_of_forfeit(withdrawn: int, players: int) -> float:
    """Return the points of each bot that isn't withdrawn. Withdrawn bots get 0.

    Such a bot beats all withdrawn bots, and ties with the others.

    Args:
        withdrawn: the number of withdrawn bots in the match.
    """
    return (withdrawn + (players - withdrawn - 1) / 2) / (players - 1)


def void_row(plan: Plan, error: GameError) -> MatchRow:
    """Return a void match in which the code of the game failed."""
    return msgspec.structs.replace(unplayed_row(plan, (), GAME_ERROR, ""), problem=str(error))


def table_points(match: MatchRow) -> list[float]:
    """Return the points of each seat in the standings. Void matches give 0, except for forfeits."""
    if not match.void:
        return points_of(match.ranks)
    if match.reason != FORFEIT:
        return [0.0] * len(match.seats)
    lost = [seat.disqualified == WITHDRAWN for seat in match.seats]
    points = points_of_forfeit(sum(lost), len(lost))
    return [0.0 if is_lost else points for is_lost in lost]
