"""Test batches of matches in a worker: reused processes (protocol-v1, 8.4), and lateness."""

from __future__ import annotations

import os
import select
import shlex
import signal
import sys
from collections.abc import Iterable, Iterator
from concurrent.futures import Executor
from pathlib import Path

import msgspec
import pytest
from msgspec.structs import replace

from referee.bots.processes import pool
from referee.bots.processes.guardian import GUARDIAN
from referee.errors import UsageError
from referee.logs.verify import Kind, verify_record
from referee.tournament.playing import worker as module
from referee.tournament.playing.batch import Batch
from referee.tournament.playing.task import play_batch
from referee.tournament.playing.worker import LATE_PART
from referee.tournament.rows import MatchRow
from tests.support.batches import (
    RULES,
    batch,
    faults,
    kept,
    left,
    name_of,
    names,
    play,
    play_all,
    stderr_of,
    worker,
)
from tests.support.imports import loaded
from tests.support.live import hostile, left_behind
from tests.support.marks import slow

MATCHES = [
    ("dominion", "smithy_big_money --noise 0.5"),
    slow("dominion", "random_legal"),
    slow("botwars", "random_walker"),
]
"""A game and a bot that draws lots. It plays itself with reused processes and with new ones."""


def of_each_alone(matches: Batch) -> list[MatchRow]:
    """Play each match in a new worker, so with new processes."""
    rows = []
    for plan in matches.plans:
        with worker() as executor:
            rows += executor.submit(play_batch, replace(matches, plans=(plan,))).result()
    return rows


@pytest.fixture
def executor() -> Iterator[Executor]:
    with worker() as executor:
        yield executor


# --- reused processes -----------------------------------------------------------------------------


@pytest.mark.parametrize(("game", "bot"), MATCHES)
def test_a_process_that_has_played_plays_as_a_fresh_one(game: str, bot: str) -> None:
    matches = batch([bot] * 2, (1, 2), game=game)
    rows, processes = [], []
    with worker() as executor:
        for plan in matches.plans:
            rows += executor.submit(play_batch, replace(matches, plans=(plan,))).result()
            processes.append(GUARDIAN.processes)
    assert len(processes[0]) == 2 + 1  # bots, and the shell that watches them
    assert processes == processes[:1] * 2
    (fresh,) = of_each_alone(replace(matches, plans=matches.plans[1:]))
    assert rows[0].digest != rows[1].digest == fresh.digest
    for row in rows:
        assert (left(row), faults(row)) == ([None] * 2, [{}] * 2)
        assert (row.late, row.restarts, row.void) == (0, 0, False)


def test_a_bot_plays_in_one_process_as_long_as_it_may(executor: Executor) -> None:
    rows = play(executor, [RULES, kept()], (1, 2, 3))
    assert [name_of(row, 1) for row in rows] == ["match 1", "match 2", "match 3"]
    for row in rows:
        exits = [line for line in row.record.splitlines() if b'"entry":"exit"' in line]
        assert len(exits) == 2
        assert all(b'"exit_code":null' in line for line in exits)


def test_a_bot_can_play_against_itself(executor: Executor) -> None:
    both = batch([kept()], (1, 2, 3))
    plans = tuple(replace(plan, players=(0, 0)) for plan in both.plans)
    rows = play_all(executor, replace(both, plans=plans))
    assert [names(row) for row in rows] == [[f"match {n}"] * 2 for n in (1, 2, 3)]


def test_no_process_plays_two_matches_of_a_deal(executor: Executor) -> None:
    """Both matches of a deal have the same seed, so a process would know the deal in the second."""
    rows = play_all(executor, replace(batch([RULES, kept()], (1, 1, 2, 2, 3, 3)), matches_a_deal=2))
    assert [name_of(row, 1) for row in rows] == [f"match {n}" for n in (1, 1, 2, 2, 3, 3)]
    assert len(GUARDIAN.processes) == 2 + 1


def test_no_process_plays_on_in_another_run(executor: Executor) -> None:
    matches = batch([RULES, kept()], (1,))
    rows = [*play_all(executor, matches), *play_all(executor, replace(matches, run="another"))]
    assert [name_of(row, 1) for row in rows] == ["match 1"] * 2
    assert len(GUARDIAN.processes) == 1 + 1


