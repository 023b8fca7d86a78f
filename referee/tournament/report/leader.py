"""Writes sentences that say who leads or has won a tournament, and how sure that is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from referee.text.terminal import plain
from referee.tournament.report.formats import KnockoutStanding, Swiss
from referee.tournament.report.standings import Standings
from referee.tournament.report.words import ENOUGH_DEALS, rating, rating_interval, share
from referee.tournament.schedule.knockout import FINAL

_MOST_NAMED = 3


def leader(found: Standings) -> Iterator[str]:
    """Yield sentences about who leads or has won.

    They begin with the points of a Swiss tournament or the final of a knockout, followed by the
    ratings. If only two bots play, we leave out the ratings, because `text.duel` already compares
    the two bots.
    """
    if found.swiss is not None and found.swiss.rounds:
        yield _by_points(found.swiss)
    if found.knockout:
        yield from _of_knockout(found.knockout)
    if len(found.bots) > 2 and found.bots[0].rating is not None:
        yield from _by_rating(found, is_decisive=found.format == "round-robin")


def first(found: Standings) -> str:
    """Return the bot that leads or has won, or "" if we can't tell yet."""
    if found.knockout:
        finals = [pair for pair in found.knockout.pairs if pair.round == FINAL]
        return (finals[0].winner or "") if finals else ""
    if found.sprt is not None and found.sprt.verdict != "H1":
        return ""  # a test only says which bot is better if it accepts that
    if found.swiss is not None:
        return found.swiss.places[0].name if found.swiss.rounds else ""
    return found.bots[0].name if found.bots and found.bots[0].rating is not None else ""


def _by_points(table: Swiss) -> str:
    first, *others = table.places
    level = [row for row in others if row.score == first.score]
    equal = [row.name for row in level if row.opponents == first.opponents]
    points = f"{first.score:g} of {table.rounds}"
    one, many = ("leads", "lead") if table.next else ("won", "share the first place")
    if equal:
        return f"{_names([first.name, *equal])} {many}, by points: {points} each."
    says = f"{plain(first.name)} {one}, by points: {points}"
    if level:
        names = _names([row.name for row in level])
        says += f", the same as {names}, but against stronger opponents"
    return f"{says}."


def _of_knockout(table: KnockoutStanding) -> Iterator[str]:
    for pair in table.pairs:
        if pair.round != FINAL or not pair.is_over:
            continue
        if pair.winner is None:
            yield "Nobody won: no bot was left to play in the final."
        elif None in pair.bots:
            yield f"{plain(pair.winner)} won: it had no opponent in the final."
        else:
            first, second = pair.bots if pair.winner == pair.bots[0] else pair.bots[::-1]
            points = sorted(pair.points, reverse=True)
            says = f"{points[0]:g} to {points[1]:g} against {plain(str(second))}"
            if pair.is_level:
                is_level = pair.scores[0] == pair.scores[1]
                says += ", decided by " + ("the seeds" if is_level else "the scores")
            yield f"{plain(str(first))} won the final: {says}."
    playing = [pair for pair in table.pairs if not pair.is_over]
    if playing:
        left = sum(bot is not None for pair in playing for bot in pair.bots)
        yield f"{playing[0].round[0].upper()}{playing[0].round[1:]}: {left} bots are left."


def _by_rating(found: Standings, *, is_decisive: bool) -> Iterator[str]:
    first, second = found.bots[:2]
    is_over = found.matches + found.void + found.forfeits >= found.planned
    says = f"By rating, {plain(first.name)} is first"
    if is_decisive:
        says = f"{plain(first.name)} {'won' if is_over else 'leads'}, by rating"
    says += f": {rating(first, found)}"
    if min(first.deals, second.deals) < ENOUGH_DEALS or first.los is None:
        yield f"{says}."
        yield "There are too few matches to say how sure that is."
    else:
        yield f"{says} (95% interval: {rating_interval(first)})."
        yield (
            f"The probability that it is better than {plain(second.name)}, the second, is "
            f"{share(first.los)}."
        )


def _names(names: Sequence[str]) -> str:
    if len(names) > _MOST_NAMED:
        return f"{plain(names[0])} and {len(names) - 1} others"
    *others, last = map(plain, names)
    return f"{', '.join(others)} and {last}" if others else last
