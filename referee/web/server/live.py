"""Streams of server-sent events: matches in progress, and changing standings.

The referee that plays a match doesn't know about viewers: this server just follows the record (or
spectator log) while it's being written. To make sure that nothing hidden is shown before the end,
it shows only the public messages, and whose reply the match waits for. Each stream remembers its
position and reads as fast as its client receives, so a slow client doesn't hold up the others and
needs no queue.

Events of a match: `reset` with the whole state, `steps` with new steps, `end` when the complete
match can be loaded. An event's id says which step and which request were the last, and a client
resumes with `after=ID`.
Events of a tournament: `standings`, when they have changed.
"""

from __future__ import annotations

import fcntl
import os
import secrets
import time
from collections import OrderedDict
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import aclosing, suppress
from io import FileIO
from itertools import chain
from threading import Lock, RLock
from typing import NamedTuple, TypeVar

import msgspec
import trio
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from referee.errors import LogReadError, RefereeError, UsageError
from referee.games import GAMES
from referee.games.interface.seats import seat_of
from referee.games.interface.sentence import in_words
from referee.logs.entries import last_line
from referee.logs.header import read_header
from referee.logs.parsing import Messages, entry_kinds, message_kinds
from referee.logs.record import (
    DisqualifiedEntry,
    EndEntry,
    Header,
    ReceivedEntry,
    SentEntry,
    spec_of,
)
from referee.logs.source import LogReader
from referee.match.messages import GameEnd
from referee.web.data import MatchSummary, TurnText
from referee.web.recorded import PublicMatch
from referee.web.server.guard import whole_number
from referee.web.server.library import MOST_BYTES, File, check_in_place
from referee.web.server.matches import MAX_FILE, Parts

MOST_STREAMS = 200
# Minimum time between two events of a match, in seconds, even if it's played faster.
STEPS_SECONDS = 0.1
# How often we check, in seconds, whether the standings have changed, and whether a match is still
# in progress.
STANDINGS_SECONDS = 1.0
# If a stream was silent for this many seconds, we send a comment to keep it open.
COMMENT_SECONDS = 15.0
# If a file has no end and isn't locked, somebody may still be writing it. We assume they do until
# its last change is older than this many seconds.
FRESH_SECONDS = 60.0
_MOST_KEPT = 16
# We look for the score and the last event in this many of the latest turns.
_SUMMARY_TURNS = 16
# If a spectator log hasn't told us its game after this many lines, we give up.
_MOST_AHEAD = 64
_CHUNK = 64 * 1024
# The match may be written faster than we can read. If we didn't stop reading after this many
# seconds, we'd never get to send anything.
_LOOK_SECONDS = 0.1

T = TypeVar("T")


class NotBegun(RefereeError):
    """There's nothing to show yet, e.g. because we don't know the players."""


class Position(NamedTuple):
    """What a client knows of a match: the last step, and how often `asked` has changed."""

    step: int
    requests: int


class Event(NamedTuple):
    """A server-sent event. Its data is JSON."""

    name: str
    id: str
    data: bytes

    @property
    def text(self) -> bytes:
        """The event as it's written to the stream."""
        return f"event: {self.name}\nid: {self.id}\ndata: ".encode() + self.data + b"\n\n"

    @property
    def json(self) -> bytes:
        """The event for a client that polls instead of reading a stream."""
        return f'[{{"event":"{self.name}","id":"{self.id}","data":'.encode() + self.data + b"}]"


_END = Event("end", "", b"null")


def is_played(file: File) -> bool:
    """Check whether a match is in progress, i.e. it has no end yet and is still being written.

    Our own referee holds a lock on the file while it writes, but other programs don't. If there's
    no lock, we look at the time of the file's last change.
    """
    try:
        with open(file.path, "rb") as opened:
            if time.time() > os.fstat(opened.fileno()).st_mtime + FRESH_SECONDS:
                fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return False  # we got the lock, so nobody else holds it
    except BlockingIOError:
        pass
    except OSError:
        return False
    try:
        last, _ = _last_line(file)
    except UsageError:  # the file was deleted
        return False
    return not (
        last.startswith(b'{"entry":"end"') or isinstance(message_kinds(None).decode(last), GameEnd)
    )


