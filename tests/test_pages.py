"""The page of every game is put together from spec/sources."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from live import ROOT

from referee import pages
from referee.games import GAMES
from referee.specification import SHARED, load_page

SPEC = ROOT / "spec"


def test_the_committed_pages_are_up_to_date() -> None:
    assert pages.main(["--check", str(SPEC)]) == 0


def test_a_page_follows_its_sources_and_a_stale_one_is_named(tmp_path: Path) -> None:
    shutil.copytree(SPEC / "sources", tmp_path / "sources")
    assert pages.main([str(tmp_path)]) == 0
    shared = tmp_path / "sources" / "shared.md"
    shared.write_text(shared.read_text().replace("each line ended by", "each line closed by"))
    own = tmp_path / "sources" / "botwars.md"
    own.write_text(own.read_text().replace('time_limit = "5 s"', 'time_limit = "6 s"'))
    said = str(pages.main(["--check", str(tmp_path)]))
    assert all(f"{rules.specification}.md" in said for rules in GAMES.values())
    assert pages.main([str(tmp_path)]) == 0
    assert pages.main(["--check", str(tmp_path)]) == 0
    page = (tmp_path / "botwars" / "protocol.md").read_text()
    assert "each line closed by" in page
    assert "has a limit (default 6 s," in page


def test_a_part_that_is_not_there_is_no_page(tmp_path: Path) -> None:
    shutil.copytree(SPEC / "sources", tmp_path / "sources")
    own = tmp_path / "sources" / "dominion.md"
    own.write_text(own.read_text().replace("<!-- shared handshake -->", "<!-- shared hands -->"))
    with pytest.raises(KeyError, match="hands"):
        pages.main([str(tmp_path)])


@pytest.mark.parametrize("rules", GAMES.values(), ids=list(GAMES))
def test_a_page_says_what_it_is_made_of_and_leaves_nothing_open(rules) -> None:
    page = (SPEC / f"{rules.specification}.md").read_text()
    assert f"spec/sources/{rules.name}.md and spec/sources/shared.md" in page.splitlines()[0]
    assert re.findall(r"<!-- (?:part|shared)|^\+\+\+|\$\{?[a-z]", page, re.MULTILINE) == []
    for link in re.findall(r"\]\(([^)#]+\.\w+)\)", page):
        assert (SPEC / f"{rules.specification}.md").parent.joinpath(link).exists(), link


@pytest.mark.parametrize("rules", GAMES.values(), ids=list(GAMES))
def test_what_all_pages_share_has_the_same_number_in_each(rules) -> None:
    shared = (SPEC / "sources" / "shared.md").read_text()
    dominion = load_page(GAMES["dominion"].specification)
    page = load_page(rules.specification)
    for name, number in SHARED._asdict().items():
        assert page.sections[number].title == dominion.sections[number].title, name
    for number, title in re.findall(r"^###? ([\d.]+) (.*)$", shared, re.MULTILINE):
        assert page.sections[number].title == title
