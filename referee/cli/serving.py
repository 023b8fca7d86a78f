"""Defines the options of commands that show a page in the browser."""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections.abc import Sequence
from typing import Annotated, NamedTuple, TypeAlias

from referee.cli.console import say
from referee.cli.options import option, repeated
from referee.errors import GameError, as_ours

HOST = "127.0.0.1"
_ADDRESS = re.compile(r"(?:\[([0-9A-Fa-f:.]+)\]|([^\[\]:/\s]*))(?::([0-9]{1,5}))?")


class Address(NamedTuple):
    """The address of a server.

    If `port` is None, the default of the command is used. Port 0 means any free port.
    """

    host: str
    port: int | None


def _address(text: str) -> Address:
    found = _ADDRESS.fullmatch(text)
    if not text or found is None or int(found[3] or 0) > 65_535:
        raise argparse.ArgumentTypeError(f"{text!r} is not HOST:PORT, such as 127.0.0.1:8000")
    return Address(found[1] or found[2] or HOST, None if found[3] is None else int(found[3]))


Listen: TypeAlias = Annotated[Address, _address]


def listen_option(port: int) -> Listen | None:
    """Define `--listen`, with the default port of the command."""
    text = f"address of the server (default: {HOST}:{port}); port 0: any free port"
    return option("HOST:PORT", None, text)


def allowed_host_option() -> tuple[str, ...]:
    """Define `--allowed-host`."""
    text = "accept requests for this host name; can be repeated"
    return repeated("NAME", text)


def host_and_port(listen: Address | None, port: int) -> tuple[str, int]:
    """Return the address to listen on. `port` is used if the user hasn't chosen a port."""
    host, chosen = listen or Address(HOST, None)
    return host, port if chosen is None else chosen


def address_as_words(listen: Address | None, allowed_hosts: Sequence[str]) -> list[str]:
    """Convert `--listen` and `--allowed-host` back to words, for starting another command."""
    address = origin(*host_and_port(listen, 0)).removeprefix("http://")
    return [
        "--listen",
        address,
        *(word for name in allowed_hosts for word in ("--allowed-host", name)),
    ]


def origin(host: str, port: int) -> str:
    """Return the beginning of all our URLs, without a slash at the end."""
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def is_local(host: str) -> bool:
    """Check whether only programs on this machine can connect to the host."""
    return host in ("127.0.0.1", "::1", "localhost")


def has_screen() -> bool:
    """Return True if a browser can open a window.

    Without a screen, Python might start a text browser like lynx in our terminal.
    """
    return sys.platform == "darwin" or any(map(os.environ.get, ("DISPLAY", "WAYLAND_DISPLAY")))


async def open_browser(url: str) -> None:
    """Open the page in the browser. Prints a line if the system has no browser."""
    import webbrowser

    import trio

    # This may block for as long as the browser is open, so it runs in a thread, which is abandoned
    # when the command ends.
    if not await trio.to_thread.run_sync(webbrowser.open, url, abandon_on_cancel=True):
        say(f"no browser was found: open {url}")


def say_bug(error: Exception) -> None:
    """Report that a page failed because of a bug. The server continues with other pages."""
    ours = as_ours(error)
    if isinstance(ours, GameError):
        say(f"a page could not be made: {ours}")
        return
    say(f"a page could not be made, which is a bug in the referee: {type(error).__name__}: {error}")