@pytest.mark.parametrize("command", ["{}", "sh {}"])
def test_what_a_bot_loses_whose_file_is_gone_is_no_result(
    executor: Executor, tmp_path: Path, command: str
) -> None:
    file = tmp_path / "bot"
    file.write_text('#!/bin/sh\nrm "$0"\n')
    file.chmod(0o700)
    with pytest.raises(UsageError, match=f"^BOT .*: {file} is missing: put it back"):
        play(executor, [command.format(file), RULES], (1,))


@pytest.mark.slow
def test_processes_play_one_match_each_where_that_is_asked_for(executor: Executor) -> None:
    bots = [RULES, kept()]
    play(executor, bots, (1,))  # now kept.py waits for another match
    waiting = GUARDIAN.processes
    (row,) = play(executor, bots, (1,), keep_alive=False)
    assert name_of(row, 1) == "match 1"
    assert GUARDIAN.processes == waiting
    assert row.record.count(b'"exit_code":0') == 1


@pytest.mark.parametrize("said", ["false", '"true"'])
def test_only_true_keeps_a_process(executor: Executor, said: str) -> None:
    rows = play(executor, [RULES, kept("says", said)], (1, 2))
    assert [name_of(row, 1) for row in rows] == ["match 1", "match 1"]
    assert [row.restarts for row in rows] == [0, 0]
    assert [faults(row) for row in rows] == [[{}, {}]] * 2


@pytest.mark.slow
def test_a_bot_that_does_not_say_it_is_started_for_each_match(executor: Executor) -> None:
    rows = play(executor, ["big_money", hostile("normal")], (1, 2))
    assert [left(row) for row in rows] == [[None, None]] * 2
    assert [row.restarts for row in rows] == [0, 0]
    assert len(GUARDIAN.processes) == 2  # Big Money and the shell


@pytest.mark.slow
def test_more_than_so_many_do_not_wait(executor: Executor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool, "MAX_WAITING", 1)
    rows = play(executor, ["big_money", kept()], (1, 2))
    assert all(name_of(row, 1) in ("match 1", "match 2") for row in rows)
    assert [left(row) for row in rows] == [[None, None]] * 2
    assert len(GUARDIAN.processes) == 2


# --- bots that misbehave between two matches ------------------------------------------------------


@pytest.mark.parametrize(
    "mode",
    [
        *("writes", "dies", "dies_when_asked", "wrong_name"),
        *(slow("closes_stdin"), slow("hangs"), slow("stops")),  # each for the whole startup limit
    ],
)
def test_a_bot_that_fails_between_two_matches_is_started_anew(
    executor: Executor, mode: str
) -> None:
    rows = play(executor, [RULES, kept(mode)], (1, 2), grace=0.1)
    assert [name_of(row, 1) for row in rows] == ["match 1"] * 2
    assert [left(row) for row in rows] == [[None, None]] * 2
    assert [faults(row) for row in rows] == [[{}, {}]] * 2
    late = [reply.is_start for row in rows for reply in row.late_replies]
    assert late == [True] * (mode in ("closes_stdin", "hangs", "stops"))


def test_a_bot_that_failed_when_it_was_asked_again_is_never_kept_again(executor: Executor) -> None:
    rows = play(executor, [RULES, kept("wrong_name")], (1, 2, 3))
    assert [row.restarts for row in rows] == [0, 1, 0]


def let_it_write() -> None:
    """Make the waiting bots of this thread write a line, and wait until it has arrived."""
    for _, bot in module.this_worker()._pool._waiting:
        assert bot.popen is not None
        bot.popen.send_signal(signal.SIGUSR1)
        readable, _, _ = select.select([bot.popen.stdout], [], [], 60)
        assert readable


