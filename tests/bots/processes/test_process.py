"""The process of a single bot: writing to it, waiting for replies, killing it, and its stderr."""

from __future__ import annotations

import itertools
import os
import select
import shlex
import signal
import sys
from pathlib import Path

import pytest
import trio

from referee.bots.bot import Failure
from referee.bots.command import resolve_bot
from referee.bots.processes.launch import LaunchedBot
from referee.bots.processes.process import BotProcess
from referee.bots.processes.stderr import END_CAP, StderrKeeper
from referee.errors import ProtocolMisuseError
from referee.logs.files import open_logs
from referee.match.limits import Limits
from referee.match.result import Stderr

NOT_FATAL = {
    *(signal.SIGCHLD, signal.SIGCONT, signal.SIGURG, signal.SIGWINCH),
    *(signal.SIGSTOP, signal.SIGTSTP, signal.SIGTTIN, signal.SIGTTOU),
}
"""By default, these are ignored or only stop a process."""
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


async def test_writing_to_a_bot_that_does_not_read_counts_against_its_limit() -> None:
    answer = await ask("import signal; signal.pause()", MORE_THAN_A_PIPE_HOLDS)
    assert answer == Failure("timeout", "it did not read its standard input in time")


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


async def test_a_slow_reader_gets_it_all() -> None:
    code = """
import sys, time
n = 0
while n < 1_000_001:
    n += len(sys.stdin.buffer.read(100_000) if n < 1_000_000 else sys.stdin.buffer.readline())
print(n, flush=True)
sys.stdin.read()
"""
    assert await ask(code, MORE_THAN_A_PIPE_HOLDS, 20) == b"1000001"


async def test_a_bot_that_exits_while_it_is_written_to() -> None:
    answer = await ask("import os; os._exit(4)", MORE_THAN_A_PIPE_HOLDS, 20)
    assert answer == Failure("exited", "its process ended with exit code 4")


async def test_a_bot_whose_child_holds_stdin_while_it_is_written_to() -> None:
    code = (
        "import os, subprocess, sys\n"
        "subprocess.Popen([sys.executable, '-c', 'import signal; signal.pause()'])\n"
        "os._exit(4)"
    )
    answer = await ask(code, MORE_THAN_A_PIPE_HOLDS, 20)
    assert answer == Failure("exited", "its process ended with exit code 4")


@pytest.mark.parametrize("number", [*sorted({*signal.Signals} - NOT_FATAL), NAMELESS])
async def test_every_signal_that_ends_a_bot_is_named(number: int) -> None:
    """The code is always `exited`, and the detail names the signal (8.2)."""
    code = f"""
import os, signal
try: signal.signal({number}, signal.SIG_DFL)
except (OSError, ValueError): pass
os.kill(os.getpid(), {number})
signal.pause()
"""
    names = {known.value: known.name for known in signal.Signals}
    name = names.get(number, f"signal {number}")
    assert await ask(code, b"", 20) == Failure("exited", f"its process was ended by {name}")


@pytest.mark.parametrize("line", [b"\v", b"\f", b"\xc2\xa0", b"\x00"])
async def test_only_the_white_space_of_json_makes_a_line_blank(line: bytes) -> None:
    blank = b" \t\r\n\n\r\n"
    answer = await ask(f"import os; os.write(1, {blank + line + b'%c' % 10!r}); input()", b"", 20)
    assert answer == line


LONG = b"x" * 65_537 + b"\n"


@pytest.mark.parametrize(
    ("early", "options", "answers"),
    [
        (LONG, Limits(), ["a line of more than 65536 bytes"]),
        (b"right\n" + LONG, Limits(), ["more than 65536 bytes that no request asked for"]),
        (
            b"right\n" + LONG,
            Limits(queue_limit=200_000),
            [b"right", "a line of more than 65536 bytes"],
        ),
    ],
)
async def test_a_long_line_that_is_early_is_noticed_at_the_next_request(
    early: bytes, options: Limits, answers: list[bytes | str]
) -> None:
    """Earlier replies still count, unless more output than allowed comes after them (1.3)."""
    code = f"""
import os
input(); os.write(1, b"first\\n")
input(); os.write(1, {early!r}); os.write(2, b"written\\n")
input()
"""
    process = BotProcess(LaunchedBot(resolve_bot(python(code)), options), StderrKeeper(None))
    process.push(b"request\n")
    assert await process.reply(trio.current_time() + 20) == b"first"
    process.push(b"news\n")
    await trio.lowlevel.wait_readable(process.launched.pipes[2])
    assert process.unfinished == b""  # the referee hasn't read it yet
    for answer in answers:
        said = await process.reply(trio.current_time() + 20)
        if isinstance(answer, str):
            assert said == Failure("output-limit", answer)
        else:
            assert said == answer
    await process.kill()


async def asked_late(code: str) -> list[bytes | Failure]:
    """Ask for two replies after the time limit, with the bot's output waiting in the pipe."""
    process = BotProcess(LaunchedBot(resolve_bot(python(code)), Limits()), StderrKeeper(None))
    poll = select.poll()
    poll.register(process.launched.pipes[1], select.POLLIN)
    poll.poll(20_000)  # block the event loop until the bot has written
    over = trio.current_time() - 100
    answers = [await process.reply(over), await process.reply(over)]
    await process.kill()
    return answers


async def test_a_reply_that_is_there_counts_however_late_the_referee_looks() -> None:
    """The time limit is over, but a complete line was already in the pipe (8.1)."""
    answers = await asked_late("print('in time', flush=True); input()")
    assert answers == [b"in time", Failure("timeout", "no reply in time")]


async def test_half_a_line_does_not_count_when_the_limit_is_over() -> None:
    answers = await asked_late("import os; os.write(1, b'half'); input()")
    assert answers == [Failure("timeout", "no reply in time")] * 2


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


async def test_queued_news_are_handed_over_in_order() -> None:
    """What didn't fit into the pipe is sent before later lines."""
    code = """
import sys
first = sys.stdin.buffer.readline()
print(len(first), sys.stdin.buffer.readline().decode().strip(), flush=True)
sys.stdin.read()
"""
    process = BotProcess(LaunchedBot(resolve_bot(python(code)), Limits()), StderrKeeper(None))
    process.push(MORE_THAN_A_PIPE_HOLDS)
    process.push(b"second\n")
    assert await process.reply(trio.current_time() + 20) == b"1000001 second"
    await process.finish(5)
    assert process.launched.exit_code == 0


async def test_the_last_line_is_finished_within_the_grace_period() -> None:
    code = """
import sys
data = sys.stdin.buffer.read()
sys.exit(len(data) == 1_000_001)
"""
    process = BotProcess(LaunchedBot(resolve_bot(python(code)), Limits()), StderrKeeper(None))
    process.push(MORE_THAN_A_PIPE_HOLDS)
    await process.finish(20)
    assert process.launched.exit_code == 1


async def test_ending_twice_is_safe() -> None:
    process = BotProcess(
        LaunchedBot(resolve_bot(python("import signal; signal.pause()")), Limits()),
        StderrKeeper(None),
    )
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


def test_launching_does_not_wait_for_the_bot() -> None:
    """This bot never writes anything."""
    launched = LaunchedBot(resolve_bot(python("import signal; signal.pause()")), Limits())
    assert launched.peek_exit_code() is None
    launched.end()
    assert launched.exit_code == -9


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
