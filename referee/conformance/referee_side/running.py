"""Play one match with a referee as a process and our probes as its bots."""

from __future__ import annotations

import contextlib
import json
import os
import shlex
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import trio

from referee.conformance.referee_side.recording import Played, Recording, read_recording
from referee.conformance.referee_side.template import Template
from referee.game import ProbeMatch, Rules, player_number
from referee.terminal import plain

TOKEN = "REFEREE_PROBE"
"""A variable of the environment, by which a probe shows whose environment it has (8.5)."""
_STDERR_BYTES = 16 * 1024
_STDERR_LINES = 10
_EXIT_SECONDS = 2.0
_POLL_SECONDS = 0.02


async def play_match(
    template: Template, rules: Rules, match: ProbeMatch, *, seed: int, limit: float
) -> Played:
    """Play a match; nothing that a referee does makes this fail.

    Args:
        seed: of the referee and of the probes.
        limit: seconds after which the referee is ended by force.
    """
    started = trio.current_time()
    with tempfile.TemporaryDirectory(prefix="referee-") as name:
        folder = Path(name)
        plans = [
            _write_plan(folder, seat, dict(plan), seed) for seat, plan in enumerate(match.seats)
        ]
        program = [sys.executable, "-I", "-S", rules.probes.program]
        bots = [shlex.join([*program, str(folder / f"{plan['seat']}.json")]) for plan in plans]
        played = Played(match.id, match.id, seed, [], plans)
        with (folder / "stderr").open("w+b") as stderr:
            await _run(template.fill(bots, seed), played, stderr.fileno(), limit)
            played.stderr = _last_lines(folder / "stderr")
        await _await_ends(played, folder)
        files = [folder / f"{plan['seat']}.record" for plan in plans]
        played.probes = [read_recording(file) for file in files]
        played.survivors = _end_survivors(played.probes, str(folder))
    played.seconds = trio.current_time() - started
    return played


def _write_plan(folder: Path, seat: int, plan: dict[str, object], seed: int) -> dict[str, object]:
    number = player_number(seat)
    plan |= {"seat": number, "name": f"Probe {seat + 1}", "seed": f"{seed}/{number}"}
    (folder / f"{number}.json").write_text(json.dumps(plan))
    return plan


def _start(argv: list[str], played: Played, stderr: int) -> subprocess.Popen[bytes] | None:
    try:
        return subprocess.Popen(
            argv,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=stderr,
            env={**os.environ, TOKEN: played.match},
            start_new_session=True,
        )
    except (OSError, ValueError) as error:
        played.error = str(error)
        return None


async def _run(argv: list[str], played: Played, stderr: int, limit: float) -> None:
    """Run the referee to its end, or end it."""
    process = _start(argv, played, stderr)
    if process is None:
        return
    try:
        with trio.move_on_after(limit) as scope:
            await _wait(process)
    finally:
        # Before it is reaped its id cannot be anybody else's.
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        code = process.wait()
    played.exit_code = None if scope.cancelled_caught else code


async def _wait(process: subprocess.Popen[bytes]) -> None:
    """Wait for the end of a process without reaping it."""
    if sys.platform == "linux":
        fd = os.pidfd_open(process.pid)
        try:
            await trio.lowlevel.wait_readable(fd)
        finally:
            os.close(fd)
    else:
        while process.poll() is None:  # noqa: ASYNC110 (nothing tells us)
            await trio.sleep(_POLL_SECONDS)


async def _await_ends(played: Played, folder: Path) -> None:
    """Let the probes end that do so by themselves."""
    with trio.move_on_after(_EXIT_SECONDS):
        for plan in played.plans:
            file = folder / f"{plan['seat']}.record"
            while not plan["stays"]:
                pid = read_recording(file).process.get("pid")
                if not isinstance(pid, int) or not _is_running(pid, str(folder)):
                    break
                await trio.sleep(_POLL_SECONDS)


def _end_survivors(probes: list[Recording], folder: str) -> list[int]:
    """Kill the probes that are still there; returns their seats."""
    found = []
    for seat, probe in enumerate(probes):
        pid = probe.process.get("pid")
        if isinstance(pid, int) and _is_running(pid, folder):
            found.append(seat)
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
    return found


def _is_running(pid: int, folder: str) -> bool:
    """Whether the process is there, is no zombie, and is the probe that was given this folder."""
    if sys.platform != "linux":
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(pid, 0)
            return True
        return False
    try:
        status = Path(f"/proc/{pid}/stat").read_text()
        words = Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return False
    return status.rpartition(")")[2].split()[0] != "Z" and folder.encode() in words


def _last_lines(file: Path) -> list[str]:
    with file.open("rb") as opened:
        opened.seek(max(0, file.stat().st_size - _STDERR_BYTES))
        text = opened.read().decode(errors="replace")
    return [plain(line) for line in text.splitlines()[-_STDERR_LINES:]]
