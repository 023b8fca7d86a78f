"""Test the store: its contents, and who may open it at the same time (spec/store.md)."""

from __future__ import annotations

import os
import re
import resource
import shutil
import sqlite3
import struct
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from msgspec.structs import replace

from referee.errors import UsageError
from referee.games.outside import Source
from referee.tournament import store as store_module
from referee.tournament.report.standings import standings
from referee.tournament.rows import (
    FORFEIT,
    LEFT_OUT,
    WORKER_KILLED,
    Plan,
    forfeit_row,
    points_of,
    unplayed_row,
)
from referee.tournament.schedule.withdrawals import Withdrawal
from referee.tournament.store import APPLICATION_ID, Store, _remove
from referee.tournament.stored import TABLES
from tests.support.live import ROOT
from tests.support.made_up import contents, left, made_setup, play, played, row
from tests.support.stores import TIME_COLUMNS

SETUP = made_setup(3, deals=2)
OLDER = ROOT / "tests" / "golden" / "older"


@pytest.fixture
def file(tmp_path: Path) -> str:
    return str(tmp_path / "a%20 store?#1.sqlite")  # these characters are special in a URI


@pytest.fixture
def whole(file: str) -> str:
    """A store with a finished tournament."""
    with Store.for_writing(file) as store:
        store.add_stage(SETUP)
        play(store)
    return file


def files(file: str) -> set[str]:
    """Return the suffixes of the files next to the store; "" is the store itself."""
    return {path.name.removeprefix(Path(file).name) for path in Path(file).parent.iterdir()}


# --- opening --------------------------------------------------------------------------------------


def test_at_the_end_of_a_run_the_file_alone_is_the_store(whole: str, tmp_path: Path) -> None:
    assert files(whole) == {""}
    other = tmp_path / "elsewhere" / "copy.sqlite"
    other.parent.mkdir()
    shutil.copy(whole, other)
    with Store.for_reading(str(other)) as store:
        assert contents(store) == contents(played(SETUP))


def test_without_a_match_another_setup_takes_the_place_of_the_first(file: str) -> None:
    other = made_setup(2, deals=3)
    with Store.for_writing(file) as store:
        store.add_stage(SETUP)
        store.add_stage(other)
        assert store.stages == [other]
        assert store.names == [bot.name for bot in other.bots]
        play(store)
        store.add_stage(SETUP)
        assert store.stages == [other, SETUP]


def test_what_is_committed_is_in_the_files_of_a_store_that_is_open(
    file: str, tmp_path: Path
) -> None:
    """A power cut leaves the same files, and nobody closes them."""
    (tmp_path / "cut").mkdir()
    cut = tmp_path / "cut" / "off.sqlite"
    with Store.for_writing(file) as store:
        store.add_stage(SETUP)
        play(store, until=5, most=1)
        matches, _ = store.count()
        for suffix in ("", "-wal"):
            shutil.copy(file + suffix, f"{cut}{suffix}")
    assert files(file) == {"", "cut"}
    with Store.for_writing(str(cut)) as store:
        assert store.count() == (matches, 0)
        play(store)
        assert contents(store) == contents(played(SETUP))


@pytest.mark.slow
def test_what_is_committed_survives_a_kill(file: str) -> None:
    killed = (
        "import os, sys\n"
        "from tests.support.made_up import *\n"
        "store = Store.for_writing(sys.argv[1])\n"
        "store.add_stage(made_setup(3, deals=2))\n"
        "play(store, until=5, most=1)\n"
        "os.kill(os.getpid(), 9)\n"
    )
    done = subprocess.run([sys.executable, "-c", killed, file], cwd=ROOT, check=False)
    assert done.returncode == -9
    assert files(file) == {"", "-wal", "-shm"}
    with Store.for_reading(file) as store:
        matches, _ = store.count()
        assert matches >= 5
    with Store.for_writing(file) as store:  # the killed process left no lock
        assert store.count() == (matches, 0)
        play(store)
        assert contents(store) == contents(played(SETUP))
    assert files(file) == {""}


