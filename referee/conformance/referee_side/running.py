"""Play one match with a referee as a process, and relays as its bots."""

from __future__ import annotations

import contextlib
import os
import shlex
import signal
import subprocess
import sys
import tempfile
from collections.abc import AsyncGenerator, AsyncIterator
from pathlib import Path

import trio

from referee.bots.guardian import GUARDIAN
from referee.conformance.referee_side.lines import Catalogue
from referee.conformance.referee_side.probe import Probe
from referee.conformance.referee_side.recording import TOKEN, Hello, Played
from referee.conformance.referee_side.template import Template
from referee.errors import SHORTAGES, ShortageError
from referee.seam.probing import Deed, ProbeMatch
from referee.terminal import plain

_RELAY = [sys.executable, "-I", "-S", str(Path(__file__).with_name("relay.py"))]
_HEADER = 5
_GONE = contextlib.suppress(trio.BrokenResourceError, trio.ClosedResourceError)
"""What a relay that has ended brings about is no error."""
_STDERR_BYTES = 16 * 1024
_STDERR_LINES = 10
_AWAIT_SECONDS = 3.0
_STAY_SECONDS = {"": 0, "a little": 0.2, "yes": 60}
_EXIT_SECONDS = 10.0
_NOTICE_SECONDS = 0.5
_POLL_SECONDS = 0.02


async def play_match(
    template: Template, catalogue: Catalogue, match: ProbeMatch, *, seed: int, limit: float
) -> Played:
    """Play a match; nothing that a referee does makes this fail.

    Args:
        seed: of the referee and of the probes.
        limit: seconds after which the referee is ended by force.
    """
    started = trio.current_time()
    probes = [Probe(catalogue, plan, seat, seed) for seat, plan in enumerate(match.seats)]
    stays = [plan.stays for plan in match.seats]
    played = Played(match.id, seed, [probe.seat for probe in probes], stays)
    with tempfile.TemporaryDirectory(prefix="referee-") as folder:
        path = f"{folder}/suite"
        bots = [
            shlex.join([*_RELAY, path, str(seat), str(_STAY_SECONDS[plan.stays])])
            for seat, plan in enumerate(match.seats)
        ]
        with trio.socket.socket(trio.socket.AF_UNIX) as listener:
            await listener.bind(path)
            listener.listen(len(probes))
            async with trio.open_nursery() as nursery:
                room = _Room(probes, stays, nursery)
                nursery.start_soon(room.accept, listener)
                with (Path(folder) / "stderr").open("w+b") as stderr:
                    await _run(template.fill(bots, seed), played, stderr.fileno(), limit)
                await room.end()
                nursery.cancel_scope.cancel()
        played.stderr = _last_lines(Path(folder) / "stderr")
    played.seconds = trio.current_time() - started
    return played


