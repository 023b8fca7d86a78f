"""What it costs to hold bots to their limits, beside none (limits.md).

    python -m tests.benchmarks.limits [--rounds N]

Started and ended: a process that ends by itself, in microseconds. A request: of a kept Big Money
bot that plays against itself. The ratios are medians of those of neighbouring runs. At the end: how
many control groups are left.
"""

from __future__ import annotations

import argparse
import os
import statistics
import time
from collections.abc import Callable

from referee.bots.command import BotCommand
from referee.bots.processes import cgroups
from referee.bots.processes.launch import LaunchedBot
from referee.match.limits import OF_TOURNAMENTS, Limits
from referee.tournament.playing.batch import Batch, Failed, end_bots, play_batch
from referee.tournament.rows import Entrant, Plan

STARTS = 50
_TRUE = BotCommand("true", ("/bin/true",))
_HELD: dict[str, object] = dict(OF_TOURNAMENTS)


def starts(limits: Limits) -> float:
    """Microseconds of a start and an end."""
    began = time.perf_counter()
    for _ in range(STARTS):
        bot = LaunchedBot(_TRUE, limits)
        assert bot.popen is not None
        bot.popen.stdout.read()  # type: ignore[union-attr]
        bot.end()
    return (time.perf_counter() - began) / STARTS * 1e6


def requests(settings: dict[str, object]) -> float:
    """Microseconds of a request."""
    entrants = {number: Entrant("big_money", "big_money") for number in (0, 1)}
    plans = tuple(Plan(match=n, deal=n, seed=n, players=(0, 1)) for n in range(1000))
    batch = Batch("dominion", settings, entrants, plans[:1])
    play_batch(batch)  # starts them
    rows = play_batch(Batch("dominion", settings, entrants, plans[1:]))
    end_bots()
    assert not isinstance(rows, Failed)
    seconds = sum(row.seconds for row in rows)
    return seconds / sum(seat.replies for row in rows for seat in row.seats) * 1e6


def compare(what: str, plain: Callable[[], float], held: Callable[[], float], rounds: int) -> None:
    """Print a line."""
    pairs = [(held(), plain()) for _ in range(rounds)]
    ratio = statistics.median(one / other for one, other in pairs)
    with_limits, without = (statistics.median(each) for each in zip(*pairs, strict=True))
    print(f"{what:20} {with_limits:7.0f} us   without limits {without:7.0f} us   ratio {ratio:.2f}")


def main() -> None:
    """Measure."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=10)
    rounds = parser.parse_args().rounds
    held = Limits(**OF_TOURNAMENTS)
    compare("started and ended", lambda: starts(Limits()), lambda: starts(held), rounds)
    compare("a request", lambda: requests({}), lambda: requests(_HELD), rounds)
    home = cgroups.home()
    folders = set() if home is None else set(home.folders.values())
    left = [
        name
        for folder in folders
        for name in os.listdir(folder)
        if name.startswith(f"referee-{os.getpid()}-")
    ]
    print(f"{rounds * STARTS} starts with limits, by {home.name if home else 'rlimits'}; "
          f"{len(left)} control groups left")  # fmt: skip


if __name__ == "__main__":
    main()
