"""Checks spectator logs, which may come from any referee (the protocol; spec/log-format.md, 1).

The checks in this module are the same for all games. Every line must be a JSON message with the
right fields, the names come first, and `game-end` comes last. The game's own checker looks at the
moves.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import msgspec
from msgspec import UNSET, Struct, UnsetType

from referee.errors import LogReadError
from referee.games import ADD_GAME, DEFAULT_GAME, GAMES
from referee.games.interface.capabilities import Finding, LogChecker, Unchecked
from referee.games.interface.definition import GameDefinition
from referee.games.interface.faults import Disqualification, EndReason, describe
from referee.games.interface.log_player import End, Gone
from referee.games.interface.seats import seat_id, seat_of
from referee.logs.inferred import checker_of
from referee.logs.parsing import BOM, Line, Messages, has_spaces, max_seats, message_kinds
from referee.logs.source import LogReader
from referee.match import messages as say
from referee.match.machine import CONTROL_CHARACTERS
from referee.match.pages import SHARED, game_page, page_name
from referee.match.shapes import meant, misfits
from referee.text.terminal import as_text, command_line

# A log with more different mistakes than this is probably not a spectator log.
MAX_FINDINGS = 100
# We cut a line that isn't JSON to this many characters.
_SHOWN = 120
# We cut the `expected` and `found` of a finding to this many characters.
_SHOWN_FINDING = 400


class Validation(Struct, frozen=True):
    """The findings of a log. `referee validate --format json` prints one per line.

    Attributes:
        name: the file name as given.
        valid: True if there are no findings.
        findings: the mistakes, sorted by line, at most `MAX_FINDINGS`.
        unchecked: where we had to stop checking the moves. It's missing if we checked all of them.
    """

    name: str
    valid: bool
    findings: list[Finding]
    unchecked: Unchecked | UnsetType = UNSET


class CheckedLog(NamedTuple):
    """The result of checking a log.

    Attributes:
        findings: the mistakes, sorted by line.
        page: the specification page of the game.
        unchecked: the name of the game if we can't check its moves, otherwise "".
        stopped: where and why the checker had to stop, or None if it reached the end.
    """

    findings: list[Finding]
    page: str
    unchecked: str = ""
    stopped: Unchecked | None = None

    @property
    def game_is_unknown(self) -> bool:
        """True if we don't have the game of this log, and found nothing else."""
        return len(self.findings) == 1 and self.findings[0].found.endswith(ADD_GAME)


def validate_log(name: str, definition: GameDefinition | None = None) -> Iterator[Finding]:
    """Yield the protocol violations in a spectator log, sorted by line.

    If many lines have the same mistake, you get one finding with the first line and a count. We
    stop after `MAX_FINDINGS` different mistakes. The log can have any size, because we don't keep
    it in memory.

    Args:
        name: file name; "-" is standard input.
        definition: the game that was played, or None to detect it.

    Raises:
        UsageError: the file can't be opened. Since this is a generator, it's raised at the first
            step.
    """
    yield from check_log(name, definition).findings


def check_log(name: str, definition: GameDefinition | None = None) -> CheckedLog:
    """Check a spectator log like `validate_log`, but return more details."""
    found: dict[tuple[str, str, str], Finding] = {}
    stopped: Unchecked | None = None
    with LogReader(name) as reader:
        messages = Messages(reader, definition)
        for finding in _findings(as_text(name), reader, messages):
            if isinstance(finding, Unchecked):
                stopped = finding
                continue
            expected, seen = finding.expected, finding.found
            key = (finding.section, expected, getattr(finding, "kind", seen))
            if key in found:
                found[key] = msgspec.structs.replace(found[key], count=found[key].count + 1)
            elif len(found) < MAX_FINDINGS:
                place, stops = (finding.line, finding.section), finding.stops
                found[key] = Finding(*place, _cut(expected), _cut(seen), stops=stops)
            else:
                break
    findings, game = list(found.values()), messages.definition
    if game is None:
        return CheckedLog(findings, GAMES[DEFAULT_GAME].specification)
    is_checked = game.checker is not None or game.log_player is not None
    return CheckedLog(findings, page_name(game), "" if is_checked else game.name, stopped)


