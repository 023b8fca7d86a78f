"""Small games in a browser: their drawings, and whole matches with a person."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import referee
from referee.web.file import page_file
from referee.web.recorded import read_match
from tests.support.browsing import next_question, playing
from tests.support.marks import all_cases
from tests.support.own_game import SMALL_GAMES, clean_games, every_small_game

pytestmark = pytest.mark.extras
Visit = Callable[..., Any]
SHORT = {"kuhn": ("--set", "hands=3"), "connect4": ("--set", "rows=4")}
CHOICES = "[data-choice]"
SLIDE = """
from referee.games.small import Game

class Slide(Game):
    \"\"\"Each player moves a rook along a column; whoever has moved three times is done.\"\"\"

    edges = ("ABC", "321")

    def start(self):
        self.at, self.moved = [(2, 0), (2, 2)], 0

    def legal(self, seat):
        row, column = self.at[seat]
        name = "abc"[column] + str(3 - row) + "abc"[column]
        return ["stay", *(name + str(3 - other) for other in range(3) if other != row)]

    def apply(self, move):
        if move != "stay":
            self.at[self.to_move] = (3 - int(move[3]), self.at[self.to_move][1])
        self.moved += 1
        self.to_move = 1 - self.to_move if self.moved < 6 else None

    def scores(self):
        return [0, 0]

    def view(self, viewer):
        rows = [["."] * 3 for _ in range(3)]
        for seat, (row, column) in enumerate(self.at):
            rows[row][column] = "XO"[seat]
        return {"board": ["".join(row) for row in rows]}

    @classmethod
    def cells(cls, move):
        squares = [move[:2], move[2:]] if move != "stay" else []
        return [(3 - int(row), "abc".index(column)) for column, row in squares]
"""


@pytest.fixture(autouse=True)
def _games() -> Iterator[None]:
    with clean_games():
        yield


def ended(process: subprocess.Popen[str]) -> None:
    printed, problems = process.communicate(timeout=60)
    assert (process.returncode, problems) == (0, "")
    assert "player1  Player 1" in printed


@pytest.mark.parametrize(
    ("name", "how"),
    [
        ("connect4", "keys"),
        ("kuhn", "touch"),
        ("battleship", "clicks"),
        *(all_cases(name, "clicks") for name in SMALL_GAMES if name != "battleship"),
        all_cases("connect4", "touch"),
        all_cases("kuhn", "keys"),
    ],
)
def test_a_whole_match(visit: Visit, name: str, how: str) -> None:
    """Every choice is visible without scrolling."""
    game = ("--page", "human", "any_move", "--game", SMALL_GAMES[name], "--seed", "3")
    size = {"width": 360, "height": 740} if how == "touch" else {"width": 1440, "height": 900}
    with playing(*game, *SHORT.get(name, ())) as (process, (link,)):
        page = visit(link, viewport=size, has_touch=how == "touch")
        asked = ""
        for place in range(60):
            if (asked := next_question(page, asked)) == "over":
                break
            assert page.evaluate(OUT_OF_SIGHT) == []
            choices = page.locator(CHOICES)
            if how == "keys":
                by_keys(page)
                continue
            choice = choices.nth(7 * place % choices.count())
            choice.tap() if how == "touch" else choice.click()
        page.get_by_text("The match is over.").first.wait_for()
        page.close()
        ended(process)


OUT_OF_SIGHT = """() => [...document.querySelectorAll('[data-choice]')].filter((button) => {
  const { x, top, bottom, width } = button.getBoundingClientRect();
  return ![top + 3, bottom - 4].every(
    (y) => button.contains(document.elementFromPoint(x + width / 2, y)));
}).map((button) => button.getAttribute('aria-label') ?? button.textContent)"""


def by_keys(page: Any) -> None:
    """Tab to the choices, move with arrow keys, and press Enter."""
    focused = "document.activeElement.dataset.choice !== undefined"
    for _ in range(60):
        if page.evaluate(focused):
            break
        page.keyboard.press("Tab")
    for key in ("ArrowRight", "ArrowRight", "ArrowDown"):
        page.keyboard.press(key)
        assert page.evaluate(focused)
    page.keyboard.press("Enter")


def test_a_number_is_typed_as_it_is(visit: Visit) -> None:
    with playing("--page", "human", "any_move", "--game", SMALL_GAMES["goofspiel"]) as (_, (link,)):
        page = visit(link)
        asked = next_question(page)
        page.keyboard.type("13")
        page.keyboard.press("Enter")
        next_question(page, asked)
        hand = page.locator(".sg-hand").first.locator("li")
        assert hand.all_inner_texts() == [str(number) for number in range(1, 13)]
        page.goto("about:blank")


def test_any_cell_of_a_column(visit: Visit) -> None:
    with playing("--page", "human", "any_move", "--game", SMALL_GAMES["connect4"]) as (_, (link,)):
        page = visit(link)
        asked = next_question(page)
        page.get_by_role("button", name="column 3").wait_for()
        page.locator("tbody tr").nth(1).locator("td").nth(3).click()
        next_question(page, asked)
        assert page.locator("tbody tr").last.locator("td").nth(3).inner_text() == "X"
        page.goto("about:blank")


def test_from_cell_to_cell(visit: Visit, tmp_path: Path) -> None:
    file = tmp_path / "slide.py"
    file.write_text(SLIDE)
    with playing("--page", "human", "any_move", "--game", str(file)) as (process, (link,)):
        page = visit(link)
        asked = next_question(page)
        page.get_by_role("button", name="A1 X").click()
        assert page.locator("[aria-pressed=true]").count() == 1
        page.get_by_role("button", name="A1 X").click()  # clicking again deselects the piece
        assert page.locator("[aria-pressed=true]").count() == 0
        page.get_by_role("button", name="A1 X").click()
        page.get_by_role("button", name="a1a3").click()
        asked = next_question(page, asked)
        assert page.locator("tbody td").first.inner_text() == "X"
        while asked != "over":
            page.get_by_role("button", name="stay").click()
            asked = next_question(page, asked)
        page.close()
        ended(process)


MANY = """
from referee.games.small import Game

