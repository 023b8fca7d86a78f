"""Defines and writes the match record, from which a match can be run again (spec/log-format.md, 2).

Each line is a JSON object with its kind in the field `entry`. The structs below define the fields.
A bot's clock may be running while we write, so for the most frequent lines, we concatenate bytes
that we already have instead of encoding structs.
"""

from __future__ import annotations

import base64
import codecs
import hashlib
import math
import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Annotated, Any, ClassVar, Literal, NamedTuple, TypeAlias

import msgspec
from msgspec import Meta, Raw, Struct, UnsetType

from referee._version import __version__
from referee.errors import UsageError
from referee.games import GAMES
from referee.games.interface.data import about
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
    MAX_OPENING,
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
"""The first bytes of a line with stderr. The digest and `verify` ignore these lines."""
STDERR_CAP = 1024 * 1024
"""We record at most this many bytes of a bot's stderr, plus its output after the last reply."""
STDERR_PART = 64 * 1024
"""Maximum bytes of stderr in one entry. If there's more, we only keep the end."""
# If a reply has so many characters to escape that its JSON string would be longer than this times
# the reply, we write it as Base64. (Base64 is longer by a factor of 1.33.)
_MOST_ESCAPED = 1.4
# Without a file, entries are hashed in batches of this size, which is faster.
_MOST_UNHASHED = 200
# Base64 is never used for strings up to this length, so that people can read them.
_SHORT_STRING = 200

Time = Annotated[float, about("Seconds since the start of the bots.", ge=0)]


class Place(Struct, frozen=True):
    """The place of a match in a tournament."""

    tournament: Annotated[
        str, about("Digest of the tournament's fixed settings.", pattern="^sha256:[0-9a-f]{64}$")
    ]
    match: Annotated[int, about("Number of the match in the store.", ge=0)]


class Header(Struct, frozen=True, kw_only=True, tag_field="entry", tag="header"):
    """The first line."""

    format: Annotated[str, Meta(extra_json_schema={"const": FORMAT})]
    version: Annotated[int, Meta(extra_json_schema={"const": FORMAT_VERSION})]
    referee: Annotated[str, about("Version of the referee that wrote the record.")]
    game: str
    protocol: int
    game_file: Annotated[
        Source | UnsetType, about("The code of a game from outside; missing: a built-in game.")
    ] = msgspec.UNSET
    seed: Annotated[int, Meta(ge=0)]
    redeals: Annotated[
        list[Redeal] | UnsetType, about("Redeals of hidden cards; missing: none.")
    ] = msgspec.UNSET
    opening: Annotated[
        Annotated[int, Meta(ge=1, le=MAX_OPENING)] | UnsetType,
        about("Rounds whose replies were drawn at random; missing: none."),
    ] = msgspec.UNSET
    bots: Annotated[list[str], about("The BOT arguments, in seat order.")]
    names: Annotated[
        list[str] | UnsetType,
        about("Names from the tournament or from NAME=BOT, in seat order; missing: none."),
    ] = msgspec.UNSET
    options: Any
    limits_of_bots: Annotated[
        list[dict[str, int | float | None]] | UnsetType,
        about("Limits of single bots that replace those in `options`; missing: none."),
    ] = msgspec.UNSET
    sandbox: Annotated[
        Literal["bwrap"] | UnsetType, about("Sandbox of the bots; missing: none.")
    ] = msgspec.UNSET
    limits_by: Annotated[
        Literal["cgroup-v2", "cgroup-v1", "rlimits"] | UnsetType,
        about("Mechanism that enforced the system limits; missing: none."),
    ] = msgspec.UNSET
    place: Annotated[
        Place | UnsetType,
        about("Tournament and match number, not in the digest; missing: no tournament."),
    ] = msgspec.UNSET
    started: Annotated[str, about("Time of day, RFC 3339. A time field.")]


class SentEntry(Struct, frozen=True, tag_field="entry", tag="sent"):
    """A line that the referee sent."""

    game: ClassVar[str] = ""  # the game of the message, which `read_record` sets

    to: Annotated[str, about('A player number, or "all".')]
    message: Raw
    time: Time


