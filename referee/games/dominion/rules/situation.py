"""Lets conformance cases begin in the middle of a game, and makes the simplest legal replies."""

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
    """The cards of a seat, as a conformance case lists them."""

    hand: list[str] = []
    deck: list[str] = []  # the first card is drawn first
    discard_pile: list[str] = []  # the last card is on top
    in_play: list[str] = []


class FirstTurn(Struct, frozen=True):
    """The state of the first turn. `TurnState` has the same fields.

    If `gained` is None, the player hasn't gained any cards except those it bought.
    """

    actions: int = 1
    buys: int = 1
    money: int = 0
    bought: list[str] = []
    gained: list[str] | None = None

    def of(self, player: Player) -> TurnState:
        bought, gained = self.bought, self.bought if self.gained is None else self.gained
        resources = self.actions, self.buys, self.money
        return TurnState(player, *resources, bought.copy(), gained.copy())


class Situation(Struct, frozen=True):
    """The state of a game that begins in the middle. Omitted parts are dealt as usual.

    Bots that count cards would be confused by cards that nobody has ever gained. Before the first
    request, we therefore publish messages about gained and trashed cards that lead to this state.
    """

    seats: dict[str, SeatCards] = {}  # player number -> its cards
    supply: dict[str, int] = {}  # how many cards each pile has at the first request
    turn: FirstTurn = FirstTurn()

    def lay_out(self, table: Table) -> None:
        """Give the players of a new table their cards, and set the supply.

        Cards that a player must have gained stay in the supply for now. `publish` removes them.
        """
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
        for player in table.players:
            # As in a real match, each card has a message of its own. (If a count is negative, the
            # player has trashed cards of its starting deck.)
            for card, count in _gained(player).items():
                for _ in range(count):
                    table.supply.take(card)
                    table.events += (PlayerGained(player.number, card), table.supply.info)
                for _ in range(-count):
                    table.events.append(PlayerTrashed(player.number, [card]))


def _gained(player: Player) -> Counter[str]:
    gained = Counter(player.cards())
    gained.subtract(Counter(STARTING_DECK))
    return gained


def simplest_reply(request: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the simplest reply, which discards the first cards or ends the turn."""
    if request["type"] == "attack-request":
        return {"type": "attack-reply", "discard": request["options"][: request["discard"]]}
    return {"type": "play-reply", "phase": "cleanup"}
