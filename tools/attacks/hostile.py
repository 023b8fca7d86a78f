"""Play every hostile behaviour against the referee and print the results.

    python -m tools.attacks.hostile [--only WORD]... [--sandbox none|bwrap] [--jobs N]
                                   [--slower N]

Each behaviour is a match of the command, in a process of its own, with limits of seconds. We play
it twice, without and with a sandbox, and print the expected and the actual result of both, along
with any leftovers: processes that still run after the referee has ended (or a second later, if it
was killed), and files in its working directory. The result is the exit code and the verdict on the
hostile bot. If its opponent was harmed, or a log or a record isn't valid, the result says so. Some
behaviours attack something outside of the bot. Without a sandbox many of these succeed, and that's
expected. At the end there mustn't be more processes, descriptors, control groups and mounts than
before.

If a bot reaches a time limit unexpectedly, the machine may be busy, so we try the behaviour again
with longer limits and print a line about it.

The exit code is 1 if a result isn't as expected.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import re
import shlex
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import uuid
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import referee
from referee.bots.processes import cgroups
from referee.bots.processes.prctl import adopt_orphans
from referee.bots.processes.sandbox import unavailable_reason
from referee.errors import UsageError
from referee.games import GAMES
from referee.logs.validate import validate_log
from referee.logs.verify import Kind, verify_record
from tests.support import (
    servers,
    surroundings,  # noqa: F401 (in the background some signals are ignored)
)
from tests.support.bad_lines import BAD_LINES
from tests.support.live import HOSTILE, ROOT, end_left_behind, hostile, marked, restless
from tests.support.remains import remains
from tests.support.rule_files import averages

MODULE = [sys.executable, "-m", "referee"]
SANDBOXES = ("none", "bwrap")
ROW = "{:32}  {:32}  {:11}  {:7}"
IN_SECONDS = ("--time-limit", "--startup-limit", "--grace", "--time-bank")
# For behaviours that aren't about time, but are slow on a busy machine.
PATIENT = "--time-limit 30"
# Limits are multiplied by this when we try a behaviour again.
PATIENCE = 6
KILLED_SECONDS = 1.0
GONE_SECONDS = 5.0
HANG_SECONDS = 10.0
# The web servers of bots. They're closed at the end.
SERVERS = contextlib.ExitStack()
IGNORED = {signal.SIGCHLD, signal.SIGCONT, signal.SIGURG, signal.SIGWINCH}
# A few signals of each kind. `tools.attacks.signals` sends all of them.
KINDS = (
    *(signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGKILL, signal.SIGSEGV),
    *(signal.SIGPIPE, signal.SIGTERM, signal.SIGCHLD, signal.SIGCONT, signal.SIGSTOP),
    *(signal.SIGTSTP, signal.SIGTTIN, signal.SIGXCPU, signal.SIGSYS, 32, 34, 64),
)
# These don't stop a process in an orphaned process group, and a bot's group is one.
TERMINAL_STOPS = {signal.SIGTSTP, signal.SIGTTIN, signal.SIGTTOU}
# Control characters -> escapes, to print a line safely.
CONTROL = {code: f"\\x{code:02x}" for code in range(32)}


ATTACKER = (sys.executable, "-I", "-S", str(HOSTILE.with_name("attacker.py")))
SEED = 718_281_828_459_045
MINIMAL = (ROOT / "example_bots" / "dominion" / "minimal.py").read_bytes()
# We put this into the referee's environment, and bots try to read it.
SECRET = "referee-attack-secret"
SUCCEEDS, FAILS, ANY = (f"{what}, 0, plays on" for what in ("succeeds", "fails", "any"))
_CAP_SYS_PTRACE = 19


def may_trace_all() -> bool:
    """Return True if we may read even processes that aren't dumpable, as root usually may."""
    status = Path("/proc/self/status").read_text()
    return bool(int(status.partition("CapEff:")[2].split()[0], 16) >> _CAP_SYS_PTRACE & 1)


TRACER = may_trace_all()
BY_TRACER = SUCCEEDS if TRACER else FAILS


# root may start as many processes as it likes, unless there's a control group.
PROCESSES_ARE_LIMITED = cgroups.home() is not None or os.geteuid() != 0


class Behaviour(NamedTuple):
    """A hostile behaviour.

    Attributes:
        what: its description.
        bots: the BOT arguments; `{folder}` is a folder of this match, `{given}` a folder in it that
            bots in a sandbox can read, `{tmp}` one that they can write.
        expected: exit code and verdict, by sandbox if they differ. "any" before them: an attack may
            succeed or fail, depending on the machine. " or " separates alternatives.
        options: options of `referee play`, in addition to limits and logs.
        files: path in `{folder}` -> contents.
        shell: a line for bash, in which PLAY is the command.
        alone: True if no other behaviour may run at the same time, because it uses all CPU time.
    """

    what: str
    bots: Sequence[str]
    expected: str | Mapping[str, str]
    options: Sequence[str] = ()
    files: Mapping[str, bytes] = MappingProxyType({})
    shell: str = "exec PLAY"
    alone: bool = False

    def expected_in(self, sandbox: str) -> str | None:
        """Return the expected verdict in a sandbox, or None if we don't play it there."""
        if isinstance(self.expected, str):
            return self.expected
        return self.expected.get(sandbox)


