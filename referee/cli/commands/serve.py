"""`referee serve`: matches and tournaments in the browser."""

from __future__ import annotations

import argparse
import re
from typing import TYPE_CHECKING

from referee.cli.arguments import Commands
from referee.cli.console import OK, printing, say
from referee.errors import UsageError
from referee.interrupts import Interrupts

if TYPE_CHECKING:
    import trio

LISTEN = ("127.0.0.1", 8000)
EXTRA = 'pip install "dominion-referee[web]"'


def add(commands: Commands) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "serve",
        help="show matches and tournaments in the browser",
        description="Show match records, spectator logs and the stores of tournaments in the "
        "browser: a list, each match, standings, bots.",
        epilog="PATH is a file or a folder, searched three folders deep for *.jsonl, *.jsonl.gz, "
        f"*.jsonl.zst and *.sqlite. It needs the extra web: {EXTRA}. spec/serve.md has all of it.",
        exit_codes={0: "never: it ends with a signal", 2: "wrong usage, or it cannot listen"},
        examples=(
            ("referee serve", "what is in this folder"),
            (
                "referee serve night.sqlite records --open",
                "a tournament, and the records of its matches to watch",
            ),
        ),
    )
    parser.set_defaults(run=run)
    add = parser.add_argument
    add("paths", nargs="*", metavar="PATH", help="what is shown (default: the current folder)")
    add(
        "--listen",
        type=_address,
        default=LISTEN,
        metavar="HOST:PORT",
        help="the address (default: {}:{}); port 0: one that is free".format(*LISTEN),
    )
    add(
        "--host-name",
        action="append",
        default=[],
        metavar="NAME",
        help="a name of this host, by which others reach it; may be given more than once",
    )
    add("--open", action="store_true", help="open it in the browser")


def run(options: argparse.Namespace, interrupts: Interrupts) -> int:
    """Run the command."""
    from referee.cli.work import collect_garbage, load_numpy, run_in_trio

    load_numpy()
    try:
        from referee.web.server.app import Site
        from referee.web.server.listen import listening, serve
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] not in ("starlette", "hypercorn"):
            raise
        raise UsageError(f"referee serve needs Starlette and hypercorn: {EXTRA}") from error

    from referee.web.server.library import Library

    library = Library(options.paths or ["."])
    host, port = options.listen
    with listening(host, port) as on:
        site = Site(library)
        library.look()
        shown = f"[{host}]" if ":" in host else host
        url = f"http://{shown}:{on.getsockname()[1]}/"
        with printing():
            print(f"{url}  (Ctrl-C ends it)", flush=True)
        if host not in ("127.0.0.1", "::1", "localhost"):
            say(f"everybody who reaches {shown} can see what is shown, and nobody is asked who")
        collect_garbage()

        async def work(nursery: trio.Nursery) -> None:
            nursery.start_soon(site.read_on)
            if options.open:
                nursery.start_soon(_open, url + library.only)
            await serve(site.app(options.host_name), on, _say_bug)

        run_in_trio(work, interrupts)
    return OK


async def _open(url: str) -> None:
    import webbrowser

    import trio

    if not await trio.to_thread.run_sync(webbrowser.open, url, abandon_on_cancel=True):
        say(f"no browser was found: open {url}")


def _say_bug(error: Exception) -> None:
    say(f"a page could not be made, which is a bug in the referee: {type(error).__name__}: {error}")


_ADDRESS = re.compile(r"(?:\[([0-9A-Fa-f:.]+)\]|([^\[\]:/\s]*))(?::([0-9]{1,5}))?")


def _address(text: str) -> tuple[str, int]:
    """HOST:PORT, HOST, :PORT or [IPV6]:PORT."""
    found = _ADDRESS.fullmatch(text)
    if not text or found is None or int(found[3] or 0) > 65_535:
        raise argparse.ArgumentTypeError(f"{text!r} is not HOST:PORT, such as 127.0.0.1:8000")
    return found[1] or found[2] or LISTEN[0], LISTEN[1] if found[3] is None else int(found[3])
