"""Measure how cost and memory grow with the number of matches.

    python -m tools.benchmarks.scale [--only PART ...] [--small N] [--large N] [--records N]

Parts:

*objects*: `play_matches` of 20,000 matches of two Python objects. *processes*: 5,000 matches of two
reused processes. Both print the CPU time per match in the first and in the last tenth, including
bots.

*reports*: a store made here with 200,000 matches of 500 bots. Prints the CPU time and the peak
memory of commands that show it, as a ratio to reading all its rows with the usual checks.

*standings*, *export*, *serve*, *resume*: stores made here, with `--small` (100,000) and `--large`
(1,000,000) matches of 100 bots. `standings` prints text, `export` CSV. `serve` shows the list, then
the standings, and also has `--records` records (10,000). *resume* continues a tournament with 20
missing matches. Prints for each the CPU time and the peak memory of the whole command, and the
ratio between the large and the small store.

Stores are written to the folder for temporary files.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Sequence
from functools import partial
from itertools import islice, pairwise
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

import referee
from referee.match.spec import match_spec
from referee.tournament.playing.batch import Batch
from referee.tournament.playing.records import record_of
from referee.tournament.playing.task import play_batch
from referee.tournament.playing.worker import end_bots
from referee.tournament.rows import Entrant, Plan
from referee.tournament.setup import setup
from referee.tournament.stages import stages
from referee.tournament.store import Store
from tests.support.made_up import row
from tools.benchmarks.bench import BigMoney
from tools.benchmarks.kept_alive import counted

BOTS = 100
# The size of the store of *reports*.
MANY_BOTS, MANY_MATCHES, ROUNDS = 500, 200_000, 3
# Read all rows, as the base of the ratios.
READ = """
import sys
from referee.tournament.store import Store
with Store.for_reading(sys.argv[1]) as store:
    for row in store.matches():
        pass