def _last_line(file: File) -> tuple[bytes, bool]:
    with LogReader(file.path, most=MOST_BYTES) as reader:
        lines, last = iter(reader), b""
        with suppress(LogReadError):
            first = next(lines, b"")
            last = last_line(file.path, reader, chain([first], lines))
        return last, reader.packed


class LiveMatch:
    """A match in progress, read from its file. Thread-safe.

    Args:
        file: the file of the match.
        names: a function that returns the players' names in seat order. We call it when the file
            has a header. If it returns no names, we use those that the players report.

    Attributes:
        over: True if there is nothing more to read.
        turn: a lock. The stream that holds it reads for all streams.
        last_read: when a stream has last read, on trio's clock.
    """

    def __init__(self, file: File, names: Callable[[], Sequence[str]]) -> None:
        check_in_place(file)
        self._names = names
        self.over = False
        self.turn = trio.Lock()
        self.last_read = 0.0
        self._file = file
        # Our ids contain this key, so we don't accept ids from other matches or before a restart.
        self._key = secrets.token_hex(4)
        self._lock = RLock()
        self._inode = 0
        self._offset = 0
        self._rest = b""
        self._lines = 0
        self._ahead: list[bytes] = []
        self._record: Header | None = None
        self._match: PublicMatch | None = None
        self._checked = time.monotonic()
        self._events: dict[Position | None, Event] = {}
        self._asked: set[int] = set()  # the seats that owe a reply, if this is a record
        self._requests = 0
        self._message_count = 0  # only counts public messages
        self._last_message = 0.0  # when the last public message came, in seconds since 1970

    def read_new(self) -> None:
        """Read new lines. Every now and then, also check whether the match is still in progress."""
        with self._lock:
            try:
                with open(self._file.path, "rb", buffering=0) as file:
                    self._read(file)
            except OSError:  # the file was deleted
                self.over = True
            if time.monotonic() > self._checked + STANDINGS_SECONDS:
                self._checked = time.monotonic()
                self.over |= not is_played(self._file)

    @property
    def parts(self) -> Parts:
        """The data of the match so far. Raises `NotBegun` if there's no state to show yet."""
        with self._lock:
            match = self._match
            if match is None or match.made is None or not match.made.steps:
                raise NotBegun("The match has not begun: this page looks for it every second")
            bots, options = [], None
            if self._record is not None:
                bots = self._record.bots
                options = spec_of(self._record).options
            header = match.header("live", self._file.id.rpartition("/")[2], bots, options)
            header.heard = self._last_message
            header.asked = self._waits_for
            return Parts.of(match.made.page(header))

    @property
    def summary(self) -> MatchSummary | None:
        """The match as a row of a table, or None if we don't know its players yet."""
        with self._lock:
            made = None if self._match is None else self._match.made
            if made is None:
                return None
            turns = made.turns[-_SUMMARY_TURNS:]
            scores = [list(turn.scores) for turn in turns if turn.scores]
            told = [turn for turn in turns if turn.line]
            turn = turns[-1].turn if turns else 0
            last = _last(told[-1], made.names) if told else ""
            return MatchSummary(made.names, scores[-1] if scores else [], turn, last)

    def after(self, id: str) -> Position | None:
        """Return the position that an event's id refers to, or None if it's not one of our ids."""
        key, *numbers = id.split(".")
        known = [number for number in map(whole_number, numbers) if number is not None]
        if key != self._key or len(known) != len(numbers) or len(known) != len(Position._fields):
            return None
        position = Position(*known)
        return position if position.step < self._count else None

    def event(self, after: Position | None) -> tuple[Event | None, Position | None]:
        """Return the next event for a client.

        Args:
            after: what the client knows, or None if it doesn't know anything.

        Returns:
            The event, and what the client will then know. If there's no news, the event is None.
        """
        with self._lock:
            last = Position(self._count - 1, self._requests)
            if last.step < 0 or last == after:
                return None, after
            # Most streams are at the same step, so we encode an event only once.
            if after not in self._events:
                name = "reset" if after is None else "steps"
                data = self.parts.whole if after is None else self._since(after.step)
                id = f"{self._key}.{last.step}.{last.requests}"
                self._events[after] = Event(name, id, data)
            return self._events[after], last

    @property
    def _count(self) -> int:
        return 0 if self._match is None else len(self._match.steps)

    def _read(self, file: FileIO) -> None:
        found = os.fstat(file.fileno())
        self._inode = self._inode or found.st_ino
        # If the file was replaced, or has shrunk, our offset doesn't mean anything any more.
        self.over |= found.st_ino != self._inode
        self.over |= not self._offset <= found.st_size <= MAX_FILE
        file.seek(self._offset)
        until = time.monotonic() + _LOOK_SECONDS
        before = self._message_count
        while not self.over and (chunk := file.read(_CHUNK)):
            self._offset += len(chunk)
            # The last line may still be incomplete. In this case, we keep what we have of it.
            *lines, self._rest = (self._rest + chunk).split(b"\n")
            for line in lines:
                if not self.over:
                    self._take(line + b"\n")
            # The cached events don't contain the new lines.
            self._events.clear()
            if time.monotonic() >= until:
                break
        if self._message_count != before:
            self._last_message = found.st_mtime

    def _since(self, after: int) -> bytes:
        assert self._match is not None
        made = self._match.made
        assert made is not None
        steps = made.steps[after + 1 :]
        first, last = made.steps[after], made.steps[-1]
        turns = [turn for turn in made.turns[-len(steps) - 1 :] if turn.turn >= first.turn]
        rules = made.rules() if any(step.marks for step in steps) else {}
        return msgspec.json.encode(
            {
                "steps": steps,
                "lines": made.lines[first.lines[1] : last.lines[1]],
                "turns": turns,
                "turned": made.turning_points(),
                "rules": rules,
                "heard": self._last_message,
                "asked": self._waits_for,
            }
        )

    def _take(self, line: bytes) -> None:
        self._lines += 1
        if self._match is None:
            self._begin(line)
        elif self._record is not None:
            entry = entry_kinds(self._match.definition).line(self._lines, line).content
            problem = self._match.problem
            if isinstance(entry, SentEntry) and entry.to == "all" and not problem:
                self._add_message(bytes(entry.message))
            self._note_request(entry)
            self.over |= entry is None or isinstance(entry, EndEntry)
        else:
            self._add_message(line)

    def _note_request(self, entry: object) -> None:
        assert self._match is not None
        if isinstance(entry, SentEntry):
            player = entry.to
        elif isinstance(entry, ReceivedEntry | DisqualifiedEntry):
            player = entry.player_number
        else:
            return
        seat = seat_of(player, self._match.definition.max_seats)
        asked = isinstance(entry, SentEntry)  # only requests are sent to a single seat
        if seat is not None and asked != (seat in self._asked):
            self._asked ^= {seat}
            self._requests += 1

    @property
    def _waits_for(self) -> list[int] | None:
        return None if self._record is None else sorted(self._asked)

    def _begin(self, line: bytes) -> None:
        """Find out from the first lines which game this is, and whether the file is a record."""
        if self._lines == 1:
            header = read_header(line)
            if isinstance(header, Header):
                self._record = header
                definition, bots = GAMES[header.game], header.bots
                self._match = PublicMatch(definition, len(bots), self._names(), bots)
                return
        self._ahead.append(line)
        messages = Messages(self._ahead)
        lines = list(messages)
        if messages.definition is not None:
            self._match = PublicMatch(messages.definition)
            for read in lines:
                self._message_count += 1
                self._match.add(read)
        self.over |= lines[0].content is None or self._lines > _MOST_AHEAD

    def _add_message(self, text: bytes) -> None:
        match = self._match
        assert match is not None
        self._message_count += 1
        match.add(message_kinds(match.definition).line(self._lines, text))
        # The last public message isn't the end of a record, because e.g. the hidden cards follow.
        # When the record is complete, a page can load all of it.
        if self._record is None:
            self.over |= bool(match.problem) or match.ended is not None


