"""Playing many matches from a Python program (spec/python.md, 3)."""

from __future__ import annotations

import os
import pickle
import re
import shlex
import signal
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from operator import itemgetter
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import referee
from referee import api
from referee.bots.command import PythonBot
from referee.logs import read_record, summaries
from referee.logs.verify import Kind, verify_record
from referee.logs.zstd import zstd
from referee.match.sandbox import NO_SANDBOX
from referee.tournament.playing.dispatcher import Dispatcher
from referee.tournament.playing.run import Run
from referee.tournament.rows import MatchRow, points_of
from referee.tournament.setup import entrants, setup
from referee.tournament.store import Store
from referee.workers import worker_processes
from tests.support.batches import kept
from tests.support.helpers import cautious
from tests.support.live import ROOT, hostile, left_behind
from tests.support.marks import slow

Message = dict[str, Any]
SHORT = {"max_turns": 3}
PAGE = (ROOT / "spec" / "python.md").read_text()


def told(matches: referee.Matches) -> list[tuple[Any, ...]]:
    """Return everything about the matches that doesn't depend on time."""
    return [
        (result.seed, seats, [(p.name, p.score, p.rank) for p in result.players])
        for result, seats in zip(matches.results, matches.seats, strict=True)
    ]


def test_the_matches_are_those_of_a_tournament() -> None:
    bots = ["big_money", "minimal", "smithy_big_money"]
    what = setup(
        entrants(bots, "dominion")[0],
        game="dominion",
        players=3,
        matches=6,
        seed=5,
        settings=SHORT,
    )
    rows: list[MatchRow] = []
    with Store.in_memory() as store:
        store.add_stage(what)
        run = Run(store)
        run.on_rows = rows.extend
        with Dispatcher(lambda: worker_processes(1), lambda: 1) as dispatcher:
            run.play(dispatcher)
    rows.sort(key=lambda row: row.match)
    matches = referee.play_matches(bots, 6, seed=5, options=SHORT)
    assert [(row.seed, row.players, [*row.scores]) for row in rows] == [
        (result.seed, seats, [player.score for player in result.players])
        for result, seats in zip(matches.results, matches.seats, strict=True)
    ]


@pytest.mark.parametrize("n", [1, 2, 5])
def test_seats_rotate_on_the_same_seed(n: int) -> None:
    matches = referee.play_matches([cautious, cautious], n, seed=1, options=SHORT)
    assert len(matches.results) == len(matches.seats) == n
    for first in range(0, n - 1, 2):
        assert matches.seats[first] == matches.seats[first + 1][::-1]
        assert matches.results[first].seed == matches.results[first + 1].seed


def test_it_counts_wins_draws_and_losses() -> None:
    """A shared win is a draw. Each bot has one entry, no matter in which seats it played."""
    bots: list[referee.BotLike] = ["big_money.json", cautious]
    matches = referee.play_matches(bots, 4, seed=1, options={"max_turns": 14})
    assert (matches.wins, matches.draws, matches.losses) == ([4, 0], [0, 0], [0, 4])
    matches = referee.play_matches([cautious, cautious], 3, seed=1, options=SHORT)
    assert (matches.wins, matches.draws, matches.losses) == ([0, 0], [3, 3], [0, 0])
    assert matches.void == 0


def test_what_is_counted_of_each_match() -> None:
    """Matches that are void or weren't played don't count for anybody."""

    def row(players: tuple[int, ...], ranks: tuple[int, ...], void: bool = False) -> Any:
        return SimpleNamespace(
            players=players, ranks=ranks, void=void, result=f"{players}", messages=7
        )

    what: Any = SimpleNamespace(bots=[SimpleNamespace(bot=name) for name in "abc"], seed=5)
    rows = [
        row((0, 1, 2), (1, 2, 2)),
        row((2, 0, 1), (1, 1, 3)),
        row((0, 1, 2), (1, 2, 3), void=True),
        None,
    ]
    matches = api._counted(what, rows)
    assert (matches.bots, matches.seed, matches.void) == (["a", "b", "c"], 5, 2)
    assert matches.seats == [(0, 1, 2), (2, 0, 1)]
    assert matches.messages == [7, 7]
    assert matches.results == ["(0, 1, 2)", "(2, 0, 1)"]  # type: ignore[comparison-overlap]
    assert (matches.wins, matches.draws, matches.losses) == ([1, 0, 0], [1, 0, 1], [0, 2, 1])


@pytest.mark.parametrize(
    ("ranks", "shares"),
    [((1, 2), [1, 0]), ((1, 1), [0.5, 0.5]), ((3, 1, 1, 4), [1 / 3, 5 / 6, 5 / 6, 0])],
)
def test_the_points_of_a_seat_are_the_share_of_others_that_it_beat(
    ranks: tuple[int, ...], shares: list[float]
) -> None:
    assert points_of(ranks) == pytest.approx(shares)


