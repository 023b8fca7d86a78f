"""Gives bots that are written in Python the kit of their game, which is a module of helpers.

    from referee.bot import DominionBot

A kit is a single file without dependencies, so you can also copy it next to your bot.
"""

from __future__ import annotations

# When a bot imports this module, its clock is already running. That's why the kits don't import
# anything else from the referee.
from referee.games.dominion.kit import CARDS as CARDS
from referee.games.dominion.kit import Card as Card
from referee.games.dominion.kit import Cards as Cards
from referee.games.dominion.kit import DominionBot as DominionBot
from referee.games.dominion.kit import PublicPlayer as PublicPlayer
from referee.games.dominion.kit import Reply as Reply
from referee.games.dominion.kit import State as State
from referee.games.dominion.kit import buy as buy
from referee.games.dominion.kit import end_turn as end_turn
from referee.games.dominion.kit import play as play
from referee.games.dominion.kit import reveal_moat as reveal_moat
