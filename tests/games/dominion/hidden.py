"""Hidden information in Dominion, for test_leaks.py (protocol-v1, 2 and 4.1)."""

from __future__ import annotations

from typing import Any

from referee.games.dominion.rules.messages import PlayerShuffled, PlayerTopDiscard
from tests.support.leaks import Pool

UNCOVERING = {PlayerTopDiscard: PlayerShuffled}
TOLD = frozenset(
    {
        "seats.own.own.discard_pile",  # the bot chose the order itself
        "seats.other.own.in_play",  # announced at the clean-up (2.6)
        "seats.other.own.shuffles",  # every shuffle is announced (2.10)
        "seats.other.own.turns",  # seats take turns in order, so anyone can count
    }
)
GIVING: frozenset[str] = frozenset()
SHUFFLED = frozenset({"seats.own.deck"})


def pools(game: Any, seat: int) -> list[Pool]:
    """Cards whose places the seat can't know. It sees only the top of other discard piles (2.8)."""
    found = []
    for player in game.table.players:
        pile = player.discard_pile
        if player.seat != seat:
            found.append(Pool(player.hand, player.deck, (pile, slice(-1))))
        elif player.is_shown:
            found.append(Pool(player.deck))
        else:
            unseen = slice(-1 - len(player.unseen), -1)
            found.append(Pool(player.hand, player.deck, (pile, unseen)))
    return found
