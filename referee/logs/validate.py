"""Check a spectator log that any referee wrote (protocol-v1; spec/log-format.md, 1).

First what holds for every game: lines, JSON, schema, names first, `game-end` last. The game's own
checker then says whether such a game can have been played.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator
from functools import reduce
from operator import or_
from typing import Any, TypeAlias

import msgspec
from msgspec import Struct

from referee.errors import LogReadError, UsageError
from referee.logs.source import LogReader
from referee.match import CONTROL_CHARACTERS, MAX_NAME_LENGTH
from referee.seam.capabilities import Finding, LogChecker
from referee.seam.faults import Disqualification, Termination, describe
from referee.seam.rules import Rules
from referee.seam.seats import SEAT_IDS, seat_id
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
"""So many different findings: a log with more is none to be mended line by line."""
_SHOWN = 120
_SHOWN_FINDING = 400
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


class _NoMessage(Struct, tag_field="type", tag=""):
    """Lets the decoder ask for `type` in every object."""


def validate_log(name: str, rules: Rules) -> Iterator[Finding]:
    """Everything in a spectator log that the protocol does not allow, in the order of lines.

    What is wrong in the same way on many lines is one finding, with the first line and a count.
    Memory does not grow with the log. After `MAX_FINDINGS` different ones it stops.

    Args:
        name: of the file; "-" is standard input.
        rules: of the game that it is a log of.

    Raises:
        UsageError: the file cannot be opened, or the game has no checker; raised at the first step.
    """
    found: dict[Hashable, Finding] = {}
    for key, finding in _findings(name, rules):
        before = found.get(key)
        if before is not None:
            found[key] = msgspec.structs.replace(before, count=before.count + 1)
        elif len(found) < MAX_FINDINGS:
            found[key] = finding
        else:
            break
    yield from found.values()


_Found: TypeAlias = tuple[Hashable, Finding]
"""A finding, after what is equal for all that are the same mistake."""


def _findings(name: str, rules: Rules) -> Iterator[_Found]:
    with LogReader(name) as reader:
        check = _Check(rules)
        try:
            for line in reader:
                yield from check.line(reader.line, line)
                if check.hopeless:
                    return
        except LogReadError as error:
            yield _worded(Finding(error.line, "1.1", "a line that can be read", error.problem))
            return
        yield from map(_worded, check.end(reader.line, reader.cut))


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

    Attributes:
        hopeless: this is no spectator log; there is nothing more to be said of it.
    """

    def __init__(self, rules: Rules) -> None:
        self.hopeless = False
        self._rules = rules
        if rules.checker is None:
            raise UsageError(f"{rules.name} has no log checker: its logs cannot be validated")
        self._new_checker = rules.checker
        public: tuple[type[Struct], ...] = (*SHARED_PUBLIC, *rules.public)
        private: tuple[type[Struct], ...] = (PlayerNameRequest, *rules.requests)
        self._types = {str(struct.__struct_config__.tag): struct for struct in public}
        self._private = {str(struct.__struct_config__.tag) for struct in private}
        union: Any = reduce(or_, (*self._types.values(), _NoMessage))
        self._decode = msgspec.json.Decoder(union).decode
        self._names: list[str] = []
        self._checker: LogChecker | None = None
        self._gone: set[str] = set()
        self._ended = 0

    def line(self, number: int, line: bytes) -> list[_Found]:
        """Take the next line."""
        found = [_worded(finding) for finding in self._framing(number, line)]
        text = line.strip(b"\r\n").removeprefix(b"\xef\xbb\xbf") if number == 1 else line.strip()
        if not line.endswith(b"\n"):
            found.append(_worded(Finding(number, "1.1", "a line end", "a last line that is torn")))
        message = self._message(number, text, found)
        if message is not None:
            found += map(_worded, self._take(number, message))
        return found

    def end(self, last: int, cut: bool) -> Iterator[Finding]:
        """The log ends here."""
        if not last:
            yield Finding(1, "2.2", "a player-name", "an empty file")
        elif not self._ended:
            found = "the end of the compressed data" if cut else "the end of the log"
            yield Finding(last + 1, "2.14", "more, up to a game-end: the log was cut short", found)

    # --- lines --------------------------------------------------------------------------------

    def _framing(self, number: int, line: bytes) -> Iterator[Finding]:
        if number == 1 and line.startswith(b"\xef\xbb\xbf"):
            yield Finding(number, "1.8", "no byte order mark", "one")
        if line.endswith(b"\r\n"):
            yield Finding(number, "1.1", "lines ended by \\n alone", "\\r\\n (from here on)")

    def _message(self, number: int, line: bytes, found: list[_Found]) -> Struct | None:
        """The message in a line, or what a misshapen one can only have meant."""
        try:
            line.decode()
            message = self._decode(line)
        except (ValueError, RecursionError) as error:
            value = self._explain(number, line, found)
            if value is None:
                return None
            struct = self._types[value["type"]]
            found += self._misfits(number, value, struct, error)
            return meant(value, struct)
        if type(message) is _NoMessage:
            found.append(_worded(Finding(number, "2", "a message's type", 'type ""')))
            return None
        if b" " in line and b" " in _OUTSIDE_STRINGS.sub(b"", line):
            what = "spaces between the parts (from here on)"
            found.append(_worded(Finding(number, "1.1", "compact JSON", what)))
        return message  # type: ignore[no-any-return]

    def _misfits(
        self, number: int, value: dict[str, Any], struct: type[Struct], error: Exception
    ) -> Iterator[_Found]:
        """Say in which fields a message is not as it must be."""
        kind = value["type"]
        section = self._section(kind)
        found = misfits(value, struct)
        if not found:
            yield _worded(Finding(number, section, f"a right {kind}", str(error)))
        for misfit in found:
            expected = f"{misfit.expected} as `{misfit.field}` of {kind}"
            key = (section, expected, misfit.kind)
            yield key, Finding(number, section, expected, misfit.found)

    def _explain(self, number: int, line: bytes, found: list[_Found]) -> dict[str, Any] | None:
        """Say why a line is no public message; or return it, if only its fields are wrong."""

        def note(section: str, expected: str, actual: str) -> None:
            found.append(_worded(Finding(number, section, expected, actual)))

        shown = describe(line[:_SHOWN].decode(errors="replace"))
        try:
            value = msgspec.json.decode(line)
        except (ValueError, RecursionError):
            binary = b"\x00" in line
            note("1.1", "a JSON object", "no text, binary data" if binary else f"no JSON: {shown}")
            self.hopeless = number == 1
            return None
        if not isinstance(value, dict):
            note("1.1", "a JSON object", describe(value))
            self.hopeless = number == 1
            return None
        kind = value.get("type")
        if "entry" in value and number == 1:
            actual = "a match record; its spectator log: referee verify RECORD --log FILE"
            note("2.2", "a spectator log", actual)
            self.hopeless = True
        elif isinstance(kind, str) and kind in self._private:
            note("1.7", "public messages alone", f"{kind}, which is for one bot")
        elif not isinstance(kind, str) or kind not in self._types:
            actual = f"type {describe(kind)}" if "type" in value else "an object without type"
            what = f"a public message of {self._rules.name}, protocol {self._rules.protocol}"
            note("2", what, actual)
            self.hopeless = number == 1
        else:
            return value
        return None

    def _section(self, kind: str) -> str:
        shared = {"player-name": "2.2", "player-disqualified": "2.13", "game-end": "2.14"}
        return shared.get(kind, "2")

    # --- messages -----------------------------------------------------------------------------

    def _take(self, number: int, message: Struct) -> list[Finding]:
        kind = str(message.__struct_config__.tag)
        if self._ended:
            return [Finding(number, "2.14", f"nothing after game-end (line {self._ended})", kind)]
        findings: list[Finding] = []
        player = getattr(message, "player_number", None)
        if player is not None and player not in SEAT_IDS:
            return [Finding(number, "1.6", "player1 to player4", describe(player))]
        if isinstance(message, PlayerName):
            return self._take_name(number, message)
        if self._checker is None:
            least, most = self._rules.min_seats, self._rules.max_seats
            if not least <= len(self._names) <= most:
                expected = f"the names of {least} to {most} players first"
                findings.append(
                    Finding(number, "2.2", expected, f"{len(self._names)}, then {kind}")
                )
            names = self._names + [seat_id(seat) for seat in range(len(self._names), least)]
            self._checker = self._new_checker(names)
        if isinstance(message, PlayerDisqualified):
            if message.reason not in set(Disqualification):
                found = describe(message.reason)
                findings.append(Finding(number, "9", "a disqualification code", found))
            seat = SEAT_IDS.index(message.player_number)
            return findings + self._checker.disqualify(number, seat, message.reason)
        if isinstance(message, GameEnd):
            self._ended = number
            if message.reason not in {*Termination, *self._rules.reasons}:
                found = describe(message.reason)
                return [*findings, Finding(number, "9", "an end reason", found)]
            ended = self._checker.end(number, message.scores, message.winners, message.reason)
            return findings + ended
        return findings + self._checker.read(number, message)

    def _take_name(self, number: int, message: PlayerName) -> list[Finding]:
        if self._checker is not None:
            return [Finding(number, "2.2", "no player-name once the game has begun", "one")]
        findings = []
        expected = len(self._names)
        if expected == self._rules.max_seats:
            what = f"at most {self._rules.max_seats} names"
            return [Finding(number, "2.2", what, "another player-name")]
        if message.player_number != seat_id(expected):
            what = f"player-name of {seat_id(expected)}"
            findings.append(Finding(number, "2.2", what, f"that of {message.player_number}"))
        if message.version != PROTOCOL_VERSION:
            found = f"version {message.version}"
            findings.append(Finding(number, "2.2", f"version {PROTOCOL_VERSION}", found))
        name = message.name
        if len(name) > MAX_NAME_LENGTH or name.translate(CONTROL_CHARACTERS) != name:
            what = f"a name of at most {MAX_NAME_LENGTH} characters, without control characters"
            findings.append(Finding(number, "3.1", what, describe(message.name)))
        self._names.append(message.name)
        return findings
