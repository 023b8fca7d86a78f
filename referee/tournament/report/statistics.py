"""Statistics of a tournament for authors who want to improve a bot. Ratings are not included.

We read all statistics from the store, in one pass each. A game can add its own statistics
(`referee.games.interface.capabilities.Statistics`).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence

import msgspec
from msgspec import UNSET, Struct, UnsetType

from referee.diagnosis.ending import missed
from referee.errors import UsageError
from referee.games import GAMES
from referee.games.interface.capabilities import SeatFacts, StatisticsTable
from referee.games.interface.faults import Disqualification, EndReason
from referee.tournament.rows import (
    BUCKETS,
    BUCKETS_PER_DOUBLING,
    FORFEIT,
    GAME_ERROR,
    LEFT_OUT,
    REACHED,
    WORKER_KILLED,
    counts,
    points_of,
)
from referee.tournament.store import Store

# The cause of a void match if the referee was late each time. The store has another reason for such
# a match, which shows how the last attempt ended.
LATE = "late"


class BotDisqualification(Struct):
    """The first match in which a bot was disqualified with this code.

    Attributes:
        stderr: the last lines on its standard error. None if it has none.
        hint: how the sandbox may be the cause, one clause. May be empty.
    """

    code: str
    match: int
    detail: str
    stderr: list[str] | None
    hint: str


class BotStatistics(Struct):
    """One bot in all its matches.

    Attributes:
        first_disqualifications: the first match with each code.
        reached: limit -> number of matches in which the bot reached it without being disqualified.
        mean_reply, reply_99, longest_reply: seconds. 99% of the replies took at most `reply_99`,
            which is exact to 19%. `reply_99` is only set by `statistics(..., details=True)`.
    """

    reported_names: list[str]
    mean_score: float | None
    faults: dict[str, int]
    disqualified: dict[str, int]
    first_disqualifications: list[BotDisqualification]
    reached: dict[str, int]
    replies: int
    mean_reply: float | None
    longest_reply: float | None
    reply_99: float | UnsetType | None = UNSET


class Statistics(Struct):
    """All matches of a tournament that count.

    Attributes:
        void_reasons: cause -> number of void matches. Causes are the reasons in the store, and
            `LATE`. Forfeits are not included.
        late: number of timeouts while the referee itself was late. These matches were played again.
        restarts: number of matches played again because a waiting bot failed in its handshake.
        bots: name -> statistics.
        game: tables from the game. Only set by `statistics(..., details=True)`.
    """

    matches: int
    mean_turns: float | None
    reasons: dict[str, int]
    void_reasons: dict[str, int]
    late: int
    restarts: int
    bots: dict[str, BotStatistics]
    game: list[StatisticsTable] | UnsetType = UNSET


def statistics(store: Store, *, details: bool = False) -> Statistics:
    """Return the statistics of the matches in a store.

    Args:
        details: if True, add the tables of the game and `reply_99`. This takes most of the time,
            because we have to decode two texts per seat.

    Raises:
        UsageError: the game's statistics in the store are damaged. Only with `details`.
    """
    names = store.names
    (row,) = store.select(
        "SELECT coalesce(sum(NOT void), 0), avg(CASE WHEN NOT void THEN turns END), "
        "coalesce(sum(late), 0), coalesce(sum(restarts), 0) FROM matches"
    )
    matches, mean_turns, late, restarts = row
    reasons = store.select(
        "SELECT reason, count(*) FROM matches WHERE NOT void GROUP BY reason ORDER BY 2 DESC, 1"
    )
    causes = WORKER_KILLED, GAME_ERROR, LEFT_OUT
    void_reasons = store.select(
        "SELECT CASE WHEN reason IN (?, ?, ?) THEN reason ELSE ? END, count(*) FROM matches "
        "WHERE void AND reason != ? GROUP BY 1 ORDER BY 2 DESC, 1",
        (*causes, LATE, FORFEIT),
    )
    return Statistics(
        matches=matches,
        mean_turns=mean_turns,
        reasons=dict(reasons),
        void_reasons=dict(void_reasons),
        late=late,
        restarts=restarts,
        bots=dict(zip(names, _bots(store, len(names), details=details), strict=True)),
        game=_game_tables(store) if details else UNSET,
    )


_decode_histogram = msgspec.json.Decoder(dict[int, int]).decode
"""Decodes a histogram from a store whose rows were checked. Checking the numbers again would be
slow."""
_SEATS = "FROM seats JOIN matches USING (match) WHERE NOT void"


def _bots(store: Store, count: int, *, details: bool) -> Iterator[BotStatistics]:
    sandbox = store.stages[-1].sandbox
    names = _sum_counts(store, "calls_itself", "", lambda name: {name: 1})
    faults = _sum_counts(store, "faults", "AND faults != '{}'", counts)
    reached = _sum_counts(
        store,
        "detail",
        "AND disqualified IS NULL AND detail NOT NULL",
        lambda detail: dict.fromkeys(detail.removeprefix(REACHED).split(), 1),
    )
    disqualified: defaultdict[int, Counter[str]] = defaultdict(Counter)
    first: defaultdict[int, list[BotDisqualification]] = defaultdict(list)
    # It looks like we'd get any match here, but SQLite takes the other columns from the row with
    # the minimum.
    for bot, code, times, match, detail, stderr in store.select(
        f"SELECT bot, disqualified, count(*), min(match), detail, stderr {_SEATS} "
        "AND disqualified NOT NULL GROUP BY bot, disqualified"
    ):
        disqualified[bot][code] += times
        lines = None if stderr is None else stderr.splitlines()
        hint = missed(sandbox, lines or []) if code == Disqualification.EXITED else ""
        first[bot].append(BotDisqualification(code, match, detail or "", lines, hint))
    seconds_of = _histograms(store, count) if details else None
    sums = {
        bot: rest
        for bot, *rest in store.select(
            f"SELECT bot, avg(score), sum(replies), sum(reply_seconds), max(longest_reply) {_SEATS}"
            " GROUP BY bot"
        )
    }
    for bot in range(count):
        score, replies, seconds, longest = sums.get(bot, (None, 0, 0.0, None))
        yield BotStatistics(
            reported_names=[name for name, _ in names[bot].most_common()],
            mean_score=score,
            faults=dict(faults[bot].most_common()),
            disqualified=dict(disqualified[bot].most_common()),
            first_disqualifications=first[bot],
            reached=dict(reached[bot]),
            replies=replies,
            mean_reply=seconds / replies if replies else None,
            longest_reply=longest if replies else None,
            reply_99=UNSET if seconds_of is None else _percentile(seconds_of[bot], 0.99, longest),
        )


def _histograms(store: Store, count: int) -> list[list[int]]:
    found = [[0] * BUCKETS for _ in range(count)]  # a Counter takes twice as long
    for bot, text in store.select(f"SELECT bot, reply_histogram {_SEATS}"):
        seen = found[bot]
        for bucket, number in _decode_histogram(text).items():
            seen[bucket] += number
    return found


def _sum_counts(
    store: Store, column: str, where: str, parts: Callable[[str], Mapping[str, int]]
) -> defaultdict[int, Counter[str]]:
    found: defaultdict[int, Counter[str]] = defaultdict(Counter)
    # Most matches have the same few texts, so it saves a lot of time to decode each text only once.
    for bot, text, times in store.select(
        f"SELECT bot, {column}, count(*) {_SEATS} {where} GROUP BY bot, {column}"
    ):
        for part, number in parts(text).items():
            found[bot][part] += number * times
    return found


def _percentile(buckets: Sequence[int], share: float, longest: float | None) -> float | None:
    """Return the upper end of the bucket that contains this quantile of reply times, in seconds.

    The result is at most `longest`, which may be inside the bucket.
    """
    left = sum(buckets) * share
    for bucket, count in enumerate(buckets):
        left -= count
        if count and left <= 0:
            end = float(2 ** ((bucket + 1) / BUCKETS_PER_DOUBLING)) / 1e6
            return end if longest is None else min(end, longest)
    return None


def _game_tables(store: Store) -> list[StatisticsTable]:
    make = GAMES[store.stages[-1].game].statistics
    if make is None:
        return []
    at: tuple[int, int] = (0, 0)

    def facts() -> Iterator[SeatFacts]:
        # We only use matches that were played to the end. In other matches, a bot may not have had
        # time for its plan.
        nonlocal at
        names = store.names
        rows = store.select(
            f"SELECT match, bot, rank, statistics {_SEATS} AND reason NOT IN (?, ?) "
            "ORDER BY match, seat",
            (EndReason.LAST_PLAYER_STANDING, EndReason.NO_PLAYERS),
        )
        for seated in zip(*[rows] * store.stages[-1].players, strict=True):
            points = points_of([rank for _, _, rank, _ in seated])
            for seat, (match, bot, _, text) in enumerate(seated):
                if text:
                    at = match, seat
                    yield SeatFacts(names[bot], points[seat], text.encode())

    try:
        return make().tables(facts())
    except (msgspec.MsgspecError, RecursionError) as error:  # only the game can interpret its data
        where = f"table seats, match {at[0]}, seat {at[1]}: statistics"
        raise UsageError(f"{store.name} is damaged: {where}: {error}") from error
