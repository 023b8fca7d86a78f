"""The match page in a browser, opened from a file."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from html import escape
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from referee.games.interface.capabilities import Phrase
from referee.web.data import Line, Mark, MatchPage, SeatHeader
from referee.web.file import cut, page_file
from referee.web.recorded import read_match
from tests.support.browsing import painted

pytestmark = pytest.mark.extras
RECORD = Path(__file__).parents[2] / "golden" / "faults.record.jsonl"
Visit = Callable[..., Any]
START = "#turn=1"
"""Start at turn 1. Otherwise the page would open at the disqualification."""


@pytest.fixture(scope="module")
def match() -> MatchPage:
    """A match of four seats with two faults and a disqualification. It ends at the turn limit."""
    return read_match(str(RECORD))


@pytest.fixture(scope="module")
def file(match: MatchPage, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("page") / "match.html"
    path.write_text(page_file([match]))
    return path


def step_of(page: Any) -> int:
    return int(painted(page).get_by_role("slider", name="Step").input_value())


def settles(page: Any, fragment: str) -> None:
    page.wait_for_function("(wanted) => location.hash === wanted", arg=fragment)


def first_of(match: MatchPage, turn: int) -> int:
    return next(at for at, step in enumerate(match.steps) if step.turn == turn)


def test_it_opens_from_disk(visit: Visit, file: Path, match: MatchPage) -> None:
    page = visit(file)
    assert page.title() == match.header.title
    names = page.locator(".chip bdi").all_text_contents()
    assert names == [seat.name for seat in match.header.seats]
    (fault,) = (
        at
        for at, step in enumerate(match.steps)
        if any(mark.kind == "disqualified" for mark in step.marks)
    )
    assert step_of(page) == fault
    wins = page.get_by_role("region", name="Result").locator("h2")
    assert wins.is_visible()
    marks = page.locator(".item").count()
    page.get_by_role("button", name="Hide result").click()
    painted(page)
    assert not wins.is_visible()
    assert page.locator(".item").count() < marks
    page.keyboard.press("End")
    assert step_of(page) == len(match.steps) - 1
    outcome = match.header.outcome
    assert outcome is not None
    banner = page.get_by_role("region", name="Result")
    for seat in outcome.winners:
        assert match.header.seats[seat].name in banner.locator("h2").inner_text()
    # player2 has left, so it is the last one, whatever its score is.
    points = "39 to ● 27, ◆ \N{MINUS SIGN}1, ■ 3"
    assert points in banner.inner_text().replace("\n", "")
    told = page.locator("[data-zone=now]").inner_text()
    assert f"wins, {points}" in told.replace("\n", "")
    assert "The turn limit was reached." in told
    assert outcome.reason.replace("-", " ") in banner.inner_text()
    points = page.locator(".chip .points").all_text_contents()
    assert points == ["27", "3", "39", "\N{MINUS SIGN}1"]


def test_keys_move(visit: Visit, file: Path, match: MatchPage) -> None:
    page = visit(file, START)
    last = len(match.steps) - 1
    events = [
        at
        for at, step in enumerate(match.steps)
        if any(mark.kind != "stderr" for mark in step.marks)
    ]
    second, third = first_of(match, 2), first_of(match, 3)
    for key, step in [
        ("ArrowRight", 1),
        ("ArrowRight", 2),
        ("ArrowLeft", 1),
        ("Home", 0),
        ("PageDown", second),
        ("PageDown", third),
        ("PageUp", second),
        ("e", events[0]),
        ("e", events[1]),
        ("Shift+E", events[0]),
        ("End", last),
        ("ArrowRight", last),
        ("Home", 0),
        ("Control+ArrowRight", 0),
    ]:
        page.keyboard.press(key)
        assert step_of(page) == step, key
    page.keyboard.press("g")
    page.keyboard.type("9")
    page.keyboard.press("Enter")
    assert step_of(page) == first_of(match, 9)
    page.keyboard.press("g")
    page.keyboard.press("ArrowRight")  # this moves the cursor in the field, not the step
    assert step_of(page) == first_of(match, 9)
    page.keyboard.press("Escape")
    page.keyboard.press("ArrowRight")
    assert step_of(page) == first_of(match, 9) + 1


def test_keys_choose_what_is_seen(visit: Visit, file: Path) -> None:
    page = visit(file)
    eyes = page.get_by_label("Eyes")
    for key, value in [("2", "1"), ("p", "public"), ("9", "public"), ("0", "all")]:
        page.keyboard.press(key)
        assert eyes.input_value() == value, key
    for key, tab in [("l", "Lines"), ("s", "Stderr"), ("m", "How it turned"), ("c", "Curves")]:
        page.keyboard.press(key)
        assert page.get_by_role("tab", name=tab).get_attribute("aria-selected") == "true"
    page.keyboard.press("t")
    assert page.evaluate("document.activeElement.closest('nav').className") == "aside"
    speed = page.get_by_label("Speed")
    page.keyboard.press("+")
    assert speed.input_value() == "4"
    page.keyboard.press("-")
    page.keyboard.press("-")
    assert speed.input_value() == "1"
    page.keyboard.press("d")
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
    for _ in range(5):  # when the browser is busy, it takes a while to store the theme
        page.reload()
        page.wait_for_selector(".match .chips")
        if page.evaluate("document.documentElement.dataset.theme") == "dark":
            break
    else:
        pytest.fail("the theme is forgotten")


def test_the_keys_can_be_turned_off(visit: Visit, file: Path) -> None:
    page = visit(file, START)
    page.keyboard.press("?")
    dialog = page.get_by_role("dialog", name="Keys")
    dialog.get_by_label("Keys are on").uncheck()
    page.keyboard.press("Escape")
    dialog.wait_for(state="hidden")
    page.reload()
    page.wait_for_selector(".match .chips")
    page.keyboard.press("End")
    assert step_of(page) == 0
    page.keyboard.press("?")
    dialog.get_by_label("Keys are on").check()
    page.keyboard.press("Escape")
    dialog.wait_for(state="hidden")
    page.keyboard.press("End")
    page.wait_for_function("() => document.querySelector('[aria-label=Step]').value > 0")


def test_a_focused_button_keeps_space(visit: Visit, file: Path) -> None:
    page = visit(file, START)
    page.get_by_role("button", name="Step on").focus()
    page.keyboard.press("Space")
    assert step_of(page) == 1
    assert page.get_by_role("button", name="Play").count() == 1


def test_it_plays_to_the_end_and_is_idle_then(visit: Visit, file: Path, match: MatchPage) -> None:
    last = len(match.steps) - 1
    page = visit(file, f"#turn={match.steps[last].turn}")
    page.clock.install(time=0)
    # `install` alone lets the clock run on with real time.
    page.clock.pause_at(1000)
    slider = page.get_by_role("slider", name="Step")
    start = int(slider.input_value())
    page.get_by_role("button", name="Play").click()
    page.clock.run_for(50)  # animation frames also depend on this clock
    page.get_by_role("button", name="Pause").wait_for()
    page.clock.run_for(600)
    assert slider.input_value() == str(start + 1)
    page.clock.run_for(60_000)
    assert slider.input_value() == str(last)
    page.get_by_role("button", name="Play").wait_for()
    page.evaluate(
        "() => { window.asked = 0; for (const name of ['setTimeout', 'setInterval',"
        " 'requestAnimationFrame']) window[name] = () => { window.asked++; }; }"
    )
    page.clock.run_for(60_000)
    assert page.evaluate("window.asked") == 0


def test_a_link_leads_to_a_place(visit: Visit, file: Path, match: MatchPage) -> None:
    page = visit(file, "#turn=9&step=2&eyes=2&tab=lines&colour=blue")
    assert step_of(page) == first_of(match, 9) + 1
    assert page.get_by_label("Eyes").input_value() == "1"
    assert page.get_by_role("tab", name="Lines").get_attribute("aria-selected") == "true"
    page.keyboard.press("ArrowRight")
    turn = match.steps[step_of(page)].turn
    step = step_of(page) - first_of(match, turn) + 1
    settles(page, f"#turn={turn}{f'&step={step}' * (step > 1)}&eyes=2&tab=lines")
    page.evaluate("location.hash = '#turn=5'")
    # This has to be a function, because the page's policy doesn't allow `eval` of strings.
    page.wait_for_function(
        "(wanted) => document.querySelector('.range').value === wanted", arg=str(first_of(match, 5))
    )
    for wrong in ("#turn=x&step=&eyes=9&tab=no", "#%E0%A4%A", "#turn=-1"):
        page.evaluate("(hash) => { location.hash = hash; }", wrong)
        settles(page, "#turn=5&eyes=2&tab=lines")


def test_turns_are_links_and_the_current_one_is_in_sight(
    visit: Visit, file: Path, match: MatchPage
) -> None:
    page = visit(file)
    turns = page.locator(".turns .turn")
    assert turns.count() == len(match.turns)
    lists = page.locator(".turns ol").evaluate_all(
        "lists => lists.map((list) => list.children.length)"
    )
    # Turns are grouped in lists, so that a new turn only needs a layout of its own list.
    assert len(lists) > 1
    assert max(lists) <= 50
    page.keyboard.press("End")
    current = page.locator(".turns [data-current]")
    assert current.locator("a").get_attribute("aria-current") == "step"
    page.wait_for_function(  # scrolling happens in the next frame
        "() => { const turn = document.querySelector('.turns [data-current]');"
        " const box = turn.getBoundingClientRect();"
        " return box.top < innerHeight && box.top > 0 && scrollY === 0; }"
    )
    turns.nth(1).click()
    assert step_of(page) == first_of(match, 2)


def test_lines_are_what_the_eyes_may_see(visit: Visit, file: Path, match: MatchPage) -> None:
    at = next(n for n, step in enumerate(match.steps) if step.turn == 9)
    said = match.lines[slice(*match.steps[at].lines)]
    assert {line.kind for line in said} == {"all", "sent", "received"}
    page = visit(file, "#turn=9&tab=lines")
    page.locator(".line").first.wait_for()
    texts = page.locator(".line pre").all_text_contents()
    assert [json.loads(text) for text in texts] == [json.loads(line.text) for line in said]
    page.keyboard.press("p")
    assert page.locator(".line").count() == sum(line.kind == "all" for line in said)
    page.keyboard.press("4")
    own = [line for line in said if line.seat in (None, 3)]
    assert page.locator(".line").count() == len(own)


def test_a_line_is_copied(visit: Visit, file: Path, match: MatchPage) -> None:
    page = visit(file, "#turn=9&tab=lines", permissions=["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="Copy line").last.click()
    page.get_by_text("copied", exact=True).wait_for()
    at = first_of(match, 9)
    said = match.lines[slice(*match.steps[at].lines)]
    assert page.evaluate("navigator.clipboard.readText()") == said[-1].text


def test_faults_have_their_section(visit: Visit, file: Path, match: MatchPage) -> None:
    page = visit(file, "#tab=moments")
    marks = [(at, mark) for at, step in enumerate(match.steps) for mark in step.marks]
    items = page.locator(".item:is(.item-fault, .item-disqualified, .item-end)")
    assert items.count() == len(marks)
    assert match.header.outcome is not None
    for index, (at, mark) in enumerate(marks):
        item = items.nth(index)
        says = match.header.outcome.why if mark.kind == "end" else mark.code
        assert says in item.inner_text()
        ends = match.steps[at].ends
        where = item.locator(".where")
        assert where.inner_text() == str(ends or match.steps[at].turn)
        where.click()
        assert step_of(page) == at
    assert any(match.steps[at].ends for at, _ in marks)
    items.first.locator("summary").click()
    rule = match.header.rules[marks[0][1].code]
    assert items.first.locator("summary").inner_text() == f"{rule.section} {rule.title}"
    items.first.locator("details[open] > :not(summary)").first.wait_for()
    shown = items.first.locator("details").inner_text().removeprefix(f"{rule.section} {rule.title}")
    assert (
        re.findall(r"\w+", shown)[:20] == re.findall(r"\w+", rule.text.replace("```json", ""))[:20]
    )


def test_moments_are_listed_and_marked(visit: Visit, file: Path, match: MatchPage) -> None:
    page = visit(file, "#tab=moments")
    outcome = match.header.outcome
    assert outcome is not None
    kinds = page.locator(".item .mark").all_text_contents()
    assert kinds.count("longest think") <= 1
    decided = page.locator(".item-decided")
    assert decided.count() == (len(outcome.winners) == 1)
    winner = match.header.seats[outcome.winners[0]].name
    assert winner in decided.inner_text()
    decided.locator(".where").click()
    turn = match.steps[step_of(page)].turn
    values: list[list[float]] = []  # points of each seat after each turn
    points: list[float] = []
    for step in match.steps:
        points = step.values.get("points", points)
        values[step.turn - 1 :] = [points]
    seat = outcome.winners[0]
    margins = [row[seat] - max(row[:seat] + row[seat + 1 :]) for row in values]
    gains = [after - before for before, after in pairwise([margins[0], *margins])]
    assert gains[turn - 1] > 0
    assert page.locator(".ticks path").count() == 6
    assert page.locator(".tick-decided").get_attribute("d").count("M") == 1


ZONES = """() => [...document.querySelectorAll(".zone, .player")].map((node) => {
  const { top, height } = node.getBoundingClientRect();
  return [top, height, top + height <= innerHeight];
})"""


def test_zones_keep_their_places_and_fit_the_window(
    visit: Visit, file: Path, match: MatchPage
) -> None:
    page = visit(file, START)
    for width, height in ((1024, 768), (390, 844), (844, 390)):
        page.set_viewport_size({"width": width, "height": height})
        places = []
        for step in (0, 3, len(match.steps) // 2, len(match.steps) - 2):
            page.get_by_role("slider", name="Step").fill(str(step))
            places.append(painted(page).evaluate(ZONES))
        assert places[1:] == places[:-1]
        assert all(fits for _, _, fits in places[0])
    page.locator("[data-card=militia]").first.focus()
    page.keyboard.press("Tab")
    page.keyboard.press("Shift+Tab")
    assert "discard down to 3" in page.get_by_role("note").inner_text()


@pytest.mark.parametrize("motion", ["no-preference", "reduce"])
def test_cards_move_unless_motion_is_reduced(
    visit: Visit, file: Path, match: MatchPage, motion: str
) -> None:
    page = visit(file, reduced_motion=motion)
    page.evaluate(
        "() => { window.moved = 0; const animate = Element.prototype.animate;"
        " Element.prototype.animate = function (...how) {"
        " window.moved++; return animate.apply(this, how); }; }"
    )
    for _ in range(4):
        page.keyboard.press("ArrowRight")
    assert (page.evaluate("window.moved") > 0) == (motion == "no-preference")


def test_curves_have_their_figures(visit: Visit, file: Path, match: MatchPage) -> None:
    page = visit(file, "#tab=curves")
    page.get_by_text("Figures").first.click()
    rows = page.locator(".curves tbody").first.locator("tr")
    rows.first.wait_for()  # the table is created when the fold is first opened
    assert rows.count() == len({step.turn for step in match.steps})
    page.keyboard.press("End")
    last = rows.last.locator("td").all_text_contents()
    assert last == page.locator(".figure").all_text_contents()[: len(last)]


@pytest.mark.parametrize("eyes", ["public", "4"])
def test_whose_turn_it_is_where_hands_are_hidden(
    visit: Visit, file: Path, match: MatchPage, eyes: str
) -> None:
    page = visit(file, f"#turn=9&eyes={eyes}")
    (seat,) = next(turn.seats for turn in match.turns if turn.turn == 9)
    name = match.header.seats[seat].name
    assert name in page.locator("[data-zone=now] h2").inner_text()
    assert page.locator(".zones [data-current] h2").inner_text().count(name) == 1
    page.keyboard.press("End")
    assert page.locator(".zones [data-current]").count() == 0


def test_some_turns_of_a_match(visit: Visit, match: MatchPage, tmp_path: Path) -> None:
    some = cut(read_match(str(RECORD)), 5, 9)
    empty = replace(some.turns[-1], turn=10, first=len(some.steps) + 1, last=len(some.steps))
    path = tmp_path / "some.html"
    path.write_text(page_file([replace(some, turns=[*some.turns, empty])]))
    page = visit(path)
    links = page.locator(".turns .turn")
    assert links.count() == 6
    links.nth(2).click()
    assert step_of(page) == first_of(match, 7) - first_of(match, 5)
    page.get_by_role("tab", name="Lines").click()
    page.locator(".line").first.wait_for()
    links.last.click()  # this turn has no steps, so the last step is shown
    assert step_of(page) == len(some.steps) - 1


def test_it_prints_what_the_match_came_to(visit: Visit, file: Path, match: MatchPage) -> None:
    for width in (1280, 360):
        page = visit(file, "#turn=9&tab=lines", viewport={"width": width, "height": 800})
        page.emulate_media(media="print")
        page.evaluate("dispatchEvent(new Event('beforeprint'))")
        for part in (".bar", ".chart", ".turns"):
            assert page.locator(part).first.is_visible(), part
        for part in (".player", ".table", ".tabbar", ".lines", ".dialog .button"):
            assert not page.locator(part).first.is_visible(), part
        assert match.header.outcome is not None
        reason = match.header.outcome.reason.replace("-", " ")
        assert reason in page.locator(".about").inner_text()


def test_several_matches_are_a_list(visit: Visit, match: MatchPage, tmp_path: Path) -> None:
    path = tmp_path / "several.html"
    path.write_text(page_file([match, match]))
    page = visit(path)
    links = page.locator(".list th a")
    assert links.count() == 2
    links.nth(1).click()
    page.wait_for_selector(".match .chips")
    page.keyboard.press("End")
    assert step_of(page) > 0
    page.wait_for_function("() => location.hash.startsWith('#match=2&turn=')")
    page.go_back()
    page.wait_for_selector(".list")
    page.go_forward()
    page.wait_for_selector(".match .chips")
    assert step_of(page) > 0
    page.get_by_role("link", name="All").click()
    page.wait_for_selector(".list")


BAD = "</script><script>document.title='hacked'</script><!--<img src=x onerror=alert(1)>\u202egnp"


def test_texts_of_bots_are_only_text(visit: Visit, match: MatchPage, tmp_path: Path) -> None:
    seats = [SeatHeader(seat.id, BAD * 20, BAD) for seat in match.header.seats]
    header = replace(match.header, seats=seats, title=BAD, source=BAD, problem=BAD, command=BAD)
    lines = [Line("received", 0, BAD), Line("stderr", 1, "x" * 2**20), Line("sent", 0, "[" * 10**5)]
    marks = [Mark("fault", 0, BAD, BAD, BAD * 500), Mark("stderr", 1)]
    steps = [replace(step, lines=(0, 3), marks=marks) for step in match.steps[:20]]
    path = tmp_path / "hostile.html"
    path.write_text(page_file([MatchPage(header, match.turns[:3], steps, lines)]))
    for width in (1280, 360):
        page = visit(path, viewport={"width": width, "height": 740})
        for key in "tclsm":
            page.keyboard.press(key)
            page.keyboard.press("ArrowRight")
        page.keyboard.press("l")
        page.locator(".line").nth(2).wait_for()
        page.get_by_role("button", name="show ").first.click()
        assert "hacked" not in page.title().split("'")[0]
        assert page.locator("img").count() == 0
        assert page.locator("script").count() == 4
        assert "\u202e" not in page.locator("main").inner_text()
        wider = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
        assert page.evaluate(wider) == 0


def test_the_page_changes_no_sentence(visit: Visit, match: MatchPage, tmp_path: Path) -> None:
    show = [
        Phrase("disqualified", "player4: exited", "red"),
        Phrase("stderr", "  player4 ?", "raw"),
    ]
    turns = [replace(match.turns[0], show=show), *match.turns[1:]]
    path = tmp_path / "raw.html"
    path.write_text(page_file([MatchPage(match.header, turns, match.steps, match.lines)]))
    page = visit(path, START)
    assert page.locator(".turns .phrase").count() == 0
    page.get_by_label("all that happened").check()
    texts = page.locator(".turns [data-current] .phrase .what").all_text_contents()
    assert texts == ["player4: exited", "  player4 ?"]


def test_it_works_in_a_sandboxed_frame(visit: Visit, file: Path, tmp_path: Path) -> None:
    """In a notebook, the page has neither storage nor an address."""
    path = tmp_path / "frame.html"
    inner = escape(file.read_text())
    path.write_text(
        "<!doctype html><title>x</title><div class='match'>a notebook</div>"
        f'<iframe sandbox="allow-scripts" width="900" height="600" srcdoc="{inner}"></iframe>'
    )
    page = visit(path)
    frame = page.frame_locator("iframe")
    frame.get_by_role("button", name="Turn on").click()
    frame.get_by_role("button", name="Dark or light").click()
    frame.get_by_role("tab", name="Turns").click()
    frame.locator(".turns a").nth(2).click()
    assert int(frame.get_by_role("slider", name="Step").input_value()) > 0


@pytest.mark.parametrize(
    ("width", "scheme", "tab"), [(1280, "light", "Curves"), (360, "dark", "How it turned")]
)
def test_axe_finds_nothing(visit: Visit, file: Path, width: int, scheme: str, tab: str) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="no axe")
    viewport = {"width": width, "height": 800}
    page = visit(file, "#turn=5&step=2", viewport=viewport, color_scheme=scheme, bypass_csp=True)
    page.get_by_role("tab", name=tab).click()
    found = axe.Axe().run(page).response["violations"]
    assert [(each["id"], each["nodes"][0]["html"]) for each in found] == []
