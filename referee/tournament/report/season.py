"""Combines several tournaments of one game into a season.

We recognise a bot by its name in tables. Ratings have no absolute scale, so we can only compare the
ratings of two tournaments if they're relative to the same bots. These are either the anchor, or
bots in the rating pool of every tournament, preferably unchanged ones. See spec/rating-formulas.md,
7, for the method.
"""

from __future__ import annotations

import math
import os
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np
from msgspec import Struct
from msgspec.structs import asdict, replace
from numpy.typing import NDArray

from referee.errors import UsageError
from referee.tournament.rating.deals import DealTable, joined
from referee.tournament.rating.ratings import MEAN
from referee.tournament.report.played import played_of
from referee.tournament.report.standings import (
    BotStanding,
    Forfeits,
    Rated,
    bot_standings,
    count_matches,
    forfeits_of,
    rate_played,
    rating_columns,
    reported_names,
)
from referee.tournament.rows import FORFEIT
from referee.tournament.setup import short_names_of_all
from referee.tournament.stages import expected
from referee.tournament.store import Store


class TournamentRating(Struct, frozen=True):
    """How one bot did in one tournament of a season.

    Attributes:
        rating, rating_low, rating_high: same as in `BotStanding`.
        change, change_low, change_high: how much better it is than in its previous tournament, or
            None if we don't know.
        changed: True if the bot's files have changed since its previous tournament, or within this
            one.
    """

    rating: float | None
    rating_low: float | None
    rating_high: float | None
    in_rating_pool: bool
    deals: int
    change: float | None = None
    change_low: float | None = None
    change_high: float | None = None
    changed: bool = False


class SeasonBot(BotStanding, frozen=True):
    """How one bot did in all tournaments together.

    Attributes:
        tournaments: one entry per tournament. It's None if the bot has no match there.
    """

    tournaments: list[TournamentRating | None]


class SeasonTournament(Struct, frozen=True):
    """One tournament of a season.

    Attributes:
        name: the name of the store without folders and suffix, or its path.
        repeated_deals: number of deals whose seed was already used in an earlier tournament.
        left_out: the bots that the last run left out, by name, and the reasons for this.
        removed: the bots that are out.
        withdrawn: the bots that were withdrawn.
        position: the position from which all matches start, or None if they start at the beginning.
        is_other_game: True if the game is external and its code isn't the same as in the first
            tournament.
    """

    name: str
    format: str
    bots: int
    matches: int
    void: int
    forfeits: int
    planned: int
    deals: int
    repeated_deals: int
    left_out: dict[str, str]
    removed: list[str]
    withdrawn: list[str]
    position: str | None
    is_other_game: bool

    @property
    def missing(self) -> int:
        """Number of matches still to play.

        For a sequential test this is 0, because the test may end at any time.
        """
        done = self.matches + self.void + self.forfeits
        return 0 if self.format == "sprt" else max(0, self.planned - done)


class Season(Struct, frozen=True):
    """The combined standings of several tournaments (spec/tournaments.md, 6).

    Attributes:
        pool: the bots whose mean rating is 1500 in each tournament and in the combined ratings, or
            the anchor. If this is empty, ratings of two tournaments can't be compared, so no
            changes are known.
        is_pool_unchanged: True if we know that these bots had the same files in all tournaments.
            Bots that may have changed are only in the pool if it would be empty without them.
    """

    game: str
    players: int
    matches: int
    deals: int
    anchor: str | None
    excluded: list[str]
    pool: list[str]
    is_pool_unchanged: bool
    tournaments: list[SeasonTournament]
    bots: list[SeasonBot]


class _Part(NamedTuple):
    """A tournament, with what we need to combine it with others.

    Attributes:
        shown: for each bot of the store, its name in the season.
        numbers: for each bot of the store, its number in the season.
        table: the matches that count, with the season's numbers.
        rated: the ratings, or None if the tournament doesn't have any matches.
        versions: the digests of each bot's files, in the order of the runs. The keys are the bots'
            numbers in the season.
    """

    store: Store
    shown: list[str]
    numbers: NDArray[np.int16]
    table: DealTable
    rated: Rated | None
    versions: dict[int, list[str]]

    def pool(self) -> set[int]:
        """The bots that the tournament's ratings are relative to."""
        if self.rated is None:
            return set()
        places = np.flatnonzero(self.rated.ratings.weights > 0)
        return {self.rated.numbers[place] for place in places}


