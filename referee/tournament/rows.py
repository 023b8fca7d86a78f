"""Defines the rows of a store as structs: the settings of a match and its result.

The worker that plays a match creates its row, and the store writes it. Standings, exports and
checks read it. Fields that are stored have the names of their columns (spec/store.md, 2).
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

# The reason of a match that is void because its process was killed in each attempt. This is also
# the code of the bots that killed it.
WORKER_KILLED = "worker-killed"
# The reason of a match that is void because the code of an external game failed. No bot is to
# blame.
GAME_ERROR = "game-error"
# The reason of a match that we didn't play because one of its bots is withdrawn.
FORFEIT = "forfeit"
# The code that withdrawn bots have in forfeits.
WITHDRAWN = "withdrawn"
# The reason of a match that is void because a bot was left out in this round of a Swiss tournament
# or knockout. This is also the code of the bot.
LEFT_OUT = "left-out"
# If the detail of a seat begins with this, it isn't about a disqualification. It lists limits that
# the bot has reached.
REACHED = "reached "
# Every four buckets of the histogram, the reply time doubles, so each bucket is wider than the
# previous one by a factor of 2**(1/4).
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
    """Number of faults by code, as a JSON object."""

    __slots__ = ()


class Histogram(str):
    """Number of replies by bucket, as a JSON object. Bucket b begins at 2**(b / 4) microseconds."""

    __slots__ = ()


class Entrant(Struct, frozen=True):
    """A bot of a tournament.

    Attributes:
        name: the name in tables, which is unique.
        bot: the BOT argument.
        directory: the folder in which the bot is started. If it's empty, this is the current
            folder.
        env: additional environment variables, as pairs (name, value).
        limits: limits that only this bot has. If it doesn't have any, we leave this field unset,
            because an empty value would change the setup's digest from what older versions compute.
    """

    name: str
    bot: str
    directory: str = ""
    env: tuple[tuple[str, str], ...] = ()
    limits: OwnLimits | UnsetType = UNSET


def limits_of_bots(limits: Limits, bots: Sequence[Entrant]) -> tuple[Limits, ...]:
    """Return the limits of each bot, or an empty tuple if they're the same for all bots."""
    if not any(bot.limits for bot in bots):
        return ()
    return tuple([with_own(limits, bot.limits or ()) for bot in bots])


class Plan(Struct, frozen=True):
    """A match to play, with its bots in seat order."""

    match: int
    deal: int
    seed: int
    players: tuple[int, ...]


