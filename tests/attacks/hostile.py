"""Play every hostile behaviour against the referee and print what came of each.

    python -m tests.attacks.hostile [--only WORD] [--jobs N]

A behaviour is a match of the command, as a process, with limits of seconds. Printed are the
behaviour, what is expected, what was seen, and what was left behind: processes that still run when
the referee has ended (a second later, if it was killed), and files in its working directory. Seen
is the exit code and the verdict on the hostile bot; a log or a record that is not valid is said as
well. The exit code is 1 if anything is not as expected.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import shlex
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import uuid
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from referee.bots.processes import cgroups
from referee.errors import UsageError
from referee.games import GAMES
from referee.logs.validate import validate_log
from referee.logs.verify import Kind, verify_record
from tests import conftest  # noqa: F401 (in the background some signals are ignored)
from tests.bots.test_http import BROKEN
from tests.support import servers
from tests.support.live import end_left_behind, hostile, marked
from tests.test_play import BAD_LINES

MODULE = [sys.executable, "-m", "referee"]
KILLED_SECONDS = 1.0
HANG_SECONDS = 10.0
SERVERS = contextlib.ExitStack()
"""Is closed at the end."""
IGNORED = {signal.SIGCHLD, signal.SIGCONT, signal.SIGURG, signal.SIGWINCH}
TERMINAL_STOPS = {signal.SIGTSTP, signal.SIGTTIN, signal.SIGTTOU}
"""Stop nobody whose process group has no parent in its session, as no bot's has."""
CONTROL = {code: f"\\x{code:02x}" for code in range(32)}
"""How control characters of a line are shown."""


class Behaviour(NamedTuple):
    """Something hostile.

    Attributes:
        what: it does, in words.
        bots: the BOT arguments; `{folder}` stands for a folder of this match's own.
        expected: exit code and verdict.
        options: of `referee play`, beside limits and logs.
        files: name -> content, made in the folder.
        shell: the line for bash; PLAY stands for the command.
    """

    what: str
    bots: Sequence[str]
    expected: str
    options: Sequence[str] = ()
    files: Mapping[str, bytes] = MappingProxyType({})
    shell: str = "exec PLAY"


def behaviours() -> Iterator[Behaviour]:
    yield from handshakes()
    yield from clocks()
    yield from exits()
    yield from outputs()
    yield from limits()
    yield from lines()
    yield from processes()
    yield from logs()
    yield from web()
    yield from strangers()
    yield from machine()


def one(what: str, mode: str, argument: object, verdict: str, *options: str) -> Behaviour:
    """The hostile bot is player 2, against Big Money."""
    code = 0 if verdict.startswith(("plays on", "fault")) else 1
    expected = f"{code}, {verdict}"
    return Behaviour(what, ["big_money", hostile(mode, argument)], expected, options)


def handshakes() -> Iterator[Behaviour]:
    yield one("says nothing in the handshake", "sleep_at", 0, "startup-timeout")
    yield one("exits in the handshake", "exit_at", 0, "exited")
    yield one("dies of a signal in the handshake", "die_at", "0:50", "exited")
    names = {
        "other version": (b'"name":"x","version":2', "1, unsupported-version"),
        "no name": (b'"version":1', "0, fault bad-name-reply"),
        "a name of terminal escapes": (
            '"name":"\x9b2J\u202e\u2066\u2028\u200b\ufeff\U000e0041\ue000"'.encode(),
            "0, plays on",
        ),
    }
    for what, (fields, expected) in names.items():
        line = b'{"type":"player-name-reply","player_number":"player2",%s}\n' % fields
        bots = ["big_money", hostile("garbage", "0:{folder}/line")]
        yield Behaviour(what, bots, expected, files={"line": line})
    yield Behaviour("is no program", ["big_money", "{folder}/program"], "1, failed-to-start")


def clocks() -> Iterator[Behaviour]:
    yield one("never answers", "sleep_at", 3, "timeout")
    yield one("stops itself (SIGSTOP)", "stop_at", 3, "timeout")
    yield one("writes its reply drop by drop", "drip", "", "timeout")
    yield one("hangs, with a child in a session of its own", "daemon_and_hang", "{folder}/pid",
              "timeout")  # fmt: skip