def behaviours() -> Iterator[Behaviour]:
    yield from handshakes()
    yield from clocks()
    yield from exits()
    yield from outputs()
    yield from lines()
    yield from processes()
    yield from limits()
    yield from rule_files()
    yield from logs()
    yield from attacks()
    yield from web()
    yield from strangers()
    yield from folders()
    yield from machine()


def one(what: str, mode: str, argument: object, verdict: str, *options: str) -> Behaviour:
    """Make a behaviour with the hostile bot as player 2, against Big Money."""
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
        bots = ["big_money", hostile("garbage", "0:{given}/line")]
        yield Behaviour(what, bots, expected, files={"given/line": line})
    yield Behaviour("is no program", ["big_money", "{folder}/program"], "1, failed-to-start")


def clocks() -> Iterator[Behaviour]:
    yield one("never answers", "sleep_at", 3, "timeout")
    yield one("stops itself (SIGSTOP)", "stop_at", 3, "timeout")
    yield one("writes its reply drop by drop", "drip", "", "timeout")
    yield one("stops itself in the handshake", "stop_at", 0, "startup-timeout")
    yield one("stops itself (SIGSTOP), with a time bank", "stop_at", 3, "time-bank",
              "--time-bank", "1")  # fmt: skip
    yield one("stops itself and its group when the match is over", "stops_at_end", "", "plays on")
    yield signals_itself(signal.SIGSTOP, "group")
    yield one("writes its replies in single bytes", "single_bytes", 300, "plays on",
              *PATIENT.split())  # fmt: skip
    yield one("writes replies of 20,000 single bytes", "single_bytes", 20_000, "plays on",
              "--max-turns", "5", *PATIENT.split())  # fmt: skip
    yield one("hangs, with a child in a session of its own", "daemon_and_hang", "{tmp}/pid",
              "timeout")  # fmt: skip


def exits() -> Iterator[Behaviour]:
    yield one("exits at a request", "exit_at", 4, "exited")
    yield from (signals_itself(number) for number in KINDS)
    # bubblewrap itself still has the bot's stdout open, so the referee doesn't see its end.
    closed = {"none": "1, exited", "bwrap": "1, timeout"}
    yield one("closes stdout, lives on", "close_stdout", 2, "")._replace(expected=closed)
    yield one("closes stdin after a reply", "close_stdin", 1, "timeout")
    yield one("exits after a reply", "last_words", 1, "exited")
    yield one("exits in the middle of a line", "unfinished", "", "exited")
    yield one("ignores game-end and SIGTERM", "stays", "", "plays on")
    yield one("exits on SIGTERM only", "late_goodbye", "", "plays on")


def signals_itself(number: int, whom: str = "") -> Behaviour:
    """Make a bot that sends a signal to itself, to its "group", or to "all" processes."""
    name = next((s.name for s in signal.Signals if s == number), "no name")
    verdict = "exited"
    if number in IGNORED | TERMINAL_STOPS or whom == "all":  # kill(-1) does not include its sender
        verdict = "plays on"
    elif number == signal.SIGSTOP:
        verdict = "timeout"
    what = f"sends {whom or 'itself'} signal {number} ({name})"
    behaviour = one(what, "die_at", f"2:{number}:{whom}", verdict)
    if whom == "all":
        behaviour = behaviour._replace(expected={"bwrap": str(behaviour.expected)})
    elif number == signal.SIGCONT:  # a sandbox doesn't allow this, so the bot raises an exception
        expected = {"none": str(behaviour.expected), "bwrap": "1, exited"}
        behaviour = behaviour._replace(expected=expected)
    return behaviour


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
    """For each fault code, yield a bot whose first line has that fault.

    There are more such lines in `tests/test_play.py`.
    """
    firsts = {code: line for line, code in reversed(BAD_LINES)}
    for code, line in firsts.items():
        shown = line if len(line) < 50 else line[:40] + b"..."
        bots = ["big_money", hostile("garbage", "1:{given}/line")]
        yield Behaviour(
            f"writes {shown.decode('ascii', 'backslashreplace')}"[:64].translate(CONTROL),
            bots, f"0, fault {code}", ["--max-turns", "3"], {"given/line": line + b"\n"},
        )  # fmt: skip


def processes() -> Iterator[Behaviour]:
    yield one("leaves a child that holds its pipes", "heir", "{tmp}/pid", "exited")
    yield one("leaves a child in a session of its own", "daemon", "{tmp}/pid", "plays on")
    yield one("leaves a daemon", "lost_daemon", "{tmp}/pid", "plays on")
    yield one("leaves 30 busy children in sessions", "swarm", 30, "exited", *PATIENT.split())
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        for request in (0, 1, 5):
            bots = [hostile("signal_referee", f"{request}:{int(number)}"), hostile("stays")]
            what = f"sends the referee {number.name} at request {request}"
            # On a busy machine, the bot needs time to get to this request.
            expected = {"none": f"{128 + number}", "bwrap": "0, plays on"}
            yield Behaviour(what, bots, expected, options=["--startup-limit", "60"])
    for number in (
        *(signal.SIGKILL, signal.SIGQUIT, signal.SIGUSR1, signal.SIGUSR2, signal.SIGALRM),
        *(signal.SIGVTALRM, signal.SIGIO, signal.SIGXCPU),
    ):
        bots = [hostile("signal_referee", f"3:{int(number)}"), hostile("stays")]
        expected = {"none": f"{-number}", "bwrap": "0, plays on"}
        yield Behaviour(f"sends the referee {number.name}", bots, expected)