@pytest.mark.parametrize(
    ("arguments", "where"),
    [
        ({}, "here"),
        ({"jobs": 2}, "there"),
        ({"keep_alive": False}, "there"),
        ({"records": "folder"}, "there"),
        ({"sandbox": "auto"}, "there"),
    ],
)
def test_what_asks_for_processes(
    arguments: dict[str, Any], where: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(place: str) -> None:
        raise referee.UsageError(place)

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(api, "_sandbox", lambda *_: NO_SANDBOX)
    monkeypatch.setattr(api, "_without_processes", lambda *_: stop("here"))
    monkeypatch.setattr(api, "_dispatcher", lambda *_, **__: stop("there"))
    with pytest.raises(referee.UsageError, match=f"^{where}$"):
        referee.play_matches(["minimal", "minimal"], 2, **arguments)


@pytest.mark.parametrize(
    ("jobs", "is_file", "is_possible"), [(1, False, True), (2, True, True), (2, False, False)]
)
def test_only_bots_that_are_files_play_in_other_processes(
    jobs: int, is_file: bool, is_possible: bool
) -> None:
    plan: Any = SimpleNamespace(sources=[PythonBot("a", partial(int), is_file=is_file)])
    if is_possible:
        api._check_jobs(jobs, plan)
    else:
        with pytest.raises(referee.UsageError, match="can only play with jobs=1"):
            api._check_jobs(jobs, plan)


@pytest.mark.parametrize(
    ("game", "bots", "fact"),
    [
        ("dominion", ["big_money.json", cautious], "cards_copper"),
        ("botwars", ["gatherer"] * 2, "moves"),
    ],
)
def test_rows_are_a_table(game: str, bots: list[referee.BotLike], fact: str) -> None:
    matches = referee.play_matches(bots, 3, seed=1, options={"max_turns": 6}, game=game)
    rows = matches.rows()
    assert len(rows) == 6
    assert all(list(row) == list(rows[0]) for row in rows)
    for row in rows:
        player = matches.results[row["match"]].players[int(row["player_number"][-1]) - 1]
        assert (row["rank"], row["score"]) == (player.rank, player.score)
        assert player == matches.players(row["number"])[row["match"]]
        assert row["bot"] == matches.bots[row["number"]]
        assert all(value is None or isinstance(value, int | float | str) for value in row.values())
    for bot, share in enumerate(matches.points()):
        own = [row for row in rows if row["number"] == bot]
        assert sum(row["won"] for row in own) == matches.wins[bot]
        assert sum(row["points"] for row in own) / len(own) == pytest.approx(share.share)
        assert 0 <= share.low <= share.share <= share.high <= 1
    assert sum(row[fact] for row in rows) > 0
    described = re.search(r"\n\| `match` .*?\| all others", PAGE, re.DOTALL)
    assert described is not None
    assert set(list(rows[0])[:20]) <= set(re.findall(r"`(\w+)`", described[0]))


def test_a_row_without_a_card_has_none_of_it() -> None:
    bots: list[referee.BotLike] = ["big_money.json", cautious]
    rows = referee.play_matches(bots, 1, seed=1, options={"max_turns": 6}).rows()
    one, other = sorted(rows, key=itemgetter("number"))
    assert (one["cards_silver"] > 0, other["cards_silver"]) == (True, 0)


@pytest.mark.parametrize("deals", [6, 9])
def test_an_interval_ends_at_all_points(deals: int) -> None:
    """A rounding error would lead to more than 1 with 6 deals."""
    results: Any = [
        SimpleNamespace(seed=deal, players=[SimpleNamespace(rank=rank) for rank in ranks])
        for deal in range(deals)
        for ranks in ((1, 2), (2, 1))
    ]
    matches = referee.Matches(
        ["a", "b"], 1, results, [(0, 1), (1, 0)] * deals, [2 * deals, 0], [0, 0], [0, 2 * deals], 0
    )
    one, other = matches.points()
    assert (one.share, one.high, other.low) == (1.0, 1.0, 0.0)


def test_the_matches_are_shown_in_a_line() -> None:
    matches = referee.play_matches([cautious, cautious], 2, seed=1, options=SHORT)
    sums = "cautious won 0, drew 2, lost 0"
    assert repr(matches) == f"<Matches: 2 played, 0 void, seed 1; {sums}; {sums}>"
    assert str(matches) == repr(matches)


def test_players_are_those_of_one_bot() -> None:
    matches = referee.play_matches(["big_money.json", cautious], 2, seed=1, options=SHORT)
    assert matches.bots == ["big_money.json", "cautious"]
    assert [player.name for player in matches.players(0)] == ["Big Money by rules"] * 2
    assert [player.name for player in matches.players(1)] == ["cautious"] * 2
    assert {player.player_number for player in matches.players(1)} == {"player1", "player2"}


@pytest.mark.slow
def test_on_several_cores_and_on_one_it_is_the_same() -> None:
    bots = ["big_money.json", "big_money"]
    one, two = (referee.play_matches(bots, 4, seed=3, options=SHORT, jobs=jobs) for jobs in (1, 2))
    assert told(one) == told(two)
    assert left_behind() == []


@pytest.mark.parametrize("asks", ["a time limit", "records"])
def test_bundled_bots_play_in_this_process_if_nothing_asks_for_processes(
    asks: str, tmp_path: Path
) -> None:
    bots = ["minimal", "minimal"]
    here = referee.play_matches(bots, 1, seed=1, options=SHORT)
    assert here.results[0].players[0].stderr is None  # it's never None for a process
    arguments: dict[str, Any] = {"options": {**SHORT, "time_limit": 60}}
    if asks == "records":
        arguments = {"options": SHORT, "records": tmp_path / "records"}
    there = referee.play_matches(bots, 1, seed=1, **arguments)
    assert there.results[0].players[0].stderr is not None
    assert told(here) == told(there)


def referee_bot(name: str) -> str:
    return str(Path(__file__).parents[1] / "example_bots" / "dominion" / f"{name}.py")


@pytest.mark.slow
def test_processes_play_match_after_match_if_they_may(tmp_path: Path) -> None:
    program = tmp_path / "counting.py"
    starts = tmp_path / "starts"
    head = f"with open({str(starts)!r}, 'a') as file:\n    file.write('x')\n"
    program.write_text(head + Path(referee_bot("minimal")).read_text())
    # A deal has two matches. With keep_alive, each process plays a whole deal (protocol-v1, 8.4).
    for keep_alive, count, started in ((True, 4, 2), (False, 2, 2)):
        starts.write_text("")
        bots: list[referee.BotLike] = [program, cautious]
        referee.play_matches(bots, count, seed=1, options=SHORT, keep_alive=keep_alive)
        assert len(starts.read_text()) == started
    assert left_behind() == []


@pytest.mark.parametrize(("jobs", "record_stderr"), [(1, True), slow(1, False), slow(2, True)])
def test_records(tmp_path: Path, jobs: int, record_stderr: bool) -> None:
    folder = tmp_path / "new" / "records"
    matches = referee.play_matches(
        [kept(), cautious] if jobs == 1 else [kept(), "minimal"],
        3,
        seed=2,
        options=SHORT,
        records=folder,
        record_stderr=record_stderr,
        jobs=jobs,
    )
    files = sorted(folder.glob("*.record.jsonl.zst"))
    assert [file.name for file in files] == [f"00000{n}.record.jsonl.zst" for n in range(3)]
    assert [verify_record(str(file)).kind for file in files] == [Kind.VALID] * 3
    assert [summary.header.seed for summary in summaries(files)] == [
        result.seed for result in matches.results
    ]
    assert matches.results[0].players[0].exit_code is None  # it has played on
    for file in files:
        written = {type(entry) for entry in read_record(file)}
        assert b'"names"' not in zstd.decompress(file.read_bytes()).partition(b"\n")[0]
        assert (referee.StderrEntry in written) == record_stderr


def test_records_are_not_kept_in_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(api, "_counted", lambda what, rows: rows)
    bots: list[referee.BotLike] = [cautious, cautious]
    (row,) = referee.play_matches(bots, 1, options=SHORT, records=tmp_path)  # type: ignore[misc]
    assert (row.record, row.stderr, len(row.seats)) == (b"", [], 2)


@pytest.mark.parametrize(("fails", "calls"), [(False, ["end", "kill"]), (True, ["kill"])])
def test_bots_have_time_to_exit_unless_there_was_an_error(
    fails: bool, calls: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[str] = []
    fake = SimpleNamespace(end=lambda: done.append("end"), kill=lambda: done.append("kill"))
    monkeypatch.setattr("referee.tournament.playing.worker.Worker", lambda: fake)
    with suppress(referee.UsageError), api._this_process():
        if fails:
            raise referee.UsageError("oh")
    assert done == calls


def test_a_folder_of_records_belongs_to_one_tournament(tmp_path: Path) -> None:
    def play(seed: int | None, **more: Any) -> None:
        referee.play_matches(
            [cautious, cautious], 2, seed=seed, options=SHORT, records=tmp_path, **more
        )

    play(1)
    play(1)
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    for seed in (2, None):
        with pytest.raises(referee.UsageError, match=r"or pass force=True, which removes them$"):
            play(seed)
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before
    play(2, force=True)
    assert set(tmp_path.iterdir()) == before.keys()


def test_the_facts_of_the_game_are_in_the_results() -> None:
    result = referee.play_matches([cautious, cautious], 1, seed=1, options=SHORT).results[0]
    assert isinstance(result, referee.MatchResult)
    assert getattr(result.players[0], "cards")["copper"] == 7  # noqa: B009
    assert pickle.loads(pickle.dumps(result)) == result


def test_a_seed_is_drawn_and_told() -> None:
    first, second = (referee.play_matches([cautious, cautious], 1, options=SHORT) for _ in range(2))
    assert first.seed != second.seed
    again = referee.play_matches([cautious, cautious], 1, options=SHORT, seed=first.seed)
    assert told(again) == told(first)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"n": 0}, "n is 0; give an integer of at least 1"),
        ({"n": 2.0}, "n is 2.0"),
        ({"jobs": 0}, "jobs is 0"),
        ({"jobs": 2}, "jobs=2: bots that are Python objects can only play with jobs=1"),
        ({"seed": "7"}, "seed '7' is not an integer"),
        ({"game": "chess"}, "no game 'chess'"),
        ({"options": ["max_turns"]}, "options are given by name"),
        ({"bots": ["minimal"]}, "dominion takes 2 to 4 bots, not 1"),
        ({"bots": "minimal"}, "bots are given as a list"),
        ({"record_stderr": True}, "record_stderr goes with records, the folder"),
        ({"records": 3}, "records is a file name, not 3"),
        ({"records": "/dev/null/x"}, "cannot write /dev/null/x: Not a directory"),
        ({"records": "/proc/x"}, "cannot write /proc/x: No such file or directory"),
    ],
)
def test_wrong_arguments(arguments: dict[str, Any], says: str) -> None:
    given = {"bots": [cautious, cautious], "n": 2} | arguments
    with pytest.raises(referee.UsageError, match=says):
        referee.play_matches(given.pop("bots"), given.pop("n"), **given)


