"""The contract of the commands: exit codes, stdout and stderr, one line per mistake."""

from __future__ import annotations

import errno
import fcntl
import gc
import io
import json
import os
import re
import resource
import select
import signal
import subprocess
import sys
import tempfile
from itertools import product
from pathlib import Path

import jsonschema
import pytest

from referee import cli
from referee.bots.bundled import bundled_bots
from referee.cli import console
from referee.cli.commands import play as play_command
from referee.cli.values import MAX_SEED as COMMAND_MAX_SEED
from referee.games import GAMES
from referee.logs.outputs import LOG
from referee.logs.validate import validate_log
from referee.logs.verify import Kind, verify_record
from referee.match.limits import Limits, flag, limit_word
from referee.match.machine import MAX_SEED, Match
from tests.support.forked_referee import ForkedReferee, closing, forked_referee
from tests.support.live import (
    ROOT,
    entries,
    hostile,
    is_running,
    left_behind,
    one_line,
    referee,
    referee_process,
    until,
)
from tests.support.marks import slow
from tests.support.typing_person import on_a_terminal

PLAY = ("play", "big_money", "big_money")
QUICK = ("play", "big_money.json", "smithy.json", "--max-turns", "1")
"""A match without processes of bots."""


# --- what it prints -------------------------------------------------------------------------------


def test_what_is_neither_an_error_nor_of_a_game_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """A program that calls the command may end it in this way, which is not a bug of ours."""

    def run(*_: object) -> int:
        raise GeneratorExit

    monkeypatch.setattr("referee.cli.entry.read_words", lambda words: (run, None))
    with pytest.raises(GeneratorExit):
        cli.main([])


def test_the_table_for_people() -> None:
    done = referee(*PLAY, "--seed", "5")
    assert done.returncode == 0
    assert done.stderr == ""
    assert "\x1b" not in done.stdout  # no colours in a pipe
    assert max(map(len, done.stdout.splitlines())) <= 80
    for word in ("seat", "name", "score", "turns", "faults", "longest", "what happened"):
        assert word in done.stdout
    assert "player2  Big Money" in done.stdout
    assert "Big Money (player2) won" in done.stdout
    assert "referee play big_money big_money --seed 5\n" in done.stdout


def test_a_seed_out_of_a_file_and_a_variable_for_the_bots(tmp_path: Path) -> None:
    (tmp_path / "seed").write_text("5\n")
    bot = tmp_path / "bot.sh"
    minimal = bundled_bots("dominion")["minimal"]
    bot.write_text(f'#!/bin/sh\n[ "$ONE $TWO" = "1 2" ] && exec {sys.executable} {minimal}\n')
    bot.chmod(0o755)
    given = ("--seed-file", str(tmp_path / "seed"), "--env", "ONE=1", "--env", "TWO")
    given += ("--max-turns", "1")
    done = referee("play", str(bot), "minimal", *given, env={"ONE": "other", "TWO": "2"})
    assert done.returncode == 0
    again = f"referee play {bot} minimal --seed 5 --env ONE=1 --env TWO=2 --max-turns 1\n"
    assert done.stdout.endswith(again)


def test_a_drawn_seed_is_printed_and_plays_the_same_match(tmp_path: Path) -> None:
    first = referee(*QUICK, "--log", str(tmp_path / "1"))
    again = first.stdout.splitlines()[-1].split()
    assert again[:1] == ["referee"]
    second = referee(*again[1:], "--log", str(tmp_path / "2"))
    assert second.stdout.splitlines()[-1] == first.stdout.splitlines()[-1]
    assert (tmp_path / "1").read_bytes() == (tmp_path / "2").read_bytes()


def test_the_command_to_play_again_keeps_what_matters() -> None:
    done = referee(*QUICK[:2], "random_legal 7", "--max-turns", "3", "--grace", "0.5")
    again = done.stdout.splitlines()[-1]
    assert "'random_legal 7'" in again
    assert "--max-turns 3" in again
    assert "--grace 0.5" in again


def test_quietly_a_disqualification_is_one_line() -> None:
    """Without the line, only exit code 1 would show that something happened."""
    done = referee(*QUICK[:2], hostile("exit_at", 3), "--quiet")
    assert done.returncode == 1
    assert done.stdout == ""
    said = one_line(done.stderr)
    assert said.startswith("referee: player2, ")
    assert "was disqualified: exited, its process ended with exit code 3" in said