class _Room:
    """The relays of a match."""

    def __init__(self, probes: list[Probe], stays: list[str], nursery: trio.Nursery) -> None:
        self._probes = probes
        self._stays = stays
        self._nursery = nursery
        self._open: dict[int, trio.SocketStream] = {}  # seat -> its relay
        self._news = trio.Event()
        self._referee_is_there = True

    async def accept(self, listener: trio.socket.SocketType) -> None:
        """Take the connections of the relays, for ever."""
        while True:
            connection, _ = await listener.accept()
            self._nursery.start_soon(self._serve, trio.SocketStream(connection))

    async def end(self) -> None:
        """The referee has ended: take all that the relays have read, and let them end."""
        with trio.move_on_after(_EXIT_SECONDS):
            while any(not (self._stays[s] and self._probes[s].seat.ended) for s in self._open):
                await self._news.wait()
        with trio.move_on_after(_NOTICE_SECONDS):  # one that was killed may not be noticed yet
            while self._open:
                await self._news.wait()
        self._referee_is_there = False
        for stream in list(self._open.values()):
            with _GONE:
                await _send(stream, b"P")  # only one that has outlived the referee answers
                await _send(stream, b"X")
        with trio.move_on_after(_EXIT_SECONDS):
            while self._open:
                await self._news.wait()

    def _tell(self) -> None:
        self._news.set()
        self._news = trio.Event()

    async def _serve(self, stream: trio.SocketStream) -> None:
        async with stream, contextlib.aclosing(_frames(stream)) as frames:
            await self._converse(stream, frames)

    async def _converse(
        self, stream: trio.SocketStream, frames: AsyncIterator[tuple[bytes, bytes]]
    ) -> None:
        seat = -1
        rest = b""
        by_itself = False
        heard = trio.current_time()
        with _GONE:
            async for kind, data in frames:
                if kind == b"H":
                    seat = self._greet(data)
                    self._open[seat] = stream
                    continue
                probe = self._probes[seat]
                if kind == b"R":
                    *lines, rest = (rest + data).split(b"\n")
                    heard = trio.current_time()
                    for line in lines:
                        deed = probe.take(line)
                        self._tell()
                        if deed is not None:
                            with _GONE:
                                await self._do(stream, probe, deed)
                    continue
                if kind == b"P":
                    probe.seat.outlived = True
                    continue
                if kind == b"B":
                    by_itself = True
                    continue
                probe.seat.patience = probe.seat.patience or trio.current_time() - heard
                if kind == b"T":
                    probe.seat.terminated = True
                    probe.seat.note("SIGTERM came")
                else:
                    probe.seat.ended = True
                    probe.seat.note("its input ended")
                    if rest:
                        probe.seat.torn = rest
                        probe.seat.lines.append(b"> " + rest)
                        probe.seat.note("without a line end")
                self._tell()
        if seat in self._open:
            del self._open[seat]
            told = self._probes[seat].seat
            told.patience = told.patience or trio.current_time() - heard
            told.killed = self._referee_is_there and not told.left and not by_itself
            self._tell()

    def _greet(self, data: bytes) -> int:
        seat, pid, session, group, folder, *variables = data.decode(errors="surrogateescape").split(
            "\0"
        )
        environment = dict(each.split("=", 1) for each in variables)
        hello = Hello(int(pid), int(session), int(group), folder, environment)
        self._probes[int(seat)].seat.hello = hello
        return int(seat)

    async def _do(self, stream: trio.SocketStream, probe: Probe, deed: Deed) -> None:
        if deed.awaits is not None:
            kind, count = deed.awaits
            probe.seat.waited = False
            with trio.move_on_after(_AWAIT_SECONDS):
                while not self._has_come(probe, kind, count):
                    await self._news.wait()
                probe.seat.waited = True
        await trio.sleep(deed.delay)
        if deed.noise:
            await _send(stream, b"N", str(deed.noise).encode())
        if deed.data:
            await _send(stream, b"W", deed.data)
        if deed.then in ("exit", "close"):
            await _send(stream, b"X" if deed.then == "exit" else b"C")

    def _has_come(self, probe: Probe, kind: str, count: int) -> bool:
        return any(o.sent.get(kind, 0) >= count for o in self._probes if o is not probe)


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


async def _run(argv: list[str], played: Played, stderr: int, limit: float) -> None:
    """Run the referee to its end, or end it."""
    try:
        GUARDIAN.begin()
    except OSError as error:
        raise ShortageError("cannot start /bin/sh", error) from error
    process = None
    try:
        process = subprocess.Popen(  # noqa: ASYNC220 (trio would wait for it and reap it)
            argv,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=stderr,
            env={**os.environ, TOKEN: played.id},
            start_new_session=True,
        )
        GUARDIAN.watch(process.pid)
        with trio.move_on_after(limit) as scope:
            await _wait(process)
    except (OSError, ValueError) as error:
        if isinstance(error, OSError) and error.errno in SHORTAGES:
            raise ShortageError("cannot start the referee", error) from error
        played.error = str(error)
    finally:
        if process is not None:
            # Before it is reaped its id cannot be anybody else's.
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)
        GUARDIAN.end(None if process is None else process.pid)
        code = None if process is None else process.wait()
    if process is not None:
        played.exit_code = None if scope.cancelled_caught else code


async def _wait(process: subprocess.Popen[bytes]) -> None:
    """Wait for the end of a process without reaping it."""
    if sys.platform == "linux":
        fd = os.pidfd_open(process.pid)
        try:
            await trio.lowlevel.wait_readable(fd)
        finally:
            os.close(fd)
    else:
        flags = os.WEXITED | os.WNOHANG | os.WNOWAIT
        while os.waitid(os.P_PID, process.pid, flags) is None:  # noqa: ASYNC110, ASYNC222
            await trio.sleep(_POLL_SECONDS)  # nothing tells us


def _last_lines(file: Path) -> list[str]:
    with file.open("rb") as opened:
        opened.seek(max(0, file.stat().st_size - _STDERR_BYTES))
        text = opened.read().decode(errors="replace")
    return [plain(line) for line in text.splitlines()[-_STDERR_LINES:]]
