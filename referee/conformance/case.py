"""A conformance case: data, from the game's folder (its format: spec/vectors/README.md)."""

from __future__ import annotations

import fnmatch
from collections.abc import Sequence
from typing import Any, Literal, TypeVar

import msgspec
from msgspec import Struct

from referee.errors import UsageError
from referee.games.interface.definition import GameDefinition


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

    before: str
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


def load_cases(rules: GameDefinition) -> CaseFile:
    """All cases for bots of a game, with all their options; raises `UsageError` without any."""
    if rules.cases is None:
        raise UsageError(f"{rules.name} has no conformance cases for bots")
    file = msgspec.json.decode(rules.cases(), type=CaseFile)
    file.cases = [
        msgspec.structs.replace(
            case,
            options=case.options if case.opponents else file.options | case.options,
            note=case.note or (file.note if case.situation else ""),
            speaks=case.speaks or file.speaks,
        )
        for case in file.cases
    ]
    return file


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
