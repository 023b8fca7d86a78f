"""Play real matches in tests, with bots as processes and short time limits."""

from __future__ import annotations

import contextlib
import json
import os
import resource
import select
import shlex
import signal
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import Any
from unittest.mock import patch

import msgspec

from referee import cli
from referee.bots.command import BotSource, find_bot
from referee.bots.from_python import bundled_here
from referee.bots.processes.launch import launch_bots
from referee.bots.processes.orphans import children
from referee.course import Played
from referee.logs.files import LogFile, open_logs
from referee.match.spec import MatchSpec, match_spec
from referee.runner import play_once

ROOT = Path(__file__).parents[2]
HOSTILE = ROOT / "tests" / "hostile_bots" / "hostile.py"


def schema(name: str) -> Any:
    return json.loads((ROOT / "spec" / "schema" / f"{name}.schema.json").read_text())


def until(holds: Callable[[], object]) -> None:
    """Wait until a condition is true. If it takes too long, the test fails."""
    end = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.01)


def hostile(mode: str, argument: object = "", copy: Path | None = None) -> str:
    """Return the BOT argument for a hostile bot, which appends all its input to the file `copy`."""
    program = str(HOSTILE.with_name("byte_code.py"))
    words = [sys.executable, "-I", "-S", program, mode, str(argument)]
    return shlex.join(words if copy is None else [*words, str(copy)])


def restless(way: str, hangs_at: int | None = None) -> str:
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
    with launch_bots(sources, spec.each_limits, spec.sandbox) as started:
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
    patient: Collection[int] = (),
    **limits: Any,
) -> Played:
    """Play a match, with its spectator log in `folder/log` and its record in `folder/record`.

    Checks that no new child process is left. The bots of `patient` seats have a minute for a reply:
    a busy machine can be slower than the limits that end another bot in a test. If they are
    bundled, they are objects in this process, because starting a process is most of such a match.
    """
    before = children()
    log, record = open_logs([str(folder / "log"), str(folder / "record")])
    for file in (log, record, *(stderr or [])):
        if file is not None:
            file.begin()
    try:
        spec = match_spec(bots, game=game, seed=seed, options=limits)
        if patient:
            long = spec.limits._replace(time_limit=60.0, startup_limit=60.0, time_bank=3600.0)
            each = tuple(long if seat in patient else spec.limits for seat in range(len(bots)))
            spec = msgspec.structs.replace(spec, limits_of_bots=each)
        sources = [
            (bundled_here(bot, game) if seat in patient else None) or find_bot(bot, game)
            for seat, bot in enumerate(bots)
        ]
        return await play_bots(spec, sources, log, record, stderr, record_stderr=record_stderr)
    finally:
        assert children() - before == set()
        for file in (log, record):
            assert file is not None
            file.close()


def entries(file: Path) -> list[dict[str, Any]]:
    return [msgspec.json.decode(line) for line in file.read_bytes().splitlines()]


def without_times(file: Path) -> list[dict[str, Any]]:
    return [
        {key: value for key, value in entry.items() if key not in ("time", "started")}
        for entry in entries(file)
    ]


def referee(
    *arguments: str, cwd: Path | None = None, env: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run the command in this process.

    Output and exit code are the same as in a process of its own.

    (Starting Python and importing everything takes longer than most of these commands.) stdout and
    stderr are files, and stdin is empty. `env` is added to the environment.
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
    """Check that a command prints its findings as text, and writes the report to `--output`."""
    shown = referee(*words).stdout
    for form in ("text", "json", "junit"):
        done = referee(*words, "--format", form, "--output", str(report))
        assert (done.returncode, done.stdout, done.stderr) == (1, shown, "")
        assert report.read_text() == referee(*words, "--format", form).stdout


def referee_process(*arguments: str, **options: Any) -> subprocess.CompletedProcess[str]:
    """Run the command as a process, to test how it starts, or its streams or signals."""
    return subprocess.run(
        [sys.executable, "-m", "referee", *arguments],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
        **options,
    )


def one_line(text: str) -> str:
    assert text.count("\n") == 1, text
    assert text.endswith("\n")
    return text


# Every process that these tests start has this in its environment.
RUN = f"REFEREE_TEST_RUN={uuid.uuid4()}"


def marked(run: str = RUN) -> dict[str, str]:
    """Return an environment variable that reaches bots as well.

    Bots only inherit a few variables, so we have to use one of those, with a folder that doesn't
    exist.
    """
    return {"PATH": f"{os.environ['PATH']}:{run}"}


os.environ.update(marked())


_KEPT = ("multiprocessing.resource_tracker", "multiprocessing.forkserver")


def left_behind(run: str = RUN) -> list[tuple[int, str]]:
    """Return pid and command line of running processes whose environment contains the mark.

    By default, these are the processes that this test run has started. The helpers that
    `multiprocessing` keeps running are left out.
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
    """Give marked processes some seconds to end, then kill the others.

    Returns the command lines of those that were killed.
    """
    until = time.monotonic() + seconds
    while (left := left_behind(run)) and time.monotonic() < until:
        time.sleep(0.01)  # there's no way to wait for the end of all descendants
    for pid, _ in left:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    return [words for _, words in left]


def limit_files(size: int) -> None:
    # Python ignores SIGXFSZ, so writing just fails.
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


def is_running(pid: int) -> bool:
    try:
        status = Path(f"/proc/{pid}/stat").read_text()
    except FileNotFoundError:
        return False
    return status.rpartition(")")[2].split()[0] != "Z"


def await_end(pid: int) -> None:
    # It has no parent that could wait for it, and killing isn't instantaneous.
    try:
        process = os.pidfd_open(pid)
    except ProcessLookupError:
        return
    try:
        ended, _, _ = select.select([process], [], [], 60)
        assert ended
    finally:
        os.close(process)
