"""Dominion with the ten kingdom cards of protocol version 1. Nothing outside knows it.

entry.py       the entry in the registry: RULES
rules/         the rules, pure
events.py      public messages as events: what the next ones read
ledger.py      supply and owned cards from public messages
validation/    what a spectator can check of a game
kit.py         for authors of bots: one file that can be copied, without imports
turns.py       a match turn by turn, for people
person.py      what a person who plays is told, sees and can choose
page/          what a page in the browser shows of it, and how it draws the table
statistics.py  the cards that bots buy, over many matches
notes.py       what a bot hardly meant to do, or not to do
environment.py the game for programs that learn
original.py    what bots of the server speak that the protocol came from
vocabulary.py  the words of rule files: matchers, sets, keys
rule_player.py what plays by a rule file, and what it sees
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
