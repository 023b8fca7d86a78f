"""Check that each game's drawing shows the right view in a browser."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from referee.games import GAMES
from referee.web.file import page_file
from referee.web.recorded import read_match
from tests.support.browsing import painted
from tests.support.helpers import ROOT
from tests.support.watched import Watched, watched

pytestmark = pytest.mark.extras
Visit = Callable[..., Any]


def page_of(folder: Path, data: bytes, name: str) -> Path:
    record, page = folder / f"{name}.jsonl", folder / f"{name}.html"
    record.write_bytes(data)
    page.write_text(page_file([read_match(str(record))]))
    return page


@pytest.fixture(scope="module")
def stars() -> Watched:
    return watched("starrealms", 4, max_turns=4)


def shows(page: Any, view: dict[str, Any]) -> None:
    """Check that the table shows this view, with nothing for fields that the view doesn't have."""
    piles = [("authority", "authority"), ("deck", "deck_size")]
    for number, seat in enumerate(view["seats"]):
        for pile, field in piles:
            shown = page.locator(f'[data-place="{number} {pile}"] dd').inner_text()
            assert shown == str(seat[field])
    row = page.locator("[data-zone=row] .name").all_text_contents()
    assert row[:-1] == view["trade_row"]
    counters = page.locator("[data-zone=now] .counters dd").all_text_contents()
    assert [shown.rpartition("= ")[2] for shown in counters] == [
        *(str(view["trade"]), str(view["combat"])),
    ]
    names = []
    for seat in view["seats"]:
        known = seat["hand"] is not None
        names += ["Hand", "Deck"] if known else ["Hand and deck"]
        names += ["In play", "Discarded"]
    page.keyboard.press("o")
    found = page.locator(".cards dt").all_text_contents()
    assert [pile.rpartition(" ")[0] for pile in found] == names


def test_star_realms_of_a_record_and_of_a_log(visit: Visit, stars: Watched, tmp_path: Path) -> None:
    record = visit(page_of(tmp_path, stars.record, "record"))
    last = len(stars.states) - 1
    steps = read_match(str(tmp_path / "record.jsonl")).steps
    ends = [at for at, step in enumerate(steps) if step.time is not None]  # of each round
    for eyes, viewer in (("0", "all"), ("2", "1"), ("p", "public")):
        record.keyboard.press(eyes)
        record.keyboard.press("Home")
        for step in (0, 1, 2, last):
            record.get_by_role("slider", name="Step").fill(str(ends[step]))
            painted(record)
            shows(record, stars.states[step].views[viewer])
    log = visit(page_of(tmp_path, stars.log, "log"), "#eyes=all")
    log.keyboard.press("End")
    shows(log, stars.states[-1].views["public"])


def shows_tribute(page: Any, view: dict[str, Any], header: dict[str, Any]) -> None:
    """Check that the table shows this view, with hands only for the seats whose hands are in it."""
    facts, seats = header["facts"]["cards"], view["seats"]
    for number, seat in enumerate(seats):
        shown = page.locator(f'[data-place="{number} prestige"] dd').inner_text()
        assert shown == str(seat["prestige"])
    if not view["turn"]:  # the draft
        assert page.locator("[data-zone=patrons] [data-card]").count() == len(view["picked"])
        return
    row = page.locator("[data-zone=row] .name").all_text_contents()
    assert row == [facts[card["card"]]["name"] for card in view["row"]]
    costs = page.locator("[data-zone=row] .cost").all_text_contents()
    assert costs == [str(facts[card["card"]]["cost"]) for card in view["row"]]
    active = seats[view["player"]]
    counters = page.locator(".counters dd").all_text_contents()
    assert counters == [str(active[name]) for name in ("coins", "power", "prestige")]
    patrons = page.locator("[data-zone=patrons] [data-card]").all_text_contents()
    names = {seat["id"]: seat["name"] for seat in header["seats"]}
    for text, (patron, player) in zip(patrons, view["favours"].items(), strict=True):
        assert text.startswith(header["facts"]["patrons"][patron]["name"])
        assert (f"favours {names[player]}" if player else "neutral") in text or (
            patron == "TREASURY"
        )
    for number, seat in enumerate(seats):
        agents = page.locator(f'[data-place="{number} agents"] > *')
        for shown, agent in zip(agents.all_text_contents(), seat["agents"], strict=True):
            assert f"{agent['hp']} of {facts[agent['card']]['hp']} HP" in shown
            assert ("activated" in shown) == agent["activated"]
        hand = page.locator(f'[data-place="{number} hand"]')
        assert ("backs" in hand.get_attribute("class").split()) == (seat["hand"] is None)
    page.keyboard.press("o")
    piles = [text.rpartition(" ") for text in page.locator(".cards dt").all_text_contents()]
    zones = {"Cooldown pile": "cooldown", "Draw pile": "draw_pile"}
    zones["Hand and draw pile"] = "hand_and_draw"
    found = [(zones[name], int(number)) for name, _, number in piles if name in zones]
    assert found == [
        (zone, len(seat[zone]))
        for seat in seats
        for zone in (["draw_pile"] if seat["hand"] is not None else ["hand_and_draw"])
        + ["cooldown"]
    ]


