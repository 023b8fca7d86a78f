"""The environment of a bot's process (protocol-v1, 8.5)."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from referee.bots.command import BotCommand
from referee.bots.processes.launch import LaunchedBot
from referee.match.limits import Limits

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
