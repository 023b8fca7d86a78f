"""Damaged logs and records through `replay`, `verify` and `validate`, in this process.

    python -m tests.attacks.damaged_files [--files 10000] [--seed 1] [--keep FOLDER]

Whatever a file holds, the exit code is 0 or 1, stderr has one line at most, which begins with
"referee: ", and stdout has nothing that drives a terminal, or a JSON object a line. Prints a table,
and each file of which this is not true, with what was done to it; then the exit code is 1.
"""

from __future__ import annotations

import argparse
import contextlib
import io
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
from tests.support.damage import damage, originals

COMMANDS = {
    "replay": ["replay"],
    "replay --summary": ["replay", "--summary"],
    "replay --format json": ["replay", "--format", "json"],
    "verify": ["verify"],
    "validate": ["validate"],
}


class Wrong(NamedTuple):
    """A file on which a command did what it must not.

    Attributes:
        number: of the file.
        damages: what was done to it.
        problem: one line.
        errors: what was on stderr.
    """

    number: int
    command: str
    damages: str
    problem: str
    errors: str


class Outcomes:
    """What has become of all files.

    Attributes:
        codes: how often each command ended with which exit code.
        slowest: command -> most seconds, and the number of the file.
        wrong: what must not be.
    """

    def __init__(self) -> None:
        self.codes: Counter[tuple[str, int]] = Counter()
        self.slowest: dict[str, tuple[float, int]] = dict.fromkeys(COMMANDS, (0.0, 0))
        self.wrong: list[Wrong] = []


def attack(files: int, seed: int, folder: Path, keep: Path | None = None) -> Outcomes:
    """Run so many damaged files through all commands.

    Args:
        folder: for the files.
        keep: where to leave those on which a command did what it must not.
    """
    outcomes = Outcomes()
    valid = originals(folder, matches=min(files // 10, 60))
    file = folder / "damaged"
    for number in range(files):
        damages, data = damage(Random(f"{seed}, {number}"), valid)
        file.write_bytes(data)
        for command, arguments in COMMANDS.items():
            started = time.perf_counter()
            code, out, errors = run([*arguments, str(file)])
            took = time.perf_counter() - started
            outcomes.slowest[command] = max(outcomes.slowest[command], (took, number))
            outcomes.codes[command, code] += 1
            if code > 128:
                raise KeyboardInterrupt  # a signal came, which the command has taken
            problem = judge(code, out, errors, json="json" in arguments)
            if problem:
                outcomes.wrong.append(Wrong(number, command, damages, problem, errors))
                if keep is not None:
                    (keep / f"damaged-{number}").write_bytes(data)
    return outcomes


def run(arguments: list[str]) -> tuple[int, str, str]:
    """Run the command here; its exit code (70 as well if it raised), stdout and stderr."""
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
    """What is wrong with the end of a command, in one line; empty if nothing is."""
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
    parser.add_argument("--files", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="leave files there that were")
    options = parser.parse_args()
    started = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        outcomes = attack(options.files, options.seed, Path(folder), options.keep)
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
    seen: set[str] = set()
    for wrong in outcomes.wrong:
        print(f"file {wrong.number}, {wrong.command}: {wrong.problem[:200]}")
        print(f"  damage: {wrong.damages}")
        if wrong.problem not in seen:  # each once
            print("  " + wrong.errors.replace("\n", "\n  ")[-3000:])
        seen.add(wrong.problem)
    return 1 if outcomes.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
