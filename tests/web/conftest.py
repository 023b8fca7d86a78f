"""A browser: Chromium of the system, driven by Playwright."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.browsing import ARGUMENTS, CHROMIUM, new_page, painted


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """One browser for a module."""
    playwright = pytest.importorskip(
        "playwright.sync_api", reason="no Playwright: pip install -e '.[browser]'"
    )
    if CHROMIUM is None:
        pytest.skip("no Chromium: apt-get install chromium")
    with playwright.sync_playwright() as started:
        launched = started.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield launched
        launched.close()


@pytest.fixture
def visit(browser: Any) -> Iterator[Callable[..., Any]]:
    """Opens a file, or an address, as a new visitor: `visit(path, "#turn=3", **context)` -> page.

    Nothing moves, unless `reduced_motion` is given. A message in the console, an error of a script
    or a breach of the policy fails the test.
    """
    contexts = []
    messages: list[str] = []

    def opened(path: Path | str, place: str = "", **settings: Any) -> Any:
        page = new_page(browser, messages, **{"reduced_motion": "reduce", **settings})
        contexts.append(page.context)
        page.goto((path if isinstance(path, str) else path.as_uri()) + place)
        page.wait_for_selector(".match, .list")
        press = page.keyboard.press
        page.keyboard.press = lambda key: press(key) or painted(page)
        return page

    yield opened
    for context in contexts:
        context.close()
    assert messages == []
