"""Matches with real processes: slow bots, failing bots, disqualification (protocol-v1, 1 and 8)."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from typing import Any

import pytest
import trio
import trio.testing

from referee.bots.command import resolve_bot
from referee.bots.hosting import finish_all, run_bots
from referee.bots.processes.launch import launch_bots
from referee.course import Course
from referee.errors import InternalError, LogWriteError
from referee.games import GAMES
from referee.logs.files import open_logs
from referee.logs.validate import validate_log
from referee.logs.verify import Kind, verify_record
from referee.match.machine import Match
from referee.match.spec import match_spec
from referee.runner import Runner
from tests.support.bad_lines import BAD_LINES
from tests.support.live import await_end, entries, hostile, play, without_times
from tests.support.marks import slow

BIG_MONEY = "big_money"


async def disqualified(folder: Path, bot: str, **limits: Any) -> tuple[str, str]:
    """Play a hostile bot as player 2. Return the code and the detail of its disqualification."""
    played = await play(folder, BIG_MONEY, bot, patient=[0], **limits)
    result = played.result
    assert result.reason == "last-player-standing"
    assert result.winners == ["player1"]
    assert result.players[0].disqualified is None
    assert entries(folder / "log")[-2:] == [
        {
            "type": "player-disqualified",
            "player_number": "player2",
            "reason": result.players[1].disqualified,
        },
        {
            "type": "game-end",
            "scores": [player.score for player in result.players],
            "winners": ["player1"],
            "reason": "last-player-standing",
        },
    ]
    left = played.disqualified[1]
    assert left.code == result.players[1].disqualified
    return left.code, left.detail


# --- 3.4: the handshake ---------------------------------------------------------------------------


async def test_no_handshake_in_time(tmp_path: Path) -> None:
    code, detail = await disqualified(tmp_path, hostile("sleep_at", 0), startup_limit=1.5)
    assert code == "startup-timeout"
    assert "1.5 s" in detail


async def test_a_program_that_cannot_be_started(tmp_path: Path) -> None:
    program = tmp_path / "program"
    program.write_text("neither a binary nor a script with a first line\n")
    program.chmod(0o755)
    code, detail = await disqualified(tmp_path, str(program))
    assert code == "failed-to-start"
    assert "#!" in detail
    assert str(tmp_path) not in detail  # the detail goes into the digest of the record


async def test_exit_in_the_handshake(tmp_path: Path) -> None:
    code, detail = await disqualified(tmp_path, hostile("exit_at", 0))
    assert code == "exited"
    assert "exit code 3" in detail


async def test_another_version(tmp_path: Path) -> None:
    reply = tmp_path / "reply"
    reply.write_bytes(
        b'{"type":"player-name-reply","player_number":"player2","name":"x","version":2}\n'
    )
    code, _ = await disqualified(tmp_path, hostile("garbage", f"0:{reply}"))
    assert code == "unsupported-version"


async def test_all_bots_fail(tmp_path: Path) -> None:
    played = await play(tmp_path, *[hostile("exit_at", 0)] * 2)
    assert played.result.reason == "no-players"
    assert played.result.winners == []
    assert [player.rank for player in played.result.players] == [1, 1]
    assert played.result.turns == 0
    assert entries(tmp_path / "log")[-1]["reason"] == "no-players"


async def test_handshakes_run_side_by_side(tmp_path: Path) -> None:
    """Two bots reply only when both have been asked."""
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    meeting = [hostile("meet", f"{how}:{fifo}") for how in "rw"]
    played = await play(tmp_path, *meeting, patient=[0, 1], max_turns=1)
    assert [player.disqualified for player in played.result.players] == [None, None]


# --- 8.1: time ------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", ["sleep_at", "stop_at"])
async def test_no_reply_in_time(tmp_path: Path, mode: str) -> None:
    code, detail = await disqualified(tmp_path, hostile(mode, 3), time_limit=3)
    assert code == "timeout"
    assert "3 s" in detail


@pytest.mark.slow
async def test_a_dripping_line_gets_no_more_time(tmp_path: Path) -> None:
    with trio.fail_after(60):  # the bot never stops dripping
        code, _ = await disqualified(tmp_path, hostile("drip"), time_limit=3)
    assert code == "timeout"


async def test_a_reply_in_single_bytes_is_one_line(tmp_path: Path) -> None:
    played = await play(tmp_path, BIG_MONEY, hostile("single_bytes", 300), patient=[0], max_turns=2)
    assert (played.result.players[1].disqualified, played.result.players[1].faults) == (None, {})


async def test_the_report_has_what_an_author_needs(tmp_path: Path) -> None:
    limit = 1.5
    played = await play(tmp_path, BIG_MONEY, hostile("sleep_at", 1), patient=[0], time_limit=limit)
    assert b'"type":"play-turn"' in played.disqualified[1].asked
    player = played.result.players[1]
    assert player.stderr.lines == ["thinking"]
    assert player.exit_code == -9
    assert player.requests == 1
    assert player.turns == 1
    assert limit <= player.reply_seconds.max <= played.result.duration_seconds
    assert player.rank == 2


async def test_four_players_lose_two_and_go_on(tmp_path: Path) -> None:
    played = await play(
        tmp_path,
        BIG_MONEY,
        hostile("exit_at", 4),
        BIG_MONEY,
        hostile("sleep_at", 7),
        patient=[0, 2],
        time_limit=3,
    )
    result = played.result
    assert [player.disqualified for player in result.players] == [None, "exited", None, "timeout"]
    assert result.reason in ("provinces-empty", "piles-empty")
    assert set(result.winners) <= {"player1", "player3"}
    assert [result.players[seat].rank for seat in (1, 3)] == [3, 3]


# --- 8.2: exit and closed pipes -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("bot", "says"),
    [
        (hostile("exit_at", 4), "exit code 3"),
        (hostile("die_at", "2:11"), "SIGSEGV"),
        (hostile("close_stdout", 2), "closed its standard output"),
        (hostile("unfinished"), "exit code 0"),
    ],
)
async def test_exit_while_a_reply_is_due(tmp_path: Path, bot: str, says: str) -> None:
    code, detail = await disqualified(tmp_path, bot)
    assert code == "exited"
    assert says in detail


@pytest.mark.parametrize("bot", [hostile("last_words", 1), hostile("close_stdin", 1)])
async def test_a_complete_reply_counts_though_its_bot_is_gone(tmp_path: Path, bot: str) -> None:
    played = await play(tmp_path, BIG_MONEY, bot, patient=[0], time_limit=1.5)
    assert played.result.players[1].disqualified in ("exited", "timeout")
    assert played.result.players[1].requests == 2  # the buy and the request for the clean-up
    asked_last = played.disqualified[1].asked
    assert b'"buys":0' in asked_last


async def test_a_child_that_holds_the_pipes_delays_nothing(tmp_path: Path) -> None:
    pid_file = tmp_path / "pid"
    with trio.fail_after(30):
        code, _ = await disqualified(tmp_path, hostile("heir", pid_file), time_limit=60)
    assert code == "exited"
    await_end(int(pid_file.read_text()))


# --- 1.2, 1.3: lines, queue, caps -----------------------------------------------------------------


@pytest.mark.parametrize(("length", "passes"), [(1024, True), (1025, False)])
async def test_the_cap_on_a_line_is_exact(tmp_path: Path, length: int, passes: bool) -> None:
    played = await play(
        tmp_path, BIG_MONEY, hostile("long_line", length), patient=[0], line_limit=1024
    )
    assert played.result.players[1].disqualified == (None if passes else "output-limit")


@pytest.mark.parametrize(("length", "passes"), [(65536, True), (65537, False)])
async def test_the_default_cap_on_a_line(tmp_path: Path, length: int, passes: bool) -> None:
    played = await play(tmp_path, BIG_MONEY, hostile("long_line", length), patient=[0])
    assert played.result.players[1].disqualified == (None if passes else "output-limit")


async def test_a_long_line_that_is_early_disqualifies_at_the_next_request(tmp_path: Path) -> None:
    """Player 1's turn continues after the line was written, and ends as usual (1.3)."""
    written = tmp_path / "written"
    os.mkfifo(written)
    bots = [hostile("await_news", written), hostile("long_line_early", written)]
    played = await play(tmp_path, *bots)
    assert [player.requests for player in played.result.players] == [2, 1]
    assert played.result.players[1].disqualified == "output-limit"
    assert [entry["type"] for entry in entries(tmp_path / "log")][-4:] == [
        "player-played",
        "player-top-discard",
        "player-disqualified",
        "game-end",
    ]


