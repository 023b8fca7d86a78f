"""The pages as HTML, and the standings as a self-contained file.

A server, a folder and a file all use the same templates with different links (`links.py`).
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from functools import cache
from itertools import islice
from pathlib import Path
from typing import NamedTuple, TypeVar

from markupsafe import Markup
from msgspec import UNSET

from referee.bots.repeat import as_bot, not_weaker, sandbox_words
from referee.games import DEFAULT_GAME, GAMES
from referee.games.interface.game import Score
from referee.match.spec import settings_words, tournament_limits
from referee.names import named
from referee.text.html import render
from referee.text.terminal import command_line, duration, plain
from referee.tournament.choices import FORMATS, WITHDRAW_AFTER
from referee.tournament.report import season_words, words
from referee.tournament.report.leader import first, leader
from referee.tournament.report.notable_losses import bot_argument
from referee.tournament.report.report import MatchContext, Shown
from referee.tournament.report.season import Season
from referee.tournament.report.standings import BotStanding, Standings
from referee.tournament.report.words import MOST_PAIRED
from referee.tournament.rows import Entrant, MatchRow
from referee.tournament.schedule.format import TournamentSetup
from referee.tournament.store import Store
from referee.web import file
from referee.web.data import Item, MatchSummary, StoreSummary
from referee.web.pages import charts
from referee.web.pages.links import Links, ServedLinks

T = TypeVar("T", bound=BotStanding)
HERE = Path(__file__).parent
TEMPLATES = HERE / "templates"
# A file lists no more matches than this, because browsers take too long to open it otherwise.
# (`referee export` includes all of them.)
MOST_MATCHES = 1_000
# The page of a bot lists this many lost matches.
MOST_LOST = 10
# We draw the ratings over time for this many bots.
MOST_RACING = 12
# This many bots, from the top of the ranking, are always visible. The others can be unfolded.
MOST_RANKED = 20
# If a round of a knockout has more pairs than this, the page shows it folded, unless it's the last
# round.
MOST_PAIRS = 16
# Browsers get very slow if the cells of a table contain longer texts than this.
_LONGEST_TEXT = 1_000


class Card(NamedTuple):
    """A tournament in a list.

    Attributes:
        first: the bot that leads or has won, or "".
        colour: the CSS classes of its colour.
        curves: its ratings and those of the next bots, or None.
        is_over: True if all matches are played.
    """

    store: StoreSummary
    first: str = ""
    colour: str = ""
    curves: charts.Curves | None = None
    is_over: bool = False


class Front(NamedTuple):
    """Facts that the page of a tournament needs, but that aren't in its store.

    Attributes:
        title: title of the tournament. If it's empty, we use the name of the store.
        tables: matches in progress, with their scores if we know them.
        records: records of the highlights, by number of the match.
        cards: all tournaments here, oldest first.
        bots: the names of the bots of all stores of the same game, as in tables, in their order.
        plays: True if visitors can play here.
        is_live: True if matches of the tournament are in progress.
    """

    title: str = ""
    tables: Sequence[tuple[Item, MatchSummary | None]] = ()
    records: Mapping[int, Item] = {}
    cards: Sequence[Card] = ()
    bots: Sequence[str] = ()
    plays: bool = False
    is_live: bool = False


def page(template: str, links: Links, **values: object) -> str:
    """Render a template. Texts of strangers (e.g. names of bots) are cleaned, cut and escaped."""
    return render(
        TEMPLATES / template,
        longest=_LONGEST_TEXT,
        links=links,
        style=file.pages_style() if links.is_file else "",
        policy=file.pages_policy() if links.is_file else links.policy,
        result_note=_result_note,
        why_ended=_why_ended,
        leader=leader,
        names_of=_names_of,
        form=form,
        seconds=duration,
        moment=moment,
        formats=FORMATS,
        **_FIGURES,
        **values,
    )


# What templates call for a figure, a bot or a pair. All other texts are values of a page.
_FIGURES = {
    "share": words.share,
    "counts": words.counts,
    "shown": words.cell,
    "mark": words.mark,
    "rating": words.rating,
    "rating_interval": words.rating_interval,
    "interval": words.interval,
    "ends": words.ends,
    "pair_result": words.pair_result,
    "sandbox_note": words.sandbox_note,
    "round_namer": words.round_namer,
}


def _why_ended(game: str, reason: str) -> str:
    return GAMES[game].why_ended(reason) if game in GAMES else reason


def _result_note(
    game: str,
    ranks: Sequence[int],
    scores: Sequence[Score],
    disqualified: Sequence[str | None],
) -> str:
    out = [code is not None for code in disqualified]
    return GAMES[game].result_note(ranks, scores, out) if game in GAMES else ""


def _names_of(match: MatchRow, names: Sequence[str]) -> list[str]:
    return [names[bot] for bot in match.players]


@cache
def form(results: str) -> Markup:
    """Render a bot's last results as coloured marks, with a text for screen readers."""
    words = {"w": "won", "d": "drawn", "l": "lost"}
    label = ", ".join(words[result] for result in results)
    marks = "".join(f'<i class="{words[result]}"></i>' for result in results)
    return Markup('<span class="form" role="img" aria-label="{}">{}</span>').format(
        label, Markup(marks)
    )


