"""Plays card-game bots against each other and says what they do wrong.

    result = referee.play_match(["big_money", "node my_bot.js"], seed=7)

All that programs can count on is in spec/python.md.
What is imported from here is loaded when it is first used, so that `import referee` is cheap.
"""

# A map of the package. The arrows of imports go upwards in this list.
#
#   errors.py       every exception, in one tree
#   seam/           what a game is to the rest: game, chance, how another referee of it is checked
#   games/          GAMES: the games by name; a game is a folder, and imports the seam alone
#   wire/           messages that all games share; decoding and explaining lines
#   specification.py  pages of spec/ by section: rules to quote
#   match.py        one match as a state machine: handshake, faults, outcome; pure
#   options.py      the limits of a match
#   result.py       the result of a match as one object
#   diagnosis/      what a bot's mistake most likely is, in words for its author; pure
#   logs/           spectator log and match record: write, read, verify, validate
#   bots/           BOT argument -> command line -> process -> lines; HTTP, Python objects, people
#   bot.py          for authors of bots in Python: the kits of the games, which import nothing
#   play.py         trio: drives one match with its bots and its logs
#   replay/         a log turn by turn, for people
#   tournament/     many matches: ratings, error bars, SPRT
#   nearest.py      what a misspelt name may have meant
#   api.py          play_match, play_matches: matches from a Python program
#   env/            the games as environments of PettingZoo, for programs that learn
#   terminal.py     text for people: styles, widths, what strangers wrote made harmless
#   html.py         pages from templates
#   junit.py        JUnit XML
#   report.py       the result for people
#   workers.py      processes that work for this one
#   tournament/     many bots against each other, and which is better
#   conformance/    what a bot, or another referee, does wrong, by section
#   interrupts.py   signals: their names; those that end the program cannot leave a bot behind
#   starters/       folders to start a bot from
#   cli/            the command; the only place that prints
#   __main__.py     its entry point
#   schema.py       JSON Schemas from the structs

from __future__ import annotations

from referee._version import __version__

TYPE_CHECKING = False  # as in typing, which takes long to load
if TYPE_CHECKING:
    from referee.api import Matches, play_match, play_match_async, play_matches
    from referee.bots.command import BotCommand, resolve_bot
    from referee.bots.from_python import BotFunction, BotLike
    from referee.bots.in_process import Player
    from referee.errors import (
        BotError,
        BotNotFoundError,
        InternalError,
        LogReadError,
        LogWriteError,
        ProtocolMisuseError,
        RefereeError,
        ShortageError,
        UsageError,
    )
    from referee.games import GAMES
    from referee.logs.record import (
        DisqualifiedEntry,
        EndEntry,
        ExitEntry,
        FaultEntry,
        Header,
        PlayerEnd,
        ReceivedEntry,
        RecordEntry,
        SentEntry,
    )
    from referee.match import Match
    from referee.match_spec import MatchSpec, match_spec
    from referee.options import Limits
    from referee.play import Played, Runner
    from referee.result import MatchResult, PlayerResult
    from referee.seam.chance import Chance, SeededChance
    from referee.seam.faults import Disqualification, Fault, Malformed, Termination
    from referee.seam.game import Audience, Game, Outcome, Request, Setup, Standing
    from referee.seam.rules import Rules

_HOMES = {
    "referee.api": ("Matches", "play_match", "play_match_async", "play_matches"),
    "referee.bots.command": ("BotCommand", "resolve_bot"),
    "referee.bots.from_python": ("BotFunction", "BotLike"),
    "referee.bots.in_process": ("Player",),
    "referee.seam.chance": ("Chance", "SeededChance"),
    "referee.errors": (
        "BotError",
        "BotNotFoundError",
        "InternalError",
        "LogReadError",
        "LogWriteError",
        "ProtocolMisuseError",
        "RefereeError",
        "ShortageError",
        "UsageError",
    ),
    "referee.seam.faults": ("Disqualification", "Fault", "Malformed", "Termination"),
    "referee.seam.game": ("Audience", "Game", "Outcome", "Request", "Setup", "Standing"),
    "referee.seam.rules": ("Rules",),
    "referee.games": ("GAMES",),
    "referee.logs.record": (
        "DisqualifiedEntry",
        "EndEntry",
        "ExitEntry",
        "FaultEntry",
        "Header",
        "PlayerEnd",
        "ReceivedEntry",
        "RecordEntry",
        "SentEntry",
    ),
    "referee.match": ("Match",),
    "referee.match_spec": ("MatchSpec", "match_spec"),
    "referee.options": ("Limits",),
    "referee.play": ("Played", "Runner"),
    "referee.result": ("MatchResult", "PlayerResult"),
}
_HOME = {name: module for module, names in _HOMES.items() for name in names}

__all__ = [  # noqa: RUF022 (as in the map)
    "__version__",
    "play_match",
    "play_match_async",
    "play_matches",
    "match_spec",
    "GAMES",
    "Audience",
    "BotCommand",
    "BotError",
    "BotFunction",
    "BotLike",
    "BotNotFoundError",
    "Chance",
    "Disqualification",
    "DisqualifiedEntry",
    "EndEntry",
    "ExitEntry",
    "Fault",
    "FaultEntry",
    "Game",
    "Header",
    "InternalError",
    "Limits",
    "LogReadError",
    "LogWriteError",
    "Malformed",
    "Match",
    "MatchResult",
    "MatchSpec",
    "Matches",
    "Outcome",
    "Played",
    "Player",
    "PlayerEnd",
    "PlayerResult",
    "ProtocolMisuseError",
    "ReceivedEntry",
    "RecordEntry",
    "RefereeError",
    "Request",
    "Rules",
    "Runner",
    "SeededChance",
    "SentEntry",
    "Setup",
    "ShortageError",
    "Standing",
    "Termination",
    "UsageError",
    "resolve_bot",
]


if not TYPE_CHECKING:  # or every misspelt name would be one of the module

    def __getattr__(name: str) -> object:
        if name not in _HOME:
            raise AttributeError(f"module 'referee' has no attribute {name!r}")
        from importlib import import_module

        return getattr(import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
