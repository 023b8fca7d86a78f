"""The messages of Scripts of Tribute as structs (spec/tribute/protocol.md, 2).

The structs of outgoing messages are strict. `replies.py` checks the values of replies.
"""

from __future__ import annotations

from typing import Annotated, Any, ClassVar

from msgspec import UNSET, Meta, Struct, UnsetType

from referee.games.interface.data import about
from referee.games.interface.seats import OfPlayer, SeatId

FOLLOW_UPS = (
    *("enact-chosen-effect", "replace-cards-in-tavern", "acquire-cards", "destroy-cards"),
    *("discard-cards", "refresh-cards", "toss-cards", "knockout-agents", "donate"),
    *("complete-hlaalu", "complete-pellin", "complete-psijic", "complete-treasury"),
)
EVENTS = (
    *("gain-coin", "gain-power", "gain-prestige", "opp-lose-prestige", "draw"),
    *("add-patron-calls", "heal-agent", "attack-agent", "agent-death", "agent-hit"),
    *("acquire-card", "replace-tavern", "destroy-card", "discard", "refresh", "toss"),
    *("knockout", "knockout-all", "add-summerset-sacking", "add-boarding-party"),
    *("add-chainbreaker-sergeant", "add-soldier-of-the-empire"),
    *("add-bewilderment-to-opponent", "add-writ-of-coin"),
)
CARD_TYPES = ("ACTION", "AGENT", "CONTRACT_ACTION", "CONTRACT_AGENT", "STARTER", "CURSE")
ACTIONS = ("play-card", "activate-agent", "attack", "buy-card", "call-patron", "end-turn")
PLAY_CARD, ACTIVATE_AGENT, ATTACK, BUY_CARD, CALL_PATRON, END_TURN = ACTIONS

Count = Annotated[int, Meta(ge=0)]
TurnNumber = Annotated[int, about("Number of the turn, from 1, counted over both players.", ge=1)]
Uid = Annotated[int, about("Number of a card (1.6).", ge=10_000)]
CardId = Annotated[str, about("Id of a card's definition, such as GOLD (1.6).")]
Patron = Annotated[str, about("Id of a patron, such as HLAALU (1.6).")]
FollowUp = Annotated[str, Meta(extra_json_schema={"enum": list(FOLLOW_UPS)})]
EffectText = Annotated[str, about("Text of an effect, such as GAIN_POWER 1 (7.1).")]


# --- parts of messages ----------------------------------------------------------------------------


class CardRef(Struct, frozen=True, gc=False):
    """A card."""

    uid: Uid
    card: CardId


class AgentRef(Struct, frozen=True, gc=False):
    """An agent in play."""

    uid: Uid
    card: CardId
    hp: Annotated[int, about("Remaining HP.", ge=1)]
    activated: Annotated[bool, about("True if it was activated or came into play in this turn.")]


class CardRow(Struct, frozen=True):
    """The definition of a card (7)."""

    card: CardId
    name: str
    deck: Patron
    type: Annotated[str, Meta(extra_json_schema={"enum": list(CARD_TYPES)})]
    cost: Count
    hp: Annotated[int, Meta(ge=1)] | None
    taunt: bool
    effects: Annotated[
        list[str],
        about(
            "Effects of levels 1 to 4. An empty text means no effect.", min_length=4, max_length=4
        ),
    ]


Source = Annotated[CardRef | Patron | None, about("A card, a patron, or null.")]


class Action(Struct, frozen=True, gc=False):
    """An action in a turn (5.2)."""

    type: Annotated[str, Meta(extra_json_schema={"enum": list(ACTIONS)})]
    card: Uid | UnsetType = UNSET
    patron: Patron | UnsetType = UNSET


class Waiting(Struct, frozen=True, gc=False):
    """An effect that has not happened yet."""

    source: CardRef
    level: Annotated[int, Meta(ge=1, le=4)]
    effect: EffectText