def test_only_one_run_can_have_it(whole: str) -> None:
    with (
        Store.for_writing(whole),
        pytest.raises(UsageError, match=rf"another run is writing {re.escape(whole)}: wait"),
    ):
        Store.for_writing(whole)
    Store.for_writing(whole).close()


def test_it_can_be_read_while_it_is_written(file: str) -> None:
    with Store.for_writing(file) as writer:
        writer.add_stage(SETUP)
        play(writer, until=3, most=1)
        count = writer.count()
        with Store.for_reading(file) as reader:
            assert reader.count() == count
            play(writer)
            # A reader sees a snapshot, so its tables agree with each other.
            assert reader.count() == count
        with Store.for_reading(file) as reader:
            assert reader.count() == writer.count() != count


def test_a_reader_does_not_keep_the_file_from_being_whole(file: str, tmp_path: Path) -> None:
    writer = Store.for_writing(file)
    writer.add_stage(SETUP)
    play(writer)
    # Another client that has the file open, but isn't reading at the moment.
    reader = sqlite3.connect(file)
    assert reader.execute("SELECT count(*) FROM matches").fetchone() == (12,)
    writer.close()
    copy = tmp_path / "copy.sqlite"
    shutil.copy(file, copy)
    with Store.for_reading(str(copy)) as store:
        assert store.count() == (12, 0)
    reader.close()


def test_one_in_which_nothing_has_begun(file: str) -> None:
    """There are no tables until the tournament is known. A run that ends before leaves no file."""
    with Store.for_writing(file) as store:
        assert store.stages == []
        with pytest.raises(UsageError, match="is empty: no tournament has begun in it"):
            Store.for_reading(file)
    assert not Path(file).exists()


def test_an_empty_store_of_a_run_that_was_killed_stays_and_can_be_used(file: str) -> None:
    with closing(sqlite3.connect(file)) as connection:
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    with Store.for_writing(file) as store:
        assert store.is_empty
    assert Path(file).exists()
    with Store.for_writing(file) as store:
        store.add_stage(SETUP)
        play(store)
    assert files(file) == {""}


def test_only_a_file_of_ones_own_is_removed(tmp_path: Path) -> None:
    """Another program may have put its own file in this place (as `mv` does)."""
    path, other = tmp_path / "file", tmp_path / "other"
    for own in (path, other):
        own.touch()
    made = path.stat()
    _remove(str(other), made)
    assert other.exists()
    path.rename(tmp_path / "moved")
    path.symlink_to(tmp_path / "moved")
    _remove(str(path), made)
    assert path.is_symlink()
    _remove(str(tmp_path / "moved"), made)
    _remove(str(tmp_path / "moved"), made)  # it's gone already
    assert sorted(each.name for each in tmp_path.iterdir()) == ["file", "other"]


def test_a_store_of_a_game_that_is_not_known(whole: str) -> None:
    with closing(sqlite3.connect(whole)) as connection, connection:
        connection.execute("UPDATE about SET value = replace(value, 'dominion', 'chess')")
    for opening in (Store.for_reading, Store.for_writing):
        with pytest.raises(UsageError, match="is of the game 'chess'; "):
            opening(whole)