def test_tribute_of_a_record_and_of_a_log(visit: Visit, tmp_path: Path) -> None:
    match = watched("tribute", 8, max_turns=9)
    file = page_of(tmp_path, match.record, "record")
    record, last = visit(file), len(match.states) - 1
    read_header = "JSON.parse(document.getElementById('header-0').textContent)"
    header = record.evaluate(read_header)
    for eyes, viewer in (("0", "all"), ("2", "1"), ("p", "public")):
        record.keyboard.press(eyes)
        record.keyboard.press("Home")
        for step in range(6):  # the first four steps are the draft
            shows_tribute(record, match.states[step].views[viewer], header)
            record.keyboard.press("ArrowRight")
        record.keyboard.press("End")
        shows_tribute(record, match.states[last].views[viewer], header)
    assert any(seat["agents"] for seat in match.states[last].views["all"]["seats"])
    log = visit(page_of(tmp_path, match.log, "log"), "#eyes=all")
    log.keyboard.press("End")
    shows_tribute(log, match.states[-1].views["public"], log.evaluate(read_header))


def test_the_grid_of_bot_wars_takes_the_colours_of_the_theme(visit: Visit, tmp_path: Path) -> None:
    match = watched("botwars", 1, rows=5, cols=5, max_turns=3)
    page = visit(page_of(tmp_path, match.record, "record"), color_scheme="light")
    numbers = page.locator(".bw-edge").first.locator("span")
    assert numbers.all_text_contents() == ["0", "1", "2", "3", "4"]
    beside = numbers.first.bounding_box(), page.locator("canvas").bounding_box()
    assert beside[0]["y"] + beside[0]["height"] <= beside[1]["y"]  # above the cells
    picture = "document.querySelector('canvas').toDataURL()"
    light = page.evaluate(picture)
    page.keyboard.press("d")
    assert page.evaluate(picture) != light
    page.keyboard.press("d")
    # The page's own switch takes precedence over the system's setting.
    page.emulate_media(color_scheme="dark")
    assert page.evaluate(picture) == light


def test_the_grid_has_its_colours_where_the_system_forces_others(
    visit: Visit, tmp_path: Path
) -> None:
    match = watched("botwars", 1, rows=40, cols=40, max_turns=3)
    lying = {"width": 844, "height": 390}
    page = visit(page_of(tmp_path, match.record, "record"), forced_colors="active", viewport=lying)
    board, zone = (page.locator(part).bounding_box() for part in (".bw-board", "[data-zone=board]"))
    assert 200 < board["height"] <= zone["height"]  # the whole board fits in its zone
    assert page.evaluate("matchMedia('(forced-colors: active)').matches")
    assert page.evaluate(COLOURS) > 20


COLOURS = """() => {
  const canvas = document.querySelector("canvas");
  const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  return new Set(new Uint32Array(data.buffer)).size;
}"""


def test_a_drawing_that_fails_is_tried_again_at_the_next_step(visit: Visit, tmp_path: Path) -> None:
    match = watched("botwars", 1, rows=5, cols=5, max_turns=3)
    page = visit(page_of(tmp_path, match.record, "record"), reduced_motion="reduce")
    page.evaluate("console.error = () => {}; window.fill = CanvasRenderingContext2D.prototype")
    page.evaluate("window.real = fill.fillRect; fill.fillRect = () => { throw Error(0); }; 0")
    for _ in range(2):
        page.keyboard.press("ArrowRight")
        page.locator(".words").wait_for()
    assert page.locator("canvas").count() == 0
    page.evaluate("void (fill.fillRect = real)")
    page.keyboard.press("ArrowRight")
    page.locator("canvas").wait_for()
    assert page.locator(".words").count() == 0


