"""Players, tavern and favours, and basic moves such as drawing a card (protocol, 4).

Each move also publishes messages about the change. Their order is in section 2.19 of the protocol.
All piles start with the top or oldest card.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping
from copy import copy
from operator import attrgetter
from typing import Any, TypeVar, cast

import msgspec
from msgspec import Raw, Struct

from referee.games.interface import table as interface
from referee.games.interface.seats import seat_id
from referee.games.interface.sentence import Card as Shown
from referee.games.interface.sentence import Part, listed
from referee.games.interface.table import Move, Moved, moves_of
from referee.games.tribute.rules import messages as say
from referee.games.tribute.rules.cards import (
    CONTRACT_AGENT,
    TREASURY,
    Card,
    CardSet,
    Effect,
    Either,
    Kind,
)
from referee.games.tribute.rules.chance import TAVERN, Generator
from referee.games.tribute.rules.faults import SECTIONS

A = TypeVar("A", bound=Any)
HAND_SIZE = 5
ROW_SIZE = 5
FIRST_UID = 10_000
LEVELS = 4
PLAYERS = (seat_id(0), seat_id(1))
CREATIONS: Mapping[str, tuple[str, str]] = {
    "CREATE_SUMMERSET_SACKING": ("add-summerset-sacking", "SUMMERSET_SACKING"),
    "CREATE_MAORMER_BOARDING_PARTY": ("add-boarding-party", "MAORMER_BOARDING_PARTY"),
}
"""For each verb that creates a card, the kind of event and the card."""


class TurnStats:
    """A player's totals for the match so far, for statistics and notes.

    Attributes:
        bought: the cards that the player paid for, in order. Acquired cards aren't included.
        called: the patrons that the player called, in order.
        power, coins: total power and coins that were left when turns ended.
        agents: how often an agent came into play.
        killed, knocked_out, destroyed: how many agents left play in this way.
        missed: how many turns ended with a missed opportunity: "cards" to play, "agents" to
            activate, "coins" for a card of the row, or a last "favour" that would have won the
            game. "power" counts turns whose unused power damaged a taunt agent in vain.
    """

    def __init__(self) -> None:
        self.bought: list[Kind] = []
        self.called: list[str] = []
        self.power = self.coins = 0
        self.agents = self.killed = self.knocked_out = self.destroyed = 0
        self.missed = dict.fromkeys(("cards", "agents", "coins", "favour", "power"), 0)


class Player:
    """One of the two players, with their cards and resources."""

    def __init__(self, seat: int) -> None:
        self.seat = seat
        self.number = PLAYERS[seat]
        self.hand: list[Card] = []
        self.draw_pile: list[Card] = []
        self.cooldown: list[Card] = []
        self.played: list[Card] = []
        self.agents: list[Card] = []  # in the order in which they came into play
        self.known = 0  # number of cards on top of the draw pile that the player knows
        self.coins = self.power = self.prestige = self.turns = 0
        self.calls = 1  # how many more patrons the player can call in this turn
        # `sent_hidden` is for the set that the opponent gets, with hand and draw pile together.
        self.sent_draw_pile, self.sent_hidden = SentSet(), SentSet()
        self.made = TurnStats()
        self.left = False

    def owned(self) -> list[Card]:
        return self.hand + self.draw_pile + self.played + self.agents + self.cooldown


def as_set(cards: list[Card]) -> list[say.CardRef]:
    """Convert a pile to a set for messages. It's sorted, so the real order stays hidden (1.6)."""
    return [card.ref for card in sorted(cards, key=attrgetter("order"))]


def cards_of(cards: Iterable[Card]) -> list[str]:
    """Return the ids of the cards, e.g. "GOLD"."""
    return [card.kind.card for card in cards]


def shown(card: Card) -> Shown:
    """Convert a card so that it can be part of a sentence on the match page."""
    return Shown(card.kind.card, name=card.kind.name)


def move(player: Player, card: Card, from_: str, to: str) -> Move:
    """Describe how a card moved from one pile to another, for the match page."""
    return Move(player.seat, from_, to, card.kind.card)