@pytest.mark.parametrize(
    ("limit", "size", "passes"),
    [(3000, 3000, True), (3000, 3001, False)],
)
async def test_the_cap_on_unasked_output(
    tmp_path: Path, limit: int, size: int, passes: bool
) -> None:
    bot = hostile("unasked", size)
    played = await play(tmp_path, BIG_MONEY, bot, patient=[0], queue_limit=limit, max_turns=50)
    assert played.result.players[1].disqualified == (None if passes else "output-limit")


async def test_too_much_in_one_go_is_noticed_at_once(tmp_path: Path) -> None:
    played = await play(tmp_path, BIG_MONEY, hostile("unasked", 100_000), patient=[0])
    assert played.result.players[1].disqualified == "output-limit"
    assert played.result.players[1].requests == 1


@pytest.mark.parametrize("mode", ["flood", "blank_flood", "endless_line"])
async def test_output_without_end(tmp_path: Path, mode: str) -> None:
    code, _ = await disqualified(tmp_path, hostile(mode))
    assert code == "output-limit"


async def test_replies_before_they_are_asked_for_play_the_same_game(tmp_path: Path) -> None:
    early, usual = tmp_path / "early", tmp_path / "usual"
    early.mkdir()
    usual.mkdir()
    played = await play(early, BIG_MONEY, hostile("early"), patient=[0], max_turns=4)
    await play(usual, BIG_MONEY, hostile("normal"), patient=[0], max_turns=4)
    assert played.result.players[1].faults == {}
    assert (early / "log").read_bytes() == (usual / "log").read_bytes()