def exits() -> Iterator[Behaviour]:
    yield one("exits at a request", "exit_at", 4, "exited")
    for number in range(1, 65):
        name = next((s.name for s in signal.Signals if s == number), "no name")
        verdict = "exited"
        if number in IGNORED | TERMINAL_STOPS:
            verdict = "plays on"
        elif number == signal.SIGSTOP:
            verdict = "timeout"
        yield one(f"sends itself signal {number} ({name})", "die_at", f"2:{number}", verdict)
    yield one("closes stdout, lives on", "close_stdout", 2, "exited")
    yield one("closes stdin after a reply", "close_stdin", 1, "timeout")
    yield one("exits after a reply", "last_words", 1, "exited")
    yield one("exits in the middle of a line", "unfinished", "", "exited")
    yield one("ignores game-end and SIGTERM", "stays", "", "plays on")
    yield one("exits on SIGTERM only", "late_goodbye", "", "plays on")


def outputs() -> Iterator[Behaviour]:
    yield one("a line of 65,536 bytes", "long_line", 65536, "plays on")
    yield one("a line of 65,537 bytes", "long_line", 65537, "output-limit")
    yield one("a line without end", "endless_line", "", "output-limit")
    yield one("a flood of replies", "flood", "", "output-limit")
    yield one("a flood of blank lines", "blank_flood", "", "output-limit")
    yield one("100,000 bytes unasked for", "unasked", 100_000, "output-limit")
    yield one("answers before it is asked", "early", "", "plays on")
    yield one("a megabyte of stderr at each request", "noisy", "", "plays on", "--max-turns", "5")


def lines() -> Iterator[Behaviour]:
    for line, code in BAD_LINES:
        shown = line if len(line) < 50 else line[:40] + b"..."
        bots = ["big_money", hostile("garbage", "1:{folder}/line")]
        yield Behaviour(
            f"writes {shown.decode('ascii', 'backslashreplace')}"[:64].translate(CONTROL),
            bots, f"0, fault {code}", ["--max-turns", "3"], {"line": line + b"\n"},
        )  # fmt: skip


def processes() -> Iterator[Behaviour]:
    yield one("leaves a child that holds its pipes", "heir", "{folder}/pid", "exited")
    yield one("leaves a child in a session of its own", "daemon", "{folder}/pid", "plays on")
    yield one("leaves a daemon", "lost_daemon", "{folder}/pid", "plays on")
    yield one("leaves 30 busy children in sessions", "swarm", 30, "exited")
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        for request in (0, 1, 5):
            bots = [hostile("signal_referee", f"{request}:{int(number)}"), hostile("stays")]
            what = f"sends the referee {number.name} at request {request}"
            # It must come to that before it is disqualified, on a busy machine too.
            yield Behaviour(what, bots, f"{128 + number}", options=["--startup-limit", "60"])
    for number in (
        *(signal.SIGKILL, signal.SIGQUIT, signal.SIGUSR1, signal.SIGUSR2, signal.SIGALRM),
        *(signal.SIGVTALRM, signal.SIGIO, signal.SIGXCPU),
    ):
        bots = [hostile("signal_referee", f"3:{int(number)}"), hostile("stays")]
        yield Behaviour(f"sends the referee {number.name}", bots, f"{-number}")


def logs() -> Iterator[Behaviour]:
    for mode in ("truncate", "change", "add_lines", "remove", "replace", "remove_folder"):
        for target in ("log", "record"):
            what = f"{mode.replace('_', ' ')}: its {target}"
            bots = ["big_money", hostile(mode, f"6:{{folder}}/logs/{target}")]
            yield Behaviour(what, bots, "0, plays on, restored")
    yield Behaviour(
        "nobody reads the record, SIGINT",
        ["village_engine"] * 2,
        "130",
        files={"FIFO": b""},
        shell="exec 9<> {folder}/FIFO; exec timeout --preserve-status -s INT 2 PLAY",
        options=["--record", "{folder}/FIFO"],
    )
    two, to_stdout = ["random_legal"] * 2, ["--log", "-"]
    gone = "PLAY | true; exit ${PIPESTATUS[0]}"
    yield Behaviour("the log's reader goes", two, "141", to_stdout, shell=gone)
    yield Behaviour("stdout is closed", two, "2", to_stdout, shell="exec PLAY >&-")
    yield Behaviour("the disk is full", two, "2", ["--log", "/dev/full"])


