"""The pages: generated parts, sections and links."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from referee.games import GAMES
from referee.games.interface.definition import GameDefinition
from referee.match.limits import LIMITS
from referee.match.pages import PROTOCOL, SHARED, load_page, read_page
from tests.support.live import ROOT
from tools.generators.make_pages import current, made, pages, stale
from tools.generators.section_links import linked

PAGES = [page.relative_to(ROOT).as_posix() for page in pages()]
INDEX = "spec/README.md"


def anchors(text: str) -> set[str]:
    """Return the anchors that GitHub creates for the headings of a page."""
    outside = re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)
    return {
        re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-")
        for title in re.findall(r"^#+ (.*)", outside, re.MULTILINE)
    }


@pytest.mark.slow
def test_the_generated_parts_are_up_to_date() -> None:
    assert stale() == []


def test_a_generated_part_that_was_changed_by_hand_is_found_and_made_again(tmp_path: Path) -> None:
    page = tmp_path / "spec" / "limits.md"
    page.parent.mkdir()
    text = (ROOT / "spec" / "limits.md").read_text()
    page.write_text(text.replace("`--grace S` | `grace` | 1 s", "`--grace S` | `grace` | 2 s"))
    assert stale(tmp_path) == [page]
    assert made(page.read_text()) == text


def test_the_kit_has_the_cards_of_the_rules(tmp_path: Path) -> None:
    kit = tmp_path / "referee" / "games" / "dominion" / "kit.py"
    kit.parent.mkdir(parents=True)
    text = (ROOT / kit.relative_to(tmp_path)).read_text()
    kit.write_text(text.replace('"gold": Card(6, worth=3)', '"gold": Card(6, worth=4)'))
    assert stale(tmp_path) == [kit]
    assert current(kit) == text


def test_references_to_sections_become_links(tmp_path: Path) -> None:
    spec = shutil.copytree(ROOT / "spec", tmp_path / "spec")
    page = spec / "http-bots.md"
    text = "## 1 One\n\nSee (1), (7), `(1)` and [protocol.md](protocol.md), 8.4; (protocol 5.2).\n"
    page.write_text(text)
    assert linked(text, page, spec).splitlines()[2] == (
        "See ([1](#1-one)), (7), `(1)` and [protocol.md, 8.4](protocol.md#84-after-the-match); "
        "(protocol, [5.2](protocol-v1.md#52-buy))."
    )
    game = spec / "botwars" / "protocol.md"
    assert linked("(1.8, 5.2)", game, spec) == (
        "([1.8](../protocol.md#18-replies-that-are-not-json), [5.2](#52-moves-that-are-ignored))"
    )


def test_a_generated_part_of_an_unknown_name_is_an_error() -> None:
    with pytest.raises(KeyError):
        made("<!-- generated: nothing -->\n<!-- end -->\n")


def test_every_limit_has_its_verdict() -> None:
    page = (ROOT / "spec" / "limits.md").read_text()
    rows = re.findall(r"^\| `--[a-z-]+ [A-Z].*$", page, re.MULTILINE)
    assert len(rows) == len(LIMITS)
    assert [row for row in rows if row.endswith("|  |")] == []


@pytest.mark.parametrize("page", PAGES)
def test_links_and_anchors_lead_somewhere(page: str) -> None:
    file = ROOT / page
    for target, anchor in re.findall(r"\]\(([^)#:]*)(?:#([^)]*))?\)", file.read_text()):
        to = file.parent / target if target else file
        assert to.exists(), (page, target)
        if anchor:
            assert anchor in anchors(to.read_text()), (page, target, anchor)


def test_the_shared_page_has_the_sections_that_all_games_share() -> None:
    sections = read_page(PROTOCOL).sections
    assert {"1", "3", "8", "9", "10"} <= {*sections}
    assert len(sections) > 25


@pytest.mark.parametrize("definition", GAMES.values(), ids=[*GAMES])
def test_shared_sections_have_the_same_title_in_each_game(definition: GameDefinition) -> None:
    shared, own = read_page(PROTOCOL).sections, read_page(definition.specification).sections
    assert own
    for number in shared.keys() & own.keys():
        assert own[number].title == shared[number].title
    whole = load_page(definition.specification).sections
    assert {*SHARED} <= {*whole}
    assert [*whole] == sorted(whole, key=lambda number: [int(part) for part in number.split(".")])


@pytest.mark.parametrize("definition", GAMES.values(), ids=[*GAMES])
def test_a_section_of_both_pages_has_both_texts(definition: GameDefinition) -> None:
    whole = load_page(definition.specification).sections["8.3"].text
    assert whole.startswith(read_page(PROTOCOL).sections["8.3"].text)
    assert whole.endswith(read_page(definition.specification).sections["8.3"].text)


def test_the_limits_of_the_games_are_those_of_the_table() -> None:
    """The table in protocol.md is written by hand, and the one in limits.md is generated."""
    shared = (ROOT / "spec" / "protocol.md").read_text()
    (times,) = re.findall(r"^\| time limit .*$", shared, re.MULTILINE)
    assert re.findall(r"(\d+) s", times) == ["10", "5", "10", "30", "10"]
    row = next(
        line
        for line in (ROOT / "spec" / "limits.md").read_text().splitlines()
        if line.startswith("| `--time-limit")
    )
    assert re.findall(r"(\d+) s", row) == ["10", "5", "30"]


def test_symptoms_of_the_troubleshooting_page_are_words_of_the_referee() -> None:
    page = (ROOT / "spec" / "troubleshooting.md").read_text()
    symptoms = re.findall(r"^\| (.*?) \|", page, re.MULTILINE)
    quotes = {quote for symptom in symptoms for quote in re.findall(r'"([^"]+)"', symptom)}
    source = "".join(file.read_text() for file in (ROOT / "referee").rglob("*.py"))
    words = re.sub(r'"\s*\n\s*f?"', "", source)
    assert len(quotes) > 8
    for quote in quotes:
        for part in re.split(r"\.\.\.|\d+|--\S+", quote):
            assert part.strip(" ,?") in words, quote


@pytest.mark.parametrize("page", PAGES)
def test_no_column_is_without_a_heading(page: str) -> None:
    headings = re.findall(r"^ *\|(.*)\|\n *\|[-:| ]+\|$", (ROOT / page).read_text(), re.MULTILINE)
    for heading in headings:
        assert "" not in [cell.strip() for cell in heading.split("|")], heading


@pytest.mark.parametrize("page", [page for page in PAGES if page.startswith("spec/")])
def test_the_first_screen_has_an_example(page: str) -> None:
    """Every page except the index has a command or a conversation in its first 25 lines.

    The list of contents of a protocol doesn't count.
    """
    text = re.sub(
        "<!-- generated: contents.*?<!-- end -->", "", (ROOT / page).read_text(), flags=re.S
    )
    assert "\n```" in "\n".join(text.splitlines()[:25]) or page == INDEX


@pytest.mark.parametrize("page", [page for page in PAGES if page.startswith("spec/")])
def test_a_page_ends_with_a_next_step(page: str) -> None:
    *_, last = re.split(
        r"^(?:\*\*Next:\*\*|## Next\n)", (ROOT / page).read_text(), flags=re.MULTILINE
    )
    assert "](" in last
    assert len(last.splitlines()) <= 4


def test_each_page_has_one_kind_and_one_reader() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text()
    named = re.findall(r"\]\((spec/[\w/-]+\.md)\)", text[text.index("\n## The pages\n") :])
    assert sorted(named) == sorted(page for page in PAGES if page.startswith("spec/"))


@pytest.mark.parametrize("page", PAGES)
def test_a_table_of_games_has_all_games(page: str) -> None:
    """Some lists of games are written as quoted names, e.g. the values that Python accepts."""
    for line in (ROOT / page).read_text().splitlines():
        if '`"dominion"`, ' in line:
            assert all(f'`"{game}"`' in line for game in GAMES), line


def test_the_page_lists_the_languages_of_the_starters_of_each_game() -> None:
    page = (ROOT / "spec" / "other-languages.md").read_text()
    table = page[page.index("| game | languages |") :].split("\n\n")[0].splitlines()[2:]
    for game, row in zip(GAMES, table, strict=True):
        folder = ROOT / "referee" / "games" / game / "starters"
        made = {each.name for each in folder.iterdir() if each.is_dir()} - {"python-kit"}
        text = re.sub(r"\[.*?\)", "", row)
        assert {*re.findall(r"\b(python|javascript|java|c|cpp|rust|perl|go|sot)\b", text)} == made
