"""Dominion for programs that learn (spec/python-rl.md).

actions.py     what can be chosen, as integers
knowledge.py   what a seat knows, from its view and its choices since
choices.py     a reply, choice after choice
translator.py  all of it as numbers
follower.py    the view of a bot, which has nothing but messages
"""

from __future__ import annotations

from referee.games.dominion.environment.actions import NAMES
from referee.games.dominion.environment.follower import Follower
from referee.games.dominion.environment.translator import Translator, layout
from referee.games.interface.environment import Environment

ENVIRONMENT = Environment(
    version=1,
    choices=NAMES,
    action_shape=lambda options: (),
    observation=layout,
    translator=Translator,
    follower=Follower,
)
