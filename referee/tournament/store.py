"""The store of a tournament: an SQLite database (spec/store.md)."""

from __future__ import annotations

import fcntl
import os
import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import groupby
from operator import itemgetter
from typing import Any

import msgspec
from msgspec import Struct

from referee.errors import UsageError, cannot_write
from referee.tournament.batch import Left, MatchRow
from referee.tournament.setup import Setup

FORMAT = "referee-tournament"
FORMAT_VERSION = 1
APPLICATION_ID = 0x52656665  # "Refe"
MEMORY = ":memory:"
_WAIT_SECONDS = 30
"""So long a transaction waits for a reader that holds the database."""
_ROWS = 1_000  # at a time
_CLOSE_TRIES = 10
_CLOSE_SECONDS = 0.1

_SCHEMA = """
CREATE TABLE about (
    key TEXT PRIMARY KEY,
    value TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE bots (
    bot INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    command TEXT NOT NULL,
    directory TEXT NOT NULL,
    env TEXT NOT NULL
);
CREATE TABLE matches (
    match INTEGER PRIMARY KEY,
    deal INTEGER NOT NULL,
    seed INTEGER NOT NULL,
    turns INTEGER NOT NULL,
    reason TEXT NOT NULL,
    void INTEGER NOT NULL,
    late INTEGER NOT NULL,
    restarts INTEGER NOT NULL,
    seconds REAL NOT NULL,
    digest TEXT NOT NULL,
    referee TEXT NOT NULL
);
CREATE TABLE seats (
    match INTEGER NOT NULL REFERENCES matches (match),
    seat INTEGER NOT NULL,
    bot INTEGER NOT NULL REFERENCES bots (bot),
    calls_itself TEXT NOT NULL,
    rank INTEGER NOT NULL,
    score INTEGER NOT NULL,
    faults TEXT NOT NULL,
    disqualified TEXT,
    detail TEXT,
    stderr TEXT,
    replies INTEGER NOT NULL,
    reply_seconds REAL NOT NULL,
    longest_reply REAL NOT NULL,
    reply_histogram TEXT NOT NULL,
    statistics TEXT NOT NULL,
    PRIMARY KEY (match, seat)
) WITHOUT ROWID;
"""
TIME_COLUMNS = {
    "matches": ("late", "restarts", "seconds"),
    "seats": ("reply_seconds", "longest_reply", "reply_histogram"),
}
"""What may differ between two runs of the same tournament."""

_json = msgspec.json.Encoder(order="deterministic").encode


class MatchLine(Struct, frozen=True):
    """A match as tables and exports see it; lists are in seat order.

    Attributes:
        match, deal, seed: as of `Plan`.
        players: the bots' numbers.
        ranks, scores, turns, reason, seconds, digest: as of `MatchRow`.
        faults: how many of each seat.
        disqualified: a code or None, of each seat.
        detail: what happened there, or None, of each seat.
        void: it does not count.
    """

    match: int
    deal: int
    seed: int
    players: tuple[int, ...]
    ranks: tuple[int, ...]
    scores: tuple[int, ...]
    turns: int
    reason: str
    faults: tuple[int, ...]
    disqualified: tuple[str | None, ...]
    detail: tuple[str | None, ...]
    seconds: float
    digest: str
    void: bool


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


