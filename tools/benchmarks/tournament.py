"""Measure a tournament. Each figure is a ratio to a simpler program in the same run.

    python -m tools.benchmarks.tournament [--only abcd] [--rounds N] [--matches N] [--whole]

(a) Matches per second between two Python bots in reused processes, with 1 job and with 2, against
    a bare trio loop that sends the same bytes to the same bots and reads their lines (see
    bench.py).
(b) The same with new processes, against starting two bare Pythons for each match.
(c) Matches per second between two bots in C in reused processes, against bots in Python.
(d) The cost of a match in the parent, and its memory, after 100, 1,000 and 10,000 matches, and
    100,000 with --whole. Matches are made up, so that only the parent works.

The machine is noisy, so the sides of a ratio take turns, and medians are printed. The first matches
of a run, while workers start, are not counted.
"""

from __future__ import annotations

import argparse
import json
import os
import pickle
import resource
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

import trio
from rich import box
from rich.console import Console
from rich.table import Table

import referee
from referee.bots.command import resolve_bot
from referee.tournament.playing.batch import Batch
from referee.tournament.playing.dispatcher import Dispatcher
from referee.tournament.playing.run import Run
from referee.tournament.rows import Entrant, MatchRow
from referee.tournament.setup import setup
from referee.tournament.store import Store
from referee.workers import worker_processes
from tests.support.made_up import MadeUp, dispatcher, made_setup
from tools.benchmarks.bench import conversations, echo_seconds, python_speed, wall

ROOT = Path(__file__).parents[2]
# The first matches don't count, because the workers are still starting.
WARM = 20
Row = tuple[str, str, str, str, str, str]


def rate(bot: str, jobs: int, matches: int, **chosen: Any) -> float:
    """Return matches per second when a bot plays against itself, with a store on disk.

    Args:
        chosen: fields of `Setup`.
    """
    entrants = [Entrant("one", bot), Entrant("two", bot)]
    what = setup(entrants, game="dominion", matches=matches + WARM, seed=1, **chosen)
    times: list[float] = []
    with tempfile.TemporaryDirectory() as folder, Store.for_writing(f"{folder}/s") as store:
        store.add_stage(what)
        run = Run(store)
        run.on_rows = lambda rows: times.extend([time.perf_counter()] * len(rows))
        with Dispatcher(partial(worker_processes, jobs), lambda: jobs) as made:
            run.play(made)
    # Rows arrive in batches, so we measure from the end of one batch to the end of a later one.
    begin = next(at for at in range(WARM, len(times)) if times[at] > times[at - 1])
    return (len(times) - begin) / (times[-1] - times[begin - 1])


def loop_rate(bot: str, matches: int = 10) -> float:
    """Return matches per second of a bare loop that exchanges the same bytes with this bot."""
    seconds = 0.0
    with tempfile.TemporaryDirectory() as folder:
        record = Path(folder) / "record"
        for seed in range(matches):
            referee.play_match([bot, bot], seed=seed, record=str(record))
            seconds += trio.run(echo_seconds, [resolve_bot(bot)] * 2, conversations(record))
    return matches / seconds


def start_rate(jobs: int, times: int = 30) -> float:
    """Start pairs of bare Pythons in `jobs` threads. Return how many pairs exit per second."""
    bare = [*resolve_bot("minimal").argv[:-1], "-c", ""]

    def pairs() -> None:
        for _ in range(times):
            wall([bare, bare])

    threads = [threading.Thread(target=pairs) for _ in range(jobs)]
    started = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return jobs * times / (time.perf_counter() - started)


def compared(
    what: str, ours: Sequence[float], name: str, beside: Sequence[float], bound: str
) -> Row:
    """Return a row with both rates, and the median of the ratios of each round."""
    ratio = median(a / b for a, b in zip(ours, beside, strict=True))
    return (what, f"{median(ours):.0f} /s", name, f"{median(beside):.0f} /s", f"{ratio:.2f}", bound)


def bench_keep_alive(options: argparse.Namespace) -> list[Row]:
    one, two, loop = [], [], []
    for _ in range(options.rounds):
        loop.append(loop_rate("big_money"))
        one.append(rate("big_money", 1, options.matches))
        two.append(rate("big_money", 2, 2 * options.matches))
    return [
        compared("(a) kept alive, 1 job", one, "bare trio loop", loop, ""),
        compared("(a) kept alive, 2 jobs", two, "1 job", one, "1.8; 200 matches/s"),
    ]


