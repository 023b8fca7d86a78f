"""Hidden information in Scripts of Tribute, for test_leaks.py (protocol, 4.9 and 4.11)."""

from __future__ import annotations

from operator import attrgetter
from typing import Any

from referee.games.tribute.rules.messages import PlayerShuffled, TurnEnded
from tests.support.leaks import Pool

UNCOVERING = {TurnEnded: PlayerShuffled}
TOLD = frozenset({"seats.other.known"})  # compared as the top of `seats.other.draw_pile`
# These dialects reveal the order of piles (6.10).
GIVING = frozenset({"classic-leaks", "classic-index-leaks"})
UID = attrgetter("uid")
SHUFFLED = frozenset({"seats.draw_pile", "tavern_deck"})


def pools(game: Any, seat: int) -> list[Pool]:
    """The order of piles, the hands and the generators; the seat's own hand if it has no request.

    A seat knows the cards on top of its draw pile that it has seen or put there. Everybody knows
    the cards that went below the tavern deck.
    """
    table = game.table
    asked = [request.seat for request in game.requests]
    above = (table.deck, slice(len(table.deck) - table.known_below))
    found = [Pool(table.generators, key=attrgetter("state")), Pool(above, key=UID)]
    for player in table.players:
        if player.seat == seat in asked:
            found.append(Pool((player.draw_pile, slice(player.known, None)), key=UID))
        else:
            found.append(Pool(player.hand, player.draw_pile, key=UID))
    return found
