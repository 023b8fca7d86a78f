"""The process of a single bot: writing to it, waiting for replies, killing it, and its stderr."""

from __future__ import annotations

import itertools
import os
import select
import shlex
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import trio

from referee.bots.bot import Failure
from referee.bots.command import resolve_bot
from referee.bots.process_report import TimeoutObservation
from referee.bots.processes import process as module
from referee.bots.processes.cpu import Usage
from referee.bots.processes.guardian import GUARDIAN
from referee.bots.processes.launch import LaunchedBot
from referee.bots.processes.process import BotProcess
from referee.bots.processes.stderr import END_CAP, StderrKeeper
from referee.errors import ProtocolMisuseError
from referee.logs.files import open_logs
from referee.match.limits import MIB, Limits
from referee.match.result import Stderr
from referee.match.sandbox import NO_SANDBOX

NAMELESS = signal.SIGRTMIN + 6
"""A signal without a name in Python.

We can't use 32 or 33: they belong to the C library, and a program that was started with
`posix_spawn` ignores them.
"""
MORE_THAN_A_PIPE_HOLDS = b"x" * 1_000_000 + b"\n"


def python(code: str) -> str:
    return shlex.join([sys.executable, "-I", "-S", "-c", code])


async def ask(code: str, request: bytes, seconds: float = 0.4) -> bytes | Failure:
    """Start a program, send it a request, and return its reply."""
    launched = LaunchedBot(resolve_bot(python(code)), Limits())
    process = BotProcess(launched, StderrKeeper(None))
    process.push(request)
    answer = await process.reply(trio.current_time() + seconds)
    await process.kill()
    return answer


async def test_a_line_in_drips_gets_no_more_time() -> None:
    drips = "for _ in range(60_000): os.write(1, b'x'); sum(range(1000))"  # takes at least a second
    answer = await ask(f"import os\n{drips}\nprint(flush=True); input()", b"request\n", 0.1)
    assert answer == Failure("timeout", "no reply in time")


async def test_blank_lines_get_no_more_time() -> None:
    drips = "while True: os.write(1, b' \\n'); time.sleep(0.005)"  # too slow for the output limit
    answer = await ask(f"import os, time\n{drips}", b"request\n")
    assert answer == Failure("timeout", "no reply in time")


async def test_a_bot_that_writes_and_never_reads_is_over_its_limit() -> None:
    code = "import os\nwhile True: os.write(1, b'[]\\n' * 1000)"
    answer = await ask(code, MORE_THAN_A_PIPE_HOLDS, 20)
    assert isinstance(answer, Failure)
    assert answer.code == "output-limit"


async def test_a_bot_whose_child_holds_stdin_while_it_is_written_to() -> None:
    code = (
        "import os, subprocess, sys\n"
        "subprocess.Popen([sys.executable, '-c', 'import signal; signal.pause()'])\n"
        "os._exit(4)"
    )
    answer = await ask(code, MORE_THAN_A_PIPE_HOLDS, 20)
    assert answer == Failure("exited", "its process ended with exit code 4")


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSEGV, NAMELESS])
async def test_every_signal_that_ends_a_bot_is_named(number: int) -> None:
    """The code is always `exited`, and the detail names the signal (8.2)."""
    code = f"import os, signal; os.kill(os.getpid(), {number}); signal.pause()"
    names = {known.value: known.name for known in signal.Signals}
    name = names.get(number, f"signal {number}")
    assert await ask(code, b"", 20) == Failure("exited", f"its process was ended by {name}")


async def test_a_signal_that_leaves_a_core_dump_is_named(tmp_path: Path) -> None:
    dump = f"cd {shlex.quote(str(tmp_path))}; ulimit -c $(ulimit -Hc); kill -SEGV $$"
    code = f"import os; os.execl('/bin/sh', 'sh', '-c', {dump!r})"
    assert await ask(code, b"", 20) == Failure("exited", "its process was ended by SIGSEGV")


async def test_what_a_bot_has_started_is_killed_with_it() -> None:
    """Even a child in another session is killed at once (8.3)."""
    code = """
import os, signal, subprocess, sys
pause = "import signal; signal.pause()"
child = subprocess.Popen([sys.executable, "-I", "-S", "-c", pause], start_new_session=True)
print(child.pid, flush=True)
signal.pause()
"""
    process = BotProcess(LaunchedBot(resolve_bot(python(code)), Limits()), StderrKeeper(None))
    pid = await process.reply(trio.current_time() + 20)
    assert isinstance(pid, bytes)
    child = os.pidfd_open(int(pid))
    await process.kill()
    with trio.fail_after(20):
        await trio.lowlevel.wait_readable(child)  # readable when the child has exited
    os.close(child)