STARTS = """() => {
  const [animate, boxOf] = [Element.prototype.animate, (node) => node.getBoundingClientRect()];
  const near = (one, other) => Math.hypot(one.x - other.x, one.y - other.y) < 3;
  window.starts = [];
  const known = () => [...document.querySelectorAll("[data-card], [data-place]")].map(boxOf);
  let before = known();
  Element.prototype.animate = function (frames, how) {
    const made = animate.call(this, frames, how);
    made.pause();
    if (frames[0].transform) starts.push(before.some((box) => near(box, boxOf(this))));
    made.finish();
    return made;
  };
  window.look = () => { before = known(); };
}"""


def test_cards_start_where_they_were_on_a_large_screen(visit: Visit, tmp_path: Path) -> None:
    """Large screens scale the table up, so positions in the page and in the table differ."""
    record = ROOT / "tests" / "golden" / "faults.record.jsonl"
    page = visit(
        page_of(tmp_path, record.read_bytes(), "record"),
        viewport={"width": 2400, "height": 1300},
        reduced_motion="no-preference",
    )
    page.evaluate(STARTS)
    for _ in range(6):
        page.evaluate("look()")
        page.keyboard.press("ArrowRight")
    starts = page.evaluate("starts")
    assert starts
    assert all(starts)


@pytest.mark.parametrize("game", GAMES)
def test_the_end_is_told_on_the_stage(game: str, visit: Visit, tmp_path: Path) -> None:
    path = page_of(tmp_path, watched(game, 2).record, game)
    outcome = read_match(str(path.with_suffix(".jsonl"))).header.outcome
    assert outcome is not None
    page = visit(path)
    page.keyboard.press("Home")
    assert page.locator("[data-ended]").count() == 0
    page.keyboard.press("End")
    stage = page.locator("[data-ended] .stage")
    assert outcome.why[1:] in stage.locator(".last").inner_text()
    winners = stage.locator(".headline bdi").all_text_contents()
    names = [page.locator(".chip bdi").all_text_contents()[seat] for seat in outcome.winners]
    assert winners == names or "A draw" in stage.inner_text()


def test_a_disqualification_is_told_once_with_the_last_words(visit: Visit, tmp_path: Path) -> None:
    bot = tmp_path / "crash.py"
    bot.write_text("input()\nprint('{\"name\": \"Crash\"}')\ninput()\nprint({}['gold'])\n")
    record = tmp_path / "match.jsonl"
    command = [sys.executable, "-m", "referee", "play", bot, "minimal", "--record", record]
    subprocess.run([*command, "--record-stderr"], capture_output=True, timeout=60, check=False)
    page = visit(page_of(tmp_path, record.read_bytes(), "page"))
    page.keyboard.press("End")
    told = page.locator("[data-ended] .stage").inner_text().replace("\n", "")
    assert "Minimal wins" in told
    assert told.count("is disqualified") == 1
    assert "Its last words: KeyError: 'gold'" in told


CUT = """() => [...document.querySelectorAll(
    ".zones :is(.card .name, [data-zone=supply] .brief, .headline, .counters dd)")]
    .filter((node) => node.checkVisibility() && (node.scrollWidth > node.clientWidth + 1
        || node.scrollHeight > node.clientHeight + 2)).map((node) => node.textContent)"""
TORN = """() => [...document.querySelectorAll(
    ".zones :is(.zone:not(:has(.stage)) .card .name, .points-of li), .tabbar")]
    .filter((node) => node.checkVisibility() && (node.scrollWidth > node.clientWidth + 1
        || [...node.firstChild?.data?.matchAll(/[A-Za-z]+/g) ?? []].some((word) => {
            const range = new Range();
            range.setStart(node.firstChild, word.index);
            range.setEnd(node.firstChild, word.index + word[0].length);
            return new Set([...range.getClientRects()].map(({ top }) => top)).size > 1;
        }))).map((node) => node.textContent)"""
