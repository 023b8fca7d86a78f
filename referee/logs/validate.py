"""Check a spectator log that any referee wrote (the protocol; spec/log-format.md, 1).

First what holds for every game: lines, JSON, schema, names first, `game-end` last. The game's own
checker then says whether such a game can have been played.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator
from typing import NamedTuple, TypeAlias

import msgspec
from msgspec import UNSET, Struct

from referee.errors import LogReadError
from referee.games import DEFAULT_GAME, GAMES
from referee.logs.lines import BOM, Line, Messages, max_seats, message_kinds
from referee.logs.source import LogReader
from referee.match import CONTROL_CHARACTERS, MAX_NAME_LENGTH
from referee.seam.capabilities import Finding, LogChecker
from referee.seam.faults import Disqualification, Termination, describe
from referee.seam.rules import Rules
from referee.seam.seats import seat_id, seat_of
from referee.specification import SHARED, load_page
from referee.wire.messages import (
    PROTOCOL_VERSION,
    SHARED_PUBLIC,
    GameEnd,
    PlayerDisqualified,
    PlayerName,
    PlayerNameRequest,
)
from referee.wire.shapes import meant, misfits

MAX_FINDINGS = 100
"""Different findings of a log, at most: one with more is not mended line by line."""
_SHOWN = 120
"""Characters of a line that are shown, at most."""
_SHOWN_FINDING = 400
"""Characters that are shown of what a finding expects, and of what it found, at most."""
_OUTSIDE_STRINGS = re.compile(rb'"(?:[^"\\]|\\.)*"')


class Validation(Struct, frozen=True):
    """A log's findings; a line of `referee validate --format json`.

    Attributes:
        name: of the file, as it was given.
        valid: whether there is none.
        findings: in the order of lines, `MAX_FINDINGS` at most.
    """

    name: str
    valid: bool
    findings: list[Finding]


class CheckedLog(NamedTuple):
    """What checking a log has shown.

    Attributes:
        findings: as of `validate_log`.
        page: of the specification that it was checked against.
        unchecked: the name of its game, if that has no checker: only the lines were checked.
    """

    findings: list[Finding]
    page: str
    unchecked: str


def validate_log(name: str, rules: Rules | None = None) -> Iterator[Finding]:
    """Everything in a spectator log that the protocol does not allow, in the order of lines.

    What is wrong in the same way on many lines is one finding, with the first line and a count.
    Memory does not grow with the log. After `MAX_FINDINGS` different ones it stops.

    Args:
        name: of the file; "-" is standard input.
        rules: of the game that it must be a log of; None for the game that it shows.

    Raises:
        UsageError: the file cannot be opened; raised at the first step.
    """
    yield from check_log(name, rules).findings


def check_log(name: str, rules: Rules | None = None) -> CheckedLog:
    """As `validate_log`, and against what the log was checked."""
    found: dict[Hashable, Finding] = {}
    with LogReader(name) as reader:
        messages = Messages(reader, rules)
        for key, finding in _findings(reader, messages):
            before = found.get(key)
            if before is not None:
                found[key] = msgspec.structs.replace(before, count=before.count + 1)
            elif len(found) < MAX_FINDINGS:
                found[key] = finding
            else:
                break
    findings, game = list(found.values()), messages.rules
    if game is None:
        return CheckedLog(findings, GAMES[DEFAULT_GAME].specification, "")
    return CheckedLog(findings, game.specification, "" if game.checker else game.name)


_Found: TypeAlias = tuple[Hashable, Finding]
"""A finding, after what is equal for all that are the same mistake."""


def _findings(reader: LogReader, messages: Messages) -> Iterator[_Found]:
    check: _Check | None = None
    try:
        for line in messages:
            check = check or _Check(messages.rules)
            yield from check.line(line)
            if check.hopeless:
                return
    except LogReadError as error:
        yield _worded(Finding(error.line, SHARED.lines, "a line that can be read", error.problem))
        return
    if check is None:
        yield _worded(Finding(1, SHARED.names, "a player-name", "an empty file"))
    elif not check.ended:
        found = "the end of the compressed data" if reader.cut else "the end of the log"
        expected = "more, up to a game-end: the log was cut short"
        yield _worded(Finding(reader.line + 1, check.section(GameEnd), expected, found))


def _worded(finding: Finding) -> _Found:
    """A finding that is the same mistake where it has the same words, as far as they are shown."""
    expected, found = (
        text if len(text) <= _SHOWN_FINDING else text[:_SHOWN_FINDING] + "..."
        for text in (finding.expected, finding.found)
    )
    shown = msgspec.structs.replace(finding, expected=expected, found=found)
    return (shown.section, expected, found), shown


class _Check:
    """What was seen of a log so far.

    Args:
        rules: of its game; None if it is unknown.

    Attributes:
        hopeless: this is no spectator log, or of no game that is known: there is no more to say.
        ended: the line of `game-end`, 0 before.
    """

    def __init__(self, rules: Rules | None) -> None:
        self.hopeless = False
        self.ended = 0
        self._rules = rules
        self._types = message_kinds(rules).structs
        self._private = (PlayerNameRequest, *(rules.requests if rules is not None else ()))
        self._max_seats = max_seats(rules)
        self._names: list[str] = []
        self._begun = False
        self._checker: LogChecker | None = None

    def section(self, struct: type[Struct]) -> str:
        """The section of the game's page on a message that all games share; of others all of 2."""
        if struct not in SHARED_PUBLIC:
            return SHARED.messages
        page = load_page((self._rules or GAMES[DEFAULT_GAME]).specification)
        return next(iter(page.titled(str(struct.__struct_config__.tag))), SHARED.messages)

    def line(self, line: Line) -> list[_Found]:
        """Take the next line."""
        number = line.number
        findings: list[Finding] = []
        if number == 1 and line.raw.startswith(BOM):
            findings.append(Finding(number, SHARED.json, "no byte order mark", "one"))
        if line.raw.endswith(b"\r\n"):
            crlf = "\\r\\n (from here on)"
            findings.append(Finding(number, SHARED.lines, "lines ended by \\n alone", crlf))
        if line.torn:
            findings.append(Finding(number, SHARED.lines, "a line end", "a last line that is torn"))
        found = [_worded(finding) for finding in findings]
        message = self._message(line, found)
        if message is not None:
            found += map(_worded, self._take(number, message))
        return found

    # --- lines --------------------------------------------------------------------------------

    def _message(self, line: Line, found: list[_Found]) -> Struct | None:
        """The message in a line, or what a misshapen one can only have meant."""
        problem = self._problem(line)
        if problem is not None:
            found.append(_worded(problem))
            return None
        if line.content is None:
            assert line.kind is not None  # else there was a problem
            struct = self._types[line.kind]
            found += self._misfits(line, line.kind, struct)
            return meant(line.value, struct)
        if b" " in line.text and b" " in _OUTSIDE_STRINGS.sub(b"", line.text):
            what = "spaces between the parts (from here on)"
            found.append(_worded(Finding(line.number, SHARED.lines, "compact JSON", what)))
        return line.content

    def _problem(self, line: Line) -> Finding | None:
        """Why a line is no public message, whatever its fields are."""
        number, kind, value = line.number, line.kind, line.value
        if line.content is None and not isinstance(value, dict):
            self.hopeless = number == 1
            found = describe(value)
            if value is UNSET:
                shown = describe(line.text[:_SHOWN].decode(errors="replace"))
                found = "no text, binary data" if b"\x00" in line.text else f"no JSON: {shown}"
            return Finding(number, SHARED.lines, "a JSON object", found)
        if line.content is None and number == 1 and "entry" in value:
            self.hopeless = True
            found = "a match record; its spectator log: referee verify RECORD --log FILE"
            return Finding(number, SHARED.names, "a spectator log", found)
        if self._types.get(kind or "") in self._private:
            found = f"{kind}, which is for one bot"
            return Finding(number, SHARED.audience, "public messages alone", found)
        if kind == "":
            return Finding(number, SHARED.messages, "a message's type", 'type ""')
        if kind in self._types and (self._rules is not None or kind == "player-name"):
            return None
        found = "an object without type"
        if kind is not None or "type" in value:
            found = f"type {describe(value['type'] if kind is None else kind)}"
        if self._rules is not None:
            self.hopeless = number == 1
            game = f"{self._rules.name}, protocol {self._rules.protocol}"
            return Finding(number, SHARED.messages, f"a public message of {game}", found)
        self.hopeless = number == 1 or kind is not None
        games = f"of a game that this referee knows ({', '.join(GAMES)})"
        return Finding(number, SHARED.messages, f"a public message {games}", found)

    def _misfits(self, line: Line, kind: str, struct: type[Struct]) -> Iterator[_Found]:
        """In which fields a message is not as it must be."""
        section = self.section(struct)
        found = misfits(line.value, struct)
        if not found:
            yield _worded(Finding(line.number, section, f"a right {kind}", line.error))
        for misfit in found:
            expected = f"{misfit.expected} as `{misfit.field}` of {kind}"
            key = (section, expected, misfit.kind)
            yield key, Finding(line.number, section, expected, misfit.found)

    # --- messages -----------------------------------------------------------------------------

    def _take(self, number: int, message: Struct) -> list[Finding]:
        kind = str(message.__struct_config__.tag)
        if self.ended:
            expected = f"nothing after game-end (line {self.ended})"
            return [Finding(number, self.section(GameEnd), expected, kind)]
        player = getattr(message, "player_number", None)
        if player is not None and seat_of(player, self._max_seats) is None:
            players = f"{seat_id(0)} to {seat_id(self._max_seats - 1)}"
            return [Finding(number, SHARED.ids, players, describe(player))]
        if isinstance(message, PlayerName):
            return self._take_name(number, message)
        assert self._rules is not None  # else it was no message of a known game
        findings = self._begin(self._rules, number, kind)
        checker = self._checker
        if isinstance(message, PlayerDisqualified):
            if message.reason not in set(Disqualification):
                found = describe(message.reason)
                findings.append(Finding(number, SHARED.codes, "a disqualification code", found))
            seat = seat_of(message.player_number, self._max_seats)
            if checker is not None and seat is not None:
                findings += checker.disqualify(number, seat, message.reason)
        elif isinstance(message, GameEnd):
            self.ended = number
            if message.reason not in {*Termination, *self._rules.reasons}:
                found = describe(message.reason)
                findings.append(Finding(number, SHARED.codes, "an end reason", found))
            elif checker is not None:
                findings += checker.end(number, message.scores, message.winners, message.reason)
        elif checker is not None:
            findings += checker.read(number, message)
        return findings

    def _begin(self, rules: Rules, number: int, kind: str) -> list[Finding]:
        """The first message after the names begins the game."""
        if self._begun:
            return []
        self._begun = True
        least, most, names = rules.min_seats, rules.max_seats, self._names
        if rules.checker is not None:
            missing = [seat_id(seat) for seat in range(len(names), least)]
            self._checker = rules.checker([*names, *missing])
        if least <= len(names) <= most:
            return []
        expected = f"the names of {least} to {most} players first"
        return [Finding(number, SHARED.names, expected, f"{len(names)}, then {kind}")]

    def _take_name(self, number: int, message: PlayerName) -> list[Finding]:
        if self._begun:
            return [Finding(number, SHARED.names, "no player-name once the game has begun", "one")]
        findings = []
        expected = len(self._names)
        if expected == self._max_seats:
            what = f"at most {self._max_seats} names"
            return [Finding(number, SHARED.names, what, "another player-name")]
        if message.player_number != seat_id(expected):
            what = f"player-name of {seat_id(expected)}"
            findings.append(Finding(number, SHARED.names, what, f"that of {message.player_number}"))
        if message.version != PROTOCOL_VERSION:
            found = f"version {message.version}"
            findings.append(Finding(number, SHARED.names, f"version {PROTOCOL_VERSION}", found))
        name = message.name
        if len(name) > MAX_NAME_LENGTH or name.translate(CONTROL_CHARACTERS) != name:
            what = f"a name of at most {MAX_NAME_LENGTH} characters, without control characters"
            findings.append(Finding(number, SHARED.name_reply, what, describe(message.name)))
        self._names.append(message.name)
        return findings
