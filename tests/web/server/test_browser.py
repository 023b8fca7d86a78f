"""The served pages in a browser: content security policy, window widths, keyboard only."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from referee.tournament.report.season import season
from referee.tournament.rows import Entrant, MatchRow, Plan
from referee.tournament.store import Store
from referee.web.pages.links import Links
from referee.web.pages.pages import season_page
from tests.support.browsing import new_page
from tests.support.live import ROOT
from tests.support.made_up import Left, made_setup, play, played, row
from tests.support.serving import running

pytestmark = pytest.mark.extras
RECORD = ROOT / "spec" / "examples" / "two-players.record.jsonl"


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The URL of a server for a tournament, of which only match 0 has a record."""
    folder = tmp_path_factory.mktemp("served")
    (folder / RECORD.name).write_bytes(RECORD.read_bytes())
    digest = json.loads(RECORD.read_bytes().splitlines()[-1])["digest"]

    def result(plan: Plan) -> MatchRow:
        if plan.match:
            return row(plan)
        out = [Left("exited", "exit code 1", ["KeyError: 'province'"]), None]
        return row(plan, [2, 1], left=out, digest=digest)

    with Store.for_writing(str(folder / "night.sqlite")) as store:
        store.add_stage(made_setup(3, deals=10))
        play(store, result)
    with running(str(folder)) as (_, url):
        yield url


def test_from_the_list_to_a_lost_match_by_keyboard(browser: Any, url: str) -> None:
    messages: list[str] = []
    page = new_page(browser, messages)
    page.goto(url)

    def follow(name: str) -> None:
        page.get_by_role("link", name=name, exact=True).first.focus()
        page.keyboard.press("Enter")

    assert page.locator("svg.intervals circle").count() == 3
    follow("Statistics: reply times, faults, and figures of the game")
    out = re.search(r"bot\d", page.get_by_role("row", name="exited").last.inner_text())
    assert out is not None
    follow(out[0])
    page.wait_for_url("**/bot/*")
    assert "KeyError" in page.locator("pre").inner_text()
    follow("watch")
    page.wait_for_url("**/match/*")
    page.wait_for_selector(".match")
    assert re.fullmatch(r"bot\d vs bot\d", page.title())  # the tournament's names for the bots
    assert messages == []
    page.context.close()


def test_what_moves_is_updated_in_place(browser: Any, tmp_path: Path) -> None:
    """When the page updates itself, open folds stay open and the focused link keeps the focus."""
    wanted = made_setup(3, deals=10)
    with Store.for_writing(str(tmp_path / "night.sqlite")) as store:
        store.add_stage(wanted)
        play(store, most=9, until=9)
    with running(str(tmp_path)) as (_, url):
        page = browser.new_page()
        page.goto(url)
        page.get_by_text("The figures").click()
        page.evaluate("for (const row of document.querySelectorAll('tr')) row.known = true")
        link = page.get_by_role("link", name="bot1", exact=True).first
        link.focus()
        with Store.for_writing(str(tmp_path / "night.sqlite")) as store:
            play(store)
        page.get_by_text("60 of 60 matches").wait_for()
        assert page.locator("[data-key=figures]").get_attribute("open") is not None
        kept = "[...document.querySelectorAll('.ranking tbody tr')].every((row) => row.known)"
        assert page.evaluate(kept)
        assert link.evaluate("(link) => link === document.activeElement")
        page.close()


def test_filters_without_a_script(browser: Any, url: str) -> None:
    page = browser.new_context(java_script_enabled=False).new_page()
    page.goto(f"{url}store/night.sqlite/matches")
    page.get_by_label("result").select_option("disqualified")
    page.get_by_role("button", name="Show").click()
    assert "1 match." in page.inner_text("main")
    page.context.close()


@pytest.mark.parametrize(("width", "scheme"), [(360, "light"), (1280, "dark"), (3840, "light")])
def test_every_width_and_both_schemes(browser: Any, url: str, width: int, scheme: str) -> None:
    context = browser.new_context(viewport={"width": width, "height": 800}, color_scheme=scheme)
    page = context.new_page()
    for path in ("", "store/night.sqlite", "store/night.sqlite/bot/0"):
        page.goto(url + path)
        root = "document.documentElement"
        assert page.evaluate(f"{root}.scrollWidth <= {root}.clientWidth"), path
    button = page.get_by_role("button", name="Dark or light")
    background = "getComputedStyle(document.documentElement).backgroundColor"
    before = page.evaluate(background)
    button.click()
    assert page.evaluate(background) != before
    after = page.evaluate(background)
    page.goto(url)
    assert page.evaluate(background) == after  # the browser has stored the setting
    context.close()


def test_eight_weeks_of_a_season_fit_a_laptop(browser: Any, tmp_path: Path) -> None:
    """Names of weeks are at the axis, and long names of bots are whole on a phone, too."""
    setups = [made_setup(3, deals=4, seed=seed) for seed in range(1, 9)]
    long = [Entrant("a_bot_with_a_long_name_" * 2, "bot0"), *setups[0].bots[1:]]
    with ExitStack() as stores:
        weeks = {
            f"week{number}": stores.enter_context(played(replace(setup, bots=long)))
            for number, setup in enumerate(setups, 1)
        }
        (tmp_path / "season.html").write_text(season_page(Links(), season(weeks), 0))
    page = browser.new_page(viewport={"width": 1200, "height": 800})
    page.goto((tmp_path / "season.html").as_uri())
    tables = (
        "() => [...document.querySelectorAll('.wide')].map(t => t.scrollWidth <= t.clientWidth)"
    )
    assert page.evaluate(tables) == [True] * 4
    assert page.locator(".curves text.middle").all_text_contents() == list(weeks)
    cut = "names => names.filter(name => name.scrollWidth > name.clientWidth + 1).length"
    for width in (1200, 390):
        page.set_viewport_size({"width": width, "height": 800})
        assert page.locator("bdi").evaluate_all(cut) == 0
    page.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_what_axe_finds(browser: Any, url: str, scheme: str) -> None:
    axe = pytest.importorskip(
        "axe_playwright_python.sync_playwright", reason="no axe: pip install axe-playwright-python"
    )
    context = browser.new_context(color_scheme=scheme, bypass_csp=True)
    page = context.new_page()
    for path in ("", "bot/0", "matches"):
        page.goto(f"{url}store/night.sqlite/{path}".removesuffix("/"))
        found = axe.Axe().run(page).response["violations"]
        assert [(rule["id"], rule["nodes"][0]["html"]) for rule in found] == [], path
    context.close()
