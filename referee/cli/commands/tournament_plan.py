"""Makes all decisions about a run of `referee tournament` before the first match."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from referee.cli.commands.standings import StandingsView, chosen_view
from referee.cli.consent import chosen_sandbox
from referee.cli.values import SandboxChoice
from referee.errors import UsageError
from referee.games import GAMES
from referee.match.limits import LIMITS
from referee.tournament.choices import WITHDRAW_AFTER

if TYPE_CHECKING:
    from msgspec import UnsetType

    from referee.cli.commands.tournament_options import TournamentOptions
    from referee.match.position import Position
    from referee.tournament.config import Config
    from referee.tournament.playing.directories import Packed
    from referee.tournament.rating.sprt import Sprt
    from referee.tournament.rows import Entrant
    from referee.tournament.schedule.format import Knockout, TournamentSetup
    from referee.tournament.store import Store


class TournamentPlan(NamedTuple):
    """The decisions about a run, made before it begins.

    Attributes:
        setup: the tournament as the options describe it.
        is_known: True if the store already has this setup.
        is_unfinished: True if there are matches to play.
        stages: all setups in the store, in which bots that never played may have been replaced.
        digests: digests of the bots' files, by name.
        broken: maps the numbers of bots that can't be started to the reasons.
        packed: maps the paths of bots' folders to their contents, packed for the workers of a
            cluster.
        view: how to show the final standings.
    """

    setup: TournamentSetup
    is_known: bool
    is_unfinished: bool
    stages: Sequence[TournamentSetup]
    digests: Mapping[str, str]
    broken: Mapping[int, UsageError]
    packed: Mapping[str, Packed]
    view: StandingsView


class _Bots(NamedTuple):
    """The bots that play in a tournament, and their game.

    Attributes:
        broken: the bots that can't be started, as in `TournamentPlan`.
        typed: those bots that were typed on the command line. They may be in folders.
        directories: folders that we have to send to the workers of a cluster.
    """

    game: str
    bots: list[Entrant]
    broken: dict[int, UsageError]
    typed: list[Entrant]
    directories: list[str]


def plan_tournament(
    options: TournamentOptions, config: Config | None, store: Store
) -> TournamentPlan:
    """Decide which matches to play. The store may be empty, or have matches from earlier runs.

    Raises:
        UsageError, LogReadError: no match can be played. The text gives the reason.
    """
    from referee.games.outside import known_as
    from referee.tournament.setup import with_bots
    from referee.tournament.stages import check_schedule, is_finished

    stages: list[TournamentSetup] = store.stages
    start = _start(options, stages)
    found = _bots(options, config, store, None if start is None else start.game)
    # "auto" means "none" on a machine where bwrap doesn't work. But if the store already has
    # matches with a sandbox, the new ones must have it, too.
    goes_on_in_sandbox = bool(stages) and stages[-1].sandbox == "bwrap"
    choice = options.sandbox
    if choice.kind == "auto" and goes_on_in_sandbox:
        choice = choice._replace(kind="bwrap")
    now = _setup(options, found, stages, choice, start)
    if stages:  # a bot that never played may have been fixed since the last run
        stages = with_bots(stages, now.bots, store.left_out.keys() - store.seated())
    is_known = bool(stages) and stages[-1] == now
    is_unfinished = not (is_known and is_finished(store))
    # We need these options only for the final standings. Look up the bots now, because nobody wants
    # to learn about a typing mistake after the last match.
    view = chosen_view(now.bots, options.anchor, options.bot)
    view = view._replace(title=options.title or store.title, records=options.records)
    # The schedule only matters if there are matches to play.
    if stages and is_unfinished:
        check_schedule(store)
    # As long as the store is empty, people can still change its setup.
    if not is_known and not store.is_empty:
        _check_same(store, stages[-1], now, choice, extend=options.extend)
    digests = _digests(now, found.broken)
    if not options.same_bot and (changed := store.changed(digests)):
        raise UsageError(
            f"{', '.join(changed)} {'has' if len(changed) == 1 else 'have'} changed since the "
            f"matches in {store.name} were played: give another --store, or --same-bot to count "
            "all versions as one bot"
        )
    if not known_as(now.game, store.game_files) and store.game_files and not options.same_game:
        raise UsageError(
            f"the game {now.game} has changed since the matches in {store.name} were played: "
            "give another --store, or --same-game to count all versions as one game"
        )
    broken, packed = _packed(now, found) if options.cluster is not None else (found.broken, {})
    return TournamentPlan(now, is_known, is_unfinished, stages, digests, broken, packed, view)


class _Start(NamedTuple):
    """Where the matches start, if it isn't at the beginning.

    Attributes:
        game, players: from the record.
        options: the game's options, from the record.
    """

    game: str
    players: int
    options: dict[str, Any]
    position: Position


def _start(options: TournamentOptions, stages: Sequence[TournamentSetup]) -> _Start | None:
    if (options.position is None) != (options.turn is None):
        raise UsageError("--position FILE, a match record, and --turn N go together")
    if options.position is None or options.turn is None:
        return None
    if stages and (stored := stages[-1].position):
        # The store has all of the position, so its file may be gone, or have other content now.
        before = stages[-1]
        is_its_game = options.game in (None, before.game)
        if is_its_game and (stored.record, stored.turn) == (options.position, options.turn):
            own = {name: each for name, each in before.settings.items() if name not in LIMITS}
            return _Start(before.game, before.players, own, stored)
    from msgspec.structs import asdict

    from referee.logs.conversation import position_at
    from referee.logs.record import spec_of

    header, position = position_at(options.position, options.turn)
    if options.game not in (None, header.game):
        raise UsageError(f"--position: {options.position} is a record of {header.game}")
    if options.players not in (None, len(header.bots)):
        raise UsageError(f"--position: the match has {len(header.bots)} players")
    if stages and (stored := stages[-1].position) and position.is_same(stored):
        position = stored  # the file of the position may have been renamed
    return _Start(header.game, len(header.bots), asdict(spec_of(header).options), position)


def _bots(
    options: TournamentOptions, config: Config | None, store: Store, game: str | None
) -> _Bots:
    """Find the bots. Those on the command line replace the bots of the configuration.

    Args:
        game: the game of the position, or None if the matches start at the beginning.
    """
    from msgspec.structs import replace

    from referee.bots.command import game_of_bots
    from referee.names import named
    from referee.tournament.setup import as_stored, as_unicode, entrants, with_withdrawn

    of_config = [] if options.bots or config is None else config.bots
    game = (
        game
        or options.game
        or game_of_bots(
            [(named(bot)[1], "") for bot in options.bots]
            + [(bot.bot, bot.directory) for bot in of_config]
        )
    )
    typed, broken = entrants(options.bots, game)
    for_all = dict(options.env)
    bots, no_unicode = as_unicode(
        [replace(bot, env=tuple((for_all | dict(bot.env)).items())) for bot in typed or of_config]
    )
    broken = {**broken, **no_unicode}
    if store.stages:
        stored = store.stages[-1].bots
        by_hand = [store.numbers[name] for name in options.withdraw if name in store.numbers]
        withdrawn = {store.names[bot] for bot in (*store.withdrawn, *by_hand)}
        bots, broken = with_withdrawn(bots, broken, stored, withdrawn)
        bots, broken = as_stored(bots, broken, stored, store.seated(), game)
    directories = [] if config is None else config.directories
    folders = [bot.directory for bot in typed if bot.directory]
    return _Bots(game, bots, broken, typed, [*directories, *folders])


def _setup(
    options: TournamentOptions,
    found: _Bots,
    stages: Sequence[TournamentSetup],
    choice: SandboxChoice,
    start: _Start | None,
) -> TournamentSetup:
    from msgspec import UNSET, to_builtins
    from msgspec.structs import replace

    from referee.match.spec import drawn_seed, tournament_limits
    from referee.tournament.setup import setup, with_unique_names

    seed = options.seed.seed
    if seed is None:
        seed = stages[-1].seed if stages else drawn_seed()
    limits: dict[str, Any] = tournament_limits(GAMES[found.game])
    if stages:  # if an option isn't given now, the store's value still applies
        limits = {name: getattr(stages[-1].any_match.limits, name) for name in limits}
    sandbox = chosen_sandbox(choice, found.typed)
    bots = with_unique_names(found.bots)
    now = setup(
        bots,
        game=found.game,
        players=options.players if start is None else start.players,
        deals=options.deals,
        matches=options.matches,
        rounds=options.rounds,
        challengers=options.challengers,
        seats=options.seats,
        deal_seeds=UNSET if options.deal_seeds is None else options.deal_seeds.seeds,
        format=options.pairing,
        sprt=_sprt(options),
        knockout=_knockout(options, bots, stages),
        seed=seed,
        keep_alive=not options.no_keep_alive,
        withdraw_after=_withdraw_after(options, stages),
        sandbox=sandbox.kind,
        sandbox_read=sandbox.readable,
        settings={**limits, **({} if start is None else start.options), **options.settings},
        position=UNSET if start is None else start.position,
        opening=options.opening or (stages[-1].opening if stages else UNSET),
    )
    # An older store doesn't name an option that the game got later. It then has its default.
    if stages and to_builtins(stages[-1].any_match.settings) == now.settings:
        now = replace(now, settings=stages[-1].settings)
    return now


def _withdraw_after(options: TournamentOptions, stages: Sequence[TournamentSetup]) -> int | None:
    if options.withdraw_after is not None:
        return options.withdraw_after or None
    return stages[-1].withdraw_after if stages else WITHDRAW_AFTER


def _knockout(
    options: TournamentOptions, bots: Sequence[Entrant], stages: Sequence[TournamentSetup]
) -> Knockout | UnsetType:
    from msgspec import UNSET

    from referee.tournament.report.seeding import seeding_by
    from referee.tournament.schedule.format import Knockout

    if options.seeding is None and not options.third_place:
        return UNSET
    stored = stages[-1].knockout if stages else UNSET
    if options.seeding is not None and isinstance(stored, Knockout) and stored.seeding:
        # The bracket is fixed, so the file may be gone, or have other ratings now.
        return Knockout(stored.seeding, options.third_place)
    names = [bot.name for bot in bots]
    seeding = () if options.seeding is None else seeding_by(options.seeding, names)
    return Knockout(seeding, options.third_place)


def _sprt(options: TournamentOptions) -> Sprt | None:
    from referee.tournament.rating.sprt import Sprt

    given = {name: getattr(options, name) for name in ("elo0", "elo1", "alpha", "beta")}
    chosen = {name: value for name, value in given.items() if value is not None}
    try:
        return Sprt(**chosen) if chosen else None
    except ValueError as error:
        raise UsageError(f"--pairing sprt: {error}") from error


def _check_same(
    store: Store,
    before: TournamentSetup,
    now: TournamentSetup,
    choice: SandboxChoice,
    *,
    extend: bool,
) -> None:
    """Raise a `UsageError` if the store has matches of another tournament.

    Args:
        before: the setup in the store.
        extend: True if people want to add bots, deals or rounds to the tournament.
    """
    from referee.tournament.setup import check_extension, differences

    if choice.kind == "auto" and before.sandbox != now.sandbox:
        raise UsageError(
            f"{store.name}: its matches had no sandbox, and now there is one: --sandbox none "
            "continues without it"
        )
    names = {bot.name for bot in now.bots}
    if gone := [bot.name for bot in before.bots if bot.name not in names]:
        raise UsageError(
            f"{store.name} has the matches of {', '.join(gone)}, too: name every bot of the "
            f"tournament, or withdraw it for good (--withdraw {gone[0]}); --skip-broken leaves out "
            "those that cannot be started"
        )
    if extend:
        check_extension(before, now)
    else:
        raise UsageError(
            f"{store.name} is of another tournament: {'; '.join(differences(before, now))}"
            " (give another --store; --extend allows more bots, deals or rounds)"
        )


def _digests(now: TournamentSetup, broken: Mapping[int, UsageError]) -> dict[str, str]:
    from referee.bots.digest import files_digest

    return {
        bot.name: files_digest(bot.bot, now.game, bot.directory)
        for number, bot in enumerate(now.bots)
        if number not in broken
    }


def _packed(now: TournamentSetup, found: _Bots) -> tuple[dict[int, UsageError], dict[str, Packed]]:
    from referee.tournament.playing.directories import pack

    broken, packed = dict(found.broken), dict[str, "Packed"]()
    for number, bot in enumerate(now.bots):
        if bot.directory in found.directories and number not in broken:
            try:
                packed[bot.directory] = packed.get(bot.directory) or pack(bot.directory)
            except UsageError as error:
                broken[number] = error
    return broken, packed