def limits() -> Iterator[Behaviour]:
    """Yield bots that reach the limits that other behaviours don't, in every way we know.

    Without a control group, a limit applies to each process of a bot and not to their sum (8.6).
    """
    home = cgroups.home()
    together = home is not None

    def limited(what: str, mode: str, argument: object, limit: str, none: str,
                bwrap: str = "") -> Behaviour:  # fmt: skip
        """Like `one`, but with an expected verdict for each sandbox.

        Without `bwrap`, the verdict must be the same in both.
        """
        behaviour = one(what, mode, argument, none, *limit.split())
        if not bwrap:
            return behaviour
        expected = {"none": str(behaviour.expected)}
        expected["bwrap"] = str(one(what, mode, argument, bwrap).expected)
        return behaviour._replace(expected=expected)

    bank, cpu, memory = "--time-bank 0.3", "--cpu-limit 0.3", f"{PATIENT} --memory-limit 100M"
    yield limited("thinks 100 ms each time", "think", 0.1, bank, "time-bank")
    yield limited("thinks longer than its bank", "sleep_at", 1, bank, "time-bank")
    yield limited("computes 100 ms each time", "compute", 0.1, cpu, "cpu-limit")
    yield limited("computes without end", "burn", "one", cpu, "cpu-limit")
    yield limited("a child computes", "burn", "child", cpu, "cpu-limit")
    none = "cpu-limit" if together else "timeout"
    yield limited("an orphan in a session computes", "burn", "grandchild", cpu, none, "cpu-limit")
    both = "memory-limit" if together else "exited"
    yield limited("takes 200 MiB", "take_memory", "1 200", memory, both)
    yield limited("8 processes take 25 MiB each", "take_memory", "8 25", memory, "memory-limit")
    for kind in ("shared", "let-go", "memfd", "children", "files", "unix", "packets"):
        taken = limited(f"takes 400 MiB: {kind}", "take_as", f"{kind} 400", memory, "memory-limit")
        # Without a sandbox, these don't count as the bot's memory.
        if kind in ("files", "unix", "packets"):
            taken = taken._replace(expected={"bwrap": str(taken.expected)})
        yield taken
    # The kernel's memory for a bot. Only control groups count it. All pipes of a user can have 64
    # MiB together, so these few leave most of it to others.
    kernel = (("pipes", 25, "25M"), ("mappings", 90, "50M"), ("watches", 160, "50M"))
    for kind, mib, limit in kernel if together else ():
        few = f"{PATIENT} --memory-limit {limit}"
        yield limited(f"takes {mib} MiB: {kind}", "take_as", f"{kind} {mib}", few, "memory-limit")
    for what in ("fork", "threads"):
        none = "exited" if together else "plays on"
        few = f"{PATIENT} --process-limit 20"
        many = limited(f"200 times {what}", what, 200, few, none, "exited")
        if not PROCESSES_ARE_LIMITED:
            many = many._replace(expected={"bwrap": "0, plays on or 1, exited"})
        yield many
    yield limited("opens 20,000 files", "open_files", 20_000, "--open-file-limit 100", "exited")
    yield limited("writes 3 MiB", "big_file", "{tmp}/big 3", "--file-size-limit 2M", "exited")
    yield limited("fills /tmp", "big_file", "{tmp}/big 9", "--tmp-limit 4M", "plays on", "exited")
    # Each file takes about 1.3 KiB of kernel memory.
    few = f"{PATIENT} --memory-limit 50M"
    made = limited("makes 100,000 empty files in /tmp", "empty_files", "{tmp} 100000", few, "")
    yield made._replace(expected={"bwrap": "1, memory-limit"})
    for mode, size in (("pad", 3_000), ("blank_drip", 3_000), ("pad", 20_001)):
        what = f"writes {size} bytes each time: {mode}"
        yield limited(what, mode, size, "--output-limit 20000", "output-limit")


def rule_files() -> Iterator[Behaviour]:
    """Yield rule files that need a lot of work. They run in the referee's own process."""
    for count, options, expected in (
        (600, "", "1, step-limit"),
        (500, "--time-limit 0.001", "1, timeout"),
        (500, "--time-bank 0.05", "1, time-bank"),
        (500, "--cpu-limit 0.05", "1, cpu-limit"),
    ):
        what = f"a rule file of {count} averages {options}".rstrip()
        file = {"name": "A", "author": "B", "game": "dominion", **averages(count)}
        bots = ["big_money.json", "{folder}/costly.json"]
        files = {"costly.json": json.dumps(file).encode()}
        yield Behaviour(what, bots, expected, options.split(), files)


