"""Dominion with the ten kingdom cards of protocol version 1. Nothing outside knows it.

rules/        the rules, pure
events.py     public messages as events: what the next two read
validation/   what a spectator can check of a game
story.py      a match turn by turn, for people
probes/       how another referee of it is checked
"""

from __future__ import annotations

from referee.games.dominion.rules import faults, messages
from referee.games.dominion.rules.game import REASONS, Dominion, begin_at
from referee.games.dominion.rules.situation import simplest_reply
from referee.games.dominion.story import Story, Turn
from referee.games.dominion.validation.observer import Observer
from referee.seam.probing import Probes
from referee.seam.rules import Rules


def _probes() -> Probes:
    from referee.games.dominion.probes import PROBES

    return PROBES


RULES = Rules(
    name="dominion",
    protocol=1,
    min_seats=2,
    max_seats=4,
    new=Dominion,
    public=messages.PUBLIC,
    requests=messages.REQUESTS,
    replies=messages.REPLIES,
    faults=faults.SECTIONS,
    reasons=REASONS,
    observer=Observer,
    story=Story,
    turn=Turn,
    situation=begin_at,
    simplest_reply=simplest_reply,
    probes=_probes,
)

__all__ = ["RULES", "Dominion"]