@pytest.mark.slow
async def test_a_slow_reader_of_the_log_costs_no_bot_its_time(tmp_path: Path) -> None:
    """While we wait for the reader, a bot may not have its request yet, so no time runs (8.1)."""
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    reader = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
    (log,) = open_logs([str(fifo)])
    assert log is not None
    filler = os.open(fifo, os.O_WRONLY | os.O_NONBLOCK)
    with contextlib.suppress(BlockingIOError):
        while True:
            os.write(filler, b"x" * 4096)
    os.close(filler)
    spec = match_spec(["minimal", "minimal"], seed=1, options={"max_turns": 1})

    async def read(runner: Runner) -> None:
        while not log.behind:
            await trio.lowlevel.checkpoint()
        before = runner.asked_since
        await trio.testing.wait_all_tasks_blocked()
        while runner.asked_since == before:  # the match waits until there is room in the pipe
            with contextlib.suppress(BlockingIOError):
                os.read(reader, 4096)
            await trio.lowlevel.checkpoint()
        assert runner.asked_since > before
        while not over:
            with contextlib.suppress(BlockingIOError):
                os.read(reader, 65536)
            await trio.lowlevel.checkpoint()

    over = False
    with launch_bots([resolve_bot("minimal")] * 2, spec.limits) as started:
        async with run_bots(spec, started) as bots, trio.open_nursery() as nursery:
            runner = Runner(Course(spec, bots, log=log))
            nursery.start_soon(read, runner)
            await runner.run()
            over = True
    assert runner.match.disqualified == {}
    log.close()
    os.close(reader)


# --- bad lines: a fault each, and the match goes on -----------------------------------------------

