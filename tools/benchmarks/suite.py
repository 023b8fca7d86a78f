"""Measure README's test command and `.ci/run`, each in a fresh clone of this repository.

    python -m tools.benchmarks.suite [--ci] [--runs N] [--busy N]

Prints the seconds on the clock, the CPU seconds of all processes, and what pytest counted. A loop
of Python runs before and after each measurement on one core, because these machines change their
speed. `--busy N` keeps N loops running beside it, to find tests whose result depends on the time.
"""

from __future__ import annotations

import argparse
import os
import re
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
STEPS = 20_000_000


def loop() -> float:
    """Return the CPU seconds of a loop of 20 million steps."""
    before = time.process_time()
    for _ in range(STEPS):
        pass
    return time.process_time() - before


def test_command() -> str:
    readme = (ROOT / "README.md").read_text()
    return re.findall(r"^python3 -m venv .* -m pytest$", readme, re.MULTILINE)[0]


def measure(command: str, folder: Path) -> bool:
    """Run a command in a clone, and print what it costs. Returns whether it succeeded."""
    clone = folder / "clone"
    subprocess.run(["git", "clone", "-q", str(ROOT), str(clone)], check=True)
    print(command, flush=True)
    before, start = loop(), time.monotonic()
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    with (folder / "output").open("w+") as output:
        done = subprocess.run(
            command, shell=True, cwd=clone, stdout=output, stderr=subprocess.STDOUT, check=False
        )
        seconds = time.monotonic() - start
        now = resource.getrusage(resource.RUSAGE_CHILDREN)
        output.seek(0)
        lines = output.read().splitlines()
    cpu = now.ru_utime + now.ru_stime - used.ru_utime - used.ru_stime
    for line in lines:
        if re.match(r"FAILED|ERROR|(=+ )?[\d,]+ (passed|failed)|.* of CPU, .* together", line):
            print(f"    {line}")
    print(f"    exit code {done.returncode}, {seconds:.0f} s, {cpu:.0f} s of CPU", flush=True)
    print(f"    a loop of {STEPS:,} steps: {before:.2f} s before, {loop():.2f} s after", flush=True)
    if done.returncode:
        print(*lines[-60:], sep="\n")
    return done.returncode == 0


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--ci", action="store_true", help="measure .ci/run in place of pytest")
    parser.add_argument("--runs", type=int, default=1, metavar="N")
    parser.add_argument("--busy", type=int, default=0, metavar="N", help="busy loops beside it")
    options = parser.parse_args()
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # .ci/run does this too
    busy = [
        subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(options.busy)
    ]
    try:
        good = 0
        for _ in range(options.runs):
            with tempfile.TemporaryDirectory() as folder:
                good += measure(".ci/run" if options.ci else test_command(), Path(folder))
    finally:
        for process in busy:
            process.kill()
            process.wait()
    print(f"{good} of {options.runs} runs passed")
    return int(good < options.runs)


if __name__ == "__main__":
    sys.exit(main())