def test_what_is_no_store(file: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no such file"):
        Store.for_reading(file)
    Path(file).write_text("a diary\n" * 1000)
    for opening in (Store.for_reading, Store.for_writing):
        with pytest.raises(UsageError, match="as a store: file is not a database"):
            opening(file)
    assert Path(file).read_text() == "a diary\n" * 1000
    for make in (os.mkfifo, os.mkdir):
        path = str(tmp_path / make.__name__)
        make(path)
        for opening in (Store.for_reading, Store.for_writing):
            with pytest.raises(UsageError, match=r"is not a store .*: it is not a regular file"):
                opening(path)
    for name in ("", ":memory:", "file:x", "a\0b"):
        with pytest.raises(UsageError, match="is not the name of a file"):
            Store.for_writing(name)
    with pytest.raises(UsageError, match=r"cannot write .* the folder does not exist: "):
        Store.for_writing(str(tmp_path / "none" / "x"))


def test_nothing_stays_of_a_store_that_could_not_be_made(
    file: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a full disk SQLite keeps the files beside it, here because of another connection."""
    others: list[sqlite3.Connection] = []

    def fail(store: Store) -> None:
        others.append(sqlite3.connect(file))
        others[0].execute("SELECT 1 FROM sqlite_master").fetchone()
        assert len(list(tmp_path.iterdir())) == 3
        raise sqlite3.OperationalError("disk I/O error")

    with monkeypatch.context() as patch:
        patch.setattr(Store, "_stat_side_files", fail)
        with pytest.raises(UsageError, match="disk I/O error"):
            Store.for_writing(file)
    others[0].close()
    assert not list(tmp_path.iterdir())
    Store.for_writing(file).close()


def test_other_peoples_databases_are_left_alone(file: str) -> None:
    with sqlite3.connect(file) as connection:
        connection.execute("CREATE TABLE precious (thing)")
    connection.close()
    before = Path(file).read_bytes()
    for opening in (Store.for_reading, Store.for_writing):
        with pytest.raises(UsageError, match="is not a store of a tournament"):
            opening(file)
    assert Path(file).read_bytes() == before


def test_a_store_of_a_newer_referee(whole: str) -> None:
    with sqlite3.connect(whole) as connection:
        connection.execute("UPDATE about SET value = '3' WHERE key = 'version'")
    connection.close()
    for opening in (Store.for_reading, Store.for_writing):
        with pytest.raises(UsageError, match="was written by a newer referee"):
            opening(whole)


@pytest.fixture
def older(tmp_path: Path) -> str:
    """A store of version 1, which had no column `messages`."""
    return shutil.copy(OLDER / "night.sqlite", tmp_path)


def test_an_older_store_is_read_as_it_is(older: str) -> None:
    before = Path(older).read_bytes()
    for _ in range(2):
        with Store.for_reading(older) as store:
            assert [match.messages for match in store.matches()] == [0] * 6
            assert store.count() == (6, 0)
    # Opening it for writing doesn't change it either, because the command may still be refused.
    with Store.for_writing(older) as store:
        assert [match.messages for match in store.matches()] == [0] * 6
    with Store.for_reading(older) as store:
        assert store.select("SELECT value FROM about WHERE key = 'version'").__next__() == ("1",)
    assert len(Path(older).read_bytes()) == len(before)


def test_the_first_change_brings_an_older_store_up_to_date(older: str) -> None:
    with Store.for_writing(older) as store:
        before = contents(store)
        store.leave_out({})
        store.add([replace(row(Plan(6, 3, 1, (0, 1))), messages=5)])
        assert [match.messages for match in store.matches()] == [0] * 6 + [5]
        store.drop(6)
    with Store.for_reading(older) as store:
        assert contents(store) == before
        assert store.select("SELECT value FROM about WHERE key = 'version'").__next__() == ("2",)


def test_an_older_store_has_the_standings_of_its_time_and_continues(older: str) -> None:
    with Store.for_writing(older) as store:
        found = standings(store)
        assert [(bot.name, bot.points, bot.rating, bot.draws) for bot in found.bots] == [
            ("big_money", 3.0, 1500.0, 4),
            ("minimal", 3.0, 1500.0, 4),
        ]
        assert [round(seat.share, 3) for seat in found.seats] == [0.333, 0.667]
        before = [(match.digest, match.ranks, match.scores) for match in store.matches()]
        store.add_stage(replace(store.stages[0], deals=4))
        assert standings(store) == replace(found, planned=8)
        assert play(store) == [6, 7]
        after = [(match.digest, match.ranks, match.scores) for match in store.matches()]
        assert after[:6] == before


def test_a_change_that_fails_leaves_an_older_store_as_it_is(older: str) -> None:
    with Store.for_writing(older) as store:
        with pytest.raises(UsageError, match=r"cannot write .*UNIQUE"):
            store.add([*store.matches(5, 6)])
        assert store.count() == (6, 0)
        store.add([replace(row(Plan(6, 3, 1, (0, 1))), messages=5)])
    with Store.for_reading(older) as store:
        assert [match.messages for match in store.matches()] == [0] * 6 + [5]


@pytest.mark.parametrize(("version", "change"), [("2", ""), ("1", "ALTER TABLE matches ADD x")])
def test_the_tables_of_another_version(older: str, version: str, change: str) -> None:
    with closing(sqlite3.connect(older)) as connection, connection:
        connection.execute("UPDATE about SET value = ? WHERE key = 'version'", (version,))
        connection.execute(change)
    for opening in (Store.for_reading, Store.for_writing):
        with pytest.raises(UsageError, match="does not have the tables of a store"):
            opening(older)


def test_a_schema_that_is_no_text(whole: str) -> None:
    """SQLite's error message contains these bytes, which aren't valid UTF-8."""
    Path(whole).write_bytes(
        Path(whole).read_bytes().replace(b"TABLE seats", b"TAB\xa3E \xa3\xa3\xa3\xa3s")
    )
    for opening in (Store.for_reading, Store.for_writing):
        with pytest.raises(UsageError, match=r"cannot use .* as a store: "):
            opening(whole)


def test_nothing_but_indexes_may_be_added_to_the_tables(whole: str) -> None:
    def edit(*statements: str) -> None:
        connection = sqlite3.connect(whole)
        for statement in statements:
            connection.execute(statement)
        connection.commit()
        connection.close()

    edit("CREATE INDEX mine ON seats (bot)", "ANALYZE")
    for opening in (Store.for_reading, Store.for_writing):
        with opening(whole) as store:  # functions that a stranger's schema calls are off
            assert list(store.select("PRAGMA trusted_schema")) == [(0,)]
    sound = Path(whole).read_bytes()
    endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i FROM n)"
    change = "AFTER INSERT ON seats BEGIN UPDATE seats SET rank = 1; END"
    for statements in (
        [f"CREATE TRIGGER sqliteevil {change}"],
        [
            "DROP TABLE about",
            f"CREATE VIEW about AS {endless} SELECT 'version' AS key, '1' AS value "
            "FROM n WHERE i > 1",
        ],
    ):
        edit(*statements)
        for opening in (Store.for_reading, Store.for_writing):
            with pytest.raises(UsageError, match="is damaged: it does not have the tables"):
                opening(whole)
        Path(whole).write_bytes(sound)


@pytest.mark.parametrize("open_store", [Store.for_reading, Store.for_writing])
def test_a_file_beside_a_store_removes_no_other(
    open_store: Callable[[str], Store], whole: str, tmp_path: Path
) -> None:
    """SQLite would delete the file that a hot journal names. Opening a FIFO would block."""
    journal, precious = Path(f"{whole}-journal"), tmp_path / "precious"
    with closing(sqlite3.connect(whole)) as connection:
        connection.execute("PRAGMA cache_size = 1")
        connection.execute("BEGIN")
        connection.execute("CREATE TABLE large AS SELECT zeroblob(99999)")
        hot = journal.read_bytes()
    name = bytes(precious)
    precious.touch()
    end = struct.pack(">II", len(name), sum(name)) + bytes.fromhex("d9d505f920a163d7")
    journal.write_bytes(hot + struct.pack(">I", 0x40000000 // 4096 + 1) + name + end)
    with pytest.raises(UsageError, match="-journal names another file, to be removed"):
        open_store(whole)
    assert precious.exists()
    journal.unlink()
    os.mkfifo(journal)
    with pytest.raises(UsageError, match="-journal is not a regular file: remove it"):
        open_store(whole)


def test_a_copy_takes_the_place_of_no_file(whole: str, tmp_path: Path) -> None:
    copy, other = tmp_path / "copy.sqlite", tmp_path / "other"
    other.touch()
    with Store.for_writing(whole) as store:
        store.save_copy(str(copy))
        for there in (copy, other):
            with pytest.raises(FileExistsError):
                store.save_copy(str(there))
        with pytest.raises(UsageError, match="cannot write"):
            store.save_copy(str(tmp_path / "none" / "copy.sqlite"))
    assert other.read_bytes() == b""
    with Store.for_reading(str(copy)) as store:
        assert contents(store) == contents(played(SETUP))


# --- a file that another program moves or deletes -------------------------------------------------


@pytest.mark.parametrize("what", ["removed", "replaced"])
def test_a_store_that_is_taken_away_is_kept_under_another_name(
    file: str, tmp_path: Path, what: str
) -> None:
    other = tmp_path / "other"
    with Store.for_writing(str(other)) as store:
        store.add_stage(made_setup(2, deals=1))
    before = other.read_bytes()
    writer = Store.for_writing(file)
    writer.add_stage(SETUP)
    play(writer, until=3, most=1)
    if what == "removed":
        os.unlink(file)
        with pytest.raises(UsageError, match=r"-wal exists without .*: a run is writing"):
            Store.for_writing(file)
    else:
        other.rename(file)
    with pytest.raises(UsageError, match=f"{what} by another program while it was .* are in .*:"):
        play(writer, most=1)
    writer.close()
    (suffix,) = files(file) - {"", "other"}
    assert suffix.startswith(".saved-")
    with Store.for_writing(file + suffix) as saved:
        assert saved.count()[0] > 3
        play(saved)
        assert contents(saved) == contents(played(SETUP))
    if what == "removed":
        Store.for_writing(file).close()  # nothing else has that name now
    else:
        assert Path(file).read_bytes() == before


def test_closing_deletes_no_file_of_the_next_store_with_this_name(file: str) -> None:
    moved = Store.for_writing(file)
    moved.add_stage(SETUP)
    for suffix in files(file):
        os.rename(file + suffix, Path(file).with_name(f"moved{suffix}"))
    with Store.for_writing(file) as store:
        store.add_stage(SETUP)
        moved.close()
        assert os.path.exists(f"{file}-wal")


def test_a_store_that_is_taken_away_at_the_end(file: str) -> None:
    def run() -> None:
        with Store.for_writing(file) as store:
            store.add_stage(SETUP)
            play(store)
            os.unlink(file)

    with pytest.raises(UsageError, match=r"removed .*; its matches are in .*\.saved-"):
        run()


def test_an_error_is_not_hidden_by_a_store_that_is_taken_away(file: str) -> None:
    store = Store.for_writing(file)
    store.add_stage(SETUP)
    os.unlink(file)
    with pytest.raises(ZeroDivisionError), store:
        raise ZeroDivisionError


def test_a_folder_that_is_taken_away(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    store = Store.for_writing(str(folder / "s"))
    store.add_stage(SETUP)
    shutil.rmtree(folder)
    with pytest.raises(UsageError, match=r"removed .*; its matches are lost: .*No such file"):
        play(store)
    store.close()


# --- failures of the machine ----------------------------------------------------------------------


def test_a_full_disk_keeps_what_is_there(file: str) -> None:
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    setup = made_setup(3, deals=2_000)
    with Store.for_writing(file) as store:
        store.add_stage(setup)
        play(store, until=40, most=1)
        count = store.count()
        try:
            size = os.path.getsize(f"{file}-wal") + 5000
            resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
            with pytest.raises(UsageError, match=r"cannot write .*; earlier results are saved"):
                play(store)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)
        assert store.count()[0] >= count[0]
    with Store.for_writing(file) as store:
        play(store, until=200)
        there = [line.match for line in store.matches()]
        assert len(set(there)) == len(there) >= 200


@pytest.mark.slow
def test_a_store_that_may_not_be_written(whole: str) -> None:
    """Root may write anywhere, so a new process drops this capability first."""
    with closing(sqlite3.connect(whole)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")  # as a run leaves it that was killed
    code = (
        "import ctypes, os, sys\n"
        "name = sys.argv[1]\n"
        "folder = os.path.dirname(name)\n"
        "os.chmod(name, 0o444)\n"
        "os.chmod(folder, 0o555)\n"
        "libc = ctypes.CDLL(None)\n"
        # PR_CAPBSET_DROP, CAP_DAC_OVERRIDE; takes effect after an exec.
        "libc.prctl(24, 1, 0, 0, 0)\n"
        "if len(sys.argv) < 3:\n"
        "    os.execv(sys.executable, [*sys.orig_argv, 'again'])\n"
        "from referee.tournament.store import Store\n"
        "from referee.errors import UsageError\n"
        "with Store.for_reading(name) as store:\n"
        "    print(store.count())\n"
        "for mode in (0o444, 0o644):\n"
        "    os.chmod(name, mode)\n"
        "    try:\n"
        "        Store.for_writing(name)\n"
        "    except UsageError as error:\n"
        "        print(error)\n"
        "os.chmod(folder, 0o755)\n"
    )
    words = [sys.executable, "-c", code, whole]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True)
    count, of_file, of_folder = done.stdout.splitlines()
    assert count == "(12, 0)"
    assert of_file == f"cannot write {whole}: Permission denied"
    assert of_folder.startswith(f"cannot use {whole} as a store: ")


# --- contents -------------------------------------------------------------------------------------


def test_the_file_says_what_it_is(whole: str) -> None:
    with sqlite3.connect(whole) as connection:
        assert connection.execute("PRAGMA application_id").fetchone() == (APPLICATION_ID,)
        about = dict(connection.execute("SELECT key, value FROM about"))
    connection.close()
    assert about["format"] == '"referee-tournament"'
    assert about["version"] == "2"
    assert set(about) == {"format", "version", "stages"}


def test_tables_and_columns_are_those_of_the_specification(whole: str) -> None:
    text = (ROOT / "spec" / "store.md").read_text()
    with Store.for_reading(whole) as store:
        for table, chapter in (("bots", "2.2"), ("matches", "2.3"), ("seats", "2.4")):
            part = text.partition(f"### {chapter} {table}\n")[2].partition("\n#")[0]
            documented = [
                name
                for line in re.findall(r"^\| (`.*?) \|", part, re.MULTILINE)
                for name in re.findall(r"`(\w+)`", line)
            ]
            columns = [name for _, name, *_ in store.select(f"PRAGMA table_info({table})")]
            assert columns == documented
            assert table not in TABLES or columns == [*TABLES[table].__struct_fields__]
    part = text.partition("## 3 ")[2]
    for column in TIME_COLUMNS["matches"] + TIME_COLUMNS["seats"]:
        assert f"`{column}`" in part


def test_a_match_is_read_as_it_was_added() -> None:
    store = Store.in_memory()
    store.add_stage(SETUP)
    plan = Plan(3, 1, 77, (2, 0))
    rich = row(
        plan,
        [1, 2],
        scores=[30, -3],
        faults=[{}, {"bad-buy": 2, "no-json": 1}],
        left=[None, left("timeout")],
        reason="last-player-standing",
        turns=12,
        seconds=0.5,
    )
    store.add([rich])
    (line,) = store.matches()
    # `matches` doesn't read the two longest columns.
    seats = [replace(seat, reply_histogram="", statistics="") for seat in rich.seats]
    assert line == replace(rich, seats=tuple(seats))
    assert (line.players, line.ranks, line.scores) == ((2, 0), (1, 2), (30, -3))
    assert [seat.fault_count for seat in line.seats] == [0, 3]
    (seat,) = store.select("SELECT detail, stderr, faults FROM seats WHERE bot = 0")
    assert seat == ("it took too long", "Traceback", '{"bad-buy":2,"no-json":1}')


def test_a_batch_is_added_whole_or_not_at_all(file: str) -> None:
    with Store.for_writing(file) as store:
        store.add_stage(SETUP)
        one, two = (row(Plan(match, 0, 5, (0, 1))) for match in (0, 1))
        store.add([one])
        with pytest.raises(UsageError):
            store.add([two, one])
        assert store.count() == (1, 0)


def test_rows_are_found_in_the_order_of_the_schedule() -> None:
    store = Store.in_memory()
    store.add_stage(SETUP)
    store.add([row(Plan(match, match // 2, 5, (0, 1))) for match in (5, 2, 9)])
    store.add([row(Plan(4, 2, 5, (1, 0)))])
    assert [line.match for line in store.matches()] == [2, 4, 5, 9]
    assert [line.match for line in store.matches(4)] == [4, 5, 9]
    for first, end, found in ((2, 5, [2, 4]), (3, 9, [4, 5]), (5, 10, [5, 9])):
        assert [line.match for line in store.matches(first, end)] == found
    assert list(store.played()) == [2, 4, 5, 9]
    store.drop(4)
    assert list(store.played()) == [2]
    assert list(store.select("SELECT count(*) FROM seats")) == [(2,)]


def test_the_bots_of_a_store_and_their_ends() -> None:
    store = Store.in_memory()
    store.add_stage(made_setup(5, deals=2))
    plans = [Plan(match, match // 2, 5, (match % 4, 4)) for match in range(4)]
    assert not store.has_disqualifications()
    store.add(
        [
            row(plans[0], left=[left("timeout"), None], void=True),
            unplayed_row(plans[1], {1}, LEFT_OUT, ""),
            unplayed_row(plans[2], {2}, WORKER_KILLED, ""),
        ]
    )
    assert not store.has_disqualifications()  # none of these matches counts
    assert store.seated() == {0, 2, 4}
    assert store.bots_out() == {2}
    assert store.count() == (3, 3)
    store.add([row(plans[3], left=[left("exited"), None])])
    assert store.has_disqualifications()
    assert store.count() == (4, 3)


def test_withdrawals_change_matches() -> None:
    store = Store.in_memory()
    store.add_stage(made_setup(3, deals=2))
    plans = [Plan(match, match // 2, 5, (0, 1)) for match in range(4)]
    store.add([row(plan) for plan in plans[:3]])
    found = {1: Withdrawal(0, "timeout")}
    store.settle([forfeit_row(plan, {1}) for plan in (plans[1], plans[3])], [2], found)
    assert [(each.match, each.reason == FORFEIT) for each in store.matches()] == [
        (0, False),
        (1, True),
        (3, True),
    ]
    assert store.withdrawn == found
    store.settle([], [3], {})
    assert ([*store.played()], store.withdrawn) == ([0, 1], {})


def test_only_the_forfeits_of_a_reinstated_bot_are_played() -> None:
    store = Store.in_memory()
    store.add_stage(made_setup(3, deals=3))
    plans = [Plan(match, match, 5, (0, 1)) for match in range(4)]
    store.add([row(plans[0]), row(plans[1], left=[None, left()])])
    store.add([unplayed_row(plans[2], {1}, WORKER_KILLED, None)])
    others = Plan(4, 4, 5, (0, 2))
    gone = {bot: Withdrawal(2, "by-hand") for bot in (1, 2)}
    store.settle([forfeit_row(plans[3], {1}), forfeit_row(others, {2})], [], gone)
    store.reinstate(1)
    assert [*store.played()] == [0, 1, 2, 4]
    assert (store.withdrawn, store.reinstated) == ({2: gone[2]}, {1: 2})


def test_versions_of_bots_that_have_played_are_kept() -> None:
    store = Store.in_memory()
    assert (store.changed({"bot0": "1"}), store.versions) == ([], {})
    store.add_stage(made_setup(3, deals=2))
    store.add_versions({"bot0": "1", "bot1": "1", "bot2": ""})
    assert store.changed({"bot0": "2", "bot1": "1"}) == []  # nobody has played
    store.add_versions({"bot0": "2"})
    assert store.versions == {"bot0": ["2"], "bot1": ["1"]}
    store.add([row(Plan(0, 0, 5, (0, 2)))])
    now = {"bot0": "3", "bot1": "3", "bot2": "3"}
    assert store.changed(now) == ["bot0"]  # 1 hasn't played, and nothing is known of 2
    assert store.changed({"bot0": "2"}) == store.changed({"bot0": ""}) == []
    store.add_versions(now)
    assert store.versions == {"bot0": ["2", "3"], "bot1": ["3"], "bot2": ["3"]}
    store.add_versions({"bot0": "2", "bot2": ""})  # it plays again with its old files
    assert store.versions == {"bot0": ["2", "3"], "bot1": ["3"], "bot2": ["3"]}


def test_facts_of_the_runs_are_kept_once_and_in_order() -> None:
    store = Store.in_memory()
    store.add_stage(made_setup(3, deals=2))
    for name in ("rlimits", "cgroup-v2", "rlimits"):
        store.add_limits_by(name)  # type: ignore[arg-type]
    assert store.limits_by == ["rlimits", "cgroup-v2"]
    sources = [Source(file=f"{n}/game.py", digest=digest) for n, digest in enumerate("121")]
    for source in sources:
        store.add_game_file(source)
    assert store.game_files == sources[:2]
    store.leave_out({"bot2": "it is not built", "bot0": "no file"})
    assert store.left_out == {0: "no file", 2: "it is not built"}
    store.leave_out({"bot1": "gone"})
    assert store.left_out == {1: "gone"}
    store.leave_out({})
    assert store.left_out == {}
    assert [*store.select("SELECT key FROM about WHERE key = 'left_out'")] == []  # store.md, 2.1
    # Another setup begins anew, as long as nothing was played.
    store.leave_out({"bot1": "gone"})
    store.add_versions({"bot1": "1"})
    store.add_stage(made_setup(2, deals=1))
    assert (len(store.stages), store.names) == (1, ["bot0", "bot1"])
    assert (store.versions, store.limits_by, store.game_files) == ({}, [], [])


@pytest.mark.parametrize(
    ("ranks", "points"),
    [
        ([1, 2], [1, 0]),
        ([2, 1], [0, 1]),
        ([1, 1], [0.5, 0.5]),
        ([1, 2, 3], [1, 0.5, 0]),
        ([1, 1, 3], [0.75, 0.75, 0]),
        ([1, 2, 2], [1, 0.25, 0.25]),
        ([1, 1, 1, 1], [0.5] * 4),
        ([4, 1, 2, 2], [0, 1, 0.5, 0.5]),
    ],
)
def test_points(ranks: list[int], points: list[float]) -> None:
    """The share of opponents that were beaten. A draw counts half."""
    assert points_of(ranks) == points


# --- failures of the database ---------------------------------------------------------------------


class Broken:
    """A database in which nothing can be written."""

    def execute(self, query: str, *parameters: object) -> Any:
        if query.startswith(("PRAGMA", "VACUUM")):
            raise sqlite3.OperationalError("disk I/O error")
        return SimpleNamespace(fetchone=lambda: None)

    def close(self) -> None: ...


def test_no_file_is_left_of_a_store_that_could_not_be_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store_module, "_connect", lambda database: Broken())
    with pytest.raises(UsageError, match="disk I/O error"):
        Store.for_writing(str(tmp_path / "new.sqlite"))
    assert os.listdir(tmp_path) == []


def test_no_file_is_left_of_a_copy_that_could_not_be_made(tmp_path: Path) -> None:
    store = Store("s.sqlite", Broken())  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="disk I/O error"):
        store.save_copy(str(tmp_path / "copy.sqlite"))
    assert os.listdir(tmp_path) == []