def moment(seconds: float) -> str:
    """Format a time (in seconds since 1970) as UTC, to the minute."""
    return time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime(seconds))


def standings_file(
    store: Store, shown: Shown, most_paired: int | None = MOST_PAIRED, heading: str = ""
) -> str:
    """Render the standings as a self-contained file.

    Args:
        shown: the content of the store.
        most_paired: number of bots in the head-to-head table, from the top of the ranking. None
            means all of them.
        heading: title of the page. If it's empty, we make one from the settings.
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
        matches: the matches to list on this page.
        most_paired: see `standings_file`.
        heading: title of the page. If it's empty, we make one from the settings.
        front: facts that aren't in the store, or None for a self-contained file.
    """
    history, found = shown.history, shown.found
    colour = charts.colour_of((front and front.bots) or shown.names)
    least, near, on = _scale(found.bots)
    racing = [bot.name for bot in near[:MOST_RACING]]
    places = found.swiss.places if found.swiss and found.swiss.rounds else []
    order = {row.name: place for place, row in enumerate(places)}
    rounds = list(found.knockout.rounds.items()) if found.knockout else []
    large = [place for place, (_, pairs) in enumerate(rounds) if len(pairs) > MOST_PAIRS]
    first = min(len(large), max(0, len(rounds) - 1))
    return store_page(
        "standings.html",
        links,
        shown,
        made=shown.changed,
        command=command(shown.setup),
        is_hidden=not links.is_file and is_unfinished(shown),
        limits=shown.setup.settings,
        on=on,
        least=least,
        ranked=sorted(found.bots, key=lambda bot: order.get(bot.name, 0)),
        swiss={row.name: row for row in places},
        colour=colour,
        curves=_race(shown, racing, least, colour),
        racing=racing,
        history=history,
        matches=matches,
        most_matches=MOST_MATCHES,
        most_paired=most_paired,
        most_ranked=MOST_RANKED,
        heading=heading or (front.title if front else ""),
        front=front or Front(),
        rounds=rounds[first:],
        earlier_rounds=rounds[:first],
        playing=[sorted(item.shown) for item, _ in front.tables] if front else [],
        left="" if shown.left is None else _about(shown.left),
        progress=words.progress(found),
        notices=words.notices(found),
        duel=words.duel(found),
        sprt=words.sprt(found),
        columns=words.columns(found, by_points=bool(places)),
        legend=[*[words.SWISS_LEGEND] * bool(places), *words.legend(found, on_page=True)],
        knockout_legend=words.KNOCKOUT_LEGEND,
        own_limits=words.own_limits(found),
        repeats=words.repeats(found),
    )


def _scale(bots: Sequence[T]) -> tuple[float, list[T], charts.Scale]:
    """Lay out the ratings of some bots.

    Outliers are drawn at the lower edge of the charts, so that they don't stretch the scale.
    Returns the rating below which a bot is an outlier, the other bots, and the scale.
    """
    rated = [-math.inf if bot.rating is None else bot.rating for bot in bots]
    least = charts.far_below([rating for rating in rated if rating > -math.inf])
    near = [bot for bot, rating in zip(bots, rated, strict=True) if rating >= least]
    ends = [end for bot in near for end in (bot.rating, *words.ends(bot)) if end is not None]
    return least, near, charts.scale([end for end in ends if end >= least], 8, 232)


def card(store: StoreSummary, shown: Shown, bots: Sequence[str]) -> Card:
    """Summarise a tournament with its champion and its ratings over matches.

    Args:
        bots: same as in `Front`.
    """
    colour, name = charts.colour_of(bots), first(shown.found)
    least, near, _ = _scale(shown.found.bots)
    curves = _race(shown, [bot.name for bot in near[: charts.CLEAR]], least, colour)
    return Card(store, name, colour(name), curves, not is_unfinished(shown))


def _race(
    shown: Shown, bots: Sequence[str], least: float, colour: Callable[[str], str]
) -> charts.Curves | None:
    """Lay out the ratings of some bots over the matches, but not below `least`."""
    history = shown.history
    ratings = {
        name: [None if value is None else max(value, least) for value in history.ratings[name]]
        for name in bots
    }
    return charts.curves(history.matches, ratings, colour)


def _about(seconds: float) -> str:
    for unit, size in (("hour", 3600.0), ("minute", 60.0)):
        if seconds >= 0.75 * size:
            count = max(1, round(seconds / size))
            return f"{count} {unit}{'s' * (count != 1)}"
    return "a minute"


