"""Tests of `serve`."""

from __future__ import annotations

import pytest

from referee.web.server import library


@pytest.fixture(autouse=True)
def _reads_all_files(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without this, a page on a busy machine may not have read all files when it's shown."""
    monkeypatch.setattr(library, "READ_SECONDS", 60.0)
