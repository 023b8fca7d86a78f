"""A match of a tournament: its settings and its result, as the store has them.

One struct goes from the worker that played a match into the store, and comes out of it for
standings, exports and checks. Its fields are the columns of spec/store.md, 2.
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

WORKER_KILLED = "worker-killed"
"""The reason of a match that is void since the process that played it was killed each time.

Also the code of a bot of it that was put out of the tournament for that.
"""
GAME_ERROR = "game-error"
"""The reason of a match that is void since the code of its game, from outside, has a mistake."""
FORFEIT = "forfeit"
"""The reason of a match that is not played, since a bot of it is withdrawn; it is void."""
WITHDRAWN = "withdrawn"
"""The code of a bot that is withdrawn, in its forfeits."""
LEFT_OUT = "left-out"
"""The code of a bot that was left out of a round of a Swiss tournament, and of its void matches."""
REACHED = "reached "
"""Begins the detail of a seat that was not disqualified; names of limits follow."""
BUCKETS_PER_DOUBLING = 4
"""In the histogram of reply times, each bucket is 2**(1/4) times as wide as the one before."""
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
    """A JSON text: code -> count."""

    __slots__ = ()


class Histogram(str):
    """A JSON text: bucket -> count; bucket b has the times from 2**(b / 4) microseconds on."""

    __slots__ = ()


class Entrant(Struct, frozen=True):
    """A bot of a tournament.

    Attributes:
        directory: where it is started; empty: where the referee is.
        env: its environment variables beside those of every bot: (name, value) each.
        limits: those that only this bot has; missing if it has none, as in an older store.
    """

    name: str
    bot: str
    directory: str = ""
    env: tuple[tuple[str, str], ...] = ()
    limits: OwnLimits | UnsetType = UNSET


def limits_of_bots(limits: Limits, bots: Sequence[Entrant]) -> tuple[Limits, ...]:
    """The limits of each of these bots; empty if none has limits of its own."""
    if not any(bot.limits for bot in bots):
        return ()
    return tuple([with_own(limits, bot.limits or ()) for bot in bots])


class Plan(Struct, frozen=True):
    """A match that is to be played: its number, its deal, and the bots in seat order, by number."""

    match: int
    deal: int
    seed: int
    players: tuple[int, ...]


class SeatRow(Struct, array_like=True, gc=False):
    """A row of `seats` (spec/store.md, 2). Seats count from 0; the handshake is not a reply.

    Attributes:
        detail: one clause about the disqualification; or `REACHED` and the limits that it reached.
        stderr: the last lines that it wrote in a match in which it was disqualified.
        statistics: the game's own, a JSON object; empty if it has none.
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
        """How many faults it made."""
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
        seats: in seat order. If they are read from a store, `reply_histogram` and `statistics` are
            empty: these have tables of their own.
        record: the match record, plain; empty if it is not to be kept. It is in no store, nor is
            what follows.
        stderr: each bot's standard error; of a long one both ends.
        result: None if it was not asked for.
        problem: of the game, if the match is void for it; else empty.
    """

    seats: tuple[SeatRow, ...] = ()
    record: bytes = b""
    stderr: list[bytes] = []
    result: MatchResult | None = None
    problem: str = ""

    @property
    def players(self) -> tuple[int, ...]:
        """The bots' numbers."""
        return tuple([seat.bot for seat in self.seats])

    @property
    def ranks(self) -> tuple[int, ...]:
        """1 is best; shared on ties."""
        return tuple([seat.rank for seat in self.seats])

    @property
    def scores(self) -> tuple[Score, ...]:
        """Points of the game."""
        return tuple([seat.score for seat in self.seats])


counts = msgspec.json.Decoder(dict[str, Number]).decode
buckets = msgspec.json.Decoder(dict[Bucket, Number]).decode


def points_of(ranks: Sequence[int]) -> list[float]:
    """For each seat the share of the others that it has beaten, of equal ranks one half: 0 to 1."""
    if len(ranks) == 2:  # nearly always
        first, second = ranks
        return [0.5, 0.5] if first == second else [1.0, 0.0] if first < second else [0.0, 1.0]
    others = len(ranks) - 1
    return [
        (sum(rank < other for other in ranks) + (ranks.count(rank) - 1) / 2) / others
        for rank in ranks
    ]


def faults_of(faults: Mapping[str, int]) -> Faults:
    """How many faults of each code."""
    return Faults(_encode(faults).decode())


def histogram(seconds: Sequence[float]) -> Histogram:
    """How many replies took how long."""
    found = Counter(
        [math.floor(BUCKETS_PER_DOUBLING * math.log2(max(time * 1e6, 1.0))) for time in seconds]
    )
    return Histogram(_encode({str(bucket): count for bucket, count in found.items()}).decode())


_encode = msgspec.json.Encoder(order="deterministic").encode


def reached(limits: Sequence[str]) -> str | None:
    """The detail of a seat for limits that its bot reached without being disqualified."""
    return f"{REACHED}{' '.join(limits).replace('_', '-')}" if limits else None


def unplayed_row(
    plan: Plan, by: Container[int], reason: str, detail: str | None, code: str = ""
) -> MatchRow:
    """A void match, which was not played for a reason that lies with some of its bots.

    Args:
        by: the numbers of these bots.
        code: their code, if it is not called as the reason.
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
    """A match that is not played, since some of its bots are withdrawn; the others share rank 1."""
    row = unplayed_row(plan, withdrawn, FORFEIT, None, WITHDRAWN)
    others = len(plan.players) - len(withdrawn)
    for seat in row.seats:
        seat.rank = 1 if seat.disqualified is None else 1 + others
    return row


def points_of_forfeit(withdrawn: int, players: int) -> float:
    """The points of each bot that is not withdrawn; the others get none.

    Args:
        withdrawn: how many bots of the match are.
    """
    return (withdrawn + (players - withdrawn - 1) / 2) / (players - 1)


def void_row(plan: Plan, error: GameError) -> MatchRow:
    """A void match, in which the code of the game failed."""
    return msgspec.structs.replace(unplayed_row(plan, (), GAME_ERROR, ""), problem=str(error))


def table_points(match: MatchRow) -> list[float]:
    """The points of each seat in the table: a forfeit counts, another void match does not."""
    if not match.void:
        return points_of(match.ranks)
    if match.reason != FORFEIT:
        return [0.0] * len(match.seats)
    lost = [seat.disqualified == WITHDRAWN for seat in match.seats]
    points = points_of_forfeit(sum(lost), len(lost))
    return [0.0 if is_lost else points for is_lost in lost]
