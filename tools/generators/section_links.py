"""Convert references to sections, "(8.4)" and "[http-bots.md](http-bots.md), 3", to links."""

from __future__ import annotations

import os
import re
from pathlib import Path

from referee.games import GAMES
from referee.match.pages import PROTOCOL

_HEADING = re.compile(r"^#{2,3} (\d+(?:\.\d+)*)\.? (.*)$", re.MULTILINE)
_CODE = re.compile(r"(^ *```.*?^ *```$|^ *[#|][^\n]*$|`[^`\n]*`)", re.MULTILINE | re.DOTALL)
_NUMBER = r"\d{1,2}(?:\.\d{1,2})?"
_HERE = re.compile(rf"(?<=\()({_NUMBER}(?:(?:, | and | to |; ){_NUMBER})*)(?=[);]|, [a-z])")
_PROTOCOL = re.compile(rf"(?<=\()protocol,? ({_NUMBER}(?:(?:, | and ){_NUMBER})*)(?=[);]|, [a-z])")
_ELSEWHERE = re.compile(rf"\[([\w./-]+\.md)\]\(([\w./-]+\.md)\),\s({_NUMBER})(?![\d.]*\d)")
# These pages refer to several pages, so a bare number is ambiguous there.
_OTHER_NUMBERS = ("README.md",)


def anchor(number: str, title: str) -> str:
    """Return the anchor that GitHub gives a numbered heading."""
    words = re.sub(r"[^\w -]", "", f"{number} {title}".lower())
    return words.replace(" ", "-")


def sections(page: Path) -> dict[str, str]:
    text = page.read_text() if page.exists() else ""
    return {number: anchor(number, title) for number, title in _HEADING.findall(text)}


def linked(text: str, page: Path, spec: Path) -> str:
    """Turn references to sections into links. Numbers that we don't know stay text."""
    own = {number: f"#{name}" for number, name in sections(page).items()}
    shared = _targets(spec / f"{PROTOCOL}.md", page)
    dominion = _targets(spec / f"{GAMES['dominion'].specification}.md", page)
    is_game = page in {spec / f"{game.specification}.md" for game in GAMES.values()}
    here = shared | own if is_game else own
    if page.name in _OTHER_NUMBERS:
        here = {}

    def numbers(match: re.Match[str], targets: dict[str, str]) -> str:
        return re.sub(
            _NUMBER,
            lambda one: f"[{one[0]}]({targets[one[0]]})" if one[0] in targets else one[0],
            match[1],
        )

    def elsewhere(match: re.Match[str]) -> str:
        name = sections(page.parent / match[2]).get(match[3])
        return f"[{match[1]}, {match[3]}]({match[2]}#{name})" if name else match[0]

    parts = _CODE.split(text)
    for place in range(0, len(parts), 2):
        part = _ELSEWHERE.sub(elsewhere, parts[place])
        part = _HERE.sub(lambda match: numbers(match, here), part)
        parts[place] = _PROTOCOL.sub(
            lambda match: f"protocol, {numbers(match, dominion | shared)}", part
        )
    return "".join(parts)


def _targets(page: Path, start: Path) -> dict[str, str]:
    path = os.path.relpath(page, start.parent)
    return {number: f"{path}#{name}" for number, name in sections(page).items()}
