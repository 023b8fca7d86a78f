"""A conformance case: data, from the game's folder (its format: spec/vectors/README.md).

shared-cases.json has the cases of the sections that all games share, with blanks such as {request}.
The file of a game fills them in, and changes fields of some of these cases.
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
"""Begins the reason why a case is skipped that has other messages than the bot."""

_SHARED = Path(__file__).with_name("shared-cases.json")


class Rule(Struct, frozen=True):
    """The fields that every case has, for bots and for referees."""

    id: str
    level: Literal["MUST", "SHOULD"]
    requirement: str

    @property
    def section(self) -> str:
        """The section of the protocol."""
        return self.id.partition("/")[0]


AnyCase = TypeVar("AnyCase", bound=Rule)


class Insert(Struct, frozen=True, forbid_unknown_fields=True):
    """Lines that the bot is sent in addition to those of the match."""

    before: str | list[str]
    lines: list[Any]
    repeat: int = 1


class Close(Struct, frozen=True, forbid_unknown_fields=True):
    """When the bot's standard input is closed, and whether in the middle of that message."""

    at: str
    cut: bool = False


class Case(Rule, frozen=True, forbid_unknown_fields=True):
    """One case: a match of `players` seats in which the bot has the seat `seat`.

    The table of spec/vectors/README.md, 1, describes the fields.
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
        """A key that is equal for cases that differ only in the sections that they judge."""
        judging = {"about": [], "basic": False, "vital": False, "control": "", "level": "MUST"}
        named = {"id": "", "requirement": "", "speaks": "", "note": ""}
        return msgspec.json.encode(msgspec.structs.replace(self, **named, **judging))


class Shared(Struct, frozen=True, forbid_unknown_fields=True):
    """How a game fills in the cases of the shared sections.

    Attributes:
        request: the type of the request that comes in every match.
        control: the id of a match in which nothing else happens.
        news: the type of a message that no reply follows.
        messages: the types of the messages of a match.
        about: the kinds of violation of the cases about what a bot accepts; empty: all.
        omit: ids of the cases that the game does not have.
        changes: id -> fields of that case that differ in this game.
    """

    request: str
    control: str
    messages: list[str]
    news: str = ""
    about: list[str] = []
    omit: list[str] = []
    changes: dict[str, dict[str, Any]] = {}


class CaseFile(Struct, forbid_unknown_fields=True):
    """The file of the cases: see spec/vectors/README.md, 1."""

    format: Literal["conformance-cases"]
    version: Literal[1]
    game: str
    options: dict[str, Any]
    chapters: dict[str, str]
    cases: list[Case]
    note: str = ""
    speaks: str = ""
    shared: Shared | None = None


def load_cases(rules: GameDefinition) -> CaseFile:
    """All cases for bots of a game, with all their options and seats.

    Cases for more players than the game has are left out.

    Raises:
        UsageError: there are no cases for this game.
    """
    if rules.cases is None:
        raise UsageError(f"{rules.name} has no conformance cases for bots")
    file = msgspec.json.decode(rules.cases(), type=CaseFile)
    shared = [] if file.shared is None else _shared_cases(file.shared)
    file.cases = [
        msgspec.structs.replace(
            case,
            players=max(case.players, rules.min_seats),
            options=case.options if case.opponents else file.options | case.options,
            note=case.note or (file.note if case.situation else ""),
            speaks=case.speaks or file.speaks,
        )
        for case in sorted([*shared, *file.cases], key=_order)
        if case.players <= rules.max_seats
    ]
    return file


def _order(case: Case) -> list[int]:
    return [int(part) for part in re.split("[./]", case.id)]


def _shared_cases(game: Shared) -> list[Case]:
    """The cases of the shared sections, as a game has them."""
    text = _SHARED.read_text(encoding="utf-8")
    for name in ("messages", "about"):  # lists, in place of a text
        text = text.replace(f'"{{{name}}}"', msgspec.json.encode(getattr(game, name)).decode())
    for name in ("request", "control", "news"):
        text = text.replace(f"{{{name}}}", getattr(game, name))
    cases: list[dict[str, Any]] = msgspec.json.decode(text)
    made = [case | game.changes.get(case["id"], {}) for case in cases]
    return [case for case in msgspec.convert(made, list[Case]) if case.id not in game.omit]


def select(cases: Sequence[AnyCase], patterns: Sequence[str]) -> list[AnyCase]:
    """The cases that match one of the patterns; without patterns, all cases.

    Args:
        patterns: each an id, a section, a chapter, or one of these with wildcards.

    Raises:
        UsageError: a pattern names no case.
    """
    for pattern in patterns:
        if not any(_matches(case.id, pattern) for case in cases):
            raise UsageError(f"no case matches {pattern!r} (see --list)")
    if not patterns:
        return list(cases)
    return [case for case in cases if any(_matches(case.id, pattern) for pattern in patterns)]


def pattern_of(rules: GameDefinition, section: str) -> str:
    """A pattern for `select` of the cases about a section, or about its chapter; empty if none."""
    if rules.cases is None:
        return ""
    ids = [case.id for case in load_cases(rules).cases]
    for pattern in (section, section.partition(".")[0]):
        if any(_matches(id, pattern) for id in ids):
            return pattern
    return ""


def _matches(id: str, pattern: str) -> bool:
    section = id.partition("/")[0]
    chapter = pattern.rstrip("/")
    return (
        fnmatch.fnmatchcase(id, pattern) or section == chapter or section.startswith(chapter + ".")
    )