def logs() -> Iterator[Behaviour]:
    for mode in ("truncate", "change", "add_lines", "remove", "replace", "remove_folder"):
        for target in ("log", "record"):
            what = f"{mode.replace('_', ' ')}: its {target}"
            bots = ["big_money", hostile(mode, f"6:{{folder}}/logs/{target}")]
            # A sandbox doesn't show this file, so there the bot ends with an error.
            expected = {"none": "0, plays on, restored", "bwrap": "1, exited"}
            yield Behaviour(what, bots, expected)
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
    """Yield bots over HTTP. Their servers run until this program ends."""

    def hang(connection: socket.socket, body: bytes) -> bool:
        threading.Event().wait(HANG_SECONDS)
        return False

    def over_http(what: str, behaviour: servers.Behaviour, expected: str) -> Behaviour:
        url = SERVERS.enter_context(servers.server(behaviour)).url
        return Behaviour(f"over HTTP: {what}", ["big_money", url], expected)

    for what, (data, code, _) in servers.BROKEN.items():
        broken = over_http(what, servers.always(data, keep=False), f"1, {code}")
        # There's no process to put into a sandbox.
        yield broken._replace(expected={"none": str(broken.expected)})
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


def strangers() -> Iterator[Behaviour]:
    for what, name in (
        ("no UTF-8", "caf\udce9"),
        ("an escape", "a\x1b[31m"),
        ("a new line", "a\nb"),
    ):
        file = f"{name}.py"
        yield Behaviour(
            f"a BOT argument with {what}", ["big_money", f"{{given}}/{file}"], "0, plays on",
            files={f"given/{file}": MINIMAL},
        )  # fmt: skip
    yield Behaviour("a BOT that is not there", ["big_money", "{folder}/\x1bnone"], "2")
    play = shlex.join([*MODULE, "play", "--quiet", "--seed", "1"])
    resume = shlex.join([*MODULE, "play", "--resume", "{folder}/r", "--turn", "1"])
    yield Behaviour(
        "a record that names a user's file", [], {"bwrap": "2"},
        files={"given/key": b"secret"},
        shell=f"{play} big_money minimal --record {{folder}}/r && "
        "sed -i '1s#\"minimal\"#\"cat {folder}/given/key\"#' {folder}/r && "
        f"exec {resume} --run-recorded --sandbox bwrap",
    )  # fmt: skip
    tournament = shlex.join([*MODULE, "tournament", "--deals", "1", "--seed", "1", "--quiet"])
    tournament += " --jobs 1 --sandbox bwrap --store {folder}/s.sqlite"
    yield Behaviour(
        "a folder named like NAME=COMMAND", [], {"bwrap": "2"},
        files={"other/bot.toml": b'command = "python3 bot.py"', "other/bot.py": MINIMAL},
        shell="cd {folder} && mv other 'x=touch seen #' && "
        f"{tournament} x=*/ minimal --max-turns 3 >/dev/null 2>&1; "
        + _check("SELECT 2, count(disqualified) FROM seats", "2, 0"),
    )  # fmt: skip
    lost = (  # a busy machine may repeat a match, but not excuse the bot in the end
        "SELECT total(void), count(*) FILTER (WHERE disqualified = 'timeout') "
        "FROM seats JOIN matches USING (match) WHERE bot = 0"
    )
    bots = shlex.join([restless("chain", 6), hostile("think", 0.05)])
    yield Behaviour(
        "computes on to be excused when it hangs", [], {"bwrap": "fails, 2"},
        shell=f"{tournament} {bots} --time-limit 1 >/dev/null 2>&1; " + _check(lost, "0, 2"),
        alone=True,
    )  # fmt: skip


def _check(query: str, row: str) -> str:
    # The exit code is 2 if the query returns this row.
    check = (
        f"import sqlite3, sys; found = sqlite3.connect(sys.argv[1]).execute({query!r}); "
        f"sys.exit(2 if found.fetchone() == ({row}) else 3)"
    )
    return f"{shlex.join([sys.executable, '-c', check])} {{folder}}/s.sqlite"


