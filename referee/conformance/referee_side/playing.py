"""Plays one match, with a referee as a process and relays as its bots."""

from __future__ import annotations

import contextlib
import os
import shlex
import subprocess
import sys
import tempfile
from collections.abc import AsyncGenerator
from pathlib import Path

import trio

from referee.bots.command import BotCommand
from referee.bots.processes.launch import LaunchedBot
from referee.bots.processes.process import kill, wait_for_exit
from referee.bots.processes.stderr import StderrKeeper
from referee.conformance.referee_side.probe import Probe
from referee.conformance.referee_side.recording import RecordedMatch
from referee.conformance.referee_side.template import Template
from referee.errors import UsageError
from referee.games.interface.definition import GameDefinition
from referee.games.interface.probing import ProbeMatch
from referee.match.limits import Limits

_RELAY = [sys.executable, "-I", "-S", str(Path(__file__).with_name("relay.py"))]
_HEADER = 5
# These errors occur if a relay has exited.
_GONE = contextlib.suppress(trio.BrokenResourceError, trio.ClosedResourceError)
# Maximum length of the path of the temporary folder, in bytes.
_MOST_PLACE = 80
_STDERR_LINES = 8
_CHUNK = 64 * 1024
_AWAIT_SECONDS = 3.0
_STAY_SECONDS = {"": 0, "a little": 0.2, "yes": 60}
_EXIT_SECONDS = 10.0
_NOTICE_SECONDS = 0.5


async def run_probe_match(
    template: Template, definition: GameDefinition, match: ProbeMatch, *, seed: int, limit: float
) -> RecordedMatch:
    """Run the referee for one match, and record its behaviour. Kill it after `limit` seconds.

    This only records the match. If the referee makes mistakes, we don't raise exceptions, but judge
    them later.
    """
    started = trio.current_time()
    probes = [Probe(definition, plan, seat, seed) for seat, plan in enumerate(match.seats)]
    recorded = RecordedMatch(match.id, seed, [probe.seat for probe in probes])
    with _folder_for_socket() as folder:
        path = f"{folder}/suite"
        bots = [
            shlex.join([*_RELAY, path, str(seat), str(_STAY_SECONDS[plan.stays])])
            for seat, plan in enumerate(match.seats)
        ]
        with trio.socket.socket(trio.socket.AF_UNIX) as listener:
            await listener.bind(path)
            listener.listen(len(probes))
            async with trio.open_nursery() as nursery:
                room = _Room(probes)
                nursery.start_soon(
                    trio.serve_listeners, room.serve, [trio.SocketListener(listener)]
                )
                with (Path(folder) / "stderr").open("w+b") as stderr:
                    await _run(template.fill(bots, seed), recorded, stderr.fileno(), limit, room)
                    await room.end()
                    stderr.seek(0)
                    keeper = StderrKeeper(None)
                    while data := stderr.read(_CHUNK):
                        keeper.feed(data)
                nursery.cancel_scope.cancel()
    recorded.stderr = keeper.lines(_STDERR_LINES).lines
    recorded.seconds = trio.current_time() - started
    return recorded


def _folder_for_socket() -> tempfile.TemporaryDirectory[str]:
    try:
        # The path of a socket has at most 103 bytes, and some systems have long temporary paths.
        place = tempfile.gettempdir()
        if len(os.fsencode(place)) > _MOST_PLACE:
            place = "/tmp"
        return tempfile.TemporaryDirectory(prefix="referee-", dir=place)
    except OSError as error:
        advice = "set TMPDIR to a folder with a short name that you can write to"
        raise UsageError(f"no folder for a socket: {error.strerror}: {advice}") from error


