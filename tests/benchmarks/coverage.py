"""How often intervals of 95% hold the truth, and how often the SPRT is wrong: by simulation.

    coverage.py [--repetitions 1000] [--runs 2000] [--only ratings|sprt]

The bots have known strengths, and deals have strong luck: tests/support/worlds.py.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

from worlds import World, decide

from referee.tournament.sprt import Sprt

Kind = dict[str, float]
KINDS: dict[str, Kind] = {
    "seat": {"seat_luck": 2.0},
    "bot": {"bot_luck": 1.5},
    "both": {"seat_luck": 1.5, "bot_luck": 1.0},
    "wide": {"seat_luck": 1.0, "bot_luck": 1.0, "spread": 1600},
}


def show_ratings(repetitions: int) -> None:
    print(
        f"Of {repetitions} tournaments, how many intervals of 95% hold the truth. ends: of the\n"
        "difference of the first and the last; +-: mean reach of a difference, in Elo.\n\n"
        "| N | deals a bot | seats | luck | ratings | diff. | ends | +- | points | seat "
        "| ratings by match | diff. | +- | ratings by pair | diff. |\n" + "|---" * 15 + "|"
    )
    for players in (2, 3, 4):
        for deals, all_orders in ((30, False), (200, False), (30, True)):
            if all_orders and players == 2:
                continue  # the same as rotated
            for name, kind in KINDS.items():
                bots = 6 if players == 3 else 8
                world = World(players, bots, all_orders=all_orders, **kind)
                found = world.cover(deals, repetitions)
                cells = [
                    f"{found[key]:.0f}" if "reach" in key else f"{found[key]:.1%}"
                    for key in (
                        *(f"deal {what}" for what in ("ratings", "differences", "ends", "reach")),
                        *("deal points", "deal seats"),
                        *(f"match {what}" for what in ("ratings", "differences", "reach")),
                        *(f"pair {what}" for what in ("ratings", "differences")),
                    )
                ]
                seats = "all" if all_orders else "rotate"
                row = " | ".join([str(players), str(deals), seats, name, *cells])
                print(f"| {row} |", flush=True)


def show_sprt(runs: int) -> None:
    print(
        f"SPRT, alpha = beta = 5%, {runs} runs at each edge: wrong decisions, mean deals\n\n"
        "| elo0 | elo1 | luck | wrong at elo0 | deals | wrong at elo1 | deals |\n"
        "|------|------|------|---------------|-------|---------------|-------|"
    )
    for elo0, elo1 in ((0, 10), (0, 50), (-20, 20), (0, 200)):
        for name in ("seat", "bot", "both"):
            world = World(2, ties=0.6, **KINDS[name])
            test = Sprt(elo0, elo1)
            wrong0, deals0 = decide(world, test, elo0, runs)
            right1, deals1 = decide(world, test, elo1, runs)
            cells = f"{wrong0:.1%} | {deals0:.0f} | {1 - right1:.1%} | {deals1:.0f}"
            print(f"| {elo0} | {elo1} | {name} | {cells} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description="coverage of the intervals, errors of the SPRT")
    parser.add_argument("--repetitions", type=int, default=1000)
    parser.add_argument("--runs", type=int, default=2000)
    parser.add_argument("--only", choices=("ratings", "sprt"))
    arguments = parser.parse_args()
    began = time.perf_counter()
    if arguments.only != "sprt":
        show_ratings(arguments.repetitions)
        print()
    if arguments.only != "ratings":
        show_sprt(arguments.runs)
    print(f"\n{time.perf_counter() - began:.0f} s")


if __name__ == "__main__":
    main()