class Me(Struct, frozen=True):
    """The player's own state. Piles start with the oldest card."""

    hand: list[CardRef]
    draw_pile: Annotated[list[CardRef], about("Draw pile, as a set (1.6).")]
    known: Annotated[list[CardRef], about("Known cards on top of the draw pile, top card first.")]
    cooldown: list[CardRef]
    played: list[CardRef]
    agents: list[AgentRef]
    coins: Count
    power: Count
    prestige: Count
    patron_calls: Count
    counters: Annotated[
        dict[Patron, int], about("Number of cards of each deck in this turn, up to 4 (4.4).")
    ]


class Opponent(Struct, frozen=True):
    """Everything that the player knows about the opponent."""

    hand_size: Count
    hand_and_draw: Annotated[list[CardRef], about("Hand and draw pile together, as a set (1.6).")]
    cooldown: list[CardRef]
    played: list[CardRef]
    agents: list[AgentRef]
    coins: Count
    power: Count
    prestige: Count


class State(Struct, frozen=True):
    """Everything that the player with the request knows about the game."""

    favours: Annotated[
        dict[Patron, SeatId | None], about("Patron -> the favoured player or null, in table order.")
    ]
    row: list[CardRef]
    tavern_deck: Annotated[list[CardRef], about("Tavern deck, as a set (1.6).")]
    start_of_next_turn: Annotated[
        list[Waiting], about("Effects at the start of the opponent's next turn.")
    ]
    me: Me
    opponent: Opponent


# --- messages to all ------------------------------------------------------------------------------


class GameInfo(Struct, frozen=True, tag_field="type", tag="game-info"):
    """The options of the match and the definitions of its cards. Sent once, after the names."""

    cards: Annotated[str, about("Card set.")]
    patrons: Annotated[list[Patron], about("Patrons that can be picked.")]
    max_turns: Annotated[int, Meta(ge=1)]
    max_actions: Annotated[int, Meta(ge=1)]
    chance: Annotated[str, Meta(extra_json_schema={"enum": ["streams", "engine"]})]
    card_table: list[CardRow]
    player_bot_names: Annotated[list[str], about("Names of the players, in seat order.")]
    game: Annotated[str, Meta(extra_json_schema={"const": "tribute"})] = "tribute"


class PatronPicked(OfPlayer, frozen=True, tag_field="type", tag="patron-picked", gc=False):
    """A patron was picked."""

    patron: Patron
    round: Annotated[int, Meta(ge=1, le=2)]


class TableSet(Struct, frozen=True, tag_field="type", tag="table-set"):
    """All cards of the game. Sent once, after the draft."""

    patrons: Annotated[list[Patron], about("Patrons, in table order.")]
    row: list[CardRef]
    tavern_deck: Annotated[list[CardRef], about("Tavern deck, as a set (1.6).")]
    starters: Annotated[list[list[CardRef]], about("Starting cards of each player, as sets (1.6).")]


class TurnStarted(Struct, frozen=True, tag_field="type", tag="turn-started", gc=False):
    """A turn begins."""

    turn: TurnNumber
    player_number: SeatId
    coins: Count


class Acted(OfPlayer, frozen=True, tag_field="type", tag="action", gc=False):
    """A player started an action. Its effects follow."""

    action: Action


class Chosen(OfPlayer, frozen=True, tag_field="type", tag="chosen"):
    """A choice was made."""

    follow_up: FollowUp
    source: Source
    cards: list[CardRef]
    effect: Annotated[int, Meta(ge=0, le=1)] | None


class Event(OfPlayer, frozen=True, tag_field="type", tag="event", gc=False):
    """An event, such as a gain of coins."""

    kind: Annotated[str, Meta(extra_json_schema={"enum": list(EVENTS)})]
    source: Source
    target: CardRef | None
    amount: int


class RowRefilled(Struct, frozen=True, tag_field="type", tag="row-refilled", gc=False):
    """A card left the row. `card` is its replacement, or null if the tavern deck is empty."""

    place: Count
    card: CardRef | None


class PlayerShuffled(OfPlayer, frozen=True, tag_field="type", tag="player-shuffled", gc=False):
    """A cooldown pile was shuffled and put under the draw pile."""


