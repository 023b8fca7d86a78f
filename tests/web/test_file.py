"""The match page as a single HTML file: bundled modules, content security policy, size."""

from __future__ import annotations

import base64
import hashlib
import html
import re
import tracemalloc
import zlib
from pathlib import Path
from typing import Any

import msgspec
import pytest

import referee
from referee.errors import UsageError
from referee.games import GAMES
from referee.web import file
from referee.web.data import Header, MatchPage
from referee.web.file import FRAME, bundle, page_file, small_style
from referee.web.pages.links import ServedLinks
from referee.web.pages.pages import match_page
from referee.web.recorded import read_match
from tests.support.helpers import ROOT, cautious
from tests.support.modules import run_modules
from tests.support.watched import watched

MODULES = [*FRAME.glob("*.js"), *(path for game in GAMES if (path := file.drawing(game)))]


@pytest.fixture(scope="module")
def match(tmp_path_factory: pytest.TempPathFactory) -> MatchPage:
    path = tmp_path_factory.mktemp("file") / "record"
    path.write_bytes(watched("dominion", 3, max_turns=4).record)
    return read_match(str(path))


def unpacked(page: str, part: str) -> Any:
    found = re.search(rf'<script type="text/plain" id="{part}">(.*?)</script>', page)
    assert found is not None
    return msgspec.json.decode(zlib.decompress(base64.b64decode(found[1]), -zlib.MAX_WBITS))


def spread(steps: list[Any]) -> None:
    """Replace each entry for several viewers by an entry for each of them, as the page does."""
    for step in steps:
        for field in {"set", "now", "moves"} & step.keys():
            known = step[field].items()
            step[field] = {viewer: of for viewers, of in known for viewer in viewers.split(" ")}


def as_json(value: Any) -> Any:
    return msgspec.json.decode(msgspec.json.encode(value))


def test_the_file_has_the_match(match: MatchPage) -> None:
    page = page_file([match, match])
    for number in (0, 1):
        found = re.search(rf'id="header-{number}">(.*?)</script>', page)
        assert found is not None
        assert msgspec.json.decode(found[1], type=Header) == match.header
        course = unpacked(page, f"steps-{number}")
        spread(course["steps"])
        steps = {"turns": match.turns, "steps": match.steps, "turned": match.turned}
        assert course == as_json(steps)
        assert unpacked(page, f"lines-{number}") == as_json(match.lines)


def test_its_policy_allows_its_script_and_its_styles_alone(match: MatchPage) -> None:
    page = page_file([match])
    found = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', page)
    assert found is not None
    policy = dict(part.split(" ", 1) for part in html.unescape(found[1]).split("; "))
    assert policy["default-src"] == "'none'"
    for tag, rule in (("script", "script-src"), ("style", "style-src")):
        texts = re.findall(rf'<{tag}(?: type="module")?>(.*?)</{tag}>', page, re.DOTALL)
        digests = [hashlib.sha256(text.encode()).digest() for text in texts]
        hashes = [f"'sha256-{base64.b64encode(digest).decode()}'" for digest in digests]
        assert policy[rule].split() == hashes
    assert re.findall(r"(?:src|href|url)\s*[=(]", page.split("<body>")[0]) == []


@pytest.mark.parametrize(
    "module", MODULES, ids=lambda path: str(path.relative_to(FRAME.parents[1]))
)
def test_every_module_keeps_to_the_forms_that_are_bundled(module: Path) -> None:
    """Modules have to stay simple, because the bundler uses regular expressions.

    Imports take one line and use existing names, there are no import cycles, and every export is a
    declaration.
    """
    source = module.read_text("utf-8")
    for names, other in file._IMPORT.findall(source):
        exported = file._EXPORT.findall((module.parent / f"{other}.js").read_text("utf-8"))
        assert {name.strip() for name in names.split(",")} <= set(exported)
    made = file._as_function("module", source)
    assert re.findall(r"^(?:import|export)\b.*|\bimport\s*\(", made, re.MULTILINE) == []
    assert not re.search(r"^await\b", source, re.MULTILINE)
    assert len(file._EXPORT.findall(source)) == len(re.findall("^export", source, re.MULTILINE)) > 0
    assert not re.search("</script|<!--", source, re.IGNORECASE)


