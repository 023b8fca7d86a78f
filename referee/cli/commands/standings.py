"""`referee standings`: print the standings of a tournament, even while it's running."""

from __future__ import annotations

import argparse
import contextlib
import csv
import sys
import time
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, NoReturn

from referee.cli.console import OK, print_json, printing, printing_rich, printing_to
from referee.cli.options import Options, argument, flag, option, repeated
from referee.cli.running import load_numpy
from referee.cli.settings import force_option, game_of_files_option, title_option
from referee.cli.values import Count, GameName, number
from referee.errors import UsageError
from referee.interrupts import Interrupts
from referee.logs.outputs import report_kind
from referee.text.terminal import csv_text

if TYPE_CHECKING:
    from referee.tournament.report.notable_losses import NotableLoss
    from referee.tournament.report.season import SeasonTournament
    from referee.tournament.report.standings import BotStanding, Standings
    from referee.tournament.rows import Entrant
    from referee.tournament.store import Store

# With `--follow`, we look for new results this often, in seconds.
WATCH_SECONDS = 2.0


def anchor_option() -> str | None:
    """Define `--anchor`."""
    text = "fix the rating of this bot; otherwise the mean is 1500"
    return option("BOT=RATING", None, text)


def bot_option() -> str | None:
    """Define `--bot`."""
    return option("NAME", None, "also show the details of this bot")


class StandingsOptions(Options):
    """Print the standings of a tournament from its store, also while it runs or after an
    interruption. Several stores are a season: the table shows each bot's rating in each of them,
    changes, and the total.
    """

    exit_codes = (
        (0, "printed"),
        (2, "wrong usage, or a file is not a store"),
    )
    examples = (
        ("referee standings night.sqlite --follow", "the standings while the tournament runs"),
        (
            "referee standings night.sqlite --format html --output night.html",
            "a page to publish",
        ),
        ("referee standings week1.sqlite week2.sqlite", "a season, the last tournament last"),
    )

    stores: tuple[str, ...] = argument(
        "FILE.sqlite", "the store of a tournament, or several of one game", at_least_one=True
    )
    game: tuple[GameName, ...] = game_of_files_option()
    format: Literal["text", "json", "csv", "html"] = option(
        None, "text", "html: one page that needs no network"
    )
    statistics: bool = flag("also show reply times and the statistics of the game")
    output: str | None = option("FILE", None, "write to this file instead of stdout")
    force: bool = force_option()
    title: str | None = title_option("the table or the page")
    anchor: str | None = anchor_option()
    bot: str | None = bot_option()
    exclude: tuple[str, ...] = repeated("NAME", "exclude all matches of this bot; can be repeated")
    head_to_head: Count | None = option(
        "N", None, "compare the first N bots (default: text 10, html 40, json all)"
    )
    follow: bool = flag("print them again after new results")


def run(options: StandingsOptions, interrupts: Interrupts) -> int:
    load_numpy()
    from referee.cli.commands.standings_season import open_stores, print_season, read_season

    if options.follow and (options.format != "text" or options.output is not None):
        raise UsageError("--follow shows text on the terminal")
    for name in ("title", "statistics"):
        if getattr(options, name) and options.format == "csv":
            raise UsageError(f"--{name} goes with --format text, json or html")
    if len(options.stores) > 1:
        _check_season(options)
    if options.follow:
        with interrupts.raising(), printing():
            _watch(options)
    kind = report_kind(options.format)
    report = printing_to(options.output, kind, options.stores, force=options.force, whole=True)
    with open_stores(options.stores) as stores, interrupts.raising():
        if len(stores) > 1:
            view = _season_view(options, stores.values())
            # This can fail, so do it before we create a file.
            found = read_season(stores, view.anchor, view.excluded)
            with report as file, contextlib.redirect_stdout(file):
                if options.format == "csv":
                    print_csv(found.bots, found.tournaments)
                else:
                    print_season(found, options.format, view.title, stores)
            return OK
        (store,) = stores.values()
        view = _view(options, store)
        with report as file, contextlib.redirect_stdout(file):
            print_standings(store, options.format, view)
    return OK


