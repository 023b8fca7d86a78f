"""Close the in-memory stores that tests create, when the test ends."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from referee.tournament.store import Store


@pytest.fixture(autouse=True)
def _stores_in_memory(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    in_memory = Store.in_memory
    with ExitStack() as opened:
        monkeypatch.setattr(Store, "in_memory", lambda: opened.enter_context(in_memory()))
        yield
