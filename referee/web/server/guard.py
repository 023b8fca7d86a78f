"""Check requests to this server, and add security headers for browsers.

A page on another site must not be able to read this server through somebody's browser. Therefore,
a request has to name this server in `Host`, and must not come from another site according to
`Origin`. The check of `Host` also prevents DNS rebinding, in which an attacker lets their own host
name point to this server. Any IP address is fine as `Host`, because DNS rebinding only works with
host names.
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

# Maximum number of requests in progress, including those that are waiting.
MOST_REQUESTS = 64
# An IPv6 user typically gets a whole /64 network and can choose the other 64 bits freely, so we
# must not treat these addresses as different visitors.
_NETWORK_BITS = 64
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
    """Refuses requests that are not for this server, or too many, and adds security headers.

    The server answers to `names`, to "localhost", and to any IP address.
    """

    def __init__(self, app: ASGIApp, names: Collection[str]) -> None:
        self._app = app
        self._names = {"localhost", *(name.casefold() for name in names)}
        self._requests = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or pass it to the application."""
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
        # Streams stay open for hours, so they have a limit of their own (see live.py).
        counts = not _is_stream(scope)
        self._requests += counts
        try:
            await self._app(scope, receive, send_guarded)
        finally:
            self._requests -= counts

    def _refusal(self, scope: MutableMapping[str, Any]) -> Refusal | None:
        headers = Headers(scope=scope)
        host = headers.get("host", "")
        # A request with several Host headers isn't valid (RFC 9112, 3.2).
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
    """Return who sent a request, as an IPv4 address or the IPv6 network of a single user.

    If a trusted proxy sent it, the last entry of `X-Forwarded-For` is the proxy's own client. We
    don't look at earlier entries (unless that client is a trusted proxy, too), because anybody can
    send this header with made-up entries.

    Args:
        proxies: IPv4 addresses as this function returns them, and complete IPv6 addresses.
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
    """Parse an address. An IPv4 address that is mapped to IPv6 becomes plain IPv4 again."""
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
    """Parse a number of at most nine digits. Returns None for any other text.

    We can't just call int() here: it also accepts "+1", " 1", "1_000" and digits of other scripts.
    """
    return int(text) if text.isascii() and text.isdigit() and len(text) <= 9 else None


def as_json(value: object, status: int = 200) -> Response:
    """Return a JSON response. `value` may contain structs."""
    return Response(msgspec.json.encode(value), status, media_type="application/json")


def name_of(host: str) -> str:
    """Return the name in a Host header without its port, in lower case."""
    name, colon, port = host.rpartition(":")
    return (name if colon and port.isdigit() else host).casefold()