"""
# How many matches are missing before a run is resumed.
MISSING = 20
HISTOGRAM = {30 + step: 9 for step in range(8)}
STATISTICS = [b'{"bought":{"province":[4,12],"gold":[5,8],"silver":[6,2]}}'] * 2
REFEREE = [sys.executable, "-m", "referee"]


class Cost(NamedTuple):
    """The cost of a command: CPU seconds, and peak MiB."""

    seconds: float
    size: float


def made_store(path: Path, matches: int, missing: int = 0, bots: int = BOTS) -> None:
    """Write a store with made-up matches between bundled bots."""
    entrants = [Entrant(f"bot{number}", "minimal") for number in range(bots)]
    with Store.for_writing(str(path)) as store:
        store.add_stage(setup(entrants, game="dominion", matches=matches, seed=1))
        (stage,) = stages(store)
        plans = islice(stage.missing(()), matches - missing)
        while chunk := list(islice(plans, 5_000)):
            store.add([made_row(plan) for plan in chunk])


def made_row(plan: Plan) -> Any:
    """Make up a match. The bot with the lower number wins more often."""
    first = (plan.seed >> 7) % 200 < 100 + plan.players[1] - plan.players[0]
    ranks = [1, 2] if first else [2, 1]
    return row(plan, ranks, reply_histogram=HISTOGRAM, statistics=STATISTICS)


def cost_of(
    words: Sequence[str],
    use: Callable[[str], object] | None = None,
    program: Sequence[str] = REFEREE,
) -> Cost:
    """Run a command, and return its cost.

    Args:
        use: called with the first line of output. Then we terminate the command.
    """
    out = subprocess.DEVNULL if use is None else subprocess.PIPE
    with subprocess.Popen([*program, *words], stdout=out, stderr=subprocess.PIPE) as process:
        if use is not None:
            assert process.stdout is not None
            use(process.stdout.readline().decode())
            process.terminate()
        assert process.stderr is not None
        said = process.stderr.read()
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode in (0, -15, 143), said.decode()[-500:]
    return Cost(used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)


# --- Played matches -------------------------------------------------------------------------------


def show_tenths(what: str, seconds: Sequence[float], size: float) -> None:
    """Print how the cost of a match has grown.

    Args:
        seconds: CPU seconds per match in each tenth of the matches.
        size: peak MiB.
    """
    first, last = (f"{seconds[place] * 1e3:.2f} ms" for place in (0, -1))
    growth = f"{seconds[-1] / seconds[0]:.2f}"
    print(f"{what}: {first} per match at the start, {last} at the end ({growth}), {size:.0f} MiB")


def play_objects(matches: int) -> None:
    times: list[float] = []

    class Timed(BigMoney):
        def __init__(self) -> None:
            times.append(time.process_time())

    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    found = referee.play_matches([Timed, BigMoney], matches, seed=1)
    times.append(time.process_time())
    assert len(found.results) == matches
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    tenth = matches // 10
    ends = [times[place * tenth] for place in range(10)] + times[-1:]
    per_match = [(end - begin) / tenth for begin, end in pairwise(ends)]
    show_tenths(f"objects, {matches:,} matches", per_match, after / 1024)
    print(f"  a result takes {(after - before) / matches:.1f} KiB")


def play_processes(matches: int) -> None:
    bots = ["big_money", "big_money"]
    entrants = {number: Entrant(str(number), bot) for number, bot in enumerate(bots)}
    spec = match_spec(bots, seed=0)
    found: list[float] = []
    for tenth in range(10):
        numbers = range(tenth * matches // 10, (tenth + 1) * matches // 10)
        plans = tuple(Plan(number, number, number, (0, 1)) for number in numbers)
        with counted(found):
            while plans:
                rows = play_batch(Batch(spec, entrants, plans))
                assert isinstance(rows, list), rows
                plans = plans[len(rows) :]
    end_bots()
    size = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    show_tenths(f"processes, {matches:,} matches", [each / matches * 10 for each in found], size)


# --- Stores ---------------------------------------------------------------------------------------


def serve(path: Path, records: Path) -> Cost:
    shown: dict[str, float] = {}

    def look(line: str) -> None:
        address = line.split()[0].rstrip("/")
        for page in ("/", f"/store/{path.name}", f"/store/{path.name}/matches", "/"):
            begun = time.monotonic()
            with urllib.request.urlopen(address + page, timeout=600) as answer:
                assert answer.status == 200
                answer.read()
            shown[f"{page} again" if page in shown else page] = time.monotonic() - begun

    cost = cost_of(["serve", "--listen", "127.0.0.1:0", str(path), str(records)], look)
    print("  " + ", ".join(f"{page} {seconds:.2f} s" for page, seconds in shown.items()))
    return cost


def made_records(folder: Path, count: int) -> None:
    folder.mkdir()
    one = folder / "record.jsonl"
    referee.play_match([BigMoney, BigMoney], seed=1, record=one)
    for number in range(count):
        os.link(one, record_of(folder, number).with_suffix("").with_suffix(".jsonl"))


def of_stores(options: argparse.Namespace) -> None:
    sizes = options.small, options.large
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if "serve" in options.only:
            made_records(folder / "records", options.records)
        for part in ("standings", "export", "serve", "resume"):
            if part not in options.only:
                continue
            found = []
            for size in sizes:
                path = folder / f"{part}{size}.sqlite"
                made_store(path, size, MISSING if part == "resume" else 0)
                found.append(cost(part, path, size, folder / "records"))
                print(f"{part}, {size:,} matches: {found[-1].seconds:.1f} s, ", end="")
                print(f"{found[-1].size:.0f} MiB", flush=True)
                path.unlink()
            small, large = found
            times, memory = large.seconds / small.seconds, large.size / small.size
            print(f"  {sizes[1] / sizes[0]:.0f} times the matches: {times:.1f} and {memory:.1f}")


def cost(part: str, path: Path, size: int, records: Path) -> Cost:
    if part == "serve":
        return serve(path, records)
    if part == "resume":
        bots = [f"bot{number}=minimal" for number in range(BOTS)]
        words = ["tournament", *bots, "--matches", str(size), "--seed", "1", "--store", str(path)]
        return cost_of([*words, "--sandbox", "none", "--jobs", "1"])
    return cost_of([part, str(path)])


def of_reports() -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "many.sqlite"
        made_store(path, MANY_MATCHES, bots=MANY_BOTS)
        standings = ["standings", str(path), "--format"]

        def front(line: str) -> None:
            address = line.split()[0].rstrip("/")
            urllib.request.urlopen(f"{address}/store/{path.name}", timeout=600).close()

        reports: dict[str, Callable[[], Cost]] = {
            "reading all rows": lambda: cost_of([str(path)], program=[sys.executable, "-c", READ]),
            **{form: partial(cost_of, [*standings, form]) for form in ("text", "json", "html")},
            "json --statistics": lambda: cost_of([*standings, "json", "--statistics"]),
            "html --statistics": lambda: cost_of([*standings, "html", "--statistics"]),
            "front page": lambda: cost_of(["serve", "--listen", "127.0.0.1:0", str(path)], front),
        }
        # They take turns, because the machine is noisy.
        found = [{name: report() for name, report in reports.items()} for _ in range(ROUNDS)]
        for name in reports:
            seconds = median(each[name].seconds for each in found)
            size = median(each[name].size for each in found)
            ratio = median(each[name].seconds / each["reading all rows"].seconds for each in found)
            print(f"{name}: {seconds:.1f} s, {size:.0f} MiB, {ratio:.2f}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parts = ("objects", "processes", "reports", "standings", "export", "serve", "resume")
    parser.add_argument("--only", nargs="*", choices=parts, default=parts)
    parser.add_argument("--small", type=int, default=100_000)
    parser.add_argument("--large", type=int, default=1_000_000)
    parser.add_argument("--records", type=int, default=10_000)
    options = parser.parse_args()
    if "objects" in options.only:
        play_objects(20_000)
    if "processes" in options.only:
        play_processes(5_000)
    if "reports" in options.only:
        of_reports()
    of_stores(options)


if __name__ == "__main__":
    main()
