"""Check that the peak memory of `validate` and `verify` does not grow with the number of files.

    python -m tools.attacks.memory [--few 100] [--many 4000]

(We simply repeat the few files to get many.) Prints a table: files, command, peak MiB. The exit
code is 1 if a command used `ALLOWED` more for many files.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from random import Random

from rich.console import Console
from rich.table import Table

from tests.support.damage import damage, log_of
from tests.support.fuzzed import originals
from tests.support.log_mutations import mutate

# MiB.
ALLOWED = 10.0
COMMANDS = {
    "valid logs": (["validate", "-q"], ["validate", "--format", "junit"]),
    "damaged logs": (["validate", "-q"],),
    "valid records": (["verify", "-q"], ["verify", "-q", "--jobs", "1"]),
    "damaged records": (["verify", "-q"], ["verify", "-q", "--jobs", "1"]),
}
# On Linux, a process inherits its parent's peak memory. We start the command from a small process
# so that ours isn't counted.
LAUNCHER = """
import os, sys
command = [sys.executable, *sys.argv[1:]]
nowhere = [(os.POSIX_SPAWN_OPEN, fd, os.devnull, os.O_WRONLY, 0) for fd in (1, 2)]
pid = os.posix_spawn(sys.executable, command, os.environ, file_actions=nowhere)
_, status, usage = os.wait4(pid, 0)
print(os.waitstatus_to_exitcode(status), usage.ru_maxrss)
"""
UNIT = 1 if sys.platform == "darwin" else 1024  # ru_maxrss is in bytes there


def make_files(folder: Path, count: int) -> Iterator[tuple[str, list[Path]]]:
    valid = originals(min(count, 100), ["dominion"])
    records = [data for data in valid if data.startswith(b'{"entry"')]
    logs = [log_of(record) for record in records]
    for kind, source in (("logs", logs), ("records", records)):
        for state in ("valid", "damaged"):
            files = [folder / f"{number}.{state}.{kind}" for number in range(count)]
            for number, file in enumerate(files):
                chance = Random(f"{number}, {kind}")
                data = source[number % len(source)]
                if state == "damaged" and kind == "logs" and number % 2:
                    _, data = mutate(chance, data)  # this keeps the lines valid JSON
                elif state == "damaged":
                    _, data = damage(chance, [data])
                file.write_bytes(data)
            yield f"{state} {kind}", files


def peak(command: list[str], files: list[Path], count: int) -> float:
    """Run a command on this number of files, some repeated. Return its peak memory in MiB."""
    names = [str(files[number % len(files)]) for number in range(count)]
    words = [sys.executable, "-S", "-c", LAUNCHER, "-m", "referee", *command, *names]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    code, size = map(int, done.stdout.split())
    if code not in (0, 1):
        raise SystemExit(f"{command} ended with {code}")
    return size * UNIT / 1024**2


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--few", type=int, default=100)
    parser.add_argument("--many", type=int, default=4000)
    options = parser.parse_args()
    table = Table("files", "command", f"MiB, {options.few} files", f"MiB, {options.many} files")
    grown = 0
    with tempfile.TemporaryDirectory() as folder:
        for kind, files in make_files(Path(folder), options.few):
            for command in COMMANDS[kind]:
                few, many = (peak(command, files, n) for n in (options.few, options.many))
                grown += many - few > ALLOWED
                table.add_row(kind, " ".join(command), f"{few:.1f}", f"{many:.1f}")
    Console(width=100).print(table)
    return 1 if grown else 0


if __name__ == "__main__":
    sys.exit(main())
