"""Which lost matches of a bot its author should look at first, and how."""

from __future__ import annotations

import os
import shlex
from heapq import heappush, heappushpop
from itertools import groupby

from msgspec import Struct

from referee.bots.bundled import bundled_bots
from referee.bots.command import BotCommand, find_bot
from referee.bots.folder import folder_around
from referee.bots.repeat import repeat_words
from referee.errors import UsageError
from referee.text.terminal import command_line
from referee.tournament.rating.sprt import expected_share
from referee.tournament.report.standings import Standings
from referee.tournament.rows import Entrant, MatchRow, points_of
from referee.tournament.schedule.format import TournamentSetup
from referee.tournament.store import Store

MOST_LOSSES = 3


class NotableLoss(Struct, frozen=True):
    """A match to look at: its number, why in one clause, and the command that plays it again."""

    match: int
    why: str
    command: str


def notable_losses(store: Store, found: Standings) -> dict[str, list[NotableLoss]]:
    """For each bot by its name the lost matches that teach most, at most `MOST_LOSSES`.

    First those in which it was disqualified or made faults; then one each of the deals in which it
    stayed farthest below what the ratings promise, in all seats, so that luck was shared.
    """
    setup = store.stages[-1]
    names = store.names
    rating = {names.index(bot.name): bot.rating for bot in found.bots if bot.rating is not None}
    worst: list[list[tuple[float, int, MatchRow, str]]] = [[] for _ in names]
    matches = (
        match
        for match in store.matches()
        if not match.void and all(bot in rating for bot in match.players)
    )
    for _, group in groupby(matches, lambda match: match.deal):
        deal = [(match, points_of(match.ranks)) for match in group]
        for bot in deal[0][0].players:
            others = [other for other in deal[0][0].players if other != bot]
            promised = sum(expected_share(rating[bot] - rating[other]) for other in others)
            promised /= len(others)
            best = _notable_loss(bot, deal, promised)
            if best is not None:
                weight, match, why = best
                entry = (weight, -match.match, match, why)
                push = heappush if len(worst[bot]) < MOST_LOSSES else heappushpop
                push(worst[bot], entry)
    return {
        name: [
            NotableLoss(match.match, why, _again(match, setup))
            for _, _, match, why in sorted(worst[bot], reverse=True)
        ]
        for bot, name in enumerate(names)
    }


def _notable_loss(
    bot: int, deal: list[tuple[MatchRow, list[float]]], promised: float
) -> tuple[float, MatchRow, str] | None:
    """Return how notable a lost deal is, its match and the reason; None if it was not lost."""
    seated = [(match, match.players.index(bot), points) for match, points in deal]
    for match, seat, points in seated:
        code = match.seats[seat].disqualified
        if points[seat] < 1 and code is not None:
            return 3.0, match, f"disqualified, {code}"
    for match, seat, points in seated:
        count = match.seats[seat].fault_count
        if points[seat] < 1 and count:
            return 2.0, match, "1 fault" if count == 1 else f"{count} faults"
    mean = sum(points[seat] for _, seat, points in seated) / len(seated)
    match, seat, points = min(seated, key=lambda entry: entry[2][entry[1]])
    if points[seat] == 1 or mean >= promised:
        return None
    scores = " ".join(map(str, match.scores))
    why = f"{mean:.0%} of the points of the deal, {promised:.0%} expected; scores {scores}"
    return promised - mean, match, f"{why}, it was player {seat + 1}"


def _again(match: MatchRow, setup: TournamentSetup) -> str:
    bots = [bot_argument(setup.bots[bot], setup.game) for bot in match.players]
    spec = setup.spec(bots, match.seed)
    start: list[str] = []
    if setup.position:
        record, turn = setup.position.record, setup.position.turn
        start = ["--resume", record, "--turn", str(turn), "--deals", "1", "--seed", str(match.seed)]
    return command_line(repeat_words(spec, recorded=True, start=start))


def bot_argument(entrant: Entrant, game: str) -> str:
    """The BOT argument of a bot: its folder or name as it was given.

    A bot with an environment or a directory of its own, which no argument can say, is a command
    line that starts with `env`.
    """
    if not entrant.env and (not entrant.directory or entrant.bot in bundled_bots(game)):
        return entrant.bot
    folder = None if entrant.env else folder_around(entrant.directory)
    if folder and (folder.command, folder.directory) == (entrant.bot, entrant.directory):
        return _from_here(folder.path)
    try:
        source = find_bot(entrant.bot, game, entrant.directory)
    except UsageError:  # it is not there any more
        return entrant.bot
    if not isinstance(source, BotCommand):
        file = os.path.join(entrant.directory, entrant.bot)
        return _from_here(file) if os.path.exists(file) else entrant.bot
    env = [f"{name}={value}" for name, value in entrant.env]
    directory = ["-C", entrant.directory] if entrant.directory else []
    words = ["env", *directory, *env, *source.argv]
    here = os.path.join(entrant.directory, "")
    paths = [os.path.join(here, word) for word in source.argv]
    own = [path for path in paths if os.path.isfile(path) and path.startswith(here)]
    if not env and {*map(os.path.dirname, own)} == {entrant.directory}:
        # The program stays the first word, by which the sandbox knows what it needs; in there a
        # bot starts in the folder of its files.
        words = [
            path if os.path.isfile(path) else word
            for path, word in zip(paths, source.argv, strict=True)
        ]
    dialect = f"{source.dialect}:" if source.dialect else ""
    return dialect + shlex.join(words)


def _from_here(path: str) -> str:
    """A path as it is typed here, so that it is not mistaken for a name or an address."""
    short = os.path.relpath(path)
    if short.startswith(os.pardir):
        return path
    return short if os.sep in short and not {":", "="} & {*short} else os.path.join(".", short)
