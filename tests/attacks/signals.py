"""Send the referee signals at random moments: it must not crash, and no bot may stay.

    python -m tests.attacks.signals [--times N] [--mid-match N] [--seed S]

First SIGTERM and SIGINT, from the start of the first bot to 100 ms later (N times each). Then, in
the middle of a match, signals that the referee does not catch. The bots ignore the end of their
input and SIGTERM. Prints a line a signal, and exits with 1 if anything was wrong.
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
from pathlib import Path

from tests import conftest  # noqa: F401 (in the background some signals are ignored)
from tests.support.live import end_left_behind, hostile

START_SECONDS = 0.1
MATCH_SECONDS = 0.5
GONE_SECONDS = 1.0
FATAL = (
    *(signal.SIGKILL, signal.SIGQUIT, signal.SIGUSR1, signal.SIGUSR2, signal.SIGALRM),
    *(signal.SIGVTALRM, signal.SIGIO, signal.SIGXCPU, signal.SIGABRT, signal.SIGSEGV),
)
CAUGHT = (signal.SIGHUP, signal.SIGTERM, signal.SIGINT)


def start(folder: Path) -> tuple[subprocess.Popen[bytes], int]:
    """Start a match whose first bot says through a FIFO that it was started."""
    fifo = folder / "fifo"
    if not fifo.exists():
        os.mkfifo(fifo)
    started = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
    first = f"sh -c 'echo > {fifo}; exec {hostile('stays')}'"
    command = [sys.executable, "-m", "referee", "play", first, hostile("stays"), "--grace", "60"]
    command += ["--log", str(folder / "log"), "--record", str(folder / "record")]
    referee = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    select.select([started], [], [], 30)
    return referee, started


def attack(number: int, after: float, folder: Path) -> str:
    """Send one signal so long after the first bot's start; what was wrong, or nothing."""
    referee, started = start(folder)
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
    return f"left behind: {left}" if left else ""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=300)
    parser.add_argument("--mid-match", type=int, default=25)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    chance = random.Random(options.seed)
    wrong = 0
    rounds = [(number, options.times, START_SECONDS, 0.0) for number in (15, 2)]
    rounds += [
        (number, options.mid_match, MATCH_SECONDS, START_SECONDS) for number in (*FATAL, 1, 15, 2)
    ]
    with tempfile.TemporaryDirectory() as folder:
        for number, times, length, least in rounds:
            found = Counter(
                attack(number, least + chance.random() * length, Path(folder)) for _ in range(times)
            )
            right = found.pop("", 0)
            when = f"{least * 1000:.0f} to {(least + length) * 1000:.0f} ms"
            name = signal.Signals(number).name
            print(f"{name:10} {when:14} {right} of {times} right", flush=True)
            for problem, count in found.items():
                wrong += count
                print(f"  {count}x {problem}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
