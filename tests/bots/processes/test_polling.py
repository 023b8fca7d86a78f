"""Waits without an event loop. What bots do meanwhile is in test_play.py and test_limits.py."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterator

import pytest

from referee.bots.command import resolve_bot
from referee.bots.processes import polling
from referee.bots.processes.launch import LaunchedBot
from referee.bots.processes.piped import PipedBot, Steps, Wait
from referee.bots.processes.polling import Poller
from referee.bots.processes.stderr import StderrKeeper
from referee.match.limits import Limits


@pytest.fixture
def bot() -> Iterator[PipedBot]:
    """A bot that says nothing."""
    code = "import signal; signal.pause()"
    argument = shlex.join([sys.executable, "-I", "-S", "-c", code])
    launched = LaunchedBot(resolve_bot(argument), Limits())
    yield PipedBot(launched, StderrKeeper(None))
    launched.end()


def test_how_late_the_referee_is_itself(bot: PipedBot, monkeypatch: pytest.MonkeyPatch) -> None:
    """tournaments.md: a time-out does not count while the referee is late."""
    times = iter([100.0, 107.0])
    monkeypatch.setattr(polling.time, "monotonic", lambda: next(times))
    late: list[float] = []
    poller = Poller([bot], late.append)
    assert poller.wait({bot: Wait(100.01, read=True)}) == {bot: True}
    assert late == [pytest.approx(6.99)]


def test_what_is_due_meanwhile_is_done(bot: PipedBot) -> None:
    calls: list[float] = []

    def steps() -> Steps[str]:
        late = yield Wait(bot.clock() + 0.2, read=True)
        return f"late: {late}, after {len(calls)} calls"

    def on_time() -> float:
        calls.append(bot.clock())
        return calls[-1] + 0.02

    results: list[str] = []
    Poller([bot]).run({bot: steps()}, lambda process, result: results.append(result), on_time)
    assert len(calls) >= 4
    assert results == [f"late: True, after {len(calls)} calls"]
