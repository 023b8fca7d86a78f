"""Renders standings for a terminal, with rich."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence

from msgspec import UNSET
from rich.cells import cell_len
from rich.console import RenderableType
from rich.table import Table as Grid
from rich.text import Text

from referee.games.interface.capabilities import StatisticsTable
from referee.games.interface.counts import plural
from referee.text.terminal import duration, plain
from referee.tournament.choices import FORMATS
from referee.tournament.report.formats import KnockoutPair, KnockoutStanding, Swiss
from referee.tournament.report.notable_losses import NotableLoss
from referee.tournament.report.standings import BotStanding, Standings
from referee.tournament.report.statistics import LATE, BotStatistics, Statistics
from referee.tournament.rows import GAME_ERROR, WORKER_KILLED
from referee.tournament.rows import LEFT_OUT as MISSED_ROUND
from referee.tournament.schedule.knockout import FINAL
from referee.tournament.schedule.withdrawals import BY_HAND, Withdrawal
from referee.tournament.setup import limit_words

# A head-to-head matrix of more bots wouldn't fit on a terminal.
MOST_IN_MATRIX = 10

PUT_OUT = (
    "is out: it kills the process that plays its match, also when no other bot plays; "
    "its other matches are not played"
)

LEFT_OUT = "Left out of the last run:"

_VOID = {
    GAME_ERROR: "the code of the game made a mistake",
    LATE: "each time it was played, the referee was late",
    MISSED_ROUND: "a bot was left out of the round",
    WORKER_KILLED: "each time it was played, its process was killed",
}

FORFEITS = (
    "forfeits: matches that are not played, since a bot is withdrawn; + won, - lost. They count in "
    "the points and in nothing else."
)

CHANGED = (
    "changed between two runs (--same-bot); the results of all its versions are counted together"
)

# We name at most this many line-ups that repeat their matches.
_MOST_REPEATS = 3
# With fewer deals than this, intervals are hundreds of Elo wide and not informative.
ENOUGH_DEALS = 5


def standings_text(
    found: Standings, facts: Statistics, width: int, most_paired: int | None = None
) -> Iterator[RenderableType]:
    """Render the standings: a table, remarks on all matches, head-to-head results.

    Args:
        width: width of the terminal. If it's narrow, tables leave out some columns.
        most_paired: show head-to-head results of this many bots, from the top of the ranking. If
            it's None, we show them only if there are at most `MOST_IN_MATRIX` bots.
    """
    yield Text(headline(found), style="bold")
    yield ""
    if found.matches:
        yield ranking(found, width)
        yield from (Text(line, style="dim") for line in legend(found))
        yield ""
    summary = [*duel(found), *sprt(found)]
    if summary:
        yield from map(Text, summary)
        yield ""
    if found.swiss is not None and found.swiss.rounds:
        yield Text(f"After {found.swiss.rounds} rounds, by score:", style="bold")
        yield _swiss(found.swiss, found.shown)
        yield Text(SWISS_LEGEND, style="dim")
        yield ""
    if found.knockout is not UNSET and found.knockout.pairs:
        yield Text("The bracket, the last round first:", style="bold")
        yield _bracket(found.knockout, found.shown)
        yield Text(KNOCKOUT_LEGEND, style="dim")
        yield ""
    if found.by_seat:
        yield Text(f"By seat, from {plain(str(found.position))}:", style="bold")
        yield _by_seat(found)
        yield ""
    yield from map(_line, _remarks(found, facts))
    paired = found.bots[:most_paired]
    is_asked = most_paired is not None or len(paired) <= MOST_IN_MATRIX
    if len(found.bots) > 2 and len(paired) > 1 and is_asked and found.matches:
        yield ""
        grid, unit = _matrix(found, paired), ""
        # If the matrix is too wide, round it to whole percents and shorten the names.
        if columns_needed(grid) > width:
            grid, unit = _matrix(found, paired, is_short=True), ", in percent"
        yield Text(f"Points of the row against the column{unit}:", style="bold")
        yield grid


def bot_text(
    bot: BotStanding,
    found: Standings,
    facts: BotStatistics,
    tables: Sequence[StatisticsTable],
    losses: Sequence[NotableLoss],
    width: int,
) -> Iterator[RenderableType]:
    """Render the report on one bot. See `standings_text` for `width`."""
    yield Text(f"{plain(bot.name)}: rank {bot.rank} of {len(found.bots)}", style="bold")
    names = ", ".join(map(plain, facts.reported_names))
    if names and names != plain(bot.name):
        yield Text(f"It calls itself {names}.")
    if bot.name in found.left_out:
        yield _line(f"{LEFT_OUT} {found.left_out[bot.name]}")
    if bot.name in found.withdrawn:
        yield _line(f"It {why_withdrawn(bot.name, found)}.")
    if not bot.matches:
        yield "It has no matches."
        return
    yield ""
    yield _fitted(_against(bot, found), width)
    yield ""
    yield from map(_line, _bot_remarks(facts))
    for table in tables:
        if parts := list(table_text(table, width, bot.name)):
            yield ""
            yield from parts
    if losses:
        yield ""
        yield Text("Matches to learn from:", style="bold")
        if note := sandbox_note(found, losses):
            yield _line(note)
    for loss in losses:
        yield _line(f"match {loss.match} against {', '.join(loss.against)}: {loss.why}")
        yield Text(f"  {loss.command}", no_wrap=True, overflow="ignore")


def statistics_text(found: Standings, facts: Statistics, width: int) -> Iterator[RenderableType]:
    """Render the reply times and the game's tables, for all bots.

    Args:
        facts: the result of `statistics(..., details=True)`.
        width: see `standings_text`.
    """
    grid = new_grid("bot", "mean score", "replies", "mean reply", "99% within", "longest")
    for bot in found.bots:
        known = facts.bots[bot.name]
        grid.add_row(
            plain(found.shown[bot.name]),
            "-" if known.mean_score is None else f"{known.mean_score:.1f}",
            f"{known.replies:,}",
            *(
                duration(seconds) if isinstance(seconds, float) else "-"
                for seconds in (known.mean_reply, known.reply_99, known.longest_reply)
            ),
        )
    yield ""
    yield grid
    for table in facts.game or ():
        if parts := list(table_text(table, width)):
            yield ""
            yield from parts


def sandbox_note(found: Standings, losses: Sequence[NotableLoss]) -> str:
    """Return a warning if the commands use a sandbox but the matches had none, otherwise ""."""
    if found.sandbox == "none" and any("--sandbox bwrap" in each.command for each in losses):
        return (
            "These matches had no sandbox. The commands ask for one, since they start programs; "
            "--sandbox none plays them exactly as they were, with your rights."
        )
    return ""


def headline(found: Standings) -> str:
    """Return a title line with the settings and the number of matches."""
    deals = f"{found.deals:,} deal{'s' * (found.deals != 1)}"
    parts = [
        f"{found.game}, {FORMATS[found.format]} of {len(found.shown)} bots",
        f"{found.matches:,} of {found.planned:,} matches in {deals}",
        f"seed {found.seed}",
    ]
    if found.position:
        parts.insert(1, f"from {plain(found.position)}")
    if found.opening:
        parts.append(f"openings of {found.opening:,}")
    if found.sandbox != "none":
        without = " without control groups" if "rlimits" in found.limits_by else ""
        parts.append(f"sandbox {found.sandbox}{without}")
    if found.excluded:
        parts.append(f"without {', '.join(map(plain, found.excluded))}")
    if found.left_out:
        parts.append(f"{len(found.left_out):,} left out")
    if found.forfeits:
        parts.append(f"{found.forfeits:,} forfeit{'s' * (found.forfeits != 1)}")
    if found.void:
        parts.append(f"{found.void:,} void")
    return "; ".join(parts)


def progress(found: Standings) -> str:
    """Format the numbers of matches, e.g. "40 of 60 matches, 2 forfeits"."""
    parts = [f"{found.matches:,} of {found.planned:,} matches"]
    if found.forfeits:
        parts.append(f"{found.forfeits:,} forfeit{'s' * (found.forfeits != 1)}")
    if found.void:
        parts.append(f"{found.void:,} void")
    return ", ".join(parts)


def ranking(found: Standings, width: int) -> Grid:
    """Return the table of the standings. See `standings_text` for `width`."""
    return _fitted(_ranking(found), width)


def _ranking(found: Standings) -> Grid:
    *counts, points = _COUNTS
    columns = [*counts, "forfeits", points] if found.forfeits else [*counts, points]
    grid = new_grid("#", "bot", "rating", "95% interval", "LOS", *columns)
    for bot in found.bots:
        grid.add_row(
            str(bot.rank),
            plain(found.shown[bot.name]) + mark(bot.name, found),
            rating(bot, found),
            rating_interval(bot),
            "" if bot.los is None else share(bot.los),
            *(f"{count:,}" for count in (bot.matches, bot.wins, bot.draws, bot.losses)),
            *([forfeits(bot)] if found.forfeits else []),
            share(mean_points(bot)),
        )
    return grid


def forfeits(bot: BotStanding) -> str:
    """Format the forfeits of a bot, e.g. "+3 -1" if it won three and lost one."""
    counts = (("+", bot.forfeits_won), ("-", bot.forfeits_lost))
    return " ".join(f"{sign}{count:,}" for sign, count in counts if count)


def mean_points(bot: BotStanding) -> float | None:
    """Return the points per match, including forfeits, or None without any matches."""
    if bot.forfeits_won or bot.forfeits_lost:
        return bot.points / (bot.matches + bot.forfeits_won + bot.forfeits_lost)
    return bot.mean_points.share if bot.mean_points else None


def mark(name: str, found: Standings) -> str:
    """Return a mark like " (withdrawn)" to show after the name of a bot that can't play now."""
    marks = {"out": found.removed, "withdrawn": found.withdrawn, "left out": found.left_out}
    return next((f" ({word})" for word, names in marks.items() if name in names), "")


