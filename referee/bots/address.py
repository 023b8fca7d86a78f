"""Parses the URL of a bot that is a web server (spec/http-bots.md, 1)."""

from __future__ import annotations

import re
import socket
from base64 import b64encode
from ipaddress import IPv6Address
from typing import NamedTuple
from urllib.parse import quote, unquote_to_bytes

import idna

from referee.errors import BotNotFoundError

_ADDRESS = re.compile(
    r"(?P<scheme>https?)://"
    r"((?P<user>[^\s/?#@\\]+)@)?"
    r"(?P<host>\[[0-9A-Za-z:.%]+\]|[^\s/?#@\\:\[\]]+)"
    r"(:(?P<port>[^\s/?#@\\:\[\]]*))?"
    r"(?P<target>([/?][^\s#]*)?)"
)
_PORT = re.compile(r"[0-9]{1,5}")
_NAME = re.compile(r"([A-Za-z0-9_-]{1,63}\.)*[A-Za-z0-9_-]{1,63}\.?")
_NAME_LIMIT = 253
_SENT_AS_IT_IS = "/?:@!$&'()*+,;=[]%"


class Address(NamedTuple):
    """A bot's URL, split into the parts that we need for a connection and a request.

    Attributes:
        host: a name in ASCII, or an IP address.
        target: the path and the query, encoded as in the first line of a request.
        headers: `Host`, and `Authorization` if there's a user in the URL.
    """

    tls: bool
    host: str
    port: int
    target: str
    headers: dict[str, str]


def parse_address(url: str) -> Address:
    """Parse a bot's URL, and encode its host and path the way we send them.

    The checks are strict, because a typo should be reported before the match starts. Otherwise
    you'd only notice it during the match, when the bot can't be reached.

    Raises:
        BotNotFoundError: the URL can't work on any network.
    """
    try:
        found = _ADDRESS.fullmatch(url)
        if found is None:
            raise ValueError("expected http://HOST:PORT/PATH, with %20 for a space and %23 for #")
        tls = found["scheme"] == "https"
        default = 443 if tls else 80
        port = default if found["port"] is None else _port(found["port"])
        host = _host(found["host"])
        target = quote(found["target"], safe=_SENT_AS_IT_IS)
        user = unquote_to_bytes(found["user"] or "")
    except ValueError as error:
        problem = "it is not UTF-8" if isinstance(error, UnicodeEncodeError) else error
        raise BotNotFoundError(f"BOT {url!r} is not a valid address: {problem}") from None
    shown = f"[{host}]" if ":" in host else host
    headers = {"Host": shown if port == default else f"{shown}:{port}"}
    if user:
        name, _, password = user.partition(b":")
        headers["Authorization"] = f"Basic {b64encode(name + b':' + password).decode()}"
    return Address(tls, host, port, target if target.startswith("/") else f"/{target}", headers)


def _port(text: str) -> int:
    if not _PORT.fullmatch(text) or not 1 <= int(text) <= 65535:
        raise ValueError(f"port {text!r}, expected 1 to 65535")
    return int(text)


def _host(text: str) -> str:
    try:
        # The result is passed to getaddrinfo() and ssl, which raise all kinds of errors for
        # malformed names, e.g. UnicodeError. For a name that has passed these checks, they only
        # raise OSError.
        if text.startswith("["):
            return str(IPv6Address(text[1:-1]))
        name = text if text.isascii() else idna.encode(text, uts46=True).decode()
        if _NAME.fullmatch(name) and len(name) <= _NAME_LIMIT:
            if name.rpartition(".")[2].isdigit():
                # If the last part is a number, the resolver treats the name as an IP address. It
                # accepts odd forms like 127.1, but not 256.1.1.1.
                socket.inet_aton(name)
            return name.lower()
    except (ValueError, OSError):
        pass
    raise ValueError(f"{text!r} is not a host name or an IP address")