def _check_season(options: StandingsOptions) -> None:
    for name in ("bot", "head_to_head", "statistics", "follow"):
        if getattr(options, name):
            flag_name = f"--{name.replace('_', '-')}"
            raise UsageError(f"{flag_name} shows one tournament: give one store")


class StandingsView(NamedTuple):
    """The parts of the standings to show, and the bots that have a special role in them.

    Attributes:
        anchor: the number of a bot, and the rating that it's fixed to.
        bot: the name of a bot to show in detail.
        excluded: the numbers of bots whose matches do not count.
        most_paired: how many of the best bots are compared with each other.
        title: the title of the table or the page. If it's empty, a default is used.
        has_statistics: True to show reply times and the game's statistics.
        records: the folder with the records of the matches, if we know it.
    """

    anchor: tuple[int, float] | None
    bot: str | None
    excluded: frozenset[int] = frozenset()
    most_paired: int | None = None
    title: str = ""
    has_statistics: bool = False
    records: str | None = None


def chosen_view(
    bots: Sequence[Entrant], anchor: str | None, bot: str | None, exclude: Sequence[str] = ()
) -> StandingsView:
    """Look up the bots in `--anchor`, `--bot` and `--exclude`.

    The view has the short names that tables show. People may also give the whole ones.

    Raises:
        UsageError: there's no bot of this name (the text lists all bots), or the rating is invalid.
    """
    from referee.tournament.setup import short_names

    names = short_names(bots)
    numbers = {bot.name: place for place, bot in enumerate(bots)}
    numbers |= {name: place for place, name in enumerate(names)}

    def find(option: str, name: str) -> int:
        if name not in numbers:
            raise UsageError(f"{option} {name}: there are: {', '.join(names)}")
        return numbers[name]

    found = None if bot is None else names[find("--bot", bot)]
    excluded = frozenset(find("--exclude", name) for name in exclude)
    if bot is not None and numbers[bot] in excluded:
        raise UsageError(f"--bot {bot}: --exclude leaves this bot out")
    if anchor is None:
        return StandingsView(None, found, excluded)
    name, equals, rating = anchor.rpartition("=")
    if not equals or name not in numbers:
        raise UsageError(f"--anchor {anchor}: give BOT=RATING with one of {', '.join(names)}")
    try:
        return StandingsView((numbers[name], number(rating)), found, excluded)
    except argparse.ArgumentTypeError as error:
        raise UsageError(f"--anchor {anchor}: {error}") from error


def _view(options: StandingsOptions, store: Store) -> StandingsView:
    view = chosen_view(store.stages[-1].bots, options.anchor, options.bot, options.exclude)
    return view._replace(
        most_paired=options.head_to_head,
        title=options.title or store.title,
        has_statistics=options.statistics,
    )


def _season_view(options: StandingsOptions, stores: Collection[Store]) -> StandingsView:
    from referee.tournament.report.season import season_names
    from referee.tournament.rows import Entrant

    bots = [Entrant(name, "") for name in season_names(stores)]
    view = chosen_view(bots, options.anchor, None, options.exclude)
    return view._replace(title=options.title or "")


def print_standings(store: Store, format: str, view: StandingsView) -> None:
    """Print the current standings.

    Args:
        format: "text", "json", "csv" or "html".
    """
    from referee.tournament.report.notable_losses import notable_losses
    from referee.tournament.report.played import played_of
    from referee.tournament.report.report import report_json
    from referee.tournament.report.standings import standings
    from referee.tournament.report.statistics import statistics

    most_paired = _most_paired(format, view)
    if format == "html":
        from referee.tournament.report.report import read_shown
        from referee.web.pages.pages import standings_file

        shown = read_shown(
            store,
            time.time(),
            view.anchor,
            view.excluded,
            most_paired,
            details=view.has_statistics,
        )
        print(standings_file(store, shown, most_paired, view.title))
        return
    played = played_of(store, view.excluded)
    found = standings(store, view.anchor, view.excluded, most_paired, played)
    if format == "csv":
        print_csv(found.bots)
        return
    in_report_on_bot = format == "text" and view.bot is not None
    facts = statistics(store, details=view.has_statistics or in_report_on_bot)
    if format == "text":
        of_bots = {} if view.bot is None else notable_losses(store, found, played.deals)
        if view.records is not None:
            of_bots = {bot: _with_records(of, view.records, found) for bot, of in of_bots.items()}
        _print_text(found, facts, view, of_bots)
        return
    whole = report_json(found, facts, notable_losses(store, found, played.deals))
    print_json(titled(whole, view.title))


