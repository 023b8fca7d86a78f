"""Measure a Dask cluster, and check that a killed worker does not change the results.

    .venv/bin/python -m tools.benchmarks.cluster [--workers 3] [--deals 150] [--rounds 5]

We start a scheduler and workers as processes of this machine. The same tournament runs with and
without Dask in turns, with as many jobs as there are workers. Its time includes the start of
processes and bots.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager

from referee.tournament.playing.cluster import Cluster
from referee.tournament.playing.dispatcher import Dispatcher
from referee.tournament.playing.run import Run
from referee.tournament.rows import Entrant, MatchRow
from referee.tournament.setup import setup
from referee.tournament.store import Store
from referee.workers import worker_processes
from tests.support.dask_cluster import DaskCluster
from tests.support.stores import rows

AT_MOST = 1.20
OnRows = Callable[[Sequence[MatchRow]], None]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--workers", type=int, default=3)
    parser.add_argument("--deals", type=int, default=150)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    jobs = options.workers

    def without(store: Store) -> float:
        return play(store, Dispatcher(lambda: worker_processes(jobs, pin=True), lambda: jobs))

    with DaskCluster(options.workers) as processes:

        def with_dask(store: Store, on_rows: OnRows = lambda rows: None) -> float:
            cluster = Cluster(processes.address, {}, print)
            return play(store, Dispatcher(cluster.workers, lambda: cluster.threads), on_rows)

        times = []
        for number in range(options.rounds):
            one, other = store_of(options.deals), store_of(options.deals)
            runs = [(without, one), (with_dask, other)]
            seconds = {run: run(store) for run, store in runs[:: -1 if number % 2 else 1]}
            times.append((seconds[without], seconds[with_dask]))
            print(
                f"{one.count()[0]} matches: {times[-1][0]:.1f} s with --jobs {jobs}, "
                f"{times[-1][1]:.1f} s with {jobs} Dask workers; "
                f"same store: {rows(one) == rows(other)}"
            )
        ratio = statistics.median(dask / jobs for jobs, dask in times)
        print(f"median of the ratios {ratio:.2f} (at most {AT_MOST:.2f})")

        third = store_of(options.deals)
        half = one.count()[0] // 2

        def kill(_: Sequence[MatchRow]) -> None:
            if third.count()[0] >= half and processes.workers[0].poll() is None:
                print(f"one worker killed after {third.count()[0]} matches")
                processes.workers[0].kill()
                processes.workers[0].wait()

        with_dask(third, kill)
        same = rows(third) == rows(one)
        print(f"{third.count()[0]} matches with the others; same store: {same}")
    return 0 if same and ratio <= AT_MOST else 1


def store_of(deals: int) -> Store:
    store = Store.in_memory()
    bots = [Entrant("A", "big_money"), Entrant("B", "village_engine")]
    store.add_stage(setup(bots, game="dominion", deals=deals, seed=5))
    return store


def play(
    store: Store,
    dispatcher: AbstractContextManager[Dispatcher],
    on_rows: OnRows = lambda rows: None,
) -> float:
    began = time.perf_counter()
    run = Run(store)
    run.on_rows = on_rows
    with dispatcher as entered:
        run.play(entered)
    return time.perf_counter() - began


if __name__ == "__main__":
    sys.exit(main())
