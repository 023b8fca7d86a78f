"""Scripts of Tribute, a deck-building game with patrons. Only this package knows the game.

rules/          the rules, without I/O
log_player.py   runs the rules behind a spectator log, for `validate` and the match page
turns.py        a match turn by turn, for people
person.py       a person at the terminal: news, state and choices
environment.py  the environment for reinforcement learning
statistics.py   how matches end, and what bots buy and call, over many matches
classic.py      the languages of the engine's external bots
leaks.py        the same languages with the hidden orders that the engine reveals
sot/            bots of the engine's Python library, unchanged
notes.py        probable mistakes of a bot
page/           its parts of the match page
starters/       templates of bots, by language

bot-cases.json has the conformance cases for bots.
"""

from __future__ import annotations

from pathlib import Path
from types import MappingProxyType

from referee.games.interface.capabilities import Starters
from referee.games.interface.definition import GameDefinition, part_of
from referee.games.interface.table import CardFacts
from referee.games.tribute import notes, sot
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
    notes=notes.notes,
    hint=notes.hint,
    cases=Path(__file__).with_name("bot-cases.json").read_bytes,
    adapters={"sot": sot.ADAPTER},
    situation=begin_at,
    simplest_reply=simplest_reply,
    starters=Starters(Path(__file__).with_name("starters"), "random"),
)

__all__ = ["RULES", "Tribute"]
