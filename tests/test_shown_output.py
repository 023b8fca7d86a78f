"""Runs the commands on the pages, one after the other, and compares their output with the pages."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from referee.bots.processes.sandbox import unavailable_reason
from tests.support.live import ROOT
from tools.generators.make_pages import pages

NEEDS = {
    "README.md": ["bwrap"],
    "spec/organisers.md": ["bwrap", "cc"],
    "spec/configuration.md": ["bwrap"],
    "spec/failing-bots.md": ["bwrap"],
    "spec/other-languages.md": ["node"],
    "spec/own-games.md": ["bwrap"],
    "spec/positions.md": ["bwrap"],
    "spec/ratings.md": ["bwrap"],
    "spec/sandbox.md": ["bwrap", "curl"],
    "spec/store.md": ["sqlite3"],
    "spec/tournaments.md": ["bwrap"],
}
"""The programs that the commands of a page need."""
QUICK = ("spec/json.md", "spec/own-referee.md")
TESTED_ELSEWHERE = {
    "spec/python-bots.md": "tests/test_starters.py",
    "spec/rule-bots.md": "tests/rulefiles/test_tutorial.py",
}
NOT_RUN = {
    ("spec/cluster.md", "referee tournament --config cup.toml --cluster"): "needs a cluster",
    ("spec/serve.md", "referee play --page human"): "needs a person at a browser",
    ("spec/failing-bots.md", "referee tournament big_money ./killer"): "needs a bot that kills",
}
"""Commands that we can't run in a test: page and beginning of the command -> reason."""
PROGRESS = re.compile(
    r"referee: [\d,]+ of [\d,]+ [a-z ]+$|referee: \d+ (of \d+ )?(matches|cases), .*$"
)
"""Progress that is only printed on a slow machine."""


class Shown(NamedTuple):
    """A command on a page and the output below it."""

    command: str
    lines: list[str]


def shown(text: str) -> list[Shown]:
    blocks = re.findall(r"^```\n(\$ .*?)^```$", text, re.S | re.M)
    commands = re.split(r"^\$ ", "".join(blocks), flags=re.M)[1:]
    return [Shown(command, said) for command, *said in map(str.splitlines, commands)]


def saved(text: str) -> dict[str, str]:
    """Find the files that a page asks readers to save. Returns name -> content."""
    return dict(re.findall(r"^Save this as `(\S+)`:\n\n```\w+\n(.*?)^```$", text, re.S | re.M))


def timeless(line: str) -> str:
    """Replace times in a line, and make the width of columns irrelevant."""
    line = re.sub(r"\d+(\.\d+)? m?s\b", "N s", line)
    line = re.sub(r"--+", "--", line)
    return re.sub(r"(?<=\S) +", " ", line).rstrip()


def not_run(page: str, command: str) -> str:
    """Return why a command isn't run here, or an empty string if it is."""
    return next(
        (
            why
            for (where, start), why in NOT_RUN.items()
            if page == where and command.startswith(start)
        ),
        "",
    )


PAGES = {
    page.relative_to(ROOT).as_posix(): page.read_text()
    for page in pages()
    if shown(page.read_text())
}


@pytest.mark.parametrize(
    "page",
    [
        pytest.param(page, marks=[pytest.mark.slow])
        for page in PAGES
        if page not in TESTED_ELSEWHERE
    ],
)
def test_the_commands_print_the_lines_of_the_page(page: str, tmp_path: Path) -> None:
    for need in NEEDS.get(page, []):
        if why := unavailable_reason() if need == "bwrap" else not shutil.which(need):
            pytest.skip(f"{need} does not work on this machine: {why}")
    bin = tmp_path / "bin"
    bin.mkdir()
    program = bin / "referee"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m referee "$@"\n')
    program.chmod(0o755)
    here = tmp_path / "cup"
    here.mkdir()
    if page == "README.md":  # the README's commands run in the root of a clone
        (here / "spec").symlink_to(ROOT / "spec")
    for name, source in saved(PAGES[page]).items():
        (here / name).write_text(source)
    path = f"{bin}:{Path(sys.executable).parent}:{os.environ['PATH']}"  # as in an activated venv
    env = {**os.environ, "PATH": path, "LC_ALL": "C.UTF-8"}
    env.pop("REFEREE_SANDBOX", None)  # the pages assume a machine with a sandbox
    for command, lines in shown(PAGES[page]):
        if not_run(page, command):
            continue
        words = ["bash", "-c", command]
        done = subprocess.run(words, cwd=here, env=env, capture_output=True, text=True, check=False)
        compare(command, (done.stderr + done.stdout).splitlines(), lines)


def compare(command: str, printed: list[str], lines: list[str]) -> None:
    """Compare output with a page line by line. A line "..." matches any number of lines."""
    found = [timeless(line) for line in printed if not PROGRESS.match(line)]
    place = 0
    for number, line in enumerate(map(timeless, lines)):
        if line == "...":
            continue
        if number and lines[number - 1] == "...":
            assert line in found[place:], (command, found)
            place = found.index(line, place)
        assert found[place : place + 1] == [line], (command, found)
        place += 1
    assert place == len(found) or lines[-1:] == ["..."], (command, found)


def test_a_wrong_line_is_found() -> None:
    compare("x", ["a 1.5 s", "b", "c"], ["a 2.5 s", "...", "c"])
    for lines in (["a", "b"], ["a", "b", "c", "d"], ["a", "...", "d"], ["b", "..."]):
        with pytest.raises(AssertionError):
            compare("x", ["a", "b", "c"], lines)


@pytest.mark.parametrize(("page", "start"), NOT_RUN, ids=[page for page, _ in NOT_RUN])
def test_a_command_that_no_test_runs(page: str, start: str) -> None:
    """Skipping these tests lists the commands in the summary."""
    assert any(command.startswith(start) for command, _ in shown(PAGES[page]))
    pytest.skip(f"{page}: `{start} ...` is not run: {NOT_RUN[page, start]}")


def test_pages_that_are_tested_elsewhere_are_pages() -> None:
    assert {*TESTED_ELSEWHERE, *NEEDS, *QUICK} <= {*PAGES}
    for page, test in TESTED_ELSEWHERE.items():
        assert Path(page).name in (ROOT / test).read_text()
