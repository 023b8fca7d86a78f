"""Tests of the page's state, in `store.test.js`. They run in node."""

from __future__ import annotations

from pathlib import Path

from tests.support.modules import run_modules


def test_the_state_of_the_page(tmp_path: Path) -> None:
    source = Path(__file__).with_name("store.test.js").read_text()
    assert "# fail 0" in run_modules(tmp_path, source, "--test", "--test-reporter=tap")
