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
    """Lines that the bot is sent beside those of the match.

    Attributes:
        before: a message type: before each message of it; or "first": before everything.
        lines: JSON values, sent as compact JSON.
        repeat: how often all of them are sent.
    """

    before: str
    lines: list[Any]
    repeat: int = 1


class Close(Struct, frozen=True, forbid_unknown_fields=True):
    """When the bot's standard input is closed.

    Attributes:
        at: a message type: with the first message of it; or "first": before everything.
        cut: the message is sent up to its middle only.
    """

    at: str
    cut: bool = False


class Case(Rule, frozen=True, forbid_unknown_fields=True):
    """One case: a match of `players` seats in which the bot has the seat `seat`.

    Attributes:
        id: section and number, such as "3.1/1".
        level: whether the sentence that it is about says MUST or SHOULD.
        requirement: the rule, in one sentence.
        speaks: the protocol that the bots of this case speak: the name of a dialect of the game,
            with wildcards, "*" for all; empty: as in the file.
        players: seats of the match.
        seat: the bot's.
        situation: where the match begins; the game's own, see `GameDefinition.situation`.
        others: player number -> its replies, one after the other; an object with the one field
            `leave` disqualifies it instead. When they are used up, and for seats that are not
            there, the seat discards what comes first and ends its turns.
        names: player number -> name, of the other seats; null for one that fails the handshake.
        opponents: BOT arguments for the other seats, in seat order: then they are played by these,
            from the deal to the end.
        options: options of the game. Missing ones are as in the file, or, with opponents, as by
            default.
        seed: of the match; None: that of the run.
        until: "end": up to the end of the match; "handshake": up to the bot's first reply.
        insert, fields, replace, reverse, pieces: changes of the input of the bot, compared with a
            match: extra lines; fields added to every message; message type -> fields with other
            values; all fields in reverse order; pieces of this many bytes (0: as a whole).
        again: the bot's seat in a second match, which follows in the same process if the bot has
            said keep_alive; empty for none.
        listen: whether lines that no request asked for are waited for at the end.
        close: when its input is closed; the case is then over, but for its end.
        exits: within which time it must end by itself after the end of its input: "grace",
            "timeout" or "" (does not matter here).
        about: the kinds of violations that this case judges; all if empty.
        basic: judged first; what fails here is not counted again in later cases.
        vital: a basic case without which nothing can be judged: if it fails, no more is run.
        control: id of a case without what this one is about; what shows there as well, or in the
            control's own control, is not counted here, unless this case is about the very section.
        note: what to know of the match when it fails; by default that of the file, if it has a
            situation.
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
    """The file of the cases.

    Attributes:
        version: of the format.
        game: a key of `GAMES`.
        options: the game's own, of all cases without opponents.
        chapters: the titles of the chapters of the protocol: "1" -> "Framing".
        cases: in the order of their sections.
        note: of all cases with a situation.
        speaks: of all cases that do not say it; empty for the canonical messages.
    """

    format: Literal["conformance-cases"]
    version: Literal[1]
    game: str
    options: dict[str, Any]
    chapters: dict[str, str]
    cases: list[Case]
    note: str = ""
    speaks: str = ""


def load_cases(rules: GameDefinition) -> CaseFile:
    """All cases for bots of a game, each with all its options and its note.

    Raises:
        UsageError: the game has none.
    """
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
    return [
        case
        for case in cases
        if not patterns or any(_matches(case.id, pattern) for pattern in patterns)
    ]


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
