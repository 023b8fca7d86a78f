"""What a seat of Scripts of Tribute may not know: protocol, 4.9 and 4.11."""

from __future__ import annotations

from operator import attrgetter
from typing import Any

from referee.games.tribute.rules.messages import PlayerShuffled, TurnEnded
from tests.support.leaks import Pool

UNCOVERING = {TurnEnded: PlayerShuffled}
TOLD = frozenset({"seats.other.known"})  # the top of "seats.other.draw_pile"
GIVING = frozenset({"classic-leaks", "classic-index-leaks"})  # 6.10
UID = attrgetter("uid")
SHUFFLED = frozenset({"seats.draw_pile", "tavern_deck"})


def pools(game: Any, seat: int) -> list[Pool]:
    """The order of piles, hands, and the generators; its own hand while it is not asked.

    A seat knows the top of its draw pile where it has put or seen cards there, and everybody the
    cards that went below the tavern deck.
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
