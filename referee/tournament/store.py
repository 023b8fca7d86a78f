"""Stores the settings and results of a tournament in an SQLite database (spec/store.md)."""

from __future__ import annotations

import fcntl
import os
import sqlite3
import stat
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import astuple

from referee.errors import UsageError, cannot_write
from referee.games import ADD_GAME, GAMES
from referee.games.outside import Source
from referee.match.limits import LimitsBy
from referee.tournament.rows import (
    LEFT_OUT,
    WITHDRAWN,
    WORKER_KILLED,
    Entrant,
    MatchColumns,
    MatchRow,
    SeatRow,
)
from referee.tournament.schedule.format import TournamentSetup
from referee.tournament.schedule.withdrawals import BY_HAND, Withdrawal
from referee.tournament.setup import short_names
from referee.tournament.stored import TABLES, bot_rows, check_rows

FORMAT = "referee-tournament"
FORMAT_VERSION = 2
APPLICATION_ID = 0x52656665  # ASCII for "Refe"
MEMORY = ":memory:"
# The largest integer that SQLite can store.
MAX_NUMBER = 2**63 - 1
# If a reader blocks the database, a transaction waits for it for this many seconds.
_WAIT_SECONDS = 30
_ROWS = 1_000  # fetched at a time
_CLOSE_TRIES = 10
_CLOSE_SECONDS = 0.1
# SQLite appends these suffixes to the name of a database for its additional files.
_SIDE_SUFFIXES = ("-wal", "-shm", "-journal")
# If a rollback journal ends with these bytes, it names another file, the super-journal, which
# SQLite deletes. Only transactions over several databases write such a journal. We never do, but a
# stranger could use it to delete one of your files.
_SUPER_JOURNAL_MAGIC = bytes.fromhex("d9d505f920a163d7")

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
# Version 1 did not have these columns, so version 2 adds them to new and to old stores alike.
_ADD_COLUMNS = """
ALTER TABLE main.matches ADD COLUMN messages INTEGER NOT NULL DEFAULT 0;
ALTER TABLE main.seats ADD COLUMN cause TEXT
"""
# In a store of version 1, queries read these views in place of the tables, because temporary names
# come first.
_VIEWS_OF_VERSION_1 = (
    "CREATE TEMP VIEW matches AS SELECT *, 0 AS messages FROM main.matches",
    "CREATE TEMP VIEW seats AS SELECT *, NULL AS cause FROM main.seats",
)
_MATCH = MatchColumns.__struct_fields__
_LONG = ("reply_histogram", "statistics")
_COLUMNS = ", ".join(
    [*_MATCH, *("''" if name in _LONG else name for name in SeatRow.__struct_fields__)]
)


# The rows of the table `about` that are facts about the matches, with their types. A missing row
# stands for an empty value. They are deleted if a store without matches gets another setup.
_FACTS: dict[str, Any] = {
    "title": str,
    "versions": dict[str, list[str]],
    "left_out": dict[str, str],
    "withdrawn": dict[str, Withdrawal],
    "reinstated": dict[str, int],
    "limits_by": list[LimitsBy],
    "game_files": list[Source],
}