def web() -> Iterator[Behaviour]:
    """Bots over HTTP; their servers run until this program ends."""

    def hang(connection: socket.socket, body: bytes) -> bool:
        threading.Event().wait(HANG_SECONDS)
        return False

    def over_http(what: str, behaviour: servers.Behaviour, expected: str) -> Behaviour:
        url = SERVERS.enter_context(servers.server(behaviour)).url
        return Behaviour(f"over HTTP: {what}", ["big_money", url], expected)

    for what, (data, code, _) in BROKEN.items():
        yield over_http(what, servers.always(data, keep=False), f"1, {code}")
    page = servers.response(b"<html></html>")
    faults = "fault bad-name-reply invalid-json"
    yield over_http("answers with a page", servers.always(page), f"0, {faults}")
    redirect = servers.response(b"", "Location: /", status="302 Over there")
    yield over_http("redirects", servers.always(redirect), "1, http-status")
    head = b"HTTP/1.1 200 OK\r\n\r\n"
    yield over_http("sends a gigabyte", servers.endless([], head), "1, output-limit")
    yield over_http("never answers", hang, "1, startup-timeout")
    with socket.create_server(("127.0.0.1", 0)) as listener:
        url = f"http://127.0.0.1:{listener.getsockname()[1]}/"
    yield Behaviour("over HTTP: nobody listens", ["big_money", url], "1, unreachable")


def limits() -> Iterator[Behaviour]:
    """Each reached in each way; without a control group some are of each process alone."""
    together = cgroups.home() is not None
    yield one("limit: 0.2 s for each reply, a bank of 1 s", "think", 0.2, "time-bank",
              "--time-bank", "1")  # fmt: skip
    for where in ("one", "child", "grandchild"):
        found = together or where != "grandchild"
        yield one(f"limit: CPU time, used by {where}", "burn", where,
                  "cpu-limit" if found else "timeout",
                  "--cpu-limit", "0.5", "--time-limit", "10")  # fmt: skip
    yield one("limit: CPU time, a bit for each reply", "compute", 0.05, "cpu-limit",
              "--cpu-limit", "0.5", "--time-limit", "10")  # fmt: skip
    yield one("limit: memory, 200 MiB in one process", "take_memory", "1 200",
              "memory-limit" if together else "exited", "--memory-limit", "100M")  # fmt: skip
    yield one("limit: memory, 25 MiB in each of 8", "take_memory", "8 25",
              "memory-limit" if together else "plays on", "--memory-limit", "100M")  # fmt: skip
    for mode in ("fork", "threads"):
        yield one(f"limit: 200 of {mode}", mode, 200, "exited" if together else "plays on",
                  "--process-limit", "20")  # fmt: skip
    yield one("limit: 20,000 open files", "open_files", 20_000, "exited",
              "--open-file-limit", "1024")  # fmt: skip
    yield one("limit: a file of 300 MB", "big_file", "{folder}/big 300", "exited",
              "--file-size-limit", "64M")  # fmt: skip
    yield one("limit: output, in few long lines", "pad", 60_000, "output-limit",
              "--output-limit", "256K")  # fmt: skip
    yield one("limit: output, in many lines", "pad", 2_000, "output-limit",
              "--output-limit", "64K")  # fmt: skip
    yield one("limit: output, in blank lines drop by drop", "blank_drip", 10_000, "output-limit",
              "--output-limit", "64K")  # fmt: skip


def strangers() -> Iterator[Behaviour]:
    program = (Path(__file__).parents[2] / "example_bots" / "dominion" / "minimal.py").read_bytes()
    for what, name in (
        ("no UTF-8", "caf\udce9"),
        ("an escape", "a\x1b[31m"),
        ("a new line", "a\nb"),
    ):
        file = f"{name}.py"
        yield Behaviour(
            f"a BOT argument with {what}", ["big_money", f"{{folder}}/{file}"], "0, plays on",
            files={file: program},
        )  # fmt: skip
    yield Behaviour("a BOT that is not there", ["big_money", "{folder}/\x1bnone"], "2")