class SentSet:
    """Caches the JSON of a set of cards (1.6).

    Most requests contain the same tavern deck and draw piles as the request before, so we only
    encode these sets again when they have changed.
    """

    def __init__(self) -> None:
        self._cards: list[Card] = []
        self._text = Raw(b"[]")

    def of(self, cards: list[Card]) -> list[say.CardRef]:
        """Return the cards as JSON. Only use this in messages that are going to be encoded."""
        if self._cards != cards:
            self._cards = cards.copy()
            self._text = Raw(_encode(as_set(cards)))
        return cast("list[say.CardRef]", self._text)


_encode = msgspec.json.Encoder().encode


class Due(Struct, frozen=True, eq=False, gc=False):
    """A queued effect, together with its card and the level at which the card lists it."""

    source: Card
    level: int
    effect: Effect | Either


class Choice(Struct, eq=False):
    """A choice that the player has to make in the middle of a turn.

    Attributes:
        source: the card or the patron that offers the choice.
        level: the level of the card's effect, from 1. For a patron, it's 0.
        cards: the cards to choose from, or [] if the choice is between effects.
        least, most: how many cards can be chosen. `most` can be greater than the number of cards.
        effects: the two effects of an OR, or None if the choice is between cards.
    """

    follow_up: str
    source: Card | str
    level: int
    cards: list[Card]
    most: int = 1
    least: int = 0
    effects: Either | None = None


