"""Completes the settings of a tournament, and checks extensions of a store."""

from __future__ import annotations

import math
import os
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from typing import Any

import msgspec
from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace

from referee.bots.bundled import bundled_bots
from referee.bots.command import bot_folder, bot_in, find_bot
from referee.bots.folder import BOT_FILE, BotFolder, handed_in
from referee.errors import BotNotFoundError, NotBuiltError, UsageError, UsageErrors
from referee.games import game_rules
from referee.games.interface.counts import plural
from referee.match.limits import Limits, flag, limit_word
from referee.match.opening import check_opening
from referee.match.position import Position
from referee.match.spec import MatchSpec, OwnLimits, checked_own, with_own
from referee.names import named
from referee.text.lookalikes import looks
from referee.text.terminal import as_text
from referee.tournament.choices import FORMATS, MAX_BOTS
from referee.tournament.rows import Entrant
from referee.tournament.schedule import format_of
from referee.tournament.schedule.format import Knockout, TournamentSetup
from referee.tournament.schedule.pairing import MAX_PLAYERS


def setup(bots: Sequence[Entrant], **chosen: Any) -> TournamentSetup:
    """Return the complete settings of a tournament, with all defaults filled in.

    We store the complete settings, so that a tournament doesn't change if a later version has other
    defaults.

    Args:
        bots: the bots of the tournament.
        chosen: other fields of `TournamentSetup`. A missing field or None means the default.

    Raises:
        UsageError: no tournament can be played with these settings.
    """
    now = TournamentSetup(bots=tuple(bots), **{"settings": None} | chosen)
    format, definition = format_of(now.format), game_rules(now.game)
    players, most = now.players or definition.min_seats, min(definition.max_seats, MAX_PLAYERS)
    if not definition.min_seats <= players <= most:
        raise UsageError(
            f"--players {players}: a match of {now.game} has {definition.min_seats} to {most}"
        )
    if not players <= len(bots) <= MAX_BOTS:
        raise UsageError(
            f"{plural(len(bots), 'bot')}: with {players} players in a match, a tournament needs "
            f"{players} to {MAX_BOTS:,} bots"
        )
    if now.matches is not None and not format.takes_matches:
        raise UsageError(f"--matches cannot be combined with --pairing {now.format}; give --deals")
    if now.matches is not None and now.deals is not None:
        raise UsageError("--matches cannot be combined with --deals; give one of them")
    for other in FORMATS:
        for name, options in format_of(other).own:
            if other != now.format and getattr(now, name) not in (None, UNSET):
                raise UsageError(f"{options} can only be used with --pairing {other}")
    deals = now.deals or (None if now.matches is not None else format.deals)
    if now.deal_seeds is not UNSET:
        deals = _deals_of_list(now.deal_seeds, now)
    spec = now.spec([""] * players, now.seed)
    for limits in (spec.limits, *_limits_of_bots(now, spec)):
        if math.inf in (limits.time_limit, limits.startup_limit):
            raise UsageError("a tournament needs time limits: a bot that hangs would block it")
    _check_position(now.position, players)
    if now.opening is not UNSET:
        check_opening(definition, now.opening)
    settings = msgspec.to_builtins(spec.settings)
    return format.settle(replace(now, players=players, deals=deals, settings=settings))


def _check_position(position: Position | UnsetType, players: int) -> None:
    if not position:
        return
    if len(position.answers) != players:
        raise UsageError(f"{position}: its match has {len(position.answers)} players")
    if not position.is_valid:
        raise UsageError(f"{position}: no match can reach this position")


def _limits_of_bots(chosen: TournamentSetup, spec: MatchSpec) -> Iterator[Limits]:
    for bot in chosen.bots:
        if bot.limits:
            try:
                checked_own(spec.definition, spec.limits, dict(bot.limits))
            except UsageError as error:
                raise UsageError(f"bot {bot.name}: {error}") from error
            yield with_own(spec.limits, bot.limits)