def withdrawn(withdrawal: Withdrawal, after: int | None, *, is_end: bool) -> str:
    """Format the remark that a bot is withdrawn. It comes after the bot's name in a sentence.

    Args:
        after: number of consecutive disqualifications after which a bot is withdrawn.
        is_end: True if the withdrawal has ended the tournament.
    """
    code, match = withdrawal.code, withdrawal.match
    so = ", so the matches end" if is_end else "; its later matches are forfeits, not played"
    if code == BY_HAND:
        return f"is withdrawn by --withdraw{so}"
    where = f"{after} consecutive matches ({code}), the last is match {match}"
    if after == 1:
        where = f"match {match} ({code})"
    return f"is withdrawn: it was disqualified in {where}{so}"


def why_withdrawn(name: str, found: Standings) -> str:
    """Return the remark of `withdrawn` for a bot in these standings."""
    return withdrawn(found.withdrawn[name], found.withdraw_after, is_end=found.has_no_verdict)


def rating(bot: BotStanding, found: Standings) -> str:
    """Format a rating. It gets a `*` if the bot is not part of the mean."""
    if bot.rating is None:
        return "-"
    return f"{bot.rating:.0f}{'*' if _is_outside_mean(bot, found) else ''}"


def _is_outside_mean(bot: BotStanding, found: Standings) -> bool:
    return found.anchor is None and bot.rating is not None and not bot.in_rating_pool


