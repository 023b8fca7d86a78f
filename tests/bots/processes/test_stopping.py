"""Stopping waiting bots that have no control group and try to keep running (limits.md, 5)."""

from __future__ import annotations

import json
import os
import shlex
import signal
import sys
from collections.abc import Callable, Iterator
from functools import partial
from io import BytesIO
from pathlib import Path
from types import SimpleNamespace

import pytest

from referee.bots.bot import Failure
from referee.bots.command import BotCommand
from referee.bots.processes import cgroups, sandbox, stop_inside, stopping
from referee.bots.processes.launch import LaunchedBot, launch_bots
from referee.bots.processes.orphans import descendants
from referee.bots.processes.process import BotProcess
from referee.bots.processes.sandbox import first_inside
from referee.bots.processes.stderr import StderrKeeper
from referee.bots.processes.stopping import Stopping, _state
from referee.errors import ShortageError
from referee.match.limits import Limits
from tests.support.live import HOSTILE, until
from tests.support.marks import slow
from tests.support.sandboxed import needs_bwrap

RESTLESS = HOSTILE.with_name("restless.py")
ASKED = {"type": "player-name-request", "player_number": "player1", "version": 1}


@pytest.fixture
def start(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], LaunchedBot]]:
    """Return a function that starts a bot which computes in the given way.

    The function returns after the handshake.
    """
    monkeypatch.setattr(cgroups, "home", lambda: None)
    started: list[LaunchedBot] = []

    def begin(way: str) -> LaunchedBot:
        words = (sys.executable, "-I", "-S", str(RESTLESS), way)
        bot = LaunchedBot(BotCommand(shlex.join(words), words), Limits(), sandbox.resolve("bwrap"))
        started.append(bot)
        assert ask(bot)["type"] == "player-name-reply"
        return bot

    with launch_bots((), Limits()):
        yield begin
        for bot in started:
            bot.end()


def ask(bot: LaunchedBot) -> dict[str, object]:
    """Send a name request and return the reply."""
    assert bot.popen is not None
    assert bot.popen.stdin is not None
    assert bot.popen.stdout is not None
    bot.popen.stdin.write(json.dumps(ASKED).encode() + b"\n")
    answer: dict[str, object] = json.loads(bot.popen.stdout.readline())
    return answer


def states(bot: LaunchedBot) -> dict[int, str]:
    assert bot.popen is not None
    first = first_inside(bot.popen.pid)
    assert first is not None
    return {pid: _state(pid) for pid in descendants(first)}


def resisting(bot: LaunchedBot) -> Stopping:
    """Return a `Stopping` for the bot, before anything is stopped."""
    assert bot.popen is not None
    return Stopping(bot.popen.pid)


@needs_bwrap
@pytest.mark.parametrize(
    "way", ["chain", "timer", "forkers", *map(slow, ("burners", "wakers", "news", "leader"))]
)
def test_nothing_of_a_stopped_bot_runs(way: str, start: Callable[[str], LaunchedBot]) -> None:
    bot = start(way)
    for _ in range(2):
        bot.freeze()
        until(bot.is_stopped)
        found = states(bot)
        assert found
        assert "awake" not in found.values()
        assert bot.is_stopped()
        # The sandbox's first process may have reaped some of them.
        assert states(bot).keys() <= found.keys()
        assert bot.offence == ""
        bot.thaw()
        assert ask(bot)["name"] == "H"


@needs_bwrap
def test_one_call_from_inside_stops_a_chain(start: Callable[[str], LaunchedBot]) -> None:
    """The helper inside the sandbox also stops processes that we would miss from outside."""
    bot = start("chain")
    stopping = resisting(bot)
    for _ in range(2):
        stopping._stop_with_helper()
        until(stopping.check)
        assert "awake" not in states(bot).values()
        stopping.resume()
        assert ask(bot)["name"] == "H"
    stopping.end()


@needs_bwrap
@pytest.mark.slow
async def test_a_bot_that_disturbs_it_is_disqualified(start: Callable[[str], LaunchedBot]) -> None:
    """The bot is disqualified at once, without waiting for its reply (protocol, 9)."""
    bot = start("killers")
    bot.freeze()
    assert bot._stopping is not None
    until(bot.is_stopped)
    bot.thaw()
    while not bot.offence:
        bot._stopping._stop_with_helper()
        bot._stopping.resume()
    process = BotProcess(bot, StderrKeeper(None))
    assert process.quick_reply(0.0) is None
    assert await process.reply(0.0) == Failure(
        "kept-running", "it sent a signal to the process that was to stop its processes"
    )


