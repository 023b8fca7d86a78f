"""Reads the pages of spec/ section by section, for `referee explain` and for quotes in reports.

The rules are written down only in these pages. We quote them instead of repeating them in code,
because the two versions would soon disagree. Sections have numbers ("### 7.2 Discarding"). A game's
protocol consists of two pages: PROTOCOL, which all games share, and one for the game itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import pairwise, takewhile
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from referee.match.limits import UNITS, Limits, is_none

if TYPE_CHECKING:
    from referee.games.interface.definition import GameDefinition

_PACKAGE = Path(__file__).resolve().parent.parent
# In an installed wheel, spec/ is inside the package. In a source tree, it's beside it.
_PLACES = (_PACKAGE / "spec", _PACKAGE.parent / "spec")
PROTOCOL = "protocol"
"""Name of the page that all games share."""
_COMMENT = re.compile(r"^<!-- .* -->\n", re.MULTILINE)
_HEADING = re.compile(r"^(#{2,3}) (?:(\d+(?:\.\d+)*) )?(.*)$")
_ITEM = re.compile(r"^- ", re.MULTILINE)
_SENTENCE_END = re.compile(r"(?<=[.:])\s+(?=[A-Z`*])")
_CODES = re.compile(r"^(?=\*\*)", re.MULTILINE)
_NO_PROSE = ("|", "```", "- ")
_REPLY = re.compile(r"Section ([\d.]+) describes the reply")
_SHOWN_REPLY = re.compile(r"""-reply["`]""")
_KINDS = {
    "Faults.": "fault",
    "Disqualifications.": "disqualification",
    "End reasons.": "end reason",
}


class _Shared(NamedTuple):
    """Section numbers that are the same in every game."""

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
    """A section of a page. `text` is its Markdown without subsections."""

    number: str
    title: str
    text: str


class Code(NamedTuple):
    """A code from the tables of faults, disqualifications and end reasons.

    Attributes:
        section: the section that defines the code, or "" if the code is reserved.
        then: the consequence, or "" if the table doesn't have such a column.
    """

    kind: str
    code: str
    section: str
    why: str
    then: str


class SpecPage(NamedTuple):
    """A page of spec/, or the complete protocol of a game.

    Attributes:
        name: path within spec/, without ".md". A protocol has the path of the game's page.
        sections: the sections by number, sorted.
        place: location for messages, such as "spec/protocol-v1.md".
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
                # If the cell is empty, this row has the same code as the row above.
                code = code.strip("`") or found[-1].code
                found.append(Code(_KINDS[kind], code, section, why, "".join(then)))
        return found

    def inside(self, number: str) -> list[Section]:
        """Return a section and its subsections."""
        return [
            section
            for section in self.sections.values()
            if f"{section.number}.".startswith(f"{number}.")
        ]

    def titled(self, title: str) -> list[str]:
        """Return the numbers of sections with this title, ignoring case."""
        return [s.number for s in self.sections.values() if s.title.lower() == title.lower()]

    def beginning(self, number: str) -> str:
        """Return the first paragraph of prose in a section, or ""."""
        blocks = re.split(r"\n\n+", self._text(number))
        prose = (block for block in blocks if not block.startswith(_NO_PROSE))
        return unmarked(" ".join(next(prose, "").split()))

    def reply_section(self, request: str) -> str:
        """Return the number of the section that shows the reply to a type of request, or ""."""
        named = (_REPLY.search(self._text(number)) for number in self.titled(request))
        chapters = (self.inside(match[1]) for match in named if match)
        shown = (s.number for chapter in chapters for s in chapter if _SHOWN_REPLY.search(s.text))
        return next(shown, "")

    def rule(self, number: str, code: str, detail: str) -> str:
        """Quote the rule that a fault breaks. Returns "" if the page doesn't state it.

        Args:
            number: the section of the fault.
            code: the code of the fault.
            detail: the detail of the fault. If it begins with the title of a subsection, such as
                "mine: ...", we look for the rule there. If it mentions fields that the section
                describes in a table, we quote their rows, too.
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
    """Read a file of spec/, such as "vectors/referee-cases.json".

    Raises:
        FileNotFoundError: spec/ has no such file.
    """
    for place in _PLACES:
        if (place / name).exists():
            return (place / name).read_bytes()
    raise FileNotFoundError(name)


@lru_cache
def read_page(name: str) -> SpecPage:
    """Read a page of spec/ by its path without ".md". A page that doesn't exist has no sections."""
    try:
        text = read_spec(f"{name}.md").decode()
    except FileNotFoundError:
        text = ""
    return SpecPage(name, _sections(text), f"spec/{name}.md")


def glossary() -> dict[str, str]:
    """Return the meaning of each word in the glossary. Words and meanings are Markdown."""
    _, _, table = read_spec("README.md").decode().partition("\n## Glossary\n")
    return dict(rows(table))


