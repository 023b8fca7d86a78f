"""`referee serve`: show matches and tournaments in the browser."""

from __future__ import annotations

from typing import TYPE_CHECKING

from referee.cli import serving
from referee.cli.console import OK, printing, say
from referee.cli.files import make_folder
from referee.cli.options import Options, argument, flag, option, repeated
from referee.cli.running import collect_garbage, load_numpy, run_in_trio
from referee.cli.serving import Listen, allowed_host_option, listen_option
from referee.cli.settings import (
    LIMITS_OF_BOTS,
    Settings,
    game_option,
    settings_options,
    title_option,
)
from referee.cli.values import Count, GameName, IpAddress
from referee.errors import UsageError
from referee.interrupts import Interrupts

if TYPE_CHECKING:
    import trio


PORT = 8000


class ServeOptions(Options):
    """Show match records, spectator logs and the stores of tournaments in the browser: a list,
    each match, standings, bots.
    """

    epilog = """
PATH is a file or a folder, searched three folders deep for *.jsonl, *.jsonl.gz, *.jsonl.zst and
*.sqlite. See spec/serve.md."""
    exit_codes = (
        (0, "never: it ends with a signal"),
        (2, "wrong usage, or it cannot listen"),
    )
    examples = (
        ("referee serve", "the matches and tournaments in this folder"),
        (
            "referee serve night.sqlite records --open",
            "a tournament, and the records of its matches to watch",
        ),
        ("referee serve --play big_money", "let visitors play against Big Money at /play"),
    )

    paths: tuple[str, ...] = argument(
        "PATH", "files and folders to show (default: the current folder; with --play: none)"
    )
    listen: Listen | None = listen_option(PORT)
    allowed_host: tuple[str, ...] = allowed_host_option()
    play: tuple[str, ...] = repeated(
        "BOT", "visitors play against this bot at /play; can be repeated"
    )
    games_per_address: Count = option(
        "N", 8, "maximum number of games at a time from one address (default: %(default)s)"
    )
    proxy: tuple[IpAddress, ...] = repeated(
        "ADDRESS",
        "address of your proxy, whose X-Forwarded-For header identifies visitors; can be repeated",
    )
    save_games: str | None = option(
        "DIR", None, "save the games of visitors in DIR; after a restart the server continues them"
    )
    game: GameName = game_option()
    title: str | None = title_option("the list")
    open: bool = flag("open the page in the browser")
    _limits = LIMITS_OF_BOTS
    settings: Settings = settings_options()


def run(options: ServeOptions, interrupts: Interrupts) -> int:
    load_numpy()
    from referee.web.server.app import Site
    from referee.web.server.games import Games
    from referee.web.server.library import Library
    from referee.web.server.listen import listening, serve
    from referee.web.server.seat import Seats

    library = Library(options.paths or ([] if options.play else ["."]))
    seats, games, first = Seats(), None, ""
    if options.play:
        folder = None if options.save_games is None else make_folder(options.save_games).absolute()
        games = Games(
            options.game,
            options.play,
            options.settings,
            seats,
            folder,
            most_of_address=options.games_per_address,
            proxies=options.proxy,
        )
        first = "play"
    elif "set" in options.given:
        raise UsageError("--set goes with --play BOT")
    for flag_name, value in (("--save-games", options.save_games), ("--proxy", options.proxy)):
        if value and not options.play:
            raise UsageError(f"{flag_name} goes with --play BOT")
    host, port = serving.host_and_port(options.listen, PORT)
    with listening(host, port) as on:
        more = [] if games is None else [*seats.routes(), *games.routes()]
        site = Site(library, more=more, title=options.title or "")
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
            nursery.start_soon(site.read_in_background)
            if options.open:
                nursery.start_soon(serving.open_browser, url + (first or library.only))
            await serve(site.app(options.allowed_host), on, serving.say_bug)

        run_in_trio(work, interrupts)
    return OK
