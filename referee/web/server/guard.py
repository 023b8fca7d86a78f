"""Checks of requests to this server, and limits for browsers that show its pages.

A page of another site must not use a browser to read what this server shows: a request must name
this server (`Host`), and come from nowhere else (`Origin`). A name that somebody else's DNS points
here is refused; an address cannot be, since nobody else can own it in a browser.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Collection, MutableMapping
from typing import Any, TypeAlias
from urllib.parse import urlsplit

import msgspec
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

MOST_REQUESTS = 64
"""Requests that are answered or wait at a time."""
_NETWORK_BITS = 64
"""Of an IPv6 address: its user chooses the other bits."""
HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
        "img-src data:; frame-ancestors 'none'; base-uri 'none'; form-action 'self'"
    ),
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
}
Refusal: TypeAlias = tuple[int, str]


class Guard:
    """Refuses requests that are not for this server, or too many, and adds the headers.

    The server's names are `names`, its addresses and "localhost".
    """

    def __init__(self, app: ASGIApp, names: Collection[str]) -> None:
        self._app = app
        self._names = {"localhost", *(name.casefold() for name in names)}
        self._requests = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            return

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers[name] = value
                headers.setdefault("Cache-Control", "no-store")
            await send(message)

        refusal = self._refusal(scope)
        if refusal is not None:
            status, text = refusal
            await PlainTextResponse(f"{text}\n", status)(scope, receive, send_guarded)
            return
        counts = not _is_stream(scope)  # those have a bound of their own
        self._requests += counts
        try:
            await self._app(scope, receive, send_guarded)
        finally:
            self._requests -= counts

    def _refusal(self, scope: MutableMapping[str, Any]) -> Refusal | None:
        headers = Headers(scope=scope)
        host = headers.get("host", "")
        if len(headers.getlist("host")) != 1 or not self._is_own(host):
            return 421, "This server has another name: start it with --allowed-host NAME"
        for origin in headers.getlist("origin"):
            if urlsplit(origin).netloc.casefold() != host.casefold():
                return 403, "A page of another site cannot ask this server"
        sends = scope["method"] == "POST" and scope["path"].startswith(("/seat/", "/play"))
        if scope["method"] not in ("GET", "HEAD") and not sends:
            return 405, "This address does not accept data"
        if self._requests >= MOST_REQUESTS and not _is_stream(scope):
            return 503, "Too many requests at a time: try again"
        return None

    def _is_own(self, host: str) -> bool:
        try:
            name = urlsplit(f"//{host}").hostname or ""
            ipaddress.ip_address(name)
        except ValueError:
            return bool(host) and name_of(host) in self._names
        return True


def visitor_of(request: Request, proxies: Collection[str]) -> str:
    """Who sends a request: an IPv4 address, or a network of IPv6, which one user has.

    A proxy of the organiser names its client in the last entry of `X-Forwarded-For`. The entries
    before it can be invented.

    Args:
        proxies: addresses as this function returns them for IPv4, and whole ones of IPv6.
    """
    address = _address(request.client.host if request.client else "")
    entries = ",".join(request.headers.getlist("x-forwarded-for")).split(",")
    while entries and str(address) in proxies:
        named = _address(entries.pop().strip())
        if named is None:
            break
        address = named
    if isinstance(address, ipaddress.IPv6Address):
        return str(ipaddress.ip_network((int(address), _NETWORK_BITS), strict=False))
    return str(address)


def _address(text: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    """An address in its shortest form; None for any other text."""
    try:
        found = ipaddress.ip_address(text.partition("%")[0])
    except ValueError:
        return None
    mapped = found.ipv4_mapped if isinstance(found, ipaddress.IPv6Address) else None
    return mapped or found


def _is_stream(scope: MutableMapping[str, Any]) -> bool:
    path = str(scope["path"])
    return path.startswith(("/match/", "/store/")) and path.endswith("/events")


def whole_number(text: str) -> int | None:
    """A number of at most nine digits in an address; None if it is something else."""
    return int(text) if text.isascii() and text.isdigit() and len(text) <= 9 else None


def as_json(value: object, status: int = 200) -> Response:
    """An answer in JSON."""
    return Response(msgspec.json.encode(value), status, media_type="application/json")


def name_of(host: str) -> str:
    """The name in a Host header, without the port."""
    name, colon, port = host.rpartition(":")
    return (name if colon and port.isdigit() else host).casefold()