def test_the_json_object() -> None:
    done = referee("play", "big_money", hostile("exit_at", 3), "--seed", "4", "--format", "json")
    assert done.returncode == 1
    assert done.stderr == ""
    result = json.loads(one_line(done.stdout))
    schema = json.loads((ROOT / "spec" / "schema" / "result.schema.json").read_text())
    jsonschema.Draft202012Validator(schema).validate(result)
    assert list(result) == [
        "game",
        "protocol",
        "seed",
        "reason",
        "turns",
        "winners",
        "duration_seconds",
        "players",
        "sandbox",
    ]
    assert list(result["players"][0]) == [
        "player_number",
        "name",
        "bot",
        "score",
        "turns",
        "rank",
        "disqualified",
        "faults",
        "requests",
        "reply_seconds",
        "exit_code",
        "disqualification",
        "first_faults",
        "notes",
        "stderr",
        "cards",
    ]
    assert (result["game"], result["protocol"], result["seed"]) == ("dominion", 1, 4)
    assert result["players"][1]["disqualified"] == "exited"
    assert result["players"][1]["exit_code"] == 3
    assert result["players"][1]["cards"] == {"copper": 7, "silver": 1, "estate": 3}
    assert sum(result["players"][0]["cards"].values()) >= 10


def test_quiet_says_nothing() -> None:
    done = referee(*QUICK, "-q")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_a_match_needs_no_dev_null(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "devnull", str(tmp_path / "null"))
    done = referee(*PLAY, "--max-turns", "1", "-q")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_the_log_on_stdout_is_alone_there(tmp_path: Path) -> None:
    played = (*PLAY, "--seed", "5", "--max-turns", "9")
    done = referee_process(*played, "--log", "-")
    referee(*played, "--log", str(tmp_path / "log"), "-q")
    assert done.stdout == (tmp_path / "log").read_text()
    assert "what happened" in done.stderr


def test_a_reader_that_has_enough_ends_the_match_quietly() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    done = forked_referee(*QUICK, "--log", "-", "-q", stdout=writer)
    os.close(writer)
    assert (done.returncode, done.stderr) == (141, "")


def test_faults_are_shown_with_their_section(tmp_path: Path) -> None:
    line = tmp_path / "line"
    line.write_bytes(b'{"type":"play-reply","phase":"buy","played_treasures":["gold"]}\n')
    done = referee(*QUICK[:2], hostile("garbage", f"1:{line}"), "--max-turns", "2")
    assert done.returncode == 0  # faults don't disqualify
    assert "bad-treasure" in done.stdout
    assert "5.2" in done.stdout
    assert 'played_treasures[0] is "gold"' in done.stdout


def test_a_disqualified_bot_gets_its_stderr_and_its_request() -> None:
    own = ("--limit-of", "1:time-limit=0.1")
    done = referee("play", hostile("sleep_at", 1), "big_money.json", *own)
    assert done.returncode == 1
    assert "disqualified: timeout" in done.stdout
    assert '    {"type":"play-turn","actions":1' in done.stdout
    assert "    thinking\n" in done.stdout


def test_stderr_files(tmp_path: Path) -> None:
    folder = tmp_path / "new"
    done = referee(*QUICK[:2], hostile("exit_at", 1), "--stderr", str(folder))
    assert done.returncode == 1
    assert (folder / "player1.stderr").read_text() == ""
    assert (folder / "player2.stderr").read_text() == "giving up\n"


def test_stderr_is_shown_while_the_match_is_played() -> None:
    words = ("play", hostile("sleep_at", 1), "big_money.json", "--time-limit", "60")
    with ForkedReferee(*words, "--stderr", "-", stderr=subprocess.PIPE) as playing:
        assert playing.stderr is not None
        assert playing.stderr.readline() == b"player1| thinking\n"
        playing.send_signal(signal.SIGINT)
        playing.stderr.read()


def test_stderr_cannot_be_shown_where_there_is_none() -> None:
    """The command fails before the match. It can't report the error, as stderr is closed."""
    assert forked_referee(*QUICK, "--stderr", "-", preexec_fn=closing(2)).returncode == 2


def test_stderr_that_is_shown_is_harmless_and_has_the_seat_before_each_line(tmp_path: Path) -> None:
    said = tmp_path / "said"
    said.write_bytes(b"one\n\n\x1b[2J\ttwo\r\n\xff" + b"x" * 200_000 + b"\nno end")
    done = referee(*QUICK[:2], hostile("shout", said), "--stderr", "-", cwd=tmp_path)
    assert done.returncode == 1
    lines = [line for line in done.stderr.splitlines() if "x" * 9 not in line]
    shown = ["one", "", r"\x1b[2J    two", "no end"]
    assert lines == [f"player2| {text}" for text in shown]
    assert done.stderr.replace("\n", "").isprintable()
    assert not (tmp_path / "-").exists()


