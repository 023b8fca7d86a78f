"""All bots are killed when the referee dies, even by SIGKILL (8.4)."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
from types import SimpleNamespace

import pytest

from referee.bots.command import BotCommand
from referee.bots.processes import guardian
from referee.bots.processes.guardian import GUARDIAN, Guardian
from referee.bots.processes.launch import LaunchedBot
from referee.bots.processes.orphans import children
from referee.errors import ShortageError
from referee.match.limits import Limits
from tests.support.live import await_end, left_behind
from tests.support.marks import slow

STAYS = "import signal; print('up', flush=True); signal.pause()"
"""A bot that ignores the end of its input."""
REFEREE = f"""
import os, sys
from referee.bots.command import BotCommand
from referee.bots.processes.launch import LaunchedBot
from referee.match.limits import Limits
words = [sys.executable, "-I", "-S", "-c", {STAYS!r}]
wrapped = ["/bin/sh", "-c", '"$@"; true', "sh", *words]
bots = [LaunchedBot(BotCommand("bot", argv), Limits()) for argv in (words, wrapped, words)]
bots[2].end()
for bot in bots[:2]:
    os.read(bot.pipes[1], 10)
print("up", flush=True)
os.read(0, 1)
"""


def pause() -> LaunchedBot:
    return LaunchedBot(BotCommand("bot", (sys.executable, "-I", "-S", "-c", STAYS)), Limits())


@pytest.mark.parametrize("number", [signal.SIGKILL, slow(signal.SIGQUIT), slow(signal.SIGIO)])
def test_bots_end_with_a_referee_that_is_killed(number: int) -> None:
    """One bot runs below a shell: it's in the shell's process group, but it isn't our child."""
    referee = subprocess.Popen(
        [sys.executable, "-c", REFEREE], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert referee.stdout is not None
    assert referee.stdin is not None
    assert referee.stdout.readline() == b"up\n"
    bots = children(referee.pid)
    below = set().union(*(children(bot) for bot in bots))
    assert len(bots) == 3  # two bots and the guardian
    assert len(below) == 1
    referee.send_signal(number)
    assert referee.wait(20) == -number
    referee.stdin.close()
    referee.stdout.close()
    for pid in bots | below:
        await_end(pid)
    assert left_behind() == []


def test_it_is_there_while_there_is_a_bot() -> None:
    before = children()
    one, other = pause(), pause()
    assert len(children() - before) == 3
    one.end()
    assert len(children() - before) == 2
    other.end()
    other.end()
    assert children() == before


def test_a_bot_that_cannot_be_started_does_not_keep_it() -> None:
    before = children()
    bot = LaunchedBot(BotCommand("bot", ("/no/such/program",)), Limits())
    assert "does not exist" in bot.error
    bot.end()
    assert children() == before


def test_who_kills_it_harms_no_match() -> None:
    before = children()
    bot = pause()
    (shell,) = children() - before - {bot.popen.pid if bot.popen else 0}
    os.kill(shell, signal.SIGKILL)
    other = pause()
    for each in (bot, other):
        assert os.read(each.pipes[1], 10) == b"up\n"
        each.end()
    assert children() == before


def test_a_stopped_one_is_not_waited_for_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guardian, "STOP_SECONDS", 0.01)
    watching = Guardian()
    before = children()
    watching.begin()
    (shell,) = children() - before
    os.kill(shell, signal.SIGSTOP)
    watching.end(None)
    assert children() == before


class Group:
    """Stands in for a control group. It can be removed once `is_empty` is set."""

    is_empty = False

    def __init__(self, *folders: str) -> None:
        self.folders = folders

    def remove(self) -> bool:
        return self.is_empty


def test_the_shell_is_told_what_to_kill_and_what_to_remove(monkeypatch: pytest.MonkeyPatch) -> None:
    """The last line counts, so each line has everything."""
    reader, writer = os.pipe()
    os.set_blocking(reader, False)
    shell = SimpleNamespace(pid=7, stdin=open(writer, "wb", 0), wait=lambda seconds: None)
    monkeypatch.setattr(guardian.subprocess, "Popen", lambda *_, **__: shell)

    def lines() -> list[set[str]]:
        try:
            return [{*line.split()} for line in os.read(reader, 4096).decode().splitlines()]
        except BlockingIOError:
            return []

    watching = Guardian()
    watching.begin(["/a", "/b"])
    assert lines() == [{"/a", "/b"}]
    watching.watch(11)
    watching.begin()
    assert lines() == [{"-11", "/a", "/b"}]
    watching.watch(12)
    assert lines() == [{"-11", "-12", "/a", "/b"}]
    assert watching.processes == {7, 11, 12}
    group = Group("/a", "/b")
    watching.end(11, group)  # type: ignore[arg-type]
    assert lines() == [{"-12", "/a", "/b"}]  # a process in it hasn't ended yet
    group.is_empty = True
    watching.begin()
    watching.watch(13)
    assert lines() == [{"-12", "-13"}]
    watching.begin()
    watching.end(None)  # it couldn't be started
    watching.end(12)
    assert lines() == [{"-13"}]
    watching.end(13, Group("/c"))  # type: ignore[arg-type]
    assert watching.processes == set()
    assert shell.stdin.closed
    assert os.read(reader, 4096).decode().splitlines()[-1].split() == ["-13"]
    os.close(reader)


@pytest.mark.parametrize("code", [errno.EMFILE, errno.ENFILE, errno.EAGAIN, errno.ENOMEM])
@pytest.mark.parametrize("first", [True, False])
def test_a_shortage_is_no_fault_of_the_bot(
    code: int, first: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The failing process may be the guardian or the bot itself."""
    popen = subprocess.Popen
    calls = 0

    def short(*arguments: object, **options: object) -> object:
        nonlocal calls
        calls += 1
        if first or calls > 1:
            raise OSError(code, os.strerror(code))
        return popen(*arguments, **options)  # type: ignore[call-overload]

    before = children()
    monkeypatch.setattr(subprocess, "Popen", short)
    with pytest.raises(ShortageError, match="cannot start"):
        pause()
    assert GUARDIAN._users == 0
    assert children() == before
