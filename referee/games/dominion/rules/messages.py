"""The messages of Dominion as structs (protocol-v1, 2).

The structs that go out are strict. The replies are decoded as loosely as sections 5 to 7 treat
them, where a missing list, a list with a wrong card in the middle and a number in a list's place
have different consequences: the rules look at the values, the schemas say what a legal one is
(`legal_has` names the fields that a legal reply cannot do without).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from referee.games.dominion.rules.cards import CARDS, KINGDOM
from referee.games.interface.seats import OfPlayer

CardId = Annotated[
    str, Meta(description="A card's id (1.6).", extra_json_schema={"enum": list(CARDS)})
]
ActionId = Annotated[
    Any,
    Meta(
        description="An action card's id.",
        extra_json_schema={"type": "string", "enum": list(KINGDOM)},
    ),
]
_CARD = {"type": "string", "enum": list(CARDS)}
_CARDS = {"type": "array", "items": _CARD}
_PARAMETERS = {
    "cards": _CARDS,
    "card_to_trash": _CARD,
    "desired_card": {"type": ["string", "null"], "enum": [*CARDS, None]},
}
_LooseCard = Annotated[Any, Meta(description="A card's id.", extra_json_schema=_CARD)]
_LooseCards = Annotated[Any, Meta(description="Card ids.", extra_json_schema=_CARDS)]


class Pile(Struct, frozen=True, gc=False):
    """One pile of the supply."""

    card: CardId
    count: Annotated[int, Meta(ge=0)]


# --- to all -----------------------------------------------------------------------------------


class GameInfo(Struct, frozen=True, gc=False, tag_field="type", tag="game-info"):
    """Once, after the names."""

    kingdom_cards: Annotated[list[CardId], Meta(min_length=10, max_length=10)]
    player_bot_names: Annotated[list[str], Meta(description="In seat order.")]


class SupplyInfo(Struct, frozen=True, gc=False, tag_field="type", tag="supply-info"):
    """Once at the start, then after every change: all 17 piles, in fixed order."""

    # A tuple: the supply keeps it until the next change.
    cards: Annotated[tuple[Pile, ...], Meta(min_length=17, max_length=17)]


class PlayerGained(OfPlayer, frozen=True, gc=False, tag_field="type", tag="player-gained"):
    """After each single gain or buy."""

    gained: CardId


class PlayerPlayed(OfPlayer, frozen=True, gc=False, tag_field="type", tag="player-played"):
    """Once a turn, at its clean-up: actions and treasures in play order. Not sent if empty."""

    played: Annotated[list[CardId], Meta(min_length=1)]


class PlayerTrashed(OfPlayer, frozen=True, gc=False, tag_field="type", tag="player-trashed"):
    """After each trashing."""

    trashed: Annotated[list[CardId], Meta(min_length=1)]


class PlayerTopDiscard(OfPlayer, frozen=True, gc=False, tag_field="type", tag="player-top-discard"):
    """After each discarding, before any draw or shuffle that follows it."""

    card: CardId


class PlayerReveal(OfPlayer, frozen=True, gc=False, tag_field="type", tag="player-reveal"):
    """When a hand card is revealed (moat)."""

    from_: Annotated[str, Meta(extra_json_schema={"const": "hand"})] = msgspec.field(name="from")
    cards: Annotated[list[CardId], Meta(min_length=1)]


class PlayerShuffled(OfPlayer, frozen=True, gc=False, tag_field="type", tag="player-shuffled"):
    """When a discard pile becomes the deck; not for the initial deal."""


# --- to one bot -------------------------------------------------------------------------------


class PlayTurn(Struct, frozen=True, gc=False, tag_field="type", tag="play-turn"):
    """Asks for a decision of the bot's turn (5)."""

    actions: Annotated[int, Meta(ge=0, description="Actions left.")]
    buys: Annotated[int, Meta(ge=0, description="Buys left.")]
    extra_money: Annotated[int, Meta(ge=0, description="Money from actions, treasures apart.")]
    hand: list[CardId]
    cards_played: Annotated[list[CardId], Meta(description="This turn, in play order.")]
    cards_bought: Annotated[list[CardId], Meta(description="This turn.")]
    cards_gained: Annotated[list[CardId], Meta(description="This turn, buys included.")]


class AttackRequest(Struct, frozen=True, gc=False, tag_field="type", tag="attack-request"):
    """Asks for discards to a militia (7.1)."""

    discard: Annotated[int, Meta(ge=1, description="How many cards to discard.")]
    options: Annotated[list[CardId], Meta(description="The whole hand.")]


# --- from a bot -------------------------------------------------------------------------------


class PlayReply(Struct, frozen=True, tag_field="type", tag="play-reply"):
    """The answer to `play-turn`: clean-up (5.1), buy (5.2) or action (5.3), by `phase`."""

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
            Meta(
                description="The card's parameters (6).",
                extra_json_schema={"type": "object", "properties": _PARAMETERS},
            ),
        ]
        | UnsetType
    ) = UNSET


class AttackReply(Struct, frozen=True, tag_field="type", tag="attack-reply"):
    """The answer to `attack-request`: the discards, the last one on top (7.2)."""

    legal_has: ClassVar[tuple[str, ...]] = ("discard",)
    discard: _LooseCards = None


class AttackReplyReaction(Struct, frozen=True, tag_field="type", tag="attack-reply-reaction"):
    """The answer to `attack-request` with a moat in hand (7.3)."""

    legal_has: ClassVar[tuple[str, ...]] = ("reaction",)
    reaction: Annotated[Any, Meta(extra_json_schema={"const": "moat"})] = None


PUBLIC = (
    *(GameInfo, SupplyInfo, PlayerGained, PlayerPlayed, PlayerTrashed, PlayerTopDiscard),
    *(PlayerReveal, PlayerShuffled),
)
REQUESTS = (PlayTurn, AttackRequest)
REPLIES = (PlayReply, AttackReply, AttackReplyReaction)


def is_game_info(message: Mapping[str, Any]) -> bool:
    """Whether a `game-info` of any game is one of these: it names a kingdom, and no game."""
    return "kingdom_cards" in message and "game" not in message
