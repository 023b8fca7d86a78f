"""Defines the options of `referee play`."""

from __future__ import annotations

from typing import Literal

from referee.cli.consent import run_recorded_option
from referee.cli.options import Heading, Options, argument, flag, option, repeated
from referee.cli.serving import Listen, allowed_host_option, listen_option
from referee.cli.settings import (
    LIMITS_OF_BOTS,
    LimitOf,
    Settings,
    env_option,
    force_option,
    game_of_bots_option,
    opening_option,
    sandbox_options,
    seed_options,
    settings_options,
)
from referee.cli.values import Count, GameName, GivenSeed, SandboxChoice, Variable

# With this value of `--stderr`, you see the stderr of the bots while they run.
LIVE = "-"


class PlayOptions(Options):
    """Play one match between two or more bots."""

    epilog = """
BOT is the name of a bundled bot ("referee bots"), the path of a program (a .py file runs under
this Python), a quoted command line such as "node my_bot.js --fast", or the http:// or https://
address of a bot (spec/http-bots.md), or "human", to play yourself at this terminal or, with --page,
in the browser (spec/serve.md, 6)."""
    exit_codes = (
        (0, "the match was played without a disqualification"),
        (1, "a bot was disqualified"),
        (2, "wrong usage, or a log that cannot be written"),
    )
    examples = (
        ("referee play big_money ./my_bot.py", "your bot against a bundled one"),
        (
            'referee play ./my_bot.py "node other.js" --seed 7 --record game.jsonl',
            "two of your bots, with a record for referee replay and referee verify",
        ),
        (
            "referee play ./my_bot.py big_money --resume game.jsonl --turn 20 --seed 1",
            "play on from turn 20 of that match, with hidden cards dealt again",
        ),
        ("referee play human ./my_bot.py", "you against your bot"),
        ("referee play --page human ./my_bot.py", "the same in the browser"),
        ("referee play --browser big_money ./my_bot.py", "in the browser, as it is played"),
        (
            "referee play big_money ./my_bot.py --time-limit none",
            "debug your bot without time limits",
        ),
    )

    _players = Heading("players")
    bots: tuple[str, ...] = argument(
        "BOT", "a bundled name, a program, or a command line; NAME=BOT gives it a name"
    )

    _match = Heading("match")
    game: GameName | None = game_of_bots_option()
    seed: GivenSeed = seed_options()
    opening: Count | None = opening_option()
    resume: str | None = option(
        "FILE", None, "continue the match of this record, from its last line or from --turn"
    )
    turn: Count | None = option(
        "N", None, "with --resume: start at this turn (turns of all players count)"
    )
    run_recorded: bool = run_recorded_option("the record of --resume")

    _output = Heading("output")
    format: Literal["text", "json"] = option(None, "text", "text: a table; json: an object")
    quiet: bool = flag("no table, no progress", flags="-q, --quiet")
    stderr: str | None = option(
        "DIR",
        None,
        'save what each bot writes on stderr: DIR/player1.stderr ...; "-" prints it immediately',
    )

    _recording = Heading("recording")
    log: str | None = option(
        "FILE", None, 'write the spectator log; "-" writes it to stdout, without other output'
    )
    record: str | None = option(
        "FILE", None, "write a match record, from which the match can be run again"
    )
    record_stderr: bool = flag(
        "add the stderr of the bots to the record, before the reply that follows it"
    )
    force: bool = force_option()

    _browser = Heading("browser")
    page: bool = flag("let people play in the browser; prints a link for each")
    browser: bool = flag("show the match in the browser while it is played")
    listen: Listen | None = listen_option(0)
    allowed_host: tuple[str, ...] = allowed_host_option()

    _isolation = Heading("isolation")
    sandbox: SandboxChoice = sandbox_options()
    env: tuple[Variable, ...] = env_option()
    _limits = LIMITS_OF_BOTS
    settings: Settings = settings_options(endless=True)
    limit_of: tuple[LimitOf, ...] = repeated(
        "PLAYER:LIMIT=VALUE", "a limit of one bot, such as 2:time-limit=5; can be repeated"
    )

    @property
    def named_bots(self) -> tuple[list[str], list[str]]:
        """The names of the bots, and the BOT arguments without names.

        If only some bots have a name, the others have "". If none has a name, the first list is
        empty.
        """
        from referee.names import named

        pairs = [named(bot) for bot in self.bots]
        names, bots = [name for name, _ in pairs], [bot for _, bot in pairs]
        return names if any(names) else [], bots