def test_modules_come_after_those_that_they_import() -> None:
    script = bundle(sorted(GAMES))
    for module in FRAME.glob("*.js"):
        place = script.find(f"const {module.stem} = (() =>")
        for _, other in file._IMPORT.findall(module.read_text("utf-8")):
            assert script.find(f"const {other} = (() =>") < place or place < 0
    assert script.endswith(
        'boot.boot({ "botwars": drawing0, "dominion": drawing1, "starrealms": drawing2, '
        '"tribute": drawing3 });\n'
    )


@pytest.mark.parametrize(
    ("source", "gives"),
    [
        ("export function one(a) {\n}", "one"),
        ("export async function one() {}", "one"),
        ("export function* one() {}", "one"),
        ("export class One {}\nexport const two = 2;", "One, two"),
        ('import { a, b } from "./x-y.js";\nexport const one = a;', "one"),
    ],
)
def test_what_is_exported(source: str, gives: str) -> None:
    made = file._as_function("module", source)
    assert made.startswith("const module = (() => {")
    assert made.endswith(f"return {{ {gives} }};}})();")
    assert "import" not in made
    assert "export" not in made


def test_lines_that_are_too_many_are_left_out_but_for_faults(
    match: MatchPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = file.packed(match, all_lines=True).lines
    monkeypatch.setattr(file, "MAX_LINES", len(lines))
    assert file.packed(match, all_lines=False).lines == lines
    monkeypatch.setattr(file, "MAX_LINES", 10)
    whole = page_file([match], all_lines=True)
    assert unpacked(whole, "lines-0") == as_json(match.lines)
    page = page_file([match])
    some, steps = unpacked(page, "lines-0"), unpacked(page, "steps-0")["steps"]
    omitted = 0
    for short, step in zip(steps, match.steps, strict=True):
        kept = some[slice(*short["lines"])]
        said = match.lines[slice(*step.lines)]
        if any(mark.kind in ("fault", "disqualified") for mark in step.marks):
            assert kept == as_json(said)
        else:
            assert kept == ([["left-out", None, f"{len(said)} lines"]] if said else [])
            omitted += len(said)
    assert 0 < omitted < len(match.lines)
    assert "--lines keeps all" in page
    assert match.header.omitted == ""


@pytest.mark.slow
def test_the_page_of_a_log_takes_at_most_30_times_its_bytes(tmp_path: Path) -> None:
    """SECURITY.md promises this. Each line of this log ends a turn, which takes the most."""
    first = watched("dominion", 3, max_turns=1).log.splitlines(keepends=True)[:4]
    turns = [
        b'{"type":"player-top-discard","player_number":"player%d","card":"copper"}\n'
        % (turn % 2 + 1)
        for turn in range(2000)
    ]

    def peak(count: int) -> int:
        path = tmp_path / f"{count}.log"
        path.write_bytes(b"".join([*first, *turns[:count]]))
        tracemalloc.start(1)
        try:
            page_file([read_match(str(path))])
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    peak(1)
    assert peak(2000) - peak(1) < 30 * sum(map(len, turns))


def test_a_file_too_large_is_an_error(match: MatchPage, monkeypatch: pytest.MonkeyPatch) -> None:
    block = file.packed(match, all_lines=False)
    size = len(block.steps) + len(block.lines)
    monkeypatch.setattr(file, "MAX_FILE", size)
    assert block.lines in page_file([match])
    monkeypatch.setattr(file, "MAX_FILE", size - 1)
    with pytest.raises(UsageError, match="give fewer files, or part of the match with --turns"):
        page_file([match])


def little(message: dict[str, Any]) -> Any:
    """A bot that sometimes takes a copper while there are any, and never plays a card."""
    if message["type"] == "play-turn" and message["buys"] and "copper" in message["hand"][:2]:
        return {"type": "play-reply", "phase": "buy", "cards_to_buy": ["copper"]}
    return cautious(message)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("game", "bots", "options", "turns", "most"),
    [
        ("dominion", ["big_money", "smithy_big_money"], {}, 43, 158_500),
        ("dominion", [little, little], {"max_turns": 250}, 500, 250_000),
    ],
    ids=["dominion", "dominion-long"],
)
def test_it_is_small(
    game: str, bots: list[Any], options: dict[str, Any], turns: int, most: int, tmp_path: Path
) -> None:
    """These limits are for a page with all lines (`all_lines=True`)."""
    record = tmp_path / "record"
    result = referee.play_match(bots, game=game, seed=7, options=options, record=record)
    assert result.turns == turns
    page = page_file([read_match(str(record))], all_lines=True)
    assert len(page.encode()) < most
    assert "--lines keeps all" not in page