class ReceivedEntry(Struct, frozen=True, tag_field="entry", tag="received"):
    """A line that a bot wrote, without the newline. Blank lines are not recorded."""

    player_number: SeatId
    time: Time
    line: str | UnsetType = msgspec.UNSET
    base64: Annotated[
        str | UnsetType,
        about("Replaces `line` if that is not UTF-8, or too long because of escapes."),
    ] = msgspec.UNSET


class FaultEntry(Struct, frozen=True, tag_field="entry", tag="fault"):
    """A mistake in the last received line."""

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
"""A bot's reply, or its disqualification if it didn't reply. None means that we ask a new bot."""


class ExitEntry(Struct, frozen=True, tag_field="entry", tag="exit"):
    """The exit of a bot's process. These entries are in seat order, after the last sent line."""

    player_number: SeatId
    exit_code: Annotated[
        int | None,
        about("Exit code; -N for signal N; null: no process, not started, or kept (8.4)."),
    ]
    time: Time


class StderrEntry(
    Struct, frozen=True, kw_only=True, omit_defaults=True, tag_field="entry", tag="stderr"
):
    """Output of a bot on stderr, recorded only on request. Precedes the bot's next reply."""

    player_number: SeatId
    text: Annotated[str, about("The text; bytes that are not UTF-8 are replaced by U+FFFD.")]
    left_out: Annotated[int, about("Number of omitted bytes before `text`.", ge=0)] = 0
    time: Time


class PlayerEnd(Struct, frozen=True):
    """The result of one seat in the last line. Each game appends its own fields."""

    name: str
    score: Score
    turns: int
    rank: int
    disqualified: str | None


class EndEntry(Struct, frozen=True, tag_field="entry", tag="end"):
    """The last line."""

    reason: str
    winners: list[SeatId]
    players: Annotated[list[PlayerEnd], about("In seat order.")]
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
    """The entry types whose fields depend on the game. `any` is the union of all entry types."""

    header: type[Header]
    player: type[PlayerEnd]
    end: type[EndEntry]
    any: Any


@cache
def entry_types(definition: GameDefinition) -> EntryTypes:
    """Define the entry types of a game's records."""
    header = narrowed(Header, ("options", settings_type(definition)), kw_only=True)
    sent = narrowed(SentEntry, game=definition.name)
    player = with_facts(PlayerEnd, definition)
    players = Annotated[list[player], about("In seat order.")]  # type: ignore[valid-type]
    end = narrowed(EndEntry, ("players", players))
    others = ReceivedEntry | FaultEntry | DisqualifiedEntry | ExitEntry | StderrEntry
    return EntryTypes(header, player, end, header | sent | others | end)


_encode = msgspec.json.Encoder().encode


class RecordedStderr:
    """Buffers a bot's stderr until it is recorded."""

    def __init__(self) -> None:
        self._waiting = bytearray()
        self._answered = 0  # number of bytes in the buffer that arrived before the last reply
        self._left_out = 0  # number of bytes that we've discarded before the ones in the buffer
        self._room = STDERR_CAP
        self._decode = codecs.getincrementaldecoder("utf-8")("replace").decode

    def feed(self, data: bytes) -> None:
        """Add output that the bot has just written."""
        self._waiting += data
        surplus = len(self._waiting) - STDERR_PART
        if surplus > 0:
            del self._waiting[:surplus]
            self._answered = max(0, self._answered - surplus)
            self._left_out += surplus

    def mark(self) -> None:
        """Note that the bot wrote everything in the buffer before its last reply."""
        self._answered = len(self._waiting)

    def take(self, *, last: bool = False) -> tuple[str, int]:
        """Remove the output before the last reply from the buffer, and return it as text.

        The second value is the number of bytes that we had to discard before this text.

        Args:
            last: if True, return all output, even after the last reply, and ignore `STDERR_CAP`.
        """
        count = len(self._waiting) if last else self._answered
        if count > self._room and not last:
            # We're over the cap, so we don't record anything until the `last` output.
            return "", 0
        text = self._decode(bytes(self._waiting[:count]), last)
        del self._waiting[:count]
        self._answered = 0
        self._room -= count
        left_out, self._left_out = self._left_out, 0 if text else self._left_out
        return text, left_out