class _Room:
    """The server that the relays of a match connect to."""

    def __init__(self, probes: list[Probe]) -> None:
        self._probes = probes
        self._open: set[int] = set()  # seats whose relays are connected
        self._news = trio.Event()

    async def wait_for_relays(self) -> None:
        # If the referee exits early, a relay may still be starting. Let it connect, so that we know
        # its process group, before it's killed.
        with trio.move_on_after(_NOTICE_SECONDS):
            while not all(probe.seat.group for probe in self._probes):
                await self._news.wait()

    async def end(self) -> None:
        """After the referee's exit, wait for the relays to exit, and mark the relays that stay."""
        seats = [probe.seat for probe in self._probes]
        # After the first wait, some relays may just have been killed. Wait a moment longer, because
        # we don't notice this immediately.
        for seconds in (_EXIT_SECONDS, _NOTICE_SECONDS):
            with trio.move_on_after(seconds):
                while any(
                    not (seats[number].stays and seats[number].ended) or seconds < _EXIT_SECONDS
                    for number in self._open
                ):
                    await self._news.wait()
        for number in self._open:
            seats[number].outlived = True

    def _notify(self) -> None:
        self._news.set()
        self._news = trio.Event()

    async def serve(self, stream: trio.SocketStream) -> None:
        frames = _frames(stream)
        async with stream, contextlib.aclosing(frames):
            hello = (await anext(frames))[1].decode(errors="surrogateescape").split("\0")
            number = int(hello[0])
            probe = self._probes[number]
            seat = probe.seat
            seat.group, seat.folder = hello[1:]
            self._open.add(number)
            self._notify()
            rest = b""
            by_itself = False
            heard = trio.current_time()
            with _GONE:
                async for kind, data in frames:
                    if kind == b"R":
                        *lines, rest = (rest + data).split(b"\n")
                        heard = trio.current_time()
                        for line in lines:
                            await self._take(stream, probe, line)
                        continue
                    seat.patience = seat.patience or trio.current_time() - heard
                    by_itself = by_itself or kind == b"B"
                    if kind == b"T":
                        seat.terminated = True
                        seat.note("SIGTERM came")
                    elif kind == b"E":
                        seat.end(rest)
                    self._notify()
            self._open.discard(number)
            seat.patience = seat.patience or trio.current_time() - heard
            seat.killed = not by_itself
            self._notify()

    async def _take(self, stream: trio.SocketStream, probe: Probe, line: bytes) -> None:
        action = probe.take(line)
        self._notify()
        if action is None:
            return
        if action.awaits is not None:
            kind, count = action.awaits
            others = [other for other in self._probes if other is not probe]
            probe.seat.waited = False
            with trio.move_on_after(_AWAIT_SECONDS):
                while all(other.sent.get(kind, 0) < count for other in others):
                    await self._news.wait()
                probe.seat.waited = True
        await trio.sleep(action.delay)
        with _GONE:
            if action.noise:
                await _send(stream, b"N", str(action.noise).encode())
            if action.data:
                await _send(stream, b"W", action.data)
            if action.then == "close":
                await _send(stream, b"C")
            if action.then == "exit":
                await stream.aclose()


async def _frames(stream: trio.SocketStream) -> AsyncGenerator[tuple[bytes, bytes], None]:
    buffer = b""
    async for data in stream:
        buffer += data
        while len(buffer) >= _HEADER:
            end = _HEADER + int.from_bytes(buffer[1:_HEADER], "big")
            if len(buffer) < end:
                break
            frame, buffer = buffer[:end], buffer[end:]
            yield frame[:1], frame[_HEADER:]


async def _send(stream: trio.SocketStream, kind: bytes, data: bytes = b"") -> None:
    await stream.send_all(kind + len(data).to_bytes(4, "big") + data)


async def _run(
    argv: list[str], recorded: RecordedMatch, stderr: int, limit: float, room: _Room
) -> None:
    """Run the referee until it exits. Kill it after `limit` seconds."""
    launched = LaunchedBot(
        BotCommand("the referee", tuple(argv)),
        Limits(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=stderr,
        env=None,  # the referee inherits our environment
    )
    if launched.popen is None:
        recorded.error = launched.error
        return
    try:
        with trio.move_on_after(limit) as scope:
            await wait_for_exit(launched)
            await room.wait_for_relays()
    finally:
        with trio.CancelScope(shield=True):
            await kill(launched)
        launched.reap()
    recorded.exit_code = None if scope.cancelled_caught else launched.exit_code