def _last(turn: TurnText, names: Sequence[str]) -> str:
    line = in_words(turn.line, names)
    return f"{names[turn.seats[0]]} {line}" if len(turn.seats) == 1 else line


class Live:
    """Keeps track of the matches in progress, and streams their events."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._playing: OrderedDict[str, LiveMatch] = OrderedDict()
        self._streams = 0
        self._threads = trio.CapacityLimiter(2)

    def find(self, file: File, names: Callable[[], Sequence[str]]) -> LiveMatch | None:
        """Return the match that's being written to a file, or None if it's over.

        Raises:
            NotBegun: the file is compressed, so we can't follow it.
        """
        if not is_played(file):
            with self._lock:
                self._playing.pop(file.path, None)
            return None
        if _last_line(file)[1]:
            raise NotBegun(
                "This match is being played, and its file is compressed: "
                "this page shows it when it is over"
            )
        with self._lock:
            playing = self._playing.pop(file.path, None)
            if playing is None or playing.over:
                playing = LiveMatch(file, names)
            self._playing[file.path] = playing
            # If somebody follows a match that we forget here, we just read it again from the start.
            while len(self._playing) > _MOST_KEPT:
                self._playing.popitem(last=False)
        playing.read_new()
        return None if playing.over else playing

    def match(self, playing: LiveMatch | None, request: Request) -> Response:
        """Return a stream of a match's events. If the match is over, it only has the event `end`.

        If the request is for JSON, return just the next event instead.
        """
        known = request.headers.get("last-event-id") or request.query_params.get("after", "")
        after = None if playing is None else playing.after(known)
        if request.query_params.get("format") == "json":
            event = _END if playing is None else playing.event(after)[0]
            return Response(b"[]" if event is None else event.json, media_type="application/json")

        async def events() -> AsyncGenerator[bytes]:
            at = after
            while playing is not None:
                over = playing.over  # if it ends in _next(), we try once more
                event, at = await self._next(playing, at)
                yield b"" if event is None else event.text
                if over:
                    break
                await trio.sleep(STEPS_SECONDS)
            yield _END.text

        return self._stream(request, events())

    def standings(self, state: Callable[[], Awaitable[bytes]], request: Request) -> Response:
        """Return a stream with an event whenever the JSON that `state` returns has changed."""

        async def events() -> AsyncGenerator[bytes]:
            last = None
            while True:
                now = await state()
                # We yield even if nothing has changed, so that _counted() can send a comment from
                # time to time.
                yield b"" if now == last else Event("standings", "", now).text
                last = now
                await trio.sleep(STANDINGS_SECONDS)

        return self._stream(request, events())

    async def _next(
        self, playing: LiveMatch, at: Position | None
    ) -> tuple[Event | None, Position | None]:
        async with playing.turn:  # one stream reads for all the others
            # Streams wake up at slightly different times. If another one has just read, there's no
            # need to do it again.
            if trio.current_time() >= playing.last_read + STEPS_SECONDS / 2 and not playing.over:
                await self._work(playing.read_new)
                playing.last_read = trio.current_time()
        if at is None:  # the whole match can be large, so we don't encode it in the event loop
            return await self._work(lambda: playing.event(None))
        return playing.event(at)

    async def _work(self, do: Callable[[], T]) -> T:
        return await trio.to_thread.run_sync(do, limiter=self._threads, abandon_on_cancel=True)

    def _stream(self, request: Request, events: AsyncGenerator[bytes]) -> Response:
        if request.method == "HEAD":
            return Response(media_type="text/event-stream")
        if self._streams >= MOST_STREAMS:
            return PlainTextResponse("Too many streams: ask again with format=json\n", 503)
        return _Stream(self._counted(events), media_type="text/event-stream")

    async def _counted(self, events: AsyncGenerator[bytes]) -> AsyncGenerator[bytes]:
        quiet_since = trio.current_time()
        self._streams += 1
        try:
            async with aclosing(events):
                async for data in events:
                    now = trio.current_time()
                    if data or now >= quiet_since + COMMENT_SECONDS:
                        quiet_since = now
                        yield data or b":\n\n"
        finally:
            self._streams -= 1


class _Stream(StreamingResponse):
    body_iterator: AsyncGenerator[bytes]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        # If the client disconnects, the generator has to be closed right here. If it were left to
        # the garbage collector, its `finally` would run at some later time, outside of trio's
        # control.
        async with aclosing(self.body_iterator):
            await super().__call__(scope, receive, send)
