"""The words and numbers of a season, for terminals and pages."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from referee.games.interface.counts import plural
from referee.text.lookalikes import confusable
from referee.text.terminal import cut, plain
from referee.tournament.report.season import (
    Change,
    Season,
    SeasonBot,
    SeasonTournament,
    TournamentRating,
    change_between,
)
from referee.tournament.report.words import ENOUGH_DEALS, LEFT_OUT, PUT_OUT, interval, look_alike

# Marks a rating if the bot's files have changed since its previous tournament.
CHANGED = "^"
# Marks a rating whose interval has an open end.
OPEN = "*"
# Marks a tournament that still has matches to play.
NOT_OVER = "~"
_MOST_NAMED = 5
# The label of a tournament at the axis of a chart has at most this many columns.
_LABEL = 11


def headline(found: Season) -> str:
    """Return a title line with the game and the number of tournaments, bots, matches and deals."""
    parts = [
        f"{found.game}, {len(found.tournaments)} tournaments of {len(found.bots)} bots",
        f"{found.matches:,} matches in {plural(found.deals, 'deal')}",
    ]
    if found.excluded:
        parts.append(f"without {', '.join(map(plain, found.excluded))}")
    return "; ".join(parts)


def head(of: SeasonTournament, found: Season) -> str:
    """Return the name of a tournament, with a mark if it is not over."""
    return f"{plain(of.name)}{NOT_OVER * bool(missing(of, found))}"


def places(found: Season) -> list[str]:
    """Return a label per tournament for an axis: its name, or its number if names are too long."""
    names = [cut(head(each, found), _LABEL) for each in found.tournaments]
    numbers = [str(number) for number, _ in enumerate(names, 1)]
    return names if len({*names}) == len(names) else numbers


def missing(of: SeasonTournament, found: Season) -> int:
    """Return the number of matches still to play.

    If bots are excluded, we don't know this number, so we return 0.
    """
    return 0 if found.excluded else of.missing


def improved(found: Season) -> Iterator[str]:
    """Say which bot has improved most in the last tournament, and over the whole season."""
    last = found.tournaments[-1]
    latest = [
        (Change(now.change, now.change_low, now.change_high), now.deals, bot.name, "")
        for bot in found.bots
        if (now := bot.tournaments[-1]) and now.change is not None
    ]
    played = (
        f" so far ({last.matches:,} of {last.planned:,} matches)" if missing(last, found) else ""
    )
    yield from _most_improved(f"In {plain(last.name)}{played}", latest)
    if len(found.tournaments) > 2 and found.pool:
        whole = []
        for bot in found.bots:
            own = [
                (each, tournament)
                for each, tournament in zip(bot.tournaments, found.tournaments, strict=True)
                if each is not None
            ]
            change = change_between(own[0][0], own[-1][0]) if len(own) > 1 else None
            if change is not None:
                between = f", from {plain(own[0][1].name)} to {plain(own[-1][1].name)}"
                whole.append((change, own[-1][0].deals, bot.name, between))
        yield from _most_improved("Over the season", whole)


def _most_improved(when: str, changes: Sequence[tuple[Change, int, str, str]]) -> Iterator[str]:
    """Yield a sentence about the bot with the largest change.

    Args:
        when: the beginning of the sentence.
        changes: each bot's change, number of deals and name, and a clause to add after the name.
            Bots with too few deals or an unknown lower end are ignored.
    """
    known = [each for each in changes if each[0].low is not None and each[1] >= ENOUGH_DEALS]
    if not known:
        return
    change, deals, name, between = max(known, key=lambda each: each[0].change)
    if change.change <= 0:
        yield f"{when} no bot has improved."
        return
    ends = interval(change.low, change.high, deals, "+.0f")
    chance = "; that may be chance" if (change.low or 0) <= 0 else ""
    yield (
        f"{when} {plain(name)} improved most{between}: {change.change:+.0f} Elo "
        f"(95% interval: {ends}{chance})."
    )


def rating(of: TournamentRating | None) -> str:
    """Format a bot's rating in one tournament."""
    if of is None or of.rating is None:
        return "-"
    return f"{of.rating:.0f}{OPEN * _is_open(of)}{CHANGED * of.changed}"


