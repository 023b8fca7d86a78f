"""The pages of spec/ by section: what `referee explain` prints, and what reports quote.

Only the pages have the wording of a rule. Their sections have numbers ("### 7.2 Discarding").
The protocol of a game is two pages: PROTOCOL, which all games share, and the page of the game.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import pairwise, takewhile
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from referee.games.interface.definition import GameDefinition

_PACKAGE = Path(__file__).resolve().parent.parent
_PLACES = (_PACKAGE / "spec", _PACKAGE.parent / "spec")
"""Inside an installed wheel; in a source tree. One of them is there."""
PROTOCOL = "protocol"
"""The page of the sections that all games share."""
_COMMENT = re.compile(r"^<!-- .* -->\n", re.MULTILINE)
_HEADING = re.compile(r"^(#{2,3}) (?:(\d+(?:\.\d+)*) )?(.*)$")
_ITEM = re.compile(r"^- ", re.MULTILINE)
_SENTENCE_END = re.compile(r"(?<=[.:])\s+(?=[A-Z`*])")
_NO_PROSE = ("|", "```", "- ")
_REPLY = re.compile(r"Section ([\d.]+) describes the reply")
_SHOWN_REPLY = re.compile(r"""-reply["`]""")
_KINDS = {
    "Faults.": "fault",
    "Disqualifications.": "disqualification",
    "End reasons.": "end reason",
}


class _Shared(NamedTuple):
    """The sections that have the same number in every game, by subject."""

    lines: str = "1.1"
    requests: str = "1.2"
    limits: str = "1.3"
    ids: str = "1.6"
    audience: str = "1.7"
    json: str = "1.8"
    messages: str = "2"
    names: str = "2.2"
    name_reply: str = "3.1"
    wrong_name_reply: str = "3.2"
    version: str = "3.3"
    start_up: str = "3.4"
    clock: str = "8.1"
    exit: str = "8.2"
    after_match: str = "8.4"
    codes: str = "9"
    advice: str = "10"


SHARED = _Shared()


class Section(NamedTuple):
    """A section of a page: its number, title, and Markdown without the sections inside it."""

    number: str
    title: str
    text: str


class Code(NamedTuple):
    """A row of the tables of codes of faults, disqualifications and end reasons.

    Attributes:
        section: the section that says what it is; empty if it is reserved.
        then: what happens then; empty if the table does not say it.
    """

    kind: str
    code: str
    section: str
    why: str
    then: str


class SpecPage(NamedTuple):
    """A page of spec/, or the protocol of a game: number -> section, in the order of the numbers.

    Attributes:
        name: path in spec/, without ".md"; of a protocol, path of the game's page.
        place: where the page is, in words: "spec/protocol-v1.md".
    """

    name: str
    sections: dict[str, Section]
    place: str = ""

    @property
    def codes(self) -> list[Code]:
        """All codes, in the order of the tables."""
        found: list[Code] = []
        for kind, text in re.findall(
            r"^\*\*(.*?)\*\*(.*?)(?=^\*\*|\Z)", self._text(SHARED.codes), re.MULTILINE | re.DOTALL
        ):
            for cells in rows(text):
                code, section, why, *then = cells
                code = code.strip("`") or found[-1].code  # a second row of the same code
                found.append(Code(_KINDS[kind], code, section, why, "".join(then)))
        return found

    def inside(self, number: str) -> list[Section]:
        """A section and those inside it."""
        return [
            section
            for section in self.sections.values()
            if f"{section.number}.".startswith(f"{number}.")
        ]

    def titled(self, title: str) -> list[str]:
        """List the numbers of the sections with a title; upper and lower case are equal."""
        return [s.number for s in self.sections.values() if s.title.lower() == title.lower()]

    def beginning(self, number: str) -> str:
        """The first paragraph of a section that is prose; empty if it has none."""
        blocks = re.split(r"\n\n+", self._text(number))
        prose = (block for block in blocks if not block.startswith(_NO_PROSE))
        return unmarked(" ".join(next(prose, "").split()))

    def reply_section(self, request: str) -> str:
        """The number of the section that shows the reply to a type of request; empty if none."""
        named = (_REPLY.search(self._text(number)) for number in self.titled(request))
        chapters = (self.inside(match[1]) for match in named if match)
        shown = (s.number for chapter in chapters for s in chapter if _SHOWN_REPLY.search(s.text))
        return next(shown, "")

    def rule(self, number: str, code: str, detail: str) -> str:
        """The rule that a fault breaks, in the page's own words; empty if the page has none.

        Args:
            number: the section of the fault.
            detail: of the fault. It may begin with the title of a section inside, such as
                "mine: ...", and name fields that a table of the section is about.
        """
        subject = detail.partition(":")[0]
        section = next(
            (s for s in self.inside(number) if s.title == subject), self.sections.get(number)
        )
        if section is None:
            return ""
        parts = [*_about_fields(section.text, detail), *_naming(section.text, code)]
        return " ".join(f"{part.rstrip('.')}." for part in dict.fromkeys(parts))

    def _text(self, number: str) -> str:
        section = self.sections.get(number)
        return "" if section is None else section.text