def season(
    stores: Mapping[str, Store],
    anchor: tuple[str, float] | None = None,
    without: Collection[str] = (),
) -> Season:
    """Return the combined standings of several tournaments.

    Args:
        stores: at least two stores by name, in the order of the season.
        anchor: name of a bot in tables, and its fixed rating. Without an anchor, the mean of the
            bots in the rating pools of all tournaments is 1500.
        without: names of bots whose matches don't count.

    Raises:
        UsageError: the games differ, or the anchor has no match in some tournament.
    """
    _check_same_game(stores)
    shown, names = _names(stores.values())
    parts = [_part(*each, names, without) for each in zip(stores.values(), shown, strict=True)]
    played = [part for part in parts if part.rated is not None]
    pool = _pool(played, names, anchor)
    mean = MEAN if anchor is None else anchor[1]
    parts = [part._replace(rated=_relative(part.rated, pool, mean)) for part in parts]
    whole = joined([part.table for part in parts])
    is_stopped = any(part.store.stages[-1].sprt is not None for part in parts)
    rated = _relative(rate_played(whole, None, stopped=is_stopped), pool, mean)
    columns = _columns(parts, is_comparable=bool(pool))
    own_names = {
        int(part.numbers[bot]): name
        for part in parts
        for bot, name in reported_names(part.store).items()
    }
    numbers = {name: number for number, name in enumerate(names)}
    setup = next(iter(stores.values())).stages[-1]
    return Season(
        game=setup.game,
        players=setup.players,
        matches=len(whole.index),
        deals=len(whole.bots),
        anchor=None if anchor is None else anchor[0],
        excluded=sorted({*without} & {*names}),
        pool=[names[bot] for bot in sorted(pool)],
        is_pool_unchanged=bool(pool) and pool == _unchanged(played, pool),
        tournaments=[
            _tournament(name, part, repeated, _versions(parts[0]))
            for name, part, repeated in zip(
                stores, parts, _repeated_deals(stores.values()), strict=True
            )
        ],
        bots=[
            SeasonBot(
                **asdict(bot), tournaments=[column.get(numbers[bot.name]) for column in columns]
            )
            for bot in bot_standings(whole, rated, names, own_names, _forfeits(parts, without))
        ],
    )


def tournament_names(files: Sequence[str]) -> list[str]:
    """Return a name per tournament: the stem of its file, or the path if two stems are equal."""
    short = [os.path.splitext(os.path.basename(file))[0] for file in files]
    return short if len(set(short)) == len(files) else list(files)


def _forfeits(parts: Sequence[_Part], without: Collection[str]) -> Forfeits:
    whole = Forfeits(Counter(), Counter(), Counter())
    for part in parts:
        forfeits = forfeits_of(part.store, _excluded(part.shown, without))
        for total, counts in zip(whole, forfeits, strict=True):
            for bot, count in counts.items():
                total[int(part.numbers[bot])] += count
    return whole


def season_names(stores: Collection[Store]) -> list[str]:
    """Return the names of all bots in all tournaments, as tables show them."""
    return _names(stores)[1]


def _names(stores: Iterable[Store]) -> tuple[list[list[str]], list[str]]:
    """Return the names of the bots in each tournament, and of all bots of the season."""
    shown = short_names_of_all([store.stages[-1].bots for store in stores])
    return shown, list(dict.fromkeys(chain.from_iterable(shown)))


def _excluded(shown: Sequence[str], without: Collection[str]) -> list[int]:
    return [bot for bot, name in enumerate(shown) if name in without]


def _check_same_game(stores: Mapping[str, Store]) -> None:
    setups = {name: store.stages[-1] for name, store in stores.items()}
    (first, one), *others = setups.items()
    for name, other in others:
        if (one.game, one.players) != (other.game, other.players):
            raise UsageError(
                f"{name} is {other.game} of {other.players} players, and {first} is {one.game} of "
                f"{one.players}: a season has one game"
            )


def _part(store: Store, shown: list[str], names: Sequence[str], without: Collection[str]) -> _Part:
    setup = store.stages[-1]
    number = {name: place for place, name in enumerate(names)}
    numbers = np.array([number[name] for name in shown], np.int16)
    deals = played_of(store, _excluded(shown, without)).deals
    table = deals.table().renumbered(numbers, len(names))
    rated = rate_played(table, None, stopped=setup.sprt is not None)
    # A damaged store may name bots that it doesn't have.
    versions = {
        number[name]: store.versions[whole]
        for whole, name in zip(store.names, shown, strict=True)
        if whole in store.versions
    }
    return _Part(store, shown, numbers, table, rated, versions)