def folders() -> Iterator[Behaviour]:
    two = ["big_money", "{folder}/other"]
    theirs = (ROOT / "example_bots" / "dominion" / "big_money.json").read_bytes()
    secret = {"given/s.json": theirs, "given/a": b"exit 3\n"}

    def named(what: str, command: bytes, shell: str = "exec PLAY") -> Behaviour:
        files = {"other/bot.toml": b'command = "%s"' % command, **secret}
        return Behaviour(f"a folder with {what}", two, "2", files=files, shell=shell)

    yield named("another's rule file", b"../given/s.json")
    link = "ln -s ../given/s.json {folder}/other/s.json; exec PLAY"
    yield named("a link to another's rule file", b"s.json", link)
    yield named("a command that runs another's file", b"/bin/sh ../given/a")
    # The referee writes its record into this folder. That mustn't turn it into a bot's folder.
    toml = "echo 'command = \"python3 {folder}/given/bot.py\"' >{folder}/other/bot.toml"
    yield Behaviour(
        "a folder with a record, and a command of another's", two, {"bwrap": "1, exited"},
        ["--record", "{folder}/other/record"], {"given/bot.py": MINIMAL}, f"{toml}; exec PLAY",
    )  # fmt: skip
    make = (
        "cd {folder}; mkdir -p bin/env/bin lib/python3.9; touch bin/env/pyvenv.cfg "
        "lib/python3.9/os.py; cp /bin/sh bin/python; ln -s ../../python bin/env/bin/python; "
        "printf '#!{folder}/bin/env/bin/python\nexec python3 bot.py\n' >bin/run; chmod +x bin/run; "
        "mv given/bot.py bin; "
        "echo 'command = \"./run\"' >bin/bot.toml; cd here; exec PLAY"
    )
    bots = ["big_money", "{folder}/bin"]
    # To run this bot's own Python, the sandbox would have to show it the folder of all bots.
    expected = {"bwrap": "1, failed-to-start or 1, exited"}
    files = {"given/bot.py": MINIMAL}
    yield Behaviour("folders named bin and lib", bots, expected, (), files, make)
    for what, name, line in (
        ("a set-user-id program", b"./bot", b"cp /bin/true bot && chmod 4755 bot"),
        ("a link to another's rule file", b"s.json", b"ln -s ../../../../given/s.json ."),
    ):
        toml = b'command = "%s"\nbuild = "%s"' % (name, line)
        build = shlex.join([*MODULE, "build", "--sandbox", "bwrap"])
        yield Behaviour(
            f"a build makes {what}", two[:1] * 2, {"bwrap": "0, plays on"},
            files={"other/bot.toml": toml, **secret},
            shell=f"{build} {{folder}}/other >&/dev/null && exit 9; exec PLAY",
        )  # fmt: skip


def machine() -> Iterator[Behaviour]:
    for descriptors in (16, 20, 24, 28, 32, 40, 48, 64):
        yield Behaviour(
            f"{descriptors} file descriptors",
            ["big_money"] * 2,
            "0, plays on" if descriptors == 64 else "71",
            shell=f"ulimit -n {descriptors}; exec PLAY",
        )


def attacks() -> Iterator[Behaviour]:
    # All of these may succeed without a sandbox, but none may in a sandbox.
    yield from on_processes()
    yield from on_time_of_others()
    yield from on_secrets()
    yield from on_files()
    yield from on_shared_files()
    yield from on_rights()


def attack(what: str, mode: str, argument: object = "", *, none: str | None = SUCCEEDS,
           options: Sequence[str] = (), files: Mapping[str, bytes] = MappingProxyType({}),
           opponent: str = "big_money") -> Behaviour:  # fmt: skip
    """Make an attack by player 2, which fails in a sandbox.

    Args:
        none: the expected result without a sandbox; None: it is not tried there.
    """
    expected = {"bwrap": FAILS} | ({"none": none} if none else {})
    options = ["--record-stderr", *options]
    return Behaviour(what, [opponent, attacker(mode, argument)], expected, options, files)


def attacker(mode: str, argument: object) -> str:
    return shlex.join([*ATTACKER, mode, str(argument)])


def attacks_at_once() -> Behaviour:
    """Make a bot with all attacks in one match, except those that leave processes."""
    words: list[str] = []
    for behaviour in attacks():
        *_, program, mode, argument = shlex.split(behaviour.bots[1])
        if program == ATTACKER[-1] and mode not in ("burners", "die_at", "daemons"):
            words += [mode, argument]
    bots = ["{folder}/other/bot.py", shlex.join([*ATTACKER, *words])]
    files = {"seed": b"%d" % SEED, "other/bot.py": MINIMAL}
    options = ["--record-stderr", "--seed-file", "{folder}/seed", *PATIENT.split()]
    return Behaviour("makes all attacks", bots, {"bwrap": FAILS}, options, files)


def on_processes() -> Iterator[Behaviour]:
    yield attack("kills the referee", "kill_parent", none="succeeds, -9")
    yield attack("stops the referee", "stop_parent", none="succeeds, stopped")
    yield attack("kills its opponent", "kill_siblings", none="succeeds, 1, other exited, plays on")
    yield attack("stops its opponent", "stop_siblings", none="succeeds, 1, other timeout, plays on")
    yield signals_itself(signal.SIGKILL, "all")
    spoilt = "succeeds, 1, other output-limit, plays on"
    yield attack("writes into its opponent's output", "write_as_opponent", none=spoilt)
    yield attack("traces the referee", "trace_referee", none=BY_TRACER)
    yield attack("traces its opponent", "trace_opponent", none=ANY)
    yield attack("sets limits of the referee", "limit_referee")
    yield attack("sets limits of its opponent", "limit_opponent")
    yield attack("leaves five daemons without environment", "daemons", "{tmp}/started", none=FAILS)
    bomb = attack("has 300 processes at a time", "fork_bomb", 300, options=PATIENT.split())
    yield bomb if PROCESSES_ARE_LIMITED else bomb._replace(expected=SUCCEEDS)
    late = "succeeds, 1, other timeout, plays on"
    burners = min(16 * (os.cpu_count() or 1), 200)
    burns = attack("16 of its processes a core use all CPU", "burners", burners, none=late,
                   opponent=hostile("compute", 0.04),
                   options=["--time-limit", "0.4", "--max-turns", "20"])  # fmt: skip
    # All these attacks take time, so the bot may be too late with its own reply.
    expected = {**burns.expected, "bwrap": f"{FAILS} or fails, 1, timeout"}
    yield burns._replace(expected=expected, alone=True)


