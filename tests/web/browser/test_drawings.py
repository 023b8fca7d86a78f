"""What the drawings of games show in a browser."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from referee.web.file import page_file
from referee.web.recorded import read_match
from tests.support.watched import Watched, watched

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
    """The table is that of this view; what the view does not have is not there."""
    shown = page.locator(".sr-authority b").all_text_contents()
    assert shown == [str(seat["authority"]) for seat in view["seats"]]
    row = page.locator(".sr-row .sr-name").all_text_contents()
    assert row[:-1] == view["trade_row"]
    assert page.locator(".sr-counters dd").all_text_contents() == [
        *(str(view["trade"]), str(view["combat"])),
    ]
    names = []
    for seat in view["seats"]:
        known = seat["hand"] is not None
        names += ["Hand", "Deck", "Discarded"] if known else ["Hand and deck", "Discarded"]
    piles = page.locator(".sr-piles dt").all_text_contents()
    assert [pile.rpartition(" ")[0] for pile in piles] == names


def test_star_realms_of_a_record_and_of_a_log(visit: Visit, stars: Watched, tmp_path: Path) -> None:
    record = visit(page_of(tmp_path, stars.record, "record"))
    last = len(stars.states) - 1
    for eyes, viewer in (("0", "all"), ("2", "1"), ("p", "public")):
        record.keyboard.press(eyes)
        record.keyboard.press("Home")
        for step in (0, 1, 2, last):
            if step == last:
                record.keyboard.press("End")
            elif step:
                record.keyboard.press("ArrowRight")
            shows(record, stars.states[step].views[viewer])
    log = visit(page_of(tmp_path, stars.log, "log"), "#eyes=all")
    log.keyboard.press("End")
    shows(log, stars.states[-1].views["public"])


def test_the_grid_of_bot_wars_takes_the_colours_of_the_theme(visit: Visit, tmp_path: Path) -> None:
    match = watched("botwars", 1, rows=5, cols=5, max_turns=3)
    page = visit(page_of(tmp_path, match.record, "record"), color_scheme="light")
    picture = "document.querySelector('canvas').toDataURL()"
    light = page.evaluate(picture)
    page.keyboard.press("d")
    assert page.evaluate(picture) != light
    page.keyboard.press("d")
    page.emulate_media(color_scheme="dark")  # the switch counts, not the system
    assert page.evaluate(picture) == light
