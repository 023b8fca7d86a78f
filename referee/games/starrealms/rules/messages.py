"""The messages of Star Realms as structs (spec/starrealms/protocol.md, 2).

The structs of outgoing messages are strict. `turn.py` and `effects.py` check the values of replies.
"""

from __future__ import annotations

from typing import Annotated, Any, ClassVar

from msgspec import UNSET, Meta, Struct, UnsetType, field

from referee.games.interface.data import about
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
CardName = Annotated[str, about("Name of a card (1.6).", schema={"enum": list(CARDS)})]
Count = Annotated[int, Meta(ge=0)]
TurnNumber = Annotated[int, about("Number of the turn, from 1, counted over both players.", ge=1)]
Pile = Annotated[str, Meta(extra_json_schema={"enum": ["discard", "deck"]})]
Place = Annotated[
    str, Meta(extra_json_schema={"enum": ["hand", "discard", "trade-row", "play", "opponent"]})
]


# --- parts of messages ----------------------------------------------------------------------------


class InPlay(Struct, frozen=True, gc=False):
    """A card in play."""

    card: CardName
    used: Annotated[bool, about("True if its primary ability has no use left in this turn.")]
    ally_used: Annotated[bool, about("True if its ally ability was used in this turn.")]


class Opponent(Struct, frozen=True):
    """Everything that the player knows about the opponent."""

    authority: int
    hand_size: Count
    due: Annotated[int, about("Discards due at the start of its next turn.", ge=0)]
    deck_size: Count
    shuffles: Count
    hidden: Annotated[list[CardName], about("Hand and deck together, sorted by name.")]
    discard: Annotated[list[CardName], about("Discard pile, oldest card first.")]
    bases: Annotated[list[CardName], about("Bases in play, in the order of play.")]


class State(Struct, frozen=True):
    """Everything that the player whose turn it is knows about the game."""

    turn: TurnNumber
    authority: int
    trade: Count
    combat: Count
    next_ship_to_top: bool
    shuffles: Count
    hand: Annotated[list[CardName], about("Hand, in the order of drawing.")]
    deck: Annotated[list[CardName], about("Deck, sorted by name.")]
    discard: Annotated[list[CardName], about("Discard pile, oldest card first.")]
    in_play: Annotated[list[InPlay], about("Cards in play, in the order of play.")]
    played: Annotated[list[CardName], about("Cards played in this turn, including scrapped cards.")]
    copied: Annotated[CardName | None, about("The card that a Stealth Needle copies.")]
    opponent: Opponent
    trade_row: Annotated[list[CardName], about("Trade row, oldest card first.")]
    trade_deck: Annotated[int, about("Number of cards in the trade deck.", ge=0)]
    explorers: Count


class Action(Struct, frozen=True, gc=False):
    """An action in a turn (5)."""

    action: Annotated[str, Meta(extra_json_schema={"enum": list(ACTIONS)})]
    card: CardName | UnsetType = UNSET
    to: Pile | UnsetType = UNSET


class Option(Struct, frozen=True):
    """An option of a choice: a card, or effects."""

    card: CardName | UnsetType = UNSET
    from_: Place | UnsetType = field(default=UNSET, name="from")
    option: Annotated[int, Meta(ge=1)] | UnsetType = UNSET
    effects: list[dict[str, int]] | UnsetType = UNSET


# --- messages to all ------------------------------------------------------------------------------


class GameInfo(Struct, frozen=True, tag_field="type", tag="game-info"):
    """The options of the match. Sent once, after the names."""

    game: Annotated[str, Meta(extra_json_schema={"const": "starrealms"})]
    max_turns: Annotated[int, about("Turn limit per player.", ge=1)]
    explorers: Count
    player_bot_names: Annotated[list[str], about("Names of the players, in seat order.")]


class TradeRow(Struct, frozen=True, tag_field="type", tag="trade-row"):
    """The trade row. Sent at the start, and after each change of the row or of the Explorers."""

    cards: Annotated[list[CardName], about("Trade row, oldest card first.")]
    deck: Annotated[int, about("Number of cards in the trade deck.", ge=0)]
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
    """A primary ability of a base or an ally ability was used."""

    card: CardName
    ability: Annotated[str, Meta(extra_json_schema={"enum": ["primary", "ally"]})]