class _FieldFinding(Finding, frozen=True):
    """A finding about a field. We merge all findings with the same `kind` into one."""

    kind: str = ""


def _cut(text: str) -> str:
    return text if len(text) <= _SHOWN_FINDING else text[:_SHOWN_FINDING] + "..."


def _findings(name: str, reader: LogReader, messages: Messages) -> Iterator[Finding | Unchecked]:
    check: _Check | None = None
    try:
        for line in messages:
            check = check or _Check(name, messages.definition)
            yield from check.line(line)
            if check.hopeless:
                return
    except LogReadError as error:
        yield Finding(error.line, SHARED.lines, "a line that can be read", error.problem)
        return
    if check is None:
        yield Finding(1, SHARED.names, "a player-name", "an empty file")
    elif not check.ended:
        found = "the end of the compressed data" if reader.cut else "the end of the log"
        expected = "more, up to a game-end: the log was cut short"
        yield Finding(reader.line + 1, check.section(say.GameEnd), expected, found)


class _Check:
    """Checks a log line by line.

    Attributes:
        hopeless: True if there's no point in reading on, because this isn't a spectator log, or
            we don't know its game.
        ended: line number of the `game-end` message, or 0 if we haven't read it yet.
    """

    def __init__(self, name: str, definition: GameDefinition | None) -> None:
        self._name = name
        self.hopeless = False
        self.ended = 0
        self._definition = definition
        self._types = message_kinds(definition).structs
        self._private = (
            say.PlayerNameRequest,
            *(definition.requests if definition is not None else ()),
        )
        self._max_seats = max_seats(definition)
        self._names: list[str] = []
        self._begun = False
        self._checker: LogChecker | None = None

    def section(self, struct: type[Struct]) -> str:
        if struct not in say.SHARED_PUBLIC:
            return SHARED.messages
        page = game_page(self._definition or GAMES[DEFAULT_GAME])
        return next(iter(page.titled(str(struct.__struct_config__.tag))), SHARED.messages)

    def line(self, line: Line) -> Iterator[Finding | Unchecked]:
        number = line.number
        if number == 1 and line.raw.startswith(BOM):
            yield Finding(number, SHARED.json, "no byte order mark", "one")
        if line.raw.endswith(b"\r\n"):
            yield Finding(number, SHARED.lines, "lines that end with \\n", "\\r\\n (from here on)")
        if line.torn:
            yield Finding(number, SHARED.lines, "a line end", "a truncated last line")
        message = line.content
        problem = self._problem(line)
        if problem is not None:
            yield problem
            return
        if message is None:
            assert line.kind is not None  # _problem() reports lines without a type
            struct = self._types[line.kind]
            yield from self._misfits(line, line.kind, struct)
            message = meant(line.value, struct)
        elif has_spaces(line.text):
            found = "spaces between the parts (from here on)"
            yield Finding(number, SHARED.lines, "compact JSON", found)
        if message is not None:
            yield from self._take(number, message)

    def _problem(self, line: Line) -> Finding | None:
        """Return a finding if the line isn't a public message. The fields aren't checked here."""
        number, kind, value = line.number, line.kind, line.value
        if line.content is None and not isinstance(value, dict):
            self.hopeless = number == 1
            found = describe(value)
            if value is UNSET:
                shown = describe(line.text[:_SHOWN].decode(errors="replace"))
                found = "binary data, not text" if b"\x00" in line.text else f"not JSON: {shown}"
            return Finding(number, SHARED.lines, "a JSON object", found)
        if line.content is None and number == 1 and "entry" in value:
            self.hopeless = True
            again = command_line(["referee", "verify", self._name, "--log", "FILE"])
            found = f"a match record; its spectator log: {again}"
            return Finding(number, SHARED.names, "a spectator log", found)
        if self._types.get(kind or "") in self._private:
            found = f"{kind}, which is for one bot"
            return Finding(number, SHARED.audience, "only public messages", found)
        if kind in self._types and (self._definition is not None or kind == "player-name"):
            return None
        found = "an object without type"
        if kind is not None or "type" in value:
            found = f"type {describe(value['type'] if kind is None else kind)}"
        if self._definition is not None:
            self.hopeless = number == 1
            game = f"{self._definition.name}, protocol {self._definition.protocol}"
            return Finding(number, SHARED.messages, f"a public message of {game}", found)
        self.hopeless = number == 1 or kind is not None
        games = f"of a game that this referee knows ({', '.join(GAMES)})"
        if kind == "game-info" and isinstance(game := value.get("game"), str):
            found = f"one of the game {describe(game)}; {ADD_GAME}"
        return Finding(number, SHARED.messages, f"a public message {games}", found)

    def _misfits(
        self, line: Line, kind: str, struct: type[Struct]
    ) -> Iterator[Finding | Unchecked]:
        section = self.section(struct)
        found = misfits(line.value, struct)
        if not found:
            yield Finding(line.number, section, f"a right {kind}", line.error)
        for misfit in found:
            expected = f"{misfit.expected} as `{misfit.field}` of {kind}"
            yield _FieldFinding(line.number, section, expected, misfit.found, kind=misfit.kind)

    def _take(self, number: int, message: Struct) -> Iterator[Finding | Unchecked]:
        kind = str(message.__struct_config__.tag)
        player = getattr(message, "player_number", None)
        if self.ended:
            expected = f"nothing after game-end (line {self.ended})"
            yield Finding(number, self.section(say.GameEnd), expected, kind)
        elif player is not None and seat_of(player, self._max_seats) is None:
            players = f"{seat_id(0)} to {seat_id(self._max_seats - 1)}"
            yield Finding(number, SHARED.ids, players, describe(player))
        elif isinstance(message, say.PlayerName):
            yield from self._take_name(number, message)
        else:
            assert self._definition is not None  # all other messages belong to a known game
            if not self._begun:
                yield from self._begin(self._definition, number, kind)
            yield from self._take_of_game(self._definition, number, message)

    def _take_of_game(
        self, definition: GameDefinition, number: int, message: Struct
    ) -> Iterator[Finding | Unchecked]:
        checker = self._checker
        if isinstance(message, say.PlayerDisqualified):
            if message.reason not in set(Disqualification):
                found = describe(message.reason)
                yield Finding(number, SHARED.codes, "a disqualification code", found)
            seat = seat_of(message.player_number, self._max_seats)
            if checker is not None and seat is not None:
                yield from checker.read(number, Gone(seat, message.reason))
        elif isinstance(message, say.GameEnd):
            self.ended = number
            if message.reason not in {*EndReason, *definition.reasons}:
                yield Finding(number, SHARED.codes, "an end reason", describe(message.reason))
            elif checker is not None:
                end = End(message.scores, message.winners, message.reason)
                yield from checker.read(number, end)
        elif checker is not None:
            yield from checker.read(number, message)

    def _begin(
        self, definition: GameDefinition, number: int, kind: str
    ) -> Iterator[Finding | Unchecked]:
        self._begun = True
        least, most, names = definition.min_seats, definition.max_seats, self._names
        missing = [seat_id(seat) for seat in range(len(names), least)]
        self._checker = checker_of(definition, [*names, *missing])
        if not least <= len(names) <= most:
            expected = f"the names of {least} to {most} players first"
            yield Finding(number, SHARED.names, expected, f"{len(names)}, then {kind}")

    def _take_name(self, number: int, message: say.PlayerName) -> Iterator[Finding | Unchecked]:
        seat, name = len(self._names), message.name
        if self._begun:
            yield Finding(number, SHARED.names, "no player-name once the game has begun", "one")
            return
        if seat == self._max_seats:
            yield Finding(number, SHARED.names, f"at most {seat} names", "another player-name")
            return
        if message.player_number != seat_id(seat):
            expected = f"player-name of {seat_id(seat)}"
            yield Finding(number, SHARED.names, expected, f"that of {message.player_number}")
        if message.version != say.PROTOCOL_VERSION:
            found = f"version {message.version}"
            yield Finding(number, SHARED.names, f"version {say.PROTOCOL_VERSION}", found)
        if name.translate(CONTROL_CHARACTERS) != name:
            what = "a name without control characters"
            yield Finding(number, SHARED.name_reply, what, describe(name))
        self._names.append(name)
