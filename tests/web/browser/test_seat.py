"""A person plays whole games in a browser, with the mouse, by touch, or only with keys."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest

from referee import cli
from tests.support.browsing import next_question, painted, playing
from tests.support.live import entries, one_line
from tests.support.serving import running

pytestmark = pytest.mark.extras
Visit = Callable[..., Any]
OVER = "The match is over."
DOMINION = ("--page", "human", "minimal", "--set", "max_turns=2", "--seed", "3")
BOTWARS = ("--page", "--game", "botwars", "human", "gatherer", "--seed", "3")
STARREALMS = ("--page", "--game", "starrealms", "human", "cadet", "--seed", "3")
TRIBUTE = ("--page", "--game", "tribute", "human", "courtier", "--seed", "31")
SHORT = ("--set", "max_turns=1")
PATRONS = ("--set", "patrons=PSIJIC,RED_EAGLE,ANSEI,PELIN")
SMALL = ("--set", "rows=4", "--set", "cols=4", "--set", "max_turns=3")


def send(page: Any) -> None:
    """Press Enter, and confirm if the page asks whether we mean it."""
    page.keyboard.press("Enter")
    if page.locator("dialog[open]").count():
        page.keyboard.press("Enter")


def status(page: Any) -> str:
    text: str = page.inner_text(".seat-status")
    return text


def ended(process: subprocess.Popen[str]) -> str:
    """Wait for the command to succeed, and return its output."""
    printed, problems = process.communicate(timeout=60)
    assert (process.returncode, problems) == (0, "")
    return printed


def test_dominion_by_clicks(visit: Visit) -> None:
    with playing(*DOMINION) as (process, (link,)):
        page = visit(link)
        page.get_by_role("tab", name="Cards").click()  # it stays open to the end
        asked = ""
        while (asked := next_question(page, asked)) != "over":
            copper = page.locator("[data-card=copper][data-choice]")
            if not copper.count():
                page.locator("[data-choice=enter]").click()
                continue
            copper.first.click()  # the last affordable copper, but nothing is sent yet
            page.locator("[data-choice=back]").click()
            copper.first.click()
            page.get_by_role("button", name="Buy copper for 0", exact=True).click()
        assert OVER in status(page)
        page.get_by_role("slider").press("Home")  # the page now has the whole match, hands included
        assert "player1  Player 1" in ended(process)
        assert link.partition("#")[2] not in page.url


def test_dominion_by_keys_alone(visit: Visit) -> None:
    with playing(*DOMINION) as (process, (link,)):
        # With animations, any key skips the bot's turn.
        page = visit(link, reduced_motion="no-preference")
        next_question(page)
        page.keyboard.type("99")
        page.keyboard.press("Enter")
        page.get_by_text("There is no 99 here.").wait_for()
        page.keyboard.press("Control+a")
        asked = ""
        while (asked := next_question(page, asked)) != "over":
            page.keyboard.type("copp")
            page.keyboard.press("Enter")
        assert "player1  Player 1" in ended(process)
        assert OVER in status(page)


OUT_OF_SIGHT = """() => {
  const seen = (button, ...ways) => {
    const { x, top, bottom, width } = button.getBoundingClientRect();
    const at = ways.map((way) => top + way * (bottom - top));
    const points = at.length ? at : [top + 3, bottom - 4];
    return points.every((y) => button.contains(document.elementFromPoint(x + width / 2, y)));
  };
  const around = (node) => node.closest('.offer, .row-of, [data-zone]');
  const reached = (button) => { // many cards are scrolled in their zone, and nothing around it
    const box = around(button);
    if (!box || !/auto/.test(getComputedStyle(box).overflowY)) return false;
    const before = box.scrollTop;
    const { top, bottom } = button.getBoundingClientRect();
    const frame = box.getBoundingClientRect();
    box.scrollTop += (top + bottom - frame.top - frame.bottom) / 2;
    const found = seen(button, 0.5);
    box.scrollTop = before;
    return found;
  };
  return [...document.querySelectorAll('[data-choice], .bw-button')]
    .filter((button) => button.getAttribute('aria-disabled') === null)
    .filter((button) => !seen(button) && !reached(button))
    .map((button) => button.getAttribute('aria-label') ?? button.textContent);
}"""


GAMES = {
    "dominion": ("--page", "human", "militia_money", "--seed", "5"),
    "botwars": BOTWARS,
    "starrealms": STARREALMS,
    "tribute": ("--page", "--game", "tribute", "human", "courtier", "--seed", "5"),
}
SHORTER = {
    "dominion": ("--set", "max_turns=2"),
    "botwars": SMALL,
    "starrealms": SHORT,
    "tribute": (*SHORT, *PATRONS),
}


def choose(page: Any, press: Callable[[Any], None], place: int) -> None:
    """Answer a question with the buttons in the drawing. `place` decides which choice we take."""
    if page.locator(".bw-send").count():
        press(page.get_by_role("button", name="Select all botlets without a move"))
        press(page.get_by_role("button", name=f"Move {('down', 'right', 'up', 'left')[place % 4]}"))
    choices = page.locator("[data-choice]:not([aria-disabled], [data-choice=enter])")
    several = page.locator("[data-choice=send]")
    if several.count():
        for picked in range(6):
            if several.get_attribute("aria-disabled") is None:
                break
            press(choices.nth(picked))
        assert page.evaluate(OUT_OF_SIGHT) == []
        press(several)
    elif choices.count():
        press(choices.nth(place % choices.count()))
        painted(page)
        ready = page.locator("[data-choice=send]:not([aria-disabled])")
        if ready.count():  # the move ends the turn, so it has to be confirmed
            press(ready)
    else:
        press(page.locator("[data-choice=enter], .bw-send").last)


def type_answer(page: Any, game: str) -> None:
    """Answer a question with the keyboard."""
    if game == "botwars":
        while page.evaluate("document.activeElement.tagName") != "CANVAS":
            page.keyboard.press("Tab")
        page.keyboard.press("a")
        page.keyboard.press("ArrowDown")
    elif "Which 2 cards" in status(page):
        page.keyboard.type("1 2")
    elif game == "dominion":
        page.keyboard.type("copp")
    elif page.locator("[aria-pressed]").count():
        page.keyboard.type("3 1")
    elif page.locator("[data-zone] [data-choice]:not([data-choice=enter])").count():
        page.keyboard.press("1")  # the first available choice
    send(page)


@pytest.mark.parametrize("game", list(GAMES))
@pytest.mark.parametrize(
    ("how", "width", "whole"),
    [
        pytest.param("touch", 360, False, id="touch"),
        pytest.param("touch", 360, True, id="whole-touch", marks=pytest.mark.all_cases),
        pytest.param("keys", 360, True, id="whole-keys", marks=pytest.mark.all_cases),
        pytest.param("clicks", 360, True, id="whole-clicks", marks=pytest.mark.all_cases),
        pytest.param("clicks", 1280, True, id="whole-wide", marks=pytest.mark.all_cases),
    ],
)
def test_a_match_with_every_button_in_sight(
    visit: Visit, game: str, how: str, width: int, whole: bool
) -> None:
    """The person never has to scroll, and the replay bar is hidden."""
    with playing(*GAMES[game], *(() if whole else SHORTER[game])) as (process, (link,)):
        size = {"width": width, "height": 740 if width == 360 else 800}
        page = visit(link, viewport=size, has_touch=how == "touch", reduced_motion="reduce")
        press = (lambda button: button.tap()) if how == "touch" else (lambda button: button.click())
        asked = ""
        for place in range(1000):
            if (asked := next_question(page, asked)) == "over":
                break
            # With keys, the list of choices is open and pushes some buttons out of the window.
            if how != "keys":
                assert page.evaluate(OUT_OF_SIGHT) == []
            assert page.evaluate("scrollY + document.querySelector('.table').scrollTop") == 0
            assert not page.get_by_label("Player", exact=True).is_visible()
            if how == "keys":
                type_answer(page, game)
                continue
            choose(page, press, place)
            if page.locator("dialog[open]").count():
                press(page.get_by_role("button", name="Do it"))
        assert OVER in status(page)
        page.close()  # before the server ends
        assert "player1  Player 1" in ended(process)


def test_a_slip_is_sent_when_it_was_confirmed(visit: Visit) -> None:
    """Buying a curse asks for confirmation, until the person unchecks "Ask before such a move"."""
    with playing(*DOMINION) as (_, (link,)):
        page = visit(link)
        asked = next_question(page)
        curse, buy = (
            page.locator("[data-card=curse][data-choice]"),
            page.locator("[data-choice=send]"),
        )
        curse.click()
        buy.click()
        doubt = page.get_by_role("dialog", name="A curse costs you a point")
        doubt.get_by_role("button", name="Back").click()
        doubt.wait_for(state="hidden")
        assert page.locator(".seat-panel").get_attribute("data-asked") == asked
        page.locator("[data-choice=back]").click()
        page.get_by_role("button", name="buy nothing").click()
        page.get_by_label("Ask before such a move").uncheck()
        page.get_by_role("button", name="Do it").click()
        asked = next_question(page, asked)
        curse.click()
        buy.click()
        assert next_question(page, asked) != asked
        page.goto("about:blank")  # before the server is gone


def test_botwars_by_drags(visit: Visit) -> None:
    with playing(*BOTWARS, *SMALL) as (process, (link,)):
        page = visit(link)
        asked = ""
        while (asked := next_question(page, asked)) != "over":
            box = page.locator("canvas").bounding_box()
            cell = box["width"] / 4
            page.mouse.move(box["x"] + cell / 2, box["y"] + cell / 2)
            page.mouse.down()
            page.mouse.move(box["x"] + cell / 2, box["y"] + 1.5 * cell, steps=3)
            page.mouse.up()
            page.get_by_role("button", name="Send the moves").click()
        assert "player1  Player 1" in ended(process)


def test_one_turn_is_the_current_one(visit: Visit) -> None:
    with playing(*BOTWARS, "--set", "max_turns=9") as (_, (link,)):
        page = visit(link)
        asked = ""
        for _ in range(4):
            asked = next_question(page, asked)
            assert page.locator(".turns [aria-current]").count() == 1
            page.get_by_role("button", name="Send the moves").click()
        page.goto("about:blank")  # before the server is gone


def test_botwars_by_keys_alone(visit: Visit) -> None:
    with playing(*BOTWARS, *SMALL) as (process, (link,)):
        page = visit(link)
        asked = next_question(page)
        while page.evaluate("document.activeElement.tagName") != "CANVAS":
            page.keyboard.press("Tab")
        while asked != "over":
            page.keyboard.press("a")
            page.keyboard.press("ArrowDown")
            page.keyboard.press("Enter")
            asked = next_question(page, asked)
        assert "player1  Player 1" in ended(process)


NOT_TO_BUY = """() => {
  const cards = [...document.querySelectorAll('[data-zone=row] [data-card]')];
  const bought = cards.filter((card) => card.tagName === 'BUTTON').map((card) => card.dataset.card);
  return cards.filter((card) => card.tagName !== 'BUTTON' && bought.includes(card.dataset.card))
    .map((card) => card.textContent);
}"""
"""Returns the cards in the row that can't be bought although another copy of them can be."""