def details(of: TournamentRating) -> str:
    """Format the interval and the change of a bot's rating in one tournament."""
    parts = [] if of.rating is None else [interval(of.rating_low, of.rating_high, of.deals)]
    if of.change is not None:
        parts.append(f"change {change(of)} ({change_interval(of)})")
    return "; ".join(parts)


def change(of: TournamentRating | None) -> str:
    """Format the change of a bot's rating."""
    return "-" if of is None or of.change is None else f"{of.change:+.0f}"


def change_interval(of: TournamentRating | None) -> str:
    """Format the interval of a change."""
    if of is None or of.change is None:
        return "-"
    return interval(of.change_low, of.change_high, of.deals, "+.0f")


def whole_rating(bot: SeasonBot) -> str:
    """Format a bot's combined rating."""
    return "-" if bot.rating is None else f"{bot.rating:.0f}{OPEN * _is_open(bot)}"


def _is_open(of: TournamentRating | SeasonBot) -> bool:
    return of.rating is not None and None in (of.rating_low, of.rating_high)


def legend(found: Season) -> Iterator[str]:
    """Yield lines that explain the columns and the marks."""
    names = ", ".join(map(plain, found.pool))
    bots = names if len(found.pool) <= _MOST_NAMED else f"{len(found.pool)} bots"
    have, mean = ("has", "1500") if len(found.pool) == 1 else ("have", "1500 on average")
    if found.anchor is not None:
        yield f"Elo, {plain(found.anchor)} fixed in every tournament."
    elif found.is_pool_unchanged:
        yield f"Elo; {mean} for {bots}, which {have} not changed."
    elif found.pool:
        yield f"Elo; {mean} for {bots}, which every tournament compares."
    else:
        yield (
            "Elo, 1500 on average in each tournament. No bot has won and lost points in all of "
            "them, so no change is known."
        )
    yield "change: since the last tournament before in which the bot played."
    if any(missing(each, found) for each in found.tournaments):
        yield f"{NOT_OVER} not all matches are played: these ratings and changes are as of now."
    ratings = [each for bot in found.bots for each in bot.tournaments if each is not None]
    if any(each.changed for each in ratings):
        yield f"{CHANGED} the files of the bot have changed since then."
    if any([*map(_is_open, ratings), *map(_is_open, found.bots)]):
        yield f"{OPEN} against these bots it won everything, lost everything, or never played."


def remarks(found: Season) -> Iterator[str]:
    """Warn about names that look alike, and list what's unusual about each tournament."""
    played = {bot.name: bot.tournaments for bot in found.bots}
    for one, other in confusable(played):
        is_other = any(all(pair) for pair in zip(played[one], played[other], strict=True))
        advice = "" if is_other else " If they are one bot, give it the same name each time."
        yield f"{look_alike(one, other)}.{advice}"
    for each in found.tournaments:
        name = plain(each.name)
        if each.position is not None:
            yield f"{name}: all matches begin at {plain(each.position)}."
        if each.is_other_game:
            yield f"{name}: it is of another version of the game than the first tournament."
        left = missing(each, found)
        if left:
            yield f"{name}: {left:,} of {each.planned:,} matches are not played."
        if each.repeated_deals:
            deals = plural(each.repeated_deals, "deal")
            yield (
                f"{name}: an earlier tournament had the seed of {deals} too, so the intervals of "
                "all together are too narrow. Give each tournament another --seed."
            )
        if each.void:
            yield f"{name}: {each.void:,} matches are void."
        if each.forfeits:
            yield f"{name}: {each.forfeits:,} matches are forfeits, which count only in points."
        for bot in each.withdrawn:
            yield f"{name}: {plain(bot)} is withdrawn."
        for bot in each.removed:
            yield f"{name}: {plain(bot)} {PUT_OUT}."
        for why in each.left_out.values():
            yield f"{name}: {LEFT_OUT.lower()} {plain(why)}"