def on_time_of_others() -> Iterator[Behaviour]:
    """Yield bots that try to compute while they should be stopped.

    The other bot thinks for a while, so that they have time for it during its request.
    """
    for what, way in (
        ("processes without end", "burners"),
        ("a chain of processes", "chain"),
        ("a chain that kills its neighbours", "killers"),
        ("processes that wake each other", "wakers"),
        ("a process woken by its timer", "timer"),
        ("a process woken by its input", "news"),
        ("a thread beside a vfork", "leader"),
        ("threads that start processes", "forkers"),
    ):
        # The bot looks at the second half of this time. On a busy machine, the referee may need
        # most of a second until it has stopped a chain of processes.
        bots = [hostile("think", 2.5), restless(way)]
        options = ["--record-stderr", "--max-turns", "2", *PATIENT.split()]
        expected = f"{FAILS} or fails, 1, kept-running" if way == "killers" else FAILS
        yield Behaviour(f"stopped, computes on: {what}", bots, {"bwrap": expected}, options)


def on_secrets() -> Iterator[Behaviour]:
    backwards, in_file = str(SEED)[::-1], ["--seed-file", "{folder}/seed"]
    for what, mode, argument, none, options in (
        ("command line, of --seed-file", "seed_in_cmdline", backwards, FAILS, in_file),
        ("command line, of --seed", "seed_in_cmdline", backwards, SUCCEEDS, ["--seed", str(SEED)]),
        ("file of --seed-file", "seed_in_file", f"{{folder}}/seed:{backwards}", SUCCEEDS, in_file),
        ("open record", "seed_in_descriptors", backwards, BY_TRACER, in_file),
        ("memory", "seed_in_memory", backwards, BY_TRACER, in_file),
    ):
        yield attack(f"reads the seed in the referee's {what}", mode, argument, none=none,
                     options=options, files={"seed": b"%d" % SEED})  # fmt: skip
    yield attack("reads the referee's environment", "secret_in_environment", SECRET, none=BY_TRACER)
    yield attack("reads the hand in its opponent's memory", "opponents_memory", none=ANY)
    yield attack("inherits the referee's descriptors", "descriptors", none=FAILS)
    yield attack("reads the record in its folder", "read_file", "{folder}/logs/record")
    yield attack("reads another bot's file", "read_file", "{folder}/other/bot.py",
                 opponent="{folder}/other/bot.py", files={"other/bot.py": MINIMAL})  # fmt: skip
    yield attack("reads /etc/shadow", "read_file", "/etc/shadow", none=ANY)
    folders = ("/root", "/home", os.path.expanduser("~"), "/tmp", "/var", "/sys")
    for path in dict.fromkeys(folders):
        yield attack(f"looks into {path}", "read_folder", path, none=ANY)


def on_files() -> Iterator[Behaviour]:
    spoilt = "succeeds, 0, output spoilt" if TRACER else FAILS
    yield attack("writes into the referee's output", "write_to_referees_output", none=spoilt)
    yield attack("writes into its own folder", "write_in_folder", "own", none=ANY)
    for path in ("/usr", "/etc", "/home", "/"):
        yield attack(f"creates a file in {path}", "write_in_folder", path, none=ANY)
    yield attack("creates a file beside the logs", "write_in_folder", "{folder}/logs")
    for path in ("/proc/sys/kernel/core_pattern", "/proc/sysrq-trigger"):
        yield attack(f"opens {path}", "open_to_write", path, none=ANY)
    device = attack("changes a device: mode, owner, times", "change_device", "/dev/full")
    yield device._replace(alone=True)  # another match would change the time that it compares
    for folder in ("{tmp}", "/dev/shm"):
        what = f"writes 80 MiB into {folder.strip('{}')}"
        yield attack(what, "fill", f"{folder}/referee-attack", none=ANY, options=PATIENT.split())


def on_shared_files() -> Iterator[Behaviour]:
    """Yield bots that send messages to another bot through shared files, or block its start."""
    for path in ("/usr/bin/env", "/dev/null"):
        yield attack(f"sees from elsewhere its own lock on {path}", "lock", path)
    yield attack("has a lease on code of the referee", "lease", referee.__file__, none=ANY)
    yield attack("leaves a hint with code of the referee", "hint", referee.__file__, none=ANY)
    yield attack("watches who opens files in /usr/bin", "watch", "/usr/bin")
    yield attack("watches /usr/bin by signals", "notify", "/usr/bin")


def on_rights() -> Iterator[Behaviour]:
    yield attack("has capabilities, may get some, or all system calls", "privileges")
    listener = SERVERS.enter_context(socket.create_server(("127.0.0.1", 0)))
    yield attack("connects to a port of this machine", "connect", listener.getsockname()[1])
    abstract = SERVERS.enter_context(socket.socket(socket.AF_UNIX))
    abstract.bind(f"\0referee-attack-{os.getpid()}")
    abstract.listen()
    name = f"referee-attack-{os.getpid()}"
    yield attack("connects to an abstract socket", "connect_abstract", name)
    yield attack("opens sockets other than Unix streams", "other_sockets", none=ANY)
    yield attack("leaves the cores of its match", "all_cores")
    for what, mode in (
        ("makes a user namespace", "user_namespace"),
        ("mounts a file system", "mount"),
        ("adds a key", "keyring"),
        ("sets up io_uring", "io_uring"),
        ("makes a map of BPF", "bpf"),
        ("counts events of the kernel", "perf"),
    ):
        yield attack(what, mode, none=ANY)


