"""Put the pages together that have a source: of each game, and of rule files.

    python -m tools.generators.make_pages [--check]

What all games share stands in spec/sources/shared.md, what a game has to itself in
spec/sources/GAME.md. The latter begins with its words for the blanks (`$name`) of the shared parts,
as TOML between two lines "+++". A line `<!-- shared NAME -->` stands for a part. In
spec/sources/rule-bots.md a line `<!-- words GAME -->` stands for the words of a game's rule files,
in spec/sources/tribute.md `<!-- cards tribute -->` for the table of its cards.
With --check nothing is written: it fails if a page is out of date.
"""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path
from string import Template

from referee.games import GAMES
from tools.generators.rule_words import with_words
from tools.generators.tribute_cards import with_cards

SPEC = Path(__file__).resolve().parents[2] / "spec"
SHARED = "sources/shared.md"
RULES = "sources/rule-bots.md"
HEAD = "<!-- Put together by tools/generators/make_pages.py from spec/{} and {}. -->\n\n"
PART = re.compile(r"^<!-- part (.+?) -->\n(.*?)\n*(?=^<!-- part |\Z)", re.MULTILINE | re.DOTALL)
MARK = re.compile(r"^<!-- shared (.+) -->$", re.MULTILINE)


def pages(spec: Path = SPEC) -> dict[Path, str]:
    """File -> text of each game's page; KeyError if a part or a blank is not there."""
    parts = dict(PART.findall((spec / SHARED).read_text()))
    made = {}
    for game in GAMES.values():
        source = f"sources/{game.name}.md"
        _, blanks, own = (spec / source).read_text().split("+++\n", 2)
        words = tomllib.loads(blanks) | {"up": "../" * game.specification.count("/")}
        # What `split` gives is by turns own text and the name of a part.
        texts = [
            Template(parts[text]).substitute(words) if place % 2 else text
            for place, text in enumerate(MARK.split(own))
        ]
        head = HEAD.format(source, f"spec/{SHARED}")
        made[spec / f"{game.specification}.md"] = head + with_cards("".join(texts))
    rules = (spec / RULES).read_text()
    made[spec / "rule-bots.md"] = HEAD.format(RULES, "the games' words") + with_words(rules)
    return made


def stale(spec: Path = SPEC) -> list[Path]:
    """The pages that are not as their sources say."""
    return [
        file for file, text in pages(spec).items() if not file.exists() or file.read_text() != text
    ]


if __name__ == "__main__":
    if sys.argv[1:] == ["--check"]:
        if found := stale():
            sys.exit(f"not up to date: {', '.join(map(str, found))}; run {sys.argv[0]}")
    else:
        for file, text in pages().items():
            file.write_text(text)
