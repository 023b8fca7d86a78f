"""Lets the suites over all games play a toy game too."""

from __future__ import annotations

import pytest

from referee.games import GAMES
from tests.games import toy_cards
from tests.support.any_game import TOY


@pytest.fixture(autouse=True)
def _toy_cards(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if "callspec" in dir(request.node) and request.node.callspec.params.get("name") == TOY:
        monkeypatch.setitem(GAMES, TOY, toy_cards.RULES)
