"""Bot Wars: two armies of botlets on a grid. Both sides move simultaneously, and nothing is hidden.

rules/         the rules, without I/O
log_player.py  infers replies from a spectator log, for `validate` and the page
turns.py       reads a match turn by turn, for people
statistics.py  statistics of botlets and energy over many matches
dialect.py     the language of classic bots
starters/      templates of bots, by language
person.py      a human player: news, state and choices
page/          the drawing of the match page
environment.py the game for reinforcement learning

bot-cases.json has the conformance cases for bots.
"""

from __future__ import annotations

from pathlib import Path
from types import MappingProxyType

from referee.games.botwars.dialect import CLASSIC, CLASSIC_FORM
from referee.games.botwars.log_player import BotWarsLog
from referee.games.botwars.page import PAGE
from referee.games.botwars.person import BotWarsDialogue
from referee.games.botwars.rules import messages, moves
from referee.games.botwars.rules.game import (
    REASONS,
    BotWars,
    Facts,
    Options,
    begin_at,
    simplest_reply,
)
from referee.games.botwars.statistics import ArmyStatistics
from referee.games.botwars.turns import Turn, Turns
from referee.games.interface.capabilities import Starters
from referee.games.interface.definition import GameDefinition, part_of

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
        "classic": CLASSIC,
        "classic-form": CLASSIC_FORM,
    },
    log_player=BotWarsLog,
    turns=Turns,
    turn=Turn,
    page=PAGE,
    person=BotWarsDialogue,
    statistics=ArmyStatistics,
    cases=Path(__file__).with_name("bot-cases.json").read_bytes,
    situation=begin_at,
    simplest_reply=simplest_reply,
    starters=Starters(Path(__file__).with_name("starters"), "random_walker"),
    make_environment=part_of("referee.games.botwars.environment", "ENVIRONMENT"),
)

__all__ = ["RULES", "BotWars"]