class RecordWriter:
    """Writes a match record.

    The digest is the SHA-256 hash of all lines but the last, including their newlines. Two runs of
    the same match must have the same digest, so it skips everything that may differ between them:
    `stderr` lines, the time field at the end of each line (`,"time":...` or `,"started":...`), and
    the `place` before `started`.

    Args:
        file: where to write the lines. If None, we only compute the digest.
        stderr: one buffer per bot, in seat order. Leave this empty to not record stderr.
        limits_by: the value for the header, or "none".
        place: the value for the header, or None if the match isn't part of a tournament.
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
        header = header_of(spec, started, limits_by, place)
        self._digest = hashlib.sha256()
        self._unhashed: list[Entry] = []  # we only use this without a file
        head = head_of(header, b"place" if place else b"started")
        self._write([(head, _encode(header)[len(head) :] + b"\n")])

    def write(self, entries: list[Entry], seconds: float) -> None:
        """Write entries. `seconds` is the time since the bots were started."""
        if self._file is None:
            self._unhashed += entries
            if len(self._unhashed) > _MOST_UNHASHED:
                self._hash_entries()
            return
        time = b',"time":%.6f}\n' % seconds
        lines = []
        for entry in entries:
            if self._stderr and isinstance(entry, Received | Disqualified):
                lines += self._stderr_of(entry.seat, time)
            lines.append(line_of(entry, time))
        self._write(lines)

    def end(self, match: Match, exit_codes: list[int | None], seconds: float) -> str:
        """Write the last lines. Call this after the match and all its processes have ended.

        Returns:
            The digest.
        """
        self._hash_entries()
        time = b',"time":%.6f}\n' % seconds
        lines = []
        for seat, code in enumerate(exit_codes):
            if self._stderr:
                lines += self._stderr_of(seat, time, last=True)
            lines.append(line_of(ExitEntry(seat_id(seat), code, seconds), time))
        self._write(lines)
        digest = f"sha256:{self._digest.hexdigest()}"
        if self._file is not None:
            last = end_of(match, digest, round(seconds, 6))
            self._file.write(_encode(last) + b"\n")
        return digest

    def _stderr_of(
        self, seat: int, time: bytes, *, last: bool = False
    ) -> list[tuple[bytes, bytes]]:
        text, left_out = self._stderr[seat].take(last=last)
        if not text:
            return []
        number = seat_id(seat)
        entry = StderrEntry(player_number=number, text=text, left_out=left_out, time=0)
        return [(head_of(entry), time)]

    def _hash_entries(self) -> None:
        heads: list[bytes] = []
        for entry in self._unhashed:
            if type(entry) is Sent:
                heads += (sent_to(entry.to), entry.line[:-1], b"}\n")
            else:
                heads += (line_of(entry, b"")[0], b"}\n")
        self._digest.update(b"".join(heads))
        self._unhashed.clear()

    def _write(self, lines: list[tuple[bytes, bytes]]) -> None:
        """Write lines. Each one is split into the part that's hashed, and the time field."""
        seen = [head + b"}\n" for head, _ in lines if not head.startswith(STDERR)]
        self._digest.update(b"".join(seen))
        if self._file is not None:
            self._file.write(b"".join([head + time for head, time in lines]))


def header_of(
    spec: MatchSpec, started: str, limits_by: LimitsBy = "none", place: Place | None = None
) -> Header:
    """Create the header of a match that started at this time of day (RFC 3339)."""
    return entry_types(spec.definition).header(
        format=FORMAT,
        version=FORMAT_VERSION,
        referee=__version__,
        game=spec.game,
        protocol=spec.definition.protocol,
        game_file=outside.source if (outside := GAMES.outside.get(spec.game)) else msgspec.UNSET,
        seed=spec.seed,
        redeals=list(spec.redeals) or msgspec.UNSET,
        opening=spec.opening or msgspec.UNSET,
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


def is_of_other_game(header: Header) -> bool:
    """Return True if the match was played with another version of the game's file than ours."""
    now = GAMES.outside.get(header.game)
    digest = "" if header.game_file is msgspec.UNSET else header.game_file.digest
    return digest != ("" if now is None else now.source.digest)


def spec_of(header: Header) -> MatchSpec:
    """Return the match that a header describes.

    Raises:
        UsageError: the options aren't valid.
    """
    options, limits = split(GAMES[header.game], header.options)
    sandbox = NO_SANDBOX if header.sandbox is msgspec.UNSET else Sandbox(header.sandbox)
    names, definition = tuple(header.names or ()), GAMES[header.game]
    own = [checked_own(definition, limits, each) for each in header.limits_of_bots or ()]
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
        opening=header.opening or 0,
        limits_of_bots=tuple(with_own(limits, each) for each in own),
    )