def rating_interval(bot: BotStanding) -> str:
    """Format the interval of a rating."""
    return "-" if bot.rating is None else interval(bot.rating_low, bot.rating_high, bot.deals)


def ends(bot: BotStanding) -> tuple[float | None, float | None]:
    """Return both ends of a rating's interval.

    An end is None if it's open. If the bot has played too few deals, both are None.
    """
    if bot.deals < ENOUGH_DEALS:
        return None, None
    return bot.rating_low, bot.rating_high


def interval(low: float | None, high: float | None, deals: int, form: str = ".0f") -> str:
    """Format an interval, e.g. "1450 to 1550", or "1450 or more" if `high` is None.

    If there are too few deals, return a text that says so.
    """
    if deals < ENOUGH_DEALS:
        return "too few to say"
    if low is None:
        return "unknown" if high is None else f"{high:{form}} or less"
    return f"{low:{form}} or more" if high is None else f"{low:{form}} to {high:{form}}"


def legend(found: Standings) -> Iterator[str]:
    """Yield lines that explain the columns of the ranking."""
    zero = "1500 on average" if found.anchor is None else f"{plain(found.anchor)} fixed"
    yield f"Elo, {zero}; LOS: how likely a bot is better than the next one."
    if any(_is_outside_mean(bot, found) for bot in found.bots):
        yield (
            "* not in the average: against the bots that are, it won everything, lost everything, "
            "or never played."
        )
    if found.forfeits:
        yield FORFEITS