@pytest.mark.parametrize("writes", [True, False])
async def test_the_last_line_is_finished_within_the_grace_period(writes: bool) -> None:
    """A bot may close its stdout when it has nothing more to say."""
    code = f"""
import os, sys
{writes} or os.close(1)
data = sys.stdin.buffer.read()
sys.exit(len(data) == 1_000_001)
"""
    process = BotProcess(LaunchedBot(resolve_bot(python(code)), Limits()), StderrKeeper(None))
    if not writes:
        assert isinstance(await process.reply(trio.current_time() + 20), Failure)
    process.push(MORE_THAN_A_PIPE_HOLDS)
    await process.finish(20)
    assert process.launched.exit_code == 1


async def test_ending_twice_is_safe() -> None:
    process = BotProcess(
        LaunchedBot(resolve_bot(python("import signal; signal.pause()")), Limits()),
        StderrKeeper(None),
    )
    assert process.launched.peek_exit_code() is None  # launching doesn't wait for it
    await process.kill()
    await process.kill()
    process.launched.end()
    assert process.launched.exit_code == -9
    process.push(b"to nobody\n")


async def test_ending_one_that_does_not_end_does_not_hold_up_others(
    monkeypatch: pytest.MonkeyPatch, autojump_clock: trio.abc.Clock
) -> None:
    """A process can be stuck in the kernel. We wait for it for a few seconds and then give up."""
    launched = LaunchedBot(resolve_bot(python("import signal; signal.pause()")), Limits())
    process = BotProcess(launched, StderrKeeper(None))
    with monkeypatch.context() as patched:
        patched.setattr(LaunchedBot, "kill", lambda self: None)
        ticks = 0
        async with trio.open_nursery() as nursery:
            nursery.start_soon(process.kill)
            for _ in range(3):
                await trio.sleep(1)
                ticks += process.exit_code is None
    assert ticks == 3
    assert process.exit_code is None
    assert launched.popen is not None
    assert launched.popen.pid in GUARDIAN.processes  # it's killed if the referee dies
    launched.end()
    assert launched.exit_code == -9


def test_a_bot_that_was_not_started_has_no_pipes(tmp_path: Path) -> None:
    program = tmp_path / "program"
    program.write_text("nonsense")
    program.chmod(0o755)
    launched = LaunchedBot(resolve_bot(str(program)), Limits())
    with pytest.raises(ProtocolMisuseError):
        _ = launched.pipes
    launched.end()
    assert launched.exit_code is None


def test_stderr_is_kept_up_to_a_cap(tmp_path: Path) -> None:
    (file,) = open_logs([str(tmp_path / "stderr")])
    keeper = StderrKeeper(file, limit=100_000)
    keeper.feed(b"a" * 99_990)
    keeper.feed(b"b" * 100)
    keeper.feed(b"\nthe end\n")
    cut = b"b" * 10 + b"\n[cut here by the referee: 100000 bytes kept]\n"
    assert (tmp_path / "stderr").read_bytes() == b"a" * 99_990 + cut
    assert keeper.lines(1).lines[-1] == "the end"
    assert len("".join(keeper.lines(10**6).lines)) <= 2 * END_CAP
    keeper.close()


def test_a_full_disk_under_stderr_is_given_up() -> None:
    keeper = StderrKeeper(open_logs(["/dev/full"])[0])
    keeper.feed(b"lost\n")
    keeper.feed(b"kept\n")
    assert keeper.lines(2).lines == ["lost", "kept"]


def test_last_lines_are_safe_to_print() -> None:
    keeper = StderrKeeper(None)
    keeper.feed(b"\x1b[2J\x1b]0;title\x07\r\n\xff tab\there\x9b\n")
    lines = keeper.lines(5).lines
    assert len(lines) == 2
    assert not any(ord(char) < 32 and char != "\t" for line in lines for char in line)


@pytest.mark.parametrize(
    ("size", "count"),
    [
        *itertools.product([1, 7, 4096], [0, 1, 15, 16, 17, 18]),
        *[(1, 3000), (4096, 30_000), (10**6, 30_000)],
    ],
)
def test_both_ends_of_stderr_are_kept(count: int, size: int) -> None:
    """Node and Java name the error first, Python names it last."""
    keeper = StderrKeeper(None)
    text = b"".join(b"line %d\n" % number for number in range(count))
    for start in range(0, len(text), size):
        keeper.feed(text[start : start + size])
    stderr = keeper.lines(8)
    lines = [f"line {number}" for number in range(count)]
    if count <= 16:
        assert stderr == Stderr(lines)
    else:
        left_out = "1 line" if count == 17 else f"{count - 16} lines"
        gap = f"... {left_out} left out"
        assert stderr == Stderr([*lines[:8], gap, *lines[-8:]], count - 16)
    assert keeper.says(b"line 0\n") == keeper.says(b"line %d\n" % (count - 1)) == (count > 0)


def test_a_line_left_out_between_the_ends_of_stderr_is_counted() -> None:
    keeper = StderrKeeper(None)
    keeper.feed(b"a" * (END_CAP - 1) + b"\n" + b"gone\n" + b"z" * END_CAP)
    assert keeper.lines(2).omitted == 1


