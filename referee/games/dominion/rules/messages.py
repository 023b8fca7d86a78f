"""The messages of Dominion as structs (protocol-v1, 2).

Structs for sending are strict. Replies are decoded loosely, because sections 5 to 7 define
different consequences for a missing list, a list with a wrong card, and a number in place of a
list. The rules check the values. The schemas describe legal replies; `legal_has` names the fields
that a legal reply must have.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from referee.games.dominion.rules.cards import CARDS, KINGDOM, kingdom_of
from referee.games.interface.data import about
from referee.games.interface.seats import OfPlayer

_ALWAYS = kingdom_of(None)
_LEAST_PILES = len(CARDS) - len(KINGDOM) + len(_ALWAYS)
CardId = Annotated[str, about("Id of a card (1.6).", schema={"enum": list(CARDS)})]
ActionId = Annotated[
    Any, about("Id of an action card.", schema={"type": "string", "enum": list(KINGDOM)})
]
_CARD = {"type": "string", "enum": list(CARDS)}
_CARDS = {"type": "array", "items": _CARD}
_PARAMETERS = {
    "cards": _CARDS,
    "card_to_trash": _CARD,
    "desired_card": {"type": ["string", "null"], "enum": [*CARDS, None]},
}
_LooseCard = Annotated[Any, about("Id of a card.", schema=_CARD)]
_LooseCards = Annotated[Any, about("Ids of cards.", schema=_CARDS)]


class Pile(Struct, frozen=True, gc=False):
    """A pile of the supply."""

    card: CardId
    count: Annotated[int, Meta(ge=0)]


# --- to all -----------------------------------------------------------------------------------


class GameInfo(Struct, frozen=True, gc=False, tag_field="type", tag="game-info"):
    """Sent once, after the names."""

    kingdom_cards: Annotated[list[CardId], Meta(min_length=len(_ALWAYS), max_length=len(KINGDOM))]
    player_bot_names: Annotated[list[str], about("In seat order.")]


class SupplyInfo(Struct, frozen=True, gc=False, tag_field="type", tag="supply-info"):
    """Sent at the start and after every change. Lists all 17 piles in a fixed order."""

    # This is a tuple because the supply keeps the message for reuse, so nobody may modify it.
    cards: Annotated[tuple[Pile, ...], Meta(min_length=_LEAST_PILES, max_length=len(CARDS))]


class PlayerGained(OfPlayer, frozen=True, gc=False, tag_field="type", tag="player-gained"):
    """Sent after each single gain or buy."""

    gained: CardId


class PlayerPlayed(OfPlayer, frozen=True, gc=False, tag_field="type", tag="player-played"):
    """Sent at the clean-up of a turn in which cards were played. Lists these cards in order."""

    played: Annotated[list[CardId], Meta(min_length=1)]


class PlayerTrashed(OfPlayer, frozen=True, gc=False, tag_field="type", tag="player-trashed"):
    """Sent whenever cards are trashed."""

    trashed: Annotated[list[CardId], Meta(min_length=1)]


class PlayerTopDiscard(OfPlayer, frozen=True, gc=False, tag_field="type", tag="player-top-discard"):
    """Sent whenever cards are discarded, before any draw or shuffle that follows."""

    card: CardId


class PlayerReveal(OfPlayer, frozen=True, gc=False, tag_field="type", tag="player-reveal"):
    """Sent when a player reveals a moat from the hand."""

    from_: Annotated[str, Meta(extra_json_schema={"const": "hand"})] = msgspec.field(name="from")
    cards: Annotated[list[CardId], Meta(min_length=1)]


class PlayerShuffled(OfPlayer, frozen=True, gc=False, tag_field="type", tag="player-shuffled"):
    """Sent when a discard pile becomes the deck, but not for the initial deal."""


# --- to one bot -------------------------------------------------------------------------------


class PlayTurn(Struct, frozen=True, gc=False, tag_field="type", tag="play-turn"):
    """Asks for the next decision in the bot's turn (5)."""

    actions: Annotated[int, about("Remaining actions.", ge=0)]
    buys: Annotated[int, about("Remaining buys.", ge=0)]
    extra_money: Annotated[int, about("Money from action cards, without treasures.", ge=0)]
    hand: list[CardId]
    cards_played: Annotated[list[CardId], about("Cards played this turn, in order.")]
    cards_bought: Annotated[list[CardId], about("Cards bought this turn.")]
    cards_gained: Annotated[list[CardId], about("Cards gained this turn, including bought ones.")]


class AttackRequest(Struct, frozen=True, gc=False, tag_field="type", tag="attack-request"):
    """Asks a bot to discard cards because of a militia (7.1)."""

    discard: Annotated[int, about("Number of cards to discard.", ge=1)]
    options: Annotated[list[CardId], about("The complete hand.")]


# --- from a bot -------------------------------------------------------------------------------


class PlayReply(Struct, frozen=True, tag_field="type", tag="play-reply"):
    """The reply to `play-turn`: clean-up (5.1), buy (5.2) or action (5.3), depending on `phase`."""

    legal_has: ClassVar[tuple[str, ...]] = ("phase",)
    phase: Annotated[
        Any, Meta(extra_json_schema={"type": "string", "enum": ["action", "buy", "cleanup"]})
    ] = None
    top_discard: _LooseCard | None = None
    played_treasures: _LooseCards | UnsetType = UNSET
    cards_to_buy: _LooseCards | UnsetType = UNSET
    card: ActionId | UnsetType = UNSET
    additional_parameters: (
        Annotated[
            Any,
            about(
                "Parameters of the card (6).", schema={"type": "object", "properties": _PARAMETERS}
            ),
        ]
        | UnsetType
    ) = UNSET


class AttackReply(Struct, frozen=True, tag_field="type", tag="attack-reply"):
    """The reply to `attack-request`: discards, the last one on top (7.2)."""

    legal_has: ClassVar[tuple[str, ...]] = ("discard",)
    discard: _LooseCards = None


class AttackReplyReaction(Struct, frozen=True, tag_field="type", tag="attack-reply-reaction"):
    """The reply to `attack-request` with a moat in hand (7.3)."""

    legal_has: ClassVar[tuple[str, ...]] = ("reaction",)
    reaction: Annotated[Any, Meta(extra_json_schema={"const": "moat"})] = None


PUBLIC = (
    *(GameInfo, SupplyInfo, PlayerGained, PlayerPlayed, PlayerTrashed, PlayerTopDiscard),
    *(PlayerReveal, PlayerShuffled),
)
REQUESTS = (PlayTurn, AttackRequest)
REPLIES = (PlayReply, AttackReply, AttackReplyReaction)


def is_game_info(message: Mapping[str, Any]) -> bool:
    """Return True if a `game-info` is from Dominion, i.e. has a kingdom and no `game`."""
    return "kingdom_cards" in message and "game" not in message
