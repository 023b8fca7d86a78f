"""What Dominion is to the rest of the program: its entry in the registry of games."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from referee.games.dominion.rules import faults, messages
from referee.games.dominion.rules.game import REASONS, Dominion, Facts, Options, begin_at
from referee.games.dominion.rules.situation import simplest_reply
from referee.seam.capabilities import LogChecker, Starters, Statistics, TurnReader
from referee.seam.environment import Environment
from referee.seam.probing import Probes
from referee.seam.rules import Rules

if TYPE_CHECKING:
    from referee.seam.person import Dialogue


def _checker(names: Sequence[str]) -> LogChecker:
    from referee.games.dominion.validation.checker import Checker

    return Checker(names)


def _turns(names: Sequence[str]) -> TurnReader:
    from referee.games.dominion.turns import Turns

    return Turns(names)


def _turn() -> type[Struct]:
    from referee.games.dominion.turns import Turn

    return Turn


def _person(names: Sequence[str], seat: int) -> Dialogue:
    from referee.games.dominion.person import Player

    return Player(names, seat)


def _statistics() -> Statistics:
    from referee.games.dominion.statistics import CardStatistics

    return CardStatistics()


def _notes(game: Dominion) -> list[list[str]]:
    from referee.games.dominion.notes import notes

    return notes(game)


def _hint(code: str, asked: Mapping[str, Any], reply: Mapping[str, Any]) -> str:
    from referee.games.dominion.notes import hint

    return hint(code, asked, reply)


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
    person=_person,
    statistics=_statistics,
    notes=_notes,
    hint=_hint,
    cases=Path(__file__).with_name("bot-cases.json").read_bytes,
    situation=begin_at,
    simplest_reply=simplest_reply,
    probes=_probes,
    hidden="hands, replies or faults",
    tie_break="turns taken",
    is_game_info=messages.is_game_info,
    environment=_environment,
    # With this seed a bot that plays as `minimal` does wins in the first seat.
    starters=Starters(Path(__file__).with_name("starters"), "minimal --seed 4"),
)

__all__ = ["RULES", "Dominion"]
