"""Scripts of Tribute: decks that grow, and patrons whose favour can win. Nothing outside knows it.

rules/         the rules, pure
log_player.py  runs the rules behind a spectator log, for `validate` and the page
turns.py       a match turn by turn, for people
person.py      a person who plays: news, state and choices
environment.py the game for programs that learn
statistics.py  how matches end, and what bots buy and call, over many of them
classic.py     the language of the engine's bots
leaks.py       the same with what the engine gives away, to compare with it
sot/           bots of the engine's Python library, unchanged
notes.py       probable slips of a bot
page/          its parts of the match page
starters/      bots to start from, by language

bot-cases.json has the conformance cases for bots.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from types import MappingProxyType

from referee.games.interface.capabilities import Starters
from referee.games.interface.definition import GameDefinition, loaded
from referee.games.interface.table import CardFacts
from referee.games.tribute import sot
from referee.games.tribute.rules import faults, messages
from referee.games.tribute.rules.game import REASONS, Options, Tribute, begin_at
from referee.games.tribute.rules.situation import simplest_reply

RULES = GameDefinition(
    name="tribute",
    specification="tribute/protocol",
    options=Options,
    limits=MappingProxyType({"time_limit": 30.0}),
    tournament_limits=MappingProxyType({"time_bank": 600.0}),  # as its engine grants, 30 s a turn
    facts=CardFacts,
    new=Tribute,
    public=messages.PUBLIC,
    requests=messages.REQUESTS,
    replies=messages.REPLIES,
    faults=faults.SECTIONS,
    reasons=REASONS,
    dialects={
        "classic": partial(loaded, "referee.games.tribute.classic:CLASSIC"),
        "classic-index": partial(loaded, "referee.games.tribute.classic:CLASSIC_INDEX"),
        "classic-leaks": partial(loaded, "referee.games.tribute.leaks:CLASSIC_LEAKS"),
        "classic-index-leaks": partial(loaded, "referee.games.tribute.leaks:CLASSIC_INDEX_LEAKS"),
    },
    extras={
        "log_player": "referee.games.tribute.log_player:TributeLog",
        "turns": "referee.games.tribute.turns:Turns",
        "turn": "referee.games.tribute.turns:Turn",
        "person": "referee.games.tribute.person:TributeDialogue",
        "environment": "referee.games.tribute.environment:ENVIRONMENT",
        "page": "referee.games.tribute.page:PAGE",
        "statistics": "referee.games.tribute.statistics:TributeStatistics",
        "notes": "referee.games.tribute.notes:notes",
        "hint": "referee.games.tribute.notes:hint",
        "cases": Path(__file__).with_name("bot-cases.json").read_bytes,
        "adapters": {"sot": sot.ADAPTER},
        "situation": begin_at,
        "simplest_reply": simplest_reply,
        "starters": Starters(Path(__file__).with_name("starters"), "random"),
    },
)

__all__ = ["RULES", "Tribute"]
