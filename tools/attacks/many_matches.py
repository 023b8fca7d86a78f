"""Play thousands of matches, one in five with a hostile bot, and check that no resource leaks.

    python -m tools.attacks.many_matches [--matches 3000] [--way none|bwrap|workers] [--jobs 2]

We play them in this process, one after the other, without and with a sandbox, and then in the
workers of a tournament, in a sandbox if there is one. Prints the resources after a tenth, in the
middle and at the end: processes, descriptors and memory (also of workers), unused control groups,
and mounts. The exit code is 1 if there's more of anything at the end than after a tenth (for
memory: more than 8 MiB per process), or if a good bot was disqualified.
"""

from __future__ import annotations

import argparse
import gc
import itertools
import os
import sys
from collections.abc import Callable, Iterator
from functools import partial
from itertools import islice
from pathlib import Path

import trio

from referee.bots.command import find_bot
from referee.bots.processes.launch import launch_bots
from referee.bots.processes.sandbox import resolve, unavailable_reason
from referee.match.limits import SANDBOXED
from referee.match.sandbox import Sandbox, SandboxKind
from referee.match.spec import match_spec
from referee.runner import play_once
from referee.tournament.playing.dispatcher import Dispatcher
from referee.tournament.rows import Entrant, Plan
from referee.tournament.setup import setup
from referee.workers import worker_processes
from tests.support.live import hostile
from tests.support.remains import Remains, remains
from tools.attacks.hostile import SANDBOXES, attacker

SOUND = ("minimal", "big_money")
# Bots write this file. In a sandbox, it's in their own /tmp.
MARK = f"/tmp/referee-attack-{os.getpid()}"
HOSTILE = (
    *(hostile("flood"), hostile("exit_at", 2), hostile("swarm", 5), hostile("lost_daemon", MARK)),
    *(hostile("sleep_at", 2), hostile("die_at", "2:9"), hostile("stays"), hostile("endless_line")),
    *(attacker("burners", 5), attacker("fork_bomb", 30), attacker("daemons", MARK)),
)
WAYS = (*SANDBOXES, "workers")
# Every fifth match has a hostile bot.
EVERY = 5
# Short limits, but long enough for a hostile bot to misbehave.
SETTINGS = {"time_limit": 1.0, "startup_limit": 20.0, "grace": 0.1, "max_turns": 5}
# KiB.
GROWTH = 8 * 1024


def line_ups() -> Iterator[tuple[int, int]]:
    bots = len(SOUND) + len(HOSTILE)
    number = 0
    while True:
        number += 1
        hostile_one = len(SOUND) + number // EVERY % (bots - len(SOUND))
        pair = (number % len(SOUND), hostile_one if number % EVERY == 0 else (number + 1) % 2)
        yield pair if number % 2 else (pair[1], pair[0])


def settings(sandbox: SandboxKind) -> dict[str, object]:
    return {**(SANDBOXED if sandbox != "none" else {}), **SETTINGS}


class Lost(Exception):
    """A good bot was disqualified."""


def here(matches: Iterator[tuple[int, int]], sandbox: Sandbox) -> None:
    names = (*SOUND, *HOSTILE)
    for pair in matches:
        bots = [names[bot] for bot in pair]
        spec = match_spec(bots, game="dominion", seed=1, options=settings(sandbox.kind))
        with launch_bots(
            [find_bot(bot, "dominion") for bot in bots], spec.limits, sandbox
        ) as started:
            result = trio.run(partial(play_once, spec, started)).result
        check(pair, [player.disqualified for player in result.players])


def check(pair: tuple[int, ...], codes: list[str | None]) -> None:
    for bot, code in zip(pair, codes, strict=True):
        if bot < len(SOUND) and code:
            raise Lost(f"{SOUND[bot]}: {code}, beside {pair}")


def measured(total: int, play: Callable[[Iterator[tuple[int, int]]], None]) -> list[Remains]:
    """Play a tenth of the matches, then up to half, then the rest. Measure after each part."""
    found, matches = [], line_ups()
    for part in (total // 10, total // 2 - total // 10, total - total // 2):
        play(islice(matches, part))
        found.append(remains())
    return found


def in_workers(total: int, jobs: int) -> list[Remains]:
    """Play in the workers of a tournament, which reuse bots if possible."""
    bots = [Entrant(f"bot {number}", bot) for number, bot in enumerate((*SOUND, *HOSTILE))]
    kind = resolve("auto").kind
    what = setup(bots, game="dominion", seed=1, settings=settings(kind), sandbox=kind)
    number = itertools.count()
    with Dispatcher(partial(worker_processes, jobs), lambda: jobs) as dispatcher:

        def play(matches: Iterator[tuple[int, int]]) -> None:
            todo = (Plan(n, n, 1, pair) for pair, n in zip(matches, number, strict=False))
            for rows in dispatcher.play(what, todo):
                for row in rows:
                    if not row.void:
                        check(row.players, [seat.disqualified for seat in row.seats])

        return measured(total, play)


def report(what: str, total: int, found: list[Remains]) -> bool:
    """Print the resources at each time. Return True if there are more at the end."""
    print(f"{what}, {total} matches")
    for when, there in zip(("after a tenth", "in the middle", "at the end"), found, strict=True):
        print(f"  {when}: {there}", flush=True)
    first, _, last = found
    return last.is_more_than(first) or last.kib > first.kib + GROWTH * (first.processes + 1)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--matches", type=int, default=3000)
    parser.add_argument("--way", choices=WAYS)
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    total, grown = options.matches, False
    gc.enable()  # tests/conftest.py disables collection, so memory would grow
    try:
        for way in [options.way] if options.way else WAYS:
            if way == "workers":
                what = f"{options.jobs} workers of a tournament"
                grown |= report(what, total, in_workers(total, options.jobs))
            elif way == "bwrap" and (problem := unavailable_reason()):
                print(f"left out, with bwrap: {problem}")
            else:
                play = partial(here, sandbox=resolve(way))
                grown |= report(f"one process, {way}", total, measured(total, play))
    finally:
        Path(MARK).unlink(missing_ok=True)
    return int(grown)


if __name__ == "__main__":
    sys.exit(main())