class Many(Game):
    \"\"\"There are many moves with long names.\"\"\"

    def start(self):
        self.turn = 0

    def legal(self, seat):
        return ["Copper", *(f"buy the card with the number {number}" for number in range(40))]

    def apply(self, move):
        self.turn += 1
        self.to_move = 1 - self.to_move if self.turn < 3 else None

    def view(self, viewer):
        return {"market": ["Copper", "Gold"], "turn": self.turn}

    def scores(self):
        return [0, 0]

    @classmethod
    def cells(cls, move):
        return [("market", move)]
"""


def test_many_moves_leave_the_table_in_sight(visit: Visit, tmp_path: Path) -> None:
    file = tmp_path / "many.py"
    file.write_text(MANY)
    with playing("--page", "human", "any_move", "--game", str(file)) as (_, (link,)):
        page = visit(link, viewport={"width": 390, "height": 844})
        asked = next_question(page)
        assert page.get_by_text("Copper", exact=True).is_visible()
        page.set_viewport_size({"width": 1280, "height": 800})
        buttons, table = (
            page.locator(f'[data-zone="{name}"]').bounding_box() for name in ("buttons", "board")
        )
        assert buttons is not None
        assert table is not None
        # The buttons use the full width, not only the column beside the table.
        assert buttons["width"] >= table["width"]
        assert page.get_by_text("Copper", exact=True).is_visible()
        page.get_by_role("button", name="buy-the-card-with-the-number-39").click()
        asked = next_question(page, asked)
        page.get_by_role("button", name="Copper").click()
        assert next_question(page, asked) == "over"
        page.goto("about:blank")


@every_small_game
def test_a_record_is_drawn_step_by_step(visit: Visit, name: str, tmp_path: Path) -> None:
    record, file = tmp_path / "record", tmp_path / "match.html"
    referee.play_match(["any_move", "any_move"], game=SMALL_GAMES[name], seed=3, record=record)
    match = read_match(str(record))
    file.write_text(page_file([match]))
    page = visit(file)
    view: dict[str, Any] = {}
    zones = set()
    for step in match.steps:
        view |= step.set.get(match.header.viewers[0], {})
        shown = page.evaluate(SHOWN)
        assert sorted(shown) == sorted(drawn(part) for part in view["parts"])
        zones.add(page.evaluate(ZONES))
        page.keyboard.press("ArrowRight")
    owners = [part.inner_text().replace("\n", "") for part in page.locator(".sg-board h2").all()]
    two = ["●Any Move (player1): first", "■Any Move (player2): second"]
    assert owners == {"battleship": two, "connect4": ["board"]}.get(name, [])
    assert len(zones) == 1  # zones keep their places, and nothing needs scrolling
    assert "true" not in zones.pop()
    page.keyboard.press("c")
    assert page.locator(".chart").count() == 1


@pytest.mark.parametrize("size", [(1440, 900), (1024, 768), (390, 844)])
def test_the_verdict_is_whole(visit: Visit, size: tuple[int, int], tmp_path: Path) -> None:
    record, file = tmp_path / "record", tmp_path / "match.html"
    bots = ["any_move", "any_move"]
    referee.play_match(bots, game=SMALL_GAMES["connect4"], seed=3, record=record)
    file.write_text(page_file([read_match(str(record))]))
    page = visit(file, viewport={"width": size[0], "height": size[1]})
    page.keyboard.press("End")
    stage = page.locator("[data-ended] .stage")
    told = stage.inner_text().replace("\n", "")
    assert "wins, 1 to 0 points" in told
    assert "has four discs in a line." in told
    assert page.locator(".sg-new").all_inner_texts() == ["o"] * 4
    assert page.locator(".sg-legend li").count() == 2
    for part in (".headline", ".last"):
        assert stage.locator(part).evaluate("node => node.scrollHeight <= node.clientHeight + 2")


SHOWN = """() => [...document.querySelectorAll('.sg section, .sg-texts > div')].map(
  (part) => [...part.querySelectorAll('tbody td, .sg-card, dd')].map(
    (cell) => cell.textContent))"""


ZONES = """() => JSON.stringify([...document.querySelectorAll('.zone')].map((zone) => {
  const { x, y, width, height } = zone.getBoundingClientRect();
  return [x, y, width, height, zone.scrollHeight > zone.clientHeight];
}))"""


def drawn(part: dict[str, Any]) -> list[str]:
    """Return the texts that the page shows for a part of the view."""

    def item(value: Any) -> str:
        return "empty" if value == "." else "?" if value is None else str(value)

    if part["kind"] == "board":
        return [item(cell) for row in part["rows"] for cell in row]
    if part["kind"] == "hands":
        return [item(card) for hand in part["hands"] for card in (hand or [None] * (hand is None))]
    return [*map(item, part["cards"])] if part["kind"] == "cards" else [item(part["text"])]


@pytest.mark.parametrize(
    ("name", "scheme", "before"), [("battleship", "dark", 1), all_cases("connect4", "dark", 0)]
)
def test_axe_finds_nothing(visit: Visit, name: str, scheme: str, before: int) -> None:
    """`before` is the number of questions to answer first."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="no axe")
    with playing("--page", "human", "any_move", "--game", SMALL_GAMES[name], "--seed", "3") as (
        _,
        (link,),
    ):
        page = visit(link, color_scheme=scheme, bypass_csp=True, reduced_motion="reduce")
        asked = next_question(page)
        for _ in range(before):
            page.locator(CHOICES).first.click()
            asked = next_question(page, asked)
        found = axe.Axe().run(page).response["violations"]
        assert [(each["id"], each["nodes"][0]["html"]) for each in found] == []
        page.goto("about:blank")
