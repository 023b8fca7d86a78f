"""Run the JavaScript modules of the match page in node."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from referee.web.file import FRAME


def run_modules(folder: Path, source: str, *options: str, given: bytes = b"") -> str:
    """Copy the page's modules into `folder`, and run a script beside them. Return its stdout.

    The test is skipped if node isn't installed.
    """
    node = shutil.which("node")
    if node is None:
        pytest.skip("no node, which runs the modules of the page")
    shutil.copytree(FRAME, folder, dirs_exist_ok=True)
    (folder / "package.json").write_text('{ "type": "module" }')
    script = folder / "check.test.js"
    script.write_text(source)
    done = subprocess.run(
        [node, *options, script], input=given, capture_output=True, timeout=60, check=False
    )
    assert done.returncode == 0, (done.stdout + done.stderr).decode()
    return done.stdout.decode()
