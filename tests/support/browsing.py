"""Helpers for tests in the system's Chromium."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from referee.cli.commands.doctor import find_chromium

CHROMIUM = find_chromium()
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def new_page(browser: Any, messages: list[str], **settings: Any) -> Any:
    """Open an empty page in a new browser context, which has no cookies or storage yet.

    Args:
        messages: console messages and script errors are appended to this list.
        settings: passed to `new_context`. The viewport is 1280x800 by default.
    """
    page = browser.new_context(
        **{"viewport": {"width": 1280, "height": 800}, **settings}
    ).new_page()
    page.on("console", lambda message: messages.append(message.text))
    page.on("pageerror", lambda error: messages.append(str(error)))
    return page


def painted(page: Any) -> Any:
    """Wait for the next frame, in which the last action becomes visible. Return the page."""
    page.evaluate("() => new Promise((done) => requestAnimationFrame(done))")
    return page


@contextmanager
def playing(*words: str, people: int = 1) -> Iterator[tuple[subprocess.Popen[str], list[str]]]:
    """Run `referee play` with human seats. Yield the process and a link for each person.

    The command can't open a browser itself, because we hide the display from it.
    """
    command = [sys.executable, "-m", "referee", "play", *words]
    hidden = ("DISPLAY", "WAYLAND_DISPLAY")
    env = {name: value for name, value in os.environ.items() if name not in hidden}
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env
    ) as process:
        try:
            assert process.stderr is not None
            yield process, [process.stderr.readline().split()[0] for _ in range(people)]
        finally:
            process.kill()


def next_question(page: Any, before: str = "") -> str:
    page.wait_for_selector(".seat-panel")
    done = "text => !['', text].includes(document.querySelector('.seat-panel').dataset.asked)"
    page.wait_for_function(done, arg=before)
    asked: str = page.locator(".seat-panel").get_attribute("data-asked")
    return asked