def duel(found: Standings) -> Iterator[str]:
    """Compare the two bots of a tournament. Yields nothing if there are more bots."""
    if len(found.bots) != 2 or not found.matches:
        return
    first, second = (name for name in found.differences if name not in found.excluded)
    apart, met = found.apart(first, second), found.head_to_head[first].get(second)
    if apart.elo is None or met is None:
        return
    ends = interval(apart.low, apart.high, found.bots[0].deals, "+.0f")
    says = f"{apart.elo:+.0f} Elo ({ends}); LOS: {share(apart.los)}"
    if found.has_no_verdict:
        says = no_verdict(found)
    yield f"{plain(first)} against {plain(second)}: {says}."
    yield (
        f"Of {met.matches:,} matches it won {met.wins:,}, drew {met.draws:,} "
        f"({share(met.draws / met.matches)}) and lost {met.losses:,}."
    )
    if found.pairs is not None:
        deals = ", ".join(f"{count:,}" for count in found.pairs)
        yield f"Deals in which it took 0, 0.5, 1, 1.5 and 2 points: {deals}."


def no_verdict(found: Standings) -> str:
    """Explain that there's no verdict, because one of the two bots is withdrawn."""
    names = " and ".join(map(plain, found.withdrawn))
    return f"no verdict, because {names} {'is' if len(found.withdrawn) == 1 else 'are'} withdrawn"


def sprt(found: Standings) -> Iterator[str]:
    """Report how far a sequential test has got, and how to continue it."""
    test = found.sprt
    if test is None:
        return
    first, second = map(plain, found.differences)
    yield (
        f"Sequential test: the log-likelihood ratio is {test.llr:.2f}. If it falls to "
        f"{test.lower:.2f}, the test accepts H0 ({first} is better by {test.elo0:g} Elo). If it "
        f"rises to {test.upper:.2f}, the test accepts H1 (better by {test.elo1:g})."
    )
    if found.has_no_verdict:
        yield f"The test ended: {no_verdict(found)}."
    elif test.verdict is not None:
        says = {
            "H0": f"{first} is not better than {second} by {test.elo1:g} Elo",
            "H1": f"{first} is better than {second} by more than {test.elo0:g} Elo",
        }
        yield f"{test.verdict} is accepted: {says[test.verdict]}."
    elif found.matches + found.void + found.forfeits < found.planned:
        yield "Not decided yet."
    else:
        yield (
            "Not decided at the limit of deals. The same command with more --deals and with "
            "--extend, on the same --store, continues."
        )
    yield "The interval is a quarter wider, since the test chooses when to stop (ratings.md)."


SWISS_LEGEND = (
    "score: of each round the share of its opponents that a bot did better than, a bye 1; rounds "
    "are paired by it. opponents: the sum of their scores, the tie-break. The ranking by rating "
    "counts every point instead, and how strong the opponents are."
)


def _swiss(table: Swiss, names: Mapping[str, str]) -> Grid:
    grid = new_grid("place", "bot", "score", "byes", "opponents")
    for row in table.places:
        score = f"{row.score:g} of {table.rounds}"
        grid.add_row(
            str(row.place), plain(names[row.name]), score, str(row.byes), f"{row.opponents:g}"
        )
    return grid


def round_namer(found: Standings) -> Callable[[int, Sequence[str]], str] | None:
    """Return a function that gets a match's number and bots, and returns the name of its round.

    If the format has no rounds, return None.
    """
    if found.swiss is not None:
        first_matches = found.swiss.first_matches
        return lambda match, bots: str(bisect_right(first_matches, match))
    if found.knockout:
        rounds = {frozenset(pair.bots): pair.round for pair in found.knockout.pairs}
        return lambda match, bots: rounds.get(frozenset(bots), "-")
    return None


KNOCKOUT_LEGEND = (
    "A bot without a row in a round that it won had a bye. Points are those of all matches of the "
    "pair. If they are equal (*), the points of the game decide, and then the better seed. A bot "
    "that was out or left out in a round has lost it. The ranking by rating counts every point "
    "instead."
)


