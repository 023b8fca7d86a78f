"""The match record: all that is needed to run a match again (spec/log-format.md, 2).

One JSON object per line, of the kind that `entry` names. The structs describe the fields of each
line. The writer builds the frequent lines from existing bytes, because a bot's clock may be running
meanwhile.
"""

from __future__ import annotations

import base64
import codecs
import hashlib
import re
from collections.abc import Sequence
from functools import cache
from typing import Annotated, Any, ClassVar, Literal, NamedTuple, TypeAlias

import msgspec
from msgspec import Meta, Raw, Struct, UnsetType

from referee._version import __version__
from referee.errors import UsageError
from referee.games import GAMES
from referee.games.interface.definition import GameDefinition
from referee.games.interface.faults import Fault
from referee.games.interface.game import Score
from referee.games.interface.seats import SeatId, seat_id
from referee.games.outside import Source
from referee.logs.sink import Sink
from referee.match.limits import LimitsBy
from referee.match.machine import Disqualified, Entry, Match, Received, Redeal, Sent
from referee.match.result import narrowed, seat_ends, with_facts
from referee.match.sandbox import NO_SANDBOX, Sandbox
from referee.match.spec import (
    MatchSpec,
    checked_own,
    own_limits,
    settings_type,
    split,
    with_own,
)

FORMAT = "referee-match-record"
FORMAT_VERSION = 1
STDERR = b'{"entry":"stderr",'
"""The beginnings of lines that neither the digest nor `verify` looks at."""
STDERR_CAP = 1024 * 1024
"""Bytes of a bot's stderr that go into a record, its last words not counted."""
STDERR_PART = 64 * 1024
"""Bytes of stderr in one entry; of more, the end."""
_MOST_ESCAPED = 1.4
"""Bytes of the string of a `received` line for one of the line; Base64 has 1.33."""
_MOST_UNSEEN = 200
"""Entries that wait for the digest of a match without a record: many together are quicker."""
_SHORT_STRING = 200
"""Bytes of a string that may be longer for it, so that short lines can be read."""

Time = Annotated[float, Meta(ge=0, description="Seconds since the bots were started.")]


class Place(Struct, frozen=True):
    """Where in a tournament a match is."""

    tournament: Annotated[
        str,
        Meta(
            pattern="^sha256:[0-9a-f]{64}$",
            description="Of the settings of the tournament that no extension changes.",
        ),
    ]
    match: Annotated[int, Meta(ge=0, description="Its number in the store.")]


class Header(Struct, frozen=True, kw_only=True, tag_field="entry", tag="header"):
    """The first line."""

    format: Annotated[str, Meta(extra_json_schema={"const": FORMAT})]
    version: Annotated[int, Meta(extra_json_schema={"const": FORMAT_VERSION})]
    referee: Annotated[str, Meta(description="The version of the referee that wrote it.")]
    game: str
    protocol: int
    game_file: Annotated[
        Source | UnsetType,
        Meta(description="The code of a game from outside; missing: a game of the referee."),
    ] = msgspec.UNSET
    seed: Annotated[int, Meta(ge=0)]
    redeals: Annotated[
        list[Redeal] | UnsetType,
        Meta(description="Where what no seat knew was dealt again; missing: nowhere."),
    ] = msgspec.UNSET
    bots: Annotated[list[str], Meta(description="The BOT arguments, in seat order.")]
    names: Annotated[
        list[str] | UnsetType,
        Meta(
            description="The names that a tournament or NAME=BOT gave to the bots, in seat order; "
            "missing: none."
        ),
    ] = msgspec.UNSET
    options: Any
    limits_of_bots: Annotated[
        list[dict[str, int | float | None]] | UnsetType,
        Meta(description="Limits of single bots in place of those in `options`; missing: none."),
    ] = msgspec.UNSET
    sandbox: Annotated[
        Literal["bwrap"] | UnsetType, Meta(description="Of the bots; missing: none.")
    ] = msgspec.UNSET
    limits_by: Annotated[
        Literal["cgroup-v2", "cgroup-v1", "rlimits"] | UnsetType,
        Meta(description="What held the bots to the limits of the system; missing: nothing."),
    ] = msgspec.UNSET
    place: Annotated[
        Place | UnsetType,
        Meta(
            description="Its tournament and its number there, left out of the digest; missing: not "
            "a match of a tournament."
        ),
    ] = msgspec.UNSET
    started: Annotated[str, Meta(description="Time of day, RFC 3339. A time field.")]