class SeatRow(Struct, array_like=True, gc=False):
    """A row of the table `seats` (spec/store.md, 2). Seats are numbered from 0.

    Attributes:
        detail: why the bot was disqualified, in one clause. If it wasn't disqualified but reached
            some limits, this is `REACHED` followed by their names. Otherwise it's None.
        stderr: the last lines that a disqualified bot wrote to stderr.
        replies: number of replies, not counting the handshake.
        statistics: the game's statistics as a JSON object, or "".
        cause: what a bot did when its time was over, and how late the referee was, or None.
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
    cause: str | None = None

    @property
    def fault_count(self) -> int:
        """Total number of faults of all codes."""
        return 0 if self.faults == "{}" else sum(counts(str(self.faults)).values())


class MatchColumns(Struct, array_like=True, gc=False):
    """A row of the table `matches` (spec/store.md, 2).

    Attributes:
        messages: a number that's equal for matches with the same messages, or 0 if the match wasn't
            played, or was played by an older referee (`Played.messages`).
    """

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
    messages: Number = 0


class LateReply(Struct, frozen=True, array_like=True):
    """A reply that a bot didn't give in time, also in the handshake.

    Attributes:
        bot: number of the bot.
        asked, until: when it got the request, and when its time was over, in seconds on the clock
            of `time.monotonic`.
        machine: the name of the machine that has this clock.
        is_start: True in the handshake. The bot is started again anyway, so this doesn't make the
            match doubtful, but it's a witness for others.
    """

    bot: int
    asked: float
    until: float
    machine: str = ""
    is_start: bool = False


class MatchRow(MatchColumns, array_like=True):
    """A match that was played, or that is void or a forfeit.

    Only `seats` and the columns are stored. The other fields are for the process that requested the
    match.

    Attributes:
        seats: in seat order. Rows from a store leave out `reply_histogram` and `statistics`,
            because these are long and few reports need them.
        record: the match record without compression, or b"" if it's not kept.
        stderr: what each bot wrote to stderr. The middle is missing if it's long.
        result: the result as an object, if the batch asked for it.
        problem: the error in the code of the game that made the match void, or "".
        late_replies: the replies for which a bot was disqualified because it didn't give them in
            time, also in earlier attempts at the handshake. Only bots that are processes have any.
    """

    seats: tuple[SeatRow, ...] = ()
    record: bytes = b""
    stderr: list[bytes] = []
    result: MatchResult | None = None
    problem: str = ""
    late_replies: tuple[LateReply, ...] = ()

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
    """Return the points of each seat: the share of the other seats that it beat.

    A tie counts half.
    """
    if len(ranks) == 2:  # a shortcut for the most common case
        first, second = ranks
        return [0.5, 0.5] if first == second else [1.0, 0.0] if first < second else [0.0, 1.0]
    others = len(ranks) - 1
    return [
        (sum(rank < other for other in ranks) + (ranks.count(rank) - 1) / 2) / others
        for rank in ranks
    ]


def faults_of(faults: Mapping[str, int]) -> Faults:
    """Encode how many faults of each code a bot has made."""
    return Faults(_encode(faults).decode())


def histogram(seconds: Sequence[float]) -> Histogram:
    """Count the reply times per bucket, and encode the counts."""
    found = Counter(
        [math.floor(BUCKETS_PER_DOUBLING * math.log2(max(time * 1e6, 1.0))) for time in seconds]
    )
    return Histogram(_encode({str(bucket): count for bucket, count in found.items()}).decode())


_encode = msgspec.json.Encoder(order="deterministic").encode


def reached(limits: Sequence[str]) -> str | None:
    """Return the `detail` of a seat whose bot has reached limits without being disqualified."""
    return f"{REACHED}{' '.join(limits).replace('_', '-')}" if limits else None


def unplayed_row(
    plan: Plan, by: Container[int], reason: str, detail: str | None, code: str = ""
) -> MatchRow:
    """Return a void row for a match that wasn't played because of some of its bots.

    Args:
        by: the numbers of the bots that are the cause.
        reason: the match's reason.
        detail: the detail to store for each of these bots.
        code: the code to store for each of these bots. The default is `reason`.
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
    """Return a row for a forfeit, in which withdrawn bots lose and all others share rank 1."""
    row = unplayed_row(plan, withdrawn, FORFEIT, None, WITHDRAWN)
    others = len(plan.players) - len(withdrawn)
    for seat in row.seats:
        seat.rank = 1 if seat.disqualified is None else 1 + others
    return row


def points_of_forfeit(withdrawn: int, players: int) -> float:
    """Return the points that a forfeit gives to each bot that isn't withdrawn.

    Such a bot beats all withdrawn bots and ties with the rest. Withdrawn bots get 0 points.

    Args:
        withdrawn: number of withdrawn bots in the match.
        players: number of bots in the match.
    """
    return (withdrawn + (players - withdrawn - 1) / 2) / (players - 1)


def void_row(plan: Plan, error: GameError) -> MatchRow:
    """Return a row for a match that is void because the game's code failed."""
    return msgspec.structs.replace(unplayed_row(plan, (), GAME_ERROR, ""), problem=str(error))


def table_points(match: MatchRow) -> list[float]:
    """Return the points that each seat gets in the standings.

    Nobody gets points in a void match, unless it's a forfeit.
    """
    if not match.void:
        return points_of(match.ranks)
    if match.reason != FORFEIT:
        return [0.0] * len(match.seats)
    lost = [seat.disqualified == WITHDRAWN for seat in match.seats]
    points = points_of_forfeit(sum(lost), len(lost))
    return [0.0 if is_lost else points for is_lost in lost]
