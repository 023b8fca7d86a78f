"""`referee standings`: the standings of a tournament, at any time."""

from __future__ import annotations

import argparse
import contextlib
import csv
import io
import re
import sys
import time
from collections.abc import Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, NoReturn

from referee.cli.console import OK, print_json, printing, printing_to, rich_console
from referee.cli.options import Options, argument, flag, option, repeated
from referee.cli.running import load_numpy
from referee.cli.settings import force_option, game_of_files_option
from referee.cli.values import Count, GameName, number
from referee.errors import UsageError
from referee.interrupts import Interrupts
from referee.logs.outputs import report_kind
from referee.text.terminal import csv_text

if TYPE_CHECKING:
    from referee.tournament.report.standings import Standings
    from referee.tournament.rows import Entrant
    from referee.tournament.store import Store

WATCH_SECONDS = 2.0
"""Seconds between two looks at a store that is watched."""


def anchor_option() -> str | None:
    """`--anchor`."""
    text = "fix the rating of this bot; otherwise the mean is 1500"
    return option("BOT=RATING", None, text)


def bot_option() -> str | None:
    """`--bot`."""
    return option("NAME", None, "also show the details of this bot")


class StandingsOptions(Options):
    """Print the standings of a tournament from its store: while it runs, when it was cut off, or
    at its end.
    """

    exit_codes = (
        (0, "printed"),
        (2, "wrong usage, or no store"),
    )
    examples = (
        ("referee standings night.sqlite --follow", "the standings while the tournament runs"),
        (
            "referee standings night.sqlite --format html --output night.html",
            "a page for everybody",
        ),
    )

    store: str = argument("FILE.sqlite", "the store of a tournament")
    game: tuple[GameName, ...] = game_of_files_option()
    format: Literal["text", "json", "csv", "html"] = option(
        None, "text", "html: one page that needs no network"
    )
    output: str | None = option("FILE", None, "write them there, not to stdout")
    force: bool = force_option()
    anchor: str | None = anchor_option()
    bot: str | None = bot_option()
    exclude: tuple[str, ...] = repeated("NAME", "exclude all matches of this bot; can be repeated")
    head_to_head: Count | None = option(
        "N", None, "compare the first N bots (default: text 10, html 40, json all)"
    )
    follow: bool = flag("print them again whenever there is something new")


def run(options: StandingsOptions, interrupts: Interrupts) -> int:
    load_numpy()
    from referee.tournament.store import Store

    if options.follow and (options.format != "text" or options.output is not None):
        raise UsageError("--follow shows text on the terminal")
    if options.follow:
        with interrupts.raising(), printing():
            _watch(options)
    with Store.for_reading(options.store) as store, interrupts.raising():
        view = _view(options, store)  # before a file is made
        kind = report_kind(options.format)
        report = printing_to(options.output, kind, [options.store], force=options.force, whole=True)
        with report as file, contextlib.redirect_stdout(file):
            print_standings(store, options.format, view)
    return OK


class View(NamedTuple):
    """The options that change how standings are shown.

    Attributes:
        anchor: the number of a bot and its rating.
        bot: the name of a bot whose details are shown.
        excluded: the numbers of bots whose matches do not count.
        most_paired: so many bots, the first in the ranking, are compared with each other.
    """

    anchor: tuple[int, float] | None
    bot: str | None
    excluded: frozenset[int] = frozenset()
    most_paired: int | None = None


def chosen_view(
    bots: Sequence[Entrant], anchor: str | None, bot: str | None, exclude: Sequence[str] = ()
) -> View:
    """The view of `--anchor`, `--bot` and `--exclude`, which may have the names of the tables.

    Raises:
        UsageError: they do not name bots; the text says what there is.
    """
    from referee.tournament.setup import short_names

    shown = short_names(bots)
    whole = {short: name for name, short in shown.items()} | {name: name for name in shown}
    names = [*shown]

    def find(option: str, name: str) -> str:
        if name not in whole:
            raise UsageError(f"{option} {name}: there are: {', '.join(names)}")
        return whole[name]

    found = None if bot is None else find("--bot", bot)
    excluded = frozenset(names.index(find("--exclude", name)) for name in exclude)
    if anchor is None:
        return View(None, found, excluded)
    name, equals, rating = anchor.rpartition("=")
    if not equals or name not in whole:
        raise UsageError(f"--anchor {anchor}: give BOT=RATING with one of {', '.join(names)}")
    try:
        return View((names.index(whole[name]), number(rating)), found, excluded)
    except argparse.ArgumentTypeError as error:
        raise UsageError(f"--anchor {anchor}: {error}") from error