@pytest.mark.parametrize(("options", "told"), [((), True), (("--stderr", "-"), False)])
def test_a_bot_that_prints_is_told_how_to_see_it(options: tuple[str, ...], told: bool) -> None:
    bots = ("big_money.json", hostile("noisy"), "--max-turns", "1")
    done = referee("play", *bots, *options)
    assert ("\nplayer2 wrote on stderr; --stderr - shows it.\n" in done.stdout) == told


@pytest.mark.parametrize(
    ("encoding", "shown"), [("utf-8", "漢字 Zoë"), ("ascii", r"\u6f22\u5b57 Zo\xeb")]
)
def test_names_in_any_script_on_any_terminal(
    encoding: str, shown: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    line = tmp_path / "line"
    reply = {"type": "player-name-reply", "player_number": "player1", "name": "漢字 Zoë"}
    line.write_text(json.dumps(reply) + "\n")
    written = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(written, encoding=encoding))
    bots = (hostile("garbage", f"0:{line}"), "big_money.json")
    assert cli.main(["play", *bots, "--max-turns", "1"]) == 0
    assert shown in written.getvalue().decode(encoding)


# --- referee bots ---------------------------------------------------------------------------------


def test_the_list_of_bots() -> None:
    done = referee("bots")
    assert done.returncode == 0
    dominion, botwars, starrealms, tribute, more = done.stdout.split("\n\n")
    names = [line.split()[0] for line in dominion.splitlines()]
    assert "big_money.c" in dominion
    assert {"big_money", "smithy_big_money", "militia_money", "village_engine"} <= set(names)
    assert {"random_legal", "minimal"} <= set(names)
    assert "\n  gatherer " in botwars
    assert "http_gatherer.js" in botwars
    assert "\n  admiral " in starrealms
    assert "\n  random " in tribute
    assert "referee new" in more
    assert max(map(len, done.stdout.splitlines())) <= 80


def test_the_bots_of_one_game() -> None:
    listed = referee("bots", "--game", "botwars").stdout
    assert "gatherer" in listed
    assert "big_money" not in listed
    assert listed.endswith("referee new my_bot --game botwars\n")
    source = (ROOT / "example_bots" / "botwars" / "gatherer.py").read_text()
    assert referee("bots", "--show", "gatherer").stdout == source
    assert "gatherer" in one_line(referee("bots", "--game", "botwars", "--show", "minimal").stderr)


def test_a_bot_to_copy_from(tmp_path: Path) -> None:
    done = referee("bots", "--show", "minimal")
    mine = tmp_path / "mine.py"
    mine.write_text(done.stdout)
    assert referee("play", str(mine), *QUICK[2:], "-q").returncode == 0


def test_a_template_in_another_language() -> None:
    done = referee("bots", "--show", "big_money.rs")
    assert done.stdout == (ROOT / "example_bots" / "dominion" / "big_money.rs").read_text()


def test_no_such_bot_to_show() -> None:
    done = referee("bots", "--show", "nothing")
    assert done.returncode == 2
    assert "minimal" in one_line(done.stderr)


# --- wrong usage: one line, code 2, nothing started -----------------------------------------------