def pairs_shown(table: KnockoutStanding) -> Iterator[KnockoutPair]:
    """Yield the pairs of a knockout, last round first. Byes are left out, except in the final."""
    rounds = [*dict.fromkeys(pair.round for pair in table.pairs)][::-1]
    # Show the final before the match for third place.
    for name in sorted(rounds, key=lambda name: name != FINAL):
        for pair in table.pairs:
            is_bye = None in pair.bots
            if pair.round == name and (not is_bye or (name == FINAL and pair.is_over)):
                yield pair


def pair_result(pair: KnockoutPair) -> tuple[str, str, str]:
    """Return the winner of a pair, the points, and the loser.

    If the round isn't over, return both bots and no points. A bot that isn't there is "".
    """
    one, other = (bot or "" for bot in pair.bots)
    if not pair.is_over:
        return one, "", other
    if pair.winner is None:
        return one, "nobody won", other
    if not other:
        return one, "no opponent", ""
    first, second = pair.points
    if pair.winner == other:
        one, other, first, second = other, one, second, first
    if not first and not second:
        return one, "none", other
    return one, f"{first:g} to {second:g}{'*' * pair.is_level}", other


def _bracket(table: KnockoutStanding, names: Mapping[str, str]) -> Grid:
    shown = new_grid("round", "bot", "points", "against")
    shown.columns[0].justify = "left"
    for pair in pairs_shown(table):
        one, points, other = pair_result(pair)
        first, second = (plain(names[bot]) if bot else "" for bot in (one, other))
        shown.add_row(pair.round, first, points, second)
    return shown


def _by_seat(found: Standings) -> Grid:
    shown = new_grid("seat", "points", "interval", "won", "drawn", "lost", "score", "interval")
    for number, (points, seat) in enumerate(zip(found.seats, found.by_seat or (), strict=True), 1):
        ends = "-"
        if seat.score_low is not None and seat.score_high is not None:
            ends = f"{seat.score_low:.1f} to {seat.score_high:.1f}"
        shown.add_row(
            str(number),
            share(points.share),
            f"{100 * points.low:.1f} to {100 * points.high:.1f}",
            *(f"{count:,}" for count in (seat.wins, seat.draws, seat.losses)),
            f"{seat.score:.1f}",
            ends,
        )
    return shown


def _remarks(found: Standings, facts: Statistics) -> Iterator[str]:
    seats = ", ".join(
        f"seat {number} {share(seat.share)} ({share(seat.low)} to {share(seat.high)})"
        for number, seat in enumerate(found.seats, 1)
    )
    if seats and not found.by_seat:
        yield f"Points by seat: {seats}."
    if facts.mean_turns is not None:
        yield f"{facts.mean_turns:.1f} turns per match; ended by {counts(facts.reasons)}."
    yield from own_limits(found)
    for name, bot in facts.bots.items():
        yield from _problems_of(name, bot)
    if any(bot.disqualified for bot in facts.bots.values()):
        yield "The same command with --bot NAME shows why a bot was disqualified."
    yield from _irregularities(found, facts)


def own_limits(found: Standings) -> Iterator[str]:
    """Say which bots have limits of their own."""
    for name, own in (found.limits_of_bots or {}).items():
        yield f"{plain(name)} has limits of its own: {limit_words(tuple(own.items()))}."


def _problems_of(name: str, bot: BotStatistics) -> Iterator[str]:
    for what, of in (("made faults", bot.faults), ("was disqualified", bot.disqualified)):
        if of:
            yield f"{plain(name)} {what}: {counts(of)}."
    yield from (f"  {event.hint}" for event in bot.first_disqualifications if event.hint)
    for limit, matches in bot.reached.items():
        yield f"{plain(name)} reached {plain(limit)} in {matches:,} matches."