@needs_bwrap
def test_a_system_that_does_not_let_the_referee_in_is_named(
    tmp_path: Path, start: Callable[[str], LaunchedBot], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The match fails without blaming the bot. If it continued, the bot would run unnoticed."""
    refused = tmp_path / "refused.py"
    refused.write_text("import sys; sys.exit('[Errno 1] Operation not permitted')")
    monkeypatch.setattr(stop_inside, "__file__", str(refused))
    stopping = resisting(start("chain"))
    stopping._stop_with_helper()
    with pytest.raises(ShortageError, match=r"of a bot that waits: .* not permitted"):
        until(stopping.check)
    stopping.end()


def test_the_program_says_why_it_cannot_enter_a_sandbox() -> None:
    """Here there is no such process."""
    helper = stopping._start_helper(2**22 + 1)
    assert helper.communicate()[1].startswith(b"[Errno 2]")


# --- without processes ----------------------------------------------------------------------------


class World:
    """The processes of a sandbox that doesn't exist.

    Attributes:
        scans: what the next looks find. The last one stays.
        states: what each process is found doing.
        done: what was done to them.
    """

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.scans: list[set[int]] = [set()]
        self.states: dict[int, str] = {}
        self.done: list[object] = []
        monkeypatch.setattr(stopping, "first_inside", lambda pid: 1)
        monkeypatch.setattr(stopping, "descendants", lambda pid, quick=False: self.look())
        monkeypatch.setattr(stopping, "_state", lambda pid: self.states.get(pid, "stopped"))
        monkeypatch.setattr(stopping, "_stop_thread", lambda pid: self.done.append(f"cancel {pid}"))
        monkeypatch.setattr(stopping, "signal_all", self.signal)
        monkeypatch.setattr(Stopping, "_stop_with_helper", lambda _: self.done.append("helper"))

    def look(self) -> set[int]:
        return {*(self.scans.pop(0) if len(self.scans) > 1 else self.scans[0])}

    def signal(self, pids: set[int], number: int) -> None:
        self.done.append((number, *sorted(pids)))


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch) -> World:
    return World(monkeypatch)


@pytest.mark.parametrize(
    ("scans", "done"),
    [
        ([set()], []),
        ([{2, 3}], [(signal.SIGSTOP, 2, 3)]),
        ([{2}, {2, 3}, {2, 3}], [(signal.SIGSTOP, 2), (signal.SIGSTOP, 3)]),
        (
            [{2}, {2, 3}, {3, 4}, {3, 4}],
            [(signal.SIGSTOP, 2), (signal.SIGSTOP, 3), (signal.SIGSTOP, 4), "helper"],
        ),
    ],
)
def test_each_process_gets_a_signal_and_the_helper_ends_a_chase(
    scans: list[set[int]], done: list[object], world: World
) -> None:
    world.scans = scans
    Stopping(9).stop()
    assert world.done == done


def stopped(world: World, *pids: int) -> Stopping:
    """Return the `Stopping` of processes that have got their signals."""
    world.scans = [{*pids}]
    found = Stopping(9)
    found.stop()
    world.done.clear()
    return found


@pytest.mark.parametrize(
    ("state", "is_stopped", "done"),
    [
        ("stopped", True, []),
        ("ended", True, []),
        ("stopping", False, []),
        ("awake", False, ["cancel 3"]),
        ("in the kernel", False, ["helper"]),  # it may be starting a process there
    ],
)
def test_what_a_process_with_a_signal_is_doing(
    state: str, is_stopped: bool, done: list[object], world: World
) -> None:
    found = stopped(world, 2, 3)
    world.states[3] = state
    assert found.check() == is_stopped
    assert world.done == done


@pytest.mark.parametrize(
    ("state", "is_stopped"), [("stopped", False), ("awake", False), ("ended", True)]
)
def test_a_process_without_a_signal_needs_the_helper(
    state: str, is_stopped: bool, world: World
) -> None:
    found = stopped(world, 2)
    world.scans, world.states[3] = [{2, 3}], state
    assert found.check() == is_stopped
    assert world.done == ([] if is_stopped else ["helper"])


def test_a_process_that_comes_while_we_look_needs_the_helper(world: World) -> None:
    found = stopped(world, 2)
    world.scans = [{2}, {2, 3}]
    assert not found.check()
    assert world.done == ["helper"]


def test_in_the_kernel_nothing_is_started_after_a_signal_for_all(world: World) -> None:
    found = stopped(world, 2)
    found._has_signalled_all = True
    world.states[2] = "in the kernel"
    assert found.check()
    found.stop()  # a later stop begins anew
    assert not found.check()


def test_ten_wake_ups_are_no_offence(world: World) -> None:
    found = stopped(world, 2)
    for number in range(11):
        assert found.offence == ""
        world.states[2] = "stopped"
        assert found.check()
        world.states[2] = "awake"
        world.done.clear()
        assert not found.check(), number
        assert world.done == [(signal.SIGSTOP, 2)]
    assert found.offence == "its processes woke up while they were stopped"


def test_a_process_that_is_about_to_stop_again_has_woken_up(world: World) -> None:
    found = stopped(world, 2)
    assert found.check()
    world.states[2] = "stopping"
    assert not found.check()
    world.states[2] = "awake"
    assert not found.check()
    assert (found._wakes, world.done) == (1, [(signal.SIGSTOP, 2)])


def test_a_process_that_has_never_stopped_has_not_woken_up(world: World) -> None:
    found = stopped(world, 2)
    world.states[2] = "stopping"
    assert not found.check()
    world.states[2] = "awake"
    assert not found.check()
    assert (found._wakes, world.done) == (0, ["cancel 2"])


def test_a_signal_that_cannot_be_sent_keeps_no_other_from_its_process(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sent = []

    def kill(pid: int, number: int) -> None:
        sent.append(pid)
        raise ProcessLookupError if pid == 2 else PermissionError

    monkeypatch.setattr(os, "kill", kill)
    stopping.signal_all([2, 3, 4], signal.SIGSTOP)
    assert sent == [2, 3, 4]


def test_the_helper_is_ended_once() -> None:
    found, done = Stopping(9), list[str]()
    kill, wait = partial(done.append, "kill"), partial(done.append, "wait")
    found._helper = SimpleNamespace(kill=kill, communicate=wait)  # type: ignore[assignment]
    for _ in range(2):  # `LaunchedBot.end` may be called again
        found.end()
    assert done == ["kill", "wait"]


def test_all_are_resumed(world: World) -> None:
    found = stopped(world, 2, 3)
    found.resume()
    assert world.done == [(signal.SIGCONT, 2, 3)]


@pytest.mark.parametrize(
    ("answer", "is_there", "offence"),
    [
        (stop_inside.DONE, True, ""),
        (
            stop_inside.DISTURBED,
            True,
            "it sent a signal to the process that was to stop its processes",
        ),
        (b"", False, ""),  # the sandbox has ended meanwhile
    ],
)
def test_the_helper_is_waited_for_before_all_are_resumed(
    answer: bytes, is_there: bool, offence: str, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its SIGSTOP mustn't come after the SIGCONT."""
    found = stopped(world, 2)
    helper = SimpleNamespace(stdout=BytesIO(answer), stderr=BytesIO(b"refused"))
    found._helper, found._is_under_way = helper, True  # type: ignore[assignment]
    if not is_there:
        monkeypatch.setattr(stopping, "first_inside", lambda pid: None)
    found.resume()
    assert helper.stdout.read() == b""
    assert found.offence == offence
    assert world.done == [(signal.SIGCONT, 2) if is_there else (signal.SIGCONT,)]
    found.resume()  # it isn't waited for again
    if is_there:
        found._is_under_way = True
        with pytest.raises(ShortageError, match=r"cannot stop the processes of .*: refused$"):
            found.resume()


def test_after_the_helper_has_answered_all_have_a_signal(world: World) -> None:
    """So nothing is started any more, whatever waits in the kernel."""
    found = stopped(world, 2)
    world.scans, world.states = [{2, 3}], {3: "in the kernel"}
    reader, writer = os.pipe()
    with open(reader, "rb", buffering=0) as answers, open(writer, "wb", buffering=0) as helper:
        found._helper = SimpleNamespace(stdout=answers)  # type: ignore[assignment]
        found._is_under_way = True
        assert not found.check()
        helper.write(stop_inside.DONE)
        assert found.check()
    assert world.done == []


@pytest.mark.parametrize(("states", "chosen"), [("DSS", 11), ("SSD", 10), ("DD", None), ("", None)])
def test_a_pending_signal_is_given_to_a_thread_that_can_take_it(
    states: str, chosen: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent: list[object] = []
    threads = dict(enumerate(states, 10))
    monkeypatch.setattr(stopping, "_threads", lambda pid: [*threads])
    monkeypatch.setattr(stopping, "stat_fields", lambda pid: [threads[pid].encode(), b"1"])
    monkeypatch.setattr(stopping, "signal_all", lambda pids, number: sent.append((pids, number)))
    stopping._stop_thread(2)
    expected = [] if chosen is None else [([2], signal.SIGCONT), ([chosen], signal.SIGSTOP)]
    assert sent == expected


@pytest.mark.parametrize(
    ("threads", "state"),
    [
        ("S", "awake"),
        ("R", "awake"),
        ("ST", "stopping"),
        ("T", "stopped"),
        ("tT", "stopped"),
        ("D", "in the kernel"),
        ("DT", "in the kernel"),
        ("DS", "awake"),
        ("Z", "ended"),
        ("", "ended"),
    ],
)
def test_the_state_of_a_process_is_that_of_its_threads(
    threads: str, state: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stopping, "_threads", lambda pid: [*threads])
    monkeypatch.setattr(stopping, "stat_fields", lambda thread: [thread.encode(), b"1"])
    assert _state(2) == state
