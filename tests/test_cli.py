"""The contract of the command: exit codes, what goes where, one line for each mistake."""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
import sys
from pathlib import Path

import jsonschema
import msgspec
import pytest
from live import HOSTILE, ROOT, entries, hostile, is_running, one_line, referee

from referee import cli
from referee.cli import entry
from referee.cli import play as play_command
from referee.cli.arguments import MAX_SEED as COMMAND_MAX_SEED
from referee.games import GAMES
from referee.match import MAX_SEED
from referee.options import Options

PLAY = ("play", "big_money", "big_money")


# --- what it prints -------------------------------------------------------------------------------


def test_the_table_for_people() -> None:
    done = referee(*PLAY, "--seed", "5")
    assert done.returncode == 0
    assert done.stderr == ""
    assert "\x1b" not in done.stdout  # plain when piped
    assert max(map(len, done.stdout.splitlines())) <= 80
    for word in ("seat", "name", "score", "turns", "faults", "longest", "what happened"):
        assert word in done.stdout
    assert "player2  Big Money" in done.stdout
    assert "Big Money (player2) won" in done.stdout
    assert "referee play big_money big_money --seed 5\n" in done.stdout


def test_a_drawn_seed_is_printed_and_plays_the_same_match(tmp_path: Path) -> None:
    first = referee(*PLAY, "--log", str(tmp_path / "1"))
    again = first.stdout.splitlines()[-1].split()
    assert again[:1] == ["referee"]
    second = referee(*again[1:], "--log", str(tmp_path / "2"))
    assert second.stdout.splitlines()[-1] == first.stdout.splitlines()[-1]
    assert (tmp_path / "1").read_bytes() == (tmp_path / "2").read_bytes()


def test_the_command_to_play_again_keeps_what_matters() -> None:
    done = referee("play", "big_money", "random_legal 7", "--max-turns", "3", "--grace", "0.5")
    again = done.stdout.splitlines()[-1]
    assert "'random_legal 7'" in again
    assert "--max-turns 3" in again
    assert "--grace 0.5" in again


def test_the_json_object() -> None:
    done = referee("play", "big_money", hostile("exit_at", 3), "--seed", "4", "--format", "json")
    assert done.returncode == 1
    assert done.stderr == ""
    result = json.loads(one_line(done.stdout))
    schema = json.loads((ROOT / "spec" / "schema" / "result.schema.json").read_text())
    jsonschema.validate(result, schema)
    assert list(result) == [
        "game",
        "protocol",
        "seed",
        "reason",
        "turns",
        "winners",
        "duration_seconds",
        "players",
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
        "cards",
    ]
    assert (result["game"], result["protocol"], result["seed"]) == ("dominion", 1, 4)
    assert result["players"][1]["disqualified"] == "exited"
    assert result["players"][1]["exit_code"] == 3
    assert result["players"][1]["cards"] == {"copper": 7, "silver": 1, "estate": 3}
    assert sum(result["players"][0]["cards"].values()) >= 10


def test_quiet_says_nothing() -> None:
    done = referee(*PLAY, "-q")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_the_log_on_stdout_is_alone_there(tmp_path: Path) -> None:
    done = referee(*PLAY, "--seed", "5", "--log", "-")
    referee(*PLAY, "--seed", "5", "--log", str(tmp_path / "log"), "-q")
    assert done.stdout == (tmp_path / "log").read_text()
    assert "won" in done.stderr


def test_a_reader_that_has_enough_ends_the_match_quietly() -> None:
    command = f"{sys.executable} -m referee play big_money big_money --log - -q | head -n 1"
    done = subprocess.run(
        ["bash", "-c", f"{command}; echo ${{PIPESTATUS[0]}}"],
        capture_output=True,
        text=True,
        check=True,
    )
    first, code = done.stdout.splitlines()
    assert json.loads(first)["type"] == "player-name"
    assert code in ("141", "0")  # 0: the whole log fitted into the pipe before head had gone
    assert done.stderr == ""


def test_faults_are_shown_with_their_section(tmp_path: Path) -> None:
    line = tmp_path / "line"
    line.write_bytes(b'{"type":"play-reply","phase":"buy","played_treasures":["gold"]}\n')
    done = referee("play", "big_money", hostile("garbage", f"1:{line}"), "--max-turns", "2")
    assert done.returncode == 0  # a fault disqualifies nobody
    assert "bad-treasure" in done.stdout
    assert "5.2" in done.stdout
    assert 'played_treasures[0] is "gold"' in done.stdout