def test_starrealms_by_clicks(visit: Visit) -> None:
    with playing(*STARREALMS, *SHORT) as (process, (link,)):
        page = visit(link)
        asked, bought = "", 0
        while (asked := next_question(page, asked)) != "over":
            cards, row = (
                page.locator("[data-zone=own] button"),
                page.locator("[data-zone=row] button"),
            )
            others = page.locator("[data-zone=buttons] button")  # the last button ends the turn
            bought += not cards.count() and row.count() > 0
            assert page.evaluate(NOT_TO_BUY) == []
            (cards.first if cards.count() else row.last if row.count() else others.first).click()
        assert bought > 0
        assert "Explorer" in page.text_content(".turns")
        assert OVER in status(page)
        assert "player1  Player 1" in ended(process)


def test_starrealms_by_keys_alone(visit: Visit) -> None:
    with playing(*STARREALMS, *SHORT) as (process, (link,)):
        page = visit(link)
        asked = ""
        while (asked := next_question(page, asked)) != "over":
            if page.locator("[data-card][data-choice], [data-card] button").count():
                page.keyboard.press("1")  # the first available choice
            send(page)
        assert "player1  Player 1" in ended(process)


def test_tribute_by_clicks(visit: Visit) -> None:
    """Includes the draft, cards with two effects, and choosing several cards by clicks and keys."""
    with playing(*TRIBUTE, *SHORT, *PATRONS) as (process, (link,)):
        page = visit(link)
        asked, done = "", []
        while (asked := next_question(page, asked)) != "over":
            zones = {
                zone: page.locator(f"[data-zone={zone}] button")
                for zone in ("now", "own", "row", "buttons")
            }
            cards = zones["now"]
            if page.locator("[data-choice=send]").count():
                page.keyboard.press("Home")  # an earlier state shows no choices
                assert page.locator("[data-zone] button").count() == 0
                page.keyboard.press("End")
                cards.nth(2).click()
                cards.nth(0).click()
                painted(page)
                assert page.locator("[data-zone] [aria-pressed=true]").count() == 2
                names = [cards.nth(place).locator(".name").inner_text() for place in (2, 0)]
                page.get_by_role("button", name=f"Toss {', '.join(names)}", exact=True).wait_for()
                page.keyboard.press("Backspace")
                assert page.locator("[data-zone] [aria-pressed=true]").count() == 1
                page.keyboard.press("1")  # appended to the cards that were clicked
                assert page.locator("#seat-field").input_value() == "3 1"
                page.locator(".seat-status").click()
                with page.expect_request("**/answer") as sent:
                    page.keyboard.press("Enter")
                assert sent.value.post_data_json["picks"] == [2, 0]
                done.append("several")
                continue
            zone = next(zone for zone, buttons in zones.items() if buttons.count())
            done.append(zone)
            zones[zone].first.click()
        kinds = ["now", "own", "now", "own", "row", "several", "buttons"]
        assert [did for did, _ in groupby(done)] == kinds
        page.get_by_label("all that happened").check()
        assert "tosses" in page.text_content(".turns")
        assert OVER in status(page)
        assert "player1  Player 1" in ended(process)


