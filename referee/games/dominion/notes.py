"""Hints for authors about probable mistakes of their Dominion bot, and about the cause of a fault.

A hint is a guess. We only give it if we're nearly sure, because it would annoy the author of a bot
that does something odd on purpose.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from referee.games.dominion.kit import nearest
from referee.games.dominion.rules import faults
from referee.games.dominion.rules.cards import CARDS, KINGDOM
from referee.games.dominion.rules.game import Dominion
from referee.games.dominion.rules.player import Gains

_MANY_TURNS = 5
"""If a bot does nothing for more turns than this, it's probably a mistake and not a plan."""


def notes(game: Dominion) -> list[list[str]]:
    """Return a list of hints for each seat. Most of these lists are empty."""
    return [_of_seat(player.gains, player.actions_played) for player in game.table.players]


def _of_seat(gains: Sequence[Gains], played: set[str]) -> list[str]:
    if len(gains) <= _MANY_TURNS:
        return []
    bought = {card for turn in gains for card in turn.bought}
    if not bought:
        return [
            f"it bought nothing in {len(gains)} turns: a buy reply names the cards in "
            "`cards_to_buy`, and the treasures that pay for them in `played_treasures` (5.2)"
        ]
    # Cards of the last turns may not have been drawn yet, so they don't count.
    early = {card for turn in gains[:-_MANY_TURNS] for card in turn.bought}
    unplayed = [card for card in KINGDOM if card in early]
    if unplayed and not played:
        cards = " and ".join(unplayed) if len(unplayed) < 3 else f"{len(unplayed)} kinds of them"
        return [
            f"it bought action cards ({cards}) and never played one: an action reply comes "
            "before the buy reply (5.3)"
        ]
    return []


_FIELDS = {
    faults.NOT_AN_ACTION: "card",
    faults.CANNOT_BUY: "cards_to_buy",
    faults.BAD_TREASURE: "played_treasures",
    faults.BAD_DISCARD: "discard",
}
"""For each fault code, the field of the reply that contains the wrong card."""


def hint(code: str, asked: Mapping[str, Any], reply: Mapping[str, Any]) -> str:
    """Return the most likely cause of a fault, or "" if we have no idea.

    See `GameDefinition.hint` for the arguments.
    """
    # Look for a misspelt card first, because that would explain any of these faults.
    named = reply.get(_FIELDS.get(code, ""))
    for card in named if isinstance(named, list) else [named]:
        if isinstance(card, str) and card not in CARDS and (meant := nearest(card)):
            return f'did you mean "{meant}"?'
    if code == faults.NO_BUYS:
        return 'after a buy comes one more `play-turn`, with 0 buys; answer it with "cleanup"'
    if code == faults.NO_ACTIONS:
        return 'with 0 actions answer with "buy" or "cleanup"'
    # A bot that plays no treasures can only spend the money of its action cards.
    paid = reply.get("played_treasures") or asked.get("extra_money")
    if code == faults.CANNOT_BUY and not paid:
        return "only treasures that `played_treasures` names pay for cards"
    discards, held = reply.get("discard"), asked.get("options")
    if code == faults.BAD_DISCARD and isinstance(discards, list) and isinstance(held, list):
        for card, count in Counter(card for card in discards if isinstance(card, str)).items():
            there = held.count(card)
            if 0 < there < count:
                return f'it names "{card}" more often ({count}) than it holds it ({there})'
    return ""
