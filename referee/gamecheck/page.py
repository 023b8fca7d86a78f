"""Write a Markdown page about a game, for authors of bots (`referee game page`).

The page contains all sections of the protocol, including those that are the same for all games, so
that bot authors don't need any other page. We play random matches to get examples of messages, the
values of fields, and a whole match.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec
from msgspec import Struct

from referee.errors import UsageError
from referee.gamecheck.fields import fields
from referee.gamecheck.lines import LinesMatch
from referee.gamecheck.match import Setting
from referee.games.interface.definition import GameDefinition
from referee.match.machine import Entry, Received, Sent
from referee.match.messages import GameEnd
from referee.match.pages import Section, game_page
from referee.match.players import Players

_RULES = "4"
# Chapters in the order in which the author of a bot needs them.
_ORDER = (_RULES, "2", "5", "6", "7", "9", "3", "1", "8", "10")
# We show a match up to the second reply, and then its last two lines.
_REPLIES, _LAST = 2, 2
# The example of a message is the fourth message of its type. In the first one, fields are often
# empty.
_SHOWN = 4
# The probability that a player leaves instead of replying, in every other match.
_LEAVING = 0.05
_EXAMPLE = re.compile(r"^```json\n(.*?)\n```\n?", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\[([^]]*)\]\(([^)#]*)(#[^)]*)?\)")


class _Line(NamedTuple):
    """A line of a match.

    Attributes:
        seat: the seat that wrote or received the line, or None if all seats received it.
    """

    seat: int | None
    is_reply: bool
    text: str


def page_of(definition: GameDefinition, matches: int, seed: int) -> str:
    """Return the page of a game as Markdown.

    Args:
        matches: how many random matches to play to find out the values of fields.
        seed: the seed of the first match.

    Raises:
        UsageError: the game doesn't say which moves are legal, so we can't play random matches.
        GameError: the game's code has a mistake.
    """
    if not Players.can_play(definition):
        raise UsageError(f"no match of {definition.name} can be played at random, for examples")
    # A game with its own page in spec/ already has a description of its fields there.
    has_fields = bool(definition.specification_text)
    numbers = range(seed, seed + (matches if has_fields else 1))
    played = [_random_match(definition, number) for number in numbers]
    own = _own_messages(definition, played) if has_fields else {}
    sections = sorted(game_page(definition).sections.values(), key=_place)
    parts = [f"# {definition.name}", *_introduction(definition.name, sections)]
    for section in sections:
        parts += _section(section, own)
        if section.number == _RULES:
            parts += _match(played[0])
    if not any(section.number == _RULES for section in sections):
        parts += _match(played[0])
    return "\n\n".join(parts) + "\n"


def _place(section: Section) -> tuple[int, list[int]]:
    """Return a key to sort sections, first by the order of chapters, and then by number."""
    chapter, *_ = section.number.split(".")
    place = _ORDER.index(chapter) if chapter in _ORDER else len(_ORDER)
    return place, [int(part) for part in section.number.split(".")]


def _introduction(game: str, sections: Sequence[Section]) -> Iterator[str]:
    yield f"This page is for people who write bots for `{game}`. `referee game page` made it."
    chapters = [_heading(section) for section in sections if "." not in section.number]
    links = ", ".join(f"[{title}](#{_anchor(title)})" for title in chapters)
    yield f"Reports of the referee name these sections: {links}."


def _heading(section: Section) -> str:
    return f"{section.number} {section.title}"


def _anchor(title: str) -> str:
    return re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-")


class _Lines(LinesMatch):
    def __init__(self, definition: GameDefinition, seed: int) -> None:
        seats = definition.min_seats + seed % (definition.max_seats - definition.min_seats + 1)
        # A match of two is over if one of them leaves.
        leaving = _LEAVING if seed % 2 and seats > 2 else 0.0
        super().__init__(definition, Setting(seed, seats, leaving=leaving))
        self.lines: list[_Line] = []

    def receive(self, entry: Entry) -> None:
        if isinstance(entry, Sent):
            self.lines.append(_Line(entry.to, False, entry.line.decode().rstrip("\n")))
        elif isinstance(entry, Received):
            self.lines.append(_Line(entry.seat, True, entry.line.decode()))
        super().receive(entry)


def _random_match(definition: GameDefinition, seed: int) -> list[_Line]:
    match = _Lines(definition, seed)
    match.play()
    return match.lines


def _own_messages(definition: GameDefinition, matches: Sequence[Sequence[_Line]]) -> dict[str, Any]:
    kinds: tuple[type[Struct], ...] = (*definition.public, *definition.requests)
    kinds += (*definition.replies, GameEnd)
    found: dict[str, Any] = {str(kind.__struct_config__.tag): [] for kind in kinds}
    for match in matches:
        for line in match:
            message = msgspec.json.decode(line.text)
            if message["type"] in found:
                found[message["type"]].append(message)
    return {kind: messages for kind, messages in found.items() if messages}


def _section(section: Section, own: Mapping[str, Any]) -> Iterator[str]:
    yield f"{'###' if '.' in section.number else '##'} {_heading(section)}"
    text = _EXAMPLE.sub(lambda found: _example(found[0], own), section.text).strip()
    if text:
        yield _LINK.sub(_link, text)
    messages = own.get(section.title) or own.get(_kind_of(section.text), ())
    if messages:
        yield "The fields had these values in random matches:"
        rows = (f"| `{path}` | {words} |" for path, words in fields(messages))
        yield "\n".join(["| field | values |", "|---|---|", *rows])


def _kind_of(text: str) -> str:
    """Return the type of the first message in a Markdown text, or "" if there isn't any."""
    found = _EXAMPLE.search(text)
    message = msgspec.json.decode(found[1]) if found is not None else {}
    return message.get("type", "") if isinstance(message, dict) else ""


def _example(block: str, own: Mapping[str, Any]) -> str:
    messages = own.get(_kind_of(block))
    if not messages:
        return block
    shown = messages[min(len(messages), _SHOWN) - 1]
    return f"```json\n{msgspec.json.encode(shown).decode()}\n```\n"


def _link(found: re.Match[str]) -> str:
    """Keep links within the page, but replace links to other pages by their text."""
    text, page, anchor = found[1], found[2], found[3]
    is_here = not page or page.rpartition("/")[2] == "protocol.md"
    return f"[{text}]({anchor})" if is_here and anchor else text


def _match(lines: Sequence[_Line]) -> Iterator[str]:
    """Yield the beginning and the end of a match, as player 1 sees it."""
    yield "### A match"
    yield (
        "`>` marks a line that player 1 gets, and `<` a line that it writes. All bots choose at "
        "random. `...` stands for the lines in between."
    )
    own = [line for line in lines if line.seat in (None, 0)]
    replies = [place for place, line in enumerate(own) if line.is_reply]
    # The first reply belongs to the handshake, so show one more.
    first = (replies[: _REPLIES + 1] or [0])[-1] + 1
    texts = [f"{'<' if line.is_reply else '>'} {line.text}" for line in own]
    cut = len(texts) > first + _LAST
    shown = [*texts[:first], "...", *texts[-_LAST:]] if cut else texts
    yield "\n".join(["```", *shown, "```"])
