"""The page of every game is put together from spec/sources."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from referee.games import GAMES
from referee.games.interface.rules import Rules
from referee.match.pages import SHARED, load_page
from tools.generators.make_pages import SPEC, pages, stale


@pytest.fixture
def spec(tmp_path: Path) -> Path:
    """A copy of what the pages are made of, and of the pages."""
    return shutil.copytree(SPEC, tmp_path / "spec", ignore=shutil.ignore_patterns("vectors"))


def test_the_committed_pages_are_up_to_date() -> None:
    assert stale() == []


@pytest.mark.parametrize(
    ("source", "old", "new", "pages_of", "says"),
    [
        ("shared", "line ended by", "line closed by", [*GAMES], "each line closed by `\\n`"),
        ("botwars", '= "5 s"', '= "6 s"', ["botwars"], "has a limit (default 6 s,"),
        ("botwars", "Energy with botlets", "Energy near botlets", ["botwars"], "Energy near"),
    ],
)
def test_a_page_follows_its_sources(
    spec: Path, source: str, old: str, new: str, pages_of: list[str], says: str
) -> None:
    file = spec / "sources" / f"{source}.md"
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new))
    assert stale(spec) == [spec / f"{GAMES[game].specification}.md" for game in pages_of]
    assert all(says in pages(spec)[page] for page in stale(spec))


def test_a_part_or_a_word_that_is_not_there_makes_no_page(spec: Path) -> None:
    own = spec / "sources" / "dominion.md"
    text = own.read_text()
    for there in ("<!-- shared handshake -->", "time_limit ="):
        own.write_text(text.replace(there, there.replace("hand", "x").replace("limit", "x")))
        with pytest.raises(KeyError):
            pages(spec)


@pytest.mark.parametrize("rules", GAMES.values(), ids=[*GAMES])
def test_a_page_says_what_it_is_made_of_and_leaves_nothing_open(rules: Rules) -> None:
    file = SPEC / f"{rules.specification}.md"
    text = file.read_text()
    assert f"spec/sources/{rules.name}.md and spec/sources/shared.md" in text.splitlines()[0]
    assert re.findall(r"<!-- (?:part|shared)|^\+\+\+|\$\{?[a-z]", text, re.MULTILINE) == []
    links = re.findall(r"\]\(([^)#]+\.\w+)\)", text)
    assert links
    assert [link for link in links if not file.parent.joinpath(link).exists()] == []


@pytest.mark.parametrize("rules", GAMES.values(), ids=[*GAMES])
def test_what_all_pages_share_has_the_same_number_in_each(rules: Rules) -> None:
    page, dominion = load_page(rules.specification), load_page(GAMES["dominion"].specification)
    for name, number in SHARED._asdict().items():
        assert page.sections[number].title == dominion.sections[number].title, name
    shared = (SPEC / "sources" / "shared.md").read_text()
    headings = re.findall(r"^###? ([\d.]+) (.*)$", shared, re.MULTILINE)
    assert len(headings) > 20
    assert [page.sections[number].title for number, _ in headings] == [
        title for _, title in headings
    ]
