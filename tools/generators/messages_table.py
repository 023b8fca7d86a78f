"""Generates the tables of messages and replies in spec/messages.md, with examples."""

from __future__ import annotations

import json
import re

from referee.games import GAMES
from referee.match.pages import PROTOCOL, SpecPage, read_page, rows
from tools.generators.section_links import anchor

# Longer examples, in characters, are only on the page of the game.
MOST = 400
_JSON = re.compile(r"^```json\n(.*)\n```$", re.MULTILINE)


def messages(game: str) -> str:
    """Return a row for each type: who receives it, its section, and an example.

    Args:
        game: the name of a game; empty for the messages that all games share.
    """
    page = read_page(GAMES[game].specification if game else PROTOCOL)
    examples = _examples(page)
    listed = [cells for cells in rows(page.sections["2"].text) if cells[0] in page.sections]
    readers = {cells[1].strip("`"): cells[2] for cells in listed}
    numbers = {cells[1].strip("`"): cells[0] for cells in listed}
    numbers |= {kind: number for kind, (number, _) in examples.items()}
    if game:
        for kind in _examples(read_page(PROTOCOL)):
            numbers.pop(kind, None)
    lines = ["| type | to | section | example |", "|---|---|---|---|"]
    for kind, number in numbers.items():
        is_reply = kind.endswith(("-reply", "-reaction"))
        reader = "referee" if is_reply else "each bot" if kind.endswith("-request") else "all"
        path = f"{page.name}.md#{anchor(number, page.sections[number].title)}"
        example = examples.get(kind, ("", ""))[1]
        shown = f"`{example}`" if 0 < len(example) <= MOST else "see its section"
        lines.append(f"| `{kind}` | {readers.get(kind, reader)} | [{number}]({path}) | {shown} |")
    return "\n".join(lines)


def _examples(page: SpecPage) -> dict[str, tuple[str, str]]:
    """Return type -> number of the first section with an example, and that example."""
    found: dict[str, tuple[str, str]] = {}
    for section in page.sections.values():
        for text in _JSON.findall(section.text):
            message = json.loads(text)
            if isinstance(message, dict) and "type" in message:
                found.setdefault(message["type"], (section.number, text))
    return found
