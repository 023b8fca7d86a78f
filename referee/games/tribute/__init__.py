"""Scripts of Tribute, a deck-building game with patrons.

The rest of the referee doesn't know the rules of the game and only uses `RULES`. Anything that is
specific to the game belongs in this package.

rules/          the rules, without I/O
log_player.py   replays a spectator log, for `validate` and the match page
turns.py        summarizes a match turn by turn, for `referee replay`
person.py       lets a person play in the terminal
environment.py  the environment for reinforcement learning
statistics.py   tables for many matches, such as how often a bot called each patron
classic.py      dialects for bots that were written for the game's engine
leaks.py        the same dialects, but with the hidden information that the engine gives away
sot/            runs bots that were written for the engine's Python library
notes.py        hints for bot authors about likely bugs
page/           card data and charts for the match page, and the JavaScript that draws the table
starters/       bot templates, by language

The conformance cases for bots are in bot-cases.json.
"""

from __future__ import annotations

from pathlib import Path
from types import MappingProxyType

from referee.games.interface.capabilities import Starters
from referee.games.interface.definition import GameDefinition, called_late, part_of
from referee.games.interface.table import CardFacts
from referee.games.tribute import sot
from referee.games.tribute.classic import CLASSIC, CLASSIC_INDEX
from referee.games.tribute.leaks import CLASSIC_INDEX_LEAKS, CLASSIC_LEAKS
from referee.games.tribute.log_player import TributeLog
from referee.games.tribute.page import PAGE
from referee.games.tribute.person import TributeDialogue
from referee.games.tribute.rules import faults, messages
from referee.games.tribute.rules.game import REASONS, Options, Tribute, begin_at
from referee.games.tribute.rules.situation import simplest_reply
from referee.games.tribute.statistics import TributeStatistics
from referee.games.tribute.turns import Turn, Turns

RULES = GameDefinition(
    name="tribute",
    specification="tribute/protocol",
    options=Options,
    limits=MappingProxyType({"time_limit": 30.0}),
    tournament_limits=MappingProxyType({"time_bank": 600.0}),  # the engine allows 30 s per turn
    facts=CardFacts,
    new=Tribute,
    public=messages.PUBLIC,
    requests=messages.REQUESTS,
    replies=messages.REPLIES,
    faults=faults.SECTIONS,
    reasons=REASONS,
    dialects={
        "classic": CLASSIC,
        "classic-index": CLASSIC_INDEX,
        "classic-leaks": CLASSIC_LEAKS,
        "classic-index-leaks": CLASSIC_INDEX_LEAKS,
    },
    log_player=TributeLog,
    turns=Turns,
    turn=Turn,
    person=TributeDialogue,
    make_environment=part_of("referee.games.tribute.environment", "ENVIRONMENT"),
    page=PAGE,
    statistics=TributeStatistics,
    notes=called_late("referee.games.tribute.notes", "notes"),
    hint=called_late("referee.games.tribute.notes", "hint"),
    cases=Path(__file__).with_name("bot-cases.json").read_bytes,
    adapters={"sot": sot.ADAPTER},
    situation=begin_at,
    simplest_reply=simplest_reply,
    starters=Starters(Path(__file__).with_name("starters"), "random"),
)

__all__ = ["RULES", "Tribute"]
