"""HTTP servers for tests. Some are correct, and some break the protocol."""

from __future__ import annotations

import contextlib
import socket
import ssl
import threading
import zlib
from collections.abc import Callable, Iterator
from typing import NamedTuple

# Responds to a request body on a socket. Returns True to keep the connection open.
Behaviour = Callable[[socket.socket, bytes], bool]
MEGABYTE = bytes(1024 * 1024)


class Request(NamedTuple):
    """A received request. Header names are in lower case."""

    line: str
    headers: dict[str, str]
    body: bytes
    connection: int


class Server:
    """A server that handles each connection in a thread of its own, on a free port.

    Attributes:
        url: the URL of the server.
        requests: the received requests, in order.
        over: set when the server stops. Behaviours that hang can wait for this event.
    """

    def __init__(self, behaviour: Behaviour, context: ssl.SSLContext | None = None) -> None:
        self._behaviour = behaviour
        self._context = context
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._threads: list[threading.Thread] = []
        self._connections: list[socket.socket] = []
        scheme = "https" if context else "http"
        self.url = f"{scheme}://127.0.0.1:{self._listener.getsockname()[1]}/bot?key=1"
        self.requests: list[Request] = []
        self.over = threading.Event()
        self._start(self._accept)

    def _start(self, function: Callable[..., None], *arguments: object) -> None:
        thread = threading.Thread(target=function, args=arguments)
        self._threads.append(thread)
        thread.start()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                connection, _ = self._listener.accept()
                connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                self._connections.append(connection)
                self._start(self._serve, connection, len(self._connections))

    def _serve(self, connection: socket.socket, number: int) -> None:
        with (
            contextlib.suppress(OSError, ValueError),
            self._secured(connection) as connection,
            connection.makefile("rb") as file,
        ):
            while line := file.readline().decode().strip():
                headers = {}
                while header := file.readline().decode().strip():
                    name, _, value = header.partition(": ")
                    headers[name.lower()] = value
                body = file.read(int(headers["content-length"]))
                self.requests.append(Request(line, headers, body, number))
                if not self._behaviour(connection, body):
                    return

    def _secured(self, connection: socket.socket) -> socket.socket:
        if self._context is None:
            return connection
        secured = self._context.wrap_socket(connection, server_side=True)
        self._connections.append(secured)
        return secured

    def close(self) -> None:
        self.over.set()
        for opened in (self._listener, *self._connections):
            with contextlib.suppress(OSError):  # already closed
                opened.shutdown(socket.SHUT_RDWR)
            opened.close()
        for thread in self._threads:
            thread.join()


@contextlib.contextmanager
def server(behaviour: Behaviour, context: ssl.SSLContext | None = None) -> Iterator[Server]:
    """Run a server in a `with` block. It uses TLS if there's a context."""
    running = Server(behaviour, context)
    try:
        yield running
    finally:
        running.close()


def response(body: bytes, *headers: str, status: str = "200 OK") -> bytes:
    head = [f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", *headers, "", ""]
    return "\r\n".join(head).encode() + body


def always(*parts: bytes, keep: bool = True) -> Behaviour:
    def behave(connection: socket.socket, body: bytes) -> bool:
        for part in parts:
            connection.sendall(part)
        return keep

    return behave


def endless(sent: list[int], head: bytes, part: bytes = MEGABYTE) -> Behaviour:
    """Send headers and a thousand chunks. Chunks that the client accepts are added to `sent`."""

    def behave(connection: socket.socket, body: bytes) -> bool:
        connection.sendall(head)
        for _ in range(1024):
            connection.sendall(part)
            sent.append(len(part))
        return False

    return behave


def bomb() -> bytes:
    """Return 100 MB of zeros in compressed form. The end of the stream is missing."""
    packer = zlib.compressobj(wbits=31)
    # After a full flush, nothing refers to the data before it, so we can compress a megabyte once
    # and repeat the result.
    first, more = (packer.compress(MEGABYTE) + packer.flush(zlib.Z_FULL_FLUSH) for _ in range(2))
    return first + more * 99


CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
# Response, expected fault code, and a word that its message must contain.
BROKEN = {
    "an error": (response(b"", status="500 Oops"), "http-status", "status 500"),
    "not found": (response(b"reply", status="404 No"), "http-status", "status 404"),
    "an upgrade": (b"HTTP/1.1 101 Switching\r\nUpgrade: x\r\n\r\n", "http-error", "not HTTP"),
    "closes at once": (b"", "http-error", "incomplete"),
    "closes in the head": (b"HTTP/1.1 200 OK\r\nContent-", "http-error", "incomplete"),
    "closes in the middle": (response(b"reply")[:-1], "http-error", "incomplete"),
    "no HTTP": (b"reply\n", "http-error", "not HTTP"),
    "HTTP/0.9": (b"{}\n" * 10, "http-error", "not HTTP"),
    "closes in a chunk's head": (CHUNKED + b"5", "http-error", "incomplete"),
    "chunks of no size": (CHUNKED + b"-5\r\nreply\r\n", "http-error", "not HTTP"),
    "a trailer without end": (CHUNKED + b"0\r\n" + b"X: y\r\n" * 50_000, "http-error", "not HTTP"),
    "a chunk's name without end": (CHUNKED + b"5;" + b"x" * 300_000, "http-error", "not HTTP"),
    "one header without end": (
        b"HTTP/1.1 200 OK\r\nX: " + b"y" * 300_000,
        "http-error",
        "not HTTP",
    ),
    "a length of 5,000 digits": (
        b"HTTP/1.1 200 OK\r\nContent-Length: " + b"9" * 5000 + b"\r\n\r\n",
        "http-error",
        "not HTTP",
    ),
    "two lengths": (response(b"reply", "Content-Length: 6"), "http-error", "not HTTP"),
    "gzip in transfer": (
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\nx",
        "http-error",
        "not HTTP",
    ),
    "not modified": (b"HTTP/1.1 304 No\r\n\r\n", "http-status", "status 304"),
    "a choice": (response(b"", status="300 Choose"), "http-status", "status 300"),
    "a status of 999": (response(b"", status="999 What"), "http-status", "status 999"),
    "many codings": (
        response(b"x", "Content-Encoding: identity, br", "Content-Encoding:"),
        "http-error",
        "Content-Encoding",
    ),
    "a head without end": (b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 50_000, "http-error", "not HTTP"),
    "gzip": (response(b"x", "Content-Encoding: gzip"), "http-error", "Content-Encoding"),
    "a gzip bomb": (
        response(bomb(), "Content-Encoding: gzip"),
        "http-error",
        "Content-Encoding",
    ),
    "a secret gzip bomb": (response(bomb()), "output-limit", "65536 bytes"),
}
