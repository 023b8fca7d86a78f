"""Playing real matches in tests: bots as processes, short limits, nothing left behind."""

from __future__ import annotations

import contextlib
import json
import os
import pty
import resource
import select
import shlex
import signal
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any
from unittest.mock import patch

import msgspec

from referee import cli
from referee.bots.command import BotSource, find_bot
from referee.bots.processes.launch import launch_bots
from referee.bots.processes.orphans import children
from referee.course import Played
from referee.logs.files import LogFile, open_logs
from referee.match.spec import MatchSpec, match_spec
from referee.runner import play_once

ROOT = Path(__file__).parents[2]
HOSTILE = ROOT / "tests" / "hostile_bots" / "hostile.py"


def schema(name: str) -> Any:
    """One of the schemas in spec/schema."""
    return json.loads((ROOT / "spec" / "schema" / f"{name}.schema.json").read_text())


def until(holds: Callable[[], object]) -> None:
    """Wait until something holds; a test that waits too long fails."""
    end = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.01)


def hostile(mode: str, argument: object = "", copy: Path | None = None) -> str:
    """The BOT argument for a hostile bot; what it is sent is appended to `copy`."""
    program = str(HOSTILE.with_name("byte_code.py"))
    words = [sys.executable, "-I", "-S", program, mode, str(argument)]
    return shlex.join(words if copy is None else [*words, str(copy)])


def restless(way: str, hangs_at: int | None = None) -> str:
    """The BOT argument for a bot that computes on while it is stopped (`hostile_bots`)."""
    words = [sys.executable, "-I", "-S", str(HOSTILE.with_name("restless.py")), way]
    return shlex.join(words if hangs_at is None else [*words, str(hangs_at)])


async def play_bots(
    spec: MatchSpec,
    sources: Sequence[BotSource],
    log: LogFile | None = None,
    record: LogFile | None = None,
    stderr: Sequence[LogFile | None] | None = None,
    *,
    record_stderr: bool = False,
) -> Played:
    """Play one match with bots that end with it."""
    with launch_bots(sources, spec.limits, spec.sandbox) as started:
        return await play_once(
            spec,
            started,
            log,
            record,
            stderr=stderr or (),
            record_stderr=record_stderr,
            alone=True,
        )


async def play(
    folder: Path,
    *bots: str,
    game: str = "dominion",
    seed: int = 1,
    stderr: list[LogFile | None] | None = None,
    record_stderr: bool = False,
    **limits: Any,
) -> Played:
    """Play a match; its logs are `folder/log` and `folder/record`.

    Afterwards no child process is left that was not there before.
    """
    before = children()
    log, record = open_logs([str(folder / "log"), str(folder / "record")])
    for file in (log, record, *(stderr or [])):
        if file is not None:
            file.begin()
    try:
        spec = match_spec(bots, game=game, seed=seed, options=limits)
        sources = [find_bot(bot, game) for bot in bots]
        return await play_bots(spec, sources, log, record, stderr, record_stderr=record_stderr)
    finally:
        assert children() - before == set()
        for file in (log, record):
            assert file is not None
            file.close()


def entries(file: Path) -> list[dict[str, Any]]:
    """All lines of a log or record."""
    return [msgspec.json.decode(line) for line in file.read_bytes().splitlines()]


def without_times(file: Path) -> list[dict[str, Any]]:
    """A record's lines without their time fields."""
    return [
        {key: value for key, value in entry.items() if key not in ("time", "started")}
        for entry in entries(file)
    ]