def read_spec(name: str) -> bytes:
    """A file of spec/, such as "vectors/referee-cases.json"; else raise `FileNotFoundError`."""
    for place in _PLACES:
        if (place / name).exists():
            return (place / name).read_bytes()
    raise FileNotFoundError(name)


@lru_cache
def read_page(name: str) -> SpecPage:
    """One page of spec/, by its path without ".md"; it has no sections if it does not exist."""
    try:
        text = read_spec(f"{name}.md").decode()
    except FileNotFoundError:
        text = ""
    return SpecPage(name, _sections(text), f"spec/{name}.md")


def glossary() -> dict[str, str]:
    """The words of the glossary and their meanings, as Markdown."""
    _, _, table = read_spec("README.md").decode().partition("\n## Glossary\n")
    return dict(rows(table))


def _sections(text: str) -> dict[str, Section]:
    """Parse the sections of a page."""
    sections: dict[str, Section] = {}
    number, title, lines, in_code = "", "", list[str](), False
    for line in [*_COMMENT.sub("", text).splitlines(), "## "]:
        in_code ^= line.startswith("```")
        heading = None if in_code else _HEADING.match(line)
        if heading is None:
            lines.append(line)
            continue
        if number:
            sections[number] = Section(number, title, "\n".join(lines).strip())
        number, title, lines = heading[2] or "", heading[3], []
    return sections


def game_page(rules: GameDefinition) -> SpecPage:
    """The protocol of a game, whose own page is a file of spec/, a text of the game, or both."""
    if not rules.specification_text:
        return load_page(rules.specification)
    return _with_text(rules.name, rules.specification, rules.specification_text)


@lru_cache
def _with_text(game: str, name: str, text: str) -> SpecPage:
    own = SpecPage(name, _sections(text), f"the page of {game}")
    return _added(load_page(name).sections, own)


@lru_cache
def load_page(name: str) -> SpecPage:
    """The protocol of a game whose own page is in spec/: the shared sections and its own."""
    return _added(read_page(PROTOCOL).sections, read_page(name))


def _added(shared: Mapping[str, Section], page: SpecPage) -> SpecPage:
    """Add shared sections. If both have a section, its text is the shared one, then its own."""
    sections = dict(shared)
    for own in page.sections.values():
        before = sections.get(own.number)
        text = own.text if before is None else f"{before.text}\n\n{own.text}"
        sections[own.number] = own._replace(text=text.strip())
    order = sorted(sections, key=lambda number: [int(part) for part in number.split(".")])
    return page._replace(sections={number: sections[number] for number in order})


def unmarked(markdown: str) -> str:
    """A clause of Markdown as plain text, but for its backticks."""
    return re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", markdown.replace("*", ""))


def rows(text: str) -> Iterator[list[str]]:
    """The rows of all tables in a Markdown text, without their heads."""
    lines = text.splitlines()
    for before, line in pairwise(lines):
        if line.startswith("|") and before.startswith("|") and not line.startswith("|---"):
            yield [cell.strip() for cell in line.removeprefix("|").removesuffix("|").split("|")]


def _about_fields(text: str, detail: str) -> Iterator[str]:
    """The rows of a section's tables on the fields that a detail names."""
    for name, *cells in rows(text):
        field = re.match(r"`(\w+)`", name)
        if field is not None and field[1] in detail:
            yield unmarked(f"{', '.join([name, *cells[:-1]])}: {cells[-1]}")


def _naming(text: str, code: str) -> Iterator[str]:
    """The first sentence of a section that names a code, with the list it introduces; or a row."""
    for row in rows(text):
        if row[0] == f"`{code}`":
            yield unmarked(f"{row[0]}: {row[1]}")
            return
    blocks = iter(re.split(r"\n\n+", text))
    for block in blocks:
        if block.startswith(_NO_PROSE) or f"`{code}`" not in block:
            continue
        sentence = next(s for s in _SENTENCE_END.split(block) if f"`{code}`" in s)
        items = ""
        if block.endswith(sentence) and not sentence.endswith("."):
            items = " ".join(takewhile(_ITEM.match, blocks))
        yield unmarked(" ".join(f"{sentence} {_ITEM.sub('', items)}".split()))
        return
