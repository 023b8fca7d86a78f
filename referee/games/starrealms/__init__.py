"""Star Realms, a deck-building game for two players. Only this package knows the game.

rules/          the rules, without I/O
log_player.py   runs the rules behind a spectator log, for `validate` and the match page
turns.py        a match turn by turn, for people
person.py       a person at the terminal: news, state and choices
vocabulary.py   the words of its rule files
rule_player.py  plays by the scores of a rule file
page/           its parts of the match page, and the drawing of the table
environment.py  the environment for reinforcement learning
statistics.py   the cards that bots gain and the yield of their turns, over many matches
notes.py        probable mistakes of a bot
starters/       templates of bots, by language

bot-cases.json has the conformance cases for bots.
"""

from __future__ import annotations

from pathlib import Path

from referee.games.interface.capabilities import Starters
from referee.games.interface.definition import GameDefinition, part_of
from referee.games.interface.table import CardFacts
from referee.games.starrealms import notes
from referee.games.starrealms.log_player import StarRealmsLog
from referee.games.starrealms.page import PAGE
from referee.games.starrealms.person import StarRealmsDialogue
from referee.games.starrealms.rules import faults, messages
from referee.games.starrealms.rules.game import REASONS, Options, StarRealms, begin_at
from referee.games.starrealms.rules.situation import simplest_reply
from referee.games.starrealms.statistics import FleetStatistics
from referee.games.starrealms.turns import Turn, Turns
from referee.games.starrealms.vocabulary import VOCABULARY

RULES = GameDefinition(
    name="starrealms",
    specification="starrealms/protocol",
    options=Options,
    facts=CardFacts,
    new=StarRealms,
    public=messages.PUBLIC,
    requests=messages.REQUESTS,
    replies=messages.REPLIES,
    faults=faults.SECTIONS,
    reasons=REASONS,
    log_player=StarRealmsLog,
    turns=Turns,
    turn=Turn,
    person=StarRealmsDialogue,
    page=PAGE,
    make_environment=part_of("referee.games.starrealms.environment", "ENVIRONMENT"),
    vocabulary=VOCABULARY,
    statistics=FleetStatistics,
    notes=notes.notes,
    hint=notes.hint,
    cases=Path(__file__).with_name("bot-cases.json").read_bytes,
    situation=begin_at,
    simplest_reply=simplest_reply,
    starters=Starters(Path(__file__).with_name("starters"), "random_pilot"),
)

__all__ = ["RULES", "StarRealms"]
