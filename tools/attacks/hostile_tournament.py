"""A tournament of 8 with hostile bots, and the same without them.

    python -m tools.attacks.hostile_tournament [--deals 3] [--jobs 2]

Four sound bots play each other, then beside four that hang, flood, crash and fork. Both schedules
are fixed here, so that a match of sound bots has the same number of its deal and the same seed in
both: deals of the sound ones come first in the list, and are mixed with the others as batches are.
What one worker plays is drawn by lot.

Each must finish; the sound bots' results among themselves must be as without the others, by digest;
the hostile ones must lose by the codes that are expected; and no process, file, descriptor, control
group or mount may be left. Prints a line for each, and exits with 1 if anything was wrong.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from itertools import combinations
from pathlib import Path
from random import Random

from referee.bots.processes.orphans import descendants
from referee.tournament.playing.dispatcher import Dispatcher
from referee.tournament.rows import Entrant, MatchRow, Plan
from referee.tournament.schedule.format import TournamentSetup
from referee.tournament.schedule.pairing import deal_seed
from referee.tournament.setup import setup
from referee.workers import worker_processes
from tests.support.live import hostile, left_behind
from tests.support.remains import Remains, cgroups_of, remains

SOUND = ("minimal", "big_money", "smithy_big_money", "village_engine")
EXPECTED = {
    "hangs": "timeout",
    "floods": "output-limit",
    "crashes": "exited",
    "forks": "exited",
}
"""Of each hostile bot the code that it is disqualified with in every match."""
LIMITS = {"time_limit": 2.0, "startup_limit": 20.0, "grace": 0.2}
"""Seconds: short for those who hang, long enough for a busy machine."""
GONE_SECONDS = 5.0


def hostile_bots(folder: Path) -> list[Entrant]:
    """One of each kind. Their processes are known by a variable of the environment."""
    bots = (
        hostile("daemon_and_hang", str(folder / "pid")),
        hostile("flood"),
        hostile("exit_at", 4),
        hostile("swarm", 5),
    )
    return [Entrant(name, bot) for name, bot in zip(EXPECTED, bots, strict=True)]


def plans(bots: int, deals: int) -> list[Plan]:
    """A round robin in which a pair's deals have the same seeds however many bots there are."""
    pairs = sorted(combinations(range(bots), 2), key=lambda pair: pair[1])
    return [
        Plan(2 * deal + seat, deal, deal_seed(1, deal), pair[:: -1 if seat else 1])
        for number, pair in enumerate(pairs)
        for deal in range(number * deals, (number + 1) * deals)
        for seat in (0, 1)
    ]


def play(what: TournamentSetup, deals: int, jobs: int, ours: set[int]) -> list[MatchRow]:
    """Play all in an order drawn by lot, so that sound and hostile bots share workers.

    The processes that descend from this one meanwhile are added to `ours`.
    """
    todo = plans(len(what.bots), deals)
    Random(1).shuffle(todo)
    played: list[MatchRow] = []
    with Dispatcher(partial(worker_processes, jobs), lambda: jobs) as dispatcher:
        for rows in dispatcher.play(what, iter(todo)):
            ours.update(descendants(os.getpid()))
            played += rows
    return played


@contextmanager
def nothing_left(folder: Path, problems: list[str]) -> Iterator[set[int]]:
    """See that this block leaves no process, file, descriptor, control group or mount.

    It fills the set that it is given with the processes whose control groups are looked for:
    other programs that play matches here leave theirs when they are killed.
    """
    ours: set[int] = set()
    there, before = remains_of(ours), left_behind()
    yield ours
    until = time.monotonic() + GONE_SECONDS
    while (processes := [*set(left_behind()) - set(before)]) and time.monotonic() < until:
        time.sleep(0.05)
    files = {name for name in os.listdir(folder) if name != "pid"}  # a bot's, as it was told
    while (now := remains_of(ours)).is_more_than(there) and time.monotonic() < until:
        time.sleep(0.05)
    print(f"left behind: {len(processes)} processes, {len(files)} files")
    print(f"before: {there}\nafter:  {now}")
    if processes or files or now.is_more_than(there):
        problems.append(f"left behind: {processes}, {files}; {now} after {there}")


def remains_of(ours: set[int]) -> Remains:
    """What is left now; of control groups, those that one of these processes has made."""
    return remains()._replace(cgroups=len(cgroups_of(ours)))


def compare(alone: list[MatchRow], together: list[MatchRow]) -> list[str]:
    """The problems."""
    problems = []
    sound = range(len(SOUND))
    mixed = {row.match: row for row in together}
    for row in alone:
        other = mixed[row.match]
        if (row.players, row.digest, row.ranks) != (other.players, other.digest, other.ranks):
            problems.append(f"match {row.match} went otherwise: {row.seats} and {other.seats}")
    codes: Counter[tuple[int, str]] = Counter()
    seats: Counter[int] = Counter()
    for row in together:
        for bot, left in ((seat.bot, seat.disqualified) for seat in row.seats):
            seats[bot] += 1
            codes[bot, left or "-"] += 1
            if bot in sound and left and not row.void:
                problems.append(f"match {row.match}: {SOUND[bot]} was disqualified, {left}")
    for bot, (name, code) in enumerate(EXPECTED.items(), len(SOUND)):
        found = {which: count for (who, which), count in codes.items() if who == bot}
        print(f"{name}: {seats[bot]} matches, disqualified {found}")
        # Two hostile ones: the first to leave ends the match, and the other may not come to it.
        if found.get(code, 0) < seats[bot] * len(SOUND) // (len(SOUND) + len(EXPECTED) - 1):
            problems.append(f"{name}: expected {code}, found {found}")
    return problems


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--deals", type=int, default=3)
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    problems: list[str] = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        sound = [Entrant(bot, bot) for bot in SOUND]
        make = partial(setup, game="dominion", seed=1, settings=LIMITS)
        with worker_processes(1) as pool:  # starts what Python keeps for good
            pool.submit(os.getpid).result()
        with nothing_left(folder, problems) as ours:
            alone = play(make(sound), options.deals, options.jobs, ours)
        print(f"{len(alone)} matches of {len(SOUND)} sound bots")
        with nothing_left(folder, problems) as ours:
            together = play(make(sound + hostile_bots(folder)), options.deals, options.jobs, ours)
        void = sum(row.void for row in together)
        again = sum(row.late for row in together)
        print(f"{len(together)} matches of all 8; {void} void, {again} played again for lateness")
        problems += compare(alone, together)
    print("\n".join(problems) or "the sound bots' results are the same")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