def _deals_of_list(seeds: Sequence[int], chosen: TournamentSetup) -> int:
    if chosen.matches is not None:
        raise UsageError("--deal-seeds cannot be combined with --matches; give --deals")
    # If only the list is given, we play all of its seeds.
    if (chosen.deals or 0) > len(seeds):
        raise UsageError(f"--deals {chosen.deals}: --deal-seeds has {plural(len(seeds), 'deal')}")
    return chosen.deals or len(seeds)


def entrants(arguments: Iterable[str], game: str) -> tuple[list[Entrant], dict[int, UsageError]]:
    """Parse the bots of a command line. Each is `NAME=BOT`, or just BOT, which is then its name.

    A bot in a folder gets its name from its `bot.toml`. That file may have been written by a
    stranger who wants the bot to be mistaken for another. Therefore a name must not look like the
    name of another bot in the tournament or of a bundled bot. If two names look alike, we refuse
    one of the two bots. We prefer to keep a bot whose name comes from the organiser, or is the same
    as the name of its folder. If this doesn't decide, we keep the first of the two.

    Returns:
        All bots, and the errors by bot number, one for each bot whose folder can't be used.
    """
    given = [named(argument) for argument in arguments]
    folders = [bot_folder(bot, game) for _, bot in given]
    bots: list[Entrant] = []
    taken = {key: f"the bundled bot {name}" for name in bundled_bots(game) for key in looks(name)}
    for (name, bot), folder in zip(given, folders, strict=True):
        if folder is None:
            bots.append(Entrant(name or bot, bot))
            taken |= dict.fromkeys(looks(name or bot), bot)
        else:
            command = folder.command or bot
            bots.append(Entrant(name or folder.name, command, folder.directory))
    broken: dict[int, UsageError] = {}
    pairs = [(n, folder) for n, folder in enumerate(folders) if folder is not None]
    # Look at bots with trusted names first. The organiser chose the names of the folders, so a
    # stranger's bot must not take such a name, even if it comes first.
    pairs.sort(key=lambda pair: not given[pair[0]][0] and not _has_folder_name(pair[1]))
    for number, folder in pairs:
        entrant = bots[number]
        mistake: UsageError | None = None
        try:
            bot_in(folder, game)
        except UsageError as error:
            mistake = error
        if alike := looks(entrant.name) & taken.keys():
            others = [] if mistake is None or isinstance(mistake, NotBuiltError) else mistake.lines
            same = (
                f"{folder.path}: its name {entrant.name} is, or looks like, that of another bot: "
                f"{taken[min(alike)]}; change name in a {BOT_FILE}, or give NAME={folder.path}"
            )
            mistake = UsageErrors([*others, same])
            bots[number] = replace(entrant, name=folder.path)  # until it gets another name
        taken = dict.fromkeys(looks(entrant.name), folder.path) | taken
        if mistake is not None:
            broken[number] = mistake
    return bots, dict(sorted(broken.items()))


def _has_folder_name(folder: BotFolder) -> bool:
    return folder.name == os.path.basename(os.path.abspath(folder.path))


def as_unicode(bots: Sequence[Entrant]) -> tuple[list[Entrant], dict[int, UsageError]]:
    """Replace bytes that aren't UTF-8, because stores and records can't contain them.

    Returns:
        All bots, and the errors by bot number, one for each bot that had such bytes.
    """
    texts = [
        Entrant(
            name=as_text(bot.name),
            bot=as_text(bot.bot),
            directory=as_text(bot.directory),
            env=tuple((as_text(name), as_text(value)) for name, value in bot.env),
            limits=bot.limits,
        )
        for bot in bots
    ]
    why = "its name, path or environment has bytes that are not UTF-8: rename it"
    broken: dict[int, UsageError] = {
        number: BotNotFoundError(f"BOT {text.name}: {why}")
        for number, (text, bot) in enumerate(zip(texts, bots, strict=True))
        if text != bot
    }
    return texts, broken


def with_unique_names(bots: Sequence[Entrant]) -> list[Entrant]:
    """Append ` #2`, ` #3` and so on to names that other bots already have."""
    taken: set[str] = set()
    unique = []
    for bot in bots:
        name, number = bot.name, 1
        while name in taken:
            number += 1
            name = f"{bot.name} #{number}"
        taken.add(name)
        unique.append(replace(bot, name=name))
    return unique