class SentEntry(Struct, frozen=True, tag_field="entry", tag="sent"):
    """A line from the referee."""

    game: ClassVar[str] = ""  # in a record that is read, the game whose message it is

    to: Annotated[str, Meta(description='A player number, or "all".')]
    message: Raw
    time: Time


class ReceivedEntry(Struct, frozen=True, tag_field="entry", tag="received"):
    """A line from a bot, as it was, without its line end; blank lines are left out."""

    player_number: SeatId
    time: Time
    line: str | UnsetType = msgspec.UNSET
    base64: Annotated[
        str | UnsetType,
        Meta(description="Instead of `line`, where it was no UTF-8 or escapes make it too long."),
    ] = msgspec.UNSET


class FaultEntry(Struct, frozen=True, tag_field="entry", tag="fault"):
    """A mistake in the line that was received last."""

    player_number: SeatId
    code: str
    section: str
    detail: str


class DisqualifiedEntry(Struct, frozen=True, tag_field="entry", tag="disqualified"):
    """A player left the match."""

    player_number: SeatId
    code: str
    detail: str
    time: Time


RecordedAnswer: TypeAlias = bytes | DisqualifiedEntry | None
"""A line that a bot wrote, or why it left; None where a bot is to answer itself."""


class ExitEntry(Struct, frozen=True, tag_field="entry", tag="exit"):
    """A bot's process has ended. In seat order, after the last line sent."""

    player_number: SeatId
    exit_code: Annotated[
        int | None,
        Meta(description="-N after signal N; null: never started, no process, or kept (8.4)."),
    ]
    time: Time


class StderrEntry(
    Struct, frozen=True, kw_only=True, omit_defaults=True, tag_field="entry", tag="stderr"
):
    """A bot's output on standard error; only on request. It comes before the bot's next answer."""

    player_number: SeatId
    text: Annotated[str, Meta(description="What was no UTF-8 is replaced by U+FFFD.")]
    left_out: Annotated[
        int, Meta(ge=0, description="Bytes before `text` that are not in the record.")
    ] = 0
    time: Time


class PlayerEnd(Struct, frozen=True):
    """The end of one seat in the last line; the facts of the game are added behind these fields."""

    name: str
    score: Score
    turns: int
    rank: int
    disqualified: str | None


class EndEntry(Struct, frozen=True, tag_field="entry", tag="end"):
    """The last line."""

    reason: str
    winners: list[SeatId]
    players: Annotated[list[PlayerEnd], Meta(description="In seat order.")]
    digest: Annotated[str, Meta(pattern="^sha256:[0-9a-f]{64}$")]
    time: Time


RecordEntry: TypeAlias = (
    Header
    | SentEntry
    | ReceivedEntry
    | FaultEntry
    | DisqualifiedEntry
    | ExitEntry
    | StderrEntry
    | EndEntry
)


class EntryTypes(NamedTuple):
    """The entries that differ from game to game, and the union of all entries."""

    header: type[Header]
    player: type[PlayerEnd]
    end: type[EndEntry]
    any: Any


@cache
def entry_types(rules: GameDefinition) -> EntryTypes:
    """The entries of this game's records."""
    header = narrowed(Header, ("options", settings_type(rules)), kw_only=True)
    sent = narrowed(SentEntry, game=rules.name)
    player = with_facts(PlayerEnd, rules)
    players = Annotated[list[player], Meta(description="In seat order.")]  # type: ignore[valid-type]
    end = narrowed(EndEntry, ("players", players))
    others = ReceivedEntry | FaultEntry | DisqualifiedEntry | ExitEntry | StderrEntry
    return EntryTypes(header, player, end, header | sent | others | end)


