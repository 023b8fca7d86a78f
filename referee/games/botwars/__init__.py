"""Bot Wars: two armies of botlets on a grid. Both move together, and nothing is hidden.

rules/         the rules, pure
log_player.py  runs the rules behind a spectator log, for `validate` and the page
turns.py       a match turn by turn, for people
statistics.py  what becomes of botlets and energy, over many matches
dialect.py     the language of classic bots
starters/      bots to start from, by language
person.py      a person who plays: news, state and choices
page/          the drawing of the match page
environment.py the game for programs that learn

bot-cases.json has the conformance cases for bots.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from types import MappingProxyType

from referee.games.botwars.rules import messages, moves
from referee.games.botwars.rules.game import (
    REASONS,
    BotWars,
    Facts,
    Options,
    begin_at,
    simplest_reply,
)
from referee.games.interface.capabilities import Starters
from referee.games.interface.definition import GameDefinition, loaded

RULES = GameDefinition(
    name="botwars",
    specification="botwars/protocol",
    options=Options,
    limits=MappingProxyType({"time_limit": 5.0, "line_limit": 2**20}),
    facts=Facts,
    new=BotWars,
    public=messages.PUBLIC,
    requests=messages.REQUESTS,
    replies=messages.REPLIES,
    faults=moves.SECTIONS,
    reasons=REASONS,
    hidden="replies or faults",
    dialects={
        "classic": partial(loaded, "referee.games.botwars.dialect:CLASSIC"),
        "classic-form": partial(loaded, "referee.games.botwars.dialect:CLASSIC_FORM"),
    },
    extras={
        "log_player": "referee.games.botwars.log_player:BotWarsLog",
        "turns": "referee.games.botwars.turns:Turns",
        "turn": "referee.games.botwars.turns:Turn",
        "page": "referee.games.botwars.page:PAGE",
        "person": "referee.games.botwars.person:BotWarsDialogue",
        "statistics": "referee.games.botwars.statistics:ArmyStatistics",
        "cases": Path(__file__).with_name("bot-cases.json").read_bytes,
        "situation": begin_at,
        "simplest_reply": simplest_reply,
        "starters": Starters(Path(__file__).with_name("starters"), "random_walker"),
        "environment": "referee.games.botwars.environment:ENVIRONMENT",
    },
)

__all__ = ["RULES", "BotWars"]