class PlayerDrew(OfPlayer, frozen=True, tag_field="type", tag="player-drew", gc=False):
    """Cards were drawn."""

    count: Annotated[int, Meta(ge=1)]


class TurnEnded(Struct, frozen=True, tag_field="type", tag="turn-ended"):
    """A turn ended. The draw follows."""

    turn: TurnNumber
    player_number: SeatId
    discarded: Annotated[list[CardRef], about("Cards of the hand, then cards played.")]
    prestige: Annotated[list[int], about("Prestige of the players, in seat order.")]


# --- messages to one bot --------------------------------------------------------------------------


class PatronRequest(Struct, frozen=True, tag_field="type", tag="patron-request"):
    """Asks the player to pick a patron (5.1)."""

    round: Annotated[int, Meta(ge=1, le=2)]
    available: Annotated[list[Patron], Meta(min_length=1)]
    picked: Annotated[list[Patron], about("Patrons picked so far, in order.")]


class PlayTurn(Struct, frozen=True, tag_field="type", tag="play-turn"):
    """Asks the player for an action (5.2)."""

    turn: TurnNumber
    state: State
    actions: Annotated[list[Action], about("All legal actions.", min_length=1)]


class ChooseRequest(Struct, frozen=True, tag_field="type", tag="choose-request"):
    """Asks the player to choose cards or an effect (5.3)."""

    turn: TurnNumber
    follow_up: FollowUp
    source: Annotated[CardRef | Patron, about("The card or patron that requests the choice.")]
    level: Annotated[
        int, about("Level of the card's effect. 0: a patron requests the choice.", ge=0, le=4)
    ]
    min: Count
    max: Count
    cards: Annotated[list[CardRef], about("Cards to choose from. Empty for an OR.")]
    effects: Annotated[list[EffectText], about("The two effects of an OR. Empty for cards.")]
    upcoming: Annotated[list[Waiting], about("Effects that follow, in order.")]
    state: State


# --- messages from a bot --------------------------------------------------------------------------


class PatronReply(Struct, frozen=True, tag_field="type", tag="patron-reply"):
    """The reply to `patron-request` (5.1)."""

    legal_has: ClassVar[tuple[str, ...]] = ("patron",)
    patron: Annotated[Any, about("One of `available`.", schema={"type": "string"})] = None


class PlayReply(Struct, frozen=True, tag_field="type", tag="play-reply"):
    """The reply to `play-turn` (5.2): an action, or an index."""

    legal_has: ClassVar[tuple[str, ...]] = ()
    action: Annotated[
        Any,
        about(
            "One of `actions`.",
            schema={
                "type": ["object", "null"],
                "properties": {
                    "type": {"type": "string", "enum": list(ACTIONS)},
                    "card": {"type": "number"},
                    "patron": {"type": "string"},
                },
                "required": ["type"],
            },
        ),
    ] = None
    index: Annotated[
        Any,
        about(
            "Index of an action in `actions`, from 0. Used if there is no `action`.",
            schema={"type": "number", "minimum": 0},
        ),
    ] = None


class ChooseReply(Struct, frozen=True, tag_field="type", tag="choose-reply"):
    """The reply to `choose-request` (5.3): cards, or an effect for an OR."""

    legal_has: ClassVar[tuple[str, ...]] = ()
    cards: Annotated[
        Any,
        about(
            "Different uids of `cards`, in any order.",
            schema={"type": "array", "items": {"type": "number"}},
        ),
    ] = None
    effect: Annotated[
        Any, about("0: left effect. 1: right effect.", schema={"type": "number", "enum": [0, 1]})
    ] = None


PUBLIC: tuple[type[Struct], ...] = (
    *(GameInfo, PatronPicked, TableSet, TurnStarted, Acted, Chosen, Event, RowRefilled),
    *(PlayerShuffled, PlayerDrew, TurnEnded),
)
REQUESTS: tuple[type[Struct], ...] = (PatronRequest, PlayTurn, ChooseRequest)
REPLIES: tuple[type[Struct], ...] = (PatronReply, PlayReply, ChooseReply)