_encode = msgspec.json.Encoder().encode


class RecordedStderr:
    """A bot's stderr on its way into a record."""

    def __init__(self) -> None:
        self._waiting = bytearray()
        self._answered = 0  # bytes of these that came by the last answer
        self._left_out = 0  # bytes before these
        self._room = STDERR_CAP
        self._decode = codecs.getincrementaldecoder("utf-8")("replace").decode

    def feed(self, data: bytes) -> None:
        """Take the next bytes."""
        self._waiting += data
        surplus = len(self._waiting) - STDERR_PART
        if surplus > 0:
            del self._waiting[:surplus]
            self._answered = max(0, self._answered - surplus)
            self._left_out += surplus

    def mark(self) -> None:
        """Assign the output so far to an answer that was read just now."""
        self._answered = len(self._waiting)

    def take(self, *, last: bool = False) -> tuple[str, int]:
        """What belongs to answers: its text, and how many bytes are left out before it.

        `last` takes all that is there, even if there was too much before.
        """
        count = len(self._waiting) if last else self._answered
        if count > self._room and not last:
            return "", 0  # it waits, and more pushes it out
        text = self._decode(bytes(self._waiting[:count]), last)
        del self._waiting[:count]
        self._answered = 0
        self._room -= count
        left_out, self._left_out = self._left_out, 0 if text else self._left_out
        return text, left_out


class RecordWriter:
    """Writes a match record.

    The digest is SHA-256 over all lines before the last, each without its time field
    (`,"time":...` or `,"started":...`, always the last field of its line) and with its line end,
    so that records of equal matches have equal digests. The lines of `stderr` are left out, and so
    is `place`, right before `started`.

    Args:
        file: where it goes; None if only its digest is wanted.
        stderr: of each bot, in seat order; empty if it is not recorded.
        limits_by: as in the header; or "none".
        place: as in the header; None if the match is not one of a tournament.
    """

    def __init__(
        self,
        file: Sink | None,
        spec: MatchSpec,
        started: str,
        stderr: Sequence[RecordedStderr] = (),
        limits_by: LimitsBy = "none",
        place: Place | None = None,
    ) -> None:
        self._file = file
        self._stderr = stderr
        self._rules = spec.rules
        header = header_of(spec, started, limits_by, place)
        self._digest = hashlib.sha256()
        self._unseen: list[Entry] = []  # what the digest has yet to see, if there is no file
        head = head_of(header, b"place" if place else b"started")
        self._write([(head, _encode(header)[len(head) :] + b"\n")])

    def write(self, entries: list[Entry], seconds: float) -> None:
        """Write a batch of entries, so many seconds after the bots were started."""
        if self._file is None:
            self._unseen += entries
            if len(self._unseen) > _MOST_UNSEEN:
                self._see()
            return
        time = b',"time":%.6f}\n' % seconds
        lines = []
        for entry in entries:
            if self._stderr and isinstance(entry, Received | Disqualified):
                lines += self._stderr_of(entry.seat, time)
            lines.append(line_of(entry, time))
        self._write(lines)

    def end(self, match: Match, exit_codes: list[int | None], seconds: float) -> str:
        """Write the last lines, once the match is over and all processes have ended; the digest."""
        self._see()
        time = b',"time":%.6f}\n' % seconds
        lines = []
        for seat, code in enumerate(exit_codes):
            if self._stderr:
                lines += self._stderr_of(seat, time, last=True)
            lines.append(line_of(ExitEntry(seat_id(seat), code, seconds), time))
        self._write(lines)
        digest = f"sha256:{self._digest.hexdigest()}"
        if self._file is not None:
            last = end_of(self._rules, match, digest, round(seconds, 6))
            self._file.write(_encode(last) + b"\n")
        return digest

    def _stderr_of(
        self, seat: int, time: bytes, *, last: bool = False
    ) -> list[tuple[bytes, bytes]]:
        """The line of the bot's output there, if it wrote anything."""
        text, left_out = self._stderr[seat].take(last=last)
        if not text:
            return []
        number = seat_id(seat)
        entry = StderrEntry(player_number=number, text=text, left_out=left_out, time=0)
        return [(head_of(entry), time)]

    def _see(self) -> None:
        """Let the digest see the entries that have waited for it."""
        heads: list[bytes] = []
        for entry in self._unseen:
            if type(entry) is Sent:
                heads += (sent_to(entry.to), entry.line[:-1], b"}\n")
            else:
                heads += (line_of(entry, b"")[0], b"}\n")
        self._digest.update(b"".join(heads))
        self._unseen.clear()

    def _write(self, lines: list[tuple[bytes, bytes]]) -> None:
        """Write lines, each given as what the digest sees of it and its time field."""
        seen = [head + b"}\n" for head, _ in lines if not head.startswith(STDERR)]
        self._digest.update(b"".join(seen))
        if self._file is not None:
            self._file.write(b"".join([head + time for head, time in lines]))


