"""The pages as HTML, and the standings as a self-contained file.

Pages of a server, of a folder and of a file use the same templates with different links
(`links.py`).
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from functools import cache
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from markupsafe import Markup
from msgspec import UNSET

from referee.bots.repeat import as_bot, not_weaker, sandbox_words
from referee.games import DEFAULT_GAME, GAMES
from referee.match.spec import settings_words, tournament_limits
from referee.names import named
from referee.text.html import render
from referee.text.terminal import command_line, duration, plain
from referee.tournament.choices import FORMATS, WITHDRAW_AFTER
from referee.tournament.report import season_text, text
from referee.tournament.report.evening import decided_by
from referee.tournament.report.knockout import KnockoutPair, KnockoutStanding
from referee.tournament.report.notable_losses import bot_argument
from referee.tournament.report.season import Season, tournament_names
from referee.tournament.rows import Entrant, MatchRow
from referee.tournament.schedule.format import TournamentSetup
from referee.tournament.store import Store
from referee.web import file
from referee.web.server import charts
from referee.web.server.library import Item
from referee.web.server.links import Links, ServedLinks, stem
from referee.web.server.live import MatchSummary
from referee.web.server.tournaments import MatchContext, Neighbour, Shown, StoreSummary

HERE = Path(__file__).parent
TEMPLATES = HERE / "templates"
MOST_MATCHES = 1_000
"""Maximum number of matches listed in a file, because larger files open slowly. `referee export`
has all."""
MOST_RACING = 12
"""Number of bots whose ratings over matches are drawn."""
MOST_RANKED = 20
"""Number of bots of the ranking that are always visible. The others can be unfolded."""
MOST_PAIRED = 40
"""Number of bots, from the top of the ranking, in the head-to-head table of a page."""
_LONGEST_TEXT = 1_000
"""Maximum characters of a text on a page. Browsers are slow with tables of longer names."""


class Front(NamedTuple):
    """Facts for the served page of a tournament that are not in its store.

    Attributes:
        title: title of the tournament. Empty: the name of the store.
        tables: matches in progress with their scores, if known.
        records: records of the highlights, by number of the match.
        season: all stores here with the same game, oldest first.
        plays: True if visitors can play here.
        is_live: True if matches of the tournament are in progress.
    """

    title: str = ""
    tables: Sequence[tuple[Item, MatchSummary | None]] = ()
    records: Mapping[int, Item] = {}
    season: Sequence[StoreSummary] = ()
    plays: bool = False
    is_live: bool = False


def page(template: str, links: Links, **values: object) -> str:
    """Render a template. Texts of strangers are cleaned and escaped."""
    return render(
        TEMPLATES / template,
        longest=_LONGEST_TEXT,
        links=links,
        style=file.pages_style() if links.is_file else "",
        policy=file.pages_policy() if links.is_file else links.policy,
        text=text,
        share=text.share,
        stem=stem,
        decided_by=decided_by,
        why_ended=_why_ended,
        form=form,
        colour=colour,
        seconds=duration,
        counts=text.counts,
        shown=text.cell,
        moment=moment,
        **values,
    )


def _why_ended(game: str, reason: str) -> str:
    """Return an end reason in words. The game may be unknown."""
    return GAMES[game].why_ended(reason) if game in GAMES else reason


@cache
def form(results: str) -> Markup:
    """Render the last results of a bot as marks, with a text for screen readers."""
    words = {"w": "won", "d": "drawn", "l": "lost"}
    label = ", ".join(words[result] for result in results)
    marks = "".join(f'<i class="{words[result]}"></i>' for result in results)
    return Markup('<span class="form" role="img" aria-label="{}">{}</span>').format(
        label, Markup(marks)
    )


def colour(rank: int) -> str:
    """Return the CSS class of a bot's colour. Only six colours can be distinguished."""
    return f"line-{rank}" if rank <= charts.CLEAR else "line-other"


def moment(seconds: float) -> str:
    """Format a time, to the minute."""
    return time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime(seconds))


def standings_file(
    store: Store, shown: Shown, most_paired: int | None = MOST_PAIRED, heading: str = ""
) -> str:
    """Render the standings as a self-contained file.

    Args:
        shown: the content of the store.
        most_paired: number of bots, from the top of the ranking, in the head-to-head table. None:
            all.
        heading: title of the page. Empty: made from the settings.
    """
    matches = list(islice((row for row in store.matches() if not row.void), MOST_MATCHES))
    return standings_page(Links(), shown, matches, most_paired=most_paired, heading=heading)


