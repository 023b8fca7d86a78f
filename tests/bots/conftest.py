"""Registers the toy game for the tests in this folder."""

from __future__ import annotations

import pytest

from referee.games import GAMES
from tests.support import toy


@pytest.fixture(autouse=True)
def _toy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(GAMES, "toy", toy.RULES)
