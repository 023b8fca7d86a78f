"""Follow match records of `tribute`: `python -m tests.games.tribute.second FILE...`."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from tests.games.tribute.second.records import DeviationError, follow


def main(files: Sequence[str]) -> int:
    if not files:
        print("python -m tests.games.tribute.second FILE...: match records of tribute")
        return 2
    departures = 0
    for name in files:
        try:
            follow(Path(name))
        except DeviationError as departure:
            departures += 1
            print(f"{name}, {departure}")
    print(f"{len(files)} records, {departures} departures")
    return 1 if departures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