def test_an_error_in_a_bot_ends_the_processes_too() -> None:
    class Failing:
        matches = 0

        def __call__(self, message: Message) -> Mapping[str, object] | None:
            self.matches += message["type"] == "player-name-request"
            if self.matches == 2:
                raise ValueError("in the second match")
            return cautious(message)

    with pytest.raises(referee.BotError, match="the bot Failing raised ValueError: in the second"):
        referee.play_matches([Failing(), "minimal"], 3, seed=1, options=SHORT)
    assert left_behind() == []


@pytest.mark.slow
def test_matches_whose_bot_kills_the_referee_do_not_count() -> None:
    """After its first match the bot is excluded, so the other match isn't played at all."""
    bot = hostile("signal_referee", f"3:{int(signal.SIGKILL)}")
    matches = referee.play_matches([bot, "minimal"], 2, seed=1, jobs=2, options=SHORT)
    assert matches.void == 2
    assert matches.results == matches.seats == []
    assert matches.wins == matches.draws == matches.losses == [0, 0]
    assert left_behind() == []


def test_ctrl_c_is_a_keyboard_interrupt() -> None:
    bot = hostile("signal_referee", f"3:{int(signal.SIGINT)}")
    with pytest.raises(KeyboardInterrupt):
        referee.play_matches([bot, "minimal"], 2, seed=1)
    assert left_behind() == []


