"""Puts together the definition of Dominion, which becomes an entry in `GAMES`."""

from __future__ import annotations

from pathlib import Path

from referee.games.dominion.original import ORIGINAL
from referee.games.dominion.page import PAGE
from referee.games.dominion.person import DominionDialogue
from referee.games.dominion.rules import faults, messages
from referee.games.dominion.rules.game import REASONS, Dominion, Options, begin_at
from referee.games.dominion.rules.situation import simplest_reply
from referee.games.dominion.statistics import CardStatistics
from referee.games.dominion.turns import Turn, Turns
from referee.games.dominion.validation.checker import Checker
from referee.games.dominion.vocabulary import VOCABULARY
from referee.games.interface.capabilities import Starters
from referee.games.interface.definition import GameDefinition, called_late, part_of
from referee.games.interface.table import CardFacts

RULES = GameDefinition(
    name="dominion",
    specification="protocol-v1",
    max_seats=4,
    options=Options,
    facts=CardFacts,
    new=Dominion,
    public=messages.PUBLIC,
    requests=messages.REQUESTS,
    replies=messages.REPLIES,
    faults=faults.SECTIONS,
    reasons=REASONS,
    tie_break="turns taken",
    dialects={"original": ORIGINAL},
    is_game_info=messages.is_game_info,
    checker=Checker,
    turns=Turns,
    turn=Turn,
    page=PAGE,
    person=DominionDialogue,
    statistics=CardStatistics,
    notes=called_late("referee.games.dominion.notes", "notes"),
    hint=called_late("referee.games.dominion.notes", "hint"),
    cases=Path(__file__).with_name("bot-cases.json").read_bytes,
    situation=begin_at,
    simplest_reply=simplest_reply,
    # With this seed, a bot that plays like `minimal` wins in the first seat.
    starters=Starters(Path(__file__).with_name("starters"), "minimal --seed 4"),
    make_environment=part_of("referee.games.dominion.environment", "ENVIRONMENT"),
    vocabulary=VOCABULARY,
    make_probes=part_of("referee.games.dominion.probes", "PROBES"),
)

__all__ = ["RULES", "Dominion"]