def _view(options: StandingsOptions, store: Store) -> View:
    view = chosen_view(store.stages[-1].bots, options.anchor, options.bot, options.exclude)
    return view._replace(most_paired=options.head_to_head)


def print_standings(store: Store, format: str, view: View) -> None:
    """Print the standings so far.

    Args:
        format: "text", "json", "csv" or "html".
    """
    from referee.tournament.report.notable_losses import notable_losses
    from referee.tournament.report.report import Report
    from referee.tournament.report.standings import deals_of, standings
    from referee.tournament.report.statistics import statistics

    most_paired = _most_paired(format, view)
    deals = deals_of(store, view.excluded)
    found = standings(store, view.anchor, view.excluded, most_paired, deals)
    if format == "csv":
        _print_csv(found)
        return
    facts = statistics(store, of_game=format != "text" or view.bot is not None)
    if format == "text":
        of_bots = {} if view.bot is None else notable_losses(store, found, deals)
        _print_text(found, facts, view, of_bots)
        return
    whole = Report(found, facts, notable_losses(store, found, deals))
    if format == "json":
        print_json(whole.as_json())
    else:
        from referee.tournament.report.history import history
        from referee.web.server.pages import standings_file

        curves = history(store, view.anchor, view.excluded, deals)
        print(standings_file(store, whole, curves, time.time(), most_paired))


def _most_paired(format: str, view: View) -> int | None:
    """How many bots, the first in the ranking, are compared with each other; None: all."""
    from referee.tournament.report.text import MOST_IN_MATRIX
    from referee.web.server.pages import MOST_PAIRED

    if view.bot is not None and format == "text":
        return None  # its opponents are listed
    usual = {"csv": 0, "text": MOST_IN_MATRIX, "html": MOST_PAIRED}
    return view.most_paired or usual.get(format)


def _print_text(found: Standings, facts: Any, view: View, losses: Any) -> None:
    from rich.text import Text

    from referee.tournament.report.text import bot_text, standings_text

    text = io.StringIO()  # rich has an exit code of its own for a reader that has seen enough
    console = rich_console(text)
    for part in standings_text(found, facts, console.width, view.most_paired):
        console.print(part)
    if view.bot is not None:
        bot = view.bot
        (standing,) = [standing for standing in found.bots if standing.name == bot]
        console.print()
        parts = bot_text(standing, found, facts.bots[bot], facts.game, losses[bot], console.width)
        for part in parts:
            # A command is to be copied whole; `print` forgets what a text says of that.
            console.print(part, soft_wrap=isinstance(part, Text) and bool(part.no_wrap))
    # Where rich breaks a line, it leaves the space.
    print(re.sub(r" +(\x1b\[0m)?$", r"\1", text.getvalue(), flags=re.MULTILINE), end="")


def _print_csv(found: Standings) -> None:
    import msgspec

    from referee.tournament.report.standings import BotStanding

    columns = [name for name in BotStanding.__struct_fields__ if name not in _SHARES]
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow([*columns, *(f"{name}{end}" for name in _SHARES for end in _ENDS)])
    for bot in found.bots:
        shares = [getattr(bot, name) for name in _SHARES]
        ends = [msgspec.structs.astuple(share) if share else (None,) * 3 for share in shares]
        values = [getattr(bot, name) for name in columns]
        texts = [csv_text(value) if isinstance(value, str) else value for value in values]
        writer.writerow([*texts, *chain.from_iterable(ends)])


_SHARES = ("win_rate", "mean_points")
_ENDS = ("", "_low", "_high")


def _watch(options: StandingsOptions) -> NoReturn:
    from referee.tournament.store import Store
    from referee.web.server.tournaments import state_of

    seen = count = None
    while True:
        # All rows are checked when it is opened, which is to be done only if there are new ones.
        state = state_of(options.store)
        if state != seen:
            seen = state
            with Store.for_reading(options.store) as store:  # not for long: a run wants to end
                if store.count() != count:
                    count = store.count()
                    if sys.stdout.isatty():
                        print("\x1b[H\x1b[2J", end="")
                    print_standings(store, options.format, _view(options, store))
                    sys.stdout.flush()
        time.sleep(WATCH_SECONDS)
