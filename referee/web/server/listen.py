"""Run the application on hypercorn, with limits on its connections."""

from __future__ import annotations

import socket
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from functools import partial

import h11
import trio
from hypercorn.config import Config
from hypercorn.trio.tcp_server import TCPServer
from hypercorn.trio.worker_context import WorkerContext
from hypercorn.typing import ConnectionState
from hypercorn.utils import wrap_app
from starlette.types import ASGIApp

from referee.errors import UsageError
from referee.web.server.guard import MOST_REQUESTS

# If there are more connections than this, we close the oldest one from the address that has the
# most. This way, a client that opens hundreds of connections only hurts itself.
MOST_CONNECTIONS = 512
# A client that accepts no data for this many seconds is disconnected.
STUCK_SECONDS = 10.0
# At most this many requests may be sending at a time, so slow clients can't take up all of them.
MOST_SENDING = MOST_REQUESTS // 2
# We close a connection if it takes longer than this to send a complete request.
IDLE_SECONDS = 15.0
_NO_BODY = 64 * 1024


def listening(host: str, port: int) -> socket.socket:
    """Return a listening socket; port 0 means any free port. May raise `UsageError`."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    made = socket.socket(family, socket.SOCK_STREAM)
    try:
        # Without this, you couldn't restart the server for a minute or so, because of old
        # connections.
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind((host, port))
        made.listen(128)
    except OSError as error:
        made.close()
        shown = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
        hint = "give another, such as --listen 127.0.0.1:0, which takes a port that is free"
        reason = error.strerror or str(error)
        raise UsageError(f"cannot listen on {shown}: {reason}; {hint}") from error
    made.setblocking(False)
    return made


async def serve(app: ASGIApp, on: socket.socket, failed: Callable[[Exception], None]) -> None:
    """Serve requests until cancelled, then close all connections. Passes bugs to `failed`.

    Without `failed`, nobody would hear about a bug, because hypercorn only writes exceptions to its
    log, which is switched off here.
    """
    config = Config()
    config.errorlog = config.accesslog = None
    config.keep_alive_timeout = IDLE_SECONDS
    config.include_server_header = False
    config.wsgi_max_body_size = _NO_BODY

    async def guarded(scope: object, receive: object, send: object) -> None:
        try:
            await app(scope, receive, send)  # type: ignore[arg-type]
        except Exception as error:
            failed(error)
            raise

    streams: dict[_Stream, str] = {}
    listener = _Listener(trio.SocketListener(trio.socket.from_stdlib_socket(on)), streams)
    handler = partial(
        _Http1Server,
        wrap_app(guarded, _NO_BODY, "asgi"),
        config,
        WorkerContext(None),
        ConnectionState({}),
    )
    try:
        await trio.serve_listeners(handler, [listener])
    finally:
        for stream in set(streams):
            stream.end()


class _Http1(h11.Connection):
    """A connection that can't switch to other protocols, because only HTTP/1.1 has our limits."""

    def next_event(self) -> h11.Event | type[h11.NEED_DATA] | type[h11.PAUSED]:
        """Return the next event. If a request asks for an upgrade, this removes the header.

        Raises:
            h11.RemoteProtocolError: the client speaks another protocol.
        """
        event = super().next_event()
        if isinstance(event, h11.Request):
            if not event.http_version.startswith(b"1."):
                raise h11.RemoteProtocolError("not HTTP/1.1", error_status_hint=505)
            # A server may ignore an upgrade (RFC 9110, 7.8), but hypercorn would accept it, so we
            # hide it.
            kept = [(name, value) for name, value in event.headers if name != b"upgrade"]
            event = h11.Request(
                method=event.method,
                target=event.target,
                headers=kept,
                http_version=event.http_version,
            )
        return event


# hypercorn's server, restricted to HTTP/1.1.
class _Http1Server(TCPServer):
    async def _read_data(self) -> None:
        self.protocol.protocol.connection = _Http1(
            h11.SERVER, max_incomplete_event_size=self.config.h11_max_incomplete_size
        )
        await super()._read_data()


class _Stream(trio.abc.HalfCloseableStream):
    """A connection whose writes time out, even where hypercorn shields them from cancellation."""

    def __init__(self, made: trio.SocketStream, streams: dict[_Stream, str]) -> None:
        self.socket = made.socket  # hypercorn reads the addresses from it
        self._made = made
        self._streams = streams
        self._scopes: set[trio.CancelScope] = set()
        self._ended = False

    def end(self) -> None:
        self._ended = True
        for scope in self._scopes:
            scope.cancel()

    async def send_all(self, data: bytes | bytearray | memoryview) -> None:
        """Send data. If too many connections are sending, this ends another one first.

        Raises:
            trio.BrokenResourceError: the client was too slow, or this connection was ended.
        """
        sending = {each: at for each, at in self._streams.items() if each._scopes}
        # To make room, we end the oldest connection of the address that has the most.
        if len(sending) >= MOST_SENDING:
            _oldest_of_most(sending).end()
        with trio.move_on_after(0 if self._ended else STUCK_SECONDS) as scope:
            self._scopes.add(scope)
            try:
                await self._made.send_all(data)
            finally:
                self._scopes.discard(scope)
        if scope.cancelled_caught:
            await trio.aclose_forcefully(self)  # otherwise hypercorn would go on reading from it
            raise trio.BrokenResourceError("the client takes nothing")

    async def wait_send_all_might_not_block(self) -> None:
        await self._made.wait_send_all_might_not_block()

    async def receive_some(self, max_bytes: int | None = None) -> bytes | bytearray:
        return await self._made.receive_some(max_bytes)

    async def send_eof(self) -> None:
        await self._made.send_eof()

    async def aclose(self) -> None:
        self._streams.pop(self, None)
        await self._made.aclose()


class _Listener(trio.abc.Listener[_Stream]):
    def __init__(self, on: trio.SocketListener, streams: dict[_Stream, str]) -> None:
        self._on = on
        self._streams = streams

    async def accept(self) -> _Stream:
        made = await self._on.accept()
        stream = _Stream(made, self._streams)
        address = ""
        with suppress(OSError):  # it's already closed
            address = made.socket.getpeername()[0]
        if len(self._streams) >= MOST_CONNECTIONS:
            oldest = _oldest_of_most(self._streams)
            oldest.end()
            await trio.aclose_forcefully(oldest)
        self._streams[stream] = address
        return stream

    async def aclose(self) -> None:
        await self._on.aclose()


def _oldest_of_most(streams: dict[_Stream, str]) -> _Stream:
    counts = Counter(streams.values())
    most = max(counts.values())
    return next(stream for stream, address in streams.items() if counts[address] == most)