SHORT_LINES = [(line, code) for line, code in BAD_LINES if len(line) < 1000]
LONG_LINES = [(line, code) for line, code in BAD_LINES if len(line) > 1000]


@pytest.mark.parametrize(
    "bad",
    [
        SHORT_LINES[::2],
        SHORT_LINES[1::2],
        *([long] for long in LONG_LINES[:2]),
        *(slow([long]) for long in LONG_LINES[2:]),
    ],
    ids=lambda bad: f"{len(bad)} like {bad[0][0][:30]!r}",
)
async def test_a_bad_line_is_a_fault(tmp_path: Path, bad: list[tuple[bytes, str]]) -> None:
    """The bot writes all bad lines at once, each followed by a valid reply to the next request."""
    file = tmp_path / "line"
    clean_up = b'{"type":"play-reply","phase":"cleanup"}\n'
    file.write_bytes(b"".join(line + b"\n" + clean_up for line, _ in bad))
    turns = 2 * len(bad) + 2
    bots = ("minimal", hostile("garbage", f"1:{file}"))
    played = await play(tmp_path, *bots, patient=[0], max_turns=turns)
    player = played.result.players[1]
    assert player.disqualified is None
    assert player.turns == turns
    record = entries(tmp_path / "record")
    faults = [entry["code"] for entry in record if entry["entry"] == "fault"]
    # After these, the bot's usual replies come too late.
    assert faults[: len(bad)] == [code for _, code in bad]
    _, *received = [
        entry
        for entry in record
        if entry["entry"] == "received" and entry["player_number"] == "player2"
    ]
    for (line, _), entry in zip(bad, received[::2], strict=False):
        assert ("base64" in entry) == line.startswith(b"\xff")


# --- stderr ---------------------------------------------------------------------------------------


async def test_stderr_is_drained_and_kept(tmp_path: Path) -> None:
    files = open_logs([None, str(tmp_path / "stderr")])
    played = await play(
        tmp_path, BIG_MONEY, hostile("noisy"), patient=[0], stderr=files, max_turns=2
    )
    assert played.result.players[1].disqualified is None
    # The bot writes a megabyte for the handshake and one for each of four requests.
    assert (tmp_path / "stderr").stat().st_size == 5 * (6 * 1000 * 170 + 1)
    stderr = played.result.players[1].stderr
    assert "noise noise" in stderr.lines[-1]


# --- 8.4: the end ---------------------------------------------------------------------------------


async def test_a_bot_that_will_not_go_is_killed(tmp_path: Path) -> None:
    played = await play(tmp_path, BIG_MONEY, hostile("stays"), patient=[0], grace=0.1, max_turns=1)
    assert played.result.players[1].disqualified is None
    assert played.result.players[1].exit_code == -9


async def test_sigterm_comes_before_sigkill(tmp_path: Path) -> None:
    played = await play(
        tmp_path, BIG_MONEY, hostile("late_goodbye"), patient=[0], grace=1.5, max_turns=1
    )
    assert played.result.players[1].exit_code == 7


async def test_a_borrowed_process_plays_match_after_match() -> None:
    """The caller has to end borrowed bots.

    After a disqualification the process is dead, so that bot fails in all later matches.
    """
    arguments = [hostile("plays_on"), hostile("exit_at", 3)]
    spec = match_spec(arguments, seed=1, options={"max_turns": 3})
    with launch_bots([resolve_bot(bot) for bot in arguments], spec.limits) as started:
        async with run_bots(spec, started) as bots:
            played = []
            for _ in range(3):
                runner = Runner(Course(spec, bots))
                await runner.run()
                played.append(await runner.close())
                assert bots[0].exit_code is None  # still running
                assert bots[1].exit_code is not None
            await finish_all(bots, spec)
            assert bots[0].exit_code == 0
    left = [[player.disqualified for player in each.result.players] for each in played]
    assert left == [[None, "exited"]] * 3
    assert [each.result.players[1].requests for each in played] == [3, 0, 0]


# --- nothing is left behind -----------------------------------------------------------------------


