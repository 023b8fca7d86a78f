"""Pass damaged logs and records of all games to `replay`, `verify`, `validate` and `page`.

    python -m tools.attacks.damaged_files [--files 100000] [--seed 1] [--jobs 2] [--keep FOLDER]

For any contents of a file, a command must exit with 0 or 1. It may print one line to stderr, which
begins with "referee: ". On stdout it may print one JSON object per line, or text without control
sequences for the terminal.

Prints a table, the memory of each process after a tenth, half and all of its files, and every file
that made a command break these rules. The exit code is 1 if there was one, or if memory grew.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Collection
from pathlib import Path
from random import Random
from typing import NamedTuple

import msgspec
from rich.console import Console
from rich.table import Table

from referee import cli
from referee.workers import worker_processes
from tests.support.damage import damage
from tests.support.fuzzed import originals

COMMANDS = {
    "replay": ["replay"],
    "replay --summary": ["replay", "--summary"],
    "replay --format json": ["replay", "--format", "json"],
    "verify": ["verify"],
    "validate": ["validate"],
    "page": ["page", "-o", os.devnull],
}
# A process may use this many MiB more at the end than after a tenth of its files.
ALLOWED = 25.0


class Wrong(NamedTuple):
    """A file for which a command broke the rules.

    Attributes:
        number: the number of the file.
        damages: descriptions of the edits.
        problem: one line.
        errors: the text on stderr.
    """

    number: int
    command: str
    damages: str
    problem: str
    errors: str


class Outcomes:
    """Counts over all files.

    Attributes:
        codes: (command, exit code) -> count.
        slowest: command -> maximum seconds, and the number of the file.
        wrong: the broken rules.
        memory: MiB of the process after a tenth, half and all of the files.
    """

    def __init__(self) -> None:
        self.codes: Counter[tuple[str, int]] = Counter()
        self.slowest: dict[str, tuple[float, int]] = dict.fromkeys(COMMANDS, (0.0, 0))
        self.wrong: list[Wrong] = []
        self.memory: list[float] = []

    def add(self, other: Outcomes) -> None:
        self.codes += other.codes
        self.wrong += other.wrong
        for command, slowest in other.slowest.items():
            self.slowest[command] = max(self.slowest[command], slowest)


def attack(
    numbers: range, seed: int, folder: Path, keep: Path | None = None, matches: int = 60
) -> Outcomes:
    """Run all commands on damaged files.

    Args:
        numbers: the numbers of the files. Together with the seed they determine the damage.
        folder: the folder for the files.
        keep: a folder for files that break the rules; or None.
        matches: how many matches we play to have files to damage. Games take turns. We also damage
            the examples.
    """
    outcomes = Outcomes()
    valid = originals(matches)
    file = folder / "damaged"
    marks = {len(numbers) // 10, len(numbers) // 2, len(numbers)}
    for done, number in enumerate(numbers, 1):
        damages, data = damage(Random(f"{seed}, {number}"), valid)
        file.write_bytes(data)
        for command, arguments in COMMANDS.items():
            started = time.perf_counter()
            code, out, errors = run([*arguments, str(file)])
            took = time.perf_counter() - started
            outcomes.slowest[command] = max(outcomes.slowest[command], (took, number))
            outcomes.codes[command, code] += 1
            if code > 128:
                raise KeyboardInterrupt  # the command caught our Ctrl-C
            problem = judge(code, out, errors, json="json" in arguments)
            if problem:
                outcomes.wrong.append(Wrong(number, command, damages, problem, errors))
                if keep is not None:
                    (keep / f"damaged-{number}").write_bytes(data)
        if done in marks:
            outcomes.memory.append(memory())
    return outcomes


def memory() -> float:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1024**2


def run(arguments: list[str]) -> tuple[int, str, str]:
    """Run a command in this process, because starting Python for each file would take far longer.

    Returns the exit code (70 if the command raised), stdout and stderr.
    """
    out, errors = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in "ab")
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(errors):
        try:
            code = cli.main(arguments)
        except BaseException as error:
            if isinstance(error, KeyboardInterrupt):
                raise
            traceback.print_exc()
            code = 70
    for stream in (out, errors):
        stream.seek(0)
    return code, out.read(), errors.read()


def judge(
    code: int, out: str, errors: str, *, json: bool = False, codes: Collection[int] = (0, 1)
) -> str:
    """Return what's wrong with a command's result, in one line, or "" if nothing is."""
    lines = errors.splitlines()
    if code not in codes:
        raised = [line for line in lines if line[:1] not in ("", " ") and "referee: " not in line]
        return raised[-1] if raised else f"exit code {code}"
    if any(not line.startswith("referee: ") for line in lines):
        return f"on stderr: {errors!r}"
    if len(lines) > 1:
        return f"{len(lines)} lines on stderr"
    is_right = _is_object if json else str.isprintable
    wrong = [line for line in out.split("\n")[:-1] if not is_right(line)]
    return f"on stdout: {wrong[0]!r}" if wrong else ""


def _is_object(line: str) -> bool:
    try:
        return isinstance(msgspec.json.decode(line), dict)
    except (ValueError, RecursionError):
        return False


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--files", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="leave files there that were")
    options = parser.parse_args()
    started = time.monotonic()
    outcomes = Outcomes()
    with (
        tempfile.TemporaryDirectory() as name,
        worker_processes(options.jobs) as pool,
    ):
        parts = []
        for job in range(options.jobs):
            folder = Path(name, str(job))
            folder.mkdir()
            numbers = range(job, options.files, options.jobs)
            parts.append(pool.submit(attack, numbers, options.seed, folder, options.keep))
        ended = [part.result() for part in parts]
    for part_of_it in ended:
        outcomes.add(part_of_it)
    table = Table("command", "exit 0", "exit 1", "other", "wrong", "slowest")
    for command in COMMANDS:
        codes = {code: count for (name, code), count in outcomes.codes.items() if name == command}
        total = sum(codes.values())
        zero, one = codes.get(0, 0), codes.get(1, 0)
        wrong = sum(wrong.command == command for wrong in outcomes.wrong)
        took, number = outcomes.slowest[command]
        slowest = f"{took * 1000:.0f} ms (file {number})"
        cells = (zero, one, total - zero - one, wrong)
        table.add_row(command, *map(str, cells), slowest)
    Console(width=100).print(table)
    print(f"{options.files} files, seed {options.seed}, {time.monotonic() - started:.0f} s")
    for part_of_it in ended:
        print("MiB:", " ".join(f"{size:.0f}" for size in part_of_it.memory))
    grown = max(part_of_it.memory[-1] - part_of_it.memory[0] for part_of_it in ended)
    seen: set[str] = set()
    for wrong in outcomes.wrong:
        print(f"file {wrong.number}, {wrong.command}: {wrong.problem[:200]}")
        print(f"  damage: {wrong.damages}")
        if wrong.problem not in seen:  # print stderr only once per problem
            print("  " + wrong.errors.replace("\n", "\n  ")[-3000:])
        seen.add(wrong.problem)
    return 1 if outcomes.wrong or grown > ALLOWED else 0


if __name__ == "__main__":
    from tools.attacks import damaged_files  # so that workers can unpickle functions

    sys.exit(damaged_files.main())
