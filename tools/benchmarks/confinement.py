"""Measure the cost of the sandbox and the limits (sandbox.md).

    python -m tools.benchmarks.confinement [--rounds N]

We measure the start of a process that exits immediately (in milliseconds), a request to a reused
Big Money bot that plays against itself (in microseconds), and a match in a tournament of these two
bots with one job (in milliseconds). The variants take turns, and ratios are medians of the ratios
of each round. At the end, the number of control groups that are left is printed.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable
from statistics import median

from referee.bots.command import BotCommand
from referee.bots.processes import cgroups
from referee.bots.processes.launch import LaunchedBot
from referee.bots.processes.sandbox import resolve
from referee.match.limits import OF_TOURNAMENTS, Limits
from referee.match.sandbox import NO_SANDBOX, Sandbox
from referee.match.spec import match_spec
from referee.tournament.playing.batch import Batch, Failed
from referee.tournament.playing.task import play_batch
from referee.tournament.playing.worker import end_bots
from referee.tournament.rows import Entrant, Plan
from tools.benchmarks.tournament import rate

STARTS = 50
MATCHES = 400
_TRUE = BotCommand("true", ("/bin/true",))
_HELD: dict[str, object] = dict(OF_TOURNAMENTS)


def start(sandbox: Sandbox, settings: dict[str, object]) -> float:
    limits = Limits(**settings)  # type: ignore[arg-type]
    began = time.perf_counter()
    for _ in range(STARTS):
        bot = LaunchedBot(_TRUE, limits, sandbox)
        assert bot.popen is not None
        bot.popen.stdout.read()  # type: ignore[union-attr]
        bot.end()
    return (time.perf_counter() - began) / STARTS * 1e3


def request(sandbox: Sandbox, settings: dict[str, object]) -> float:
    entrants = {number: Entrant("big_money", "big_money") for number in (0, 1)}
    plans = tuple(Plan(match=n, deal=n, seed=n, players=(0, 1)) for n in range(MATCHES))
    spec = match_spec(["", ""], seed=0, options=settings, sandbox=sandbox)
    play_batch(Batch(spec, entrants, plans[:1]))  # starting the processes doesn't count
    rows = play_batch(Batch(spec, entrants, plans[1:]))
    end_bots()
    assert not isinstance(rows, Failed)
    seconds = sum(row.seconds for row in rows)
    return seconds / sum(seat.replies for row in rows for seat in row.seats) * 1e6


def tournament(sandbox: Sandbox, settings: dict[str, object]) -> float:
    return 1e3 / rate("big_money", 1, MATCHES, sandbox=sandbox.kind, settings=settings)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=7)
    rounds = parser.parse_args().rounds
    sandbox = resolve("bwrap")
    sides: dict[str, tuple[Sandbox, dict[str, object]]] = {
        "neither": (NO_SANDBOX, {}),
        "sandbox": (sandbox, {}),
        "limits": (NO_SANDBOX, _HELD),
        "both": (sandbox, _HELD),
    }
    print(f"{'':24}" + "".join(f"{side:>16}" for side in sides))
    measures: dict[str, Callable[[Sandbox, dict[str, object]], float]] = {
        "started and ended, ms": start,
        "a request, us": request,
        "a tournament, ms a match": tournament,
    }
    for what, measure in measures.items():
        found = [[measure(*side) for side in sides.values()] for _ in range(rounds)]
        line = f"{what:24}"
        for index in range(len(sides)):
            ratio = median(each[index] / each[0] for each in found)
            line += f"{median(each[index] for each in found):9.2f} ({ratio:4.2f})"
        print(line, flush=True)
    home = cgroups.home()
    folders = set() if home is None else set(home.folders.values())
    left = [
        name
        for folder in folders
        for name in os.listdir(folder)
        if name.startswith(f"referee-{os.getpid()}-")
    ]
    starts = 2 * rounds * STARTS
    print(f"{starts} starts with limits, by {home.name if home else 'rlimits'}; "
          f"{len(left)} control groups left")  # fmt: skip


if __name__ == "__main__":
    main()
