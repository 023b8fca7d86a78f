"""Talks to bots that are web servers (spec/http-bots.md).

No other module imports h11 and certifi. They're slow to import, and only people who play over HTTP
should have to wait for them.
"""

from __future__ import annotations

import contextlib
import ssl
from collections.abc import Callable, Iterator
from urllib.parse import urlencode
from uuid import uuid4

import certifi
import h11
import trio

from referee._version import __version__
from referee.bots.address import parse_address
from referee.bots.bot import Answer, Failure, NoProcess, as_line
from referee.bots.command import BotAddress
from referee.errors import SHORTAGES, ShortageError
from referee.games.interface.definition import GameDefinition
from referee.games.interface.faults import Disqualification
from referee.match.limits import Limits

LINES = "application/x-ndjson"
JSON = "application/json"
FORM = "application/x-www-form-urlencoded"
# Servers close idle connections. If we send a request at that moment, it's lost. That's why we only
# reuse a connection that was idle for less than this many seconds.
_IDLE_SECONDS = 1.0
_READ_BYTES = 65536
_HEAD_BYTES = 65536
_BROKEN = (trio.BrokenResourceError, trio.ClosedResourceError)


class HttpBot(NoProcess):
    """A bot that is a web server.

    For each request, we POST all lines since the last one, and the body of the response is the
    reply. We don't support redirects, proxies, cookies or compression.

    Args:
        limits: `line_limit` is the maximum size of a response's body. Other limits aren't used.
        content_type: `LINES` sends whole lines, `JSON` sends a line without its newline, and `FORM`
            sends a line as a field of a form.
        form_field: for `FORM`, the name of the field that contains the line.
    """

    def __init__(
        self, url: str, limits: Limits, content_type: str = LINES, form_field: str = ""
    ) -> None:
        self._address = parse_address(url)
        self._limit = limits.line_limit
        self._content_type = content_type
        self._form_field = form_field
        self._match = uuid4().hex
        self._lines = b""
        self._closed = False
        self._stream: trio.abc.Stream | None = None
        self._is_readable: Callable[[], bool] = bool  # once we're connected, this checks the socket
        self._http = h11.Connection(h11.CLIENT)
        self._used = 0.0
        self._tls = None
        # Reading all the certificates takes longer than a match, so we only do it for https://.
        if self._address.tls:
            self._tls = ssl.create_default_context(cafile=certifi.where())

    def push(self, lines: bytes) -> None:
        self._lines += lines

    async def reply(self, deadline: float) -> Answer:
        if self._closed:
            await trio.lowlevel.checkpoint()
            return Failure(Disqualification.UNREACHABLE, "it has left a match before")
        with trio.move_on_at(deadline):
            return await self._post()
        begun = self._http.their_state is h11.SEND_BODY
        what = "no end of its answer" if begun else "no reply"
        return Failure(Disqualification.TIMEOUT, f"{what} in time")

    async def _post(self) -> Answer:
        try:
            stream = await self._connected()
        except (OSError, *_BROKEN) as error:
            return Failure(Disqualification.UNREACHABLE, _why_unreachable(error))
        try:
            return await self._exchange(stream)
        except h11.RemoteProtocolError:
            detail = "the exchange broke: the answer is not HTTP, or is incomplete"
        except _BROKEN:
            detail = "the exchange broke: the connection was lost"
        return Failure(Disqualification.HTTP_ERROR, detail)

    async def _connected(self) -> trio.abc.Stream:
        if self._stream is not None:
            if await self._is_reusable(self._stream):
                self._http.start_next_cycle()
                return self._stream
            await trio.aclose_forcefully(self._stream)
        address = self._address
        self._http = h11.Connection(h11.CLIENT, max_incomplete_event_size=_HEAD_BYTES)
        self._stream = plain = await trio.open_tcp_stream(address.host, address.port)
        self._is_readable = plain.socket.is_readable
        if self._tls is not None:
            self._stream = secured = trio.SSLStream(
                self._stream, self._tls, server_hostname=address.host, https_compatible=True
            )
            await secured.do_handshake()
        return self._stream

    async def _is_reusable(self, stream: trio.abc.Stream) -> bool:
        """Return True if the next response can only belong to the next request."""
        if {self._http.our_state, self._http.their_state} != {h11.DONE}:
            return False
        if self._http.trailing_data[0] or trio.current_time() > self._used + _IDLE_SECONDS:
            return False
        if self._is_readable():
            return False  # we haven't sent a request, so this is end-of-file or nonsense
        try:
            # With TLS, we can't rely on the socket, because trio may have received and decrypted
            # something already. The scope's deadline is now, so this reads any data that's there,
            # but never waits.
            with trio.CancelScope() as scope:
                scope.deadline = trio.current_time()
                await stream.receive_some(1)
                return False
        except _BROKEN:
            return False
        return True

    async def _exchange(self, stream: trio.abc.Stream) -> Answer:
        lines, self._lines = self._lines, b""
        content = lines if self._content_type == LINES else lines.rstrip(b"\n")
        if self._content_type == FORM:
            content = urlencode({self._form_field: content}).encode()
        headers = self._address.headers | {
            "Referee-Match": self._match,
            "User-Agent": f"referee/{__version__}",
            "Accept": "*/*",
            "Accept-Encoding": "identity",
            "Content-Type": self._content_type,
            "Content-Length": str(len(content)),
        }
        request = h11.Request(
            method="POST", target=self._address.target, headers=list(headers.items())
        )
        parts = [self._http.send(part) for part in (request, h11.Data(content), h11.EndOfMessage())]
        # A server may respond and close the connection without reading the whole request. Sending
        # then fails, but the response has arrived, and it counts.
        with contextlib.suppress(trio.BrokenResourceError):
            await stream.send_all(b"".join(part for part in parts if part))
        while not isinstance(event := await self._event(stream), h11.Response):
            pass  # this was a 1xx such as "100 Continue", and the real response follows
        if failure := _rejected(event):
            return failure
        body = bytearray()
        while isinstance(event := await self._event(stream), h11.Data):
            body += event.data
            if len(body) > self._limit:
                detail = f"an answer of more than {self._limit} bytes"
                return Failure(Disqualification.OUTPUT_LIMIT, detail)
        self._used = trio.current_time()
        return as_line(bytes(body))

    async def _event(self, stream: trio.abc.Stream) -> object:
        while (event := self._http.next_event()) is h11.NEED_DATA:
            self._http.receive_data(bytes(await stream.receive_some(_READ_BYTES)))
        return event

    async def finish(self, grace: float) -> None:
        """Send the lines since the last request, and close the connection.

        The response is ignored, since nobody needs a reply anymore.
        """
        if self._lines and not self._closed:
            await self.reply(trio.current_time() + grace)
        await self.kill()

    async def kill(self) -> None:
        self._closed = True
        if self._stream is not None:
            await trio.aclose_forcefully(self._stream)


