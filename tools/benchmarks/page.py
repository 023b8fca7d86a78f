"""Measure a step of the match page: `python -m tools.benchmarks.page [--rounds N] [GAME...]`.

Opens a record of about 300 turns of each game, at 1280 pixels, and presses keys. Each key makes the
page draw another frame. We measure the time in scripts, styles and layout until it's painted.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
from pathlib import Path
from random import Random
from typing import Any

from playwright.sync_api import sync_playwright

import referee
from referee.web.file import page_file
from referee.web.recorded import read_match
from tests.support.browsing import ARGUMENTS, CHROMIUM

PARTS = ("ScriptDuration", "RecalcStyleDuration", "LayoutDuration")
KEYS = (*["ArrowRight"] * 6, "ArrowLeft", "PageDown")
PRESSES = 240
ROUND_TRIP = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"


def named(message: dict[str, Any], name: str) -> dict[str, Any]:
    seat = message["player_number"]
    return {"type": "player-name-reply", "player_number": seat, "name": name, "version": 1}


def peaceful(message: dict[str, Any]) -> dict[str, Any] | None:
    """A bot for Star Realms that never attacks, because we want long matches."""
    dice = Random(str(message.get("state")))
    match message["type"]:
        case "player-name-request":
            return named(message, "Peaceful")
        case "play-turn":
            *others, end = message["actions"]
            peace = [action for action in others if "attack" not in action["action"]]
            return {"type": "play-reply", "actions": [dice.choice(peace) if peace else end]}
        case "choose":
            return {"type": "choose-reply", "picks": list(range(message["least"]))}
    return None


# Cards of Scripts of Tribute that give power or prestige.
LOUD: set[str] = set()


def merchant(message: dict[str, Any]) -> dict[str, Any] | None:
    """A bot for Scripts of Tribute that avoids power and prestige, for long matches."""
    dice = Random(str(message.get("state")))
    match message["type"]:
        case "player-name-request":
            return named(message, "Merchant")
        case "game-info":
            rows = message["card_table"]
            LOUD.update(r["card"] for r in rows if re.search("POWER|PRESTIGE", str(r["effects"])))
        case "patron-request":
            there = message["available"]
            picked = "RED_EAGLE" if "RED_EAGLE" in there else there[0]
            return {"type": "patron-reply", "patron": picked}
        case "play-turn":
            state, (*others, end) = message["state"], message["actions"]
            cards = [*state["me"]["hand"], *state["me"]["agents"]]
            left = {"RED_EAGLE", *(card["uid"] for card in state["row"])}
            left |= {card["uid"] for card in cards if card["card"] not in LOUD}
            some = [a for a in others if a.get("card", a.get("patron")) in left]
            return {"type": "play-reply", "action": dice.choice(some) if some else end}
        case "choose-request" if message["effects"]:
            return {"type": "choose-reply", "effect": 1}
        case "choose-request":
            uids = [card["uid"] for card in message["cards"][: message["min"]]]
            return {"type": "choose-reply", "cards": uids}
    return None


def hoarder(message: dict[str, Any]) -> dict[str, Any] | None:
    """A bot for Dominion that buys nothing better than silver, for long matches."""
    match message["type"]:
        case "player-name-request":
            return {
                "type": "player-name-reply",
                "player_number": message["player_number"],
                "name": "Hoarder",
                "version": 1,
            }
        case "play-turn" if message["buys"]:
            coins = [card for card in message["hand"] if card in ("copper", "silver")]
            bought = "copper" if len(message["hand"]) % 2 else "silver"
            reply = {"played_treasures": coins, "cards_to_buy": [bought]}
            return {"type": "play-reply", "phase": "buy", **reply}
        case "play-turn":
            return {"type": "play-reply", "phase": "cleanup"}
    return None


# Game -> bots, and `max_turns`.
MATCHES: dict[str, tuple[list[Any], int]] = {
    "dominion": ([hoarder, hoarder], 150),
    "botwars": (["gatherer", "gatherer"], 300),
    "starrealms": ([peaceful, peaceful], 150),
    "tribute": ([merchant, merchant], 300),
}


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.benchmarks.page")
    parser.add_argument("games", nargs="*", metavar="GAME", default=list(MATCHES))
    parser.add_argument("--rounds", type=int, default=3, help="the best of so many counts")
    args = parser.parse_args(argv)
    print("game        turns  steps  median ms  95% ms   script  style  layout (each at 95%)")
    with tempfile.TemporaryDirectory() as made, sync_playwright() as started:
        browser = started.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        for game in args.games:
            bots, turns = MATCHES[game]
            record, page = Path(made, f"{game}.jsonl"), Path(made, f"{game}.html")
            options = {"max_turns": turns}
            referee.play_match(bots, game=game, seed=3, options=options, record=record)
            match = read_match(str(record))
            page.write_text(page_file([match]))
            rounds = [_round(browser, page) for _ in range(args.rounds)]
            best = min(rounds, key=lambda times: _at([sum(parts) for parts in times], 0.95))
            sums = [sum(parts) for parts in best]
            figures = [_at([parts[place] for parts in best], 0.95) for place in range(len(PARTS))]
            print(
                f"{game:10} {len(match.turns):6} {len(match.steps):6} {_at(sums, 0.5):10.1f} "
                f"{_at(sums, 0.95):7.1f} " + " ".join(f"{figure:7.1f}" for figure in figures)
            )
        browser.close()
    return 0


def _round(browser: Any, file: Path) -> list[list[float]]:
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    page = context.new_page()
    page.goto(file.as_uri())
    page.wait_for_selector(".match .chips")
    session = context.new_cdp_session(page)
    session.send("Performance.enable")

    def spent() -> list[float]:
        found = session.send("Performance.getMetrics")["metrics"]
        values = {metric["name"]: metric["value"] for metric in found}
        return [1000 * values[part] for part in PARTS]

    page.keyboard.press("g")
    page.keyboard.type("100")
    page.keyboard.press("Enter")
    page.keyboard.press("Escape")
    times = []
    for press in range(PRESSES):
        page.evaluate(ROUND_TRIP)
        before = spent()
        page.keyboard.press(KEYS[press % len(KEYS)])
        page.evaluate(ROUND_TRIP)
        times.append([after - was for after, was in zip(spent(), before, strict=True)])
    context.close()
    return times


def _at(times: list[float], share: float) -> float:
    return sorted(times)[int(share * (len(times) - 1))]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
