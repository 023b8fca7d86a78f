"""Players, tavern, favours, and the basic moves (protocol, 4).

Each move changes the cards and publishes the change, in the order of the protocol, 2.19. All piles
start with the top or oldest card.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Mapping
from copy import copy
from operator import attrgetter
from typing import Any, TypeAlias, TypeVar, cast

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


class TurnStats:
    """A player's actions and missed opportunities, for statistics and notes.

    Attributes:
        agents: number of times that an agent came into play.
        killed, knocked_out, destroyed: number of agents that left play in this way.
        missed: opportunity -> number of turns in which it was missed: "cards" to play, "agents" to
            activate, "coins" for a card of the row, the last "favour", "power" that didn't kill an
            agent.
    """

    def __init__(self) -> None:
        self.bought: list[Kind] = []  # bought cards, in order, without acquired cards
        self.called: list[str] = []
        self.power = self.coins = 0  # unused power (now prestige), unused coins
        self.agents = self.killed = self.knocked_out = self.destroyed = 0
        self.missed = dict.fromkeys(("cards", "agents", "coins", "favour", "power"), 0)


class Player:
    """One seat."""

    def __init__(self, seat: int) -> None:
        self.seat = seat
        self.number = PLAYERS[seat]
        self.hand: list[Card] = []
        self.draw_pile: list[Card] = []
        self.cooldown: list[Card] = []
        self.played: list[Card] = []
        self.agents: list[Card] = []  # in order of arrival
        self.known = 0  # number of cards on top of the draw pile that the player knows
        self.coins = self.power = self.prestige = self.turns = 0
        self.calls = 1  # calls of patrons left in this turn
        self.sent_draw_pile, self.sent_hidden = SentSet(), SentSet()  # hidden: hand and draw pile
        self.made = TurnStats()
        self.left = False

    def owned(self) -> list[Card]:
        return self.hand + self.draw_pile + self.played + self.agents + self.cooldown


def as_set(cards: list[Card]) -> list[say.CardRef]:
    """Return cards as a set, sorted so that their order stays hidden (1.6)."""
    return [card.ref for card in sorted(cards, key=attrgetter("order"))]


def cards_of(cards: Iterable[Card]) -> list[str]:
    """Return the ids of the cards' definitions."""
    return [card.kind.card for card in cards]


def shown(card: Card) -> Shown:
    """Return a card in the format for sentences."""
    return Shown(card.kind.card, name=card.kind.name)


def move(player: Player, card: Card, from_: str, to: str) -> Move:
    """Return the move of one card of a player between two places."""
    return Move(player.seat, from_, to, card.kind.card)


class SentSet:
    """A set of cards as JSON (1.6), which is only encoded again if the cards have changed.

    Most requests show the same tavern deck and draw piles as the request before.
    """

    def __init__(self) -> None:
        self._cards: list[Card] = []
        self._text = Raw(b"[]")

    def of(self, cards: list[Card]) -> list[say.CardRef]:
        """Return the cards as encoded JSON. Use it only in messages that are encoded."""
        if self._cards != cards:
            self._cards = cards.copy()
            self._text = Raw(_encode(as_set(cards)))
        return cast("list[say.CardRef]", self._text)


_encode = msgspec.json.Encoder().encode


class Due(Struct, frozen=True, eq=False, gc=False):
    """An effect in the queue, with the card that causes it and the level of the card's entry."""

    source: Card
    level: int
    effect: Effect | Either


class Choice(Struct, eq=False):
    """A question in the middle of a turn.

    Attributes:
        then: function that carries out the answer. It gets the chosen cards in the order of the
            list, or no cards and the effect, and it can return another question.
    """

    follow_up: str
    source: Card | str  # a card or a patron
    level: int  # level of the card's entry; 0 for a patron
    cards: list[Card]
    then: Then
    most: int = 1
    least: int = 0  # least, most: number of cards to choose; `most` can exceed the list
    effects: Either | None = None  # the two effects of an OR; then there are no cards


