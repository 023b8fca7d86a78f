"""The messages of Star Realms as structs (spec/starrealms/protocol.md, 2).

The outgoing structs are strict. `turn.py` and `effects.py` check the values of replies.
"""

from __future__ import annotations

from typing import Annotated, Any, ClassVar

from msgspec import UNSET, Meta, Struct, UnsetType, field

from referee.games.interface.seats import OfPlayer, SeatId
from referee.games.starrealms.rules.cards import CARDS

ACTIONS = (
    *("play", "use-base", "use-ally", "scrap", "buy"),
    *("attack-base", "attack-player", "end-turn"),
)
KINDS = (
    *("discard", "scrap", "scrap-trade-row", "destroy-base"),
    *("copy-ship", "gain-ship", "option"),
)
CardName = Annotated[
    str, Meta(description="A card's name (1.6).", extra_json_schema={"enum": list(CARDS)})
]
Count = Annotated[int, Meta(ge=0)]
TurnNumber = Annotated[int, Meta(ge=1, description="Counted from 1 over both players.")]
Pile = Annotated[str, Meta(extra_json_schema={"enum": ["discard", "deck"]})]
Place = Annotated[
    str, Meta(extra_json_schema={"enum": ["hand", "discard", "trade-row", "play", "opponent"]})
]


# --- parts ------------------------------------------------------------------------------------


class InPlay(Struct, frozen=True, gc=False):
    """A card in play."""

    card: CardName
    used: Annotated[bool, Meta(description="Whether its primary ability has nothing left to use.")]
    ally_used: Annotated[bool, Meta(description="Whether its ally ability was used this turn.")]


class Opponent(Struct, frozen=True):
    """A player's knowledge of the other."""

    authority: int
    hand_size: Count
    due: Annotated[int, Meta(ge=0, description="Discards at the start of its next turn.")]
    deck_size: Count
    shuffles: Count
    hidden: Annotated[list[CardName], Meta(description="Hand and deck together, by name.")]
    discard: Annotated[list[CardName], Meta(description="Oldest first.")]
    bases: Annotated[list[CardName], Meta(description="As played.")]


class State(Struct, frozen=True):
    """All that a player whose turn it is may know."""

    turn: TurnNumber
    authority: int
    trade: Count
    combat: Count
    next_ship_to_top: bool
    shuffles: Count
    hand: Annotated[list[CardName], Meta(description="As drawn.")]
    deck: Annotated[list[CardName], Meta(description="By name.")]
    discard: Annotated[list[CardName], Meta(description="Oldest first.")]
    in_play: Annotated[list[InPlay], Meta(description="As played.")]
    played: Annotated[list[CardName], Meta(description="This turn, the scrapped included.")]
    copied: Annotated[CardName | None, Meta(description="What a Stealth Needle copies.")]
    opponent: Opponent
    trade_row: Annotated[list[CardName], Meta(description="Oldest first.")]
    trade_deck: Annotated[int, Meta(ge=0, description="Its cards.")]
    explorers: Count


class Action(Struct, frozen=True, gc=False):
    """What can be done in a turn (5)."""

    action: Annotated[str, Meta(extra_json_schema={"enum": list(ACTIONS)})]
    card: CardName | UnsetType = UNSET
    to: Pile | UnsetType = UNSET


class Option(Struct, frozen=True):
    """What can be picked: a card, or effects."""

    card: CardName | UnsetType = UNSET
    from_: Place | UnsetType = field(default=UNSET, name="from")
    option: Annotated[int, Meta(ge=1)] | UnsetType = UNSET
    effects: list[dict[str, int]] | UnsetType = UNSET


# --- to all -----------------------------------------------------------------------------------


class GameInfo(Struct, frozen=True, tag_field="type", tag="game-info"):
    """Once, after the names."""

    game: Annotated[str, Meta(extra_json_schema={"const": "starrealms"})]
    max_turns: Annotated[int, Meta(ge=1, description="Turns a player.")]
    explorers: Count
    player_bot_names: Annotated[list[str], Meta(description="In seat order.")]


class TradeRow(Struct, frozen=True, tag_field="type", tag="trade-row"):
    """At the start, and after each change of the row or of the Explorers."""

    cards: Annotated[list[CardName], Meta(description="Oldest first.")]
    deck: Annotated[int, Meta(ge=0, description="Cards of the trade deck.")]
    explorers: Count


class TurnStarted(Struct, frozen=True, tag_field="type", tag="turn-started"):
    """A turn begins."""

    turn: TurnNumber
    player_number: SeatId


class PlayerDiscarded(OfPlayer, frozen=True, tag_field="type", tag="player-discarded"):
    """Cards of the hand were discarded, in this order."""

    cards: Annotated[list[CardName], Meta(min_length=1)]


class PlayerPlayed(OfPlayer, frozen=True, tag_field="type", tag="player-played"):
    """A card of the hand was played."""

    card: CardName


class PlayerUsed(OfPlayer, frozen=True, tag_field="type", tag="player-used"):
    """A base's primary ability, or an ally ability, was used."""

    card: CardName
    ability: Annotated[str, Meta(extra_json_schema={"enum": ["primary", "ally"]})]


