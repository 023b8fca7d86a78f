"""Loads a game's conformance cases (format: tests/conformance/README.md).

The cases come from a JSON file in the game's folder. Some sections of the protocol are the same in
all games, so their cases are in shared-cases.json, with placeholders such as {request}. A game
fills in the placeholders, and can change or omit single cases.
"""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal, TypeVar

import msgspec
from msgspec import Struct

from referee.errors import UsageError
from referee.games.interface.definition import GameDefinition

OTHER_DIALECT = "only for bots that speak"
"""If we skip a case because it needs another dialect, the reason begins with these words."""

_SHARED = Path(__file__).with_name("shared-cases.json")


class Rule(Struct, frozen=True):
    """A rule for bots or referees. Base class of the cases for both."""

    id: str
    requirement: str
    level: Literal["MUST", "SHOULD"] = "MUST"

    @property
    def section(self) -> str:
        """The section of the protocol that contains the rule, from the `id`."""
        return self.id.partition("/")[0]


AnyCase = TypeVar("AnyCase", bound=Rule)


class Insert(Struct, frozen=True, forbid_unknown_fields=True):
    """Lines that the bot receives in addition to the lines of the match."""

    before: str | list[str]
    lines: list[Any]
    repeat: int = 1


class Close(Struct, frozen=True, forbid_unknown_fields=True):
    """The message at which we close the bot's stdin, and whether we close it in mid-message."""

    at: str
    cut: bool = False


class Case(Rule, frozen=True, forbid_unknown_fields=True):
    """A case: a match with `players` seats, in which the tested bot has the seat `seat`.

    The table in tests/conformance/README.md, 1, describes the fields.
    """

    speaks: str = ""
    players: int = 2
    seat: str = "player1"
    situation: dict[str, Any] = {}
    others: dict[str, list[Any]] = {}
    names: dict[str, str | None] = {}
    opponents: list[str] = []
    options: dict[str, Any] = {}
    seed: int | None = None
    until: Literal["end", "handshake"] = "end"
    insert: list[Insert] = []
    fields: dict[str, Any] = {}
    replace: dict[str, dict[str, Any]] = {}
    reverse: bool = False
    pieces: int = 0
    close: Close | None = None
    again: str = ""
    listen: bool = False
    exits: Literal["", "grace", "timeout"] = ""
    about: list[str] = []
    basic: bool = False
    vital: bool = False
    control: str = ""
    note: str = ""

    @property
    def script(self) -> bytes:
        """A key for the match that the case plays.

        Cases with the same key play the same match and only judge it differently, so we play it
        once.
        """
        judging = {"about": [], "basic": False, "vital": False, "control": "", "level": "MUST"}
        named = {"id": "", "requirement": "", "speaks": "", "note": ""}
        return msgspec.json.encode(msgspec.structs.replace(self, **named, **judging))


class Shared(Struct, frozen=True, forbid_unknown_fields=True):
    """A game's values for the cases of the shared sections.

    Attributes:
        request: type of the request that occurs in every match.
        control: id of a case in which nothing special happens. It's the control of all cases that
            don't name one, except for basic ones.
        news: type of a message that is not a request.
        messages: types of the messages of a match.
        about: kinds of violations for the game's own cases that don't list any. If it's empty, all
            kinds count.
        omit: ids of cases that do not apply to the game.
        changes: maps the id of a case to its changed fields.
    """

    request: str
    control: str
    messages: list[str]
    news: str = ""
    about: list[str] = []
    omit: list[str] = []
    changes: dict[str, dict[str, Any]] = {}


class CaseFile(Struct, forbid_unknown_fields=True):
    """The file with a game's cases (see spec/vectors/README.md, 1)."""

    format: Literal["conformance-cases"]
    version: Literal[1]
    game: str
    options: dict[str, Any]
    chapters: dict[str, str]
    cases: list[Case]
    note: str = ""
    speaks: str = ""
    shared: Shared | None = None


def load_cases(definition: GameDefinition) -> CaseFile:
    """Load the cases for bots of a game, including the shared ones, sorted by section.

    Cases that need more players than the game allows are left out.

    Raises:
        UsageError: the game has no cases.
    """
    if definition.cases is None:
        raise UsageError(f"{definition.name} has no conformance cases for bots")
    file = msgspec.json.decode(definition.cases(), type=CaseFile)
    own, shared, about, control = file.cases, [], [], ""
    if file.shared is not None:
        shared = _shared_cases(file.shared)
        about, control = file.shared.about, file.shared.control
    own = [msgspec.structs.replace(case, about=case.about or about) for case in own]
    file.cases = [
        msgspec.structs.replace(
            case,
            players=max(case.players, definition.min_seats),
            options=case.options if case.opponents else file.options | case.options,
            note=case.note or (file.note if case.situation else ""),
            speaks=case.speaks or file.speaks,
            control="" if case.control == "none" else case.control or control * (not case.basic),
        )
        for case in sorted([*shared, *own], key=_order)
        if case.players <= definition.max_seats
    ]
    return file


def _order(case: Case) -> list[int]:
    return [int(part) for part in re.split("[./]", case.id)]


def _shared_cases(game: Shared) -> list[Case]:
    text = _SHARED.read_text(encoding="utf-8")
    # These two placeholders are replaced by lists, so we replace the quotes around them as well.
    for name in ("messages", "about"):
        text = text.replace(f'"{{{name}}}"', msgspec.json.encode(getattr(game, name)).decode())
    for name in ("request", "news"):
        text = text.replace(f"{{{name}}}", getattr(game, name))
    cases: list[dict[str, Any]] = msgspec.json.decode(text)
    made = [case | game.changes.get(case["id"], {}) for case in cases]
    return [case for case in msgspec.convert(made, list[Case]) if case.id not in game.omit]


def select(cases: Sequence[AnyCase], patterns: Sequence[str]) -> list[AnyCase]:
    """Return the cases that match any of the patterns, or all cases if you pass no patterns.

    Args:
        patterns: ids, sections, chapters, or any of these with wildcards.

    Raises:
        UsageError: a pattern matches no case.
    """
    for pattern in patterns:
        if not any(_matches(case.id, pattern) for case in cases):
            raise UsageError(f"no case matches {pattern!r} (see --list)")
    if not patterns:
        return list(cases)
    return [case for case in cases if any(_matches(case.id, pattern) for pattern in patterns)]


def _matches(id: str, pattern: str) -> bool:
    section = id.partition("/")[0]
    chapter = pattern.rstrip("/")
    return (
        fnmatch.fnmatchcase(id, pattern) or section == chapter or section.startswith(chapter + ".")
    )