class Table(interface.Table[Player]):
    """The table, and the messages that are waiting to be published."""

    sections = SECTIONS

    def __init__(self, cards: CardSet, generators: Mapping[str, Generator]) -> None:
        super().__init__([Player(0), Player(1)])
        self.cards = cards
        self.generators = generators
        self.me, self.other = self.players  # the active player and the opponent
        self.picked: list[str] = []
        # The player whom each patron favours, in the order of the patrons at the table. This
        # includes the Treasury, although it never favours anybody.
        self.favours: dict[str, Player | None] = {}
        self.row: list[Card] = []
        self.deck: list[Card] = []  # the tavern deck, top card first
        self.known_below = 0  # number of cards at the bottom of `deck` that everybody knows
        self.sent_deck = SentSet()
        self.turn = self.actions_left = 0  # `turn` counts the turns of both players
        self.next_uid = FIRST_UID
        self.queue: deque[Due] = deque()  # effects that are carried out next
        self.discards: list[Due] = []  # effects for the start of the opponent's next turn
        self.counters: dict[str, int] = {}  # number of cards of each deck in this turn, up to 4
        self.waiting: dict[str, list[list[Due]]] = {}  # deck -> effects of unfinished combos

    def seat_patrons(self) -> None:
        """Put the picked patrons on the table. They don't favour anybody yet (4.1)."""
        first, second, third, fourth = self.picked
        # The Treasury sits in the middle. Messages use this order, too.
        self.favours = dict.fromkeys((first, second, TREASURY, third, fourth))
        self.forget_combos()

    def forget_combos(self) -> None:
        """Reset the counters and waiting effects, for a new turn (4.4)."""
        self.counters = dict.fromkeys(self.favours, 0)
        self.waiting = {}

    def new_card(self, card: str) -> Card:
        made = Card(self.next_uid, self.cards.kinds[card])
        self.next_uid += 1
        return made

    def event(
        self, kind: str, source: Card | str | None, target: Card | None = None, amount: int = 1
    ) -> None:
        of = source.ref if isinstance(source, Card) else source
        hit = None if target is None else target.ref
        self.events.append(say.Event(self.me.number, kind, of, hit, amount))

    # --- resources --------------------------------------------------------------------------------

    def gain_coin(self, source: Card | str, amount: int) -> None:
        """Give coins to the active player. If the amount is negative, the player pays."""
        self.me.coins += amount
        self.event("gain-coin", source, None, amount)

    def gain_power(self, source: Card | str, amount: int) -> None:
        """Give power to the active player. If the amount is negative, the player pays."""
        self.me.power += amount
        self.event("gain-power", source, None, amount)

    def gain_prestige(self, source: Card | str, amount: int) -> None:
        self.me.prestige += amount
        self.event("gain-prestige", source, None, amount)

    def create(self, kind: str, card: str, source: Card | str, owner: Player) -> None:
        """Create a card in the owner's cooldown pile, and publish an event of this kind."""
        made = self.new_card(card)
        owner.cooldown.append(made)
        self.event(kind, source, made)
        if self.watchers:
            got = [card] * (owner is self.me)
            # The opponent may get a Bewilderment. That isn't a gain for the active player.
            self.note(
                owner.seat, [move(owner, made, "", "cooldown")], "gets ", shown(made), got=got
            )

    def create_for_orgnum(self, source: Card | str) -> None:
        """Create the card that Orgnum gives to the active player (4.8).

        Which card it is depends on the card set.
        """
        self.create(*CREATIONS[self.cards.creates], source, self.me)

    # --- piles ----------------------------------------------------------------------------------

    def reach(self, player: Player, count: int) -> None:
        """Make sure that the draw pile has `count` cards, if the player has that many (4.3).

        If it's too small, the cooldown pile is shuffled and put under it.
        """
        if len(player.draw_pile) < count and player.cooldown:
            self.generators[player.number].shuffle(player.cooldown)
            player.draw_pile += player.cooldown
            player.cooldown = []
            self.events.append(say.PlayerShuffled(player.number))

    def draw(self, player: Player, count: int) -> None:
        # Report the action that caused this draw first. Otherwise, spectators would see the drawn
        # cards before the action.
        self.moved()
        self.reach(player, count)
        pile = player.draw_pile
        drawn = pile[:count]
        if drawn:
            player.hand += drawn
            del pile[:count]
            player.known = max(0, player.known - count)
            self.events.append(say.PlayerDrew(player.number, len(drawn)))
            if self.watchers:
                # For now, both players only learn the number of cards. The player who draws will
                # see the cards in the next request.
                known = [Move(player.seat, "draw-pile", "hand", count=len(drawn))]
                whole = moves_of(player.seat, cards_of(drawn), "draw-pile", "hand")
                self.moved(Moved(player.seat, whole, known, known))

    def to_top(self, player: Player, card: Card) -> None:
        """Put a card of the cooldown pile on top of the draw pile."""
        player.cooldown.remove(card)
        player.draw_pile.insert(0, card)
        # The player knows which card is on top now.
        player.known += 1
        if self.watchers:
            moves = [move(player, card, "cooldown", "draw-pile")]
            self.note(player.seat, moves, "puts ", shown(card), " on top")

    def discard(self, cards: list[Card]) -> None:
        """Move cards of the active player from the hand to the cooldown pile."""
        me = self.me
        for card in cards:
            me.hand.remove(card)
        me.cooldown += cards
        if self.watchers and cards:
            moves = moves_of(me.seat, cards_of(cards), "hand", "cooldown")
            self.note(me.seat, moves, "discards ", *listed(map(shown, cards)))

    def destroy(self, card: Card) -> None:
        """Remove a card of the active player from the game.

        The card can be in the hand, among the played cards, or in play as an agent.
        """
        me = self.me
        for pile, name in ((me.hand, "hand"), (me.agents, "agents"), (me.played, "played")):
            if card in pile:
                pile.remove(card)
                me.made.destroyed += pile is me.agents
                if self.watchers:
                    moves = [move(me, card, name, "destroyed")]
                    self.note(me.seat, moves, "destroys ", shown(card))
                return

    def enter(self, card: Card) -> Card:
        """Put a card into play as an agent. It can't be activated in this turn.

        Returns:
            The agent, which is a new object. Agents in play can change, and the original card may
            be shared with copies of the game.
        """
        agent = copy(card)
        agent.hp, agent.activated = card.kind.hp, True
        self.me.agents.append(agent)
        self.me.made.agents += 1
        return agent

    def knock_out(self, owner: Player, card: Card) -> None:
        """Move an agent from play to the cooldown pile, or to the bottom of the tavern deck."""
        owner.agents.remove(card)
        # An agent without HP was killed by an attack. Otherwise, an effect has knocked it out.
        owner.made.knocked_out += card.hp > 0
        owner.made.killed += not card.hp
        if card.kind.type == CONTRACT_AGENT:
            self.put_on_bottom(card)
        else:
            owner.cooldown.append(card)
        if self.watchers:
            to = "tavern-deck" if card.kind.type == CONTRACT_AGENT else "cooldown"
            moves = [move(owner, card, "agents", to)]
            # If an attack has killed the agent, the sentence about the attack is enough.
            did: list[Part] = ["knocks out ", shown(card)] if card.hp else []
            self.note(self.me.seat, moves, *did)

    def put_on_bottom(self, card: Card) -> None:
        self.deck.append(card)
        self.known_below += 1

    def hit(self, card: Card) -> int:
        """Spend power to damage an agent of the opponent (4.6). Returns the damage."""
        damage = min(self.me.power, card.hp)
        self.me.power -= damage
        card.hp -= damage
        if not card.hp:
            self.knock_out(self.other, card)
        return damage

    def refill(self, place: int) -> None:
        """Fill a place of the row with the top card of the tavern deck (4.7)."""
        card = self.deck.pop(0) if self.deck else None
        # In a long game, the cards that were put on the bottom end up in the row again.
        self.known_below = min(self.known_below, len(self.deck))
        if card is not None:
            self.row.insert(place, card)
        self.events.append(say.RowRefilled(place, None if card is None else card.ref))

    # --- set-up ---------------------------------------------------------------------------------

    def deal(self) -> None:
        """Set up the tavern and deal the first hands (4.2). Call `seat_patrons` before this."""
        self.deck = [
            self.new_card(kind.card)
            for kind in self.cards.kinds.values()
            if kind.deck in self.favours
            for _ in range(kind.copies)
        ]
        for patron in self.favours:
            for player in self.players:
                player.draw_pile += [self.new_card(card) for card in self.cards.starters[patron]]
        # The engine shuffles twice. We do the same, so that its seeds deal the same cards here.
        for _ in range(2):
            self.generators[TAVERN].shuffle(self.deck)
        self.row, self.deck = self.deck[:ROW_SIZE], self.deck[ROW_SIZE:]
        for player in self.players:
            self.generators[player.number].shuffle(player.draw_pile)
            player.hand = player.draw_pile[:HAND_SIZE]
            del player.draw_pile[:HAND_SIZE]
        self.players[1].coins = 1