class PlayerChose(OfPlayer, frozen=True, tag_field="type", tag="player-chose"):
    """One of two things was chosen."""

    card: Annotated[CardName, Meta(description="Whose ability it is: of a Needle, the copied.")]
    option: Annotated[int, Meta(ge=1)]


class PlayerCopied(OfPlayer, frozen=True, tag_field="type", tag="player-copied"):
    """A Stealth Needle copies a ship."""

    card: CardName


class PlayerScrapped(OfPlayer, frozen=True, tag_field="type", tag="player-scrapped"):
    """A card has left the game; an Explorer went back to its pile."""

    card: CardName
    from_: Annotated[
        str, Meta(extra_json_schema={"enum": ["hand", "discard", "trade-row", "play"]})
    ] = field(name="from")


class PlayerGained(OfPlayer, frozen=True, tag_field="type", tag="player-gained"):
    """A card was bought, or gained by a Blob Carrier."""

    gained: CardName
    paid: Count
    to: Pile


class PlayerDrew(OfPlayer, frozen=True, tag_field="type", tag="player-drew"):
    """Cards were drawn."""

    count: Annotated[int, Meta(ge=1)]


class PlayerShuffled(OfPlayer, frozen=True, tag_field="type", tag="player-shuffled"):
    """A discard pile became the deck; not for the initial deal."""


class BaseDestroyed(Struct, frozen=True, tag_field="type", tag="base-destroyed"):
    """A base went to its owner's discard pile."""

    player_number: Annotated[SeatId, Meta(description="The owner.")]
    card: CardName
    combat: Annotated[int, Meta(ge=0, description="Spent on it; 0: by an ability.")]


class PlayerAttacked(Struct, frozen=True, tag_field="type", tag="player-attacked"):
    """A player was attacked."""

    player_number: Annotated[SeatId, Meta(description="Who was attacked.")]
    combat: Annotated[int, Meta(ge=1)]
    authority: Annotated[int, Meta(description="What is left.")]


class TurnEnded(Struct, frozen=True, tag_field="type", tag="turn-ended"):
    """After the clean-up; all lists in seat order."""

    turn: TurnNumber
    player_number: SeatId
    authority: list[int]
    hand: Annotated[list[int], Meta(description="Cards in hand.")]
    deck: Annotated[list[int], Meta(description="Cards in the deck.")]
    discard: Annotated[list[int], Meta(description="Cards in the discard pile.")]
    due: Annotated[list[int], Meta(description="Discards due.")]


# --- to one bot -------------------------------------------------------------------------------


class PlayTurn(Struct, frozen=True, tag_field="type", tag="play-turn"):
    """Asks for actions (5)."""

    state: State
    actions: Annotated[list[Action], Meta(min_length=1, description="All that is legal.")]


class Choose(Struct, frozen=True, tag_field="type", tag="choose"):
    """Asks for a choice (6)."""

    kind: Annotated[str, Meta(extra_json_schema={"enum": list(KINDS)})]
    card: Annotated[CardName | None, Meta(description="Which asks; null: discards due.")]
    options: Annotated[list[Option], Meta(min_length=1)]
    least: Count
    most: Annotated[int, Meta(ge=1)]
    state: State


# --- from a bot -------------------------------------------------------------------------------


class PlayReply(Struct, frozen=True, tag_field="type", tag="play-reply"):
    """The answer to `play-turn` (5)."""

    legal_has: ClassVar[tuple[str, ...]] = ("actions",)
    actions: Annotated[
        Any,
        Meta(
            description="Actions, carried out in this order.",
            extra_json_schema={
                "type": "array",
                "minItems": 1,
                "items": {
                    "type": "object",
                    "properties": {
                        "action": {"type": "string", "enum": list(ACTIONS)},
                        "card": {"type": "string", "enum": list(CARDS)},
                        "to": {"type": "string", "enum": ["discard", "deck"]},
                    },
                    "required": ["action"],
                },
            },
        ),
    ] = None


class ChooseReply(Struct, frozen=True, tag_field="type", tag="choose-reply"):
    """The answer to `choose` (6)."""

    legal_has: ClassVar[tuple[str, ...]] = ("picks",)
    picks: Annotated[
        Any,
        Meta(
            description="Different indices of options, from 0, in the order to be carried out.",
            extra_json_schema={"type": "array", "items": {"type": "number", "minimum": 0}},
        ),
    ] = None


PUBLIC: tuple[type[Struct], ...] = (
    *(GameInfo, TradeRow, TurnStarted, PlayerDiscarded, PlayerPlayed, PlayerUsed, PlayerChose),
    *(PlayerCopied, PlayerScrapped, PlayerGained, PlayerDrew, PlayerShuffled, BaseDestroyed),
    *(PlayerAttacked, TurnEnded),
)
REQUESTS: tuple[type[Struct], ...] = (PlayTurn, Choose)
REPLIES: tuple[type[Struct], ...] = (PlayReply, ChooseReply)