@pytest.mark.slow
def test_a_reply_that_was_written_before_the_bot_was_asked_is_none(executor: Executor) -> None:
    """Even if the reply is correct, we restart the bot, and don't reuse its process again."""
    matches = batch([RULES, kept("prewrites")], (1, 2, 3))
    rows = []
    for plan in matches.plans:
        rows += play_all(executor, replace(matches, plans=(plan,)))
        executor.submit(let_it_write).result()
    assert [name_of(row, 1) for row in rows] == ["match 1"] * 3
    assert [row.restarts for row in rows] == [0, 1, 0]
    assert [faults(row) for row in rows] == [[{}, {}]] * 3


def test_blank_lines_between_two_matches_are_skipped(executor: Executor) -> None:
    rows = play(executor, [RULES, kept("writes_blank")], (1, 2, 3))
    assert [name_of(row, 1) for row in rows] == ["match 1", "match 2", "match 3"]


def test_what_a_bot_wrongly_remembers_is_its_own_fault(executor: Executor) -> None:
    first, second = play(executor, [RULES, kept("wrong_state")], (1, 2))
    assert (faults(first), second.restarts) == ([{}, {}], 0)
    seat = second.players.index(1)
    assert faults(second)[seat] == {"bad-phase": second.seats[seat].replies}
    assert second.ranks[seat] == 2


@pytest.mark.slow
def test_a_bot_that_dies_in_its_second_match_has_lost_it(executor: Executor) -> None:
    rows = play(executor, [RULES, kept("dies_in_second")], (1, 2, 3))
    assert [name_of(row, 1) for row in rows] == ["match 1", "match 2", "match 1"]
    seat = rows[1].seats[rows[1].players.index(1)]
    assert (seat.disqualified, seat.stderr) == ("exited", "match 2")
    assert [row.restarts for row in rows] == [0, 0, 0]


def test_stderr_is_kept_apart_by_match(executor: Executor) -> None:
    rows = play(executor, [RULES, kept()], (1, 2, 3))
    assert [stderr_of(row, 1) for row in rows] == [{"match 1"}, {"match 2"}, {"match 3"}]
    assert {seat.stderr for row in rows for seat in row.seats} == {None}  # nobody failed
    replies = [row.seats[row.players.index(1)].replies for row in rows]
    lines = [row.stderr[row.players.index(1)].count(b"\n") for row in rows]
    assert lines == [count + 1 for count in replies]  # its handshake also writes a line


def test_of_a_long_stderr_both_ends_are_kept(executor: Executor, tmp_path: Path) -> None:
    """We need the end, because that's where a bot says why it crashed."""
    bot = tmp_path / "bot.py"
    talks = "import sys\nprint('first', 'x' * 100_000, 'last', file=sys.stderr)\nsys.exit(1)\n"
    bot.write_text(talks)
    (found,) = play(executor, [shlex.join([sys.executable, "-I", "-S", str(bot)]), RULES], (1,))
    text = found.stderr[found.players.index(0)]
    assert text.startswith(b"first xxx")
    assert text.endswith(b"xxx last\n")
    assert b"\n[34476 bytes left out]\n" in text


def test_stderr_is_recorded_on_request(executor: Executor) -> None:
    matches = replace(batch([RULES, kept()], (1, 2)), record_stderr=True)
    rows = play_all(executor, matches)
    for number, row in enumerate(rows, 1):
        head = b'{"entry":"stderr","player_number":"player%d","text":"match %d\\n",'
        count = row.record.count(head % (1 + row.players.index(1), number))
        assert count == row.record.count(b'{"entry":"stderr"') > 6


def test_a_flood_on_stderr_after_a_match_holds_nobody_up(executor: Executor) -> None:
    rows = play(executor, [RULES, kept("floods")], (1, 2, 3))
    assert [name_of(row, 1) for row in rows] == ["match 1", "match 2", "match 3"]
    assert [left(row) for row in rows] == [[None, None]] * 3


@pytest.mark.parametrize(
    "strike",
    [
        "orphans",
        "closes_stderr",
        *(slow("flood_stderr"), slow("ignores_sigterm"), slow("reads_its_stdout")),
        *(slow("resource_limits"), slow("small_pipes")),
    ],
)
def test_who_does_odd_things_in_a_match_but_replies_plays_on(
    executor: Executor, strike: str
) -> None:
    """The bot starts to misbehave in the second match of its process."""
    rows = play(executor, [RULES, kept(strike, "2")], (1, 2, 3), grace=0.2)
    assert [left(row) for row in rows] == [[None, None]] * 3
    assert [faults(row) for row in rows] == [[{}, {}]] * 3