def test_a_disqualified_bot_gets_its_stderr_and_its_request() -> None:
    done = referee("play", hostile("sleep_at", 1), "big_money", "--time-limit", "0.3")
    assert done.returncode == 1
    assert "disqualified: timeout" in done.stdout
    assert '    {"type":"play-turn","actions":1' in done.stdout
    assert "    thinking\n" in done.stdout


def test_stderr_files(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "folder"
    done = referee("play", "big_money", hostile("exit_at", 1), "--stderr", str(folder))
    assert done.returncode == 1
    assert (folder / "player1.stderr").read_text() == ""
    assert (folder / "player2.stderr").read_text() == "giving up\n"


def test_names_in_any_script_on_any_terminal(tmp_path: Path) -> None:
    line = tmp_path / "line"
    reply = {"type": "player-name-reply", "player_number": "player1", "name": "漢字 Zoë"}
    line.write_text(json.dumps(reply) + "\n")
    bots = (hostile("garbage", f"0:{line}"), "big_money")
    assert "漢字 Zoë" in referee("play", *bots, "--max-turns", "1").stdout
    environment = os.environ | {"PYTHONIOENCODING": "ascii"}
    done = referee("play", *bots, "--max-turns", "1", env=environment)
    assert (done.returncode, done.stderr) == (0, "")


# --- referee bots ---------------------------------------------------------------------------------


def test_the_list_of_bots() -> None:
    done = referee("bots")
    assert done.returncode == 0
    bots, others = done.stdout.split("\n\n")
    names = [line.split()[0] for line in bots.splitlines()]
    assert "big_money.c" in others
    assert {"big_money", "smithy_big_money", "militia_money", "village_engine"} <= set(names)
    assert {"random_legal", "minimal"} <= set(names)
    assert max(map(len, done.stdout.splitlines())) <= 80


def test_a_bot_to_copy_from(tmp_path: Path) -> None:
    done = referee("bots", "--show", "minimal")
    mine = tmp_path / "mine.py"
    mine.write_text(done.stdout)
    assert referee("play", str(mine), "big_money", "-q").returncode == 0


def test_a_template_in_another_language() -> None:
    done = referee("bots", "--show", "big_money.rs")
    assert done.stdout == (ROOT / "example_bots" / "big_money.rs").read_text()


def test_no_such_bot_to_show() -> None:
    done = referee("bots", "--show", "nothing")
    assert done.returncode == 2
    assert "minimal" in one_line(done.stderr)


# --- wrong usage: one line, code 2, nothing started -----------------------------------------------

WRONG = [
    ((), "COMMAND"),
    (("plya",), "plya"),
    (("play",), "BOT"),
    (("play", "big_money"), "2 to 4"),
    (("play", *["big_money"] * 5), "2 to 4"),
    ((*PLAY, "--sed", "1"), "--sed"),
    ((*PLAY, "--see", "1"), "--see"),  # no abbreviations: scripts would depend on them
    ((*PLAY, "--seed", "-1"), "2**53"),
    ((*PLAY, "--seed", str(2**53)), "2**53"),
    ((*PLAY, "--seed", "1.5"), "2**53"),
    ((*PLAY, "--seed"), "--seed"),
    ((*PLAY, "--time-limit", "0"), "seconds"),
    ((*PLAY, "--time-limit", "nan"), "seconds"),
    ((*PLAY, "--startup-limit", "inf"), "seconds"),
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
    ((*PLAY, "--stderr", "/dev/null/folder"), "/dev/null/folder"),
]


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
    """The command repeats them, because it starts the bots before it loads the library."""
    parsed = entry.parser().parse_args(list(PLAY))
    options = msgspec.structs.asdict(Options())
    assert {name: getattr(parsed, name) for name in options} == options
    assert COMMAND_MAX_SEED == MAX_SEED
    rules = GAMES["dominion"]
    assert (rules.min_seats, rules.max_seats) == (play_command.MIN_BOTS, play_command.MAX_BOTS)


def test_one_file_cannot_be_both_logs(tmp_path: Path) -> None:
    both = str(tmp_path / "both")
    done = referee(*PLAY, "--log", both, "--record", both)
    assert done.returncode == 2
    assert "same file" in one_line(done.stderr)


def test_an_old_log_is_replaced_whole(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_text("x" * 1_000_000)
    assert referee(*PLAY, "--log", str(log), "-q").returncode == 0
    assert entries(log)[-1]["type"] == "game-end"


def test_help_and_version() -> None:
    assert referee("--version").stdout.startswith("referee ")
    for arguments in (("--help",), ("play", "--help"), ("bots", "--help")):
        done = referee(*arguments, env=os.environ | {"COLUMNS": "80"})
        assert done.returncode == 0
        assert max(map(len, done.stdout.splitlines())) <= 80


# --- signals and other ends -----------------------------------------------------------------------


@pytest.mark.parametrize("request_number", [0, 1, 2, 5])
@pytest.mark.parametrize(
    ("number", "code"),
    [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)],
)
def test_signals_end_the_match_and_every_bot(
    tmp_path: Path, request_number: int, number: int, code: int
) -> None:
    """The signal comes from a bot at a known moment; that bot and the other then refuse to go."""
    done = referee(
        "play",
        hostile("signal_referee", f"{request_number}:{int(number)}"),
        hostile("stays"),
        "--log",
        str(tmp_path / "log"),
    )
    assert done.returncode == code
    assert done.stdout == ""
    assert "all bots were ended" in one_line(done.stderr)
    assert not bots_running()
    # What stands in the log is whole lines.
    assert (tmp_path / "log").read_bytes()[-1:] in (b"", b"\n")
    entries(tmp_path / "log")


def bots_running() -> list[str]:
    """Command lines of hostile bots that are still running."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            command = (folder / "cmdline").read_bytes()
        except OSError:
            continue
        if str(HOSTILE).encode() in command and is_running(int(folder.name)):
            found.append(command.decode())
    return found


def test_a_daemonised_child_is_found(tmp_path: Path) -> None:
    pid_file = tmp_path / "pid"
    done = referee("play", "big_money", hostile("daemon", pid_file), "--max-turns", "2", "-q")
    assert done.returncode == 0
    assert not is_running(int(pid_file.read_text()))


def test_a_disk_that_fills_up_is_said_in_one_line() -> None:
    done = referee(*PLAY, "--record", "/dev/full")
    assert done.returncode == 2
    assert "/dev/full" in one_line(done.stderr)


def test_a_bug_has_a_code_of_its_own(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(*_: object) -> int:
        raise RuntimeError("a bug")

    monkeypatch.setattr(play_command, "_play_match", fail)
    assert cli.main(PLAY) == 70
    assert "please report" in capsys.readouterr().err


# --- in this process: the same, for what coverage sees --------------------------------------------


def test_play_in_process(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["play", "minimal", hostile("exit_at", 2), "--seed", "3"]
    arguments += ["--record", str(tmp_path / "r"), "--log", str(tmp_path / "l")]
    assert cli.main(arguments) == 1
    assert "disqualified: exited" in capsys.readouterr().out
    assert cli.main([*arguments, "--format", "json"]) == 1
    assert msgspec.json.decode(capsys.readouterr().out)["seed"] == 3
    assert cli.main(["bots"]) == 0


# --- a terminal -----------------------------------------------------------------------------------


def on_a_terminal(*arguments: str, **environment: str) -> str:
    """Everything that the command writes to a terminal of 80 columns."""
    leader, follower = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "referee", *arguments],
        stdin=follower,
        stdout=follower,
        stderr=follower,
        env=os.environ | {"COLUMNS": "80", "TERM": "xterm-256color"} | environment,
    )
    os.close(follower)
    written = b""
    while True:
        try:
            data = os.read(leader, 65536)
        except OSError:  # the terminal is gone: the process has ended
            break
        if not data:
            break
        written += data
    os.close(leader)
    process.wait()
    return written.decode()


def test_progress_and_colour_on_a_terminal() -> None:
    bots = (hostile("sleep_at", 1), "big_money")
    text = on_a_terminal("play", *bots, "--time-limit", "1.5")
    assert "player1 is thinking" in text
    assert "\x1b[31m" in text  # the disqualification
    text = on_a_terminal("play", *bots, "--time-limit", "1.5", NO_COLOR="1")
    assert "\x1b[31m" not in text
    text = on_a_terminal("play", *bots, "--time-limit", "1.5", "-q")
    assert text == ""


def test_no_progress_in_a_short_match() -> None:
    assert "thinking" not in on_a_terminal(*PLAY, "--seed", "1")


@pytest.mark.parametrize(
    "arguments", [PLAY, (*PLAY, "--format", "json"), ("bots",), ("bots", "--show", "minimal")]
)
def test_a_full_disk_under_stdout(arguments: tuple[str, ...]) -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "referee", *arguments],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert done.returncode == 2
    assert "standard output" in one_line(done.stderr)


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-"])
def test_closed_streams(closed: str) -> None:
    command = f"{sys.executable} -m referee play big_money big_money --max-turns 1 {closed}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
