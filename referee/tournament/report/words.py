"""The words and numbers of standings, for terminals and pages: columns, cells, sentences.

`COLUMNS` are the columns of the ranking. Terminals, pages, the legend, and the order in which
narrow terminals drop columns, all come from it.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from referee.games.interface.counts import plural
from referee.text.lookalikes import confusable
from referee.text.terminal import duration, plain
from referee.tournament.choices import FORMATS
from referee.tournament.report.formats import KnockoutPair, KnockoutStanding
from referee.tournament.report.notable_losses import NotableLoss
from referee.tournament.report.standings import BotStanding, Standings
from referee.tournament.report.statistics import LATE, BotStatistics, Statistics
from referee.tournament.rows import GAME_ERROR, WORKER_KILLED
from referee.tournament.rows import LEFT_OUT as MISSED_ROUND
from referee.tournament.schedule.knockout import FINAL
from referee.tournament.schedule.withdrawals import BY_HAND, Withdrawal
from referee.tournament.setup import limit_words

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

CHANGED = (
    "changed between two runs (--same-bot); the results of all its versions are counted together"
)

# A head-to-head matrix of more bots wouldn't fit on a terminal.
MOST_IN_MATRIX = 10
# On a page it has at most this many bots (the best ones), since its size is quadratic.
MOST_PAIRED = 40
# We name at most this many line-ups that repeat their matches.
_MOST_REPEATS = 3
# With fewer deals than this, intervals are hundreds of Elo wide and not informative.
ENOUGH_DEALS = 5


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
    parts = [
        f"{found.game}, {FORMATS[found.format]} of {len(found.bots) + len(found.excluded)} bots",
        f"{found.matches:,} of {found.planned:,} matches in {plural(found.deals, 'deal')}",
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
    return "; ".join([*parts, *_not_played(found)])


def progress(found: Standings) -> str:
    """Format the numbers of matches, e.g. "40 of 60 matches, 2 forfeits"."""
    played = f"{found.matches:,} of {found.planned:,} matches"
    return ", ".join([played, *_not_played(found)])


def _not_played(found: Standings) -> list[str]:
    forfeits = [plural(found.forfeits, "forfeit")] * bool(found.forfeits)
    return forfeits + [f"{found.void:,} void"] * bool(found.void)


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


def share(part: float | None) -> str:
    """Format a share as a percentage, e.g. "52.4%"."""
    return "-" if part is None else f"{100 * part:.1f}%"


class Column(NamedTuple):
    """A column of the ranking.

    Attributes:
        cell: formats a bot's cell, or returns None if there is nothing to say.
        dropped: narrow terminals drop columns in this order, from 1, and keep those with 0. Narrow
            pages drop the same columns, but all at once.
        only_wide: True if pages drop it earlier than the others, because they need the room.
        meaning: a sentence of the legend, or "" if the heading says it all.
        on_page: another one, which only pages have room for.
    """

    head: str
    cell: Callable[[BotStanding, Standings], str | None]
    dropped: int = 0
    only_wide: bool = False
    meaning: str = ""
    on_page: str = ""


COLUMNS = (
    Column("#", lambda bot, found: str(bot.rank)),
    Column("bot", lambda bot, found: plain(bot.name) + mark(bot.name, found)),
    Column("rating", rating),
    Column(
        "95% interval",
        lambda bot, found: rating_interval(bot),
        dropped=5,
        only_wide=True,
        on_page="An interval holds the true rating in about 95 of 100 tournaments: where two "
        "overlap, the order of the two bots is not certain.",
    ),
    Column(
        "LOS",
        lambda bot, found: None if bot.los is None else share(bot.los),
        dropped=2,
        only_wide=True,
        meaning="LOS: how likely a bot is better than the next one.",
    ),
    Column("matches", lambda bot, found: f"{bot.matches:,}", dropped=3),
    Column("won", lambda bot, found: f"{bot.wins:,}", dropped=1),
    Column("drawn", lambda bot, found: f"{bot.draws:,}", dropped=1),
    Column("lost", lambda bot, found: f"{bot.losses:,}", dropped=1),
    Column(
        "forfeits",
        lambda bot, found: forfeits(bot),
        dropped=4,
        meaning="forfeits: matches that are not played, since a bot is withdrawn; + won, - lost. "
        "They count in the points and in nothing else.",
    ),
    Column(
        "points",
        lambda bot, found: share(mean_points(bot)),
        on_page="points: the share of the others that were beaten, draws half.",
    ),
)


def columns(found: Standings, *, by_points: bool = False) -> list[Column]:
    """Return the columns of a ranking. Without forfeits, there is no column for them.

    A Swiss table, ordered `by_points`, has points of its own, and no LOS, which compares neighbours
    by rating.
    """
    hidden = ["forfeits"] * (not found.forfeits) + ["LOS", "points"] * by_points
    return [column for column in COLUMNS if column.head not in hidden]


def legend(found: Standings, *, on_page: bool = False) -> Iterator[str]:
    """Yield lines that explain the columns of the ranking."""
    shown = columns(found, by_points=on_page and bool(found.swiss and found.swiss.rounds))
    meanings = {column.head: column.meaning for column in shown if column.meaning}
    zero = "1500 on average" if found.anchor is None else f"{plain(found.anchor)} fixed"
    yield f"Elo, {zero}; {meanings.pop('LOS')}" if "LOS" in meanings else f"Elo, {zero}."
    if any(_is_outside_mean(bot, found) for bot in found.bots):
        yield (
            "* not in the average: against the bots that are, it won everything, lost everything, "
            "or never played."
        )
    yield from meanings.values()
    if on_page:
        yield from (column.on_page for column in shown if column.on_page)


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
    "points: of each round the share of its opponents that a bot did better than, a bye 1; rounds "
    "are paired by them. opponents: the sum of their points, the tie-break. The rating "
    "counts every match instead, and how strong the opponents are."
)


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
    "pair. If they are equal (*), the scores of the matches decide, and then the better seed. A "
    "bot that was out or left out in a round has lost it. The ranking by rating counts every "
    "point instead."
)


def pairs_shown(table: KnockoutStanding) -> Iterator[KnockoutPair]:
    """Yield the pairs of a knockout, last round first. Byes are left out, except in the final."""
    rounds = list(table.rounds.items())[::-1]
    # Show the final before the match for third place.
    for name, pairs in sorted(rounds, key=lambda each: each[0] != FINAL):
        for pair in pairs:
            if None not in pair.bots or (name == FINAL and pair.is_over):
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


def remarks(found: Standings, facts: Statistics) -> Iterator[str]:
    """Yield sentences about all matches, and about bots with faults, limits or withdrawals."""
    seats = ", ".join(
        f"seat {number} {share(seat.share)} ({share(seat.low)} to {share(seat.high)})"
        for number, seat in enumerate(found.seats, 1)
    )
    if seats and not found.by_seat:
        yield f"Points by seat: {seats}."
    if facts.mean_turns is not None:
        yield f"{facts.mean_turns:.1f} turns per match; ended by {counts(facts.reasons)}."
    yield from notices(found)
    yield from own_limits(found)
    for name, bot in facts.bots.items():
        yield from _problems_of(name, bot)
    if any(bot.disqualified for bot in facts.bots.values()):
        yield "The same command with --bot NAME shows why a bot was disqualified."
    yield from _irregularities(found, facts)


def notices(found: Standings) -> Iterator[str]:
    """Yield the sentences about bots that readers have to know to understand the table."""
    alike = confusable(sorted(bot.name for bot in found.bots))
    yield from (f"{look_alike(*pair)}." for pair in alike)
    for name in found.removed:
        yield f"{plain(name)} {PUT_OUT}."
    for name in found.withdrawn:
        yield f"{plain(name)} {why_withdrawn(name, found)}."
    for reason in found.left_out.values():
        yield f"{LEFT_OUT} {plain(reason)}"
    for name in found.changed:
        yield f"{plain(name)} {CHANGED}."


def look_alike(one: str, other: str) -> str:
    """Say that people may take a bot for another one."""
    return f"{plain(one)} and {plain(other)} look alike, but are two bots"


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
    for reason, count in facts.void_reasons.items():
        are = "match is" if count == 1 else "matches are"
        yield f"{count:,} {are} void: {_VOID[reason]}."
    if found.too_early:
        ended, they = f"{found.too_early:,} matches", "they say"
        if found.too_early == 1:
            ended, they = "1 match", "it says"
        yield f"{ended} ended before {plain(str(found.position))}: {they} nothing about it."
    yield from repeats(found)
    if facts.restarts:
        yield (
            f"{facts.restarts:,} matches were played again with new processes: a bot that said "
            "keep_alive did not reply to a second handshake."
        )


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


def bot_remarks(facts: BotStatistics) -> Iterator[str]:
    """Yield sentences about a bot's score, reply times and faults."""
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


def cell(value: str | float | None, percent: bool) -> str:
    """Format a cell of a game's table."""
    if value is None:
        return "-"
    if isinstance(value, str):
        return plain(value)
    if percent:
        return share(value)
    return f"{value:,}" if isinstance(value, int) else f"{value:.1f}"
