"""Write the generated parts of the pages: tables of limits, words, cards and commands, and links.

    python -m tools.generators.make_pages [--check]

A generated part of a page is between the lines `<!-- generated: NAME -->` and `<!-- end -->`.
References to sections, such as "(8.4)", become links. The kit of Dominion, a Python file, also has
a generated part, between `# generated: NAME` and `# end`, and so do the types of a match page's
data, between `// generated: NAME` and `// end`.

--check writes nothing. It fails if one of these files is out of date.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from referee.games import GAMES
from tools.generators.commands_table import commands
from tools.generators.config_table import configuration, keys
from tools.generators.dominion_cards import card_table
from tools.generators.limits_table import limits
from tools.generators.messages_table import messages
from tools.generators.page_types import page_types
from tools.generators.rule_words import words
from tools.generators.section_links import anchor, linked
from tools.generators.spaces_table import actions, observations
from tools.generators.tribute_cards import cards

ROOT = Path(__file__).resolve().parents[2]
DOMINION = ROOT / "referee/games/dominion"
# Name of a part -> a function from its current to its new text.
PARTS: dict[str, Callable[[str], str]] = {
    "limits": limits,
    "words dominion": lambda _: words("dominion"),
    "words starrealms": lambda _: words("starrealms"),
    "cards dominion": lambda _: card_table(),
    "cards tribute": lambda _: cards(),
    "commands": lambda _: commands(),
    "keys": lambda _: keys(),
    "configuration": lambda _: configuration(),
    "page types": page_types,
    "starter javascript": lambda _: code(DOMINION / "starters/javascript/my_bot.js", "javascript"),
    "trained bot": lambda _: code(ROOT / "tools/learning/trained_bot.py", "python"),
    "messages": lambda _: messages(""),
    "messages dominion": lambda _: messages("dominion"),
    "messages botwars": lambda _: messages("botwars"),
    "messages starrealms": lambda _: messages("starrealms"),
    "messages tribute": lambda _: messages("tribute"),
    **{f"observation {game}": partial(observations, game) for game in GAMES},
    **{f"actions {game}": partial(actions, game) for game in GAMES},
}


def code(file: Path, language: str) -> str:
    """Return a file as a block of code."""
    return f"```{language}\n{file.read_text()}```"


_PART = re.compile(
    r"^((?:<!--|#|//) generated: ([\w ]+?)(?: -->)?\n)(.*?)^((?:<!--|#|//) end(?: -->)?)$",
    re.MULTILINE | re.DOTALL,
)


def made(text: str) -> str:
    """Return a page with its generated parts made again.

    Raises:
        KeyError: it contains a part that we don't know.
    """
    parts = PARTS | {"contents": lambda _: contents(text)}
    return _PART.sub(lambda part: f"{part[1]}{parts[part[2]](part[3])}\n{part[4]}", text)


def contents(text: str) -> str:
    """Return the list of the numbered chapters of a page, with their sections."""
    lines = []
    for level, number, title in re.findall(r"^(###?) ([\d.]+) (.+)$", text, re.MULTILINE):
        link = f"[{number} {title}](#{anchor(number, title)})"
        if level == "##":
            lines.append(f"- {link}")
        else:
            lines[-1] += f"{',' if ': ' in lines[-1] else ':'} {link}"
    return "\n".join(lines)


def pages(root: Path = ROOT) -> Iterator[Path]:
    yield from sorted([*root.glob("*.md"), *root.glob("spec/**/*.md")])


def current(file: Path, root: Path = ROOT) -> str:
    """Return the up-to-date text of one of these files."""
    text = made(file.read_text())
    return linked(text, file, root / "spec") if file.suffix == ".md" else text


def stale(root: Path = ROOT) -> list[Path]:
    """Return the files that aren't up to date: their generated parts, or links to sections."""
    others = ("referee/games/dominion/kit.py", "tools/javascript/data.d.ts")
    files = [*pages(root), *(file for other in others for file in root.glob(other))]
    return [file for file in files if current(file, root) != file.read_text()]


if __name__ == "__main__":
    if sys.argv[1:] == ["--check"]:
        if found := stale():
            sys.exit(f"not up to date: {', '.join(map(str, found))}; run {sys.argv[0]}")
    else:
        for page in stale():
            page.write_text(current(page))