class Store:
    """An open store. All methods raise `UsageError` if the database can't be used.

    A store may come from a stranger, or from another version of the referee, so we check it
    thoroughly when we open it.
    """

    def __init__(
        self,
        name: str,
        connection: sqlite3.Connection,
        lock: int | None = None,
        *,
        made: bool = False,
    ) -> None:
        self.name = name
        self._path = os.path.realpath(name)
        self._is_new = not connection.execute("SELECT 1 FROM sqlite_master").fetchone()
        self._connection = connection
        self._lock = lock
        self._made = made
        self._is_version_1 = False
        self._side_files: dict[str, os.stat_result] = {}

    # --- opening ------------------------------------------------------------------------------

    @classmethod
    def in_memory(cls) -> Store:
        """Create a store that only exists in memory."""
        connection = _connect(MEMORY)
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        return cls(MEMORY, connection)

    @classmethod
    def for_writing(cls, name: str) -> Store:
        """Open or create a store, and lock it against other runs.

        A new store has no tables until its first stage is added. Readers never see a half-finished
        one.
        """
        with ExitStack() as undo:
            lock, made = _open(name)
            undo.callback(os.close, lock)
            path = os.path.realpath(name)
            _check_side_files(path)
            if made:
                undo.callback(_remove, path, os.fstat(lock))
            # If a process dies, its lock is released, so we don't have to clean up. (SQLite's own
            # locks are of a different kind, and don't conflict with this one.)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError as error:
                raise UsageError(
                    f"another run is writing {name}: wait for it, or give another --store"
                ) from error
            if made:
                # SQLite keeps its files if the disk is full. Beside no store, they'd be in the way
                # of the next run.
                for suffix in _SIDE_SUFFIXES:
                    undo.callback(Path(path + suffix).unlink, missing_ok=True)
            with usable(name):
                connection = _connect(path)
                undo.callback(connection.close)
                store = cls(name, connection, lock, made=made)
                if made:
                    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
                else:
                    store._check()
                # With a write-ahead log, readers and the writer don't block each other. NORMAL
                # means that a commit doesn't wait for the disk. If the power fails, the last
                # matches may be missing and are played again, but the store is never damaged.
                connection.execute("PRAGMA journal_mode = WAL")
                connection.execute("PRAGMA synchronous = NORMAL")
                store._stat_side_files()
            undo.pop_all()
            return store

    @classmethod
    def for_reading(cls, name: str, *, check: bool = True) -> Store:
        """Open an existing store as a snapshot, in which matches that are added later don't appear.

        Args:
            check: if False, only check that the file is a store, and not all of its rows.
        """
        if not os.path.exists(name):
            raise UsageError(f"cannot read {name}: no such file")
        if not os.path.isfile(name):
            raise _not_regular(name)
        _check_side_files(os.path.realpath(name))
        path = os.path.abspath(name).replace("%", "%25").replace("?", "%3f").replace("#", "%23")
        with usable(name):
            try:
                return cls._snapshot(name, f"file:{path}?mode=ro", check)
            except sqlite3.OperationalError:
                # This happens in a read-only folder, where SQLite can't create its additional
                # files. It can still read a store there, but only if no run is writing it.
                return cls._snapshot(name, f"file:{path}?immutable=1", check)

    @classmethod
    def _snapshot(cls, name: str, uri: str, check: bool) -> Store:
        connection = _connect(uri)
        try:
            # From now on, all queries see the same state, even while a run is writing.
            connection.execute("BEGIN")
            store = cls(name, connection)
            if store._is_new:
                raise UsageError(f"{name} is empty: no tournament has begun in it")
            store._check(rows=check)
        except BaseException:
            connection.close()
            raise
        return store

    def close(self) -> None:
        """Close the store. If it's new and has no stage, it's useless, so we delete its file."""
        in_place = self._in_place()
        if self._lock is not None and in_place:
            self._merge_side_files()
        self._connection.close()
        if self._lock is None:
            return
        if not in_place:  # SQLite would apply them to the next store of this name
            for path, found in self._side_files.items():
                _remove(path, found)
        elif self._made and self._is_new:
            _remove(self._path, os.fstat(self._lock))
        os.close(self._lock)
        self._lock = None

    def check_in_place(self) -> None:
        """Raise `UsageError` if the file was removed or replaced since it was opened.

        SQLite doesn't notice this and continues to write to a file that nobody can find any more.
        We save the content in a new file in the same folder, whose name is in the error message.
        """
        if self._in_place():
            return
        folder, base = os.path.split(self._path)
        what = "replaced" if os.path.lexists(self._path) else "removed"
        problem = f"{self.name} was {what} by another program while it was written"
        try:
            fd, saved = tempfile.mkstemp(prefix=f"{base}.saved-", dir=folder)
            os.close(fd)
            self._connection.execute("VACUUM INTO ?", (saved,))
        except (OSError, sqlite3.Error) as error:
            raise UsageError(f"{problem}; its matches are lost: {error}") from error
        kept = os.path.join(os.path.dirname(self.name), os.path.basename(saved))
        raise UsageError(f"{problem}; its matches are in {kept}: rename it, and continue with it")

    def save_copy(self, name: str) -> None:
        """Write a copy of the store to a new file.

        Raises:
            FileExistsError: the file exists.
            UsageError: the file cannot be written.
        """
        try:
            # VACUUM INTO would also write to an existing empty file, so we make sure that the file
            # is ours.
            os.close(os.open(name, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666))
            made = os.stat(name)
        except FileExistsError:
            raise
        except OSError as error:
            raise cannot_write(name, error) from error
        try:
            self._connection.execute("VACUUM INTO ?", (os.path.abspath(name),))
        except sqlite3.Error as error:
            _remove(name, made)
            raise UsageError(f"cannot write {name}: {error}") from error

    def _in_place(self) -> bool:
        if self._lock is None:
            return True
        try:
            return os.path.samestat(os.stat(self._path), os.fstat(self._lock))
        except OSError:
            return False

    def _stat_side_files(self) -> None:
        # This query makes SQLite create the files.
        self._connection.execute("SELECT 1 FROM sqlite_master").fetchone()
        for suffix in _SIDE_SUFFIXES:
            with suppress(FileNotFoundError):
                self._side_files[self._path + suffix] = os.stat(self._path + suffix)

    def _merge_side_files(self) -> None:
        with suppress(sqlite3.Error):  # e.g. the disk is full; the next run will try again
            # This writes everything to the main file, so you can copy it without the others.
            self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            for _ in range(_CLOSE_TRIES):
                try:
                    self._connection.execute("PRAGMA journal_mode = DELETE")
                    break
                except sqlite3.OperationalError:  # a reader has it open
                    time.sleep(_CLOSE_SECONDS)

    def __enter__(self) -> Store:
        return self

    def __exit__(self, kind: type[BaseException] | None, *rest: object) -> None:
        try:
            if kind is None:
                self.check_in_place()
        finally:
            self.close()

    def _create(self) -> None:
        # The transaction stays open, so that tables and first stage are written together.
        self._connection.executescript(
            f"BEGIN; {_SCHEMA}{_ADD_COLUMNS}; "
            f"INSERT INTO about VALUES ('format', '\"{FORMAT}\"'); "
            f"INSERT INTO about VALUES ('version', '{FORMAT_VERSION}')"
        )

    def _check(self, *, rows: bool = True) -> None:
        # Up to here, it could be any SQLite database, e.g. the history of a browser.
        (application,) = self._connection.execute("PRAGMA application_id").fetchone()
        if application != APPLICATION_ID:
            raise UsageError(f"{self.name} is not a store of a tournament")
        if self._is_new:
            return
        with closing(sqlite3.connect(MEMORY)) as empty:
            empty.executescript(_SCHEMA)
            version_1 = _schema(empty)
            empty.executescript(_ADD_COLUMNS)
            found, wanted = _schema(self._connection), _schema(empty)
        # We've only read the schema until now. If a stranger has replaced a table by a view, a
        # query on it might never end.
        version = self._get("version", Any) if wanted[0] in found else None
        if version not in (None, 1, FORMAT_VERSION):
            raise UsageError(f"{self.name} was written by a newer referee")
        if found != (version_1 if version == 1 else wanted):
            raise UsageError(f"{self.name} is damaged: it does not have the tables of a store")
        if version == 1:
            for view in _VIEWS_OF_VERSION_1:
                self._connection.execute(view)
            self._is_version_1 = True
        stages = self.stages
        if stages and stages[-1].game not in GAMES:
            raise UsageError(f"{self.name} is of the game {stages[-1].game!r}; {ADD_GAME}")
        for key in _FACTS:
            self._fact(key)
        if not rows:
            return
        try:
            check_rows(self._connection.execute, stages)
        except UsageError as error:
            raise UsageError(f"{self.name} is damaged: {error}") from error

    # --- settings ---------------------------------------------------------------------------------

    def _get(self, key: str, kind: Any) -> Any:
        found = self._connection.execute("SELECT value FROM about WHERE key = ?", (key,)).fetchone()
        try:
            (text,) = msgspec.convert(found, tuple[str])
            return msgspec.json.decode(text, type=kind)
        except (msgspec.MsgspecError, RecursionError) as error:
            raise UsageError(f"{self.name} is damaged: table about, {key}: {error}") from error

    def _fact(self, key: str) -> Any:
        query = "SELECT 1 FROM about WHERE key = ?"
        if self._is_new or not list(self.select(query, [key])):
            return _FACTS[key]()
        return self._get(key, _FACTS[key])

    def _note(self, key: str, value: object) -> None:
        """Set a fact, within a transaction."""
        if value:
            self._put(key, value)
        else:
            self._connection.execute("DELETE FROM about WHERE key = ?", (key,))

    def _note_of_bots(self, key: str, values: Mapping[int, object]) -> None:
        names = self.names
        self._note(key, {names[bot]: value for bot, value in sorted(values.items())})

    def _fact_of_bots(self, key: str) -> dict[int, Any]:
        """Return a fact whose keys are names of bots, by the numbers of the bots."""
        found = self._fact(key)
        return {number: found[name] for number, name in enumerate(self.names) if name in found}

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """Run one transaction. The first one brings a store of version 1 up to date."""
        try:
            with self._connection:
                if self._is_version_1:
                    self._connection.execute("BEGIN")
                    for table in TABLES:
                        self._connection.execute(f"DROP VIEW temp.{table}")
                    for statement in _ADD_COLUMNS.split(";"):
                        self._connection.execute(statement)
                    self._put("version", FORMAT_VERSION)
                yield
            self._is_version_1 = False
        except sqlite3.DatabaseError as error:
            raise UsageError(
                f"cannot write {self.name}: {error}; earlier results are saved"
            ) from error

    @property
    def stages(self) -> list[TournamentSetup]:
        """The first setup, then one for each extension. A new store doesn't have any."""
        with usable(self.name):
            stages: list[TournamentSetup] = (
                [] if self._is_new else self._get("stages", list[TournamentSetup])
            )
            return stages

    def add_stage(self, setup: TournamentSetup) -> None:
        """Add the first setup or an extension. Stages without any matches are replaced."""
        stages = [setup] if self.is_empty else [*self.stages, setup]
        with self._writing():
            if self._is_new:
                self._create()
            # No match was played yet, so we can begin again with other bots.
            if len(stages) == 1:
                self._connection.execute("DELETE FROM bots")
                self._connection.executemany(
                    "DELETE FROM about WHERE key = ?", [(key,) for key in _FACTS]
                )
            self._put("stages", stages)
            self._insert_bots(setup)
        self._is_new = False

    @property
    def title(self) -> str:
        """The title that the last run gave the tournament, or ""."""
        return str(self._fact("title"))

    def set_title(self, title: str) -> None:
        """Give the tournament a title, for its tables and pages."""
        if title != self.title:
            with self._writing():
                self._note("title", title)

    @property
    def versions(self) -> dict[str, list[str]]:
        """The digests of each bot's files, one per version that has played, by bot name.

        A bot is missing if we don't know its files, and so are all bots that only played with older
        referees, which didn't store any digests.
        """
        found: dict[str, list[str]] = self._fact("versions")
        return found

    def changed(self, digests: Mapping[str, str]) -> list[str]:
        """Return the names of bots that have played, but only with other files than these.

        Args:
            digests: the digest of each bot's current files, by name.
        """
        if self._is_new:
            return []
        query = "SELECT DISTINCT name FROM seats JOIN bots USING (bot)"
        versions, played = self.versions, {name for (name,) in self.select(query)}
        return [
            name
            for name, digest in digests.items()
            if digest and name in played and digest not in versions.get(name, [digest])
        ]

    def add_versions(self, digests: Mapping[str, str]) -> None:
        """Note with which files the bots play from now on. Takes the same argument as `changed`."""
        before, changed = self.versions, self.changed(digests)
        now = dict(before)
        for name, digest in digests.items():
            if digest and digest not in before.get(name, []):
                # If the bot hasn't played yet, nobody needs to know its old files.
                now[name] = [*before[name], digest] if name in changed else [digest]
        if now != before:
            with self._writing():
                self._put("versions", now)

    @property
    def left_out(self) -> dict[int, str]:
        """The bots that could not play in the last run, by number, with the reasons."""
        return self._fact_of_bots("left_out")

    def leave_out(self, bots: Mapping[str, str]) -> None:
        """Note which bots can't play in this run, and why. The keys are names."""
        with self._writing():
            self._note("left_out", dict(bots))

    @property
    def withdrawn(self) -> dict[int, Withdrawal]:
        """The withdrawn bots, by number."""
        return self._fact_of_bots("withdrawn")

    @property
    def reinstated(self) -> dict[int, int]:
        """For each bot that was reinstated, the last match of the streak that had withdrawn it."""
        return self._fact_of_bots("reinstated")

    def withdraw(self, bot: int, match: int) -> None:
        """Withdraw a bot by hand. The next run stores forfeits for its matches after `match`."""
        self.settle([], [], self.withdrawn | {bot: Withdrawal(match, BY_HAND)})

    def reinstate(self, bot: int) -> None:
        """Take back a bot's withdrawal, and delete its forfeits so that they are played.

        Args:
            bot: number of a bot that is withdrawn.
        """
        withdrawn, reinstated = self.withdrawn, self.reinstated
        reinstated[bot] = withdrawn.pop(bot).match
        gone = self.select(
            "SELECT match FROM seats WHERE bot = ? AND disqualified = ?", (bot, WITHDRAWN)
        )
        with self._writing():
            self._note_of_bots("reinstated", reinstated)
        self.settle([], [match for (match,) in gone], withdrawn)

    @property
    def limits_by(self) -> list[LimitsBy]:
        """How the limits of sandboxed bots were enforced, in the order of the runs."""
        found: list[LimitsBy] = self._fact("limits_by")
        return found

    def add_limits_by(self, name: LimitsBy) -> None:
        """Note how the limits of sandboxed bots are enforced from now on."""
        before = self.limits_by
        if name not in before:
            with self._writing():
                self._put("limits_by", [*before, name])

    @property
    def game_files(self) -> list[Source]:
        """All versions of the external game that were played, in the order of the runs."""
        found: list[Source] = self._fact("game_files")
        return found

    def add_game_file(self, source: Source) -> None:
        """Note the version of the external game that is played from now on."""
        before = self.game_files
        if source.digest not in [each.digest for each in before]:
            with self._writing():
                self._put("game_files", [*before, source])

    def replace_bots(self, stages: Sequence[TournamentSetup]) -> None:
        """Replace the stages by stages with other bots. Only bots that never played may differ."""
        with self._writing():
            self._put("stages", stages)
            self._connection.execute("DELETE FROM bots")
            self._insert_bots(stages[-1])

    def _put(self, key: str, value: object) -> None:
        text = msgspec.json.encode(value, order="deterministic").decode()
        self._connection.execute("INSERT OR REPLACE INTO about VALUES (?, ?)", (key, text))

    def _insert_bots(self, setup: TournamentSetup) -> None:
        self._connection.executemany(
            "INSERT OR IGNORE INTO bots VALUES (?, ?, ?, ?, ?)", bot_rows(setup)
        )

    @property
    def is_empty(self) -> bool:
        """Whether the store has no matches."""
        return self._is_new or self.count()[0] == 0

    @property
    def names(self) -> list[str]:
        """The names of the bots, in the order of their numbers."""
        return [name for (name,) in self.select("SELECT name FROM bots ORDER BY bot")]

    @property
    def shown_names(self) -> list[str]:
        """The names of the bots in tables and pages (`short_names`), in the same order."""
        bots = self.select("SELECT name, command FROM bots ORDER BY bot")
        return short_names([Entrant(*bot) for bot in bots])

    @property
    def numbers(self) -> dict[str, int]:
        """The numbers of the bots, by their names as people may give them: whole or shown."""
        return {
            name: bot for names in (self.names, self.shown_names) for bot, name in enumerate(names)
        }

    # --- matches ------------------------------------------------------------------------------

    def add(self, rows: Sequence[MatchRow]) -> None:
        """Add matches in one transaction."""
        with self._writing():
            self._insert(rows)

    def settle(
        self,
        forfeits: Sequence[MatchRow],
        dropped: Sequence[int],
        withdrawn: Mapping[int, Withdrawal],
    ) -> None:
        """Store which bots are withdrawn, and the resulting changes of matches, in one transaction.

        Args:
            forfeits: matches that become forfeits, whether they're in the store or not.
            dropped: numbers of matches to delete, because they must be played again.
            withdrawn: all withdrawn bots, by number.
        """
        with self._writing():
            gone = [(match,) for match in (*dropped, *(row.match for row in forfeits))]
            for table in ("seats", "matches"):
                self._connection.executemany(f"DELETE FROM {table} WHERE match = ?", gone)
            self._insert(forfeits)
            self._note_of_bots("withdrawn", withdrawn)

    def _insert(self, rows: Sequence[MatchRow]) -> None:
        for table, found in (
            ("matches", [astuple(row)[: len(_MATCH)] for row in rows]),
            ("seats", [astuple(seat) for row in rows for seat in row.seats]),
        ):
            values = ", ".join("?" * len(TABLES[table].__struct_fields__))
            self._connection.executemany(f"INSERT INTO {table} VALUES ({values})", found)

    def drop(self, first: int) -> None:
        """Delete this match and all later ones, e.g. if a sequential test has already ended."""
        with self._writing():
            for table in ("seats", "matches"):
                self._connection.execute(f"DELETE FROM {table} WHERE match >= ?", (first,))

    def played(self) -> Iterator[int]:
        """Yield the numbers of all stored matches, ascending."""
        for (match,) in self.select("SELECT match FROM matches ORDER BY match"):
            yield match

    def count(self) -> tuple[int, int]:
        """Return the number of matches and the number of void matches."""
        ((matches, void),) = self.select("SELECT count(*), coalesce(sum(void), 0) FROM matches")
        return matches, void

    def seated(self) -> set[int]:
        """Return the bots that are in any stored match, unless they were left out of it."""
        query = "SELECT DISTINCT bot FROM seats WHERE disqualified IS NOT ?"
        return {bot for (bot,) in self.select(query, (LEFT_OUT,))}

    def has_disqualifications(self) -> bool:
        """True if some bot was disqualified in a match that counts."""
        query = (
            "SELECT 1 FROM seats JOIN matches USING (match) "
            "WHERE disqualified NOT NULL AND NOT void LIMIT 1"
        )
        return any(True for _ in self.select(query))

    def bots_out(self) -> set[int]:
        """Return the bots that are out because they kill the process that plays them."""
        query = "SELECT DISTINCT bot FROM seats WHERE disqualified = ?"
        return {bot for (bot,) in self.select(query, (WORKER_KILLED,))}

    def matches(self, first: int = 0, end: int = MAX_NUMBER) -> Iterator[MatchRow]:
        """Yield matches from `first` up to `end` (exclusive), in the order of the schedule."""
        rows = self.select(
            f"SELECT {_COLUMNS} FROM matches JOIN seats USING (match) "
            "WHERE match >= ? AND match < ? ORDER BY match, seat",
            (first, end),
        )
        for _, group in groupby(rows, itemgetter(0)):
            seated = list(group)
            seats = tuple([SeatRow(*row[len(_MATCH) :]) for row in seated])
            yield MatchRow(*seated[0][: len(_MATCH)], seats)  # type: ignore[call-arg]

    def select(self, query: str, parameters: Sequence[object] = ()) -> Iterator[tuple[Any, ...]]:
        """Run an SQL query, and yield its rows."""
        with usable(self.name):
            cursor = self._connection.execute(query, parameters)
        # Fetch the rows inside of `usable`, but yield them outside, so that errors in the caller's
        # code aren't mistaken for errors of the database.
        while True:
            with usable(self.name):
                rows = cursor.fetchmany(_ROWS)
            if not rows:
                return
            yield from rows


