"""Send a million lines of bots through `Match` in each game, and check the logs.

    python -m tools.attacks.fuzz_lines [--lines 1000000] [--game G]... [--seed 1] [--jobs 2]

Each line is chosen at random: a legal reply, a damaged reply, one with wrong values, any bytes, or
one of the most expensive lines (`tests/support/worst_lines.py`). Sometimes a bot leaves instead.
The record and the spectator log of each match must always be valid.

Prints for each game the number of lines, matches and valid logs, the faults by code, any problems,
and the memory of each process after a tenth, half and all of its lines. The exit code is 1 if there
was a problem, such as an exception, or if memory grew.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
import traceback
from collections import Counter
from pathlib import Path
from random import Random

from rich.console import Console
from rich.table import Table

from referee.games import GAMES
from referee.logs.validate import validate_log
from referee.logs.verify import Kind, verify_record
from referee.workers import worker_processes
from tests.support.fuzzed import fuzzed_match
from tools.attacks.damaged_files import memory

# A process may use this many MiB more at the end than after a tenth of its lines.
ALLOWED = 12.0


class Found:
    """Counts over some lines.

    Attributes:
        matches: number of matches. A match without a problem has a valid record and log.
        lines: number of lines by kind.
        faults: number of faults by code.
        problems: each with the seed of its match; the first of each kind has its traceback.
        memory: MiB of the process after a tenth, half and all of the lines.
    """

    def __init__(self) -> None:
        self.matches = 0
        self.lines: Counter[str] = Counter()
        self.faults: Counter[str] = Counter()
        self.problems: list[str] = []
        self.memory: list[float] = []


def fuzz(game: str, lines: int, seed: int, folder: Path) -> Found:
    """Play matches of a game until this number of lines was received."""
    found = Found()
    marks = iter([lines // 10, lines // 2, lines])
    mark = next(marks)
    while found.lines.total() < lines:
        name = f"{game}, seed {seed}, match {found.matches}"
        try:
            _one(game, Random(name), folder, found)
        except Exception:
            found.problems.append(f"{name}: {traceback.format_exc()}")
        found.matches += 1
        while mark and found.lines.total() >= mark:
            found.memory.append(memory())
            mark = next(marks, 0)
    return found


def _one(game: str, dice: Random, folder: Path, found: Found) -> None:
    played = fuzzed_match(game, dice, found.lines)
    for faults in played.match.faults:
        found.faults.update(faults)
    record, log = folder / "record", folder / "log"
    record.write_bytes(played.record)
    log.write_bytes(played.log)
    verdict = verify_record(str(record))
    if verdict.kind is not Kind.VALID:
        raise AssertionError(verdict.text)
    for finding in validate_log(str(log)):
        raise AssertionError(str(finding))


def _in_process(game: str, lines: int, seed: int) -> Found:
    with tempfile.TemporaryDirectory() as folder:
        return fuzz(game, lines, seed, Path(folder))


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--lines", type=int, default=1_000_000, help="of each game")
    parser.add_argument("--game", choices=GAMES, action="append")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    wrong = 0
    table = Table("game", "lines", "of them", "matches", "faults", "hold", "wrong", "MiB", "s")
    with worker_processes(options.jobs) as pool:
        for game in options.game or GAMES:
            started = time.monotonic()
            part = options.lines // options.jobs
            jobs = [
                pool.submit(_in_process, game, part, options.seed + job)
                for job in range(options.jobs)
            ]
            ended = [job.result() for job in jobs]
            lines = sum((found.lines for found in ended), Counter[str]())
            faults = sum((found.faults for found in ended), Counter[str]())
            matches = sum(found.matches for found in ended)
            problems = [problem for found in ended for problem in found.problems]
            grown = max(found.memory[-1] - found.memory[0] for found in ended)
            wrong += len(problems) + (grown > ALLOWED)
            table.add_row(
                game,
                f"{lines.total():,}",
                _counts(lines),
                f"{matches:,}",
                _counts(faults),
                f"{matches - len(problems):,}",
                str(len(problems)),
                "\n".join(" ".join(f"{size:.0f}" for size in found.memory) for found in ended),
                f"{time.monotonic() - started:.0f}",
            )
            for problem in problems[:5]:
                print(problem)
    Console(width=120).print(table)
    return 1 if wrong else 0


def _counts(counter: Counter[str]) -> str:
    return "\n".join(f"{name} {count:,}" for name, count in counter.most_common())


if __name__ == "__main__":
    from tools.attacks import fuzz_lines  # so that workers can unpickle functions

    sys.exit(fuzz_lines.main())