@pytest.mark.slow
def test_a_bot_that_was_released_leaves_no_descriptor(executor: Executor) -> None:
    """Its descriptors are closed immediately, even while its opponent is still being stopped."""
    matches = batch(["big_money", hostile("stays")], range(2), grace=0.1)
    opened = []
    for plan in matches.plans:
        play_all(executor, replace(matches, plans=(plan,)))
        opened.append(len(os.listdir("/proc/self/fd")))
    assert opened[0] == opened[1]


@pytest.mark.slow
def test_a_daemon_is_left_by_nobody(executor: Executor) -> None:
    rows = play(executor, [RULES, kept("daemon")], (1, 2))
    assert [name_of(row, 1) for row in rows] == ["match 1", "match 2"]
    assert len(left_behind()) > 2  # they run until we stop them after this test


def test_nothing_is_left_of_a_match_that_is_played_alone(executor: Executor) -> None:
    """If a process was left, it could kill the worker while other bots play."""
    play_all(executor, replace(batch([RULES, kept("daemon")], (1,)), alone=True))
    assert left_behind() == []


def test_a_lost_child_ends_although_the_opponent_is_kept(
    executor: Executor, tmp_path: Path
) -> None:
    file = tmp_path / "pid"
    play(executor, [kept(), hostile("lost_daemon", file)], (1,))
    ((kept_alive, _),) = left_behind()
    assert kept_alive != int(file.read_text())


def test_the_bots_are_ended_when_a_match_cannot_be_played(
    executor: Executor, monkeypatch: pytest.MonkeyPatch
) -> None:
    play(executor, [RULES, kept("daemon")], (1,))
    with pytest.raises(UsageError, match="no_such_bot"):
        play(executor, ["no_such_bot", RULES], (1,))
    assert left_behind() == []


# --- lateness of the referee ----------------------------------------------------------------------


def lateness(*seconds: float) -> type[module.Lateness]:
    """Make a `Lateness` that claims these delays, one per match, and none after that."""
    to_come = list(seconds)

    class Told(module.Lateness):
        def __init__(self, seats: int) -> None:
            super().__init__(seats)
            self.worst[1] = to_come.pop(0) if to_come else 0.0

        def note(self, late: float, seats: Iterable[int]) -> None:
            """Ignore the real lateness."""

    return Told


LIMIT = 0.5
"""Only the bot that is to be too late has this limit. The others have as long as a tournament."""
LATE = 2 * LATE_PART * LIMIT


def late_row(
    executor: Executor,
    monkeypatch: pytest.MonkeyPatch,
    bot: str,
    *seconds: float,
    time_limit: float = LIMIT,
) -> MatchRow:
    monkeypatch.setattr(module, "Lateness", lateness(*seconds))
    (row,) = play(executor, [RULES, bot], (1,), time_limit=time_limit)
    return row