def test_tribute_by_keys_alone(visit: Visit) -> None:
    with playing(*TRIBUTE, *SHORT, *PATRONS) as (process, (link,)):
        page = visit(link)
        asked, several = "", 0
        while (asked := next_question(page, asked)) != "over":
            if page.locator("[aria-pressed]").count():
                page.keyboard.type("3 1")
                several += 1
            elif page.locator("[data-card][data-choice], [data-card] button").count():
                page.keyboard.press("1")  # the first available choice
            send(page)
        assert several
        assert "player1  Player 1" in ended(process)


def test_two_people_and_a_second_tab(visit: Visit) -> None:
    words = ("--page", "--game", "botwars", "human", "human", "--seed", "3", *SMALL)
    with playing(*words, people=2) as (process, links):
        one, other = visit(links[0]), visit(links[1])
        second = one.context.new_page()
        second.goto(one.url.partition("#")[0])  # no token needed, because of the cookie
        second.wait_for_selector(".seat-panel[data-asked]:not([data-asked=''])")
        one.get_by_text("open in another tab").wait_for()
        one.get_by_role("button", name="Play here").click()
        second.get_by_text("open in another tab").wait_for()
        asked = ["", ""]
        while "over" not in asked:
            for number, page in enumerate((one, other)):
                asked[number] = next_question(page, asked[number])
                if asked[number] != "over":
                    page.get_by_role("button", name="Send the moves").click()
        assert "player2  Player 2" in ended(process)


