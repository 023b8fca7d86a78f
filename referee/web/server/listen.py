"""The application on hypercorn, with bounds on its connections."""

from __future__ import annotations

import socket
from collections.abc import Callable
from functools import partial

import trio
from hypercorn.config import Config
from hypercorn.trio.tcp_server import TCPServer
from hypercorn.trio.worker_context import WorkerContext
from hypercorn.typing import ConnectionState
from hypercorn.utils import wrap_app
from starlette.types import ASGIApp

from referee.errors import UsageError

MOST_CONNECTIONS = 512
"""Connections at a time; more wait until one ends."""
STUCK_SECONDS = 10.0
"""A client that takes nothing for so long is left."""
IDLE_SECONDS = 15.0
"""A connection without a request, or with half of one, is closed."""
_NO_BODY = 64 * 1024


def listening(host: str, port: int) -> socket.socket:
    """A socket that listens; port 0 is any that is free.

    Raises:
        UsageError: the port is in use, or there is no such address here.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    made = socket.socket(family, socket.SOCK_STREAM)
    try:
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
    """Answer requests until cancelled; then every connection ends at once.

    Args:
        failed: is told of an error that is a bug.
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

    streams: set[_Stream] = set()
    listener = _Listener(trio.SocketListener(trio.socket.from_stdlib_socket(on)), streams)
    handler = partial(
        TCPServer,
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


class _Stream(trio.abc.HalfCloseableStream):
    """A connection whose writes end, whatever they are shielded from."""

    def __init__(self, made: trio.SocketStream, closed: Callable[[_Stream], None]) -> None:
        self.socket = made.socket  # hypercorn asks it who is at its ends
        self._made = made
        self._closed = closed
        self._scopes: set[trio.CancelScope] = set()
        self._ended = False

    def end(self) -> None:
        """Give up what is being written."""
        self._ended = True
        for scope in self._scopes:
            scope.cancel()

    async def send_all(self, data: bytes | bytearray | memoryview) -> None:
        """Send, and fail if the client takes nothing for `STUCK_SECONDS`."""
        with trio.move_on_after(0 if self._ended else STUCK_SECONDS) as scope:
            self._scopes.add(scope)
            try:
                await self._made.send_all(data)
            finally:
                self._scopes.discard(scope)
        if scope.cancelled_caught:
            await trio.aclose_forcefully(self)  # or it would be read on
            raise trio.BrokenResourceError("the client takes nothing")

    async def wait_send_all_might_not_block(self) -> None:
        """As of the stream inside."""
        await self._made.wait_send_all_might_not_block()

    async def receive_some(self, max_bytes: int | None = None) -> bytes | bytearray:
        """As of the stream inside."""
        return await self._made.receive_some(max_bytes)

    async def send_eof(self) -> None:
        """As of the stream inside."""
        await self._made.send_eof()

    async def aclose(self) -> None:
        """Close it, and let the next one in."""
        self._closed(self)
        await self._made.aclose()


class _Listener(trio.abc.Listener[_Stream]):
    """Accepts no more connections than it may have at a time."""

    def __init__(self, on: trio.SocketListener, streams: set[_Stream]) -> None:
        self._on = on
        self._streams = streams
        self._free = trio.Semaphore(MOST_CONNECTIONS)

    async def accept(self) -> _Stream:
        """The next connection, once there is room for it."""
        await self._free.acquire()
        try:
            stream = _Stream(await self._on.accept(), self._left)
        except BaseException:
            self._free.release()
            raise
        self._streams.add(stream)
        return stream

    async def aclose(self) -> None:
        """Accept no more."""
        await self._on.aclose()

    def _left(self, stream: _Stream) -> None:
        if stream in self._streams:
            self._streams.discard(stream)
            self._free.release()