def _irregularities(found: Standings, facts: Statistics) -> Iterator[str]:
    if facts.late:
        yield (
            f"{facts.late:,} times a bot timed out while the referee itself was late; "
            "these matches were played again."
        )
    for name in found.removed:
        yield f"{plain(name)} {PUT_OUT}."
    for name in found.withdrawn:
        yield f"{plain(name)} {why_withdrawn(name, found)}."
    for reason in found.left_out.values():
        yield f"{LEFT_OUT} {plain(reason)}"
    for name in found.changed:
        yield f"{plain(name)} {CHANGED}."
    for reason, count in facts.void_reasons.items():
        are = "match is" if count == 1 else "matches are"
        yield f"{count:,} {are} void: {_VOID[reason]}."
    yield from _too_early(found)
    yield from repeats(found)
    if facts.restarts:
        yield (
            f"{facts.restarts:,} matches were played again with new processes: a bot that said "
            "keep_alive did not answer a second handshake."
        )


def _too_early(found: Standings) -> Iterator[str]:
    if found.too_early:
        ended, they = f"{found.too_early:,} matches", "they say"
        if found.too_early == 1:
            ended, they = "1 match", "it says"
        yield f"{ended} ended before {plain(str(found.position))}: {they} nothing about it."


def repeats(found: Standings) -> Iterator[str]:
    """Name the line-ups that play the same matches again and again."""
    for each in found.repeats[:_MOST_REPEATS]:
        names = " and ".join(map(plain, each.bots))
        ones = "1 different one" if each.different == 1 else f"{each.different:,} different ones"
        how = "a longer --opening" if found.opening else "--opening"
        yield f"{names}: {each.matches:,} matches, {ones}; {how} varies them."
    more = len(found.repeats) - _MOST_REPEATS
    if more > 0:
        yield f"In {plural(more, 'more line-up')} most matches repeat others, too."


def _whole_percent(part: float) -> str:
    return f"{100 * part:.0f}"


def _matrix(found: Standings, bots: Sequence[BotStanding], *, is_short: bool = False) -> Grid:
    grid = new_grid()
    grid.add_column("#", justify="right")
    grid.add_column("bot", overflow="ellipsis", no_wrap=True, max_width=8 if is_short else 20)
    for bot in bots:
        grid.add_column(str(bot.rank), justify="right", no_wrap=True)
    percent = _whole_percent if is_short else share
    for bot in bots:
        met = found.head_to_head[bot.name]
        cells = [
            percent(met[other.name].points / met[other.name].matches) if other.name in met else "-"
            for other in bots
        ]
        grid.add_row(str(bot.rank), plain(found.shown[bot.name]), *cells)
    return grid


def _against(bot: BotStanding, found: Standings) -> Grid:
    grid = new_grid("against", *_COUNTS, "Elo", "95% interval", "LOS")
    met = found.head_to_head[bot.name]
    for other in found.bots:
        if other.name == bot.name:
            continue
        apart = found.apart(bot.name, other.name)
        meeting = met.get(other.name)
        counted = (meeting.matches, meeting.wins, meeting.draws, meeting.losses) if meeting else ()
        known = apart.elo is not None
        deals = min(bot.deals, other.deals)
        grid.add_row(
            plain(found.shown[other.name]),
            *([f"{count:,}" for count in counted] or "0---"),
            share(meeting.points / meeting.matches) if meeting else "-",
            f"{apart.elo:+.0f}" if apart.elo is not None else "-",
            interval(apart.low, apart.high, deals, "+.0f") if known else "-",
            share(apart.los),
        )
    return grid


def _bot_remarks(facts: BotStatistics) -> Iterator[str]:
    if facts.mean_score is not None:
        yield f"Mean score {facts.mean_score:.1f}."
    if facts.mean_reply is not None and isinstance(facts.reply_99, float):
        yield (
            f"Reply time: mean {duration(facts.mean_reply)}, 99% within "
            f"{duration(facts.reply_99)}, longest {duration(facts.longest_reply or 0)}."
        )
    for what, found in (("Faults", facts.faults), ("Disqualified", facts.disqualified)):
        yield f"{what}: {counts(found)}."
    if facts.reached:
        yield f"Limits reached: {counts(facts.reached)}."
    for event in facts.first_disqualifications:
        yield f"{event.code}, first in match {event.match}: {plain(event.detail)}"
        if event.hint:
            yield f"  {event.hint}"
        yield from (f"  stderr: {plain(line)}" for line in event.stderr or ())


def counts(found: Mapping[str, int]) -> str:
    """Format how often each code occurred, e.g. "timeout 3, exited 1"."""
    return ", ".join(f"{code} {count:,}" for code, count in found.items()) or "none"


