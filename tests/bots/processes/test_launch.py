"""A bot's process: its environment (protocol-v1, 8.5), its counters, and how it's stopped."""

from __future__ import annotations

import errno
import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from referee.bots.command import BotCommand
from referee.bots.processes import launch, sandbox
from referee.bots.processes.guardian import GUARDIAN
from referee.bots.processes.launch import TIME_LIMIT, LaunchedBot, _environment, start_failure
from referee.bots.processes.sandbox import bot_exit_code
from referee.bots.processes.stderr import StderrKeeper
from referee.errors import ShortageError
from referee.match.limits import Limits
from referee.match.sandbox import NO_SANDBOX, Sandbox, SandboxKind
from tests.support.sandboxed import needs_bwrap

SHOWS = (sys.executable, "-c", "import json, os; print(json.dumps(dict(os.environ)))")


def environment(
    env: tuple[tuple[str, str], ...] = (), limits: Limits | None = None
) -> dict[str, str]:
    """Start a bot and return its environment variables."""
    bot = LaunchedBot(BotCommand("shows", SHOWS, env=env), limits or Limits())
    assert bot.popen is not None
    assert bot.popen.stdout is not None
    shown: dict[str, str] = json.loads(bot.popen.stdout.read())
    bot.end()
    return shown


def test_the_environment_is_the_same_everywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """Most variables of the referee aren't passed on, and LANG is C.UTF-8 (8.5)."""
    for name in ("PYTHONUNBUFFERED", "PYTHONPATH", "LC_ALL", "LD_PRELOAD", "REFEREE_SEED"):
        monkeypatch.setenv(name, "1")
    monkeypatch.setenv("PATH", "/bin")
    monkeypatch.setenv("HOME", "/home/somebody")
    monkeypatch.delenv("TMPDIR", raising=False)
    monkeypatch.setenv("LANG", "de_DE.ISO-8859-1")
    assert environment() == {"PATH": "/bin", "HOME": "/home/somebody", "LANG": "C.UTF-8"}


def test_limits_add_nothing_to_the_environment() -> None:
    """A shell sets the limits of a bot, but the shell's own variables must not leak to it (8.5)."""
    shown = environment(limits=Limits(open_file_limit=64))
    shown.pop("SHLVL", None)  # bash always sets it
    assert shown == environment()


