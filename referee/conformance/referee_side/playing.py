"""Play one match with a referee as a process, and relays as its bots."""

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
from referee.conformance.referee_side.recording import TOKEN, Hello, RecordedMatch, Seat
from referee.conformance.referee_side.template import Template
from referee.games.interface.probing import Deed, ProbeMatch
from referee.games.interface.rules import Rules
from referee.match.limits import Limits

_RELAY = [sys.executable, "-I", "-S", str(Path(__file__).with_name("relay.py"))]
_HEADER = 5
_GONE = contextlib.suppress(trio.BrokenResourceError, trio.ClosedResourceError)
"""What a relay that has ended brings about is no error."""
_STDERR_LINES = 8
_CHUNK = 64 * 1024
_AWAIT_SECONDS = 3.0
_STAY_SECONDS = {"": 0, "a little": 0.2, "yes": 60}
_EXIT_SECONDS = 10.0
_NOTICE_SECONDS = 0.5
_LONGEST_PLACE = 80
"""Bytes: a socket's whole name has 103 at most, and ends in `/referee-abcdefgh/suite`."""


async def run_probe_match(
    template: Template, rules: Rules, match: ProbeMatch, *, seed: int, limit: float
) -> RecordedMatch:
    """Play a match; nothing that a referee does makes this fail.

    Args:
        seed: of the referee and of the probes.
        limit: seconds after which the referee is ended by force.
    """
    started = trio.current_time()
    probes = [Probe(rules, plan, seat, seed) for seat, plan in enumerate(match.seats)]
    recorded = RecordedMatch(match.id, seed, [probe.seat for probe in probes])
    place = tempfile.gettempdir()
    if len(os.fsencode(place)) > _LONGEST_PLACE:
        place = "/tmp"
    with tempfile.TemporaryDirectory(prefix="referee-", dir=place) as folder:
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
                    await _run(template.fill(bots, seed), recorded, stderr.fileno(), limit)
                await room.end()
                nursery.cancel_scope.cancel()
        keeper = StderrKeeper(None)
        with (Path(folder) / "stderr").open("rb") as file:
            while data := file.read(_CHUNK):
                keeper.feed(data)
        recorded.stderr = keeper.lines(_STDERR_LINES).lines
    recorded.seconds = trio.current_time() - started
    return recorded


class _Room:
    """The relays of a match."""

    def __init__(self, probes: list[Probe]) -> None:
        self._probes = probes
        self._open: dict[int, trio.SocketStream] = {}  # seat -> its relay
        self._news = trio.Event()
        self._referee_is_there = True

    async def end(self) -> None:
        """The referee has ended: take all that the relays have read, and let them end."""
        with trio.move_on_after(_EXIT_SECONDS):
            while any(not (seat.stays and seat.ended) for seat in map(self._seat, self._open)):
                await self._news.wait()
        with trio.move_on_after(_NOTICE_SECONDS):  # one that was killed may not be noticed yet
            while self._open:
                await self._news.wait()
        self._referee_is_there = False
        for number, stream in list(self._open.items()):
            self._seat(number).outlived = True
            with _GONE:
                await _send(stream, b"X")
        with trio.move_on_after(_EXIT_SECONDS):
            while self._open:
                await self._news.wait()

    def _seat(self, number: int) -> Seat:
        return self._probes[number].seat

    def _notify(self) -> None:
        self._news.set()
        self._news = trio.Event()

    async def serve(self, stream: trio.SocketStream) -> None:
        """Let a relay do what its probe does."""
        async with stream, contextlib.aclosing(_frames(stream)) as frames:
            number, seat = -1, Seat()  # until it has said which
            rest = b""
            by_itself = False
            heard = trio.current_time()
            with _GONE:
                async for kind, data in frames:
                    if kind == b"H":
                        number, hello = Hello.read(data)
                        self._open[number] = stream
                        seat = self._seat(number)
                        seat.hello = hello
                    elif kind == b"R":
                        *lines, rest = (rest + data).split(b"\n")
                        heard = trio.current_time()
                        await self._take(stream, self._probes[number], lines)
                    elif kind == b"B":
                        by_itself = True
                    else:
                        seat.patience = seat.patience or trio.current_time() - heard
                        if kind == b"T":
                            seat.terminated = True
                            seat.note("SIGTERM came")
                        else:
                            seat.end(rest)
                        self._notify()
            self._open.pop(number, None)
            seat.patience = seat.patience or trio.current_time() - heard
            seat.killed = self._referee_is_there and not seat.left and not by_itself
            self._notify()

    async def _take(self, stream: trio.SocketStream, probe: Probe, lines: list[bytes]) -> None:
        for line in lines:
            deed = probe.take(line)
            self._notify()
            if deed is not None:
                with _GONE:
                    await self._do(stream, probe, deed)

    async def _do(self, stream: trio.SocketStream, probe: Probe, deed: Deed) -> None:
        if deed.awaits is not None:
            kind, count = deed.awaits
            others = [other for other in self._probes if other is not probe]
            probe.seat.waited = False
            with trio.move_on_after(_AWAIT_SECONDS):
                while all(other.sent.get(kind, 0) < count for other in others):
                    await self._news.wait()
                probe.seat.waited = True
        await trio.sleep(deed.delay)
        if deed.noise:
            await _send(stream, b"N", str(deed.noise).encode())
        if deed.data:
            await _send(stream, b"W", deed.data)
        if deed.then in ("exit", "close"):
            await _send(stream, b"X" if deed.then == "exit" else b"C")


async def _frames(stream: trio.SocketStream) -> AsyncGenerator[tuple[bytes, bytes], None]:
    """What a relay says, up to its end."""
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


# --- the referee ----------------------------------------------------------------------------------


async def _run(argv: list[str], recorded: RecordedMatch, stderr: int, limit: float) -> None:
    """Run the referee to its end, or end it."""
    launched = LaunchedBot(
        BotCommand("the referee", tuple(argv)),
        Limits(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=stderr,
        env={**os.environ, TOKEN: recorded.id},
    )
    if launched.popen is None:
        recorded.error = str(launched.cause)
        return
    try:
        with trio.move_on_after(limit) as scope:
            await wait_for_exit(launched)
    finally:
        with trio.CancelScope(shield=True):
            await kill(launched)
        launched.reap()
    recorded.exit_code = None if scope.cancelled_caught else launched.exit_code
