"""Plays matches between bots of turn-based games and reports their mistakes.

    result = referee.play_match(["big_money", "node my_bot.js"], seed=7)

The public names are listed in spec/python.md. They're only loaded when you use them, so `import
referee` is cheap.
"""

# A map of the package. Modules import only modules above them in this list.
#
#   errors.py       all exceptions
#   games/          GAMES: the games by name. Each game is a folder that imports only the interface
#     interface/    the contract of a game: state, chance, capabilities, dialects
#   rulefiles/      rule files, which are bots without programming; no I/O
#   match/          one match as a state machine, its description, messages, result; no I/O
#   text/           formatting for people
#   names.py        the displayed name of a bot
#   logs/           spectator log and match record: write, read, verify, validate, replay
#   bots/           the kinds of bots: processes, folders, HTTP addresses, Python objects, people
#   bot.py          helpers for bots that are written in Python
#   diagnosis/      explains the mistakes of bots to their authors; no I/O
#   explaining.py   calls the diagnosis, so that a bug in it never costs a result
#   course.py       passes the lines of a match to bots and logs, without waiting
#   objects.py      plays a match between Python objects, in a plain loop
#   runner.py       plays all other matches, under trio
#   match_plan.py   prepares a match: bots, options, files
#   capacity.py     available cores and file descriptors
#   workers.py      worker processes
#   fork_server.py  the process from which workers are forked
#   tournament/     tournaments and ratings
#   api.py          play_match, play_matches, resume: matches from a Python program
#   env/            the games as environments of PettingZoo and Gymnasium
#   conformance/    tests a bot, or another referee, by section of the protocol
#   gamecheck/      tests a game in random matches
#   starters/       templates of new bots
#   schema.py       JSON Schemas, generated from the structs
#   inputs.py       opens files that a user names
#   interrupts.py   handling of signals
#   web/            matches and tournaments in a browser
#   cli/            the command line; the only part that prints
#   __main__.py     the entry point
#   _lazy.py        imports names on first use
#   _version.py     the version of the package

from __future__ import annotations

from referee._lazy import lazy
from referee._version import __version__ as __version__

TYPE_CHECKING = False  # like typing.TYPE_CHECKING, but typing is slow to import
if TYPE_CHECKING:
    from referee.api import Matches as Matches
    from referee.api import play_match as play_match
    from referee.api import play_match_async as play_match_async
    from referee.api import play_matches as play_matches
    from referee.api import resume as resume
    from referee.bots.command import BotCommand as BotCommand
    from referee.bots.command import resolve_bot as resolve_bot
    from referee.bots.from_python import BotFunction as BotFunction
    from referee.bots.from_python import BotLike as BotLike
    from referee.bots.in_process import BotObject as BotObject
    from referee.course import Course as Course
    from referee.course import Played as Played
    from referee.errors import BotError as BotError
    from referee.errors import BotNotFoundError as BotNotFoundError
    from referee.errors import GameError as GameError
    from referee.errors import InternalError as InternalError
    from referee.errors import LogReadError as LogReadError
    from referee.errors import LogWriteError as LogWriteError
    from referee.errors import ProtocolMisuseError as ProtocolMisuseError
    from referee.errors import RefereeError as RefereeError
    from referee.errors import ShortageError as ShortageError
    from referee.errors import UsageError as UsageError
    from referee.games import GAMES as GAMES
    from referee.games import find_game as find_game
    from referee.games.interface.definition import GameDefinition as GameDefinition
    from referee.games.interface.faults import Disqualification as Disqualification
    from referee.games.interface.faults import EndReason as EndReason
    from referee.games.interface.faults import Fault as Fault
    from referee.games.interface.faults import InvalidReply as InvalidReply
    from referee.games.interface.game import Audience as Audience
    from referee.games.interface.game import Game as Game
    from referee.games.interface.game import GameSetup as GameSetup
    from referee.games.interface.game import Outcome as Outcome
    from referee.games.interface.game import Request as Request
    from referee.games.interface.game import SeatState as SeatState
    from referee.games.interface.random_source import RandomSource as RandomSource
    from referee.games.interface.random_source import SeededRandomSource as SeededRandomSource
    from referee.logs.record import DisqualifiedEntry as DisqualifiedEntry
    from referee.logs.record import EndEntry as EndEntry
    from referee.logs.record import ExitEntry as ExitEntry
    from referee.logs.record import FaultEntry as FaultEntry
    from referee.logs.record import Header as Header
    from referee.logs.record import PlayerEnd as PlayerEnd
    from referee.logs.record import ReceivedEntry as ReceivedEntry
    from referee.logs.record import RecordEntry as RecordEntry
    from referee.logs.record import SentEntry as SentEntry
    from referee.logs.record import StderrEntry as StderrEntry
    from referee.match.limits import Limits as Limits
    from referee.match.machine import Match as Match
    from referee.match.result import MatchResult as MatchResult
    from referee.match.result import PlayerResult as PlayerResult
    from referee.match.spec import MatchSpec as MatchSpec
    from referee.match.spec import match_spec as match_spec
    from referee.runner import Runner as Runner

# Type checkers must not see `__getattr__`, because then they'd accept any name.
if not TYPE_CHECKING:
    __getattr__, __dir__ = lazy(__name__)