# --- without a process ----------------------------------------------------------------------------


class Pipes:
    """Stands in for a `LaunchedBot`. The test has the bot's ends of the pipes.

    Attributes:
        calls: what the referee did to the process, and the time on trio's clock.
    """

    memory: Any = None

    def __init__(
        self, limits: Limits, *, is_kept: bool = False, cpu: float = 0.0, earlier: int = 0
    ) -> None:
        (self.stdin, to_bot), (from_bot, self.stdout), (from_stderr, self.stderr) = (
            os.pipe() for _ in range(3)
        )
        self.pipes = to_bot, from_bot, from_stderr
        self._open = {*self.pipes, self.stdin, self.stdout, self.stderr}
        self.popen = SimpleNamespace(pid=os.getpid())  # has not ended
        self.exit_code: int | None = None
        self.limits = limits
        self.last_stderr = StderrKeeper(None) if is_kept else None
        self.started = 5.0
        self.cpu_seconds = cpu
        self.oom_kills = self.refused_forks = earlier
        self.offence = self.folder = ""
        self.roots = set[int]()
        self.command = resolve_bot("minimal")
        self.sandbox = NO_SANDBOX
        self.calls: list[tuple[str, float]] = []

    def peek_exit_code(self) -> int | None:
        return self.exit_code

    def was_started(self) -> bool:
        return True

    def check_reached(self, stderr: StderrKeeper) -> None: ...

    def writes(self, data: bytes) -> None:
        os.write(self.stdout, data)

    def close(self, *fds: int) -> None:
        for fd in self._open.intersection(fds or self._open):
            self._open.remove(fd)
            os.close(fd)

    def close_stdin(self) -> None:
        self.close(self.pipes[0])
        self.calls.append(("close stdin", trio.current_time()))

    def terminate(self) -> None:
        self.calls.append(("terminate", trio.current_time()))

    def kill(self) -> None:
        self.calls.append(("kill", trio.current_time()))
        self.exit_code = -9

    def reap(self) -> None: ...

    def close_pipes(self) -> None:
        self.close(*self.pipes)


@pytest.fixture
def piped() -> Iterator[Callable[..., tuple[Pipes, BotProcess]]]:
    """Return a function that makes a process without a process."""
    made: list[Pipes] = []

    def new(
        limits: Limits | None = None, look_seconds: float = 0.0, **others: Any
    ) -> tuple[Pipes, BotProcess]:
        made.append(Pipes(limits or Limits(), **others))
        return made[-1], BotProcess(made[-1], StderrKeeper(None), look_seconds)  # type: ignore[arg-type]

    yield new
    for each in made:
        each.close()