def header_of(
    spec: MatchSpec, started: str, limits_by: LimitsBy = "none", place: Place | None = None
) -> Header:
    """The first line of the record of a match that started at this time of day (RFC 3339)."""
    return entry_types(spec.rules).header(
        format=FORMAT,
        version=FORMAT_VERSION,
        referee=__version__,
        game=spec.game,
        protocol=spec.rules.protocol,
        game_file=outside.source if (outside := GAMES.outside.get(spec.game)) else msgspec.UNSET,
        seed=spec.seed,
        redeals=list(spec.redeals) or msgspec.UNSET,
        bots=list(spec.bots),
        names=list(spec.names) or msgspec.UNSET,
        options=spec.settings,
        limits_of_bots=[own_limits(spec.limits, each) for each in spec.limits_of_bots]
        or msgspec.UNSET,
        sandbox=msgspec.UNSET if spec.sandbox.kind == "none" else spec.sandbox.kind,
        limits_by=msgspec.UNSET if limits_by == "none" else limits_by,
        place=place or msgspec.UNSET,
        started=started,
    )


def spec_of(header: Header) -> MatchSpec:
    """The match that a header describes; raises `UsageError` if its options do not fit."""
    options, limits = split(GAMES[header.game], header.options)
    sandbox = NO_SANDBOX if header.sandbox is msgspec.UNSET else Sandbox(header.sandbox)
    names, rules = tuple(header.names or ()), GAMES[header.game]
    own = [checked_own(rules, limits, each) for each in header.limits_of_bots or ()]
    if own and len(own) != len(header.bots):
        raise UsageError("limits_of_bots must have an entry per bot")
    return MatchSpec(
        game=header.game,
        bots=tuple(header.bots),
        seed=header.seed,
        options=options,
        limits=limits,
        sandbox=sandbox,
        names=names,
        redeals=tuple(header.redeals or ()),
        limits_of_bots=tuple(with_own(limits, each) for each in own),
    )


def end_of(rules: GameDefinition, match: Match, digest: str, seconds: float) -> EndEntry:
    """The last line of a match that is over."""
    assert match.outcome is not None  # it is over
    types = entry_types(rules)
    return types.end(
        reason=match.outcome.reason,
        winners=[seat_id(seat) for seat in match.outcome.winners],
        players=[types.player(**end) for end in seat_ends(match)],
        digest=digest,
        time=seconds,
    )


def line_of(entry: Entry | ExitEntry, time: bytes) -> tuple[bytes, bytes]:
    """One entry's line: its head, without the closing brace, and its time field with it."""
    if type(entry) is Sent:
        return sent_to(entry.to) + entry.line[:-1], time
    if type(entry) is Received:
        return received_head(entry), time
    if type(entry) is Fault:
        fault = FaultEntry(seat_id(entry.seat), entry.code, entry.section, entry.detail)
        return _encode(fault)[:-1], b"}\n"
    if type(entry) is ExitEntry:
        return head_of(entry), time
    assert type(entry) is Disqualified
    left = DisqualifiedEntry(seat_id(entry.seat), entry.code, entry.detail, 0)
    return head_of(left), time


