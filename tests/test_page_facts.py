"""Compares facts on the pages with the code: keys, examples of JSON and TOML, sections."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import jsonschema
import pytest

from referee.cli.commands.tournament_options import TournamentOptions
from referee.cli.config import read_options
from referee.games import GAMES
from referee.tournament.config import read_config
from referee.tournament.report import formats, season, standings
from referee.tournament.rows import Entrant
from referee.tournament.schedule.format import TournamentSetup
from tests.support.live import ROOT, schema
from tools.generators.make_pages import pages

PAGES = [page.relative_to(ROOT).as_posix() for page in pages()]
PROTOCOL_OF = {
    "spec/limits.md": "protocol",
    "spec/vectors/README.md": "protocol-v1",
}
"""On these pages, a reference such as "(4.2)" means a section of the other page."""
WORDS = ("dialect", "forfeit", "handshake", "line-up", "spectator log")
"""Words in the glossary that our pages only use in this special meaning."""
EXAMPLE = "spec/examples/tournament.toml"


def text_of(page: str) -> str:
    return (ROOT / page).read_text()


def part(page: str, start: str, end: str) -> str:
    """Return a page between two headings, which begin with `start` and `end`."""
    text = text_of(page)
    return text[text.index(f"\n{start}") : text.index(f"\n{end}")]


def keys_in(text: str) -> set[str]:
    """Return all words in quotes or backticks in the tables."""
    rows = re.findall(r"^\|.*\|$", text, re.MULTILINE)
    return {word for row in rows for word in re.findall(r"[`\"]([A-Za-z_0-9]+)[`\".]", row)}


def properties(name: str, *kinds: str) -> set[str]:
    kinds_of = schema(name)["$defs"]
    return {key for kind in kinds for key in kinds_of[kind]["properties"]}


def turn_schema(game: str) -> str:
    return f"{game}-v{GAMES[game].protocol}-turn"


def test_the_page_of_json_has_every_key_of_a_result() -> None:
    shown = keys_in(part("spec/json.md", "## 3 ", "## 5 "))
    kinds = ("MatchResult", "PlayerResult", "DisqualificationReport", "FirstFault")
    assert properties("result", *kinds) <= shown


@pytest.mark.parametrize("game", GAMES)
def test_the_page_of_json_has_every_key_of_a_turn(game: str) -> None:
    shown = keys_in(part("spec/json.md", "### 5.1 ", "### 5.2 "))
    assert properties(turn_schema(game), "Turn", "Action", "Note") <= shown


@pytest.mark.parametrize(
    ("modules", "end"), [((standings, formats), "### 6.1 "), ((season,), "## Doctor")]
)
def test_the_page_of_json_has_every_key_of_standings(
    modules: tuple[ModuleType, ...], end: str
) -> None:
    structs = [each for module in modules for each in vars(module).values()]
    names = {module.__name__ for module in modules}
    own = [each for each in structs if isinstance(each, type) and each.__module__ in names]
    keys = {key for each in own for key in getattr(each, "__struct_fields__", ())}
    assert len(keys) > 10
    assert keys <= keys_in(part("spec/json.md", "## 6 ", end))


def test_the_page_of_json_has_every_key_of_verify_and_validate() -> None:
    verify = part("spec/json.md", "### 5.2 ", "### 5.3 ")
    assert keys_in(verify) >= properties("verdict", "Verdict")
    validate = part("spec/json.md", "### 5.3 ", "## Doctor")
    assert keys_in(validate) >= properties("validation", "Validation", "Finding", "Unchecked")


@pytest.mark.parametrize("game", GAMES)
def test_the_page_of_records_has_every_key_of_a_record(game: str) -> None:
    name = f"{game}-v{GAMES[game].protocol}-match-record"
    kinds = [kind for kind in schema(name)["$defs"] if kind.endswith("Entry")]
    shown = keys_in(part("spec/log-format.md", "## 2 ", "### 2.9 "))
    shown |= keys_in(part("spec/log-format.md", "### 2.12 ", "## 4 "))
    # The numbers of a player are described on the page about JSON.
    shown |= keys_in(part("spec/json.md", "## 3 ", "## 5 "))
    assert properties(name, "Header", "PlayerEnd", *kinds) - {"entry", "time"} <= shown


def test_the_page_of_stores_has_every_key_of_a_setup() -> None:
    shown = keys_in(part("spec/store.md", "### 2.1 ", "### 2.2 "))
    assert {*TournamentSetup.__struct_fields__, *Entrant.__struct_fields__} <= shown


def examples(page: str) -> Iterator[Any]:
    """Yield the JSON examples of a page. A block is a single value or has one value per line."""
    for block in re.findall(r"^```json\n(.*?)^```$", text_of(page), re.DOTALL | re.MULTILINE):
        try:
            yield json.loads(block)
        except ValueError:
            yield from map(json.loads, block.splitlines())


@pytest.mark.parametrize("page", ["spec/json.md", "spec/log-format.md"])
def test_the_examples_of_json_fit_a_schema(page: str) -> None:
    turns = [turn_schema(game) for game in GAMES]
    names = ["result", "dominion-v1-match-record", "dominion-v1-spectator-log", *turns]
    fits = [jsonschema.Draft202012Validator(schema(name)) for name in names]
    found = [*examples(page)]
    assert len(found) > 3
    for each in found:
        # The example leaves out the supply.
        whole = {**each, "supply": {}} if "player_turn" in each else each
        assert any(one.is_valid(whole) for one in fits), each


def uncommented(text: str) -> str:
    """Turn comments that show a key into lines of the configuration."""
    return re.sub(r"^# (?=[a-z-]+ = )", "", text, flags=re.MULTILINE)


CONFIGURATIONS = [
    uncommented(text_of(EXAMPLE)),
    *(
        block
        for page in PAGES
        for block in re.findall(r"^```toml\n(.*?)^```$", text_of(page), re.DOTALL | re.MULTILINE)
        if "[[bot]]" in block
    ),
]


@pytest.mark.parametrize("text", CONFIGURATIONS)
def test_each_configuration_can_be_read_with_its_commented_lines(text: str, tmp_path: Path) -> None:
    for folder in re.findall(r'^directory = "(.*?)"', text, re.MULTILINE):
        text = text.replace(folder, tmp_path.as_posix())
    file = tmp_path / "cup.toml"
    file.write_text(text)
    (tmp_path / "seed").write_text("7\n")
    assert tomllib.loads(text)
    config = read_config(str(file))
    assert len(config.bots) > 1
    read_options(str(file), config.options, config.folder, TournamentOptions)


def test_commented_keys_are_found() -> None:
    assert "\nkeep-records = " in CONFIGURATIONS[0]
    assert "keep-records" not in tomllib.loads(text_of(EXAMPLE))


def sections_of(page: str) -> set[str]:
    return {*re.findall(r"^##+ (\d+(?:\.\d+)*)\.? ", text_of(page), re.MULTILINE)}


def bare_references(text: str) -> list[str]:
    """Find references such as "(2.10)" that aren't links."""
    prose = re.sub(r"^ *```.*?^ *```$|`[^`\n]*`|\[[^]]*\]\([^)]*\)", "", text, flags=re.M | re.S)
    return re.findall(r"\((\d{1,2}\.\d{1,2})(?=[);,])", prose)


