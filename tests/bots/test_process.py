"""One bot's process: writing to a bot that does not read, and its last words."""

from __future__ import annotations

import shlex
import sys
import time
from pathlib import Path

import pytest
import trio

from referee.bots.command import resolve_bot
from referee.bots.launch import LaunchedBot
from referee.bots.process import BotProcess, Failure
from referee.bots.stderr import FILE_CAP, TAIL_CAP, StderrKeeper
from referee.errors import ProtocolMisuseError
from referee.logs.files import open_logs
from referee.options import Options

MORE_THAN_A_PIPE_HOLDS = b"x" * 1_000_000 + b"\n"


def python(code: str) -> str:
    return shlex.join([sys.executable, "-I", "-S", "-c", code])


async def ask(code: str, request: bytes, seconds: float = 0.4) -> bytes | Failure:
    """Hand one request to a program and wait for its reply."""
    process = BotProcess(LaunchedBot(resolve_bot(python(code))), Options(), StderrKeeper(None))
    async with trio.open_nursery() as nursery:
        nursery.start_soon(process.watch)
        nursery.start_soon(process.drain_stderr)
        process.push(request)
        answer = await process.reply(trio.current_time() + seconds)
        await process.kill()
        nursery.cancel_scope.cancel()
    return answer


async def test_writing_to_a_bot_that_does_not_read_counts_against_its_limit() -> None:
    answer = await ask("import signal; signal.pause()", MORE_THAN_A_PIPE_HOLDS)
    assert answer == Failure("timeout", "it did not read its standard input in time")


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


async def test_queued_news_are_handed_over_in_order() -> None:
    """What a full pipe did not take comes before what was said later."""
    code = """
import sys
first = sys.stdin.buffer.readline()
print(len(first), sys.stdin.buffer.readline().decode().strip(), flush=True)
sys.stdin.read()
"""
    process = BotProcess(LaunchedBot(resolve_bot(python(code))), Options(), StderrKeeper(None))
    async with trio.open_nursery() as nursery:
        nursery.start_soon(process.watch)
        process.push(MORE_THAN_A_PIPE_HOLDS)
        process.push(b"second\n")
        assert await process.reply(trio.current_time() + 20) == b"1000001 second"
        await process.finish(5)
        nursery.cancel_scope.cancel()
    assert process.launched.exit_code == 0


async def test_the_last_line_is_finished_within_the_grace_period() -> None:
    code = """
import sys
data = sys.stdin.buffer.read()
sys.exit(len(data) == 1_000_001)
"""
    process = BotProcess(LaunchedBot(resolve_bot(python(code))), Options(), StderrKeeper(None))
    async with trio.open_nursery() as nursery:
        nursery.start_soon(process.watch)
        process.push(MORE_THAN_A_PIPE_HOLDS)
        await process.finish(20)
        nursery.cancel_scope.cancel()
    assert process.launched.exit_code == 1


async def test_ending_twice_is_safe() -> None:
    process = BotProcess(
        LaunchedBot(resolve_bot(python("import signal; signal.pause()"))),
        Options(),
        StderrKeeper(None),
    )
    async with trio.open_nursery() as nursery:
        nursery.start_soon(process.watch)
        await process.kill()
        await process.kill()
        process.close()
        process.launched.end()
        nursery.cancel_scope.cancel()
    assert process.launched.exit_code == -9
    process.push(b"to nobody\n")


def test_a_bot_that_was_not_started_has_no_pipes(tmp_path: Path) -> None:
    program = tmp_path / "program"
    program.write_text("nonsense")
    program.chmod(0o755)
    launched = LaunchedBot(resolve_bot(str(program)))
    with pytest.raises(ProtocolMisuseError):
        _ = launched.pipes
    launched.end()
    assert launched.exit_code is None


def test_launching_does_not_wait_for_the_bot() -> None:
    started = time.monotonic()
    launched = LaunchedBot(resolve_bot(python("import signal; signal.pause()")))
    launched.end()
    assert time.monotonic() - started < 5
    assert launched.exit_code == -9


def test_stderr_is_kept_up_to_a_cap(tmp_path: Path) -> None:
    (file,) = open_logs([str(tmp_path / "stderr")])
    keeper = StderrKeeper(file)
    keeper.feed(b"a" * (FILE_CAP - 10))
    keeper.feed(b"b" * 100)
    keeper.feed(b"\nthe end\n")
    size = (tmp_path / "stderr").stat().st_size
    assert FILE_CAP < size < FILE_CAP + 100
    assert keeper.last_lines(1) == ["the end"]
    assert len("".join(keeper.last_lines(10**6))) <= TAIL_CAP
    keeper.close()


def test_a_full_disk_under_stderr_is_given_up() -> None:
    keeper = StderrKeeper(open_logs(["/dev/full"])[0])
    keeper.feed(b"lost\n")
    keeper.feed(b"kept\n")
    assert keeper.last_lines(2) == ["lost", "kept"]


def test_last_lines_are_safe_to_print() -> None:
    keeper = StderrKeeper(None)
    keeper.feed(b"\x1b[2J\x1b]0;title\x07\r\n\xff tab\there\x9b\n")
    lines = keeper.last_lines(5)
    assert len(lines) == 2
    assert not any(ord(char) < 32 and char != "\t" for line in lines for char in line)
