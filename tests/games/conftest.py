"""Adds the toy card game to the suites that run over all games, loaded like a user's own game."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from referee.games.outside import add
from tests.support.any_game import TOY, TOY_FOLDER
from tests.support.own_game import clean_games


@pytest.fixture(autouse=True)
def _toy_cards(request: pytest.FixtureRequest) -> Iterator[None]:
    callspec = getattr(request.node, "callspec", None)
    if callspec is None or callspec.params.get("name") != TOY:
        yield
        return
    with clean_games():
        add(str(TOY_FOLDER))
        yield
