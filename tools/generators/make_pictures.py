"""Make the pictures of README.md: a match, and the front page of a tournament.

    python -m tools.generators.make_pictures

Plays a tournament of bundled bots with a fixed seed, so that the same version makes the same
pictures. Needs Chromium, and the extra `browser`.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

from referee import cli
from tests.support.browsing import ARGUMENTS, CHROMIUM, painted

IMAGES = Path(__file__).parents[2] / "spec" / "images"
BOTS = ("village_engine", "smithy_big_money", "militia_money", "minimal", "big_money")
MATCH = "match/24.html#turn=21&step=5"
SIZES = {"match": (1280, 800), "tournament": (1280, 850)}


def main() -> int:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        store, records, site = (str(folder / part) for part in ("night.sqlite", "records", "site"))
        (folder / "records").mkdir()
        played = ["--deals", "4", "--seed", "11", "--store", store, "--records", records]
        _run("tournament", *BOTS, *played, "--quiet")
        _run("page", store, "--records", records, "--output", site, "--title", "Friday night")
        index = (folder / "site" / "index.html").as_uri()
        addresses = {"tournament": index, "match": index.replace("index.html", MATCH)}
        with sync_playwright() as started:
            browser = started.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
            for picture, (width, height) in SIZES.items():
                size = {"width": width, "height": height}
                page = browser.new_page(viewport=size, reduced_motion="reduce")
                page.goto(addresses[picture])
                page.wait_for_selector(".match, .ranking")
                painted(page)
                page.screenshot(path=IMAGES / f"{picture}.png")
                print(IMAGES / f"{picture}.png")
    return 0


def _run(*words: str) -> None:
    if cli.main(list(words)):
        raise SystemExit(f"{words} failed")


if __name__ == "__main__":
    sys.exit(main())
