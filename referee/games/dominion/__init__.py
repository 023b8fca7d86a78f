"""Dominion with the ten kingdom cards of protocol version 1.

entry.py       the entry in `GAMES`
rules/         the rules, without I/O
events.py      public messages as events, and the cards that they show
validation/    checks a spectator log
kit.py         a library for bots, in a single file that authors can copy
turns.py       reads a match turn by turn, for people
person.py      a human player: news, state and choices
page/          Dominion's parts of the match page, such as the drawing of the table
statistics.py  statistics of the cards that bots get, over many matches
notes.py       hints about probable mistakes of a bot
environment.py the game for reinforcement learning
original.py    the language of bots for the protocol's first server
vocabulary.py  the words of rule files: matchers, sets, keys
rule_player.py plays by a rule file
probes/        tests of other referees of Dominion
starters/      templates of bots, by language

bot-cases.json has the conformance cases for bots.
"""

from __future__ import annotations

from referee._lazy import lazy

TYPE_CHECKING = False  # like typing.TYPE_CHECKING, but typing is slow to import
if TYPE_CHECKING:
    from referee.games.dominion.entry import RULES as RULES
    from referee.games.dominion.entry import Dominion as Dominion
else:  # We load the rules on first use, because a bot that only imports the kit doesn't need them.
    __getattr__, __dir__ = lazy(__name__)
