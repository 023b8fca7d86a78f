"""`referee explain`: print a section of the protocol, or explain a code or a word."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator

from referee.cli.console import OK, has_colour, printing, rich_console, width
from referee.cli.options import Options, argument
from referee.cli.settings import game_option
from referee.cli.values import GameName
from referee.errors import UsageError
from referee.games import DEFAULT_GAME, GAMES
from referee.interrupts import Interrupts
from referee.match.pages import PROTOCOL, SpecPage, game_page, glossary, read_page, rows
from referee.text.nearest import near
from referee.text.terminal import plain_lines

# Longer lines are hard to read, even if the terminal is wide.
MOST_WIDTH = 100
_NUMBER = re.compile(r"(\d+(?:\.\d+)*)(?:/.*)?")
_HTTP = "http-bots"
# This page lists violations that only `referee conform` finds ...
_KINDS = "vectors/README"
# ... in one section about bots and one about referees.
_SECTIONS = ("1.2", "2.2")


class ExplainOptions(Options):
    """Print a section of the protocol, the meaning of a code with the sections that explain it,
    or the meaning of a word.
    """

    epilog = "Without WHAT it prints the contents."
    exit_codes = ((0, "printed"),)
    examples = (
        ("referee explain 5.2", "a section; 7 is a chapter, supply-info a title"),
        ("referee explain bad-discard", "a code, with the sections that say more"),
        ("referee explain line-up", "a word of the glossary"),
        ("referee explain http-bots.md 3", "a section of another page"),
    )

    what: tuple[str, ...] = argument(
        "WHAT",
        "a section, a title, a code of a fault or a disqualification, a word, or the id of a case",
    )
    game: GameName = game_option()


def run(options: ExplainOptions, interrupts: Interrupts) -> int:
    page = game_page(GAMES[options.game])
    what = " ".join(options.what)
    markdown = explanation(what, page) if what else _contents(page)
    if markdown is None:
        raise UsageError(_unknown(what, options.game, page))
    with printing():
        _print(plain_lines(markdown.expandtabs()))
    return OK


def explanation(what: str, page: SpecPage) -> str | None:
    """Explain a section, a code or a word, in Markdown, or return None if we don't know it."""
    page, what = _place(page, what)
    number = _NUMBER.fullmatch(what)
    if number is not None:
        return _section(page, number[1]) or None
    word = what.lower()
    meanings = dict(_meanings(page, word))
    sections = [_place(page, number) for numbers in meanings.values() for number in numbers]
    if not meanings:
        sections = [(page, number) for number in page.titled(word)]
    texts = dict.fromkeys(_section(*section) for section in sections)
    terms = [f"- **{word}**: {meaning}" for term, meaning in glossary().items() if term == word]
    return "\n\n".join([*terms, *meanings, *filter(None, texts)]) or None


def _section(page: SpecPage, number: str) -> str:
    return "\n\n".join(f"## {s.number} {s.title}\n\n{s.text}" for s in page.inside(number))


def _place(page: SpecPage, what: str) -> tuple[SpecPage, str]:
    first, _, rest = what.partition(" ")
    return (read_page(_HTTP), rest) if first.removesuffix(".md") == _HTTP else (page, what)


def _meanings(page: SpecPage, word: str) -> Iterator[tuple[str, list[str]]]:
    codes = [code for code in page.codes if code.code == word]
    for code in codes:
        then = f"; {code.then}" if code.then else ""
        text = f"- `{word}`, {code.kind}: {code.why}{then}"
        yield text, [code.section] if code.section else []
    for kinds, sections, why in () if codes else _findings():
        if word in kinds:
            text = f"- `{word}`, found by `referee conform`: {why}"
            yield text, re.findall(r"(?:[\w.-]+ )?[\d.]+", sections)


def _findings() -> Iterator[tuple[list[str], str, str]]:
    for number in _SECTIONS:
        for kinds, sections, why in rows(read_page(_KINDS).sections[number].text):
            yield re.findall("`([a-z-]+)`", kinds), sections, why


def _contents(page: SpecPage) -> str:
    lines = [f"Sections of spec/{PROTOCOL}.md and {page.place}:", ""]
    for section in page.sections.values():
        indent = "  " * section.number.count(".")
        lines.append(f"{indent}- {section.number} {section.title}")
    return "\n".join(lines)


def _unknown(what: str, game: str, page: SpecPage) -> str:
    text = f"{what!r} is not a section, title or code of {page.place}, nor a word of the glossary"
    # We look in the pages of the other games, too. For a section number we only do that if somebody
    # may have forgotten --game, because the games number their sections differently.
    others = GAMES if game == DEFAULT_GAME or _NUMBER.fullmatch(what) is None else {}
    for name, definition in others.items():
        if name != game and explanation(what, game_page(definition)):
            return f"{text}; the page of {name} has it: add --game {name}"
    names = near(what.lower(), _names(page), 3)
    if names:
        return f"{text}; did you mean {' or '.join(names)}?"
    return (
        f"{text} (referee explain lists the sections; referee explain 9 the codes; "
        "spec/README.md has the glossary)"
    )


def _names(page: SpecPage) -> list[str]:
    titles = (section.title.lower() for section in page.sections.values())
    codes = (code.code for code in page.codes)
    kinds = (kind for kinds, _, _ in _findings() for kind in kinds)
    return list(dict.fromkeys([*page.sections, *titles, *codes, *kinds, *glossary()]))


def _print(markdown: str) -> None:
    from rich.markdown import Markdown

    console = rich_console(sys.stdout, min(width(sys.stdout), MOST_WIDTH))
    markdown = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", markdown)
    lines: list[str] = []
    # JSON lines are there to be copied, so we don't wrap them.
    for place, text in enumerate(re.split(r"^```.*\n?", markdown, flags=re.MULTILINE)):
        if place % 2:
            lines += ["", *(f"  {line}" for line in text.splitlines()), ""]
            continue
        if not has_colour(sys.stdout):  # we don't have colours for code, so keep the backticks
            text = re.sub("`([^`]+)`", r"`` `\1` ``", text)
        with console.capture() as caught:
            console.print(Markdown(text))
        lines += [line.rstrip() for line in caught.get().strip("\n").splitlines()]
    for before, line in zip(["", *lines], lines, strict=False):
        if line or before:  # avoids two empty lines in a row
            print(line)
