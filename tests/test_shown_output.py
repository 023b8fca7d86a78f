"""Pages for organisers: their commands, run one after the other, print what they show."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.live import ROOT
from tests.support.sandboxed import needs_bwrap


def shown(page: str) -> list[tuple[str, list[str]]]:
    """The commands, each with the lines that it is said to print."""
    blocks = re.findall(r"^```\n(\$ .*?)^```$", (ROOT / "spec" / page).read_text(), re.S | re.M)
    commands = re.split(r"^\$ ", "".join(blocks), flags=re.M)[1:]
    return [(command, said) for command, *said in map(str.splitlines, commands)]


def timeless(line: str) -> str:
    """A line without its times."""
    return re.sub(r"\d+\.\d s\b", "N s", line).rstrip()


@pytest.mark.slow
@needs_bwrap
@pytest.mark.parametrize(
    ("page", "needs", "at_least"), [("organisers.md", "cc", 16), ("sandbox.md", "curl", 2)]
)
def test_the_commands_print_what_the_page_shows(
    page: str, needs: str, at_least: int, tmp_path: Path
) -> None:
    if shutil.which(needs) is None:
        pytest.skip(f"no {needs} on this machine")
    bin = tmp_path / "bin"
    bin.mkdir()
    program = bin / "referee"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m referee "$@"\n')
    program.chmod(0o755)
    here = tmp_path / "cup"
    here.mkdir()
    env = {**os.environ, "PATH": f"{bin}:{os.environ['PATH']}", "LC_ALL": "C.UTF-8"}
    del env["REFEREE_SANDBOX"]  # the page is of a machine with one
    commands = shown(page)
    assert len(commands) >= at_least
    for command, lines in commands:
        words = ["bash", "-c", command]
        done = subprocess.run(words, cwd=here, env=env, capture_output=True, text=True, check=False)
        printed = [timeless(line) for line in (done.stderr + done.stdout).splitlines()]
        place = 0
        for number, line in enumerate(map(timeless, lines)):
            if line == "...":
                continue
            if number and lines[number - 1] == "...":
                place = printed.index(line, place)
            assert printed[place : place + 1] == [line], (command, printed)
            place += 1
        assert place == len(printed) or lines[-1:] == ["..."], (command, printed)