def end_of(match: Match, digest: str, seconds: float) -> EndEntry:
    """Create the last entry of a finished match."""
    assert match.outcome is not None
    types = entry_types(match.definition)
    return types.end(
        reason=match.outcome.reason,
        winners=[seat_id(seat) for seat in match.outcome.winners],
        players=[types.player(**end) for end in seat_ends(match)],
        digest=digest,
        time=seconds,
    )


def line_of(entry: Entry | ExitEntry, time: bytes) -> tuple[bytes, bytes]:
    """Encode an entry, and return its line in two parts, split before the time field.

    The second part is the closing brace if the entry doesn't have a time.
    """
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
    """Encode the entry of a bot's reply, up to its time field.

    Args:
        most_escaped: use Base64 if the JSON string would be longer than this times the reply.
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


def older_heads(entry: Entry | ExitEntry, definition: GameDefinition) -> Iterator[bytes]:
    """Yield an entry as older versions of the referee wrote it, up to its time field."""
    if type(entry) is Received:
        # They only used Base64 for replies that weren't UTF-8.
        yield received_head(entry, most_escaped=math.inf)
    if type(entry) is Sent and (fields := definition.added_fields.get(type(entry.message))):
        message = msgspec.json.decode(entry.line)
        for field in fields:
            message.pop(field, None)
            yield sent_to(entry.to) + _encode(message)


@cache
def _received_from(seat: int) -> bytes:
    return b'{"entry":"received","player_number":"%s",' % seat_id(seat).encode()


@cache
def sent_to(to: int | None) -> bytes:
    """Return the start of a `sent` line, up to the message. None stands for all players."""
    name = "all" if to is None else seat_id(to)
    return b'{"entry":"sent","to":"%s","message":' % name.encode()


def head_of(entry: Struct, last_field: bytes = b"time") -> bytes:
    """Encode an entry up to its time field. This is slow, so only use it for rare entries."""
    return _encode(entry).rpartition(b',"' + last_field + b'":')[0]


def line_received(entry: ReceivedEntry) -> bytes:
    """Return the line that a bot wrote.

    Returns b"" if the entry has neither or both of `line` and `base64`, or invalid Base64.
    """
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
# Fields at the end of lines that we don't hash. We search for the bytes, and then match the pattern
# from there.
_NOT_IN_DIGEST = ((b',"time":', _TIME), (b',"place":', _PLACED), (b',"started":', _STARTED))
_DIGEST = re.compile(rb'{"entry":"end",.*"digest":"(sha256:[0-9a-f]{64})"', re.DOTALL)


def is_timed(line: bytes, head: bytes) -> bool:
    """Return True if a line is `head` followed by a valid time field."""
    return line.startswith(head) and _TIME.fullmatch(line, len(head)) is not None


def is_started(line: bytes) -> bool:
    """Return True if a header line ends with a valid `started` field."""
    start = line.rfind(b',"started":')
    return start >= 0 and _STARTED.fullmatch(line, start) is not None


def without_time(line: bytes) -> bytes:
    """Return a line as we hash it for the digest."""
    for field, pattern in _NOT_IN_DIGEST:
        start = line.rfind(field)
        if start >= 0 and pattern.fullmatch(line, start):
            return line[:start] + b"}\n"
    return line


def claimed_digest(line: bytes) -> str | None:
    """Return the digest in an end entry, or None if the line isn't an end entry.

    If there's no newline at the end, this returns None as well, because the referee may have been
    killed while it was writing the line.
    """
    found = _DIGEST.match(line) if line[-1:] == b"\n" else None
    return found[1].decode() if found else None
