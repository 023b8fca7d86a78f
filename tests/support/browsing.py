"""Play in the system's Chromium."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
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
    """Open an empty page for a new visitor, in a context of its own.

    Args:
        messages: gets the messages of the console, and the errors of scripts.
        settings: of the context; the usual size is 1280x800.
    """
    page = browser.new_context(
        **{"viewport": {"width": 1280, "height": 800}, **settings}
    ).new_page()
    page.set_default_timeout(5_000)
    page.on("console", lambda message: messages.append(message.text))
    page.on("pageerror", lambda error: messages.append(str(error)))
    return page


def painted(page: Any) -> Any:
    """Wait for the next frame, which is the first to show the last action. Returns the page."""
    page.evaluate("() => new Promise((done) => requestAnimationFrame(done))")
    return page


@contextmanager
def playing(*words: str, people: int = 1) -> Iterator[tuple[subprocess.Popen[str], list[str]]]:
    """Run `referee play` with people. Yields the process and their links; opens no browser."""
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
