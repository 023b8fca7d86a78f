"""Statistics of a tournament, for authors who want to improve their bots.

We read all of them from the store, and each only takes one query. A game can add its own statistics
(`referee.games.interface.capabilities.Statistics`).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence

import msgspec
from msgspec import UNSET, Struct, UnsetType

from referee.errors import UsageError
from referee.explaining import sentence
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

# We show this cause if a match is void because the referee was late in every attempt. The store
# doesn't say so: there, the match has the reason why its last attempt ended.
LATE = "late"


class BotDisqualification(Struct):
    """The first match in which a bot was disqualified with some code.

    Attributes:
        detail: why, and for a bot that was late also the cause that we observed.
        stderr: the last lines that the bot wrote to stderr, or None.
        hint: how the sandbox may have caused this, in one clause, or "".
    """

    code: str
    match: int
    detail: str
    stderr: list[str] | None
    hint: str


class BotStatistics(Struct):
    """The statistics of one bot over all its matches.

    Attributes:
        first_disqualifications: the first match with each code.
        reached: for each limit, how many matches there were in which the bot reached it without
            being disqualified.
        mean_reply, longest_reply: reply times in seconds.
        reply_99: 99% of the replies took at most this many seconds. It may be up to 19% too high,
            because the store only has a histogram. Only set by `statistics(..., details=True)`.
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
    """Statistics of all matches that count.

    Attributes:
        void_reasons: the number of void matches for each cause. A cause is a reason from the store,
            or `LATE`. Forfeits are not included.
        late: how often a bot timed out while the referee itself was late. We played these matches
            again.
        restarts: how often a match was played again because a kept bot failed in its handshake.
        bots: the statistics of each bot, by name.
        game: additional tables from the game. Only set by `statistics(..., details=True)`.
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
    """Compute the statistics of the matches in a store.

    Args:
        details: if True, add `reply_99` and the tables of the game. They take most of the time,
            because we have to decode two texts per seat.

    Raises:
        UsageError: with `details`, if the game can't read its own statistics in the store.
    """
    names = store.shown_names
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
"""Decodes a histogram of reply times. Its numbers were checked when the store was opened."""
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
    # Usually SQLite would take `detail` and `stderr` from any row of the group. But with min() in a
    # query, it takes them from the row that has the minimum.
    for bot, code, times, match, detail, cause, stderr in store.select(
        f"SELECT bot, disqualified, count(*), min(match), detail, cause, stderr {_SEATS} "
        "AND disqualified NOT NULL GROUP BY bot, disqualified"
    ):
        disqualified[bot][code] += times
        lines = None if stderr is None else stderr.splitlines()
        exited = code == Disqualification.EXITED
        hint = sentence("ending.missed", sandbox, lines or []) if exited else ""
        text = "; ".join(filter(None, (detail, cause)))
        first[bot].append(BotDisqualification(code, match, text, lines, hint))
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
    found = [[0] * BUCKETS for _ in range(count)]  # a Counter would take twice as long
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
    """Return a quantile of reply times in seconds, e.g. the time that 99% of them don't exceed.

    We don't know the exact time, so this is the upper end of its bucket, or `longest` if that's
    less.
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
        # In matches that ended early, a bot may not have had time for its plan, so we don't use
        # them.
        nonlocal at
        names = store.shown_names
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
    except (msgspec.MsgspecError, RecursionError) as error:  # only the game knows what's valid
        where = f"table seats, match {at[0]}, seat {at[1]}: statistics"
        raise UsageError(f"{store.name} is damaged: {where}: {error}") from error