def test_what_a_bot_is_given_it_has(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONUNBUFFERED", "1")
    shown = environment((("PYTHONUNBUFFERED", "2"), ("LANG", "C")))
    assert (shown["PYTHONUNBUFFERED"], shown["LANG"]) == ("2", "C")


@needs_bwrap
def test_a_sandbox_leaves_no_descriptor_open() -> None:
    before = len(os.listdir("/proc/self/fd"))
    LaunchedBot(BotCommand("bot", ("/bin/cat",)), Limits(), Sandbox("bwrap")).end()
    assert len(os.listdir("/proc/self/fd")) == before


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no such thing")
def test_another_process_of_this_user_cannot_read_the_referee() -> None:
    """The test runs as an ordinary user, because root may read any process (8.5)."""
    program = """
import ctypes, os
import referee.bots.processes.launch as launch
from referee.bots.command import BotCommand
from referee.match.limits import Limits

launch.LaunchedBot(BotCommand("true", ("/bin/true",)), Limits()).end()  # imports all it needs
os.getuid() or os.setresuid(65534, 65534, 65534)
ctypes.CDLL(None).prctl(4, 1, 0, 0, 0)  # PR_SET_DUMPABLE, which a new user has set to 0
reads = "cat /proc/$PPID/environ >/dev/null && echo read;"
script = reads + "ls /proc/$PPID/fd >/dev/null && echo seen"
hide_memory = launch.hide_memory
for hide in (int, hide_memory):
    launch.hide_memory = hide
    bot = launch.LaunchedBot(BotCommand("reads", ("/bin/sh", "-c", script)), Limits())
    print(bot.popen.stdout.read().split())
    bot.end()
"""
    command = [sys.executable, "-c", program]
    shown = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert shown.splitlines() == ["[b'read', b'seen']", "[]"]


@pytest.mark.parametrize(("adapter", "told"), [("", None), ("simulator", "2.5")])
def test_only_an_adapter_is_told_the_time_limit(adapter: str, told: str | None) -> None:
    command = BotCommand("bot", ("/bin/true",), adapter=adapter)
    assert _environment(command, Limits(time_limit=2.5)).get(TIME_LIMIT) == told


# --- counters and signals, with a stand-in for the control group ----------------------------------


class Group:
    """Stands in for a `Cgroup`. Notes what is asked of it."""

    oom_kills, refused_forks = 2, 7
    cpu_seconds: float | None = 1.5
    folders = ()
    is_frozen = True

    def __init__(self, *, can_freeze: bool = True) -> None:
        self.calls: list[object] = []
        self._can_freeze = can_freeze

    def freeze(self, frozen: bool = True) -> bool:
        self.calls.append(frozen)
        return self._can_freeze

    def kill(self) -> None:
        self.calls.append("kill")

    def remove(self) -> bool:
        self.calls.append("remove")
        return True


class Halting:
    """Stands in for `Stopping`."""

    offence = "as the test says"

    def __init__(self, pid: int) -> None:
        self.calls = [f"of {pid}"]

    def stop(self) -> None:
        self.calls.append("stop")

    def resume(self) -> None:
        self.calls.append("resume")

    def check(self) -> bool:
        return "stop" in self.calls[-1:]

    def end(self) -> None:
        self.calls.append("end")


def launched(
    group: Group | None = None, kind: SandboxKind = "bwrap", **limits: float
) -> LaunchedBot:
    """Start a process that reads its input, and let it look like one in a sandbox and a group."""
    bot = LaunchedBot(BotCommand("bot", ("/bin/cat",)), Limits()._replace(**limits))
    bot.limits, bot.sandbox = Limits(**limits), Sandbox(kind)  # type: ignore[arg-type]
    bot.cgroup = group  # type: ignore[assignment]
    return bot


def ended(bot: LaunchedBot) -> LaunchedBot:
    bot.sandbox = NO_SANDBOX
    bot.end()
    return bot


def test_a_group_counts_only_what_has_a_limit() -> None:
    bot = launched(Group())
    assert (bot.oom_kills, bot.refused_forks, bot.cpu_seconds) == (0, 0, 1.5)
    bot.limits = Limits(memory_limit=10, process_limit=10)
    assert (bot.oom_kills, bot.refused_forks) == (2, 7)
    bot.cgroup.refused_forks = 9  # type: ignore[union-attr, misc]
    ended(bot)
    bot.cgroup.refused_forks = 0  # type: ignore[union-attr, misc]  # its folder is gone
    assert bot.refused_forks == 9
    assert bot.cgroup.calls == ["kill", "remove"]  # type: ignore[union-attr]


def test_without_a_group_the_processes_are_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    bot = launched()
    assert (bot.oom_kills, bot.refused_forks) == (0, 0)
    assert bot.cpu_seconds is not None
    bot.cgroup = Group()  # type: ignore[assignment]
    bot.cgroup.cpu_seconds = None  # type: ignore[union-attr, misc]
    assert bot.cpu_seconds is not None
    bot.cgroup.cpu_seconds = 0.0  # type: ignore[union-attr, misc]
    monkeypatch.setattr(launch, "usage", lambda pid: pytest.fail("the group says it"))
    assert bot.cpu_seconds == 0.0
    bot.cgroup = None
    ended(bot)


def test_a_group_is_frozen_once_and_thawed_once() -> None:
    group = Group()
    bot = launched(group)
    bot.thaw()
    assert not bot.is_stopped()
    for _ in range(2):
        bot.freeze()
        assert bot.is_frozen
    group.is_frozen = False
    assert not bot.is_stopped()
    group.is_frozen = True
    assert bot.is_stopped()
    for _ in range(2):
        bot.thaw()
        assert not bot.is_frozen
    assert group.calls == [True, False]
    ended(bot)


@pytest.mark.parametrize("group", [None, Group(can_freeze=False)])
def test_without_a_freezer_the_processes_are_stopped(
    group: Group | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(launch, "Stopping", Halting)
    bot = launched(group)
    assert bot.offence == ""
    for _ in range(2):
        bot.freeze()
        assert bot.is_stopped()
        bot.thaw()
    assert bot.offence == "as the test says"
    assert bot.popen is not None
    assert isinstance(bot._stopping, Halting)
    assert bot._stopping.calls == [f"of {bot.popen.pid}", *["stop", "resume"] * 2]
    # It's asked only once whether it can freeze.
    assert group is None or group.calls == [True]
    ended(bot)
    assert bot._stopping.calls[-1] == "end"


def test_only_a_bot_that_runs_in_a_sandbox_is_frozen() -> None:
    bot = launched(Group(), "none")
    bot.freeze()
    assert not bot.is_frozen
    ended(bot)
    bot.sandbox = Sandbox("bwrap")
    bot.freeze()
    assert not bot.is_frozen
    missing = LaunchedBot(BotCommand("bot", ("/no/such/program",)), Limits())
    missing.sandbox = Sandbox("bwrap")
    missing.freeze()
    assert not missing.is_frozen
    assert missing.cpu_seconds is None
    assert missing.roots == set()


@pytest.mark.parametrize(("kind", "inside"), [("bwrap", 77), ("bwrap", None), ("none", 77)])
def test_who_gets_which_signal(
    kind: SandboxKind, inside: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a sandbox, SIGTERM goes to the bot's own group. The kernel ends all with the first one."""
    bot = launched(Group(), kind)
    assert bot.popen is not None
    pid, sent = bot.popen.pid, list[object]()
    with monkeypatch.context() as patched:
        patched.setattr(launch, "first_inside", lambda of: inside)
        patched.setattr(launch, "children", lambda of: {of + 1000})
        patched.setattr(launch, "descendants", lambda of: {of + 1000, of + 2000})
        patched.setattr(os, "killpg", lambda group, number: sent.append((group, number)))
        patched.setattr(launch, "signal_all", lambda pids, number: sent.append((pids, number)))
        own = inside if kind == "bwrap" and inside else pid
        bot.terminate()
        assert sent == [(own, signal.SIGTERM)]
        bot.kill()
        others = {pid + 1000} if kind == "bwrap" else {pid + 1000, pid + 2000}
        assert sent[1:] == [(pid, signal.SIGKILL), (others, signal.SIGKILL)]
        assert bot.cgroup.calls == ["kill"]  # type: ignore[union-attr]
        roots = {pid} if kind == "none" else {inside + 1000} if inside else set()
        assert bot.roots == roots
    ended(bot)
    bot.sandbox = Sandbox(kind)
    monkeypatch.delattr(os, "killpg")  # its id may belong to another process now
    monkeypatch.delattr(launch, "signal_all")
    bot.terminate()
    bot.kill()


def test_the_guardian_knows_a_group_before_it_is_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise a referee that is killed in between would leave the group behind."""
    known: list[object] = []
    begin = GUARDIAN.begin

    class Made(Group):
        folders = (str(tmp_path / "group"),)
        joining = ()

        def make(self, limits: Limits) -> None:
            assert known == [self.folders]
            known.append("made")

    monkeypatch.setattr(launch, "new_cgroup", lambda *_: Made())
    monkeypatch.setattr(GUARDIAN, "begin", lambda of: (known.append(of), begin(of)))
    bot = LaunchedBot(BotCommand("bot", ("/bin/cat",)), Limits())
    assert known[1:] == ["made"]
    bot.end()
    assert bot.cgroup.calls == ["kill", "remove"]  # type: ignore[union-attr]


# --- what has failed ------------------------------------------------------------------------------


def test_a_program_on_the_path_is_not_looked_at() -> None:
    """Its name isn't a path, so a file of this name in the folder says nothing."""
    named, path = (
        LaunchedBot(BotCommand("bot", (program,)), Limits())
        for program in ("no-such-program", "./no-such-program")
    )
    assert (named.error, path.error) == (os.strerror(errno.ENOENT), "it does not exist")


@pytest.mark.parametrize(
    ("said", "error"),
    [
        (["bwrap: execvp /x: Exec format error"], "Exec format error"),
        (["hello", "bwrap: execvp /x: Permission denied", "bwrap: x"], "Permission denied"),
        (
            ["bwrap: execvp /x: No such file or directory"],
            "the sandbox does not show a file that it needs (--sandbox-read DIR shows a folder)",
        ),
    ],
)
def test_why_a_program_does_not_start_in_a_sandbox(said: list[str], error: str) -> None:
    assert start_failure(BotCommand("bot", ("/no/such",)), said) == error


@pytest.mark.parametrize(
    ("said", "error"),
    [
        (["bwrap: Can't mount proc"], "no sandbox for bot: Can't mount proc"),
        (["execvp /x: Exec format error"], "no sandbox for bot: it was killed"),
        ([], "no sandbox for bot: it was killed"),
        (["bwrap: execvp /x: Cannot allocate memory"], "execvp /x: Cannot allocate memory"),
        (["bwrap: execvp /x: Too many open files"], "execvp /x: Too many open files"),
    ],
)
def test_a_sandbox_that_does_not_work_is_not_the_bots_fault(said: list[str], error: str) -> None:
    with pytest.raises(ShortageError, match=re.escape(error)):
        start_failure(BotCommand("bot", ("/no/such",)), said)


@pytest.mark.parametrize(
    ("exit_code", "lines", "step"),
    [
        (125, "sh: no\n{token} ulimit -n 9", "ulimit -n 9 failed: sh: no"),
        (125, "{token} ulimit -n 9", "ulimit -n 9 failed"),
        (126, "{token} ulimit -n 9", ""),
        (125, "x{token} ulimit -n 9", ""),
        (125, "ulimit -n 9", ""),
    ],
)
def test_a_step_before_the_bot_is_known_by_its_secret(
    exit_code: int, lines: str, step: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    bot = ended(launched())
    monkeypatch.setattr(bot, "peek_exit_code", lambda: exit_code)
    stderr = StderrKeeper(None)
    stderr.feed(f"{lines}\n".format(token=bot._token).encode())
    if step:
        with pytest.raises(ShortageError, match=f"^cannot start bot: {step}$"):
            bot.check_reached(stderr)
    else:
        bot.check_reached(stderr)


@pytest.mark.parametrize(
    ("code", "of_bot"), [(128, 128), (129, -1), (192, -64), (193, 193), (0, 0), (-9, -9)]
)
def test_bwrap_exits_as_a_shell_does(code: int, of_bot: int) -> None:
    assert bot_exit_code(code) == of_bot
    assert bot_exit_code(None) is None


@pytest.mark.parametrize(
    ("said", "started", "code"), [(b'{"exit-code": 3}\n', True, 3), (b"", False, None)]
)
def test_whether_a_bot_was_started_is_read_once(
    said: bytes, started: bool, code: int | None
) -> None:
    """A bot that never started has no exit code (log-format.md, 2.6)."""
    reads, writes = os.pipe()
    os.write(writes, said)
    os.close(writes)
    launched = object.__new__(LaunchedBot)
    launched._status = reads
    launched.sandbox = Sandbox("bwrap")
    launched.popen = SimpleNamespace(returncode=3)  # type: ignore[assignment]
    assert [launched.was_started(), launched.was_started()] == [started] * 2
    assert launched.exit_code == code


def test_the_first_process_inside_is_the_oldest(monkeypatch: pytest.MonkeyPatch) -> None:
    for children, first in (({7, 5}, 5), (set[int](), None)):
        monkeypatch.setattr(sandbox, "children", lambda pid, found=children: found)
        assert sandbox.first_inside(1) == first
