"""Run the commands on the pages, and write what they print below them.

    python -m tools.generators.make_shown [PAGE ...]

Without a page, it runs the commands of all pages, which takes minutes. Output that differs only in
times stays as it is. A line "..." on a page stands for any lines, so it stays, too: the lines
before the first "..." become the first lines of the output, those after the last one the last
lines, and others are looked for by their first line.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from referee.bots.processes.sandbox import unavailable_reason
from tools.generators.make_pages import ROOT, pages

NEEDS = {
    "README.md": ["bwrap"],
    "spec/organisers.md": ["bwrap", "cc"],
    "spec/configuration.md": ["bwrap"],
    "spec/failing-bots.md": ["bwrap"],
    "spec/first-competition.md": ["bwrap", "cc"],
    "spec/other-languages.md": ["node"],
    "spec/own-games.md": ["bwrap"],
    "spec/positions.md": ["bwrap"],
    "spec/ratings.md": ["bwrap"],
    "spec/sandbox.md": ["bwrap", "curl"],
    "spec/store.md": ["sqlite3"],
    "spec/tournaments.md": ["bwrap"],
}
"""The programs that the commands of a page need."""
TESTED_ELSEWHERE = {
    "spec/python-bots.md": "tests/test_starters.py",
    "spec/rule-bots.md": "tests/rulefiles/test_tutorial.py",
}
NOT_RUN = {
    ("spec/cluster.md", "referee tournament --config cup.toml --cluster"): "needs a cluster",
    ("spec/serve.md", "referee play --page human"): "needs a person at a browser",
    ("spec/failing-bots.md", "referee tournament big_money ./killer"): "needs a bot that kills",
}
"""Commands that we can't run: page and beginning of the command -> reason."""
PROGRESS = re.compile(
    r"referee: [\d,]+ of [\d,]+ [a-z ]+$|referee: \d+ (of \d+ )?(matches|cases), .*$|"
    r"[\d,]+ of [\d,]+ random matches in .*$"
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


PAGES = {
    page.relative_to(ROOT).as_posix(): page.read_text()
    for page in pages()
    if shown(page.read_text())
}


def saved(text: str) -> dict[str, str]:
    """Find the files that a page asks readers to save. Returns name -> content."""
    return dict(re.findall(r"^Save this as `(\S+)`:\n\n```\w+\n(.*?)^```$", text, re.S | re.M))


def timeless(line: str) -> str:
    """Replace times in a line, and make the width of columns irrelevant."""
    line = re.sub(r"\d+(\.\d+)? m?s\b", "N s", line)
    line = re.sub(r"--+", "--", line)
    return re.sub(r"(?<=\S) +", " ", line).rstrip()


def not_run(page: str, command: str) -> str:
    """Return why a command isn't run, or an empty string if it is."""
    return next(
        (
            why
            for (where, start), why in NOT_RUN.items()
            if page == where and command.startswith(start)
        ),
        "",
    )


def missing(page: str) -> str:
    """Return why the commands of a page don't work on this machine, or an empty string."""
    for need in NEEDS.get(page, []):
        if why := unavailable_reason() if need == "bwrap" else not shutil.which(need):
            return f"{need} does not work on this machine: {why}"
    return ""


def environment(bin: Path) -> dict[str, str]:
    """Return an environment in which `referee` is a command, as in an activated venv."""
    bin.mkdir()
    program = bin / "referee"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m referee "$@"\n')
    program.chmod(0o755)
    path = f"{bin}:{Path(sys.executable).parent}:{os.environ['PATH']}"
    env = {**os.environ, "PATH": path, "LC_ALL": "C.UTF-8"}
    env.pop("REFEREE_SANDBOX", None)  # the pages assume a machine with a sandbox
    return env


def printed(page: str, folder: Path) -> Iterator[tuple[Shown, list[str]]]:
    """Run the commands of a page in an empty folder. Yields each with the lines that it prints."""
    env = environment(folder / "bin")
    here = folder / "cup"
    here.mkdir()
    if page == "README.md":  # the README's commands run in the root of a clone
        (here / "spec").symlink_to(ROOT / "spec")
    for name, source in saved(PAGES[page]).items():
        (here / name).write_text(source)
    for each in shown(PAGES[page]):
        if not not_run(page, each.command):
            words = ["bash", "-c", each.command]
            done = subprocess.run(
                words, cwd=here, env=env, capture_output=True, text=True, check=False
            )
            lines = (done.stderr + done.stdout).splitlines()
            yield each, [line for line in lines if not PROGRESS.match(line)]


def renewed(old: list[str], new: list[str]) -> list[str]:
    """Return the lines to show for an output, with a "..." where the old lines have one.

    Raises:
        ValueError: the first line after a "..." in the middle isn't printed any more.
    """
    chunks: list[list[str]] = [[]]
    for line in old:
        if line == "...":
            chunks.append([])
        else:
            chunks[-1].append(line)
    if len(chunks) == 1:
        return new
    head, *middle, tail = chunks
    lines, place = new[: len(head)], len(head)
    for chunk in middle:
        place = [timeless(line) for line in new].index(timeless(chunk[0]), place)
        lines += ["...", *new[place : place + len(chunk)]]
        place += len(chunk)
    return [*lines, "...", *new[len(new) - len(tail) :]]


def write(page: str) -> None:
    """Write the output of a page's commands into it."""
    if (why := missing(page)) or page in TESTED_ELSEWHERE:
        print(f"{page}: left out, {why or f'see {TESTED_ELSEWHERE[page]}'}")
        return
    text = PAGES[page]
    with tempfile.TemporaryDirectory() as folder:
        for each, new in printed(page, Path(folder)):
            try:
                lines = renewed(each.lines, new)
            except ValueError as error:
                print(f"{page}: `{each.command}`: edit it by hand: {error}")
                continue
            if [*map(timeless, lines)] != [*map(timeless, each.lines)]:
                before = "\n".join([f"$ {each.command}", *each.lines])
                text = text.replace(before, "\n".join([f"$ {each.command}", *lines]))
                print(f"{page}: `{each.command}`: written")
    (ROOT / page).write_text(text)


if __name__ == "__main__":
    for name in sys.argv[1:] or PAGES:
        write(name)
