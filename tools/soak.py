"""Play many seeded matches with every example bot. Faults are errors.

    python -m tools.soak [--matches 200] [--jobs 2]

Prints a table: bot, matches, requests, faults, disqualifications, exit codes other than 0.
"""

from __future__ import annotations

import argparse
import tempfile
from collections import Counter
from collections.abc import Iterator
from itertools import cycle, islice
from pathlib import Path

import pytest
import trio
from rich.console import Console
from rich.table import Table

from referee.bots.bundled import bundled_bots
from referee.bots.command import resolve_bot
from referee.bots.processes.launch import LaunchedBot
from referee.match.limits import Limits
from referee.match.spec import match_spec
from referee.runner import play_once
from tests.support.foreign_bots import FOREIGN, build

OTHERS = ("militia_money", "random_legal", "village_engine")


def seatings(bot: str) -> Iterator[list[str]]:
    """Yield matches of two, three and four players, with the bot in each seat."""
    for count in (2, 3, 4):
        for seat in range(count):
            bots = list(OTHERS[: count - 1])
            bots.insert(seat, bot)
            yield bots


async def soak(bot: str, matches: int, jobs: int) -> Counter[str]:
    counts: Counter[str] = Counter()
    limiter = trio.CapacityLimiter(jobs)

    async def one(seed: int, bots: list[str]) -> None:
        async with limiter:
            started = [LaunchedBot(resolve_bot(other), Limits()) for other in bots]
            result = (await play_once(match_spec(bots, seed=seed), started)).result
        player = next(p for p in result.players if p.bot == bot)
        counts["matches"] += 1
        counts["requests"] += player.requests
        counts["faults"] += sum(player.faults.values())
        counts["disqualified"] += player.disqualified is not None
        counts["bad exits"] += player.exit_code != 0
        counts["turn limits"] += result.reason == "turn-limit"

    async with trio.open_nursery() as nursery:
        for seed, bots in enumerate(islice(cycle(seatings(bot)), matches)):
            nursery.start_soon(one, seed, bots)
    return counts


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--matches", type=int, default=200)
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    columns = ("matches", "requests", "faults", "disqualified", "bad exits", "turn limits")
    table = Table("bot", *columns)
    with tempfile.TemporaryDirectory() as out:
        bots = {name: name for name in bundled_bots()}
        for name in FOREIGN:
            try:
                bots[name] = build(name, Path(out))
            except pytest.skip.Exception as reason:
                print(reason)
        for name, bot in bots.items():
            counts = trio.run(soak, bot, options.matches, options.jobs)
            table.add_row(name, *(str(counts[column]) for column in columns))
    Console(width=110).print(table)


if __name__ == "__main__":
    main()
