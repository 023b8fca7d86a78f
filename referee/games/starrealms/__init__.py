"""Star Realms, a deck-building game for two players.

The rest of the referee doesn't know the rules of the game and only uses `RULES`. Anything that is
specific to the game belongs in this package.

rules/          the rules, without I/O
log_player.py   replays a spectator log, for `validate` and the match page
turns.py        summarizes a match turn by turn, for `referee replay`
person.py       lets a person play in the terminal
vocabulary.py   the matchers, rule sets and keys that a rule file can use
rule_player.py  plays according to a rule file
page/           card data and charts for the match page, and the JavaScript that draws the table
environment.py  the environment for reinforcement learning
statistics.py   tables for many matches, such as how often a bot gained each card
notes.py        hints for bot authors about likely bugs
starters/       bot templates, by language

The conformance cases for bots are in bot-cases.json.
"""

from __future__ import annotations

from pathlib import Path

from referee.games.interface.capabilities import Starters
from referee.games.interface.definition import GameDefinition, called_late, part_of
from referee.games.interface.table import CardFacts
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
    notes=called_late("referee.games.starrealms.notes", "notes"),
    hint=called_late("referee.games.starrealms.notes", "hint"),
    cases=Path(__file__).with_name("bot-cases.json").read_bytes,
    situation=begin_at,
    simplest_reply=simplest_reply,
    starters=Starters(Path(__file__).with_name("starters"), "random_pilot"),
)

__all__ = ["RULES", "StarRealms"]