def test_a_game_of_a_visitor(visit: Visit, browser: Any) -> None:
    with running("--play", "minimal", "--set", "max_turns=1") as (_, url):
        page = browser.new_context().new_page()
        page.goto(url.removesuffix("play"))
        page.get_by_role("link", name="Play a game").click()
        page.get_by_role("button", name="Begin a game").click()
        asked = ""
        while (asked := next_question(page, asked)) != "over":
            send(page)
        assert OVER in status(page)
        page.reload()
        page.get_by_text(OVER).first.wait_for()
        seat = page.url.partition("#")[0][-1]
        page.get_by_role("button", name="Play again").click()
        next_question(page)
        assert {seat, page.url.partition("#")[0][-1]} == {"0", "1"}
        assert page.get_by_role("button", name="Play again").count() == 0
        page.context.close()


@pytest.mark.slow
def test_the_server_restarted_in_mid_match(browser: Any, tmp_path: Path) -> None:
    """We kill the server and resume the match from its record.

    The person's link still works, and every answer counts exactly once.
    """
    record = tmp_path / "game.jsonl"

    def answers() -> list[bytes]:
        """Return the person's replies in the record, without the handshake."""
        found = [entry for entry in entries(record) if entry["entry"] == "received"]
        return [entry["line"] for entry in found if entry["player_number"] == "player1"][1:]

    page = browser.new_context().new_page()
    unreached = page.locator(".seat-panel .problem").filter(has_text="not reached")
    words = ("--page", "human", "minimal", "--set", "max_turns=4", "--seed", "3")
    with playing(*words, "--record", str(record)) as (process, (link,)):
        page.goto(link)
        asked = ""
        while not answers():
            asked = next_question(page, asked)
            send(page)
        next_question(page, asked)  # it is the person's turn again
        before = answers()
        process.kill()
        process.wait()
        unreached.wait_for()  # until then the page shows the question of the old server
    with playing("--page", "--resume", str(record), "--record", str(record)) as (process, (again,)):
        assert again == link.partition("#")[0]
        unreached.wait_for(state="hidden")
        asked = next_question(page)
        assert answers() == before
        send(page)
        fresh = browser.new_context().new_page()
        fresh.goto(link)  # the same token still works
        asked = ""
        while (asked := next_question(fresh, asked)) != "over":
            send(fresh)
        assert "player1  Player 1" in ended(process)
    assert answers()[: len(before)] == before
    assert len(answers()) > len(before)
    assert [path.name for path in tmp_path.iterdir()] == ["game.jsonl"]
    assert cli.main(["verify", str(record), "-q"]) == 0
    page.context.close()
    fresh.context.close()