@pytest.mark.slow
def test_too_few_descriptors_are_one_error() -> None:
    """Nothing else is printed, not even by the process that forks the workers."""
    program = (
        "import referee\n"
        "try:\n"
        "    referee.play_matches(['minimal', 'minimal'], 2, jobs=2)\n"
        "except referee.ShortageError as error:\n"
        "    print(error)\n"
    )
    command = f"ulimit -n 40; exec {shlex.join([sys.executable, '-c', program])}"
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True)
    says = "a match needs 48 file descriptors (ulimit -n): Too many open files\n"
    assert (done.stdout, done.stderr) == (says, "")


@pytest.mark.slow
@pytest.mark.parametrize("as_file", [True, False])
def test_a_program_needs_no_main_guard_for_several_cores(tmp_path: Path, as_file: bool) -> None:
    """The worker processes don't run the program again. It may even come from stdin."""
    program = (
        "import referee\n"
        "print('here')\n"
        "m = referee.play_matches(['minimal', 'minimal'], 2, jobs=2, options={'max_turns': 1})\n"
        "print(len(m.results), __spec__)\n"
    )
    file = tmp_path / "program.py"
    file.write_text(program)
    done = subprocess.run(
        [sys.executable, str(file) if as_file else "-"],
        input=program,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONWARNINGS": "error"},
    )
    assert (done.stdout, done.stderr) == ("here\n2 None\n", "")
