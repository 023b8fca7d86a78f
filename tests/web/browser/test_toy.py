"""The toy game's own drawing in a browser."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from referee.games import GAMES
from referee.web.file import page_file
from referee.web.recorded import read_match
from tests.support import toy
from tests.support.watched import watched


@pytest.mark.extras
def test_it_is_drawn_step_by_step(
    visit: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(GAMES, "toy", toy.RULES)
    played = watched("toy", 3, turns=4, cards=5)
    record, path = tmp_path / "record", tmp_path / "match.html"
    record.write_bytes(played.record)
    match = read_match(str(record))
    path.write_text(page_file([match]))
    page = visit(path)
    for state in played.states:
        view = state.views["all"]
        assert page.locator(".toy-bars li").all_inner_texts() == [
            f"{seat.name}: {score}"
            for seat, score in zip(match.header.seats, view["scores"], strict=True)
        ]
        turned = ", ".join(map(str, view["turned"]))
        assert page.get_by_text(f"Turned: {turned}", exact=True).is_visible()
        page.keyboard.press("ArrowRight")
