"""What commands share that show something in the browser."""

from __future__ import annotations

import argparse
import os
import re
import sys

from referee.cli.arguments import Options
from referee.cli.console import say
from referee.errors import UsageError

HOST = "127.0.0.1"
_ADDRESS = re.compile(r"(?:\[([0-9A-Fa-f:.]+)\]|([^\[\]:/\s]*))(?::([0-9]{1,5}))?")


def add_address(parser: Options, port: int) -> None:
    """Add `--listen`, with the default port, and `--allowed-host`; port 0 is one that is free."""

    def address(text: str) -> tuple[str, int]:
        """HOST:PORT, HOST, :PORT or [IPV6]:PORT."""
        found = _ADDRESS.fullmatch(text)
        if not text or found is None or int(found[3] or 0) > 65_535:
            raise argparse.ArgumentTypeError(f"{text!r} is not HOST:PORT, such as 127.0.0.1:8000")
        return found[1] or found[2] or HOST, port if found[3] is None else int(found[3])

    parser.add_argument(
        "--listen",
        type=address,
        default=(HOST, port),
        metavar="HOST:PORT",
        help=f"the address (default: {HOST}:{port}); port 0: one that is free",
    )
    parser.add_argument(
        "--allowed-host",
        action="append",
        default=[],
        metavar="NAME",
        help="a host name by which others reach this server; can be repeated",
    )


def address_as_words(options: argparse.Namespace) -> list[str]:
    """The same options for another command."""
    host, port = options.listen
    names = [word for name in options.allowed_host for word in ("--allowed-host", name)]
    return ["--listen", origin(host, port).removeprefix("http://"), *names]


def check_address(options: argparse.Namespace, port: int, shown: bool, goes_with: str) -> None:
    """See that `--listen` and `--allowed-host` are given where there is a page.

    Args:
        port: as of `add_address`.
        goes_with: the options that show a page.

    Raises:
        UsageError: the command does not show a page.
    """
    if not shown and (options.allowed_host or options.listen != (HOST, port)):
        given = "--allowed-host" if options.allowed_host else "--listen"
        raise UsageError(f"{given} goes with {goes_with}")


def origin(host: str, port: int) -> str:
    """The beginning of all addresses, without a slash."""
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def is_local(host: str) -> bool:
    """Whether only programs on this machine reach it."""
    return host in ("127.0.0.1", "::1", "localhost")


def has_screen() -> bool:
    """Whether a browser would have a window: one in the terminal would be in the way."""
    return sys.platform == "darwin" or any(map(os.environ.get, ("DISPLAY", "WAYLAND_DISPLAY")))


async def open_browser(url: str) -> None:
    """Open the page in the browser, or say that the machine does not have one."""
    import webbrowser

    import trio

    if not await trio.to_thread.run_sync(webbrowser.open, url, abandon_on_cancel=True):
        say(f"no browser was found: open {url}")


def say_bug(error: Exception) -> None:
    """Say that a page could not be made."""
    say(f"a page could not be made, which is a bug in the referee: {type(error).__name__}: {error}")