def standings_page(
    links: Links,
    shown: Shown,
    matches: Sequence[MatchRow] = (),
    most_paired: int | None = MOST_PAIRED,
    heading: str = "",
    front: Front | None = None,
) -> str:
    """Render the page of a tournament.

    Args:
        matches: the matches to list.
        most_paired: same as for `standings_file`.
        heading: title of the page. Empty: made from the settings.
        front: facts for a served page.
    """
    history, found = shown.history, shown.report.found
    rated = {bot.name: bot.rating for bot in found.bots if bot.rating is not None}
    least = charts.far_below(list(rated.values()))
    near = [bot for bot in found.bots if rated.get(bot.name, -math.inf) >= least]
    ends = [(bot.rating, bot.rating_low, bot.rating_high) for bot in near]
    values = [end for bot in ends for end in bot if end is not None and end >= least]
    racing = [bot.name for bot in near[:MOST_RACING]]
    ratings = {
        name: [None if value is None else max(value, least) for value in history.ratings[name]]
        for name in racing
    }
    return store_page(
        "standings.html",
        links,
        shown,
        made=shown.changed,
        command=command(shown.setup),
        is_hidden=not links.is_file and is_unfinished(shown),
        limits=shown.setup.settings,
        on=charts.scale(values, 8, 232),
        least=least,
        curves=charts.curves(history.matches, ratings),
        racing=racing,
        history=history,
        matches=matches,
        most_matches=MOST_MATCHES,
        most_paired=most_paired,
        most_ranked=MOST_RANKED,
        heading=heading or (front.title if front else ""),
        front=front or Front(),
        season_names=tournament_names([each.id for each in front.season]) if front else [],
        rounds=_rounds(found.knockout) if found.knockout else [],
        left="" if shown.left is None else _about(shown.left),
    )


def _rounds(table: KnockoutStanding) -> list[tuple[str, list[KnockoutPair]]]:
    """Return the rounds of a knockout with their pairs, first round first."""
    found: dict[str, list[KnockoutPair]] = {}
    for pair in table.pairs:
        found.setdefault(pair.round, []).append(pair)
    return list(found.items())


def _about(seconds: float) -> str:
    """Format an approximate duration."""
    for unit, size in (("hour", 3600.0), ("minute", 60.0)):
        if seconds >= 0.75 * size:
            count = max(1, round(seconds / size))
            return f"{count} {unit}{'s' * (count != 1)}"
    return "a minute"


def season_file(found: Season, made: float, title: str = "") -> str:
    """Render a season as a self-contained file. `made` is in seconds since 1970."""
    return season_page(Links(), found, made, title)


def season_page(
    links: Links, found: Season, made: float, title: str = "", ids: Sequence[str] = ()
) -> str:
    """Render the combined standings of several tournaments.

    Args:
        made: time when the newest store was written, or the page was made, in seconds since 1970.
        title: title of the page. Empty: the default.
        ids: names of the stores in addresses, for a served page.
    """
    ends = [(bot.rating, bot.rating_low, bot.rating_high) for bot in found.bots]
    return page(
        "season.html",
        links,
        title=title or f"{found.game}: a season of {len(found.tournaments)} tournaments",
        found=found,
        season=season_text,
        on=charts.scale([end for bot in ends for end in bot if end is not None], 8, 232),
        made=made,
        ids=ids,
        json=links.season(ids, format="json"),
    )


def is_unfinished(shown: Shown) -> bool:
    """True if more matches will be played. The seed, which determines them, is secret then."""
    found = shown.report.found
    if found.swiss is not None and found.withdrawn:  # fewer matches than planned
        return found.swiss.rounds < (shown.setup.rounds or 0)
    done = found.matches + found.void + found.forfeits
    return done < found.planned and not found.removed


def store_page(template: str, links: Links, shown: Shown, **values: object) -> str:
    """Render a page about a tournament."""
    return page(
        template,
        links,
        setup=shown.setup,
        title=title(shown.setup),
        found=shown.report.found,
        facts=shown.report.facts,
        losses=shown.report.notable_losses,
        evening=shown.evening,
        names=shown.names,
        number={name: number for number, name in enumerate(shown.names)},
        **values,
    )


def title(setup: TournamentSetup) -> str:
    """Describe a tournament in a few words."""
    start = f", from {setup.position}" if setup.position else ""
    kind = FORMATS.get(setup.format, setup.format)
    return f"{setup.game}: {kind} of {len(setup.bots)} bots{start}"