def test_a_time_out_is_void_while_the_referee_is_late(
    executor: Executor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MAX_LATE_REPLAYS", 1)
    row = late_row(executor, monkeypatch, hostile("sleep_at", 1), LATE)
    assert (row.late, row.void) == (1, False)
    assert left(row)[1] == "timeout"


def test_lateness_while_another_bot_was_stopped_excuses_nobody(
    executor: Executor, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The bot that timed out was running then, and may have caused the delay (tournaments.md)."""
    monkeypatch.setattr(module, "Lateness", lateness(LATE))
    (row,) = play(executor, [hostile("sleep_at", 1), RULES], (1,), time_limit=LIMIT)
    assert (row.late, row.void) == (0, False)
    assert left(row)[0] == "timeout"


@pytest.mark.slow
def test_a_match_that_is_played_again_has_new_processes(
    executor: Executor, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An old process would already know the deal."""
    monkeypatch.setattr(module, "Lateness", lateness(LATE))
    matches = batch([kept(), hostile("sleep_at", 1)], (1,))
    late = replace(matches.entrants[1], limits=(("time_limit", LIMIT),))
    (row,) = play_all(executor, replace(matches, entrants={**matches.entrants, 1: late}))
    assert (row.late, name_of(row, 0)) == (1, "match 1")
    assert len(GUARDIAN.processes) == 2  # the last process of kept.py, and the shell


@pytest.mark.parametrize(
    ("bot", "time_limit", "part"),
    [
        (hostile("sleep_at", 1), LIMIT, LATE_PART),  # at most a tenth of the limit
        (hostile("exit_at", 1), 60.0, 2 * LATE_PART),
        (hostile("normal"), 60.0, 2 * LATE_PART),
    ],
    ids=["a little late", "no time-out", "nobody failed"],
)
def test_a_match_counts_unless_somebody_timed_out_while_the_referee_was_late(
    executor: Executor, monkeypatch: pytest.MonkeyPatch, bot: str, time_limit: float, part: float
) -> None:
    late = part * time_limit
    row = late_row(executor, monkeypatch, bot, late, time_limit=time_limit)
    assert (row.late, row.void) == (0, False)


BANK = 0.1


@pytest.mark.parametrize(("part", "late"), [(0.9, 0), (1.1, 1)])
def test_a_time_bank_counts_unless_the_referee_was_late_for_a_part_of_it(
    part: float, late: int, executor: Executor, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Many small delays count like a long one (tournaments.md)."""

    class Told(module.Lateness):
        times = 0

        def __init__(self, seats: int) -> None:
            super().__init__(seats)
            Told.times += 1
            if Told.times == 1:
                self.total[1] = part * LATE_PART * BANK

        def note(self, late: float, seats: Iterable[int]) -> None:
            """Ignore the real lateness."""

    monkeypatch.setattr(module, "Lateness", Told)
    bots = [RULES, hostile("think", BANK / 2)]
    (row,) = play(executor, bots, (1,), time_limit=60, time_bank=BANK)
    assert (left(row)[1], row.late, row.void) == ("time-bank", late, False)


def test_one_bot_has_limits_of_its_own(
    executor: Executor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A bot's own limits apply in its matches. The header has them, because `verify` needs them."""
    monkeypatch.setattr(module, "Lateness", lateness())
    matches = batch([hostile("think", 0.05)] * 2, (1,), time_bank=3_600)
    bot = replace(matches.entrants[0], limits=(("line_limit", 1_000), ("time_bank", 0.04)))
    matches = replace(matches, entrants={**matches.entrants, 0: bot})
    for row in play_all(executor, matches):
        assert [left(row)[row.players.index(number)] for number in (0, 1)] == ["time-bank", None]
        file = tmp_path / "record"
        file.write_bytes(row.record)
        assert verify_record(str(file)).kind is Kind.VALID
        header = msgspec.json.decode(row.record.splitlines()[0])
        own = [{"line_limit": 1_000, "time_bank": 0.04}, {}]
        assert header["limits_of_bots"] == [own[number] for number in row.players]
        assert header["options"]["time_bank"] == 3_600


def test_a_line_is_as_long_as_its_own_bot_may_write(executor: Executor, tmp_path: Path) -> None:
    """If the header claims a lower limit, the record has a line that's too long and is invalid."""
    matches = batch([RULES, kept()], (1,))
    bot = replace(matches.entrants[1], limits=(("line_limit", 1_000),))
    matches = replace(matches, entrants={**matches.entrants, 1: bot})
    (row,) = play_all(executor, matches)
    file = tmp_path / "record"
    file.write_bytes(row.record)
    assert verify_record(str(file)).kind is Kind.VALID
    file.write_bytes(row.record.replace(b'"line_limit":1000}', b'"line_limit":10}', 1))
    assert verify_record(str(file)).kind is not Kind.VALID


@pytest.mark.slow
@pytest.mark.parametrize(
    ("module", "libraries"),
    [("worker", {"h11", "numpy", "rich"}), ("task", {"trio", "h11", "rich"})],
)
def test_no_library_is_loaded_that_is_not_needed(module: str, libraries: set[str]) -> None:
    assert not loaded(f"import referee.tournament.playing.{module}", libraries)
