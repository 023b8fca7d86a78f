"""Measure matches per second of two rule files: `rule_speed.py FILE FILE [--game GAME]`.

CPU time counts. The matches run like a tournament with one job: in this process, with statistics
and rows.
"""

from __future__ import annotations

import argparse
import time

from referee import play_matches


def main() -> None:
    """Play, and print the speed. The first matches warm up."""
    parser = argparse.ArgumentParser()
    parser.add_argument("files", nargs=2, metavar="FILE")
    parser.add_argument("--game", default="dominion")
    parser.add_argument("--matches", type=int, default=200, help="in each of five rounds")
    options = parser.parse_args()
    play_matches(options.files, 10, seed=0, game=options.game)
    speeds = []
    for seed in range(5):
        began = time.process_time()
        play_matches(options.files, options.matches, seed=seed, game=options.game)
        speeds.append(options.matches / (time.process_time() - began))
    median = sorted(speeds)[2]
    print(f"{median:.0f} matches a second ({min(speeds):.0f} to {max(speeds):.0f})")


if __name__ == "__main__":
    main()
