"""The table, and the basic moves.

Each move changes the cards and publishes the change, in the order of the protocol, 2.22.
"""

from __future__ import annotations

from referee.games.interface import table as interface
from referee.games.interface.random_source import RandomSource
from referee.games.interface.sentence import Card, Part
from referee.games.interface.table import Move, Moved, moves_of
from referee.games.starrealms.rules import messages as say
from referee.games.starrealms.rules.cards import EXPLORER, TRADE_DECK
from referee.games.starrealms.rules.faults import SECTIONS
from referee.games.starrealms.rules.player import FIRST_HANDS, Gain, Piece, Player

TRADE_STREAM = "trade"
ROW_SIZE = 5


class Table(interface.Table[Player]):
    """The players, the trade row, and the messages about their changes."""

    sections = SECTIONS

    def __init__(self, chance: RandomSource, explorers: int) -> None:
        """Shuffle all decks and deal (4.1)."""
        super().__init__([Player(seat) for seat in range(len(FIRST_HANDS))])
        self._chance = chance
        self.row: list[str] = []  # the cards for sale, oldest first
        self.trade_deck = list(TRADE_DECK)  # face down; the last card is the top
        self.explorers = explorers
        self.turn = 0  # from 1, over both players; 0 before the first
        chance.shuffle(TRADE_STREAM, self.trade_deck)
        self._refill()
        for player, count in zip(self.players, FIRST_HANDS, strict=True):
            chance.shuffle(player.number, player.deck)
            self._take(player, count)

    def draw(self, player: Player, count: int) -> None:
        """Draw up to `count` cards. If the deck runs out, shuffle the discard pile (4.8)."""
        # Report the earlier changes first. Otherwise, a spectator would see the drawn cards before
        # the action that draws them.
        self.moved()
        before = len(player.hand)
        # If the deck runs out, there are two draws with a message each. The first takes the rest of
        # the deck, and the second follows the shuffle.
        first = min(count, len(player.deck))
        self._draw(player, first)
        if first < count and player.discard:
            player.deck, player.discard = player.discard, []
            player.shuffles += 1
            self._chance.shuffle(player.number, player.deck)
            self.events.append(say.PlayerShuffled(player.number))
            self._draw(player, min(count - first, len(player.deck)))
        drawn = player.hand[before:]
        if self.watchers and drawn:
            # The seat learns the cards from its next request. The other player only learns their
            # number.
            whole = moves_of(player.seat, drawn, "deck", "hand")
            known = [Move(player.seat, "deck", "hand", count=len(drawn))]
            self.moved(Moved(player.seat, whole, known, known))

    def discard(self, player: Player, cards: list[str]) -> None:
        """Put cards of the hand on the discard pile. They were already removed from the hand."""
        if cards:
            player.discard += cards
            self.events.append(say.PlayerDiscarded(player.number, cards))
            if self.watchers:
                self.note(player.seat, moves_of(player.seat, cards, "hand", "discard"))

    def scrap(self, player: Player, card: str, place: str) -> None:
        """Remove a card of this place from the game. An Explorer goes back to its pile."""
        self.events.append(say.PlayerScrapped(player.number, card, place))
        if self.watchers:
            to = "explorers" if card == EXPLORER else "scrapped"
            self.note(player.seat, [Move(player.seat, place, to, card)], "scraps ", Card(card))
        if card == EXPLORER:
            self.explorers += 1
            self.show_row()

    def scrap_from_row(self, player: Player, index: int) -> None:
        """Remove a card of the row from the game and replace it."""
        card = self._take_from_row(index)
        self.events.append(say.PlayerScrapped(player.number, card, "trade-row"))
        if self.watchers:
            move = Move(player.seat, "trade-row", "scrapped", card)
            self.note(player.seat, [move], "scraps ", Card(card), " of the trade row")
        self.show_row()

    def gain(self, player: Player, index: int, paid: int, to: str, trade: int = 0) -> None:
        """Move a card from the trade row to a player. The index after the last is an Explorer.

        Args:
            trade: the player's trade before the purchase.
        """
        place = "trade-row"
        if index == len(self.row):
            self.explorers -= 1
            card, place = EXPLORER, "explorers"
        else:
            card = self._take_from_row(index)
        if to == "deck":
            # Everybody has seen this card, so a redeal must leave it on top.
            player.deck.append(card)
            player.known += 1
        else:
            player.discard.append(card)
        player.made.gains.append(Gain(card, player.turns))
        self.events.append(say.PlayerGained(player.number, card, paid, to))
        if self.watchers:
            what = Card(card)
            price = [f" for {paid} of {trade}"] * bool(paid)
            did: list[Part] = ["buys " if paid else "takes ", what, *price]
            self.note(player.seat, [Move(player.seat, place, to, card)], *did, got=[card])
        self.show_row()

    def destroy(self, owner: Player, base: Piece, combat: int) -> None:
        """Put a base on its owner's discard pile.

        Args:
            combat: combat spent on the attack. 0: the effect of a card destroyed the base.
        """
        owner.in_play.remove(base)
        owner.discard.append(base.card.name)
        self.events.append(say.BaseDestroyed(owner.number, base.card.name, combat))
        if self.watchers:
            card = Card(base.card.name)
            with_ = [f" with {combat}"] * bool(combat)
            did: list[Part] = ["attacks " if combat else "destroys ", card, *with_]
            moves = [Move(owner.seat, "play", "discard", base.card.name)]
            self.note(1 - owner.seat, moves, *did)

    def show_row(self) -> None:
        self.events.append(say.TradeRow(self.row.copy(), len(self.trade_deck), self.explorers))

    def _draw(self, player: Player, count: int) -> None:
        if count:
            self._take(player, count)
            self.events.append(say.PlayerDrew(player.number, count))

    def _take(self, player: Player, count: int) -> None:
        self._chance.before_draw(player.number, player.hand, player.deck, count)
        player.hand += player.deck[: -count - 1 : -1]
        del player.deck[-count:]
        # The drawn cards include the known cards on top, so fewer known cards are left.
        player.known = max(0, player.known - count)

    def _take_from_row(self, index: int) -> str:
        card = self.row.pop(index)
        self._refill()
        return card

    def _refill(self) -> None:
        while self.trade_deck and len(self.row) < ROW_SIZE:
            self.row.append(self.trade_deck.pop())