def with_bots(
    stages: Sequence[TournamentSetup], bots: Sequence[Entrant], numbers: Iterable[int]
) -> list[TournamentSetup]:
    """Return the stages with some bots replaced.

    Args:
        bots: all bots, new and old.
        numbers: the numbers of the new bots.
    """
    new = {number: bots[number] for number in numbers if number < len(bots)}
    return [
        replace(stage, bots=tuple(new.get(number, bot) for number, bot in enumerate(stage.bots)))
        for stage in stages
    ]


def with_withdrawn(
    bots: Sequence[Entrant],
    broken: Mapping[int, UsageError],
    stored: Sequence[Entrant],
    withdrawn: Container[str],
) -> tuple[list[Entrant], dict[int, UsageError]]:
    """Add the bots of a store that are withdrawn and weren't named this time, in their places.

    Args:
        bots: the bots of this run.
        broken: errors by bot number.
        stored: the bots of the store.
        withdrawn: the names of the withdrawn bots.

    Returns:
        All bots, and `broken` with their new numbers.
    """
    found = [(bot, broken.get(number)) for number, bot in enumerate(bots)]
    names = {bot.name for bot in bots}
    for number, bot in enumerate(stored):
        if bot.name in withdrawn and bot.name not in names:
            found.insert(number, (bot, None))
    errors = {number: error for number, (_, error) in enumerate(found) if error is not None}
    return [bot for bot, _ in found], errors


def as_stored(
    bots: Sequence[Entrant],
    broken: Mapping[int, UsageError],
    stored: Sequence[Entrant],
    played: Iterable[int],
    game: str,
) -> tuple[list[Entrant], dict[int, UsageError]]:
    """Replace bots that can't be read now by their stored entries, if they've already played.

    The name and the command of a bot are in its `bot.toml`. If that file is missing, the bot looks
    like another one, and we couldn't continue the run.

    Args:
        bots: the bots of this run.
        broken: errors by bot number.
        stored: the bots of the store.
        played: the numbers of the bots that have played.

    Returns:
        All bots, and `broken` with additional errors for bots whose `bot.toml` is missing.
    """
    found, cannot_play = list(bots), dict(broken)
    for number in played:
        if number >= len(bots):
            continue
        bot, before = bots[number], stored[number]
        if os.path.abspath(handed_in(bot.directory) or bot.bot) != handed_in(before.directory):
            continue
        if not bot.directory:
            try:
                find_bot(bot.bot, game)
            except UsageError as error:
                cannot_play[number] = error
        if number in cannot_play:
            found[number] = before
    return found, cannot_play


def short_names(bots: Sequence[Entrant]) -> list[str]:
    """Return shorter names for tables, in the same order. Of a path, this is the last part.

    No name is shortened if that would make two names equal.
    """
    (shown,) = short_names_of_all([bots])
    return shown


def short_names_of_all(tournaments: Sequence[Sequence[Entrant]]) -> list[list[str]]:
    """Return `short_names` for several tournaments. If one needs full names, they all do."""
    found = [[*map(_short_name, bots)] for bots in tournaments]
    if all(len(set(shown)) == len(shown) for shown in found):
        return found
    return [[bot.name for bot in bots] for bots in tournaments]


def _short_name(bot: Entrant) -> str:
    is_path = bot.name == bot.bot and " " not in bot.name and "://" not in bot.name
    return (is_path and bot.name.rsplit("/", 1)[-1]) or bot.name


