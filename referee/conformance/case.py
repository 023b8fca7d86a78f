"""Conformance cases: data from the game's folder (format: spec/vectors/README.md).

Some sections are the same in all games, so their cases are only written once. They are in
shared-cases.json, with placeholders such as {request}. Each game defines values for the
placeholders, and can change fields of these cases.
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
"""The reason for skipping a case that needs another dialect begins with these words."""

_SHARED = Path(__file__).with_name("shared-cases.json")


class Rule(Struct, frozen=True):
    """The fields of every case, for bots and for referees."""

    id: str
    level: Literal["MUST", "SHOULD"]
    requirement: str

    @property
    def section(self) -> str:
        """The section of the protocol."""
        return self.id.partition("/")[0]


AnyCase = TypeVar("AnyCase", bound=Rule)


class Insert(Struct, frozen=True, forbid_unknown_fields=True):
    """Lines that the bot receives in addition to the lines of the match."""

    before: str | list[str]
    lines: list[Any]
    repeat: int = 1


class Close(Struct, frozen=True, forbid_unknown_fields=True):
    """The message at which the bot's standard input is closed, and whether in its middle."""

    at: str
    cut: bool = False


class Case(Rule, frozen=True, forbid_unknown_fields=True):
    """One case: a match of `players` seats in which the bot under test has the seat `seat`.

    The table in spec/vectors/README.md, 1, describes the fields.
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
        """A key that is equal for cases that play the same match and judge different sections.

        Such a match is only played once.
        """
        judging = {"about": [], "basic": False, "vital": False, "control": "", "level": "MUST"}
        named = {"id": "", "requirement": "", "speaks": "", "note": ""}
        return msgspec.json.encode(msgspec.structs.replace(self, **named, **judging))


class Shared(Struct, frozen=True, forbid_unknown_fields=True):
    """A game's values for the cases of the shared sections.

    Attributes:
        request: type of the request that occurs in every match.
        control: id of a case in which nothing special happens.
        news: type of a message that is not a request.
        messages: types of the messages of a match.
        about: kinds of violations for cases about what a bot accepts. Empty: all.
        omit: ids of cases that do not apply to the game.
        changes: id -> changed fields of the case.
    """

    request: str
    control: str
    messages: list[str]
    news: str = ""
    about: list[str] = []
    omit: list[str] = []
    changes: dict[str, dict[str, Any]] = {}


class CaseFile(Struct, forbid_unknown_fields=True):
    """The file of a game's cases: see spec/vectors/README.md, 1."""

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
    """Load all cases for bots of a game, for all options and seats.

    Cases that need more players than the game has are left out.

    Raises:
        UsageError: the game has no cases.
    """
    if definition.cases is None:
        raise UsageError(f"{definition.name} has no conformance cases for bots")
    file = msgspec.json.decode(definition.cases(), type=CaseFile)
    shared = [] if file.shared is None else _shared_cases(file.shared)
    file.cases = [
        msgspec.structs.replace(
            case,
            players=max(case.players, definition.min_seats),
            options=case.options if case.opponents else file.options | case.options,
            note=case.note or (file.note if case.situation else ""),
            speaks=case.speaks or file.speaks,
        )
        for case in sorted([*shared, *file.cases], key=_order)
        if case.players <= definition.max_seats
    ]
    return file


def _order(case: Case) -> list[int]:
    return [int(part) for part in re.split("[./]", case.id)]


def _shared_cases(game: Shared) -> list[Case]:
    text = _SHARED.read_text(encoding="utf-8")
    # The values of these placeholders are lists, so the quotes must be removed, too.
    for name in ("messages", "about"):
        text = text.replace(f'"{{{name}}}"', msgspec.json.encode(getattr(game, name)).decode())
    for name in ("request", "control", "news"):
        text = text.replace(f"{{{name}}}", getattr(game, name))
    cases: list[dict[str, Any]] = msgspec.json.decode(text)
    made = [case | game.changes.get(case["id"], {}) for case in cases]
    return [case for case in msgspec.convert(made, list[Case]) if case.id not in game.omit]


def select(cases: Sequence[AnyCase], patterns: Sequence[str]) -> list[AnyCase]:
    """Return the cases that match one of the patterns. Without patterns, return all cases.

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