def test_a_game_without_a_drawing_has_a_page(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Turns appear as text and pictures, and points as a curve. A log's page has no views."""
    definition = GAMES["botwars"]
    monkeypatch.setitem(GAMES, "botwars", msgspec.structs.replace(definition, page=None))
    played = watched("botwars", 2, rows=7, cols=7, max_turns=9)
    path = tmp_path / "file"
    path.write_bytes(played.record)
    match = read_match(str(path))
    assert match.header.series == [{"name": "points", "unit": ""}]
    scores = [standing.score for standing in played.match.standings()]
    assert [step.values["points"] for step in match.steps if step.values][-1] == scores
    assert all(turn.show for turn in match.turns)
    assert page_file([match]).count("boot.boot({  })") == 1
    path.write_bytes(played.log)
    of_log = read_match(str(path))
    assert [turn.show for turn in of_log.turns] != []
    assert [step.set for step in of_log.steps] == [{}] * len(of_log.steps)
    page_file([of_log])


def modules_below(name: str) -> dict[str, str]:
    """Return the bundled source of a module and of everything that it imports, by name."""
    made: dict[str, str] = {}
    file._add_module(name, FRAME / f"{name}.js", made)
    return made


@pytest.mark.parametrize(
    ("mode", "module"), [("file", "boot"), ("match", "served"), ("seat", "seated")]
)
def test_script_and_styles_are_small(mode: str, module: str, match: MatchPage) -> None:
    """Limits in bytes for everything that a page loads, without comments and indentation."""
    assert sum(len(text.encode()) for text in modules_below(module).values()) <= 94_200
    names = list(file.STYLES)
    if mode != "file":
        page = match_page(ServedLinks(), "", "dominion", f"/{mode}/")
        names = re.findall(r'href="/static/([\w.-]+)"', page)
    assert "theme.css" in names
    folders = [FRAME, FRAME.parent / "pages"]
    styles = [
        next(folder / name for folder in folders if (folder / name).exists()) for name in names
    ]
    assert sum(len(small_style(path.read_text())) for path in styles) <= 30_100


def test_drawings_are_small() -> None:
    for game in GAMES:
        drawing = len(bundle([game]).encode()) - len(bundle([]).encode())
        assert drawing + len(small_style(file.drawing_style(game))) <= 26_400, game


EXPORTS = """
import { readFileSync } from "node:fs";
globalThis.matchMedia = () => ({ addEventListener() {} });
const { names, script } = JSON.parse(readFileSync(0, "utf8"));
const bundled = new Function(`${script}return { ${names.join(", ")} };`)();
const kinds = (of) => JSON.stringify(Object.keys(of).sort().map((key) => [key, typeof of[key]]));
for (const name of names) {
  const [one, other] = [kinds(await import(`./${name}.js`)), kinds(bundled[name])];
  if (one !== other) throw new Error(`${name}: ${one} ${other}`);
}
console.log(names.length);
"""


@pytest.mark.slow
def test_the_bundle_and_the_modules_export_the_same(tmp_path: Path) -> None:
    made = modules_below("served") | modules_below("seated")
    given = {"names": list(made), "script": "".join(made.values())}
    said = run_modules(tmp_path, EXPORTS, given=msgspec.json.encode(given))
    assert said == f"{len(made)}\n"


def test_colours_and_fonts_are_in_the_theme() -> None:
    """Templates don't define styles of their own. They only include those of the program."""
    for name in ("pages.css", "frame.css"):
        fonts = re.findall(r"font-family: *([^;]*)", (FRAME / name).read_text())
        assert all(font == "inherit" or font.startswith("var(--") for font in fonts), name
    for template in (ROOT / "referee").rglob("*.html"):
        styles = re.findall(r"<style>(.*?)</style>", template.read_text(), re.DOTALL)
        assert styles in ([], ["{{ style }}"]), template
    assert small_style((FRAME / "theme.css").read_text()) in file.pages_style()
