"""Lets these tests play the toy game."""

from __future__ import annotations

import pytest
import toy

from referee.games import GAMES


@pytest.fixture(autouse=True)
def _toy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(GAMES, "toy", toy.RULES)