@pytest.fixture
def monotonic(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Return a list whose one item is the time on the clock of the system."""
    now = [1000.0]
    monkeypatch.setattr(module, "time", SimpleNamespace(monotonic=lambda: now[0]))
    return now


LATER = 1e9  # a deadline that no test reaches


@pytest.mark.parametrize(("used", "is_over"), [(105.0, False), (105.1, True)])
async def test_only_the_cpu_time_of_this_match_counts(
    used: float, is_over: bool, piped: Any, monotonic: list[float]
) -> None:
    """A kept bot has used some in its earlier matches (1.3)."""
    launched, process = piped(Limits(cpu_limit=5), is_kept=True, cpu=100.0)
    launched.cpu_seconds = used
    monotonic[0] += 1000
    process.push(b"request\n")
    launched.writes(b"{}\n")
    answer = await process.reply(LATER)
    over = Failure("cpu-limit", "it has used 5.1 s of CPU time (5 s a match)")
    assert answer == (over if is_over else b"{}")
    process.has_ended = True
    assert process._cpu_exceeded() is None


async def test_the_cpu_time_is_looked_at_when_it_may_be_over(
    piped: Any, monotonic: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    """With two cores, 5 s of CPU time take 2.5 s. Later it's looked at every 0.02 s."""
    monkeypatch.setattr(module, "_CORES", 2)
    launched, process = piped(Limits(cpu_limit=5), is_kept=True, cpu=100.0)
    process.push(b"request\n")
    for now, used, looks in [(2.4, 9.0, False), (2.5, 4.99, True), (2.51, 9.0, False)]:
        launched.cpu_seconds = 100 + used
        monotonic[0] = 1000 + now
        launched.writes(b"{}\n")
        quick = process.quick_reply(0)
        assert quick == (None if looks else b"{}")
        assert quick or await process.reply(LATER) == b"{}"
    launched.writes(b"{}\n")
    monotonic[0] = 1000 + 2.53
    assert process.quick_reply(0) is None
    answer = await process.reply(LATER)
    assert isinstance(answer, Failure)
    assert answer.code == "cpu-limit"


async def test_a_bot_that_only_computes_is_out_when_its_cpu_time_is_used(
    piped: Any, autojump_clock: trio.abc.Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Long before the time limit."""
    monkeypatch.setattr(module, "_CORES", 2)
    monkeypatch.setattr(module, "time", SimpleNamespace(monotonic=trio.current_time))
    launched, process = piped(Limits(cpu_limit=5))
    launched.cpu_seconds = 5.1
    began = trio.current_time()
    answer = await process.reply(began + 60)
    assert answer == Failure("cpu-limit", "it has used 5.1 s of CPU time (5 s a match)")
    assert trio.current_time() == pytest.approx(began + 2.5)


async def test_a_look_at_the_cpu_time_ends_no_reply(
    piped: Any,
    monotonic: list[float],
    autojump_clock: trio.abc.Clock,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The referee looks after each 2.5 s."""
    monkeypatch.setattr(module, "_CORES", 2)
    launched, process = piped(Limits(cpu_limit=5))

    async def write_later() -> None:
        await trio.sleep(4)
        launched.writes(b"{}\n")

    async with trio.open_nursery() as nursery:
        nursery.start_soon(write_later)
        assert await process.reply(trio.current_time() + 9) == b"{}"
    began = trio.current_time()
    assert await process.reply(began + 9) == Failure("timeout", "no reply in time")
    assert trio.current_time() == pytest.approx(began + 9)


@pytest.mark.parametrize("is_kept", [True, False])
def test_only_a_new_process_has_started_for_this_match(is_kept: bool, piped: Any) -> None:
    """The time for the handshake of a kept bot begins with the request (3.4)."""
    _, process = piped(is_kept=is_kept)
    assert process.started == (None if is_kept else 5.0)
    process.quick_reply(0)
    assert process.started is None


@pytest.mark.parametrize("line", [b"\v", b"\f", b"\xc2\xa0", b"\x00"])
async def test_only_the_white_space_of_json_makes_a_line_blank(line: bytes, piped: Any) -> None:
    launched, process = piped()
    launched.writes(b" \t\r\n\n\r\n" + line + b"\n")
    assert await process.reply(LATER) == line


async def test_a_reply_that_is_there_counts_however_late_the_referee_looks(piped: Any) -> None:
    """The time limit is over, but a complete line was already in the pipe (8.1)."""
    launched, process = piped()
    launched.writes(b"in time\nhalf")
    over = trio.current_time() - 100
    assert await process.reply(over) == b"in time"
    assert await process.reply(over) == Failure("timeout", "no reply in time")


LONG = b"x" * 41 + b"\n"


@pytest.mark.parametrize(
    ("early", "queue", "answers"),
    [
        (LONG, 30, ["a line of more than 40 bytes"]),
        (b"right\n" + LONG, 30, ["more than 30 bytes that no request asked for"]),
        (b"right\n" + LONG, 99, [b"right", "a line of more than 40 bytes"]),
        (b"right\n" + LONG[-31:], 30, ["more than 30 bytes that no request asked for"]),
        (b"right\n" + LONG[-30:], 30, [b"right", LONG[-30:-1]]),
    ],
)
async def test_a_long_line_that_is_early_is_noticed_at_the_next_request(
    early: bytes, queue: int, answers: list[bytes | str], piped: Any
) -> None:
    """Earlier replies still count, unless more output than allowed comes after them (1.3)."""
    launched, process = piped(Limits(line_limit=40, queue_limit=queue))
    launched.writes(b"first\n")
    assert await process.reply(LATER) == b"first"
    process.push(b"news\n")
    launched.writes(early)
    assert process.unfinished == b""  # the referee hasn't read it yet
    for answer in answers:
        said = Failure("output-limit", answer) if isinstance(answer, str) else answer
        assert await process.reply(LATER) == said


async def test_what_waits_in_the_pipe_counts_with_the_next_reply(piped: Any) -> None:
    """Even if that reply was read before (1.3)."""
    launched, process = piped(Limits(queue_limit=30))
    launched.writes(b"1\n2\n")
    assert await process.reply(LATER) == b"1"
    launched.writes(b"x" * 31)
    over = Failure("output-limit", "more than 30 bytes that no request asked for")
    assert await process.reply(LATER) == over


async def test_replies_that_were_written_ahead_come_in_order(piped: Any) -> None:
    launched, process = piped()
    launched.writes(b"1\n2\n")
    assert await process.reply(LATER) == b"1"
    launched.writes(b"{}\n")
    assert process.quick_reply(0) is None
    assert [await process.reply(LATER), await process.reply(LATER)] == [b"2", b"{}"]
    assert process.has_answered


async def test_the_memory_is_looked_at_when_that_is_due(
    piped: Any, monotonic: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Even if the CPU time isn't. A process that has ended has no memory."""
    memory = SimpleNamespace(look_at=1010.0, exceeded=lambda roots: "it has used a lot")
    monkeypatch.setattr(Pipes, "memory", memory)
    launched, process = piped(Limits(cpu_limit=1000))
    launched.writes(b"{}\n")
    assert process.quick_reply(0) == b"{}"
    monotonic[0] = 1010.0
    launched.writes(b"{}\n")
    assert process.quick_reply(0) is None
    assert await process.reply(LATER) == Failure("memory-limit", "it has used a lot")
    memory.look_at, memory.exceeded = 1010.0, None
    launched.exit_code = 3
    await process._note_end()
    assert await process.reply(LATER) == b"{}"
    assert await process.reply(LATER) == Failure("exited", "its process ended with exit code 3")


@pytest.mark.parametrize(
    ("said", "limit", "why"),
    [
        (b"bwrap: execvp /x: Exec format error\n", 5, "Exec format error"),
        (b"", 5, "the sandbox was killed; --memory-limit 5 is probably too low (5 bytes): give 64"),
    ],
)
async def test_why_a_bot_did_not_start_in_its_sandbox(
    said: bytes, limit: int, why: str, piped: Any
) -> None:
    launched, process = piped(Limits(memory_limit=limit))
    launched.was_started = lambda: False
    launched.exit_code = 1
    os.write(launched.stderr, said)
    failure = await process.reply(LATER)
    assert failure.code == "failed-to-start"
    assert failure.detail.startswith(why)
    assert process.stderr.lines(1).lines == []  # the bot hasn't written it


async def test_an_exit_between_two_requests_is_noticed(
    piped: Any, autojump_clock: trio.abc.Clock
) -> None:
    launched, process = piped()
    launched.exit_code = 3
    with trio.move_on_after(1):
        await process.attend()
    assert process.has_ended


async def test_killing_waits_for_the_end_but_not_for_ever(
    piped: Any, autojump_clock: trio.abc.Clock
) -> None:
    launched, _ = piped()
    began = trio.current_time()
    launched.kill = lambda: launched.calls.append(("kill", began))  # it hangs in the kernel
    await module.kill(launched)
    assert trio.current_time() == pytest.approx(began + 5)
    launched.exit_code = -9
    await module.kill(launched)
    assert trio.current_time() == pytest.approx(began + 5)
    assert names(launched) == ["kill", "kill"]


async def test_a_kill_cannot_be_cancelled(piped: Any) -> None:
    launched, process = piped()
    with trio.CancelScope() as scope:
        scope.cancel()
        await process.kill()
    assert "kill" in names(launched)
    assert process.is_closed


async def test_half_a_reply_is_completed_later(piped: Any) -> None:
    launched, process = piped()
    launched.writes(b'{"a":')
    assert process.quick_reply(0) is None
    launched.writes(b"1}\n")
    assert await process.reply(LATER) == b'{"a":1}'


async def test_only_what_a_kept_bot_wrote_before_the_match_is_dropped(piped: Any) -> None:
    launched, process = piped(is_kept=True)
    launched.writes(b"\n")
    process.push(b"request\n")
    launched.writes(b"{}\n")
    assert process.quick_reply(0) == b"{}"  # nothing is left before it
    process.push(b"request\n")
    launched.writes(b"1\n2\n")
    assert await process.reply(LATER) == b"1"
    process.push(b"request\n")
    assert await process.reply(LATER) == b"2"


@pytest.mark.parametrize("is_quick", [True, False])
async def test_stderr_before_a_reply_is_recorded_before_it(is_quick: bool, piped: Any) -> None:
    launched, process = piped()
    noted: list[object] = []
    process.stderr.recorded = SimpleNamespace(feed=noted.append, mark=lambda: noted.append("reply"))
    os.write(launched.stderr, b"thinking\n")
    launched.writes(b"{}\n")
    assert (process.quick_reply(0) if is_quick else await process.reply(LATER)) == b"{}"
    assert noted == [b"thinking\n", "reply"]
    assert (process.has_answered, process.started) == (True, None)


async def test_stderr_is_read_once_more_after_the_end(piped: Any) -> None:
    """Nobody attended to the bot when it wrote its last words and exited."""
    launched, process = piped()
    process.has_ended = True
    os.write(launched.stderr, b"last words\n")
    await process.kill()
    assert process.stderr.lines(1).lines == ["last words"]


async def test_a_bot_that_closes_its_input_before_it_has_read_it_may_still_reply(
    piped: Any, autojump_clock: trio.abc.Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """That's no fault of its own (8.2). The rest of its lines is dropped."""
    launched, process = piped()
    fill(process)
    launched.close(launched.stdin)
    tries = 0
    write = process._write_outgoing

    def counted() -> None:
        nonlocal tries
        tries += 1
        assert tries < 100, "it tries for ever"
        write()

    monkeypatch.setattr(process, "_write_outgoing", counted)
    launched.writes(b"{}\n")
    assert await process.reply(trio.current_time() + 9) == b"{}"
    assert await process.reply(trio.current_time() + 9) == Failure("timeout", "no reply in time")
    process.push(b"to nobody\n")
    assert process.has_read


def fill(process: BotProcess) -> int:
    """Send more than the pipe holds. Return how many bytes were sent."""
    lines = b"x" * 99_999 + b"\n"
    process.push(lines)
    assert process._outgoing
    return len(lines)


async def test_a_reply_comes_after_the_whole_request(
    piped: Any, autojump_clock: trio.abc.Clock
) -> None:
    """What doesn't fit into the pipe is handed over first (8.1)."""
    launched, process = piped()
    size = fill(process)
    launched.writes(b"{}\n")
    assert process.quick_reply(0) is None
    timeout = Failure("timeout", "it did not read its standard input in time")
    assert await process.reply(trio.current_time() + 9) == timeout
    assert not process.has_read
    read = len(os.read(launched.stdin, 10**6))
    assert not process.has_read  # the rest isn't in the pipe yet
    assert await process.reply(trio.current_time() + 9) == b"{}"
    assert read + len(os.read(launched.stdin, 10**6)) == size
    assert process.has_read
    process.push(b"news\n")
    assert not process.has_read


def test_later_lines_wait_behind_those_that_did_not_fit(piped: Any) -> None:
    launched, process = piped()
    size = fill(process)
    read = os.read(launched.stdin, 10**6)  # now there's room again
    process.push(b"second\n")
    rest = os.read(launched.stdin, 10**6)
    assert len(read) + len(rest) == size + 7
    assert rest.endswith(b"x\nsecond\n")


async def test_lines_for_a_bot_that_has_ended_go_nowhere(piped: Any) -> None:
    """Another file may have the number of its pipe by then."""
    launched, process = piped()
    reader, writer = os.pipe()
    await process.kill()
    os.dup2(writer, launched.pipes[0])
    process.push(b"to nobody\n")
    assert select.select([reader], [], [], 0)[0] == []
    for fd in (reader, writer, launched.pipes[0]):
        os.close(fd)


async def test_all_that_was_written_early_is_seen(
    piped: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It may be more than one read returns, and the reply may hide behind blank lines."""
    monkeypatch.setattr(module, "_CHUNK", 10)
    launched, process = piped(is_kept=True)
    launched.writes(b"\n" * 25 + b"{}\n")
    process.push(b"request\n")
    assert isinstance(await process.reply(LATER), Failure)


async def test_all_that_nobody_asked_for_is_in_the_report(
    piped: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_CHUNK", 10)
    launched, process = piped()
    launched.writes(b"a line\n" * 5)
    await process.kill()
    assert process.process_report(1).unasked == 5


async def test_what_a_kept_bot_has_written_early_fails_its_next_handshake(piped: Any) -> None:
    launched, process = piped(is_kept=True)
    launched.writes(b"{}\n")
    process.push(b"request\n")
    launched.writes(b"{}\n")
    assert process.quick_reply(0) is None
    failed = Failure("output-limit", "it wrote before it got a request")
    assert await process.reply(LATER) == failed


@pytest.mark.parametrize(
    ("code", "said"),
    [
        (4, "its process ended with exit code 4"),
        (0, "its process ended with exit code 0"),
        (-15, "its process was ended by SIGTERM"),
    ],
)
async def test_a_reply_before_the_exit_counts(code: int, said: str, piped: Any) -> None:
    """The bot exits while a reply is due (8.2)."""
    launched, process = piped()
    launched.exit_code = code
    launched.writes(b"{}\n")
    assert await process.reply(LATER) == b"{}"
    assert await process.reply(LATER) == Failure("exited", said)


async def test_a_bot_that_closes_its_output_has_left(
    piped: Any, autojump_clock: trio.abc.Clock
) -> None:
    launched, process = piped()
    launched.writes(b"{}\n{")
    launched.close(launched.stdout)
    assert await process.reply(LATER) == b"{}"
    assert process.quick_reply(0) is None
    assert await process.reply(LATER) == Failure("exited", "it closed its standard output")


@pytest.mark.parametrize(("limit", "is_low"), [(64 * MIB, False), (64 * MIB - 1, True)])
async def test_a_low_memory_limit_is_named_as_the_cause(
    limit: int, is_low: bool, piped: Any
) -> None:
    launched, process = piped(Limits(memory_limit=limit))
    launched.exit_code = -9
    answer = await process.reply(LATER)
    assert ("is probably too low" in answer.detail) == is_low
    assert answer.detail.startswith("its process was ended by SIGKILL")


@pytest.mark.parametrize(("kills", "code"), [(7, "exited"), (8, "memory-limit")])
async def test_only_what_the_system_kills_in_this_match_is_over_the_memory_limit(
    kills: int, code: str, piped: Any
) -> None:
    """And only if the bot fails: one that goes on without its child has done nothing wrong."""
    launched, process = piped(Limits(memory_limit=100 * MIB), is_kept=True, earlier=7)
    process.push(b"request\n")
    launched.writes(b"1\n")
    launched.oom_kills = kills
    launched.exit_code = 3
    assert await process.reply(LATER) == b"1"
    answer = await process.reply(LATER)
    assert isinstance(answer, Failure)
    assert answer.code == code
    assert answer.detail.endswith("its process ended with exit code 3")


@pytest.mark.parametrize(("refused", "reached"), [(7, ()), (8, ("process_limit",))])
def test_only_what_was_refused_in_this_match_reaches_the_process_limit(
    refused: int, reached: tuple[str, ...], piped: Any
) -> None:
    launched, process = piped(is_kept=True, earlier=7)
    launched.refused_forks = refused
    assert process.process_report(1).reached == reached


def test_what_was_refused_before_the_first_match_counts(piped: Any) -> None:
    """A new bot may reach the limit while it starts, before the match has begun."""
    _, process = piped(earlier=1)
    assert process.process_report(1).reached == ("process_limit",)


def test_lines_that_nobody_asked_for_are_reported(piped: Any) -> None:
    launched, process = piped()
    launched.writes(b"\nfirst\n \nsecond\nhal")
    process._read()
    report = process.process_report(1)
    assert (report.unasked, report.first_unasked, report.unfinished) == (2, b"first", b"hal")


@pytest.mark.parametrize(
    ("spoil", "released"),
    [
        (lambda launched, process: None, True),
        (lambda launched, process: launched.writes(b" \r\n\t"), True),
        (lambda launched, process: launched.writes(b"{"), False),
        (lambda launched, process: launched.close(launched.stdout), False),
        (lambda launched, process: launched.close(launched.stdin), False),
        (lambda launched, process: fill(process), False),
        (lambda launched, process: setattr(process, "has_ended", True), False),
        (lambda launched, process: process.release(), False),
    ],
    ids=["fit", "blanks", "writes", "no stdout", "no stdin", "unread", "ended", "twice"],
)
def test_a_process_is_kept_if_its_pipes_are_empty_and_open(
    spoil: Callable[[Pipes, BotProcess], object], released: bool, piped: Any
) -> None:
    """Otherwise the next match would read what belongs to this one (8.4)."""
    launched, process = piped()
    spoil(launched, process)
    process.push(b"game-end\n")
    assert process.release() is released
    if released:
        assert process.is_closed
        assert launched.last_stderr is process.stderr


def test_stderr_before_the_release_is_in_the_report(piped: Any) -> None:
    """What comes later is of this match as well, but its result may have been reported by then."""
    launched, process = piped()
    os.write(launched.stderr, b"thinking\n")
    assert process.release()
    assert process.process_report(1).stderr.lines == ["thinking"]


def test_stderr_after_the_release_is_of_the_match_before(piped: Any) -> None:
    launched, process = piped()
    assert process.release()
    os.write(launched.stderr, b"later\n")
    following = BotProcess(launched, StderrKeeper(None))
    assert process.stderr.lines(1).lines == ["later"]
    os.write(launched.stderr, b"next\n")
    following.read_stderr()
    assert (following.stderr.lines(2).lines, launched.last_stderr) == (["next"], None)


def count_reads(monkeypatch: pytest.MonkeyPatch, data: bytes | None = None) -> list[int]:
    """Count the reads of pipes, and let them return the data if there is any."""
    reads, read = list[int](), module.read_now

    def counted(fd: int) -> bytes | None:
        assert len(reads) < 1000, "it reads for ever"
        reads.append(fd)
        return data or read(fd)

    monkeypatch.setattr(module, "read_now", counted)
    return reads


async def test_stderr_that_was_closed_is_read_once_more(
    piped: Any, autojump_clock: trio.abc.Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    launched, process = piped()
    reads = count_reads(monkeypatch)
    launched.close(launched.stderr)
    assert isinstance(await process.reply(trio.current_time() + 1), Failure)
    with trio.fail_after(1):
        await process.kill()
        await process.attend()  # returns, because there's nothing more to see
    assert reads.count(launched.pipes[2]) == 1


def test_a_child_that_goes_on_writing_to_stderr_is_not_followed(
    piped: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, process = piped()
    reads = count_reads(monkeypatch, b"more")
    process._read_last_stderr(process.stderr)
    assert len(reads) == 64


async def test_a_bot_has_the_grace_before_each_signal(
    piped: Any, autojump_clock: trio.abc.Clock
) -> None:
    """Its input ends at once (8.4)."""
    launched, process = piped()
    began = trio.current_time()
    await process.finish(3)
    calls = [(name, time - began) for name, time in launched.calls]
    assert calls[:3] == [("close stdin", 0), ("terminate", 3), ("kill", 6)]
    assert process.is_closed
    await process.finish(3)
    assert launched.calls[3:] == [("close stdin", 6 + began)]  # as it was closed


async def test_a_bot_that_exits_by_itself_gets_no_sigterm(piped: Any) -> None:
    launched, process = piped()
    launched.exit_code = 0
    await process.finish(3)
    assert [name for name, _ in launched.calls] == ["close stdin", "kill", "close stdin"]


async def test_lines_that_do_not_fit_are_handed_over_within_the_grace(
    piped: Any, autojump_clock: trio.abc.Clock
) -> None:
    launched, process = piped()
    fill(process)
    began = trio.current_time()
    await process.finish(3)
    assert launched.calls[0] == ("close stdin", began + 3)


# --- observing a late bot (8.3) -------------------------------------------------------------------


async def observed(
    process: BotProcess, *deeds: tuple[float, Callable[[], object]]
) -> TimeoutObservation | None:
    """Kill a process that missed its deadline. The bot does each of the deeds after some seconds.

    Returns what the referee has observed meanwhile.
    """

    async def do(seconds: float, deed: Callable[[], object]) -> None:
        await trio.sleep(seconds)
        deed()

    answer = await process.reply(trio.current_time() + 1)
    assert isinstance(answer, Failure)
    async with trio.open_nursery() as nursery:
        for each in deeds:
            nursery.start_soon(do, *each)
        await process.kill()
        nursery.cancel_scope.cancel()
    assert process.is_closed
    return process.process_report(1).silence


def names(launched: Pipes) -> list[str]:
    return [name for name, _ in launched.calls]


async def test_a_late_bot_that_does_nothing_is_killed_after_a_look(
    piped: Any, autojump_clock: trio.abc.Clock
) -> None:
    """Its input ends after a third of the time."""
    launched, process = piped(look_seconds=10.0)
    began = trio.current_time() + 1
    assert await observed(process) == TimeoutObservation()
    calls = [(name, pytest.approx(time - began)) for name, time in launched.calls]
    assert calls[:2] == [("close stdin", 3), ("kill", 10)]
    assert process.exit_code == -9


async def test_only_a_late_bot_is_observed(piped: Any, autojump_clock: trio.abc.Clock) -> None:
    launched, process = piped(look_seconds=10.0)
    launched.close(launched.stdout)
    assert await observed(process) is None
    assert names(launched)[0] == "kill"
    launched, process = piped()
    assert await observed(process) is None
    assert names(launched)[0] == "kill"


async def test_a_bot_that_has_ended_is_not_observed(
    piped: Any, autojump_clock: trio.abc.Clock
) -> None:
    launched, process = piped(look_seconds=10.0)
    await process.reply(trio.current_time() + 1)
    launched.exit_code = 5
    await process._note_end()
    await process.kill()
    assert process.process_report(1).silence is None


async def test_half_a_line_is_all_that_there_is_to_see(
    piped: Any, autojump_clock: trio.abc.Clock
) -> None:
    launched, process = piped(look_seconds=10.0)
    launched.writes(b"\n{")
    began = trio.current_time()
    assert await observed(process) == TimeoutObservation(unfinished=b"{", blank=True)
    assert launched.calls[0] == ("kill", pytest.approx(began + 1))


@pytest.mark.parametrize(
    ("said", "seen"),
    [(b"{}\n", TimeoutObservation(late=b"{}")), (b"{", TimeoutObservation(unfinished=b"{"))],
)
async def test_a_late_reply_is_seen(
    said: bytes, seen: TimeoutObservation, piped: Any, autojump_clock: trio.abc.Clock
) -> None:
    launched, process = piped(look_seconds=10.0)
    assert await observed(process, (2, lambda: launched.writes(said))) == seen
    assert names(launched)[0] == "kill"


async def test_a_bot_that_computes_keeps_its_input(
    piped: Any, autojump_clock: trio.abc.Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    launched, process = piped(look_seconds=10.0)
    used = iter([Usage(4.0, False), Usage(6.0, False)])
    monkeypatch.setattr(BotProcess, "usage", lambda self: next(used))
    assert await observed(process) == TimeoutObservation(cpu_seconds=4.0, is_busy=True)
    assert names(launched)[0] == "kill"


async def test_what_a_bot_does_at_the_end_of_its_input_is_seen(
    piped: Any, autojump_clock: trio.abc.Clock
) -> None:
    """Its stderr from then on isn't shown, because the referee has caused it."""
    launched, process = piped(look_seconds=10.0)
    os.write(launched.stderr, b"before\n")
    process.push(b"request\n")
    deeds = (
        (5, lambda: os.write(launched.stderr, b"after\n")),
        (6, lambda: launched.writes(b"{}\n")),
    )
    silence = await observed(process, *deeds)
    assert silence == TimeoutObservation(has_read=False, at_end=b"{}")
    assert process.stderr.lines(9).lines == ["before"]


async def test_an_exit_at_the_end_of_the_input_is_seen(
    piped: Any, autojump_clock: trio.abc.Clock
) -> None:
    """Its exit code doesn't count, because the bot would have been killed anyway (8.3)."""
    launched, process = piped(look_seconds=10.0)
    close = launched.close_stdin
    launched.close_stdin = lambda: (close(), setattr(launched, "exit_code", 3))
    assert await observed(process) == TimeoutObservation(ended=True)
    assert process.exit_code == -9
