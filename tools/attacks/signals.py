"""Send signals, from bots and to the referee. It must not crash, and no bot may be left.

    python -m tools.attacks.signals [--sandbox none|bwrap] [--times N] [--mid-match N] [--kills N]
                                    [--seed S]

First, bots send each signal to themselves, to their group and, in a sandbox, to all processes. Then
the referee gets SIGTERM and SIGINT, at any time from the start of the first bot to 100 ms later (N
times each). Finally, in the middle of a match, it gets SIGKILL (`--kills`) and other signals,
caught and not (`--mid-match`). The bots make it hard: they ignore the end of their input and
SIGTERM, and each has a child in another session. Such a child may only be left without a sandbox,
and only after a signal that the referee doesn't catch. Prints a line per signal for each sandbox,
and exits with 1 if there was a problem.
"""

from __future__ import annotations

import argparse
import os
import random
import select
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

from referee.bots.processes.sandbox import unavailable_reason
from tests.support import surroundings  # noqa: F401 (in the background some signals are ignored)
from tests.support.live import HOSTILE, end_left_behind, hostile
from tests.support.remains import remains
from tools.attacks.hostile import SANDBOXES, signals_itself, try_out

START_SECONDS = 0.1
MATCH_SECONDS = 0.5
GONE_SECONDS = 1.0
OTHERS = (
    *(signal.SIGQUIT, signal.SIGUSR1, signal.SIGUSR2, signal.SIGALRM, signal.SIGVTALRM),
    *(signal.SIGIO, signal.SIGXCPU, signal.SIGABRT, signal.SIGSEGV),
)
CAUGHT = (signal.SIGHUP, signal.SIGTERM, signal.SIGINT)
CHILD = "setsid sleep 600"


def start(folder: Path, sandbox: str) -> tuple[subprocess.Popen[bytes], int]:
    """Start a match whose first bot reports its start through a FIFO."""
    fifo = folder / "fifo"
    if not fifo.exists():
        os.mkfifo(fifo)
    started = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
    first, second = (
        f"sh -c '{said}{CHILD} & exec {hostile('stays')}'" for said in (f"echo > {fifo}; ", "")
    )
    command = [sys.executable, "-m", "referee", "play", first, second, "--grace", "60"]
    command += ["--log", str(folder / "log"), "--record", str(folder / "record")]
    command += ["--sandbox", sandbox]
    if sandbox != "none":
        for path in (folder, HOSTILE.parent, sys.prefix, sys.base_prefix):
            command += ["--sandbox-read", str(path)]
    referee = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    select.select([started], [], [], 30)
    return referee, started


def attack(sandbox: str, number: int, after: float, folder: Path) -> str:
    """Send a signal `after` seconds after the first bot started. Return what went wrong, or ""."""
    referee, started = start(folder, sandbox)
    time.sleep(after)
    referee.send_signal(number)
    try:
        _, said = referee.communicate(timeout=30)
    except subprocess.TimeoutExpired:
        referee.kill()
        referee.communicate()
        return "it did not end"
    finally:
        os.close(started)
    expected = 128 + number if number in CAUGHT else -number
    if referee.returncode != expected:
        return f"exit {referee.returncode}, not {expected}: {said.decode()[-300:]}"
    if number in CAUGHT and said.count(b"\n") != 1:
        return f"said {said.decode()[-300:]!r}"
    left = end_left_behind(0.0 if number in CAUGHT else GONE_SECONDS)
    if sandbox == "none" and number not in CAUGHT:
        left = [words for words in left if words.split() != CHILD.split()[1:]]
    return f"left behind: {left}" if left else ""


def by_bots(sandbox: str, whom: str) -> list[str]:
    """Let bots send all signals. Return the problem for each signal, or "" if there was none."""
    behaviours = [signals_itself(number, whom) for number in range(1, 65)]
    with ThreadPoolExecutor(2) as pool:
        tried = pool.map(partial(try_out, sandbox=sandbox), behaviours)
        return [
            "" if (seen.what, seen.left) == (behaviour.expected_in(sandbox), "")
            else f"{behaviour.what}: {seen}"
            for behaviour, seen in zip(behaviours, tried, strict=True)
        ]  # fmt: skip


def to_referee(
    sandbox: str, options: argparse.Namespace, chance: random.Random
) -> Iterator[tuple[str, list[str]]]:
    """Send signals to the referee. Yield a description of each, and the problem in each attempt."""
    rounds = [(number, options.times, START_SECONDS, 0.0) for number in (15, 2)]
    rounds.append((signal.SIGKILL, options.kills, MATCH_SECONDS, START_SECONDS))
    rounds += [
        (number, options.mid_match, MATCH_SECONDS, START_SECONDS) for number in (*OTHERS, *CAUGHT)
    ]
    with tempfile.TemporaryDirectory() as folder:
        for number, times, length, least in rounds:
            found = [
                attack(sandbox, number, least + chance.random() * length, Path(folder))
                for _ in range(times)
            ]
            when = f"{least * 1000:.0f} to {(least + length) * 1000:.0f} ms"
            yield f"{signal.Signals(number).name} to the referee, {when}", found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sandbox", choices=SANDBOXES)
    parser.add_argument("--times", type=int, default=300)
    parser.add_argument("--mid-match", type=int, default=25)
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    chance = random.Random(options.seed)
    wrong = 0

    def report(sandbox: str, what: str, found: list[str]) -> None:
        nonlocal wrong
        problems = Counter(found)
        right = problems.pop("", 0)
        wrong += len(found) - right
        print(f"{sandbox:6} {what:40} {right} of {len(found)} right", flush=True)
        for problem, count in problems.items():
            print(f"  {count}x {problem}")

    before = remains()
    for sandbox in [options.sandbox] if options.sandbox else SANDBOXES:
        if sandbox == "bwrap" and (problem := unavailable_reason()):
            print(f"left out, with bwrap: {problem}")
            continue
        for whom in ("", "group", "all")[: 2 if sandbox == "none" else 3]:
            report(sandbox, f"each signal to {whom or 'itself'}", by_bots(sandbox, whom))
        for what, found in to_referee(sandbox, options, chance):
            report(sandbox, what, found)
    after = remains()
    print(f"before: {before}\nafter:  {after}")
    return 1 if wrong or after.is_more_than(before) else 0


if __name__ == "__main__":
    sys.exit(main())