# --- Run ------------------------------------------------------------------------------------------


class Seen(NamedTuple):
    what: str
    left: str


def try_with_patience(behaviour: Behaviour, sandbox: str, slower: float) -> Seen:
    """Try a behaviour. If it unexpectedly reaches a time limit, try again with longer limits.

    Our limits are short, because many bots wait until they are over. On a busy machine, an honest
    start can take longer.
    """
    seen = try_out(behaviour, sandbox, slower)
    if "timeout" in seen.what and not _is_right(behaviour, sandbox, seen):
        print(f"{behaviour.what}, with {sandbox}: {seen.what}; tried again with longer limits")
        seen = try_out(behaviour, sandbox, slower, PATIENCE)
    return seen


def try_out(behaviour: Behaviour, sandbox: str, slower: float = 1, patience: float = 1) -> Seen:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        here = folder / "here"
        for new in (here, *(folder / new for new in ("logs", "given", "other", "tmp"))):
            new.mkdir()
        for file, content in behaviour.files.items():
            if file == "FIFO":
                os.mkfifo(folder / file)
            else:
                (folder / file).write_bytes(content)
        (folder / "program").write_text("no program\n")
        (folder / "program").chmod(0o755)
        words = [*MODULE, "play", *behaviour.bots, "--sandbox", sandbox]
        words += ["--time-limit", "2", "--startup-limit", "5", "--grace", "0.5"]
        words += ["--record", "{folder}/logs/record"]
        if not {"--seed", "--seed-file"} & set(behaviour.options):
            words += ["--seed", "1"]
        if "--log" not in behaviour.options:
            words += ["--log", "{folder}/logs/log", "--format", "json"]
        if sandbox != "none" and any("{given}" in bot for bot in behaviour.bots):
            words += ["--sandbox-read", "{given}"]
        words = [*prolonged([*words, *behaviour.options], slower, patience)]
        line = behaviour.shell.replace("PLAY", shlex.join(words))
        for place, path in (
            ("given", f"{name}/given"),
            ("tmp", f"{name}/tmp" if sandbox == "none" else "/tmp"),
            ("folder", name),
        ):
            line = line.replace(f"{{{place}}}", path)
        token = f"REFEREE_TEST_RUN={uuid.uuid4()}"
        with open(folder / "stdout", "ab") as stdout, open(folder / "stderr", "ab") as stderr:
            process = subprocess.Popen(
                ["bash", "-c", line],
                stdout=stdout,
                stderr=stderr,
                cwd=here,
                env=os.environ | marked(token) | {"PYTHONPATH": os.getcwd(), "SECRET": SECRET},
            )
            ended = os.waitid(os.P_PID, process.pid, os.WEXITED | os.WSTOPPED | os.WNOWAIT)
            stopped = ended is not None and ended.si_code == os.CLD_STOPPED
            if stopped:
                process.kill()
            process.wait()
        stayed = end_left_behind(KILLED_SECONDS if process.returncode < 0 else 0.0, token)
        left = [f"process {words[-60:]}" for words in stayed]
        left += [f"file {file}" for file in os.listdir(here)]
        seen = ["stopped"] if stopped else list(_seen(process.returncode, folder))
        if ATTACKER[-1] in line or "restless.py" in line:
            succeeds = process.returncode < 0 or "other" in str(seen) or "spoilt" in str(seen)
            with contextlib.suppress(FileNotFoundError):  # an attack may have removed it
                record = (folder / "logs" / "record").read_bytes()
                succeeds |= re.search(rb"attack \w+ succeeds", record) is not None
            seen.insert(0, "succeeds" if succeeds else "fails")
        return Seen(", ".join(seen), ", ".join(left))


def prolonged(words: Sequence[str], slower: float, patience: float = 1) -> Iterator[str]:
    """Multiply limits of time, for a slower machine and for a busy one.

    On a busy machine the CPU limit stays. A bot that computes without end would otherwise reach the
    time limit first each time, if it gets only a small part of a core.
    """
    for option, word in pairwise(["", *words]):
        if option in IN_SECONDS:
            yield f"{float(word) * slower * patience:g}"
        elif option == "--cpu-limit":
            yield f"{float(word) * slower:g}"
        else:
            yield word