def season_page(
    links: Links,
    found: Season,
    made: float,
    title: str = "",
    ids: Sequence[str] = (),
    bots: Sequence[str] = (),
) -> str:
    """Render the combined standings of several tournaments.

    Args:
        made: time when the newest store was written, or the page was made, in seconds since 1970.
        title: title of the page. If it's empty, we use the default.
        ids: names of the stores in addresses, for a served page.
        bots: the names of all bots, in the order of their tournaments.
    """
    least, near, on = _scale(found.bots)
    ratings = {
        bot.name: [None if each is None else each.rating for each in bot.tournaments]
        for bot in near[:MOST_RACING]
    }
    colour = charts.colour_of(bots)
    return page(
        "season.html",
        links,
        title=title or f"{found.game}: a season of {len(found.tournaments)} tournaments",
        found=found,
        headline=season_words.headline(found),
        improved=season_words.improved(found),
        heads=[season_words.head(each, found) for each in found.tournaments],
        places=season_words.places(found),
        legend=season_words.legend(found),
        remarks=season_words.remarks(found),
        whole_rating=season_words.whole_rating,
        rating_in=season_words.rating,
        change=season_words.change,
        change_interval=season_words.change_interval,
        details=season_words.details,
        colour=colour,
        curves=charts.curves(range(len(found.tournaments)), ratings, colour),
        on=on,
        least=least,
        made=made,
        ids=ids,
        json=links.season(ids, format="json"),
    )


def is_unfinished(shown: Shown) -> bool:
    """Check whether more matches will be played. If so, the seed must stay secret."""
    found = shown.found
    done = found.matches + found.void + found.forfeits
    return done < found.planned


def store_page(template: str, links: Links, shown: Shown, **values: object) -> str:
    """Render a page about a tournament."""
    return page(
        template,
        links,
        **{"colour": charts.colour_of(shown.names)} | values,
        setup=shown.setup,
        title=title(shown.setup),
        found=shown.found,
        facts=shown.facts,
        losses=shown.notable_losses,
        evening=shown.evening,
        names=shown.names,
        number={name: number for number, name in enumerate(shown.names)},
    )


def of_bot(bot: BotStanding, found: Standings) -> dict[str, object]:
    """Return what the page of a bot says about it in words, and the bot."""
    name = bot.name
    return {
        "bot": bot,
        "why_out": words.PUT_OUT if name in found.removed else "",
        "left_out": words.LEFT_OUT,
        "why_withdrawn": words.why_withdrawn(name, found) if name in found.withdrawn else "",
        "forfeits": words.forfeits(bot),
        "mean_points": words.mean_points(bot),
    }


def title(setup: TournamentSetup) -> str:
    """Describe a tournament in a few words, e.g. "dominion: knockout of 8 bots"."""
    start = f", from {setup.position}" if setup.position else ""
    return f"{setup.game}: {FORMATS[setup.format]} of {len(setup.bots)} bots{start}"


def command(setup: TournamentSetup) -> str:
    """Return the command that plays a tournament again.

    It isn't always complete: settings from configuration files are missing, and FILE stands for a
    file with the seeds of the deals. We leave out the folders of `--sandbox-read` on purpose. A
    stranger may have written this store, and nobody should give a stranger's bots access to their
    own folders just by pasting a command.
    """
    bots: Sequence[Entrant] = setup.bots
    knockout = None if setup.knockout is UNSET else setup.knockout
    # The order of the bots decides who meets in the first round, so we list them as they were
    # seeded.
    if knockout is not None and knockout.seeding:
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
    if setup.opening:
        options["opening"] = setup.opening
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
    name, word = entrant.name, f"{entrant.name}={bot}"
    # We'd like to give the name as NAME=BOT, but a command line must not mistake that for something
    # else.
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
    """Render the page of a match, or of a person's seat. `data` is the address of the page's data.

    Args:
        again: the address that starts a return match, or "" if there's none.
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
    """Return the addresses of a match page's style sheets.

    Args:
        own: name of the style sheet for this kind of page.
    """
    names = ["theme.css", "frame.css", own]
    names += [f"{game}/drawing.css"] * (GAMES[game].page is not None)
    return [links.asset(name) for name in names]


def crumbs(links: Links, item: Item, context: MatchContext | None) -> Markup:
    """Render the links above a match: its tournament, its bots, and the matches next to it."""
    record_with = links.record_with
    seats: list[tuple[str, int | None]] = [(name, None) for name in item.shown]
    deal: list[tuple[MatchRow, Item | None]] = []
    beside: list[Item | None] = [None, None]
    if context is not None:
        own = next((each for each in context.deal if each.match == context.match), None)
        number = {name: bot for bot, name in enumerate(context.names)}
        players = own.players if own else [number.get(name) for name in item.given]
        seats = [("" if bot is None else context.names[bot], bot) for bot in players]
        deal = [(each, record_with(each.digest)) for each in context.deal if each is not own]
        beside = [
            None if each is None else record_with(each.digest)
            for each in (context.before, context.after)
        ]
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
    """Render a page that shows a problem. With `again`, it reloads until the real page exists."""
    return page("problem.html", ServedLinks(), problem=problem, again=again)
