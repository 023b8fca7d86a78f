"""Finds a tournament's highlights for its audience: bots in form, and matches worth watching."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np
from msgspec import Struct

from referee.games import GAMES
from referee.games.interface.game import Score
from referee.tournament.rating.sprt import expected_share
from referee.tournament.report.played import Played
from referee.tournament.report.standings import Standings
from referee.tournament.store import Store

MOST_FORM = 8
# We look for rivals in the upper half of the ranking, among at most this many bots.
_MOST_RIVALS = 40
# Rivals must have met at least this many times ...
_LEAST_MET = 4
# ... and neither may be far ahead. Their shares of the points differ from one half by at most this.
_LEVEL = 0.2
# A win is an upset if we expected it with at most this probability.
_UPSET = 0.4
# If winners are only ahead by one or two different margins, the game probably has no real score.
# Then we skip the highlights that compare scores.
_LEAST_DISTINCT = 3


class Highlight(Struct, frozen=True):
    """A match worth watching.

    Attributes:
        kind: "biggest upset", "closest", "shortest" or "highest score".
        match: its number in the store.
        bots, scores: the winner first, then the others in seat order.
        turns: total number of turns of all players, if they take turns.
        why: the reason in one clause, which may be empty.
    """

    kind: str
    match: int
    bots: list[str]
    scores: list[Score]
    turns: int
    why: str


class Rivalry(Struct, frozen=True):
    """Two bots that met often and are nearly level.

    Attributes:
        bots: the bot with the better rank first.
        matches: number of matches in which both played.
        wins, draws, losses: the results of the first bot.
    """

    bots: tuple[str, str]
    matches: int
    wins: int
    draws: int
    losses: int


class Evening(Struct, frozen=True):
    """The form of the bots, and the highlights.

    Attributes:
        form: the results of each bot's last matches, by name. There's one letter per match, for up
            to `MOST_FORM` matches: "w", "l", or "d" if the bot shared the first place. The latest
            match comes last.
        matches: at most one match of each kind.
        rivalry: two bots that are rivals, or None if there aren't any.
    """

    form: dict[str, str]
    matches: list[Highlight]
    rivalry: Rivalry | None


def evening(store: Store, found: Standings, played: Played) -> Evening:
    """Return the form of the bots and the highlights.

    Args:
        found: the standings.
        played: the matches that the standings were computed from.
    """
    names, chosen = store.shown_names, []
    for kind, number, why in _select_highlights(played, found, names):
        (row,) = store.matches(number, number + 1)
        seats = sorted(row.seats, key=lambda seat: seat.rank != 1)
        bots, scores = [names[seat.bot] for seat in seats], [seat.score for seat in seats]
        chosen.append(Highlight(kind, row.match, bots, scores, row.turns, why))
    return Evening(_form(played, names), chosen, _rivalry(found))


def _form(played: Played, names: Sequence[str]) -> dict[str, str]:
    is_shared = (played.ranks == 1).sum(axis=1, keepdims=True) > 1
    first = np.where(is_shared, "d", "w")
    results = np.where(played.ranks == 1, first, "l").reshape(-1)
    bots = played.bots.reshape(-1)
    order = np.argsort(bots, kind="stable")
    ends = np.searchsorted(bots[order], np.arange(len(names)), side="right")
    starts = [0, *ends[:-1]]
    return {
        name: "".join(results[order[max(start, end - MOST_FORM) : end]])
        for name, start, end in zip(names, starts, ends, strict=True)
    }


def _select_highlights(
    played: Played, found: Standings, names: Sequence[str]
) -> Iterator[tuple[str, int, str]]:
    won = np.flatnonzero(played.is_won)
    if not len(won):
        return
    scores, ranks = played.scores[won], played.ranks[won]
    numbers, turns = played.match[won], played.turns[won]
    rating = {bot.name: bot.rating for bot in found.bots}
    ratings = np.array([rating.get(name) for name in names], np.float64)[played.bots[won]]
    winner = np.argmin(ranks, axis=1)[:, None]
    beaten = expected_share(np.take_along_axis(ratings, winner, axis=1) - ratings)
    np.put_along_axis(beaten, winner, 1.0, axis=1)
    chance = beaten.prod(axis=1)
    least = int(np.argmin(np.where(np.isfinite(chance), chance, 1.0)))
    if chance[least] <= _UPSET:
        yield "biggest upset", int(numbers[least]), f"1 chance in {1 / chance[least]:.0f}"
    best = np.take_along_axis(scores, winner, axis=1)[:, 0]
    others = np.where(np.arange(scores.shape[1]) == winner, -np.inf, scores).max(axis=1)
    has_scores = len(np.unique(best - others)) >= _LEAST_DISTINCT
    if has_scores:
        # If several matches are equally close, choose the one with the strongest bots.
        margins = np.where(best >= others, best - others, np.inf)
        strength = np.nan_to_num(ratings).sum(axis=1)
        closest = int(np.lexsort((-strength, margins))[0])
        definition = None if margins[closest] else GAMES.get(found.game)
        yield "closest", int(numbers[closest]), definition.tie_note if definition else ""
    if (turns > 0).any():
        yield "shortest", int(numbers[np.argmin(np.where(turns > 0, turns, np.inf))]), ""
    if has_scores:
        yield "highest score", int(numbers[np.argmax(best)]), ""


def _rivalry(found: Standings) -> Rivalry | None:
    half = [bot.name for bot in found.bots[: min(_MOST_RIVALS, (len(found.bots) + 1) // 2 + 1)]]
    best, least = None, math.inf
    for place, one in enumerate(half):
        for other in half[place + 1 :]:
            met = found.head_to_head[one].get(other)
            if met is None or met.matches < _LEAST_MET:
                continue
            if abs(met.points / met.matches - 0.5) > _LEVEL:
                continue
            # Compare the distance from an even result with the luck that we'd expect, which grows
            # with the square root of the number of matches.
            apart = abs(met.points - met.matches / 2) / math.sqrt(met.matches)
            # Prefer bots that have met more often.
            apart += 1 / met.matches
            if apart < least:
                least = apart
                best = Rivalry((one, other), met.matches, met.wins, met.draws, met.losses)
    return best
