"""A bot that is asked over HTTP (spec/http-bots.md).

Importing this loads httpx.
"""

from __future__ import annotations

import ssl
from collections.abc import Iterator
from urllib.parse import urlencode

import httpx
import trio

from referee._version import __version__
from referee.bots.bot import Answer, Failure, as_line
from referee.errors import SHORTAGES, ShortageError
from referee.options import Limits
from referee.seam.faults import Disqualification

LINES = "application/x-ndjson"
JSON = "application/json"
FORM = "application/x-www-form-urlencoded"
_IDLE_SECONDS = 1.0
"""A connection that was idle for so long is not used again: many a server is about to close it."""
_CLOSE_SECONDS = 1.0


class HttpBot:
    """A `Bot` whose every reply is the answer to a POST with all lines that are new to it.

    Nothing but the URL is contacted: no redirect is followed, and no proxy is taken from the
    environment.

    Args:
        url: as the user gave it.
        limits: `line_limit` is that of the body of an answer.
        content_type: `LINES` (whole lines), `JSON` (the line without its line end) or `FORM`.
        form_field: where the data stand in a form.
    """

    started: float | None = None
    exit_code: int | None = None

    def __init__(
        self, url: str, limits: Limits, content_type: str = LINES, form_field: str = ""
    ) -> None:
        self._url = url
        self._limit = limits.line_limit
        self._content_type = content_type
        self._form_field = form_field
        self._lines = b""
        self._closed = False
        self._client = httpx.AsyncClient(
            # To make a context takes longer than a match, and http has no use for one.
            verify=url.startswith("https:"),
            headers={"User-Agent": f"referee/{__version__}", "Accept-Encoding": "identity"},
            trust_env=False,
            follow_redirects=False,
            timeout=None,  # the deadline is for all of an exchange
            limits=httpx.Limits(max_connections=1, keepalive_expiry=_IDLE_SECONDS),
        )

    def push(self, lines: bytes) -> None:
        """Keep lines until it is asked."""
        self._lines += lines

    async def reply(self, deadline: float) -> Answer:
        """Send all that is new to it, and take the body of the answer."""
        if self._closed:
            await trio.lowlevel.checkpoint()
            return Failure(Disqualification.UNREACHABLE, "it has left a match before")
        with trio.move_on_at(deadline):
            return await self._post()
        return Failure(Disqualification.TIMEOUT, "no reply in time")

    async def _post(self) -> Answer:
        lines, self._lines = self._lines, b""
        content = lines
        if self._content_type != LINES:
            content = lines.rstrip(b"\n")
        if self._content_type == FORM:
            content = urlencode({self._form_field: content}).encode()
        headers = {"Content-Type": self._content_type}
        try:
            async with self._client.stream(
                "POST", self._url, content=content, headers=headers
            ) as response:
                return await self._read(response)
        except httpx.ConnectError as error:
            return Failure(Disqualification.UNREACHABLE, _why_unreachable(error))
        except httpx.TransportError as error:
            return Failure(Disqualification.HTTP_ERROR, f"the exchange broke: {_clause(error)}")

    async def _read(self, response: httpx.Response) -> Answer:
        if not response.is_success:
            detail = f"the answer has status {response.status_code}"
            if response.is_redirect:
                detail += "; redirects are not followed"
            return Failure(Disqualification.HTTP_STATUS, detail)
        if response.headers.get("Content-Encoding", "identity").lower() != "identity":
            detail = "the answer has a Content-Encoding, which was not asked for"
            return Failure(Disqualification.HTTP_ERROR, detail)
        body = bytearray()
        with trio.CancelScope() as scope:
            async for part in response.aiter_raw():
                body += part
                if len(body) > self._limit:
                    scope.cancel()  # `break` would leave httpx's generators in the middle
        if len(body) > self._limit:
            detail = f"an answer of more than {self._limit} bytes"
            return Failure(Disqualification.OUTPUT_LIMIT, detail)
        return as_line(bytes(body))

    async def release(self, grace: float) -> bool:
        """Finish: a server needs no keeping."""
        await self.finish(grace)
        return True

    async def finish(self, grace: float) -> None:
        """Send what is new since it was asked last; the answer is not looked at."""
        if self._lines and not self._closed:
            await self.reply(trio.current_time() + grace)
        await self.kill()

    async def kill(self) -> None:
        """Close the connection."""
        self._closed = True
        with trio.move_on_after(_CLOSE_SECONDS, shield=True):
            await self._client.aclose()

    def last_words(self, count: int) -> None:
        """It has no stderr that could be read."""


def _why_unreachable(error: Exception) -> str:
    """Why there is no connection, in words that are the same on every machine.

    Raises:
        ShortageError: the system is short of something: not the bot's fault.
    """
    for cause in _causes(error):
        if isinstance(cause, ssl.SSLCertVerificationError):
            return f"its certificate is not valid: {cause.verify_message}"
        if isinstance(cause, ssl.SSLError):
            return "no TLS connection"
        if isinstance(cause, OSError) and cause.errno in SHORTAGES:
            raise ShortageError("cannot connect to a bot", cause)
        if isinstance(cause, ConnectionRefusedError):
            return "no connection: refused"
    return "no connection"


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    """An exception, all that caused it, and theirs."""
    while error is not None:
        yield error
        if isinstance(error, BaseExceptionGroup):
            for part in error.exceptions:
                yield from _causes(part)
        error = error.__cause__ or error.__context__


def _clause(error: httpx.TransportError) -> str:
    """What broke, in words that are ours: theirs change with their versions."""
    if isinstance(error, httpx.RemoteProtocolError):
        return "that is no HTTP, or was cut off"
    return "the connection was lost"