def _seen(code: int, folder: Path) -> Iterator[str]:
    yield str(code)
    said, result = (folder / "stderr").read_text(), (folder / "stdout").read_bytes()
    over = code in (0, 1)
    if "a bot was here" in said or b"a bot was here" in result:
        yield "output spoilt"
    elif "Traceback" in said or said.count("\n") > 2:
        yield f"said {said[-200:]!r}"
    elif over:
        first, second = map(_verdict, json.loads(result)["players"])
        if first:
            yield f"other {first}"
        yield second or "plays on"
    if "it is complete" in said:
        yield "restored"
    record, log = folder / "logs" / "record", folder / "logs" / "log"
    if record.exists() and record.stat().st_size:
        kind = verify_record(str(record)).kind
        if kind != (Kind.VALID if over else Kind.TRUNCATED):
            yield f"record {kind}"
    if log.exists() and log.stat().st_size:
        findings = [finding.section for finding in validate_log(str(log), GAMES["dominion"])]
        if findings != ([] if over else ["2.14"]):
            yield f"log {findings}"


def _verdict(player: dict[str, Any]) -> str:
    faults = " ".join(player["faults"])
    return player["disqualified"] or (f"fault {faults}" if faults else "")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--only", action="append", metavar="WORD", help="those with such a word")
    parser.add_argument("--sandbox", choices=SANDBOXES, help="this one alone (both)")
    parser.add_argument("--jobs", type=int, default=2, help="so many at a time (2)")
    parser.add_argument(
        "--slower", type=float, default=1, help="limits of time, so many times as long (1)"
    )
    options = parser.parse_args()
    sandboxes = [options.sandbox] if options.sandbox else list(SANDBOXES)
    if problem := "bwrap" in sandboxes and unavailable_reason():
        if options.sandbox:
            parser.error(problem)
        print(f"left out, with bwrap: {problem}")
        sandboxes.remove("bwrap")
    adopt_orphans()  # so that we also find processes that hide from the referee
    before = remains()
    with SERVERS:
        wrong = play_all(options.only or [""], sandboxes, options.jobs, options.slower)
    until = time.monotonic() + GONE_SECONDS  # a worker ends a moment after its command
    while (after := remains()).is_more_than(before) and time.monotonic() < until:
        with contextlib.suppress(ChildProcessError):  # reap killed processes
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        time.sleep(0.05)
    print(f"before: {before}\nafter:  {after}")
    return 1 if wrong or after.is_more_than(before) else 0


def play_all(words: Sequence[str], sandboxes: Sequence[str], jobs: int, slower: float) -> int:
    """Play the behaviours selected with --only. Return how many had a wrong result."""
    chosen = [each for each in behaviours() if any(word in each.what for word in words)]
    if not chosen:
        raise UsageError(f"no behaviour has {' or '.join(map(repr, words))}")
    print(
        f"{'behaviour':64}  "
        + "  ".join(
            ROW.format(f"{sandbox}: expected", "seen", "left behind", "verdict")
            for sandbox in sandboxes
        )
    )
    wrong = dict[str, list[str]]((sandbox, []) for sandbox in sandboxes)
    played = Counter[str]()
    for behaviour, found in try_all(chosen, sandboxes, jobs, slower):
        cells = []
        for sandbox in sandboxes:
            expected = behaviour.expected_in(sandbox)
            if expected is None:
                cells.append(ROW.format("not tried", "", "", ""))
                continue
            seen = found[sandbox]
            right = _is_right(behaviour, sandbox, seen)
            played[sandbox] += 1
            verdict = "right" if right else "WRONG"
            if not right:
                said = f"{behaviour.what}: expected {expected!r}, seen {seen.what!r}"
                wrong[sandbox].append(f"{said}, left behind: {seen.left or 'nothing'}")
            cells.append(ROW.format(expected, seen.what, seen.left or "nothing", verdict))
        print(f"{behaviour.what:64}  {'  '.join(cells)}".rstrip(), flush=True)
    for sandbox in sandboxes:
        count = len(wrong[sandbox])
        right = played[sandbox] - count
        print(f"{sandbox}: {played[sandbox]} behaviours, {right} right, {count} wrong")
        # Print them again, because people often look only at the end of a long table.
        for each in wrong[sandbox]:
            print(f"WRONG with {sandbox}: {each}")
    return sum(map(len, wrong.values()))


def try_all(
    chosen: Sequence[Behaviour], sandboxes: Sequence[str], jobs: int, slower: float
) -> Iterator[tuple[Behaviour, dict[str, Seen]]]:
    """Play `jobs` behaviours at a time. Those that need the whole machine come last, one by one."""
    for alone in (False, True):
        group = [behaviour for behaviour in chosen if behaviour.alone == alone]
        with ThreadPoolExecutor(1 if alone else jobs) as pool:
            tried = [
                {
                    sandbox: pool.submit(try_with_patience, behaviour, sandbox, slower)
                    for sandbox in sandboxes
                    if behaviour.expected_in(sandbox)
                }
                for behaviour in group
            ]
            for behaviour, futures in zip(group, tried, strict=True):
                yield behaviour, {sandbox: each.result() for sandbox, each in futures.items()}


def _is_right(behaviour: Behaviour, sandbox: str, seen: Seen) -> bool:
    expected = behaviour.expected_in(sandbox)
    return expected is not None and not seen.left and seen.what in _allowed(expected)


def _allowed(expected: str) -> Sequence[str]:
    word, comma, rest = expected.partition(", ")
    words = ["succeeds", "fails"] if word == "any" else [word]
    return [each for word in words for each in (word + comma + rest).split(" or ")]


if __name__ == "__main__":
    sys.exit(main())
