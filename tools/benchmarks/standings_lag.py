"""Measure the delay of standings in an open page: `python -m tools.benchmarks.standings_lag`.

A tournament runs with `--browser`, and a browser has its page open. The age of the page is the time
since the store had a match that the page does not count yet. `--busy N` adds N busy processes, at
the priority of the bots.
"""

from __future__ import annotations

import argparse
import os
import re
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack, closing, suppress

from playwright.sync_api import sync_playwright

from tests.support.browsing import ARGUMENTS, CHROMIUM

BOTS = ("gatherer", "other=gatherer", "--game", "botwars", "--set", "max_turns=150")
LOOK_SECONDS = 0.05


def stored(path: str) -> int:
    with suppress(sqlite3.Error), closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as it:
        return int(it.execute("select count(*) from matches").fetchone()[0])
    return 0


def ages(deals: int) -> list[float]:
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        path = f"{folder}/it.sqlite"
        words = ["tournament", "--browser", *BOTS, "--deals", str(deals), "--seed", "5"]
        process = stack.enter_context(
            subprocess.Popen(
                [sys.executable, "-m", "referee", *words, "--store", path],
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                text=True,
            )
        )
        assert process.stderr is not None
        address = process.stderr.readline().split()[-1]
        browser = stack.enter_context(sync_playwright()).chromium.launch(
            executable_path=CHROMIUM, args=ARGUMENTS
        )
        page = browser.new_page()
        page.goto(address)
        begun: dict[int, float] = {}  # count -> time at which the store reached it
        found = []
        while True:
            now, count = time.monotonic(), stored(path)
            begun.setdefault(count, now)
            text = re.search(r"([\d,]+) of ([\d,]+)\s+matches", page.inner_text("main"))
            assert text is not None
            shown, planned = (int(number.replace(",", "")) for number in text.groups())
            newer = [when for known, when in begun.items() if known > shown]
            found.append(now - min(newer) if newer else 0.0)
            if shown == planned:
                break
            time.sleep(LOOK_SECONDS)
        browser.close()
        process.send_signal(signal.SIGINT)
        return found


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--deals", type=int, default=40)
    parser.add_argument("--busy", type=int, default=0, help="processes that compute meanwhile")
    options = parser.parse_args()
    burn = [sys.executable, "-c", "while True: pass"]
    burners = [subprocess.Popen(burn) for _ in range(options.busy)]
    try:
        found = sorted(ages(options.deals))
    finally:
        for burner in burners:
            burner.kill()
    late = sum(age > 2 for age in found)
    print(f"{len(found)} looks, load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    median, high = found[len(found) // 2], found[len(found) * 95 // 100]
    most = f"longest {found[-1]:.2f}; {late} above 2 s"
    print(f"age in s: median {median:.2f}, 95% {high:.2f}, {most}")


if __name__ == "__main__":
    main()