PLAYED = """() => [...document.querySelectorAll(".played > .card, .got > .card")]
    .every((card) => card.checkVisibility() && card.getBoundingClientRect().height > 24)"""


def test_the_cards_of_four_players_are_seen_on_a_phone(visit: Visit, tmp_path: Path) -> None:
    record = (ROOT / "spec/examples/four-players.record.jsonl").read_bytes()
    page = visit(page_of(tmp_path, record, "four"), viewport={"width": 360, "height": 740})
    page.keyboard.press("Home")
    last = int(page.locator(".range").get_attribute("max"))
    for _ in range(min(last, 150)):
        page.keyboard.press("ArrowRight")
        assert page.evaluate(PLAYED)


@pytest.mark.parametrize("size", [(1440, 900), (1024, 768), (360, 740)])
def test_the_verdict_of_four_players_is_whole(
    size: tuple[int, int], visit: Visit, tmp_path: Path
) -> None:
    record = (ROOT / "spec/examples/four-players.record.jsonl").read_bytes()
    viewport = {"width": size[0], "height": size[1]}
    page = visit(page_of(tmp_path, record, "four"), viewport=viewport, reduced_motion="reduce")
    page.keyboard.press("End")
    stage = page.locator("[data-ended] .stage")
    assert painted(page).evaluate(OUTSIDE) == []
    assert stage.locator(".headline").inner_text().replace("\n", "").endswith(" points")


OUTSIDE = """() => {
  const stage = document.querySelector("[data-ended] .stage").getBoundingClientRect();
  return [...document.querySelectorAll("[data-ended] :is(.headline, .last, .points-of li[class])")]
    .filter((node) => {
      const { top, bottom, right } = node.getBoundingClientRect();
      const isCut = node.scrollHeight > node.clientHeight + 2;
      return isCut || top < stage.top || bottom > stage.bottom || right > stage.right;
    }).map((node) => node.textContent);
}"""


@pytest.mark.parametrize("size", [(1440, 900), (390, 844)])
def test_the_verdict_of_tribute_says_where_the_prestige_is_from(
    size: tuple[int, int], visit: Visit, tmp_path: Path
) -> None:
    path = page_of(tmp_path, watched("tribute", 2).record, "tribute")
    outcome = read_match(str(path.with_suffix(".jsonl"))).header.outcome
    assert outcome is not None
    page = visit(path, viewport={"width": size[0], "height": size[1]}, reduced_motion="reduce")
    page.keyboard.press("End")
    bars = painted(page).locator("[data-ended] .points-of").all()
    gains = [[int(text) for text in bar.locator("b").all_text_contents()] for bar in bars]
    assert [*map(sum, gains)] == [*outcome.scores]
    assert page.evaluate(OUTSIDE) == []


@pytest.mark.parametrize("game", ["dominion", "starrealms", "tribute"])
def test_the_values_on_a_large_screen_are_large(game: str, visit: Visit, tmp_path: Path) -> None:
    path = page_of(tmp_path, watched(game, 2).record, game)
    page = visit(path, viewport={"width": 1440, "height": 900})
    page.keyboard.press("Home")
    heights: list[float] = []
    for _ in range(60):
        page.keyboard.press("ArrowRight")
        assert page.evaluate(CUT) == []
        heights += page.evaluate(
            "[...document.querySelectorAll('.played:not(:has(> :nth-child(8))) .sign')]"
            ".map((sign) => parseFloat(getComputedStyle(sign).fontSize))"
        )
    assert heights
    assert min(heights) >= 28


@pytest.mark.parametrize("size", [(1024, 768), (390, 844)], ids=["tablet", "phone"])
@pytest.mark.parametrize("game", ["dominion", "starrealms", "tribute"])
def test_names_and_tabs_are_whole_on_small_screens(
    game: str, size: tuple[int, int], visit: Visit, tmp_path: Path
) -> None:
    path = page_of(tmp_path, watched(game, 2).record, game)
    page = visit(path, viewport={"width": size[0], "height": size[1]}, reduced_motion="reduce")
    for key in ("Home", *["ArrowRight"] * 30, "End"):
        page.keyboard.press(key)
        assert painted(page).evaluate(TORN) == []