def _open(name: str) -> tuple[int, bool]:
    if name in ("", MEMORY) or name.startswith("file:") or "\0" in name:
        raise UsageError(f"--store {name!r} is not the name of a file")
    flags = os.O_RDWR | os.O_CLOEXEC
    try:
        if os.path.lexists(name):
            if not stat.S_ISREG(os.stat(name).st_mode):
                raise _not_regular(name)
            return os.open(name, flags), False
        for path in (os.path.realpath(name) + suffix for suffix in _SIDE_SUFFIXES):
            if os.path.lexists(path):
                # SQLite would think that this file belongs to the new database, and delete it.
                raise UsageError(
                    f"{path} exists without {name}: a run is writing that store, or was killed "
                    "and its store moved; move this file too, or give another --store"
                )
        return os.open(name, flags | os.O_CREAT | os.O_EXCL, 0o666), True
    except OSError as error:
        raise cannot_write(name, error) from error


def _not_regular(name: str) -> UsageError:
    return UsageError(f"{name} is not a store of a tournament: it is not a regular file")


def _check_side_files(path: str) -> None:
    """Check the files that SQLite may read beside a store. They may come from a stranger."""
    for file in (path + suffix for suffix in _SIDE_SUFFIXES):
        try:
            if not stat.S_ISREG(os.stat(file).st_mode):
                raise UsageError(f"{file} is not a regular file: remove it")
            with open(file, "rb") as opened:
                opened.seek(max(0, os.fstat(opened.fileno()).st_size - len(_SUPER_JOURNAL_MAGIC)))
                if opened.read() == _SUPER_JOURNAL_MAGIC:
                    raise UsageError(f"{file} names another file, to be removed: remove this one")
        except FileNotFoundError:
            continue
        except OSError as error:
            raise UsageError(f"cannot read {file}: {error.strerror}") from error


