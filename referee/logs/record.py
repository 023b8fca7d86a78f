"""The match record: all that is needed to run a match again (spec/log-format.md, 2).

One JSON object a line, told apart by `entry`. The structs say what each line holds; the writer
builds the frequent ones from bytes that are there already, because it works while a bot's clock
may be running.
"""

from __future__ import annotations

import base64
import hashlib
from typing import Annotated, TypeAlias

import msgspec
from msgspec import Meta, Raw, Struct, UnsetType

from referee.logs.files import LogFile
from referee.match import Disqualified, Entry, Match, Received, Sent
from referee.options import Options
from referee.result import ranks
from referee.seam.faults import Fault
from referee.seam.seats import SeatId, seat_id

FORMAT = "referee-match-record"
FORMAT_VERSION = 1

Time = Annotated[float, Meta(ge=0, description="Seconds since the bots were started.")]


class Header(Struct, frozen=True, tag_field="entry", tag="header"):
    """The first line."""

    format: Annotated[str, Meta(extra_json_schema={"const": FORMAT})]
    version: Annotated[int, Meta(extra_json_schema={"const": FORMAT_VERSION})]
    referee: Annotated[str, Meta(description="The version of the referee that wrote it.")]
    game: str
    protocol: int
    seed: Annotated[int, Meta(ge=0)]
    bots: Annotated[list[str], Meta(description="The BOT arguments, in seat order.")]
    options: Options
    started: Annotated[str, Meta(description="Time of day, RFC 3339. A time field.")]


class SentEntry(Struct, frozen=True, tag_field="entry", tag="sent"):
    """A line from the referee."""

    to: Annotated[str, Meta(description='A player number, or "all".')]
    message: Raw
    time: Time


class ReceivedEntry(Struct, frozen=True, tag_field="entry", tag="received"):
    """A line from a bot, as it was, without its line end; blank lines are left out."""

    player_number: SeatId
    time: Time
    line: str | UnsetType = msgspec.UNSET
    base64: Annotated[
        str | UnsetType, Meta(description="Instead of `line`, where it was no UTF-8.")
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


class ExitEntry(Struct, frozen=True, tag_field="entry", tag="exit"):
    """A bot's process has ended. In seat order, after the last line sent."""

    player_number: SeatId
    exit_code: Annotated[int | None, Meta(description="-N after signal N; null: never started.")]
    time: Time


class PlayerEnd(Struct, frozen=True):
    """One seat's end in the last line."""

    name: str
    score: int
    turns: int
    rank: int
    disqualified: str | None
    cards: dict[str, int]


class EndEntry(Struct, frozen=True, tag_field="entry", tag="end"):
    """The last line."""

    reason: str
    winners: list[SeatId]
    players: Annotated[list[PlayerEnd], Meta(description="In seat order.")]
    digest: Annotated[str, Meta(pattern="^sha256:[0-9a-f]{64}$")]
    time: Time


RecordEntry: TypeAlias = (
    Header | SentEntry | ReceivedEntry | FaultEntry | DisqualifiedEntry | ExitEntry | EndEntry
)

_encode = msgspec.json.Encoder().encode


class RecordWriter:
    """Writes a match record.

    The digest is SHA-256 over all lines before the last, each without its time field
    (`,"time":...` or `,"started":...`, always the last field of its line) and with its line end,
    so that records of equal matches have equal digests.
    """

    def __init__(self, file: LogFile, header: Header) -> None:
        self._file = file
        self._digest = hashlib.sha256()
        head = head_of(header, b"started")
        self._write([(head, _encode(header)[len(head) :] + b"\n")])

    def write(self, entries: list[Entry], seconds: float) -> None:
        """Write a batch of entries.

        Args:
            seconds: since the bots were started.
        """
        time = b',"time":%.6f}\n' % seconds
        self._write([line_of(entry, time) for entry in entries])

    def end(self, match: Match, exit_codes: list[int | None], seconds: float) -> None:
        """Write the last lines, once the match is over and every process has ended."""
        time = b',"time":%.6f}\n' % seconds
        exits = [
            ExitEntry(seat_id(seat), exit_code, seconds)
            for seat, exit_code in enumerate(exit_codes)
        ]
        self._write([(head_of(entry), time) for entry in exits])
        last = end_of(match, f"sha256:{self._digest.hexdigest()}", round(seconds, 6))
        self._file.write(_encode(last) + b"\n")

    def _write(self, lines: list[tuple[bytes, bytes]]) -> None:
        """Write lines, each given as what the digest sees of it and its time field."""
        self._digest.update(b"".join([head + b"}\n" for head, _ in lines]))
        self._file.write(b"".join([head + time for head, time in lines]))


def end_of(match: Match, digest: str, seconds: float) -> EndEntry:
    """The last line of a match that is over."""
    assert match.outcome is not None  # it is over
    places = zip(match.names, match.standings(), ranks(match), strict=True)
    return EndEntry(
        reason=match.outcome.reason,
        winners=[seat_id(seat) for seat in match.outcome.winners],
        players=[
            PlayerEnd(
                name=name,
                score=standing.score,
                turns=standing.turns,
                rank=rank,
                disqualified=match.gone[seat].code if seat in match.gone else None,
                cards=standing.cards,
            )
            for seat, (name, standing, rank) in enumerate(places)
        ],
        digest=digest,
        time=seconds,
    )


def line_of(entry: Entry, time: bytes) -> tuple[bytes, bytes]:
    """One entry's line: its head, without the closing brace, and its time field with it."""
    if type(entry) is Sent:
        to = _TO[entry.to]
        return b'{"entry":"sent","to":"%s","message":%s' % (to, entry.line[:-1]), time
    if type(entry) is Received:
        try:
            key, text = b"line", entry.line.decode()
        except UnicodeDecodeError:
            key, text = b"base64", base64.b64encode(entry.line).decode()
        player = _TO[entry.seat]
        parts = (player, key, _encode(text))
        return b'{"entry":"received","player_number":"%s","%s":%s' % parts, time
    if type(entry) is Fault:
        fault = FaultEntry(seat_id(entry.seat), entry.code, entry.section, entry.detail)
        return _encode(fault)[:-1], b"}\n"
    assert type(entry) is Disqualified
    left = DisqualifiedEntry(seat_id(entry.seat), entry.code, entry.detail, 0)
    return head_of(left), time


_TO: dict[int | None, bytes] = {None: b"all"} | {seat: seat_id(seat).encode() for seat in range(4)}


def head_of(entry: Struct, last_field: bytes = b"time") -> bytes:
    """The line of an entry that is rare, up to its time field, which is the last."""
    return _encode(entry).rpartition(b',"' + last_field + b'":')[0]
