"""A toy card game, used only by tests, that shows how a complete game fits into one folder.

Each player has a hand that nobody else sees. In a trick, every player plays one card. The highest
card takes the trick, and its player leads the next one. The player with the most tricks wins.

messages.py     the JSON messages
rules.py        the game itself
view.py         the state as data, for each viewer
log_player.py   runs the rules to check a spectator log
turns.py        describes a match turn by turn for people
person.py       lets a person play
environment.py  observations and actions for programs that learn
hidden.py       cards that can be exchanged unnoticed, for `tests/games/test_leaks.py`
"""

from __future__ import annotations

from referee.games.interface.definition import GameDefinition, part_of
from referee.games.interface.turns import Turn

from . import messages
from .log_player import ToyCardsLog
from .person import ToyDialogue
from .rules import ALL_PLAYED, SECTIONS, Facts, Options, ToyCards
from .turns import Turns

GAME = GameDefinition(
    name="toy_cards",
    protocol=1,
    specification="toy_cards",
    min_seats=2,
    max_seats=4,
    options=Options,
    facts=Facts,
    new=ToyCards,
    public=messages.PUBLIC,
    requests=(messages.PlayRequest,),
    replies=(messages.PlayReply,),
    faults=SECTIONS,
    reasons={ALL_PLAYED: "all cards were played"},
    log_player=ToyCardsLog,
    turns=Turns,
    turn=Turn,
    person=ToyDialogue,
    make_environment=part_of(f"{__name__}.environment", "ENVIRONMENT"),
)
