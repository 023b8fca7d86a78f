"""The table, and basic moves such as drawing, scrapping and gaining cards.

Each move also publishes messages about the change. Their order is in section 2.22 of the protocol.
"""

from __future__ import annotations

from referee.games.interface import table as interface
from referee.games.interface.random_source import RandomSource
from referee.games.interface.sentence import Card, Part
from referee.games.interface.table import Move, Moved, moves_of
from referee.games.starrealms.rules import messages as say
from referee.games.starrealms.rules.cards import EXPLORER, TRADE_DECK
from referee.games.starrealms.rules.faults import SECTIONS
from referee.games.starrealms.rules.player import FIRST_HANDS, Piece, Player

TRADE_STREAM = "trade"
ROW_SIZE = 5


class Table(interface.Table[Player]):
    """The players, the trade row, and the messages that are waiting to be published."""

    sections = SECTIONS

    def __init__(self, chance: RandomSource, explorers: int) -> None:
        """Shuffle all decks and deal (4.1)."""
        super().__init__([Player(seat) for seat in range(len(FIRST_HANDS))])
        self._chance = chance
        self.row: list[str] = []  # the cards for sale, oldest first
        self.trade_deck = list(TRADE_DECK)  # face down; the last card is the top
        self.explorers = explorers
        self.turn = 0  # counts the turns of both players
        chance.shuffle(TRADE_STREAM, self.trade_deck)
        self._refill()
        for player, count in zip(self.players, FIRST_HANDS, strict=True):
            chance.shuffle(player.number, player.deck)
            self._take(player, count)

    def draw(self, player: Player, count: int) -> None:
        """Draw up to `count` cards. If the deck runs out, shuffle the discard pile (4.8)."""
        # Report the action that caused this draw first. Otherwise, spectators would see the drawn
        # cards before the action.
        self.moved()
        before = len(player.hand)
        # If the deck runs out, we publish two draws: the rest of the old deck, and then the cards
        # from the new deck.
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
            # For now, both players only learn the number of cards. The player who draws will see
            # the cards in the next request.
            whole = moves_of(player.seat, drawn, "deck", "hand")
            known = [Move(player.seat, "deck", "hand", count=len(drawn))]
            self.moved(Moved(player.seat, whole, known, known))

    def discard(self, player: Player, cards: list[str]) -> None:
        """Put cards on the discard pile. The caller has already removed them from the hand."""
        if cards:
            player.discard += cards
            self.events.append(say.PlayerDiscarded(player.number, cards))
            if self.watchers:
                self.note(player.seat, moves_of(player.seat, cards, "hand", "discard"))

    def scrap(self, player: Player, card: str, place: str) -> None:
        """Scrap a card that the caller has already taken from `place`.

        Explorers go back to their pile. All other cards are out of the game.
        """
        self.events.append(say.PlayerScrapped(player.number, card, place))
        if self.watchers:
            to = "explorers" if card == EXPLORER else "scrapped"
            self.note(player.seat, [Move(player.seat, place, to, card)], "scraps ", Card(card))
        if card == EXPLORER:
            self.explorers += 1
            self.show_row()

    def scrap_from_row(self, player: Player, index: int) -> None:
        """Scrap a card of the trade row, and replace it with the next card of the trade deck."""
        card = self._take_from_row(index)
        self.events.append(say.PlayerScrapped(player.number, card, "trade-row"))
        if self.watchers:
            move = Move(player.seat, "trade-row", "scrapped", card)
            self.note(player.seat, [move], "scraps ", Card(card), " of the trade row")
        self.show_row()

    def gain(self, player: Player, index: int, paid: int, to: str, trade: int = 0) -> None:
        """Give a player the card at `index` of the trade row.

        Args:
            index: if it's one past the end of the row, the player gets an Explorer.
            to: "deck" puts the card on top of the deck, and "discard" on the discard pile.
            trade: the player's trade before the purchase, which the match page shows.
        """
        place = "trade-row"
        if index == len(self.row):
            self.explorers -= 1
            card, place = EXPLORER, "explorers"
        else:
            card = self._take_from_row(index)
        if to == "deck":
            # Everybody has seen this card, so it has to stay there when the deck is dealt again.
            player.deck.append(card)
            player.known += 1
        else:
            player.discard.append(card)
        count, first = player.made.gained.get(card, (0, player.turns))
        player.made.gained[card] = (count + 1, first)
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
            combat: how much combat the attacker spent, or 0 if an ability destroyed the base.
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
        # Known cards are on top of the deck, so they are drawn first.
        player.known = max(0, player.known - count)

    def _take_from_row(self, index: int) -> str:
        card = self.row.pop(index)
        self._refill()
        return card

    def _refill(self) -> None:
        while self.trade_deck and len(self.row) < ROW_SIZE:
            self.row.append(self.trade_deck.pop())
