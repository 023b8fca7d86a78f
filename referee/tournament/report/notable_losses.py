"""Chooses the lost matches that a bot's author should look at first."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from referee.bots.bundled import bundled_bots
from referee.bots.command import BotCommand, find_bot
from referee.bots.folder import folder_around
from referee.bots.repeat import repeat_words
from referee.errors import UsageError
from referee.games.interface.counts import plural
from referee.text.terminal import command_line
from referee.tournament.rating.deals import Deals, DealTable, Floats, sum_by
from referee.tournament.rating.sprt import expected_share
from referee.tournament.report.standings import Standings
from referee.tournament.rows import Entrant, MatchRow, limits_of_bots, points_of
from referee.tournament.schedule.format import TournamentSetup
from referee.tournament.store import Store

MOST_LOSSES = 3
# Finds deals in which a bot was disqualified or made faults, and did not win. The third column is
# the weight of the deal. All other deals have weights below 1 (the expected share of the points
# minus the bot's share), so these come first.
_TROUBLE = """
SELECT deal, bot, max(CASE WHEN disqualified NOT NULL THEN 3 ELSE 2 END)
FROM seats JOIN matches USING (match)
WHERE NOT void AND (disqualified NOT NULL OR faults != '{}')
AND (rank > 1 OR EXISTS (
    SELECT 1 FROM seats AS other
    WHERE other.match = seats.match AND other.rank = 1 AND other.seat != seats.seat
))
GROUP BY deal, bot
"""


class NotableLoss(Struct, frozen=True):
    """A lost match that is worth a look.

    Attributes:
        match: its number in the store.
        against: the names of the other bots, in seat order.
        why: the reason in one clause.
        command: the command that plays it again.
    """

    match: int
    against: list[str]
    why: str
    command: str


def notable_losses(store: Store, found: Standings, deals: Deals) -> dict[str, list[NotableLoss]]:
    """Choose up to `MOST_LOSSES` lost matches of each bot that its author should look at.

    We begin with matches in which the bot was disqualified or made faults. After these, we look for
    deals in which it got far fewer points than expected, and choose one match of each. A single
    lost match may just have been bad luck, but in a whole deal all bots have the same luck.

    Args:
        deals: the matches that count, without the bots that the standings exclude.

    Returns:
        For each bot name, a list of matches, worst first.
    """
    setup, per_deal = store.stages[-1], store.stages[-1].matches_a_deal
    rating = {bot.name: bot.rating for bot in found.bots}
    names = store.shown_names
    ratings = np.array([rating.get(name) for name in names], np.float64)
    losses: dict[str, list[NotableLoss]] = {name: [] for name in names}
    for deal, bot, promised in _worst_deals(store, deals.table(), ratings):
        matches = store.matches(deal * per_deal, (deal + 1) * per_deal)
        counted = [(match, points_of(match.ranks)) for match in matches if not match.void]
        match, why = _notable_loss(bot, counted, promised)
        against = [names[other] for other in match.players if other != bot]
        command = repeat_command(match, setup)
        losses[names[bot]].append(NotableLoss(match.match, against, why, command))
    return losses


def _worst_deals(
    store: Store, table: DealTable, ratings: Floats
) -> Iterator[tuple[int, int, float]]:
    """Yield the deals that `notable_losses` is looking for, worst first for each bot.

    Yields:
        The deal's number, the bot's number, and the share of the points that we expected.
    """
    rating = ratings[table.bots]
    beaten = expected_share(rating[:, :, None] - rating[:, None, :])
    promised = (beaten.sum(axis=2) - 0.5) / (table.players - 1)  # without 0.5 against itself
    points = [sum_by(table.index, column, len(table.bots)) for column in table.points.T]
    mean = np.stack(points, axis=1) / table.matches[:, None]
    weight = promised - mean  # negative if it got all points
    for number, bot, trouble in store.select(_TROUBLE):
        deal = np.searchsorted(table.numbers, number)
        if deal < len(table.numbers) and table.numbers[deal] == number:  # not excluded
            weight[deal, table.bots[deal] == bot] = trouble
    deal = np.repeat(table.numbers.astype(np.int64), table.players)
    bot = table.bots.reshape(-1)
    of_each = weight.reshape(-1)
    order = np.lexsort((deal, -of_each, bot))
    order = order[of_each[order] > 0]
    starts = np.flatnonzero(np.diff(bot[order], prepend=-1))
    place = np.arange(len(order)) - np.repeat(starts, np.diff(starts, append=len(order)))
    for index in order[place < MOST_LOSSES]:
        yield int(deal[index]), int(bot[index]), float(promised.reshape(-1)[index])


def _notable_loss(
    bot: int, deal: list[tuple[MatchRow, list[float]]], promised: float
) -> tuple[MatchRow, str]:
    seated = [(match, match.players.index(bot), points) for match, points in deal]
    for match, seat, points in seated:
        code = match.seats[seat].disqualified
        if points[seat] < 1 and code is not None:
            return match, f"disqualified, {code}"
    for match, seat, points in seated:
        count = match.seats[seat].fault_count
        if points[seat] < 1 and count:
            return match, plural(count, "fault")
    mean = sum(points[seat] for _, seat, points in seated) / len(seated)
    match, seat, points = min(seated, key=lambda entry: entry[2][entry[1]])
    scores = " ".join(map(str, match.scores))
    why = f"{mean:.0%} of the points of the deal, {promised:.0%} expected; scores {scores}"
    return match, f"{why}, it was player {seat + 1}"


def repeat_command(match: MatchRow, setup: TournamentSetup) -> str:
    """Return the command that plays a match of a tournament again."""
    bots = [bot_argument(setup.bots[bot], setup.game) for bot in match.players]
    spec = setup.spec(bots, match.seed)
    limits = limits_of_bots(spec.limits, [setup.bots[bot] for bot in match.players])
    spec = replace(spec, limits_of_bots=limits)
    start: list[str] = []
    if setup.position:
        record, turn = setup.position.record, setup.position.turn
        start = ["--resume", record, "--turn", str(turn), "--seed", str(match.seed)]
    return command_line(repeat_words(spec, recorded=True, start=start))


def bot_argument(entrant: Entrant, game: str) -> str:
    """Return the BOT argument for a bot of a tournament: its folder or name, as it was given.

    If the bot has environment variables or a directory of its own, the result may be a command that
    starts with `env`.
    """
    if not entrant.env and (not entrant.directory or entrant.bot in bundled_bots(game)):
        return entrant.bot
    folder = None if entrant.env else folder_around(entrant.directory)
    if folder and (folder.command, folder.directory) == (entrant.bot, entrant.directory):
        return _relative_path(folder.path)
    try:
        source = find_bot(entrant.bot, game, entrant.directory)
    except UsageError:  # the bot doesn't exist any more
        return entrant.bot
    if not isinstance(source, BotCommand):
        file = os.path.join(entrant.directory, entrant.bot)
        return _relative_path(file) if os.path.exists(file) else entrant.bot
    env = [f"{name}={value}" for name, value in entrant.env]
    directory = ["-C", entrant.directory] if entrant.directory else []
    words = ["env", *directory, *env, *source.argv]
    here = os.path.join(entrant.directory, "")
    paths = [os.path.join(here, word) for word in source.argv]
    own = [path for path in paths if os.path.isfile(path) and path.startswith(here)]
    if not env and {*map(os.path.dirname, own)} == {entrant.directory}:
        # The program must stay the first word, because the sandbox uses it to decide which files to
        # make readable. (A sandboxed bot starts in the folder of its files anyway.)
        words = [
            path if os.path.isfile(path) else word
            for path, word in zip(paths, source.argv, strict=True)
        ]
    dialect = f"{source.dialect}:" if source.dialect else ""
    return dialect + shlex.join(words)


def _relative_path(path: str) -> str:
    """Return a path from the current folder that can't be mistaken for a name or an address."""
    short = os.path.relpath(path)
    if short.startswith(os.pardir):
        return path
    return short if os.sep in short and not {":", "="} & {*short} else os.path.join(".", short)