def _remove(path: str, made: os.stat_result) -> None:
    with suppress(OSError):
        # Don't delete a file that somebody has put here instead.
        if os.path.samestat(os.lstat(path), made):
            os.unlink(path)


def _connect(database: str) -> sqlite3.Connection:
    """Connect to a database that a stranger may have made, so that reading it can't do any harm."""
    connection = sqlite3.connect(database, timeout=_WAIT_SECONDS, uri=database.startswith("file:"))
    connection.execute("PRAGMA trusted_schema = OFF")
    if sys.version_info >= (3, 12):
        connection.setconfig(sqlite3.SQLITE_DBCONFIG_DEFENSIVE, True)
    return connection


def _schema(connection: sqlite3.Connection) -> list[tuple[object, ...]]:
    """Return the tables, views and triggers. SQLite might run a view or trigger in any query."""
    return connection.execute(
        "SELECT type, name, tbl_name, sql FROM sqlite_master WHERE type != 'index' "
        "AND (type, name) NOT IN (VALUES ('table', 'sqlite_sequence'), ('table', 'sqlite_stat1')) "
        "ORDER BY name"
    ).fetchall()


@contextmanager
def usable(name: str) -> Iterator[None]:
    """Turn errors that occur while reading a store into `UsageError`."""
    try:
        yield
    except (sqlite3.DatabaseError, msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise UsageError(f"cannot use {name} as a store: {error}") from error