@pytest.mark.parametrize("page", [page for page in PAGES if page.startswith("spec/")])
def test_a_section_that_a_page_refers_to_is_there(page: str) -> None:
    known = sections_of(page)
    if page in PROTOCOL_OF or page in {f"spec/{game.specification}.md" for game in GAMES.values()}:
        known |= sections_of("spec/protocol.md")
        known |= sections_of(f"spec/{PROTOCOL_OF.get(page, 'protocol')}.md")
    assert [each for each in bare_references(text_of(page)) if each not in known] == []


@pytest.mark.slow
def test_a_section_that_the_code_names_is_there() -> None:
    """Looks for references such as "(spec/sandbox.md, 1)" in messages, docstrings and comments."""
    found = {
        (page, number)
        for file in (ROOT / "referee").rglob("*.py")
        for page, number in re.findall(r"([a-z-]+\.md), (\d+(?:\.\d+)?)\b", file.read_text())
    }
    assert len(found) > 5
    known = {each for each in found if (ROOT / "spec" / each[0]).is_file()}
    assert [each for each in known if each[1] not in sections_of(f"spec/{each[0]}")] == []


def test_a_bare_reference_is_found() -> None:
    assert bare_references("(2.10), (4.2, 1) and [a](b.md) `(1.1)`") == ["2.10", "4.2"]


def prose_of(text: str) -> str:
    """Remove code, tables, headings and links from a page."""
    left_out = r"^ *```.*?^ *```$|<!--.*?-->|^ *[#|][^\n]*$|`[^`\n]*`|\[[^]]*\]\([^)]*\)"
    return re.sub(left_out, "", text, flags=re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("page", [page for page in PAGES if page.startswith("spec/")])
def test_a_page_links_the_glossary_where_it_uses_its_words(page: str) -> None:
    text = text_of(page)
    for word in () if page == "spec/README.md" else WORDS:
        if re.search(rf"(?<![\w*-]){word}s?(?![\w-])", prose_of(text)):
            assert re.search(rf"\[{word}s?\]\([./]*README\.md#glossary\)", text), word