def machine() -> Iterator[Behaviour]:
    for descriptors in (16, 20, 24, 28, 32, 40, 48, 64):
        yield Behaviour(
            f"{descriptors} file descriptors",
            ["big_money"] * 2,
            "0, plays on" if descriptors == 64 else "71",
            shell=f"ulimit -n {descriptors}; exec PLAY",
        )


# --- trying ---------------------------------------------------------------------------------------


class Seen(NamedTuple):
    what: str
    left: str


def try_out(behaviour: Behaviour) -> Seen:
    """Play one match."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        here = folder / "here"
        for new in (here, folder / "logs"):
            new.mkdir()
        for file, content in behaviour.files.items():
            if file == "FIFO":
                os.mkfifo(folder / file)
            else:
                (folder / file).write_bytes(content)
        (folder / "program").write_text("no program\n")
        (folder / "program").chmod(0o755)
        words = [*MODULE, "play", *behaviour.bots, "--seed", "1"]
        words += ["--time-limit", "2", "--startup-limit", "5", "--grace", "0.5"]
        words += ["--record", "{folder}/logs/record"]
        if "--log" not in behaviour.options:
            words += ["--log", "{folder}/logs/log", "--format", "json"]
        words += behaviour.options
        line = behaviour.shell.replace("PLAY", shlex.join(words))
        token = f"REFEREE_TEST_RUN={uuid.uuid4()}"
        done = subprocess.run(
            ["bash", "-c", line.replace("{folder}", name)],
            capture_output=True,
            cwd=here,
            env=os.environ | marked(token) | {"PYTHONPATH": os.getcwd()},
            check=False,
        )
        stayed = end_left_behind(KILLED_SECONDS if done.returncode < 0 else 0.0, token)
        left = [f"process {words[-60:]}" for words in stayed]
        left += [f"file {file}" for file in os.listdir(here)]
        return Seen(_seen(done, folder), ", ".join(left))


def _seen(done: subprocess.CompletedProcess[bytes], folder: Path) -> str:
    seen = [str(done.returncode)]
    said = done.stderr.decode()
    if "Traceback" in said or said.count("\n") > 2:
        seen.append(f"said {said[-200:]!r}")
    if done.returncode in (0, 1):
        player = json.loads(done.stdout)["players"][1]
        faults = " ".join(player["faults"])
        seen.append(player["disqualified"] or (f"fault {faults}" if faults else "plays on"))
        if "written anew" in said:
            seen.append("restored")
    over = done.returncode in (0, 1)
    record, log = folder / "logs" / "record", folder / "logs" / "log"
    if record.exists() and record.stat().st_size:
        kind = verify_record(str(record)).kind
        if kind != (Kind.HOLDS if over else Kind.CUT_SHORT):
            seen.append(f"record {kind}")
    if log.exists() and log.stat().st_size:
        findings = [finding.section for finding in validate_log(str(log), GAMES["dominion"])]
        if findings != ([] if over else ["2.14"]):
            seen.append(f"log {findings}")
    return ", ".join(seen)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--only", default="", metavar="WORD", help="behaviours with this word")
    parser.add_argument("--jobs", type=int, default=2, help="so many at a time (2)")
    options = parser.parse_args()
    with SERVERS:
        return play_all(options.only, options.jobs)


def play_all(word: str, jobs: int) -> int:
    """Play the behaviours that have this word; the exit code."""
    chosen = [behaviour for behaviour in behaviours() if word in behaviour.what]
    if not chosen:
        raise UsageError(f"no behaviour has {word!r}")
    row = "{:64}  {:24}  {:24}  {:12}  {}"
    print(row.format("behaviour", "expected", "seen", "left behind", "verdict"))
    wrong = 0
    with ThreadPoolExecutor(jobs) as pool:
        for behaviour, seen in zip(chosen, pool.map(try_out, chosen), strict=True):
            right = seen.what == behaviour.expected and not seen.left
            wrong += not right
            cells = (behaviour.what, behaviour.expected, seen.what, seen.left or "nothing")
            print(row.format(*cells, "right" if right else "WRONG"), flush=True)
    print(f"{len(chosen)} behaviours: {len(chosen) - wrong} right, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
