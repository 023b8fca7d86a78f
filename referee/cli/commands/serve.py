"""`referee serve`: matches and tournaments in the browser."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from referee.cli import serving
from referee.cli.arguments import made_folder
from referee.cli.console import OK, printing, say
from referee.cli.settings import chosen_settings
from referee.cli.work import collect_garbage, load_numpy, run_in_trio
from referee.errors import UsageError
from referee.interrupts import Interrupts

if TYPE_CHECKING:
    import trio


def run(options: argparse.Namespace, interrupts: Interrupts) -> int:
    load_numpy()
    from referee.web.server.app import Site
    from referee.web.server.games import Games
    from referee.web.server.library import Library
    from referee.web.server.listen import listening, serve
    from referee.web.server.seat import Seats

    library = Library(options.paths or ([] if options.play else ["."]))
    seats, games, first = Seats(), None, ""
    if options.play:
        folder = None if options.save_games is None else made_folder(options.save_games).absolute()
        chosen = chosen_settings(options)
        games = Games(
            options.game,
            options.play,
            chosen,
            seats,
            folder,
            most_of_address=options.games_per_address,
            proxies=options.proxy,
        )
        first = "play"
    elif options.set:
        raise UsageError("--set goes with --play BOT")
    for option in ("save_games", "proxy"):
        if getattr(options, option) and not options.play:
            raise UsageError(f"--{option.replace('_', '-')} goes with --play BOT")
    host, port = options.listen
    with listening(host, port) as on:
        more = [] if games is None else [*seats.routes(), *games.routes()]
        site = Site(library, more=more)
        library.look()
        url = f"{serving.origin(host, on.getsockname()[1])}/"
        with printing():
            print(f"{url}{first}  (Ctrl-C ends it)", flush=True)
        if not serving.is_local(host):
            say(f"everybody who reaches {host} can see these files without a login")
        collect_garbage()

        async def work(nursery: trio.Nursery) -> None:
            if games is not None:
                await nursery.start(games.run)
            nursery.start_soon(site.read_on)
            if options.open:
                nursery.start_soon(serving.open_browser, url + (first or library.only))
            await serve(site.app(options.allowed_host), on, serving.say_bug)

        run_in_trio(work, interrupts)
    return OK
