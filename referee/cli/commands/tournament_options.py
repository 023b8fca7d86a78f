"""Defines the options of `referee tournament`."""

from __future__ import annotations

from typing import Literal

from referee.cli.commands.standings import anchor_option, bot_option
from referee.cli.options import Heading, Options, argument, flag, option, repeated
from referee.cli.settings import (
    LIMITS_OF_BOTS,
    Settings,
    env_option,
    game_of_bots_option,
    opening_option,
    sandbox_options,
    seed_options,
    settings_options,
    title_option,
)
from referee.cli.values import (
    Count,
    CountOrNever,
    DealSeeds,
    GameName,
    GivenSeed,
    Number,
    Probability,
    SandboxChoice,
    Variable,
)
from referee.tournament.choices import (
    ALPHA,
    BETA,
    CHALLENGERS,
    DEALS,
    ELO0,
    ELO1,
    WITHDRAW_AFTER,
    Keep,
    Pairing,
    Seats,
)


class TournamentOptions(Options):
    """Play many matches between many bots, and rate them. The same command with the same --store
    continues where it stopped.
    """

    epilog = """
BOT is the same as for referee play; NAME= before it gives the bot a name. See
spec/tournaments.md."""
    exit_codes = (
        (0, "done"),
        (1, "done, but a bot was withdrawn or is out; see --strict"),
        (2, "wrong usage, or a store that cannot be written"),
    )
    examples = (
        (
            "referee tournament new=./my_bot.py old=./my_old_bot.py --deals 100",
            "find the better version of a bot",
        ),
        (
            "referee tournament big_money minimal ./my_bot.py --store night.sqlite",
            "a round robin whose results are saved",
        ),
    )

    _players = Heading("players")
    bots: tuple[str, ...] = argument("BOT", "a bot, or NAME=BOT")
    config: str | None = option(
        "FILE",
        None,
        'a TOML file with these options and [[bot]] tables; "-" is stdin',
        in_file=False,
    )
    skip_broken: bool = flag("play without the bots that cannot be started; they can play later")
    withdraw_after: CountOrNever | None = option(
        "N",
        None,
        "withdraw a bot that is disqualified for the same cause in N consecutive matches: its "
        f"later matches are forfeits, not played; or never (default: {WITHDRAW_AFTER})",
    )
    withdraw: tuple[str, ...] = repeated(
        "NAME",
        "withdraw a bot by hand: its missing matches are forfeits, and it need not be named any "
        "more; can be repeated",
    )
    reinstate: tuple[str, ...] = repeated(
        "NAME", "take back a withdrawal: play the bot's forfeits; can be repeated"
    )
    strict: bool = flag("exit with 1 also if a bot was disqualified or left out")
    same_bot: bool = flag(
        "continue a store even if files of a bot have changed; the standings report it",
        in_file=False,
    )
    same_game: bool = flag(
        "continue a store even if the code of your own game has changed", in_file=False
    )
    no_keep_alive: bool = flag("start new processes for every match")

    _match = Heading("match")
    game: GameName | None = game_of_bots_option()
    seed: GivenSeed = seed_options()
    position: str | None = option(
        "FILE",
        None,
        "start all matches at a turn of this match record, with hidden information redealt",
    )
    turn: Count | None = option(
        "N", None, "with --position: start at this turn (turns of all players count)"
    )
    opening: Count | None = opening_option()
    pairing: Pairing = option(None, "round-robin", "how bots are paired")
    players: Count | None = option("N", None, "number of seats in a match")
    deals: Count | None = option(
        "D", None, f"deals for each pairing or line-up (default: {DEALS})", excludes="length"
    )
    matches: Count | None = option(
        "M", None, "total number of matches, instead of --deals", excludes="length"
    )
    rounds: Count | None = option(
        "R", None, "rounds of a Swiss tournament (default: log2 of the number of bots, + 2)"
    )
    seeding: str | None = option(
        "FILE",
        None,
        "knockout: seed by the ratings in this store (default: in the order of the bots)",
    )
    third_place: bool = flag("knockout: the losers of the semi-finals play for the third place")
    challengers: Count | None = option(
        "N", None, f"challengers of a gauntlet: the first N bots (default: {CHALLENGERS})"
    )
    deal_seeds: DealSeeds | None = option(
        "FILE", None, "a list of deals, one seed per line, that each pairing plays in this order"
    )
    seats: Seats = option(
        None,
        "rotate",
        "how often a deal is played: once per rotation of the seats, once per order of the seats, "
        "or only once, in the order of the bots",
    )
    elo0: Number | None = option(
        "E", None, f"sprt: the lower hypothesis, in Elo (default: {ELO0:g})"
    )
    elo1: Number | None = option(
        "E", None, f"sprt: the higher hypothesis, in Elo (default: {ELO1:g})"
    )
    alpha: Probability | None = option(
        "P", None, f"sprt: risk of wrongly accepting the higher hypothesis (default: {ALPHA:g})"
    )
    beta: Probability | None = option(
        "P", None, f"sprt: risk of wrongly accepting the lower hypothesis (default: {BETA:g})"
    )
    jobs: Count | None = option(
        "J", None, "matches played at the same time (default: the number of cores)"
    )
    pin: bool = flag("give each job its own cores, if there are enough")
    cluster: str | None = option(
        "ADDRESS", None, "play the matches on the workers of this Dask scheduler"
    )

    _output = Heading("output")
    title: str | None = title_option("the standings")
    anchor: str | None = anchor_option()
    bot: str | None = bot_option()
    format: Literal["text", "json"] = option(None, "text", "format of the standings")
    quiet: bool = flag("no progress", flags="-q, --quiet", excludes="progress")
    progress: Literal["auto", "lines"] = option(
        None,
        "auto",
        "lines: print a line per finished match, and ten tables in all",
        excludes="progress",
    )

    _recording = Heading("recording")
    store: str | None = option("FILE", None, "save the results in this SQLite file")
    extend: bool = flag("allow more bots, deals or rounds than in the store")
    records: str | None = option("DIR", None, "save compressed match records in this folder")
    keep_records: Keep = option(None, "all", "which records are saved (default: %(default)s)")
    force: bool = flag("remove the records of another tournament from the folder", in_file=False)
    record_stderr: bool = flag("add the stderr of the bots to the records")

    _browser = Heading("browser")
    browser: bool = flag(
        "show the standings and matches in the browser while they are played", in_file=False
    )

    _isolation = Heading("isolation")
    sandbox: SandboxChoice = sandbox_options("auto")
    env: tuple[Variable, ...] = env_option()
    _limits = LIMITS_OF_BOTS
    settings: Settings = settings_options(is_tournament=True)