WRONG = [
    (("plya",), "plya"),
    (("play",), "BOT"),
    (("play", "big_money"), "2 to 4"),
    (("play", *["big_money"] * 5), "2 to 4"),
    ((*PLAY, "--sed", "1"), "--sed"),
    # no abbreviations, as scripts would break when we add options
    ((*PLAY, "--see", "1"), "--see"),
    ((*PLAY, "--seed", "-1"), "2**53"),
    ((*PLAY, "--seed-file", "no_such"), "cannot read no_such: No such file or directory"),
    ((*PLAY, "--seed-file", "/dev/null"), "/dev/null: it is a device; name a file"),
    ((*PLAY, "--env", "=1"), "'=1': give NAME=VALUE or NAME"),
    ((*PLAY, "--env", "NO_SUCH"), "NO_SUCH has no value here: give NO_SUCH=VALUE"),
    ((*PLAY, "--seed", str(2**53)), "2**53"),
    ((*PLAY, "--seed", "1.5"), "2**53"),
    ((*PLAY, "--seed"), "--seed"),
    ((*PLAY, "--time-limit", "0"), "seconds"),
    (("conform", "minimal", "--time-limit", "none"), "seconds"),
    ((*PLAY, "--time-limit", "nan"), "seconds"),
    ((*PLAY, "--time-limit", "1e308"), "1,000,000"),
    ((*PLAY, "--time-limit", "1_0"), "seconds"),
    ((*PLAY, "--time-limit", "\uff11\uff10"), "seconds"),  # fullwidth digits
    ((*PLAY, "--seed", "\u0661"), "2**53"),
    ((*PLAY, "--seed", "1_0"), "2**53"),
    ((*PLAY, "--seed", " 1"), "2**53"),
    ((*PLAY, "--max-turns", str(10**30)), "1 or more"),
    ((*PLAY, "--startup-limit", "never"), "or 'none'"),
    ((*PLAY, "--grace", "-1"), "seconds"),
    ((*PLAY, "--max-turns", "0"), "1 or more"),
    ((*PLAY, "--max-turns", "many"), "1 or more"),
    ((*PLAY, "--format", "xml"), "xml"),
    (("play", "big_money", "no_such_bot"), "no_such_bot"),
    (("play", "big_money", "/etc"), "directory"),
    (("play", "big_money", str(ROOT / "LICENSE")), "executable"),
    ((*PLAY, "--log", "/no/such/folder/log"), "/no/such/folder/log"),
    ((*PLAY, "--log", "/"), "directory"),
    ((*PLAY, "--record", "/no/such/folder/record"), "/no/such/folder/record"),
    ((*PLAY, "--record", "-"), "--record"),
    ((*PLAY, "--log", "-", "--format", "json"), "stdout"),
    ((*PLAY, "--record-stderr"), "--record FILE"),
    (("tournament", "minimal", "big_money", "--deals", "1", "--record-stderr"), "--records DIR"),
    ((*PLAY, "--stderr", "/dev/null/folder"), "/dev/null/folder"),
]


def test_without_a_command_it_says_which_there_are() -> None:
    done = referee()
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == referee("help").stdout


def test_a_missing_package_is_one_line_with_what_installs_it() -> None:
    words = [sys.executable, "-S", "-m", "referee", *PLAY]  # -S: no site-packages
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    line = one_line(done.stderr)
    assert re.search(r"the Python package \w+ is missing: .*/pip install \.$", line)