def received_head(entry: Received, *, most_escaped: float = _MOST_ESCAPED) -> bytes:
    """Where the line of an answer begins, up to its time field.

    It is Base64 if its string has more than `most_escaped` bytes for one of the line.
    """
    line = entry.line
    try:
        text = _encode(line.decode())
    except UnicodeDecodeError:
        text = b""
    if text and len(text) <= max(_SHORT_STRING, most_escaped * len(line)):
        field = b'"line":' + text
    else:
        field = b'"base64":"%s"' % base64.b64encode(line)
    return _received_from(entry.seat) + field


@cache
def _received_from(seat: int) -> bytes:
    return b'{"entry":"received","player_number":"%s",' % seat_id(seat).encode()


@cache
def sent_to(to: int | None) -> bytes:
    """Where the line of something sent begins, up to the message; None for all."""
    name = "all" if to is None else seat_id(to)
    return b'{"entry":"sent","to":"%s","message":' % name.encode()


def head_of(entry: Struct, last_field: bytes = b"time") -> bytes:
    """The line of an entry that is rare, up to its time field, which is the last."""
    return _encode(entry).rpartition(b',"' + last_field + b'":')[0]


def line_received(entry: ReceivedEntry) -> bytes:
    """The line that a bot wrote; empty, which none can be, if the entry has none or two."""
    if isinstance(entry.line, str):
        return entry.line.encode() if entry.base64 is msgspec.UNSET else b""
    try:
        return base64.b64decode(entry.base64 or b"", validate=True)
    except ValueError:
        return b""


# --- time fields and the digest (spec/log-format.md, 2.8) -----------------------------------------

_NUMBER = rb"(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?"
_TIME = re.compile(rb',"time":' + _NUMBER + rb"}\n")
_STARTED = re.compile(rb',"started":"[^"\\,]*"}\n')
_PLACED = re.compile(
    rb',"place":{"tournament":"sha256:[0-9a-f]{64}","match":[0-9]+}' + _STARTED.pattern
)
_NOT_IN_DIGEST = ((b',"time":', _TIME), (b',"place":', _PLACED), (b',"started":', _STARTED))
"""The end of a line that the digest leaves out: how it begins, and its pattern."""
_DIGEST = re.compile(rb'{"entry":"end",.*"digest":"(sha256:[0-9a-f]{64})"', re.DOTALL)


def is_timed(line: bytes, head: bytes) -> bool:
    """Whether a line is this and a time field."""
    return line.startswith(head) and _TIME.fullmatch(line, len(head)) is not None


def is_started(line: bytes) -> bool:
    """Whether a header's last field is `started`."""
    start = line.rfind(b',"started":')
    return start >= 0 and _STARTED.fullmatch(line, start) is not None


def without_time(line: bytes) -> bytes:
    """The part of a line that the digest sees."""
    for field, pattern in _NOT_IN_DIGEST:
        start = line.rfind(field)
        if start >= 0 and pattern.fullmatch(line, start):
            return line[:start] + b"}\n"
    return line


class LinesDigest:
    """The digest of a record whose lines are read one after the other.

    Attributes:
        last: the last line that was added, which the digest does not have.
    """

    def __init__(self) -> None:
        self._hash = hashlib.sha256()
        self.last = b""

    def add(self, line: bytes) -> None:
        """Add the next line, with its line end."""
        if not line.startswith(STDERR):
            self._hash.update(without_time(self.last))
            self.last = line

    @property
    def text(self) -> str:
        """The digest of all lines before the last."""
        return f"sha256:{self._hash.hexdigest()}"


def claimed_digest(line: bytes) -> str | None:
    """Return the digest in an end entry; None if the line is not a whole end entry."""
    found = _DIGEST.match(line) if line[-1:] == b"\n" else None
    return found[1].decode() if found else None
