"""Where a game begins that begins in the middle, and players that do next to nothing.

Both are for conformance cases.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from referee.games.dominion.rules.cards import STARTING_DECK
from referee.games.dominion.rules.messages import PlayerGained, PlayerTrashed
from referee.games.dominion.rules.player import Player, TurnState
from referee.games.dominion.rules.table import Table


class SeatCards(Struct, frozen=True):
    """The cards of a seat, each pile in the order of a conformance case."""

    hand: list[str] = []
    deck: list[str] = []  # its first card is drawn first
    discard_pile: list[str] = []  # its last card is on top
    in_play: list[str] = []


class FirstTurn(Struct, frozen=True):
    """Where the first turn stands; see `TurnState`.

    If `gained` is None, only the bought cards were gained.
    """

    actions: int = 1
    buys: int = 1
    money: int = 0
    bought: list[str] = []
    gained: list[str] | None = None

    def of(self, player: Player) -> TurnState:
        """It as the turn of a player."""
        bought, gained = self.bought, self.bought if self.gained is None else self.gained
        resources = self.actions, self.buys, self.money
        return TurnState(player, *resources, bought.copy(), gained.copy())


class Situation(Struct, frozen=True):
    """The beginning of a game in the middle. Missing parts are as after the deal.

    Before the first request, the gains and trashings by which the seats got their cards are
    published, so that a bot which counts cards is not surprised by them.
    """

    seats: dict[str, SeatCards] = {}  # player number -> its cards
    supply: dict[str, int] = {}  # card -> cards left at the first request
    turn: FirstTurn = FirstTurn()

    def lay_out(self, table: Table) -> None:
        """Give the seats of a new table their cards; gains are still in the supply."""
        left = table.supply.counts | self.supply
        for player in table.players:
            cards = self.seats.get(player.number)
            if cards is not None:
                player.hand, player.deck = cards.hand.copy(), cards.deck[::-1]
                player.discard_pile = cards.discard_pile.copy()
                player.in_play, player.counted = cards.in_play.copy(), None
            for card, count in _gained(player).items():
                left[card] += max(count, 0)
        table.supply.set(left)

    def publish(self, table: Table) -> None:
        """Publish how the seats got their cards."""
        for player in table.players:
            for card, count in _gained(player).items():
                for _ in range(count):
                    table.supply.take(card)
                    table.events += (PlayerGained(player.number, card), table.supply.info)
                for _ in range(-count):
                    table.events.append(PlayerTrashed(player.number, [card]))


def _gained(player: Player) -> Counter[str]:
    """The cards that a player has more than at the deal; negative for trashed ones."""
    gained = Counter(player.cards())
    gained.subtract(Counter(STARTING_DECK))
    return gained


def simplest_reply(request: Mapping[str, Any]) -> Mapping[str, Any]:
    """Discard what comes first; end the turn."""
    if request["type"] == "attack-request":
        return {"type": "attack-reply", "discard": request["options"][: request["discard"]]}
    return {"type": "play-reply", "phase": "cleanup"}
