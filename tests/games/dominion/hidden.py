"""What a seat of Dominion may not know: protocol-v1, 2 and 4.1."""

from __future__ import annotations

from typing import Any

from referee.games.dominion.rules.messages import PlayerShuffled, PlayerTopDiscard
from tests.support.leaks import Pool

UNCOVERING = {PlayerTopDiscard: PlayerShuffled}
TOLD = frozenset(
    {
        "seats.own.own.discard_pile",  # in an order that is its own choice
        "seats.other.own.in_play",  # at the clean-up (2.6)
        "seats.other.own.shuffles",  # 2.10
        "seats.other.own.turns",  # each has one in turn
    }
)
GIVING: frozenset[str] = frozenset()
SHUFFLED = frozenset({"seats.own.deck"})


def pools(game: Any, seat: int) -> list[Pool]:
    """Where cards lie; of the others' discard piles only the top is told (2.8)."""
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
