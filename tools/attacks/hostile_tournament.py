"""Play a tournament of eight bots, four of them hostile, and the same without the hostile ones.

    python -m tools.attacks.hostile_tournament [--deals 3] [--jobs 2]

Four good bots play each other, first among themselves and then along with four bots that hang,
flood, crash and fork. We fix both schedules here, so that a match between good bots has the same
deal and the same seed in both: their deals come first in the list, and then all are shuffled,
because that's what happens to batches.

Both tournaments must finish, with the same results among the good bots (we compare digests). The
hostile bots must lose, and with the codes that we expect. No process, file, descriptor, control
group or mount may be left. Prints a line for each, and exits with 1 if there was a problem.
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

from msgspec import UNSET

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
# Hostile bot -> the code of its disqualification in every match.
EXPECTED = {
    "hangs": "timeout",
    "floods": "output-limit",
    "crashes": "exited",
    "forks": "exited",
}
# Only the bot that hangs has a short time limit, because a busy machine can make others late.
LIMITS = {"time_limit": 60.0, "startup_limit": 60.0, "grace": 0.2}
OF_ONE = {"hangs": (("time_limit", 2.0),)}
GONE_SECONDS = 5.0


def hostile_bots(folder: Path) -> list[Entrant]:
    # We recognise their processes by an environment variable, which tests/support/live.py sets.
    bots = (
        hostile("daemon_and_hang", str(folder / "pid")),
        hostile("flood"),
        hostile("exit_at", 4),
        hostile("swarm", 5),
    )
    return [
        Entrant(name, bot, limits=OF_ONE.get(name, UNSET))
        for name, bot in zip(EXPECTED, bots, strict=True)
    ]


def plans(bots: int, deals: int) -> list[Plan]:
    """Plan a round robin.

    We sort the pairs so that a pair keeps its deals when more bots join.
    """
    pairs = sorted(combinations(range(bots), 2), key=lambda pair: pair[1])
    return [
        Plan(2 * deal + seat, deal, deal_seed(1, deal), pair[:: -1 if seat else 1])
        for number, pair in enumerate(pairs)
        for deal in range(number * deals, (number + 1) * deals)
        for seat in (0, 1)
    ]


def play(what: TournamentSetup, deals: int, jobs: int, ours: set[int]) -> list[MatchRow]:
    """Play all matches in random order, so that good and hostile bots share workers.

    Adds the descendants of this process to `ours`.
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
    """Context manager: check that no process, file, descriptor, control group or mount is left.

    Yields a set, to which the block adds process ids. We only look at control groups of these
    processes, since other programs on this machine may leave some when they're killed.
    """
    ours: set[int] = set()
    there, before = remains_of(ours), left_behind()
    yield ours
    until = time.monotonic() + GONE_SECONDS
    while (processes := [*set(left_behind()) - set(before)]) and time.monotonic() < until:
        time.sleep(0.05)
    # A bot writes this file, which is allowed.
    files = {name for name in os.listdir(folder) if name != "pid"}
    while (now := remains_of(ours)).is_more_than(there) and time.monotonic() < until:
        time.sleep(0.05)
    print(f"left behind: {len(processes)} processes, {len(files)} files")
    print(f"before: {there}\nafter:  {now}")
    if processes or files or now.is_more_than(there):
        problems.append(f"left behind: {processes}, {files}; {now} after {there}")


def remains_of(ours: set[int]) -> Remains:
    return remains()._replace(cgroups=len(cgroups_of(ours)))


def compare(alone: list[MatchRow], together: list[MatchRow]) -> list[str]:
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
        # With two hostile bots, the match may be over before the second one gets to fail.
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
        # Python keeps some helper processes, so let it start them now.
        with worker_processes(1) as pool:
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
