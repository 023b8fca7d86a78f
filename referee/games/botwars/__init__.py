"""Bot Wars: two armies of botlets on a grid, both move at once, nothing is hidden.

rules/         the rules, pure
checker.py     what a spectator can check of a game: every turn is played again
turns.py       a match turn by turn, for people
statistics.py  what becomes of botlets and energy, over many matches
dialect.py     what classic bots speak
starters/      bots to start from, by language
environment.py the game for programs that learn

bot-cases.json has the conformance cases for bots.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from types import MappingProxyType

from msgspec import Struct

from referee.games.botwars.rules import messages, moves
from referee.games.botwars.rules.game import (
    REASONS,
    BotWars,
    Facts,
    Options,
    begin_at,
    simplest_reply,
)
from referee.seam.capabilities import LogChecker, Starters, Statistics, TurnReader
from referee.seam.dialect import DialectKind
from referee.seam.environment import Environment
from referee.seam.rules import Rules


def _checker(names: Sequence[str]) -> LogChecker:
    from referee.games.botwars.checker import Checker

    return Checker(names)


def _turns(names: Sequence[str]) -> TurnReader:
    from referee.games.botwars.turns import Turns

    return Turns(names)


def _turn() -> type[Struct]:
    from referee.games.botwars.turns import Turn

    return Turn


def _statistics() -> Statistics:
    from referee.games.botwars.statistics import ArmyStatistics

    return ArmyStatistics()


def _classic() -> DialectKind:
    from referee.games.botwars.dialect import Classic

    return DialectKind(Classic)


def _classic_form() -> DialectKind:
    from referee.games.botwars.dialect import FORM_FIELD, Classic

    return DialectKind(Classic, form_field=FORM_FIELD)


def _environment() -> Environment:
    from referee.games.botwars.environment import ENVIRONMENT

    return ENVIRONMENT


RULES = Rules(
    name="botwars",
    protocol=1,
    specification="botwars/protocol",
    min_seats=2,
    max_seats=2,
    options=Options,
    limits=MappingProxyType({"time_limit": 5.0, "line_limit": 2**20}),
    facts=Facts,
    new=BotWars,
    public=messages.PUBLIC,
    requests=messages.REQUESTS,
    replies=messages.REPLIES,
    faults=moves.SECTIONS,
    reasons=REASONS,
    checker=_checker,
    turns=_turns,
    turn=_turn,
    statistics=_statistics,
    cases=Path(__file__).with_name("bot-cases.json").read_bytes,
    situation=begin_at,
    simplest_reply=simplest_reply,
    starters=Starters(Path(__file__).with_name("starters"), "random_walker"),
    environment=_environment,
    dialects={"classic": _classic, "classic-form": _classic_form},
)

__all__ = ["RULES", "BotWars"]