def command(setup: TournamentSetup) -> str:
    """Return the command that plays a tournament, except settings of configuration files.

    FILE stands for a file with the list of deals. Folders of `--sandbox-read` are left out, because
    a stranger may have written the store.
    """
    bots: Sequence[Entrant] = setup.bots
    knockout = None if setup.knockout is UNSET else setup.knockout
    if knockout is not None and knockout.seeding:  # plays the same matches
        bots = [setup.bots[number] for number in knockout.seeding]
    given = [bot_argument(bot, setup.game) for bot in bots]
    least = GAMES[setup.game].min_seats
    usual = {"game": DEFAULT_GAME, "pairing": "round-robin", "players": least, "seats": "rotate"}
    names = ("game", "players", "deals", "matches", "rounds", "challengers", "seats")
    options = {"pairing": setup.format} | {name: getattr(setup, name) for name in names}
    options = {name: value for name, value in options.items() if value != usual.get(name)}
    if setup.sprt is not None:
        options |= asdict(setup.sprt)
    if setup.position:
        options |= {"position": setup.position.record, "turn": setup.position.turn}
    options["seed"] = setup.seed
    words = ["referee", "tournament", *map(_named, bots, given)]
    for name, value in options.items():
        words += [f"--{name}", f"{value:g}" if isinstance(value, float) else str(value)]
    words += ["--deal-seeds", "FILE"] * (setup.deal_seeds is not UNSET)
    words += ["--third-place"] * (knockout is not None and knockout.third_place)
    if setup.withdraw_after != WITHDRAW_AFTER:
        words += ["--withdraw-after", str(setup.withdraw_after or "never")]
    words += ["--no-keep-alive"] * (not setup.keep_alive)
    spec = not_weaker(setup.any_match, given)
    words += sandbox_words(spec.sandbox.kind) or ["--sandbox", "none"]
    return command_line([*words, *settings_words(spec, tournament_limits(spec.definition))])


def _named(entrant: Entrant, bot: str) -> str:
    """Format a bot as an argument of `referee tournament`."""
    name, word = entrant.name, f"{entrant.name}={bot}"
    takes_name = name != bot and named(word) == (name, bot) and as_bot(word) == word
    return word if takes_name else as_bot(bot)


def match_page(
    links: Links,
    title: str,
    game: str,
    data: str,
    crumbs: Markup | None = None,
    again: str = "",
) -> str:
    """Render the page of a match or a seat. It loads its data from the addresses below `data`.

    Args:
        again: the address that begins a return match. Empty: there is none.
    """
    is_seat = data.startswith("/seat/")
    return file.frame_page(
        title=plain(title),
        links=match_styles(links, game, "seat.css" if is_seat else "crumbs.css"),
        modules=[links.asset(f"{game}{'.seat' * is_seat}.js")],
        data=data,
        again=again,
        crumbs=crumbs or "",
    )


def match_styles(links: Links, game: str, own: str) -> list[Markup]:
    """Return the addresses of a match page's style sheets. `own` depends on the kind of page."""
    names = ["theme.css", "frame.css", own]
    names += [f"{game}/drawing.css"] * (GAMES[game].page is not None)
    return [links.asset(name) for name in names]


def crumbs(links: Links, item: Item, context: MatchContext | None) -> Markup:
    """Return the links above a match: its tournament, its bots and its neighbours."""
    record_with = links.record_with
    seats: list[tuple[str, int | None]] = [(name, None) for name in item.shown]
    deal: list[tuple[Neighbour, Item | None]] = []
    beside: list[Item | None] = [None, None]
    if context is not None:
        own = next((each for each in context.deal if each.match == context.match), None)
        number = {name: bot for bot, name in enumerate(context.names)}
        players = own.players if own else [number.get(name) for name in item.given]
        seats = [("" if bot is None else context.names[bot], bot) for bot in players]
        deal = [(each, record_with(each.digest)) for each in context.deal if each is not own]
        beside = [each and record_with(each.digest) for each in (context.before, context.after)]
    return Markup(
        page(
            "crumbs.html",
            links,
            context=context,
            seats=seats,
            deal=deal,
            before=beside[0],
            after=beside[1],
        )
    )


def problem_page(problem: str, again: bool = False) -> str:
    """Render a page with a problem. With `again`, it reloads until the real page exists."""
    return page("problem.html", ServedLinks(), problem=problem, again=again)
