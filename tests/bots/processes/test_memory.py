"""Measuring the memory of bots that aren't in a control group (limits.md, 2)."""

from __future__ import annotations

import pytest

from referee.bots.command import BotCommand, find_bot
from referee.bots.processes import cgroups, sandbox
from referee.bots.processes.launch import LaunchedBot
from referee.bots.processes.memory import memory_watch
from referee.match.limits import MIB, Limits
from referee.match.sandbox import NO_SANDBOX
from tests.support.live import hostile
from tests.support.sandboxed import needs_bwrap

HANDSHAKE = b'{"type":"player-name-request","player_number":"player1"}\n'
REQUEST = b'{"type":"play-turn","buys":0}\n'


def seen(kind: str, mib: int, limit: float, where: str = "bwrap") -> str:
    """Let a bot take memory of this kind. Return the message if it exceeds `limit`, else ""."""
    bot = find_bot(hostile("take_as", f"{kind} {mib}"), "dominion")
    assert isinstance(bot, BotCommand)
    limits = Limits(memory_limit=limit * MIB, open_file_limit=400)
    launched = LaunchedBot(bot, limits, sandbox.resolve(where))
    try:
        assert launched.popen is not None
        assert launched.popen.stdin is not None
        assert launched.popen.stderr is not None
        launched.popen.stdin.write(HANDSHAKE + REQUEST)
        assert launched.popen.stderr.readline() == b"taken\n"
        assert launched.memory is not None
        return launched.memory.exceeded(launched.roots)
    finally:
        launched.end()


@pytest.fixture(autouse=True)
def no_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cgroups, "home", lambda: None)


@needs_bwrap
@pytest.mark.parametrize(
    "kind", ["shared", "let-go", "memfd", "children", "files", "tcp", "udp", "unix"]
)
def test_memory_of_each_kind_is_counted(kind: str) -> None:
    assert seen(kind, 40, 30).endswith(" MiB of memory (at most 30 MiB)")


@needs_bwrap
def test_memory_that_processes_share_counts_once() -> None:
    """If we added up the nine processes, the same memory would count nine times."""
    assert seen("once", 20, 80) == ""


@pytest.mark.parametrize("kind", ["shared", "memfd", "children"])
def test_it_is_counted_without_a_sandbox_as_well(kind: str) -> None:
    assert seen(kind, 40, 30, "none") != ""


def test_nobody_looks_where_nothing_is_limited() -> None:
    assert memory_watch(Limits(), NO_SANDBOX, None) is None
