"""Check known results of rule files of Star Realms: `python -m tools.benchmarks.rule_files`.

Two files play each other and themselves, thousands of matches per pair, in alternating seats.
Prints the results of an independent implementation, the results here, and their difference in
standard errors of both. More than four is a failure. Also prints the matches per second of one
core.
"""

from __future__ import annotations

import argparse
import math
import statistics
import sys
import time

from referee import play_match
from tests.support.live import ROOT

FILES = ROOT / "tests" / "games" / "starrealms" / "rule_files"

# A mean and its standard error.
Figure = tuple[float, float]
KNOWN: dict[tuple[str, str], dict[str, Figure]] = {
    ("p", "q"): {"first bot wins": (0.860, 0.006), "turns": (29.59, 0.11)},
    ("p", "p"): {"first player wins": (0.526, 0.008), "turns": (32.06, 0.12)},
    ("q", "q"): {"first player wins": (0.562, 0.008), "turns": (31.92, 0.09)},
}
MOST_APART = 4.0


def play(pair: tuple[str, str], matches: int) -> dict[str, Figure]:
    turns: list[float] = []
    wins: list[float] = []
    for number in range(matches):
        # If a file plays itself, there's no point in changing seats.
        swapped = pair[0] != pair[1] and number % 2
        bots = [FILES / f"{name}.json" for name in (pair[::-1] if swapped else pair)]
        result = play_match(bots, game="starrealms", seed=1000 + number)
        turns.append(result.turns)
        wins.append(result.players[1 if swapped else 0].rank == 1 and len(result.winners) == 1)
    who = "player" if pair[0] == pair[1] else "bot"
    return {f"first {who} wins": mean(wins), "turns": mean(turns)}


def mean(values: list[float]) -> Figure:
    return statistics.fmean(values), statistics.stdev(values) / math.sqrt(len(values))


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--matches", type=int, default=4000, help="a pair")
    matches = parser.parse_args().matches
    begun, worst = time.process_time(), 0.0
    for pair, known in KNOWN.items():
        found = play(pair, matches)
        for what, (expected, error) in known.items():
            value, own = found[what]
            apart = abs(value - expected) / math.hypot(error, own)
            worst = max(worst, apart)
            print(
                f"{pair[0].upper()} v {pair[1].upper()}, {what}: {value:.3f} ({own:.3f}); "
                f"known {expected:.3f} ({error:.3f}): {apart:.1f} standard errors apart",
                flush=True,
            )
    taken = time.process_time() - begun
    print(f"{3 * matches / taken:.0f} matches a second of processor time")
    return worst > MOST_APART


if __name__ == "__main__":
    sys.exit(main())