@pytest.mark.parametrize("width", [360, 1280])
def test_the_seat_at_each_width(visit: Visit, width: int) -> None:
    with playing(*DOMINION) as (_, (link,)):
        page = visit(link, viewport={"width": width, "height": 700})
        next_question(page)
        page.locator(".seat-list summary").first.click()
        root = "document.documentElement"
        assert page.evaluate(f"{root}.scrollWidth <= {root}.clientWidth")
        page.goto("about:blank")  # before the server is gone


@pytest.mark.parametrize(
    ("words", "width", "scheme", "before"),
    [
        pytest.param(DOMINION, 360, "dark", 0, id="dominion"),
        pytest.param(BOTWARS, 1280, "light", 0, marks=pytest.mark.all_cases, id="botwars"),
        pytest.param(STARREALMS, 1280, "dark", 0, marks=pytest.mark.all_cases, id="starrealms"),
        # Skip the two questions of the draft.
        pytest.param(TRIBUTE, 360, "light", 2, marks=pytest.mark.all_cases, id="tribute"),
    ],
)
def test_axe_finds_nothing_in_a_question(
    visit: Visit, words: tuple[str, ...], width: int, scheme: str, before: int
) -> None:
    """`before` is the number of questions to answer first."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="no axe")
    with playing(*words) as (_, (link,)):
        viewport = {"width": width, "height": 700}
        still = "reduce"  # moving elements are translucent, which axe would report as low contrast
        page = visit(
            link, viewport=viewport, color_scheme=scheme, bypass_csp=True, reduced_motion=still
        )
        asked = next_question(page)
        for _ in range(before):
            page.keyboard.press("1")
            send(page)
            asked = next_question(page, asked)
        page.locator(".seat-list").evaluate("list => { list.open = true; }")
        found = axe.Axe().run(page).response["violations"]
        assert [(each["id"], each["nodes"][0]["html"]) for each in found] == []
        page.goto("about:blank")  # before the server is gone


def test_a_page_without_a_person(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["play", "--page", "minimal", "minimal"]) == 2
    assert "--page goes with BOT human" in one_line(capsys.readouterr().err)