async def test_an_error_inside_the_referee_leaves_no_bot(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    receive = Match.receive
    calls = 0

    def fail(self: Match, seat: int, line: bytes) -> None:
        nonlocal calls
        calls += 1
        if calls == 5:
            raise RuntimeError("a bug")
        receive(self, seat, line)

    monkeypatch.setattr(Match, "receive", fail)
    with pytest.raises(InternalError, match="a bug") as caught:
        await play(tmp_path, BIG_MONEY, hostile("stays"), patient=[0])
    assert isinstance(caught.value.__cause__, RuntimeError)
    verdict = verify_record(str(tmp_path / "record"))
    assert verdict.kind == Kind.TRUNCATED
    assert "valid so far" in verdict.text
    findings = list(validate_log(str(tmp_path / "log"), GAMES["dominion"]))
    # Only `game-end` is missing.
    assert [finding.section for finding in findings] == ["2.14"]


@pytest.mark.slow
async def test_cancelling_leaves_no_bot(tmp_path: Path) -> None:
    with trio.CancelScope() as scope:
        async with trio.open_nursery() as nursery:

            async def cancel_when_asked() -> None:
                while not (tmp_path / "record").exists():
                    await trio.lowlevel.checkpoint()
                while b'"play-turn"' not in (tmp_path / "record").read_bytes():
                    await trio.lowlevel.checkpoint()
                scope.cancel()

            nursery.start_soon(cancel_when_asked)
            await play(tmp_path, hostile("sleep_at", 1), hostile("stays"))
    assert scope.cancelled_caught


async def test_a_full_disk_is_said_and_leaves_no_bot(tmp_path: Path) -> None:
    (tmp_path / "log").symlink_to("/dev/full")
    with pytest.raises(LogWriteError, match="No space left"):
        await play(tmp_path, BIG_MONEY, hostile("stays"), patient=[0])


# --- the two logs ---------------------------------------------------------------------------------


@pytest.mark.slow
async def test_the_spectator_log_is_byte_for_byte_what_every_bot_was_sent(tmp_path: Path) -> None:
    copies = [tmp_path / f"copy{seat}" for seat in range(3)]
    bots = [hostile("normal", "", copies[0]), hostile("exit_at", 8, copies[1])]
    bots.append(hostile("garbage", "2:/dev/null", copies[2]))
    await play(tmp_path, *bots, patient=[0, 1], time_limit=1, max_turns=8)
    log = (tmp_path / "log").read_bytes()
    private = (
        b'{"type":"player-name-request"',
        b'{"type":"play-turn"',
        b'{"type":"attack-request"',
    )
    for seat, copy in enumerate(copies):
        lines = copy.read_bytes().splitlines(keepends=True)
        public = b"".join(line for line in lines if not line.startswith(private))
        # A bot that was disqualified gets no more messages.
        assert public == log if seat == 0 else log.startswith(public)
        assert len(public) > 2000
    record = entries(tmp_path / "record")
    assert [e["message"] for e in record if e.get("to") == "all"] == entries(tmp_path / "log")


async def test_equal_matches_give_equal_logs(tmp_path: Path) -> None:
    folders = [tmp_path / "1", tmp_path / "2"]
    for folder in folders:
        folder.mkdir()
        bots = ("random_legal", hostile("exit_at", 5), "village_engine")
        await play(folder, *bots, patient=[0, 2], seed=11, max_turns=8)
    assert (folders[0] / "log").read_bytes() == (folders[1] / "log").read_bytes()
    assert without_times(folders[0] / "record") == without_times(folders[1] / "record")


async def test_bots_that_are_not_asked_hear_the_news(tmp_path: Path) -> None:
    """While one bot thinks, the others get the latest news (1.1, 1.7)."""
    heard = tmp_path / "heard"
    os.mkfifo(heard)
    played = await play(
        tmp_path, hostile("await_news", heard), hostile("tell_news", heard), max_turns=1
    )
    assert [player.disqualified for player in played.result.players] == [None, None]