@pytest.mark.parametrize(("arguments", "says"), WRONG)
def test_wrong_usage(
    arguments: tuple[str, ...], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    try:
        code = cli.main(arguments)
    except SystemExit as left:
        code = int(left.code or 0)
    printed = capsys.readouterr()
    assert code == 2
    assert printed.out == ""
    assert says in one_line(printed.err)
    assert printed.err.startswith("referee")


def test_nothing_is_lost_when_usage_is_wrong(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_text("precious")
    done = referee(*PLAY, "--log", str(log), "--record", str(tmp_path / "no" / "record"))
    assert done.returncode == 2
    assert log.read_text() == "precious"
    done = referee(*PLAY, "--log", str(tmp_path / "new"), "--record", str(tmp_path / "no" / "rec"))
    assert done.returncode == 2
    assert not (tmp_path / "new").exists()


def test_old_stderr_files_are_not_lost_either(tmp_path: Path) -> None:
    old = tmp_path / "player1.stderr"
    old.write_text("precious")
    done = referee(*PLAY, "--stderr", str(tmp_path), "--log", str(tmp_path / "no" / "log"))
    assert done.returncode == 2
    assert old.read_text() == "precious"


def test_the_defaults_are_those_of_the_library() -> None:
    """The command copies some of them, because it starts the bots before it imports the library."""
    assert COMMAND_MAX_SEED == MAX_SEED
    shown = " ".join(referee("play", "--help").stdout.split())
    for name, default in Limits()._asdict().items():
        word = re.escape(limit_word(name, default))
        assert re.search(rf"{flag(name)} [^(]*\(default: {word}[;)]", shown)


@pytest.mark.parametrize("wrong", [["--set", "x=1"], ["--max-turns", "1", "--set", "max_turns"]])
def test_a_match_that_cannot_be_costs_no_log(wrong: list[str], tmp_path: Path) -> None:
    """Options of the game are checked after the bots were started, so files are opened late."""
    old, new = tmp_path / "old.gz", tmp_path / "new.jsonl"
    old.write_bytes(b"precious")
    done = referee(*PLAY, "--log", str(old), "--record", str(new), *wrong)
    assert done.returncode == 2
    one_line(done.stderr)
    assert old.read_bytes() == b"precious"
    assert not new.exists()


def test_one_file_cannot_be_both_logs(tmp_path: Path) -> None:
    both = str(tmp_path / "both")
    done = referee(*PLAY, "--log", both, "--record", both)
    assert done.returncode == 2
    assert "same file" in one_line(done.stderr)


def test_an_old_log_is_replaced_whole(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_bytes(LOG.marks[0] + b"x" * 1_000_000)
    assert referee(*QUICK, "--log", str(log), "-q").returncode == 0
    assert entries(log)[-1]["type"] == "game-end"


# --- signals and other ends -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("number", "code", "request_number"),
    [
        *((signal.SIGINT, 130, request_number) for request_number in (0, 1)),
        (signal.SIGTERM, 143, 5),
        (signal.SIGHUP, 129, 2),
    ],
)
def test_signals_end_the_match_and_every_bot(
    tmp_path: Path, number: int, code: int, request_number: int
) -> None:
    """A bot sends the signal at a given request. Then both bots refuse to exit."""
    done = forked_referee(
        "play",
        hostile("signal_referee", f"{request_number}:{int(number)}"),
        hostile("stays"),
        "--log",
        str(tmp_path / "log"),
    )
    assert done.returncode == code
    assert done.stdout == ""
    assert "all bots were ended" in one_line(done.stderr)
    assert left_behind() == []
    # The log has no partial line.
    assert (tmp_path / "log").read_bytes()[-1:] in (b"", b"\n")
    entries(tmp_path / "log")


INTERRUPTED_IMPORT = """
import os, signal, sys
from referee.__main__ import main

module = sys.argv.pop(1)

class Finder:
    def find_spec(self, name, *_):
        if name == module:
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Finder())
sys.exit(main())
"""


@pytest.mark.parametrize(
    ("module", "code"),
    [
        ("referee.interrupts", -signal.SIGINT),  # nothing runs yet, so Python's default applies
        slow("referee.cli", 130),
        slow("referee.bots.processes.launch", 130),
        slow("referee.games", 130),  # the bots have been started by now
        slow("trio._core._run", 130),
    ],
)
def test_a_signal_in_the_middle_of_an_import(module: str, code: int) -> None:
    """An interrupted import would leave a half-initialised module for later code to crash on."""
    arguments = ["play", hostile("stays"), hostile("stays"), "--grace", "0.1", "--max-turns", "1"]
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED_IMPORT, module, *arguments],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == code
    assert done.stderr.count("\n") <= 1
    assert "Traceback" not in done.stderr
    assert left_behind() == []


def test_a_daemonised_child_is_found(tmp_path: Path) -> None:
    pid_file = tmp_path / "pid"
    done = referee(*QUICK[:2], hostile("daemon", pid_file), "--max-turns", "2", "-q")
    assert done.returncode == 0
    assert not is_running(int(pid_file.read_text()))


def test_a_disk_that_fills_up_is_said_in_one_line() -> None:
    done = referee(*PLAY, "--record", "/dev/full")
    assert done.returncode == 2
    assert "/dev/full" in one_line(done.stderr)


def test_a_bug_has_a_code_of_its_own_and_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """The message names a file with the traceback, and the match is still ended properly."""

    def fail(*_: object) -> None:
        raise RuntimeError("a\x1bbug")

    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(Match, "disqualify", fail)
    record = str(tmp_path / "record")
    assert cli.main(["play", "minimal", hostile("exit_at", 2), "--record", record]) == 70
    line = one_line(capsys.readouterr().err)
    assert line.startswith("referee: RuntimeError: a\\x1bbug. This is a bug in the referee")
    (file,) = tmp_path.glob("referee-bug-*.txt")
    assert str(file) in line
    assert "please report it" in line
    assert "in fail" in file.read_text()  # the file has the traceback
    assert left_behind() == []
    assert verify_record(record).kind == Kind.TRUNCATED


def test_a_bug_while_the_disk_is_full_is_said_on_stderr(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise RuntimeError("a bug")

    monkeypatch.setattr(play_command, "_play_match", fail)
    monkeypatch.setattr(tempfile, "tempdir", "/no/such/folder")
    assert cli.main(PLAY) == 70
    *before, line = capsys.readouterr().err.splitlines()
    assert "with the lines above" in line
    assert any("in fail" in each for each in before)


@pytest.mark.parametrize(
    "words",
    [
        ["conform", "--referee", "true {player1} {player2}"],
        ["tournament", "minimal", "minimal", "--deals", "1", "--browser"],
    ],
)
def test_a_machine_without_a_folder_for_temporary_files(
    words: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", "/no/such/folder")
    assert cli.main(words) == 2
    line = one_line(capsys.readouterr().err)
    assert line.startswith("referee: no folder for ")
    assert "set TMPDIR to a folder" in line


# --- what a bot, or the machine, does to the logs -------------------------------------------------


@pytest.mark.parametrize(
    ("mode", "target"),
    [
        *product(["truncate", "change", "add_lines", "remove", "replace"], ["log"]),
        ("add_lines", "record.gz"),
    ],
)
def test_a_log_that_a_bot_damages_is_written_anew(tmp_path: Path, mode: str, target: str) -> None:
    """The match counts, and a message says that the file was damaged."""
    log, record = tmp_path / "log", tmp_path / ("record.gz" if target[-3:] == ".gz" else "record")
    damaged = tmp_path / target
    done = referee(
        *(
            *QUICK[:2],
            hostile(mode, f"6:{damaged}"),
            "--seed",
            "1",
            "--max-turns",
            "9",
            "-q",
        ),
        *("--log", str(log), "--record", str(record)),
    )
    assert done.returncode == 0
    did = {"remove": "removed", "replace": "replaced"}.get(mode, "changed")
    expected = f"referee: {damaged} was {did} by another program during the match; the referee"
    assert one_line(done.stderr).startswith(expected)
    assert verify_record(str(record)).kind == Kind.VALID
    assert list(validate_log(str(log), GAMES["dominion"])) == []
    if mode == "replace":
        assert (tmp_path / f"{target}.other").read_text() == "precious\n"


def test_a_log_whose_folder_is_removed(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    bot = hostile("remove_folder", f"6:{folder / 'log'}")
    done = referee(*QUICK[:2], bot, "--log", str(folder / "log"), "-q")
    assert done.returncode == 0
    assert "removed by another program" in one_line(done.stderr)
    assert entries(folder / "log")[-1]["type"] == "game-end"


def test_a_log_that_cannot_be_restored(tmp_path: Path) -> None:
    """The result is printed even though the log is lost."""
    log = tmp_path / "log"
    done = referee(*QUICK[:2], hostile("put_folder", f"6:{log}"), "--log", str(log))
    assert "what happened" in done.stdout
    assert done.returncode == 2
    assert "cannot write" in one_line(done.stderr)
    assert "given up" not in done.stderr


def test_a_log_to_a_fifo_waits_for_its_reader(tmp_path: Path) -> None:
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    with ForkedReferee(*QUICK, "-q", "--log", str(fifo)) as playing:
        lines = fifo.read_bytes().splitlines()
        assert playing.wait() == 0
    assert json.loads(lines[-1])["type"] == "game-end"


@pytest.mark.parametrize("opened", [False, True])
def test_a_fifo_that_nobody_reads_can_be_interrupted(tmp_path: Path, opened: bool) -> None:
    """Ctrl-C must work while the referee opens the pipe, and while it writes to it."""
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    reader = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK) if opened else None
    if reader is not None:
        fcntl.fcntl(reader, fcntl.F_SETPIPE_SZ, 4096)
    words = (*QUICK[:3], "--record", str(fifo))
    with ForkedReferee(*words, stderr=subprocess.PIPE, text=True) as playing:
        if reader is not None:
            await_full(fifo)
        else:
            await_asleep(playing.pid)
        playing.send_signal(signal.SIGINT)
        _, said = playing.communicate()
        assert playing.returncode == 130
    assert ("all bots were ended" in said) == opened
    assert left_behind() == []
    if reader is not None:
        os.close(reader)


@pytest.mark.parametrize(
    "words",
    [
        ("tournament", "--config"),
        ("play", "minimal", "minimal", "--seed-file"),
        ("play", "--resume"),
        ("replay",),
        ("rules", "check"),
    ],
)
def test_a_fifo_whose_writer_is_silent_can_be_interrupted(
    tmp_path: Path, words: tuple[str, ...]
) -> None:
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    reader = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
    writer = os.open(fifo, os.O_WRONLY)
    with ForkedReferee(*words, str(fifo), stderr=subprocess.PIPE) as waiting:
        await_asleep(waiting.pid)
        waiting.send_signal(signal.SIGTERM)
        waiting.communicate()
    assert waiting.returncode == 143
    os.close(reader)
    os.close(writer)


@pytest.mark.slow
def test_stderr_that_nobody_reads_holds_up_nothing(tmp_path: Path) -> None:
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    end = os.open(fifo, os.O_RDWR)
    fcntl.fcntl(end, fcntl.F_SETPIPE_SZ, 4096)
    bots = (hostile("noisy"), hostile("sleep_at", 2))
    with ForkedReferee("play", *bots, "--stderr", "-", stderr=end) as playing:
        await_full(fifo)
        playing.send_signal(signal.SIGINT)
        assert playing.wait() == 130
    assert left_behind() == []
    os.close(end)


def await_full(fifo: Path) -> None:
    writer = os.open(fifo, os.O_WRONLY | os.O_NONBLOCK)
    poll = select.poll()
    poll.register(writer, select.POLLOUT)
    until(lambda: not poll.poll(0))
    os.close(writer)


def await_asleep(pid: int) -> None:
    """Wait until the process has installed its SIGTERM handler and sleeps."""

    def is_asleep() -> bool:
        status = dict(
            line.split(":\t", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines()
        )
        handled = int(status["SigCgt"], 16) >> (signal.SIGTERM - 1) & 1
        return status["State"][0] == "S" and bool(handled)

    until(is_asleep)


def test_no_log_goes_to_a_closed_stdout() -> None:
    done = forked_referee(*QUICK, "--log", "-", preexec_fn=closing(1))
    assert done.returncode == 2
    assert "standard output is closed" in one_line(done.stderr)


def test_stdout_and_stderr_full() -> None:
    with open("/dev/full", "w") as full:
        assert forked_referee(*QUICK, stdout=full, stderr=full).returncode == 2


@pytest.mark.parametrize("descriptors", [20, 45])
def test_a_shortage_of_descriptors_is_no_verdict(descriptors: int, tmp_path: Path) -> None:
    record = tmp_path / "record"
    record.write_text("precious")

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_NOFILE, (descriptors, descriptors))

    done = forked_referee(*PLAY, "--record", str(record), preexec_fn=limit)
    assert done.returncode == 71
    assert "Too many open files" in one_line(done.stderr)
    assert record.read_text() == "precious"
    assert done.stdout == ""
    assert left_behind() == []


def test_a_shortage_of_processes_is_no_verdict(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def short(*_: object, **__: object) -> None:
        raise BlockingIOError(errno.EAGAIN, "Resource temporarily unavailable")

    monkeypatch.setattr(subprocess, "Popen", short)
    for command in (PLAY, ("conform", "minimal", "-q", "--case", "3.1")):
        assert cli.main(command) == 71
        printed = capsys.readouterr()
        assert "temporarily unavailable" in one_line(printed.err)
        assert printed.out == ""


# --- what strangers write is harmless -------------------------------------------------------------

EVIL = "\x1b[31m\x07\u009b2J\u202e\u2066\u2028\u200b\ufeff\U000e0041\ue000"


def test_names_and_stderr_in_the_table_are_plain(tmp_path: Path) -> None:
    line, said = tmp_path / "line", tmp_path / "said"
    reply = {"type": "player-name-reply", "player_number": "player1", "name": f"<{EVIL}>"}
    line.write_text(json.dumps(reply, ensure_ascii=False) + "\n")
    said.write_text(f"<{EVIL}>\n\ttab\n")
    bots = (hostile("garbage", f"0:{line}"), hostile("shout", said))
    done = referee("play", *bots, "--max-turns", "1")
    assert done.returncode == 1
    # Names must not contain control or bidirectional characters (3.1), so they're removed.
    assert "<[31m2J >" in done.stdout
    assert f"    <{'?'.join(['', '[31m', '', '2J', *[''] * 7])}>" in done.stdout
    assert "    " + " " * 8 + "tab" in done.stdout
    assert done.stdout.replace("\n", "").isprintable()


@pytest.mark.parametrize("format", ["text", "html", "junit"])
def test_what_a_bot_writes_is_plain_in_a_report(tmp_path: Path, format: str) -> None:
    said = tmp_path / "said"
    said.write_text(f"<{EVIL}>\n")
    bot = hostile("shout", said)
    done = referee("conform", bot, "--case", "5.2/1", "--format", format, "--timeout", "5")
    assert done.returncode == 1
    assert "[31m?" in done.stdout
    assert done.stdout.replace("\n", "").isprintable()


ODD = "a\x1b[31mb\u202ecaf\udce9"
"""A file name that drives a terminal, and isn't UTF-8."""


def test_the_name_of_a_bot_is_escaped(tmp_path: Path) -> None:
    """It appears in errors, in reports and in the command that repeats the match."""
    bot = tmp_path / f"{ODD}.py"
    bot.write_text((ROOT / "example_bots" / "dominion" / "minimal.py").read_text())
    done = referee("play", str(bot), *QUICK[2:], "--seed", "3")
    again = done.stdout.splitlines()[-1].replace("referee play", "printf '%s\\0'")
    words = subprocess.run(["bash", "-c", again], stdout=subprocess.PIPE, check=True)
    assert words.stdout.split(b"\0")[0] == os.fsencode(bot)
    shown = [done, referee("play", str(tmp_path / f"{ODD}.js"), "minimal")]
    shown.append(referee("conform", str(bot), "--case", "3.4/1", "--format", "html"))
    for done in shown:
        assert done.returncode in (0, 2), done.stderr
        assert (done.stdout + done.stderr).replace("\n", "").isprintable()


def test_file_names_are_escaped(tmp_path: Path) -> None:
    record, log, wrong = (str(tmp_path / f"{ODD}.{kind}") for kind in ("record", "log", "wrong"))
    Path(wrong).write_text("{}\n")
    done = referee(*QUICK, "--record", record, "--log", log, "-q")
    assert (done.returncode, done.stderr) == (0, "")
    for command in (
        ("verify", record, wrong),
        ("validate", log, wrong),
        ("validate", log, wrong, "--format", "junit"),
        ("replay", log, record, wrong),
        ("replay", str(tmp_path / f"{ODD}.none")),
        (*QUICK, "--log", str(tmp_path / ODD / "none")),
        (*QUICK, "--format", ODD),
    ):
        done = referee(*command)
        assert done.returncode in (1, 2), done.stderr
        assert (done.stdout + done.stderr).replace("\n", "").isprintable(), command
    for command in (("verify", record), ("validate", log, wrong)):
        done = referee(*command, "--format", "json")  # JSON has escapes of its own
        assert done.returncode in (0, 1)


# --- in this process: the same, for what coverage sees --------------------------------------------


TWO = str(ROOT / "spec" / "examples" / "two-players")


@pytest.mark.parametrize(
    "arguments",
    [
        [*QUICK],
        ["conform", "minimal", "--case", "3.4/1"],
        ["replay", f"{TWO}.log.jsonl"],
        ["verify", f"{TWO}.record.jsonl"],
        ["validate", f"{TWO}.log.jsonl"],
    ],
    ids=lambda arguments: arguments[0],
)
def test_garbage_is_collected_once_the_work_begins(arguments: list[str]) -> None:
    gc.disable()  # as `__main__` does
    try:
        referee(*arguments)
        assert gc.isenabled()
    finally:
        gc.enable()


# --- a terminal -----------------------------------------------------------------------------------


@pytest.mark.slow
def test_progress_and_colour_on_a_terminal() -> None:
    bots = (hostile("sleep_at", 1), "big_money")
    _, text = on_a_terminal("play", *bots, "--time-limit", "4")
    assert "player1 is thinking" in text
    assert "\x1b[31m" in text  # the disqualification is red
    _, text = on_a_terminal("play", hostile("exit_at", 1), "big_money", NO_COLOR="1")
    assert "disqualified" in text
    assert "\x1b[31m" not in text
    _, text = on_a_terminal("play", *bots, "--time-limit", "1.5", "-q")
    assert "thinking" not in text
    assert "player1, " in text  # the disqualification


def test_no_progress_in_a_short_match() -> None:
    assert "thinking" not in on_a_terminal(*QUICK)[1]


@pytest.mark.parametrize(
    "arguments", [QUICK, ("--help",), ("verify", f"{TWO}.record.jsonl")], ids=lambda words: words[0]
)
def test_an_answer_that_cannot_be_written(arguments: tuple[str, ...]) -> None:
    with open("/dev/full", "w") as full:
        done = forked_referee(*arguments, stdout=full)
    assert done.returncode == 2
    reason = "No space left on device"
    assert done.stderr == f"referee: cannot write standard output: {reason}\n"


def test_an_answer_to_a_closed_stream() -> None:
    done = forked_referee(*QUICK, preexec_fn=closing(1))
    assert done.returncode == 2
    assert done.stderr == "referee: cannot write standard output: Bad file descriptor\n"


@pytest.mark.parametrize(("fd", "options"), [(0, ()), (1, ("--quiet",)), (2, ())])
def test_closed_streams(fd: int, options: tuple[str, ...]) -> None:
    done = forked_referee(*QUICK, *options, preexec_fn=closing(fd))
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("words", [["standings", "none"], ["play", "human", "big_money"]])
def test_an_error_without_stdin_is_one_line(
    words: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdin", None)  # as of a caller that has closed it
    assert cli.main(words) == 2
    assert capsys.readouterr().err.startswith("referee: ")


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("no_colour", ["", "1"])
def test_an_error_on_a_terminal_is_wrapped_at_words_and_marked(
    no_colour: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    terminal = _Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("COLUMNS", "40")
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("NO_COLOR", no_colour)
    name = "referee:" if no_colour else "\x1b[31mreferee:\x1b[0m"
    assert cli.main(["play", "bigmoney", "minimal"]) == 2
    assert terminal.getvalue() == f"{name} BOT bigmoney not found; did you\nmean big_money?\n"
    console.say("3 of 9 matches")
    assert terminal.getvalue().endswith("\nreferee: 3 of 9 matches\n")
