"""Take screenshots of every page, for looking at them.

    python -m tools.look DIR [--only WORD] [--sizes 360,1280,2560]

We take each page at three widths and in both themes, e.g. `match-dominion-record.1280.dark.png`. At
1280 pixels there are also pictures with simulated colour blindness, e.g.
`match-dominion-record.protanopia.light.png`, where you shouldn't miss anything: colour mustn't be
the only difference. Prints pages that are wider than their window, and messages in the console.
"""

from __future__ import annotations

import argparse
import fcntl
import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

from playwright.sync_api import sync_playwright

import referee
from referee import cli
from tests.support.browsing import ARGUMENTS, CHROMIUM, next_question, playing
from tests.support.serving import running

HEIGHTS = {360: 740, 1280: 800, 2560: 1440}
THEMES = ("light", "dark")
DEFICIENCIES = ("protanopia", "deuteranopia", "tritanopia")
BOTS = {
    "dominion": ("village_engine", "militia_money", "big_money", "minimal"),
    "botwars": ("formation", "gatherer"),
    "starrealms": ("admiral", "random_pilot"),
    "tribute": ("magnate", "courtier"),
}
FAULTS = Path(__file__).parents[1] / "tests" / "golden" / "faults.record.jsonl"
WIDER = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.look")
    parser.add_argument("directory", type=Path)
    parser.add_argument("--only", default="", help="pages whose name has this in it")
    parser.add_argument("--sizes", default=",".join(map(str, HEIGHTS)))
    args = parser.parse_args(argv)
    args.directory.mkdir(parents=True, exist_ok=True)
    widths = [int(width) for width in args.sizes.split(",")]
    problems: list[str] = []
    with ExitStack() as stack:
        made = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        browser = stack.enter_context(_browser())
        for name, address in stack.enter_context(_pages(made)).items():
            if args.only in name:
                problems += _look(browser, name, address, args.directory, widths)
                print(name, flush=True)
        for game in BOTS:
            if args.only in f"seat-{game}":
                bots = ("human", *BOTS[game][1:2])
                with playing("--page", "--game", game, *bots, "--seed", "3") as (_, (link,)):
                    problems += _look(browser, f"seat-{game}", link, args.directory, widths)
                print(f"seat-{game}", flush=True)
    print(*problems, sep="\n")
    return bool(problems)


@contextmanager
def _browser() -> Iterator[Any]:
    with sync_playwright() as started:
        browser = started.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield browser
        browser.close()


@contextmanager
def _pages(made: Path) -> Iterator[dict[str, str]]:
    """Yield name -> URL of all pages except seats."""
    served = made / "served"
    served.mkdir()
    found: dict[str, str] = {}
    for game, bots in BOTS.items():
        files = [served / f"{game}.{kind}.jsonl" for kind in ("record", "log")]
        words = ["--game", game, *bots, "--seed", "3", "--record", str(files[0]), "--log"]
        _run("play", *words, str(files[1]))
        store = [str(served / f"{game}.sqlite"), "--records", str(served / game)]
        _run("tournament", "--game", game, *bots, "--deals", "4", "--store", *store)
        for file, kind in zip(files, ("record", "log"), strict=True):
            page = made / f"{game}-{kind}.html"
            _run("page", str(file), "-o", str(page))
            found[f"match-{game}-{kind}"] = f"{page.as_uri()}#turn=9&step=3"
    _run("page", str(FAULTS), str(FAULTS), "-o", str(made / "several.html"))
    found["match-list"] = (made / "several.html").as_uri()
    for tab in ("turns", "curves", "moments", "lines", "stderr"):
        found[f"match-faults-{tab}"] = f"{found['match-list']}#match=1&turn=5&tab={tab}"
    standings = made / "standings.html"
    standings.write_text(
        _run("standings", str(served / "dominion.sqlite"), "--format", "html", "--statistics")
    )
    found["standings-file"] = standings.as_uri()
    result = referee.play_match(list(BOTS["starrealms"]), game="starrealms", seed=3)
    notebook = made / "notebook.html"
    shown = result._repr_html_()  # type: ignore[attr-defined]
    notebook.write_text(f"<!doctype html><title>notebook</title>{shown}")
    found["notebook"] = notebook.as_uri()
    lines = (served / "starrealms.record.jsonl").read_bytes().splitlines(keepends=True)
    for name in ("cut-off.record.jsonl", "live.record.jsonl"):
        (served / name).write_bytes(b"".join(lines[:90]))
    os.utime(served / "cut-off.record.jsonl", (0, 0))  # so that it looks like an abandoned match
    with (
        (served / "live.record.jsonl").open("rb") as live,
        running("--play", "minimal") as (_, play),
        running(str(served)) as (_, url),
    ):
        # A referee that's still writing the file would also have a lock on it.
        fcntl.flock(live, fcntl.LOCK_SH)
        found |= {
            "served-list": url,
            "served-play": play,
            "served-match": f"{url}match/dominion.record.jsonl#turn=9",
            "served-cut-off": f"{url}match/cut-off.record.jsonl",
            "served-live": f"{url}watch/live.record.jsonl",
            "served-problem": f"{url}store/none",
        }
        for game in BOTS:
            store = f"{url}store/{game}.sqlite"
            found |= {
                f"served-{game}-standings": store,
                f"served-{game}-statistics": f"{store}/statistics",
                f"served-{game}-bot": f"{store}/bot/1",
                f"served-{game}-pair": f"{store}/pair/0/1",
                f"served-{game}-matches": f"{store}/matches",
            }
        yield found


def _run(*words: str) -> str:
    printed = StringIO()
    with redirect_stdout(printed):
        code = cli.main(list(words))
    if code:
        raise SystemExit(f"{words}: exit code {code}")
    return printed.getvalue()


def _look(browser: Any, name: str, address: str, folder: Path, widths: list[int]) -> Iterator[str]:
    views = [(width, theme, "") for width in widths for theme in THEMES]
    views += [(1280, theme, lack) for lack in DEFICIENCIES for theme in THEMES if 1280 in widths]
    said: list[str] = []
    context = browser.new_context()
    page = context.new_page()
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    session = context.new_cdp_session(page)
    page.goto(address)
    if name.startswith("seat-"):
        next_question(page)
    else:
        page.wait_for_load_state("load" if name == "served-live" else "networkidle")
    for width, theme, lack in views:
        page.set_viewport_size({"width": width, "height": HEIGHTS.get(width, 800)})
        page.emulate_media(color_scheme=theme)
        session.send("Emulation.setEmulatedVisionDeficiency", {"type": lack or "none"})
        page.wait_for_timeout(150)  # wait until frames in the page have their size
        whole = page.locator(".match").count() == 0  # match pages fit into the window
        page.screenshot(path=folder / f"{name}.{lack or width}.{theme}.png", full_page=whole)
        if page.evaluate(WIDER) > 0:
            said.append(f"wider than {width} pixels")
    context.close()
    for text in dict.fromkeys(said):
        yield f"{name}: {text}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