def copy_of(table: Table, asked: A) -> tuple[Table, A]:
    """Copy a table and its pending question. The copy shares all cards except agents in play.

    Agents lose HP, so they're the only cards that can change. Queued effects and choices may refer
    to an agent, so we make them refer to the agent's copy.
    """
    agents: dict[Any, Any] = {each: copy(each) for p in table.players for each in p.agents}

    def dues(waiting: Iterable[Due]) -> list[Due]:
        return [Due(agents.get(due.source, due.source), due.level, due.effect) for due in waiting]

    players = [
        interface.copied(
            player,
            agents=[agents[each] for each in player.agents],
            made=interface.copied(player.made),
        )
        for player in table.players
    ]
    made = interface.copied(
        # The original will publish its events, so don't copy them.
        table,
        events=[],
        players=players,
        me=players[table.me.seat],
        other=players[table.other.seat],
        favours={each: p and players[p.seat] for each, p in table.favours.items()},
        queue=deque(dues(table.queue)),
        discards=dues(table.discards),
        waiting={deck: [dues(level) for level in ls] for deck, ls in table.waiting.items()},
    )
    if not isinstance(asked, Choice):
        return made, asked
    cards = [agents.get(card, card) for card in asked.cards]
    source = agents.get(asked.source, asked.source)
    return made, msgspec.structs.replace(asked, source=source, cards=cards)