def bench_new(options: argparse.Namespace) -> list[Row]:
    rows = []
    for jobs in (1, 2):
        ours, bare = [], []
        for _ in range(options.rounds):
            bare.append(start_rate(jobs))
            ours.append(rate("big_money", jobs, jobs * options.matches // 2, keep_alive=False))
        what = f"(b) started anew, {jobs} jobs"
        rows.append(compared(what, ours, "two bare Pythons each", bare, "0.7"))
    return rows


def bench_c(options: argparse.Namespace) -> list[Row]:
    compiler = shutil.which("cc")
    if compiler is None:
        return [("(c) left out: no cc", "", "", "", "", "")]
    source = ROOT / "example_bots" / "dominion" / "big_money.c"
    kept = "" if "keep_alive" in source.read_text() else ", not kept alive yet"
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        program = f"{folder}/big_money"
        subprocess.run([compiler, "-O2", "-o", program, str(source)], check=True)
        for jobs in (1, 2):
            ours, python = [], []
            for _ in range(options.rounds):
                python.append(rate("big_money", jobs, jobs * options.matches))
                ours.append(rate(program, jobs, 2 * jobs * options.matches))
            what = f"(c) in C{kept}, {jobs} jobs"
            rows.append(compared(what, ours, "in Python", python, "2 jobs: 400 matches/s"))
    return rows


# --- (d) ------------------------------------------------------------------------------------------


class Pickled(MadeUp):
    """An executor that pickles batches and results, as if workers were other processes."""

    def _play(self, batch: Batch) -> list[MatchRow]:
        rows: list[MatchRow] = pickle.loads(
            pickle.dumps(super()._play(pickle.loads(pickle.dumps(batch))))
        )
        self.played.clear()
        return rows


def parent(matches: int) -> None:
    with tempfile.TemporaryDirectory() as folder, Store.for_writing(f"{folder}/s") as store:
        store.add_stage(made_setup(20, matches=matches))
        run = Run(store)
        begun = time.process_time()
        with dispatcher(Pickled()) as made:
            run.play(made)
        seconds = (time.process_time() - begun) / matches
    print(json.dumps([seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024]))


def bench_parent(options: argparse.Namespace) -> list[Row]:
    rows = []
    first: tuple[float, float] | None = None
    for matches in (100, 1_000, 10_000, *([100_000] if options.whole else [])):
        found = []
        for _ in range(options.rounds if matches < 10_000 else 1):
            words = [sys.executable, __file__, "--parent", str(matches)]
            done = subprocess.run(words, capture_output=True, text=True, check=True)
            found.append(json.loads(done.stdout))
        seconds, size = (median(column) for column in zip(*found, strict=True))
        first = first or (seconds, size)
        figures = f"{seconds * 1e3:.2f} ms, {size:.0f} MiB"
        beside = f"{first[0] * 1e3:.2f} ms, {first[1]:.0f} MiB"
        ratio = f"{seconds / first[0]:.2f}, {size / first[1]:.2f}"
        rows.append((f"(d) {matches:,} made up", figures, "100", beside, ratio, "flat"))
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--matches", type=int, default=200, help="that are timed, for each job")
    parser.add_argument("--only", default="abcd")
    parser.add_argument("--whole", action="store_true", help="(d) with 100,000 matches")
    parser.add_argument("--parent", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.parent:
        parent(options.parent)
        return
    columns = ("what", "median", "beside it", "median", "ratio", "at least, or at most")
    table = Table(*columns, box=box.MARKDOWN)
    benches = {
        "a": bench_keep_alive,
        "b": bench_new,
        "c": bench_c,
        "d": bench_parent,
    }
    speed = python_speed()
    for letter, bench in benches.items():
        if letter in options.only:
            for row in bench(options):
                table.add_row(*row)
    Console(width=120).print(table)
    speeds = f"{speed:.1f} and {python_speed():.1f} million loop steps/s before and after"
    print(f"Python {sys.version.split()[0]}, {os.cpu_count()} cores; {speeds}")


if __name__ == "__main__":
    main()
