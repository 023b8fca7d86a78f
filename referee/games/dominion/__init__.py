"""Dominion with the ten kingdom cards of protocol version 1. Nothing outside knows it.

entry.py       the entry in the registry: RULES
rules/         the rules, pure
events.py      public messages as events, and the cards that follow from them
validation/    checks a spectator log
kit.py         for authors of bots: one file that can be copied; has a copy of the cards
turns.py       a match turn by turn, for people
person.py      a person who plays: news, state and choices
page/          its parts of the page in the browser, and the drawing of the table
statistics.py  the cards that bots buy, over many matches
notes.py       probable slips of a bot
environment.py the game for programs that learn
original.py    the language of bots for the protocol's first server
vocabulary.py  the words of rule files: matchers, sets, keys
rule_player.py plays by a rule file
probes/        how another referee of it is checked
starters/      bots to start from, by language

bot-cases.json has the conformance cases for bots.
"""

from __future__ import annotations

TYPE_CHECKING = False  # as in typing, which takes long to load
if TYPE_CHECKING:
    from referee.games.dominion.entry import RULES, Dominion

__all__ = ["RULES", "Dominion"]


def __getattr__(name: str) -> object:
    """Load the rules when they are first asked for: a bot that imports the kit needs none."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from referee.games.dominion import entry

    value: object = getattr(entry, name)
    return value
