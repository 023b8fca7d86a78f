"""Compares the output on the pages with what the commands print."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace

from referee.tournament.report.standings import standings
from referee.tournament.report.terminal import ranking
from tests.support.live import ROOT, referee
from tests.support.made_up import made_setup, played
from tests.support.marks import all_cases, slow
from tools.generators.make_shown import (
    NEEDS,
    NOT_RUN,
    PAGES,
    TESTED_ELSEWHERE,
    environment,
    missing,
    printed,
    renewed,
    saved,
    shown,
    timeless,
)

DEAR = (
    "spec/organisers.md",
    "spec/own-games.md",
    "spec/own-referee.md",
    "spec/page.md",
    "spec/positions.md",
    "spec/tournaments.md",
)
"""Pages whose commands take so long that only `all_cases` runs them."""


@pytest.mark.parametrize(
    "page",
    [
        all_cases(page) if page in DEAR else slow(page)
        for page in PAGES
        if page not in TESTED_ELSEWHERE
    ],
)
def test_the_commands_print_the_lines_of_the_page(page: str, tmp_path: Path) -> None:
    if why := missing(page):
        pytest.skip(why)
    for each, lines in printed(page, tmp_path):
        compare(each.command, lines, each.lines)


def compare(command: str, printed: list[str], lines: list[str]) -> None:
    """Compare output with a page line by line. A line "..." matches any number of lines."""
    found = [timeless(line) for line in printed]
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


def heads_of_standings() -> set[str]:
    with played(made_setup(deals=1)) as store:
        found = standings(store)
    tables = (
        ranking(each, width)
        for each in (found, replace(found, forfeits=1))
        for width in range(40, 100)
    )
    return {" ".join(str(column.header) for column in table.columns) for table in tables}


def heads_of_a_match() -> set[str]:
    lines = referee("play", "minimal", "minimal", "--seed", "1", "--max-turns", "1").stdout
    return {timeless(line) for line in lines.splitlines() if line.startswith("seat")}


@pytest.mark.parametrize(
    ("start", "heads"),
    [("# bot rating", heads_of_standings), ("seat name score", heads_of_a_match)],
)
def test_the_tables_on_the_pages_have_the_columns_of_today(
    start: str, heads: Callable[[], set[str]]
) -> None:
    """If this fails, `make_shown` writes the output of all pages."""
    now = heads()
    on_pages = {
        (page, timeless(line))
        for page, text in PAGES.items()
        for each in shown(text)
        for line in each.lines
        if timeless(line).startswith(start)
    }
    assert len({page for page, _ in on_pages}) > 3
    assert [(page, head) for page, head in sorted(on_pages) if head not in now] == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (["a", "b"], ["1", "2", "3"]),
        (["a", "..."], ["1", "..."]),
        (["...", "y", "z"], ["...", "2", "3"]),
        (["a", "...", "2", "..."], ["1", "...", "2", "..."]),
        (["...", "1 5 s", "y", "...", "z"], ["...", "1", "2", "...", "3"]),
    ],
)
def test_new_output_keeps_the_dots_of_the_page(old: list[str], new: list[str]) -> None:
    lines = ["1 7 s", "2", "3"] if "1 5 s" in old else ["1", "2", "3"]
    assert [line.removesuffix(" 7 s") for line in renewed(old, lines)] == new


def test_a_line_between_dots_that_is_not_printed_any_more_is_for_a_person() -> None:
    with pytest.raises(ValueError, match="not in list"):
        renewed(["...", "x", "..."], ["1", "2", "3"])


@pytest.mark.parametrize(("page", "start"), NOT_RUN, ids=[page for page, _ in NOT_RUN])
def test_a_command_that_no_test_runs(page: str, start: str) -> None:
    """Skipping these tests lists the commands in the summary."""
    assert any(command.startswith(start) for command, _ in shown(PAGES[page]))
    pytest.skip(f"{page}: `{start} ...` is not run: {NOT_RUN[page, start]}")


@pytest.mark.all_cases
def test_the_shell_lines_of_the_ci_page_tell_a_better_version_from_a_worse(tmp_path: Path) -> None:
    page = PAGES["spec/ci.md"]
    steps = re.findall(r"^      - run: (?:\|\n((?: {10}.*\n)+)|(.*)\n)", page, re.M)
    install, conform, compare_versions = (block or line for block, line in steps)
    gitlab = re.findall(r"^    - (.*)\n", page[page.index("## GitLab") :], re.M)
    assert [install, conform] == gitlab
    env = environment(tmp_path / "bin")
    git = "git -c user.name=a -c user.email=a@example.org"
    worse = "from referee.bot import DominionBot as B; B.play_turn = lambda *_: None; B.run()\n"
    better = saved(PAGES["README.md"])["my_bot.py"]
    for old, new, code in ((worse, better, 0), (better, worse, 1)):
        here = tmp_path / str(code)
        here.mkdir()
        bot = here / "my_bot.py"
        bot.write_text(old)
        begin = f"git init -q . && git add . && {git} commit -qm 1.0 && git tag v1.0"
        subprocess.run(begin, shell=True, cwd=here, env=env, check=True)
        bot.write_text(new)
        words = ["bash", "-e", "-c", compare_versions]
        done = subprocess.run(words, cwd=here, env=env, capture_output=True, check=False)
        assert done.returncode == code, done
    done = subprocess.run(conform, shell=True, cwd=tmp_path / "0", env=env, check=False)
    assert done.returncode == 0
    assert 'failures="0"' in (tmp_path / "0" / "junit.xml").read_text()


def test_pages_that_are_tested_elsewhere_are_pages() -> None:
    assert {*TESTED_ELSEWHERE, *NEEDS} <= {*PAGES}
    for page, test in TESTED_ELSEWHERE.items():
        assert Path(page).name in (ROOT / test).read_text()
