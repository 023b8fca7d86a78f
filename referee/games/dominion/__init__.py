"""Dominion with the ten kingdom cards of protocol version 1. Nothing outside knows it.

rules/         the rules, pure
events.py      public messages as events: what the next two read
validation/    what a spectator can check of a game
turns.py       a match turn by turn, for people
statistics.py  the cards that bots buy, over many matches
environment/   the game for programs that learn
probes/        how another referee of it is checked
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from msgspec import Struct

from referee.games.dominion.rules import faults, messages
from referee.games.dominion.rules.game import REASONS, Dominion, Facts, Options, begin_at
from referee.games.dominion.rules.situation import simplest_reply
from referee.seam.capabilities import LogChecker, Statistics, TurnReader
from referee.seam.environment import Environment
from referee.seam.probing import Probes
from referee.seam.rules import Rules
from referee.seam.spec_files import read_spec


def _checker(names: Sequence[str]) -> LogChecker:
    from referee.games.dominion.validation.checker import Checker

    return Checker(names)


def _turns(names: Sequence[str]) -> TurnReader:
    from referee.games.dominion.turns import Turns

    return Turns(names)


def _turn() -> type[Struct]:
    from referee.games.dominion.turns import Turn

    return Turn


def _statistics() -> Statistics:
    from referee.games.dominion.statistics import CardStatistics

    return CardStatistics()


def _probes() -> Probes:
    from referee.games.dominion.probes import PROBES

    return PROBES


def _environment() -> Environment:
    from referee.games.dominion.environment import ENVIRONMENT

    return ENVIRONMENT


RULES = Rules(
    name="dominion",
    protocol=1,
    specification="protocol-v1",
    min_seats=2,
    max_seats=4,
    options=Options,
    facts=Facts,
    new=Dominion,
    public=messages.PUBLIC,
    requests=messages.REQUESTS,
    replies=messages.REPLIES,
    faults=faults.SECTIONS,
    reasons=REASONS,
    checker=_checker,
    turns=_turns,
    turn=_turn,
    statistics=_statistics,
    cases=partial(read_spec, "vectors/bot-cases.json"),
    situation=begin_at,
    simplest_reply=simplest_reply,
    probes=_probes,
    hidden="hands, replies or faults",
    tie_break="turns taken",
    is_game_info=messages.is_game_info,
    environment=_environment,
)

__all__ = ["RULES", "Dominion"]
