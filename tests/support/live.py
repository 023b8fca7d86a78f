"""Play real matches in tests: bots as processes, short limits, no leftovers."""

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
    """Return one of the schemas in spec/schema."""
    return json.loads((ROOT / "spec" / "schema" / f"{name}.schema.json").read_text())


def until(holds: Callable[[], object]) -> None:
    """Wait until a condition is true. The test fails after a timeout."""
    end = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.01)


def hostile(mode: str, argument: object = "", copy: Path | None = None) -> str:
    """Return the BOT argument of a hostile bot. Its input is appended to `copy`."""
    program = str(HOSTILE.with_name("byte_code.py"))
    words = [sys.executable, "-I", "-S", program, mode, str(argument)]
    return shlex.join(words if copy is None else [*words, str(copy)])


def restless(way: str, hangs_at: int | None = None) -> str:
    """Return the BOT argument of a bot that computes while it should be stopped."""
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
    """Play one match, and stop its bots."""
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

    Checks that no new child process is left.
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
    """Return all lines of a log or record, decoded."""
    return [msgspec.json.decode(line) for line in file.read_bytes().splitlines()]


def without_times(file: Path) -> list[dict[str, Any]]:
    """Return a record's lines without their time fields."""
    return [
        {key: value for key, value in entry.items() if key not in ("time", "started")}
        for entry in entries(file)
    ]


def referee(
    *arguments: str, cwd: Path | None = None, env: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run the command in this process, with the same output and exit code as in its own.

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
    """Check that a command with findings shows its text and writes the report to `--output`."""
    shown = referee(*words).stdout
    for form in ("text", "json", "junit"):
        done = referee(*words, "--format", form, "--output", str(report))
        assert (done.returncode, done.stdout, done.stderr) == (1, shown, "")
        assert report.read_text() == referee(*words, "--format", form).stdout


def referee_process(*arguments: str, **options: Any) -> subprocess.CompletedProcess[str]:
    """Run the command as a process, for tests of its start, streams or signals."""
    return subprocess.run(
        [sys.executable, "-m", "referee", *arguments],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
        **options,
    )


def on_a_terminal(*arguments: str, **environment: str) -> tuple[int, str]:
    """Return the exit code of the command, and its output to a terminal of 80 columns."""
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
    with contextlib.suppress(OSError):  # the terminal was closed, because the process has ended
        while data := os.read(leader, 65536):
            written += data
    os.close(leader)
    return process.wait(), written.decode()


def one_line(text: str) -> str:
    """Check that a text is one line, and return it."""
    assert text.count("\n") == 1, text
    assert text.endswith("\n")
    return text


RUN = f"REFEREE_TEST_RUN={uuid.uuid4()}"
"""In the environment of every process that these tests start."""


def marked(run: str = RUN) -> dict[str, str]:
    """Return an environment variable that is also passed to bots, as a nonexistent folder."""
    return {"PATH": f"{os.environ['PATH']}:{run}"}


os.environ.update(marked())


_KEPT = ("multiprocessing.resource_tracker", "multiprocessing.forkserver")


def left_behind(run: str = RUN) -> list[tuple[int, str]]:
    """Return id and command line of the running processes with a mark in their environment.

    By default, those started by the tests of this process. The permanent processes of
    `multiprocessing` are not included.
    """
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            environment = (folder / "environ").read_bytes()
            command = (folder / "cmdline").read_bytes()
        except OSError:
            continue
        if run.encode() in environment and command:  # both are empty for a zombie
            words = command.replace(b"\0", b" ").decode(errors="replace")
            if not any(kept in words for kept in _KEPT):
                found.append((int(folder.name), words))
    return found


def end_left_behind(seconds: float, run: str = RUN) -> list[str]:
    """Wait for such processes, then kill them. Return the command lines of the killed ones."""
    until = time.monotonic() + seconds
    while (left := left_behind(run)) and time.monotonic() < until:
        time.sleep(0.01)  # the end of all descendants cannot be awaited
    for pid, _ in left:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    return [words for _, words in left]


def limit_files(size: int) -> None:
    """Limit the size of files that this process writes."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))  # Python ignores SIGXFSZ


def is_running(pid: int) -> bool:
    """True if a process exists and is not a zombie."""
    try:
        status = Path(f"/proc/{pid}/stat").read_text()
    except FileNotFoundError:
        return False
    return status.rpartition(")")[2].split()[0] != "Z"


def await_end(pid: int) -> None:
    """Wait until a process without a parent has ended, because killing takes time."""
    try:
        process = os.pidfd_open(pid)
    except ProcessLookupError:
        return
    try:
        ended, _, _ = select.select([process], [], [], 60)
        assert ended
    finally:
        os.close(process)
