"""The messages of Scripts of Tribute as structs (spec/tribute/protocol.md, 2).

The outgoing structs are strict. `replies.py` checks the values of replies.
"""

from __future__ import annotations

from typing import Annotated, Any, ClassVar

from msgspec import UNSET, Meta, Struct, UnsetType

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
TurnNumber = Annotated[int, Meta(ge=1, description="Counted from 1 over both players.")]
Uid = Annotated[int, Meta(ge=10_000, description="Of a card (1.6).")]
CardId = Annotated[str, Meta(description="Of a definition, such as GOLD (1.6).")]
Patron = Annotated[str, Meta(description="A patron's id, such as HLAALU (1.6).")]
FollowUp = Annotated[str, Meta(extra_json_schema={"enum": list(FOLLOW_UPS)})]
EffectText = Annotated[str, Meta(description="Such as GAIN_POWER 1 (7.1).")]


# --- parts ------------------------------------------------------------------------------------


class CardRef(Struct, frozen=True, gc=False):
    """A card."""

    uid: Uid
    card: CardId


class AgentRef(Struct, frozen=True, gc=False):
    """An agent in play."""

    uid: Uid
    card: CardId
    hp: Annotated[int, Meta(ge=1, description="What is left.")]
    activated: Annotated[bool, Meta(description="This turn.")]


class CardRow(Struct, frozen=True):
    """The facts of a card (7)."""

    card: CardId
    name: str
    deck: Patron
    type: Annotated[str, Meta(extra_json_schema={"enum": list(CARD_TYPES)})]
    cost: Count
    hp: Annotated[int, Meta(ge=1)] | None
    taunt: bool
    effects: Annotated[
        list[str],
        Meta(min_length=4, max_length=4, description="Of the levels 1 to 4; empty for none."),
    ]


Source = Annotated[CardRef | Patron | None, Meta(description="A card, a patron, or null.")]


class Action(Struct, frozen=True, gc=False):
    """What can be done in a turn (5.2)."""

    type: Annotated[str, Meta(extra_json_schema={"enum": list(ACTIONS)})]
    card: Uid | UnsetType = UNSET
    patron: Patron | UnsetType = UNSET


class Waiting(Struct, frozen=True, gc=False):
    """An effect that is still to come."""

    source: CardRef
    level: Annotated[int, Meta(ge=1, le=4)]
    effect: EffectText


class Me(Struct, frozen=True):
    """A player's knowledge of itself; piles from the oldest card."""

    hand: list[CardRef]
    draw_pile: Annotated[list[CardRef], Meta(description="A set (1.6).")]
    known: Annotated[list[CardRef], Meta(description="The known top of it, top first.")]
    cooldown: list[CardRef]
    played: list[CardRef]
    agents: list[AgentRef]
    coins: Count
    power: Count
    prestige: Count
    patron_calls: Count
    counters: Annotated[dict[Patron, int], Meta(description="Cards of each deck, up to 4 (4.4).")]


class Opponent(Struct, frozen=True):
    """A player's knowledge of the other."""

    hand_size: Count
    hand_and_draw: Annotated[list[CardRef], Meta(description="Hand and draw pile as one set.")]
    cooldown: list[CardRef]
    played: list[CardRef]
    agents: list[AgentRef]
    coins: Count
    power: Count
    prestige: Count


class State(Struct, frozen=True):
    """The knowledge of a player with a request."""

    favours: Annotated[dict[Patron, SeatId | None], Meta(description="In the order of the table.")]
    row: list[CardRef]
    tavern_deck: Annotated[list[CardRef], Meta(description="A set (1.6).")]
    start_of_next_turn: Annotated[
        list[Waiting], Meta(description="What the next turn of the other begins with.")
    ]
    me: Me
    opponent: Opponent


# --- to all -----------------------------------------------------------------------------------


class GameInfo(Struct, frozen=True, tag_field="type", tag="game-info"):
    """Once, after the names."""

    cards: Annotated[str, Meta(description="The card set.")]
    patrons: Annotated[list[Patron], Meta(description="Those that may be picked.")]
    max_turns: Annotated[int, Meta(ge=1)]
    max_actions: Annotated[int, Meta(ge=1)]
    chance: Annotated[str, Meta(extra_json_schema={"enum": ["streams", "engine"]})]
    card_table: list[CardRow]
    player_bot_names: Annotated[list[str], Meta(description="In seat order.")]
    game: Annotated[str, Meta(extra_json_schema={"const": "tribute"})] = "tribute"


class PatronPicked(OfPlayer, frozen=True, tag_field="type", tag="patron-picked", gc=False):
    """A patron was picked."""

    patron: Patron
    round: Annotated[int, Meta(ge=1, le=2)]


class TableSet(Struct, frozen=True, tag_field="type", tag="table-set"):
    """Once, after the draft: every card of the game."""

    patrons: Annotated[list[Patron], Meta(description="In the order of the table.")]
    row: list[CardRef]
    tavern_deck: Annotated[list[CardRef], Meta(description="A set (1.6).")]
    starters: Annotated[list[list[CardRef]], Meta(description="A set for each player.")]