class Store:
    """A store that is open. Its methods raise `UsageError` where the database cannot be used.

    Attributes:
        name: of the file, as it was given; `MEMORY` if there is none.
    """

    def __init__(self, name: str, connection: sqlite3.Connection, lock: int | None = None) -> None:
        self.name = name
        self._is_new = not connection.execute("SELECT 1 FROM sqlite_master").fetchone()
        self._connection = connection
        self._lock = lock

    # --- opening ------------------------------------------------------------------------------

    @classmethod
    def in_memory(cls) -> Store:
        """A new store that is nowhere but in memory."""
        return cls(MEMORY, sqlite3.connect(MEMORY))

    @classmethod
    def for_writing(cls, name: str) -> Store:
        """Open a store, or make one; no other run can have it meanwhile.

        A new one has no tables before its first stage, so that nobody reads one without.

        Raises:
            UsageError: it cannot be written, is no store, or another run has it.
        """
        try:
            lock = os.open(name, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
        except OSError as error:
            raise cannot_write(name, error) from error
        try:
            # A dead run holds nothing. SQLite's own locks are of another kind.
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError as error:
                raise UsageError(
                    f"another run is writing {name}: wait for it, or give another --store"
                ) from error
            with usable(name):
                connection = sqlite3.connect(name, timeout=_WAIT_SECONDS)
                store = cls(name, connection, lock)
                if not store._is_new:
                    store._check()
                connection.execute("PRAGMA journal_mode = WAL")
                connection.execute("PRAGMA synchronous = NORMAL")
                return store
        except BaseException:
            os.close(lock)
            raise

    @classmethod
    def for_reading(cls, name: str) -> Store:
        """Open a store that is there; a run may be writing it.

        It stays as it was when it was opened, whatever a run adds meanwhile.

        Raises:
            UsageError: it cannot be read, or is no store.
        """
        if not os.path.isfile(name):
            raise UsageError(f"cannot read {name}: no such file")
        path = os.path.abspath(name).replace("%", "%25").replace("?", "%3f").replace("#", "%23")
        with usable(name):
            try:
                return cls._snapshot(name, f"file:{path}?mode=ro")
            except sqlite3.OperationalError:
                # In a folder that cannot be written SQLite can only read what no run is writing.
                return cls._snapshot(name, f"file:{path}?immutable=1")

    @classmethod
    def _snapshot(cls, name: str, uri: str) -> Store:
        connection = sqlite3.connect(uri, uri=True, timeout=_WAIT_SECONDS)
        try:
            connection.execute("BEGIN")
            store = cls(name, connection)
            if store._is_new:
                raise UsageError(f"{name} is empty: no tournament has begun in it")
            store._check()
        except BaseException:
            connection.close()
            raise
        return store

    def close(self) -> None:
        """Close it; what was added stays. A new one to which no stage was added is removed."""
        if self._lock is not None:
            self._to_one_file()
        self._connection.close()
        if self._lock is not None:
            if self._is_new:
                with suppress(OSError):
                    os.unlink(self.name)
            os.close(self._lock)
            self._lock = None

    def _to_one_file(self) -> None:
        with suppress(sqlite3.Error):  # the disk is full; the next run does it
            # Whatever becomes of the other files, this one is whole.
            self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            for _ in range(_CLOSE_TRIES):
                try:
                    self._connection.execute("PRAGMA journal_mode = DELETE")
                    break
                except sqlite3.OperationalError:  # a reader has it open; it does not read for long
                    time.sleep(_CLOSE_SECONDS)

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *exc_info: object) -> None:
        self.close()

    def _create(self) -> None:
        # The transaction goes on: with the first stage it is all or nothing.
        self._connection.executescript(
            f"BEGIN; PRAGMA application_id = {APPLICATION_ID}; {_SCHEMA}"
            f"INSERT INTO about VALUES ('format', '\"{FORMAT}\"'); "
            f"INSERT INTO about VALUES ('version', '{FORMAT_VERSION}')"
        )

    def _check(self) -> None:
        (application,) = self._connection.execute("PRAGMA application_id").fetchone()
        if application != APPLICATION_ID:
            raise UsageError(f"{self.name} is no store of a tournament")
        if self._get("version") != FORMAT_VERSION:
            raise UsageError(f"{self.name} was written by a newer referee")

    # --- what it is of ------------------------------------------------------------------------

    def _put(self, key: str, value: Any) -> None:
        self._connection.execute(
            "INSERT OR REPLACE INTO about VALUES (?, ?)", (key, _json(value).decode())
        )

    def _get(self, key: str) -> Any:
        found = self._connection.execute("SELECT value FROM about WHERE key = ?", (key,)).fetchone()
        return None if found is None else msgspec.json.decode(found[0])

    @property
    def stages(self) -> list[Setup]:
        """The setup it was made with, and those that extended it; empty before the first."""
        with usable(self.name):
            return [] if self._is_new else msgspec.convert(self._get("stages"), list[Setup])

    def add_stage(self, setup: Setup) -> None:
        """Say what it is of, or to what it is extended; without a match, what it was of is gone."""
        stages = [setup] if self.is_empty else [*self.stages, setup]
        with writing(self.name), self._connection:
            if self._is_new:
                self._create()
            if len(stages) == 1:
                self._connection.execute("DELETE FROM bots")
            self._put("stages", stages)
            self._connection.executemany(
                "INSERT OR IGNORE INTO bots VALUES (?, ?, ?, ?, ?)",
                [
                    (number, bot.name, bot.bot, bot.directory, _json(bot.env).decode())
                    for number, bot in enumerate(setup.bots)
                ],
            )
        self._is_new = False

    @property
    def is_empty(self) -> bool:
        """Whether no match is there yet."""
        return self._is_new or self.count()[0] == 0

    @property
    def names(self) -> list[str]:
        """The names of the bots, by their numbers."""
        return [name for (name,) in self.select("SELECT name FROM bots ORDER BY bot")]

    # --- matches ------------------------------------------------------------------------------

    def add(self, rows: Sequence[MatchRow]) -> None:
        """Add matches, all or none.

        Raises:
            UsageError: the store cannot be written (disk full).
        """
        with writing(self.name), self._connection:
            self._connection.executemany(
                "INSERT INTO matches VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                [
                    (
                        row.match,
                        row.deal,
                        row.seed,
                        row.turns,
                        row.reason,
                        row.void,
                        row.late,
                        row.restarts,
                        row.seconds,
                        row.digest,
                        row.referee,
                    )
                    for row in rows
                ],
            )
            self._connection.executemany(
                "INSERT INTO seats VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                [_seat(row, seat) for row in rows for seat in range(len(row.players))],
            )

    def drop(self, first_deal: int) -> None:
        """Drop the matches of this deal and those after it."""
        with writing(self.name), self._connection:
            where = "WHERE match IN (SELECT match FROM matches WHERE deal >= ?)"
            self._connection.execute(f"DELETE FROM seats {where}", (first_deal,))
            self._connection.execute("DELETE FROM matches WHERE deal >= ?", (first_deal,))

    def played(self) -> Iterator[int]:
        """The numbers of all matches that are there, ascending."""
        for (match,) in self.select("SELECT match FROM matches ORDER BY match"):
            yield match

    def count(self) -> tuple[int, int]:
        """How many matches are there, and how many of them are void."""
        ((matches, void),) = self.select("SELECT count(*), coalesce(sum(void), 0) FROM matches")
        return matches, void

    def matches(self, first: int = 0) -> Iterator[MatchLine]:
        """All matches from this number on, in the order of the schedule."""
        players = self.stages[-1].players
        columns = "m.match, deal, seed, turns, reason, seconds, digest, void"
        seats = "bot, rank, score, faults, disqualified, detail"
        rows = self.select(
            f"SELECT {columns}, {seats} FROM matches AS m JOIN seats AS s ON s.match = m.match "
            "WHERE m.match >= ? ORDER BY m.match, seat",
            (first,),
        )
        for _, group in groupby(rows, itemgetter(0)):
            seated = list(group)
            yield self._line(seated[0][:8], [row[8:] for row in seated], players)

    def _line(
        self, head: tuple[Any, ...], places: list[tuple[Any, ...]], players: int
    ) -> MatchLine:
        with usable(self.name):
            line = _line(head, places)
        if not (
            len(set(line.players)) == len(line.players) == players
            and min(line.ranks) >= 1
            and max(line.ranks) <= players
        ):
            raise UsageError(f"{self.name} is damaged: match {line.match} cannot be")
        return line

    def select(self, query: str, parameters: Sequence[object] = ()) -> Iterator[tuple[Any, ...]]:
        """The rows of a query, for tables of its own."""
        with usable(self.name):
            cursor = self._connection.execute(query, parameters)
        while True:
            with usable(self.name):
                rows = cursor.fetchmany(_ROWS)
            if not rows:
                return
            yield from rows