def referee(
    *arguments: str, cwd: Path | None = None, env: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run the command in this process: what it prints and its exit code are the same.

    Its stdout and stderr are files, and its stdin is empty. `env` is added to the environment.
    """
    with (
        tempfile.TemporaryFile("w+", encoding="utf-8") as stdout,
        tempfile.TemporaryFile("w+", encoding="utf-8") as stderr,
        tempfile.TemporaryFile("w+") as stdin,
        contextlib.redirect_stdout(stdout),
        contextlib.redirect_stderr(stderr),
        patch.object(sys, "stdin", stdin),
        patch.dict(os.environ, env or {}),
        contextlib.chdir(cwd or "."),
    ):
        code = cli.main(arguments)
        printed = [stream.seek(0) or stream.read() for stream in (stdout, stderr)]
    return subprocess.CompletedProcess(arguments, code, *printed)


def check_output_option(*words: str, report: Path) -> None:
    """A command that finds something shows its text and writes the report to `--output`."""
    shown = referee(*words).stdout
    for form in ("text", "json", "junit"):
        done = referee(*words, "--format", form, "--output", str(report))
        assert (done.returncode, done.stdout, done.stderr) == (1, shown, "")
        assert report.read_text() == referee(*words, "--format", form).stdout


def referee_process(*arguments: str, **options: Any) -> subprocess.CompletedProcess[str]:
    """Run the command as a process, for what is about its start, its streams or its signals."""
    return subprocess.run(
        [sys.executable, "-m", "referee", *arguments],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
        **options,
    )


def on_a_terminal(*arguments: str, **environment: str) -> tuple[int, str]:
    """The exit code of the command, and all that it writes to a terminal of 80 columns."""
    leader, follower = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "referee", *arguments],
        stdin=follower,
        stdout=follower,
        stderr=follower,
        env=os.environ | {"COLUMNS": "80", "TERM": "xterm-256color"} | environment,
    )
    os.close(follower)
    written = b""
    with contextlib.suppress(OSError):  # the terminal is gone: the process has ended
        while data := os.read(leader, 65536):
            written += data
    os.close(leader)
    return process.wait(), written.decode()


def one_line(text: str) -> str:
    """The text, which must be one line."""
    assert text.count("\n") == 1, text
    assert text.endswith("\n")
    return text


RUN = f"REFEREE_TEST_RUN={uuid.uuid4()}"
"""Stands in the environment of every process that these tests start."""


def marked(run: str = RUN) -> dict[str, str]:
    """A variable that also bots have, as a folder of it that is not there."""
    return {"PATH": f"{os.environ['PATH']}:{run}"}


os.environ.update(marked())


_KEPT = ("multiprocessing.resource_tracker", "multiprocessing.forkserver")


def left_behind(run: str = RUN) -> list[tuple[int, str]]:
    """The processes that still run and have this in their environment: id and command line.

    By default those that the tests of this process have started. The processes that
    `multiprocessing` keeps for good are not among them.
    """
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            environment = (folder / "environ").read_bytes()
            command = (folder / "cmdline").read_bytes()
        except OSError:
            continue
        if run.encode() in environment and command:  # a zombie has neither
            words = command.replace(b"\0", b" ").decode(errors="replace")
            if not any(kept in words for kept in _KEPT):
                found.append((int(folder.name), words))
    return found


def end_left_behind(seconds: float, run: str = RUN) -> list[str]:
    """Give such processes so long to end; command lines of those that had to be ended then."""
    until = time.monotonic() + seconds
    while (left := left_behind(run)) and time.monotonic() < until:
        time.sleep(0.01)  # nothing tells of the end of all descendants
    for pid, _ in left:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    return [words for _, words in left]


def limit_files(size: int) -> None:
    """Let this process write no file that is larger than so many bytes."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))  # Python ignores SIGXFSZ


def is_running(pid: int) -> bool:
    """Whether a process exists and is no zombie."""
    try:
        status = Path(f"/proc/{pid}/stat").read_text()
    except FileNotFoundError:
        return False
    return status.rpartition(")")[2].split()[0] != "Z"


def await_end(pid: int) -> None:
    """Wait until a process that nobody waits for has ended: killed, it is not gone at once."""
    try:
        process = os.pidfd_open(pid)
    except ProcessLookupError:
        return
    try:
        ended, _, _ = select.select([process], [], [], 60)
        assert ended
    finally:
        os.close(process)