def _with_records(
    losses: Sequence[NotableLoss], folder: str, found: Standings
) -> list[NotableLoss]:
    """Show matches from their records, if there are any, because they can't be played otherwise."""
    from msgspec.structs import replace

    from referee.games import outside_words
    from referee.text.terminal import command_line
    from referee.tournament.playing.records import record_of

    shown = []
    for loss in losses:
        record = record_of(Path(folder), loss.match)
        words = ["referee", "replay", str(record), *outside_words(found.game)]
        is_there = record.exists()
        shown.append(replace(loss, command=command_line(words)) if is_there else loss)
    return shown


def titled(found: dict[str, Any], title: str) -> dict[str, Any]:
    """Add the title to the object for `--format json`, unless the title is empty."""
    return {"title": title, **found} if title else found


def _most_paired(format: str, view: StandingsView) -> int | None:
    from referee.tournament.report.words import MOST_IN_MATRIX, MOST_PAIRED

    if view.bot is not None and format == "text":
        return None  # the report on a single bot compares it with all others anyway
    usual = {"csv": 0, "text": MOST_IN_MATRIX, "html": MOST_PAIRED}
    return view.most_paired or usual.get(format)


def _print_text(found: Standings, facts: Any, view: StandingsView, losses: Any) -> None:
    from rich.text import Text

    from referee.tournament.report.terminal import bot_text, standings_text, statistics_text

    with printing_rich(view.title) as console:
        for part in standings_text(found, facts, console.width, view.most_paired):
            console.print(part)
        if view.has_statistics:
            for part in statistics_text(found, facts, console.width):
                console.print(part)
        if view.bot is None:
            return
        (bot,) = [standing for standing in found.bots if standing.name == view.bot]
        console.print()
        statistics, losses_of_bot = facts.bots[bot.name], losses[bot.name]
        for part in bot_text(
            bot, found, statistics, facts.game or (), losses_of_bot, console.width
        ):
            # People copy the command, so it must stay on one line. `print` ignores the text's own
            # `no_wrap`, so we have to pass it here.
            console.print(part, soft_wrap=isinstance(part, Text) and bool(part.no_wrap))


def print_csv(bots: Sequence[BotStanding], tournaments: Sequence[SeasonTournament] = ()) -> None:
    """Print a row for each bot. In a season, the columns of each tournament follow the others."""
    from msgspec.structs import astuple

    from referee.tournament.report.season import TournamentRating
    from referee.tournament.report.standings import BotStanding

    columns = [name for name in BotStanding.__struct_fields__ if name not in _SHARES]
    heads = [f"{name}{end}" for name in _SHARES for end in _ENDS]
    fields = TournamentRating.__struct_fields__
    heads += [csv_text(f"{each.name} {name}") for each in tournaments for name in fields]
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow([*columns, *heads])
    for bot in bots:
        values = [getattr(bot, name) for name in columns]
        cells = [csv_text(value) if isinstance(value, str) else value for value in values]
        for share in (getattr(bot, name) for name in _SHARES):
            cells += astuple(share) if share else [None] * len(_ENDS)
        for rating in getattr(bot, "tournaments", ()):
            cells += astuple(rating) if rating else [None] * len(fields)
        writer.writerow(cells)


_SHARES = ("win_rate", "mean_points")
_ENDS = ("", "_low", "_high")


def _watch(options: StandingsOptions) -> NoReturn:
    from referee.tournament.report.report import state_of
    from referee.tournament.store import Store

    seen = count = None
    while True:
        # Opening a store checks all its rows, so we only do it after a change.
        state = state_of(options.stores[0])
        if state != seen:
            seen = state
            # Don't keep the store open while we sleep, because the tournament couldn't finish.
            with Store.for_reading(options.stores[0]) as store:
                if store.count() != count:
                    count = store.count()
                    if sys.stdout.isatty():
                        print("\x1b[H\x1b[2J", end="")
                    print_standings(store, options.format, _view(options, store))
                    sys.stdout.flush()
        time.sleep(WATCH_SECONDS)
