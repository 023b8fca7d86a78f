"""Watch matches and standings in a browser while they are being played."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from referee.games import GAMES
from referee.tournament.store import Store
from tests.support.browsing import new_page
from tests.support.live import ROOT
from tests.support.made_up import made_setup, play
from tests.support.serving import running
from tests.support.watched import watched

pytestmark = pytest.mark.extras
LINES = (ROOT / "spec/examples/two-players.record.jsonl").read_bytes().splitlines(keepends=True)


@pytest.fixture
def look(browser: Any) -> Iterator[Callable[[str], Any]]:
    """Return a function that opens a URL as a new visitor.

    The test fails if the browser's console shows a message. Tests close the page's context.
    """
    messages: list[str] = []

    def opened(url: str) -> Any:
        page = new_page(browser, messages)
        page.goto(url)
        return page

    yield opened
    assert messages == []


PARTS = "'option, .facts dd, .ticks path, .chart, .curve, .legend li'"


def append(file: Path, first: int, last: int | None) -> None:
    with file.open("ab") as grown:
        grown.write(b"".join(LINES[first:last]))


def hide(page: Any, hidden: bool) -> None:
    """Make the page believe that its tab was hidden or shown again."""
    page.evaluate(
        "hidden => { Object.defineProperty(document, 'hidden', { configurable: true,"
        " get: () => hidden }); document.dispatchEvent(new Event('visibilitychange')); }",
        hidden,
    )


def test_a_live_match(look: Callable[[str], Any], tmp_path: Path) -> None:
    expect = pytest.importorskip("playwright.sync_api").expect
    file = tmp_path / "game.jsonl"
    append(file, 0, 60)
    with running(str(tmp_path)) as (_, url):
        page = look(f"{url}watch/game.jsonl")
        of, turn = page.locator(".of"), page.get_by_label("Go to turn")
        live = page.locator("button.live")
        expect(of).to_have_text("of 6 so far")
        expect(page.locator(".on-air")).to_contain_text(re.compile(r"^LIVE .*for \d+"))
        page.evaluate("window.kept = [...document.querySelectorAll(parts)]".replace("parts", PARTS))
        append(file, 60, 200)
        expect(of).to_have_text("of 20 so far")
        expect(turn).to_have_value("20")  # the page was at the end, so it follows
        assert page.evaluate("kept.length > 12 && kept.every((node) => node.isConnected)")
        page.evaluate("window.told = [...document.querySelectorAll('.marks li')]")
        expect(live).to_be_hidden()
        page.keyboard.press("PageUp")
        page.keyboard.press("PageUp")
        append(file, 200, 250)
        expect(of).not_to_have_text("of 20 so far")
        expect(turn).to_have_value("19")  # we have gone back, so it no longer follows
        assert page.evaluate("told.length > 0 && told.every((node) => node.isConnected)")
        live.click()
        expect(turn).not_to_have_value("19")
        hide(page, True)
        before = of.inner_text()
        append(file, 250, 300)
        hide(page, False)
        expect(of).not_to_have_text(before)
        append(file, 300, None)
        expect(of).to_have_text("of 38")
        expect(page.locator(".on-air")).to_be_hidden()
        expect(page.get_by_role("region", name="Result").locator("h2")).to_be_visible()
        expect(page.get_by_label("Eyes")).to_have_value("all")  # hands are public now
        expect(live).to_be_hidden()
        # Disconnect before the server stops, or the console would show an error.
        page.context.close()


@pytest.mark.parametrize("game", GAMES)
def test_it_names_the_seat_whose_reply_is_awaited(
    game: str, look: Callable[[str], Any], tmp_path: Path
) -> None:
    """The record is the judge: whoever got the last request and has not replied yet thinks."""
    expect = pytest.importorskip("playwright.sync_api").expect
    file = tmp_path / "game.jsonl"
    lines = watched(game, 1).record.splitlines(keepends=True)
    asked: list[set[str]] = [set()]
    for line in lines:
        entry = json.loads(line)
        now = set(asked[-1])
        if entry.get("entry") == "sent" and entry["to"] != "all":
            now.add(entry["to"])
        elif entry.get("entry") in ("received", "disqualified"):
            now.discard(entry["player_number"])
        asked.append(now)
    begun = next(at for at, line in enumerate(lines) if b'"time"' in line and at > 12)
    moments = [at for at in range(begun, len(lines)) if asked[at] != asked[at - 1]]
    shown = begun
    file.write_bytes(b"".join(lines[:begun]))
    with running(str(tmp_path)) as (_, url):
        page = look(f"{url}watch/game.jsonl")
        for at in moments[:: -(-len(moments) // 20)]:
            with file.open("ab") as grown:
                grown.write(b"".join(lines[shown:at]))
            shown = at
            thinks = [int(player.removeprefix("player")) - 1 for player in sorted(asked[at])]
            text = "thinks" if len(thinks) == 1 else "waiting for replies" if thinks else "LIVE"
            expect(page.locator(".on-air")).to_contain_text(text)
            of_chips = page.locator(".chip .seat").all_text_contents()
            named = [of_chips[seat] for seat in thinks if len(thinks) == 1]
            expect(page.locator(".on-air .seat")).to_have_text(named)
            expect(page.locator(".chip.asked .seat")).to_have_text([of_chips[at] for at in thinks])
        page.context.close()


@pytest.mark.all_cases
def test_eight_tabs_of_one_browser(browser: Any, tmp_path: Path) -> None:
    """Browsers open at most six connections to a server, so some of the tabs have to poll."""
    expect = pytest.importorskip("playwright.sync_api").expect
    file = tmp_path / "game.jsonl"
    append(file, 0, 60)
    with running(str(tmp_path)) as (_, url):
        context = browser.new_context()
        tabs = [context.new_page() for _ in range(8)]
        for page in tabs:
            page.goto(f"{url}watch/game.jsonl")
            expect(page.locator(".of")).to_have_text("of 6 so far")
        append(file, 60, 200)
        for page in tabs:
            expect(page.locator(".of")).to_have_text("of 20 so far")
        append(file, 200, None)
        for page in tabs:
            expect(page.locator(".of")).to_have_text("of 38")
        context.close()


def test_standings_that_move(look: Callable[[str], Any], tmp_path: Path) -> None:
    expect = pytest.importorskip("playwright.sync_api").expect
    with Store.for_writing(str(tmp_path / "night.sqlite")) as store:
        store.add_stage(made_setup(2, deals=2))
        with running(str(tmp_path)) as (_, url):
            page = look(f"{url}store/night.sqlite")
            expect(page.locator("main")).to_contain_text("0 of 4 matches")
            link = page.locator(".ranking a").first
            link.focus()
            href = link.get_attribute("href")
            play(store)
            expect(page.locator("main")).to_contain_text("4 of 4 matches")
            expect(page.locator(":focus")).to_have_attribute("href", href)
            page.context.close()
