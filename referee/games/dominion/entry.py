"""Dominion's entry in the registry of games."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from referee.games.dominion.rules import faults, messages
from referee.games.dominion.rules.game import REASONS, Dominion, Options, begin_at
from referee.games.dominion.rules.situation import simplest_reply
from referee.games.interface.capabilities import Starters
from referee.games.interface.definition import GameDefinition, loaded
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
    dialects={"original": partial(loaded, "referee.games.dominion.original:ORIGINAL")},
    extras={
        "is_game_info": messages.is_game_info,
        "checker": "referee.games.dominion.validation.checker:Checker",
        "turns": "referee.games.dominion.turns:Turns",
        "turn": "referee.games.dominion.turns:Turn",
        "page": "referee.games.dominion.page:PAGE",
        "person": "referee.games.dominion.person:DominionDialogue",
        "statistics": "referee.games.dominion.statistics:CardStatistics",
        "notes": "referee.games.dominion.notes:notes",
        "hint": "referee.games.dominion.notes:hint",
        "cases": Path(__file__).with_name("bot-cases.json").read_bytes,
        "situation": begin_at,
        "simplest_reply": simplest_reply,
        # With this seed a bot that plays as `minimal` does wins in the first seat.
        "starters": Starters(Path(__file__).with_name("starters"), "minimal --seed 4"),
        "environment": "referee.games.dominion.environment:ENVIRONMENT",
        "vocabulary": "referee.games.dominion.vocabulary:VOCABULARY",
        "probes": "referee.games.dominion.probes:PROBES",
    },
)

__all__ = ["RULES", "Dominion"]