def _sections(text: str) -> dict[str, Section]:
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


def game_page(definition: GameDefinition) -> SpecPage:
    """Return the page with the protocol of a game.

    Each of our own games has a file in spec/. A game from outside can provide its own text, which
    replaces such a file or only some of its sections.
    """
    if not definition.specification_text:
        return load_page(definition.specification)
    limits = _own_text(definition)
    return _with_text(
        definition.name, definition.specification, definition.specification_text, limits
    )


def page_name(definition: GameDefinition) -> str:
    """Return the name that reports use for a game's protocol.

    Usually, that's the path of the game's page in spec/, without ".md".
    """
    return (
        game_page(definition).place if definition.specification_text else definition.specification
    )


@lru_cache
def _with_text(game: str, name: str, text: str, limits: str) -> SpecPage:
    """Return a protocol in which the game's own text replaces sections of its page in spec/."""
    sections = {**read_page(name).sections, **_sections(text)}
    page = _added(read_page(PROTOCOL).sections, SpecPage(name, sections))
    return _added(page.sections, SpecPage(name, _sections(limits), f"the page of {game}"))


def _own_text(definition: GameDefinition) -> str:
    """Write sections with the default limits and the end reasons of a game.

    The page that all games share leaves these to the page of the game. We add them to a text from
    outside, which may not have them.
    """
    name, given = definition.name, definition.limits
    line = given.get("line_limit", Limits().line_limit) / UNITS["K"]
    seconds = given.get("time_limit", Limits().time_limit)
    time = "none" if is_none(seconds) else f"{seconds:,g} s"
    codes = read_page(definition.specification).sections.get(SHARED.codes)
    reasons = "".join(
        f"| `{code}` | [4](#4-game) | {definition.why_ended(code)} |\n"
        for code in definition.reasons
        if codes is not None and f"| `{code}` |" not in codes.text
    )
    return (
        f"### 1.3 Limits\n\nThe line limit of `{name}` is {line:,g} KiB.\n"
        f"### 8.1 The clock\n\nThe time limit of `{name}` is {time} unless `--time-limit` says "
        f"otherwise.\n## {SHARED.codes} Codes\n\n**End reasons.**\n\n| code | section | why |\n"
        f"|---|---|---|\n{reasons}"
    )


@lru_cache
def load_page(name: str) -> SpecPage:
    """Return the protocol of a game with a page in spec/: the shared page, plus the game's own."""
    return _added(read_page(PROTOCOL).sections, read_page(name))


def _added(shared: Mapping[str, Section], page: SpecPage) -> SpecPage:
    sections = dict(shared)
    for own in page.sections.values():
        # If the shared page has a section with the same number, join both.
        before = sections.get(own.number)
        sections[own.number] = own if before is None else own._replace(text=_joined(before, own))
    order = sorted(sections, key=lambda number: [int(part) for part in number.split(".")])
    return page._replace(sections={number: sections[number] for number in order})


def _joined(shared: Section, own: Section) -> str:
    """Append the game's text of a section to the shared text. Tables of codes become one table."""
    if own.number != SHARED.codes:
        return f"{shared.text}\n\n{own.text}".strip()
    before, more = (_CODES.split(section.text) for section in (shared, own))
    tables = {block.partition(" ")[0]: block for block in more}
    joined = [_one_table(block, tables.get(block.partition(" ")[0], "")) for block in before]
    return "\n\n".join(filter(None, map(str.strip, joined)))


def _one_table(shared: str, own: str) -> str:
    """Add the rows of the shared table at the end of the game's table."""
    if not own:
        return shared
    lines = own.splitlines()
    end = max(place for place, line in enumerate(lines) if line.startswith("|")) + 1
    lines[end:end] = [line for line in shared.splitlines() if line.startswith("| `")]
    return "\n".join(lines)


def unmarked(markdown: str) -> str:
    """Convert inline Markdown to plain text, keeping backticks."""
    return re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", markdown.replace("*", ""))


def rows(text: str) -> Iterator[list[str]]:
    """Yield the rows of all tables in a Markdown text, without the header rows."""
    lines = text.splitlines()
    for before, line in pairwise(lines):
        if line.startswith("|") and before.startswith("|") and not line.startswith("|---"):
            yield [cell.strip() for cell in line.removeprefix("|").removesuffix("|").split("|")]


def _about_fields(text: str, detail: str) -> Iterator[str]:
    for name, *cells in rows(text):
        field = re.match(r"`(\w+)`", name)
        if field is not None and field[1] in detail:
            yield unmarked(f"{', '.join([name, *cells[:-1]])}: {cells[-1]}")


def _naming(text: str, code: str) -> Iterator[str]:
    """Yield the table row of a code. If it has none, yield the first sentence that mentions it."""
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