class PlayerChose(OfPlayer, frozen=True, tag_field="type", tag="player-chose"):
    """One of two options was chosen."""

    card: Annotated[
        CardName, about("Card with the ability. For a Stealth Needle, the copied card.")
    ]
    option: Annotated[int, Meta(ge=1)]


class PlayerCopied(OfPlayer, frozen=True, tag_field="type", tag="player-copied"):
    """A Stealth Needle copied a ship."""

    card: CardName


class PlayerScrapped(OfPlayer, frozen=True, tag_field="type", tag="player-scrapped"):
    """A card left the game. An Explorer went back to its pile."""

    card: CardName
    from_: Annotated[
        str, Meta(extra_json_schema={"enum": ["hand", "discard", "trade-row", "play"]})
    ] = field(name="from")


class PlayerGained(OfPlayer, frozen=True, tag_field="type", tag="player-gained"):
    """A card was bought, or gained through a Blob Carrier."""

    gained: CardName
    paid: Count
    to: Pile


class PlayerDrew(OfPlayer, frozen=True, tag_field="type", tag="player-drew"):
    """Cards were drawn."""

    count: Annotated[int, Meta(ge=1)]


class PlayerShuffled(OfPlayer, frozen=True, tag_field="type", tag="player-shuffled"):
    """A discard pile became the deck. Not sent for the initial deal."""


class BaseDestroyed(Struct, frozen=True, tag_field="type", tag="base-destroyed"):
    """A base went to its owner's discard pile."""

    player_number: Annotated[SeatId, about("Owner of the base.")]
    card: CardName
    combat: Annotated[
        int, about("Combat spent on the attack. 0: an ability destroyed the base.", ge=0)
    ]


class PlayerAttacked(Struct, frozen=True, tag_field="type", tag="player-attacked"):
    """A player was attacked."""

    player_number: Annotated[SeatId, about("The player who was attacked.")]
    combat: Annotated[int, Meta(ge=1)]
    authority: Annotated[int, about("Remaining authority of that player.")]


class TurnEnded(Struct, frozen=True, tag_field="type", tag="turn-ended"):
    """A turn ended, after the clean-up. All lists are in seat order."""

    turn: TurnNumber
    player_number: SeatId
    authority: list[int]
    hand: Annotated[list[int], about("Number of cards in each hand.")]
    deck: Annotated[list[int], about("Number of cards in each deck.")]
    discard: Annotated[list[int], about("Number of cards in each discard pile.")]
    due: Annotated[list[int], about("Discards due of each player.")]


# --- messages to one bot --------------------------------------------------------------------------


class PlayTurn(Struct, frozen=True, tag_field="type", tag="play-turn"):
    """Asks the player for actions (5)."""

    state: State
    actions: Annotated[list[Action], about("All legal actions.", min_length=1)]


class Choose(Struct, frozen=True, tag_field="type", tag="choose"):
    """Asks the player to choose from some options (6)."""

    kind: Annotated[str, Meta(extra_json_schema={"enum": list(KINDS)})]
    card: Annotated[
        CardName | None, about("The card that requires the choice. null: discards due.")
    ]
    options: Annotated[list[Option], Meta(min_length=1)]
    least: Count
    most: Annotated[int, Meta(ge=1)]
    state: State


# --- messages from a bot --------------------------------------------------------------------------


class PlayReply(Struct, frozen=True, tag_field="type", tag="play-reply"):
    """The reply to `play-turn` (5)."""

    legal_has: ClassVar[tuple[str, ...]] = ("actions",)
    actions: Annotated[
        Any,
        about(
            "Actions, which the referee carries out in this order.",
            schema={
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
    """The reply to `choose` (6)."""

    legal_has: ClassVar[tuple[str, ...]] = ("picks",)
    picks: Annotated[
        Any,
        about(
            "Different indices of options, from 0, in the order of execution.",
            schema={"type": "array", "items": {"type": "number", "minimum": 0}},
        ),
    ] = None


PUBLIC: tuple[type[Struct], ...] = (
    *(GameInfo, TradeRow, TurnStarted, PlayerDiscarded, PlayerPlayed, PlayerUsed, PlayerChose),
    *(PlayerCopied, PlayerScrapped, PlayerGained, PlayerDrew, PlayerShuffled, BaseDestroyed),
    *(PlayerAttacked, TurnEnded),
)
REQUESTS: tuple[type[Struct], ...] = (PlayTurn, Choose)
REPLIES: tuple[type[Struct], ...] = (PlayReply, ChooseReply)