Then: TypeAlias = "Callable[[Table, Choice, list[Card], int], Choice | None]"


class Table(interface.Table[Player]):
    """The table, and the messages about its changes."""

    sections = SECTIONS

    def __init__(self, cards: CardSet, generators: Mapping[str, Generator]) -> None:
        super().__init__([Player(0), Player(1)])
        self.cards = cards
        self.generators = generators
        self.me, self.other = self.players  # the player on turn, and the opponent
        self.picked: list[str] = []
        self.favours: dict[str, Player | None] = {}  # in table order, including the Treasury
        self.row: list[Card] = []
        self.deck: list[Card] = []  # the tavern deck, top card first
        self.known_below = 0  # number of cards at the bottom of `deck` that everybody knows
        self.sent_deck = SentSet()
        self.turn = self.actions_left = 0  # turn: from 1, over both players; 0 before the first
        self.next_uid = FIRST_UID
        self.queue: deque[Due] = deque()  # effects to carry out, the next first
        self.discards: list[Due] = []  # effects at the start of the opponent's next turn
        self.counters: dict[str, int] = {}  # cards of each deck in this turn, up to 4
        self.waiting: dict[str, list[list[Due]]] = {}  # deck -> effects that wait, by level

    def seat_patrons(self) -> None:
        """Put the picked patrons on the table. They don't favour anybody yet (4.1)."""
        first, second, third, fourth = self.picked
        # The Treasury sits in the middle. Messages have this order, too.
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
        """Give coins to the player on turn. A negative amount is a price."""
        self.me.coins += amount
        self.event("gain-coin", source, None, amount)

    def gain_power(self, source: Card | str, amount: int) -> None:
        """Give power to the player on turn. A negative amount is a price."""
        self.me.power += amount
        self.event("gain-power", source, None, amount)

    def gain_prestige(self, source: Card | str, amount: int) -> None:
        self.me.prestige += amount
        self.event("gain-prestige", source, None, amount)

    def create(self, kind: str, card: str, source: Card | str, owner: Player) -> None:
        """Create a card in a cooldown pile. `kind`: kind of the event."""
        made = self.new_card(card)
        owner.cooldown.append(made)
        self.event(kind, source, made)
        if self.watchers:
            got = [card] * (owner is self.me)
            # A card that an opponent gets (a Bewilderment) isn't a gain of the player on turn.
            self.note(
                owner.seat, [move(owner, made, "", "cooldown")], "gets ", shown(made), got=got
            )

    # --- piles ----------------------------------------------------------------------------------

    def reach(self, player: Player, count: int) -> None:
        """Put the shuffled cooldown pile under a draw pile of fewer than `count` cards (4.3)."""
        if len(player.draw_pile) < count and player.cooldown:
            self.generators[player.number].shuffle(player.cooldown)
            player.draw_pile += player.cooldown
            player.cooldown = []
            self.events.append(say.PlayerShuffled(player.number))

    def draw(self, player: Player, count: int) -> None:
        # Report the earlier changes first. Otherwise, a spectator would see the drawn cards before
        # the action that draws them.
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
                # The seat learns the cards from its next request. The other player only learns
                # their number.
                known = [Move(player.seat, "draw-pile", "hand", count=len(drawn))]
                whole = moves_of(player.seat, cards_of(drawn), "draw-pile", "hand")
                self.moved(Moved(player.seat, whole, known, known))

    def to_top(self, player: Player, card: Card) -> None:
        """Put a card of the cooldown pile on top of the draw pile."""
        player.cooldown.remove(card)
        player.draw_pile.insert(0, card)
        # The player has seen this card, and knows where it is.
        player.known += 1
        if self.watchers:
            moves = [move(player, card, "cooldown", "draw-pile")]
            self.note(player.seat, moves, "puts ", shown(card), " on top")

    def discard(self, cards: list[Card]) -> None:
        """Move cards of the player on turn from the hand to the cooldown pile."""
        me = self.me
        for card in cards:
            me.hand.remove(card)
        me.cooldown += cards
        if self.watchers and cards:
            moves = moves_of(me.seat, cards_of(cards), "hand", "cooldown")
            self.note(me.seat, moves, "discards ", *listed(map(shown, cards)))

    def destroy(self, card: Card) -> None:
        """Remove a card of the player on turn from the hand, the agents or the played cards."""
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
        """Make a card an agent of the player on turn. It can't be activated in this turn.

        Returns:
            The agent. It's a copy of the card, because copies of the game share all cards except
            agents in play.
        """
        agent = copy(card)
        agent.hp, agent.activated = card.kind.hp, True
        self.me.agents.append(agent)
        self.me.made.agents += 1
        return agent

    def knock_out(self, owner: Player, card: Card) -> None:
        """Move an agent from play to the cooldown pile, or to the bottom of the tavern deck."""
        owner.agents.remove(card)
        # If an agent has no HP left, an attack has killed it. Otherwise, an effect has knocked it
        # out.
        owner.made.knocked_out += card.hp > 0
        owner.made.killed += not card.hp
        if card.kind.type == CONTRACT_AGENT:
            self.put_on_bottom(card)
        else:
            owner.cooldown.append(card)
        if self.watchers:
            to = "tavern-deck" if card.kind.type == CONTRACT_AGENT else "cooldown"
            moves = [move(owner, card, "agents", to)]
            # If an attack has killed the agent, don't add a sentence, because the attack has its
            # own sentence.
            did: list[Part] = ["knocks out ", shown(card)] if card.hp else []
            self.note(self.me.seat, moves, *did)

    def put_on_bottom(self, card: Card) -> None:
        self.deck.append(card)
        self.known_below += 1

    def hit(self, card: Card) -> int:
        """Spend power on an agent of the opponent (4.6). Returns the damage."""
        damage = min(self.me.power, card.hp)
        self.me.power -= damage
        card.hp -= damage
        if not card.hp:
            self.knock_out(self.other, card)
        return damage

    def refill(self, place: int) -> None:
        """Fill a place of the row with the top card of the tavern deck (4.7)."""
        card = self.deck.pop(0) if self.deck else None
        # In a long game, even the contracts from the bottom reach the row again.
        self.known_below = min(self.known_below, len(self.deck))
        if card is not None:
            self.row.insert(place, card)
        self.events.append(say.RowRefilled(place, None if card is None else card.ref))

    # --- set-up ---------------------------------------------------------------------------------

    def deal(self) -> None:
        """Set up the tavern and the players. Patrons are already at the table (4.2)."""
        self.deck = [
            self.new_card(kind.card)
            for kind in self.cards.kinds.values()
            if kind.deck in self.favours
            for _ in range(kind.copies)
        ]
        for patron in self.favours:
            for player in self.players:
                player.draw_pile += [self.new_card(card) for card in self.cards.starters[patron]]
        # The engine shuffles twice, so we need two shuffles to deal the same cards with its seed.
        for _ in range(2):
            self.generators[TAVERN].shuffle(self.deck)
        self.row, self.deck = self.deck[:ROW_SIZE], self.deck[ROW_SIZE:]
        for player in self.players:
            self.generators[player.number].shuffle(player.draw_pile)
            player.hand = player.draw_pile[:HAND_SIZE]
            del player.draw_pile[:HAND_SIZE]
        self.players[1].coins = 1

    def favours_all(self, player: Player) -> bool:
        """True if all patrons that can favour a player favour this player."""
        return all(
            favoured is player for patron, favoured in self.favours.items() if patron != TREASURY
        )


def copy_of(table: Table, asked: A) -> tuple[Table, A]:
    """Copy a table, and its choice or actions. Cards are shared, except agents in play.

    Agents have HP, so they're the only cards that change. Effects in the queue and sources of
    choices also refer to agents, and these references have to point to the copies.
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
        # The copy gets no events, because the original publishes them.
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