class TurnStarted(Struct, frozen=True, tag_field="type", tag="turn-started", gc=False):
    """A turn begins."""

    turn: TurnNumber
    player_number: SeatId
    coins: Count


class Acted(OfPlayer, frozen=True, tag_field="type", tag="action", gc=False):
    """An action begins."""

    action: Action


class Chosen(OfPlayer, frozen=True, tag_field="type", tag="chosen"):
    """A choice was answered."""

    follow_up: FollowUp
    source: Source
    cards: list[CardRef]
    effect: Annotated[int, Meta(ge=0, le=1)] | None


class Event(OfPlayer, frozen=True, tag_field="type", tag="event", gc=False):
    """Something happened."""

    kind: Annotated[str, Meta(extra_json_schema={"enum": list(EVENTS)})]
    source: Source
    target: CardRef | None
    amount: int


class RowRefilled(Struct, frozen=True, tag_field="type", tag="row-refilled", gc=False):
    """A card has left the row, and another has come, or none."""

    place: Count
    card: CardRef | None


class PlayerShuffled(OfPlayer, frozen=True, tag_field="type", tag="player-shuffled", gc=False):
    """A cooldown pile became the bottom of the draw pile."""


class PlayerDrew(OfPlayer, frozen=True, tag_field="type", tag="player-drew", gc=False):
    """Cards were drawn."""

    count: Annotated[int, Meta(ge=1)]


class TurnEnded(Struct, frozen=True, tag_field="type", tag="turn-ended"):
    """A turn is over; the draw follows."""

    turn: TurnNumber
    player_number: SeatId
    discarded: Annotated[list[CardRef], Meta(description="Hand, then played.")]
    prestige: Annotated[list[int], Meta(description="In seat order.")]


# --- to one bot -------------------------------------------------------------------------------


class PatronRequest(Struct, frozen=True, tag_field="type", tag="patron-request"):
    """Asks for a patron (5.1)."""

    round: Annotated[int, Meta(ge=1, le=2)]
    available: Annotated[list[Patron], Meta(min_length=1)]
    picked: Annotated[list[Patron], Meta(description="So far, in their order.")]


class PlayTurn(Struct, frozen=True, tag_field="type", tag="play-turn"):
    """Asks for an action (5.2)."""

    turn: TurnNumber
    state: State
    actions: Annotated[list[Action], Meta(min_length=1, description="All that is legal.")]


class ChooseRequest(Struct, frozen=True, tag_field="type", tag="choose-request"):
    """Asks for a choice (5.3)."""

    turn: TurnNumber
    follow_up: FollowUp
    source: Annotated[CardRef | Patron, Meta(description="A card or a patron.")]
    level: Annotated[int, Meta(ge=0, le=4, description="Of the card's entry; 0: a patron.")]
    min: Count
    max: Count
    cards: Annotated[list[CardRef], Meta(description="Among what; empty for an OR.")]
    effects: Annotated[list[EffectText], Meta(description="The two of an OR; else empty.")]
    upcoming: Annotated[list[Waiting], Meta(description="What is still to come, in order.")]
    state: State


# --- from a bot -------------------------------------------------------------------------------


class PatronReply(Struct, frozen=True, tag_field="type", tag="patron-reply"):
    """The answer to `patron-request` (5.1)."""

    legal_has: ClassVar[tuple[str, ...]] = ("patron",)
    patron: Annotated[
        Any, Meta(description="One of `available`.", extra_json_schema={"type": "string"})
    ] = None


class PlayReply(Struct, frozen=True, tag_field="type", tag="play-reply"):
    """The answer to `play-turn` (5.2): an action, or an index."""

    legal_has: ClassVar[tuple[str, ...]] = ()
    action: Annotated[
        Any,
        Meta(
            description="One of `actions`.",
            extra_json_schema={
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
        Meta(
            description="Into `actions`, from 0; if there is no `action`.",
            extra_json_schema={"type": "number", "minimum": 0},
        ),
    ] = None


class ChooseReply(Struct, frozen=True, tag_field="type", tag="choose-reply"):
    """The answer to `choose-request` (5.3): cards, or for an OR an effect."""

    legal_has: ClassVar[tuple[str, ...]] = ()
    cards: Annotated[
        Any,
        Meta(
            description="Different uids of `cards`, in any order.",
            extra_json_schema={"type": "array", "items": {"type": "number"}},
        ),
    ] = None
    effect: Annotated[
        Any,
        Meta(
            description="0: the left, 1: the right.",
            extra_json_schema={"type": "number", "enum": [0, 1]},
        ),
    ] = None


PUBLIC: tuple[type[Struct], ...] = (
    *(GameInfo, PatronPicked, TableSet, TurnStarted, Acted, Chosen, Event, RowRefilled),
    *(PlayerShuffled, PlayerDrew, TurnEnded),
)
REQUESTS: tuple[type[Struct], ...] = (PatronRequest, PlayTurn, ChooseRequest)
REPLIES: tuple[type[Struct], ...] = (PatronReply, PlayReply, ChooseReply)