def _pool(
    parts: Sequence[_Part], names: Sequence[str], anchor: tuple[str, float] | None
) -> set[int]:
    if anchor is None:
        common = set.intersection(*(part.pool() for part in parts)) if parts else set()
        # If a bot of the pool has improved, all other bots look worse. That's why we use unchanged
        # bots if we can.
        return _unchanged(parts, common) or common
    bot = names.index(anchor[0])
    for part in parts:
        if part.rated is not None and bot not in part.rated.numbers:
            raise UsageError(f"--anchor {anchor[0]}: it has no match in {part.store.name}")
    return {bot} if parts else set()


def _unchanged(parts: Sequence[_Part], bots: Collection[int]) -> set[int]:
    """Return the bots that we know to have had the same files in all tournaments."""
    found = {bot: [part.versions.get(bot, []) for part in parts] for bot in bots}
    return {
        bot
        for bot, versions in found.items()
        if len(versions[0]) == 1 and all(each == versions[0] for each in versions)
    }


def _relative(rated: Rated | None, pool: Collection[int], mean: float) -> Rated | None:
    if rated is None or not pool:
        return rated
    places = [rated.numbers.index(bot) for bot in sorted(pool)]
    return rated._replace(ratings=rated.ratings.relative_to(places, mean))


def _columns(parts: Sequence[_Part], *, is_comparable: bool) -> list[dict[int, TournamentRating]]:
    before: dict[int, tuple[TournamentRating, list[str]]] = {}
    columns = []
    for part in parts:
        deals = np.bincount(part.table.bots.reshape(-1), minlength=part.table.size)
        column = {}
        for bot, row in ({} if part.rated is None else rating_columns(part.rated)).items():
            versions = part.versions.get(bot, [])
            earlier, known = before.get(bot, (None, []))
            is_new = bool(known and versions) and known[-1] != versions[0]
            rating = TournamentRating(
                **{name: row[name] for name in row if name != "los"},
                deals=int(deals[bot]),
                changed=len(versions) > 1 or is_new,
            )
            if is_comparable and earlier and (found := change_between(earlier, rating)):
                low, high = found.low, found.high
                rating = replace(rating, change=found.change, change_low=low, change_high=high)
            column[bot] = rating
            before[bot] = rating, versions
        columns.append(column)
    return columns


class Change(NamedTuple):
    """How much a rating has changed, with the ends of the interval. Open ends are None."""

    change: float
    low: float | None
    high: float | None


def change_between(before: TournamentRating, now: TournamentRating) -> Change | None:
    """Return how much a rating changed between two tournaments, or None if we don't know both.

    We compute the interval of the change from the intervals of both ratings with the method of Zou
    and Donner (Statistics in Medicine 27, 2008), which works because the two ratings are
    independent. For example, to get the distance from the change to the lower end, take the new
    rating's distance to its lower end and the old rating's distance to its upper end, and add them
    as the root of the sum of their squares.
    """
    if now.rating is None or before.rating is None:
        return None
    change = now.rating - before.rating
    low, high = None, None
    if now.rating_low is not None and before.rating_high is not None:
        low = change - math.hypot(now.rating - now.rating_low, before.rating_high - before.rating)
    if now.rating_high is not None and before.rating_low is not None:
        high = change + math.hypot(now.rating_high - now.rating, before.rating - before.rating_low)
    ends = (None if end is None else round(end, 2) for end in (low, high))
    return Change(round(change, 2), *ends)


def _repeated_deals(stores: Iterable[Store]) -> Iterator[int]:
    before = set[int]()
    for store in stores:
        seeds = {
            seed for (seed,) in store.select("SELECT DISTINCT seed FROM matches WHERE NOT void")
        }
        yield len(seeds & before)
        before |= seeds


def _versions(part: _Part) -> set[str]:
    """Return digests of an external game's code. The referee's own games don't have any."""
    return {source.digest for source in part.store.game_files}


def _tournament(
    name: str, part: _Part, repeated_deals: int, versions: Collection[str]
) -> SeasonTournament:
    store, shown = part.store, part.shown
    setup = store.stages[-1]
    (_, void), forfeits = store.count(), count_matches(store, "reason = ?", FORFEIT)
    return SeasonTournament(
        name=name,
        format=setup.format,
        bots=len(shown),
        matches=len(part.table.index),
        void=void - forfeits,
        forfeits=forfeits,
        planned=expected(store),
        deals=len(part.table.bots),
        repeated_deals=repeated_deals,
        left_out={shown[bot]: why for bot, why in store.left_out.items()},
        removed=[shown[bot] for bot in sorted(store.bots_out())],
        withdrawn=[shown[bot] for bot in sorted(store.withdrawn)],
        position=str(setup.position) if setup.position else None,
        is_other_game=_versions(part) != versions,
    )