def _seat(row: MatchRow, seat: int) -> tuple[object, ...]:
    left: Left | None = row.left[seat]
    return (
        row.match,
        seat,
        row.players[seat],
        row.names[seat],
        row.ranks[seat],
        row.scores[seat],
        _json(row.faults[seat]).decode(),
        left and left.code,
        left and left.detail,
        "\n".join(left.stderr) if left else None,
        row.replies[seat],
        row.reply_seconds[seat],
        row.longest_reply[seat],
        _json({str(bucket): n for bucket, n in row.reply_histogram[seat].items()}).decode(),
        row.statistics[seat].decode() if row.statistics else "",
    )


_counts = msgspec.json.Decoder(dict[str, int])


def _line(head: tuple[Any, ...], places: list[tuple[Any, ...]]) -> MatchLine:
    match, deal, seed, turns, reason, seconds, digest, void = head
    bots, ranks, scores, faults, disqualified, detail = zip(*places, strict=True)
    return MatchLine(
        match=match,
        deal=deal,
        seed=seed,
        players=bots,
        ranks=ranks,
        scores=scores,
        turns=turns,
        reason=reason,
        faults=tuple(0 if text == "{}" else sum(_counts.decode(text).values()) for text in faults),
        disqualified=disqualified,
        detail=detail,
        seconds=seconds,
        digest=digest,
        void=bool(void),
    )


@contextmanager
def usable(name: str) -> Iterator[None]:
    """Where a store is read: what cannot be is one line for the user."""
    try:
        yield
    except (sqlite3.DatabaseError, msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise UsageError(f"cannot use {name} as a store: {error}") from error


@contextmanager
def writing(name: str) -> Iterator[None]:
    """Where a store is written: what SQLite cannot do is one line for the user."""
    try:
        yield
    except sqlite3.DatabaseError as error:
        raise UsageError(f"cannot write {name}: {error}; what was added before is kept") from error
