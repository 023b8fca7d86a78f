"""A toy card game, known to tests alone: an example of a whole game in one folder.

Each player has a hand that nobody else sees. In a trick each plays one card; the highest takes it
and leads to the next one. The most tricks win.

messages.py     what is said
rules.py        the game
view.py         the state as data, for each viewer
log_player.py   runs the rules behind a spectator log
turns.py        a match turn by turn, for people
person.py       what a person sees and can choose
environment.py  the game for programs that learn
hidden.py       cards that can change places unnoticed, for `tests/games/test_leaks.py`
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
