"""Fixtures that drive the system's Chromium with Playwright."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.browsing import ARGUMENTS, CHROMIUM, new_page, painted


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """The browser, which the tests of a module share."""
    playwright = pytest.importorskip(
        "playwright.sync_api", reason="no Playwright: pip install -e '.[browser]'"
    )
    if CHROMIUM is None:
        pytest.skip("no Chromium: apt-get install chromium")
    # On a busy machine, a page may take seconds. Playwright's other waits have this limit anyway.
    playwright.expect.set_options(timeout=30_000)
    with playwright.sync_playwright() as started:
        launched = started.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield launched
        launched.close()


@pytest.fixture
def visit(browser: Any) -> Iterator[Callable[..., Any]]:
    """Return a function that opens a file or URL as a new visitor.

    For example, `visit(path, "#turn=3", viewport=...)` returns the page. Animations are off, unless
    you pass `reduced_motion`. The test fails on any console message, script error or violation of
    the content security policy.
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