def http_bot(definition: GameDefinition, limits: Limits, source: BotAddress) -> HttpBot:
    """Create the bot for an address, with the content type that its dialect uses.

    This doesn't translate messages: wrap the result with `in_dialect` for that.
    """
    if not source.dialect:
        return HttpBot(source.url, limits)
    field = definition.dialects[source.dialect].form_field
    return HttpBot(source.url, limits, FORM if field else JSON, field)


def _rejected(response: h11.Response) -> Failure | None:
    headers = list(response.headers)
    status = response.status_code
    if not 200 <= status < 300:
        detail = f"the answer has status {status}"
        if status < 400 and any(name == b"location" for name, _ in headers):
            detail += "; redirects are not followed"
        return Failure(Disqualification.HTTP_STATUS, detail)
    codings = b",".join(value for name, value in headers if name == b"content-encoding")
    if {coding.strip() for coding in codings.lower().split(b",")} - {b"", b"identity"}:
        detail = "the answer has a Content-Encoding that the request did not allow"
        return Failure(Disqualification.HTTP_ERROR, detail)
    return None


def _why_unreachable(error: Exception) -> str:
    # The wording of OSErrors differs between systems (and between IPv4 and IPv6), but a record
    # should read the same on every machine. That's why we only distinguish causes that we can name
    # ourselves.
    for cause in _causes(error):
        if isinstance(cause, ssl.SSLCertVerificationError):
            return f"its certificate is not valid: {cause.verify_message}"
        if isinstance(cause, ssl.SSLError):
            return "no TLS connection"
        if isinstance(cause, OSError) and cause.errno in SHORTAGES:
            # We're out of file descriptors or memory, and the bot isn't to blame for that.
            raise ShortageError("cannot connect to a bot", cause)
        if isinstance(cause, ConnectionRefusedError):
            return "no connection: refused"
    return "no connection"


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        if isinstance(error, BaseExceptionGroup):
            for part in error.exceptions:
                yield from _causes(part)
        error = error.__cause__ or error.__context__
