"""Dominion with the ten kingdom cards of protocol version 1. Nothing outside knows it.

cards.py       the cards as data
messages.py    the wire messages as structs
faults.py      the fault codes that only Dominion knows
supply.py      the seventeen piles
player.py      one seat's cards
table.py       players and supply; the moves that every rule is made of, and their messages
turn_state.py  what a turn has left to spend
effects.py     what each kingdom card does, militia and moat among them
turn.py        one turn: action, buy and clean-up replies
situation.py   where a game begins that begins in the middle
game.py        turns, end of the game, winners
reading.py     what a spectator knows of a game in the middle of it
explanation.py is there a course of a turn that sends its messages?
observer.py    what a spectator can check of a game
story.py       a match turn by turn, for people
sight.py       how a probe of another referee plays legally
tricks.py      what it does besides, and the cases that this is there for
probe_player.py  a probe's play: its tricks, and legally otherwise
plans.py       the matches that probes play
probes.py      all that, as the seam has it
follower.py    the chance of another referee, and which case a message is about
"""

from __future__ import annotations

from referee.dominion import faults, messages
from referee.dominion.game import REASONS, Dominion, begin_at
from referee.dominion.observer import Observer
from referee.dominion.situation import simplest_reply
from referee.dominion.story import Story, Turn
from referee.game import Rules
from referee.probing import Probes


def _probes() -> Probes:
    from referee.dominion.probes import PROBES

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