def table_text(
    table: StatisticsTable, width: int, bot: str | None = None
) -> Iterator[RenderableType]:
    """Render a game's table, or only the rows about one bot."""
    place = table.columns.index("bot")
    rows = [row for row in table.rows if bot in (None, row[place])]
    if not rows:
        return
    yield Text(table.title, style="bold")
    columns = {
        name: [cell(value, name in table.percent) for value in values]
        for name, values in zip(table.columns, zip(*rows, strict=True), strict=True)
        if name != "bot" or bot is None
    }
    grid = new_grid()
    for name, size in _widths(columns, width).items():
        is_text = any(isinstance(row[table.columns.index(name)], str) for row in rows)
        grid.add_column(
            name,
            justify="left" if is_text else "right",
            width=size,
            overflow="ellipsis" if is_text else "fold",
            no_wrap=is_text,
        )
    for row in zip(*columns.values(), strict=True):
        grid.add_row(*row)
    yield grid


def _widths(columns: Mapping[str, Sequence[str]], width: int) -> dict[str, int]:
    """Return a width for each column. On a narrow terminal, we fold headings before we cut numbers.

    Args:
        columns: heading -> cells.
        width: width of the terminal.
    """
    found = {name: max(map(cell_len, cells)) for name, cells in columns.items()}
    room = width + 1 - sum(1 + size for size in found.values())
    if room < 0 and "bot" in found:
        found["bot"] = max(_ROOM_FOR_NAMES // 2, found["bot"] + room)
    # Give the room that is left to the headings: first to their longest words, then to whole ones.
    for is_whole in (False, True):
        for name, size in found.items():
            wanted = cell_len(name if is_whole else max(name.split(), key=cell_len))
            more = max(0, min(wanted - size, room))
            found[name] += more
            room -= more
    return found


def cell(value: str | float | None, percent: bool) -> str:
    """Format a cell of a game's table."""
    if value is None:
        return "-"
    if isinstance(value, str):
        return plain(value)
    if percent:
        return share(value)
    return f"{value:,}" if isinstance(value, int) else f"{value:.1f}"


def _line(text: str) -> Text:
    """Escape a line. Strangers may have written the names, codes and reasons in it."""
    return Text(plain(text))


# We drop columns of a table if the names of bots would otherwise get less room than this.
_ROOM_FOR_NAMES = 12
# The last column to go is the interval. We only drop it if names would otherwise get less room than
# this.
_NAMES_BEFORE_INTERVALS = 20
# The columns that a narrow table leaves out, in the order in which we drop them.
_DROPPED = (("won", "drawn", "lost"), ("LOS",), ("matches",), ("forfeits",))

_COUNTS = ("matches", "won", "drawn", "lost", "points")


def _fitted(grid: Grid, width: int) -> Grid:
    """Drop columns until the table fits and leaves enough room for names."""
    for heads in (*_DROPPED, ("95% interval",)):
        room = _ROOM_FOR_NAMES if heads in _DROPPED else _NAMES_BEFORE_INTERVALS
        if columns_needed(grid, room) <= width:
            break
        kept = [column for column in grid.columns if column.header not in heads]
        grid = new_grid(*(str(column.header) for column in kept))
        for row in zip(*(column.cells for column in kept), strict=True):
            grid.add_row(*row)
    return grid


def columns_needed(grid: Grid, room: int = _ROOM_FOR_NAMES) -> int:
    """Return how wide the terminal must be to show a table with `room` columns for names."""
    needed = -1  # there's no space after the last column
    for column in grid.columns:
        cells = max(cell_len(str(cell)) for cell in (column.header, *column.cells))
        needed += 1 + (cells if column.no_wrap else min(cells, room))
    return needed


def new_grid(*heads: str) -> Grid:
    """Create a table with these columns. If it's too wide, only the names of bots are cut off."""
    grid = Grid(box=None, pad_edge=False, padding=(0, 1, 0, 0), header_style="dim")
    for head in heads:
        if head in ("bot", "against"):
            grid.add_column(head, overflow="ellipsis")
        else:
            grid.add_column(head, justify="right", no_wrap=True)
    return grid


def share(part: float | None) -> str:
    """Format a share as a percentage, e.g. "52.4%"."""
    return "-" if part is None else f"{100 * part:.1f}%"