def differences(old: TournamentSetup, new: TournamentSetup) -> list[str]:
    """Describe how a setup differs from a stored one, e.g. "seed: 7 in the store, 8 now"."""
    found = []
    for name in TournamentSetup.__struct_fields__:
        before, now = getattr(old, name), getattr(new, name)
        if before == now:
            continue
        if name == "settings":
            found += [
                _difference(option, before.get(option), now.get(option))
                for option in before | now
                if before.get(option) != now.get(option)
            ]
        elif name == "withdraw_after":
            found.append(_difference("withdraw-after", before or "never", now or "never"))
        elif name == "deal_seeds":
            found.append(_difference("deal_seeds", _format_seeds(before), _format_seeds(now)))
        elif name == "bots":
            found.append(_different_bots(before, now))
        elif name == "knockout":
            found += _different_brackets(old, new)
        else:
            found.append(_difference("pairing" if name == "format" else name, before, now))
    return found


def check_extension(old: TournamentSetup, new: TournamentSetup) -> None:
    """Raise `UsageError` unless `new` only adds something to `old`."""
    if not format_of(old.format).can_grow:
        raise UsageError(f"--extend cannot add anything to a {FORMATS[old.format]}")
    counts = ("deals", "matches", "rounds")
    grown = {name: getattr(old, name) for name in ("bots", *counts)}
    if old.deal_seeds and (new.deal_seeds or ())[: len(old.deal_seeds)] == old.deal_seeds:
        grown["deal_seeds"] = old.deal_seeds
    # Give `new` the old values of everything that may grow. Any other difference is an error.
    if problems := differences(old, replace(new, **grown)):
        raise UsageError(f"--extend cannot change this: {'; '.join(problems)}")
    if new.bots[: len(old.bots)] != old.bots:
        problem = _different_bots(old.bots, new.bots)
        raise UsageError(f"--extend only adds bots at the end: {problem}")
    for name in counts:
        before, now = getattr(old, name), getattr(new, name)
        if (before is None) != (now is None) or (before is not None and now < before):
            raise UsageError(f"--extend only adds: {_difference(name, before, now)}")
    for name in ("matches", "rounds"):
        if getattr(new, name) is not None and getattr(new, name) == getattr(old, name):
            raise UsageError(f"--extend needs more --{name}, or nothing would be added")


def _different_bots(old: Sequence[Entrant], new: Sequence[Entrant]) -> str:
    for number, (before, now) in enumerate(zip(old, new, strict=False), 1):
        for field in Entrant.__struct_fields__:
            if before.limits != now.limits and field == "limits":
                own = [limit_words(bot.limits or ()) for bot in (before, now)]
                return f"limits of bot {number}: {own[0]} in the store, {own[1]} now"
            if getattr(before, field) != getattr(now, field):
                parts = f"{getattr(before, field)!r} in the store, {getattr(now, field)!r} now"
                return f"{field} of bot {number}: {parts}"
    return f"bots: {len(old)} in the store, {len(new)} now"


def _different_brackets(old: TournamentSetup, new: TournamentSetup) -> Iterator[str]:
    before, now = (Knockout() if it.knockout is UNSET else it.knockout for it in (old, new))
    if before.seeding != now.seeding:
        yield _difference("seeding", _seeding(old, before), _seeding(new, now))
    if before.third_place != now.third_place:
        yield _difference("third_place", before.third_place, now.third_place)


def _seeding(setup: TournamentSetup, knockout: Knockout) -> str:
    names = [setup.bots[bot].name for bot in knockout.seeding]
    return ", ".join(names) or "in the order of the bots"


def limit_words(own: OwnLimits) -> str:
    """Format limits as options of a command. Returns "none" if a bot has no limits of its own."""
    words = (
        f"{flag(name)} {limit_word(name, math.inf if value is None else value)}"
        for name, value in own
    )
    return ", ".join(words) or "none"


def _difference(name: str, before: object, now: object) -> str:
    return f"{name}: {_shown(before)} in the store, {_shown(now)} now"


def _format_seeds(seeds: Sequence[int] | UnsetType) -> str:
    if seeds is UNSET:
        return "none"
    return f"{len(seeds):,} from {', '.join(map(str, seeds[:2]))} on"


def _shown(value: object) -> str:
    if value is None or value is UNSET:  # UNSET: the field is missing in the store
        return "none"
    if isinstance(value, Position):
        return str(value)
    return msgspec.json.encode(value).decode() if isinstance(value, Struct) else str(value)
